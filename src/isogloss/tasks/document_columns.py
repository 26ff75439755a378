"""Columns of documents, and digests of references.

Columns come from the data or the caller; `document_length` and `script` are built in.

Two runs have the same reference if its digests are equal. A digest is needed if no file holds the reference alone: for
lists, and for files with both sides. Otherwise the SHA-256 of the file is used. The joined bytes of batches do not
depend on the borders of batches.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from hashlib import blake2b, sha256
from itertools import islice
from typing import Any, Generic, Protocol, TypeVar

import msgspec
import numpy as np

from isogloss.errors import UsageError
from isogloss.kernel.counted_corpus import BatchDescription, FindInBatch
from isogloss.kernel.findings import Finding, keep_first_documents
from isogloss.kernel.provenance import ColumnProvenance, Provenance, RunWarning
from isogloss.kernel.scores import Ints
from isogloss.records.attributes import FILE_COLUMN, as_text
from isogloss.records.shards import Shards
from isogloss.records.sources import Source
from isogloss.runs.run_json import ORACLE_ROLE, InputFile
from isogloss.tasks.scoring_options import ScoringOptions
from isogloss.text.scripts import load_character_table, to_code_points

LENGTH_BOUNDS = (10, 20, 50, 100, 500)
STRING_END = "\0"  # in digests
UNKNOWN_SCRIPT = "Zyyy"  # ISO 15924: undetermined script


def bucket_number(number: int, highest: Sequence[int], lowest: int = 1) -> str:
    """Name the bucket of a number, such as `1-10`, `5` or `>500`.

    Args:
        number: 0 or more. A number below `lowest` has a bucket of its own.
        highest: the highest number of each bucket, ascending.
        lowest: the lowest number of the first bucket.
    """
    if number < lowest:
        return str(number)
    at = bisect_left(highest, number)
    if at == len(highest):
        return f">{highest[-1]}"
    first = highest[at - 1] + 1 if at else lowest
    return str(first) if first == highest[at] else f"{first}-{highest[at]}"


def find_dominant_script(text: str) -> str:
    """Return the ISO 15924 code of a text's most frequent script.

    The code is `Zyyy` for a text without letters. If scripts have equally many letters, the first code in alphabetical
    order wins.
    """
    table = load_character_table()
    times = np.bincount(
        table.script_index[to_code_points(text)], minlength=len(table.script_sets)
    )  # (sets of scripts,)
    letters: dict[str, int] = {}
    for at in np.flatnonzero(times).tolist():
        for script in table.script_sets[at][:1]:
            letters[script] = letters.get(script, 0) + int(times[at])
    return min(letters, key=lambda script: (-letters[script], script), default=UNKNOWN_SCRIPT)


NO_VALUE = "none"  # the value of a column where a document has none
DOCUMENT_LENGTH, SCRIPT = "document_length", "script"
BUILT_IN_COLUMNS = (DOCUMENT_LENGTH, SCRIPT)


class DocumentBatch(Protocol):
    """A batch of documents, as columns are read from it."""

    @property
    def documents(self) -> Ints:
        """(documents,) numbers, ascending from batch to batch."""

    @property
    def warnings(self) -> tuple[RunWarning, ...]:
        """Warnings about the input."""

    @property
    def provenance(self) -> Provenance:
        """Names, places and texts of the documents."""


B = TypeVar("B", bound=DocumentBatch)
Texts = Sequence[str | None]
Lengths = Sequence[int | None]


def read_document_texts(batch: DocumentBatch) -> Texts:
    """Return the text of each document, None without a text: (documents,)."""
    excerpts = (batch.provenance.get_excerpt(row) for row in range(len(batch.documents)))
    return [None if excerpt is None else excerpt.text for excerpt in excerpts]


@dataclass(frozen=True)
class DocumentFacts(Generic[B]):
    """How a task reads texts, lengths and columns of its documents.

    Args:
        columns: lists the columns of the data, for error messages only.
        texts: (documents,) the texts of a batch, for `script` and `document_length`.
        lengths: (documents,) the lengths of a batch in the units of the task; None for code points of the texts.
        file: returns the file of a row of a batch, if provenance has none.
        positions: (documents,) the positions of a batch in the caller's lists; None for the document numbers.
        document_count: number of documents that the caller gave; None for the number read.
        digest_reference: the reference of a batch as bytes; None if a file of its own holds the reference.
        text_column: the column of texts, if texts are read on demand only.
    """

    columns: Callable[[], Iterable[str]] = tuple
    texts: Callable[[B], Texts] = read_document_texts
    lengths: Callable[[B], Lengths] | None = None
    file: Callable[[B, int], str] | None = None
    positions: Callable[[B], Sequence[int]] | None = None
    document_count: int | None = None
    digest_reference: Callable[[B], bytes] | None = None
    text_column: str | None = None


class DocumentColumns(Generic[B]):
    """Reads the requested columns of documents, batch by batch.

    Args:
        options: the columns to read.
        facts: how the task reads its documents.
    """

    def __init__(self, options: ScoringOptions, facts: DocumentFacts[B]) -> None:
        self._options = options
        self._facts = facts
        self._own_columns: frozenset[str] | None = None  # the built-in names that are columns of the data
        self._found_columns: set[str] = set()
        self._last_document = -1
        self._has_file = facts.file is not None
        self._latest_values: tuple[B, dict[str, list[str]]] | None = None

    def describe(self, batch: B) -> BatchDescription:
        """Return names and column values of the documents of a batch.

        Args:
            batch: documents as the task reads them.

        Raises:
            UsageError: if a value is not a name, or the caller gave fewer values than documents.
        """
        names = [batch.provenance.name(row) for row in range(len(batch.documents))]
        digest = self._facts.digest_reference
        return BatchDescription(names, self._read_values(batch), b"" if digest is None else digest(batch))

    def add_slice_values(self, find: FindInBatch[B]) -> FindInBatch[B]:
        """Wrap `find` so that findings carry the slice values of their documents."""
        by = (*self._options.by, *self._options.finding_columns)
        if not by:
            return find

        def find_with_slices(batch: B, limit: int) -> Iterator[Finding]:
            row_of: dict[str, int] = {}
            for finding in find(batch, limit):
                if not row_of:
                    values = self._read_values(batch)
                    row_of = {batch.provenance.name(row): row for row in range(len(batch.documents))}
                yield add_slices(finding, {column: values[column][row_of[finding.document]] for column in by})

        return find_with_slices

    def check_columns(self) -> None:
        """Check the columns after the last batch.

        Raises:
            UsageError: if no document has a requested column, or the caller gave more values than documents.
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
        """Return the values of each column: (documents,)."""
        if self._latest_values is not None and self._latest_values[0] is batch:
            return self._latest_values[1]
        values = {}
        for column in self._options.needed_columns:
            raw = self._read_raw_values(batch, column)
            if any(value is not None for value in raw):
                self._found_columns.add(column)
            values[column] = [NO_VALUE if value is None else value for value in raw]
        if len(batch.documents):
            self._last_document = int(batch.documents[-1])
            self._has_file = self._has_file or has_column(batch, FILE_COLUMN)
            self._latest_values = batch, values
        return values

    def _read_raw_values(self, batch: B, column: str) -> Sequence[str | None]:
        if column in self._options.caller_columns:
            return self._take_caller_values(batch, column)
        if column == DOCUMENT_LENGTH and not self._is_data_column(batch, column):
            lengths = (
                [None if text is None else len(text) for text in self._facts.texts(batch)]
                if self._facts.lengths is None
                else self._facts.lengths(batch)
            )
            return [None if length is None else bucket_number(length, LENGTH_BOUNDS) for length in lengths]
        if column == SCRIPT and not self._is_data_column(batch, column):
            return [None if text is None else find_dominant_script(text) for text in self._facts.texts(batch)]
        provenance, rows = batch.provenance, range(len(batch.documents))
        values = (
            [provenance.value(row, column) for row in rows]
            if isinstance(provenance, ColumnProvenance)
            else [None for _ in rows]
        )
        if column == FILE_COLUMN and self._facts.file is not None:
            find_file = self._facts.file
            return [find_file(batch, row) if value is None else value for row, value in enumerate(values)]
        return values

    def _take_caller_values(self, batch: B, column: str) -> list[str | None]:
        values = self._options.caller_columns[column]
        positions = self._facts.positions
        places = batch.documents.tolist() if positions is None else positions(batch)
        if max(places, default=-1) >= len(values):
            raise self._value_count_error(column, "more documents", len(values))
        return [as_text(values[k], column, f"by[{column!r}][{k}]") for k in places]

    def _value_count_error(self, column: str, documents: str, place: int) -> UsageError:
        values = len(self._options.caller_columns[column])
        return UsageError(
            f"by[{column!r}][{place}]: got {values} values for {documents}. Give one value for each document.",
        )

    def _is_data_column(self, batch: B, column: str) -> bool:
        """Return whether the data have a column named like a built-in one."""
        if self._own_columns is None:
            own = BUILT_IN_COLUMNS if len(batch.documents) else ()
            self._own_columns = frozenset(name for name in own if has_column(batch, name))
        return column in self._own_columns

    def _unknown_column_error(self, column: str) -> UsageError:
        own = [name for name in self._facts.columns() if name != column]
        built_in = (name for name in BUILT_IN_COLUMNS if name != column and self._has_value(name, own))
        available = [*dict.fromkeys((*own, *([FILE_COLUMN] if self._has_file else []), *built_in))]
        close = get_close_matches(column, available, n=1)
        meant = f"; did you mean {close[0]}?" if close else "."
        choices = f"Choose from {', '.join(available)}." if available else "The documents have no columns."
        why = " It needs texts, and the documents have none." if column in BUILT_IN_COLUMNS else ""
        return UsageError(f"No document has a value in the column {column!r}{meant}{why} {choices}")

    def _has_value(self, column: str, own: Sequence[str]) -> bool:
        """Return whether a document of the latest batch has a value.

        A document also counts if it will have a value once its text is read.
        """
        if self._facts.text_column in own or self._latest_values is None:
            return True
        return any(value is not None for value in self._read_raw_values(self._latest_values[0], column))


def choose_findings(find: FindInBatch[B], kinds: Collection[str], labels: Collection[str]) -> FindInBatch[B]:
    """Wrap `find` to keep chosen findings, and the first of each kind.

    Args:
        find: returns the findings of a batch.
        kinds: the chosen kinds; empty for all.
        labels: labels of which a chosen finding has one; empty for all.
    """
    known: set[str] = set()

    def is_kept(finding: Finding) -> bool:
        is_first = finding.kind not in known
        known.add(finding.kind)
        return is_first or (
            (not kinds or finding.kind in kinds) and (not labels or any(mark.label in labels for mark in finding.marks))
        )

    return lambda batch, limit: islice(filter(is_kept, find(batch, 2**62)), limit)


def find_in_first_documents(find: FindInBatch[B], number: int) -> FindInBatch[B]:
    """Wrap `find` to find errors of the first documents that have any.

    Args:
        find: returns the findings of a batch.
        number: most documents.
    """
    known = 0

    def find_in_them(batch: B, limit: int) -> list[Finding]:
        nonlocal known
        if known >= number:
            return []
        findings, documents = keep_first_documents(find(batch, limit), number - known)
        known += documents
        return findings

    return find_in_them


def note_numbered_documents(find: FindInBatch[B], is_numbered: list[bool]) -> FindInBatch[B]:
    """Wrap `find` to note which findings have numbered documents.

    Args:
        find: returns the findings of a batch.
        is_numbered: gets an item for each finding.
    """

    def find_and_note(batch: B, limit: int) -> Iterator[Finding]:
        rows: dict[str, int] = {}
        for finding in find(batch, limit):
            rows = rows or {str(number + 1): row for row, number in enumerate(batch.documents.tolist())}
            row = rows.get(finding.document)
            is_numbered.append(row is not None and batch.provenance.name(row) == finding.document)
            yield finding

    return find_and_note


def has_column(batch: DocumentBatch, column: str) -> bool:
    """Return whether a batch's first document has a value in a column.

    The column is one of the data.
    """
    provenance = batch.provenance
    return (
        bool(len(batch.documents))
        and isinstance(provenance, ColumnProvenance)
        and provenance.value(0, column) is not None
    )


def add_slices(finding: Finding, slices: dict[str, Any]) -> Finding:
    """Return the finding with more slice values."""
    return msgspec.structs.replace(
        finding, extra={**finding.extra, "slices": {**finding.extra.get("slices", {}), **slices}}
    )


def has_own_file(sources: Iterable[tuple[str, Source]]) -> bool:
    """Return whether the reference is read from a file of its own.

    The sources are (role, file) pairs. A file with both sides is one `Source`. If the reference is also given as a
    system, its file is opened twice.
    """
    return len({id(source) for _, source in sources}) > 1


def list_input_files(sources: Iterable[tuple[str, Source]]) -> tuple[InputFile, ...]:
    """List files with their digests; call after a pass over them.

    The role of a prediction is `oracle` if its file is the reference, opened a second time.

    Args:
        sources: role of each file, and the file.
    """
    known = list(sources)
    references = {source.name: source for role, source in known if role == "reference"}
    oracles = {id(source) for _, source in known if references.get(source.name, source) is not source}
    return tuple(
        InputFile(ORACLE_ROLE if id(source) in oracles else role, source.name, source.sha256 or "", count_files(source))
        for role, source in known
    )


def count_files(source: Source) -> int | None:
    """Count the files of shards; None for a single file."""
    return len(source.files) if isinstance(source, Shards) else None


def add_words_to_digest(digest: str | None, samples: Iterable[Sequence[str]] | None) -> str | None:
    """Add the words of a reference to the digest of its documents.

    The reference is given as a list.

    Args:
        digest: digest of the documents, None if single documents were not kept.
        samples: the words of each document; None if the reference is a file.
    """
    if digest is None or samples is None:
        return digest
    whole = sha256(digest.encode())
    for words in samples:
        whole.update(
            (str(len(words)) + STRING_END + "".join(word + STRING_END for word in words)).encode(
                "utf-8", "surrogatepass"
            )
        )
    return whole.hexdigest()


def hash_labels(labels: Sequence[str]) -> Ints:
    """Return a number for each label: (labels,).

    The number does not depend on other labels.
    """
    digests = (blake2b(label.encode("utf-8", "surrogatepass"), digest_size=8).digest() for label in labels)
    return np.frombuffer(b"".join(digests), np.int64)
