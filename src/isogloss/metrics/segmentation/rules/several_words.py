"""Words aligned around tokens of several words, as the CoNLL 2018 shared task does it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Token:
    """A token.

    Args:
        start: first character.
        end: character after the last.
        words: what it is made of, in lower case.
        several: whether it is written as a token of several words.
    """

    start: int
    end: int
    words: tuple[str, ...]
    several: bool

    def beyond(self, end: int) -> bool:
        """Whether it is not inside a stretch that ends there."""
        return self.start >= end if self.several else self.end > end


def aligned(reference: Sequence[Token], predicted: Sequence[Token]) -> int:
    """How many words of two lists of tokens are aligned."""
    result = g = s = 0
    while g < len(reference) and s < len(predicted):
        mine, theirs = reference[g], predicted[s]
        if mine.several or theirs.several:
            if mine.several:
                s += not theirs.several and theirs.start < mine.start
            else:
                g += mine.start < theirs.start
            end = (mine if mine.several else theirs).end
            after = _after_stretch(reference, predicted, (g, s), end)
            result += common(_words(reference[g : after[0]]), _words(predicted[s : after[1]]))
            g, s = after
        elif (mine.start, mine.end) == (theirs.start, theirs.end):
            result, g, s = result + 1, g + 1, s + 1
        elif mine.start <= theirs.start:
            g += 1
        else:
            s += 1
    return result


def _after_stretch(
    reference: Sequence[Token], predicted: Sequence[Token], first: tuple[int, int], end: int
) -> tuple[int, int]:
    """The first tokens that are past a stretch, which grows with each token of several words that sticks out of it."""
    g, s = first
    while True:
        mine = reference[g] if g < len(reference) else None
        theirs = predicted[s] if s < len(predicted) else None
        if (mine is None or mine.beyond(end)) and (theirs is None or theirs.beyond(end)):
            return g, s
        if mine is not None and (theirs is None or mine.start <= theirs.start):
            token, g = mine, g + 1
        elif theirs is not None:
            token, s = theirs, s + 1
        if token.several:
            end = max(end, token.end)


def _words(tokens: Sequence[Token]) -> list[str]:
    return [word for token in tokens for word in token.words]


def common(first: Sequence[str], second: Sequence[str]) -> int:
    """Length of the longest common subsequence."""
    row = [0] * (len(second) + 1)
    for item in first:
        diagonal = 0
        for k, other in enumerate(second, 1):
            diagonal, row[k] = row[k], diagonal + 1 if item == other else max(row[k], row[k - 1])
    return row[-1]
