"""`isogloss lint`: look for faults in data before anything is scored with it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from isogloss.cli.options import OutputOption, QuietOption
from isogloss.cli.output import write_text
from isogloss.exceptions import DataError

app = typer.Typer(
    help="Look for faults in data before anything is scored with it.", no_args_is_help=True, rich_markup_mode=None
)


class LintForm(StrEnum):
    """How faults are printed."""

    text = "text"
    json = "json"


@app.callback()
def _main() -> None:
    """Look for faults in data before anything is scored with it."""


@app.command("entity-translation")
def entity_translation(
    references: Annotated[
        str,
        typer.Argument(
            metavar="REFERENCES", help="JSON lines, or a folder with a file for each language: it_IT.jsonl."
        ),
    ],
    *,
    form: Annotated[LintForm, typer.Option("-f", "--format", help="How to print the faults.")] = LintForm.text,
    output: OutputOption = None,
    quiet: QuietOption = False,
) -> None:
    """Look for faults in references of entity translation.

    The exit code is 3 if something cannot be scored fairly, and 0 if there are only remarks, or nothing.
    """
    from isogloss.lint.entity_translation import check, drawn, to_json  # noqa: PLC0415  --help need not wait
    from isogloss.sources import Source  # noqa: PLC0415

    faults = check(Source(references))
    if not quiet or form is LintForm.json:
        write_text(to_json(faults) if form is LintForm.json else drawn(faults), output)
    if any(fault.severe for fault in faults):
        raise typer.Exit(DataError.exit_code)
