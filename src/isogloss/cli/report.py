"""`isogloss report`: write runs as a page, tables or a leaderboard.

Tables are for a manuscript, and a leaderboard comes with badges.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.cli.after_scoring import distinguish_runs, load_stored_runs
from isogloss.cli.completion import complete_run
from isogloss.cli.options import StoreOption, check_files, make_choice
from isogloss.cli.output import print_message, write_text
from isogloss.errors import IsoglossError, MissingExtraError, StoreError, UsageError
from isogloss.records.destinations import find_compression

if TYPE_CHECKING:
    from isogloss.report.report_runs import ReportRun


class ReportFormat(StrEnum):
    """Output format of a report."""

    html = "html"
    markdown = "markdown"
    latex = "latex"
    csv = "csv"


SUFFIXES = {
    ".html": ReportFormat.html,
    ".htm": ReportFormat.html,
    ".md": ReportFormat.markdown,
    ".markdown": ReportFormat.markdown,
    ".tex": ReportFormat.latex,
    ".csv": ReportFormat.csv,
}
MAX_FINDINGS = 100_000  # findings of a run read from a store


RunsArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="RUN...",
        help="JSON files that -f json wrote, or ids or names of stored runs.",
        autocompletion=complete_run,
    ),
]
FormOption = Annotated[
    ReportFormat | None,
    make_choice(
        ReportFormat,
        "-f",
        "--format",
        help="Output format.",
        show_default="by the suffix of -o, else html",
        rich_help_panel="Output",
    ),
]
ReportOption = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE", help="Write the report to this file.", rich_help_panel="Output"),
]
LeaderboardOption = Annotated[bool, typer.Option("--leaderboard", help="Write only the table of systems by corpora.")]
ScoreOption = Annotated[
    str | None, typer.Option(metavar="PATH", help="Path of the main score.", show_default="the task's main score")
]
BadgesOption = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Write an SVG badge for each system, and badges.md, to this folder."),
]
LinkOption = Annotated[
    str | None, typer.Option(metavar="URL", help="Page that the badges link to.", show_default="the HTML file of -o")
]
PairsOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write the tests of all pairs of systems to this CSV file."),
]
CurvesOption = Annotated[
    list[str] | None, typer.Option(metavar="FILE", help="Curves that `classification --curves` wrote; may be repeated.")
]
FindingsOption = Annotated[int, typer.Option(metavar="N", help="Show at most N findings of each run.", min=0)]
TitleOption = Annotated[str | None, typer.Option(help="Title of the page.", show_default="task and systems")]


def command(  # noqa: PLR0913  a command's options are its arguments
    runs: RunsArgument,
    *,
    form: FormOption = None,
    output: ReportOption = None,
    leaderboard: LeaderboardOption = False,
    score: ScoreOption = None,
    badges: BadgesOption = None,
    link: LinkOption = None,
    pairs: PairsOption = None,
    curves: CurvesOption = None,
    findings: FindingsOption = 20_000,
    title: TitleOption = None,
    store: StoreOption = None,
) -> None:
    """Write a report on runs: one HTML file, Markdown, LaTeX or CSV.

    It has scores with intervals, labels, slices, confusions, curves, findings in context, and input files.
    """
    from isogloss.explorer.static_export import PageOptions, render_report
    from isogloss.report.export import WRITERS, format_pairs_csv
    from isogloss.report.leaderboard import build_corpora_board
    from isogloss.report.report_runs import group_by_corpus, load_curve_file

    check_files([*runs, *(curves or ())], {"-o": output, "--pairs": pairs})
    chosen = form or choose_report_format(output)
    opened = open_runs(runs, store)
    corpora = group_by_corpus(opened, [system for name in curves or () for system in load_curve_file(name)])
    if chosen is ReportFormat.html:
        text = render_report(corpora, PageOptions(title, score, findings, leaderboard))
    else:
        text = WRITERS[chosen.value](corpora, score, leaderboard=leaderboard)
    if pairs is not None:
        write_text(format_pairs_csv(corpora), pairs, "--pairs")
    if badges is not None:
        from isogloss.report.badges import write_badges

        page_name = output.name if output is not None and str(output) != "-" and chosen is ReportFormat.html else ""
        write_badges(build_corpora_board(corpora, score), badges, page_name if link is None else link)
    write_text(text, output)


def choose_report_format(output: Path | None) -> ReportFormat:
    """Choose the format of a report by the suffix of its file.

    Without a suffix it is HTML.

    Args:
        output: the file; None for standard output.

    Raises:
        UsageError: if the suffix is unknown.
    """
    name = Path("-" if output is None else output)
    suffix = (name.with_suffix("") if find_compression(name) else name).suffix.lower()
    if suffix and suffix not in SUFFIXES:
        raise UsageError(
            f"-o {output}: unknown suffix {suffix!r}. Choose from {', '.join(SUFFIXES)}, or name the format with -f."
        )
    return SUFFIXES.get(suffix, ReportFormat.html)


def open_runs(names: Sequence[str], store: str | None) -> list[ReportRun]:
    """Open runs of files or the store.

    Stored runs of one reference are compared.

    Args:
        names: files, ids or names of runs.
        store: SQLite file or PostgreSQL URL; None for the default.

    Raises:
        DataError: if there is neither such a file nor such a run, or it cannot be read.
    """
    from isogloss.report.report_runs import load_run_file

    # `os.path.exists` returns False for a text that cannot be a path; `Path.exists` raises
    missing = [name for name in names if name != "-" and not os.path.exists(name)]  # noqa: PTH110
    stored = _load_stored_runs(dict.fromkeys(missing), store) if missing else {}
    return [run for name in names for run in ([stored[name]] if name in stored else load_run_file(name))]


def _load_stored_runs(names: Iterable[str], store: str | None) -> dict[str, ReportRun]:
    """Load runs of the store by the names that the user gave."""
    from isogloss.report.report_runs import ReportRun, compute_curves

    try:
        from isogloss.store import Store
    except MissingExtraError as error:
        message = f"There is no file {next(iter(names))}, and a report on stored runs"
        raise MissingExtraError(message, error.install) from error

    groups: dict[tuple[object, ...], dict[str, ReportRun]] = {}
    for name in names:
        try:
            with Store.open(store, create=False) as opened:
                stored = opened.get(name)
                run = stored.as_saved(MAX_FINDINGS)
                curves = compute_curves(run, stored.run)
        except StoreError as error:
            message = f"No such file: {name}, and no such run in a store: {error.message}"
            raise StoreError(message, where=error.where, detail=error.detail, remedy=error.remedy) from error
        key = run.task, stored.summary.corpus, run.reference_digests
        groups.setdefault(key, {})[name] = ReportRun(
            run, f"store, run {stored.id}", stored.summary.corpus, curves=curves
        )
    return {name: run for group in groups.values() for name, run in _compare_runs(group, store).items()}


def _compare_runs(opened: dict[str, ReportRun], store: str | None) -> dict[str, ReportRun]:
    """Add the differences from the first run.

    If the runs cannot be compared, print a message.
    """
    if len(opened) == 1:
        return opened
    from isogloss.report.report_runs import add_comparisons

    try:
        runs = distinguish_runs(load_stored_runs(list(opened), store))
        return dict(zip(opened, add_comparisons(list(opened.values()), runs), strict=True))
    except IsoglossError as error:
        print_message(f"isogloss: the runs of the store are not compared. {error}")
        return opened
