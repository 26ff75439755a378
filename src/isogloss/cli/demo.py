"""`isogloss demo`: five scenes on bundled files.

It can also write the files themselves, to try commands on.
"""

from __future__ import annotations

import io
import os
from contextlib import chdir, redirect_stdout
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.cli import run
from isogloss.cli.output import open_stdout, print_message
from isogloss.errors import SourceError

if TYPE_CHECKING:
    from isogloss.runs.run import Run

MIN_COLUMNS, MAX_COLUMNS = 80, 100
WriteOption = Annotated[
    Path | None,
    typer.Option(
        "--write", metavar="DIR", help="Write the sample files to this folder, under the names in README, and stop."
    ),
]


ViewOption = Annotated[bool, typer.Option("--view", help="Look at the bundled files of all tasks in a browser.")]


def command(*, write: WriteOption = None, view: ViewOption = False) -> None:
    """Show in five scenes what isogloss answers, or write the sample files."""
    if view:
        _view_samples()
        return
    if write is not None:
        _write_samples(write)
        return
    from isogloss.demo import SCENES, files, format_next_steps

    with open_stdout() as stream:
        stream.write("Five questions on bundled files. The commands print more than is shown here.\n")
        for number, scene in enumerate(SCENES, 1):
            with chdir(files().folder / scene.folder):
                output = _run_command(scene.command)
            stream.write(f"\n{number}. {scene.sentence}\n$ isogloss {scene.command}\n\n")
            stream.write(f"{scene.select_blocks(output)}\n")
            stream.flush()
        stream.write(f"\n{format_next_steps()}")


def _view_samples() -> None:
    from isogloss.cli.view import ViewOptions, show_runs

    show_runs(score_viewed(), ViewOptions())


def score_viewed() -> list[Run]:
    """Score the bundled files that the explorer shows."""
    from isogloss.demo import VIEWED, files
    from isogloss.explorer.file_scoring import score_files

    runs = []
    for task, (names, options, by) in VIEWED.items():
        with chdir(files().folder / task):
            scored = score_files(task, names, options=options, by=by)
            runs += [run.ensure_documents() for run in scored]
    return runs


def _run_command(words: str) -> str:
    """Run a command of isogloss and return its output.

    The output is as wide as the terminal.

    Raises:
        Exit: if it fails.
    """
    written, before = io.StringIO(), os.environ.get("COLUMNS")
    width = min(max(get_terminal_size().columns, MIN_COLUMNS), MAX_COLUMNS)
    os.environ["COLUMNS"] = str(width)
    try:
        with redirect_stdout(written):
            code = run(words.split())
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before
    if code:
        raise typer.Exit(code)
    return written.getvalue()


def _write_samples(folder: Path) -> None:
    from isogloss.demo import write_samples

    try:
        names = write_samples(folder)
    except OSError as error:
        remedy = "Name a folder that can be written, with --write."
        raise SourceError(f"cannot be written: {error.strerror}", where=str(folder), remedy=remedy) from error
    print_message(f"isogloss: wrote {len(names)} files and folders to {folder}: {', '.join(names)}")
