"""JSON of a run: its types, and the reading of it.

Evidence and findings are read from the JSON. `Run.to_dict` writes these types; files and stores are checked against
them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec

from isogloss.kernel.findings import Finding, Mark
from isogloss.kernel.provenance import SIDES, RunWarning, Side
from isogloss.kernel.scores import ScoreKey
from isogloss.runs.evidence import ScoreNumber
from isogloss.spans.label_map import RuleCount
from isogloss.stats.intervals import DocumentSpread, Interval

Scores = dict[str, dict[str, int | float | None]]  # group -> name -> score; null where undefined

ORACLE_ROLE = "oracle"
LABELS_ROLE = "labels"


class InputFile(msgspec.Struct, frozen=True, omit_defaults=True):
    """File that was read.

    Args:
        role: `reference` or `prediction`; `oracle` for a prediction that is the reference itself; `labels` for rules.
        path: path as the user gave it.
        sha256: SHA-256 of the file's bytes as stored; for shards, of the digests of their files in order, a line each.
        files: number of the files that are shards of it; None for one file, and for runs from a store.
    """

    role: str
    path: str
    sha256: str
    files: int | None = None


class SliceJson(msgspec.Struct):
    """JSON of a slice."""

    documents: int
    scores: Scores


class IntervalJson(msgspec.Struct, omit_defaults=True):
    """JSON of an interval."""

    low: float | None
    high: float | None
    level: float
    method: str
    undefined: int = 0


class SpreadJson(msgspec.Struct):
    """JSON of a score over single documents."""

    mean: float | None
    std: float | None
    min: float | None
    max: float | None
    documents: int
    se: float | None = None


class ConfusionCellJson(msgspec.Struct):
    """JSON of a cell of a confusion matrix."""

    reference: str | None
    predicted: str | None
    count: int


class FindingsJson(msgspec.Struct, omit_defaults=True):
    """JSON of the findings of a run.

    It has the number of findings of each kind, and the rows if they are listed.
    """

    counts: dict[str, int] = {}
    rows: list[dict[str, Any]] = []


class WarningJson(msgspec.Struct, omit_defaults=True, kw_only=True):
    """JSON of a warning.

    The count is always written, because the default of a factory is not omitted.
    """

    code: str
    count: int = msgspec.field(default_factory=lambda: 1)
    message: str
    where: str | None = None

    def to_warning(self) -> RunWarning:
        """Convert to a warning."""
        return RunWarning(self.code, self.message, self.count, self.where)


class RunJson(msgspec.Struct, omit_defaults=True, kw_only=True):
    """JSON of a run, in the order of its keys.

    The profile is always written, see `WarningJson`.
    """

    task: str
    signature: str
    version: str
    definition: int = 1  # left out if 1
    system: str
    profile: str | None = msgspec.field(default_factory=lambda: None)
    documents: int
    scores: Scores
    by_label: dict[str, Scores] = {}
    by_level: dict[str, dict[str, Any]] = {}
    macro: Scores = {}
    weighted: Scores = {}
    slices: dict[str, dict[str, SliceJson]] = {}
    per_document: dict[str, SpreadJson] = {}
    intervals: dict[str, IntervalJson] = {}
    confusion: list[ConfusionCellJson] = []
    findings: FindingsJson | msgspec.UnsetType = msgspec.UNSET
    warnings: list[WarningJson] = []
    label_rules: list[RuleCount] = []
    inputs: list[InputFile] = []


class MarkJson(msgspec.Struct):
    """JSON of a side of a finding."""

    start: int
    end: int
    label: str | None = None
    in_text: tuple[int, int] | None = None

    def to_mark(self, side: Side, text: str | None) -> Mark:
        """Convert to a mark, with positions clipped to the text."""
        if text is None or self.in_text is None:
            return Mark(side, self.label, self.start, self.end)
        begin, stop = (min(max(edge, 0), len(text)) for edge in self.in_text)
        return Mark(side, self.label, self.start, self.end, begin, max(begin, stop))


class FindingJson(msgspec.Struct):
    """JSON of a finding.

    The fields after the sides are the further ones that reports show.
    """

    kind: str
    document: str
    where: str
    text: str | None = None
    before: bool = False
    after: bool = False
    reference: MarkJson | None = None
    predicted: MarkJson | None = None
    language: str | None = None
    entity: str | None = None
    source: str | None = None
    token: str | None = None
    verdict: str | None = None
    script: str | None = None
    accepted: list[str] | None = None
    reference_words: list[str] | None = None
    predicted_words: list[str] | None = None
    entity_types: list[str] | None = None
    scores: dict[str, float] | None = None

    def to_finding(self, row: Mapping[str, Any]) -> Finding:
        """Convert to a finding.

        Args:
            row: the JSON that this was read from, with all further fields.
        """
        own = {"kind", "document", "where", "text", "before", "after", *SIDES}
        return Finding(
            kind=self.kind,
            document=self.document,
            where=self.where,
            marks=tuple(mark.to_mark(side, self.text) for side in SIDES if (mark := getattr(self, side)) is not None),
            text=self.text,
            before=self.before,
            after=self.after,
            extra={name: value for name, value in row.items() if name not in own},
        )


@dataclass(frozen=True, eq=False)
class SavedEvidence:
    """Numbers as they were when the run was saved, not computed again.

    Args:
        run_json: JSON of the run.
    """

    run_json: RunJson

    @property
    def documents(self) -> int:
        """Number of documents scored."""
        return self.run_json.documents

    @cached_property
    def numbers(self) -> dict[ScoreKey, ScoreNumber]:
        """Every score, nan where undefined; counts are integers."""
        return dict(self._iterate_numbers())

    @cached_property
    def intervals(self) -> dict[str, Interval]:
        """Interval of each score by its path; empty if none were requested."""
        return {name: Interval(**_get_numbers(interval)) for name, interval in self.run_json.intervals.items()}

    @cached_property
    def per_document(self) -> dict[str, DocumentSpread]:
        """Distribution over documents of each overall score, by its path."""
        return {name: DocumentSpread(**_get_numbers(spread)) for name, spread in self.run_json.per_document.items()}

    @cached_property
    def confusion(self) -> dict[tuple[str | None, str | None], int]:
        """Number of each (reference, predicted) pair of labels."""
        return {(cell.reference, cell.predicted): cell.count for cell in self.run_json.confusion}

    def _iterate_numbers(self) -> Iterator[tuple[ScoreKey, ScoreNumber]]:
        saved = self.run_json
        yield from _iterate_leaves((), saved.scores)
        for group in ("by_label", "by_level", "macro", "weighted"):
            yield from _iterate_leaves((group,), getattr(saved, group))
        for column, values in saved.slices.items():
            for value, part in values.items():
                yield ("slices", column, value, "documents"), part.documents
                yield from _iterate_leaves(("slices", column, value), part.scores)
        if saved.findings is not msgspec.UNSET:
            yield from _iterate_leaves(("findings",), saved.findings.counts)


def to_plain(node: Any) -> Any:
    """Convert mappings to dictionaries, and numbers that are not finite to None."""
    return (
        {name: to_plain(child) for name, child in node.items()} if isinstance(node, Mapping) else to_json_number(node)
    )


def to_json_number(value: Any) -> Any:
    """Convert nan and an infinite beta to None.

    JSON has null for both.
    """
    return None if isinstance(value, float) and not math.isfinite(value) else value


def format_json(document: Any, indent: int = 2) -> str:
    """Format JSON with numbers in full precision.

    Args:
        document: values that msgspec can encode.
        indent: spaces of each level.
    """
    return msgspec.json.format(msgspec.json.encode(document), indent=indent).decode()


def _get_numbers(struct: msgspec.Struct) -> dict[str, Any]:
    """Return the fields of a structure; null is nan."""
    return {name: math.nan if value is None else value for name, value in msgspec.structs.asdict(struct).items()}


def _iterate_leaves(key: ScoreKey, node: Any) -> Iterator[tuple[ScoreKey, ScoreNumber]]:
    """Yield the numbers of a tree by key, in its order."""
    if isinstance(node, Mapping):
        for name, child in node.items():
            yield from _iterate_leaves((*key, name), child)
    else:
        yield key, math.nan if node is None else node
