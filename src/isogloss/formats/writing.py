"""What of a document can be written."""

from __future__ import annotations

import gzip
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from errno import EISDIR
from pathlib import Path
from typing import IO, Any

import msgspec
import numpy as np

from isogloss.exceptions import DataError
from isogloss.formats.span_pairing import SpanColumns, SpanDocument

STDOUT = "<stdout>"
GZIP = ".gz"
KEPT = 60  # characters of a name that are kept in that of the file beside it, which must not be too long


@contextmanager
def written(path: str, *, text: bool = True) -> Iterator[IO[bytes]]:
    """A file to write bytes to. It takes the place of the path when all is written, and leaves nothing after an error.

    What is no file, such as a device or a pipe, is written to as it stands. A link stays one, to the new file.

    Args:
        path: where it goes, `-` for standard output. Text is compressed if the name ends with `.gz`.
        text: whether it is text; other files are not read compressed.

    Raises:
        SourceError: it cannot be written.
    """
    if path == "-":
        with _standard_output() as file:
            yield file
        return
    target = Path(os.path.realpath(path))
    try:
        if target.exists() and not (target.is_file() or target.is_dir()):
            with target.open("wb") as file:
                yield file
            return
        with _partial(target) as file:
            if text and path.endswith(GZIP):
                with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as compressed:  # the same bytes at any time
                    yield compressed  # type: ignore[misc]  # it has all that is used of a file
            else:
                yield file
    except OSError as error:
        raise SourceError(f"cannot be written: {error.strerror}", where=path) from error


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


@contextmanager
def _standard_output() -> Iterator[IO[bytes]]:
    if sys.stdout is None:  # closed by the caller
        raise SourceError("is closed: the documents have nowhere to go", where=STDOUT, remedy="Name a file with -o.")
    try:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except BrokenPipeError:  # whoever reads has seen enough
        raise
    except OSError as error:
        raise SourceError(f"cannot be written: {error.strerror}", where=STDOUT) from error


@contextmanager
def _partial(target: Path) -> Iterator[IO[bytes]]:
    """A file beside the target, which takes its place and its permissions."""
    if target.is_dir():
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
    partial = target.with_name(f".{target.name[:KEPT]}.{os.getpid()}.part")
    file = partial.open("xb")
    try:
        with file:
            yield file
        if target.exists():
            partial.chmod(target.stat().st_mode & 0o7777)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def written_folder(path: str) -> Iterator[Path]:
    """A folder to write files to. They go to their place when all are written, and an error leaves nothing of them.

    Args:
        path: a folder that is absent or empty.

    Raises:
        SourceError: it is neither, or cannot be written.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        remedy = "Name a folder that is not there yet, or an empty one."
        raise SourceError("is there already, and no empty folder", where=path, remedy=remedy)
    partial = target.with_name(f".{target.name[:KEPT]}.{os.getpid()}.part")
    try:
        partial.mkdir()
        yield partial
        target.mkdir(exist_ok=True)
        for each in partial.iterdir():
            each.replace(target / each.name)
    except OSError as error:
        raise SourceError(f"cannot be written: {error.strerror}", where=path) from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)


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
