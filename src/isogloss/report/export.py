"""Reports for manuscripts and spreadsheets: Markdown, LaTeX with booktabs, tidy CSV.

In Markdown and LaTeX the best is bold, and † marks what differs from the baseline by more than chance.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterable, Sequence

from isogloss.report.entries import Corpus, entries_of
from isogloss.report.leaderboard import DAGGER, Board, Score, corpora_board, labels_board, systems_board
from isogloss.report.plain import TEX, notice_line
from isogloss.report.tables import build_tables
from isogloss.runs.tables import DIGITS, UNDEFINED, Table, format_cell
from isogloss.text.display import visible

SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&])")
FIELDS = ("corpus", "system", "score", "value", "low", "high", "difference", "p_holm")


def boards_of(corpora: Sequence[Corpus], score: str | None, *, leaderboard: bool) -> list[Board]:
    """What a report has in tables: the leaderboard of several corpora, and for each of them its systems and labels.

    Args:
        corpora: at least one.
        score: path of the main score, None for that of the task.
        leaderboard: the leaderboard alone.
    """
    if leaderboard:
        return [corpora_board(corpora, score)]
    boards = [corpora_board(corpora, score)] if len(corpora) > 1 else []
    for corpus in corpora:
        boards.append(systems_board(corpus, score))
        labels = labels_board(corpus)
        boards += [] if labels is None or len(corpus.entries) == 1 else [labels]
    return boards


def markdown(corpora: Sequence[Corpus], score: str | None = None, *, leaderboard: bool = False) -> str:
    """Pipe tables, then warnings and signatures."""
    boards = boards_of(corpora, score, leaderboard=leaderboard)
    parts = [_markdown(board) for board in boards]
    entries = entries_of(corpora)
    if len(entries) == 1 and not leaderboard:
        parts += [_plain_markdown(table) for table in build_tables([entries[0].run])]
    notes = [
        f"- **{escaped_markdown(own.name)}**: {escaped_markdown(notice_line(n))}"
        for own in entries
        for n in own.run.warnings
    ]
    parts += ["\n".join(notes)] if notes and not leaderboard else []
    parts += [_code(str(signature)) for signature in dict.fromkeys(str(own.run.signature) for own in entries)]
    return "\n\n".join(parts) + "\n"


def latex(corpora: Sequence[Corpus], score: str | None = None, *, leaderboard: bool = False) -> str:
    """A tabular with booktabs rules for each table; what it shows and the signatures are comments."""
    signatures = dict.fromkeys(str(own.run.signature) for own in entries_of(corpora))
    heads = ["% Needs \\usepackage{booktabs}. Bold: best. Dagger: p < 0.05 after Holm's correction."]
    heads += [f"% {' '.join(visible(one).split())}" for one in signatures]
    return "\n".join(heads) + "\n" + "\n".join(map(_latex, boards_of(corpora, score, leaderboard=leaderboard)))


def tidy(corpora: Sequence[Corpus], score: str | None = None, *, leaderboard: bool = False) -> str:
    """CSV, a line for each score of each run, or for the one that was asked for. Undefined is empty."""
    wanted = corpora_board(corpora, score).paths if leaderboard or score is not None else None
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=FIELDS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(_rows(corpora, wanted))
    return out.getvalue()


def _rows(corpora: Sequence[Corpus], wanted: Sequence[str] | None) -> Iterable[dict[str, object]]:
    for corpus in corpora:
        for entry in corpus.entries:
            for row in entry.run.to_rows():
                if wanted is not None and row["score"] not in wanted:
                    continue
                change = entry.changes.get(row["score"])
                tested = {} if change is None else {"difference": change.difference, "p_holm": change.p_holm}
                yield row | {"corpus": corpus.name, "system": entry.name} | tested


def _markdown(board: Board) -> str:
    head = [board.corner, *board.columns]
    rows = [[name, *(_cell(cell, bold="**{}**", dagger=DAGGER) for cell in row)] for name, _, row in board.rows]
    lines = [_pipes(map(escaped_markdown, head)), _pipes(["---", *("---:" for _ in board.columns)])]
    lines += [_pipes([escaped_markdown(name), *cells]) for name, *cells in rows]
    note = [f"{DAGGER} {_difference(board)}"] if board.is_tested else []
    return "\n\n".join([f"**{escaped_markdown(board.title)}**", "\n".join(lines), *note])


def _difference(board: Board) -> str:
    whose = f", {escaped_markdown(board.baseline)}" if board.baseline else ""
    return f"differs from the baseline{whose}: p \\< 0.05 after Holm's correction."


def _plain_markdown(table: Table) -> str:
    lines = [_pipes(escaped_markdown(column.title) for column in table.columns)]
    lines.append(_pipes("---" if column.kind == "text" else "---:" for column in table.columns))
    lines += [_pipes(escaped_markdown(format_cell(cell)) for cell in row) for row in table.rows]
    return "\n\n".join([f"**{escaped_markdown(table.title)}**", "\n".join(lines), *map(escaped_markdown, table.notes)])


def _latex(board: Board) -> str:
    head = " & ".join(map(_tex, (board.corner, *board.columns)))
    lines = [
        " & ".join([_tex(name), *(_cell(cell, bold=r"\textbf{{{}}}", dagger=r"$^\dagger$", dash="--") for cell in row)])
        for name, _, row in board.rows
    ]
    body = "\n".join(f"{line} \\\\" for line in lines)
    layout = "l" + "r" * len(board.columns)
    comment = " ".join(visible(board.title).split())
    return (
        f"% {comment}\n\\begin{{tabular}}{{{layout}}}\n\\toprule\n{head} \\\\\n\\midrule\n{body}\n"
        "\\bottomrule\n\\end{tabular}\n"
    )


def _cell(cell: Score | None, *, bold: str, dagger: str, dash: str = UNDEFINED) -> str:
    if cell is None:
        return ""
    text = dash if math.isnan(cell.value) else f"{cell.value:.{DIGITS}f}"
    return (bold.format(text) if cell.best else text) + (dagger if cell.significant else "")


def _pipes(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def escaped_markdown(text: str) -> str:
    """Text in which nothing is markup, on one line."""
    return SPECIAL.sub(r"\\\1", visible(text))


def _code(text: str) -> str:
    """Text as code: between more backticks than it holds in a row."""
    text = visible(text)
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{space}{text}{space}{ticks}"


def _tex(text: str) -> str:
    return "".join(TEX.get(character, character) for character in visible(text))


WRITERS: dict[str, Callable[..., str]] = {"markdown": markdown, "latex": latex, "csv": tidy}
