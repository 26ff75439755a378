"""The tables of entity translation: overall, by language, by entity type, and what became of the names."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from isogloss.kernel.scores import path
from isogloss.runs.run import Run
from isogloss.runs.tables import Cell, Column, Table, note_on_mean, short_names

BESIDE = ("chrf", "bleu", "comet", "harmonic_mean")
COUNTS = ("correct", "total", "missing")
ACCURACY = ("m_eta", "accuracy")


def build_tables(runs: Sequence[Run]) -> list[Table]:
    """The tables of one run, or of several side by side."""
    if len(runs) == 1:
        found = [_overall(runs[0]), _languages(runs[0]), _types(runs[0]), _kinds(runs), *_explained(runs)]
    else:
        found = [_systems(runs), _languages_of_systems(runs), _types_of_systems(runs), _kinds(runs), *_explained(runs)]
    return [table for table in found if table.rows]


def _overall(run: Run) -> Table:
    """Each overall score, a row each, with its interval."""
    names = [ACCURACY, ("languages", "accuracy"), *((name, "score") for name in BESIDE)]
    names += [("harmonic_mean", "harmonic_mean_of_means")]
    titles = {"m_eta.accuracy": "m-ETA, all sentences", "languages.accuracy": "m-ETA, mean over languages"}
    titles |= {
        "harmonic_mean.score": "mean of harmonic means",
        "harmonic_mean.harmonic_mean_of_means": "harmonic mean of means",
    }
    interval = _interval(run)
    rows: list[tuple[Cell, ...]] = [
        (titles.get(path(name), name[0]), run.scores[name[0]][name[1]], *_ends(run, interval, path(name)))
        for name in names
        if name[0] in run.scores and name[1] in run.scores[name[0]]
    ]
    return Table("Overall", (Column("score"), Column("value", "ratio"), *interval), tuple(rows), _notes(run))


def _notes(run: Run) -> tuple[str, ...]:
    """A line for each mean over languages that skips languages for which the score is undefined."""
    languages = run.slices.get("language", {})
    lines: list[str] = []
    for name in BESIDE:
        values = {language: own[name]["score"] for language, own in languages.items() if name in own}
        undefined = [language for language, value in values.items() if math.isnan(value)]
        mean = "mean of harmonic means" if name == "harmonic_mean" else name
        lines += note_on_mean(mean, undefined, len(values), "languages")
    return tuple(lines)


def _languages(run: Run) -> Table:
    groups = run.slices.get("language", {})
    return _parts("By language", groups, run, ("slices", "language"))


def _types(run: Run) -> Table:
    return _parts("By entity type", run.by_label, run, ("by_label",))


def _parts(title: str, groups: Mapping[str, Mapping[str, Any]], run: Run, place: tuple[str, ...]) -> Table:
    """m-ETA of each part, with its counts and what stands beside it."""
    beside = [name for name in BESIDE if any(name in group for group in groups.values())]
    interval = _interval(run)
    columns = (
        Column(place[-1] if len(place) > 1 else "type"),
        Column("m-ETA", "ratio"),
        *interval,
        *(Column(name, "count") for name in COUNTS),
        *(Column(name.replace("_", " "), "ratio") for name in beside),
    )
    rows = [
        (
            name,
            group["m_eta"]["accuracy"],
            *_ends(run, interval, path((*place, name, *ACCURACY))),
            *(group["m_eta"][count] for count in COUNTS),
            *(group[other]["score"] for other in beside),
        )
        for name, group in groups.items()
    ]
    return Table(title, columns, tuple(rows))


def _systems(runs: Sequence[Run]) -> Table:
    beside = [name for name in BESIDE if any(name in run.scores for run in runs)]
    interval = _interval(runs[0])
    columns = (
        Column("system"),
        Column("m-ETA", "ratio"),
        *interval,
        Column("mean over languages", "ratio"),
        *(Column(name.replace("_", " "), "ratio") for name in beside),
    )
    rows = [
        (
            name,
            run.scores["m_eta"]["accuracy"],
            *_ends(run, interval, path(ACCURACY)),
            run.scores["languages"]["accuracy"],
            *(run.scores[other]["score"] if other in run.scores else None for other in beside),
        )
        for name, run in zip(short_names(runs), runs, strict=True)
    ]
    notes = (f"{name}: {note}" for name, run in zip(short_names(runs), runs, strict=True) for note in _notes(run))
    return Table("Systems", columns, tuple(rows), tuple(dict.fromkeys(notes)))


def _languages_of_systems(runs: Sequence[Run]) -> Table:
    return _side_by_side("m-ETA by language", "language", [run.slices.get("language", {}) for run in runs], runs)


def _types_of_systems(runs: Sequence[Run]) -> Table:
    return _side_by_side("m-ETA by entity type", "type", [run.by_label for run in runs], runs)


def _side_by_side(
    title: str,
    head: str,
    groups: Sequence[Mapping[str, Mapping[str, Any]]],
    runs: Sequence[Run],
) -> Table:
    columns = (Column(head), *(Column(name, "ratio") for name in short_names(runs)))
    names = sorted(set(chain.from_iterable(groups)))
    rows = [
        (name, *(group[name]["m_eta"]["accuracy"] if name in group else None for group in groups)) for name in names
    ]
    return Table(title, columns, tuple(rows))


def _kinds(runs: Sequence[Run]) -> Table:
    return _counts("Names", "kind", runs, [run.kinds for run in runs])


def _explained(runs: Sequence[Run]) -> list[Table]:
    """What stands beside the names that were found, and how consistent systems are about an entity."""
    return [
        _counts(title, head, runs, [run.scores.get(group, {}) for run in runs])
        for title, head, group in (
            ("Boundaries of the names that were found", "boundary", "boundary"),
            ("Entities", "their sentences", "consistency"),
        )
    ]


def _counts(title: str, head: str, runs: Sequence[Run], groups: Sequence[Mapping[str, Any]]) -> Table:
    heads = ["count"] if len(runs) == 1 else short_names(runs)
    names = list(dict.fromkeys(chain.from_iterable(groups)))
    rows = [(name.replace("_", " "), *(group.get(name) for group in groups)) for name in names]
    return Table(title, (Column(head), *(Column(name, "count") for name in heads)), tuple(rows))


def _interval(run: Run) -> list[Column]:
    """A column for intervals, when there are some."""
    if not run.intervals:
        return []
    level = next(iter(run.intervals.values())).level
    return [Column(f"{100 * level:g}%", "interval")]


def _ends(run: Run, columns: Sequence[Column], name: str) -> list[Cell]:
    interval = run.intervals.get(name)
    return [None if interval is None else (interval.low, interval.high) for _ in columns]
