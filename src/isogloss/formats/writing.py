"""What of a document can be written, and documents as a JSON array."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec
import numpy as np

from isogloss.destinations import written
from isogloss.exceptions import DataError
from isogloss.formats.span_pairing import SpanColumns, SpanDocument


def write_array(documents: Iterable[SpanDocument], path: str, row: Callable[[SpanDocument], Any]) -> None:
    """Documents as one JSON array, with a line each.

    Args:
        documents: the documents.
        path: where they go, as for `written`.
        row: gives the object of a document.

    Raises:
        SourceError: it cannot be written.
        DataError: the format cannot hold a document.
    """
    with written(path) as file:
        file.write(b"[")
        for number, document in enumerate(documents):
            file.write((b",\n" if number else b"\n") + msgspec.json.encode(row(document)))
        file.write(b"\n]\n")


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
