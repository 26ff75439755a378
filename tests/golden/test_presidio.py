"""The profile `presidio` gives the numbers that presidio-evaluator 0.3.2 gave for these cases."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import isogloss
from isogloss.errors import UsageError

FILE = json.loads((Path(__file__).parent / "presidio" / "cases.json").read_text(encoding="utf-8"))
CASES = FILE["cases"]


def leaves(node: Mapping[str, Any], *keys: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, value in node.items():
        if isinstance(value, Mapping):
            yield from leaves(value, *keys, key)
        else:
            yield (*keys, key), value


def test_there_are_cases() -> None:
    assert len(CASES) >= 13


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_each_level_has_the_numbers_of_the_tool(case: dict[str, Any]) -> None:
    words, *sides = zip(*case["documents"], strict=True)
    tags = [[["O" if label == "O" else f"I-{label}" for label in own] for own in side] for side in sides]
    options: dict[str, Any] = {"profile": "presidio", "scheme": "io", "labels": {"parents": FILE["parents"]}}
    run = isogloss.ner(*tags, tokens=[*words], **options)
    found = dict(leaves(run.by_level))
    expected = {key: math.nan if value is None else value for key, value in leaves(case["levels"])}
    assert {key: value for key, value in found.items() if key[-1] != "beta"} == pytest.approx(expected, nan_ok=True)


def test_the_tables_have_the_scores_of_the_tool() -> None:
    words, *sides = zip(*CASES[-1]["documents"], strict=True)
    tags = [[["O" if label == "O" else f"I-{label}" for label in own] for own in side] for side in sides]
    run = isogloss.ner(*tags, tokens=[*words], profile="presidio", scheme="io")
    text = str(run)
    assert "pii        1.0000  0.6667  0.7143" in text
    assert "By label (entity)" in text


@pytest.mark.parametrize(
    ("side", "message"),
    [
        ([(0, 1, "NAME")], "--profile presidio compares tokens, and the document has none"),
        (
            [(0, 2, "NAME"), (1, 3, "CITY")],
            "--profile presidio scores one label for each token, and spans overlap here",
        ),
    ],
)
def test_spans_without_tokens_or_with_overlaps_are_refused(side: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        isogloss.ner([side], [side], profile="presidio")
