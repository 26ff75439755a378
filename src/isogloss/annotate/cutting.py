"""Where sentences and tokens begin and end: as given with a text, else as a splitter and a tokenizer say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.annotate.joined import Joined
from isogloss.batches import Notice, Stretches
from isogloss.providers import Provider
from isogloss.rules.words import Classes, tokens
from isogloss.scores import Ints


@dataclass(frozen=True)
class Cutter:
    """Cuts texts.

    Args:
        splitter: finds sentences.
        tokenizer: finds the tokens of a sentence; None for those that the classes of characters tell.
    """

    splitter: Provider
    tokenizer: Provider | None = None

    def sentences(self, joined: Joined) -> Stretches:
        """The sentences of all texts, ascending."""
        asked = [number for number, row in enumerate(joined.rows) if row.sentences is None]
        found: list[Sequence[Sequence[int | str | None]]] = [row.sentences or () for row in joined.rows]
        answers = self.splitter.annotate([joined.rows[number].text for number in asked]) if asked else []
        for number, spans in zip(asked, answers, strict=True):
            found[number] = spans
        return _placed(found, joined.offsets)

    def tokens(self, joined: Joined, sentences: Stretches, classes: Classes) -> tuple[Stretches, list[Notice]]:
        """The tokens of all sentences, ascending.

        Args:
            joined: texts.
            sentences: theirs.
            classes: (characters,) of the texts.

        Returns:
            The tokens, and how much text is in no sentence.
        """
        given = np.array([row.tokens is not None for row in joined.rows], np.bool_)  # (rows,)
        parts = []
        if given.any():
            parts.append(_placed([row.tokens or () for row in joined.rows], joined.offsets))
        if not (given.all() and len(given)):
            in_text = np.searchsorted(joined.offsets, sentences.start, side="right") - 1
            own = sentences if not given.any() else sentences.take(~given[in_text])
            parts.append(self._found(joined, own, classes))
        found = _sorted(parts)
        at = np.searchsorted(sentences.start, found.start, side="right") - 1
        inside = (at >= 0) & (found.end <= np.append(sentences.end, 0)[at])
        if inside.all():
            return found, []
        return found.take(inside), [_outside(joined, found, np.flatnonzero(~inside))]

    def _found(self, joined: Joined, sentences: Stretches, classes: Classes) -> Stretches:
        """The tokens of these sentences; by default also what stands between them."""
        if self.tokenizer is None:
            edges = np.concatenate([sentences.start, sentences.end])
            return self._in_rows(joined, sentences, Stretches(*tokens(classes, edges)))
        answers = self.tokenizer.annotate(joined.strings(sentences.start, sentences.end))
        return _placed(answers, sentences.start)

    def _in_rows(self, joined: Joined, sentences: Stretches, found: Stretches) -> Stretches:
        """Those in the texts that the sentences are of."""
        rows = np.unique(np.searchsorted(joined.offsets, sentences.start, side="right") - 1)
        if len(rows) == len(joined.rows):
            return found
        asked = np.zeros(len(joined.rows) + 1, np.bool_)
        asked[rows] = True
        return found.take(asked[np.searchsorted(joined.offsets, found.start, side="right") - 1])


def _placed(spans: Sequence[Sequence[Sequence[int | str | None]]], offsets: Ints) -> Stretches:
    """Spans within texts as spans of the joined text."""
    number = sum(map(len, spans))
    sizes = np.fromiter(map(len, spans), np.int64, len(spans))
    shift = np.repeat(offsets[: len(spans)], sizes)
    return Stretches(_column(spans, 0, number) + shift, _column(spans, 1, number) + shift)


def _column(spans: Iterable[Sequence[Sequence[int | str | None]]], at: int, number: int) -> Ints:
    return np.fromiter(_values(spans, at), np.int64, number)


def _values(spans: Iterable[Sequence[Sequence[int | str | None]]], at: int) -> Iterator[int | str | None]:
    return (span[at] for each in spans for span in each)


def _sorted(parts: Sequence[Stretches]) -> Stretches:
    if len(parts) == 1:
        return parts[0]
    start, end = (np.concatenate([getattr(part, name) for part in parts]) for name in ("start", "end"))
    order = np.argsort(start, kind="stable")
    return Stretches(start[order], end[order])


def _outside(joined: Joined, found: Stretches, at: Ints) -> Notice:
    first = int(found.start[at[0]])
    row = int(np.searchsorted(joined.offsets, first, side="right")) - 1
    within = first - int(joined.offsets[row])
    place, _ = joined.origin.passage(row).span(within, within + 1)
    return Notice(
        "outside-sentences",
        "tokens stand in no sentence and are not counted; the splitter leaves them out",
        len(at),
        joined.origin.where(row, place, "predicted"),
    )
