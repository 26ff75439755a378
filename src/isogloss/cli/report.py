"""`isogloss report`: runs that were scored before, as a page, tables for a manuscript, or a leaderboard with badges."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.cli.options import check_files
from isogloss.cli.output import write_text
from isogloss.cli.runs import StoreOption
from isogloss.cli.verdicts import distinguish_runs, load_stored_runs
from isogloss.errors import StoreError, UsageError
from isogloss.records.destinations import packing_of

if TYPE_CHECKING:
    from isogloss.report.run_files import ReportRun


class ReportFormat(StrEnum):
    """What a report is written as."""

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
MAX_FINDINGS = 100_000  # findings read from a store at most


def command(  # noqa: PLR0913  a command's options are its arguments
    runs: Annotated[
        list[str],
        typer.Argument(metavar="RUN...", help="JSON files that -f json wrote, or ids and names of runs in the store."),
    ],
    *,
    form: Annotated[
        ReportFormat | None,
        typer.Option("-f", "--format", help="What to write.", show_default="by the suffix of -o, else html"),
    ] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write the report to this file.")] = None,
    leaderboard: Annotated[
        bool,
        typer.Option("--leaderboard", help="Only the table of systems by corpora in one score."),
    ] = False,
    score: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="The main score.", show_default="that of the task"),
    ] = None,
    badges: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write an SVG badge for each system, and badges.md."),
    ] = None,
    link: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Page that badges lead to.", show_default="the HTML file of -o"),
    ] = None,
    curves: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Curves of classification that --curves wrote; several times."),
    ] = None,
    findings: Annotated[int, typer.Option(help="Findings of each run at most.", min=0)] = 100,
    title: Annotated[str | None, typer.Option(help="Title of the page.", show_default="what it is about")] = None,
    store: StoreOption = None,
) -> None:
    """Report on runs that were scored before: one HTML file, Markdown, LaTeX or CSV.

    Scores with intervals, labels, slices, confusions, curves, findings in context, and where all comes from.
    """
    from isogloss.report.entries import group_by_corpus
    from isogloss.report.export import WRITERS
    from isogloss.report.html.page import PageOptions, render_report_page
    from isogloss.report.leaderboard import build_corpora_board
    from isogloss.report.run_files import load_curve_file

    check_files([*runs, *(curves or ())], {"-o": output})
    chosen = form or choose_report_format(output)
    opened = open_runs(runs, store)
    corpora = group_by_corpus(opened, [drawn for name in curves or () for drawn in load_curve_file(name)])
    if chosen is ReportFormat.html:
        written = render_report_page(corpora, PageOptions(title, score, findings, leaderboard))
    else:
        written = WRITERS[chosen.value](corpora, score, leaderboard=leaderboard)
    if badges is not None:
        from isogloss.report.badges import write_badges

        page_name = output.name if output is not None and str(output) != "-" and chosen is ReportFormat.html else ""
        write_badges(build_corpora_board(corpora, score), badges, page_name if link is None else link)
    write_text(written, output)


def choose_report_format(output: Path | None) -> ReportFormat:
    """What a report is written as, by the suffix of its file; a page where it has none.

    Raises:
        UsageError: the suffix says something else.
    """
    name = Path("-" if output is None else output)
    suffix = (name.with_suffix("") if packing_of(name) else name).suffix.lower()
    if suffix and suffix not in SUFFIXES:
        known = f"{', '.join(SUFFIXES)}; or say what to write with -f"
        raise UsageError(f"-o {output}: a report is no {suffix}. The known suffixes are {known}.")
    return SUFFIXES.get(suffix, ReportFormat.html)


def open_runs(names: Sequence[str], store: str | None) -> list[ReportRun]:
    """The runs of files, and of the store where there is no file of a name; those of one reference are compared.

    Raises:
        DataError: there is neither, or it cannot be read.
    """
    from isogloss.report.run_files import load_run_file

    # `os.path.exists` is False of what can be no path, and does not raise
    asked = [name for name in names if name != "-" and not os.path.exists(name)]  # noqa: PTH110
    kept = _load_stored_runs(dict.fromkeys(asked), store) if asked else {}
    return [run for name in names for run in ([kept[name]] if name in kept else load_run_file(name))]


def _load_stored_runs(names: Iterable[str], store: str | None) -> dict[str, ReportRun]:
    """Runs of the store by what they are asked for by."""
    from isogloss.report.run_files import ReportRun
    from isogloss.store import Store

    alike: dict[tuple[object, ...], dict[str, ReportRun]] = {}
    for name in names:
        try:
            with Store.open(store, create=False) as kept:
                found = kept.get(name)
                run = found.as_saved(MAX_FINDINGS)
        except StoreError as error:
            message = f"{name} is no file, and no run of a store: {error.message}"
            raise StoreError(message, where=error.where, detail=error.detail, remedy=error.remedy) from error
        group = run.task, found.summary.corpus, run.reference_digests
        alike.setdefault(group, {})[name] = ReportRun(run, f"store, run {found.id}", found.summary.corpus)
    return {name: run for group in alike.values() for name, run in _compare_runs(group, store).items()}


def _compare_runs(opened: dict[str, ReportRun], store: str | None) -> dict[str, ReportRun]:
    """Runs with how they differ from the first; as they are where they cannot be compared, which is said."""
    if len(opened) == 1:
        return opened
    from isogloss.errors import IsoglossError
    from isogloss.report.run_files import add_comparisons

    try:
        runs = distinguish_runs(load_stored_runs(list(opened), store))
        return dict(zip(opened, add_comparisons(list(opened.values()), runs), strict=True))
    except IsoglossError as error:
        print(f"isogloss: the runs of the store are not compared. {error}", file=sys.stderr)  # noqa: T201
        return opened
