"""Explorer of the runs of a benchmark.

It is one file; each run has an address in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from isogloss.benchmark.results import Benchmark
from isogloss.benchmark.saved_runs import score_with_findings
from isogloss.explorer.static_export import render_report
from isogloss.records.destinations import write_files
from isogloss.report.report_runs import ReportRun, group_by_corpus, list_report_runs

REMEDY = "Name a folder that can be written."


def write_explorers(folder: Path, benchmark: Benchmark) -> tuple[list[Path], Mapping[tuple[str, str], str]]:
    """Write an explorer of the runs of each task.

    It is `explorer.html`, or `explorer-TASK.html` if there are several tasks.

    Args:
        folder: folder of the results.
        benchmark: the results.

    Returns:
        The files, and the address of each run in them by names of corpus and system.

    Raises:
        DataError: if a file is missing, cannot be scored, or cannot be written.
    """
    runs = score_with_findings(folder, benchmark)
    tasks = dict.fromkeys(run.task for _, run in runs)
    pages: dict[Path, str] = {}
    links: dict[tuple[str, str], str] = {}
    for task in tasks:
        name = "explorer.html" if len(tasks) == 1 else f"explorer-{task}.html"
        own = [(corpus, run) for corpus, run in runs if run.task == task]
        corpora = group_by_corpus([ReportRun(run, corpus=corpus) for corpus, run in own])
        places = {entry.run: entry.id for entry in list_report_runs(corpora)}
        links |= {(corpus, run.system): f"{name}#/run/{places[run]}/findings" for corpus, run in own}
        pages[folder / name] = render_report(corpora)
    write_files(pages, REMEDY)
    return list(pages), links
