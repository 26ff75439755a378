"""Direction of a text by language or first strong character."""

from __future__ import annotations

from typing import Literal
from unicodedata import bidirectional

Direction = Literal["ltr", "rtl", "auto"]
RIGHT_TO_LEFT = frozenset(
    ("ar", "arc", "ckb", "dv", "fa", "he", "iw", "khw", "ks", "mzd", "nqo", "pnb", "ps", "sd", "syr", "ug", "ur", "yi")
)
LATIN = "latn"
STRONG = {"L": "ltr", "R": "rtl", "AL": "rtl"}


def detect_direction(text: str, language: str = "") -> Direction:
    """Detect the direction of a field.

    Its language decides, or else its first strong character.

    Args:
        text: text of the field.
        language: BCP 47 code, empty if unknown.

    Returns:
        `auto` if neither says it.
    """
    if language:
        parts = language.lower().split("-")
        return "rtl" if parts[0] in RIGHT_TO_LEFT and LATIN not in parts else "ltr"
    for character in text:
        if (strong := STRONG.get(bidirectional(character))) is not None:
            return "rtl" if strong == "rtl" else "ltr"
    return "auto"
