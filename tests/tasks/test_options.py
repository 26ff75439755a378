"""The options of a task are declared once: the Python call, the HTTP body and the command have them all."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest

import isogloss
from isogloss.cli.after_scoring import AfterScoringOptions
from isogloss.cli.options import TaskOptions
from isogloss.cli.task_command import HIDDEN, PREDICTIONS, make_command
from isogloss.service.requests import EVIDENCE, make_routes
from isogloss.tasks.options import Field, list_fields
from isogloss.tasks.registry import TASKS, get_task
from isogloss.tasks.scoring import SCORING, SYSTEM
from isogloss.tasks.task import Task

ONE_SYSTEM = {"comet": None}  # the command has a file of scores for each system, the call scores one
NAMES = tuple(TASKS.builtin)
SCORING_DEFAULTS = {
    "by": (),
    "confidence": None,
    "resamples": 1000,
    "interval": "auto",
    "seed": 12345,
    "findings": False,
    "context": 3,
}


def own(task: Task, surface: str) -> list[Field]:
    return [field for field in list_fields(task.options) if surface in field.option.surfaces]


def data(task: Task) -> set[str]:
    return {each.name for each in (task.reference, task.prediction) if each is not None}


def scoring(task: Task) -> dict[str, Any]:
    found = SCORING_DEFAULTS | {"unit": task.default_unit}
    return found if task.shows_context else {name: value for name, value in found.items() if name != "context"}


@pytest.mark.parametrize("name", NAMES)
def test_the_python_call_has_the_options_with_their_defaults(name: str) -> None:
    task = get_task(name)
    parameters = dict(inspect.signature(getattr(isogloss, task.call)).parameters)
    for each in data(task):
        del parameters[each]
    required = {field.name for field in own(task, "python") if field.is_required}
    defaults = {field.name: field.default for field in own(task, "python") if not field.is_required}
    assert {each for each, one in parameters.items() if one.default is inspect.Parameter.empty} == required
    found = {each: one.default for each, one in parameters.items() if each not in required}
    one_system = {each: value for each, value in ONE_SYSTEM.items() if each in defaults}
    assert found == defaults | one_system | scoring(task) | {SYSTEM: None}
    assert set(SCORING_DEFAULTS) | {"unit"} == set(SCORING)


@pytest.mark.parametrize("name", NAMES)
def test_the_body_of_a_request_has_the_options(name: str) -> None:
    route = make_routes()[f"/v1/{name}"]
    context = {"context"} if route.task.shows_context else set()
    options = {field.name for field in own(route.task, "service")}
    assert route.arguments == {*route.request.data} | options | EVIDENCE.keys() | context
    assert data(route.task) <= route.request.data.keys()


@pytest.mark.parametrize("name", NAMES)
def test_the_command_has_the_options_with_their_flags(name: str) -> None:
    task = get_task(name)
    parameters = inspect.signature(make_command(task)).parameters
    shared = {*inspect.signature(TaskOptions).parameters, *inspect.signature(AfterScoringOptions).parameters} - HIDDEN
    exports = {export.flag.removeprefix("--").replace("-", "_") for export in task.exports}
    ways = exports | ({"layout"} if task.layouts else set())
    positional = {PREDICTIONS} | (set() if task.reference is None else {task.reference.name})
    shared -= set() if task.shows_context else {"context"}
    shared -= set() if task.count else {"jobs", "resume", "engine", "address"}
    shared -= {"label"} if any(field.flag == "--label" for field in own(task, "command")) else set()
    options = {field.name: field for field in own(task, "command")}
    assert parameters.keys() == positional | options.keys() | ways | shared
    for each, field in options.items():
        details = parameters[each].annotation.__metadata__[0]
        assert details.default == field.flag  # what typer takes for the flag
        if field.option.parse is None and not field.option.repeats and not field.is_required:
            assert parameters[each].default == field.default


def test_the_python_calls_describe_shared_keywords_alike() -> None:
    shared = ("zero_division", "beta", "macro_over", "confidence", "resamples", "unit", "interval", "seed", "context")
    texts: dict[str, set[str]] = {}
    for name in TASKS.builtin:
        doc = inspect.getdoc(getattr(isogloss, get_task(name).call)) or ""
        for entry in re.findall(r"^    (\w+: .*(?:\n        .*)*)", doc, re.MULTILINE):
            keyword, _, text = " ".join(entry.split()).partition(": ")
            texts.setdefault(keyword, set()).add(text)
    for keyword in shared:
        common = min(texts[keyword], key=len)
        assert all(text.startswith(common) for text in texts[keyword]), keyword
