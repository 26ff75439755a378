from __future__ import annotations

import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest
from public_api import list_public_surface

import isogloss

PUBLIC = [
    "Accumulator",
    "Client",
    "Comparison",
    "DataError",
    "IsoglossError",
    "MissingExtraError",
    "Run",
    "Shards",
    "UsageError",
    "__version__",
    "classification",
    "code_mixing",
    "code_switching",
    "compare",
    "convert",
    "convert_tags",
    "count",
    "entity_translation",
    "merge",
    "ner",
    "segmentation",
    "segmentation_frame",
    "spans_to_tags",
    "tags_to_spans",
]
SOURCES = Path(__file__).parents[1] / "src" / "isogloss"
CONTRACT = Path(__file__).parents[2] / "shared" / "CONTRACT.md"
OTHERWISE = {"repair": "None"}  # "begin", unless a profile has a way of its own
TO_COME: set[str] = set()  # arguments that the contract has and that no metric can serve yet


def test_the_public_surface_is_this() -> None:
    assert sorted(isogloss.__all__) == PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_there_and_comes_from_where_it_is_defined(name: str) -> None:
    value = getattr(isogloss, name)
    if name != "__version__":
        assert getattr(importlib.import_module(value.__module__), name) is value


def test_the_names_are_listed_for_completion() -> None:
    assert dir(isogloss) == sorted(PUBLIC)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nre'"):
        isogloss.nre  # noqa: B018  the access is what is tested


def test_every_public_name_is_documented() -> None:
    for name in PUBLIC:
        if name != "__version__":
            assert inspect.getdoc(getattr(isogloss, name)), name


def test_importing_the_package_waits_for_no_other_package() -> None:
    code = "import sys, isogloss; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert {"numpy", "rich", "typer", "msgspec"}.isdisjoint(done.stdout.split())


def test_the_arguments_of_ner_are_those_of_the_contract() -> None:
    if not CONTRACT.exists():
        pytest.skip(f"{CONTRACT} is not there")
    promised = re.search(r"isogloss\.ner\((.*?)\) -> Run", CONTRACT.read_text(encoding="utf-8"), re.DOTALL)
    assert promised
    parameters = inspect.signature(isogloss.ner).parameters
    for argument in re.split(r",\s*(?![^()]*\))", promised[1]):
        name, _, default = argument.partition("=")
        if name == "*" or name in TO_COME:
            continue
        assert name in parameters
        if default:
            assert repr(parameters[name].default) == OTHERWISE.get(name, default.replace('"', "'")), name


def test_the_public_surface_changes_knowingly() -> None:
    # After a change that is meant: python tests/support/public_api.py > tests/golden/public_api.txt, and the changelog.
    expected = (Path(__file__).parent / "golden" / "public_api.txt").read_text(encoding="utf-8").splitlines()
    assert list(list_public_surface()) == expected


@pytest.mark.skipif(not SOURCES.is_dir(), reason="the tests run without the sources")
def test_nothing_is_loaded_that_could_run_code() -> None:
    """Pickle and its like run what a file says; so do `eval` and `exec`."""
    unsafe = re.compile(
        r"\bpickle\.(loads?|Unpickler)\b|import (dill|joblib|shelve|marshal|cloudpickle)\b"
        r"|(?<![.\w])(eval|exec)\(|yaml\.(load|unsafe_load)\(|allow_pickle=True|weights_only=False|torch\.load\(|trust_remote_code=True"
    )
    found = [
        f"{file.relative_to(SOURCES)}:{number}: {line.strip()}"
        for file in sorted(SOURCES.rglob("*.py"))
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if unsafe.search(line)
    ]
    assert found == []
