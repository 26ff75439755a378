"""What PNaCoS does to a text before it cuts it, with a way back to the text as it was.

Tags of HTML are deleted, so that their neighbours touch; then marks are taken off letters, but not off й, є, ю and ї.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_TAG = re.compile(r"<[^<]+?>")
KEPT = frozenset("йєюїЙЄЮЇ")


@dataclass(frozen=True)
class Cleaned:
    """A changed text.

    Args:
        text: the text after the changes.
        places: code point of the original text that each character comes from.
    """

    text: str
    places: tuple[int, ...]


def cleaned(text: str) -> Cleaned:
    """The text without tags and without marks on letters."""
    letters: list[str] = []
    places: list[int] = []
    at = 0
    for tag in [*_TAG.finditer(text), None]:
        end = len(text) if tag is None else tag.start()
        for place in range(at, end):
            bare = _bare(text[place])
            letters.extend(bare)
            places.extend([place] * len(bare))
        at = len(text) if tag is None else tag.end()
    return Cleaned("".join(letters), tuple(places))


def _bare(character: str) -> str:
    if character in KEPT or character.isascii():
        return character
    apart = unicodedata.normalize("NFD", character)
    kept = "".join(letter for letter in apart if unicodedata.category(letter) != "Mn")
    return unicodedata.normalize("NFC", kept)
