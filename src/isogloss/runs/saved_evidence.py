"""Evidence read from the JSON of a saved run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from isogloss.kernel.scores import ScoreKey
from isogloss.runs.evidence import ScoreNumber
from isogloss.stats.intervals import DocumentSpread, Interval

NESTED_GROUPS = ("by_label", "macro", "weighted")


@dataclass(frozen=True, eq=False)
class SavedEvidence:
    """Numbers as they were when the run was saved, not computed again.

    Args:
        run_json: JSON of the run.
    """

    run_json: Mapping[str, Any]

    @property
    def documents(self) -> int:
        """Number of documents scored."""
        return int(self.run_json["documents"])

    @cached_property
    def numbers(self) -> dict[ScoreKey, ScoreNumber]:
        """Every score, nan where undefined; counts are integers."""
        return dict(self._iterate_numbers())

    @cached_property
    def intervals(self) -> dict[str, Interval]:
        """Interval of each score by its path; empty if none were requested."""
        return {
            name: Interval(**_to_arguments(Interval, entry))
            for name, entry in self.run_json.get("intervals", {}).items()
        }

    @cached_property
    def per_document(self) -> dict[str, DocumentSpread]:
        """Distribution over documents of each overall score, by its path."""
        return {
            name: DocumentSpread(**_to_arguments(DocumentSpread, entry))
            for name, entry in self.run_json.get("per_document", {}).items()
        }

    @cached_property
    def confusion(self) -> dict[tuple[str | None, str | None], int]:
        """Number of each (reference, predicted) pair of labels."""
        rows = self.run_json.get("confusion", [])
        return {(row["reference"], row["predicted"]): row["count"] for row in rows}

    def _iterate_numbers(self) -> Iterator[tuple[ScoreKey, ScoreNumber]]:
        yield from _iterate_leaves((), self.run_json["scores"])
        for group in NESTED_GROUPS:
            yield from _iterate_leaves((group,), self.run_json.get(group, {}))
        for column, values in self.run_json.get("slices", {}).items():
            for value, part in values.items():
                yield ("slices", column, value, "documents"), part["documents"]
                yield from _iterate_leaves(("slices", column, value), part["scores"])
        yield from _iterate_leaves(("findings",), self.run_json.get("findings", {}).get("counts", {}))


def _iterate_leaves(key: ScoreKey, node: Any) -> Iterator[tuple[ScoreKey, ScoreNumber]]:
    """Yield the numbers of a tree by key, in its order."""
    if isinstance(node, Mapping):
        for name, child in node.items():
            yield from _iterate_leaves((*key, name), child)
    else:
        yield key, math.nan if node is None else node


def _to_arguments(kind: Any, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a dataclass from JSON; null is nan."""
    given = (f.name for f in fields(kind) if f.init and f.name in entry)
    return {name: math.nan if entry[name] is None else entry[name] for name in given}
