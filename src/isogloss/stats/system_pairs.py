"""Two systems on the same documents, and their score differences.

The counts of the systems are joined by document or subtracted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.counts import Cell, Counts, count_pairs, find_positions, narrow_integers, to_sort_key
from isogloss.kernel.scores import Ints, Scores
from isogloss.kernel.sums import Sums
from isogloss.kernel.tallied_documents import TalliedDocuments
from isogloss.stats.bootstrap import Score, add_document_scores

SYSTEMS = ("baseline", "other")


@dataclass(frozen=True, eq=False)
class SystemPairs:
    """Distinct pairs of one document's counts by two systems.

    Args:
        baseline: normal counts of the baseline for each pair, numbered 0, 1, ...
        other: normal counts of the other system for each pair, numbered 0, 1, ...
        times: (pairs,) how often each occurs.
        sums: sums over all documents of the baseline and of the other system.
    """

    baseline: Counts
    other: Counts
    times: Ints
    sums: tuple[Sums, Sums]

    @classmethod
    def from_counts(cls, baseline: Counts, other: Counts, overall: Score | None = None) -> Self:
        """Collapse equal pairs of documents, as `from_documents` does."""
        one, two = map(TalliedDocuments.from_counts, (baseline, other))
        return cls.from_documents(one, two, overall)

    @classmethod
    def from_documents(cls, baseline: TalliedDocuments, other: TalliedDocuments, overall: Score | None = None) -> Self:
        """Collapse equal pairs of documents.

        Args:
            baseline: documents with the counts of the baseline.
            other: the same documents, or clusters, with the counts of the other system.
            overall: computes document scores that become measures, so that their means can be tested; None for
                clusters, which come from `group_into_units`.

        Raises:
            ValueError: if the documents differ.
        """
        _check_same_documents(baseline, other)
        one, two = baseline.tally, other.tally
        if overall is not None:
            one, two = (add_document_scores(tally, overall) for tally in (one, two))
        pairs, times = count_pairs(baseline.kinds, other.kinds, max(1, len(two.times)))
        at, other_at = np.divmod(pairs, max(1, len(two.times)))
        return cls(one.rows.take(at), two.rows.take(other_at), times, (one.sum_all(), two.sum_all()))


def join_systems(baseline: Counts, other: Counts) -> Counts:
    """Join the counts of both systems on the document.

    The part `system` of a cell, and the prefix of a measure, name the system.

    Args:
        baseline: counts of the baseline.
        other: counts of the other system on the same documents.

    Raises:
        ValueError: if the documents differ.
    """
    _check_same_documents(baseline, other)
    sides = zip((baseline, other), SYSTEMS, strict=True)
    return Counts.merge(_label_system(counts, system) for counts, system in sides).normalize()


def swap_systems(joined: Counts) -> Counts:
    """Exchange the names of the systems in joined counts, in every document.

    Args:
        joined: counts from `join_systems`.
    """
    other = dict(zip(SYSTEMS, SYSTEMS[::-1], strict=True))
    half = len(joined.measures) // 2
    measured = np.concatenate([joined.measured[:, half:], joined.measured[:, :half]], axis=1)
    cells = tuple((*cell[:-1], other[str(cell[-1])]) for cell in joined.cells)
    return replace(joined, cells=cells, measured=measured)


def score_each_system(score: Score) -> Score:
    """Return a score of joined counts.

    Its keys begin with the system.
    """

    def score_systems(sums: Sums) -> Scores:
        split = sums.split("system")
        whole = sums.drop_part("system")
        empty = whole.align_to(()).align_to(whole.cells)  # with equal cells both have the same scores
        sides = {name: score(_select_measures(split.get(name, empty), name)) for name in SYSTEMS}
        return {(name, *key): value for name, scores in sides.items() for key, value in scores.items()}

    return score_systems


def subtract_counts(baseline: Counts, other: Counts) -> Counts:
    """Subtract the counts of the baseline per document.

    The result may be negative.

    Args:
        baseline: normal counts of the baseline.
        other: normal counts of the other system.

    Raises:
        ValueError: if documents or metrics differ.
    """
    heads = [(c.parts, c.columns, c.measures) for c in (baseline, other)]
    if heads[0] != heads[1] or not np.array_equal(baseline.documents, other.documents):
        raise ValueError("systems are compared on the same documents, by one metric")
    cells = tuple(sorted({*baseline.cells, *other.cells}, key=to_sort_key))
    code, values = _subtract_rows(_encode_rows(other, cells), _encode_rows(baseline, cells))
    row, cell = np.divmod(code, max(1, len(cells)))
    return replace(other, cells=cells, row=row, cell=cell, values=values, measured=other.measured - baseline.measured)


def _encode_rows(counts: Counts, cells: tuple[Cell, ...]) -> tuple[Ints, Ints]:
    """Return an ascending code per row of normal counts, and its values."""
    return counts.row * max(1, len(cells)) + find_positions(counts.cells, cells)[counts.cell], counts.values


def _subtract_rows(one: tuple[Ints, Ints], two: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """Subtract values of equal codes, dropping zeros; codes stay ascending."""
    (code, values), (other_code, other_values) = one, two
    at = np.searchsorted(other_code, code)
    shared = np.append(other_code, -1)[at] == code
    here, there = np.flatnonzero(shared), at[shared]
    apart = _find_unequal_rows(narrow_integers(values), narrow_integers(other_values), here, there)
    here, there = here[apart], there[apart]
    alone, other_alone = ~shared, np.ones(len(other_code), np.bool_)
    other_alone[at[shared]] = False
    code = np.concatenate([code[here], code[alone], other_code[other_alone]])
    order = np.argsort(code, kind="stable")
    plus = np.concatenate([values[here], values[alone], np.zeros_like(other_values[other_alone])]).astype(np.int64)
    minus = np.concatenate([other_values[there], np.zeros_like(values[alone]), other_values[other_alone]])
    return code[order], (plus - minus)[order]


def _find_unequal_rows(values: Ints, other: Ints, here: Ints, there: Ints) -> NDArray[np.bool_]:
    """Check row by row whether two selections of rows differ: (rows,)."""
    result = np.zeros(len(here), np.bool_)
    for k in range(values.shape[1]):
        result |= values[:, k][here] != other[:, k][there]
    return result


def _check_same_documents(baseline: Counts | TalliedDocuments, other: Counts | TalliedDocuments) -> None:
    if not np.array_equal(np.sort(baseline.documents), np.sort(other.documents)):
        raise ValueError("systems are compared on the same documents")


def _label_system(counts: Counts, system: str) -> Counts:
    """Mark cells and measures as those of one system."""
    measures = tuple(f"{name}.{measure}" for name in SYSTEMS for measure in counts.measures)
    mine = [measure.startswith(f"{system}.") for measure in measures]
    measured = np.zeros((len(counts.documents), len(measures), 2))
    measured[:, mine] = counts.measured
    cells = tuple((*cell, system) for cell in counts.cells)
    return replace(counts, parts=(*counts.parts, "system"), cells=cells, measures=measures, measured=measured)


def _select_measures(sums: Sums, system: str) -> Sums:
    """Keep the measures of one system, without their prefix."""
    mine = [measure.startswith(f"{system}.") for measure in sums.measures]
    names = tuple(measure.removeprefix(f"{system}.") for measure, own in zip(sums.measures, mine, strict=True) if own)
    return replace(sums, measures=names, measured=sums.measured[..., mine, :])
