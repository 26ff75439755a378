"""Runs as JSON, CSV, Markdown and LaTeX."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from isogloss.report.drawing import draw_finding
from isogloss.report.latex import LatexCell, escape_latex, format_document, format_tabular
from isogloss.report.run_tables import build_tables, format_warning
from isogloss.runs.run import Run
from isogloss.runs.run_json import format_json
from isogloss.runs.score_tables import ScoreTable, TableCell, format_cell

if TYPE_CHECKING:
    from isogloss.runs.comparison import Comparison
    from isogloss.runs.pair_comparison import ScoreDifference
    from isogloss.runs.system_ranking import SystemRanking

CHANGE_COLUMNS = {  # columns of the CSV, and keys of the JSON of a comparison
    "baseline": "baseline",
    "difference": "difference",
    "diff_low": "low",
    "diff_high": "high",
    "p": "p",
    "p_holm": "p_holm",
}
RANK_COLUMNS = ("first_rank", "last_rank", "group")
FIELDS = ("system", "score", "value", "low", "high", *CHANGE_COLUMNS, *RANK_COLUMNS)


def format_runs_json(runs: Sequence[Run], comparison: Comparison | None = None) -> str:
    """Format runs as JSON.

    One run is its own JSON; several runs are `{"runs": [...], "comparisons": [...]}`.

    Args:
        runs: one per system.
        comparison: how the systems differ from the first.
    """
    if len(runs) == 1:
        return runs[0].to_json() + "\n"
    document: dict[str, Any] = {"runs": [run.to_dict() for run in runs]}
    if comparison is not None:
        document["comparisons"] = [pair.to_dict() for pair in comparison.pairs]
        document |= {} if comparison.ranking is None else {"ranking": comparison.ranking.to_dict()}
    return format_json(document) + "\n"


def format_csv(fields: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Format rows as CSV with a header.

    Args:
        fields: names of the columns.
        rows: values by the names of columns; a missing value is empty.
    """
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=fields, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def format_runs_csv(runs: Sequence[Run], comparison: Comparison | None = None) -> str:
    """Format runs as CSV, one line per score.

    A line has the system, path and value, and the interval and difference if there are any.

    Args:
        runs: one per system.
        comparison: how the systems differ from the first.
    """
    changes = [{}, *(pair.scores for pair in comparison.pairs)] if comparison is not None else [{} for _ in runs]
    rows = [row for run, own in zip(runs, changes, strict=True) for row in _build_csv_rows(run, own)]
    if comparison is not None and comparison.ranking is not None:
        _add_ranks(rows, comparison.ranking)
    return format_csv([name for name in FIELDS if any(name in row for row in rows)], rows)


def _build_csv_rows(run: Run, changes: Mapping[str, ScoreDifference]) -> list[dict[str, Any]]:
    """Build the rows of a run with differences from the baseline.

    There is also a row for each score that only the baseline has.
    """
    rows = {row["score"]: row for row in run.to_rows()}
    for name, difference in changes.items():
        change = difference.to_dict()
        own = rows.setdefault(name, {"system": run.system, "score": name, "value": change["system"]})
        rows[name] = own | {column: change[key] for column, key in CHANGE_COLUMNS.items()}
    return list(rows.values())


def _add_ranks(rows: Iterable[dict[str, Any]], ranking: SystemRanking) -> None:
    """Add ranks and group to the rows of the ranked score.

    The ranked score is the score that systems are ranked by.
    """
    ranked = {each.system: {name: getattr(each, name) for name in RANK_COLUMNS} for each in ranking.systems}
    for row in rows:
        if row["score"] == ranking.score:
            row.update(ranked[row["system"]])


def format_runs_markdown(runs: Sequence[Run], comparison: Comparison | None = None) -> str:
    """Format Markdown: tables, signatures, findings and warnings.

    Args:
        runs: one per system.
        comparison: how the systems differ from the first.
    """
    parts = [format_markdown_table(table, _escape_pipes) for table in build_tables(runs, comparison)]
    parts += [f"`{signature}`" for signature in dict.fromkeys(str(run.signature) for run in runs)]
    parts += [_format_markdown_findings(run) for run in runs if run.findings]
    notes = [f"- **{run.system}**: {format_warning(warning)}" for run in runs for warning in run.warnings]
    parts += ["\n".join(notes)] if notes else []
    return "\n\n".join(parts) + "\n"


def format_runs_latex(runs: Sequence[Run], comparison: Comparison | None = None) -> str:
    """Format runs as LaTeX tables with booktabs rules.

    Above the tables are comments with signatures and the preamble.

    Args:
        runs: one per system.
        comparison: how the systems differ from the first.
    """
    body = "\n".join(format_latex_table(table) for table in build_tables(runs, comparison))
    return format_document((f"{run.system}: {run.signature}" for run in runs), body)


def format_markdown_table(table: ScoreTable, escape: Callable[[str], str], title: str | None = None) -> str:
    """Format a table with pipes, its title above and its notes below.

    Args:
        table: the table.
        escape: function that escapes Markdown in a cell.
        title: the title as Markdown; None for the title of the table as it is.
    """
    head = [escape(column.title) for column in table.columns]
    rules = ["---" if column.kind == "text" else "---:" for column in table.columns]
    rows = [[escape(format_cell(cell)) for cell in row] for row in table.rows]
    return format_pipe_table(table.title if title is None else title, [head, rules, *rows], map(escape, table.notes))


def format_pipe_table(title: str, rows: Iterable[Sequence[str]], notes: Iterable[str] = ()) -> str:
    """Format rows as a Markdown table with pipes.

    The title is above and the notes are below, all as Markdown.

    Args:
        title: the title, printed bold.
        rows: cells of the header, of the rules and of each row.
        notes: lines below.
    """
    text = "\n".join(f"| {' | '.join(cells)} |" for cells in rows)
    return "\n\n".join([f"**{title}**", text, *notes])


def _format_markdown_findings(run: Run) -> str:
    """Draw the findings of a run as in a terminal."""
    drawings = ["\n".join(map(str, draw_finding(finding))) for finding in run.findings]
    fence = "`" * max(3, 1 + max(len(tick) for tick in re.findall("`*", "".join(drawings))))
    return f"**Errors, {run.system}**\n\n{fence}text\n" + "\n\n".join(drawings) + f"\n{fence}"


def _escape_pipes(cell: str) -> str:
    return re.sub(r"\s", " ", cell).replace("\\", "\\\\").replace("|", "\\|")


def format_latex_table(table: ScoreTable) -> str:
    """Format a table with booktabs rules, its notes below.

    Its title is a comment.

    Args:
        table: the table.
    """
    layout = "".join("l" if column.kind == "text" else "r" for column in table.columns)
    head = [LatexCell.from_text(column.title) for column in table.columns]
    body = [[_format_latex_cell(cell) for cell in row] for row in table.rows]
    notes = (f"\\par{{\\footnotesize {escape_latex(note)}}}\n" for note in table.notes)
    intervals = [at for at, column in enumerate(table.columns) if column.kind == "interval"]
    return format_tabular(table.title, layout, head, body, intervals) + "".join(notes)


def _format_latex_cell(cell: TableCell) -> LatexCell:
    return LatexCell.from_text(format_cell(cell))
