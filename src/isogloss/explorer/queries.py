"""Queries of the explorer's URLs, and answers that are files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import msgspec
from msgspec import Meta

from isogloss.errors import DataError, UsageError
from isogloss.explorer.payloads import ExportFormat

ROWS_PER_PAGE = 500
MAX_POSITIONS = 200
MAX_EXPORTED = 5000  # positions of an export
SLICE_PREFIX = "slice:"
OCTETS = "application/octet-stream"
JSON = "application/json"
RowLimit = Annotated[int, Meta(ge=1, le=ROWS_PER_PAGE, description="Most findings of a page.")]
Runs = Annotated[str, Meta(description="Ids of runs, separated by commas.")]
Repeated = Annotated[list[str], Meta(description="Findings with any of these values; may be repeated.")]


class UnknownError(DataError):
    """Thing that a URL names and that does not exist."""


class Nothing(msgspec.Struct, forbid_unknown_fields=True):
    """No query."""


class SurfaceQuery(msgspec.Struct, rename={"first": "from"}, forbid_unknown_fields=True):
    """Query of surface forms."""

    first: Annotated[int, Meta(ge=0)] = 0
    limit: Annotated[int, Meta(ge=1)] | None = None


class RunQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Conditions on listed runs; None is no condition.

    Args:
        task: only runs of this task.
        corpus: only runs on the corpus of this name.
        tag: only runs with this tag.
        name: only runs of this name.
        system: only runs of this system.
        after: id of the last run of the page before.
        limit: most runs of the page.
    """

    task: str | None = None
    corpus: str | None = None
    tag: str | None = None
    name: str | None = None
    system: str | None = None
    after: str | None = None
    limit: Annotated[int, Meta(ge=1, le=1000, description="Most runs of a page.")] = 200


class FindingQuery(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Query of findings.

    It has positions, or the conditions of a page.
    """

    positions: Annotated[str, Meta(description="At most 200 positions, separated by commas.")] = ""
    after: Annotated[int, Meta(ge=-1)] = -1
    limit: RowLimit = 50
    kind: Repeated = []
    label: Repeated = []
    document: Annotated[list[int], Meta(description="Findings of any of these documents, by number.")] = []
    slices: Annotated[dict[str, list[str]], Meta(description="Values by column, as `slice:COLUMN=VALUE`.")] = {}

    @property
    def values_by_facet(self) -> dict[str, list[str]]:
        """Requested values by the name of their facet."""
        named = {"kind": self.kind, "label": self.label}
        return {name: values for name, values in named.items() if values} | {
            f"{SLICE_PREFIX}{column}": values for column, values in self.slices.items()
        }


class SearchQuery(msgspec.Struct, forbid_unknown_fields=True):
    """Query of a search."""

    q: Annotated[
        str,
        Meta(max_length=1000, description="Words in the text or name of a document; without any, texts are only read."),
    ]


class ComparisonQuery(msgspec.Struct, forbid_unknown_fields=True):
    """Query of a comparison."""

    runs: Runs


class TestQuery(ComparisonQuery, kw_only=True):
    """Query of tests of runs against the first one."""

    __test__ = False  # not a test class of pytest

    score: Annotated[str | None, Meta(description="Path of the score; without it, the main score.")] = None


class ExportQuery(FindingQuery, kw_only=True):
    """Query of an export: the same conditions, without a page."""

    positions: Annotated[str, Meta(description="At most 5,000 positions, separated by commas.")] = ""
    run: str
    format: ExportFormat = "jsonl"


@dataclass(frozen=True)
class Answer:
    """An answer: its body and media type.

    Args:
        body: the bytes.
        media_type: their media type.
        file_name: name under which a browser saves it; empty to show it.
    """

    body: bytes
    media_type: str = JSON
    file_name: str = ""


def parse_number(text: str) -> int:
    """Parse a number of a path.

    Args:
        text: part of the path.

    Raises:
        UnknownError: if it is not a number.
    """
    if not (text.isascii() and text.isdigit() and len(text) < 10):  # noqa: PLR2004  no run has so many findings
        raise UnknownError(f"{text!r} is not a number")
    return int(text)


def split_ids(text: str) -> list[str]:
    """Split ids that are separated by commas."""
    return [each for each in text.split(",") if each]


def split_positions(text: str, most: int = MAX_POSITIONS) -> list[int]:
    """Split positions that are separated by commas.

    Args:
        text: the positions.
        most: largest number of positions.

    Raises:
        UsageError: if one is not a number, or there are too many.
    """
    words = split_ids(text)
    if len(words) > most:
        raise UsageError(f"positions has {len(words)} numbers, but at most {most} are allowed.")
    return [parse_number(word) for word in words]
