"""Whether two runs can be compared.

They can if they have the same task, definition, reference and documents. Choices of the signature that change no score
may differ.
"""

from __future__ import annotations

import numpy as np

from isogloss.errors import MismatchError, UsageError
from isogloss.kernel.scores import Ints
from isogloss.runs.evidence import DocumentCounts
from isogloss.runs.run import Run

INTERVAL_CHOICES = ("unit", "confidence", "resamples", "seed", "method", "roc-auc", "average-precision")
VERSIONS_CHOICE, SYSTEM_VERSIONS_CHOICE = "versions", "system-versions"  # of packages that score, and of the system
NON_DEFINING_CHOICES = frozenset((*INTERVAL_CHOICES, "format", VERSIONS_CHOICE, SYSTEM_VERSIONS_CHOICE))
REFERENCE_ROLE = "reference"
SCHEME_CHOICE = "scheme"  # of the reference's tags; another scheme of the system follows after a +
NO_SCHEME = "spans"  # value of the scheme if a side has no tags
SPANS_BY_CHOICE = "spans-by"
REPAIR_CHOICE = "repair"  # only if a side has tags
TOKENS_GROUP = "tokens"  # the scores that only runs by tokens have


def check_comparable(baseline: Run, other: Run) -> None:
    """Check that two runs differ only in the system.

    Args:
        baseline: a run with its documents.
        other: another run with its documents.

    Raises:
        UsageError: if tasks or definitions differ, or documents were not kept.
        MismatchError: if references or documents differ.
    """
    names = f"{baseline.system} and {other.system}"
    if baseline.task != other.task:
        raise UsageError(f"{names} cannot be compared: one is {baseline.task}, the other {other.task}.")
    one, two = (_get_definition(run) for run in (baseline, other))
    differing = sorted(name for name in one.keys() | two.keys() if one.get(name) != two.get(name))
    if REPAIR_CHOICE in differing and not (REPAIR_CHOICE in one and REPAIR_CHOICE in two):
        differing.remove(REPAIR_CHOICE)  # only one system has tags
    if differing:
        choices = ", ".join(f"{name} ({one.get(name, 'none')} and {two.get(name, 'none')})" for name in differing)
        hint = " Score both with the same --by." if differing == [SPANS_BY_CHOICE] else ""
        raise UsageError(f"{names} cannot be compared: they were scored by different definitions: {choices}.{hint}")
    if (TOKENS_GROUP in baseline.scores) is not (TOKENS_GROUP in other.scores):
        by_tokens, by_characters = (baseline, other) if TOKENS_GROUP in baseline.scores else (other, baseline)
        raise UsageError(
            f"{names} cannot be compared: {by_tokens.system} was scored by tokens, {by_characters.system} by "
            f"characters. Convert {by_tokens.system} to jsonl with isogloss convert, and score that.",
        )
    if baseline.reference_digests != other.reference_digests:
        listed = [run.system for run in (baseline, other) if not _format_references(run)]
        if listed:
            raise MismatchError(
                f"{names} cannot be compared: the reference of {listed[0]} was no file, so it may be another one",
                remedy="Score both with the same file as reference, or both with the same lists.",
            )
        raise MismatchError(
            f"{names} were scored on different references",
            detail=f"{_format_references(baseline)} and {_format_references(other)}",
            remedy="Score both on the same file; its SHA-256 says whether it is the same.",
        )
    _check_same_documents(baseline, other, names)


def check_clusters(baseline: Run, other: Run, column: str) -> None:
    """Check that the documents of two runs form the same clusters.

    Args:
        baseline: a run with its documents.
        other: a run that is comparable with it.
        column: column whose values are the clusters.

    Raises:
        UsageError: if a run does not have the column.
        MismatchError: if the values differ.
    """
    documents = find_differing_documents(baseline, other, column)
    if len(documents):
        one, two = (get_run_documents(run) for run in (baseline, other))
        (name,) = one.name_documents(documents[:1])
        values = (str(each.get_attribute(column).look_up(documents[:1])[0]) for each in (one, two))
        raise MismatchError(
            f"{baseline.system} and {other.system} have different values in the column {column!r}",
            detail=f"{len(documents):,} documents; the first is {name}: {' and '.join(map(repr, values))}",
            remedy="Give both the same values, or choose another unit.",
        )


def find_differing_documents(baseline: Run, other: Run, column: str) -> Ints:
    """Return numbers of documents whose values in a column differ: (differing,).

    Args:
        baseline: a run with its documents.
        other: a run that is comparable with it.
        column: name of the column.

    Raises:
        UsageError: if a run does not have the column.
    """
    documents = get_run_documents(baseline).documents
    one, two = (get_run_documents(run).get_attribute(column).look_up(documents) for run in (baseline, other))
    apart: Ints = documents[one != two]
    return apart


def get_run_documents(run: Run) -> DocumentCounts:
    """Return the single documents of a run.

    Args:
        run: a run with its documents.

    Raises:
        ValueError: if they were not kept.
    """
    if run.document_counts is None:
        raise ValueError(f"{run.system} has no single documents")
    return run.document_counts


def _check_same_documents(baseline: Run, other: Run, names: str) -> None:
    if baseline.document_counts is None or other.document_counts is None:
        raise UsageError(f"{names} cannot be compared: their single documents were not kept. Score both again.")
    one, two = baseline.document_counts.documents, other.document_counts.documents
    if not np.array_equal(one, two):
        only = len(np.setxor1d(one, two))
        raise MismatchError(
            f"{names} were scored on different documents",
            detail=f"{len(one):,} and {len(two):,} documents; {only:,} are in one only",
            remedy="Score both on the same documents.",
        )
    if None not in (baseline.documents_digest, other.documents_digest) and (
        baseline.documents_digest != other.documents_digest
    ):
        raise MismatchError(
            f"{names} were scored on different documents",
            detail="Both have as many documents, but names of documents or references differ.",
            remedy="Score both on the same documents in the same order, with the same reference.",
        )


def _get_definition(run: Run) -> dict[str, str]:
    """Return the choices of the signature that scores depend on."""
    chosen = {name: str(value) for name, value in run.signature.choices.items() if name not in NON_DEFINING_CHOICES}
    if SCHEME_CHOICE in chosen and (scheme := chosen.pop(SCHEME_CHOICE).partition("+")[0]) != NO_SCHEME:
        chosen[SCHEME_CHOICE] = scheme
    return chosen | {"definition": str(run.signature.definition)}


def _format_references(run: Run) -> str:
    own = set(run.reference_digests)
    return ", ".join(
        f"{entry.path} ({entry.sha256[:12]}{'' if entry.sha256 in own else ', with the prediction in the same file'})"
        for entry in run.inputs
        if entry.role.startswith(REFERENCE_ROLE)
    )
