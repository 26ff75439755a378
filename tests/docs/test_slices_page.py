"""The page on slices says what the program does."""

from __future__ import annotations

import doctest
import re

import pytest

from isogloss.records.attributes import CARRIED_KEYS, DOCSTART_COLUMN, FILE_COLUMN, MAX_NAME_LENGTH
from isogloss.tasks.document_columns import BUILT_IN_COLUMNS, LENGTH_BOUNDS, UNKNOWN_SCRIPT, bucket_number
from isogloss.tasks.ner.span_slices import (
    CHARACTER_CLASSES,
    FREQUENCY_CLASSES,
    SEEN_VALUES,
    SPAN_COLUMNS,
    TOKEN_CLASSES,
)

PAGE = "slices.md"


def row_of(page: str, name: str) -> str:
    return next(line for line in page.splitlines() if line.startswith(f"| `{name}` |"))


@pytest.mark.parametrize("name", [*BUILT_IN_COLUMNS, *SPAN_COLUMNS])
def test_every_column_has_a_row(page: str, name: str) -> None:
    assert row_of(page, name)


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("document_length", [bucket_number(n, LENGTH_BOUNDS) for n in (0, *LENGTH_BOUNDS, LENGTH_BOUNDS[-1] + 1)]),
        ("script", [UNKNOWN_SCRIPT]),
        ("entity_length", [name for name, _ in (*TOKEN_CLASSES, *CHARACTER_CLASSES)]),
        ("label_frequency", [name for name, _ in FREQUENCY_CLASSES]),
        ("seen", SEEN_VALUES),
    ],
)
def test_every_value_is_documented(page: str, column: str, values: list[str]) -> None:
    assert set(values) <= set(re.findall("`([^`]+)`", row_of(page, column)))


@pytest.mark.parametrize(
    "word", [*CARRIED_KEYS, DOCSTART_COLUMN, FILE_COLUMN, f"{MAX_NAME_LENGTH} characters", "`none`"]
)
def test_other_names_are_documented(page: str, word: str) -> None:
    assert word in page


def test_the_example_is_true(page: str) -> None:
    (example,) = re.findall("```pycon\n(.*?)```", page, re.DOTALL)
    test = doctest.DocTestParser().get_doctest(example, {}, "slices.md", PAGE, 0)
    assert doctest.DocTestRunner().run(test).failed == 0
    assert test.examples
