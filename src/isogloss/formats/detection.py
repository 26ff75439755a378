"""Registry of annotation formats that recognises a file and opens it.

A file is recognised by its beginning.

Two CoNLL or two JSON Lines files are read by faster readers of their own; here these formats stand beside the others,
so that any two formats can be compared.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from isogloss.errors import FormatError, SourceError, UsageError
from isogloss.formats.annotation import (
    ENTITY_SHAPE,
    AnnotationFile,
    AnnotationFormat,
    FileHead,
    FormatOptions,
    OptionReasons,
)
from isogloss.formats.registry import FORMATS
from isogloss.formats.sharded_files import find_unsupported, open_shards, read_shards
from isogloss.records.json_fields import read_lazy_rows
from isogloss.records.json_lines import BEGINS
from isogloss.records.shards import check_same_format
from isogloss.records.sources import Source

HEAD_BYTES = 1 << 16  # bytes to read for recognition
LONG_HEAD_BYTES = 1 << 24  # bytes to read if the first object is longer
BINARY_MAGIC = (*ENTITY_SHAPE.reads_binary, b"\x78")  # beginnings of binary files, the last of a compressed DocBin
STANDOFF = ".ann"  # suffix of brat annotations; such a file is empty for a text without names
JSON_REMEDY = "Write one object per line, or one array of objects."
NESTED_OBJECT = re.compile(rb'\[[\s\[\],]*\{\s*["}]')  # an object in arrays of arrays
JSON_NAME = re.compile(r"\.(?:jsonl?|ndjson)(?:\.(?:gz|zst))?$")
EMPTY_ARRAY = re.compile(rb"\[\s*\]\s*")

# Candidates by kind of content, formats with unspecific features last.
FOLDER_FORMATS = ("datasets", "label-studio", "brat")
BINARY_FORMATS = ("arrow", "docbin")
RECOGNISER_FORMATS = ("transformers", "presidio", "stanza", "flair", "comprehend", "azure", "google-nl")
JSON_FORMATS = (
    *("label-studio", "argilla", "prodigy", *RECOGNISER_FORMATS),
    *("doccano", "gliner", "mentions", "token-tags", "spacy", "spacy-training", "jsonl"),
)
TEXT_FORMATS = ("pubtator", "conllu", "conll")


def load_format(name: str) -> AnnotationFormat:
    """Return the format of this name.

    Args:
        name: the name for `--input-format`.

    Raises:
        UsageError: if there is no such format.
    """
    annotation_format: AnnotationFormat = FORMATS.load(name)
    return annotation_format


def make_folder_check(input_format: str | None) -> Callable[[str], bool]:
    """Return a check whether a folder is a file, not shards.

    Args:
        input_format: the format that the user names; None to recognise it.
    """
    if input_format is not None:
        return lambda _: input_format in FOLDER_FORMATS
    return lambda path: any(load_format(name).can_read(read_head(Source(path))) for name in FOLDER_FORMATS)


def detect_format(source: Source, answers: str | None = None) -> str:
    """Return the format of a file, or of all its shards.

    Args:
        source: the file or folder.
        answers: the field with the answer of a language model; a file with this field has the format `mentions`.

    Raises:
        SourceError: if the file cannot be read, is empty, or has no known format.
        FormatError: if it begins like JSON, but is not JSON, its first row lacks the field of the answers, or shards
            have different formats.
    """
    first, *others = source.read_shards()
    name = _detect_file_format(first, answers)
    for other in others:
        check_same_format((first, name), (other, _detect_file_format(other, answers)))
    return name


def _detect_file_format(source: Source, answers: str | None) -> str:
    head = read_head(source)
    if answers is not None and head.first_row is not None:
        if answers not in head.first_row:
            raise make_missing_answers_error(source.name, head.first_row, answers)
        return "mentions"
    for name in _list_candidates(head):
        if load_format(name).can_read(head):
            return name
    for name in FORMATS.list_names():  # formats of other packages are slow to find, so they come last
        if name not in FORMATS.builtin and load_format(name).can_read(head):
            return name
    for _ in (
        read_lazy_rows(source, JSON_REMEDY) if _is_json(head) else source.blocks()
    ):  # reading one row raises an error that names the fault
        break
    raise SourceError(
        "has an unknown format",
        where=source.name,
        remedy=f"Name its format with --input-format: {', '.join(FORMATS.list_names())}.",
    )


def make_missing_answers_error(name: str, first_row: Mapping[str, object], answers: str) -> FormatError:
    """Return the error for a first row without the answers' field.

    Args:
        name: the name of the file.
        first_row: its first row.
        answers: the field.
    """
    message = f"the first row has no field {answers!r}; it has {', '.join(map(repr, first_row)) or 'none'}"
    return FormatError(message, where=name, remedy="Name the field of the answers with --answers.")


def _list_candidates(head: FileHead) -> Sequence[str]:
    """List the formats that a file may have.

    Only these formats are loaded, as most files are columns.
    """
    if head.is_folder or head.path.endswith(STANDOFF):
        return FOLDER_FORMATS
    if head.data.startswith(BINARY_MAGIC):
        return (*BINARY_FORMATS, *TEXT_FORMATS)
    if _is_json(head):
        return JSON_FORMATS
    return (
        (*JSON_FORMATS, *TEXT_FORMATS) if head.first_row is not None or head.data[:1] in {b"{", b"["} else TEXT_FORMATS
    )


def _is_json(head: FileHead) -> bool:
    """Return whether the file begins with JSON, or is named so."""
    if BEGINS.match(head.data) or NESTED_OBJECT.match(head.data) or JSON_NAME.search(head.path):
        return True
    try:
        return isinstance(msgspec.json.decode(head.data.split(b"\n", 1)[0]), list | str)
    except (msgspec.DecodeError, RecursionError):
        return False


def open_annotations(source: Source, name: str, options: FormatOptions) -> AnnotationFile:
    """Open a file in a format.

    Args:
        source: the file or folder.
        name: the name of the format.
        options: how it is read.

    Raises:
        UsageError: if there is no such format, or it does not support an option.
        SourceError: if the file cannot be read.
    """
    return open_shards(load_format(name), source, options)


def open_together(
    sources: Sequence[Source], names: Sequence[str], options: Sequence[FormatOptions]
) -> tuple[list[AnnotationFile], OptionReasons]:
    """Open compared files, each with the options its format supports.

    Args:
        sources: the files or folders.
        names: the names of their formats.
        options: how each is read; the user's options are the same for all.

    Returns:
        The opened files; and the options that none of them supports, with the reason of the first.

    Raises:
        UsageError: if there is no such format.
        SourceError: if a file cannot be read.
    """
    asked = [(load_format(name), source, own) for name, source, own in zip(names, sources, options, strict=True)]
    unsupported = [find_unsupported(format_, source, own) for format_, source, own in asked]
    files = [
        read_shards(format_, source, own.leave_out(lacking))
        for (format_, source, own), lacking in zip(asked, unsupported, strict=True)
    ]
    first, *others = unsupported
    return files, {option: reason for option, reason in first.items() if all(option in each for each in others)}


def read_head(source: Source) -> FileHead:
    """Read the beginning of a file, by which its format is recognised.

    Args:
        source: the file or folder; of several shards the first.

    Raises:
        SourceError: if the file cannot be read, or is empty.
    """
    source = source.shards[0]
    if source.path != "-" and Path(source.path).is_dir():
        try:
            names = sorted(each.name for each in Path(source.path).iterdir())
        except OSError as error:
            raise SourceError(f"cannot be read: {error.strerror}", where=source.name) from error
        return FileHead(source.path, is_folder=True, file_names=names)
    with source.open_stored() as file:
        file.seek(0)
        begin = file.read(HEAD_BYTES)
    if begin.startswith(BINARY_MAGIC):
        return FileHead(source.path, data=begin)
    head = _read_text_head(source, HEAD_BYTES)
    if (
        head is not None
        and head.first_row is None
        and head.data[:1] in {b"[", b"{"}
        and len(head.data) > HEAD_BYTES // 2
    ):
        head = _read_text_head(source, LONG_HEAD_BYTES)
    if head is not None:
        return head
    if source.path.endswith(STANDOFF):
        return FileHead(source.path)
    raise SourceError(
        "the file is empty: it holds no documents",
        where=source.name,
        remedy="Check that it is the right file, and that the program that writes it has finished.",
    )


def _read_text_head(source: Source, size: int) -> FileHead | None:
    for block in source.blocks(size):
        text = block.data.lstrip()
        if text and not EMPTY_ARRAY.fullmatch(text):
            return FileHead(source.path, data=text, first_row=_parse_first_object(text))
    return None


def list_writable_formats() -> tuple[str, ...]:
    """List the formats that can be written, ascending."""
    return tuple(name for name in FORMATS.list_names() if load_format(name).write is not None)


def load_writable_format(name: str) -> AnnotationFormat:
    """Return a format that can be written.

    Args:
        name: the name of the format.

    Raises:
        UsageError: if there is no such format, or it cannot be written.
    """
    annotation_format = load_format(name)
    if annotation_format.write is None:
        raise UsageError(
            f"The format {name} can be read, but not written. Choose from {', '.join(list_writable_formats())}."
        )
    return annotation_format


def _parse_first_object(text: bytes) -> dict[str, object] | None:
    """Parse the first JSON object in the beginning of a file.

    Return None if the beginning does not hold all of the object.
    """
    if text[:1] == b"[":
        return _parse_first_item(text)
    try:
        row = msgspec.json.decode(text.split(b"\n", 1)[0])
    except (msgspec.DecodeError, RecursionError):
        return _parse_first_item(b"[" + text)
    return row if isinstance(row, dict) else None


def _parse_first_item(text: bytes) -> dict[str, object] | None:
    """Parse the first object of an array.

    The decoder stops after a value.
    """
    import json  # noqa: PLC0415  most files are recognised without it

    decoded = text.decode("utf-8", "ignore").lstrip("[ \t\r\n\ufeff")
    try:
        row, _ = json.JSONDecoder().raw_decode(decoded)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None
