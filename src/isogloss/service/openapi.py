"""The OpenAPI document and the documentation page built from it.

The document is built from the routes and the types of bodies. `python -m isogloss.service.app` prints the document; a
test compares it with the one in the repository. The page is plain HTML that needs no network and no script. Change how
it looks in `docs_page.html` and `docs_page.css`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Any

import jinja2
import msgspec

from isogloss.service.problems import MEDIA_TYPE, PROBLEM_KINDS, TYPE_PREFIX
from isogloss.service.requests import Query, Route
from isogloss.version import __version__

STYLE = files("isogloss.service").joinpath("docs_page.css").read_text(encoding="utf-8")
SCHEMAS = "#/components/schemas/"
BODY_STATUSES = (400, 401, 403, 408, 413, 415, 422, 429, 500, 501, 503)
OTHER_STATUSES = (401, 403, 500, 503)
DESCRIPTION = (
    "Scores where words, names and languages begin and end in text of any script. Answers to `/v1/TASK` are the JSON "
    "that `isogloss TASK -f json` prints. Whatever is not served is answered with problem details (RFC 9457)."
)
TEXT = {"type": "string"}
COUNT = {"type": "integer", "minimum": 0}
ANSWER_SCHEMAS: dict[str, Any] = {
    "Run": {
        "description": "The scores of a system, with what they rest on; keys without content are left out.",
        "type": "object",
        "required": ["task", "signature", "version", "system", "documents", "scores"],
        "properties": {
            "task": TEXT,
            "signature": TEXT,
            "version": TEXT,
            "system": TEXT,
            "profile": {"type": ["string", "null"]},
            "documents": COUNT,
            "scores": {"type": "object"},
            "findings": {"type": "object"},
            "warnings": {"type": "array", "items": {"type": "object"}},
        },
    },
    "Problem": {
        "description": "Why a request is not served.",
        "type": "object",
        "required": ["type", "title", "status", "detail", "request_id"],
        "properties": {
            "type": {"enum": [TYPE_PREFIX + kind for kind in PROBLEM_KINDS]},
            "title": TEXT,
            "status": {"enum": sorted({status for status, _ in PROBLEM_KINDS.values()})},
            "detail": TEXT,
            "remedy": TEXT,
            "request_id": TEXT,
            "errors": {
                "description": "Places in the body, as JSON Pointers.",
                "type": "array",
                "items": {"type": "object", "properties": {"pointer": TEXT, "detail": TEXT}},
            },
        },
    },
}


def build_document(routes: Mapping[str, Route]) -> dict[str, Any]:
    """Build the OpenAPI document of the routes that tasks declare."""
    extra = [route for route in routes.values() if route.extra is not None]
    types = [route.body for route in routes.values()] + [route.extra.answer for route in extra if route.extra]
    _, schemas = msgspec.json.schema_components(types, ref_template=SCHEMAS + "{name}")
    schemas |= ANSWER_SCHEMAS | {"Profiles": _describe_profiles(extra)}
    profiles = {
        "summary": f"Profiles, and what {_join_paths(extra)} runs",
        "operationId": "profiles",
        "responses": _describe_answers("Profiles", schemas, OTHER_STATUSES),
    }
    paths: dict[str, Any] = {path: {"post": _describe_route(route, schemas)} for path, route in routes.items()}
    return {
        "openapi": "3.1.0",
        "info": {"title": "isogloss", "description": DESCRIPTION, "version": __version__},
        "paths": paths | {"/v1/profiles": {"get": profiles}},
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def format_document(document: Mapping[str, Any]) -> str:
    """Format a document as it stands in the repository."""
    return _format_indented(document) + "\n"


def render_docs_page(document: Mapping[str, Any], description: Mapping[str, Any]) -> str:
    """Render the page from the OpenAPI document and the answer of `/v1/profiles`."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("isogloss.service", ""),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"value": _format_value, "json": _format_indented}
    return environment.get_template("docs_page.html").render(document, running=description)


def _format_value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return "the default" if value is None else str(value)


def _format_indented(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def _describe_route(route: Route, schemas: Mapping[str, Any]) -> dict[str, Any]:
    answer = "Run" if route.extra is None else route.extra.answer.__name__
    content = {"schema": {"$ref": SCHEMAS + route.body.__name__}, "example": dict(route.example)}
    return {
        "summary": route.summary,
        "operationId": route.name,
        **({"parameters": _describe_query()} if route.extra is None else {}),
        "requestBody": {"required": True, "content": {"application/json": content}},
        "responses": _describe_answers(answer, schemas, BODY_STATUSES),
    }


def _describe_query() -> list[dict[str, Any]]:
    members = msgspec.json.schema_components([Query])[1][Query.__name__]["properties"]
    shared = {"in": "query", "required": False}
    return [
        {"name": name, **shared, "schema": schema, "description": schema["description"]}
        for name, schema in members.items()
    ]


def _describe_answers(answer: str, schemas: Mapping[str, Any], statuses: Iterable[int]) -> dict[str, Any]:
    """Describe the answer of a route and its problems."""
    served = {"application/json": {"schema": {"$ref": SCHEMAS + answer}}}
    refused = {MEDIA_TYPE: {"schema": {"$ref": f"{SCHEMAS}Problem"}}}
    answers = {"200": {"description": schemas[answer]["description"], "content": served}}
    for status in statuses:
        titles = "; ".join(title for own, title in PROBLEM_KINDS.values() if own == status)
        answers[str(status)] = {"description": titles, "content": refused}
    return answers


def _describe_profiles(extra: Iterable[Route]) -> dict[str, Any]:
    extra = list(extra)
    names = [route.name for route in extra]
    return {
        "description": f"What {_join_paths(extra, '`')} runs, and the profiles of each task.",
        "type": "object",
        "required": ["version", *names, "profiles"],
        "properties": {"version": TEXT, **{name: {"type": "object"} for name in [*names, "profiles"]}},
    }


def _join_paths(extra: Iterable[Route], quote: str = "") -> str:
    return " or ".join(f"{quote}{route.path}{quote}" for route in extra)
