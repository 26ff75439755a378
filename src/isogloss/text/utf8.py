"""Whether bytes are text in UTF-8, for a fraction of what it costs to decode them.

Text is what `bytes.decode` takes, without NUL. Each character begins with a byte that says how many more belong to it,
so that sound text is known by comparing where such bytes should stand with where they do: a few passes of numpy. They
are sure of what they take. What they do not take, text with characters beyond 0xFFFF included, is decoded.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
TWO_BYTE_LEAD, THREE_BYTE_LEAD, FOUR_BYTE_LEAD = (
    0xC0,
    0xE0,
    0xF0,
)  # first bytes of characters of so many bytes, from here on
LAST_CONTINUATION = -65  # 0xBF as a signed number: bytes 0x80 to 0xBF go on with a character


def try_decode(data: bytes) -> tuple[str | None, int | None]:
    """The text, None where it is ASCII or none, and the position of the first byte that text does not hold."""
    faults = [data.find(b"\0")] if b"\0" in data else []
    text = None
    if not data.isascii():
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            faults.append(error.start)
    return text, min(faults, default=None)


def find_invalid_byte(data: bytes) -> int | None:
    """Position of the first byte that text in UTF-8 does not hold, None for text."""
    return None if is_surely_text(data) else try_decode(data)[1]


def is_surely_text(data: bytes) -> bool:
    """Whether data is text, as far as can be told without decoding it."""
    return b"\0" not in data and (data.isascii() or _is_valid_bmp(data))


def _is_valid_bmp(data: bytes) -> bool:
    """Whether these surely are characters below 0x10000."""
    if len(data) == 1 or b"\xc0" in data or b"\xc1" in data:
        return False
    each = np.frombuffer(data, np.uint8)  # (bytes,)
    if each.max() >= FOUR_BYTE_LEAD or each[-1] >= TWO_BYTE_LEAD or each[-2] >= THREE_BYTE_LEAD:
        return False
    goes_on = each.view(np.int8) <= LAST_CONTINUATION  # (bytes,)
    due = each[1:-1] >= TWO_BYTE_LEAD  # (bytes - 2,) whether a character goes on in the third byte, and so on
    due |= each[:-2] >= THREE_BYTE_LEAD
    if goes_on[0] or goes_on[1] != (each[0] >= TWO_BYTE_LEAD) or (due != goes_on[2:]).any():
        return False
    return not (_has_overlong_form(data, each) or _has_surrogate(data, each))


def _has_overlong_form(data: bytes, each: Bytes) -> bool:
    """Whether three bytes stand for a character that has two."""
    return b"\xe0" in data and bool(((each[:-1] == 0xE0) & (each[1:] < 0xA0)).any())  # noqa: PLR2004  0xE0 0xA0 is 0x800


def _has_surrogate(data: bytes, each: Bytes) -> bool:
    """Whether there is half a pair of UTF-16, which is no character."""
    return b"\xed" in data and bool(((each[:-1] == 0xED) & (each[1:] >= 0xA0)).any())  # noqa: PLR2004  0xED 0xA0 is 0xD800
