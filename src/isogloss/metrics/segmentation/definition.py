"""Word segmentation: characters, words and boundaries, beside the words that a training list does not have.

Definition
    1. Both sides cut the same text: what the whitespace policy keeps of it. A bit a character says whether a word
       starts there; it is set at the first.
    2. `character` compares these bits: tp, fp, fn, tn.
    3. A word is correct when both its start and its end agree. `word`: precision = correct / words of the prediction,
       recall = correct / words of the reference.
    4. `boundary` is `character` without the first bit of each document, which nobody can get wrong.
    5. `oov` and `iv`: recall of the words of the reference that a list does not have, and of those that it has, by
       their place in the text.
    6. Where words differ, the smallest stretch that both sides cut off is one error: `split` (one word of the reference
       became several), `merge` (several became one) or `shift` (several became several others).
    7. A document without a predicted text scores zero: its words count as missed, whatever was predicted as wrong.
    8. 0/0 is undefined. Figures are sums over the corpus; the mean of the figures of the documents is in
       `per_document`. The two differ: with 3 words right of 4 and 5, and 1 right of 3 and 2, the sums give an F of
       0.5714, while the mean of 2/3 and 2/5 is 0.5333.

Source: Sproat and Emerson (2003), the first SIGHAN bakeoff, for words; Chormai, Prasertsom and Rutherford (2019),
AttaCut, for characters; the PyThaiNLP tokenization benchmark (2019) for both.

Differences from other implementations
    1. The PyThaiNLP benchmark and its successor print word precision and recall the wrong way round in their
       documentation; their code divides as here.
    2. They never compare texts: the same number of other characters scores 1.0, and so do the words of a prediction
       that is cut short. They leave out samples without a prediction. Here texts are compared before anything is
       counted, and such samples score zero.
    3. SIGHAN's `score` aligns words by `diff`, so that a word counts as right at another place. Here places count.
    4. spaCy's `token_acc` counts any part of a word as right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.batches import WordPairs
from isogloss.counts import Counts, Sums
from isogloss.metrics.segmentation.regions import KINDS, Regions, indicators, per_document, words
from isogloss.scores import Ints, Proportion, Proportions, Scores, f_measure, proportions_among, ratio

Column = NDArray[Any]
PROPORTIONS = (
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
        regions = Regions.of(batch)
        some = batch.offsets[1:] > batch.offsets[:-1]  # (documents,) with a text
        columns: dict[str, Column] = characters(batch, regions)
        columns |= {
            "edge_tp": some & batch.compared,
            "edge_fp": batch.lost > 0,
            "edge_fn": some & ~batch.compared,
        }
        columns |= _kinds(batch, regions, columns["tp"])
        if self.vocabulary is not None:
            columns |= unknown_words(batch, regions, self.vocabulary)
        return Counts.build(batch.documents, columns)

    def overall(self, sums: Sums) -> Scores:
        """Characters, words and boundaries, and with a vocabulary the recall of words that it has and has not."""
        count = {name: sums.column(name).sum(axis=-1) for name in sums.columns}  # (...) each
        tp, fp, fn = (count[name] for name in ("tp", "fp", "fn"))
        scores = self._group("character", {"tp": tp, "fp": fp, "fn": fn, "tn": count["tn"]})
        word: dict[str, Column] = {"correct": count["correct"], "predicted": tp + fp, "reference": tp + fn}
        scores |= _named("word", prf(count["correct"], tp + fp, tp + fn, zero_division=self.zero_division) | word)
        inner: dict[str, Column] = {name: count[name] - count[f"edge_{name}"] for name in ("tp", "fp", "fn")}
        scores |= self._group("boundary", inner)
        return scores | recalls(count, word["correct"], word["reference"], self.zero_division)

    def score(self, sums: Sums) -> Scores:
        """The overall scores, and how many errors of each kind there are."""
        kinds: Scores = {("findings", kind): sums.column(kind).sum(axis=-1) for kind in KINDS}
        return self.overall(sums) | kinds

    def proportions(self, sums: Sums) -> Proportions:
        """Precision and recall."""
        return proportions_among(self.overall(sums), PROPORTIONS)

    def _group(self, group: str, bits: dict[str, Column]) -> Scores:
        tp, fp, fn = bits["tp"], bits["fp"], bits["fn"]
        return _named(group, prf(tp, tp + fp, tp + fn, zero_division=self.zero_division) | bits)


def characters(batch: WordPairs, regions: Regions) -> dict[str, Column]:
    """The bits of each document: (documents,) each."""
    fn = per_document(regions.reference_only, batch)
    fp = per_document(regions.predicted_only, batch)
    tp = per_document(regions.at, batch) - fn - fp
    tn = np.where(batch.compared, batch.offsets[1:] - batch.offsets[:-1] - tp - fn - fp, 0)
    return {"tp": tp, "fp": fp + batch.lost, "fn": fn, "tn": tn}


def _kinds(batch: WordPairs, regions: Regions, total: Column) -> dict[str, Column]:
    """Regions of each kind, of so many in all: (documents,) each."""
    begin = regions.begin
    columns = {
        name: per_document(begin.take(np.flatnonzero(regions.kind == k)), batch) for k, name in enumerate(KINDS) if k
    }
    return {"correct": total - sum(columns.values())} | columns


def unknown_words(batch: WordPairs, regions: Regions, vocabulary: frozenset[str]) -> dict[str, Column]:
    """Words of the reference that the vocabulary does not have, and how many of them are right: (documents,) each."""
    begin, end = words(batch.reference, batch.offsets)
    text = batch.text.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    spelt = (text[a:b] for a, b in zip(begin.tolist(), end.tolist(), strict=True))
    unknown = np.fromiter((word not in vocabulary for word in spelt), np.bool_, len(begin))  # (words,)
    right = indicators(batch, regions)[0]
    return {
        "oov_total": per_document(begin[unknown], batch),
        "oov_correct": per_document(begin[unknown & right], batch),
    }


def prf(correct: Column, predicted: Column, reference: Column, *, zero_division: float = np.nan) -> dict[str, Column]:
    """Precision, recall and their harmonic mean."""
    return {
        "precision": ratio(correct, predicted, zero_division),
        "recall": ratio(correct, reference, zero_division),
        "f1": f_measure(correct, predicted, correct, reference, zero_division=zero_division),
    }


def recalls(count: Mapping[str, Ints], correct: Ints, reference: Ints, zero_division: float = np.nan) -> Scores:
    """Groups `oov` and `iv`, where out-of-vocabulary words were counted."""
    if "oov_total" not in count:
        return {}
    scores: Scores = {}
    oov = count["oov_correct"], count["oov_total"]
    for group, (right, total) in (("oov", oov), ("iv", (correct - oov[0], reference - oov[1]))):
        scores |= _named(group, {"recall": ratio(right, total, zero_division), "correct": right, "total": total})
    return scores


def _named(group: str, values: Mapping[str, Column]) -> Scores:
    return {(group, name): value for name, value in values.items()}
