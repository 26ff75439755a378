"""Completion of words in bash, zsh and fish.

It suggests names of runs, formats, profiles, labels and other choices.

The shell calls `isogloss` with `_ISOGLOSS_COMPLETE` in the environment. Only then, and to install completion, this
module imports what reads stores and files. It never fails: a word that cannot be completed has no suggestions.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Any

import typer

from isogloss.cli import COMPLETION_VARIABLE, SHELLS
from isogloss.errors import IsoglossError, UsageError

# Shells evaluate suggestions: a name with another character could run a command, or be cut in two.
SAFE_NAME = r"[\w.+@%/-]+"
MAX_RUNS = 200
Complete = Callable[[Any, list[str], str], list[str]]


def is_completing() -> bool:
    """Return whether a shell called the program to complete a word."""
    return COMPLETION_VARIABLE in os.environ


def prepare() -> None:
    """Register the shells that can be completed."""
    completions = import_completions()
    completions.completion_init()


def import_completions() -> Any:
    """Import what typer completes words with; it imports more than start-up needs."""
    return import_module("typer.completion")


def install(shell: str) -> None:
    """Install completion for a shell, and exit.

    Args:
        shell: `bash`, `zsh` or `fish`; empty for the shell that runs the program.

    Raises:
        UsageError: if there is no such shell.
        Exit: when it is installed.
    """
    completions = import_completions()
    name, path = completions.install(shell=_choose_shell(shell), prog_name="isogloss", complete_var=COMPLETION_VARIABLE)
    if name == "zsh":
        path.write_text(_complete_at_once(path.read_text(encoding="utf-8")), encoding="utf-8")
    typer.echo(f"isogloss: completion is installed in {path}. Open a new terminal to use it.")
    raise typer.Exit


def print_script(shell: str) -> None:
    """Print the script that completes words in a shell, and exit.

    Args:
        shell: `bash`, `zsh` or `fish`; empty for the shell that runs the program.

    Raises:
        UsageError: if there is no such shell.
        Exit: when it is printed.
    """
    completions = import_completions()
    name = _choose_shell(shell)
    script = completions.get_completion_script(prog_name="isogloss", complete_var=COMPLETION_VARIABLE, shell=name)
    typer.echo(_complete_at_once(script) if name == "zsh" else script)
    raise typer.Exit


def _complete_at_once(script: str) -> str:
    """Change a zsh script so that it also completes the first word.

    For the first word, zsh loads the script from its file.
    """
    function = script.split()[-2]  # the last line is: compdef FUNCTION isogloss
    return f'{script.rstrip()}\nif [[ $zsh_eval_context[-1] == loadautofunc ]]; then {function} "$@"; fi\n'


def _choose_shell(shell: str) -> str:
    from isogloss.kernel.argument_checks import resolve_choice

    if shell:
        return str(resolve_choice("shell", shell, SHELLS))
    detector = import_module("shellingham")  # typer installs it
    try:
        detected = str(detector.detect_shell()[0])
    except detector.ShellDetectionFailure:
        detected = ""
    if detected not in SHELLS:
        raise UsageError(
            f"isogloss completes words in {', '.join(SHELLS)}; this shell is {detected or 'unknown'}. "
            "Name the shell: isogloss --install-completion=bash."
        )
    return detected


def complete_choices(list_choices: Callable[[], Iterable[str]]) -> Complete | None:
    """Make the function that completes one of several choices.

    It is None if no word is completed, for a quick start.

    Args:
        list_choices: returns the choices.
    """
    if not is_completing():
        return None

    def complete(ctx: Any, args: list[str], incomplete: str) -> list[str]:
        del ctx, args
        return [each for each in list_choices() if each.startswith(incomplete)]

    return complete


def _complete_run(ctx: Any, args: list[str], incomplete: str) -> list[str]:
    """Complete the name of a stored run, or its id without one."""
    del args
    try:
        from isogloss.store import Store

        with Store.open(ctx.params.get("store"), create=False) as opened:
            summaries = opened.list(limit=MAX_RUNS)
    except (IsoglossError, OSError):
        return []
    return select_names((each.name or each.short for each in summaries), incomplete)


complete_run = _complete_run if is_completing() else None


def complete_from_reference(list_values: Callable[[str], Sequence[str]]) -> Complete | None:
    """Make the function that completes a value in the reference.

    Such a value is, for example, a label. The function is None if no word is completed, for a quick start.

    Args:
        list_values: lists the values in a file.
    """
    if not is_completing():
        return None

    def complete(ctx: Any, args: list[str], incomplete: str) -> list[str]:
        del args
        reference = ctx.params.get("reference")
        try:
            values = list_values(reference) if reference and reference != "-" else ()
        except (IsoglossError, OSError):
            return []
        return select_names(values, incomplete)

    return complete


def select_names(names: Iterable[str], incomplete: str) -> list[str]:
    """Select the names that begin with a word, each once.

    Names that a shell changes are left out.

    Args:
        names: the names.
        incomplete: the beginning.
    """
    return [each for each in dict.fromkeys(names) if re.fullmatch(SAFE_NAME, each) and each.startswith(incomplete)]
