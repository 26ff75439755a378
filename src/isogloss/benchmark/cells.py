"""One system on one corpus: answers and outcomes.

A second process shows which answers are stable.

A worker that is lost costs one text: it is `failed` or `timed out`, and another worker goes on with the next text.
After `restarts` workers the rest of the corpus has failed. Nothing that a system does ends the benchmark.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from isogloss.benchmark.corpora import CorpusTexts
from isogloss.benchmark.environments import Environment
from isogloss.benchmark.plan import CORPUS_FIELD, Limits, System
from isogloss.benchmark.results import (
    MAX_PROBLEMS,
    Cell,
    CellFiles,
    Outcome,
    TextProblem,
    count_outcomes,
    digest_file,
    digest_values,
    write_content,
    write_lines,
)
from isogloss.benchmark.worker_process import WORKER, WorkerProcess, WorkerStoppedError
from isogloss.records.destinations import find_compression
from isogloss.tasks.registry import get_task

BATCH = 32  # texts of a request
Answer = dict[str, Any]
Progress = Callable[[int], object]  # takes the number of texts that are done
WorkerStarter = Callable[[], WorkerProcess]


@dataclass
class Answers:
    """Answers of a system to the texts of a corpus.

    Args:
        rows: an answer for each text.
        versions: versions of its packages.
        peak: largest memory in bytes.
    """

    rows: list[Answer] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)
    peak: int = 0


@dataclass(frozen=True)
class CellRunner:
    """Runs the cells of a benchmark.

    Args:
        files: names of files.
        limits: limits of the plan.
        folder: folder of the plan.
    """

    files: CellFiles
    limits: Limits
    folder: Path

    def make_key(self, corpus: CorpusTexts, system: System, environment: Environment) -> str:
        """Return the key of a cell.

        The key changes if the answers may change.
        """
        content = ""
        if system.predictions is not None:
            path = self.locate_published(corpus, system)
            content = digest_file(path) if path.is_file() else ""
        settings = {name: getattr(system, name) for name in system.__struct_fields__}
        limits = {name: getattr(self.limits, name) for name in ("seconds", "cell_seconds", "memory", "restarts")}
        return digest_values(
            corpus.digest, settings, limits, environment.digest, content or digest_file(WORKER), corpus.corpus.language
        )

    def locate_published(self, corpus: CorpusTexts, system: System) -> Path:
        """Return the file of published predictions."""
        return self.folder / (system.predictions or "").replace(CORPUS_FIELD, corpus.corpus.name)

    def start_worker(
        self,
        corpus: CorpusTexts,
        system: System,
        environment: Environment,
        *,
        hash_seed: int = 0,
        core: int | None = None,
    ) -> WorkerProcess:
        """Start a worker of a system.

        Args:
            corpus: the corpus, whose language the system may need.
            system: the system.
            environment: its environment.
            hash_seed: value of PYTHONHASHSEED.
            core: the core it is pinned to; None for all.

        Raises:
            WorkerStoppedError: if the system cannot be loaded.
        """
        how = (environment.python, system, self.limits, self.folder)
        return WorkerProcess(*how, hash_seed=hash_seed, core=core, language=corpus.corpus.language)

    def run_cell(self, corpus: CorpusTexts, system: System, environment: Environment, progress: Progress) -> Cell:
        """Run a system on a corpus and write the cell.

        Published predictions are copied.
        """
        cell = Cell(corpus.corpus.name, system.name, self.make_key(corpus, system, environment))
        try:
            if system.predictions is not None:
                cell_result = self._copy_published(corpus, system, cell)
            else:
                cell_result = self._run_system(corpus, system, environment, cell, progress)
        except WorkerStoppedError as error:
            cell_result = fail_cell(cell, error.reason)
        except OSError as error:
            cell_result = fail_cell(cell, f"cannot be started: {error.strerror}: {error.filename}")
        self.files.save_cell(cell_result)
        return cell_result

    def _run_system(
        self, corpus: CorpusTexts, system: System, environment: Environment, cell: Cell, progress: Progress
    ) -> Cell:
        if not corpus.texts:
            return fail_cell(cell, 'the corpus has no texts; add texts = "FILE" to it')

        def start(seed: int) -> WorkerStarter:
            return lambda: self.start_worker(corpus, system, environment, hash_seed=seed)

        whole = system.kind == "command"
        texts = corpus.list_inputs(whole=whole)
        answers = collect_answers(start(0), texts, self.limits, progress, whole=whole)
        problems = [judge_answer(*pair, spelled=corpus.spelled) for pair in zip(texts, answers.rows, strict=True)]
        path = self.files.locate_predictions(cell.corpus, cell.system)
        outcomes = [outcome for outcome, _ in problems]
        answered = [
            row.get("answer") if outcome in ("ok", "changed") else None
            for row, outcome in zip(answers.rows, outcomes, strict=True)
        ]
        if corpus.spelled:
            rows = [{"words": answer or [], "outcome": each} for answer, each in zip(answered, outcomes, strict=True)]
        else:
            rows = build_rows(corpus.list_rows(), corpus.list_inputs(whole=False), answered)
        sha256 = write_lines(path, (json.dumps(row, ensure_ascii=False) for row in rows))
        return _replace(
            cell,
            **summarize_outcomes(problems),
            versions=answers.versions,
            unstable=self._count_unstable(start(1), texts, answers.rows, whole=whole),
            predictions=str(path.relative_to(self.files.folder)),
            sha256=sha256,
            peak=answers.peak,
        )

    def _count_unstable(
        self, start: WorkerStarter, texts: Sequence[str], rows: Sequence[Answer], *, whole: bool
    ) -> int | None:
        """Count the texts that get another answer in a second process.

        The process has another hash seed and gets the last text first.

        Only texts that got an answer are counted. The result is None if there are none.
        """
        answered = [at for at in reversed(range(len(texts))) if "answer" in rows[at]]
        if not answered:
            return None
        try:
            own = [texts[at] for at in answered]
            again_answered = collect_answers(start, own, self.limits, lambda _: None, whole=whole)
        except (WorkerStoppedError, OSError):
            return len(answered)
        return sum(rows[at] != row for at, row in zip(answered, again_answered.rows, strict=True))

    def _copy_published(self, corpus: CorpusTexts, system: System, cell: Cell) -> Cell:
        source = self.locate_published(corpus, system)
        if not source.is_file():
            return fail_cell(cell, f"no such file: {source.name}")
        suffixes = source.suffixes[-2:] if find_compression(source) else source.suffixes[-1:]
        path = self.files.locate_predictions(cell.corpus, cell.system, "".join(suffixes))
        sha256 = write_content(path, source.read_bytes())
        copied = _replace(cell, predictions=str(path.relative_to(self.files.folder)), sha256=sha256)
        exchange = get_task(corpus.corpus.task).system_texts
        if exchange is None or not corpus.spelled:
            return copied
        published = exchange.read(str(path), corpus.corpus.options.get("prediction_format"))
        if len(published) != len(corpus.texts):
            reason = f"{source.name} has {len(published)} texts, the corpus has {len(corpus.texts)}"
            return fail_cell(cell, reason)
        problems = [
            judge_answer(text, {"answer": [own]}, spelled=True)
            for text, own in zip(corpus.texts, published, strict=True)
        ]
        return _replace(copied, **summarize_outcomes(problems))


def _replace(cell: Cell, **changes: Any) -> Cell:
    values = {name: getattr(cell, name) for name in cell.__struct_fields__}
    return Cell(**(values | changes))


def fail_cell(cell: Cell, reason: str) -> Cell:
    """Return a cell whose system cannot run at all."""
    return Cell(cell.corpus, cell.system, cell.key, status="failed", reason=reason)


def collect_answers(
    start: WorkerStarter, texts: Sequence[str], limits: Limits, progress: Progress, *, whole: bool
) -> Answers:
    """Return an answer for each text.

    A worker that is lost costs one text.

    Args:
        start: starts a worker.
        texts: the texts.
        limits: limits of the plan.
        progress: takes the number of texts that are done.
        whole: whether all texts are given at once.

    Raises:
        WorkerStoppedError: if the first worker cannot be started.
    """
    answers, deadline, lost = Answers(), time.monotonic() + limits.cell_seconds, 0
    while len(answers.rows) < len(texts):
        try:
            with start() as worker:
                answers.versions = worker.ready["versions"]
                for batch in _cut_batches(texts[len(answers.rows) :], len(texts) if whole else BATCH):
                    if time.monotonic() > deadline:
                        return _fill(answers, len(texts), {"late": True})
                    _ask(worker, batch, answers)
                    progress(len(answers.rows))
        except WorkerStoppedError as error:
            if not answers.versions:
                raise
            lost += 1
            if len(answers.rows) < len(texts):
                answers.rows.append({"late": True, "error": error.reason} if error.late else {"error": error.reason})
            if lost > limits.restarts:
                return _fill(answers, len(texts), {"error": f"not tried after {lost} workers were lost"})
    return answers


def _ask(worker: WorkerProcess, texts: Sequence[str], answers: Answers) -> None:
    for row in worker.answer_texts(texts):
        if "done" in row:
            answers.peak = max(answers.peak, row["peak"])
        else:
            answers.rows.append(row)


def _fill(answers: Answers, number: int, row: Answer) -> Answers:
    answers.rows += [row] * (number - len(answers.rows))
    return answers


def _cut_batches(texts: Sequence[str], size: int) -> Iterable[Sequence[str]]:
    return (texts[at : at + size] for at in range(0, len(texts), size))


def judge_answer(text: str, row: Answer, *, spelled: bool) -> tuple[Outcome, str]:
    """Return the outcome of a text, and the reason if it failed.

    Args:
        text: the text.
        row: the answer.
        spelled: whether the answer is words that must spell the text; whitespace is not compared, as in the scores.
    """
    if row.get("late"):
        return "timed out", row.get("error", "the time for the corpus was over")
    if "error" in row:
        return "failed", row["error"]
    answer = row.get("answer")
    if not spelled:
        return "ok", ""
    if not isinstance(answer, list) or not all(isinstance(word, str) for word in answer):
        return "failed", "the answer is not a list of words"
    same = "".join("".join(answer).split()) == "".join(text.split())
    return ("ok" if same else "changed"), ""


def summarize_outcomes(problems: Sequence[tuple[Outcome, str]]) -> dict[str, Any]:
    """Build the fields of a cell from the outcomes of texts.

    Args:
        problems: outcome and reason of each text.
    """
    listed = [TextProblem(at, *pair) for at, pair in enumerate(problems, 1) if pair[0] != "ok"]
    return {
        "outcomes": count_outcomes(outcome for outcome, _ in problems),
        "problems": listed[:MAX_PROBLEMS],
        "reason": next((each.reason for each in listed if each.reason), ""),
    }


def build_rows(
    given: Sequence[Mapping[str, Any]], texts: Sequence[str], answers: Sequence[Any]
) -> list[dict[str, Any]]:
    """Build the rows that a task scores.

    They have the ids of the input. Spans are a row with the text. A text without an answer has the keys of the first
    answer: what that repeats of its input comes from the own input, all else is empty.

    Args:
        given: the input as JSON objects, empty for other lines.
        texts: the texts.
        answers: spans or a row for each text; None if the text failed.
    """
    rows = [
        answer if isinstance(answer, dict) else {"text": text, "spans": answer or []}
        for text, answer in zip(texts, answers, strict=True)
    ]
    first = next((at for at, answer in enumerate(answers) if isinstance(answer, dict)), None)
    if first is not None:
        repeated = {key for key, value in rows[first].items() if given[first].get(key) == value}
        empty = {key: None if value is None else type(value)() for key, value in rows[first].items()}
        for at, answer in enumerate(answers):
            if answer is None:
                rows[at] = empty | {key: given[at][key] for key in repeated if key in given[at]}
    return [{**({"id": own["id"]} if "id" in own else {}), **row} for own, row in zip(given, rows, strict=True)]
