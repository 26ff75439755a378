"""A sixth task is one declaration: it gets a command, a route, tables, intervals, comparison, store, report and gates.

The toy task scores answers, one a line: an answer is right when it equals that of the reference.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest

from isogloss import Accumulator, compare
from isogloss.cli import run as run_command
from isogloss.errors import DataError, UsageError
from isogloss.kernel.counts import Counts
from isogloss.kernel.findings import Finding, Mark
from isogloss.kernel.provenance import RunWarning, Side, TextExcerpt
from isogloss.kernel.score_catalogue import Catalogue, Score
from isogloss.kernel.scores import Ints, Scores, divide
from isogloss.kernel.sums import Sums
from isogloss.records.sources import Source
from isogloss.runs.evidence import MetricSpec
from isogloss.runs.run import Run
from isogloss.tasks.counted_system import CountedSystem, list_counted_files
from isogloss.tasks.document_columns import DocumentFacts
from isogloss.tasks.options import Option
from isogloss.tasks.registry import TASKS, register_task
from isogloss.tasks.run_building import build_evidence, build_run, count_corpus
from isogloss.tasks.scoring import score
from isogloss.tasks.scoring_options import ScoringOptions
from isogloss.tasks.task import Argument, Request, Task

# --- the task: what a package would add -------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class AnswerOptions:
    """The options of the toy task."""

    ignore_case: Annotated[bool, Option("Compare answers without regard to case.")] = False
    profile: Annotated[str | None, Option("Reproduce the figures of another tool.", choices=("exam",))] = None


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers of both sides, as counting and findings look at them; the batch is its own provenance."""

    documents: Ints
    reference: Sequence[str]
    predicted: Sequence[str]
    system: str = "prediction"
    sources: tuple[tuple[str, Source], ...] = ()
    warnings: tuple[RunWarning, ...] = ()

    @property
    def provenance(self) -> Answers:
        return self

    def name(self, row: int) -> str:
        return str(row + 1)

    def where(self, row: int, position: int, side: Side) -> str:
        return f"{self.system}:{row + 1}"

    def get_excerpt(self, row: int) -> TextExcerpt | None:
        return TextExcerpt(self.reference[row])

    def right(self, options: AnswerOptions) -> Iterator[bool]:
        fold = str.casefold if options.ignore_case else str
        return (fold(a) == fold(b) for a, b in zip(self.reference, self.predicted, strict=True))


@dataclass(frozen=True)
class ExactMatch:
    """Right answers among all."""

    options: AnswerOptions

    def count(self, batch: Answers) -> Counts:
        right = np.fromiter(batch.right(self.options), np.int64)
        return Counts.build(batch.documents, {"right": right, "total": np.ones_like(right)})

    def overall(self, sums: Sums) -> Scores:
        right, total = (sums.get_column(name).sum(axis=-1) for name in ("right", "total"))
        return {("exact", "match"): divide(right, total), ("exact", "right"): right, ("exact", "total"): total}

    def score(self, sums: Sums) -> Scores:
        return self.overall(sums)


def open_systems(
    reference: Any, predictions: Sequence[Any], options: Any, scoring_options: Any, progress: Any = None
) -> list[Answers]:
    def lines(side: Any) -> list[str]:
        if isinstance(side, list):
            return side
        return [line for block in side.blocks() for line in block.text.splitlines()]

    reference, *predictions = (
        side if isinstance(side, list | Source) else Source(side) for side in (reference, *predictions)
    )
    gold, systems = lines(reference), []
    for prediction in predictions:
        own = lines(prediction)
        if len(own) != len(gold):
            raise DataError(f"{len(own)} answers, but the reference has {len(gold)}", remedy="Write one a line.")
        sides = ("reference", reference), ("prediction", prediction)
        sources = tuple((role, side) for role, side in sides if isinstance(side, Source))
        systems.append(
            Answers(np.arange(len(gold)), gold, own, str(getattr(prediction, "name", "prediction")), sources)
        )
    return systems


def find_wrong(options: AnswerOptions) -> Any:
    def find(batch: Answers, limit: int) -> list[Finding]:
        wrong = [row for row, right in enumerate(batch.right(options)) if not right][:limit]
        return [
            Finding("wrong", str(row + 1), batch.where(row, 0, "predicted"), (Mark("reference", None, 0, 1),))
            for row in wrong
        ]

    return find


def count(system: Answers, options: AnswerOptions, scoring_options: ScoringOptions) -> CountedSystem:
    metric, find = ExactMatch(options), find_wrong(options)
    return CountedSystem(
        system.system,
        count_corpus([system], metric, find, scoring_options, DocumentFacts()),
        {"case": "ignored" if options.ignore_case else "kept"},
        {"ignore_case": options.ignore_case},
        list_counted_files(system.sources),
        numbers=len(system.documents),
    )


def finish(counted: CountedSystem, scoring_options: ScoringOptions) -> Run:
    spec = MetricSpec("answers", counted.arguments, make_metric)
    evidence = build_evidence(counted.counts, make_metric(**counted.arguments), scoring_options, spec)
    return build_run(TASK, counted, evidence, scoring_options)


def make_metric(*, ignore_case: bool) -> ExactMatch:
    return ExactMatch(AnswerOptions(ignore_case=ignore_case))


TASK = Task(
    name="answers",
    title="Answers",
    summary="Score answers, one a line.",
    options=AnswerOptions,
    reference=Argument("reference", "REFERENCE", "Right answers, one a line."),
    prediction=Argument("prediction", "PREDICTION...", "One file per system."),
    open_systems=open_systems,
    count=count,
    finish=finish,
    list_sources=lambda system: system.sources,
    make_metric=make_metric,
    scores=Catalogue((Score("exact.match", main=1),)),
    request=lambda: Request(
        "AnswersRequest",
        "Answers against a reference.",
        {"reference": list[str], "prediction": list[str]},
        {"reference": ["yes"], "prediction": ["no"]},
    ),
)

# --- what it gets without another line --------------------------------------------------------------------------------

GOLD, GOOD, BAD = ["a", "b", "c", "d"] * 10, ["a", "b", "c", "x"] * 10, ["a", "B", "x", "x"] * 10


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    for name, answers in (("gold", GOLD), ("good", GOOD), ("bad", BAD)):
        Path(name).write_text("\n".join(answers) + "\n", encoding="utf-8")
    register_task(TASK)
    yield
    TASKS.registered.pop("answers")


def isogloss(*arguments: str, code: int = 0) -> None:
    assert run_command(["answers", *arguments]) == code


def test_the_declaration_is_short() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    declared = text.partition("# --- the task")[2].partition("# --- what it gets")[0]
    assert len([line for line in declared.splitlines() if line.strip()]) < 150


def test_it_is_called_from_python_and_checks_its_options() -> None:
    assert score("answers", GOLD, GOOD).scores["exact"].match == 0.75
    assert score("answers", GOLD, BAD, ignore_case=True).scores["exact"].match == 0.5
    with pytest.raises(UsageError, match="ignore_cases"):
        score("answers", GOLD, BAD, ignore_cases=True)


def test_it_has_intervals_and_comparison() -> None:
    good, bad = (score("answers", GOLD, each, confidence=0.95, findings=True) for each in (GOOD, BAD))
    assert good.intervals["exact.match"].low < 0.75 < good.intervals["exact.match"].high
    assert [finding.kind for finding in good.findings] == ["wrong"] * 10
    (pair,) = compare(good, bad).pairs
    assert pair.scores["exact.match"].difference == -0.5


def test_it_is_counted_in_parts(capsys: pytest.CaptureFixture[str]) -> None:
    counted = Accumulator("answers", confidence=0.95)
    for k in range(0, 40, 10):
        counted.update(GOLD[k : k + 10], BAD[k : k + 10])
        Path(f"gold-{k}").write_text("\n".join(GOLD[k : k + 10]) + "\n", encoding="utf-8")
        Path(f"bad-{k}").write_text("\n".join(BAD[k : k + 10]) + "\n", encoding="utf-8")
        assert run_command(["count", "answers", f"gold-{k}", f"bad-{k}", "-o", f"{k}.iso", "--errors", "4", "-q"]) == 0
    assert counted.compute().to_dict() == score("answers", GOLD, BAD, confidence=0.95).to_dict()
    merged, whole = Path("merged.json"), Path("whole.json")
    assert run_command(["merge", "0.iso", "10.iso", "20.iso", "30.iso", "-f", "json", "-o", str(merged)]) == 0
    isogloss("gold", "bad", "--errors", "4", "-f", "json", "-o", str(whole))
    one, other = (json.loads(path.read_text(encoding="utf-8")) for path in (merged, whole))
    assert one["scores"] == other["scores"]
    assert [row["document"] for row in one["findings"]["rows"]] == [
        row["document"] for row in other["findings"]["rows"]
    ]


def test_it_has_a_command_with_tables_gates_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["--help"]) == 0
    assert "Score answers, one a line." in capsys.readouterr().out
    isogloss("gold", "good", "bad", "--ignore-case")
    assert "exact.match" in capsys.readouterr().out
    isogloss("gold", "good", "--fail-under", "exact.match=0.9", code=1)
    capsys.readouterr()
    isogloss("gold", "good", "-f", "json", "--errors", "2")
    document = json.loads(capsys.readouterr().out)
    assert (document["task"], document["scores"]["exact"]["match"]) == ("answers", 0.75)
    assert len(document["findings"]["rows"]) == 2
    isogloss("gold", "good", "--profile", "oxam", code=2)
    assert "exam" in capsys.readouterr().err


@pytest.mark.extra
def test_it_is_stored_compared_and_reported(capsys: pytest.CaptureFixture[str]) -> None:
    isogloss("gold", "good", "bad", "--save=run", "--corpus", "exam", "-q")
    assert run_command(["runs", "list", "-f", "csv"]) == 0
    assert "exact.match" in capsys.readouterr().out
    assert run_command(["compare", "run-1", "run-2"]) == 0
    assert "exact.match" in capsys.readouterr().out
    assert run_command(["report", "run-1", "run-2", "-o", "report.html"]) == 0
    assert "Answers: 2 systems" in Path("report.html").read_text(encoding="utf-8")
    assert run_command(["report", "run-1", "run-2", "-f", "markdown"]) == 0


@pytest.mark.extra
def test_it_has_a_route_with_schema_and_documentation() -> None:
    pytest.importorskip("starlette")
    from isogloss.service.jobs import Job, Worker  # noqa: PLC0415  an extra
    from isogloss.service.openapi import build_document, render_docs_page  # noqa: PLC0415  an extra
    from isogloss.service.requests import make_routes  # noqa: PLC0415  an extra
    from isogloss.service.settings import ModelSettings  # noqa: PLC0415  an extra

    schema = build_document(make_routes())
    assert schema["paths"]["/v1/answers"]["post"]["operationId"] == "answers"
    assert "ignore_case" in schema["components"]["schemas"]["AnswersRequest"]["properties"]
    assert "POST /v1/answers" in render_docs_page(schema, {"version": "1", "profiles": {}})
    body = json.dumps({"reference": GOLD, "prediction": BAD, "ignore_case": True}).encode()
    reply = Worker(ModelSettings())(Job("/v1/answers", 0, 1000), body)
    assert json.loads(reply.body)["scores"]["exact"]["match"] == 0.5
