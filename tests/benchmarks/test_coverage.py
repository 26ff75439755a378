"""The simulation of coverage rests on the same numbers as a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import isogloss
from isogloss.kernel.scores import ScoreKey, format_path
from isogloss.runs.evidence import TallyEvidence
from isogloss.stats.intervals import compute_design_effect_interval

LABELS = ("PER", "LOC")


def draw_documents(seed: int, number: int = 40) -> tuple[list[list[str]], list[list[str]]]:
    """Tags of reference and prediction: single-token spans, some lost, some with another label, some spurious."""
    random = np.random.default_rng(seed)
    reference = random.choice(["O", "B-PER", "B-LOC"], (number, 6), p=[0.6, 0.3, 0.1])
    other = random.choice(["O", "B-PER", "B-LOC"], (number, 6))
    changed = random.random((number, 6)) < random.beta(1, 4, (number, 1))
    return reference.tolist(), np.where(changed, other, reference).tolist()


def count_spans(tags: list[list[str]], other: list[list[str]], tag: str) -> np.ndarray[Any, Any]:
    """Spans with a tag that both sides have, and that each side has, by document: (documents, 3)."""
    mine, theirs = np.array(tags) == tag, np.array(other) == tag
    return np.stack([(mine & theirs).sum(axis=1), mine.sum(axis=1), theirs.sum(axis=1)], axis=1).astype(np.float64)


def test_the_formulae_of_the_simulation_give_the_numbers_of_a_run(load: Callable[[str], Any]) -> None:
    coverage = load("coverage")
    reference, prediction = draw_documents(5)
    run = isogloss.ner(reference, prediction, confidence=0.95)
    assert isinstance(run.evidence, TallyEvidence)
    evidence = run.evidence.corpus_evidence
    by_label = {label: count_spans(reference, prediction, f"B-{label}") for label in LABELS}
    whole = by_label["PER"] + by_label["LOC"]
    ratios: dict[ScoreKey, Any] = {
        ("strict", "f1"): coverage.Ratios(whole[None, :, 0], whole[None, :, 1:].mean(axis=2))
    }
    ratios["strict", "recall"] = coverage.Ratios(whole[None, :, 0], whole[None, :, 1])
    for label, own in by_label.items():
        ratios["by_label", label, "strict", "f1"] = coverage.Ratios(own[None, :, 0], own[None, :, 1:].mean(axis=2))
    has = whole[:, 1:].sum(axis=1) > 0
    f1 = np.where(has, whole[:, 0] / np.where(has, whole[:, 1:].mean(axis=1), 1), 0)
    ratios["per_document", "strict", "f1", "mean"] = coverage.Ratios(f1[None], has[None].astype(float))
    for key, own in ratios.items():
        (expected,) = own.list_evidence()
        found = evidence.ratios[key]
        assert (found.trials, found.units) == (expected.trials, expected.units), key
        assert (found.value, found.trials_per_unit) == pytest.approx((expected.value, expected.trials_per_unit)), key
        assert found.variance == pytest.approx(expected.variance, rel=5e-3), key
        shown = run.intervals[format_path(key)]
        assert compute_design_effect_interval(expected).low == pytest.approx(shown.low, rel=1e-3), key
    influences = [ratios["by_label", label, "strict", "f1"].compute_influences()[0] for label in LABELS]
    correlation = (influences[0] @ influences[1]) / np.sqrt(
        (influences[0] @ influences[0]) * (influences[1] @ influences[1])
    )
    assert evidence.correlations["macro", "strict", "f1"][0, 1] == pytest.approx(correlation, rel=5e-3, abs=1e-4)


def test_the_simulation_runs_and_its_page_has_every_table(load: Callable[[str], Any]) -> None:
    coverage = load("coverage")
    kinds = [replace(kind, units=kind.units[:1], true=kind.true[1:2], cells={}) for kind in coverage.list_kinds()]
    for kind in kinds:
        kind.run(20)
    page = coverage.write_page(kinds, 20)
    assert [line.removeprefix("## ") for line in page.splitlines() if line.startswith("## ")] == [
        kind.title for kind in kinds
    ]
    assert all(np.isnan(cell.coverage) or 0 <= cell.coverage <= 100 for kind in kinds for cell in kind.cells.values())


def test_the_bootstrap_of_the_simulation_is_that_of_a_run(load: Callable[[str], Any]) -> None:
    coverage = load("coverage")
    trials = np.random.default_rng(1).integers(1, 6, 30)
    right = np.random.default_rng(2).binomial(trials, 0.8)
    low, high = coverage._find_tails(
        coverage.Ratios(right[None].astype(float), trials[None].astype(float)).draw_resamples()
    )[0]
    reference = [["B-X"] * n for n in trials.tolist()]
    prediction = [["B-X"] * r + ["O"] * (n - r) for r, n in zip(right.tolist(), trials.tolist(), strict=True)]
    shown = isogloss.ner(reference, prediction, confidence=0.95, interval="bootstrap").intervals["strict.recall"]
    # Draws depend on the order of the distinct documents, so the ends agree up to the noise of 1,000 resamples.
    assert (low, high) == pytest.approx((shown.low, shown.high), abs=0.02)
