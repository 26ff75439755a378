"""Split sentences and tokens by rules, without a model.

The module has factories of the kinds below.

`sentencex[:LANG]`, the default splitter, knows the abbreviations of many languages; LANG is the language of the texts
by default. A blank line ends a sentence there.

`terminators` knows no abbreviations. A sentence ends at a newline, and after a run of terminators with the closing
quotation marks and brackets that follow; after `.`, `!`, `?` and `…` only before whitespace or the end of the text. A
full stop after a single capital letter (`J. Smith`) does not end a sentence. `lines` splits at newlines only.

Tokenizers are `whitespace`, `icu[:LOCALE]` and `pythainlp[:ENGINE]`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.util import find_spec
from itertools import accumulate, chain, pairwise
from threading import Lock
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import DataError, UsageError, import_extra
from isogloss.providers.models import Span, trim_span
from isogloss.providers.specs import ProviderSettings, ProviderSpec
from isogloss.text.scripts import CodePoints, Ints, Positions, choose_position_type, look_up, to_code_points

# Terminators in texts that also use them inside a sentence: in numbers, abbreviations and addresses.
AMBIGUOUS = ".!?…"
# Those of other scripts, from Unicode's property Sentence_Terminal: Armenian, Arabic, Syriac, Indic, Burmese, Ethiopic,
# Khmer, Mongolian, further scripts of Asia, marks in pairs, and the wide forms of Chinese and Japanese.
CERTAIN = (
    "\u0589\u061d-\u061f\u06d4\u0700-\u0702\u07f9\u0964\u0965\u104b\u1362\u1367\u1368\u166e\u1735\u1736\u17d4\u17d5"
    "\u1803\u1809\u1944\u1945\u1aa8-\u1aab\u1b5a\u1b5b\u1b5e\u1b5f\u1c3b\u1c3c\u1c7e\u1c7f\u203c\u203d\u2047-\u2049"
    "\u2e2e\u3002\ua4ff\ua60e\ua60f\ua6f3\ua6f7\ua876\ua877\ua8ce\ua8cf\ua92f\ua9c8\ua9c9\uaa5d-\uaa5f\uaaf0\uaaf1"
    "\uabeb\ufe52\ufe56\ufe57\uff01\uff0e\uff1f\uff61"
)
CLOSING = "\"'”’»›」』）》〉】〕)]}"
NEWLINES = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
SENTENCE_END = re.compile(rf"(?P<terminators>[{re.escape(AMBIGUOUS)}{CERTAIN}]+)[{re.escape(CLOSING)}]*|[{NEWLINES}]+")
# sentencex 1.0.32 panics at such a space before an initial, so it gets a plain one, which has the same length.
WIDE_SPACES = re.compile("[\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
BLANK_LINE = "\n\n"
LANGUAGE_CODE = re.compile(r"[A-Za-z]{2,3}(?:[-_]\w+)*")
LAST_MARKED = 0x3001  # code point after the last wide space
WINDOW = 1 << 11  # code points to pass to sentencex at once
LONG_WINDOW = 1 << 13  # code points in which there is no end of a sentence
LONGEST_WINDOW = 1 << 18  # sentencex takes some 20 bytes for each code point
# On these, sentencex takes time by the square of a long text without such an end.
QUOTES = str.maketrans(
    dict.fromkeys("`'\u2018\u2019\u201c\u201d\u201e\u2039\u203a\xab\xbb\u300a\u300b\u300c\u300d\u300e\u300f", "|")
)
PIECES_AT_ONCE = 1 << 14  # pieces of texts that are trimmed together
SHORT_TEXT = 1 << 9  # code points of a text that is passed on together with others

EndFinder = Callable[[str], Iterable[int]]
CutText = Callable[[str], list[str]]


@dataclass(frozen=True)
class RuleSplitter:
    """A splitter that knows where sentences end.

    Args:
        name: its name as the user wrote it.
        find_ends: returns where the sentences of a text end, ascending; the end of the text may be missing.
        cut: returns the sentences of a short text without wide spaces, with the whitespace after each; what stands
            between two blank lines is cut as if it stood alone. None to find their ends.

    Attributes:
        sound: its spans need no checks.
    """

    name: str
    find_ends: EndFinder
    cut: CutText | None = None
    sound: ClassVar[bool] = True

    def annotate(self, texts: Sequence[str]) -> list[list[Span]]:
        """Return the sentences of each text; they cover all but whitespace."""
        start, end = self.locate_sentences(texts, to_code_points(" ".join([*texts, ""])))
        first = list(accumulate((len(text) + 1 for text in texts), initial=0))
        rows = np.searchsorted(first, start, side="right") - 1
        spans: list[list[Span]] = [[] for _ in texts]
        for row, begin, stop in zip(rows.tolist(), start.tolist(), end.tolist(), strict=True):
            spans[row].append(Span(begin - first[row], stop - first[row]))
        return spans

    def locate_sentences(self, texts: Sequence[str], codes: CodePoints) -> tuple[Positions, Positions]:
        """Return start and end of the sentences of joined texts.

        A space stands after each text. The result is (sentences,) each, ascending. Sentences cover all but whitespace.

        Args:
            texts: any texts.
            codes: (characters,) code points of the joined texts.
        """
        sizes = np.fromiter(map(len, texts), np.int64, len(texts))
        first = np.cumsum(sizes + 1) - sizes - 1  # (texts,) where each begins
        if self.cut is None:
            return _trim_spaces(*self._cut_alone(texts, first), codes)
        if look_up(_mark_wide_spaces(), codes).any():  # one look at all texts: most have none
            texts = list(map(_narrow_spaces, texts))
        start, end, is_cut = _cut_together(texts, sizes, first, codes, self.cut)
        if not is_cut.all():
            rows = np.flatnonzero(~is_cut)
            others = self._cut_alone([texts[row] for row in rows.tolist()], first[rows])
            start, end = np.append(start, others[0]), np.append(end, others[1])
            order = np.argsort(start, kind="stable")
            start, end = start[order], end[order]
        return _trim_spaces(start, end, codes)

    def _cut_alone(self, texts: Sequence[str], first: Ints) -> tuple[Positions, Positions]:
        """Return start and end of the pieces of texts: (pieces,) each.

        Args:
            texts: any texts.
            first: (texts,) where each begins in the joined texts, ascending.
        """
        edges: Positions = np.fromiter(
            (
                place + edge
                for text, place in zip(texts, first.tolist(), strict=True)
                for edge in chain((0,), self._find_piece_ends(text), (len(text),))
            ),
            choose_position_type(int(first[-1]) + len(texts[-1]) if texts else 0),
        )
        inside = ~np.isin(edges[1:], first)  # otherwise the next text begins there
        return (edges[:-1].copy(), edges[1:]) if inside.all() else (edges[:-1][inside], edges[1:][inside])

    def _find_piece_ends(self, text: str) -> Iterable[int]:
        pieces = _cut_whole(text, self.cut) if self.cut is not None and len(text) <= WINDOW else []
        return accumulate(map(len, pieces)) if pieces else self.find_ends(text)


def _cut_together(
    texts: Sequence[str], sizes: Ints, first: Ints, codes: CodePoints, cut: CutText
) -> tuple[Ints, Ints, NDArray[np.bool_]]:
    """Cut short texts, many at once with a blank line between two.

    Args:
        texts: any texts without wide spaces.
        sizes: (texts,) length of each.
        first: (texts,) place where each begins in the joined texts.
        codes: (characters,) code points of the joined texts.
        cut: see `RuleSplitter`.

    Returns:
        Start and end of each piece, (pieces,) each, and (texts,) whether each text is cut. A text is not cut if it is
        long, if it ends with a line break, or if something is lost.
    """
    is_cut = (sizes <= SHORT_TEXT) & (codes[first + sizes - 1] != ord("\n"))
    rows = np.flatnonzero(is_cut & (sizes > 0))  # (chosen,)
    chosen = texts if len(rows) == len(texts) else [texts[row] for row in rows.tolist()]
    last = np.cumsum(sizes[rows] + len(BLANK_LINE)) - len(BLANK_LINE)  # (chosen,) where each ends among the chosen
    begin = last - sizes[rows]
    blocks = np.flatnonzero(np.diff(last // (WINDOW - SHORT_TEXT), prepend=-1))  # (blocks,) first text of each
    edges = [*blocks.tolist(), len(rows)]
    pieces = [_cut_whole(BLANK_LINE.join(chosen[a:b]), cut) for a, b in pairwise(edges)]
    start, end = _measure_pieces(pieces, begin[blocks])
    of = np.repeat(np.arange(len(rows)), np.diff(np.searchsorted(start, begin), append=len(start)))  # (pieces,)
    inside = end <= last[of]  # and not the line break after the text
    whole = np.bincount(of[inside], (end - start)[inside], minlength=len(rows)) == sizes[rows]  # (chosen,)
    is_cut[rows] = whole
    kept = inside & whole[of]
    shift = (first[rows] - begin)[of[kept]]
    return start[kept] + shift, end[kept] + shift, is_cut


def _cut_whole(text: str, cut: CutText) -> list[str]:
    """Return the pieces of a text; none if something is lost."""
    pieces = cut(text)
    return pieces if sum(map(len, pieces)) == len(text) else []


def _measure_pieces(pieces: Sequence[Sequence[str]], begin: Ints) -> tuple[Ints, Ints]:
    """Return start and end of the pieces of blocks: (pieces,) each.

    Args:
        pieces: the pieces of each block.
        begin: (blocks,) where each begins.
    """
    number = np.fromiter(map(len, pieces), np.int64, len(pieces))  # (blocks,)
    sizes = np.fromiter(map(len, chain.from_iterable(pieces)), np.int64, int(number.sum()))  # (pieces,)
    end = np.cumsum(sizes)
    end += np.repeat(begin - np.append(0, end)[np.cumsum(number) - number], number)
    return end - sizes, end


def _trim_spaces(start: Positions, end: Positions, codes: CodePoints) -> tuple[Positions, Positions]:
    """Remove whitespace around pieces: (pieces,) -> (sentences,) each.

    Pieces of whitespace alone are removed.

    Args:
        start: (pieces,) first character; it is changed.
        end: (pieces,) character after the last; it is changed.
        codes: (characters,) code points.
    """
    for at in range(0, len(start), PIECES_AT_ONCE):  # a long text has millions of them
        _move_edges(start[at : at + PIECES_AT_ONCE], end[at : at + PIECES_AT_ONCE], codes)
    some = start < end
    return (start, end) if some.all() else (start[some], end[some])


def _move_edges(start: Positions, end: Positions, codes: CodePoints) -> None:
    """Move the edges of pieces over the whitespace inside; see `_trim_spaces`."""
    left = np.flatnonzero(start < end)
    while len(left := left[_are_spaces(codes[start[left]])]):
        start[left] += 1
        left = left[start[left] < end[left]]
    right = np.flatnonzero(start < end)
    while len(right := right[_are_spaces(codes[end[right] - 1])]):
        end[right] -= 1


def _are_spaces(codes: CodePoints) -> NDArray[np.bool_]:
    return look_up(_mark_spaces(), codes)


@cache
def _mark_spaces() -> NDArray[np.bool_]:
    """Return whether each code point up to `LAST_MARKED` is whitespace."""
    return np.array([chr(code).isspace() for code in range(LAST_MARKED + 1)], np.bool_)


def build_sentencex_splitter(spec: ProviderSpec, settings: ProviderSettings) -> RuleSplitter:
    """Build a splitter by the rules of a language.

    Args:
        spec: the parsed spec.
        settings: the settings of the run.

    Raises:
        MissingExtraError: if sentencex is not installed.
    """
    spec.check_options()
    if spec.argument and not LANGUAGE_CODE.fullmatch(spec.argument):
        raise UsageError(
            f"In {spec.text!r}: {spec.argument!r} is not the code of a language. Write sentencex:uk, or sentencex "
            "for the language of the texts"
        )
    segment = import_extra("sentencex", "The splitter sentencex", "sentences").segment
    language = (spec.argument or settings.base_language).lower()

    def find_ends(text: str) -> Iterator[int]:
        return _find_window_ends(cut, _narrow_spaces(text))

    cut = partial(segment, language)
    return RuleSplitter(spec.text, find_ends, cut)


def _narrow_spaces(text: str) -> str:
    """Replace each wide space by a plain one."""
    return text if text.isascii() else WIDE_SPACES.sub(" ", text)


@cache
def _mark_wide_spaces() -> NDArray[np.bool_]:
    """Return whether each code point up to `LAST_MARKED` is a wide space."""
    return np.array([WIDE_SPACES.match(chr(code)) is not None for code in range(LAST_MARKED + 1)], np.bool_)


def _find_window_ends(cut: CutText, text: str) -> Iterator[int]:
    """Yield the ends of sentences, splitting one text window after another.

    sentencex gets slower and slower on a long paragraph, and loses line breaks between paragraphs in texts of more than
    ten kilobytes; so each sentence is searched for. A window ends at a blank line if there is one. Otherwise its last
    quarter depends on what follows, so the next window begins with the first sentence that ends there. A window without
    an end is doubled; a long one keeps no quotation marks, in which an end would not count. The longest one is not
    doubled: the next window begins after a space in it, as if the sentence began there.
    """
    at, size = 0, WINDOW
    while at < len(text):
        stop = at + size
        blank = text.rfind(BLANK_LINE, at, stop) if stop < len(text) else -1
        window = text[at : blank + len(BLANK_LINE) if blank > at else stop]
        window = window.translate(QUOTES) if len(window) > LONG_WINDOW else window
        ends = list(_find_ends_in(window, cut(window)))
        if blank <= at and stop < len(text):
            ends = [end for end in ends if end <= size * 3 // 4]
        yield from (at + end for end in ends)
        if not ends and size >= LONGEST_WINDOW and stop < len(text):
            sure = at + size * 3 // 4
            at = text.rfind(" ", at, sure) + 1 or sure
            continue
        size = WINDOW if ends else 2 * size
        at += ends[-1] if ends else 0


def _find_ends_in(window: str, sentences: Iterable[str]) -> Iterator[int]:
    end = 0
    for sentence in sentences:
        end = window.find(sentence, end) + len(sentence)
        yield end


def build_terminator_splitter(spec: ProviderSpec, _settings: ProviderSettings) -> RuleSplitter:
    """Build a splitter after newlines and terminators."""
    spec.refuse_argument()
    spec.check_options()
    return RuleSplitter(spec.text, find_sentence_ends)


def build_line_splitter(spec: ProviderSpec, _settings: ProviderSettings) -> RuleSplitter:
    """Build a splitter after newlines only."""
    spec.refuse_argument()
    spec.check_options()
    return RuleSplitter(spec.text, _find_line_ends)


def choose_default_splitter() -> str:
    """Return the default splitter: `sentencex`, or `terminators` if sentencex is not installed."""
    return "sentencex" if find_spec("sentencex") else "terminators"


def find_sentence_ends(text: str) -> Iterator[int]:
    """Yield the ends of sentences by terminators alone, in linear time."""
    for match in SENTENCE_END.finditer(text):
        marks = match["terminators"]
        if marks is None or _is_sentence_end(text, match.start(), match.end(), marks):
            yield match.end()


def _is_sentence_end(text: str, start: int, end: int, marks: str) -> bool:
    if marks.strip(AMBIGUOUS):
        return True
    if end < len(text) and not text[end].isspace():
        return False
    return not (marks == "." and _is_initial(text, start))


def _is_initial(text: str, at: int) -> bool:
    """Return whether a single capital letter stands before a place.

    No letter or digit may stand before the capital.
    """
    return at > 0 and text[at - 1].isupper() and not (at > 1 and text[at - 2].isalnum())


def _find_line_ends(text: str) -> Iterator[int]:
    at = 0
    for line in text.splitlines(keepends=True):
        at += len(line)
        yield at


WORD = re.compile(r"\S+")
LAST_OF_BMP = "\uffff"


@dataclass(frozen=True)
class FunctionTokenizer:
    """A tokenizer of one text at a time.

    Args:
        name: its name as the user wrote it.
        find_tokens: returns the tokens of a text.
    """

    name: str
    find_tokens: Callable[[str], Iterable[Span]]

    def annotate(self, texts: Sequence[str]) -> list[list[Span]]:
        """Return the tokens of each text."""
        return [list(self.find_tokens(text)) for text in texts]


def build_whitespace_tokenizer(spec: ProviderSpec, _settings: ProviderSettings) -> FunctionTokenizer:
    """Build a tokenizer at whitespace."""
    spec.refuse_argument()
    spec.check_options()
    return FunctionTokenizer(spec.text, lambda text: (Span(*match.span()) for match in WORD.finditer(text)))


def build_icu_tokenizer(spec: ProviderSpec, settings: ProviderSettings) -> FunctionTokenizer:
    """Build a tokenizer into words by ICU.

    Args:
        spec: the parsed spec.
        settings: the settings of the run.

    Raises:
        MissingExtraError: if PyICU is not installed.
    """
    spec.check_options()
    library = import_extra("icu", "The tokenizer icu", "icu")
    locale = library.Locale(spec.argument or settings.language)
    if spec.argument and locale.getLanguage() not in {
        library.Locale(name).getLanguage() for name in _list_locales(library)
    }:
        raise UsageError(
            f"In {spec.text!r}: ICU does not know the locale {spec.argument!r}. Write a code such as icu:th, "
            "or icu alone for the language of the texts"
        )
    words = library.BreakIterator.createWordInstance(locale)
    alone = Lock()  # the iterator holds the text

    def find_tokens(text: str) -> Iterable[Span]:
        with alone:
            words.setText(library.UnicodeString(text))
            cuts = [0, *_to_code_points(text, list(words))]
        return (token for start, end in pairwise(cuts) for token in trim_span(text, start, end))

    return FunctionTokenizer(spec.text, find_tokens)


def _list_locales(library: Any) -> list[str]:
    return [str(name) for name in library.Locale.getAvailableLocales()]


def _to_code_points(text: str, offsets: Sequence[int]) -> list[int]:
    """Convert offsets in UTF-16 code units to code points."""
    if not text or max(text) <= LAST_OF_BMP:
        return list(offsets)
    place = {unit: at for at, unit in enumerate(accumulate((1 + (c > LAST_OF_BMP) for c in text), initial=0))}
    return [place[offset] for offset in offsets if offset in place]


def build_pythainlp_tokenizer(spec: ProviderSpec, _settings: ProviderSettings) -> FunctionTokenizer:
    """Build a tokenizer into Thai words by PyThaiNLP.

    Args:
        spec: the parsed spec.
        _settings: not used.

    Raises:
        MissingExtraError: if PyThaiNLP, or a library that its engine needs, is not installed.
    """
    spec.check_options()
    word_tokenize = import_extra("pythainlp.tokenize", "The tokenizer pythainlp", "thai").word_tokenize
    engine = spec.argument or "newmm"

    def find_tokens(text: str) -> Iterable[Span]:
        return locate_tokens(text, word_tokenize(text, engine=engine, keep_whitespace=True), spec.text)

    return FunctionTokenizer(spec.text, find_tokens)


def locate_tokens(text: str, words: Iterable[Any], name: str) -> Iterable[Span]:
    """Yield the spans of words that a tokenizer returns as text.

    Args:
        text: the text that was split.
        words: its words in order; only whitespace may be missing between them.
        name: the tokenizer, for messages.

    Raises:
        DataError: if a word is not found because the tokenizer changes the text.
    """
    at = 0
    for word in words:
        start = text.find(word, at)
        if start < 0 or text[at:start].strip():
            raise DataError(
                f"{name} changes the text: its token {word!r} does not stand at character {at}",
                remedy="Choose a tokenizer that leaves the text as it is.",
            )
        at = start + len(word)
        yield from trim_span(text, start, at)
