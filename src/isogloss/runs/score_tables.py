"""Tables of typed cells for every printed form of a run.

Each task builds its own tables; tables of scores over single documents and of slices are the same for all tasks.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, takewhile
from typing import Any, Literal

from isogloss.kernel.scores import ScoreKey, format_path, parse_path
from isogloss.runs.main_scores import choose_main_score, get_score_value
from isogloss.runs.run import Run
from isogloss.stats.intervals import DocumentSpread

SPREAD_TITLE = "Over single documents"
SPREAD_FIGURES = ("mean", "std", "se", "min", "max")
SliceScores = Mapping[str, Any]
CellKind = Literal["text", "ratio", "count", "interval"]
TableCell = str | int | float | tuple[float, float] | None
UNDEFINED_CELL = "\N{EN DASH}"
DIGITS = 4
SMALLEST_SHOWN_P = 0.0001  # a p-value that rounds to 0 is shown as below this
INTERVAL_DIGITS = 3
MEANS = ("macro", "weighted")
MAX_NAMED_LABELS = 10  # in a note on labels without a value


@dataclass(frozen=True)
class TableColumn:
    """Column of a table.

    Args:
        title: its head.
        kind: kind of its cells. An empty cell is None, in every kind.
    """

    title: str
    kind: CellKind = "text"


@dataclass(frozen=True)
class ScoreTable:
    """Table whose first column names the rows.

    Args:
        title: title of the table.
        columns: its columns.
        rows: (rows, columns) cells.
        notes: lines below it.
        keys: (rows, columns) key of the score that a cell shows, None for other cells; empty if the keys are unknown.
        is_confusion: whether it shows the confusions of the run, which the explorer draws as a matrix.
    """

    title: str
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[TableCell, ...], ...]
    notes: tuple[str, ...] = ()
    keys: tuple[tuple[ScoreKey | None, ...], ...] = field(default=(), compare=False, repr=False)
    is_confusion: bool = False

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"each row of {self.title!r} has {len(self.columns)} cells")


class PValue(float):
    """P-value in a cell of kind `ratio`."""

    __slots__ = ()


def format_p(value: float) -> str:
    """Write a p-value with four digits.

    It is `< 0.0001` if all digits would be 0.
    """
    text = f"{value:.{DIGITS}f}"
    return text if float(text) else f"< {SMALLEST_SHOWN_P}"


def format_beside(value: float, limit: float) -> str:
    """Write a number with four digits or more.

    It has as many digits as show on which side of the limit the number is.
    """
    for digits in range(DIGITS, sys.float_info.dig):
        text = f"{value:.{digits}f}"
        if (float(text) < limit) == (value < limit) and (float(text) > limit) == (value > limit):
            return text
    return repr(value)


def format_limit(limit: float) -> str:
    """Write a threshold in few digits, without rounding it."""
    text = f"{limit:g}"
    return text if float(text) == limit else repr(limit)


def format_cell(cell: TableCell, undefined: str = UNDEFINED_CELL) -> str:
    """Write a cell of a table.

    Ratios have four digits, counts have separators, and an undefined value is a dash.
    """
    if cell is None:
        return ""
    if isinstance(cell, tuple):
        ends = ["" if math.isnan(end) else f"{end:.{INTERVAL_DIGITS}f}" for end in cell]
        return (" to " if min(cell) < 0 else undefined).join(ends)
    if isinstance(cell, float):
        if math.isnan(cell):
            return undefined
        return format_p(cell) if isinstance(cell, PValue) else f"{cell:.{DIGITS}f}"
    return f"{cell:,}" if isinstance(cell, int) else cell


@dataclass(frozen=True)
class ScoreColumn:
    """A column of scores, and whether their intervals stand beside it.

    Args:
        title: its head.
        key: the last parts of the key of its scores; each row has the first parts.
        kind: kind of its cells.
        interval: words before the level in the head of the column of intervals, which follows if there are intervals;
            None for no such column.
    """

    title: str
    key: ScoreKey
    kind: CellKind = "ratio"
    interval: str | None = None


ScoreRow = tuple[str, Run, ScoreKey | Callable[[ScoreKey], ScoreKey]]


def make_columns(
    names: Iterable[str],
    kind: CellKind = "ratio",
    *,
    place: ScoreKey = (),
    titles: Mapping[str, str] | None = None,
    intervals: Mapping[str, str] | None = None,
) -> list[ScoreColumn]:
    """Make a column for each score of a group.

    Args:
        names: names of the scores.
        kind: kind of the cells.
        place: parts of the key before the names.
        titles: titles by name; other scores have their names as titles.
        intervals: words before the level of the intervals, by name; other scores have no column of intervals.
    """
    titles, intervals = titles or {}, intervals or {}
    return [ScoreColumn(titles.get(name, name), (*place, name), kind, intervals.get(name)) for name in names]


def build_score_table(
    title: str, head: str, columns: Sequence[ScoreColumn], rows: Iterable[ScoreRow], notes: Iterable[str] = ()
) -> ScoreTable:
    """Build a table of scores and their intervals.

    A cell without a score is empty.

    Args:
        title: title of the table.
        head: head of the column of names.
        columns: the others.
        rows: name, run, and the first parts of the keys, or a function that completes the key of a column.
        notes: lines below the table.
    """
    rows = list(rows)
    level = next((f"{100 * own.level:g}%" for _, run, _ in rows[:1] for own in run.intervals.values()), None)
    heads = [TableColumn(head)]
    for column in columns:
        heads.append(TableColumn(column.title, column.kind))
        if level is not None and column.interval is not None:
            heads.append(TableColumn(f"{column.interval} {level}".lstrip(), "interval"))
    body, keys = [], []
    for name, run, place in rows:
        cells: list[TableCell] = [name]
        own: list[ScoreKey | None] = [None]
        for column in columns:
            key = place(column.key) if callable(place) else (*place, *column.key)
            cells.append(get_score(run, key))
            own.append(key)
            if level is not None and column.interval is not None:
                cells.append(_get_interval_ends(run, key))
                own.append(key)
        body.append(tuple(cells))
        keys.append(tuple(own))
    return ScoreTable(title, tuple(heads), tuple(body), tuple(notes), tuple(keys))


def build_comparison_table(  # noqa: PLR0913  what is shown, and how
    title: str,
    head: str,
    runs: Sequence[Run],
    rows: Iterable[tuple[str, ScoreKey]],
    kind: CellKind = "ratio",
    *,
    single: str = "count",
    notes: Iterable[str] = (),
) -> ScoreTable:
    """Build a table with a column for each system.

    Args:
        title: title of the table.
        head: head of the column of names.
        runs: one per system.
        rows: name and key of each score.
        kind: kind of the cells.
        single: head of the column if there is only one system.
        notes: lines below the table.
    """
    heads, rows = [single] if len(runs) == 1 else shorten_system_names(runs), list(rows)
    columns = (TableColumn(head), *(TableColumn(name, kind) for name in heads))
    body = tuple((name, *(get_score(run, key) for run in runs)) for name, key in rows)
    keys = tuple((None, *(key for _ in runs)) for _, key in rows)
    return ScoreTable(title, columns, body, tuple(notes), keys)


def list_system_rows(runs: Sequence[Run]) -> list[ScoreRow]:
    """List a row for each system, whose columns have complete keys."""
    return [(name, run, ()) for name, run in zip(shorten_system_names(runs), runs, strict=True)]


def select_names(groups: Iterable[Iterable[str]], names: Iterable[str] | None = None) -> list[str]:
    """Select the names that occur in any group.

    Args:
        groups: groups of scores.
        names: the names to select from, in their order; None for all, in the order in which they occur.
    """
    known = dict.fromkeys(chain.from_iterable(groups))
    return list(known) if names is None else [name for name in names if name in known]


def get_score(run: Run, key: ScoreKey) -> TableCell:
    """Return the score of a run, None if it has none."""
    value: TableCell = run.evidence.numbers.get(key)
    return value


def build_spread_tables(runs: Sequence[Run]) -> list[ScoreTable]:
    """Build tables of scores over single documents, for one or several runs."""
    shared = [name for name in runs[0].per_document if all(name in run.per_document for run in runs)]
    main = next((name for name in runs[0].catalogue.main if name in shared), next(iter(shared), None))
    if main is None:
        return []
    if len(runs) > 1:
        rows = [(name, run.per_document[main]) for name, run in zip(shorten_system_names(runs), runs, strict=True)]
        return [build_spread_table(f"{SPREAD_TITLE} ({main})", "system", rows)]
    alike = [name for name in shared if parse_path(name)[-1] == parse_path(main)[-1]]
    return [build_spread_table(SPREAD_TITLE, "score", ((name, runs[0].per_document[name]) for name in alike))]


def build_spread_table(
    title: str, head: str, rows: Iterable[tuple[str, DocumentSpread]], units: str = "documents"
) -> ScoreTable:
    """Build a table of document scores, with standard errors of means.

    Args:
        title: title of the table.
        head: head of the column of names.
        rows: name and distribution of each row.
        units: name of the documents.
    """
    columns = (TableColumn(head), *(TableColumn(name, "ratio") for name in SPREAD_FIGURES), TableColumn(units, "count"))
    cells: list[tuple[TableCell, ...]] = [
        (name, *(getattr(spread, figure) for figure in SPREAD_FIGURES), spread.documents) for name, spread in rows
    ]
    return ScoreTable(title, columns, tuple(cells))


def build_slice_tables(runs: Sequence[Run], drawn: Sequence[str] = ()) -> list[ScoreTable]:
    """Build a table for each slice column of the runs.

    The tables are for one run, or for several.
    """
    columns = dict.fromkeys(column for run in runs for column in run.slices)
    return [_build_column_table(runs, column) for column in columns if column not in drawn]


def _build_column_table(runs: Sequence[Run], column: str) -> ScoreTable:
    main = parse_path(choose_main_score(runs))
    values = list(dict.fromkeys(value for run in runs for value in run.slices.get(column, {})))
    return (
        _build_run_slices(runs[0], column, main) if len(runs) == 1 else _build_system_slices(runs, column, values, main)
    )


def _build_run_slices(run: Run, column: str, main: ScoreKey) -> ScoreTable:
    slices = run.slices[column]
    shown = _list_shown_scores(run, slices.values(), main)
    groups = dict.fromkeys(key[0] for key in shown)
    title = f"By {column} ({', '.join(groups)})" if len(groups) == 1 else f"By {column}"
    level = next((interval.level for interval in run.intervals.values()), None)
    columns = [TableColumn(column), TableColumn("documents", "count")]
    columns += [TableColumn(_format_head(key, len(groups)), "ratio") for key in shown]
    columns += [] if level is None else [TableColumn(f"{_format_head(main, len(groups))} {100 * level:g}%", "interval")]
    rows, keys = [], []
    for value, own in slices.items():
        place = ("slices", column, value)
        ends = [] if level is None else [_get_interval_ends(run, (*place, *main))]
        rows.append((value, own.get("documents"), *(_get_value(own, key) for key in shown), *ends))
        keys.append((None, (*place, "documents"), *((*place, *key) for key in (*shown, *([main] if ends else ())))))
    return ScoreTable(title, tuple(columns), tuple(rows), keys=tuple(keys))


def _build_system_slices(runs: Sequence[Run], column: str, values: Iterable[str], main: ScoreKey) -> ScoreTable:
    """Build a table of the main score of each slice value.

    The table has a column per system.
    """
    of_runs = [run.slices.get(column, {}) for run in runs]
    rows = tuple(
        (
            value,
            next((own[value].get("documents") for own in of_runs if value in own), None),
            *(_get_value(own.get(value, {}), main) for own in of_runs),
        )
        for value in values
    )
    heads = (TableColumn(name, "ratio") for name in shorten_system_names(runs))
    return ScoreTable(
        f"{format_path(main)} by {column}", (TableColumn(column), TableColumn("documents", "count"), *heads), rows
    )


def _list_shown_scores(run: Run, slices: Iterable[SliceScores], main: ScoreKey) -> list[ScoreKey]:
    """Return the ratios that any of the slices has."""
    known = list(slices)
    keys = dict.fromkeys((*map(parse_path, run.catalogue.by_slice), main))
    return [key for key in keys if any(_get_value(own, key) is not None for own in known)]


def _format_head(key: ScoreKey, groups: int) -> str:
    return key[-1] if groups == 1 else format_path(key).replace("_", " ")


def _get_value(own: SliceScores, key: ScoreKey) -> TableCell:
    value: TableCell = own.get(key[0], {}).get(key[1])
    return value


def _get_interval_ends(run: Run, key: ScoreKey) -> TableCell:
    interval = run.intervals.get(format_path(key))
    return None if interval is None else (interval.low, interval.high)


def build_default_tables(runs: Sequence[Run]) -> list[ScoreTable]:
    """Build tables for a task that declares none."""
    if len(runs) == 1:
        names = select_names(runs[0].scores.values())
        columns = [ScoreColumn(name, (name,), _find_cell_kind(runs[0], name)) for name in names]
        overall = build_score_table("Overall", "group", columns, [(name, runs[0], (name,)) for name in runs[0].scores])
    else:
        main = [path for path in runs[0].catalogue.main if all(get_score_value(run, path) is not None for run in runs)]
        columns = [ScoreColumn(path, parse_path(path)) for path in main]
        overall = build_score_table("Systems", "system", columns, list_system_rows(runs))
    return [table for table in (overall, build_kinds_table(runs, "Findings")) if table.rows]


def _find_cell_kind(run: Run, name: str) -> CellKind:
    values = (group[name] for group in run.scores.values() if name in group)
    return "count" if all(isinstance(value, int) for value in values) else "ratio"


def build_kinds_table(runs: Sequence[Run], title: str) -> ScoreTable:
    """Build the table of finding kinds, a column per system.

    Args:
        runs: runs of one task.
        title: title of the table.
    """
    kinds = select_names(run.kinds for run in runs)
    rows = [(kind.replace("_", " "), ("findings", kind)) for kind in kinds]
    return build_comparison_table(title, "kind", runs, rows, "count")


def shorten_system_names(runs: Sequence[Run]) -> list[str]:
    """Return the systems without the folders that they share."""
    return strip_shared_folders([run.system for run in runs])


def strip_shared_folders(paths: Sequence[str]) -> list[str]:
    """Remove the folders that all paths share.

    Of a single path, all folders are removed.
    """
    parts = [path.split("/") for path in paths]
    shared = min(len(find_shared_parts(paths)), *(len(path) - 1 for path in parts))
    return ["/".join(path[shared:]) for path in parts]


def find_shared_parts(paths: Iterable[str]) -> list[str]:
    """Return the first parts that all paths share."""
    parts = zip(*(path.split("/") for path in paths), strict=False)
    return [part[0] for part in takewhile(lambda part: len(set(part)) == 1, parts)]


def write_mean_note(mean: str, undefined: Sequence[str], total: int, noun: str = "labels") -> list[str]:
    """Write a note on a mean that skips undefined values, if any.

    Args:
        mean: name of the mean.
        undefined: names of the parts without a value.
        total: number of all parts.
        noun: name of the parts.
    """
    if not undefined:
        return []
    names = ", ".join(undefined[:MAX_NAMED_LABELS]) + (", …" if len(undefined) > MAX_NAMED_LABELS else "")
    return [f"{mean} over {total - len(undefined):,} of {total:,} {noun}: undefined for {names}"]


def write_mean_notes(run: Run, group: str, ratios: Iterable[str]) -> tuple[str, ...]:
    """Write a note for each ratio whose means skip undefined labels."""
    means = [mean for mean in MEANS if "labels" in getattr(run, mean).get(group, {})]
    if not means:
        return ()
    total = run.macro[group]["labels"] if "macro" in means else run.weighted[group]["labels"]
    names = " and ".join(means)
    return tuple(
        line
        for ratio in ratios
        for line in write_mean_note(f"{names} {ratio}", _list_undefined_labels(run, group, ratio, total), total)
    )


def write_label_notes(runs: Sequence[Run], group: str, ratio: str) -> tuple[str, ...]:
    """Write a note on the labels behind means, if systems differ."""
    means = [mean for mean in MEANS if all("labels" in getattr(run, mean).get(group, {}) for run in runs)]
    if not means:
        return ()
    systems: dict[str, list[str]] = {}
    for run, name in zip(runs, shorten_system_names(runs), strict=True):
        total = getattr(run, means[0])[group]["labels"]
        used = total - len(_list_undefined_labels(run, group, ratio, total))
        systems.setdefault(f"{used:,} labels" if used == total else f"{used:,} of {total:,} labels", []).append(name)
    if len(systems) == 1 and not any(" of " in number for number in systems):
        return ()
    parts = "; ".join(f"over {number}: {', '.join(names)}" for number, names in systems.items())
    return (f"{' and '.join(means)} {ratio} {parts}",)


def _list_undefined_labels(run: Run, group: str, ratio: str, total: int) -> list[str]:
    """Return the labels of the means for which a ratio is undefined.

    Args:
        run: the run.
        group: group of the scores of labels.
        ratio: name of the score.
        total: how many labels count: all that occur, or those of the reference.
    """
    labels = {label: own[group] for label, own in run.by_label.items() if group in own}
    sides = [
        (own.get("possible", own.get("support", 0)), own.get("actual", own.get("fp", 0))) for own in labels.values()
    ]
    counts = [possible + actual > 0 for possible, actual in sides]
    if sum(counts) != total:
        counts = [possible > 0 for possible, _ in sides]
    values = ((label, own.get(ratio, 0.0)) for (label, own), has in zip(labels.items(), counts, strict=True) if has)
    return [label for label, value in values if math.isnan(value)]
