"""`isogloss lint`: find faults in data before you score with it.

It has a command for each task with a linter.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from isogloss.cli.help import format_examples
from isogloss.cli.options import (
    OutputOption,
    QuietOption,
    TextForm,
    TextFormOption,
    check_files,
    make_parameter,
    set_signature,
)
from isogloss.cli.output import write_text
from isogloss.cli.task_command import make_options, parse_options
from isogloss.tasks.registry import get_task, list_task_names
from isogloss.tasks.task import Linter


def make_app() -> typer.Typer:
    """Make the commands of all tasks with a linter."""
    app = typer.Typer()
    for task in map(get_task, list_task_names()):
        if task.linter is not None:
            app.command(task.name, epilog=format_examples(_list_examples(task.name, task.linter)))(
                _make_command(task.linter)
            )
    return app


def _list_examples(name: str, linter: Linter) -> tuple[str, ...]:
    command = f"isogloss lint {name} {linter.data.metavar.lower()}"
    return command, f"{command} -f json", f"{command} -q -o faults.txt"


def _make_command(linter: Linter) -> Callable[..., None]:
    def command(*, form: TextForm, output: Path | None, quiet: bool, **given: Any) -> None:
        path = given.pop(linter.data.name)
        check_files([path], {"-o": output})
        report, exit_code = linter.find_faults(path, parse_options(linter.options, given), form.value)
        if not quiet or output is not None or form is TextForm.json:
            write_text(report, output)
        if exit_code:
            raise typer.Exit(exit_code)

    argument = typer.Argument(metavar=linter.data.metavar, help=linter.data.help)
    parameters = [
        make_parameter(linter.data.name, Annotated[str, argument], positional=True),
        *make_options(linter.options),
        make_parameter("form", TextFormOption, TextForm.text),
        make_parameter("output", OutputOption, None),
        make_parameter("quiet", QuietOption, default=False),
    ]
    return set_signature(command, parameters, f"{linter.summary}\n\n{linter.description}")
