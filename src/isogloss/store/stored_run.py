"""A run that was read from a store."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any
from uuid import UUID

from isogloss.errors import StoreError, UsageError
from isogloss.kernel.findings import Finding
from isogloss.kernel.provenance import RunWarning
from isogloss.kernel.scores import ScoreKey
from isogloss.kernel.signature import Signature
from isogloss.kernel.tally import Tally
from isogloss.runs.evidence import DocumentCounts, Evidence, Resampling, ScoreNumber, TallyEvidence
from isogloss.runs.metric_spec import MetricSpec
from isogloss.runs.ranking_evidence import RankingEvidence
from isogloss.runs.run import InputFile, Run
from isogloss.runs.saved_evidence import SavedEvidence
from isogloss.store.db_errors import located
from isogloss.store.location import Place
from isogloss.store.packing import attributes_of, counts_of, ranking_of
from isogloss.tasks.registry import get_task, task_names

SHORT = 8  # characters of an id that tell runs apart for people
OLD_PLACE = re.compile(r"isogloss\.evaluate\.(\w+):measure")


@dataclass(frozen=True)
class Figure:
    """A score of a run.

    Args:
        path: its path.
        value: None where undefined.
        low: lower end of its interval, None where there is none.
        high: upper end.
    """

    path: str
    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Summary:
    """What a list of runs shows of one.

    Args:
        id: its id, the same in every store.
        name: what it was named, if it was.
        task: name of the task.
        system: what was scored.
        corpus: name of the corpus, if it was given.
        tags: in order of name.
        created: when it was saved, in UTC.
        version: of isogloss.
        profile: the tool whose definition was asked for.
        signature: the choices that the scores rest on.
        documents: how many were scored.
        score: its main score, or the one that the list is sorted by.
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
        """The beginning of its id."""
        return self.id.hex[:SHORT]

    def to_dict(self) -> dict[str, Any]:
        """Its JSON. What it does not have is null."""
        score = None if self.score is None else vars(self.score)
        own: dict[str, Any] = {name: value for name, value in vars(self).items() if name != "score"}
        return own | {"id": str(self.id), "tags": list(self.tags), "created": self.created.isoformat(), "score": score}


@dataclass(frozen=True, eq=False)
class RescoredEvidence(TallyEvidence):
    """Numbers from counts that were saved, and beside them those that no counts give, as they were saved.

    Args:
        saved: all numbers as they were.
    """

    saved: Mapping[ScoreKey, ScoreNumber] = field(default_factory=dict)

    @cached_property
    def numbers(self) -> dict[ScoreKey, ScoreNumber]:
        """Every score; nan where undefined. Counts are integers."""
        counted = super().numbers
        return counted | {key: value for key, value in self.saved.items() if key not in counted}


@dataclass(frozen=True, eq=False)
class StoredRun:
    """A run that was read from a store. Its findings and counts are read when they are asked for.

    Args:
        summary: what a list shows of it.
        row: what else its row has.
        inputs: the files that were scored.
        place: where its store is.
        fetch: gives what was packed of it, None where there is none.
        list_findings: gives its findings, at most so many, None for all.
    """

    summary: Summary
    row: Mapping[str, Any] = field(repr=False)
    inputs: tuple[InputFile, ...] = field(repr=False)
    place: Place = field(repr=False)
    fetch: Callable[[str], bytes | None] = field(repr=False)
    list_findings: Callable[[int | None], tuple[Finding, ...]] = field(repr=False)

    @property
    def id(self) -> UUID:
        """Its id."""
        return self.summary.id

    def to_dict(self) -> dict[str, Any]:
        """The JSON of the run that was saved."""
        document: dict[str, Any] = dict(self.row["document"])
        if self.row["listed"] and "findings" in document:
            rows = [finding.to_dict() for finding in self.list_findings(None)]
            document["findings"] = document["findings"] | {"rows": rows}
        return document | dict(self.row["native"])

    def as_saved(self, findings: int | None = None) -> Run:
        """The run with its figures as they were saved: what is shown of it.

        Args:
            findings: at most so many, None for all.
        """
        summary, row = self.summary, self.row
        return Run(
            task=summary.task,
            system=summary.system,
            signature=Signature(summary.task, summary.version, row["choices"]),
            evidence=SavedEvidence(row["document"]),
            profile=summary.profile,
            findings=self.list_findings(findings),
            warnings=tuple(RunWarning(**entry) for entry in row["document"].get("warnings", [])),
            inputs=self.inputs,
            list_findings=row["listed"],
            tool_output=row["native"],
            documents_digest=row["documents_digest"],
            catalogue=get_task(summary.task).scores,
        )

    def run(self, *, findings: int | None = 0) -> Run:
        """The run with what it rests on, for comparisons and new intervals; this version scores its counts again.

        Args:
            findings: at most so many, None for all.

        Raises:
            StoreError: its single documents were not saved, or are damaged.
            UsageError: this version cannot make its metric.
        """
        with located(self.place):
            every = self._every()
            return replace(self.as_saved(findings), evidence=self._evidence(every), document_counts=every)

    def _every(self) -> DocumentCounts:
        counts, rebuilding = self.fetch("counts"), self.row["rebuilding"]
        if counts is None or not rebuilding:
            message = f"run {self.summary.short} was saved without its single documents"
            raise StoreError(message, remedy="Score its files again with --save.")
        recipe, attributes = self._recipe(rebuilding["recipe"]), self.fetch("attributes")
        return DocumentCounts(counts_of(counts), {} if attributes is None else attributes_of(attributes), recipe)

    def _recipe(self, saved: Mapping[str, Any]) -> MetricSpec:
        """How the metric is built; nothing that a store names is called but the metrics of tasks."""
        name = saved.get("task") or _task_of_place(saved["place"])
        if name is None:
            raise StoreError(
                f"run {self.summary.short} was scored by {saved['place']}, which is not a task of isogloss",
                remedy="Import runs only from stores that you trust.",
            )
        if name not in task_names():
            raise UsageError(
                f"Run {self.summary.short} was scored in the task {name!r}, which this isogloss does not have: "
                "install the package that adds it.",
            )
        return MetricSpec(name, saved["arguments"], get_task(name).make_metric)

    def _evidence(self, every: DocumentCounts) -> Evidence:
        how, recipe = self.row["rebuilding"], every.metric_spec
        assert recipe is not None  # noqa: S101  of a run that was saved with one
        resampling = None if how["resampling"] is None else Resampling(**how["resampling"])
        tally = Tally.from_counts(every.counts)
        rest = recipe.make_metric(), tally, resampling, every, tuple(how["by"]), how["unit"]
        ranking = self.fetch("ranking")
        if ranking is None:
            return RescoredEvidence(*rest, saved=SavedEvidence(self.row["document"]).numbers)
        counted = TallyEvidence(*rest)
        return RankingEvidence(counted, recipe.make_order_metric(), ranking_of(ranking), resampling)


def _task_of_place(place: str) -> str | None:
    """Return the task of a place in the code, as stores of version 0.1.0 name metrics; None for other places."""
    found = OLD_PLACE.fullmatch(place)
    return None if found is None else found[1].replace("_", "-")
