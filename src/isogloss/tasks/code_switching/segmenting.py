"""What PNaCoS does to a text before it cuts it, with a way back to the text as it was.

Tags of HTML are deleted, so that their neighbours touch; then marks are taken off letters, but not off й, є, ю and ї.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.provenance import RunWarning, Side, TextExcerpt
from isogloss.kernel.scores import Ints
from isogloss.providers import Provider
from isogloss.tasks.code_switching.batches import CharSpans
from isogloss.tasks.code_switching.rows import Row
from isogloss.text.scripts import to_code_points
from isogloss.text.words import ClassArray, find_tokens

_MARKUP_TAG = re.compile(r"<[^<]+?>")
KEPT_LETTERS = frozenset("йєюїЙЄЮЇ")


@dataclass(frozen=True)
class CleanedText:
    """A changed text.

    Args:
        text: the text after the changes.
        places: code point of the original text that each character comes from.
    """

    text: str
    places: tuple[int, ...]


def clean_text(text: str) -> CleanedText:
    """The text without tags and without marks on letters."""
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
    """Texts, one after the other, with a space after each.

    Args:
        rows: the texts as they are cut, with what is given about them.
        text: of all rows.
        points: (characters,) its code points.
        offsets: (rows + 1,) first character of each row; the last is the number of characters.
        origin: the texts as the user gave them.
    """

    rows: Sequence[Row]
    text: str
    code_points: NDArray[np.uint32]
    offsets: Ints
    origin: TextProvenance

    @classmethod
    def from_rows(cls, rows: Sequence[Row], where: LocateText, *, clean: bool = False) -> JoinedTexts:
        """Rows joined.

        Args:
            rows: texts.
            where: place of a row, given what it keeps as its place, and the number of newlines before the spot.
            clean: whether tags and marks are taken out first, as PNaCoS does.
        """
        changed = [clean_text(row.text) for row in rows] if clean else None
        used = rows if changed is None else list(map(_move_row, rows, changed))
        text = "".join([part for row in used for part in (row.text, " ")])
        offsets = np.fromiter(accumulate((len(row.text) + 1 for row in used), initial=0), np.int64, len(used) + 1)
        return cls(used, text, to_code_points(text), offsets, TextProvenance(rows, where, changed))

    def get_strings(self, start: Ints, end: Ints) -> list[str]:
        """The texts of spans."""
        text = self.text
        return [text[a:b] for a, b in zip(start.tolist(), end.tolist(), strict=True)]


@dataclass(frozen=True, eq=False)
class TextProvenance:
    """Where texts come from.

    Args:
        rows: the texts as the user gave them.
        where: place of a row.
        changed: per row what was made of it, None where nothing was.
        passages: of changed rows, kept as many findings are in one row.
    """

    rows: Sequence[Row]
    locate: LocateText
    cleaned_texts: Sequence[CleanedText] | None = None
    passages: dict[int, TextExcerpt] = field(default_factory=dict, repr=False)

    def name(self, row: int) -> str:
        """Id of a text, or its number from 1."""
        return self.rows[row].name

    def where(self, row: int, position: int, side: Side) -> str:  # noqa: ARG002 - as `Origin` asks
        """Place of a character of a text as the user gave it."""
        given = self.rows[row]
        return self.locate(given.place, given.text.count("\n", 0, position))

    def value(self, row: int, column: str) -> str | None:
        """What a column of the row has, as far as columns were asked for."""
        columns = self.rows[row].columns
        return None if columns is None else columns.get(column)

    def passage(self, row: int) -> TextExcerpt:
        """The text as the user gave it, and where the characters that were looked at stand in it."""
        text = self.rows[row].text
        if self.cleaned_texts is None:
            return TextExcerpt(text)
        if row not in self.passages:
            places = self.cleaned_texts[row].places
            self.passages[row] = TextExcerpt(text, places, tuple(_skip_marks(text, place) for place in places))
        return self.passages[row]


def _skip_marks(text: str, place: int) -> int:
    """The place after a character and the marks on it."""
    end = place + 1
    while end < len(text) and unicodedata.category(text[end]) == "Mn":
        end += 1
    return end


def _move_row(row: Row, changed: CleanedText) -> Row:
    """A row with its text changed, and the spans that are given with it moved along; what is left empty is left out."""
    sentences, tokens = (_map_spans(spans, changed) for spans in (row.sentences, row.tokens))
    entities = row.entities
    if entities is not None:
        places = _map_spans([(start, end) for start, end, _ in entities], changed)
        labels = (label for _, _, label in entities)
        entities = tuple((*span, label) for span, label in zip(places or (), labels, strict=True) if span[0] < span[1])
    return row._replace(
        text=changed.text,
        sentences=None if sentences is None else tuple(span for span in sentences if span[0] < span[1]),
        tokens=None if tokens is None else tuple(span for span in tokens if span[0] < span[1]),
        entities=entities,
    )


def _map_spans(spans: Sequence[tuple[int, int]] | None, changed: CleanedText) -> list[tuple[int, int]] | None:
    """Where spans of the original begin and end in the changed text."""
    if spans is None:
        return None
    return [(bisect_left(changed.places, start), bisect_left(changed.places, end)) for start, end in spans]


@dataclass(frozen=True)
class TextSegmenter:
    """Cuts texts.

    Args:
        splitter: finds sentences.
        tokenizer: finds the tokens of a sentence; None for those that the classes of characters tell.
    """

    splitter: Provider
    tokenizer: Provider | None = None

    def split_sentences(self, joined: JoinedTexts) -> CharSpans:
        """The sentences of all texts, ascending."""
        asked = [number for number, row in enumerate(joined.rows) if row.sentences is None]
        found: list[Sequence[Sequence[int | str | None]]] = [row.sentences or () for row in joined.rows]
        answers = self.splitter.annotate([joined.rows[number].text for number in asked]) if asked else []
        for number, spans in zip(asked, answers, strict=True):
            found[number] = spans
        return _offset_spans(found, joined.offsets)

    def tokenize(
        self, joined: JoinedTexts, sentences: CharSpans, classes: ClassArray
    ) -> tuple[CharSpans, list[RunWarning]]:
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
            parts.append(_offset_spans([row.tokens or () for row in joined.rows], joined.offsets))
        if not (given.all() and len(given)):
            in_text = np.searchsorted(joined.offsets, sentences.start, side="right") - 1
            own = sentences if not given.any() else sentences.take(~given[in_text])
            parts.append(self._find_tokens(joined, own, classes))
        found = _sort_spans(parts)
        at = np.searchsorted(sentences.start, found.start, side="right") - 1
        inside = (at >= 0) & (found.end <= np.append(sentences.end, 0)[at])
        if inside.all():
            return found, []
        return found.take(inside), [_make_outside_warning(joined, found, np.flatnonzero(~inside))]

    def _find_tokens(self, joined: JoinedTexts, sentences: CharSpans, classes: ClassArray) -> CharSpans:
        """The tokens of these sentences; by default also what stands between them."""
        if self.tokenizer is None:
            edges = np.concatenate([sentences.start, sentences.end])
            return self._select_in_rows(joined, sentences, CharSpans(*find_tokens(classes, edges)))
        answers = self.tokenizer.annotate(joined.get_strings(sentences.start, sentences.end))
        return _offset_spans(answers, sentences.start)

    def _select_in_rows(self, joined: JoinedTexts, sentences: CharSpans, found: CharSpans) -> CharSpans:
        """Those in the texts that the sentences are of."""
        rows = np.unique(np.searchsorted(joined.offsets, sentences.start, side="right") - 1)
        if len(rows) == len(joined.rows):
            return found
        asked = np.zeros(len(joined.rows) + 1, np.bool_)
        asked[rows] = True
        return found.take(asked[np.searchsorted(joined.offsets, found.start, side="right") - 1])


def _offset_spans(spans: Sequence[Sequence[Sequence[int | str | None]]], offsets: Ints) -> CharSpans:
    """Spans within texts as spans of the joined text."""
    number = sum(map(len, spans))
    sizes = np.fromiter(map(len, spans), np.int64, len(spans))
    shift = np.repeat(offsets[: len(spans)], sizes)
    return CharSpans(_read_column(spans, 0, number) + shift, _read_column(spans, 1, number) + shift)


def _read_column(spans: Iterable[Sequence[Sequence[int | str | None]]], at: int, number: int) -> Ints:
    return np.fromiter(_iterate_values(spans, at), np.int64, number)


def _iterate_values(spans: Iterable[Sequence[Sequence[int | str | None]]], at: int) -> Iterator[int | str | None]:
    return (span[at] for each in spans for span in each)


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
        "tokens stand in no sentence and are not counted; the splitter leaves them out",
        len(at),
        joined.origin.where(row, place, "predicted"),
    )
