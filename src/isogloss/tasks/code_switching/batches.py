"""Hold texts with their sentences and tokens, and the spans that excuse foreign letters."""

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
        """Select spans by position or by mask.

        Args:
            at: positions, or (spans,) whether to select each.
        """
        return CharSpans(self.start[at], self.end[at])


@dataclass(frozen=True, eq=False)
class AnnotatedTexts:
    """Texts with their sentences and tokens.

    The texts are concatenated, with a space after each.

    Args:
        documents: (documents,) number of each text.
        offsets: (documents + 1,) first code point of each text; the last is the number of code points.
        text: (code points,) code points of all texts.
        sentences: sentences, which do not overlap.
        tokens: tokens, which do not overlap and are each in one sentence.
        excused: spans that excuse the foreign tokens they overlap.
        reasons: (excused spans,) position of the reason in `reason_names`.
        reason_names: the reasons; a token counts for the first that covers it.
        origin: where the texts come from.
        lines_pass: (documents,) 1 if every line is in the language, 0 if one is not, -1 if unknown.
        warnings: what was done about the input.
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
            raise ValueError(
                f"offsets must have {len(self.documents) + 1} entries, and the last must be {len(self.text)}"
            )
        if len(self.excused) != len(self.reasons):
            raise ValueError(f"{len(self.excused)} excused spans must have as many reasons, got {len(self.reasons)}")
