"""Rows of texts as batches that can be counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.annotate.cutting import Cutter
from isogloss.annotate.joined import Joined, Where
from isogloss.annotate.lines import Identifier
from isogloss.annotate.names import Names
from isogloss.batches import AnnotatedTexts, Stretches
from isogloss.formats.code_switching import Row
from isogloss.rules.alphabets import CLASS, FOREIGN, NATIVE, Alphabet
from isogloss.rules.excuses import REASONS, Excuses, Finder
from isogloss.rules.excuses.found import Found
from isogloss.rules.flags import any_of, flags_of
from isogloss.rules.words import Classes

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Annotator:
    """Cuts texts and looks for what excuses their foreign tokens.

    Args:
        alphabet: the letters of the language.
        cutter: finds sentences and tokens.
        finder: finds what rules excuse.
        names: finds names.
        identifier: tells the language of lines, if anybody does.
        clean: whether tags and marks are taken out of the texts first, and entities that are given are all there are.
        needs_names: whether excuses can change the verdict on a sentence or token, beside foreign tokens: names are
            asked for in such sentences, too, and rules look at such tokens.
    """

    alphabet: Alphabet
    cutter: Cutter
    finder: Finder
    names: Names
    identifier: Identifier | None = None
    clean: bool = False
    needs_names: Callable[[str], bool] | None = None

    def batch(self, rows: Sequence[Row], first: int, where: Where) -> AnnotatedTexts:
        """Texts with their sentences and tokens.

        Args:
            rows: the texts, at least one unless `first` is 0.
            first: number of the first.
            where: place of a row.
        """
        joined = Joined.of(rows, where, clean=self.clean)
        flags = flags_of(self.alphabet, joined.points)
        sentences = self.cutter.sentences(joined)
        tokens, notices = self.cutter.tokens(joined, sentences, flags & np.uint8(CLASS))
        held = any_of(flags, tokens.start, tokens.end)  # (tokens,)
        foreign = (held & FOREIGN) > 0  # (tokens,)
        ruled = foreign | self._wanting(joined, tokens)
        excused = self._excused(joined, flags, sentences, tokens.take(foreign), tokens.take(ruled))
        lines = None
        if self.identifier is not None:
            words = tokens.start[(held & (NATIVE | FOREIGN)) > 0]
            lines = self.identifier.pass_(joined, words, self.alphabet.language)
        return AnnotatedTexts(
            documents=np.arange(first, first + len(rows)),
            offsets=joined.offsets,
            text=joined.points,
            sentences=sentences,
            tokens=tokens,
            excused=Stretches(excused.start, excused.end),
            reasons=excused.reason,
            names=REASONS,
            origin=joined.origin,
            lines_pass=lines,
            notices=tuple(notices),
        )

    def _excused(
        self, joined: Joined, flags: Classes, sentences: Stretches, foreign: Stretches, ruled: Stretches
    ) -> Excuses:
        if self.clean:
            foreign, ruled = (tokens.take(~self._settled(joined, tokens)) for tokens in (foreign, ruled))
        found = [
            *self.finder.find(joined.text, flags, joined.offsets, (ruled.start, ruled.end)),
            *self.names.given(joined),
            *self.names.of_prompts(joined, foreign),
        ]
        if self.names.recognisers and len(sentences):
            found += self.names.recognised(joined, sentences, self._asked(joined, sentences, foreign, found))
        return Excuses.of(found)

    def _asked(self, joined: Joined, sentences: Stretches, foreign: Stretches, found: Iterable[Found]) -> Mask:
        """(sentences,) whether names can change the verdict on each."""
        covered = np.zeros(len(joined.points), np.uint8)
        for start, end, _ in found:
            covered[start:end] = 1
        free = foreign.take(any_of(covered, foreign.start, foreign.end) == 0)
        asked = np.zeros(len(sentences), np.bool_)
        asked[np.searchsorted(sentences.start, free.start, side="right") - 1] = True
        return (asked | self._wanting(joined, sentences)) & ~self._settled(joined, sentences)

    def _wanting(self, joined: Joined, spans: Stretches) -> Mask:
        """(spans,) whether excuses can change the verdict on each, as `needs_names` says."""
        if self.needs_names is None:
            return np.zeros(len(spans), np.bool_)
        return np.array(list(map(self.needs_names, joined.strings(spans.start, spans.end))), np.bool_)

    def _settled(self, joined: Joined, spans: Stretches) -> Mask:
        """(spans,) whether the entities of the text that each is in are given."""
        given = np.array([row.entities is not None for row in joined.rows], np.bool_)
        if not given.any():
            return np.zeros(len(spans), np.bool_)
        settled: Mask = given[np.searchsorted(joined.offsets, spans.start, side="right") - 1]
        return settled
