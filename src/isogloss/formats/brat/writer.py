"""Documents to folders of texts and annotations."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from isogloss.destinations import written_folder
from isogloss.exceptions import UsageError
from isogloss.formats.brat.folders import ANNOTATIONS, TEXT
from isogloss.formats.offsets import BLANKS
from isogloss.formats.span_pairing import SpanDocument, Triple
from isogloss.formats.writing import unwritable, writable_text

DIGITS = 6  # of the names of documents without ids
NAMES = "An id becomes the name of a file, with folders before slashes."
LABELS = "A label of brat has no white space; convert it first."
LINES = re.compile(r"[^\r\n]+")


def write(documents: Iterable[SpanDocument], path: str) -> None:
    """A folder with a text and its annotations for each document, named by its id, or else by its number.

    Args:
        documents: texts with spans.
        path: a folder that is absent or empty.

    Raises:
        UsageError: it is standard output.
        DataError: a document cannot be held: no text, an id that is no name, a label with white space.
        SourceError: the folder holds something, or cannot be written.
    """
    if path == "-":
        raise UsageError("Documents of brat are written to a folder: name one.")
    with written_folder(path) as folder:
        for number, document in enumerate(documents, 1):
            _write(document, folder, f"{number:0{DIGITS}}" if document.id is None else document.id)


def _write(document: SpanDocument, folder: Path, name: str) -> None:
    text = writable_text(document)
    if "\0" in text or text.startswith("\ufeff"):
        raise unwritable(document, "holds a NUL, or begins with a byte order mark", "Take it out of the text.")
    lines = [_line(document, number, span, text) for number, span in enumerate(document.spans, 1)]
    parts = name.split("/")
    if "\0" in name or any(not part or part.startswith(".") for part in parts):
        raise unwritable(document, "has an id that is no name of a file", NAMES)
    place = folder / PurePosixPath(*parts)
    place.parent.mkdir(parents=True, exist_ok=True)
    for ending, content in ((TEXT, text), (ANNOTATIONS, "".join(lines))):
        try:
            with place.with_name(place.name + ending).open("xb") as file:
                file.write(content.encode())
        except FileExistsError as error:
            raise unwritable(document, "has an id that another has too", NAMES) from error


def _line(document: SpanDocument, number: int, span: Triple, text: str) -> str:
    """A span, in pieces where it reaches over line breaks, as brat writes it."""
    start, end, label = span
    if not label or any(character.isspace() for character in label):
        raise unwritable(document, f"has a label that brat cannot hold, {label!r}", LABELS)
    pieces = [(start + found.start(), start + found.end()) for found in LINES.finditer(text[start:end])]
    if not pieces or (pieces[0][0], pieces[-1][1]) != (start, end):
        pieces = [(start, end)]
    own = " ".join(text[first:last] for first, last in pieces).translate(BLANKS)
    return f"T{number}\t{label} {';'.join(f'{first} {last}' for first, last in pieces)}\t{own}\n"
