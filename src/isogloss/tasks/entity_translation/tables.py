"""The tables of entity translation.

They show scores overall, by language and by entity type, and kinds of findings.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from isogloss.runs.run import Run
from isogloss.runs.score_tables import (
    ScoreColumn,
    ScoreTable,
    build_comparison_table,
    build_kinds_table,
    build_score_table,
    get_score,
    list_system_rows,
    make_columns,
    select_names,
    shorten_system_names,
    write_mean_note,
)

COMPANION_SCORES = ("chrf", "bleu", "comet", "harmonic_mean")
NAME_COUNTS = ("correct", "total", "missing")
ACCURACY_KEY = ("m_eta", "accuracy")
OVERALL_SCORES = {
    ACCURACY_KEY: "m-ETA, all sentences",
    ("languages", "accuracy"): "m-ETA, mean over languages",
    ("chrf", "score"): "chrf",
    ("bleu", "score"): "bleu",
    ("comet", "score"): "comet",
    ("harmonic_mean", "score"): "mean of harmonic means",
    ("harmonic_mean", "harmonic_mean_of_means"): "harmonic mean of means",
}


def build_tables(runs: Sequence[Run]) -> list[ScoreTable]:
    """Build the tables of one run, or of several side by side."""
    tables = [
        _build_overall_table(runs[0]) if len(runs) == 1 else _build_systems_table(runs),
        _build_parts_table(runs, "language", ("slices", "language"), "By language"),
        _build_parts_table(runs, "entity type", ("by_label",), "By entity type"),
        build_kinds_table(runs, "Names"),
        _build_counts_table(runs, "boundary", "boundary", "Boundaries of the names that were found"),
        _build_counts_table(runs, "consistency", "their sentences", "Entities"),
    ]
    return [table for table in tables if table.rows]


def _build_overall_table(run: Run) -> ScoreTable:
    """Build a row for each overall score."""
    rows = [(title, run, key) for key, title in OVERALL_SCORES.items() if get_score(run, key) is not None]
    return build_score_table("Overall", "score", [ScoreColumn("value", (), interval="")], rows, _list_notes(run))


def _build_systems_table(runs: Sequence[Run]) -> ScoreTable:
    """Build a row for each system."""
    columns = [
        ScoreColumn("m-ETA", ACCURACY_KEY, interval=""),
        ScoreColumn("mean over languages", ("languages", "accuracy")),
        *_make_companion_columns(select_names((run.scores for run in runs), COMPANION_SCORES)),
    ]
    names = zip(shorten_system_names(runs), runs, strict=True)
    notes = dict.fromkeys(f"{name}: {note}" for name, run in names for note in _list_notes(run))
    return build_score_table("Systems", "system", columns, list_system_rows(runs), notes)


def _list_notes(run: Run) -> list[str]:
    """List notes on means over languages that skip languages.

    Each such mean has a line. It skips languages for which the score is undefined.
    """
    languages = run.slices.get("language", {})
    lines: list[str] = []
    for name in COMPANION_SCORES:
        values = {language: own[name]["score"] for language, own in languages.items() if name in own}
        undefined = [language for language, value in values.items() if math.isnan(value)]
        lines += write_mean_note(OVERALL_SCORES[name, "score"], undefined, len(values), "languages")
    return lines


def _build_parts_table(runs: Sequence[Run], part: str, place: tuple[str, ...], title: str) -> ScoreTable:
    """Build a row for each language or entity type.

    It has all scores of a single system, or m-ETA of several systems.
    """
    groups = [run.by_label if place == ("by_label",) else run.slices.get(place[-1], {}) for run in runs]
    head = part.rpartition(" ")[2]
    if len(runs) > 1:
        keys = [(name, (*place, name, *ACCURACY_KEY)) for name in sorted(select_names(groups))]
        return build_comparison_table(f"m-ETA by {part}", head, runs, keys)
    columns = [
        ScoreColumn("m-ETA", ACCURACY_KEY, interval=""),
        *make_columns(NAME_COUNTS, "count", place=("m_eta",)),
        *_make_companion_columns(select_names(groups[0].values(), COMPANION_SCORES)),
    ]
    return build_score_table(title, head, columns, [(name, runs[0], (*place, name)) for name in groups[0]])


def _make_companion_columns(names: Sequence[str]) -> list[ScoreColumn]:
    return [ScoreColumn(name.replace("_", " "), (name, "score")) for name in names]


def _build_counts_table(runs: Sequence[Run], group: str, head: str, title: str) -> ScoreTable:
    names = select_names(run.scores.get(group, {}) for run in runs)
    rows = [(name.replace("_", " "), (group, name)) for name in names]
    return build_comparison_table(title, head, runs, rows, "count")
