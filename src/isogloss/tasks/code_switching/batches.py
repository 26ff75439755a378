"""Texts in batches: cleaned, concatenated and annotated.

A batch has the sentences and tokens of its texts, and the spans that excuse foreign letters. Cleaning does what PNaCoS
does: it deletes HTML tags, then removes marks from letters other than й, є, ю and ї. Marks without a combining class,
such as the vowel signs of Hindi and Thai, stay. Each character keeps its place in the original text.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain
from operator import attrgetter, itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.provenance import Provenance, RunWarning, Side, TextExcerpt
from isogloss.kernel.scores import Ints
from isogloss.tasks.code_switching.given_segments import SEGMENT_KEYS
from isogloss.tasks.code_switching.rows import TextRow
from isogloss.text.alphabets import Alphabet
from isogloss.text.scripts import CodePoints, LongText, Positions, choose_position_type, to_code_points


@dataclass(frozen=True, eq=False)
class CharSpans:
    """Half-open spans of code points of a batch, ascending.

    All spans of a batch, and the offsets of its texts, have one type of numbers: searches among others copy them.

    Args:
        start: (spans,) first code point.
        end: (spans,) code point after the last.
    """

    start: Positions
    end: Positions

    def __len__(self) -> int:
        return len(self.start)

    def take(self, at: Ints | NDArray[np.bool_] | slice) -> CharSpans:
        """Select spans by position or by mask.

        Args:
            at: positions, or (spans,) whether to select each.
        """
        return CharSpans(self.start[at], self.end[at])


def find_last_starts(starts: Positions, places: Positions) -> Ints:
    """Return the last start at or before each place.

    The result is (places,) positions in `starts`, -1 before the first. It is quicker than a search for each place.

    Args:
        starts: (starts,) ascending.
        places: (places,) ascending.
    """
    before = np.searchsorted(places, starts)  # (starts,) places before each
    return np.repeat(np.arange(-1, len(starts)), np.diff(before, prepend=0, append=len(places)))


ReasonCodes = NDArray[np.uint8]  # positions of reasons, or `NO_REASON`
TOKENS_AT_ONCE, SENTENCES_AT_ONCE = 1 << 16, 1 << 14  # the latter become Python numbers
Summands = NDArray[np.integer] | NDArray[np.bool_]


def iterate_marked(mask: NDArray[np.bool_], size: int | None = None) -> Iterator[Ints]:
    """Yield the positions of what is marked, some at once.

    Each takes eight bytes, many more than its mark.

    Args:
        mask: (places,) whether each is marked.
        size: how many places are looked at together; None for `TOKENS_AT_ONCE`.
    """
    size = size or TOKENS_AT_ONCE
    for at in range(0, len(mask), size):
        marked = np.flatnonzero(mask[at : at + size])
        if len(marked):
            yield marked + at


def sum_between(values: Summands, edges: Positions, flag: int | None = None) -> Ints:
    """Sum the values between each two edges: (edges - 1,).

    Args:
        values: (values,) integers, or booleans to count.
        edges: positions of values, ascending; the last may be the number of values.
        flag: count the values that have this flag instead.
    """
    sums = np.zeros(len(edges) - 1, np.int64)
    before = np.zeros(min(len(values), TOKENS_AT_ONCE) + 1, np.int64)
    for at in range(0, len(values), TOKENS_AT_ONCE):  # a sum takes eight bytes, and some of them stay in the cache
        piece = values[at : at + TOKENS_AT_ONCE]
        piece = piece if flag is None else (piece & flag) > 0
        np.cumsum(piece, out=before[1 : len(piece) + 1])
        low, high = max(int(np.searchsorted(edges, at, "right")) - 1, 0), int(np.searchsorted(edges, at + len(piece)))
        sums[low:high] += np.diff(before[np.clip(edges[low : high + 1] - at, 0, len(piece))])
    return sums


@dataclass(frozen=True, eq=False)
class ExcusedCharacters:
    """The characters of excuses, by the sentences in which these begin.

    The sentence of a character or excuse is the last that begins at or before it; some have none.

    Args:
        starts: (sentences,) first character of each.
        covered: (characters,) 1 for each character of an excuse that begins in the same sentence.
        reach: (sentences,) where the last excuse that begins in each ends; 0 without excuses.
    """

    starts: Positions
    covered: NDArray[np.uint8]
    reach: Positions

    @classmethod
    def begin(cls, sentences: CharSpans, size: int) -> ExcusedCharacters:
        """Return a text of so many characters without excuses."""
        return cls(sentences.start, np.zeros(size, np.uint8), np.zeros_like(sentences.start))

    def add(self, excuses: CharSpans) -> None:
        """Add excuses, in any order."""
        of = np.searchsorted(self.starts, excuses.start, side="right") - 1  # (excuses,)
        excuses, of = excuses.take(of >= 0), of[of >= 0]
        np.maximum.at(self.reach, of, excuses.end)
        ends = np.minimum(excuses.end, self._find_ends(of))
        for start, end in zip(excuses.start.tolist(), ends.tolist(), strict=True):
            self.covered[start:end] = 1

    def mark_from(self, chosen: NDArray[np.bool_]) -> NDArray[np.uint8]:
        """Mark the characters of excuses that begin in chosen sentences: (characters,).

        Args:
            chosen: (sentences,) whether to mark those of each.
        """
        marked, reached = self.covered.copy(), 0  # where the excuses of the chosen sentences so far end
        marked[: self.starts[0] if len(self.starts) else None] = 0
        for first in range(0, len(chosen), SENTENCES_AT_ONCE):
            at = np.arange(first, min(first + SENTENCES_AT_ONCE, len(chosen)))
            columns = self.starts[at], self._find_ends(at), chosen[at], self.reach[at]
            for start, end, is_chosen, reach in zip(*map(np.ndarray.tolist, columns), strict=True):
                if not is_chosen:
                    marked[start:end] = 0
                if reached > start:
                    marked[start : min(reached, end)] = 1
                if is_chosen:
                    reached = max(reached, reach)
        return marked

    def _find_ends(self, sentences: Ints) -> Positions:
        """Return where the sentence after each of these begins: (these sentences,).

        For the last sentence it is the end of the text.
        """
        following = np.minimum(sentences + 1, len(self.starts) - 1)
        is_last = sentences + 1 == len(self.starts)
        return np.where(is_last, self.starts.dtype.type(len(self.covered)), self.starts[following])


@dataclass(frozen=True, eq=False)
class IdentifiedSpans:
    """Lines, or stretches of words, with the language of each.

    Args:
        spans: the spans, ascending.
        languages: (spans,) what the identifier answered, None if it does not know.
        wrong: (spans,) whether each is in another language than its text should be in.
    """

    spans: CharSpans
    languages: tuple[str | None, ...]
    wrong: NDArray[np.bool_]


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
        reasons: (tokens,) position in `reason_names` of the first reason that excuses each foreign token, `NO_REASON`
            for all others.
        reason_names: the reasons.
        provenance: where the texts come from.
        alphabet: the letters of the language of all texts; None for that of the metric.
        excused: the characters of all excuses; None if they are not kept.
        lines: the lines of enough words; None without identifier.
        stretches: stretches of words in another language; None if windows were not identified.
        identified_words: (tokens,) 1 for words in the language, 2 for words of stretches, 0 for all others; None if
            windows were not identified.
        flags: (code points,) their flags by the alphabet, if they are kept.
        token_flags: (tokens,) flags of all code points of each token, if they are kept.
        warnings: what was done about the input.
    """

    documents: Ints
    offsets: Positions
    text: CodePoints
    sentences: CharSpans
    tokens: CharSpans
    reasons: ReasonCodes
    reason_names: tuple[str, ...]
    provenance: Provenance
    alphabet: Alphabet | None = None
    excused: ExcusedCharacters | None = None
    lines: IdentifiedSpans | None = None
    stretches: IdentifiedSpans | None = None
    identified_words: NDArray[np.uint8] | None = None
    flags: NDArray[np.uint8] | None = None
    token_flags: NDArray[np.uint8] | None = None
    warnings: tuple[RunWarning, ...] = field(default=())

    def __post_init__(self) -> None:
        if len(self.offsets) != len(self.documents) + 1 or len(self.text) != self.offsets[-1]:
            raise ValueError(
                f"offsets must have {len(self.documents) + 1} entries, and the last must be {len(self.text)}"
            )
        if len(self.tokens) != len(self.reasons):
            raise ValueError(f"{len(self.tokens)} tokens must have as many reasons, got {len(self.reasons)}")

    @cached_property
    def token_edges(self) -> Ints:
        """(documents + 1,) first token of each text, and number of tokens."""
        return np.searchsorted(self.tokens.start, self.offsets)

    @cached_property
    def sentence_edges(self) -> Positions:
        """(sentences + 1,) first token of each sentence, and number of tokens."""
        starts, edges = (
            self.sentences.start,
            np.full(len(self.sentences) + 1, len(self.tokens), self.tokens.start.dtype),
        )
        for at in range(0, len(starts), TOKENS_AT_ONCE):  # a search gives eight bytes for each
            piece = starts[at : at + TOKENS_AT_ONCE]
            edges[at : at + len(piece)] = np.searchsorted(self.tokens.start, piece)
        return edges

    def find_texts(self, tokens: Ints) -> Ints:
        """Return the position of the text of each token.

        Args:
            tokens: positions of tokens, ascending.
        """
        return find_last_starts(self.token_edges[:-1], tokens)

    def sum_by_text(self, values: Summands) -> Ints:
        """Return the sum of values of the tokens of each text: (documents,).

        Args:
            values: (tokens,) counts, or whether each token counts.
        """
        return sum_between(values, self.token_edges)

    def has_marked(self, tokens: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return whether each sentence has a token that is marked: (sentences,).

        Args:
            tokens: (tokens,) whether each is marked.
        """
        found = np.zeros(len(self.sentences), np.bool_)
        if tokens.any():
            for at in range(0, len(found), TOKENS_AT_ONCE):
                edges = self.sentence_edges[at : at + TOKENS_AT_ONCE + 1]
                found[at : at + TOKENS_AT_ONCE] = sum_between(tokens[edges[0] : edges[-1]], edges - edges[0]) > 0
        return found

    def spread(self, sentences: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return for each token what its sentence has: (tokens,).

        Args:
            sentences: (sentences,) whether each is marked.
        """
        marked = np.zeros(len(self.tokens), np.bool_)
        for at in range(0, len(sentences), TOKENS_AT_ONCE):
            edges = self.sentence_edges[at : at + TOKENS_AT_ONCE + 1]
            marked[edges[0] : edges[-1]] = np.repeat(sentences[at : at + TOKENS_AT_ONCE], np.diff(edges))
        return marked

    def find_text(self, place: int) -> int:
        """Return the position of the text with a code point."""
        return int(np.searchsorted(self.offsets, self.offsets.dtype.type(place), side="right")) - 1

    def get_text(self, span: slice) -> str:
        """Return a part of the texts."""
        return self.text[span].astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


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
    places: Sequence[int]


def clean_text(text: str) -> CleanedText:
    """Remove tags, and marks on letters."""
    cleaned = "".join("".join(letters) for _, letters in _iterate_cleaned(text))
    if cleaned == text:
        return CleanedText(text, range(len(text)))
    places = array(choose_position_type(len(text))().dtype.char)
    for begin, letters in _iterate_cleaned(text):
        places.extend(place for place, bare in enumerate(letters, begin) for _ in bare)
    return CleanedText(cleaned, places)


def _iterate_cleaned(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the place of some characters, and these without marks."""
    at = 0
    for tag in chain(_MARKUP_TAG.finditer(text), [None]):
        end = len(text) if tag is None else tag.start()
        for begin in range(at, end, TOKENS_AT_ONCE):
            yield begin, list(map(_strip_marks, text[begin : min(begin + TOKENS_AT_ONCE, end)]))
        at = len(text) if tag is None else tag.end()


@lru_cache(2**12)
def _strip_marks(character: str) -> str:
    if character in KEPT_LETTERS or character.isascii():
        return character
    apart = unicodedata.normalize("NFD", character)
    kept = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return unicodedata.normalize("NFC", kept)


LocateText = Callable[[int, int], str]
GET_TEXT = itemgetter(0)  # faster than the attribute
LONG_TEXT = 1 << 20  # characters of a text whose code points are not kept


@dataclass(frozen=True, eq=False)
class JoinedTexts:
    """Concatenated texts, with a space after each.

    Args:
        rows: the texts, cleaned if requested, with given sentences, tokens and entities.
        code_points: (characters,) code points of the concatenated texts.
        offsets: (rows + 1,) first character of each row; the last is the number of characters.
        provenance: the original texts.
    """

    rows: Sequence[TextRow]
    code_points: CodePoints
    offsets: Positions
    provenance: TextProvenance

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
        texts = list(map(GET_TEXT, used))
        is_long = len(texts) == 1 and len(texts[0]) >= LONG_TEXT
        codes = LongText(texts[0]) if is_long else to_code_points(" ".join([*texts, ""]))
        offsets = np.zeros(len(texts) + 1, choose_position_type(len(codes)))
        np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)) + 1, out=offsets[1:])
        return cls(used, codes, offsets, TextProvenance(rows, where, cleaned))

    def mark_given(self, field: str) -> NDArray[np.bool_]:
        """Return whether each row has a value in an optional field: (rows,)."""
        values = list(map(attrgetter(field), self.rows))
        if values.count(None) == len(values):  # the usual case, without a loop
            return np.zeros(len(values), np.bool_)
        return np.array([value is not None for value in values], np.bool_)

    def get_strings(self, start: Positions, end: Positions) -> list[str]:
        """Return the text of each span, which is in one row."""
        rows = self.find_rows(start)
        shift = self.offsets[rows]
        spans = zip(rows.tolist(), (start - shift).tolist(), (end - shift).tolist(), strict=True)
        return [self.rows[row].text[begin:stop] for row, begin, stop in spans]

    def find_rows(self, start: Positions) -> Ints:
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
        newlines: places of the newlines of rows by number, kept for the same reason.
    """

    rows: Sequence[TextRow]
    locate: LocateText
    cleaned_texts: Sequence[CleanedText] | None = None
    passages: dict[int, TextExcerpt] = field(default_factory=dict, repr=False)
    newlines: dict[int, list[int]] = field(default_factory=dict, repr=False)

    def name(self, row: int) -> str:
        """Return the id of a text, or its number from 1."""
        return self.rows[row].name

    def where(self, row: int, position: int, side: Side) -> str:  # noqa: ARG002  as `Provenance` requires
        """Return the place of a character of the original text."""
        given = self.rows[row]
        if row not in self.newlines:
            self.newlines[row] = [match.start() for match in re.finditer("\n", given.text)]
        return self.locate(given.place, bisect_left(self.newlines[row], position))

    def value(self, row: int, column: str) -> str | None:
        """Return the value of a column in a row.

        The value is None if the column was not read.
        """
        columns = self.rows[row].columns
        return None if columns is None else columns.get(column)

    def get_excerpt(self, row: int) -> TextExcerpt:
        """Return the original text, and the places of cleaned characters in it."""
        text = self.rows[row].text
        if self.cleaned_texts is None or self.cleaned_texts[row].text == text:
            return TextExcerpt(text)
        if row not in self.passages:
            places = self.cleaned_texts[row].places
            kind = choose_position_type(len(text))().dtype.char
            ends = array(kind, (_skip_marks(text, place) for place in places))
            self.passages[row] = TextExcerpt(text, places, ends)
        return self.passages[row]


def _skip_marks(text: str, place: int) -> int:
    """Return the place after a character and its marks."""
    end = place + 1
    while end < len(text) and unicodedata.combining(text[end]):
        end += 1
    return end


def _move_row(row: TextRow, cleaned: CleanedText) -> TextRow:
    """Return a row with its text cleaned and its spans moved.

    The spans given with the text are moved along with it; empty spans are dropped.
    """
    if cleaned.text == row.text:
        return row
    given = ((key, getattr(row, key)) for key in SEGMENT_KEYS)
    moved: dict[str, Any] = {key: tuple(_move_spans(spans, cleaned)) for key, spans in given if spans is not None}
    return row._replace(text=cleaned.text, **moved)


def _move_spans(spans: Iterable[Any], cleaned: CleanedText) -> Iterator[Any]:
    """Yield spans of the original as spans of the cleaned text.

    Each span keeps whatever follows its start and end.
    """
    for start, end, *label in spans:
        moved = bisect_left(cleaned.places, start), bisect_left(cleaned.places, end)
        if moved[0] < moved[1]:
            yield (*moved, *label)
