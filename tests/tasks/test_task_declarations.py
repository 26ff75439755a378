"""Generic rooms ask the registry for tasks, and every place that a declaration names exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import isogloss
from isogloss.kernel.registry import load_object
from isogloss.tasks.registry import TASKS, get_task, list_task_names

PACKAGE = Path(isogloss.__file__).parent
TASK = re.compile(r"ner|segmentation|classification|entity[-_]translation|code[-_](?:switching|mixing)")
PLACE = re.compile(r"isogloss(?:\.\w+)+:\w+")
# These name a task on purpose: the registry, the public calls, bundled data, and the accumulator of one task.
NAMES_TASKS = {"tasks", "demo", "integrations", "__init__.py"}
# Words that are keys of other programs' data, and commands about the data of one task.
OTHER_MEANING = {
    "formats/conll/columns.py",
    "formats/conllu.py",
    "formats/gliner.py",
    "formats/mention_shapes.py",
    "formats/python_tables.py",
    "formats/recogniser_outputs.py",
    "formats/recogniser_shapes.py",
    "providers/spacy.py",
}


def test_generic_rooms_name_no_task() -> None:
    found: list[str] = []
    for path in PACKAGE.rglob("*.py"):
        place = path.relative_to(PACKAGE)
        if place.parts[0] in NAMES_TASKS or place.as_posix() in OTHER_MEANING:
            continue
        found.extend(
            f"{place}:{node.lineno} {node.value!r}"
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and TASK.fullmatch(node.value)
        )
    assert found == []


@pytest.mark.extra  # some places are in the store
def test_every_place_that_is_named_in_a_string_exists() -> None:
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        constant = re.search(r'^PLACE = "([\w.]+)"', text, re.MULTILINE)
        if constant:
            text = text.replace("{PLACE}", constant[1])
        for place in PLACE.findall(text):
            assert callable(load_object(place)) or load_object(place) is not None, f"{path.name} names {place}"


@pytest.mark.parametrize("name", TASKS.builtin)
def test_a_task_declares_everything_that_users_see(name: str) -> None:
    task = get_task(name)
    assert task.name == name
    assert task.summary.endswith(".")
    assert callable(getattr(isogloss, task.call))
    assert task.scores.main, "a score stands for its runs"
    assert task.request is not None
    assert task.request().example.keys() >= {task.prediction.name}


def test_tasks_are_listed_in_the_order_of_the_docs() -> None:
    assert list_task_names()[: len(TASKS.builtin)] == tuple(TASKS.builtin)
