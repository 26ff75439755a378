"""A run loaded from a store, and its summary in lists."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Self
from uuid import UUID

import msgspec

from isogloss.errors import StoreError, UsageError
from isogloss.kernel.findings import Finding
from isogloss.kernel.provenance import RunWarning, Signature
from isogloss.runs.evidence import DocumentCounts, Evidence, MetricSpec, Resampling, TallyEvidence
from isogloss.runs.findings import Findings
from isogloss.runs.ranking_evidence import RankingEvidence
from isogloss.runs.run import Run
from isogloss.runs.run_json import InputFile, RunJson
from isogloss.store.db_errors import translate_errors
from isogloss.store.digests import SHORT_ID_LENGTH
from isogloss.store.packing import unpack_attributes, unpack_documents, unpack_ranking
from isogloss.tasks.registry import get_task, list_task_names
from isogloss.version import __version__

SCORED_AGAIN = RunWarning(
    "scored-again",
    "saved with an older definition of the scores: its saved counts were scored again by the present definition",
)
OTHER_DEFINITION = RunWarning(
    "other-definition",
    "saved with another definition of the scores than the present one, and shown as saved",
)
OLD_METRIC_PLACE = re.compile(r"isogloss\.evaluate\.(\w+):measure")  # of stores of version 0.1.0


@dataclass(frozen=True)
class Figure:
    """A score of a run.

    Args:
        path: its path.
        value: None where undefined.
        low: lower end of its interval, None without an interval.
        high: upper end.
    """

    path: str
    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Summary:
    """A run in a list.

    Args:
        id: its id, the same in every store.
        name: its name, None without one.
        task: name of the task.
        system: name of the scored system.
        corpus: name of the corpus, None without one.
        tags: its tags, sorted.
        created: when it was saved, in UTC.
        version: version of isogloss.
        profile: the tool whose definition was used, None for isogloss.
        signature: the choices behind the scores.
        documents: number of scored documents.
        score: the main score, or the score that sorts the list.
    """

    id: UUID
    name: str | None
    task: str
    system: str
    corpus: str | None
    tags: tuple[str, ...]
    created: datetime
    version: str
    profile: str | None
    signature: str
    documents: int
    score: Figure | None

    @property
    def short(self) -> str:
        """The beginning of the id, for messages."""
        return self.id.hex[:SHORT_ID_LENGTH]

    def to_dict(self) -> dict[str, Any]:
        """Return its JSON, null for what it does not have."""
        score = None if self.score is None else vars(self.score)
        own: dict[str, Any] = {name: value for name, value in vars(self).items() if name != "score"}
        return own | {"id": str(self.id), "tags": list(self.tags), "created": self.created.isoformat(), "score": score}


class CorruptRunsError(StoreError):
    """Runs in a list that are corrupt.

    `summaries` are those of the other runs, in the order of the list.
    """

    summaries: tuple[Summary, ...] = ()

    @classmethod
    def from_errors(cls, errors: Sequence[StoreError], summaries: Iterable[Summary], where: str) -> Self:
        """Build the error from those of single runs.

        Args:
            errors: one for each corrupt run.
            summaries: those of the other runs.
            where: location of the store.
        """
        first = errors[0]
        if len(errors) == 1:
            joined = cls(first.message, where=where, remedy=first.remedy)
        else:
            keys = " ".join(error.remedy.split()[-1] for error in errors)
            joined = cls(
                f"{len(errors)} runs are corrupt",
                where=where,
                detail="\n".join(error.message for error in errors),
                remedy=f"Restore them from an export or delete them: isogloss runs delete --yes {keys}",
            )
        joined.summaries = tuple(summaries)
        return joined


@dataclass(frozen=True, eq=False)
class StoredRun:
    """A run in a store.

    Its findings and counts are loaded when they are needed.

    Args:
        summary: the run in a list.
        row: its row.
        inputs: the scored files.
        place: location of its store, for messages.
        fetch: loads packed counts by name, None if there are none.
        list_findings: loads its findings, at most this many, None for all.
    """

    summary: Summary
    row: Mapping[str, Any] = field(repr=False)
    inputs: tuple[InputFile, ...] = field(repr=False)
    place: str = field(repr=False)
    fetch: Callable[[str], bytes | None] = field(repr=False)
    list_findings: Callable[[int | None], tuple[Finding, ...]] = field(repr=False)

    @property
    def id(self) -> UUID:
        """The id of the run."""
        return self.summary.id

    @property
    def has_documents(self) -> bool:
        """Whether the run was saved with its single documents."""
        return bool(self.row["rebuilding"])

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of the run as saved."""
        document: dict[str, Any] = dict(self.row["document"])
        if self.row["listed"] and "findings" in document:
            rows = [finding.to_dict() for finding in self.list_findings(None)]
            document["findings"] = document["findings"] | {"rows": rows}
        return document | dict(self.row["native"])

    def as_saved(self, findings: int | None = None) -> Run:
        """Return the run with its scores as saved, to show it.

        A warning says if their definition is not the present one.

        Args:
            findings: most findings to load; None for all.
        """
        saved = self._load_saved(findings)
        if saved.signature.definition == get_task(saved.task).definition.version:
            return saved
        return replace(saved, warnings=(*saved.warnings, OTHER_DEFINITION))

    def _load_saved(self, findings: int | None) -> Run:
        row = self.row
        with translate_errors(self.place):
            run_json = msgspec.convert(row["document"], RunJson)
        signature = Signature(run_json.task, run_json.version, row["choices"], run_json.definition)
        run = Run.from_json(run_json, signature, get_task(run_json.task).scores)
        measured = [tuple(key) for key in row["rebuilding"].get("measurements", ())]
        return replace(
            run,
            findings=Findings(self.list_findings(findings), run_json.task),
            list_findings=row["listed"],
            tool_output=row["native"],
            documents_digest=row["documents_digest"],
            measurements={key: run.evidence.numbers[key] for key in measured},
        )

    def run(self, *, findings: int | None = 0) -> Run:
        """Return the run scored again from its counts.

        It serves for comparisons and new intervals.

        If it was scored by an older definition, its scores are those of the present definition, and a warning says so.

        Args:
            findings: most findings to load; None for all.

        Raises:
            StoreError: if the run was saved without its single documents, they are damaged, or its counts do not give
                the scores of the present definition.
            UsageError: if this version cannot make its metric.
        """
        with translate_errors(self.place):
            document_counts, saved = self._load_document_counts(), self._load_saved(findings)
            updated = self._update_definition(saved)
            evidence = self._build_evidence(document_counts)
            return replace(updated, evidence=evidence, document_counts=document_counts)

    def _update_definition(self, saved: Run) -> Run:
        """Return the run under the present definition of its scores.

        The counts of the run give the scores.
        """
        present, own = get_task(saved.task).definition, saved.signature.definition
        if own == present.version:
            return saved
        which = f"run {self.summary.short} was scored by definition {own} of {saved.task}"
        if own > present.version:
            message = f"{which}, and this isogloss knows {present.version}"
            raise StoreError(message, remedy="Update isogloss: pip install -U isogloss")
        if own < present.counts_since:
            message = f"{which}: its counts cannot give the scores of definition {present.version}"
            raise StoreError(message, remedy="Score its files again with --save.")
        signature = replace(saved.signature, version=__version__, definition=present.version)
        return replace(saved, signature=signature, tool_output={}, warnings=(*saved.warnings, SCORED_AGAIN))

    def _load_document_counts(self) -> DocumentCounts:
        counts, rebuilding = self.fetch("counts"), self.row["rebuilding"]
        if counts is None or not self.has_documents:
            message = f"run {self.summary.short} was saved without its single documents"
            raise StoreError(message, remedy="Score its files again with --save.")
        spec, attributes = self._build_metric_spec(rebuilding["recipe"]), self.fetch("attributes")
        columns = {} if attributes is None else unpack_attributes(attributes)
        return DocumentCounts(unpack_documents(counts), columns, spec)

    def _build_metric_spec(self, saved: Mapping[str, Any]) -> MetricSpec:
        """Return how to build the metric.

        A store names a task, never code to call.
        """
        name = saved.get("task") or _parse_old_metric_spec(saved["place"])
        if name is None:
            raise StoreError(
                f"run {self.summary.short} was scored by {saved['place']}, which is not a task of isogloss",
                remedy="Import runs only from stores that you trust.",
            )
        if name not in list_task_names():
            raise UsageError(
                f"Run {self.summary.short} was scored in the task {name!r}, which this isogloss does not have: "
                "install the package that adds it.",
            )
        return MetricSpec(name, saved["arguments"], get_task(name).make_metric)

    def _build_evidence(self, document_counts: DocumentCounts) -> Evidence:
        how, spec = self.row["rebuilding"], document_counts.metric_spec
        assert spec is not None  # noqa: S101  `_load_document_counts` made it
        resampling = None if how["resampling"] is None else Resampling(**{"method": "bootstrap"} | how["resampling"])
        tally = document_counts.tallied.tally
        counted = TallyEvidence(spec.make_metric(), tally, resampling, document_counts, tuple(how["by"]), how["unit"])
        ranking = self.fetch("ranking")
        if ranking is None:
            return counted
        return RankingEvidence(counted, spec.make_order_metric(), unpack_ranking(ranking), resampling)


def _parse_old_metric_spec(place: str) -> str | None:
    """Return the task that a place in the code names.

    Stores of version 0.1.0 name metrics by such places. Return None for other places.
    """
    match = OLD_METRIC_PLACE.fullmatch(place)
    return None if match is None else match[1].replace("_", "-")
