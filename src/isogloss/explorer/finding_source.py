"""Findings of a run as columns: one number per finding, made once.

Filters, counts and comparisons use the columns, so that no request reads all findings. `FindingSource` is what the
explorer needs of a run; `MemoryFindings` builds it from a list.

Columns: `kind`, `label` and `slice:NAME` number the values of a facet; `document` numbers the documents that have
findings, `surface` the surface forms (the text under the first mark in NFC), the most frequent form first. `key`
identifies the first mark in any run of the same reference: 8 bytes of BLAKE2b over the document and the mark.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Protocol
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.findings import Finding

Numbers = NDArray[np.unsignedinteger]
KEY_BYTES = 8
SLICE = "slice:"
ARROW = " \N{RIGHTWARDS ARROW} "


@dataclass(frozen=True)
class FacetCounts:
    """Values of a facet with their number of findings.

    Args:
        name: `kind`, `label` or `slice:NAME`.
        values: the values by their number in the column.
        counts: number of findings by value.
    """

    name: str
    values: tuple[str, ...]
    counts: tuple[int, ...]


class FindingSource(Protocol):
    """Findings of one run."""

    @property
    def count(self) -> int:
        """Number of findings."""

    @property
    def facets(self) -> Sequence[FacetCounts]:
        """The facets."""

    @property
    def document_names(self) -> Sequence[str]:
        """Names of the documents by number."""

    @property
    def surface_count(self) -> int:
        """Number of surface forms."""

    def read_column(self, name: str) -> Numbers:
        """Return a column, little-endian, `(findings,)`."""

    def read_surfaces(self, first: int, limit: int | None) -> Sequence[tuple[str, int]]:
        """Return surface forms and their counts from a number on."""

    def load(self, positions: Sequence[int]) -> Sequence[Finding]:
        """Load findings by position."""

    def search(self, query: str) -> NDArray[np.uint32]:
        """Return the positions of findings whose text or document has the words, `(found,)`."""


def format_label_pair(finding: Finding) -> str:
    """Write the labels of both sides: `PER`, `PER → LOC`, or `→ LOC` without a reference."""
    reference, predicted = (_get_label(finding, side) for side in ("reference", "predicted"))
    if finding.get_mark("reference") is None:
        return f"{ARROW.lstrip()}{predicted}" if predicted else ""
    return f"{reference}{ARROW}{predicted}" if predicted and predicted != reference else reference


def _get_label(finding: Finding, side: str) -> str:
    return next((mark.label or "" for mark in finding.marks if mark.side == side), "")


def compute_key(finding: Finding) -> int:
    """Compute the key of a finding from its document and first mark."""
    mark = finding.marks[0]
    parts = (finding.document, mark.side, str(mark.start), str(mark.end), mark.label or "")
    digest = blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES).digest()
    return int.from_bytes(digest, "little")


def get_surface(finding: Finding) -> str:
    """Return the text under the first mark in NFC; empty without a text."""
    mark = finding.marks[0]
    if finding.text is None or mark.text_start is None or mark.text_end is None:
        return ""
    return normalize("NFC", finding.text[mark.text_start : mark.text_end])


def fold_text(text: str) -> str:
    """Fold case and Unicode forms of a text for search."""
    return normalize("NFC", normalize("NFC", text).casefold())


def get_slices(finding: Finding) -> Mapping[str, object]:
    """Return the slice values of a finding by column."""
    found = finding.extra.get("slices")
    return found if isinstance(found, Mapping) else {}


class MemoryFindings:
    """Findings of a run that was scored just now.

    Args:
        findings: the findings in their order.
    """

    def __init__(self, findings: Sequence[Finding]) -> None:
        self._findings = findings
        self._columns: dict[str, Numbers] = {}
        self._document_numbers: dict[str, int] = {}
        documents = [self._document_numbers.setdefault(one.document, len(self._document_numbers)) for one in findings]
        self._columns["document"] = np.array(documents, "<u4")  # (findings,)
        self.document_names: Sequence[str] = tuple(self._document_numbers)
        self.facets: Sequence[FacetCounts] = tuple(self._add_facet(*each) for each in self._list_facets())

    @property
    def count(self) -> int:
        """Number of findings."""
        return len(self._findings)

    @property
    def surface_count(self) -> int:
        """Number of surface forms."""
        return len(self._surfaces)

    def read_column(self, name: str) -> Numbers:
        """Return a column, little-endian, `(findings,)`.

        Args:
            name: name of the column.

        Raises:
            KeyError: if there is no such column.
        """
        if name == "key" and name not in self._columns:
            self._columns[name] = np.array([compute_key(one) for one in self._findings], "<u8")  # (findings,)
        if name == "surface" and name not in self._columns:
            numbers = {text: number for number, (text, _) in enumerate(self._surfaces)}
            self._columns[name] = np.array([numbers[get_surface(one)] for one in self._findings], "<u4")  # (findings,)
        return self._columns[name]

    def read_surfaces(self, first: int, limit: int | None) -> Sequence[tuple[str, int]]:
        """Return surface forms and their counts from a number on."""
        return self._surfaces[first : None if limit is None else first + limit]

    def load(self, positions: Sequence[int]) -> Sequence[Finding]:
        """Load findings by position."""
        return [self._findings[at] for at in positions]

    def search(self, query: str) -> NDArray[np.uint32]:
        """Return the positions of findings whose text or document has the words."""
        folded = fold_text(query)
        found = [at for at, text in enumerate(self._search_texts) if folded in text]
        return np.array(found, "<u4")  # (found,)

    @cached_property
    def _search_texts(self) -> list[str]:
        return [fold_text(f"{one.text or ''}\n{one.document}") for one in self._findings]

    @cached_property
    def _surfaces(self) -> list[tuple[str, int]]:
        counts = Counter(map(get_surface, self._findings))
        return sorted(counts.items(), key=lambda item: (-item[1], item[0]))

    def _list_facets(self) -> list[tuple[str, Iterable[str]]]:
        columns = dict.fromkeys(column for one in self._findings for column in get_slices(one))
        return [
            ("kind", (one.kind for one in self._findings)),
            ("label", map(format_label_pair, self._findings)),
            *((SLICE + name, [str(get_slices(one).get(name, "")) for one in self._findings]) for name in columns),
        ]

    def _add_facet(self, name: str, values: Iterable[str]) -> FacetCounts:
        numbers: dict[str, int] = {}
        column = np.array([numbers.setdefault(value, len(numbers)) for value in values], np.int64)  # (findings,)
        counts = np.bincount(column, minlength=len(numbers))  # (values,)
        self._columns[name] = column.astype(f"<u{choose_width(len(numbers))}")
        return FacetCounts(name, tuple(numbers), tuple(counts.tolist()))


def choose_width(values: int) -> int:
    """Choose the bytes of a number of so many values: 1, 2 or 4."""
    return next(width for width in (1, 2, 4) if values <= 1 << 8 * width)


def select_positions(
    source: FindingSource, wanted: Mapping[str, Sequence[str]], documents: Sequence[int] = ()
) -> NDArray[np.uint32]:
    """Select the positions of findings that have one of the values in every facet.

    Args:
        source: the findings.
        wanted: values by the name of a facet; unknown names and values select nothing.
        documents: numbers of documents; empty for all.

    Returns:
        Positions, ascending, `(found,)`.
    """
    selected = np.ones(source.count, bool)  # (findings,)
    facets = {facet.name: facet for facet in source.facets}
    for name, values in wanted.items():
        facet = facets.get(name)
        if facet is None:
            return np.zeros(0, "<u4")
        has_value = np.array([value in values for value in facet.values], bool)  # (values,)
        selected &= has_value[source.read_column(name)] if len(has_value) else False
    if documents:
        selected &= np.isin(source.read_column("document"), documents)
    return np.flatnonzero(selected).astype("<u4")
