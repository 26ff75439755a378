"""Reports for manuscripts and spreadsheets: Markdown, LaTeX with booktabs, tidy CSV.

In Markdown and LaTeX the best is bold, and † marks what differs from the baseline by more than chance.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterable, Sequence

from isogloss.report.entries import ReportCorpus, list_entries
from isogloss.report.leaderboard import (
    DAGGER,
    Score,
    ScoreBoard,
    build_corpora_board,
    build_labels_board,
    build_systems_board,
)
from isogloss.report.run_formats import LATEX_ESCAPES, format_warning
from isogloss.report.tables import build_tables
from isogloss.runs.tables import DIGITS, UNDEFINED_CELL, ScoreTable, format_cell
from isogloss.text.display import make_visible

SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&])")
FIELDS = ("corpus", "system", "score", "value", "low", "high", "difference", "p_holm")


def build_boards(corpora: Sequence[ReportCorpus], score: str | None, *, leaderboard: bool) -> list[ScoreBoard]:
    """What a report has in tables: the leaderboard of several corpora, and for each of them its systems and labels.

    Args:
        corpora: at least one.
        score: path of the main score, None for that of the task.
        leaderboard: the leaderboard alone.
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
    """Pipe tables, then warnings and signatures."""
    boards = build_boards(corpora, score, leaderboard=leaderboard)
    parts = [_format_board_markdown(board) for board in boards]
    entries = list_entries(corpora)
    if len(entries) == 1 and not leaderboard:
        parts += [_format_table_markdown(table) for table in build_tables([entries[0].run])]
    notes = [
        f"- **{escape_markdown(own.name)}**: {escape_markdown(format_warning(n))}"
        for own in entries
        for n in own.run.warnings
    ]
    parts += ["\n".join(notes)] if notes and not leaderboard else []
    parts += [_format_code(str(signature)) for signature in dict.fromkeys(str(own.run.signature) for own in entries)]
    return "\n\n".join(parts) + "\n"


def format_report_latex(corpora: Sequence[ReportCorpus], score: str | None = None, *, leaderboard: bool = False) -> str:
    """A tabular with booktabs rules for each table; what it shows and the signatures are comments."""
    signatures = dict.fromkeys(str(own.run.signature) for own in list_entries(corpora))
    heads = ["% Needs \\usepackage{booktabs}. Bold: best. Dagger: p < 0.05 after Holm's correction."]
    heads += [f"% {' '.join(make_visible(one).split())}" for one in signatures]
    return (
        "\n".join(heads)
        + "\n"
        + "\n".join(map(_format_board_latex, build_boards(corpora, score, leaderboard=leaderboard)))
    )


def format_report_csv(corpora: Sequence[ReportCorpus], score: str | None = None, *, leaderboard: bool = False) -> str:
    """CSV, a line for each score of each run, or for the one that was asked for. Undefined is empty."""
    wanted = build_corpora_board(corpora, score).paths if leaderboard or score is not None else None
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=FIELDS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(_build_rows(corpora, wanted))
    return out.getvalue()


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
    head = [board.corner, *board.columns]
    rows = [
        [name, *(_format_board_cell(cell, bold="**{}**", dagger=DAGGER) for cell in row)] for name, _, row in board.rows
    ]
    lines = [_join_pipes(map(escape_markdown, head)), _join_pipes(["---", *("---:" for _ in board.columns)])]
    lines += [_join_pipes([escape_markdown(name), *cells]) for name, *cells in rows]
    note = [f"{DAGGER} {_describe_difference(board)}"] if board.is_tested else []
    return "\n\n".join([f"**{escape_markdown(board.title)}**", "\n".join(lines), *note])


def _describe_difference(board: ScoreBoard) -> str:
    whose = f", {escape_markdown(board.baseline)}" if board.baseline else ""
    return f"differs from the baseline{whose}: p \\< 0.05 after Holm's correction."


def _format_table_markdown(table: ScoreTable) -> str:
    lines = [_join_pipes(escape_markdown(column.title) for column in table.columns)]
    lines.append(_join_pipes("---" if column.kind == "text" else "---:" for column in table.columns))
    lines += [_join_pipes(escape_markdown(format_cell(cell)) for cell in row) for row in table.rows]
    return "\n\n".join([f"**{escape_markdown(table.title)}**", "\n".join(lines), *map(escape_markdown, table.notes)])


def _format_board_latex(board: ScoreBoard) -> str:
    head = " & ".join(map(_escape_latex, (board.corner, *board.columns)))
    lines = [
        " & ".join(
            [
                _escape_latex(name),
                *(_format_board_cell(cell, bold=r"\textbf{{{}}}", dagger=r"$^\dagger$", dash="--") for cell in row),
            ]
        )
        for name, _, row in board.rows
    ]
    body = "\n".join(f"{line} \\\\" for line in lines)
    layout = "l" + "r" * len(board.columns)
    comment = " ".join(make_visible(board.title).split())
    return (
        f"% {comment}\n\\begin{{tabular}}{{{layout}}}\n\\toprule\n{head} \\\\\n\\midrule\n{body}\n"
        "\\bottomrule\n\\end{tabular}\n"
    )


def _format_board_cell(cell: Score | None, *, bold: str, dagger: str, dash: str = UNDEFINED_CELL) -> str:
    if cell is None:
        return ""
    text = dash if math.isnan(cell.value) else f"{cell.value:.{DIGITS}f}"
    return (bold.format(text) if cell.best else text) + (dagger if cell.significant else "")


def _join_pipes(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def escape_markdown(text: str) -> str:
    """Text in which nothing is markup, on one line."""
    return SPECIAL.sub(r"\\\1", make_visible(text))


def _format_code(text: str) -> str:
    """Text as code: between more backticks than it holds in a row."""
    text = make_visible(text)
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{space}{text}{space}{ticks}"


def _escape_latex(text: str) -> str:
    return "".join(LATEX_ESCAPES.get(character, character) for character in make_visible(text))


WRITERS: dict[str, Callable[..., str]] = {
    "markdown": format_report_markdown,
    "latex": format_report_latex,
    "csv": format_report_csv,
}
