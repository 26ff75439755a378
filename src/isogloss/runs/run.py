"""A run: the scores of one system with their evidence.

A run is given as Python values, JSON, tables and HTML.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from itertools import chain
from os import PathLike
from typing import Any

import msgspec

from isogloss.errors import UsageError
from isogloss.kernel.presenters import call_presenter
from isogloss.kernel.provenance import RunWarning, Signature
from isogloss.kernel.score_catalogue import Catalogue
from isogloss.kernel.scores import ScoreKey, format_path, parse_path
from isogloss.runs.evidence import DocumentCounts, Evidence, ScoreNumber
from isogloss.runs.findings import Findings
from isogloss.runs.frame_source import FrameSource
from isogloss.runs.run_json import (
    ORACLE_ROLE,
    ConfusionCellJson,
    FindingsJson,
    InputFile,
    IntervalJson,
    RunJson,
    SavedEvidence,
    SliceJson,
    SpreadJson,
    WarningJson,
    format_json,
    to_json_number,
    to_plain,
)
from isogloss.spans.label_map import RuleCount
from isogloss.stats.intervals import DocumentSpread, Interval
from isogloss.text.display import format_count

KEYED_GROUPS = ("by_label", "by_level", "macro", "weighted", "slices")


class NamedScores(Mapping[str, Any]):
    """Mapping whose keys are attributes too: `run.scores["strict"].f1`."""

    def __init__(self, items: Mapping[str, Any]) -> None:
        self._items = dict(items)

    def __getitem__(self, name: str) -> Any:
        return self._items[name]

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_items"][name]
        except KeyError:
            raise AttributeError(
                f"no score {name!r}; choose from {', '.join(self.__dict__.get('_items', ()))}"
            ) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._items]

    def __repr__(self) -> str:
        return repr(self._items)


@dataclass(frozen=True, eq=False)
class Run(FrameSource):
    """Scores of one system, with their evidence.

    Undefined scores are nan here and null in JSON.

    Args:
        task: name of the task.
        system: name of the system, by default the prediction's path as given.
        signature: the choices that the scores depend on.
        evidence: source of the numbers.
        profile: the tool whose definition was chosen; None for the default.
        findings: findings; empty if not requested. `run.findings.select(kind="missed")` selects some.
        warnings: warnings about the input.
        inputs: the files that were read.
        label_rules: the number of spans that each rule for labels touched; empty without rules.
        list_findings: whether the JSON contains the findings.
        tool_output: keys and values in the form of the profile's tool; they are added to the JSON.
        document_counts: the single documents, for comparisons and the store; None if they were not kept.
        documents_digest: SHA-256 of the documents' names in order, and of the reference if it is not a file of its own;
            None if documents were not kept.
        rescore: scores the same input once more and keeps the documents; None if the input is gone.
        catalogue: the score catalogue of the task.
        measurements: numbers that no document gives, such as the time of the system: ("speed", "ratio"); they stand
            beside the overall scores, also in a store.
    """

    task: str
    system: str
    signature: Signature
    evidence: Evidence
    profile: str | None = None
    findings: Findings = field(default_factory=Findings)
    warnings: tuple[RunWarning, ...] = ()
    inputs: tuple[InputFile, ...] = ()
    label_rules: tuple[RuleCount, ...] = field(default=(), repr=False)
    list_findings: bool = field(default=False, repr=False)
    tool_output: Mapping[str, Any] = field(default_factory=dict, repr=False)
    document_counts: DocumentCounts | None = field(default=None, repr=False)
    documents_digest: str | None = field(default=None, repr=False)
    rescore: Callable[[], Run] | None = field(default=None, repr=False)
    catalogue: Catalogue = field(default_factory=Catalogue, repr=False)
    measurements: Mapping[ScoreKey, ScoreNumber] = field(default_factory=dict, repr=False)

    @property
    def documents(self) -> int:
        """Number of documents scored."""
        return self.evidence.documents

    @property
    def reference_digests(self) -> tuple[str, ...]:
        """SHA-256 of the reference files, in ascending order.

        Files that also hold the prediction are left out.
        """
        return list_reference_digests(self.inputs)

    @property
    def corpus_key(self) -> str:
        """What identifies the reference; empty if it is not known."""
        return compute_corpus_key(self.inputs, self.documents_digest)

    @property
    def scores(self) -> NamedScores:
        """Overall scores: `run.scores["strict"].f1`."""
        return NamedScores(
            {name: group for name, group in self._score_tree.items() if name not in (*KEYED_GROUPS, "findings")}
        )

    @property
    def by_label(self) -> NamedScores:
        """Scores of each label: `run.by_label["PER"]["strict"].recall`."""
        return self._get_group("by_label")

    @property
    def by_level(self) -> NamedScores:
        """Scores at each level of labels: `run.by_level["0"]["strict"].f1`.

        Level 0 has the roots.
        """
        return self._get_group("by_level")

    @property
    def macro(self) -> NamedScores:
        """Means over the labels: `run.macro["strict"].f1`."""
        return self._get_group("macro")

    @property
    def weighted(self) -> NamedScores:
        """Means over the labels, weighted by their reference spans."""
        return self._get_group("weighted")

    @property
    def slices(self) -> NamedScores:
        """Scores of parts of the corpus: `run.slices["language"]["it_IT"]["m_eta"].accuracy`."""
        return self._get_group("slices")

    @property
    def kinds(self) -> NamedScores:
        """Number of findings of each kind, also if findings were not requested."""
        return self._get_group("findings")

    @property
    def intervals(self) -> Mapping[str, Interval]:
        """Interval of each ratio by path: `run.intervals["strict.f1"].low`; empty if not requested."""
        return self.evidence.intervals

    @property
    def per_document(self) -> Mapping[str, DocumentSpread]:
        """Distribution over documents of each overall ratio: `run.per_document["strict.f1"].mean`."""
        return self.evidence.per_document

    @property
    def confusion(self) -> Mapping[tuple[str | None, str | None], int]:
        """Number of each (reference, predicted) pair of labels; None is no span."""
        return self.evidence.confusion

    def ensure_documents(self) -> Run:
        """Return the run with its single documents.

        The input is scored again if needed.

        Raises:
            UsageError: if the documents were not kept and the input is gone.
        """
        if self.document_counts is not None:
            return self
        if self.rescore is None:
            raise UsageError(f"The single documents of {self.system} were not kept. Score its input again.")
        rescored = self.rescore()
        return replace(self, document_counts=rescored.document_counts, documents_digest=rescored.documents_digest)

    def score(self, name: str) -> ScoreNumber:
        """Return the score at a path such as `by_label.PER.strict.recall`.

        Args:
            name: path of the score, also `per_document.strict.f1.mean`.

        Raises:
            KeyError: if the run does not have the score.
        """
        if name.startswith("per_document."):
            return self._spread_numbers[name]
        try:
            return self._all_numbers[parse_path(name)]
        except ValueError:  # not a path
            raise KeyError(name) from None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of a run as Python values, without empty keys."""
        tree = _nest_numbers((key, to_json_number(value)) for key, value in self._all_numbers.items())
        groups = {name: tree.pop(name, {}) for name in (*KEYED_GROUPS, "findings")}
        run_json = RunJson(
            task=self.task,
            signature=str(self.signature),
            version=self.signature.version,
            definition=self.signature.definition,
            system=self.system,
            profile=self.profile,
            documents=self.documents,
            scores=tree,
            by_label=groups["by_label"],
            by_level=groups["by_level"],
            macro=groups["macro"],
            weighted=groups["weighted"],
            slices={
                column: {value: SliceJson(own.pop("documents"), own) for value, own in values.items()}
                for column, values in groups["slices"].items()
            },
            per_document={name: SpreadJson(**to_plain(asdict(spread))) for name, spread in self.per_document.items()},
            intervals={name: IntervalJson(**to_plain(asdict(interval))) for name, interval in self.intervals.items()},
            confusion=[ConfusionCellJson(*labels, count) for labels, count in self.confusion.items()],
            findings=FindingsJson(groups["findings"]) if groups["findings"] or self.list_findings else msgspec.UNSET,
            warnings=[WarningJson(**asdict(warning)) for warning in self.warnings],
            label_rules=list(self.label_rules),
            inputs=list(self.inputs),
        )
        document: dict[str, Any] = msgspec.to_builtins(run_json)
        if self.list_findings:
            document["findings"]["rows"] = [finding.to_dict() for finding in self.findings]
        return document | dict(to_plain(self.tool_output))

    @classmethod
    def from_json(cls, run_json: RunJson, signature: Signature, catalogue: Catalogue) -> Run:
        """Build a run with the numbers of its JSON, and without findings.

        Args:
            run_json: JSON of the run.
            signature: the choices that the scores depend on.
            catalogue: the score catalogue of the task.
        """
        return cls(
            task=run_json.task,
            system=run_json.system,
            signature=signature,
            evidence=SavedEvidence(run_json),
            profile=run_json.profile,
            warnings=tuple(warning.to_warning() for warning in run_json.warnings),
            inputs=tuple(run_json.inputs),
            label_rules=tuple(run_json.label_rules),
            catalogue=catalogue,
        )

    def to_json(self, *, indent: int = 2) -> str:
        """Return JSON with numbers in full precision, undefined as null."""
        return format_json(self.to_dict(), indent)

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one row per score: path, value and interval, undefined as None."""
        rows = []
        numbers = ((format_path(key), value) for key, value in self._all_numbers.items())
        for name, value in chain(numbers, self._spread_numbers.items()):
            row: dict[str, Any] = {"system": self.system, "score": name, "value": to_json_number(value)}
            interval = self.intervals.get(name)
            if self.intervals:
                row |= {"low": to_json_number(interval.low) if interval else None}
                row |= {"high": to_json_number(interval.high) if interval else None}
            rows.append(row)
        return rows

    def to_frame(self, library: str | None = None) -> Any:
        """Return a data frame with a row for each score.

        Columns: `system`, `task`, `score` (its path), `part` (`overall`, `by_label`, `slices`, ...), `label`,
        `slice_column`, `slice_value`, `group`, `name`, `value`, `low`, `high`. All runs have all of them.

        Args:
            library: `pandas`, `polars` or `pyarrow`; None for the first of these that is installed.

        Raises:
            UsageError: if the library is unknown.
            MissingExtraError: if it is not installed.
        """
        from isogloss.runs.frames import SCORE_COLUMNS, build_frame, build_score_rows  # noqa: PLC0415  few need it

        return build_frame(build_score_rows(self.task, self.to_rows()), SCORE_COLUMNS, library)

    def show(self, errors: int = 10) -> None:
        """Print the tables and the first findings; in a notebook, draw them.

        Args:
            errors: number of findings.
        """
        call_presenter("show", self, errors)

    def report(self, path: str | PathLike[str], *, findings: int = 20_000) -> None:
        """Write a report as one HTML file.

        Args:
            path: the file.
            findings: largest number of findings.

        Raises:
            DataError: if the file cannot be written.
        """
        call_presenter("report", self, path, findings)

    def __repr__(self) -> str:
        return f"<Run {self.system!r}: {self.signature}, {format_count(self.documents, 'document')}>"

    def __str__(self) -> str:
        text: str = call_presenter("run_text", self)
        return text

    def _repr_html_(self) -> str:
        html: str = call_presenter("run_html", self)
        return html

    def _get_group(self, name: str) -> NamedScores:
        return NamedScores(self._score_tree.get(name, {}))

    @cached_property
    def _all_numbers(self) -> Mapping[ScoreKey, ScoreNumber]:
        """Scores and measurements."""
        return {**self.evidence.numbers, **self.measurements} if self.measurements else self.evidence.numbers

    @cached_property
    def _spread_numbers(self) -> dict[str, ScoreNumber]:
        """Figures over single documents by path."""
        return {
            f"per_document.{name}.{figure}": value
            for name, spread in self.per_document.items()
            for figure, value in asdict(spread).items()
        }

    @cached_property
    def _score_tree(self) -> dict[str, Any]:
        """Scores nested by key, in a fixed order."""
        return {name: _to_named(node) for name, node in _nest_numbers(self._all_numbers.items()).items()}


def list_reference_digests(inputs: Iterable[InputFile]) -> tuple[str, ...]:
    """Return the SHA-256 of the reference files, in ascending order.

    Files that also hold the prediction are left out.
    """
    is_reference = [(entry, entry.role.startswith("reference")) for entry in inputs]
    predicted = {entry.path for entry, own in is_reference if not own and entry.role != ORACLE_ROLE}
    return tuple(sorted(entry.sha256 for entry, own in is_reference if own and entry.path not in predicted))


def compute_corpus_key(inputs: Sequence[InputFile], documents_digest: str | None) -> str:
    """Return what identifies the reference of a run.

    It is the SHA-256 of the reference file, or of the texts of code-switching; of several files, the SHA-256 of their
    SHA-256. Without such files it is the digest of the documents, or else empty.

    Args:
        inputs: the files of the run.
        documents_digest: digest of the names of the documents, None if unknown.
    """
    digests = list_reference_digests(inputs) or tuple(sorted(file.sha256 for file in inputs if file.role == "texts"))
    if len(digests) > 1:
        return sha256("".join(digests).encode()).hexdigest()
    return digests[0] if digests else documents_digest or ""


def _nest_numbers(numbers: Iterable[tuple[ScoreKey, Any]]) -> dict[str, Any]:
    """Nest numbers by the names in their keys, in their order."""
    root: dict[str, Any] = {}
    for key, value in numbers:
        node = root
        for name in key[:-1]:
            node = node.setdefault(name, {})
        node[key[-1]] = value
    return root


def _to_named(node: Any) -> Any:
    return NamedScores({name: _to_named(child) for name, child in node.items()}) if isinstance(node, dict) else node
