"""The verdict on every token: the language's own, neutral, foreign or excused."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from isogloss.batches import AnnotatedTexts
from isogloss.rules.alphabets import FOREIGN, NATIVE, Alphabet
from isogloss.rules.characters import characters
from isogloss.rules.flags import any_of, flags_of
from isogloss.rules.mixed import MIXTURES, mixture
from isogloss.rules.words import Classes
from isogloss.scores import Ints

Mask = NDArray[np.bool_]
NONE = 255  # no reason
OWN = 0  # the script of a token in the language's scripts
KINDS = ("excused", "third_script", "foreign", *MIXTURES)
EXPECTED = frozenset({"Latn"})  # beside the language's own; all others are third scripts


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Verdicts on the tokens of a batch, and what they are derived from.

    Args:
        batch: the texts.
        alphabet: the letters that are the language's own.
        flags: (characters,) what each character is.
    """

    batch: AnnotatedTexts
    alphabet: Alphabet
    flags: Classes

    @classmethod
    def of(cls, batch: AnnotatedTexts, alphabet: Alphabet) -> Verdicts:
        """Look at the characters of a batch."""
        return cls(batch, alphabet, flags_of(alphabet, batch.text))

    @cached_property
    def _held(self) -> Classes:
        """(tokens,) the flags that occur in each."""
        return any_of(self.flags, self.batch.tokens.start, self.batch.tokens.end)

    @cached_property
    def lettered(self) -> Mask:
        """(tokens,) whether each has a letter; others are neutral."""
        return (self._held & (NATIVE | FOREIGN)) > 0

    @cached_property
    def foreign(self) -> Mask:
        """(tokens,) whether each has a foreign letter."""
        return (self._held & FOREIGN) > 0

    @cached_property
    def mixed(self) -> Mask:
        """(tokens,) whether each has letters of both sides."""
        return self.foreign & ((self._held & NATIVE) > 0)

    @cached_property
    def text(self) -> Ints:
        """(tokens,) position of the text that each is in."""
        return np.searchsorted(self.batch.offsets, self.batch.tokens.start, side="right") - 1

    @cached_property
    def sentence(self) -> Ints:
        """(tokens,) position of the sentence that each is in."""
        return np.searchsorted(self.batch.sentences.start, self.batch.tokens.start, side="right") - 1

    @cached_property
    def reason(self) -> NDArray[np.uint8]:
        """(tokens,) the first reason that covers a part of each foreign token, `NONE` for no reason."""
        reasons = np.full(len(self.batch.tokens), NONE, np.uint8)
        at = np.flatnonzero(self.foreign)
        if len(self.batch.excused) and len(at):
            tokens = self.batch.tokens.take(at)
            edges = np.stack([tokens.start, tokens.end], axis=1).ravel()
            reasons[at] = np.minimum.reduceat(self._painted(), edges)[::2]
        return reasons

    @cached_property
    def broken(self) -> Mask:
        """(tokens,) whether each is foreign and nothing excuses it."""
        free: Mask = self.reason == NONE
        return self.foreign & free

    @cached_property
    def script(self) -> Ints:
        """(tokens,) `OWN` for the language's scripts, else position in `characters().scripts`; -1 without letters."""
        script = np.where(self.lettered, OWN, -1)
        at = np.flatnonzero(self.foreign)
        letters = np.flatnonzero(self.flags & FOREIGN)
        first = letters[np.searchsorted(letters, self.batch.tokens.start[at])]
        used = characters().used[self.batch.text[first]].astype(np.int64)
        own = np.array([not self.alphabet.scripts.isdisjoint(scripts) for scripts in characters().scripts])
        script[at] = np.where(own[used], OWN, used)
        return script

    @cached_property
    def kind(self) -> Ints:
        """(tokens,) position in `KINDS` of each foreign token, -1 for others. A mixture comes first."""
        kind = np.full(len(self.foreign), -1)
        kind[self.foreign] = KINDS.index("foreign")
        third = np.array([bool(own) and EXPECTED.isdisjoint(own) for own in characters().scripts])
        kind[(self.script > OWN) & third[self.script]] = KINDS.index("third_script")
        kind[self.foreign & (self.reason != NONE)] = KINDS.index("excused")
        for at in np.flatnonzero(self.mixed).tolist():
            found = mixture(self.spelt(at), self.alphabet)
            if found is not None:
                kind[at] = KINDS.index(found)
        return kind

    def spelt(self, token: int) -> str:
        """A token as it stands in the text."""
        return self._whole[self.batch.tokens.start[token] : self.batch.tokens.end[token]]

    @cached_property
    def _whole(self) -> str:
        return self.batch.text.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")

    def _painted(self) -> NDArray[np.uint8]:
        """(characters,) the first reason that covers each."""
        painted = np.full(len(self.batch.text), NONE, np.uint8)
        last_first = np.argsort(-self.batch.reasons, kind="stable")  # so that the first reason is written last
        spans, reasons = self.batch.excused.take(last_first), self.batch.reasons[last_first]
        length = spans.end - spans.start
        before = np.cumsum(length) - length
        at = np.arange(length.sum()) + np.repeat(spans.start - before, length)
        painted[at] = np.repeat(reasons, length)
        return painted
