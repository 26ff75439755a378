"""Findings of a run with columns, in memory or a store.

Columns are those of `isogloss.runs.finding_columns`. Filters, counts and comparisons read columns, so that no request
reads all findings. Texts for people stand here: the values of facets as a page shows and sends them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.findings import DocumentText, Finding
from isogloss.runs.finding_columns import (
    DOCUMENT,
    KIND,
    LABEL,
    SLICE,
    ColumnSource,
    FindingColumns,
    LabelPair,
    Numbers,
    count_numbers,
    select_numbers,
)
from isogloss.runs.text_index import FindingTexts

ARROW = " \N{RIGHTWARDS ARROW} "


class FindingSource(ColumnSource, Protocol):
    """Findings of one run."""

    def count_values(self, name: str) -> int:
        """Return how many values a column has."""
        ...

    def load_values(self, name: str, first: int, stop: int) -> Sequence[Any]:
        """Load the values of a column whose numbers are in a range."""
        ...

    def load_findings(self, positions: Sequence[int]) -> Sequence[Finding]:
        """Load findings by position."""
        ...

    def load_document(self, number: int) -> DocumentText:
        """Load the whole text of a document and its correct spans."""
        ...

    def search(self, text: str) -> NDArray[np.bool_]:
        """Return for each finding whether it has a text: (findings,).

        The text is in the finding or the name of its document.
        """
        ...


class MemoryFindings:
    """Findings of a run in memory.

    Columns are built at the first use.

    Args:
        findings: the findings in their order.
    """

    def __init__(self, findings: Sequence[Finding]) -> None:
        self._findings = findings
        self._texts = FindingTexts(
            lambda: (one.text for one in findings),
            lambda: self.get_values(DOCUMENT),
            lambda: self.get_column(DOCUMENT),
        )

    @property
    def count(self) -> int:
        """Number of findings."""
        return len(self._findings)

    @property
    def slice_columns(self) -> Sequence[str]:
        """Names of the columns of slices, without `slice:`."""
        return self._columns.slice_columns

    def get_column(self, name: str) -> Numbers:
        """Return the numbers of a column."""
        return self._columns.get_column(name)

    def get_values(self, name: str) -> Sequence[Any]:
        """Return the values that the numbers of a column stand for."""
        return self._columns.get_values(name)

    def count_values(self, name: str) -> int:
        """Return how many values a column has."""
        return len(self._columns.get_values(name))

    def load_values(self, name: str, first: int, stop: int) -> Sequence[Any]:
        """Return the values of a column whose numbers are in a range."""
        return self._columns.get_values(name)[first:stop]

    def load_findings(self, positions: Sequence[int]) -> Sequence[Finding]:
        """Return findings by position."""
        return [self._findings[at] for at in positions]

    def load_document(self, number: int) -> DocumentText:
        """Return the whole text of a document and its correct spans."""
        (first,) = self.load_findings(select_numbers(self, {DOCUMENT: [number]}, limit=1).tolist())
        return DocumentText(first.document_text, first.correct)

    def search(self, text: str) -> NDArray[np.bool_]:
        """Return for each finding whether it has a text: (findings,).

        The text is in the finding or the name of its document.
        """
        return self._texts.search(text)

    @cached_property
    def _columns(self) -> FindingColumns:
        return FindingColumns.from_findings(self._findings)


@dataclass(frozen=True)
class FacetCounts:
    """Values of a facet with their number of findings.

    Args:
        name: `kind`, `label` or `slice:NAME`.
        values: the values by their number in the column, as texts.
        counts: number of findings by value.
    """

    name: str
    values: tuple[str, ...]
    counts: tuple[int, ...]


def list_facet_names(source: ColumnSource) -> list[str]:
    """List the names of the facets of a run."""
    return [KIND, LABEL, *(f"{SLICE}{column}" for column in source.slice_columns)]


def list_facets(source: ColumnSource) -> list[FacetCounts]:
    """List the facets of a run, with counts."""
    return [
        FacetCounts(name, tuple(list_facet_values(source, name)), tuple(count_numbers(source, name).tolist()))
        for name in list_facet_names(source)
    ]


def list_facet_values(source: ColumnSource, name: str) -> list[str]:
    """List the values of a facet as texts, by number."""
    values = source.get_values(name)
    return [format_label_pair(pair) for pair in values] if name == LABEL else ["" if v is None else v for v in values]


def format_label_pair(pair: LabelPair) -> str:
    """Write the labels of both sides.

    Examples are `PER`, `PER → LOC`, and `→ LOC` without a reference.
    """
    reference, predicted = pair
    if predicted is None:
        return reference or ""
    return f"{reference or ''}{ARROW}{predicted}".lstrip()


def find_allowed(source: ColumnSource, wanted: Mapping[str, Iterable[str]]) -> dict[str, list[int]]:
    """Find the numbers of wanted values in each facet.

    Args:
        source: the findings.
        wanted: texts of values by the name of a facet; those that a run does not have are left out.
    """
    known = set(list_facet_names(source))
    allowed: dict[str, list[int]] = {}
    for name, texts in wanted.items():
        values = list_facet_values(source, name) if name in known else []
        chosen = set(texts)
        allowed[name] = [number for number, value in enumerate(values) if value in chosen]
    return allowed


def widen_column(column: Numbers) -> NDArray[Any]:
    """Return a column of facets with 1, 2 or 4 bytes, little-endian."""
    return column.astype(column.dtype.newbyteorder("<"), copy=False)
