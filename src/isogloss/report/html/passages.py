"""Excerpts of one document put together where they overlap, so that a text is shown once with all its findings.

Only where positions are code points, as in segmentation and code-switching: then an excerpt says where it stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isogloss.findings import Finding


@dataclass(frozen=True)
class Passage:
    """A part of a document's text and the findings in it.

    Args:
        text: the part.
        offset: where it begins in the document.
        before: whether the document goes on before it.
        after: whether it goes on after it.
        findings: in the order of their places.
    """

    text: str
    offset: int
    before: bool
    after: bool
    findings: tuple[Finding, ...]

    def within(self, finding: Finding, at: int) -> int:
        """Where code point `at` of a finding's own excerpt is in the passage."""
        return at + offset_of(finding) - self.offset


def passages(findings: Sequence[Finding]) -> list[Passage]:
    """The excerpts of one document, those that overlap or touch put together.

    Args:
        findings: of one document, each with a text and a mark in it.
    """
    found: list[Passage] = []
    for finding in sorted(findings, key=lambda one: (offset_of(one), one.marks[0].start)):
        one = Passage(finding.text or "", offset_of(finding), finding.before, finding.after, (finding,))
        together = _together(found[-1], one) if found else None
        if together is None:
            found.append(one)
        else:
            found[-1] = together
    return found


def offset_of(finding: Finding) -> int:
    """Where the excerpt of a finding begins in its document, in code points."""
    mark = finding.marks[0]
    return mark.start - (mark.begin or 0)


def has_place(finding: Finding) -> bool:
    """Whether an excerpt says where it stands: its marks are as long in the document as in the excerpt."""
    marks = finding.marks
    lengths = all(mark.begin is not None and mark.end - mark.start == (mark.stop or 0) - mark.begin for mark in marks)
    return finding.text is not None and bool(marks) and lengths


def _together(first: Passage, second: Passage) -> Passage | None:
    """Two passages as one; None where they are apart or do not agree."""
    shared = first.offset + len(first.text) - second.offset
    overlap = second.text[: max(shared, 0)]
    if shared < 0 or not first.text[len(first.text) - shared :].startswith(overlap):
        return None
    text = first.text + second.text[shared:]
    after = second.after if len(second.text) >= shared else first.after
    return Passage(text, first.offset, first.before, after, first.findings + second.findings)
