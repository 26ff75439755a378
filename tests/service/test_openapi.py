from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import isogloss
from isogloss.explorer.routes import ROUTES as EXPLORER_ROUTES
from isogloss.service import openapi
from isogloss.service.openapi import build_document, format_document
from isogloss.service.requests import Route, make_routes

ROUTES = make_routes()
TASKS = {route.task.name: route for route in ROUTES.values() if route.extra is None}
COMMITTED = Path(__file__).parents[2] / "docs" / "openapi.json"
# What Python takes and a request cannot: paths and the layout of files; and what the query says.
OF_FILES = {
    "input_format",
    "prediction_format",
    "columns",
    "ignore_tokens",
    "strict_spans",
    "repair_offsets",
    "offset_unit",
    "split",
    "answers",
    "comet",
    "comet_scale",
    "text_field",
    "id_field",
}
OF_MODELS = {"splitter", "tokenizer", "identifier", "download", "batch_size", "jobs"}
NEVER = {"patterns", "training"}  # nothing of a client is compiled, or opened
OF_PYTHON = (
    OF_FILES
    | OF_MODELS
    | NEVER
    | {"english_words", "findings", "label_names", "language_column", "languages", "split", "offset_unit"}
)


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    return build_document(ROUTES)


@pytest.mark.skipif(not COMMITTED.exists(), reason=f"{COMMITTED} is not there: the tests run without the sources")
def test_the_document_of_the_repository_is_what_the_code_makes(made: dict[str, Any]) -> None:
    told = "run: python -m isogloss.service.app > docs/openapi.json"
    assert COMMITTED.read_text(encoding="utf-8") == format_document(made), told


def test_the_documented_command_prints_it(made: dict[str, Any]) -> None:
    command = [sys.executable, "-m", "isogloss.service.app"]
    assert subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout == format_document(made)


def test_every_reference_in_it_leads_somewhere(made: dict[str, Any]) -> None:
    text = json.dumps(made)
    names = {part.partition('"')[0] for part in text.split('"#/components/schemas/')[1:]}
    assert names <= made["components"]["schemas"].keys()


def test_all_tasks_and_the_path_of_pnacos_are_in_it(made: dict[str, Any]) -> None:
    scoring = {path for path, methods in made["paths"].items() if "post" in methods}
    assert scoring == {*(f"/v1/{name}" for name in TASKS), "/calculate/", "/v1/jobs"}


def test_every_url_of_the_explorer_is_in_it(made: dict[str, Any]) -> None:
    explorer = {route.path for route in EXPLORER_ROUTES} | {"/v1/notes/{corpus_key}/{key}", "/v1/jobs/{id}/events"}
    assert explorer <= made["paths"].keys()


@pytest.mark.parametrize(
    ("schema", "member", "values"),
    [
        ("NoteBody", "verdict", {"gold error", "ambiguous", "real error"}),
        ("JobPayload", "state", {"waiting", "running", "done", "failed", "cancelled"}),
        ("FindingRow", "dir", {"ltr", "rtl", "auto"}),
        ("Facet", "width", {1, 2, 4}),
    ],
)
def test_closed_sets_are_enumerated(made: dict[str, Any], schema: str, member: str, values: set[Any]) -> None:
    assert set(made["components"]["schemas"][schema]["properties"][member]["enum"]) == values


def test_export_formats_are_enumerated(made: dict[str, Any]) -> None:
    (form,) = (one for one in made["paths"]["/v1/export"]["get"]["parameters"] if one["name"] == "format")
    assert set(form["schema"]["enum"]) == {"jsonl", "parquet", "label-studio", "prodigy"}


@pytest.mark.parametrize("route", TASKS.values(), ids=TASKS)
def test_the_members_of_a_body_are_the_arguments_of_the_call(route: Route) -> None:
    arguments = inspect.signature(getattr(isogloss, route.task.call)).parameters.keys()
    assert route.arguments - arguments == set()
    assert arguments - route.arguments - OF_PYTHON == set()


def test_no_module_of_the_service_names_a_task() -> None:
    names = {form for route in TASKS.values() for form in (route.task.name, route.task.call)}
    names |= {route.name for route in ROUTES.values() if route.extra is not None}
    package = Path(openapi.__file__).parent
    quoted = re.compile(
        rf"""["'`/](?:{"|".join(map(re.escape, sorted(names)))})["'`/]|isogloss\.tasks\.(?:{"|".join(names)})\b"""
    )
    for file in sorted(package.glob("*.*")):
        assert quoted.findall(file.read_text(encoding="utf-8")) == [], file.name
