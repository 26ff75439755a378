"""What docs/profiles.md says of inputs is what the profiles give."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import pytest
from pages import quoted, read_page, rows

import isogloss
from isogloss.errors import IsoglossError
from isogloss.tasks.ner.options import PROFILES

TEXT = read_page("profiles.md")
COLUMNS = ("seqeval", "seqeval-strict", "conlleval", "nervaluate", "seqscore")
SCHEMED = ("seqeval-strict", "seqscore")
REPAIRS = ("error", "begin", "discard")
WITH = "; with `L` "
VALUES = {"0": 0, "1": 1, "⅔": 2 / 3}
ANSWERS = rows(TEXT, "## The same input, six answers")


def document(written: str) -> list[Any]:
    """Spans, or tags."""
    spans = re.findall(r"(\w)\[(\d+),(\d+)\)", written)
    return [(int(start), int(end), label) for label, start, end in spans] or written.split()


def sides(cell: str) -> tuple[list[Any], list[Any]]:
    """Reference and prediction."""
    reference, prediction = ([document(each) for each in quoted(side)] for side in cell.split("→"))
    return reference, [2 * each for each in prediction] if cell.endswith("twice") else prediction


def claims(profile: str, cell: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield options, and the score that the page states for them."""
    if profile == "seqscore":
        said = cell.split(" / ")
        yield from zip(({"repair": repair} for repair in REPAIRS), said * (3 // len(said)), strict=True)
        return
    usual, *named = cell.split(WITH)
    yield {}, usual
    yield from (({"labels": ["P", "L"]}, each) for each in named)


def given(reference: Any, prediction: Any, profile: str, options: dict[str, Any], said: str) -> str:
    """What a profile gives, in the words of the table."""
    if isinstance(reference[0][0], tuple):
        options = {name: value for name, value in options.items() if name != "repair"}
    elif profile in SCHEMED:
        options = options | {"scheme": "iob2"}
    try:
        run = isogloss.ner(reference, prediction, profile=profile, **options)
    except IsoglossError:
        return "refused"
    return ", ".join(shown(run, each) for each in said.split(", "))


def shown(run: isogloss.Run, said: str) -> str:
    """Format the run's value as the page does: an F1 or a number of spans."""
    if said == "macro undefined":
        return said if math.isnan(run.macro["strict"]["f1"]) else "macro defined"
    of_spans = re.fullmatch(r"\d+ (\w+)", said)
    if of_spans:
        return f"{run.scores['strict'][of_spans[1]]} {of_spans[1]}"
    group = "type " if said.startswith("type ") else ""
    number = run.scores[group.strip() or "strict"]["f1"]
    return f"{group}F {next((sign for sign, value in VALUES.items() if number == pytest.approx(value)), number)}"


@pytest.mark.parametrize("row", ANSWERS, ids=lambda row: row[0])
def test_the_same_input_has_the_answers_of_the_table(row: list[str]) -> None:
    reference, prediction = sides(row[0])
    for profile, cell in zip(COLUMNS, row[1:], strict=True):
        for options, said in claims(profile, cell):
            assert given(reference, prediction, profile, options, said) == said, (profile, options)


def test_the_table_has_inputs_of_both_kinds() -> None:
    assert len(ANSWERS) == 8
    assert sum(WITH in row[4] for row in ANSWERS) == 3


def test_a_prediction_can_take_the_reference_of_a_later_one() -> None:
    """Items 4 and 7 of nervaluate."""
    run = isogloss.ner(*sides("`P[0,2)` → `L[0,1) P[0,2)`"), profile="nervaluate", labels=["P", "L"])
    strict = run.scores["strict"]
    assert (strict["correct"], strict["incorrect"], strict["spurious"]) == (0, 1, 1)
    assert run.by_label["P"]["strict"]["correct_reference"] == 1


def test_every_profile_has_a_row_and_a_section() -> None:
    assert re.findall(r"^\| \[`([\w-]+)`\]\(#[\w-]+\) \|", TEXT, re.MULTILINE) == list(
        re.findall(r"^## ([a-z][\w-]+)$", TEXT, re.MULTILINE),
    )
    assert set(re.findall(r"^## ([a-z][\w-]+)$", TEXT, re.MULTILINE)) == set(PROFILES.list_names())


@pytest.mark.parametrize(
    ("case", "found"),
    [
        ("`P[0,2)` → `Q[0,2) P[0,1)`", {"wrong_type": 1, "spurious": 1}),
        ("`P[0,4)` → `Q[0,3) P[3,4)`", {"wrong_boundary": 1, "wrong_type_and_boundary": 1}),
        ("`P[1,3)` → `P[0,3) P[2,4)`", {"wrong_boundary": 1, "spurious": 1}),
        ("`P[0,4)` → `P[0,2) P[2,4)`", {"wrong_boundary": 2}),
        ("`P[0,4) P[0,3)` → `P[0,2)`", {"wrong_boundary": 1, "missed": 1}),
        ("`P[0,2)` → `Q[0,2)`", {"wrong_type": 1}),
        ("`P[0,2) Q[0,2)` → `R[0,2)`", {"wrong_type": 1, "missed": 1}),
    ],
)
def test_the_inputs_of_the_section_on_fair_give_what_it_says(case: str, found: dict[str, int]) -> None:
    section = " ".join(TEXT.split("\n## fair\n")[1].split())
    assert case in section
    reference, prediction = sides(case)
    group = isogloss.ner(reference, prediction, profile="fair").scores["fair"]
    assert {name: n for name, n in group.items() if isinstance(n, int) and n} == {**found}
