"""Runs, comparisons and findings as they draw themselves.

They are text for `print`, HTML for notebooks, and a report as a file.

The HTML is one element without scripts and without anything to load. Its colours are the notebook's own text colour and
transparent tints, so that it fits light and dark themes, whichever notebook sets them. Text of documents stands in its
own direction. All names and texts are escaped, and control characters are shown.
"""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from html import escape
from importlib import import_module
from itertools import groupby

from rich.console import Console

from isogloss.errors import UsageError
from isogloss.kernel.argument_checks import check_whole_number
from isogloss.kernel.findings import Finding
from isogloss.report.drawing import draw_finding
from isogloss.report.run_tables import UniqueSuccess, build_tables, format_warnings, list_unique_successes
from isogloss.report.terminal import MAX_WIDTH, open_console, print_runs
from isogloss.runs.comparison import Comparison
from isogloss.runs.finding_view import FindingContext, FindingKind, FindingLane, FindingView
from isogloss.runs.findings import Findings
from isogloss.runs.main_scores import choose_main_score, format_score_title, get_score_value
from isogloss.runs.run import Run
from isogloss.runs.score_tables import ScoreTable, format_cell, shorten_system_names
from isogloss.tasks.registry import get_task
from isogloss.text.direction import detect_direction
from isogloss.text.display import format_count, make_visible

FIRST_FINDINGS = 5  # that the HTML of a run draws
LISTED_FINDINGS = 20  # that the text and the HTML of a list of findings draw
DRAWN_SUCCESSES = 3  # documents of a comparison whose findings are drawn
MAX_WHOLE_TEXT = 240  # code points, about three lines; of a longer document the words around a finding are shown
# Names are doubled because they must win over the notebook's own rules for tables.
STYLE = """
.isogloss.isogloss { line-height: 1.5; overflow-wrap: anywhere; }
.isogloss.isogloss p, .isogloss.isogloss ul { margin: 0.2em 0; }
.isogloss.isogloss .quiet { opacity: 0.75; }
.isogloss.isogloss .headline strong { font-size: 1.4em; }
.isogloss.isogloss .warnings { padding: 0.2em 0.75em 0.2em 2em; border-inline-start: 3px solid #b8860b; }
.isogloss.isogloss .tables { display: flex; flex-wrap: wrap; gap: 0 2.5em; align-items: flex-start; }
.isogloss.isogloss .scroll { overflow-x: auto; max-width: 100%; margin: 0.4em 0; }
.isogloss.isogloss table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 0; color: inherit; }
.isogloss.isogloss caption { text-align: start; font-weight: 600; color: inherit; padding: 0.3em 0; }
.isogloss.isogloss tbody tr:nth-child(n), .isogloss.isogloss tbody tr:nth-child(n):hover { background: none; }
.isogloss.isogloss th, .isogloss.isogloss td { padding: 0.15em 0.9em 0.15em 0; text-align: start; font-weight: 400;
  color: inherit;
  border: 0; border-bottom: 1px solid rgba(128, 128, 128, 0.4); vertical-align: top; white-space: normal;
  max-width: none; }
.isogloss.isogloss thead th { opacity: 0.75; vertical-align: bottom; }
.isogloss.isogloss th.n, .isogloss.isogloss td.n { text-align: end; white-space: nowrap;
  padding: 0.15em 0 0.15em 0.9em; }
.isogloss.isogloss .finding { padding: 0.35em 0; border-top: 1px solid rgba(128, 128, 128, 0.4); }
.isogloss.isogloss .kind { font-weight: 600; margin-inline-end: 0.75em; }
.isogloss.isogloss .lane { display: grid; grid-template-columns: 9em minmax(0, 1fr); gap: 0 0.75em; }
.isogloss.isogloss .label { font-weight: 600; }
.isogloss.isogloss .text { text-align: start; white-space: pre-wrap; line-height: 1.9; margin: 0; }
.isogloss.isogloss mark { background: none; color: inherit; padding: 0; text-decoration: underline 2px;
  text-underline-offset: 0.3em; }
.isogloss.isogloss mark[class*="reference"] { background: rgba(40, 120, 230, 0.25); }
.isogloss.isogloss mark[class*="predicted"] { background: rgba(230, 130, 20, 0.3); text-decoration-style: dashed; }
.isogloss.isogloss mark.foreign { background: rgba(220, 40, 60, 0.3); text-decoration-style: wavy; }
.isogloss.isogloss .cut { box-shadow: inset 1px 0 rgba(128, 128, 128, 0.8), inset -1px 0 rgba(128, 128, 128, 0.8); }
.isogloss.isogloss summary { cursor: pointer; }
.isogloss.isogloss code { font-size: 0.85em; background: none; color: inherit; }
"""


def format_run_text(run: Run, errors: int = 0) -> str:
    """Format the tables of a run as the command line prints them.

    Args:
        run: the run.
        errors: number of findings to draw.
    """
    shown = Findings(run.findings[:errors], run.task)
    return _print_to_text([_replace_findings(run, shown)])


def _replace_findings(run: Run, findings: Findings) -> Run:
    return replace(run, findings=findings, list_findings=bool(findings))


def format_comparison_text(comparison: Comparison) -> str:
    """Format the tables of a comparison as the command line prints them.

    Args:
        comparison: the comparison.
    """
    return _print_to_text(comparison.runs, comparison)


def _print_to_text(runs: Sequence[Run], comparison: Comparison | None = None) -> str:
    console = _open_text_console()
    print_runs(runs, console, findings=comparison is None, comparison=comparison)
    return _get_text(console)


def _open_text_console() -> Console:
    """Open a console in memory, as wide as the terminal.

    The terminal is the one that standard output is.
    """
    console = open_console(io.StringIO())
    if sys.stdout.isatty():
        console.width = min(shutil.get_terminal_size().columns, MAX_WIDTH)
    return console


def _get_text(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)  # noqa: S101  `_open_text_console` opened it
    return console.file.getvalue().rstrip("\n")


def format_finding_text(finding: Finding) -> str:
    """Format a finding with a line for each side.

    Args:
        finding: the finding.
    """
    return format_findings_text(Findings([finding]))


def format_findings_text(findings: Findings) -> str:
    """Format the first findings of a list, and count the others.

    Args:
        findings: the findings.
    """
    view, width = _get_view(findings.task), _open_text_console().width
    drawn = [
        "\n".join(map(str, draw_finding(finding, width=width, sides=view.names_sides)))
        for finding in findings[:LISTED_FINDINGS]
    ]
    return "\n\n".join([*drawn, *_describe_rest(len(findings), LISTED_FINDINGS)]) or "No findings."


def _describe_rest(number: int, shown: int) -> list[str]:
    return [f"{number - shown:,} more findings are not shown."] if number > shown else []


def _get_view(task: str) -> FindingView:
    return get_task(task).finding_view if task else FindingView()


def show_run(run: Run, errors: int) -> None:
    """Print a run with its first findings; in a notebook, draw it.

    Args:
        run: the run.
        errors: number of findings, 0 or more.

    Raises:
        UsageError: if findings are requested that the run did not keep.
    """
    check_whole_number("errors", errors, 0)
    if errors and not run.list_findings:
        raise UsageError("The run kept no findings: score with findings=True, or leave them out with show(errors=0).")
    if _is_notebook():
        ipython = import_module("IPython.display")
        ipython.display(ipython.HTML(format_run_html(run, errors)))
    else:
        print(format_run_text(run, errors))  # noqa: T201  this is what the caller asked for


def _is_notebook() -> bool:
    """Check whether the code runs in a notebook that draws HTML."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return getattr(shell, "kernel", None) is not None


def format_run_html(run: Run, errors: int = FIRST_FINDINGS) -> str:
    """Format a run for a notebook.

    The HTML has the main score, tables, warnings, and the first findings.

    Args:
        run: the run.
        errors: number of findings to draw.
    """
    parts = [
        _format_heading([run]),
        _format_headline(run),
        *_format_tables(build_tables([run])),
        *_format_warnings([run]),
        *_format_run_findings(run, errors),
        _format_signatures([run]),
    ]
    return _wrap(parts)


def format_comparison_html(comparison: Comparison) -> str:
    """Format a comparison for a notebook.

    The HTML has tables, warnings, and documents that only one system gets right. If the runs have findings, it
    draws those of the first documents.

    Args:
        comparison: the comparison.
    """
    runs = comparison.runs
    successes = [part for each in list_unique_successes(comparison) for part in _format_success(each)]
    tables = build_tables(runs, comparison)
    drawn = _format_tables(tables, len(tables))
    return _wrap([_format_heading(runs), *drawn, *successes, *_format_warnings(runs), _format_signatures(runs)])


def _format_success(success: UniqueSuccess) -> list[str]:
    """Format the documents that only one system gets right.

    The findings of the other system in the first documents are drawn.
    """
    parts = [f"<p>{_escape(success.sentence)}</p>"]
    for run, name in zip(success.runs, shorten_system_names(success.runs), strict=True):
        found = run.findings.select(document=success.documents[:DRAWN_SUCCESSES])
        parts += [f"<p><b>{_escape(name)}</b></p>", *_format_findings(found)] if found else []
    return parts


def format_finding_html(finding: Finding) -> str:
    """Format a finding for a notebook.

    The HTML has the text of each side with its marks.

    Args:
        finding: the finding.
    """
    return format_findings_html(Findings([finding]))


def format_findings_html(findings: Findings) -> str:
    """Format the first findings for a notebook, and count the others.

    Args:
        findings: the findings.
    """
    rest = _describe_rest(len(findings), LISTED_FINDINGS)
    shown = _format_findings(findings[:LISTED_FINDINGS])
    return _wrap([*shown, *(f'<p class="quiet">{line}</p>' for line in rest)] or ["<p>No findings.</p>"])


def _wrap(parts: Iterable[str]) -> str:
    return f'<div class="isogloss"><style>{STYLE}</style>{"".join(parts)}</div>'


def _escape(text: str) -> str:
    return f"<bdi>{escape(make_visible(text))}</bdi>"


def _format_heading(runs: Sequence[Run]) -> str:
    first = runs[0]
    system = _escape(first.system) if len(runs) == 1 else f"{len(runs)} systems"
    profile = f", profile {_escape(first.profile)}" if first.profile else ""
    title = escape(get_task(first.task).title)
    return f"<p><b>{title}</b> {system}, {format_count(first.documents, 'document')}{profile}</p>"


def _format_headline(run: Run) -> str:
    main = choose_main_score([run])
    value, interval = get_score_value(run, main), run.intervals.get(main)
    bounds = ""
    if interval is not None:
        bounds = f' <span class="quiet">{100 * interval.level:g}%: {format_cell((interval.low, interval.high))}</span>'
    number = format_cell(None if value is None else float(value))
    return f'<p class="headline">{escape(format_score_title(run, main))} <strong>{number}</strong>{bounds}</p>'


OPEN_TABLES = 4  # of a run; the others are folded


def _format_tables(tables: Sequence[ScoreTable], number: int = OPEN_TABLES) -> list[str]:
    """Format tables side by side, the first ones open."""
    first, others = ("".join(map(_format_table, some)) for some in (tables[:number], tables[number:]))
    shown = [f'<div class="tables">{first}</div>']
    if others:
        names = escape(", ".join(table.title for table in tables[number:]))
        shown.append(f'<details><summary>{names}</summary><div class="tables">{others}</div></details>')
    return shown


def _format_table(table: ScoreTable) -> str:
    kinds = ["" if column.kind == "text" else ' class="n"' for column in table.columns]
    heads = [f'<th scope="col"{kind}>{_escape(c.title)}</th>' for kind, c in zip(kinds, table.columns, strict=True)]
    rows = []
    for first, *cells in table.rows:
        numbers = [f"<td{kind}>{_escape(format_cell(cell))}</td>" for kind, cell in zip(kinds[1:], cells, strict=True)]
        rows.append(f'<tr><th scope="row">{_escape(format_cell(first))}</th>{"".join(numbers)}</tr>')
    head = f"<caption>{_escape(table.title)}</caption><thead><tr>{''.join(heads)}</tr></thead>"
    notes = "".join(f'<p class="quiet">{_escape(note)}</p>' for note in table.notes)
    return f'<div class="scroll"><table>{head}<tbody>{"".join(rows)}</tbody></table>{notes}</div>'


def _format_warnings(runs: Sequence[Run]) -> list[str]:
    """Format a list of all warnings, each once."""
    lines = "".join(f"<li>{_escape(line)}</li>" for line in format_warnings(runs))
    return [f'<ul class="warnings">{lines}</ul>'] if lines else []


def _format_signatures(runs: Sequence[Run]) -> str:
    lines = dict.fromkeys(str(run.signature) for run in runs)
    return "".join(f'<p class="quiet"><code>{_escape(line)}</code></p>' for line in lines)


def _format_run_findings(run: Run, errors: int) -> list[str]:
    if not run.findings or not errors:
        return []
    number = f"the first {errors} of {len(run.findings):,}" if errors < len(run.findings) else f"{len(run.findings):,}"
    title = escape(get_task(run.task).finding_view.title)
    return [f"<p><b>{title}</b> ({number})</p>", *_format_findings(run.findings[:errors])]


def _format_findings(findings: Findings) -> list[str]:
    view = _get_view(findings.task)
    whole = map(_show_whole_sentence, findings)
    return [
        _format_context(context, document)
        for document, group in groupby(whole, lambda finding: finding.document)
        for context in view.build_contexts(list(group))
    ]


def _show_whole_sentence(finding: Finding) -> Finding:
    """Return the finding on its document, if that is short."""
    text = finding.document_text
    return finding if text is None or len(text) > MAX_WHOLE_TEXT else finding.show_whole_document()


def _format_context(context: FindingContext, document: str) -> str:
    kinds = "".join(map(_format_kind, context.kinds))
    place = f'<span class="quiet">document {_escape(document)}, {_escape(context.where)}</span>'
    lanes = "".join(_format_lane(lane, context.language) for lane in context.lanes)
    facts = "".join(
        f'<p class="quiet">{_escape(name)}: {", ".join(map(_escape, values))}</p>' for name, values in context.facts
    )
    return f'<div class="finding"><p>{kinds}{place}</p>{lanes}{facts}</div>'


def _format_kind(kind: FindingKind) -> str:
    times = f" ({kind.count})" if kind.count > 1 else ""
    return f'<span class="kind">{escape(kind.sign)} {escape(kind.name)}{times}</span>'


def _format_lane(lane: FindingLane, language: str) -> str:
    """Format the text of a side in its direction, with its marks."""
    direction = detect_direction("".join(piece.text for piece in lane.pieces))
    code = f' lang="{escape(language)}"' if language else ""
    label = f' <bdi class="label">{escape(make_visible(lane.label))}</bdi>' if lane.label else ""
    separator = " / " if lane.side == "accepted" else ""
    text = separator.join(_format_piece(piece.text, piece.role) for piece in lane.pieces)
    remarks = "".join(f'<p class="quiet">{_escape(remark)}</p>' for remark in lane.remarks)
    side = f'<span><span class="quiet">{escape(lane.side)}</span>{label}</span>'
    return f'<div class="lane">{side}<p class="text" dir="{direction}"{code}>{text}</p></div>{remarks}'


def _format_piece(text: str, role: str) -> str:
    shown = escape(make_visible(text))
    if role == "plain":
        return shown
    tag = "span" if role in ("more", "cut") else "mark"
    return f'<{tag} class="{escape(role)}">{shown}</{tag}>'
