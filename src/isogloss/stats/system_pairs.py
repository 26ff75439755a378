"""Two systems on the same documents: their counts joined on the document, or subtracted, and differences of scores."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.counts import Cell, Counts, find_positions, find_run_starts, narrow_integers, to_sort_key
from isogloss.kernel.scores import Ints, Scores
from isogloss.kernel.sums import Sums
from isogloss.kernel.tally import Tally
from isogloss.stats.bootstrap import Score, add_document_scores

SYSTEMS = ("baseline", "other")


@dataclass(frozen=True, eq=False)
class SystemPairs:
    """The distinct pairs of documents, what one system made of a document beside what the other made of it.

    Args:
        baseline: normal counts of one side of each pair, numbered 0, 1, ...
        other: those of the other side.
        times: (pairs,) how often each occurs.
        sums: sums over all documents of the baseline and of the other system.
    """

    baseline: Counts
    other: Counts
    times: Ints
    sums: tuple[Sums, Sums]

    @classmethod
    def from_counts(cls, baseline: Counts, other: Counts, overall: Score | None = None) -> Self:
        """Collapse both systems, then the pairs of what is left.

        Args:
            baseline: counts of one system.
            other: counts of the other on the same documents, or clusters of them.
            overall: scores of single documents that become measures, so that their means can be tested; not for
                clusters, which take them from `in_units`.

        Raises:
            ValueError: if the systems have not been scored on the same documents.
        """
        _check_same_documents(baseline, other)
        (one, kind), (two, other_kind) = (Tally.from_counts_with_positions(counts) for counts in (baseline, other))
        ordered = np.sort(kind * max(1, len(two.times)) + other_kind)
        if overall is not None:
            one, two = (add_document_scores(tally, overall) for tally in (one, two))
        first = find_run_starts(ordered)
        at, other_at = np.divmod(ordered[first], max(1, len(two.times)))
        times = np.diff(np.append(first, len(ordered)))
        return cls(one.rows.take(at), two.rows.take(other_at), times, (one.sum_all(), two.sum_all()))


def join_systems(baseline: Counts, other: Counts) -> Counts:
    """One document of both systems per document: a cell's part `system`, and a measure's prefix, say whose they are.

    Raises:
        ValueError: if the systems have not been scored on the same documents.
    """
    _check_same_documents(baseline, other)
    sides = zip((baseline, other), SYSTEMS, strict=True)
    return Counts.merge(_label_system(counts, system) for counts, system in sides).normalize()


def score_each_system(score: Score) -> Score:
    """The scores of both systems, from paired sums: the name of the system, then that of the score."""

    def scored(sums: Sums) -> Scores:
        split = sums.split("system")
        whole = sums.drop_part("system")
        empty = whole.align_to(()).align_to(whole.cells)  # the same cells for both, so that both have the same scores
        sides = {name: score(_select_measures(split.get(name, empty), name)) for name in SYSTEMS}
        return {(name, *key): value for name, scores in sides.items() for key, value in scores.items()}

    return scored


def score_difference(score: Score) -> Score:
    """The score of the other system minus that of the baseline, from paired sums."""
    both = score_each_system(score)

    def scored(sums: Sums) -> Scores:
        scores = both(sums)
        keys = [key for name, *key in scores if name == SYSTEMS[0]]
        return {tuple(key): scores[SYSTEMS[1], *key] - scores[SYSTEMS[0], *key] for key in keys}

    return scored


def subtract_counts(baseline: Counts, other: Counts) -> Counts:
    """What the counts of the other system have more than those of the baseline, per document: normal, but of any sign.

    Args:
        baseline: normal counts.
        other: normal counts.

    Raises:
        ValueError: if the systems have not been scored on the same documents, or by different metrics.
    """
    heads = [(c.parts, c.columns, c.measures) for c in (baseline, other)]
    if heads[0] != heads[1] or not np.array_equal(baseline.documents, other.documents):
        raise ValueError("systems are compared on the same documents, by one metric")
    cells = tuple(sorted({*baseline.cells, *other.cells}, key=to_sort_key))
    code, values = _subtract_rows(_encode_rows(other, cells), _encode_rows(baseline, cells))
    row, cell = np.divmod(code, max(1, len(cells)))
    return replace(other, cells=cells, row=row, cell=cell, values=values, measured=other.measured - baseline.measured)


def _encode_rows(counts: Counts, cells: tuple[Cell, ...]) -> tuple[Ints, Ints]:
    """One ascending number per row of normal counts, over more cells, and its values: (rows,), (rows, columns)."""
    return counts.row * max(1, len(cells)) + find_positions(counts.cells, cells)[counts.cell], counts.values


def _subtract_rows(one: tuple[Ints, Ints], two: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """Differences of the values of equal codes, those that are not 0; the codes stay ascending."""
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
    """Whether rows differ, row by row: (rows,)."""
    result = np.zeros(len(here), np.bool_)
    for k in range(values.shape[1]):
        result |= values[:, k][here] != other[:, k][there]
    return result


def _check_same_documents(baseline: Counts, other: Counts) -> None:
    if not np.array_equal(np.sort(baseline.documents), np.sort(other.documents)):
        raise ValueError("systems are compared on the same documents")


def _label_system(counts: Counts, system: str) -> Counts:
    """Counts with cells and measures of both systems, those of the one that it is not left empty."""
    measures = tuple(f"{name}.{measure}" for name in SYSTEMS for measure in counts.measures)
    mine = [measure.startswith(f"{system}.") for measure in measures]
    measured = np.zeros((len(counts.documents), len(measures), 2))
    measured[:, mine] = counts.measured
    cells = tuple((*cell, system) for cell in counts.cells)
    return replace(counts, parts=(*counts.parts, "system"), cells=cells, measures=measures, measured=measured)


def _select_measures(sums: Sums, system: str) -> Sums:
    """The measures of one system, by their own names."""
    mine = [measure.startswith(f"{system}.") for measure in sums.measures]
    names = tuple(measure.removeprefix(f"{system}.") for measure, own in zip(sums.measures, mine, strict=True) if own)
    return replace(sums, measures=names, measured=sums.measured[..., mine, :])
