"""The tables of entity translation: overall, by language, by entity type, and what became of the names."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from isogloss.kernel.scores import format_path
from isogloss.runs.run import Run
from isogloss.runs.tables import ScoreTable, TableCell, TableColumn, shorten_system_names, write_mean_note

COMPANION_SCORES = ("chrf", "bleu", "comet", "harmonic_mean")
NAME_COUNTS = ("correct", "total", "missing")
ACCURACY_KEY = ("m_eta", "accuracy")


def build_tables(runs: Sequence[Run]) -> list[ScoreTable]:
    """The tables of one run, or of several side by side."""
    if len(runs) == 1:
        found = [
            _build_overall_table(runs[0]),
            _build_languages_table(runs[0]),
            _build_types_table(runs[0]),
            _build_kinds_table(runs),
            *_build_explanation_tables(runs),
        ]
    else:
        found = [
            _build_systems_table(runs),
            _compare_languages(runs),
            _compare_types(runs),
            _build_kinds_table(runs),
            *_build_explanation_tables(runs),
        ]
    return [table for table in found if table.rows]


def _build_overall_table(run: Run) -> ScoreTable:
    """Each overall score, a row each, with its interval."""
    names = [ACCURACY_KEY, ("languages", "accuracy"), *((name, "score") for name in COMPANION_SCORES)]
    names += [("harmonic_mean", "harmonic_mean_of_means")]
    titles = {"m_eta.accuracy": "m-ETA, all sentences", "languages.accuracy": "m-ETA, mean over languages"}
    titles |= {
        "harmonic_mean.score": "mean of harmonic means",
        "harmonic_mean.harmonic_mean_of_means": "harmonic mean of means",
    }
    interval = _make_interval_columns(run)
    rows: list[tuple[TableCell, ...]] = [
        (
            titles.get(format_path(name), name[0]),
            run.scores[name[0]][name[1]],
            *_make_interval_cells(run, interval, format_path(name)),
        )
        for name in names
        if name[0] in run.scores and name[1] in run.scores[name[0]]
    ]
    return ScoreTable(
        "Overall", (TableColumn("score"), TableColumn("value", "ratio"), *interval), tuple(rows), _notes(run)
    )


def _notes(run: Run) -> tuple[str, ...]:
    """A line for each mean over languages that skips languages for which the score is undefined."""
    languages = run.slices.get("language", {})
    lines: list[str] = []
    for name in COMPANION_SCORES:
        values = {language: own[name]["score"] for language, own in languages.items() if name in own}
        undefined = [language for language, value in values.items() if math.isnan(value)]
        mean = "mean of harmonic means" if name == "harmonic_mean" else name
        lines += write_mean_note(mean, undefined, len(values), "languages")
    return tuple(lines)


def _build_languages_table(run: Run) -> ScoreTable:
    groups = run.slices.get("language", {})
    return _build_parts_table("By language", groups, run, ("slices", "language"))


def _build_types_table(run: Run) -> ScoreTable:
    return _build_parts_table("By entity type", run.by_label, run, ("by_label",))


def _build_parts_table(
    title: str, groups: Mapping[str, Mapping[str, Any]], run: Run, place: tuple[str, ...]
) -> ScoreTable:
    """m-ETA of each part, with its counts and what stands beside it."""
    beside = [name for name in COMPANION_SCORES if any(name in group for group in groups.values())]
    interval = _make_interval_columns(run)
    columns = (
        TableColumn(place[-1] if len(place) > 1 else "type"),
        TableColumn("m-ETA", "ratio"),
        *interval,
        *(TableColumn(name, "count") for name in NAME_COUNTS),
        *(TableColumn(name.replace("_", " "), "ratio") for name in beside),
    )
    rows = [
        (
            name,
            group["m_eta"]["accuracy"],
            *_make_interval_cells(run, interval, format_path((*place, name, *ACCURACY_KEY))),
            *(group["m_eta"][count] for count in NAME_COUNTS),
            *(group[other]["score"] for other in beside),
        )
        for name, group in groups.items()
    ]
    return ScoreTable(title, columns, tuple(rows))


def _build_systems_table(runs: Sequence[Run]) -> ScoreTable:
    beside = [name for name in COMPANION_SCORES if any(name in run.scores for run in runs)]
    interval = _make_interval_columns(runs[0])
    columns = (
        TableColumn("system"),
        TableColumn("m-ETA", "ratio"),
        *interval,
        TableColumn("mean over languages", "ratio"),
        *(TableColumn(name.replace("_", " "), "ratio") for name in beside),
    )
    rows = [
        (
            name,
            run.scores["m_eta"]["accuracy"],
            *_make_interval_cells(run, interval, format_path(ACCURACY_KEY)),
            run.scores["languages"]["accuracy"],
            *(run.scores[other]["score"] if other in run.scores else None for other in beside),
        )
        for name, run in zip(shorten_system_names(runs), runs, strict=True)
    ]
    notes = (
        f"{name}: {note}" for name, run in zip(shorten_system_names(runs), runs, strict=True) for note in _notes(run)
    )
    return ScoreTable("Systems", columns, tuple(rows), tuple(dict.fromkeys(notes)))


def _compare_languages(runs: Sequence[Run]) -> ScoreTable:
    return _build_comparison_table(
        "m-ETA by language", "language", [run.slices.get("language", {}) for run in runs], runs
    )


def _compare_types(runs: Sequence[Run]) -> ScoreTable:
    return _build_comparison_table("m-ETA by entity type", "type", [run.by_label for run in runs], runs)


def _build_comparison_table(
    title: str,
    head: str,
    groups: Sequence[Mapping[str, Mapping[str, Any]]],
    runs: Sequence[Run],
) -> ScoreTable:
    columns = (TableColumn(head), *(TableColumn(name, "ratio") for name in shorten_system_names(runs)))
    names = sorted(set(chain.from_iterable(groups)))
    rows = [
        (name, *(group[name]["m_eta"]["accuracy"] if name in group else None for group in groups)) for name in names
    ]
    return ScoreTable(title, columns, tuple(rows))


def _build_kinds_table(runs: Sequence[Run]) -> ScoreTable:
    return _build_counts_table("Names", "kind", runs, [run.kinds for run in runs])


def _build_explanation_tables(runs: Sequence[Run]) -> list[ScoreTable]:
    """What stands beside the names that were found, and how consistent systems are about an entity."""
    return [
        _build_counts_table(title, head, runs, [run.scores.get(group, {}) for run in runs])
        for title, head, group in (
            ("Boundaries of the names that were found", "boundary", "boundary"),
            ("Entities", "their sentences", "consistency"),
        )
    ]


def _build_counts_table(title: str, head: str, runs: Sequence[Run], groups: Sequence[Mapping[str, Any]]) -> ScoreTable:
    heads = ["count"] if len(runs) == 1 else shorten_system_names(runs)
    names = list(dict.fromkeys(chain.from_iterable(groups)))
    rows = [(name.replace("_", " "), *(group.get(name) for group in groups)) for name in names]
    return ScoreTable(title, (TableColumn(head), *(TableColumn(name, "count") for name in heads)), tuple(rows))


def _make_interval_columns(run: Run) -> list[TableColumn]:
    """A column for intervals, when there are some."""
    if not run.intervals:
        return []
    level = next(iter(run.intervals.values())).level
    return [TableColumn(f"{100 * level:g}%", "interval")]


def _make_interval_cells(run: Run, columns: Sequence[TableColumn], name: str) -> list[TableCell]:
    interval = run.intervals.get(name)
    return [None if interval is None else (interval.low, interval.high) for _ in columns]
