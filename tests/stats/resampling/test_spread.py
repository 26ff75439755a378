from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.kernel.counts import Counts
from isogloss.kernel.tally import Tally
from isogloss.stats.intervals import DocumentSpread, compute_document_spreads


def measured(values: list[float]) -> Counts:
    ones = np.ones(len(values), np.int64)
    return Counts.build(np.arange(len(values)), {"n": ones}, measures={"m": np.array(values, np.float64)})


def spread(tally: Tally, measure: str) -> DocumentSpread:
    """Over the documents that have a measure."""
    return compute_document_spreads(tally, lambda sums: {("it",): sums.average_measure(measure)})["it",]


measures = st.lists(st.one_of(st.just(math.nan), st.sampled_from([0.1, 0.7]), st.floats(-10, 10)), max_size=12)


@given(measures)
def test_a_spread_is_over_the_documents_that_have_the_measure(values: list[float]) -> None:
    known = np.array([value for value in values if not math.isnan(value)])
    found = spread(Tally.from_counts(measured(values)), "m")
    assert found.documents == len(known)
    low, high, mean = (known.min(), known.max(), known.mean()) if len(known) else (math.nan,) * 3
    std = known.std(ddof=1) if len(known) > 1 else math.nan
    assert [found.min, found.max] == pytest.approx([low, high], rel=0, abs=0, nan_ok=True)
    assert [found.mean, found.std] == pytest.approx([mean, std], rel=1e-12, abs=1e-13, nan_ok=True)


@given(measures, st.randoms(use_true_random=False))
def test_the_order_of_documents_does_not_change_a_bit_of_a_spread(values: list[float], random: Any) -> None:
    shuffled = list(values)
    random.shuffle(shuffled)
    assert repr(spread(Tally.from_counts(measured(values)), "m")) == repr(
        spread(Tally.from_counts(measured(shuffled)), "m")
    )


@pytest.mark.parametrize("dense", [1, 2, 5])
@given(values=measures)
def test_documents_in_pieces_of_any_size_have_the_same_spread(dense: int, values: list[float]) -> None:
    tally = Tally.from_counts(measured(values))
    whole = spread(tally, "m")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("isogloss.kernel.tally.MAX_DENSE_NUMBERS", dense)
        pieces = spread(tally, "m")
    assert (pieces.min, pieces.max, pieces.documents) == pytest.approx(
        (whole.min, whole.max, whole.documents),
        nan_ok=True,
    )
    assert (pieces.mean, pieces.std) == pytest.approx((whole.mean, whole.std), rel=1e-12, abs=1e-13, nan_ok=True)


def test_repeated_documents_have_the_spread_of_all_of_them() -> None:
    values = [0.25] * 5 + [1.0] * 3
    found = spread(Tally.from_counts(measured(values)), "m")
    assert (found.mean, found.std) == pytest.approx((np.mean(values), np.std(values, ddof=1)), rel=1e-15)


def test_a_spread_of_one_document_has_no_deviation() -> None:
    found = spread(Tally.from_counts(measured([0.5])), "m")
    assert math.isnan(found.std)
    assert (found.mean, found.min, found.max, found.documents) == (0.5, 0.5, 0.5, 1)
    assert isinstance(found, DocumentSpread)


@pytest.mark.extra
def test_the_standard_error_is_that_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    values = [0.25, 1.0, 0.5, 0.5]
    assert spread(Tally.from_counts(measured([*values, math.nan])), "m").se == pytest.approx(
        stats.sem(values), rel=1e-12
    )


@pytest.mark.parametrize("values", [[], [0.5]])
def test_fewer_than_two_documents_have_no_standard_error(values: list[float]) -> None:
    assert math.isnan(spread(Tally.from_counts(measured(values)), "m").se)
