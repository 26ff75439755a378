"""`isogloss demo`: score bundled examples of every task, and show commands to try next."""

from __future__ import annotations

from contextlib import chdir

import typer

from isogloss.cli import run
from isogloss.cli.output import open_stdout


def command() -> None:
    """Score bundled examples of every task, and show commands to try next."""
    from isogloss.demo import COMMANDS, NEXT_STEPS, files

    with chdir(files().folder):
        for line in COMMANDS:
            with open_stdout() as stream:
                stream.write(f"\n$ isogloss {line}\n\n")
            if code := run(line.split()):
                raise typer.Exit(code)
    with open_stdout() as stream:
        stream.write("\n" + NEXT_STEPS.format(folder=files().folder))
