"""Where results go: standard output or a file, in the form that was asked for."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from isogloss.exceptions import SourceError

if TYPE_CHECKING:
    from isogloss.run import Run


class Form(StrEnum):
    """How results are printed."""

    text = "text"
    json = "json"
    markdown = "markdown"
    latex = "latex"
    csv = "csv"


def write(runs: Sequence[Run], form: Form, output: Path | None, *, quiet: bool) -> None:
    """Print the runs.

    Args:
        runs: one per system.
        form: how.
        output: the file to write; None for standard output.
        quiet: whether to leave out warnings where they are no part of the form.

    Raises:
        SourceError: the file cannot be written.
    """
    if output is None:
        _write(runs, form, sys.stdout, quiet=quiet)
    else:
        with _opened(output) as stream:
            _write(runs, form, stream, quiet=quiet)
    if form in {Form.csv, Form.latex} and not quiet:  # forms that have no place for them
        from isogloss.report.plain import notice_line  # noqa: PLC0415

        for run in runs:
            for notice in run.warnings:
                print(f"{run.system}: {notice_line(notice)}", file=sys.stderr)  # noqa: T201


def _write(runs: Sequence[Run], form: Form, stream: TextIO, *, quiet: bool) -> None:
    if form is Form.text:
        from isogloss.report.text import console_of, show  # noqa: PLC0415  machines need no rich

        show(runs, console_of(stream), quiet=quiet)
        return
    from isogloss.report import plain  # noqa: PLC0415

    drawn = {Form.json: plain.json, Form.csv: plain.csv_rows, Form.markdown: plain.markdown, Form.latex: plain.latex}
    stream.write(drawn[form](runs))


def _opened(output: Path) -> TextIO:
    try:
        return output.open("w", encoding="utf-8", newline="\n")
    except OSError as error:
        raise SourceError(f"cannot be written: {error.strerror}", where=str(output)) from error
