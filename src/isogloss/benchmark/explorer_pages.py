"""Explorer of the runs of a benchmark, and excerpts from them.

The explorer is one file; each run has an address in it. An excerpt has that address and the most frequent confusions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from isogloss.benchmark.leaderboard import Confusion, RunExcerpt
from isogloss.benchmark.results import Benchmark
from isogloss.benchmark.saved_runs import score_with_findings
from isogloss.explorer.static_export import render_report
from isogloss.records.destinations import write_files
from isogloss.report.report_runs import ReportRun, group_by_corpus, list_report_runs
from isogloss.runs.run import Run

CONFUSIONS = 5  # of a run
REMEDY = "Name a folder that can be written."


def write_explorers(folder: Path, benchmark: Benchmark) -> tuple[list[Path], Mapping[tuple[str, str], RunExcerpt]]:
    """Write an explorer of the runs of each task.

    It is `explorer.html`, or `explorer-TASK.html` if there are several tasks.

    Args:
        folder: folder of the results.
        benchmark: the results.

    Returns:
        The files, and an excerpt from each run by names of corpus and system.

    Raises:
        DataError: if a file is missing, cannot be scored, or cannot be written.
    """
    runs = score_with_findings(folder, benchmark)
    tasks = dict.fromkeys(run.task for _, run in runs)
    pages: dict[Path, str] = {}
    excerpts: dict[tuple[str, str], RunExcerpt] = {}
    for task in tasks:
        name = "explorer.html" if len(tasks) == 1 else f"explorer-{task}.html"
        own = [(corpus, run) for corpus, run in runs if run.task == task]
        corpora = group_by_corpus([ReportRun(run, corpus=corpus) for corpus, run in own])
        places = {entry.run: entry.id for entry in list_report_runs(corpora)}
        for corpus, run in own:
            link = f"{name}#/run/{places[run]}/findings"
            excerpts[corpus, run.system] = RunExcerpt(link, count_confusions(run))
        pages[folder / name] = render_report(corpora)
    write_files(pages, REMEDY)
    return list(pages), excerpts


def count_confusions(run: Run) -> list[Confusion]:
    """Count the most frequent differences in words.

    Runs whose findings have no words have none. Equal counts are in the order of the words.

    Args:
        run: a run with findings.
    """
    found: Counter[tuple[str, str, str]] = Counter()
    for finding in run.findings:
        reference, predicted = (finding.extra.get(name) for name in ("reference_words", "predicted_words"))
        if reference and predicted and reference != predicted:
            found[finding.kind, "|".join(reference), "|".join(predicted)] += 1
    ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return [Confusion(*key, times) for key, times in ordered[:CONFUSIONS]]
