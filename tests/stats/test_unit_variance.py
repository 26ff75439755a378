from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.kernel.counts import Counts
from isogloss.kernel.scores import ScoreKey, Scores, divide, find_trials
from isogloss.kernel.sums import Sums
from isogloss.kernel.tally import Tally
from isogloss.stats.bootstrap import bootstrap_scores
from isogloss.stats.unit_variance import CorpusEvidence, measure_ratios

LABELS = ("a", "b", "c")
ACCURACY: ScoreKey = ("overall", "accuracy")
MACRO: ScoreKey = ("macro", "own", "accuracy")


def score(sums: Sums) -> Scores:
    """Accuracy of each label, of all of them, and their mean."""
    scores: Scores = {}
    labels = [str(name) for (name,) in sums.cells]
    places: dict[ScoreKey, list[int]] = {("overall",): list(range(len(labels)))}
    places |= {("by_label", name, "own"): [k] for k, name in enumerate(labels)}
    for place, at in places.items():
        correct, total = (sums.get_column(name)[..., at].sum(axis=-1) for name in ("correct", "total"))
        scores |= {(*place, "accuracy"): divide(correct, total), (*place, "correct"): correct, (*place, "total"): total}
    own = [scores["by_label", name, "own", "accuracy"] for name in labels]
    return scores | ({MACRO: np.nanmean(own, axis=0)} if own else {})


def count(units: list[list[tuple[int, int]]]) -> Counts:
    """Counts of units, each with (correct, total) of every label."""
    table = np.array(units, np.int64).reshape(len(units), len(LABELS), 2)
    row, code = (at.ravel() for at in np.indices(table.shape[:2]))
    columns = {name: table[:, :, k].ravel() for k, name in enumerate(("correct", "total"))}
    return Counts.build(np.arange(len(units)), columns, row=row, parts={"label": (code, LABELS)})


def measure(units: list[list[tuple[int, int]]], times: Any = None) -> CorpusEvidence:
    counts = count(units)
    tally = Tally.from_counts(counts, times)
    labels: tuple[ScoreKey, ...] = tuple(("by_label", str(name), "own", "accuracy") for (name,) in tally.rows.cells)
    return measure_ratios(tally, score, lambda _, scores: find_trials(scores), {MACRO: labels} if labels else {})


def draw_units(seed: int, number: int) -> list[list[tuple[int, int]]]:
    random = np.random.default_rng(seed)
    totals = random.poisson(2, (number, len(LABELS)))
    correct = random.binomial(totals, random.beta(4, 1, (number, 1)))
    return np.stack([correct, totals], axis=-1).tolist()  # type: ignore[no-any-return]


units = st.lists(
    st.lists(st.integers(0, 3).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=3, max_size=3),
    min_size=1,
    max_size=9,
)


@given(units)
def test_the_variance_of_a_ratio_is_that_of_linearization(drawn: list[list[tuple[int, int]]]) -> None:
    found = measure(drawn).ratios[ACCURACY]
    part, whole = np.array(drawn).sum(axis=1).T  # (units,) each
    assert (found.trials, found.units) == (int(whole.sum()), int(np.count_nonzero(whole)))
    if not whole.sum():
        return
    p = part.sum() / whole.sum()
    assert found.value == pytest.approx(p)
    assert found.trials_per_unit == pytest.approx((whole**2).sum() / whole.sum())
    if found.units > 1:
        linear = found.units / (found.units - 1) * (((part - p * whole) / whole.sum()) ** 2).sum()
        assert found.variance == pytest.approx(linear, rel=2e-3, abs=1e-15)


def test_variance_and_correlation_are_near_those_of_the_bootstrap() -> None:
    drawn = draw_units(1, 300)
    evidence = measure(drawn)
    samples = bootstrap_scores(Tally.from_counts(count(drawn)), score, 4000)
    for key, found in evidence.ratios.items():
        assert found.variance == pytest.approx(samples[key].var(), rel=0.12), (
            key
        )  # 4,000 resamples know it to 2 percent
    of_labels = np.stack([samples["by_label", name, "own", "accuracy"] for name in LABELS])
    assert evidence.correlations[MACRO] == pytest.approx(np.corrcoef(of_labels), abs=0.06)


@given(units, st.randoms(use_true_random=False))
def test_the_order_of_units_changes_no_bit(drawn: list[list[tuple[int, int]]], random: Any) -> None:
    shuffled = list(drawn)
    random.shuffle(shuffled)
    one, two = measure(drawn), measure(shuffled)
    assert repr(one.ratios) == repr(two.ratios)
    assert repr(one.correlations) == repr(two.correlations)


def test_a_unit_that_occurs_often_is_as_many_units() -> None:
    drawn = draw_units(2, 5)
    times = [1, 3, 1, 2, 4]
    repeated = [unit for unit, number in zip(drawn, times, strict=True) for _ in range(number)]
    assert repr(measure(drawn, np.array(times)).ratios) == repr(measure(repeated).ratios)


@pytest.mark.parametrize("dense", [1, 40])
def test_units_in_pieces_have_the_same_variance(dense: int, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = draw_units(3, 40)
    whole = measure(drawn).ratios
    monkeypatch.setattr("isogloss.kernel.tally.MAX_DENSE_NUMBERS", dense)
    for key, found in measure(drawn).ratios.items():
        assert found.variance == pytest.approx(whole[key].variance, rel=1e-9)
        assert found.units == whole[key].units
