"""Findings of a run as a list.

The list selects findings, draws itself, and becomes a data frame.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self, SupportsIndex, overload

from isogloss.kernel.findings import Finding
from isogloss.kernel.presenters import call_presenter
from isogloss.runs.frame_source import FrameSource

Names = str | Iterable[str] | None


class Findings(FrameSource, tuple[Finding, ...]):  # noqa: SLOT001  a tuple can have no slots
    """Findings of a run, in order of documents and places.

    Args:
        findings: the findings.
        task: name of the task, which decides how they are drawn; empty if unknown.

    Examples:
        >>> from isogloss import ner
        >>> run = ner([["B-PER", "O"]], [["O", "B-LOC"]], tokens=[["Ada", "wrote"]], findings=True)
        >>> [(finding.kind, finding.text) for finding in run.findings.select(label="PER")]
        [('missed', 'Ada wrote')]
    """

    task: str

    def __new__(cls, findings: Iterable[Finding] = (), task: str = "") -> Self:
        """Build the list."""
        self = super().__new__(cls, tuple(findings))
        self.task = task
        return self

    @overload
    def __getitem__(self, at: SupportsIndex, /) -> Finding: ...
    @overload
    def __getitem__(self, at: slice, /) -> Findings: ...
    def __getitem__(self, at: SupportsIndex | slice, /) -> Finding | Findings:
        """Return a finding, or a part of the list."""
        if isinstance(at, slice):
            return Findings(super().__getitem__(at), self.task)
        return super().__getitem__(at)

    def select(self, *, kind: Names = None, label: Names = None, document: Names | int = None) -> Findings:
        """Select findings that fulfil all conditions.

        Args:
            kind: a kind, such as `missed`, or several; None for all.
            label: a label that one of the sides has, or several; None for all.
            document: id or number of a document, or several; None for all.
        """
        kinds, labels, documents = map(_to_set, (kind, label, document))
        return Findings(
            (
                finding
                for finding in self
                if (kinds is None or finding.kind in kinds)
                and (labels is None or any(mark.label in labels for mark in finding.marks))
                and (documents is None or finding.document in documents)
            ),
            self.task,
        )

    def to_frame(self, library: str | None = None) -> Any:
        """Return a data frame with a row for each finding.

        Columns: `kind`, `document`, `where`; for each side its `label`, `start`, `end` and `words`, such as
        `reference_label`; `text`; and the slices and further facts of the findings.

        Args:
            library: `pandas`, `polars` or `pyarrow`; None for the first of these that is installed.

        Raises:
            UsageError: if the library is unknown.
            MissingExtraError: if it is not installed.
        """
        from isogloss.runs.frames import (  # noqa: PLC0415  few need it
            build_finding_rows,
            build_frame,
            list_finding_columns,
        )

        rows = build_finding_rows(self)
        return build_frame(rows, list_finding_columns(rows), library)

    def __str__(self) -> str:
        text: str = call_presenter("findings_text", self)
        return text

    def _repr_html_(self) -> str:
        html: str = call_presenter("findings_html", self)
        return html


def _to_set(names: Names | int) -> frozenset[str] | None:
    if names is None:
        return None
    return frozenset((str(names),)) if isinstance(names, str | int) else frozenset(map(str, names))
