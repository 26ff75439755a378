"""Counted systems: what a task counts before it scores.

A task scores in two steps. `count` reads the documents of a system; `finish` computes all else. In between is a counted
system, whose parts merge: the merged parts of a corpus are the counted system of the whole corpus, whatever the parts.

Definition
    1. Documents are numbered in the order of the parts. A name that is the number of its document becomes its number
       in the corpus; ids stay.
    2. Warnings of batches add up, in the order of the parts; warnings about the input as a whole are kept once.
    3. Files that are the same in all parts, such as rules for labels, stay one file. Others become the shards of one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain
from typing import Any

import msgspec

from isogloss.errors import MismatchError
from isogloss.kernel.counted_corpus import CountedCorpus, KeptDocuments
from isogloss.kernel.findings import Finding, keep_first_documents
from isogloss.kernel.provenance import RunWarning
from isogloss.kernel.tally import Tally
from isogloss.records.shards import name_shards
from isogloss.records.sources import Source
from isogloss.runs.run_json import InputFile
from isogloss.tasks.document_columns import list_input_files


class PartError(MismatchError):
    """A part that does not fit the others.

    Args:
        message: what does not fit.
        part: number of the part, from 0, among those that are merged.
        remedy: what to do about it.
        where: file of the part; None if unknown.
    """

    def __init__(self, message: str, *, part: int, remedy: str, where: str | None = None) -> None:
        super().__init__(message, where=where, remedy=remedy)
        self.part = part


class CountedFile(msgspec.Struct, frozen=True):
    """A file of a counted system, with its shards.

    Args:
        role: its role among the inputs of a run.
        path: path as the user gave it.
        shards: path and SHA-256 of each file that is not empty.
        files: number of its shards; None for one file.
    """

    role: str
    path: str
    shards: tuple[tuple[str, str], ...]
    files: int | None = None

    def to_input(self) -> InputFile:
        """Convert to a file of a run."""
        digests = [digest for _, digest in self.shards]
        if self.files is None and len(digests) == 1:
            return InputFile(self.role, self.path, digests[0])
        whole = hashlib.sha256("".join(f"{digest}\n" for digest in digests).encode()).hexdigest()
        return InputFile(self.role, self.path, whole, self.files)


def list_counted_files(sources: Iterable[tuple[str, Source]]) -> tuple[CountedFile, ...]:
    """List files with their digests; call after a pass over them.

    Args:
        sources: role of each file, and the file.
    """
    known = list(sources)
    return tuple(
        CountedFile(file.role, file.path, tuple((each.name, each.sha256 or "") for each in source.shards), file.files)
        for file, (_, source) in zip(list_input_files(known), known, strict=True)
    )


@dataclass(frozen=True, eq=False)
class CountedSystem:
    """The counts of a system, and what its scores need besides.

    Args:
        system: name of the system.
        corpus: counts of the documents, their warnings and findings; None if `state` has the documents.
        choices: entries of the signature, without those of intervals.
        arguments: arguments of the task's `make_metric`.
        files: the files that were read.
        profile: the tool whose definition was used.
        warnings: warnings about the input as a whole.
        file_warnings: warnings about single files.
        state: what only this task needs: texts, numbers, lists, mappings and arrays.
        numbers: how many numbers the documents take, those of documents that were left out included.
        of_input: what only the opened input knows, for digests and errors; a partial is without.
    """

    system: str
    corpus: CountedCorpus | None
    choices: Mapping[str, str | int | float]
    arguments: Mapping[str, Any] = field(default_factory=dict)
    files: tuple[CountedFile, ...] = ()
    profile: str | None = None
    warnings: tuple[RunWarning, ...] = ()
    file_warnings: tuple[RunWarning, ...] = ()
    state: Mapping[str, Any] = field(default_factory=dict)
    numbers: int = 0
    of_input: Mapping[str, Any] = field(default_factory=dict)

    @property
    def counts(self) -> CountedCorpus:
        """The counts of the documents.

        Raises:
            ValueError: if the task keeps the documents elsewhere.
        """
        if self.corpus is None:
            raise ValueError("the documents of this task are in its state")
        return self.corpus

    @property
    def inputs(self) -> tuple[InputFile, ...]:
        """The files as a run lists them."""
        return tuple(file.to_input() for file in self.files)


def merge_systems(
    parts: Sequence[CountedSystem], limits: tuple[int | None, int | None] = (None, None), *, one_file: bool = False
) -> CountedSystem:
    """Merge the parts of a system, without the state of its task.

    Args:
        parts: the counted parts; at least one.
        limits: most findings in all, and most documents with findings; None for no limit.
        one_file: whether the parts are ranges of one file.

    Raises:
        MismatchError: if the parts have different kinds of files.
    """
    first = parts[0]
    if len(parts) == 1:
        return first
    files = _merge_files([part.files for part in parts])
    warnings = chain.from_iterable(part.file_warnings for part in parts)
    firsts = [0, *accumulate(part.numbers for part in parts)]
    return replace(
        first,
        system=_merge_names(parts, files),
        corpus=None if first.corpus is None else _merge_corpora([part.counts for part in parts], firsts[:-1], limits),
        files=files,
        warnings=_keep_once(chain.from_iterable(part.warnings for part in parts)),
        file_warnings=_keep_once(warnings) if one_file else RunWarning.merge(warnings),
        numbers=firsts[-1],
    )


def _merge_corpora(
    parts: Sequence[CountedCorpus], firsts: Sequence[int], limits: tuple[int | None, int | None]
) -> CountedCorpus:
    kept = [part.kept_documents for part in parts if part.kept_documents is not None]
    documents = KeptDocuments.merge(kept, firsts) if len(kept) == len(parts) else None
    return CountedCorpus(
        Tally.merge(part.tally for part in parts) if documents is None else documents.tallied.tally,
        RunWarning.merge(chain.from_iterable(part.warnings for part in parts)),
        _merge_findings(parts, firsts, *limits),
        documents,
        [numbered for part in parts for numbered in part.is_numbered],
    )


def _merge_findings(
    parts: Sequence[CountedCorpus], firsts: Sequence[int], limit: int | None, documents: int | None
) -> list[Finding]:
    """Join the findings of parts, and renumber their documents."""
    findings: list[Finding] = []
    for part, first in zip(parts, firsts, strict=True):
        rest = part.findings if limit is None else part.findings[: limit - len(findings)]
        for k, finding in enumerate(rest):
            if first and part.is_numbered[k]:
                finding = msgspec.structs.replace(finding, document=str(int(finding.document) + first))  # noqa: PLW2901
            findings.append(finding)
    return findings if documents is None else keep_first_documents(findings, documents)[0]


def _keep_once(warnings: Iterable[RunWarning]) -> tuple[RunWarning, ...]:
    """Keep one of equal warnings."""
    found: dict[tuple[str, str], RunWarning] = {}
    for warning in warnings:
        found.setdefault((warning.code, warning.message), warning)
    return tuple(found.values())


def _merge_files(parts: Sequence[Sequence[CountedFile]]) -> tuple[CountedFile, ...]:
    kinds = [[file.role for file in files] for files in parts]
    different = next((own for own in kinds if own != kinds[0]), None)
    if different is not None:
        raise MismatchError(
            f"one part has files for {', '.join(kinds[0])}, another for {', '.join(different)}",
            remedy="Count all parts with the same kinds of files.",
        )
    return tuple(_merge_file(files) for files in zip(*parts, strict=True))


def _merge_file(parts: Sequence[CountedFile]) -> CountedFile:
    first = parts[0]
    known = next((part for part in parts if all(digest for _, digest in part.shards)), first)
    if all(part.path == known.path and _has_same_shards(part, known) for part in parts):
        return known
    shards = tuple(chain.from_iterable(part.shards for part in parts))
    number = sum(part.files or 1 for part in parts)
    same = all(part.path == first.path for part in parts)
    return CountedFile(first.role, first.path if same else name_shards([part.path for part in parts]), shards, number)


def _has_same_shards(one: CountedFile, other: CountedFile) -> bool:
    """Return whether two files are the same.

    The digest of a file that is read in part may be unknown.
    """
    return len(one.shards) == len(other.shards) and all(
        path == other_path and digest in {"", other_digest}
        for (path, digest), (other_path, other_digest) in zip(one.shards, other.shards, strict=True)
    )


def _merge_names(parts: Sequence[CountedSystem], files: Sequence[CountedFile]) -> str:
    """Return the name of the system, or of its files."""
    if len({part.system for part in parts}) == 1:
        return parts[0].system
    for k, file in enumerate(files):
        if all(part.files[k].path == part.system for part in parts):
            return file.path
    return parts[0].system
