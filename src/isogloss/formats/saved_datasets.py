"""Folders that `save_to_disk` of Hugging Face datasets writes.

A folder of a Dataset has `state.json`, which lists its Arrow files, and `dataset_info.json`. The files are read as
those of the format `arrow`, one after another. A folder of a DatasetDict has `dataset_dict.json`, which lists the
splits; `--split` chooses one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

import msgspec

from isogloss.errors import FormatError
from isogloss.formats.annotation import (
    AnnotationFile,
    AnnotationFormat,
    DocumentReader,
    FileHead,
    FormatOptions,
    OptionReasons,
)
from isogloss.formats.arrow import FORMAT as ARROW
from isogloss.formats.documents import SpanDocument
from isogloss.formats.folder_files import chain_files
from isogloss.formats.tagged_documents import TaggedRow
from isogloss.records.sources import Source

STATE, INFO, SPLITS = "state.json", "dataset_info.json", "dataset_dict.json"
FOLDER_REMEDY = "Write it again: dataset.save_to_disk(FOLDER)."
T = TypeVar("T")


class _DataFile(msgspec.Struct):
    filename: str


class _State(msgspec.Struct, rename={"files": "_data_files", "indices": "_indices_data_files"}):
    files: list[_DataFile]
    indices: list[_DataFile] | None = None


class _Splits(msgspec.Struct):
    splits: list[str]


def _can_read(head: FileHead) -> bool:
    return head.is_folder and (SPLITS in head.file_names or {STATE, INFO} <= {*head.file_names})


def _decode_file(path: Path, kind: type[T]) -> T:
    """Decode a JSON file of a folder."""
    data = b"".join(block.data for block in Source(path).blocks())
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, RecursionError) as error:
        raise FormatError(f"is damaged: {error}", where=str(path), remedy=FOLDER_REMEDY) from error


def _choose_folder(source: Source, split: str | None) -> Path:
    """Return the folder of the dataset or of the split."""
    folder = Path(source.path)
    if not (folder / SPLITS).is_file():
        return folder
    splits = _decode_file(folder / SPLITS, _Splits).splits
    if split is None and len(splits) == 1:
        return folder / splits[0]
    if split not in splits:
        message = "has several splits" if split is None else f"has no split {split!r}"
        remedy = f"Name one of them: --split {splits[-1]}." if splits else FOLDER_REMEDY
        raise FormatError(message, where=source.name, detail=f"It has {', '.join(splits) or 'none'}.", remedy=remedy)
    return folder / split


def list_shards(source: Source, split: str | None) -> list[Source]:
    """List the Arrow files of a folder in their order.

    Args:
        source: the folder.
        split: the split of a folder with several; None if it has one.

    Raises:
        SourceError: if a file of the folder cannot be read.
        FormatError: if the folder is damaged, or has several splits and none is named.
    """
    folder = _choose_folder(source, split)
    state = _decode_file(folder / STATE, _State)
    if state.indices:
        message = "has rows that are chosen by an index beside them"
        remedy = "Write the rows themselves: dataset.flatten_indices().save_to_disk(FOLDER)."
        raise FormatError(message, where=str(folder), remedy=remedy)
    if not state.files:
        raise FormatError("has no files with rows", where=str(folder), remedy=FOLDER_REMEDY)
    return [Source(folder / file.filename) for file in state.files]


def _find_faults(source: Source, options: FormatOptions) -> OptionReasons:
    """Find options that do not fit the folder or its files."""
    faults: dict[str, str] = {}
    if options.split is not None and not (Path(source.path) / SPLITS).is_file():
        faults["split"] = f"{source.name} is one dataset without splits: leave out --split."
    first = list_shards(source, None if faults else options.split)[0]
    return {**faults, **ARROW.find_unsupported(first, options.leave_out(["split"]))}


def _read(source: Source, options: FormatOptions) -> AnnotationFile:
    shards = list_shards(source, options.split)
    own = options.leave_out(["split"])
    first = ARROW.read(shards[0], own)
    if first.tags is not None:
        tags = DocumentReader(source.name, partial(chain_files, source, shards, partial(_read_tags, own)))
        return AnnotationFile(tags=tags, list_columns=first.list_columns, has_words=first.has_words)
    spans = DocumentReader(source.name, partial(chain_files, source, shards, partial(_read_spans, own)))
    return AnnotationFile(spans=spans, list_columns=first.list_columns)


def _read_tags(options: FormatOptions, shard: Source) -> Iterator[TaggedRow]:
    return iter(ARROW.read(shard, options).tags or ())


def _read_spans(options: FormatOptions, shard: Source) -> Iterator[SpanDocument]:
    for document in ARROW.read(shard, options).spans or ():
        yield msgspec.structs.replace(document, file=shard.name)


FORMAT = AnnotationFormat(
    "datasets",
    _can_read,
    _read,
    has_both_sides=True,
    options=("columns", "repair_offsets", "split"),
    find_faults=_find_faults,
)
