"""Findings in rows, as older stores and exports have them.

They are stores up to version 0004 and exports up to layout 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from isogloss.kernel.findings import Finding, Mark

FORMER_PARTS = frozenset(("findings", "finding_groups", "finding_slices"))  # their digests


def to_finding(kind: str, document: str, place: str, payload: Any) -> Finding:
    """Convert a row to a finding.

    Args:
        kind: its kind.
        document: its document.
        place: file and line.
        payload: marks, text and further keys.

    Raises:
        TypeError: if the payload has other types.
        LookupError: if it has no marks.
    """
    more = payload.get("more", {})
    return Finding(
        kind=kind,
        document=document,
        where=place,
        marks=tuple(Mark(*mark) for mark in payload["marks"]),
        text=payload.get("text"),
        before=payload.get("before", False),
        after=payload.get("after", False),
        extra=more if isinstance(more, Mapping) else {"more": more},
    )
