"""Read runs, comparisons and curves from JSON files, checked against the types of this module."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from isogloss.errors import FormatError
from isogloss.kernel.catalogue import Catalogue
from isogloss.kernel.findings import Finding, Mark
from isogloss.kernel.provenance import SIDES, RunWarning, Side, Signature
from isogloss.records.sources import Source
from isogloss.runs.comparison import compare
from isogloss.runs.run import InputFile, Run
from isogloss.runs.saved_evidence import SavedEvidence
from isogloss.tasks.registry import get_task, task_names

Number = int | float
Scores = dict[str, dict[str, Number | None]]


class SliceJson(msgspec.Struct):
    """JSON of a slice."""

    documents: int
    scores: Scores


class IntervalJson(msgspec.Struct):
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


class FindingsJson(msgspec.Struct):
    """JSON of the findings of a run."""

    counts: dict[str, int] = {}
    rows: list[dict[str, Any]] = []


class WarningJson(msgspec.Struct):
    """JSON of a warning."""

    code: str
    message: str
    count: int = 1
    where: str | None = None


class InputJson(msgspec.Struct):
    """JSON of an input file."""

    role: str
    path: str
    sha256: str


class RunJson(msgspec.Struct):
    """JSON of a run."""

    task: str
    signature: str
    version: str
    system: str
    documents: int
    scores: Scores
    profile: str | None = None
    by_label: dict[str, Scores] = {}
    macro: Scores = {}
    weighted: Scores = {}
    slices: dict[str, dict[str, SliceJson]] = {}
    per_document: dict[str, SpreadJson] = {}
    intervals: dict[str, IntervalJson] = {}
    confusion: list[ConfusionCellJson] = []
    findings: FindingsJson = msgspec.field(default_factory=FindingsJson)
    warnings: list[WarningJson] = []
    inputs: list[InputJson] = []
    curves: dict[str, dict[str, Any]] = {}


class MarkJson(msgspec.Struct):
    """JSON of a side of a finding."""

    start: int
    end: int
    label: str | None = None
    in_text: tuple[int, int] | None = None


class FindingJson(msgspec.Struct):
    """JSON of a finding."""

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


class ScoreChange(msgspec.Struct):
    """Difference of a score from the baseline."""

    difference: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_holm: float | None = None


class ComparisonJson(msgspec.Struct):
    """JSON of a comparison of a system with the baseline."""

    baseline: str
    system: str
    scores: dict[str, ScoreChange]


class CurvePoints(msgspec.Struct):
    """Points of a ROC curve or of a precision-recall curve."""

    false_positive_rate: list[float] = []
    true_positive_rate: list[float] = []
    recall: list[float] = []
    precision: list[float] = []


class LabelCurves(msgspec.Struct):
    """Both curves of a label; None if a curve is undefined."""

    roc: CurvePoints | None = None
    precision_recall: CurvePoints | None = None


class SystemCurves(msgspec.Struct):
    """Curves of a system, as `--curves` writes them."""

    system: str
    signature: str
    curves: dict[str, LabelCurves]


REMEDY = "Give a file that -f json wrote, or the name of a stored run."


@dataclass(frozen=True, eq=False)
class ReportRun:
    """A run of a file or a store, with its comparison and curves.

    Args:
        run: the run.
        origin: the file, or the store and the id.
        corpus: name of its corpus in the store; None if unknown.
        baseline: the run it is compared with; None for no comparison.
        changes: differences from the baseline by the path of the score.
        curves: curves by label.
    """

    run: Run
    origin: str
    corpus: str | None = None
    baseline: ReportRun | None = None
    changes: Mapping[str, ScoreChange] = field(default_factory=dict)
    curves: Mapping[str, LabelCurves] = field(default_factory=dict)


def load_run_file(path: str) -> list[ReportRun]:
    """Load the runs of a file. If they were compared, the first is the baseline.

    Args:
        path: the file.

    Raises:
        DataError: if the file cannot be read, or has no runs.
    """
    document = _load_document(path)
    several = "runs" in document
    place = "$.runs[{}]" if several else "$"
    rows = _convert(list[dict[str, Any]], document["runs"], path, "$.runs") if several else [document]
    if not rows:
        raise FormatError("has no run", where=path, remedy=REMEDY)
    compared = _convert(list[ComparisonJson], document.get("comparisons", []), path, "$.comparisons")
    opened = [_build_report_run(row, path, place.format(at)) for at, row in enumerate(rows)]
    return _add_changes(opened, compared, path) if compared else opened


def add_comparisons(opened: Sequence[ReportRun], runs: Sequence[Run]) -> list[ReportRun]:
    """Add the differences from the first run to runs of a store.

    Args:
        opened: the runs as they were saved.
        runs: the same runs with their documents.

    Raises:
        UsageError: if the runs cannot be compared.
        MismatchError: if the runs are about different documents.
    """
    baseline, *others = opened
    rows = [pair.to_dict()["scores"] for pair in compare(*runs).pairs]
    changes = msgspec.convert(rows, list[dict[str, ScoreChange]])
    return [
        baseline,
        *(replace(each, baseline=baseline, changes=own) for each, own in zip(others, changes, strict=True)),
    ]


def load_curve_file(path: str) -> list[SystemCurves]:
    """Load the curves of a file that `--curves` wrote.

    Args:
        path: the file.

    Raises:
        DataError: if the file cannot be read, or has no curves.
    """
    document = _load_document(path)
    rows = document.get("runs", [document])
    systems: list[SystemCurves] = _convert(list[SystemCurves], rows, path, "$.runs" if "runs" in document else "$")
    return systems


def _load_document(path: str) -> dict[str, Any]:
    text = "".join(block.text for block in Source(path).blocks())
    try:
        document = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise FormatError(f"is not JSON: {error}", where=path, remedy=REMEDY) from None
    if not isinstance(document, dict):
        raise FormatError("is not the JSON of a run", where=path, remedy=REMEDY)
    return document


def _build_report_run(row: dict[str, Any], path: str, place: str) -> ReportRun:
    written = _convert(RunJson, row, path, place)
    run = _build_run(row, written, path, place)
    return ReportRun(run, path, curves=_convert(dict[str, LabelCurves], written.curves, path, f"{place}.curves"))


def _add_changes(opened: Sequence[ReportRun], comparisons: Sequence[ComparisonJson], path: str) -> list[ReportRun]:
    """Add the comparisons of a file to its runs.

    Args:
        opened: the runs of the file.
        comparisons: of the other runs with the first.
        path: the file.

    Raises:
        FormatError: if the comparisons are not those of the other runs with the first, in their order.
    """
    baseline, *others = opened
    expected = [(baseline.run.system, other.run.system) for other in others]
    if [(pair.baseline, pair.system) for pair in comparisons] != expected:
        message = "the comparisons are not those of the other runs with the first, in their order"
        raise FormatError(message, where=path, remedy=REMEDY)
    changed = [
        replace(other, baseline=baseline, changes=pair.scores) for other, pair in zip(others, comparisons, strict=True)
    ]
    return [baseline, *changed]


def _build_run(row: dict[str, Any], written: RunJson, path: str, place: str) -> Run:
    return Run(
        task=written.task,
        system=written.system,
        signature=parse_signature(written.signature, written.task, written.version),
        evidence=SavedEvidence(row),
        profile=written.profile,
        findings=tuple(_build_findings(written.findings.rows, path, f"{place}.findings.rows")),
        warnings=tuple(RunWarning(w.code, w.message, w.count, w.where) for w in written.warnings),
        inputs=tuple(InputFile(entry.role, entry.path, entry.sha256) for entry in written.inputs),
        list_findings=bool(written.findings.rows),
        catalogue=get_task(written.task).scores if written.task in task_names() else Catalogue(),
    )


def _build_findings(rows: Iterable[dict[str, Any]], path: str, place: str) -> Iterable[Finding]:
    for at, row in enumerate(rows):
        yield _build_finding(row, _convert(FindingJson, row, path, f"{place}[{at}]"))


def _build_finding(row: dict[str, Any], finding: FindingJson) -> Finding:
    marks = tuple(_build_mark(side, own, finding.text) for side in SIDES if (own := getattr(finding, side)) is not None)
    fields = {"kind", "document", "where", "text", "before", "after", *SIDES}
    return Finding(
        kind=finding.kind,
        document=finding.document,
        where=finding.where,
        marks=marks,
        text=finding.text,
        before=finding.before,
        after=finding.after,
        extra={name: value for name, value in row.items() if name not in fields},
    )


def _build_mark(side: Side, own: MarkJson, text: str | None) -> Mark:
    """Build the mark of a side, with positions clipped to the text."""
    if text is None or own.in_text is None:
        return Mark(side, own.label, own.start, own.end)
    begin, stop = (min(max(edge, 0), len(text)) for edge in own.in_text)
    return Mark(side, own.label, own.start, own.end, begin, max(begin, stop))


def parse_signature(text: str, task: str, version: str) -> Signature:
    """Parse a signature.

    Args:
        text: the signature as one line.
        task: name of its task.
        version: version of isogloss that wrote it.
    """
    parts = re.findall(r"(?:[^|\\]|\\.)+", text)
    pairs = (part.partition(":") for part in parts[1:])
    choices = {name: _unescape(value) for name, _, value in pairs if name != "version"}
    return Signature(task, version, choices)


def _unescape(value: str) -> str:
    line_ends: dict[str, str] = {"n": "\n", "r": "\r"}
    return re.sub(r"\\(.)", lambda found: line_ends.get(found[1], found[1]), value)


def _convert(kind: Any, value: Any, path: str, place: str) -> Any:
    """Convert a value of the JSON to its type.

    Args:
        kind: the type.
        value: the value.
        path: the file.
        place: place of the value in the file, such as `$.runs[0]`.

    Raises:
        FormatError: if the value has another type.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        at = str(error).replace("`$", f"`{place}") if "`$" in str(error) else f"{error} - at `{place}`"
        raise FormatError(f"is not the JSON of a run: {at}", where=path, remedy=REMEDY) from None
