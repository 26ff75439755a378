"""`Scorer.score_tokenization` of spaCy 3.8.

`spacy evaluate` prints it as TOK, with its precision, recall and F.

What is reproduced
    1. Whitespace is text, and a token of whitespace alone is no token: it is neither predicted nor expected.
    2. `word`: a token is right when both its offsets are, whitespace counted: `token_p`, `token_r`, `token_f`.
    3. `tokens.accuracy` is `token_acc`: the share of predicted tokens that touch exactly one token of the reference,
       whitespace tokens included. Every part of a word that is cut up is right by it.
    4. 0/0 is 0, but everything is undefined where nothing is predicted.

Exceptions
    1. Texts are compared first, whitespace included. spaCy takes other whitespace, and compares offsets all the same.
    2. A space between two words is a token of whitespace, as in `a| |b`. As spaCy's own tokenizer writes it, as a flag
       of the word before, only `token_acc` may differ, and only for a predicted token that begins or ends with a space.
    3. spaCy refuses texts whose lower case has another length, such as `İ`.
    4. Its ratios have 1e-100 added to what they are divided by.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.counts import Counts
from isogloss.kernel.scores import Ints, ScoreKey, Scores, divide
from isogloss.kernel.sums import Sums
from isogloss.tasks.segmentation.batches import WordPairs
from isogloss.tasks.segmentation.metric import (
    WordRegions,
    compute_prf,
    count_per_document,
    list_word_bounds,
    mark_correct_words,
)
from isogloss.tasks.segmentation.profiles import SegmentationProfile


@dataclass(frozen=True)
class SpacyTokenMetric:
    """Tokens as spaCy compares them."""

    def count(self, batch: WordPairs) -> Counts:
        """Count the tokens of each document that are not whitespace."""
        regions = WordRegions.from_batch(batch)
        right = mark_correct_words(batch, regions)[1]
        reference, _ = list_word_bounds(batch.reference, batch.offsets)
        predicted, end = list_word_bounds(batch.predicted, batch.offsets)
        whole = _is_inside_one(regions.reference_only, predicted, end)
        expected, found = (~_is_whitespace(batch, starts) for starts in (batch.reference, batch.predicted))
        columns = {
            "correct": count_per_document(predicted[right & found], batch),
            "predicted": count_per_document(predicted[found], batch) + batch.uncompared_words,
            "reference": count_per_document(reference[expected], batch),
            "touching_one": count_per_document(predicted[whole & found], batch),
        }
        return Counts.build(batch.documents, columns)

    def overall(self, sums: Sums) -> Scores:
        """Return the groups `word` and `tokens`."""
        count = {name: sums.get_column(name).sum(axis=-1) for name in sums.columns}
        named = {name: count[name] for name in ("correct", "predicted", "reference")}
        nothing = named["predicted"] == 0
        figures = {
            name: np.where(nothing, np.nan, value)
            for name, value in compute_prf(*named.values(), zero_division=0.0).items()
        }
        accuracy = divide(count["touching_one"], named["predicted"])
        scores: Scores = {("word", name): value for name, value in (figures | named).items()}
        tokens = {"accuracy": accuracy, "correct": count["touching_one"], "total": named["predicted"]}
        return scores | {("tokens", name): value for name, value in tokens.items()}

    def score(self, sums: Sums) -> Scores:
        """Return the overall scores."""
        return self.overall(sums)


def _is_inside_one(reference_only: Ints, begin: Ints, end: Ints) -> NDArray[np.bool_]:
    """Mark the predicted words inside of which no reference word starts: (words,)."""
    result: NDArray[np.bool_] = np.searchsorted(reference_only, begin) == np.searchsorted(reference_only, end)
    return result


def _is_whitespace(batch: WordPairs, starts: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark the words of whitespace only: (words,)."""
    distinct, place = np.unique(batch.text, return_inverse=True)
    space = np.array([chr(code).isspace() for code in distinct.tolist()], np.bool_)[place]  # (characters,)
    begin = np.flatnonzero(starts)
    if not len(begin):
        return np.zeros(0, np.bool_)
    return np.logical_and.reduceat(np.where(_is_in_word(batch, starts), space, True), begin)  # noqa: FBT003  neutral


def _is_in_word(batch: WordPairs, starts: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark the characters in a word of a side: (characters,).

    Documents without a prediction have no words.
    """
    begin = np.maximum.accumulate(np.where(starts, np.arange(len(starts)), -1))
    first = np.repeat(batch.offsets[:-1], np.diff(batch.offsets))  # (characters,)
    return begin >= first


def to_spacy_token_output(numbers: Mapping[ScoreKey, int | float]) -> dict[str, float]:
    """Return keys and values as spaCy's `evaluate` command writes them.

    A value that is None in spaCy is nan.

    Args:
        numbers: scores of `SpacyTokenMetric`.
    """
    ratios = {"token_p": "precision", "token_r": "recall", "token_f": "f1"}
    return {"token_acc": numbers["tokens", "accuracy"]} | {key: numbers["word", name] for key, name in ratios.items()}


PROFILE = SegmentationProfile(
    name="spacy", make_metric=lambda _: SpacyTokenMetric(), whitespace="keep", tool_output=to_spacy_token_output
)
