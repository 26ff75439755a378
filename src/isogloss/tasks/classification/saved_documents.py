"""Labelled documents as plain values and arrays, to be merged.

A label that a part does not have is one that its documents do not have, as in `LabelMatrixBuilder`: the columns of the
whole are the labels in the order in which one file would show them, those of predictions first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import DataError
from isogloss.kernel.provenance import ColumnProvenance, RunWarning, Side, TextExcerpt
from isogloss.records.attributes import FILE_COLUMN
from isogloss.tasks.classification.label_matrix import KINDS, GoldTable, LabelledDocuments, find_missing_scores

State = Mapping[str, Any]
SIDES: tuple[Side, Side] = ("reference", "predicted")


def to_state(read: GoldTable, columns: Sequence[str]) -> dict[str, Any]:
    """Return documents as plain values and arrays.

    Args:
        read: the documents.
        columns: columns of the documents to keep.
    """
    table, provenance = read.documents, read.documents.provenance
    rows = range(len(table.documents))
    names = [provenance.name(row) for row in rows]
    excerpts = [provenance.get_excerpt(row) for row in rows]
    has_text = any(excerpt is not None for excerpt in excerpts)
    kept = (*columns, FILE_COLUMN) if FILE_COLUMN not in columns else columns
    values = {}
    if isinstance(provenance, ColumnProvenance):
        values = {column: [provenance.value(row, column) for row in rows] for column in kept}
    return {
        "kind": read.kind,
        "labels": table.labels,
        "predicted": read.predicted_labels,
        "gold": table.gold,
        "scores": table.scores,
        "chosen": table.chosen,
        "names": [] if all(name == str(row + 1) for row, name in enumerate(names)) else names,
        "places": [[provenance.where(row, 0, side) for row in rows] for side in SIDES],
        "texts": [None if each is None else each.text for each in excerpts] if has_text else [],
        "values": values,
        "warnings": [[each.code, each.message, each.count, each.where] for each in table.warnings],
    }


def from_state(state: State) -> GoldTable:
    """Build documents from the value of `to_state`."""
    documents = LabelledDocuments(
        np.arange(len(state["gold"])),
        tuple(state["labels"]),
        state["gold"],
        state["scores"],
        state["chosen"],
        SavedProvenance(state["names"], state["places"], state["texts"], state["values"]),
        tuple(RunWarning(*each) for each in state["warnings"]),
    )
    return GoldTable(documents, state["kind"], state["predicted"])


def merge_tables(parts: Sequence[State]) -> dict[str, Any]:
    """Merge the documents of parts, in order.

    Args:
        parts: values of `to_state`; at least one.

    Raises:
        DataError: if the parts have different kinds of labels, or only some have scores.
    """
    first = parts[0]
    for part in parts:
        _check_kind(part, first)
    predicted = dict.fromkeys(label for part in parts for label in part["labels"][: part["predicted"]])
    labels = tuple(predicted | dict.fromkeys(label for part in parts for label in part["labels"]))
    sizes = [len(part["gold"]) for part in parts]
    missing = -1 if first["kind"] == "values" else 0
    arrays = {
        "gold": _stack_columns(parts, "gold", labels, missing),
        "scores": _stack_columns(parts, "scores", labels, -np.inf),
        "chosen": _stack_columns(parts, "chosen", labels, fill=False),
    }
    places = [[place for part in parts for place in part["places"][k]] for k in range(len(SIDES))]
    merged = {
        "kind": first["kind"],
        "labels": labels,
        "predicted": len(predicted),
        **arrays,
        "names": _merge_names(parts, sizes),
        "places": places,
        "texts": _merge_texts(parts, sizes),
        "values": {
            column: [
                value
                for part, size in zip(parts, sizes, strict=True)
                for value in part["values"].get(column, [None] * size)
            ]
            for column in dict.fromkeys(column for part in parts for column in part["values"])
        },
    }
    own = [RunWarning(*each) for part in parts for each in part["warnings"] if each[0] not in RECOMPUTED]
    found = list(dict.fromkeys(own))
    if arrays["scores"] is not None:
        found = [*find_missing_scores(arrays["scores"], labels, places[1].__getitem__), *found]
    return merged | {"warnings": [[each.code, each.message, each.count, each.where] for each in found]}


RECOMPUTED = frozenset(("label-unscored", "scores-missing"))  # warnings that depend on all documents


def _check_kind(part: State, first: State) -> None:
    if part["kind"] != first["kind"]:
        raise DataError(
            f"the gold of {part['places'][0][0]} is {KINDS[part['kind']]}, but that of the first part is "
            f"{KINDS[first['kind']]}",
            remedy="Write the gold of all documents as a label, or of all as lists, or of all as values of labels.",
        )
    if (part["scores"] is None) != (first["scores"] is None):
        raise DataError(
            "only some parts have scores, the others labels", remedy="Give all parts scores, or all of them labels."
        )


def _stack_columns(parts: Sequence[State], name: str, labels: Sequence[str], fill: float) -> NDArray[Any] | None:
    """Stack arrays (documents, labels) of parts, each filled up to all labels."""
    arrays = [part[name] for part in parts]
    if any(array is None for array in arrays):
        return None
    place = {label: k for k, label in enumerate(labels)}
    result = np.full((sum(map(len, arrays)), len(labels)), fill, arrays[0].dtype)
    first = 0
    for part, array in zip(parts, arrays, strict=True):
        result[first : first + len(array), [place[label] for label in part["labels"]]] = array
        first += len(array)
    return result


def _merge_names(parts: Sequence[State], sizes: Sequence[int]) -> list[str]:
    if not any(part["names"] for part in parts):
        return []
    names = []
    for part, size, first in zip(parts, sizes, accumulate(sizes, initial=0), strict=False):
        own = part["names"] or [str(row + 1) for row in range(size)]
        names += [str(row + first + 1) if name == str(row + 1) else name for row, name in enumerate(own)]
    return names


def _merge_texts(parts: Sequence[State], sizes: Sequence[int]) -> list[str | None]:
    if not any(part["texts"] for part in parts):
        return []
    return [text for part, size in zip(parts, sizes, strict=True) for text in (part["texts"] or [None] * size)]


@dataclass(frozen=True)
class SavedProvenance:
    """Provenance of documents that were read before.

    Args:
        names: (documents,) their names; empty if these are their numbers.
        places: per side (documents,) file and line.
        texts: (documents,) their texts; empty without texts.
        values: per column (documents,) values.
    """

    names: Sequence[str]
    places: Sequence[Sequence[str]]
    texts: Sequence[str | None]
    values: Mapping[str, Sequence[str | None]]

    def name(self, row: int) -> str:
        """Return the id of a document, or its number from 1."""
        return self.names[row] if self.names else str(row + 1)

    def where(self, row: int, position: int, side: Side) -> str:  # noqa: ARG002  the signature of `Provenance`
        """Return file and line."""
        return self.places[SIDES.index(side)][row]

    def get_excerpt(self, row: int) -> TextExcerpt | None:
        """Return the text of a document; None if it has none."""
        text = self.texts[row] if self.texts else None
        return TextExcerpt(text) if text else None

    def value(self, row: int, column: str) -> str | None:
        """Return the value of a column."""
        return self.values[column][row] if column in self.values else None
