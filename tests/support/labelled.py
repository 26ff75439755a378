"""Documents with labels as a table, written down briefly, and corpora of them drawn at random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.kernel.provenance import Side, TextExcerpt
from isogloss.tasks.classification.label_matrix import LabelledDocuments


@dataclass(frozen=True)
class Numbered:
    """Documents that are called by their numbers, with a text each or none."""

    texts: Sequence[str] = ()

    def name(self, row: int) -> str:
        return str(row + 1)

    def where(self, row: int, position: int, side: Side) -> str:
        return f"{side}:{row + 1}"

    def get_excerpt(self, row: int) -> TextExcerpt | None:
        return TextExcerpt(self.texts[row]) if self.texts else None


def documents(
    gold: Sequence[Any],
    scores: Sequence[Sequence[float]] | None,
    labels: Sequence[str] = ("a", "b", "c"),
    *,
    chosen: Sequence[Any] = (),
    texts: Sequence[str] = (),
) -> LabelledDocuments:
    """A table of documents.

    Args:
        gold: per document its label, a list of them, or a mapping of labels to 1, 0 and -1.
        scores: per document the score of each label; None where labels are named.
        labels: the labels, as many as scores of a document if there are any.
        chosen: the label that each document is given, or a list of them; None for none.
        texts: of the documents.
    """
    width = len(scores[0]) if scores else len(labels)
    labels = tuple(labels[:width])
    verdicts = np.zeros((len(gold), width), np.int8)
    for row, own in enumerate(gold):
        if isinstance(own, dict):
            verdicts[row] = [own.get(label, -1) for label in labels]
        else:
            verdicts[row] = [label in ([own] if isinstance(own, str) else own) for label in labels]
    given = [[] if own is None else [own] if isinstance(own, str) else own for own in chosen]
    return LabelledDocuments(
        documents=np.arange(len(gold)),
        labels=labels,
        gold=verdicts,
        scores=None if scores is None else np.array(scores, np.float64).reshape(len(gold), width),
        chosen=np.array([[label in own for label in labels] for own in given], np.bool_) if scores is None else None,
        provenance=Numbered(texts),
    )
