"""The figures of a run as they were saved, read from its JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from isogloss.kernel.scores import Key
from isogloss.runs.evidence import Number
from isogloss.stats.intervals import Interval, Spread

GROUPS = ("by_label", "macro", "weighted")


@dataclass(frozen=True, eq=False)
class SavedEvidence:
    """Numbers as they were when the run was saved, whatever this version would make of its counts.

    Args:
        document: the JSON of the run.
    """

    document: Mapping[str, Any]

    @property
    def documents(self) -> int:
        """How many documents were scored."""
        return int(self.document["documents"])

    @cached_property
    def numbers(self) -> dict[Key, Number]:
        """Every score; nan where undefined. Counts are integers."""
        return dict(self._numbers())

    @cached_property
    def intervals(self) -> dict[str, Interval]:
        """Interval of each score by its path, nothing when none were asked for."""
        return {name: Interval(**_given(Interval, entry)) for name, entry in self.document.get("intervals", {}).items()}

    @cached_property
    def per_document(self) -> dict[str, Spread]:
        """Each overall score over single documents, by its path."""
        return {name: Spread(**_given(Spread, entry)) for name, entry in self.document.get("per_document", {}).items()}

    @cached_property
    def confusion(self) -> dict[tuple[str | None, str | None], int]:
        """Pairs of (reference, predicted) label and how often they occur."""
        rows = self.document.get("confusion", [])
        return {(row["reference"], row["predicted"]): row["count"] for row in rows}

    def _numbers(self) -> Iterator[tuple[Key, Number]]:
        yield from _leaves((), self.document["scores"])
        for group in GROUPS:
            yield from _leaves((group,), self.document.get(group, {}))
        for column, values in self.document.get("slices", {}).items():
            for value, part in values.items():
                yield ("slices", column, value, "documents"), part["documents"]
                yield from _leaves(("slices", column, value), part["scores"])
        yield from _leaves(("findings",), self.document.get("findings", {}).get("counts", {}))


def _leaves(key: Key, node: Any) -> Iterator[tuple[Key, Number]]:
    """The numbers of a tree by their keys, in its order."""
    if isinstance(node, Mapping):
        for name, child in node.items():
            yield from _leaves((*key, name), child)
    else:
        yield key, math.nan if node is None else node


def _given(kind: Any, entry: Mapping[str, Any]) -> dict[str, Any]:
    """What a dataclass is built with, the rest follows from it; nan for null."""
    given = (f.name for f in fields(kind) if f.init and f.name in entry)
    return {name: math.nan if entry[name] is None else entry[name] for name in given}
