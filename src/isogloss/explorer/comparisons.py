"""Comparison of the findings and scores of runs.

Findings of two runs of one reference are joined by key: the first mark of a finding in its document. Findings that
share a key are numbered. A finding is wrong unless its kind is correct or excused. Classes of joined findings:

fixed: wrong in the first run only. broken: wrong in the second run only. changed: wrong in both, with another kind or
label. both wrong: wrong in both alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import IsoglossError, UsageError
from isogloss.explorer.finding_source import FindingSource
from isogloss.explorer.payloads import (
    ComparisonPayload,
    DiffCounts,
    MatrixDocument,
    MatrixPayload,
    ScoreDifference,
)
from isogloss.explorer.run_payloads import build_summary, to_number
from isogloss.explorer.run_sources import ExplorerRun
from isogloss.report.report_runs import ScoreChange
from isogloss.runs.comparison import compare
from isogloss.runs.finding_view import build_kind
from isogloss.runs.main_scores import choose_main_score, format_score_title, get_score_value, list_side_scores

FIXED, BROKEN, CHANGED, BOTH_WRONG = range(4)
NO_POSITION = 0xFFFFFFFF
MAX_MATRIX_DOCUMENTS = 500
MAX_RUNS = 20
Positions = NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class FindingJoin:
    """Joined findings of two runs, in the order of documents.

    Args:
        classes: class of each row, `(rows,)`.
        first: position in the first run, `NO_POSITION` without a finding, `(rows,)`.
        second: the same in the second run, `(rows,)`.
    """

    classes: NDArray[np.uint8]
    first: Positions
    second: Positions

    @cached_property
    def counts(self) -> DiffCounts:
        """Number of rows by class."""
        fixed, broken, changed, both = np.bincount(self.classes, minlength=4).tolist()
        return DiffCounts(fixed=fixed, broken=broken, changed=changed, both_wrong=both)

    def to_bytes(self) -> bytes:
        """Return the three columns one after another, little-endian."""
        return b"".join(
            (self.classes.tobytes(), self.first.astype("<u4").tobytes(), self.second.astype("<u4").tobytes())
        )


def find_wrong(source: FindingSource) -> NDArray[np.bool_]:
    """Find the findings that are errors: neither correct nor excused, `(findings,)`."""
    kinds = next((facet.values for facet in source.facets if facet.name == "kind"), ())
    wrong = np.array([build_kind(kind).tone == "wrong" for kind in kinds], bool)  # (kinds,)
    return wrong[source.read_column("kind")] if len(wrong) else np.zeros(source.count, bool)


def join_findings(first: FindingSource, second: FindingSource) -> FindingJoin:
    """Join the wrong findings of two runs by key.

    Args:
        first: findings of the first run.
        second: findings of the second run, of the same reference.
    """
    sides = [_sort_by_key(each) for each in (first, second)]
    keys, owners = _merge_keys(sides[0].keys, sides[1].keys)
    places = [np.full(len(keys), NO_POSITION, np.uint32) for _ in sides]  # (rows,) each
    for place, side, owner in zip(places, sides, owners, strict=True):
        place[owner] = side.positions
    wrong = [_take(find_wrong(each), place, missing=False) for each, place in zip((first, second), places, strict=True)]
    both = wrong[0] & wrong[1]
    alike = _are_alike(first, second, places, both)
    classes = np.select([both & alike, both, wrong[0], wrong[1]], [BOTH_WRONG, CHANGED, FIXED, BROKEN], 255)
    order = _order_rows(first, second, places)
    order = order[classes[order] < 255]  # noqa: PLR2004  rows that are wrong in neither run
    return FindingJoin(classes[order].astype(np.uint8), places[0][order], places[1][order])


@dataclass(frozen=True, eq=False)
class _SortedKeys:
    """Keys of a run with the number of each among its equals, sorted, and their positions."""

    keys: NDArray[np.void]
    positions: Positions


PAIR = np.dtype([("key", "<u8"), ("number", "<u4")])


def _sort_by_key(source: FindingSource) -> _SortedKeys:
    keys = source.read_column("key")
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    begins = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(ordered) else np.zeros(0, np.int64)
    lengths = np.diff(np.r_[begins, len(ordered)])
    pairs = np.zeros(len(ordered), PAIR)  # (findings,)
    pairs["key"], pairs["number"] = ordered, np.arange(len(ordered)) - np.repeat(begins, lengths)
    return _SortedKeys(pairs, order.astype(np.uint32))


def _merge_keys(
    first: NDArray[np.void], second: NDArray[np.void]
) -> tuple[NDArray[np.void], tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Merge two sorted columns of keys; also return the row of each key of either."""
    joined = np.concatenate([first, second])
    order = np.lexsort((joined["number"], joined["key"]))  # (both,)
    ordered = joined[order]
    begins = np.r_[True, ordered[1:] != ordered[:-1]] if len(ordered) else np.zeros(0, bool)
    rows = np.empty(len(joined), np.intp)
    rows[order] = np.cumsum(begins) - 1
    return ordered[begins], (rows[: len(first)], rows[len(first) :])


def _take(values: NDArray[np.bool_], places: Positions, *, missing: bool) -> NDArray[np.bool_]:
    """Return the value at each place, `missing` where there is none, `(rows,)`."""
    has_place = places != NO_POSITION
    found = np.full(len(places), missing)
    found[has_place] = values[places[has_place]]
    return found


def _are_alike(
    first: FindingSource, second: FindingSource, places: Sequence[Positions], both: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return whether kind and label of both findings are the same, `(rows,)`; only rows of `both` are compared."""
    alike = both.copy()
    for name in ("kind", "label"):
        numbers: dict[str, int] = {}
        columns = []
        for source, place in zip((first, second), places, strict=True):
            facet = next(each for each in source.facets if each.name == name)
            shared = np.array([numbers.setdefault(value, len(numbers)) for value in facet.values], np.int64)
            columns.append(shared[source.read_column(name)[place[both]]])
        alike[both] &= columns[0] == columns[1]
    return alike


def _order_rows(first: FindingSource, second: FindingSource, places: Sequence[Positions]) -> NDArray[np.intp]:
    """Return the order of rows by document, then by place in the first run that has the finding."""
    ranks = _rank_documents(first.document_names, second.document_names)
    documents = np.zeros(len(places[0]), np.int64)
    within = np.zeros(len(places[0]), np.int64)
    for source, place in ((second, places[1]), (first, places[0])):  # where both have it, the first decides
        has_place = place != NO_POSITION
        column = source.read_column("document")
        own_ranks = np.array([ranks[name] for name in source.document_names], np.int64)  # (documents,)
        begins = np.full(len(source.document_names), len(column), np.int64)
        np.minimum.at(begins, column, np.arange(len(column)))
        own = place[has_place]
        documents[has_place] = own_ranks[column[own]]
        within[has_place] = own - begins[column[own]]
    return np.lexsort((within, documents))


def _rank_documents(first: Sequence[str], second: Sequence[str]) -> Mapping[str, int]:
    """Rank the documents of two runs: those of the second run alone follow the one before them."""
    known = {name: (at, 0) for at, name in enumerate(first)}
    last = (-1, 0)
    for name in second:
        last = known[name] if name in known and known[name][1] == 0 else (last[0], last[1] + 1)
        known[name] = last
    return {name: rank for rank, name in enumerate(sorted(known, key=known.__getitem__))}


def build_comparison(runs: Sequence[ExplorerRun], join: FindingJoin | None) -> ComparisonPayload:
    """Build the comparison of runs; only two runs have differences and classes.

    Args:
        runs: two or more runs of one task and one reference.
        join: joined findings of two runs, None for more.
    """
    changes, note = compare_scores(runs) if len(runs) == 2 else ({}, "")  # noqa: PLR2004  a pair
    own = [found.run for found in runs]
    try:
        main = choose_main_score(own)
        paths = [main, *list_side_scores(own, main)]
    except UsageError:  # no score in common
        paths = []
    scores = []
    for path in paths:
        change = changes.get(path) or ScoreChange(None)
        values = [to_number(get_score_value(run, path)) for run in own]
        if change.difference is None and len(values) == 2 and None not in values:  # noqa: PLR2004  a pair
            change = ScoreChange(float(values[1] or 0) - float(values[0] or 0))
        scores.append(
            ScoreDifference(
                path=path,
                title=format_score_title(own[0], path),
                values=values,
                difference=to_number(change.difference),
                low=to_number(change.low),
                high=to_number(change.high),
                p=to_number(change.p),
                p_holm=to_number(change.p_holm),
            )
        )
    return ComparisonPayload(
        runs=[build_summary(found) for found in runs],
        scores=scores,
        classes=None if join is None else join.counts,
        count=0 if join is None else len(join.classes),
        note=note,
    )


def compare_scores(runs: Sequence[ExplorerRun]) -> tuple[Mapping[str, ScoreChange], str]:
    """Test the differences of two runs; also say why they are not tested.

    Args:
        runs: two runs.
    """
    first, second = runs
    if second.changes and second.baseline == first.id:
        return second.changes, ""
    if first.load_documents is None or second.load_documents is None:
        return {}, "The scores are not tested: the runs do not have their single documents."
    try:
        (pair,) = compare(first.load_documents(), second.load_documents()).pairs
    except IsoglossError as error:
        return {}, f"The scores are not tested: {error}"
    rows = pair.to_dict()["scores"]
    names = ("difference", "low", "high", "p", "p_holm")
    return {path: ScoreChange(**{name: own.get(name) for name in names}) for path, own in rows.items()}, ""


def check_comparable(runs: Sequence[ExplorerRun]) -> None:
    """Check that runs can be compared.

    Raises:
        UsageError: if there are not 2 to 20, or they have several tasks, references or definitions.
    """
    if not 2 <= len(runs) <= MAX_RUNS:  # noqa: PLR2004  a pair
        raise UsageError(f"A comparison needs 2 to {MAX_RUNS} runs, got {len(runs)}.")
    for what, values in (
        ("tasks", {found.run.task for found in runs}),
        ("references", {found.corpus_key for found in runs}),
        ("definitions", {str(found.run.signature.definition) for found in runs}),
    ):
        if len(values) > 1:
            raise UsageError(f"Runs of several {what} cannot be compared: {', '.join(sorted(values))}.")


def build_matrix(sources: Sequence[FindingSource]) -> MatrixPayload:
    """Build the matrix of documents by runs, most disagreement first.

    Disagreement is the difference between the most and the fewest errors of a document.

    Args:
        sources: findings of each run.
    """
    names = dict.fromkeys(name for source in sources for name in source.document_names)
    rows = {name: row for row, name in enumerate(names)}
    errors = np.zeros((len(names), len(sources)), np.int64)  # (documents, runs)
    numbers = np.full((len(names), len(sources)), -1, np.int64)  # (documents, runs)
    for at, source in enumerate(sources):
        own = np.array([rows[name] for name in source.document_names], np.int64)  # (documents of the run,)
        counts = np.bincount(
            source.read_column("document"), weights=find_wrong(source), minlength=len(source.document_names)
        )
        errors[own, at], numbers[own, at] = counts.astype(np.int64), np.arange(len(own))
    spread = errors.max(axis=1) - errors.min(axis=1) if len(names) else np.zeros(0, np.int64)  # (documents,)
    chosen = np.argsort(-spread, kind="stable")[:MAX_MATRIX_DOCUMENTS]
    right = errors == 0
    alone = (right & (right.sum(axis=1, keepdims=True) == 1)).sum(axis=0)  # (runs,)
    listed = list(names)
    return MatrixPayload(
        documents=[
            MatrixDocument(
                document=listed[row],
                numbers=[None if number < 0 else number for number in numbers[row].tolist()],
                errors=errors[row].tolist(),
                disagreement=int(spread[row]),
            )
            for row in chosen.tolist()
        ],
        alone=alone.tolist(),
    )
