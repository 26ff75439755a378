"""Arrays as few bytes, and back, bit by bit: what every packed state is made of.

A packed state is one byte for the version of the layout, four for a checksum of the rest, and a MessagePack map whose
arrays are narrowed and compressed. What does not unpack to exactly what was packed is an error, never other numbers.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from isogloss.errors import StoreError
from isogloss.kernel.counts import Counts
from isogloss.kernel.ranking import ClassColumn, Ranking
from isogloss.kernel.scores import Floats
from isogloss.kernel.slices import Attribute
from isogloss.kernel.tally import Tally

VERSION = 1
LEVEL = 1  # a tenth larger than level 6, in a fifth of the time
HEAD = 5  # bytes before the map
PLAIN, STEPS = "plain", "steps"


class Packed(msgspec.Struct, array_like=True, frozen=True):
    """An array.

    Args:
        dtype: of the array, as numpy writes it.
        shape: of the array.
        kept: of the numbers that are kept: narrower integers where they fit.
        form: `steps` where they are differences of neighbours, else `plain`.
        least: what was subtracted from them.
        data: their bytes, the first of all numbers first, compressed.
    """

    dtype: str
    shape: tuple[int, ...]
    kept: str
    form: str
    least: int
    data: bytes


def packed(array: NDArray[Any], *, steps: bool = False) -> Packed:
    """An array of integers, floats or truth values in few bytes.

    Args:
        array: any shape.
        steps: whether neighbours differ by little, as in ascending integers.
    """
    flat = np.ascontiguousarray(array).reshape(-1)
    if array.ndim > 1 and array.size:
        flat = np.ascontiguousarray(array.reshape(len(array), -1).T).reshape(-1)  # columns compress by themselves
    form, least, kept = PLAIN, 0, flat
    if array.dtype.kind in "iu":
        steps = steps and _spread(flat) < np.iinfo(np.int64).max
        form, least, kept = _narrow(flat, steps=steps)
    elif array.dtype.kind == "b":
        kept = np.packbits(flat)
    return Packed(array.dtype.str, array.shape, kept.dtype.str, form, least, _deflated(kept))


def unpacked(entry: Packed) -> NDArray[Any]:
    """The array.

    Raises:
        ValueError: if it holds something else than it says.
    """
    kind, size = np.dtype(entry.dtype), int(np.prod(entry.shape, dtype=np.int64))
    flat: NDArray[Any] = _inflated(entry.data, np.dtype(entry.kept))
    if kind.kind == "b":
        flat = np.unpackbits(flat, count=size)
    elif kind.kind in "iu":
        flat = _widened(flat, kind, entry)
    flat = flat.astype(kind, copy=False)
    if len(entry.shape) < 2 or not size:  # noqa: PLR2004  one axis has no columns
        return flat.reshape(entry.shape)
    rest = entry.shape[1:]
    columns = flat.reshape(int(np.prod(rest, dtype=np.int64)), entry.shape[0])
    return np.ascontiguousarray(columns.T).reshape(entry.shape)


def sealed(content: dict[str, Any]) -> bytes:
    """A map of texts, numbers and packed arrays as bytes with version and checksum."""
    body = msgspec.msgpack.encode(content)
    return bytes([VERSION]) + zlib.crc32(body).to_bytes(4, "little") + body


def opened(data: bytes) -> dict[str, Any]:
    """The map; its arrays are lists until `array_of` makes them arrays.

    Raises:
        StoreError: the bytes are damaged, or of a later version.
    """
    if data[:1] and data[0] > VERSION:
        raise StoreError(
            f"the counts of this run are packed in layout {data[0]}, and this version knows {VERSION}",
            remedy="Update isogloss.",
        )
    body = data[HEAD:]
    if data[:1] != bytes([VERSION]) or zlib.crc32(body).to_bytes(4, "little") != data[1:HEAD]:
        raise damaged()
    content: dict[str, Any] = msgspec.msgpack.decode(body)
    return content


def array_of(entry: Any) -> NDArray[Any]:
    """The array of an entry of an opened map.

    Raises:
        StoreError: it is damaged.
    """
    try:
        return unpacked(msgspec.convert(entry, Packed))
    except (ValueError, TypeError, zlib.error) as error:
        raise damaged() from error


def damaged() -> StoreError:
    """What to say of bytes that are not what was packed."""
    return StoreError("the counts of this run are damaged", remedy="Import the run again, or score its files again.")


def _spread(flat: NDArray[Any]) -> int:
    """Largest less smallest, as an integer of any size."""
    return int(flat.max()) - int(flat.min()) if len(flat) else 0


def _narrow(flat: NDArray[Any], *, steps: bool) -> tuple[str, int, NDArray[Any]]:
    """Form, what was subtracted, and integers of as few bytes as hold them: (n,) -> (n,)."""
    if not len(flat):
        return PLAIN, 0, flat
    form = STEPS if steps else PLAIN
    if steps:
        flat = np.diff(flat.astype(np.int64), prepend=np.int64(0))
    least, largest = int(flat.min()), int(flat.max())
    if largest - least > np.iinfo(np.int64).max:
        return form, 0, flat
    return form, least, (flat - flat.dtype.type(least)).astype(np.min_scalar_type(largest - least))


def _widened(flat: NDArray[Any], kind: np.dtype[Any], entry: Packed) -> NDArray[Any]:
    if entry.form == STEPS:
        return np.cumsum(flat.astype(np.int64) + entry.least)
    widened: NDArray[Any] = flat.astype(kind, copy=False) + kind.type(entry.least)
    return widened


def _deflated(kept: NDArray[Any]) -> bytes:
    """Bytes of equal weight side by side, because those of high weight are much alike."""
    planes = kept.view(np.uint8).reshape(len(kept), kept.itemsize).T
    return zlib.compress(planes.tobytes(), LEVEL)


def _inflated(data: bytes, kept: np.dtype[Any]) -> NDArray[Any]:
    planes = np.frombuffer(zlib.decompress(data), np.uint8).reshape(kept.itemsize, -1)
    return np.ascontiguousarray(planes.T).reshape(-1).view(kept)


ARRAYS = ("cell", "values", "measured")


def of_counts(counts: Counts) -> bytes:
    """Counts, in their normal form, as bytes."""
    normal = counts.normalize()
    tally, kind = Tally.from_counts_with_positions(normal)
    content = _of_rows(tally.rows) | {"dtypes": [normal.cell.dtype.str, normal.values.dtype.str]}
    return sealed(content | {"kind": packed(kind), "documents": packed(normal.documents, steps=True)})


def counts_of(data: bytes) -> Counts:
    """The counts of these bytes.

    Raises:
        StoreError: they are damaged, or of a later version.
    """
    content = opened(data)
    try:
        cell, values = content["dtypes"]
        distinct, documents, kind = _rows_of(content), array_of(content["documents"]), array_of(content["kind"])
        distinct = replace(distinct, cell=distinct.cell.astype(cell), values=distinct.values.astype(values))
        return replace(distinct.take(kind), documents=documents)
    except (KeyError, ValueError, TypeError, IndexError) as error:
        raise damaged() from error


def of_ranking(ranking: Ranking) -> bytes:
    """A ranking as bytes. Documents that several classes have alike are kept once."""
    kept: list[Any] = []
    columns = []
    for column in ranking.columns:
        at = next((k for k, known in enumerate(kept) if np.array_equal(known, column.document)), len(kept))
        if at == len(kept):
            kept.append(column.document)
        columns.append([at, packed(_short(column.score)), packed(column.gold)])
    documents = [packed(document, steps=True) for document in kept]
    return sealed({"classes": ranking.classes, "documents": documents, "columns": columns})


def ranking_of(data: bytes) -> Ranking:
    """The ranking of these bytes.

    Raises:
        StoreError: they are damaged, or of a later version.
    """
    content = opened(data)
    try:
        documents = [array_of(entry) for entry in content["documents"]]
        columns = [
            ClassColumn(documents[at], array_of(score).astype(np.float64, copy=False), array_of(gold))
            for at, score, gold in content["columns"]
        ]
        return Ranking(tuple(content["classes"]), tuple(columns))
    except (KeyError, ValueError, TypeError, IndexError) as error:
        raise damaged() from error


def of_attributes(attributes: Mapping[str, Attribute]) -> bytes:
    """Names per document, by what they are, as bytes."""
    return sealed({name: _of_attribute(attribute) for name, attribute in attributes.items()})


def attributes_of(data: bytes) -> dict[str, Attribute]:
    """The names per document of these bytes.

    Raises:
        StoreError: they are damaged, or of a later version.
    """
    content = opened(data)
    try:
        return {
            name: Attribute(array_of(entry["documents"]), np.array(entry["names"], np.str_)[array_of(entry["code"])])
            for name, entry in content.items()
        }
    except (KeyError, ValueError, TypeError, IndexError) as error:
        raise damaged() from error


def _of_attribute(attribute: Attribute) -> dict[str, Any]:
    names, code = np.unique(attribute.names, return_inverse=True)
    documents = packed(attribute.documents, steps=True)
    return {"documents": documents, "names": names.tolist(), "code": packed(code)}


def _of_rows(rows: Counts) -> dict[str, Any]:
    """Counts as they are; `row` ascends."""
    content: dict[str, Any] = {name: packed(getattr(rows, name)) for name in ARRAYS}
    return (
        content
        | {"row": packed(rows.row, steps=True)}
        | {name: getattr(rows, name) for name in ("parts", "columns", "cells", "measures")}
    )


def _rows_of(content: Mapping[str, Any]) -> Counts:
    cell, values, measured = (array_of(content[name]) for name in ARRAYS)
    row = array_of(content["row"])
    return Counts(
        parts=tuple(content["parts"]),
        columns=tuple(content["columns"]),
        cells=tuple(map(tuple, content["cells"])),
        documents=np.arange(len(measured)),
        row=row,
        cell=cell,
        values=values,
        measures=tuple(content["measures"]),
        measured=measured,
    )


def _short(score: Floats) -> NDArray[np.floating]:
    """Scores in half the bytes where that loses nothing."""
    with np.errstate(over="ignore"):
        short = score.astype(np.float32)
    return short if short.astype(np.float64).tobytes() == score.tobytes() else score
