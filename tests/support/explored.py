"""Runs for tests of the explorer: random findings, and the bundled examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from hypothesis import strategies as st
from reports import by_hand, corpora, demo_runs, written

from isogloss.explorer.explorer import Explorer
from isogloss.explorer.run_sources import MemoryRuns
from isogloss.kernel.findings import Finding, Mark
from isogloss.report.report_runs import ReportRun, group_by_corpus
from isogloss.runs.findings import Findings
from isogloss.runs.run import Run
from isogloss.tasks.ner.scoring import ner

KINDS = ("missed", "spurious", "wrong_type", "wrong_boundary", "excused")
LABELS = ("PER", "LOC", "ORG")
GENRES = ("news", "web", None)
TEXT = "Straße İstanbul ﬁn"
Place = tuple[int, int, int, str, str, str | None]  # document, start, words, kind, label, genre

PLACES: st.SearchStrategy[list[Place]] = st.lists(
    st.tuples(
        st.integers(0, 5),
        st.integers(0, 4),
        st.integers(1, 3),
        st.sampled_from(KINDS),
        st.sampled_from(LABELS),
        st.sampled_from(GENRES),
    ),
    max_size=30,
)


def build_finding(place: Place) -> Finding:
    """A finding at a place; wrong types have two labels."""
    document, start, words, kind, label, genre = place
    reference = Mark("reference", label, start, start + words, start, start + words)
    predicted = Mark("predicted", label, start, start + words, start, start + words)
    marks: dict[str, tuple[Mark, ...]] = {
        "missed": (reference,),
        "spurious": (predicted,),
        "wrong_type": (reference, Mark("predicted", LABELS[LABELS.index(label) - 1], start, start + words, 0, 1)),
    }
    slices = {} if genre is None else {"slices": {"genre": genre}}
    return Finding(
        kind, f"d{document}", f"gold.conll:{start}", marks.get(kind, (reference, predicted)), TEXT, extra=slices
    )


def build_run(places: Sequence[Place], system: str = "a") -> Run:
    """A run of named entities with findings at these places, in the order of documents."""
    run = scored(system)
    found = [build_finding(place) for place in sorted(places, key=lambda place: place[0])]
    return replace(run, findings=Findings(found, "ner"))


@cache
def scored(system: str) -> Run:
    """A small scored run."""
    gold = [["B-PER", "O"], ["B-LOC", "O"]]
    return replace(ner(gold, [["B-PER", "O"], ["O", "O"]]), system=system)


def explore(*runs: Run) -> Explorer:
    """The explorer of runs."""
    return Explorer(MemoryRuns(group_by_corpus([ReportRun(run) for run in runs])))


def explore_demo(path: Any, task: str) -> Explorer:
    """The explorer of the bundled examples of a task, by way of a file."""
    return Explorer(MemoryRuns(corpora(path / "runs.json", *demo_runs(task))))


__all__ = ["build_run", "by_hand", "explore", "explore_demo", "written"]
