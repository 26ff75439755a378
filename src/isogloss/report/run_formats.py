"""Runs as text for machines and manuscripts: JSON, CSV, Markdown and LaTeX."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from isogloss.kernel.provenance import RunWarning
from isogloss.report.comparisons import ComparedSystems, comparison_tables
from isogloss.report.tables import build_tables
from isogloss.runs.run import Run
from isogloss.runs.tables import ScoreTable, TableCell, format_cell

if TYPE_CHECKING:
    from isogloss.runs.run_pairs import ScoreDifference

CHANGE_COLUMNS = {  # columns of CSV, and keys of the JSON of a comparison
    "baseline": "baseline",
    "difference": "difference",
    "diff_low": "low",
    "diff_high": "high",
    "p": "p",
    "p_holm": "p_holm",
}
FIELDS = ("system", "score", "value", "low", "high", *CHANGE_COLUMNS)
ALWAYS_COUNTED = ("tags-repaired", "tags-discarded")  # also when it is one


def format_runs_json(runs: Sequence[Run], comparison: ComparedSystems | None = None) -> str:
    """The JSON of a run; of several, `{"runs": [...], "comparisons": [...]}`."""
    if len(runs) == 1:
        return runs[0].to_json() + "\n"
    import msgspec  # noqa: PLC0415  only curves need it

    document: dict[str, Any] = {"runs": [run.to_dict() for run in runs]}
    if comparison is not None:
        document["comparisons"] = [pair.to_dict() for pair in comparison.pairs]
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"


def format_runs_csv(runs: Sequence[Run], comparison: ComparedSystems | None = None) -> str:
    """One line per score: system, path, value and, where asked for, interval and difference. Undefined is empty."""
    changes = [{}, *(pair.scores for pair in comparison.pairs)] if comparison is not None else [{} for _ in runs]
    rows = [row for run, own in zip(runs, changes, strict=True) for row in _build_csv_rows(run, own)]
    out = io.StringIO()
    fields = [name for name in FIELDS if any(name in row for row in rows)]
    writer = csv.DictWriter(out, fieldnames=fields, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _build_csv_rows(run: Run, changes: Mapping[str, ScoreDifference]) -> list[dict[str, Any]]:
    """The rows of a run with how it differs from the baseline; also in a score that only the baseline has."""
    rows = {row["score"]: row for row in run.to_rows()}
    for name, found in changes.items():
        told = found.to_dict()
        own = rows.setdefault(name, {"system": run.system, "score": name, "value": told["system"]})
        rows[name] = own | {column: told[key] for column, key in CHANGE_COLUMNS.items()}
    return list(rows.values())


def format_runs_markdown(runs: Sequence[Run], comparison: ComparedSystems | None = None) -> str:
    """Pipe tables, the findings that were asked for, signatures and warnings."""
    parts = [_format_markdown_table(table) for table in (*build_tables(runs), *comparison_tables(comparison))]
    parts += [f"`{run.signature}`" for run in _select_distinct_signatures(runs)]
    parts += [_format_markdown_findings(run) for run in runs if run.findings]
    notes = [f"- **{run.system}**: {format_warning(notice)}" for run in runs for notice in run.warnings]
    parts += ["\n".join(notes)] if notes else []
    return "\n\n".join(parts) + "\n"


def format_runs_latex(runs: Sequence[Run], comparison: ComparedSystems | None = None) -> str:
    """Tables with booktabs rules, the signature as a comment above each."""
    heads = "".join(f"% {' '.join(run.system.split())}: {run.signature}\n" for run in runs)  # a comment is one line
    return heads + "\n".join(
        _format_latex_table(table) for table in (*build_tables(runs), *comparison_tables(comparison))
    )


def format_warning(warning: RunWarning) -> str:
    """A warning as one line: what, how often, and where first."""
    return warning.format_line(always_count=warning.code in ALWAYS_COUNTED)


def _select_distinct_signatures(runs: Sequence[Run]) -> list[Run]:
    """The first run of each signature."""
    return list({str(run.signature): run for run in reversed(runs)}.values())[::-1]


def _format_markdown_table(table: ScoreTable) -> str:
    head = [column.title for column in table.columns]
    rules = ["---" if column.kind == "text" else "---:" for column in table.columns]
    body = [[format_cell(cell) for cell in row] for row in table.rows]
    lines = [f"| {' | '.join(_escape_pipes(cell) for cell in row)} |" for row in (head, rules, *body)]
    return "\n\n".join([f"**{table.title}**", "\n".join(lines), *map(_escape_pipes, table.notes)])


def _format_markdown_findings(run: Run) -> str:
    """The drawings of a run's findings, as they are in a terminal."""
    from isogloss.report.drawing import draw_finding  # noqa: PLC0415  only findings are drawn

    drawings = ["\n".join(map(str, draw_finding(finding))) for finding in run.findings]
    fence = "`" * max(3, 1 + max(len(tick) for tick in re.findall("`*", "".join(drawings))))
    return f"**Errors, {run.system}**\n\n{fence}text\n" + "\n\n".join(drawings) + f"\n{fence}"


def _escape_pipes(cell: str) -> str:
    return re.sub(r"\s", " ", cell).replace("\\", "\\\\").replace("|", "\\|")


def _format_latex_table(table: ScoreTable) -> str:
    layout = "".join("l" if column.kind == "text" else "r" for column in table.columns)
    head = " & ".join(_escape_latex(column.title) for column in table.columns)
    body = "\n".join(" & ".join(_format_latex_cell(cell) for cell in row) + r" \\" for row in table.rows)
    return (
        f"% {table.title}\n\\begin{{tabular}}{{{layout}}}\n\\toprule\n{head} \\\\\n\\midrule\n{body}\n"
        "\\bottomrule\n\\end{tabular}\n"
    ) + "".join(f"\\par{{\\footnotesize {_escape_latex(note)}}}\n" for note in table.notes)


def _format_latex_cell(cell: TableCell) -> str:
    return _escape_latex(format_cell(cell, undefined="--"))


LATEX_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "%": r"\%",
    "&": r"\&",
    "#": r"\#",
    "$": r"\$",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
}


def _escape_latex(text: str) -> str:
    return "".join(LATEX_ESCAPES.get(character, character) for character in text)
