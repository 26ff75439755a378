"""With the same seed, other options never change intervals or p-values."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from genre_corpora import CASES, Corpus

import isogloss
from isogloss.runs.run import Run

HOW: dict[str, Any] = {"confidence": 0.9, "resamples": 50}
SPANS = "entity_length", "label_frequency"
NAMES = pytest.mark.parametrize("name", ["ner", "ner-conll"])


def alike(run: Run, plain: Run) -> None:
    assert plain.intervals
    kept = {path: run.intervals[path] for path in plain.intervals}
    assert list(map(repr, kept.items())) == list(map(repr, plain.intervals.items()))  # nan is not equal to itself


@CASES
@pytest.mark.parametrize("unit", ["document", "genre"])
def test_slices_of_documents_change_no_interval(name: str, unit: str, tmp_path: Path) -> None:
    corpus = Corpus.draw(name, tmp_path)
    alike(corpus.score(by=["genre"], unit=unit, **HOW), corpus.score(unit=unit, **HOW))


@CASES
def test_findings_change_no_interval(name: str, tmp_path: Path) -> None:
    corpus = Corpus.draw(name, tmp_path)
    alike(corpus.score(findings=True, **HOW), corpus.score(**HOW))


@NAMES
@pytest.mark.parametrize("unit", ["document", "genre"])
@pytest.mark.parametrize("interval", ["bootstrap", "wilson"])
def test_slices_of_spans_change_no_interval(name: str, unit: str, interval: str, tmp_path: Path) -> None:
    if (unit, interval) == ("genre", "wilson"):
        pytest.skip("there is no such interval")
    how = HOW | {"unit": unit, "interval": interval}
    corpus = Corpus.draw(name, tmp_path)
    run = corpus.score(by=["genre", *SPANS], **how)
    for by in ([], ["genre"], *([column] for column in SPANS)):
        alike(run, corpus.score(by=by, **how))


def test_slices_by_language_change_no_interval(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [{"id": f"Q{k}_{k}", "target_locale": "it" if k % 3 else "de"} for k in range(30)]
    rows = [row | {"targets": [{"mention": "Duna"}]} for row in rows]
    answers = ["La Duna" if k % 7 < 4 else "?" for k in range(30)]
    plain, run = (isogloss.entity_translation(rows, answers, by=by, **HOW) for by in ((), ["language"]))
    assert "slices.language.it.m_eta.accuracy" in plain.intervals
    alike(run, plain)


@NAMES
@pytest.mark.parametrize("unit", [None, "genre"])
def test_slices_change_no_comparison(name: str, unit: str | None, tmp_path: Path) -> None:
    corpora = [Corpus.draw(name, tmp_path / side) for side in ("one", "two")]
    better = [(own, own if k % 3 == 0 else answer) for k, (own, answer) in enumerate(corpora[0].rows)]
    corpora[1] = replace(corpora[1], rows=better)
    for corpus in corpora:
        corpus.folder.mkdir()
    by_genre = ["genre"] if unit else []  # what is a unit has to be known
    everything = differences(corpora, unit, ["genre", *SPANS])
    for by in ([], ["genre"], ["entity_length"]):
        found = differences(corpora, unit, list({*by_genre, *by}))
        assert str({path: everything[path] for path in found}) == str(found)


def differences(corpora: list[Corpus], unit: str | None, by: list[str]) -> dict[str, tuple[float, ...]]:
    pair = isogloss.compare(*(corpus.score(by=by) for corpus in corpora), unit=unit, resamples=50, trials=50).pairs[0]
    return {path: (x.difference, x.low, x.high, x.p) for path, x in pair.scores.items()}
