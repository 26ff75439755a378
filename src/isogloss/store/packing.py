"""What a run rests on as bytes, and back, exactly: counts, rankings, names per document.

Many documents have equal counts, so counts are kept as their distinct documents and, per document, which of these it
is. `counts_of(of_counts(counts))` is `counts.normal()`, bit by bit, and so are the others what they were.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.counts import Counts, Tally
from isogloss.ranking import Column, Ranking
from isogloss.scores import Floats
from isogloss.slices import Attribute
from isogloss.store.arrays import array_of, damaged, opened, packed, sealed

ARRAYS = ("cell", "values", "measured")


def of_counts(counts: Counts) -> bytes:
    """Counts, in their normal form, as bytes."""
    normal = counts.normal()
    tally, kind = Tally.with_kinds(normal)
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
        return replace(distinct.taken(kind), documents=documents)
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
            Column(documents[at], array_of(score).astype(np.float64, copy=False), array_of(gold))
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
