"""Pack counts, rankings and attributes into few bytes.

Unpacking returns exactly the same arrays.

Packed content is one byte for the version of the layout, four for a checksum of the rest, and a MessagePack map whose
arrays are narrowed and compressed. Bytes that do not unpack to what was packed are an error, never other numbers.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from isogloss.errors import StoreError
from isogloss.kernel.counts import Counts
from isogloss.kernel.ranking import ClassColumn, Ranking
from isogloss.kernel.scores import Floats
from isogloss.kernel.slices import Attribute
from isogloss.kernel.tallied_documents import TalliedDocuments
from isogloss.kernel.tally import Tally

LAYOUT_VERSION = 1
COMPRESSION_LEVEL = 1  # a tenth larger than level 6, in a fifth of the time
HEADER_BYTES = 5
PLAIN, STEPS = "plain", "steps"
ARRAYS = ("cell", "values", "measured")
NAMES = ("parts", "columns", "cells", "measures")


def pack_documents(documents: TalliedDocuments) -> bytes:
    """Pack documents with their counts."""
    rows = documents.tally.rows
    content: dict[str, Any] = {name: pack_array(getattr(rows, name)) for name in ARRAYS}
    content |= {"row": pack_array(rows.row, steps=True)}
    content |= {name: getattr(rows, name) for name in NAMES}
    content |= {"kind": pack_array(documents.kinds), "documents": pack_array(documents.documents, steps=True)}
    return seal_content(content)


def unpack_documents(data: bytes) -> TalliedDocuments:
    """Unpack documents with their counts.

    Args:
        data: packed bytes.

    Raises:
        StoreError: if the bytes are damaged, or of a later version.
    """
    content = open_content(data)
    with _report_corrupt_content():
        cell, values, measured = (to_array(content[name]) for name in ARRAYS)
        rows = Counts(
            parts=tuple(content["parts"]),
            columns=tuple(content["columns"]),
            cells=tuple(map(tuple, content["cells"])),
            documents=np.arange(len(measured)),
            row=to_array(content["row"]),
            cell=cell,
            values=values,
            measures=tuple(content["measures"]),
            measured=measured,
        )
        documents, kinds = to_array(content["documents"]), to_array(content["kind"])
        return TalliedDocuments(Tally(rows, np.bincount(kinds, minlength=len(measured))), documents, kinds)


def pack_ranking(ranking: Ranking) -> bytes:
    """Pack a ranking. Documents that several classes share are packed once."""
    shared: list[Any] = []
    columns = []
    for column in ranking.columns:
        at = next((k for k, known in enumerate(shared) if np.array_equal(known, column.document)), len(shared))
        if at == len(shared):
            shared.append(column.document)
        columns.append([at, pack_array(_shorten_scores(column.score)), pack_array(column.gold)])
    documents = [pack_array(document, steps=True) for document in shared]
    return seal_content({"classes": ranking.classes, "documents": documents, "columns": columns})


def unpack_ranking(data: bytes) -> Ranking:
    """Unpack a ranking.

    Args:
        data: packed bytes.

    Raises:
        StoreError: if the bytes are damaged, or of a later version.
    """
    content = open_content(data)
    with _report_corrupt_content():
        documents = [to_array(entry) for entry in content["documents"]]
        columns = [
            ClassColumn(documents[at], to_array(score).astype(np.float64, copy=False), to_array(gold))
            for at, score, gold in content["columns"]
        ]
        return Ranking(tuple(content["classes"]), tuple(columns))


def pack_attributes(attributes: Mapping[str, Attribute]) -> bytes:
    """Pack the names of documents, by attribute."""
    content = {}
    for name, attribute in attributes.items():
        names, code = attribute.rank(attribute.documents)
        documents = pack_array(attribute.documents, steps=True)
        content[name] = {"documents": documents, "names": names, "code": pack_array(code)}
    return seal_content(content)


def unpack_attributes(data: bytes) -> dict[str, Attribute]:
    """Unpack the names of documents, by attribute.

    Args:
        data: packed bytes.

    Raises:
        StoreError: if the bytes are damaged, or of a later version.
    """
    content = open_content(data)
    with _report_corrupt_content():
        return {
            name: Attribute(to_array(entry["documents"]), entry["names"], to_array(entry["code"]))
            for name, entry in content.items()
        }


def seal_content(content: dict[str, Any]) -> bytes:
    """Encode a map with version and checksum.

    The map has texts, numbers and packed arrays.
    """
    body = msgspec.msgpack.encode(content)
    return bytes([LAYOUT_VERSION]) + zlib.crc32(body).to_bytes(4, "little") + body


def open_content(data: bytes) -> dict[str, Any]:
    """Decode a map; its arrays are lists until `to_array` converts them.

    Args:
        data: packed bytes.

    Raises:
        StoreError: if the bytes are damaged, or of a later version.
    """
    if data[:1] and data[0] > LAYOUT_VERSION:
        raise StoreError(
            f"the counts of this run are packed in layout {data[0]}, and this version knows {LAYOUT_VERSION}",
            remedy="Update isogloss: pip install -U isogloss",
        )
    body = data[HEADER_BYTES:]
    if data[:1] != bytes([LAYOUT_VERSION]) or zlib.crc32(body).to_bytes(4, "little") != data[1:HEADER_BYTES]:
        raise make_corrupt_error()
    content: dict[str, Any] = msgspec.msgpack.decode(body)
    return content


def make_corrupt_error() -> StoreError:
    """Make the error for bytes that are not what was packed."""
    return StoreError("the counts of this run are damaged", remedy="Import the run again, or score its files again.")


@contextmanager
def _report_corrupt_content() -> Iterator[None]:
    """Report content of the wrong shape or type as corrupt."""
    try:
        yield
    except (LookupError, ValueError, TypeError, zlib.error) as error:
        raise make_corrupt_error() from error


class PackedArray(msgspec.Struct, array_like=True, frozen=True):
    """A packed array.

    Args:
        dtype: type of the array, as numpy writes it.
        shape: shape of the array.
        kept: dtype of the packed numbers: narrower integers where they fit.
        form: `steps` for differences of neighbours, else `plain`.
        least: what was subtracted from the packed numbers.
        data: their bytes, the first of all numbers first, compressed.
    """

    dtype: str
    shape: tuple[int, ...]
    kept: str
    form: str
    least: int
    data: bytes


def pack_array(array: NDArray[Any], *, steps: bool = False) -> PackedArray:
    """Pack an array of integers, floats or truth values.

    Args:
        array: any shape.
        steps: whether neighbours differ by little, as in ascending integers.
    """
    flat = np.ascontiguousarray(array).reshape(-1)
    if array.ndim > 1 and array.size:
        flat = np.ascontiguousarray(array.reshape(len(array), -1).T).reshape(-1)  # columns compress by themselves
    form, least, kept = PLAIN, 0, flat
    if array.dtype.kind in "iu" and array.size:
        form, least, kept = _narrow_integers(flat, steps=steps)
    elif array.dtype.kind == "b":
        kept = np.packbits(flat)
    return PackedArray(array.dtype.str, array.shape, kept.dtype.str, form, least, _compress(kept))


def to_array(entry: Any) -> NDArray[Any]:
    """Unpack an array of an opened map.

    Args:
        entry: value of an opened map.

    Raises:
        StoreError: if it is damaged.
    """
    with _report_corrupt_content():
        return _unpack_array(msgspec.convert(entry, PackedArray))


def _unpack_array(entry: PackedArray) -> NDArray[Any]:
    kind, size = np.dtype(entry.dtype), int(np.prod(entry.shape, dtype=np.int64))
    flat: NDArray[Any] = _decompress(entry.data, np.dtype(entry.kept))
    if kind.kind == "b":
        flat = np.unpackbits(flat, count=size)
    elif entry.form == STEPS:
        flat = np.cumsum(flat.astype(np.int64) + entry.least)
    elif kind.kind in "iu":
        flat = flat.astype(kind, copy=False) + kind.type(entry.least)
    flat = flat.astype(kind, copy=False)
    if len(entry.shape) < 2 or not size:  # noqa: PLR2004  one axis has no columns
        return flat.reshape(entry.shape)
    columns = flat.reshape(size // entry.shape[0], entry.shape[0])
    return np.ascontiguousarray(columns.T).reshape(entry.shape)


def _narrow_integers(flat: NDArray[Any], *, steps: bool) -> tuple[str, int, NDArray[Any]]:
    """Return integers in few bytes, with form and subtracted number.

    The form comes first, then what was subtracted, then integers of as few bytes as hold them: (n,) -> (n,).
    """
    form, most = PLAIN, np.iinfo(np.int64).max
    if steps and int(flat.max()) - int(flat.min()) < most:
        form, flat = STEPS, np.diff(flat.astype(np.int64), prepend=np.int64(0))
    least, largest = int(flat.min()), int(flat.max())
    if largest - least > most:
        return form, 0, flat
    return form, least, (flat - flat.dtype.type(least)).astype(np.min_scalar_type(largest - least))


def _compress(numbers: NDArray[Any]) -> bytes:
    """Compress numbers with bytes of equal weight side by side.

    High bytes are much alike.
    """
    planes = numbers.view(np.uint8).reshape(len(numbers), numbers.itemsize).T
    return zlib.compress(planes.tobytes(), COMPRESSION_LEVEL)


def _decompress(data: bytes, kept: np.dtype[Any]) -> NDArray[Any]:
    planes = np.frombuffer(zlib.decompress(data), np.uint8).reshape(kept.itemsize, -1)
    return np.ascontiguousarray(planes.T).reshape(-1).view(kept)


def _shorten_scores(score: Floats) -> NDArray[np.floating]:
    """Halve the bytes of scores if that loses nothing."""
    with np.errstate(over="ignore"):
        short = score.astype(np.float32)
    return short if short.astype(np.float64).tobytes() == score.tobytes() else score
