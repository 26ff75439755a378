"""What a person looks at: each stretch of text that the two sides cut up in different ways."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.counts import Counts
from isogloss.kernel.findings import Finding, Mark, add_context
from isogloss.kernel.provenance import Side, TextExcerpt
from isogloss.kernel.scores import Ints, Proportion, Proportions, Scores, compute_f_measure, divide, find_proportions
from isogloss.kernel.sums import Sums
from isogloss.tasks.segmentation.batches import WordPairs

WORD_SEPARATOR = "|"
MAX_SAMPLE_LENGTH = 2000  # code points of a sample that is kept whole


def find_segmentation_errors(batch: WordPairs, context: int, limit: int | None = None) -> list[Finding]:
    """The errors of a batch in the order of the text, with the words of both sides.

    Positions are code points of the text as the user gave it. A mark's label shows its words. The first error of a
    sample also has the whole sample, where it is not long: its text and where the words of either side stand in it.

    Args:
        batch: documents that both sides cut.
        context: words to show on each side.
        limit: at most so many.
    """
    return list(islice(_build_findings(batch, context), limit))


def _build_findings(batch: WordPairs, context: int) -> Iterator[Finding]:
    regions = WordRegions.from_batch(batch)
    begin = regions.begin
    rows = np.searchsorted(batch.offsets, begin, side="right") - 1  # (wrong,)
    after = np.append(regions.word_starts, len(batch.text)).take(regions.after)
    end = np.minimum(after, batch.offsets[rows + 1])
    last = -1
    for row, low, high, kind in zip(*(column.tolist() for column in (rows, begin, end, regions.kind)), strict=True):
        finding = _build_finding(batch, row, (low, high), REGION_KINDS[kind], context)
        yield finding if row == last else replace(finding, extra={**finding.extra, **_describe_sample(batch, row)})
        last = row


def _build_finding(batch: WordPairs, row: int, span: tuple[int, int], kind: str, context: int) -> Finding:
    passage = batch.origin.passage(row)
    assert passage is not None, "words are always those of a text"  # noqa: S101  a promise of the readers
    sides: tuple[tuple[Side, NDArray[np.bool_]], ...] = ("reference", batch.reference), ("predicted", batch.predicted)
    first = span[0] - int(batch.offsets[row])
    words = {
        side: [passage.text[low:high] for low, high in _locate_words(passage, starts[slice(*span)], first)]
        for side, starts in sides
    }
    start, end = passage.locate_span(first, first + span[1] - span[0])
    marks = tuple(Mark(side, WORD_SEPARATOR.join(cut), start, end) for side, cut in words.items())
    finding = Finding(
        kind=kind,
        document=batch.origin.name(row),
        where=batch.origin.where(row, first, "predicted"),
        marks=marks,
        extra={f"{side}_words": cut for side, cut in words.items()},
    )
    return add_context(finding, TextExcerpt(passage.text), context)


def _describe_sample(batch: WordPairs, row: int) -> dict[str, Any]:
    """The whole sample: its text and the words of both sides, as far as it is short enough."""
    passage = batch.origin.passage(row)
    if passage is None or len(passage.text) > MAX_SAMPLE_LENGTH:
        return {}
    at = slice(int(batch.offsets[row]), int(batch.offsets[row + 1]))
    sides = {"reference": batch.reference[at], "predicted": batch.predicted[at]}
    return {
        "sample": {"text": passage.text} | {side: _locate_words(passage, starts, 0) for side, starts in sides.items()}
    }


def _locate_words(passage: TextExcerpt, starts: NDArray[np.bool_], first: int) -> list[list[int]]:
    """Where the words of a stretch that begins at its character `first` stand in the text: begin and end of each."""
    edges = [*np.flatnonzero(starts).tolist(), len(starts)]
    return [[*passage.locate_span(first + a, first + b)] for a, b in pairwise(edges)]


REGION_KINDS = ("correct", "split", "merge", "shift")
PREDICTED_START, REFERENCE_START, BOTH_START = 1, 2, 3


@dataclass(frozen=True, eq=False)
class WordRegions:
    """Regions of the documents that are compared, in the order of the text.

    Most words are right, so that only the other regions are written down; what is asked of all is computed when asked.

    Args:
        at: (places,) characters at which a side begins a word, in any document, ascending.
        sides: (places,) which sides do: `PREDICTED`, `REFERENCE` or `BOTH`.
        single: (singles,) positions in `at` of those at which only one side does.
        wrong: (wrong,) positions in `at` at which the regions begin that are errors.
        after: (wrong,) positions in `at` of the place after each, which is none at the end of the text.
        kind: (wrong,) position in `KINDS`: one bit for each side that cuts it up.
    """

    word_starts: Ints
    sides: NDArray[np.uint8]
    one_sided: Ints
    wrong: Ints
    after: Ints
    kind: NDArray[np.uint8]

    @classmethod
    def from_batch(cls, batch: WordPairs) -> WordRegions:
        """The regions of a batch."""
        marks = PREDICTED_START * batch.predicted.view(np.uint8) + REFERENCE_START * batch.reference.view(
            np.uint8
        )  # (characters,)
        at = np.flatnonzero(marks != 0)  # of bools: nine times as fast as of integers
        sides = marks.take(at)
        single = inside = np.flatnonzero(sides != BOTH_START)
        if not batch.compared.all():  # words of documents that are not compared belong to no region
            inside = single[batch.compared[np.searchsorted(batch.offsets, at.take(single), side="right") - 1]]
        apart = inside[1:] - inside[:-1] > 1
        first = np.flatnonzero(np.concatenate(([len(inside) > 0], apart)))  # (wrong,) a document begins with both sides
        last = np.append(first[1:], len(inside))[: len(first)] - 1
        kind = np.bitwise_or.reduceat(sides.take(inside), first) if len(first) else np.zeros(0, np.uint8)
        return cls(at, sides, single, inside.take(first) - 1, inside.take(last) + 1, kind)

    @property
    def begin(self) -> Ints:
        """(wrong,) first character of each region that is an error."""
        return self.word_starts.take(self.wrong)

    @cached_property
    def correct(self) -> Ints:
        """(correct,) first character of each word that both sides have."""
        right = self.sides == BOTH_START
        right[self.wrong] = False
        return self.word_starts.take(np.flatnonzero(right))

    @cached_property
    def reference_only(self) -> Ints:
        """(places,) characters at which only the reference begins a word, in any document."""
        return self._select_starts(REFERENCE_START)

    @cached_property
    def predicted_only(self) -> Ints:
        """(places,) characters at which only the prediction does."""
        return self._select_starts(PREDICTED_START)

    def _select_starts(self, side: int) -> Ints:
        return self.word_starts.take(self.one_sided.take(np.flatnonzero(self.sides.take(self.one_sided) == side)))


def count_per_document(places: Ints, batch: WordPairs) -> Ints:
    """How many of some ascending characters each document has: (places,) -> (documents,)."""
    before = places.searchsorted(batch.offsets)  # (documents + 1,)
    return before[1:] - before[:-1]  # a third of the time of np.diff, which is felt in small batches


def list_word_bounds(starts: NDArray[np.bool_], offsets: Ints) -> tuple[Ints, Ints]:
    """First character of each word, and the one after its last: (words,) each.

    Args:
        starts: (characters,) whether a word starts here.
        offsets: (documents + 1,) first character of each document.
    """
    begin = np.flatnonzero(starts)
    if not len(begin):
        return begin, begin
    edge = offsets[np.searchsorted(offsets, begin, side="right")]  # where the document of each word ends
    return begin, np.minimum(np.append(begin[1:], len(starts)), edge)


def mark_correct_words(batch: WordPairs, regions: WordRegions) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Of each word of the reference, and of each predicted one, whether the other side has it: (words,) each."""
    right = np.zeros(len(batch.text), np.bool_)
    right[regions.correct] = True
    return right[batch.reference], right[batch.predicted]


CountColumn = NDArray[Any]
SEGMENTATION_PROPORTIONS = (
    Proportion("precision", "tp", ("tp", "fp")),
    Proportion("recall", "tp", ("tp", "fn")),
    Proportion("precision", "correct_predicted", ("predicted",)),
    Proportion("precision", "correct", ("predicted",)),
    Proportion("recall", "correct", ("reference",)),
    Proportion("recall", "correct", ("total",)),
    Proportion("accuracy", "correct", ("total",)),
)


@dataclass(frozen=True)
class WordSegmentation:
    """The default metric of word segmentation.

    Args:
        vocabulary: the words of the training data, None where they are not known.
        zero_division: the value of 0/0, nan for undefined.
    """

    vocabulary: frozenset[str] | None = None
    zero_division: float = np.nan

    def count(self, batch: WordPairs) -> Counts:
        """The bits, words and errors of each document."""
        regions = WordRegions.from_batch(batch)
        some = batch.offsets[1:] > batch.offsets[:-1]  # (documents,) with a text
        columns: dict[str, CountColumn] = count_characters(batch, regions)
        columns |= {
            "edge_tp": some & batch.compared,
            "edge_fp": batch.uncompared_words > 0,
            "edge_fn": some & ~batch.compared,
        }
        columns |= _count_kinds(batch, regions, columns["tp"])
        if self.vocabulary is not None:
            columns |= count_unknown_words(batch, regions, self.vocabulary)
        return Counts.build(batch.documents, columns)

    def overall(self, sums: Sums) -> Scores:
        """Characters, words and boundaries, and with a vocabulary the recall of words that it has and has not."""
        count = {name: sums.get_column(name).sum(axis=-1) for name in sums.columns}  # (...) each
        tp, fp, fn = (count[name] for name in ("tp", "fp", "fn"))
        scores = self._score_group("character", {"tp": tp, "fp": fp, "fn": fn, "tn": count["tn"]})
        word: dict[str, CountColumn] = {"correct": count["correct"], "predicted": tp + fp, "reference": tp + fn}
        scores |= _prefix_keys(
            "word", compute_prf(count["correct"], tp + fp, tp + fn, zero_division=self.zero_division) | word
        )
        inner: dict[str, CountColumn] = {name: count[name] - count[f"edge_{name}"] for name in ("tp", "fp", "fn")}
        scores |= self._score_group("boundary", inner)
        return scores | score_vocabulary_recall(count, word["correct"], word["reference"], self.zero_division)

    def score(self, sums: Sums) -> Scores:
        """The overall scores, and how many errors of each kind there are."""
        kinds: Scores = {("findings", kind): sums.get_column(kind).sum(axis=-1) for kind in REGION_KINDS}
        return self.overall(sums) | kinds

    def proportions(self, sums: Sums) -> Proportions:
        """Precision and recall."""
        return find_proportions(self.overall(sums), SEGMENTATION_PROPORTIONS)

    def _score_group(self, group: str, bits: dict[str, CountColumn]) -> Scores:
        tp, fp, fn = bits["tp"], bits["fp"], bits["fn"]
        return _prefix_keys(group, compute_prf(tp, tp + fp, tp + fn, zero_division=self.zero_division) | bits)


def count_characters(batch: WordPairs, regions: WordRegions) -> dict[str, CountColumn]:
    """The bits of each document: (documents,) each."""
    fn = count_per_document(regions.reference_only, batch)
    fp = count_per_document(regions.predicted_only, batch)
    tp = count_per_document(regions.word_starts, batch) - fn - fp
    tn = np.where(batch.compared, batch.offsets[1:] - batch.offsets[:-1] - tp - fn - fp, 0)
    return {"tp": tp, "fp": fp + batch.uncompared_words, "fn": fn, "tn": tn}


def _count_kinds(batch: WordPairs, regions: WordRegions, total: CountColumn) -> dict[str, CountColumn]:
    """Regions of each kind, of so many in all: (documents,) each."""
    begin = regions.begin
    columns = {
        name: count_per_document(begin.take(np.flatnonzero(regions.kind == k)), batch)
        for k, name in enumerate(REGION_KINDS)
        if k
    }
    return {"correct": total - sum(columns.values())} | columns


def count_unknown_words(batch: WordPairs, regions: WordRegions, vocabulary: frozenset[str]) -> dict[str, CountColumn]:
    """Words of the reference that the vocabulary does not have, and how many of them are right: (documents,) each."""
    begin, end = list_word_bounds(batch.reference, batch.offsets)
    text = batch.text.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    spelt = (text[a:b] for a, b in zip(begin.tolist(), end.tolist(), strict=True))
    unknown = np.fromiter((word not in vocabulary for word in spelt), np.bool_, len(begin))  # (words,)
    right = mark_correct_words(batch, regions)[0]
    return {
        "oov_total": count_per_document(begin[unknown], batch),
        "oov_correct": count_per_document(begin[unknown & right], batch),
    }


def compute_prf(
    correct: CountColumn, predicted: CountColumn, reference: CountColumn, *, zero_division: float = np.nan
) -> dict[str, CountColumn]:
    """Precision, recall and their harmonic mean."""
    return {
        "precision": divide(correct, predicted, zero_division),
        "recall": divide(correct, reference, zero_division),
        "f1": compute_f_measure(correct, predicted, correct, reference, zero_division=zero_division),
    }


def score_vocabulary_recall(
    count: Mapping[str, Ints], correct: Ints, reference: Ints, zero_division: float = np.nan
) -> Scores:
    """Groups `oov` and `iv`, where out-of-vocabulary words were counted."""
    if "oov_total" not in count:
        return {}
    scores: Scores = {}
    oov = count["oov_correct"], count["oov_total"]
    for group, (right, total) in (("oov", oov), ("iv", (correct - oov[0], reference - oov[1]))):
        scores |= _prefix_keys(group, {"recall": divide(right, total, zero_division), "correct": right, "total": total})
    return scores


def _prefix_keys(group: str, values: Mapping[str, CountColumn]) -> Scores:
    return {(group, name): value for name, value in values.items()}
