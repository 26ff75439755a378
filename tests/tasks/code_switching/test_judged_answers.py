"""Answers judged by hand: how often a text that is broken after excuses really switches language.

`tests/golden/judged_answers.jsonl` has the judgements after the protocol of `docs/switch-precision.md`: texts of our
own, and lines of a file of real answers, which is compared where it is at hand. `tests/golden/held_out_answers.jsonl`
has judgements that were made after the rules were written, and before they were run on these answers.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import isogloss
from isogloss.tasks.code_switching.reasons import RULE_REASONS

ROOT = Path(__file__).parents[3]
JUDGED = ROOT / "tests" / "golden" / "judged_answers.jsonl"
HELD_OUT = ROOT / "tests" / "golden" / "held_out_answers.jsonl"
ANSWERS = ROOT.parent / "shared" / "data" / "code-switching" / "llm_outputs_sample.jsonl"
ON_REQUEST = {*RULE_REASONS, "acronym", "original"}


class Verdicts(NamedTuple):
    precision: float
    recall: float
    texts: int


def read_judged(*, real: bool, path: Path = JUDGED) -> dict[str, list[tuple[str, bool]]]:
    """Texts and judgements by language."""
    answers = [json.loads(line)["text"] for line in ANSWERS.read_text(encoding="utf-8").splitlines()] if real else []
    found: dict[str, list[tuple[str, bool]]] = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        row: dict[str, Any] = json.loads(line)
        if ("line" in row) == real:
            text = answers[row["line"] - 1] if real else row["text"]
            found[row["language"]].append((text, row["switches"]))
    return found


def compare(judged: dict[str, list[tuple[str, bool]]], excuses: set[str] | None) -> Verdicts:
    pairs: list[tuple[bool, bool]] = []
    for language, rows in judged.items():
        run = isogloss.code_switching([text for text, _ in rows], language=language, excuses=excuses, findings=True)
        broken = {int(each.document) - 1 for each in run.findings if each.extra["verdict"] == "foreign"}
        pairs += [(at in broken, switches) for at, (_, switches) in enumerate(rows)]
    both = sum(found and switches for found, switches in pairs)
    return Verdicts(both / sum(found for found, _ in pairs), both / sum(switches for _, switches in pairs), len(pairs))


def test_broken_texts_switch_where_answers_are_real() -> None:
    if not ANSWERS.is_file():
        pytest.skip("the file of real answers is not there")
    found = compare(read_judged(real=True), ON_REQUEST)
    print(found)  # noqa: T201  how many were compared
    assert found.texts == 114
    assert found.precision >= 0.80
    assert found.recall >= 0.95


@pytest.mark.parametrize(
    ("excuses", "expected"),
    [
        (None, Verdicts(41 / 49, 1, 80)),
        (ON_REQUEST, Verdicts(41 / 44, 1, 80)),
        ({*ON_REQUEST, "capitalised"}, Verdicts(39 / 40, 39 / 41, 80)),
    ],
    ids=["rules", "acronyms and originals", "capitalised"],
)
def test_broken_texts_switch_where_answers_were_held_out(excuses: set[str] | None, expected: Verdicts) -> None:
    if not ANSWERS.is_file():
        pytest.skip("the file of real answers is not there")
    assert compare(read_judged(real=True, path=HELD_OUT), excuses) == expected


def test_broken_texts_switch_where_texts_are_our_own() -> None:
    found = compare(read_judged(real=False), ON_REQUEST)
    print(found)  # noqa: T201  how many were compared
    assert found.texts == 36
    assert found.precision >= 0.60  # names of companies are left to a recogniser
