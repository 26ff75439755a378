"""The program: its commands, and exit codes of errors."""

from __future__ import annotations

import io
import os
import platform
import re
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.main import get_command

from isogloss.cli import COMPLETION_VARIABLE, INTERRUPTED, SHELLS
from isogloss.cli.help import EXAMPLES, HelpCommand, HelpGroup, format_examples
from isogloss.errors import IsoglossError, MissingExtraError
from isogloss.kernel.argument_checks import check_choice
from isogloss.tasks.registry import get_task, has_task, list_task_names
from isogloss.version import __version__

BUG_EXIT_CODE = 70
TRACKERS = ("issues", "issue tracker", "bug tracker", "bug reports", "tracker")  # names of URLs in pyproject.toml
COMPLETION_FLAGS = ("--install-completion", "--show-completion")
# Typer depends on click or bundles it, depending on its version; both raise this exception for a wrong call.
ClickError: type[Any] = next(base for base in typer.BadParameter.__mro__ if base.__name__ == "ClickException")

PLAIN: dict[str, Any] = {
    "add_completion": False,
    "rich_markup_mode": None,  # importing rich takes half of the time of --help
    "context_settings": {"help_option_names": ["-h", "--help"]},
}
# Each command's module is imported when the command is used: start-up and `isogloss --help` stay quick.
OTHERS = {
    "count": "Count a part of a corpus, to merge it with others.",
    "merge": "Score the merged parts of a corpus.",
    "compare": "Compare stored runs: differences, intervals, p-values, wins and losses.",
    "convert": "Write named entities in another format.",
    "tags": "Validate, repair, convert and count the tags of CoNLL files.",
    "lint": "Find faults in data before you score with it.",
    "runs": "List, show, tag, delete, export and import stored runs.",
    "view": "Look at runs and their findings in a browser.",
    "report": "Write a report on runs: one HTML file, Markdown, LaTeX or CSV.",
    "benchmark": "Run many systems on many corpora: predictions, time, scores, ranks.",
    "serve": "Serve all tasks over HTTP, and /calculate/ for clients of PNaCoS.",
    "demo": "Show in five scenes what isogloss answers, or write the sample files.",
}


class Commands(HelpGroup):
    """Commands: one per registered task, and the others."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands, tasks first."""
        del ctx
        return [*list_task_names(), *OTHERS]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Build the command of a name.

        Args:
            ctx: context of the call.
            cmd_name: name of the command.

        Raises:
            UsageError: if there is no such command; the message suggests the closest one.
        """
        if has_task(cmd_name):
            from isogloss.cli.task_command import list_slow_help, make_command

            task = get_task(cmd_name)
            command = _build_command(cmd_name, make_command(task), task.list_examples())
            command.slow_help = list_slow_help(task.options)
            return command
        check_choice("command", cmd_name, self.list_commands(ctx))
        module = import_module(f"isogloss.cli.{cmd_name}")
        if hasattr(module, "make_app"):
            return _build_group(cmd_name, module.make_app())
        return (
            _build_group(cmd_name, module.app)
            if hasattr(module, "app")
            else _build_command(cmd_name, module.command, EXAMPLES[cmd_name])
        )

    def list_summaries(self, ctx: Any) -> list[tuple[str, str]]:
        """List the commands with a sentence on each, without importing them."""
        del ctx
        return [(name, get_task(name).summary) for name in list_task_names()] + [*OTHERS.items()]


def _build_command(name: str, function: Callable[..., Any], examples: Sequence[str]) -> Any:
    """Build a command from its function."""
    built = typer.Typer(**PLAIN)
    built.command(name, cls=HelpCommand, epilog=format_examples(examples))(function)
    return get_command(built)


def _build_group(name: str, app: typer.Typer) -> Any:
    """Build a command that has commands of its own."""
    epilog = format_examples(EXAMPLES[name])
    built = typer.Typer(**PLAIN, cls=HelpGroup, help=OTHERS[name], no_args_is_help=True, epilog=epilog)
    for each in app.registered_commands:
        each.cls = HelpCommand
        each.epilog = each.epilog or format_examples(EXAMPLES[f"{name} {each.name}"])
    built.registered_commands = app.registered_commands
    result = get_command(built)
    result.name = name
    return result


app = typer.Typer(
    name="isogloss",
    cls=Commands,
    help="Score where words, names and languages begin and end in text of any script.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    epilog=format_examples(EXAMPLES[""]),
    **PLAIN,
)


def _print_version(is_given: bool) -> None:  # noqa: FBT001  the signature of an option's callback
    if is_given:
        typer.echo(f"isogloss {__version__}")
        raise typer.Exit


Version = Annotated[
    bool,
    typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit."),
]


def _install_completion(shell: str | None) -> None:
    if shell is not None:
        from isogloss.cli import completion

        completion.install(shell)


def _show_completion(shell: str | None) -> None:
    if shell is not None:
        from isogloss.cli import completion

        completion.print_script(shell)


InstallCompletion = Annotated[
    str | None,
    typer.Option(
        "--install-completion",
        metavar="[=SHELL]",
        callback=_install_completion,
        is_eager=True,
        help="Complete words in this shell, or in bash, zsh or fish, and exit.",
    ),
]
ShowCompletion = Annotated[
    str | None,
    typer.Option(
        "--show-completion",
        metavar="[=SHELL]",
        callback=_show_completion,
        is_eager=True,
        help="Print the script that --install-completion installs, and exit.",
    ),
]


@app.callback()
def _main(
    *,
    version: Version = False,
    install_completion: InstallCompletion = None,
    show_completion: ShowCompletion = None,
) -> None:
    pass


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code.

    Args:
        arguments: the words after the program's name.
    """
    if sys.stderr is None:  # the caller closed it
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  stays open until the program exits
    try:
        if COMPLETION_VARIABLE in os.environ:
            return _complete_word()
        code = app(_add_optional_values(arguments), standalone_mode=False, prog_name="isogloss")
    except ClickError as error:
        shown = io.StringIO()
        error.show(shown)
        _print_error(_hide_passwords(shown.getvalue().rstrip("\n"), arguments))
        return int(error.exit_code)
    except IsoglossError as error:
        _print_error(_hide_passwords(f"isogloss: {error}", arguments))
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except Exception:  # noqa: BLE001  tell the user how to report the bug
        return _report_bug(arguments)
    if code == INTERRUPTED:  # by typer or by us
        _print_error("isogloss: interrupted")
    return code if isinstance(code, int) else 0


def _complete_word() -> int:
    """Print for a shell how a word can go on.

    An error stays silent, because the user is still writing.
    """
    from isogloss.cli import completion

    completion.prepare()
    with suppress(ClickError, IsoglossError):
        app([], standalone_mode=False, prog_name="isogloss")
    return 0


def _add_optional_values(arguments: Sequence[str]) -> list[str]:
    """Return the words, with empty values for options that lack optional values.

    Typer needs a value after each option, also where the user may leave it out.

    In `--save gold system` the words are files if they exist, not the name of the run; `--save=gold` is a name.
    """
    words = []
    for word, after in zip_longest(arguments, arguments[1:], fillvalue="-"):
        lacks_value = word == "--save" and (after.startswith("-") or os.path.lexists(after))
        lacks_value |= word in COMPLETION_FLAGS and after not in SHELLS
        words.append(f"{word}=" if lacks_value else word)
    return words


def _find_tracker() -> str:
    """Return the address for bug reports, empty if the package names none.

    It comes from the URLs of the installed package.
    """
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        urls = metadata("isogloss").get_all("Project-URL") or ()
    except PackageNotFoundError:
        return ""
    places = {name.strip().casefold(): url.strip() for name, _, url in (line.partition(",") for line in urls)}
    tracker = next((places[name] for name in TRACKERS if name in places), None)
    return "" if tracker is None else f" at {tracker}"


def _report_bug(arguments: Sequence[str]) -> int:
    lines = (
        f"{traceback.format_exc().rstrip()}\n"
        f"isogloss: this is a bug of isogloss. Please report it{_find_tracker()} with the lines above and:\n"
        f"  isogloss {__version__}, Python {platform.python_version()}, {platform.platform()}\n"
        f"  arguments: {' '.join(arguments)}"
    )
    _print_error(_hide_passwords(lines, arguments))
    return BUG_EXIT_CODE


def _hide_passwords(text: str, arguments: Sequence[str]) -> str:
    """Hide the passwords of store URLs in a text.

    The URLs are those of the arguments and the environment.

    Args:
        text: the text.
        arguments: the words after the program's name.
    """
    words = [word.partition("=")[2] if word.startswith("-") else word for word in arguments]
    suspects = [
        word
        for word in (*words, os.environ.get("ISOGLOSS_STORE", ""))
        if re.search(r"://|:.*@|passw|pwd", word, re.IGNORECASE | re.DOTALL)
    ]
    if not suspects:
        return text
    try:
        from isogloss.store.location import hide_passwords_in_text
    except (ImportError, MissingExtraError):  # the bug may be that it cannot be imported
        return "isogloss: an error. Its lines are not shown, because they may contain a password."
    return hide_passwords_in_text(text, suspects)


def _print_error(text: str) -> None:
    from isogloss.cli.output import print_message  # other commands start without it

    print_message(text)
