"""`isogloss report`: runs that were scored before, as a page, tables for a manuscript, or a leaderboard with badges."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.cli.options import one_standard_input
from isogloss.cli.output import write_text
from isogloss.cli.runs import StoreOption
from isogloss.exceptions import StoreError, UsageError

if TYPE_CHECKING:
    from isogloss.report.reading import Opened


class ReportForm(StrEnum):
    """What a report is written as."""

    html = "html"
    markdown = "markdown"
    latex = "latex"
    csv = "csv"


SUFFIXES = {
    ".html": ReportForm.html,
    ".htm": ReportForm.html,
    ".md": ReportForm.markdown,
    ".markdown": ReportForm.markdown,
    ".tex": ReportForm.latex,
    ".csv": ReportForm.csv,
}
ENOUGH = 100_000  # findings read from a store at most


def command(  # noqa: PLR0913  a command's options are its arguments
    runs: Annotated[
        list[str],
        typer.Argument(metavar="RUN...", help="JSON files that -f json wrote, or ids and names of runs in the store."),
    ],
    *,
    form: Annotated[
        ReportForm | None,
        typer.Option("-f", "--format", help="What to write.", show_default="by the suffix of -o, else html"),
    ] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write the report to this file.")] = None,
    leaderboard: Annotated[
        bool, typer.Option("--leaderboard", help="Only the table of systems by corpora in one score.")
    ] = False,
    score: Annotated[
        str | None, typer.Option(metavar="PATH", help="The main score.", show_default="that of the task")
    ] = None,
    badges: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write an SVG badge for each system, and badges.md.")
    ] = None,
    link: Annotated[
        str | None, typer.Option(metavar="URL", help="Page that badges lead to.", show_default="the HTML file of -o")
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
    from isogloss.report.boards import corpora_board  # noqa: PLC0415  --help need not wait for numpy
    from isogloss.report.entries import corpora_of  # noqa: PLC0415
    from isogloss.report.html.page import Wishes, page  # noqa: PLC0415
    from isogloss.report.manuscript import WRITERS  # noqa: PLC0415
    from isogloss.report.reading import curves_of_file  # noqa: PLC0415

    one_standard_input([*runs, *(curves or ())])
    chosen = form or SUFFIXES.get("" if output is None else output.suffix.lower(), ReportForm.html)
    opened = [one for name in runs for one in opened_runs(name, store)]
    corpora = corpora_of(opened, [drawn for name in curves or () for drawn in curves_of_file(name)])
    if chosen is ReportForm.html:
        written = page(corpora, Wishes(title, score, findings, leaderboard))
    else:
        written = WRITERS[chosen.value](corpora, score, leaderboard=leaderboard)
    if badges is not None:
        from isogloss.report.badges import write_badges  # noqa: PLC0415  few want them

        page_name = output.name if output is not None and chosen is ReportForm.html else ""
        write_badges(corpora_board(corpora, score), badges, page_name if link is None else link)
    write_text(written, output)


def opened_runs(name: str, store: str | None) -> list[Opened]:
    """The runs of a file, or the run of the store that is called so.

    Raises:
        DataError: there is neither, or it cannot be read.
        UsageError: it is neither a file nor can it be the name of a run.
    """
    from isogloss.report.reading import runs_of_file  # noqa: PLC0415  --help need not wait

    is_path = name == "-" or "/" in name or ".json" in name
    if is_path or os.path.exists(name):  # noqa: PTH110  which is False of what can be no path, and does not raise
        return runs_of_file(name)
    return [_stored(name, store)]


def _stored(name: str, store: str | None) -> Opened:
    from isogloss.report.reading import Opened  # noqa: PLC0415  likewise
    from isogloss.store import Store  # noqa: PLC0415  only ids and names need it

    try:
        with Store.open(store, create=False) as opened:
            found = opened.get(name)
            run = found.as_saved(ENOUGH)
    except StoreError as error:
        raise UsageError(f"{name} is no file, and no run of a store: {error}") from error
    return Opened(run, f"store, run {found.id}", found.summary.corpus)
