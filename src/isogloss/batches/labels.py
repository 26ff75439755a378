"""Documents with labels, and scores or named labels."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from isogloss.batches.origin import Notice, Origin
from isogloss.scores import Ints


@dataclass(frozen=True, eq=False)
class LabelledDocuments:
    """Whole documents with their labels, and what a system says of each label: scores, or labels that it names.

    Args:
        documents: (documents,) number of each document.
        labels: the labels that columns stand for, each once, in any order.
        gold: (documents, labels) 1 where a document has a label, 0 where it has not, -1 where nobody said.
        scores: (documents, labels) -inf where none was given, below all others; None where labels are named.
        chosen: (documents, labels) whether the prediction names the label; None where there are scores.
        origin: where the documents come from.
        notices: what was done about the input on the way here.
    """

    documents: Ints
    labels: tuple[str, ...]
    gold: NDArray[np.int8]
    scores: NDArray[np.float64] | None
    chosen: NDArray[np.bool_] | None
    origin: Origin
    notices: tuple[Notice, ...] = field(default=())

    def __post_init__(self) -> None:
        shape = (len(self.documents), len(self.labels))
        told = [array.shape for array in (self.scores, self.chosen) if array is not None]
        if self.gold.shape != shape or told != [shape]:
            raise ValueError(f"{shape[0]} documents have gold and scores, or named labels, for {shape[1]} labels each")
