"""Tokenizers that need no model of their own: `icu:LOCALE`, `pythainlp:ENGINE` and `whitespace`.

The words of the Unicode rules with a dictionary for scripts without spaces are `icu`; the locale is the language of
the texts unless one is named. `pythainlp` takes the engines of PyThaiNLP's `word_tokenize`, `newmm` if none is named.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from threading import Lock
from typing import Any

from isogloss.exceptions import DataError, MissingExtraError
from isogloss.providers.spans import Span, trimmed
from isogloss.providers.specs import Settings, Spec

WORD = re.compile(r"\S+")
LAST_OF_BMP = "\uffff"


@dataclass(frozen=True)
class Tokenizer:
    """Tokens of one text at a time.

    Args:
        name: as the user wrote it.
        tokens: the tokens of a text.
    """

    name: str
    tokens: Callable[[str], Iterable[Span]]

    def annotate(self, texts: Sequence[str]) -> list[list[Span]]:
        """The tokens of each text."""
        return [list(self.tokens(text)) for text in texts]


def whitespace(spec: Spec, _settings: Settings) -> Tokenizer:
    """Whatever stands between whitespace is a token."""
    spec.only()
    return Tokenizer(spec.text, lambda text: (Span(*match.span()) for match in WORD.finditer(text)))


def icu(spec: Spec, settings: Settings) -> Tokenizer:
    """Words by ICU.

    Raises:
        MissingExtraError: PyICU is not installed.
    """
    spec.only()
    try:
        from icu import BreakIterator, Locale, UnicodeString  # noqa: PLC0415  an extra
    except ImportError as error:
        raise MissingExtraError("The tokenizer icu", "isogloss[icu]") from error
    words = BreakIterator.createWordInstance(Locale(spec.argument or settings.language))
    alone = Lock()  # it holds the text

    def tokens(text: str) -> Iterable[Span]:
        with alone:
            words.setText(UnicodeString(text))
            cuts = [0, *_code_points(text, list(words))]
        return (token for start, end in pairwise(cuts) for token in trimmed(text, start, end))

    return Tokenizer(spec.text, tokens)


def _code_points(text: str, offsets: Sequence[int]) -> list[int]:
    """Offsets in code points for offsets in UTF-16 code units."""
    if not text or max(text) <= LAST_OF_BMP:
        return list(offsets)
    place = {unit: at for at, unit in enumerate(accumulate((1 + (c > LAST_OF_BMP) for c in text), initial=0))}
    return [place[offset] for offset in offsets if offset in place]


def pythainlp(spec: Spec, _settings: Settings) -> Tokenizer:
    """Thai words by PyThaiNLP.

    Raises:
        MissingExtraError: PyThaiNLP is not installed, or not what the engine needs.
    """
    spec.only()
    try:
        from pythainlp.tokenize import word_tokenize  # noqa: PLC0415  an extra
    except ImportError as error:
        raise MissingExtraError("The tokenizer pythainlp", "isogloss[thai]") from error
    engine = spec.argument or "newmm"

    def tokens(text: str) -> Iterable[Span]:
        return located(text, word_tokenize(text, engine=engine, keep_whitespace=True), spec.text)

    return Tokenizer(spec.text, tokens)


def located(text: str, words: Iterable[Any], name: str) -> Iterable[Span]:
    """The places of words that a tokenizer gives as text, one behind the other.

    Args:
        text: what was cut.
        words: its words in their order; only whitespace may be missing between them.
        name: the tokenizer, for messages.

    Raises:
        DataError: a word is not there: the tokenizer changes the text.
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
        yield from trimmed(text, start, at)
