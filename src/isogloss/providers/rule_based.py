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
from itertools import accumulate, pairwise
from threading import Lock
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import DataError, UsageError, import_extra
from isogloss.providers.models import Span, trim_span
from isogloss.providers.specs import ProviderSettings, ProviderSpec
from isogloss.text.scripts import to_code_points

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

EndFinder = Callable[[str], Iterable[int]]


@dataclass(frozen=True)
class RuleSplitter:
    """A splitter that knows where sentences end.

    Args:
        name: its name as the user wrote it.
        find_ends: returns where the sentences of a text end, ascending; the end of the text may be missing.
        cut: returns the sentences of a short text without wide spaces, with the whitespace after each; None to find
            their ends.

    Attributes:
        sound: its spans need no checks.
    """

    name: str
    find_ends: EndFinder
    cut: Callable[[str], list[str]] | None = None
    sound: ClassVar[bool] = True

    def annotate(self, texts: Sequence[str]) -> list[list[Span]]:
        """Return the sentences of each text; they cover all but whitespace."""
        return [_locate_pieces(text, pieces) for text, pieces in zip(texts, self.cut_texts(texts), strict=True)]

    def cut_texts(self, texts: Sequence[str]) -> list[list[str]]:
        """Return the sentences of each text with the whitespace around them."""
        cut = self.cut
        if cut is None:
            return list(map(self._cut_at_ends, texts))
        narrow = _narrow_spaces(texts)
        pieces = [cut(text) if len(text) <= WINDOW else [] for text in narrow]
        for number, joined in enumerate(map("".join, pieces)):
            if len(joined) != len(texts[number]):  # something is lost
                pieces[number] = self._cut_at_ends(texts[number])
        return pieces

    def _cut_at_ends(self, text: str) -> list[str]:
        return [text[start:end] for start, end in pairwise((0, *self.find_ends(text), len(text)))]


def _locate_pieces(text: str, pieces: Iterable[str]) -> list[Span]:
    """Return the spans of a text's pieces without whitespace around them."""
    spans, start = [], 0
    for piece in pieces:
        size = len(piece.rstrip())
        if size:
            first = start + size - len(piece[:size].lstrip()) if text[start].isspace() else start
            spans.append(Span(first, start + size))
        start += len(piece)
    return spans


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
        return _find_window_ends(cut, *_narrow_spaces([text]))

    cut = partial(segment, language)
    return RuleSplitter(spec.text, find_ends, cut)


def _narrow_spaces(texts: Sequence[str]) -> Sequence[str]:
    """Return texts with a plain space in place of each wide one."""
    codes = to_code_points("".join(texts))
    if not _mark_wide_spaces()[np.minimum(codes, LAST_MARKED)].any():  # one look at all texts: most have none
        return texts
    return [text if text.isascii() else WIDE_SPACES.sub(" ", text) for text in texts]


@cache
def _mark_wide_spaces() -> NDArray[np.bool_]:
    """Return whether each code point up to `LAST_MARKED` is a wide space."""
    return np.array([WIDE_SPACES.match(chr(code)) is not None for code in range(LAST_MARKED + 1)], np.bool_)


def _find_window_ends(cut: Callable[[str], list[str]], text: str) -> Iterator[int]:
    """Yield the ends of sentences, splitting one text window after another.

    sentencex gets slower and slower on a long paragraph, and loses line breaks between paragraphs in texts of more than
    ten kilobytes; so each sentence is searched for. A window ends at a blank line if there is one. Otherwise its last
    quarter depends on what follows, so the next window begins with the first sentence that ends there.
    """
    at, size = 0, WINDOW
    while at < len(text):
        stop = at + size
        blank = text.rfind(BLANK_LINE, at, stop) if stop < len(text) else -1
        window = text[at : blank + len(BLANK_LINE) if blank > at else stop]
        ends = list(_find_ends_in(window, cut(window)))
        if blank <= at and stop < len(text):
            ends = [end for end in ends if end <= size * 3 // 4]
        yield from (at + end for end in ends)
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
