"""A counted corpus: counts or tally, warnings and findings of all batches.

Batches are counted one after the other. The corpus runs a metric on batches and collects `kernel.counts`; when there
are many documents, it turns them into a tally.

Memory is bounded by one batch, `MAX_HELD_VALUES` numbers and the tally. Counts are held up to that many, then tallied.
Tallies are held until together they have as many distinct documents as the merged tally, then merged with it, so each
document is processed a constant number of times.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import DataError
from isogloss.kernel.counts import Counts, narrow_integers
from isogloss.kernel.findings import Finding, pause_garbage_collection
from isogloss.kernel.metric import Metric
from isogloss.kernel.provenance import RunWarning
from isogloss.kernel.scores import Ints
from isogloss.kernel.slices import Attribute, AttributeBuilder
from isogloss.kernel.tallied_documents import TalliedDocuments
from isogloss.kernel.tally import Tally

MAX_HELD_VALUES = 2**17  # numbers of eight bytes each
NAMES_AT_ONCE = 2**14
NAME_COLUMN = "document"  # attribute with the names of documents, if they are not numbers
REUSED_BYTES = 2**24  # bytes, more than any array computed for a batch


class CountableBatch(Protocol):
    """Batch that can be counted."""

    @property
    def documents(self) -> Ints:
        """(documents,) numbers, ascending from batch to batch."""

    @property
    def warnings(self) -> tuple[RunWarning, ...]:
        """Warnings about the input."""


B = TypeVar("B", bound=CountableBatch)
FindInBatch = Callable[[B, int], Iterable[Finding]]


@dataclass(frozen=True)
class BatchDescription:
    """Names and other columns of the documents of a batch.

    Args:
        names: (documents,) ids that the user knows.
        columns: per column (documents,) its values.
        reference_bytes: what the reference contains, for the digest, if it is not a file with its own digest.
    """

    names: Sequence[str]
    columns: Mapping[str, Sequence[str]]
    reference_bytes: bytes = b""


DescribeBatch = Callable[[B], BatchDescription]


@dataclass(frozen=True, eq=False)
class KeptDocuments:
    """Every document of a corpus, not only the distinct ones.

    Args:
        tallied: the documents with their counts.
        attributes: values of each document, by column.
        digest: SHA-256 of the documents' names in order, and of the reference if it is not a file.
        reference_bytes: what the digest of the reference was computed from, if it was to be kept.
    """

    tallied: TalliedDocuments
    attributes: Mapping[str, Attribute]
    digest: str
    reference_bytes: bytes = field(default=b"", repr=False)

    @property
    def documents(self) -> Ints:
        """(documents,) their numbers, ascending."""
        return self.tallied.documents

    def iterate_names(self) -> Iterator[tuple[Ints, Sequence[str]]]:
        """Yield numbers and names of the next documents.

        The name of a document is its number from 1 by default.
        """
        named = self.attributes.get(NAME_COLUMN)
        for low in range(0, len(self.documents), NAMES_AT_ONCE):
            high = low + NAMES_AT_ONCE
            documents = self.documents[low:high]
            yield documents, _format_numbers(documents) if named is None else named.list_values(low, high)

    @classmethod
    def merge(cls, parts: Sequence[Self], firsts: Sequence[int]) -> KeptDocuments:
        """Merge the documents of parts of a corpus.

        Args:
            parts: the documents of each part, numbered from 0; at least one.
            firsts: the number of each part's first document in the corpus.
        """
        collector = _DocumentCollector(keep_reference=True)
        for part, first in zip(parts, firsts, strict=True):
            low = 0
            for documents, names in part.iterate_names():
                high = low + len(documents)
                renumbered = [renumber_name(*each, first) for each in zip(names, documents.tolist(), strict=True)]
                columns = {
                    column: attribute.list_values(low, high)
                    for column, attribute in part.attributes.items()
                    if column != NAME_COLUMN
                }
                collector.add(documents + first, BatchDescription(renumbered, columns))
                low = high
            collector.add_reference(part.reference_bytes)
        moved = [
            replace(part.tallied, documents=part.documents + first) for part, first in zip(parts, firsts, strict=True)
        ]
        return collector.build_documents(TalliedDocuments.merge(moved))


def renumber_name(name: str, number: int, first: int) -> str:
    """Return the name of a document in the corpus.

    A name that is the number of the document in its part becomes its number in the corpus.

    Args:
        name: the name in the part.
        number: the number of the document in the part, from 0.
        first: the number of the part's first document in the corpus.
    """
    return str(number + first + 1) if first and name == str(number + 1) else name


def _format_numbers(documents: Ints) -> list[str]:
    """Return the names of documents without ids: their numbers from 1."""
    return [str(number + 1) for number in documents.tolist()]


@dataclass
class CountedCorpus:
    """Result of counting all batches.

    Args:
        tally: the distinct documents.
        warnings: merged warnings about the input.
        findings: Findings; empty if not requested.
        kept_documents: every document; None if not requested.
        is_numbered: (findings,) whether the document of a finding has its number as name; empty if unknown.
    """

    tally: Tally
    warnings: tuple[RunWarning, ...]
    findings: list[Finding] = field(default_factory=list)
    kept_documents: KeptDocuments | None = None
    is_numbered: Sequence[bool] = ()

    @property
    def digest(self) -> str | None:
        """SHA-256 of the documents; None if they were not kept."""
        return None if self.kept_documents is None else self.kept_documents.digest

    def replace_documents(self, before: Counts, after: Counts) -> CountedCorpus:
        """Replace the counts of some documents.

        Args:
            before: their counts in this corpus, ascending.
            after: their new counts, with the same cells.
        """
        kept = self.kept_documents
        if kept is None:
            return replace(self, tally=self.tally.replace_documents(before, after))
        tallied = kept.tallied.replace_documents(after)
        return replace(self, tally=tallied.tally, kept_documents=replace(kept, tallied=tallied))


def count_batches(  # noqa: PLR0913  each is independent
    batches: Iterable[B],
    metric: Metric[B],
    find_findings: FindInBatch[B] | None = None,
    limit: int | None = None,
    *,
    may_be_empty: bool = False,
    describe: DescribeBatch[B] | None = None,
    keep_reference: bool = False,
) -> CountedCorpus:
    """Count all batches.

    Args:
        batches: Documents, each in one batch only.
        metric: metric that counts them.
        find_findings: returns the first so many findings of a batch; None for no findings.
        limit: most findings in all; None for no limit.
        may_be_empty: whether a corpus without documents is allowed.
        describe: returns names and columns of the documents of a batch; None to keep no single documents.
        keep_reference: whether to keep the bytes of the reference, besides their digest.

    Raises:
        DataError: if there is no document.
    """
    reuse_freed_memory()
    tallies = _TallyBuilder(keep_documents=describe is not None)
    collector = _DocumentCollector(keep_reference=keep_reference)
    warnings: list[RunWarning] = []
    findings: list[Finding] = []
    for batch in batches:
        counts = metric.count(batch)
        tallies.add(counts)
        if describe is not None:
            collector.add(counts.documents, describe(batch))
        warnings.extend(batch.warnings)
        if find_findings is not None and (limit is None or len(findings) < limit):
            with pause_garbage_collection():
                findings.extend(find_findings(batch, 2**62 if limit is None else limit - len(findings)))
    tally = tallies.build_tally()
    if tally is None or not (tally.documents or may_be_empty):
        raise DataError("There is no document to score.", remedy="Check that the files are the ones you mean.")
    corpus = CountedCorpus(tally, RunWarning.merge(warnings), findings)
    if describe is None:
        return corpus
    tallied = TalliedDocuments(tally, collector.list_documents(), tallies.list_kinds())
    return replace(corpus, kept_documents=collector.build_documents(tallied))


def reuse_freed_memory() -> None:
    """Let the next batch reuse the memory that this one frees.

    The C library of Linux returns freed memory to the system until it has seen one large allocation freed; allocating
    it again for each batch took half of the time of a short run. This array is never written to, so it takes no memory.
    """
    np.empty(REUSED_BYTES, np.uint8)


class _DocumentCollector:
    """Names and columns of the documents of all batches so far."""

    def __init__(self, *, keep_reference: bool = False) -> None:
        self._kept_reference: list[bytes] | None = [] if keep_reference else None
        self._documents: list[Ints] = []
        self._last = -1  # the highest of them
        self._names: AttributeBuilder | None = None  # None while the name of each document is its number
        self._columns: dict[str, AttributeBuilder] = {}
        self._digest = hashlib.sha256()
        self._reference = hashlib.sha256()
        self._has_reference = False

    def add(self, documents: Ints, description: BatchDescription) -> None:
        """Add the documents of a batch.

        Args:
            documents: (documents,) their numbers.
            description: their names and columns.

        Raises:
            ValueError: if their numbers do not ascend.
        """
        if not (np.diff(documents, prepend=self._last) > 0).all():
            raise ValueError("documents must ascend from batch to batch")
        self._last = int(documents.max(initial=self._last))
        self._add_names(documents, description.names)
        self._documents.append(narrow_integers(documents))
        for column, names in description.columns.items():
            self._columns.setdefault(column, AttributeBuilder()).add(names)
        self.add_reference(description.reference_bytes)

    def _add_names(self, documents: Ints, names: Sequence[str]) -> None:
        for name in names:
            self._digest.update(name.encode("utf-8", "surrogatepass") + b"\0")
        if self._names is None and list(names) == _format_numbers(documents):
            return
        if self._names is None:
            self._names = AttributeBuilder()
            for earlier in self._documents:
                self._names.add(_format_numbers(earlier))
        self._names.add(names)

    def add_reference(self, content: bytes) -> None:
        """Add bytes of the reference, if it is not a file."""
        self._reference.update(content)
        self._has_reference = self._has_reference or bool(content)
        if self._kept_reference is not None:
            self._kept_reference.append(content)

    def list_documents(self) -> Ints:
        """List the numbers of the documents: (documents,)."""
        return np.concatenate([np.zeros(0, np.int64), *self._documents])

    def build_documents(self, tallied: TalliedDocuments) -> KeptDocuments:
        """Build the documents of all batches.

        Args:
            tallied: the documents with their counts.
        """
        named = {} if self._names is None else {NAME_COLUMN: self._names}
        attributes = {
            column: Attribute(tallied.documents, *builder.list_values())
            for column, builder in (named | self._columns).items()
        }
        if self._has_reference:
            self._digest.update(self._reference.digest())
        reference = b"".join(self._kept_reference or ())
        return KeptDocuments(tallied, attributes, self._digest.hexdigest(), reference)


class _TallyBuilder:
    """Tally of all batches so far.

    Where documents are kept, each distinct one has a number, in the order in which they came to the first tally: the
    order of that tally changes whenever others are merged with it.
    """

    def __init__(self, *, keep_documents: bool = False) -> None:
        self._keeps_documents = keep_documents
        self._pending: list[Counts] = []
        self._held = 0  # numbers in the pending counts
        self._tallies: list[Tally] = []  # the first one holds all earlier documents
        self._kinds: list[NDArray[np.integer]] = []  # of documents: these numbers, or positions in another tally
        self._numbers: Ints = np.zeros(0, np.int64)  # of the distinct documents of the first tally

    def add(self, counts: Counts) -> None:
        """Add the counts of a batch."""
        self._pending.append(counts)
        self._held += len(counts.documents) + 2 * len(counts.row) + counts.values.size  # a row has its cell, too
        if self._held >= MAX_HELD_VALUES:
            self._collapse()
            first, *others = (len(tally.times) for tally in self._tallies)
            if sum(others) >= first:
                self._merge()

    def build_tally(self) -> Tally | None:
        """Merge the tallies of all batches; None if there was no batch."""
        if self._pending:
            self._collapse()
        if len(self._tallies) > 1:
            self._merge()
        return next(iter(self._tallies), None)

    def list_kinds(self) -> NDArray[np.integer]:
        """List the position in the whole tally of each document: (documents,)."""
        place = np.empty(len(self._numbers), np.int64)
        place[self._numbers] = np.arange(len(place))
        kinds: NDArray[np.integer] = narrow_integers(place)[np.concatenate([np.zeros(0, np.uint8), *self._kinds])]
        return kinds

    def _collapse(self) -> None:
        counts = Counts.merge(self._pending)
        self._pending, self._held = [], 0
        if not self._keeps_documents:
            self._tallies.append(Tally.from_counts(counts))
            return
        added = TalliedDocuments.from_counts(counts)
        if not self._tallies:
            self._numbers = np.arange(len(added.tally.times))
        self._tallies.append(added.tally)
        self._kinds.append(added.kinds)

    def _merge(self) -> None:
        """Merge all tallies into the first."""
        if not self._keeps_documents:
            self._tallies = [Tally.merge(self._tallies)]
            return
        merged, places = Tally.merge_with_positions(self._tallies)
        numbers = np.full(len(merged.times), -1)
        numbers[places[0]] = self._numbers
        numbers[numbers < 0] = np.arange(len(self._numbers), len(numbers))
        for k, place in enumerate(places[1:], start=len(self._kinds) - len(places) + 1):
            self._kinds[k] = narrow_integers(numbers[place])[self._kinds[k]]
        self._tallies, self._numbers = [merged], numbers
