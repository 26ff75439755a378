"""Reports as Markdown, LaTeX and CSV.

LaTeX has booktabs rules, and CSV has one score per line.

In Markdown and LaTeX each score has its interval, the best score is bold, and † marks a significant difference from the
baseline.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from isogloss.errors import UsageError
from isogloss.report.latex import BOLD, SMALL, LatexCell, escape_latex, estimate_width, format_document, format_tabular
from isogloss.report.leaderboard import (
    DAGGER,
    BoardCell,
    ScoreBoard,
    build_corpora_board,
    build_labels_board,
    build_systems_board,
)
from isogloss.report.ranking_tables import PAIR_FIELDS, build_ranking_table, list_pair_rows
from isogloss.report.report_runs import ReportCorpus, list_report_runs
from isogloss.report.run_tables import build_tables, format_warning
from isogloss.report.text_formats import (
    format_csv,
    format_latex_table,
    format_markdown_table,
    format_pipe_table,
)
from isogloss.runs.main_scores import format_score_title
from isogloss.runs.score_tables import ScoreTable, format_cell
from isogloss.text.display import make_visible

MARKDOWN_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&])")
FIELDS = ("corpus", "system", "score", "value", "low", "high", "difference", "p_holm")


def build_boards(corpora: Sequence[ReportCorpus], score: str | None, *, leaderboard: bool) -> list[ScoreBoard]:
    """Build the boards of a report.

    They are a leaderboard of several corpora, then systems and labels of each corpus.

    Args:
        corpora: corpora with their runs, at least one.
        score: path of the main score; None for the main score of the task.
        leaderboard: whether to build the leaderboard only.
    """
    if leaderboard:
        return [build_corpora_board(corpora, score)]
    boards = [build_corpora_board(corpora, score)] if len(corpora) > 1 else []
    for corpus in corpora:
        boards.append(build_systems_board(corpus, score))
        labels = build_labels_board(corpus)
        boards += [] if labels is None or len(corpus.entries) == 1 else [labels]
    return boards


def format_report_markdown(
    corpora: Sequence[ReportCorpus], score: str | None = None, *, leaderboard: bool = False
) -> str:
    """Format a report as Markdown: tables, warnings and signatures.

    Args:
        corpora: corpora with their runs, at least one.
        score: path of the main score; None for the main score of the task.
        leaderboard: whether to write the leaderboard only.
    """
    boards = build_boards(corpora, score, leaderboard=leaderboard)
    parts = [_format_board_markdown(board) for board in boards]
    tables = [] if leaderboard else list_ranking_tables(corpora)
    parts += [format_markdown_table(table, escape_markdown, escape_markdown(table.title)) for table in tables]
    entries = list_report_runs(corpora)
    if len(entries) == 1 and not leaderboard:
        tables = build_tables([entries[0].run])
        parts += [format_markdown_table(table, escape_markdown, escape_markdown(table.title)) for table in tables]
    notes = [
        f"- **{escape_markdown(own.name)}**: {escape_markdown(format_warning(warning))}"
        for own in entries
        for warning in own.run.warnings
    ]
    parts += ["\n".join(notes)] if notes and not leaderboard else []
    parts += [_format_code(str(signature)) for signature in dict.fromkeys(str(own.run.signature) for own in entries)]
    return "\n\n".join(parts) + "\n"


def format_report_latex(corpora: Sequence[ReportCorpus], score: str | None = None, *, leaderboard: bool = False) -> str:
    """Format a report as LaTeX with booktabs rules.

    Titles and signatures are comments.

    Args:
        corpora: corpora with their runs, at least one.
        score: path of the main score; None for the main score of the task.
        leaderboard: whether to write the leaderboard only.
    """
    signatures = dict.fromkeys(str(own.run.signature) for own in list_report_runs(corpora))
    notes = ["Bold: best. Dagger: p < 0.05 after Holm's correction.", *signatures]
    parts = [_format_board_latex(board) for board in build_boards(corpora, score, leaderboard=leaderboard)]
    parts += [] if leaderboard else map(format_latex_table, list_ranking_tables(corpora))
    return format_document(notes, "\n".join(parts))


def list_ranking_tables(corpora: Sequence[ReportCorpus]) -> list[ScoreTable]:
    """List the table of ranks of each corpus whose runs were ranked.

    Args:
        corpora: corpora with their runs.
    """
    return [
        build_ranking_table(corpus.ranking, format_ranking_title(corpus), corpus.list_ranked_names())
        for corpus in corpora
        if corpus.ranking is not None
    ]


def format_ranking_title(corpus: ReportCorpus) -> str:
    """Write the title of the score that ranks a corpus.

    The runs of the corpus are ranked by this score. The title is empty without a ranking.

    Args:
        corpus: corpus with its runs.
    """
    return "" if corpus.ranking is None else format_score_title(corpus.runs[0], corpus.ranking.score)


def format_pairs_csv(corpora: Sequence[ReportCorpus]) -> str:
    """Format all pairs of ranked systems as CSV, the better system first.

    Args:
        corpora: corpora with their runs.

    Raises:
        UsageError: if no corpus has a ranking.
    """
    rows = [
        row
        for corpus in corpora
        if corpus.ranking is not None
        for row in list_pair_rows(corpus.ranking, corpus.name, corpus.list_ranked_names())
    ]
    if not rows:
        raise UsageError("--pairs: the runs were not ranked together. Score or compare them with --all-pairs -f json.")
    return format_csv(PAIR_FIELDS, rows)


def format_report_csv(corpora: Sequence[ReportCorpus], score: str | None = None, *, leaderboard: bool = False) -> str:
    """Format a report as CSV, one line per score of each run.

    An undefined score is empty.

    Args:
        corpora: corpora with their runs, at least one.
        score: path of the only score; None for all.
        leaderboard: whether to write the main score only.
    """
    paths = build_corpora_board(corpora, score).paths if leaderboard or score is not None else None
    return format_csv(FIELDS, _build_rows(corpora, paths))


def _build_rows(corpora: Sequence[ReportCorpus], paths: Sequence[str] | None) -> Iterable[dict[str, object]]:
    for corpus in corpora:
        for entry in corpus.entries:
            for row in entry.run.to_rows():
                if paths is not None and row["score"] not in paths:
                    continue
                change = entry.changes.get(row["score"])
                tested = {} if change is None else {"difference": change.difference, "p_holm": change.p_holm}
                yield row | {"corpus": corpus.name, "system": entry.name} | tested


def _format_board_markdown(board: ScoreBoard) -> str:
    head = [escape_markdown(title) for title in (board.corner, *board.columns)]
    rows = [[escape_markdown(name), *map(_format_markdown_cell, row)] for name, _, row in board.rows]
    whose = f", {escape_markdown(board.baseline)}" if board.baseline else ""
    note = f"{DAGGER} differs from the baseline{whose}: p \\< 0.05 after Holm's correction."
    rules = ["---", *("---:" for _ in board.columns)]
    return format_pipe_table(escape_markdown(board.title), [head, rules, *rows], [note] if board.is_tested else [])


def _format_markdown_cell(cell: BoardCell | None) -> str:
    if cell is None:
        return ""
    score = f"**{format_cell(cell.value)}**" if cell.best else format_cell(cell.value)
    interval = f" ({format_cell((cell.low, cell.high))})" if cell.has_interval else ""
    return score + (DAGGER if cell.significant else "") + interval


def _format_board_latex(board: ScoreBoard) -> str:
    head = [LatexCell.from_text(title) for title in (board.corner, *board.columns)]
    body = ([LatexCell.from_text(name), *map(_format_latex_cell, row)] for name, _, row in board.rows)
    return format_tabular(board.title, "l" + "r" * len(board.columns), head, body)


def _format_latex_cell(cell: BoardCell | None) -> LatexCell:
    if cell is None:
        return LatexCell("", 0)
    score = format_cell(cell.value)
    interval = f"({format_cell((cell.low, cell.high))})" if cell.has_interval else ""
    code = rf"\textbf{{{escape_latex(score)}}}" if cell.best else escape_latex(score)
    code += r"$^\dagger$" if cell.significant else ""
    code += rf" {{\scriptsize {escape_latex(interval)}}}" if interval else ""
    return LatexCell(code, BOLD * estimate_width(score + DAGGER + " ") + SMALL * estimate_width(interval))


def escape_markdown(text: str) -> str:
    """Escape the markup of Markdown, and show control characters.

    Args:
        text: plain text.
    """
    return MARKDOWN_SPECIAL.sub(r"\\\1", make_visible(text))


def _format_code(text: str) -> str:
    """Format text as code between backticks.

    There are more backticks on each side than the text has in a row.
    """
    text = make_visible(text)
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{space}{text}{space}{ticks}"


WRITERS: dict[str, Callable[..., str]] = {
    "markdown": format_report_markdown,
    "latex": format_report_latex,
    "csv": format_report_csv,
}
