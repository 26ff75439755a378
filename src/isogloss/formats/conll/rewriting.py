"""Replace some fields of a text and keep everything else byte for byte.

Fields are located in the text that was scanned, which may lack carriage returns and blanks of the stored text. It lacks
nothing else, so the n-th other byte of the one is the n-th of the other.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from isogloss.formats.conll.scan import FieldColumn, TextBuffer
from isogloss.kernel.scores import Ints

_BLANK = np.zeros(256, np.bool_)  # (bytes,)
_BLANK[list(b"\t\r ")] = True


def replace_fields(text: TextBuffer, changes: Sequence[tuple[FieldColumn, Sequence[bytes]]]) -> bytes:
    """Return the lines of a text with other words in some fields.

    Args:
        text: the text as stored in the file.
        changes: columns of fields that were found in it, and the replacement of each field; no field twice.
    """
    places = [_locate_fields(text, column) for column, _ in changes]
    starts = np.concatenate([np.zeros(0, np.int64), *places])  # (changed fields,)
    lengths = np.concatenate([np.zeros(0, np.int64), *(column.ends - column.before - 1 for column, _ in changes)])
    words = [word for _, words in changes for word in words]
    order = np.argsort(starts, kind="stable")
    view, at = memoryview(text.padded), 1
    pieces: list[bytes | memoryview] = []
    ends = starts + lengths  # (changed fields,)
    for field, start, end in zip(order.tolist(), starts[order].tolist(), ends[order].tolist(), strict=True):
        pieces += (view[at:start], words[field])
        at = end
    return b"".join((*pieces, view[at : len(text.text_bytes)]))


def _locate_fields(text: TextBuffer, column: FieldColumn) -> Ints:
    """Return (fields,) the position in the text of the first byte of each field."""
    starts = column.before + 1
    if len(column.buffer.padded) == len(text.padded):
        return starts
    nth = np.cumsum(_find_nonblank(column.buffer)).take(starts) - 1  # (fields,)
    return np.flatnonzero(_find_nonblank(text)).take(nth)


def _find_nonblank(buffer: TextBuffer) -> NDArray[np.bool_]:
    """Return (bytes,) which bytes are not blanks."""
    return ~_BLANK.take(buffer.text_bytes)
