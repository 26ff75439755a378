"""The JSON of runs, comparisons and curves as types: what a file must be like to be read."""

from __future__ import annotations

from typing import Any

import msgspec

Number = int | float
Scores = dict[str, dict[str, Number | None]]


class Slice(msgspec.Struct):
    """A part of the documents."""

    documents: int
    scores: Scores


class Ends(msgspec.Struct):
    """An interval."""

    low: float | None
    high: float | None
    level: float
    method: str
    undefined: int = 0


class Spread(msgspec.Struct):
    """A score over documents."""

    mean: float | None
    std: float | None
    min: float | None
    max: float | None
    documents: int
    se: float | None = None


class Pair(msgspec.Struct):
    """A cell of a confusion matrix."""

    reference: str | None
    predicted: str | None
    count: int


class Found(msgspec.Struct):
    """What is said of findings."""

    counts: dict[str, int] = {}
    rows: list[dict[str, Any]] = []


class Warned(msgspec.Struct):
    """A warning."""

    code: str
    message: str
    count: int = 1
    where: str | None = None


class Entered(msgspec.Struct):
    """A file that was scored."""

    role: str
    path: str
    sha256: str


class Written(msgspec.Struct):
    """The JSON of a run."""

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
    slices: dict[str, dict[str, Slice]] = {}
    per_document: dict[str, Spread] = {}
    intervals: dict[str, Ends] = {}
    confusion: list[Pair] = []
    findings: Found = msgspec.field(default_factory=Found)
    warnings: list[Warned] = []
    inputs: list[Entered] = []
    curves: dict[str, dict[str, Any]] = {}


class Position(msgspec.Struct):
    """What a side sets in a finding."""

    start: int
    end: int
    label: str | None = None
    in_text: tuple[int, int] | None = None


class Verdict(msgspec.Struct):
    """The row of a finding."""

    kind: str
    document: str
    where: str
    text: str | None = None
    before: bool = False
    after: bool = False
    reference: Position | None = None
    predicted: Position | None = None
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


class Change(msgspec.Struct):
    """A score of a system beside that of the baseline."""

    difference: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_holm: float | None = None


class Compared(msgspec.Struct):
    """A system beside the baseline."""

    baseline: str
    system: str
    scores: dict[str, Change]


class Points(msgspec.Struct):
    """A curve, in either of its axes' names."""

    false_positive_rate: list[float] = []
    true_positive_rate: list[float] = []
    recall: list[float] = []
    precision: list[float] = []


class Curves(msgspec.Struct):
    """Both curves of a label, None where a side is undefined."""

    roc: Points | None = None
    precision_recall: Points | None = None


class Drawn(msgspec.Struct):
    """The curves of a system, as `--curves` writes them."""

    system: str
    signature: str
    curves: dict[str, Curves]
