"""Names that excuse foreign tokens: given with a text, taken from its prompt, or found by recognisers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.annotate.joined import Joined
from isogloss.batches import Stretches
from isogloss.providers import Provider
from isogloss.rules.alphabets import CLASS, FOREIGN, Alphabet
from isogloss.rules.characters import code_points
from isogloss.rules.excuses.found import Found
from isogloss.rules.flags import any_of, flags_of
from isogloss.rules.words import tokens


@dataclass(frozen=True)
class Names:
    """Finds names.

    Args:
        alphabet: the letters of the language.
        recognisers: find names in sentences.
    """

    alphabet: Alphabet
    recognisers: Sequence[Provider] = ()

    def given(self, joined: Joined) -> Iterator[Found]:
        """The entities that are given with the texts."""
        for row, offset in zip(joined.rows, joined.offsets.tolist(), strict=False):
            for start, end, _ in row.entities or ():
                yield offset + start, offset + end, "name"

    def of_prompts(self, joined: Joined, foreign: Stretches) -> Iterator[Found]:
        """Foreign tokens that also stand, with a capital, in the prompt of their text."""
        if all(row.prompt is None for row in joined.rows):
            return
        texts = np.searchsorted(joined.offsets, foreign.start, side="right") - 1
        known: dict[int, frozenset[str]] = {}
        spelt = joined.strings(foreign.start, foreign.end)
        for text, start, end, token in zip(
            texts.tolist(), foreign.start.tolist(), foreign.end.tolist(), spelt, strict=True
        ):
            if text not in known:
                known[text] = self._capitalised(joined.rows[text].prompt or "")
            if token in known[text]:
                yield start, end, "prompt"

    def recognised(self, joined: Joined, sentences: Stretches, asked: NDArray[np.bool_]) -> Iterator[Found]:
        """The names that recognisers find.

        Args:
            joined: texts.
            sentences: theirs.
            asked: (sentences,) in which to look.
        """
        where = sentences.take(asked)
        texts = joined.strings(where.start, where.end)
        for recogniser in self.recognisers if texts else ():
            for offset, spans in zip(where.start.tolist(), recogniser.annotate(texts), strict=True):
                for start, end, _ in spans:
                    yield offset + start, offset + end, "name"

    def _capitalised(self, prompt: str) -> frozenset[str]:
        text = prompt + " "
        flags = flags_of(self.alphabet, code_points(text))
        start, end = tokens(flags & np.uint8(CLASS))
        foreign = (any_of(flags, start, end) & FOREIGN) > 0
        spans = zip(start[foreign].tolist(), end[foreign].tolist(), strict=True)
        return frozenset(text[a:b] for a, b in spans if text[a].isupper() or text[a].istitle())
