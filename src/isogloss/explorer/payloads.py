"""Payloads of the explorer: one schema for HTTP, static exports and OpenAPI.

Positions number the findings of a run from 0. Offsets are half-open and count code points. Undefined numbers are null.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from isogloss.text.direction import Direction

Tone = Literal["right", "wrong", "excused"]
Verdict = Literal["gold error", "ambiguous", "real error"]
JobState = Literal["waiting", "running", "done", "failed", "cancelled"]
ExportFormat = Literal["jsonl", "parquet", "label-studio", "prodigy"]
FacetValues = dict[str, list[str]]  # values by the name of a facet
Count = Annotated[int, Meta(ge=0)]


class Payload(msgspec.Struct):
    """An answer of the explorer."""


class ScorePoint(Payload):
    """A score with its interval; null if undefined or without an interval."""

    value: float | None
    low: float | None = None
    high: float | None = None


class RunSummary(Payload):
    """A run in a list."""

    id: str
    name: str
    task: str
    system: str
    corpus: str
    corpus_key: Annotated[str, Meta(description="Hash of the reference: equal for runs of one reference.")]
    language: str
    tags: list[str]
    created: Annotated[str, Meta(description="Time of saving in ISO 8601, empty if the run is not stored.")]
    version: str
    profile: str | None
    signature: str
    definition: int
    documents: Count
    findings: Annotated[
        Count | None, Meta(description="Number of findings that can be read; null if they were not kept.")
    ]
    main: Annotated[str, Meta(description="Path of the main score.")]
    scores: Annotated[dict[str, ScorePoint], Meta(description="The main scores of the task by path.")]
    titles: Annotated[dict[str, str], Meta(description="Titles of the scores by path.")]
    lower_is_better: Annotated[list[str], Meta(description="Paths of the scores that are better if lower.")]


class RunList(Payload):
    """Runs, the latest first."""

    runs: list[RunSummary]
    next: Annotated[str | None, Meta(description="Value of `after` for the next page; null at the end.")] = None


class WarningPayload(Payload):
    """A warning about the input of a run."""

    code: str
    message: str


class ColumnHead(Payload):
    """Head of a column of a table."""

    key: str
    title: str
    numeric: bool


class TableCellPayload(Payload, omit_defaults=True):
    """A cell of a table; `filter` leads to its findings."""

    text: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    filter: FacetValues | None = None


class TableRow(Payload):
    """A row of a table."""

    cells: list[TableCellPayload]


class TablePayload(Payload):
    """A table of scores."""

    title: str
    columns: list[ColumnHead]
    rows: list[TableRow]
    notes: list[str]


class ConfusionPayload(Payload):
    """Counts of pairs of labels, and their filters.

    The first index is the reference, the second the prediction; an empty label is no span.
    """

    labels: list[str]
    rows: list[list[Count]]
    filters: list[list[FacetValues | None]]


class SlicePayload(Payload):
    """A slice with its main score."""

    column: str
    value: str
    n: Annotated[Count, Meta(description="Number of documents.")]
    findings: Count | None
    score: float | None
    low: float | None = None
    high: float | None = None


class SliceTestPayload(Payload):
    """Main score of a slice against the other documents of the run."""

    column: str
    value: str
    rest: Annotated[float | None, Meta(description="Score of the other documents.")]
    p: float | None
    p_holm: Annotated[float | None, Meta(description="p-value corrected for the values of the column.")]


class SliceTestList(Payload):
    """Tests of the slices of a run."""

    tests: list[SliceTestPayload]
    note: Annotated[str, Meta(description="Why no slice is tested; empty if one is.")] = ""


class CurvePayload(Payload):
    """Points of a curve.

    A ROC curve has rates, the other has recall and precision.
    """

    false_positive_rate: list[float] = []
    true_positive_rate: list[float] = []
    recall: list[float] = []
    precision: list[float] = []
    threshold: list[float | None] = []


class LabelCurvesPayload(Payload):
    """Both curves of a label; null if undefined."""

    roc: CurvePayload | None
    precision_recall: CurvePayload | None


class ViewPayload(Payload):
    """How the task shows findings."""

    title: str
    names_sides: bool
    shows_labelled_spans: bool


class RunPayload(RunSummary):
    """A run with its tables."""

    title: Annotated[str, Meta(description="Title of the task.")]
    warnings: list[WarningPayload]
    tables: list[TablePayload]
    confusion: ConfusionPayload | None
    slices: list[SlicePayload]
    curves: dict[str, LabelCurvesPayload] | None
    view: ViewPayload


class FacetValue(Payload, omit_defaults=True):
    """A value of a facet.

    Its index is the number in the column.
    """

    value: str
    title: str
    count: Count
    tone: Tone | None = None


class Facet(Payload):
    """A facet of the findings.

    Its column has the number of the value of each finding.
    """

    name: str
    title: str
    width: Annotated[Literal[1, 2, 4], Meta(description="Bytes of a number in the column.")]
    values: list[FacetValue]


class ColumnSize(Payload):
    """Size of a column whose values are not listed."""

    count: Count
    width: Literal[4]


class FacetList(Payload):
    """The facets of a run."""

    count: Count
    facets: list[Facet]
    documents: ColumnSize
    surfaces: ColumnSize


class Surface(Payload):
    """A surface form, the most frequent first."""

    number: Count
    text: str
    count: Count


class SurfaceList(Payload):
    """Surface forms."""

    surfaces: list[Surface]


class PiecePayload(Payload):
    """Part of a text with one role."""

    text: str
    role: str


class LanePayload(Payload):
    """Text with the marks of one side."""

    side: str
    label: str
    dir: Direction
    pieces: list[PiecePayload]
    remarks: list[str]


class MarkPayload(Payload):
    """Span that a side marks, in the document and in the text."""

    side: str
    label: str | None
    start: int
    end: int
    text_start: int | None
    text_end: int | None


class FindingRow(Payload):
    """A finding, ready to be shown."""

    position: Count
    kind: str
    document: str
    document_number: Count
    where: str
    language: str
    dir: Direction
    lanes: list[LanePayload]
    facts: list[tuple[str, list[str]]]
    text: str | None
    offset: Annotated[int | None, Meta(description="Code point of the document where `text` begins, if known.")]
    before: bool
    after: bool
    marks: list[MarkPayload]
    key: Annotated[str, Meta(description="16 hexadecimal digits, the same in every run of one reference.")]
    surface: Count


class FindingPage(Payload):
    """A page of findings."""

    findings: list[FindingRow]
    next: Annotated[int | None, Meta(description="Value of `after` for the next page; null at the end.")] = None


class SearchResult(Payload):
    """Which findings have the words."""

    count: Count
    found: Annotated[
        str, Meta(description="Base64 of one bit for each finding by position, the first in the lowest bit of a byte.")
    ]


class DocumentSpan(Payload):
    """A span of a whole document."""

    start: int
    end: int
    label: str
    kind: str
    position: Annotated[Count | None, Meta(description="Position of the finding; null for a correct span.")]


class DocumentLane(Payload):
    """The spans of one side in a whole document."""

    side: str
    spans: list[DocumentSpan]


class DocumentPayload(Payload):
    """A document with all its findings.

    Without its text there are no lanes.
    """

    document: str
    number: Count
    count: Count
    text: str | None
    language: str
    dir: Direction
    rows: list[FindingRow]
    lanes: list[DocumentLane]


class _Difference(Payload, kw_only=True):
    """Difference of the second run from the first, tested."""

    values: list[float | None]
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_holm: float | None = None


class ScoreDifference(_Difference, kw_only=True):
    """A score of all runs."""

    path: str
    title: str


class SliceDifference(_Difference, kw_only=True):
    """The main score of two runs in a slice, tested."""

    column: str
    value: str


class RankedRun(Payload):
    """A run with its ranks; null for an undefined score."""

    id: str
    first_rank: Annotated[int | None, Meta(description="1 + the number of runs that are significantly better.")]
    last_rank: Annotated[int | None, Meta(description="Number of runs without those that are significantly worse.")]
    group: Annotated[int | None, Meta(description="Group of runs without significant differences, from 1.")]


class RankingPayload(Payload):
    """Runs ranked by tests of all pairs, the best first."""

    score: str
    runs: list[RankedRun]
    notes: list[str]


class UndisputedPayload(Payload):
    """Scores of a run without documents whose gold was marked wrong."""

    documents: Annotated[Count, Meta(description="Documents that are left.")]
    left_out: Annotated[list[str], Meta(description="Documents that are left out.")]
    scores: Annotated[dict[str, ScorePoint], Meta(description="Scores by path, with intervals if the run has them.")]
    note: Annotated[str, Meta(description="Why there are no scores; empty if there are.")] = ""


class DiffCounts(Payload):
    """Findings of two runs by class."""

    fixed: Count
    broken: Count
    changed: Count
    both_wrong: Count


class ComparisonPayload(Payload):
    """Runs side by side.

    `classes` is null and `slices` is empty unless there are two.
    """

    runs: list[RunSummary]
    scores: list[ScoreDifference]
    slices: list[SliceDifference]
    classes: DiffCounts | None
    count: Count
    note: Annotated[str, Meta(description="Why the scores are not tested; empty if they are.")] = ""


class ScoreTestPayload(Payload):
    """Difference of a run from the first one in a score, tested."""

    id: str
    difference: float | None
    p: float | None
    p_holm: Annotated[float | None, Meta(description="p-value corrected for the number of runs.")]


class ScoreTestList(Payload):
    """Tests of runs against the first one in one score."""

    score: str
    tests: list[ScoreTestPayload]


class MatrixDocument(Payload):
    """A document in each run.

    A null number is a document without findings.
    """

    document: str
    numbers: list[int | None]
    errors: list[Count]
    disagreement: int


class MatrixPayload(Payload):
    """Documents by the disagreement of the runs, at most 500."""

    documents: list[MatrixDocument]
    alone: Annotated[list[Count], Meta(description="Documents that only this run has right.")]


class NotePayload(Payload):
    """A verdict on a finding, kept beside its key."""

    corpus_key: str
    key: str
    verdict: Verdict
    text: str
    created: str


class NotedFinding(Payload):
    """The finding of a note in the latest run that has it."""

    corpus_key: str
    key: str
    run: str
    run_name: str
    position: Count
    document: str
    document_number: Count
    kind: str
    label: str


class NoteList(Payload):
    """Verdicts on findings, and the findings that listed runs have."""

    notes: list[NotePayload]
    findings: list[NotedFinding] = []


class NoteBody(msgspec.Struct, forbid_unknown_fields=True):
    """Body of a request that writes a note."""

    verdict: Verdict
    text: Annotated[str, Meta(max_length=10_000)] = ""


class Upload(msgspec.Struct, forbid_unknown_fields=True):
    """A file of an upload."""

    name: Annotated[str, Meta(max_length=1000, description="Name of the file; its suffix says its format.")]
    content: Annotated[bytes, Meta(description="The file in base64.")]


class JobBody(msgspec.Struct, forbid_unknown_fields=True):
    """Body of a request that scores uploaded files."""

    task: str
    prediction: Upload
    reference: Upload | None = None
    options: dict[str, Any] = {}
    save: Annotated[bool, Meta(description="Whether to save the run in the store.")] = False
    name: Annotated[str, Meta(max_length=200)] | None = None


class JobPayload(Payload):
    """A job that scores uploaded files."""

    id: str
    state: JobState
    share: Annotated[float | None, Meta(description="Share of the input that is read, null if unknown.")]
    message: str
    run: Annotated[str | None, Meta(description="Id of the run when the job is done.")]


class TaskPayload(Payload):
    """A task that can score uploaded files."""

    name: str
    title: str
    summary: str
    needs_reference: bool
    reference: str
    prediction: str


class TaskList(Payload):
    """The tasks."""

    tasks: list[TaskPayload]
