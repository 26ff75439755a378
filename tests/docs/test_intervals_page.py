"""The page on intervals says what the program does, and what was measured."""

from __future__ import annotations

import doctest
import re
from collections.abc import Callable
from typing import get_args

import pytest
from pages import ROOT

import isogloss
from isogloss.runs.evidence import ResamplingMethod
from isogloss.runs.interval_warnings import ENOUGH_RESAMPLED, ENOUGH_SUPPORT, ENOUGH_UNITS
from isogloss.runs.run import Run
from isogloss.stats.intervals import EXPECTED_CORRELATION, PRIOR_ERRORS
from isogloss.stats.unit_variance import WEIGHT

PAGE = "intervals.md"
DATA = ROOT.parent / "shared" / "data"
ENGLISH = DATA / "ner" / "uner_en_ewt"
WISESIGHT = DATA / "segmentation" / "wisesight-1000"


def test_the_example_is_true(page: str) -> None:
    (example,) = re.findall("```pycon\n(.*?)```", page, re.DOTALL)
    test = doctest.DocTestParser().get_doctest(example, {}, "intervals.md", PAGE, 0)
    assert doctest.DocTestRunner().run(test).failed == 0
    assert test.examples


@pytest.mark.parametrize(
    "name", ["wilson", "wilson-modified", "wilson-deff", "mover", "delong", "bootstrap", *get_args(ResamplingMethod)]
)
def test_every_method_has_a_row(page: str, name: str) -> None:
    assert f"| `{name}` |" in page


def test_the_warnings_of_intervals_have_rows(page: str) -> None:
    tags = [["B-X", "B-X"]] * 3
    runs = [
        isogloss.ner(tags, tags, confidence=0.9, resamples=9, interval="bootstrap"),
        isogloss.ner(tags, tags, confidence=0.9, profile="fair"),
    ]
    codes = {warning.code for run in runs for warning in run.warnings} - {"scheme-detected"}
    assert codes == {"few-units", "low-support", "no-width", "few-resamples", "few-resampled"}
    assert all(f"| `{code}` |" in page for code in codes)


def test_the_constants_of_the_design_effect_are_those_of_the_code(page: str) -> None:
    assert f"expected = 1 + {EXPECTED_CORRELATION} · (m - 1)" in page
    assert f"deff     = (e · observed + {PRIOR_ERRORS} · expected) / (e + {PRIOR_ERRORS})" in page
    assert f"the whole corpus {WEIGHT:,} times" in page
    assert f"fewer than {ENOUGH_UNITS} documents" in page
    assert f"fewer than {ENOUGH_SUPPORT} times" in page
    assert f"fewer than {ENOUGH_RESAMPLED:,} documents or clusters" in page


def english(method: ResamplingMethod) -> Run:
    files = ENGLISH / "gold.test.conll", ENGLISH / "spacy.test.conll"
    return isogloss.ner(*files, confidence=0.95, interval=method)


def thai(method: ResamplingMethod) -> Run:
    files = WISESIGHT / "gold.label", WISESIGHT / "pythainlp-5.4-newmm.label"
    return isogloss.segmentation(*files, confidence=0.95, interval=method)


def sentiment(method: ResamplingMethod) -> Run:
    return isogloss.classification(
        DATA / "classification" / "wisesight-sentiment.jsonl",
        confidence=0.95,
        interval=method,
    )


MEASURED: list[tuple[str, Callable[[ResamplingMethod], Run], str]] = [
    ("accuracy of tags", english, "tokens.accuracy"),
    ("recall of words", thai, "word.recall"),
    ("strict recall of names", english, "strict.recall"),
    ("accuracy of labels", sentiment, "overall.accuracy"),
]


@pytest.mark.skipif(not DATA.is_dir(), reason=f"the data of {DATA} is not there")
@pytest.mark.parametrize(("row", "scored", "name"), MEASURED)
def test_the_measured_intervals_are_those_of_the_data(
    page: str,
    row: str,
    scored: Callable[[ResamplingMethod], Run],
    name: str,
) -> None:
    cells = next(line for line in page.splitlines() if line.startswith(f"| {row}")).strip("|").split(" | ")
    intervals = [scored(method).intervals[name] for method in get_args(ResamplingMethod)]
    shown = [f"{scored('auto').score(name):.4f}", *(f"{one.low:.4f}–{one.high:.4f}" for one in intervals)]
    assert [cell.strip() for cell in cells[1:5]] == shown
