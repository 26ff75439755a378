"""The OpenAPI document, made of the routes and of the types of bodies; `python -m isogloss.service.app` prints it.

The document in the repository is what this prints; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from isogloss.service.jobs import CALCULATED
from isogloss.service.problems import KINDS, MEDIA_TYPE, TYPE
from isogloss.service.requests import CalculateRequest, Route, make_routes
from isogloss.tasks.code_switching.request import TEXTS
from isogloss.version import __version__

SCHEMAS = "#/components/schemas/"
OF_BODIES = (400, 401, 403, 408, 413, 415, 422, 429, 500, 501, 503)
OF_OTHERS = (401, 403, 500, 503)
DESCRIPTION = (
    "Scores where words, names and languages begin and end in text of any script. Answers to `/v1/TASK` are the JSON "
    "that `isogloss TASK -f json` prints. Whatever is not served is answered with problem details (RFC 9457)."
)
NUMBER = {"type": "number"}
TEXT = {"type": "string"}
COUNT = {"type": "integer", "minimum": 0}
FIGURES = {name: COUNT if name.startswith("total") else NUMBER for name in CALCULATED}
REPORT = {"type": "object", "required": list(CALCULATED), "properties": FIGURES}
ANSWERS: Mapping[str, Any] = {
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
    "Figures": {
        "description": "The figures of PNaCoS, beside each other and under `report`; -1.0 without a denominator.",
        "type": "object",
        "required": [*CALCULATED, "report"],
        "properties": FIGURES | {"report": REPORT},
    },
    "Profiles": {
        "description": "What `/calculate/` runs, and the profiles of each task.",
        "type": "object",
        "required": ["version", "calculate", "profiles"],
        "properties": {"version": TEXT, "calculate": {"type": "object"}, "profiles": {"type": "object"}},
    },
    "Problem": {
        "description": "Why a request is not served.",
        "type": "object",
        "required": ["type", "title", "status", "detail", "request_id"],
        "properties": {
            "type": {"enum": [TYPE + kind for kind in KINDS]},
            "title": TEXT,
            "status": {"enum": sorted({status for status, _ in KINDS.values()})},
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


def problems(statuses: Iterable[int]) -> dict[int | str, dict[str, Any]]:
    """What a route declares of the problems that it answers.

    Args:
        statuses: of the problems.
    """
    content = {MEDIA_TYPE: {"schema": {"$ref": f"{SCHEMAS}Problem"}}}
    return {
        status: {
            "description": "; ".join(title for own, title in KINDS.values() if own == status),
            "content": content,
        }
        for status in statuses
    }


def answer(schema: str) -> dict[int | str, dict[str, Any]]:
    """What a route declares of its answer."""
    content = {"application/json": {"schema": {"$ref": SCHEMAS + schema}}}
    return {200: {"description": ANSWERS[schema]["description"], "content": content}}


def body_of_task(task: Route) -> dict[str, Any]:
    """What a task's route declares of its body."""
    return _body(task.body, task.example)


def body_of_calculate() -> dict[str, Any]:
    """What `/calculate/` declares of its body."""
    return _body(CalculateRequest, {"texts": [*TEXTS]})


def document(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document of an application.

    Args:
        app: with all its routes.
    """
    made = get_openapi(title="isogloss", version=__version__, description=DESCRIPTION, routes=app.routes)
    bodies = [task.body for task in make_routes().values()]
    _, schemas = msgspec.json.schema_components([*bodies, CalculateRequest], ref_template=SCHEMAS + "{name}")
    components = made.setdefault("components", {})
    components["schemas"] = dict(sorted((components.get("schemas", {}) | schemas | ANSWERS).items()))
    components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    made["security"] = [{}, {"token": []}]
    return made


def text_of(made: Mapping[str, Any]) -> str:
    """A document as it stands in the repository."""
    return msgspec.json.format(msgspec.json.encode(made), indent=2).decode() + "\n"


def _body(kind: type[msgspec.Struct], example: Mapping[str, Any]) -> dict[str, Any]:
    content = {"schema": {"$ref": SCHEMAS + kind.__name__}, "example": dict(example)}
    return {"requestBody": {"required": True, "content": {"application/json": content}}}
