"""A counted corpus: counts or tally, warnings and findings of all batches.

Batches are counted one after the other. The corpus runs a metric on batches and collects `kernel.counts`; when there
are many documents, it turns them into a tally.

Memory is bounded by one batch, `MAX_HELD_VALUES` numbers and the tally. Counts are held up to that many, then tallied.
Tallies are held until together they have as many distinct documents as the merged tally, then merged with it, so each
document is processed a constant number of times.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, Self, TypeVar

import numpy as np

from isogloss.errors import DataError
from isogloss.kernel.counts import Counts, narrow_integers
from isogloss.kernel.findings import Finding, pause_garbage_collection
from isogloss.kernel.metric import Metric
from isogloss.kernel.provenance import RunWarning
from isogloss.kernel.scores import Ints
from isogloss.kernel.slices import Attribute
from isogloss.kernel.tally import Tally

MAX_HELD_VALUES = 2**17  # numbers of eight bytes each
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
FindInBatch = Callable[[B, int], list[Finding]]


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
    """Counts of every document, not only of the distinct ones.

    Args:
        counts: counts of each document, ascending.
        attributes: values of each document, by column.
        digest: SHA-256 of the documents' names in order, and of the reference if it is not a file.
        reference_bytes: what the digest of the reference was computed from, if it was to be kept.
    """

    counts: Counts
    attributes: Mapping[str, Attribute]
    digest: str
    reference_bytes: bytes = field(default=b"", repr=False)

    def list_names(self) -> list[str]:
        """List the names of the documents, by default their numbers from 1."""
        named = self.attributes.get(NAME_COLUMN)
        documents = self.counts.documents
        return [str(n + 1) for n in documents.tolist()] if named is None else named.look_up(documents).tolist()

    @classmethod
    def merge(cls, parts: Sequence[Self], firsts: Sequence[int]) -> Self:
        """Merge the documents of parts of a corpus.

        Args:
            parts: the documents of each part, numbered from 0; at least one.
            firsts: the number of each part's first document in the corpus.
        """
        names = [
            renumber_name(name, number, first)
            for part, first in zip(parts, firsts, strict=True)
            for name, number in zip(part.list_names(), part.counts.documents.tolist(), strict=True)
        ]
        counts = Counts.merge(
            [
                replace(part.counts, documents=part.counts.documents + first)
                for part, first in zip(parts, firsts, strict=True)
            ]
        ).normalize()
        columns = [column for column in parts[0].attributes if column != NAME_COLUMN]
        attributes = {
            column: Attribute.merge(
                replace(part.attributes[column], documents=part.attributes[column].documents + first)
                for part, first in zip(parts, firsts, strict=True)
            )
            for column in columns
        }
        numbers = counts.documents
        if any(name != str(number + 1) for name, number in zip(names, numbers.tolist(), strict=True)):
            attributes = {NAME_COLUMN: Attribute.build(numbers, names), **attributes}
        digest = hashlib.sha256()
        for name in names:
            digest.update(_encode_name(name))
        reference = b"".join(part.reference_bytes for part in parts)
        if reference:
            digest.update(hashlib.sha256(reference).digest())
        return cls(counts, attributes, digest.hexdigest(), reference)


def renumber_name(name: str, number: int, first: int) -> str:
    """Return the name of a document in the corpus.

    A name that is the number of the document in its part becomes its number in the corpus.

    Args:
        name: the name in the part.
        number: the number of the document in the part, from 0.
        first: the number of the part's first document in the corpus.
    """
    return str(number + first + 1) if first and name == str(number + 1) else name


def _encode_name(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass") + b"\0"


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
        if kept is not None:
            others = kept.counts.select(~np.isin(kept.counts.documents, before.documents))
            kept = replace(kept, counts=Counts.merge([others, after]).normalize())
        return replace(self, tally=self.tally.replace_documents(before, after), kept_documents=kept)


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
    _reuse_freed_memory()
    tallies = _TallyBuilder()
    collector = _DocumentCollector(keep_reference=keep_reference)
    warnings: list[RunWarning] = []
    findings: list[Finding] = []
    for batch in batches:
        counts = metric.count(batch)
        tallies.add(counts)
        if describe is not None:
            collector.add(counts, describe(batch))
        warnings.extend(batch.warnings)
        if find_findings is not None and (limit is None or len(findings) < limit):
            with pause_garbage_collection():
                findings.extend(find_findings(batch, 2**62 if limit is None else limit - len(findings)))
    tally = tallies.build_tally()
    if tally is None or not (tally.documents or may_be_empty):
        raise DataError("There is no document to score.", remedy="Check that the files are the ones you mean.")
    kept_documents = None if describe is None else collector.build_documents()
    return CountedCorpus(tally, RunWarning.merge(warnings), findings, kept_documents)


def _reuse_freed_memory() -> None:
    """Let the next batch reuse the memory that a batch frees.

    The C library of Linux returns freed memory to the system until it has seen one large allocation freed; allocating
    it again for each batch took half of the time of a short run. This array is never written to, so it takes no memory.
    """
    np.empty(REUSED_BYTES, np.uint8)


class _DocumentCollector:
    """Documents of all batches so far."""

    def __init__(self, *, keep_reference: bool = False) -> None:
        self._kept_reference: list[bytes] | None = [] if keep_reference else None
        self._counts: list[Counts] = []
        self._columns: dict[str, list[Attribute]] = {}
        self._digest = hashlib.sha256()
        self._reference = hashlib.sha256()
        self._has_reference = False
        self._has_names = False  # whether the name of any document is not its number

    def add(self, counts: Counts, description: BatchDescription) -> None:
        """Add the documents of a batch."""
        once = counts.normalize()  # each row once, as adding up those of all batches takes eight bytes for each value
        self._counts.append(replace(once, values=narrow_integers(once.values)))
        for name in description.names:
            self._digest.update(_encode_name(name))
        self._reference.update(description.reference_bytes)
        if self._kept_reference is not None:
            self._kept_reference.append(description.reference_bytes)
        self._has_reference = self._has_reference or bool(description.reference_bytes)
        numbers = counts.documents.tolist()
        self._has_names = self._has_names or any(
            name != str(number + 1) for name, number in zip(description.names, numbers, strict=True)
        )
        for column, values in ({NAME_COLUMN: description.names} | dict(description.columns)).items():
            self._columns.setdefault(column, []).append(Attribute.build(counts.documents, values))

    def build_documents(self) -> KeptDocuments:
        """Merge the documents of all batches, which are dropped."""
        attributes = {column: Attribute.merge(self._columns.pop(column)) for column in list(self._columns)}
        if not self._has_names:
            del attributes[NAME_COLUMN]
        if self._has_reference:
            self._digest.update(self._reference.digest())
        counts, reference = Counts.merge(self._counts), b"".join(self._kept_reference or ())
        self._counts.clear()
        return KeptDocuments(counts.normalize(), attributes, self._digest.hexdigest(), reference)


class _TallyBuilder:
    """Tally of all batches so far."""

    def __init__(self) -> None:
        self._pending: list[Counts] = []
        self._held = 0  # numbers in the pending counts
        self._tallies: list[Tally] = []  # the first one holds all earlier documents

    def add(self, counts: Counts) -> None:
        """Add the counts of a batch."""
        self._pending.append(counts)
        self._held += len(counts.documents) + 2 * len(counts.row) + counts.values.size  # a row has its cell, too
        if self._held >= MAX_HELD_VALUES:
            self._collapse()
            first, *others = (len(tally.times) for tally in self._tallies)
            if sum(others) >= first:
                self._tallies = [Tally.merge(self._tallies)]

    def build_tally(self) -> Tally | None:
        """Merge the tallies of all batches; None if there was no batch."""
        if self._pending:
            self._collapse()
        return Tally.merge(self._tallies) if len(self._tallies) > 1 else next(iter(self._tallies), None)

    def _collapse(self) -> None:
        self._tallies.append(Tally.from_counts(Counts.merge(self._pending)))
        self._pending, self._held = [], 0
