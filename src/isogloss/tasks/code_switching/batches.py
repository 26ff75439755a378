"""Texts cut into sentences and tokens, with the spans that excuse foreign letters."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.provenance import Provenance, RunWarning
from isogloss.kernel.scores import Ints


@dataclass(frozen=True, eq=False)
class CharSpans:
    """Half-open spans of code points of a batch, ascending.

    Args:
        start: (spans,) first code point.
        end: (spans,) code point after the last.
    """

    start: Ints
    end: Ints

    def __len__(self) -> int:
        return len(self.start)

    def take(self, at: Ints | NDArray[np.bool_]) -> CharSpans:
        """The spans at these positions, or of this mask."""
        return CharSpans(self.start[at], self.end[at])


@dataclass(frozen=True, eq=False)
class AnnotatedTexts:
    """Texts with their sentences and tokens.

    The texts stand one after the other, each with a space after it.

    Args:
        documents: (documents,) number of each text.
        offsets: (documents + 1,) code point at which each text starts; the last is the number of code points.
        text: (code points,) of all texts.
        sentences: do not overlap.
        tokens: do not overlap; each is in one sentence.
        excused: spans that excuse the foreign tokens they overlap.
        reasons: (excused spans,) position in `names`.
        names: the reasons; a token is counted under the first that covers it.
        origin: where the texts come from.
        lines_pass: (documents,) 1 where every line is in the language, 0 where one is not, -1 where nobody said.
        notices: what was done about the input on the way here.
    """

    documents: Ints
    offsets: Ints
    text: NDArray[np.uint32]
    sentences: CharSpans
    tokens: CharSpans
    excused: CharSpans
    reasons: Ints
    reason_names: tuple[str, ...]
    origin: Provenance
    lines_pass: Ints | None = None
    warnings: tuple[RunWarning, ...] = field(default=())

    def __post_init__(self) -> None:
        if len(self.offsets) != len(self.documents) + 1 or len(self.text) != self.offsets[-1]:
            raise ValueError(f"{len(self.documents)} texts have an offset before and after each, and all characters")
        if len(self.excused) != len(self.reasons):
            raise ValueError(f"{len(self.excused)} excused spans have {len(self.reasons)} reasons")
