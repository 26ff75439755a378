"""Count batches one after the other in this process.

Memory is bounded by one batch, `HELD` documents and the tally: the counts of batches are held until they are so many
documents, then tallied; these tallies are held until they have as many distinct documents as the tally of all before,
then merged with it, so that each document is touched a constant number of times.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

import numpy as np

from isogloss.errors import DataError
from isogloss.kernel.counts import Counts, narrow_integers
from isogloss.kernel.findings import Finding
from isogloss.kernel.metric import Metric
from isogloss.kernel.provenance import RunWarning
from isogloss.kernel.scores import Ints
from isogloss.kernel.slices import Attribute
from isogloss.kernel.tally import Tally

HELD = 2**15  # documents: with a dozen counts each they take some megabytes
NAME_COLUMN = "document"  # the attribute that has the names of documents, where they are not their numbers
REUSED_BYTES = 2**24  # bytes: all that is computed of a batch has less


class CountableBatch(Protocol):
    """What an engine needs to know of a batch."""

    @property
    def documents(self) -> Ints:
        """(documents,) numbers, ascending from batch to batch."""

    @property
    def warnings(self) -> tuple[RunWarning, ...]:
        """What was done about the input."""


B = TypeVar("B", bound=CountableBatch)
FindInBatch = Callable[[B, int], list[Finding]]


@dataclass(frozen=True)
class BatchDescription:
    """What is known of the documents of a batch beside their counts.

    Args:
        names: (documents,) what the user calls them.
        columns: per column (documents,) its values.
        reference: what the reference says of them, where no file tells by its own digest.
    """

    names: Sequence[str]
    columns: Mapping[str, Sequence[str]]
    reference_bytes: bytes = b""


DescribeBatch = Callable[[B], BatchDescription]


@dataclass(frozen=True, eq=False)
class KeptDocuments:
    """Every document, not only the distinct ones.

    Args:
        counts: of each document, ascending.
        attributes: what is known of each, by column.
        digest: SHA-256 of their names in their order, and of what the reference says of them where that is known here.
    """

    counts: Counts
    attributes: Mapping[str, Attribute]
    digest: str


@dataclass
class CountedCorpus:
    """What a pass over the batches leaves.

    Args:
        tally: the distinct documents.
        notices: what was done about the input, merged.
        findings: what a person looks at, when asked for.
        kept: every document, when asked for.
    """

    tally: Tally
    warnings: tuple[RunWarning, ...]
    findings: list[Finding] = field(default_factory=list)
    kept_documents: KeptDocuments | None = None

    @property
    def digest(self) -> str | None:
        """SHA-256 of the documents, where they were kept."""
        return None if self.kept_documents is None else self.kept_documents.digest


def count_batches(
    batches: Iterable[B],
    metric: Metric[B],
    find_findings: FindInBatch[B] | None = None,
    limit: int | None = None,
    *,
    may_be_empty: bool = False,
    describe: DescribeBatch[B] | None = None,
) -> CountedCorpus:
    """Count all batches.

    Args:
        batches: documents, each in one batch only.
        metric: what to count.
        find: gives the first so many findings of a batch; None: findings are not asked for.
        limit: the first so many findings of all, None for all of them: once there are so many, no more are looked for.
        may_be_empty: whether a batch without documents will do.
        describe: what is known of the documents of a batch; None: nothing is kept of single documents.

    Raises:
        DataError: if there is no document.
    """
    _reuse_freed_memory()
    gathered = _TallyBuilder()
    every = _DocumentCollector()
    notices: list[RunWarning] = []
    findings: list[Finding] = []
    for batch in batches:
        counts = metric.count(batch)
        gathered.add(counts)
        if describe is not None:
            every.add(counts, describe(batch))
        notices.extend(batch.warnings)
        if find_findings is not None and (limit is None or len(findings) < limit):
            findings.extend(find_findings(batch, 2**62 if limit is None else limit - len(findings)))
    tally = gathered.build_tally()
    if tally is None or not (tally.documents or may_be_empty):
        raise DataError("There is no document to score.", remedy="Check that the files are the ones you mean.")
    kept = None if describe is None else every.build_documents()
    return CountedCorpus(tally, RunWarning.merge(notices), findings, kept)


def _reuse_freed_memory() -> None:
    """Have the memory that a batch frees used for the next one.

    The C library of Linux returns it to the system instead, until it has seen a large piece come and go; fetching it
    again for each batch took half of the time of a short run. The piece is never written to, so it takes no memory.
    """
    np.empty(REUSED_BYTES, np.uint8)


class _DocumentCollector:
    """All documents so far."""

    def __init__(self) -> None:
        self._counts: list[Counts] = []
        self._columns: dict[str, list[Attribute]] = {}
        self._digest = hashlib.sha256()
        self._reference = hashlib.sha256()
        self._has_reference = False
        self._has_names = False  # whether any document has another name than its number from 1

    def add(self, counts: Counts, description: BatchDescription) -> None:
        """Take the documents of a batch."""
        self._counts.append(replace(counts, values=narrow_integers(counts.values)))
        for name in description.names:
            self._digest.update(name.encode("utf-8", "surrogatepass") + b"\0")
        self._reference.update(description.reference_bytes)
        self._has_reference = self._has_reference or bool(description.reference_bytes)
        numbers = counts.documents.tolist()
        self._has_names = self._has_names or any(
            name != str(number + 1) for name, number in zip(description.names, numbers, strict=True)
        )
        for column, values in ({NAME_COLUMN: description.names} | dict(description.columns)).items():
            names = np.asarray(values, np.str_)
            self._columns.setdefault(column, []).append(Attribute(counts.documents, names))

    def build_documents(self) -> KeptDocuments:
        """All of them."""
        attributes = {column: Attribute.merge(parts) for column, parts in self._columns.items()}
        if not self._has_names:
            del attributes[NAME_COLUMN]
        if self._has_reference:
            self._digest.update(self._reference.digest())
        return KeptDocuments(Counts.merge(self._counts).normalize(), attributes, self._digest.hexdigest())


class _TallyBuilder:
    """The counts of the batches so far."""

    def __init__(self) -> None:
        self._pending: list[Counts] = []
        self._documents = 0  # of the pending counts
        self._tallies: list[Tally] = []  # the first is of all that came before the others

    def add(self, counts: Counts) -> None:
        """Take the counts of a batch."""
        self._pending.append(counts)
        self._documents += len(counts.documents)
        if self._documents >= HELD:
            self._collapse()
            first, *others = (len(tally.times) for tally in self._tallies)
            if sum(others) >= first:
                self._tallies = [Tally.merge(self._tallies)]

    def build_tally(self) -> Tally | None:
        """The tally of all batches, None if there was none."""
        if self._pending:
            self._collapse()
        return Tally.merge(self._tallies) if len(self._tallies) > 1 else next(iter(self._tallies), None)

    def _collapse(self) -> None:
        self._tallies.append(Tally.from_counts(Counts.merge(self._pending)))
        self._pending, self._documents = [], 0
