"""Clean and concatenate texts, and split them into sentences and tokens, keeping the way back to the original.

Cleaning does what PNaCoS does: it deletes HTML tags, then removes marks from letters other than й, є, ю and ї.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.provenance import RunWarning, Side, TextExcerpt
from isogloss.kernel.scores import Ints
from isogloss.providers import Provider
from isogloss.tasks.code_switching.batches import CharSpans
from isogloss.tasks.code_switching.rows import TextRow
from isogloss.text.scripts import to_code_points
from isogloss.text.words import ClassArray, find_tokens

_MARKUP_TAG = re.compile(r"<[^<]+?>")
KEPT_LETTERS = frozenset("йєюїЙЄЮЇ")


@dataclass(frozen=True)
class CleanedText:
    """A text without tags and marks.

    Args:
        text: the cleaned text.
        places: code point of the original text from which each character comes.
    """

    text: str
    places: tuple[int, ...]


def clean_text(text: str) -> CleanedText:
    """Remove tags, and marks on letters."""
    letters: list[str] = []
    places: list[int] = []
    at = 0
    for tag in [*_MARKUP_TAG.finditer(text), None]:
        end = len(text) if tag is None else tag.start()
        for place in range(at, end):
            bare = _strip_marks(text[place])
            letters.extend(bare)
            places.extend([place] * len(bare))
        at = len(text) if tag is None else tag.end()
    return CleanedText("".join(letters), tuple(places))


def _strip_marks(character: str) -> str:
    if character in KEPT_LETTERS or character.isascii():
        return character
    apart = unicodedata.normalize("NFD", character)
    kept = "".join(letter for letter in apart if unicodedata.category(letter) != "Mn")
    return unicodedata.normalize("NFC", kept)


LocateText = Callable[[int, int], str]


@dataclass(frozen=True, eq=False)
class JoinedTexts:
    """Concatenated texts, with a space after each.

    Args:
        rows: the texts, cleaned if requested, with given sentences, tokens and entities.
        text: the concatenated texts.
        code_points: (characters,) code points of `text`.
        offsets: (rows + 1,) first character of each row; the last is the number of characters.
        origin: the original texts.
    """

    rows: Sequence[TextRow]
    text: str
    code_points: NDArray[np.uint32]
    offsets: Ints
    origin: TextProvenance

    @classmethod
    def from_rows(cls, rows: Sequence[TextRow], where: LocateText, *, clean: bool = False) -> JoinedTexts:
        """Concatenate rows.

        Args:
            rows: texts.
            where: returns the place of a row, from its `place` and the number of newlines before the position.
            clean: whether to remove tags and marks first, as PNaCoS does.
        """
        cleaned = [clean_text(row.text) for row in rows] if clean else None
        used = rows if cleaned is None else list(map(_move_row, rows, cleaned))
        text = "".join([part for row in used for part in (row.text, " ")])
        offsets = np.fromiter(accumulate((len(row.text) + 1 for row in used), initial=0), np.int64, len(used) + 1)
        return cls(used, text, to_code_points(text), offsets, TextProvenance(rows, where, cleaned))

    def get_strings(self, start: Ints, end: Ints) -> list[str]:
        """Return the text of each span."""
        text = self.text
        return [text[a:b] for a, b in zip(start.tolist(), end.tolist(), strict=True)]

    def find_rows(self, start: Ints) -> Ints:
        """Return the position of the row in which each character is."""
        return np.searchsorted(self.offsets, start, side="right") - 1


@dataclass(frozen=True, eq=False)
class TextProvenance:
    """Where texts come from.

    Args:
        rows: the original texts.
        locate: returns the place of a row, from its `place` and the number of newlines before the position.
        cleaned_texts: the cleaned text of each row, None if texts are not cleaned.
        passages: excerpts of cleaned rows by number, kept because a row may have many findings.
    """

    rows: Sequence[TextRow]
    locate: LocateText
    cleaned_texts: Sequence[CleanedText] | None = None
    passages: dict[int, TextExcerpt] = field(default_factory=dict, repr=False)

    def name(self, row: int) -> str:
        """Return the id of a text, or its number from 1."""
        return self.rows[row].name

    def where(self, row: int, position: int, side: Side) -> str:  # noqa: ARG002  as `Provenance` requires
        """Return the place of a character of the original text."""
        given = self.rows[row]
        return self.locate(given.place, given.text.count("\n", 0, position))

    def value(self, row: int, column: str) -> str | None:
        """Return the value of a column in a row, None if the column was not read."""
        columns = self.rows[row].columns
        return None if columns is None else columns.get(column)

    def passage(self, row: int) -> TextExcerpt:
        """Return the original text, and the places of the cleaned characters in it."""
        text = self.rows[row].text
        if self.cleaned_texts is None:
            return TextExcerpt(text)
        if row not in self.passages:
            places = self.cleaned_texts[row].places
            self.passages[row] = TextExcerpt(text, places, tuple(_skip_marks(text, place) for place in places))
        return self.passages[row]


def _skip_marks(text: str, place: int) -> int:
    """Return the place after a character and its marks."""
    end = place + 1
    while end < len(text) and unicodedata.category(text[end]) == "Mn":
        end += 1
    return end


def _move_row(row: TextRow, cleaned: CleanedText) -> TextRow:
    """Return a row with its cleaned text, and the spans given with it moved along; empty spans are dropped."""
    return row._replace(
        text=cleaned.text,
        sentences=None if row.sentences is None else tuple(_move_spans(row.sentences, cleaned)),
        tokens=None if row.tokens is None else tuple(_move_spans(row.tokens, cleaned)),
        entities=None if row.entities is None else tuple(_move_spans(row.entities, cleaned)),
    )


def _move_spans(spans: Iterable[Any], cleaned: CleanedText) -> Iterator[Any]:
    """Yield spans of the original as spans of the cleaned text, with whatever follows start and end."""
    for start, end, *label in spans:
        moved = bisect_left(cleaned.places, start), bisect_left(cleaned.places, end)
        if moved[0] < moved[1]:
            yield (*moved, *label)


@dataclass(frozen=True)
class TextSegmenter:
    """The providers that split texts.

    Args:
        splitter: finds sentences.
        tokenizer: finds the tokens of a sentence; None to split by classes of characters.
    """

    splitter: Provider
    tokenizer: Provider | None = None

    def split_sentences(self, joined: JoinedTexts) -> CharSpans:
        """Return the sentences of all texts, ascending."""
        unsplit = [number for number, row in enumerate(joined.rows) if row.sentences is None]
        found: list[Sequence[Sequence[int | str | None]]] = [row.sentences or () for row in joined.rows]
        answers = self.splitter.annotate([joined.rows[number].text for number in unsplit]) if unsplit else []
        for number, spans in zip(unsplit, answers, strict=True):
            found[number] = spans
        return _offset_spans(found, joined.offsets)

    def tokenize(
        self, joined: JoinedTexts, sentences: CharSpans, classes: ClassArray
    ) -> tuple[CharSpans, list[RunWarning]]:
        """Split sentences into tokens.

        Args:
            joined: texts.
            sentences: sentences of the texts.
            classes: (characters,) class of each character.

        Returns:
            The tokens, ascending, and a warning if some are outside all sentences.
        """
        given = np.array([row.tokens is not None for row in joined.rows], np.bool_)  # (rows,)
        parts = []
        if given.any():
            parts.append(_offset_spans([row.tokens or () for row in joined.rows], joined.offsets))
        if not (given.all() and len(given)):
            in_text = joined.find_rows(sentences.start)
            own = sentences if not given.any() else sentences.take(~given[in_text])
            parts.append(self._find_tokens(joined, own, classes))
        found = _sort_spans(parts)
        at = np.searchsorted(sentences.start, found.start, side="right") - 1
        inside = (at >= 0) & (found.end <= np.append(sentences.end, 0)[at])
        if inside.all():
            return found, []
        return found.take(inside), [_make_outside_warning(joined, found, np.flatnonzero(~inside))]

    def _find_tokens(self, joined: JoinedTexts, sentences: CharSpans, classes: ClassArray) -> CharSpans:
        """Return the tokens of these sentences; without a tokenizer also those between the sentences."""
        if self.tokenizer is None:
            edges = np.concatenate([sentences.start, sentences.end])
            return self._select_in_rows(joined, sentences, CharSpans(*find_tokens(classes, edges)))
        answers = self.tokenizer.annotate(joined.get_strings(sentences.start, sentences.end))
        return _offset_spans(answers, sentences.start)

    def _select_in_rows(self, joined: JoinedTexts, sentences: CharSpans, found: CharSpans) -> CharSpans:
        """Return the spans in the texts that have one of the sentences."""
        rows = np.unique(joined.find_rows(sentences.start))
        if len(rows) == len(joined.rows):
            return found
        selected = np.zeros(len(joined.rows) + 1, np.bool_)
        selected[rows] = True
        return found.take(selected[joined.find_rows(found.start)])


def _offset_spans(spans: Sequence[Sequence[Sequence[int | str | None]]], offsets: Ints) -> CharSpans:
    """Return spans within texts as spans of the concatenated text."""
    number = sum(map(len, spans))
    sizes = np.fromiter(map(len, spans), np.int64, len(spans))
    shift = np.repeat(offsets[: len(spans)], sizes)
    start, end = (np.fromiter((span[k] for each in spans for span in each), np.int64, number) for k in (0, 1))
    return CharSpans(start + shift, end + shift)


def _sort_spans(parts: Sequence[CharSpans]) -> CharSpans:
    if len(parts) == 1:
        return parts[0]
    start, end = (np.concatenate([getattr(part, name) for part in parts]) for name in ("start", "end"))
    order = np.argsort(start, kind="stable")
    return CharSpans(start[order], end[order])


def _make_outside_warning(joined: JoinedTexts, found: CharSpans, at: Ints) -> RunWarning:
    first = int(found.start[at[0]])
    row = int(np.searchsorted(joined.offsets, first, side="right")) - 1
    within = first - int(joined.offsets[row])
    place, _ = joined.origin.passage(row).locate_span(within, within + 1)
    return RunWarning(
        "outside-sentences",
        "tokens are outside all sentences, so they are not counted",
        len(at),
        joined.origin.where(row, place, "predicted"),
    )
