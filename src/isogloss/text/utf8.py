"""Check that bytes are UTF-8 text faster than by decoding them.

Text is anything `bytes.decode` accepts, without NUL. The first byte of each character says how many bytes follow, so a
few numpy passes compare where continuation bytes should be with where they are. These passes never accept invalid text.
Bytes they do not accept, such as characters beyond 0xFFFF, are decoded to find out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
TWO_BYTE_LEAD, THREE_BYTE_LEAD, FOUR_BYTE_LEAD = 0xC0, 0xE0, 0xF0  # smallest first byte of such a character
LAST_CONTINUATION = -65  # 0xBF as a signed number: bytes 0x80 to 0xBF continue a character


def try_decode(data: bytes) -> tuple[str | None, int | None]:
    """Return the decoded text and the first invalid byte.

    The text is None if the data are ASCII or invalid.
    """
    faults = [data.find(b"\0")] if b"\0" in data else []
    text = None
    if not data.isascii():
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            faults.append(error.start)
    return text, min(faults, default=None)


def find_invalid_byte(data: bytes) -> int | None:
    """Return the position of the first invalid byte.

    The result is None if the data are text.
    """
    return None if is_surely_text(data) else try_decode(data)[1]


def is_surely_text(data: bytes) -> bool:
    """Check for valid text without decoding; False means unknown."""
    return b"\0" not in data and (data.isascii() or _is_valid_bmp(data))


def _is_valid_bmp(data: bytes) -> bool:
    """Check that all characters are valid and below 0x10000."""
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
    """Check for three bytes that encode a two-byte character."""
    return b"\xe0" in data and bool(((each[:-1] == 0xE0) & (each[1:] < 0xA0)).any())  # noqa: PLR2004  0xE0 0xA0 is 0x800


def _has_surrogate(data: bytes, each: Bytes) -> bool:
    """Check for a UTF-16 surrogate, which is not a character."""
    return b"\xed" in data and bool(((each[:-1] == 0xED) & (each[1:] >= 0xA0)).any())  # noqa: PLR2004  0xED 0xA0 is 0xD800
