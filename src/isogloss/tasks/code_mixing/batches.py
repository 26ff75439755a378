"""Texts whose tokens have languages, in batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from isogloss.kernel.provenance import RunWarning, Side, TextExcerpt
from isogloss.kernel.scores import Ints
from isogloss.records.attributes import Values

NO_LANGUAGE = -1


class TaggedRow(NamedTuple):
    """An utterance.

    Args:
        languages: the language of each token, None for a token that belongs to no language.
        tokens: the tokens; None if only their languages are known.
        text: the text with the tokens, if there is one.
        starts: first code point of each token in the text; None without a text.
        ends: code point after each token in the text; None without a text.
        place: line or position of the utterance.
        lines: line of each token, if each has one.
        name: id of the utterance, or its number from 1.
        columns: values to slice and cluster by.
    """

    languages: Sequence[str | None]
    tokens: Sequence[str] | None
    text: str | None
    starts: Sequence[int] | None
    ends: Sequence[int] | None
    place: int | str
    lines: Sequence[int] | None
    name: str
    columns: Values


@dataclass(frozen=True, eq=False)
class TaggedTexts:
    """Utterances with the languages of their tokens.

    Args:
        documents: (documents,) number of each utterance.
        offsets: (documents + 1,) first token of each utterance; the last is the number of tokens.
        language: (tokens,) position in `languages`, -1 for a token that belongs to no language.
        languages: names of the languages.
        before: the matrix language before the first utterance; None if there is none yet.
        rows: the utterances.
        locate: returns the place of a line or position.
        warnings: what was done about the input.
    """

    documents: Ints
    offsets: Ints
    language: Ints
    languages: tuple[str, ...]
    before: str | None
    rows: Sequence[TaggedRow]
    locate: Callable[[int | str], str]
    warnings: tuple[RunWarning, ...] = ()

    @classmethod
    def from_rows(
        cls, rows: Sequence[TaggedRow], first: int, before: str | None, locate: Callable[[int | str], str]
    ) -> TaggedTexts:
        """Build a batch.

        Args:
            rows: the utterances.
            first: number of the first one.
            before: the matrix language before it.
            locate: returns the place of a line or position.
        """
        languages = tuple(dict.fromkeys(name for row in rows for name in row.languages if name is not None))
        code: dict[str | None, int] = {name: at for at, name in enumerate(languages)} | {None: NO_LANGUAGE}
        sizes = np.fromiter((len(row.languages) for row in rows), np.int64, len(rows))
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        found = np.fromiter((code[name] for row in rows for name in row.languages), np.int64, int(offsets[-1]))
        return cls(np.arange(first, first + len(rows)), offsets, found, languages, before, rows, locate)

    @property
    def provenance(self) -> TaggedTexts:
        """The batch itself, which knows places and texts."""
        return self

    @cached_property
    def tagged_positions(self) -> Ints:
        """(tagged,) positions of the tokens with a language."""
        return np.flatnonzero(self.language >= 0)

    @cached_property
    def tagged_text(self) -> Ints:
        """(tagged,) position of the utterance of each token with a language."""
        return np.searchsorted(self.offsets, self.tagged_positions, side="right") - 1

    @cached_property
    def words(self) -> tuple[Ints, Ints, Ints]:
        """Utterance, language and number of tokens of each pair: (pairs,) each."""
        width = max(1, len(self.languages))
        pair, times = np.unique(self.tagged_text * width + self.language[self.tagged_positions], return_counts=True)
        return pair // width, pair % width, times.astype(np.int64)

    @cached_property
    def most(self) -> Ints:
        """(documents,) tokens of the most frequent language of each utterance."""
        text, _, times = self.words
        found = np.zeros(len(self.documents), np.int64)
        np.maximum.at(found, text, times)
        return found

    @cached_property
    def matrix(self) -> Ints:
        """(documents,) the most frequent language of each utterance.

        It is -1 for a tie, or if no token has a language.
        """
        text, language, times = self.words
        is_most = times == self.most[text]
        alone = is_most & (np.bincount(text[is_most], minlength=len(self.documents))[text] == 1)
        found = np.full(len(self.documents), NO_LANGUAGE, np.int64)
        found[text[alone]] = language[alone]
        return found

    @property
    def last_matrix(self) -> str | None:
        """The matrix language of the last utterance that has one."""
        known = np.flatnonzero(self.matrix >= 0)
        return self.languages[int(self.matrix[known[-1]])] if len(known) else self.before

    def mark_changes(self) -> Ints:
        """Return 1 where the matrix language differs from that before: (documents,).

        An utterance without matrix language keeps that of the utterance before it.
        """
        unknown = len(self.languages)  # a language that this batch does not have
        names = {name: at for at, name in enumerate(self.languages)}
        before = NO_LANGUAGE if self.before is None else names.get(self.before, unknown)
        known = np.concatenate([[before], self.matrix])  # (documents + 1,)
        last = np.maximum.accumulate(np.where(known != NO_LANGUAGE, np.arange(len(known)), 0))
        previous = known[last[:-1]]  # (documents,)
        changed = (self.matrix != NO_LANGUAGE) & (previous != NO_LANGUAGE) & (self.matrix != previous)
        result: Ints = changed.astype(np.int64)
        return result

    def name(self, row: int) -> str:
        """Return the id of an utterance, or its number from 1."""
        return self.rows[row].name

    def where(self, row: int, position: int, side: Side) -> str:  # noqa: ARG002  as `Provenance` requires
        """Return the place of a token."""
        given = self.rows[row]
        return self.locate(given.place if given.lines is None else given.lines[position])

    def value(self, row: int, column: str) -> str | None:
        """Return the value of a column."""
        return self.rows[row].columns.get(column)

    def get_excerpt(self, row: int) -> TextExcerpt | None:
        """Return the text, or the tokens with spaces between them.

        The result is None if neither is known.
        """
        given = self.rows[row]
        if given.text is not None:
            return TextExcerpt(given.text)
        return None if given.tokens is None else TextExcerpt.from_words(given.tokens)
