"""Scores predictions again, and compares each hash and score."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from isogloss.benchmark.corpora import read_corpus
from isogloss.benchmark.ranking import score_predictions
from isogloss.benchmark.results import Benchmark, CorpusRecord, ScoredCell, digest_file, get_corpus
from isogloss.errors import IsoglossError
from isogloss.runs.run_json import RunJson, Scores

TOLERANCE = 1e-12  # of a score: the order of additions may differ between machines


@dataclass(frozen=True)
class Difference:
    """A hash or a score that differs.

    Args:
        where: corpus and system.
        message: what differs, in one line.
    """

    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


def verify_benchmark(folder: Path, benchmark: Benchmark) -> list[Difference]:
    """Score the predictions again, and list what differs.

    Args:
        folder: folder of the results.
        benchmark: the results.
    """
    folder = folder.absolute()
    return [*_verify_corpora(folder, benchmark), *_verify_files(folder, benchmark), *_verify_scores(folder, benchmark)]


def _verify_corpora(folder: Path, benchmark: Benchmark) -> Iterator[Difference]:
    for record in benchmark.corpora:
        gold = folder / record.gold
        if not gold.is_file():
            yield Difference(record.name, f"the reference is not there: {gold}")
        elif digest_file(gold) != record.sha256:
            yield Difference(record.name, "the reference has another SHA-256")
        else:
            yield from _verify_texts(folder, benchmark, record)


def _verify_texts(folder: Path, benchmark: Benchmark, record: CorpusRecord) -> Iterator[Difference]:
    corpus = get_corpus(benchmark, record.name)
    if corpus.texts is None:
        reread = read_corpus(msgspec.structs.replace(corpus, gold=str(folder / record.gold)), folder)
        if reread.digest != record.texts_sha256:
            yield Difference(record.name, "the texts have another SHA-256")


def _verify_files(folder: Path, benchmark: Benchmark) -> Iterator[Difference]:
    for cell in benchmark.cells:
        path, where = folder / cell.predictions, f"{cell.corpus}, {cell.system}"
        if cell.predictions and not path.is_file():
            yield Difference(where, f"the predictions are not there: {cell.predictions}")
        elif cell.predictions and digest_file(path) != cell.sha256:
            yield Difference(where, "the predictions have another SHA-256")


def _verify_scores(folder: Path, benchmark: Benchmark) -> Iterator[Difference]:
    paths = {(cell.corpus, cell.system): cell.predictions for cell in benchmark.cells}
    records = {record.name: record for record in benchmark.corpora}
    for scored in benchmark.scored:
        where = f"{scored.corpus}, {scored.system}"
        files = folder / records[scored.corpus].gold, folder / paths[scored.corpus, scored.system]
        if all(file.is_file() for file in files):
            try:
                run = score_predictions(get_corpus(benchmark, scored.corpus), *files, scored.system)
            except IsoglossError as error:
                yield Difference(where, f"cannot be scored: {' '.join(str(error).split())}")
                continue
            yield from _compare_runs(where, scored, msgspec.convert(run.to_dict(), RunJson))


def _compare_runs(where: str, scored: ScoredCell, found: RunJson) -> Iterator[Difference]:
    was, now = flatten_scores(scored.run), flatten_scores(found)
    for path in {**was, **now}:
        old, new = was.get(path), now.get(path)
        if old != new and not (old is not None and new is not None and math.isclose(old, new, abs_tol=TOLERANCE)):
            yield Difference(where, f"{path} was {old}, is {new}")


def flatten_scores(run: RunJson) -> dict[str, float | None]:
    """Return the numbers of a run by path.

    These are overall scores, means over documents and bounds of intervals.

    Args:
        run: the run.
    """
    flat = dict(_flatten_groups(run.scores))
    for path, spread in run.per_document.items():
        flat[f"per_document.{path}.mean"] = spread.mean
    for path, interval in run.intervals.items():
        flat[f"intervals.{path}.low"], flat[f"intervals.{path}.high"] = interval.low, interval.high
    return flat


def _flatten_groups(scores: Scores) -> Iterator[tuple[str, float | None]]:
    groups: Mapping[str, Mapping[str, float | None]] = scores
    for group, own in groups.items():
        for name, value in own.items():
            yield f"{group}.{name}", value
