"""The OpenAPI document and the documentation page built from it.

The document is built from the routes and the types of bodies. `python -m isogloss.service.app` prints the document; a
test compares it with the one in the repository. The page is plain HTML that needs no network; its script only adds
forms that send requests. Change the page in `docs_page.html`, `docs_page.css` and `docs_page.js`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from importlib.resources import files
from inspect import cleandoc
from typing import Any

import jinja2
import msgspec
from markupsafe import Markup, escape

from isogloss.explorer import payloads
from isogloss.explorer.routes import ROUTES, ExplorerRoute
from isogloss.service.explorer_endpoints import NOTE_PATH
from isogloss.service.file_bodies import MULTIPART, SUFFIXES, list_option_names
from isogloss.service.problems import MEDIA_TYPE, PROBLEM_KINDS, TYPE_PREFIX
from isogloss.service.requests import Query, Route
from isogloss.service.uploads import JOB_PATH
from isogloss.tasks.registry import list_task_names
from isogloss.version import __version__

PARTS = files("isogloss.service")
STYLE = PARTS.joinpath("docs_page.css").read_text(encoding="utf-8")
SCRIPT = PARTS.joinpath("docs_page.js").read_text(encoding="utf-8")
DEFAULT_URL = "http://127.0.0.1:8008"  # in the commands of the page, whose script shows the real one
SCHEMAS = "#/components/schemas/"
BODY_STATUSES = (400, 401, 403, 408, 413, 415, 422, 429, 500, 501, 503)
OTHER_STATUSES = (401, 403, 500, 503)
JOB_STATUSES = (401, 403, 404, 500, 503)
EXPLORER_STATUSES = (401, 403, 404, 422, 500, 503)
PARAMETERS = {  # descriptions of parameters by name
    "id": "Id of the run or job.",
    "column": "Name of the column: document, surface, key, or the name of a facet.",
    "page": "Number of the page, from 0.",
    "number": "Number of the document, from 0.",
    "corpus_key": "Hash of the reference of the run.",
    "key": "Key of the finding, 16 hexadecimal digits.",
    "task": "Only runs of this task.",
    "corpus": "Only runs on the corpus of this name.",
    "tag": "Only runs with this tag.",
    "name": "Only runs of this name.",
    "system": "Only runs of this system.",
    "after": "The last run or finding of the page before.",
    "from": "Number of the first surface form.",
    "limit": "Most rows of a page.",
    "run": "Id of the run.",
    "format": "Format of the file.",
}
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
    types += [route.answer for route in ROUTES if route.answer is not bytes]
    types += [payloads.NoteBody, payloads.NotePayload, payloads.JobBody, payloads.JobPayload]
    _, schemas = msgspec.json.schema_components(types, ref_template=SCHEMAS + "{name}")
    for schema in schemas.values():
        if "description" in schema:
            schema["description"] = cleandoc(schema["description"])  # Python before 3.13 keeps the indentation
    schemas |= ANSWER_SCHEMAS | {"Profiles": _describe_profiles(extra)}
    profiles = {
        "summary": f"Profiles, and what {_join_paths(extra)} runs",
        "operationId": "profiles",
        "responses": _describe_answers("Profiles", schemas, OTHER_STATUSES),
    }
    paths: dict[str, Any] = {path: {"post": _describe_route(route, schemas)} for path, route in routes.items()}
    paths |= {route.path: {"get": _describe_explorer_route(route, schemas)} for route in ROUTES}
    paths |= _describe_notes(schemas) | _describe_jobs(schemas)
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
    """Render the page from the OpenAPI document and the answer of `/v1/profiles`.

    The page does not show the answer if it is empty.
    """
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("isogloss.service", ""),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "value": _format_value,
        "json": _format_indented,
        "compact": _format_compact,
        "code": _mark_code,
    }
    page = environment.get_template("docs_page.html")
    return page.render(document, running=description, groups=_group_operations(document["paths"]), url=DEFAULT_URL)


def _group_operations(paths: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Group operations for the page by what they do."""
    groups: dict[str, list[dict[str, Any]]] = {"Score": [], "Score files": [], "Explorer": []}
    for path, methods in paths.items():
        title = "Score files" if path.startswith("/v1/jobs") else "Score" if "post" in methods else "Explorer"
        groups[title] += [
            {"method": method, "path": path, "operation": operation} for method, operation in methods.items()
        ]
    return [{"title": title, "operations": operations} for title, operations in groups.items()]


def _format_value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return "the default" if value is None else str(value)


def _mark_code(text: str) -> Markup:
    """Escape a text, and mark as code what stands in backquotes."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text)))  # noqa: S704  it is escaped


def _format_compact(value: Any) -> str:
    """Format JSON for single quotes in a shell."""
    return msgspec.json.encode(value).decode().replace("'", "\\u0027")


def _format_indented(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def _describe_route(route: Route, schemas: Mapping[str, Any]) -> dict[str, Any]:
    answer = "Run" if route.extra is None else route.extra.answer.__name__
    content: dict[str, Any] = {
        "application/json": {"schema": {"$ref": SCHEMAS + route.body.__name__}, "example": dict(route.example)}
    }
    if route.extra is None:
        content |= _describe_files(route)
    return {
        "summary": route.summary,
        "operationId": route.name,
        **({"parameters": _describe_query()} if route.extra is None else {}),
        "requestBody": {"required": True, "content": content},
        "responses": _describe_answers(answer, schemas, BODY_STATUSES),
    }


def _describe_files(route: Route) -> dict[str, Any]:
    """Describe bodies that are files."""
    sides = {name: {"type": "string", "format": "binary"} for name in route.request.data}
    fields: dict[str, Any] = {name: {} for name in list_option_names(route)}
    form = {"type": "object", "properties": sides | fields, "required": [next(iter(sides))]}
    return {MULTIPART: {"schema": form}, **{media_type: {"schema": TEXT} for media_type in SUFFIXES}}


def _describe_explorer_route(route: ExplorerRoute, schemas: Mapping[str, Any]) -> dict[str, Any]:
    answer = None if route.answer is bytes else route.answer.__name__
    return {
        "summary": route.summary,
        "operationId": route.name,
        "parameters": [*_describe_path(route.path), *_describe_query(route.query)],
        "responses": _describe_answers(answer, schemas, EXPLORER_STATUSES),
    }


def _describe_notes(schemas: Mapping[str, Any]) -> dict[str, Any]:
    parameters = _describe_path(NOTE_PATH)
    write = {
        "summary": "Write a verdict on a finding, in place of an earlier one",
        "operationId": "write_note",
        "parameters": parameters,
        "requestBody": _describe_body(payloads.NoteBody, {"verdict": "gold error", "text": "A river, not a person."}),
        "responses": _describe_answers("NotePayload", schemas, (*BODY_STATUSES, 404)),
    }
    delete = {
        "summary": "Delete a verdict",
        "operationId": "delete_note",
        "parameters": parameters,
        "responses": _describe_answers(None, schemas, EXPLORER_STATUSES, "204"),
    }
    return {NOTE_PATH: {"put": write, "delete": delete}}


def _describe_jobs(schemas: Mapping[str, Any]) -> dict[str, Any]:
    task, file = list_task_names()[0], {"name": "gold.conll", "content": "QWRhIEItUEVSCg=="}
    parameters = _describe_path(JOB_PATH)
    create = {
        "summary": "Score uploaded files in the background",
        "operationId": "create_job",
        "requestBody": _describe_job_body({"task": task, "reference": file, "prediction": file}),
        "responses": _describe_answers("JobPayload", schemas, BODY_STATUSES, "202"),
    }
    read, cancel = (
        {
            "summary": summary,
            "operationId": name,
            "parameters": parameters,
            "responses": _describe_answers("JobPayload", schemas, JOB_STATUSES),
        }
        for name, summary in (("get_job", "State of a job"), ("cancel_job", "Cancel a job"))
    )
    events = {
        "summary": "States of a job as server-sent events, until it has ended",
        "operationId": "follow_job",
        "parameters": parameters,
        "responses": _describe_answers(None, schemas, JOB_STATUSES),
    }
    return {
        "/v1/jobs": {"post": create},
        JOB_PATH: {"get": read, "delete": cancel},
        f"{JOB_PATH}/events": {"get": events},
    }


def _describe_job_body(example: Mapping[str, Any]) -> dict[str, Any]:
    """Describe the body of a job: JSON, or a form."""
    binary = {"type": "string", "format": "binary"}
    texts = {"task": {"type": "string"}, "save": {"type": "boolean"}, "name": {"type": "string"}}
    options = {"type": "string", "description": "Options of the task as a JSON object."}
    form = {
        "type": "object",
        "required": ["task", "prediction"],
        "properties": texts | {"reference": binary, "prediction": binary, "options": options},
    }
    body = _describe_body(payloads.JobBody, example)
    body["content"]["multipart/form-data"] = {"schema": form}
    return body


def _describe_body(kind: type, example: Mapping[str, Any]) -> dict[str, Any]:
    content = {"schema": {"$ref": SCHEMAS + kind.__name__}, "example": dict(example)}
    return {"required": True, "content": {"application/json": content}}


def _describe_path(path: str) -> list[dict[str, Any]]:
    """Describe the parameters of a path."""
    names = re.findall(r"\{(\w+)\}", path)
    return [
        {"name": name, "in": "path", "required": True, "schema": TEXT, "description": PARAMETERS[name]}
        for name in names
    ]


def _describe_query(kind: type = Query) -> list[dict[str, Any]]:
    schema = msgspec.json.schema_components([kind])[1][kind.__name__]
    required = schema.get("required", ())
    return [
        {
            "name": name,
            "in": "query",
            "required": name in required,
            "schema": own,
            "description": _find_description(own) or PARAMETERS.get(name, name),
        }
        for name, own in schema["properties"].items()
    ]


def _find_description(schema: Mapping[str, Any]) -> str:
    schemas = [schema, *schema.get("anyOf", ())]
    return next((str(each["description"]) for each in schemas if "description" in each), "")


def _describe_answers(
    answer: str | None, schemas: Mapping[str, Any], statuses: Iterable[int], served_status: str = "200"
) -> dict[str, Any]:
    """Describe the answer of a route and its problems.

    An answer without a type is not JSON.
    """
    refused = {MEDIA_TYPE: {"schema": {"$ref": f"{SCHEMAS}Problem"}}}
    answers: dict[str, Any] = {served_status: {"description": "What the summary says, not JSON."}}
    if answer is not None:
        served = {"application/json": {"schema": {"$ref": SCHEMAS + answer}}}
        answers = {served_status: {"description": schemas[answer]["description"], "content": served}}
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
