"""The program, its commands, and what becomes of an error."""

from __future__ import annotations

import os
import platform
import sys
import traceback
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any

import typer

from isogloss.cli import INTERRUPTED, compare, convert, demo, lint, report, runs, serve, tags
from isogloss.cli.task_command import make_command
from isogloss.errors import IsoglossError
from isogloss.tasks.registry import get_task, task_names
from isogloss.version import __version__

BUG = 70
# Typer once built on click and now carries it inside; either way this is what a wrong call raises.
WrongCall: type[Any] = next(base for base in typer.BadParameter.__mro__ if base.__name__ == "ClickException")

app = typer.Typer(
    name="isogloss",
    help="Score where words, names and languages begin and end in text of any script.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # the plain help needs no rich, which is half of the time to show it
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _name in task_names():
    app.command(_name)(make_command(get_task(_name)))
app.command("compare")(compare.command)
app.command("convert")(convert.command)
app.add_typer(tags.app, name="tags")
app.add_typer(lint.app, name="lint")
app.add_typer(runs.app, name="runs")
app.command("report")(report.command)
app.command("serve")(serve.command)


def _version(wanted: bool) -> None:  # noqa: FBT001  the signature of an option's callback
    if wanted:
        typer.echo(f"isogloss {__version__}")
        raise typer.Exit


Version = Annotated[
    bool,
    typer.Option("--version", callback=_version, is_eager=True, help="Show the version and leave."),
]


@app.callback()
def _main(*, version: Version = False) -> None:
    pass


@app.command("demo")
def _demo() -> None:
    """Score bundled examples of every task, and show what to try."""
    demo.command(run)


def run(arguments: Sequence[str]) -> int:
    """Run a command; the exit code says what became of it.

    Args:
        arguments: the words after the program's name.
    """
    if sys.stderr is None:  # closed by the caller, who does not want to hear
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  until the end
    try:
        code = app(_with_values(arguments), standalone_mode=False, prog_name="isogloss")
    except WrongCall as error:
        error.show()
        return int(error.exit_code)
    except IsoglossError as error:
        _say(f"isogloss: {error}")
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except Exception:  # noqa: BLE001  the last line of defence says how to report
        return _bug(arguments)
    if code == INTERRUPTED:  # typer has made this of an interrupt, or we have
        _say("isogloss: interrupted")
    return code if isinstance(code, int) else 0


def _with_values(arguments: Sequence[str]) -> list[str]:
    """The words with an empty name after each `--save` that has none: an option of typer always has a value.

    What names a file is no name of a run: `--save gold system` scores these two. With `=` it always is one.
    """
    words = []
    for word, after in zip_longest(arguments, arguments[1:], fillvalue="-"):
        nameless = word == "--save" and (after.startswith("-") or os.path.lexists(after))
        words.append("--save=" if nameless else word)
    return words


def _bug(arguments: Sequence[str]) -> int:
    _say(traceback.format_exc().rstrip())
    _say(
        "isogloss: this is a bug of ours. Please report it with the lines above and:\n"
        f"  isogloss {__version__}, Python {platform.python_version()}, {platform.platform()}\n"
        f"  arguments: {' '.join(arguments)}",
    )
    return BUG


def _say(text: str) -> None:
    print(text, file=sys.stderr)  # noqa: T201  what a person reads beside the results
