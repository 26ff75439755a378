"""Names for parts of a corpus that documents have in common: lengths in classes, and scripts."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from isogloss.errors import UsageError
from isogloss.kernel.counting import BatchDescription, FindInBatch
from isogloss.kernel.findings import Finding
from isogloss.kernel.provenance import ColumnProvenance, Provenance, RunWarning
from isogloss.kernel.scores import Ints
from isogloss.records.attributes import FILE, as_text
from isogloss.tasks.scoring_options import ScoringOptions
from isogloss.text.scripts import load_character_table, to_code_points

LENGTH_BOUNDS = (10, 20, 50, 100, 500)
UNKNOWN_SCRIPT = "Zyyy"  # ISO 15924: undetermined script


def bucket_number(number: int, highest: Sequence[int], lowest: int = 1) -> str:
    """The class that a number falls into, such as `1-10`, `5` or `>500`.

    Args:
        number: 0 or more. 0 is a class of its own where classes begin at 1.
        highest: the highest number of each class, ascending.
        lowest: the lowest number of the first class.
    """
    if number < lowest:
        return str(number)
    at = bisect_left(highest, number)
    if at == len(highest):
        return f">{highest[-1]}"
    first = highest[at - 1] + 1 if at else lowest
    return str(first) if first == highest[at] else f"{first}-{highest[at]}"


def find_dominant_script(text: str) -> str:
    """The script that most letters of a text are of, by its four-letter code; `Zyyy` without letters.

    Of scripts with as many letters, the first by its code.
    """
    table = load_character_table()
    times = np.bincount(
        table.script_index[to_code_points(text)], minlength=len(table.script_sets)
    )  # (sets of scripts,)
    found: dict[str, int] = {}
    for at in np.flatnonzero(times).tolist():
        for script in table.script_sets[at][:1]:
            found[script] = found.get(script, 0) + int(times[at])
    return min(found, key=lambda script: (-found[script], script), default=UNKNOWN_SCRIPT)


NO_VALUE = "none"  # the value of a column where a document has none
DOCUMENT_LENGTH, SCRIPT = "document_length", "script"
BUILT_IN_COLUMNS = (DOCUMENT_LENGTH, SCRIPT)


class DocumentBatch(Protocol):
    """What is asked of a batch."""

    @property
    def documents(self) -> Ints:
        """(documents,) numbers, ascending from batch to batch."""

    @property
    def warnings(self) -> tuple[RunWarning, ...]:
        """What was done about the input."""

    @property
    def origin(self) -> Provenance:
        """Where the documents come from."""


B = TypeVar("B", bound=DocumentBatch)
Texts = Sequence[str | None]
Lengths = Sequence[int | None]


def read_document_texts(batch: DocumentBatch) -> Texts:
    """(documents,) the text of each, None where there is none."""
    found = (batch.origin.passage(row) for row in range(len(batch.documents)))
    return [None if passage is None else passage.text for passage in found]


@dataclass(frozen=True)
class DocumentFacts(Generic[B]):
    """What a task knows of its documents.

    Args:
        columns: the columns of the data, as far as its beginning tells; asked for only to say them in an error.
        texts: (documents,) the text of each that its script and length are those of.
        lengths: (documents,) the length of each in the units of the task; None for the code points of its text.
        file: that all documents are from, where origins do not tell.
        positions: (documents,) where each stands in what the caller gave; None for its number.
        number: how many documents the caller gave; None for as many as were read.
        reference: what the reference says of a batch, where no file holds it alone; None where a file does.
        text: the column of texts, where they are only read when something is asked for that needs them.
    """

    columns: Callable[[], Iterable[str]] = tuple
    texts: Callable[[B], Texts] = read_document_texts
    lengths: Callable[[B], Lengths] | None = None
    file: str | None = None
    positions: Callable[[B], Sequence[int]] | None = None
    document_count: int | None = None
    digest_reference: Callable[[B], bytes] | None = None
    text_column: str | None = None


class DocumentColumns(Generic[B]):
    """The columns that are wanted of documents, a batch after the other.

    Args:
        wanted: which.
        known: what the task knows of its documents.
    """

    def __init__(self, options: ScoringOptions, facts: DocumentFacts[B]) -> None:
        self._options = options
        self._facts = facts
        self._own_columns: frozenset[str] | None = None  # of those that are there for all tasks, the data's own
        self._found_columns: set[str] = set()
        self._last_document = -1
        self._has_file = facts.file is not None
        self._latest_values: tuple[B, dict[str, list[str]]] | None = None

    def describe(self, batch: B) -> BatchDescription:
        """Names and columns of the documents of a batch.

        Raises:
            UsageError: a value is no name, or there are fewer than documents.
        """
        names = [batch.origin.name(row) for row in range(len(batch.documents))]
        told = self._facts.digest_reference
        return BatchDescription(names, self._read_values(batch), b"" if told is None else told(batch))

    def add_slice_values(self, find: FindInBatch[B]) -> FindInBatch[B]:
        """Findings that say to which slices their documents belong."""
        by = self._options.by
        if not by:
            return find

        def found(batch: B, limit: int) -> list[Finding]:
            findings = find(batch, limit)
            if not findings:
                return []
            values = self._read_values(batch)
            row_of = {batch.origin.name(row): row for row in range(len(batch.documents))}
            return [
                add_slices(finding, {column: values[column][row_of[finding.document]] for column in by})
                for finding in findings
            ]

        return found

    def check_columns(self) -> None:
        """Fails if no document has a column, once all were seen.

        Raises:
            UsageError: it names the columns that there are; or there are more values than documents.
        """
        if self._last_document < 0:
            return
        for column in self._options.needed_columns:
            if column not in self._found_columns:
                raise self._unknown_column_error(column)
        number = self._last_document + 1 if self._facts.document_count is None else self._facts.document_count
        for column, values in self._options.caller_columns.items():
            if len(values) > number:
                raise self._value_count_error(column, f"{number} documents", number)

    def _read_values(self, batch: B) -> dict[str, list[str]]:
        """(documents,) the values of each column."""
        if self._latest_values is not None and self._latest_values[0] is batch:
            return self._latest_values[1]
        values = {column: self._read_column(batch, column) for column in self._options.needed_columns}
        if len(batch.documents):
            self._last_document = int(batch.documents[-1])
            self._has_file = self._has_file or has_column(batch, FILE)
            self._latest_values = batch, values
        return values

    def _read_column(self, batch: B, column: str) -> list[str]:
        values = self._read_raw_values(batch, column)
        if any(value is not None for value in values):
            self._found_columns.add(column)
        return [NO_VALUE if value is None else value for value in values]

    def _read_raw_values(self, batch: B, column: str) -> Sequence[str | None]:
        if column in self._options.caller_columns:
            return self._take_caller_values(batch, column)
        if column == DOCUMENT_LENGTH and not self._is_data_column(batch, column):
            return [
                None if length is None else bucket_number(length, LENGTH_BOUNDS)
                for length in self._measure_lengths(batch)
            ]
        if column == SCRIPT and not self._is_data_column(batch, column):
            return [None if text is None else find_dominant_script(text) for text in self._facts.texts(batch)]
        origin, rows = batch.origin, range(len(batch.documents))
        values = (
            [origin.value(row, column) for row in rows]
            if isinstance(origin, ColumnProvenance)
            else [None for _ in rows]
        )
        if column == FILE and self._facts.file is not None:
            return [self._facts.file if value is None else value for value in values]
        return values

    def _take_caller_values(self, batch: B, column: str) -> list[str | None]:
        values = self._options.caller_columns[column]
        known = self._facts.positions
        places = batch.documents.tolist() if known is None else known(batch)
        if max(places, default=-1) >= len(values):
            raise self._value_count_error(column, "more documents", len(values))
        return [as_text(values[k], column, f"by[{column!r}][{k}]") for k in places]

    def _value_count_error(self, column: str, there_are: str, place: int) -> UsageError:
        values = self._options.caller_columns[column]
        return UsageError(
            f"by[{column!r}][{place}]: {len(values)} values are given, but there are {there_are}. Give one for each.",
        )

    def _is_data_column(self, batch: B, column: str) -> bool:
        """Whether a column that is there for all tasks is one of the data."""
        if self._own_columns is None:
            own = BUILT_IN_COLUMNS if len(batch.documents) else ()
            self._own_columns = frozenset(name for name in own if has_column(batch, name))
        return column in self._own_columns

    def _measure_lengths(self, batch: B) -> Lengths:
        known = self._facts
        if known.lengths is not None:
            return known.lengths(batch)
        return [None if text is None else len(text) for text in known.texts(batch)]

    def _unknown_column_error(self, column: str) -> UsageError:
        own = [name for name in self._facts.columns() if name != column]
        made = (name for name in BUILT_IN_COLUMNS if name != column and self._has_value(name, own))
        having = [*dict.fromkeys((*own, *([FILE] if self._has_file else []), *made))]
        close = get_close_matches(column, having, n=1)
        meant = f" Is {close[0]!r} meant?" if close else ""
        listed = f"There are: {', '.join(having)}." if having else "There are none."
        why = " It is that of texts, and there are none." if column in BUILT_IN_COLUMNS else ""
        return UsageError(f"No document has a value in the column {column!r}.{why} {listed}{meant}")

    def _has_value(self, column: str, own: Sequence[str]) -> bool:
        """Whether one of the latest documents has a value in a column, or will have when its text is read."""
        if self._facts.text_column in own or self._latest_values is None:
            return True
        return any(value is not None for value in self._read_raw_values(self._latest_values[0], column))


def has_column(batch: DocumentBatch, column: str) -> bool:
    """Whether the first document of a batch has a value in a column of the data."""
    origin = batch.origin
    return bool(len(batch.documents)) and isinstance(origin, ColumnProvenance) and origin.value(0, column) is not None


def add_slices(finding: Finding, slices: dict[str, Any]) -> Finding:
    """The finding with the values of more columns."""
    return replace(finding, extra={**finding.extra, "slices": {**finding.extra.get("slices", {}), **slices}})
