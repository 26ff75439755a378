"""`isogloss demo`: score bundled examples of every task, and show commands to try next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import chdir

import typer

from isogloss.cli.output import open_stdout

DEMO_COMMANDS = (
    "ner ner/reference.conll ner/system-b.conll --confidence 0.95 --errors 6",
    "ner ner/reference.conll ner/system-a.conll ner/system-b.conll --confidence 0.95 -q",
    "segmentation segmentation/reference.label segmentation/system-b.label --errors 3",
    "entity-translation entity-translation/references entity-translation/system-b --errors 2",
    "code-switching code-switching/answers.jsonl --language uk --names-from prompt --errors 5",
    "classification classification/scores.jsonl",
)
NEXT_STEPS = """\
Next:
  isogloss ner REFERENCE PREDICTION              score your own CoNLL or JSONL files
  isogloss ner REFERENCE A B --confidence 0.95   two systems, with bootstrap intervals
  isogloss ner REFERENCE PREDICTION --errors 20  twenty errors in their context
  isogloss ner REFERENCE PREDICTION -f json      everything, for programs
  isogloss --help                                all tasks

The bundled files, to try these on, are in:
  {folder}
"""


def make_command(run: Callable[[Sequence[str]], int]) -> Callable[[], None]:
    """Make the command that scores bundled examples of every task.

    Args:
        run: function that runs a command line and returns its exit code.
    """

    def command() -> None:
        from isogloss.demo import files

        with chdir(files().folder):
            for line in DEMO_COMMANDS:
                with open_stdout() as stream:
                    stream.write(f"\n$ isogloss {line}\n\n")
                if code := run(line.split()):
                    raise typer.Exit(code)
        with open_stdout() as stream:
            stream.write("\n" + NEXT_STEPS.format(folder=files().folder))

    return command
