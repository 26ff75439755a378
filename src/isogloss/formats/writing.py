"""What of a document can be written."""

from __future__ import annotations

import numpy as np

from isogloss.exceptions import DataError
from isogloss.formats.span_pairing import SpanColumns, SpanDocument


def writable_text(document: SpanDocument) -> str:
    """The text of a document, which holds all its spans.

    Raises:
        DataError: it has no text, one that is no Unicode, names that are not in it, or a span that is not within it.
    """
    text = document.text
    if text is None:
        raise unwritable(document, "has no text", "Write it as JSON lines, which need none.")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        why = "has half a surrogate pair, which is no character"
        raise unwritable(document, why, "Decode its text as UTF-8.") from error
    if document.unlocated:
        raise unwritable(document, "has names that are not in its text", "Write it as mentions, or leave them out.")
    columns = SpanColumns.of([document.spans], lambda *_: _place(document))
    columns.check(lambda *_: _place(document), np.array([len(text)]))
    return text


def unwritable(document: SpanDocument, why: str, remedy: str) -> DataError:
    """The error for a document that a format cannot hold.

    Args:
        document: which one; its file is known.
        why: what it is or has.
        remedy: what to do about it.
    """
    return DataError(f"the document {why}", where=_place(document), remedy=remedy)


def _place(document: SpanDocument) -> str:
    return f"{document.file}:{document.line}"
