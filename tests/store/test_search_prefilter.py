"""The quick check of a chunk never hides a finding that the search has."""

from __future__ import annotations

import sys
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from isogloss.store.findings import FOLDED_TO_ASCII, PLAIN_PART, build_prefilter

ALPHABET = (
    "aAkKsSfFiItTlLnN 0z\u00df\u017f\u212a\u0130\ufb01\ufb06\u1e9a\u0301\u00e9"
    '\u0631\u0622\u0627\u0653\u0e01\u0e33\u0e4d\u0e32"'
)


def fold(text: str) -> str:
    return unicodedata.normalize("NFC", text.casefold())


def test_only_the_named_characters_fold_to_plain_letters() -> None:
    """All of Unicode: a character whose folded form has a plain letter is that letter, its capital, or named."""
    plain = {chr(code) for code in range(0x1000) if PLAIN_PART.fullmatch(chr(code))}
    for code in range(sys.maxunicode + 1):
        if 0xD800 <= code < 0xE000:
            continue
        for letter in plain.intersection(fold(chr(code))):
            assert chr(code) == letter or chr(code).lower() == letter or chr(code) in FOLDED_TO_ASCII[letter], hex(code)


@given(st.text(ALPHABET, max_size=12), st.text(ALPHABET, max_size=12), st.text(ALPHABET, min_size=1, max_size=4))
def test_chunk_with_the_text_is_never_passed_over(before: str, after: str, words: str) -> None:
    text = before + words + after
    wanted = fold(words)
    if wanted in fold(text):
        assert build_prefilter(wanted)(text.encode())
