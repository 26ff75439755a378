"""Runs of a benchmark with findings, for explorer and store.

A stored run has the time of its system beside its scores, under these paths:

    speed.ratio                  seconds for 1,000 characters in units of the calibration loop; lower is faster
    speed.characters_per_second  higher is faster
    speed.spread                 slowest round divided by the fastest
    speed.startup_seconds        until a fresh process has analysed its first text
    speed.peak_bytes             largest memory

A tag names the processor, so that times of one machine can be listed without those of another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from isogloss.benchmark.ranking import add_versions, score_predictions
from isogloss.benchmark.results import Benchmark, Timing, get_corpus
from isogloss.kernel.scores import ScoreKey
from isogloss.runs.evidence import ScoreNumber
from isogloss.runs.run import Run

if TYPE_CHECKING:
    from uuid import UUID

MAX_TAG = 200  # characters


def score_with_findings(folder: Path, benchmark: Benchmark) -> list[tuple[str, Run]]:
    """Score the predictions again with findings, by corpus.

    Args:
        folder: folder of the results.
        benchmark: the results.

    Raises:
        DataError: if a file is missing, or cannot be scored.
    """
    cells = {(cell.corpus, cell.system): cell for cell in benchmark.cells}
    golds = {record.name: record.gold for record in benchmark.corpora}
    found = []
    for scored in benchmark.scored:
        cell = cells[scored.corpus, scored.system]
        files = folder / golds[cell.corpus], folder / cell.predictions
        run = score_predictions(get_corpus(benchmark, cell.corpus), *files, cell.system, findings=True)
        run = add_versions(run, cell)
        found.append((cell.corpus, replace(run, measurements=list_measurements(cell.timing))))
    return found


def list_measurements(timing: Timing | None) -> Mapping[ScoreKey, ScoreNumber]:
    """List the time of a system as scores.

    There are none if it was not timed.
    """
    if timing is None:
        return {}
    return {
        ("speed", "ratio"): timing.ratio,
        ("speed", "characters_per_second"): timing.speed,
        ("speed", "spread"): timing.spread,
        ("speed", "startup_seconds"): timing.startup,
        ("speed", "peak_bytes"): timing.peak,
    }


def save_benchmark_runs(folder: Path, benchmark: Benchmark, store: str | None, name: str | None) -> list[UUID]:
    """Save all runs in a store of runs.

    Args:
        folder: folder of the results.
        benchmark: the results.
        store: SQLite file or PostgreSQL URL; None for the default.
        name: name of the runs; several are named NAME-1, NAME-2 and so on; None for no name.

    Returns:
        Their ids.

    Raises:
        DataError: if a file is missing, or cannot be scored.
        StoreError: if a run cannot be saved; the runs before it are saved.
        MissingExtraError: if the packages of the store are not installed.
    """
    from isogloss.store import Store, build_names  # noqa: PLC0415  needs the extra `store`

    machine = str(benchmark.machine.get("cpu") or "")[:MAX_TAG]
    ids, found = [], score_with_findings(folder, benchmark)
    with Store.open(store) as opened:
        for (corpus, run), own_name in zip(found, build_names(name, len(found)), strict=True):
            tags = filter(None, (get_corpus(benchmark, corpus).tag, machine if run.measurements else ""))
            ids.append(opened.save(run, name=own_name, corpus=corpus, tags=list(tags)))
    return ids
