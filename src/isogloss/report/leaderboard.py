"""Boards, which are tables that compare systems.

The best scores and significant differences are marked.

There are three: systems by scores on one corpus, labels by systems, and systems by corpora. HTML, Markdown and LaTeX
draw them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from isogloss.kernel.scores import format_path
from isogloss.report.report_runs import ReportCorpus, ReportRun
from isogloss.runs.main_scores import (
    choose_label_score,
    choose_main_score,
    format_score_title,
    get_score_value,
    is_higher_better,
    list_side_scores,
)
from isogloss.runs.run import Run

DAGGER = "\N{DAGGER}"


@dataclass(frozen=True)
class BoardCell:
    """A cell of a board.

    Args:
        value: the score; nan if undefined.
        low: lower end of its interval; nan without an interval.
        high: upper end of its interval; nan without an interval.
        best: whether it is the best of its column or row.
        significant: whether it differs significantly from the baseline.
        difference: difference from the baseline; nan without a baseline.
        p: corrected p-value of the difference; nan without a test.
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    best: bool = False
    significant: bool = False
    difference: float = math.nan
    p: float = math.nan

    @property
    def has_interval(self) -> bool:
        """Whether it has an interval."""
        return not math.isnan(self.low)


BoardRow = Sequence[BoardCell | None]


@dataclass(frozen=True)
class ScoreBoard:
    """A table of scores.

    Args:
        title: its title.
        corner: head of the column of names.
        columns: heads of the other columns.
        rows: name, anchor (or an empty text) and cells.
        paths: paths of its scores.
        lower_is_better: whether a lower value of the first score is better.
        baseline: name of the baseline, empty without one.
        has_mean: whether the last column is the mean of the others, by which the rows are ranked.
    """

    title: str
    corner: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, str, BoardRow], ...]
    paths: tuple[str, ...]
    lower_is_better: bool
    baseline: str = ""
    has_mean: bool = False

    @property
    def is_tested(self) -> bool:
        """Whether any difference is significant."""
        return any(cell is not None and cell.significant for _, _, row in self.rows for cell in row)


def build_systems_board(corpus: ReportCorpus, score: str | None = None) -> ScoreBoard:
    """Build systems by scores, ordered from the best by the main score.

    Args:
        corpus: corpus with at least one run.
        score: path of the main score; None for the main score of the task.
    """
    main = choose_main_score(corpus.runs, score)
    paths = (main, *list_side_scores(corpus.runs, main))
    run = corpus.runs[0]
    higher = is_higher_better(run, main)
    ranked = sorted(corpus.entries, key=lambda entry: _get_rank([build_cell(entry, main)], higher=higher))
    columns = (
        _mark_best([build_cell(entry, name) for entry in ranked], higher=is_higher_better(run, name)) for name in paths
    )
    rows = tuple((entry.name, entry.id, row) for entry, *row in zip(ranked, *columns, strict=True))
    heading = f"Systems on {corpus.name}" if corpus.name else "Systems"
    titles = tuple(format_score_title(run, name) for name in paths)
    return ScoreBoard(heading, "system", titles, rows, paths, not higher, _find_baseline(corpus))


def build_labels_board(corpus: ReportCorpus) -> ScoreBoard | None:
    """Build labels by systems in the main score of labels.

    Return None without labels.

    Args:
        corpus: corpus with at least one run.
    """
    chosen = choose_label_score(corpus.runs)
    if chosen is None:
        return None
    labels = list(dict.fromkeys(chain.from_iterable(run.by_label for run in corpus.runs)))
    rows = []
    run = corpus.runs[0]
    higher = is_higher_better(run, format_path(chosen))
    for label in sorted(labels):
        name = format_path(("by_label", label, *chosen))
        cells = _mark_best([build_cell(entry, name) for entry in corpus.entries], higher=higher)
        rows.append((label, "", tuple(cells)))
    names = tuple(entry.name for entry in corpus.entries)
    heading = f"{format_score_title(run, format_path(chosen))} by label"
    return ScoreBoard(heading, "label", names, tuple(rows), (format_path(chosen),), not higher, _find_baseline(corpus))


def build_corpora_board(corpora: Sequence[ReportCorpus], score: str | None = None) -> ScoreBoard:
    """Build systems by corpora in one score, best mean first.

    Systems without a corpus come last.

    With several corpora the last column is the mean over the corpora that a system has.

    Args:
        corpora: corpora with their runs, at least one.
        score: path of the score; None for the main score of the task.
    """
    runs: list[Run] = [run for corpus in corpora for run in corpus.runs]
    main = choose_main_score(runs, score)
    entries = [{entry.name: entry for entry in corpus.entries} for corpus in corpora]
    names = list(dict.fromkeys(chain.from_iterable(entries)))
    table = {name: [build_cell(own[name], main) if name in own else None for own in entries] for name in names}
    heading, higher = format_score_title(runs[0], main), is_higher_better(runs[0], main)
    ranked = sorted(names, key=lambda name: _get_rank(table[name], higher=higher))
    marked = [_mark_best([table[name][at] for name in ranked], higher=higher) for at in range(len(corpora))]
    columns = [corpus.name or heading for corpus in corpora]
    if len(corpora) > 1:
        marked.append(_mark_best_means([table[name] for name in ranked], higher=higher))
        columns.append("mean")
    anchors = {name: next(own[name].id for own in entries if name in own) for name in names}
    rows = tuple((name, anchors[name], row) for name, *row in zip(ranked, *marked, strict=True))
    title = f"Leaderboard: {heading}"
    return ScoreBoard(title, "system", tuple(columns), rows, (main,), not higher, has_mean=len(corpora) > 1)


def build_cell(entry: ReportRun, name: str) -> BoardCell | None:
    """Return the cell of a score.

    Return None if the run does not have the score.

    Args:
        entry: the run.
        name: path of the score.
    """
    value = get_score_value(entry.run, name)
    if value is None:
        return None
    cell = BoardCell(value, significant=entry.is_significant(name))
    interval, change = entry.run.intervals.get(name), entry.changes.get(name)
    if interval is not None:
        cell = replace(cell, low=interval.low, high=interval.high)
    if change is not None:
        cell = replace(cell, difference=_to_nan(change.difference), p=_to_nan(change.p_holm))
    return cell


def _find_baseline(corpus: ReportCorpus) -> str:
    return next((entry.baseline_name for entry in corpus.entries if entry.baseline_name), "")


def _mark_best(cells: Sequence[BoardCell | None], *, higher: bool) -> list[BoardCell | None]:
    """Mark the best of at least two cells."""
    values = _list_values(cells)
    if len(values) < 2:  # noqa: PLR2004  a single value is not marked as best
        return list(cells)
    pick: Callable[[Sequence[float]], float] = max if higher else min
    best = pick(values)
    return [None if cell is None else replace(cell, best=cell.value == best) for cell in cells]


def _mark_best_means(rows: Sequence[BoardRow], *, higher: bool) -> list[BoardCell | None]:
    """Build the means of rows, and mark the best.

    A row without some corpus is never the best.
    """
    means = [BoardCell(_compute_mean(row)) for row in rows]
    complete = [mean if len(_list_values(row)) == len(row) else None for mean, row in zip(means, rows, strict=True)]
    return [best or mean for best, mean in zip(_mark_best(complete, higher=higher), means, strict=True)]


def _get_rank(cells: BoardRow, *, higher: bool) -> tuple[int, float]:
    values, mean = _list_values(cells), _compute_mean(cells)
    return len(cells) - len(values), 0.0 if math.isnan(mean) else -mean if higher else mean


def _compute_mean(cells: BoardRow) -> float:
    """Compute the mean of the defined values; nan without any."""
    values = _list_values(cells)
    return sum(values) / len(values) if values else math.nan


def _list_values(cells: BoardRow) -> list[float]:
    return [cell.value for cell in cells if cell is not None and not math.isnan(cell.value)]


def _to_nan(value: float | None) -> float:
    return math.nan if value is None else value
