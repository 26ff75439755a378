"""The default metric of word segmentation.

It scores characters, words and boundaries, and recall by vocabulary.

Definition
    1. Both sides cut the same text: what the whitespace policy keeps of it. One bit per character tells whether a word
       starts there; the first bit is always set.
    2. `character` compares these bits: tp, fp, fn, tn.
    3. A word is correct when both its start and its end agree. `word`: precision = correct / words of the prediction,
       recall = correct / words of the reference.
    4. `boundary` is `character` without the first bit of each document, which is always correct.
    5. `oov` and `iv`: recall of the reference words that the vocabulary does not have, and of those that it has, by
       their place in the text.
    6. If words differ, the smallest region between two places where both sides begin a word is one error: `split` (one
       word of the reference became several), `merge` (several became one) or `shift` (several became several others).
    7. A document without a predicted text scores zero: its words count as missed, whatever was predicted as wrong.
    8. 0/0 is undefined. Figures are sums over the corpus; the mean of the figures of the documents is in
       `per_document`. The two differ: with 3 words right of 4 and 5, and 1 right of 3 and 2, the sums give an F of
       0.5714, while the mean of 2/3 and 2/5 is 0.5333.

Source: Sproat and Emerson (2003), the first SIGHAN bakeoff, for words; Chormai, Prasertsom and Rutherford (2019),
AttaCut, for characters; the PyThaiNLP tokenization benchmark (2019) for both.

Differences from other implementations
    1. The PyThaiNLP benchmark and its successor print word precision and recall the wrong way round in their
       documentation; their code divides as here.
    2. These tools never compare texts: the same number of other characters scores 1.0, and so do the words of a
       prediction that is cut short. They leave out samples without a prediction. isogloss compares texts before
       counting, and such samples score zero.
    3. SIGHAN's `score` aligns words by `diff`, so that a word counts as right at another place. In isogloss the place
       must agree.
    4. spaCy's `token_acc` counts any part of a word as right.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, groupby, islice, pairwise
from operator import itemgetter
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.counts import Counts
from isogloss.kernel.findings import MAX_DOCUMENT_TEXT, CorrectSpan, Finding, Mark, add_context
from isogloss.kernel.provenance import Side, TextExcerpt
from isogloss.kernel.scores import Ints, Scores, compute_f_measure, divide
from isogloss.kernel.sums import Sums
from isogloss.tasks.segmentation.batches import WordPairs, decode_code_points

WORD_SEPARATOR = "|"
MAX_SHARED_LENGTH = 40  # code points of a sample whose errors equal samples share
MAX_SAMPLE_LENGTH = 2000  # code points of a sample that is kept whole


def find_segmentation_errors(batch: WordPairs, context: int, limit: int | None = None) -> Iterator[Finding]:
    """Find the errors of a batch in the order of the text.

    Each error has the words of both sides. Positions are code points of the text as the user gave it. The label of a
    mark has its words. The first error of a sample of at most 2,000 code points also has the whole sample: its text and
    the places of the words of both sides.

    Args:
        batch: documents that both sides cut.
        context: words of context on each side.
        limit: maximum number of findings, None for all.
    """
    return islice(_build_findings(batch, context), limit)


def _build_findings(batch: WordPairs, context: int) -> Iterator[Finding]:
    regions = WordRegions.from_batch(batch)
    begin = regions.begin
    rows = np.searchsorted(batch.offsets, begin, side="right") - 1  # (wrong,)
    after = np.append(regions.word_starts, len(batch.text)).take(regions.after)
    end = np.minimum(after, batch.offsets[rows + 1])
    regions_in_order = zip(*(column.tolist() for column in (rows, begin, end, regions.kind)), strict=True)
    known: dict[tuple[Any, ...], list[Finding]] = {}  # of short samples, many of which recur
    for row, own in groupby(regions_in_order, key=itemgetter(0)):
        passage = batch.provenance.get_excerpt(row)
        assert passage is not None, "words always have a text"  # noqa: S101  all readers guarantee it
        found = _find_in_sample(batch, passage, own, context)
        if len(passage.text) > MAX_SHARED_LENGTH:
            yield from found
            continue
        at = slice(*batch.offsets[row : row + 2].tolist())
        key = passage.text, passage.starts, batch.reference[at].tobytes(), batch.predicted[at].tobytes()
        if key not in known:
            known[key] = list(found)
        name, where = batch.provenance.name(row), batch.provenance.where(row, 0, "predicted")
        yield from (msgspec.structs.replace(finding, document=name, where=where) for finding in known[key])


def _find_in_sample(
    batch: WordPairs, passage: TextExcerpt, regions: Iterator[tuple[int, int, int, int]], context: int
) -> Iterator[Finding]:
    """Build the findings of one sample.

    Args:
        batch: documents that both sides cut.
        passage: the sample.
        regions: row, begin, end and kind of error of each of its wrong regions; at least one.
        context: words of context on each side.
    """
    row, *_ = first = next(regions)
    words = _list_words(batch, row, passage)
    sample = {"sample": {"text": passage.text} | words} if len(passage.text) <= MAX_SAMPLE_LENGTH else {}
    correct = _list_correct(words)
    for _, low, high, kind in chain([first], regions):
        finding = _build_finding(batch, row, (low, high), REGION_KINDS[kind], passage, sample)
        yield add_context(finding, TextExcerpt(passage.text), context, correct)
        sample = {}


def _build_finding(
    batch: WordPairs, row: int, span: tuple[int, int], kind: str, passage: TextExcerpt, sample: dict[str, Any]
) -> Finding:
    sides: tuple[tuple[Side, NDArray[np.bool_]], ...] = ("reference", batch.reference), ("predicted", batch.predicted)
    first = span[0] - int(batch.offsets[row])
    words = {
        side: [passage.text[low:high] for low, high in _locate_words(passage, starts[slice(*span)], first)]
        for side, starts in sides
    }
    start, end = passage.locate_span(first, first + span[1] - span[0])
    marks = tuple(Mark(side, WORD_SEPARATOR.join(cut), start, end) for side, cut in words.items())
    return Finding(
        kind=kind,
        document=batch.provenance.name(row),
        where=batch.provenance.where(row, first, "predicted"),
        marks=marks,
        extra={f"{side}_words": cut for side, cut in words.items()} | sample,
    )


def _list_words(batch: WordPairs, row: int, passage: TextExcerpt) -> dict[Side, list[list[int]]]:
    """Return begin and end of the words of both sides.

    They are places in the text of the document. The result is empty if the text is too long to be kept.
    """
    if len(passage.text) > MAX_DOCUMENT_TEXT:
        return {}
    at = slice(int(batch.offsets[row]), int(batch.offsets[row + 1]))
    sides: dict[Side, NDArray[np.bool_]] = {"reference": batch.reference[at], "predicted": batch.predicted[at]}
    return {side: _locate_words(passage, starts, 0) for side, starts in sides.items()}


def _list_correct(words: Mapping[Side, list[list[int]]]) -> tuple[CorrectSpan, ...]:
    """Return the words that both sides have, in their order."""
    predicted = {(begin, stop) for begin, stop in words.get("predicted", ())}
    return tuple((begin, stop, None) for begin, stop in words.get("reference", ()) if (begin, stop) in predicted)


def _locate_words(passage: TextExcerpt, starts: NDArray[np.bool_], first: int) -> list[list[int]]:
    """Return begin and end of words in the text.

    The words are those of a part that begins at character `first`.
    """
    edges = [*np.flatnonzero(starts).tolist(), len(starts)]
    return [[*passage.locate_span(first + a, first + b)] for a, b in pairwise(edges)]


REGION_KINDS = ("correct", "split", "merge", "shift")
PREDICTED_START, REFERENCE_START, BOTH_START = 1, 2, 3


@dataclass(frozen=True, eq=False)
class WordRegions:
    """Parts of documents between the places where both sides begin a word.

    A region with one word on each side is a correct word, any other region is one error. Most words are correct, so
    only errors are stored; the correct words are computed on request.

    Args:
        word_starts: (places,) characters at which a side begins a word, in any document, ascending.
        sides: (places,) sides that begin a word: `PREDICTED_START`, `REFERENCE_START` or `BOTH_START`.
        one_sided: (one-sided,) positions in `word_starts` of the places at which only one side begins a word.
        wrong: (wrong,) positions in `word_starts` at which errors begin.
        after: (wrong,) positions in `word_starts` of the place after each error, its length at the end of the text.
        kind: (wrong,) position in `REGION_KINDS`: one bit for each side that cuts the region.
    """

    word_starts: Ints
    sides: NDArray[np.uint8]
    one_sided: Ints
    wrong: Ints
    after: Ints
    kind: NDArray[np.uint8]

    @classmethod
    def from_batch(cls, batch: WordPairs) -> WordRegions:
        """Build the regions of a batch."""
        marks = PREDICTED_START * batch.predicted.view(np.uint8) + REFERENCE_START * batch.reference.view(
            np.uint8
        )  # (characters,)
        at = np.flatnonzero(marks != 0)  # nine times as fast with bools as with integers
        sides = marks.take(at)
        single = inside = np.flatnonzero(sides != BOTH_START)
        if not batch.compared.all():  # documents that are not compared have no regions
            inside = single[batch.compared[np.searchsorted(batch.offsets, at.take(single), side="right") - 1]]
        apart = inside[1:] - inside[:-1] > 1
        first = np.flatnonzero(np.concatenate(([len(inside) > 0], apart)))  # (wrong,) a document begins with both sides
        last = np.append(first[1:], len(inside))[: len(first)] - 1
        kind = np.bitwise_or.reduceat(sides.take(inside), first) if len(first) else np.zeros(0, np.uint8)
        return cls(at, sides, single, inside.take(first) - 1, inside.take(last) + 1, kind)

    @property
    def begin(self) -> Ints:
        """First character of each error: (wrong,)."""
        return self.word_starts.take(self.wrong)

    @cached_property
    def correct(self) -> Ints:
        """First character of each word that both sides have: (correct,)."""
        right = self.sides == BOTH_START
        right[self.wrong] = False
        return self.word_starts.take(np.flatnonzero(right))

    @cached_property
    def reference_only(self) -> Ints:
        """Characters at which only the reference begins a word: (places,).

        They are those of any document.
        """
        return self._select_starts(REFERENCE_START)

    @cached_property
    def predicted_only(self) -> Ints:
        """Characters at which only the prediction begins a word: (places,).

        They are those of any document.
        """
        return self._select_starts(PREDICTED_START)

    def _select_starts(self, side: int) -> Ints:
        return self.word_starts.take(self.one_sided.take(np.flatnonzero(self.sides.take(self.one_sided) == side)))


def count_per_document(places: Ints, batch: WordPairs) -> Ints:
    """Count ascending characters by document: (places,) -> (documents,)."""
    before = places.searchsorted(batch.offsets)  # (documents + 1,)
    return before[1:] - before[:-1]  # a third of the time of np.diff, noticeable in small batches


def list_word_bounds(starts: NDArray[np.bool_], offsets: Ints) -> tuple[Ints, Ints]:
    """Return the bounds of each word: (words,) each.

    They are the first character of the word, and the one after its last.

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
    """Mark the words that the other side has: (words,) each.

    The first result is for the reference, the second for the prediction.
    """
    right = np.zeros(len(batch.text), np.bool_)
    right[regions.correct] = True
    return right[batch.reference], right[batch.predicted]


CountColumn = NDArray[Any]


@dataclass(frozen=True)
class WordSegmentation:
    """The default metric of word segmentation.

    Args:
        vocabulary: the words of the training data, None without.
        zero_division: value of 0/0, nan for undefined.
    """

    vocabulary: frozenset[str] | None = None
    zero_division: float = np.nan

    def count(self, batch: WordPairs) -> Counts:
        """Count the characters, words and errors of each document."""
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
        """Return the scores of characters, words and boundaries.

        Recall by vocabulary is added if there is a vocabulary.
        """
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
        """Return the overall scores, and counts of each kind of error."""
        kinds: Scores = {("findings", kind): sums.get_column(kind).sum(axis=-1) for kind in REGION_KINDS}
        return self.overall(sums) | kinds

    def _score_group(self, group: str, bits: dict[str, CountColumn]) -> Scores:
        tp, fp, fn = bits["tp"], bits["fp"], bits["fn"]
        return _prefix_keys(group, compute_prf(tp, tp + fp, tp + fn, zero_division=self.zero_division) | bits)


def count_characters(batch: WordPairs, regions: WordRegions) -> dict[str, CountColumn]:
    """Count true and false positives and negatives of the characters: (documents,) each."""
    fn = count_per_document(regions.reference_only, batch)
    fp = count_per_document(regions.predicted_only, batch)
    tp = count_per_document(regions.word_starts, batch) - fn - fp
    tn = np.where(batch.compared, batch.offsets[1:] - batch.offsets[:-1] - tp - fn - fp, 0)
    return {"tp": tp, "fp": fp + batch.uncompared_words, "fn": fn, "tn": tn}


def _count_kinds(batch: WordPairs, regions: WordRegions, total: CountColumn) -> dict[str, CountColumn]:
    """Count regions of each kind; `total` counts all of them: (documents,) each."""
    begin = regions.begin
    columns = {
        name: count_per_document(begin.take(np.flatnonzero(regions.kind == k)), batch)
        for k, name in enumerate(REGION_KINDS)
        if k
    }
    return {"correct": total - sum(columns.values())} | columns


def count_unknown_words(batch: WordPairs, regions: WordRegions, vocabulary: frozenset[str]) -> dict[str, CountColumn]:
    """Count reference words out of the vocabulary: (documents,) each.

    The correct ones among them are counted too.
    """
    begin, end = list_word_bounds(batch.reference, batch.offsets)
    text = decode_code_points(batch.text)
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
    """Compute precision, recall and their harmonic mean."""
    return {
        "precision": divide(correct, predicted, zero_division),
        "recall": divide(correct, reference, zero_division),
        "f1": compute_f_measure(correct, predicted, correct, reference, zero_division=zero_division),
    }


def score_vocabulary_recall(
    count: Mapping[str, Ints], correct: Ints, reference: Ints, zero_division: float = np.nan
) -> Scores:
    """Return the groups `oov` and `iv`, if words were counted by vocabulary."""
    if "oov_total" not in count:
        return {}
    scores: Scores = {}
    oov = count["oov_correct"], count["oov_total"]
    for group, (right, total) in (("oov", oov), ("iv", (correct - oov[0], reference - oov[1]))):
        scores |= _prefix_keys(group, {"recall": divide(right, total, zero_division), "correct": right, "total": total})
    return scores


def _prefix_keys(group: str, values: Mapping[str, CountColumn]) -> Scores:
    return {(group, name): value for name, value in values.items()}
