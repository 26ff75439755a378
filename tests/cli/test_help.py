"""Help: headings, examples that the commands accept, and lines that fit a terminal of 80 columns."""

from __future__ import annotations

import re
import shlex
from typing import Any

import pytest
from typer.main import get_command

from isogloss.cli import run
from isogloss.cli.app import app
from isogloss.cli.help import HEADINGS
from isogloss.tasks.registry import list_task_names

Streams = pytest.CaptureFixture[str]
PROGRAM: Any = get_command(app)


def list_commands() -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for name in PROGRAM.list_commands(None):
        command = PROGRAM.get_command(None, name)
        found += [(name,), *((name, each) for each in getattr(command, "commands", ()))]
    return found


COMMANDS = list_commands()


def read_help(capsys: Streams, *words: str) -> str:
    assert run([*words, "--help"]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("words", [(), *COMMANDS], ids=" ".join)
def test_help_fits_80_columns_and_ends_with_three_examples(words: tuple[str, ...], capsys: Streams) -> None:
    text = read_help(capsys, *words)
    assert max(map(len, text.splitlines())) <= 80
    examples = text.rpartition("\nExamples:\n")[2].splitlines()
    assert len(examples) == 3
    assert all(each.startswith(" ".join(("  isogloss", *words)).rstrip()) for each in examples)
    assert "..." not in re.sub(r"[\w\]}]\.\.\.|://\.\.\.", "", text)  # no sentence is cut


@pytest.mark.parametrize(
    "words",
    [words for words in COMMANDS if words[0] not in {"benchmark", "count", "tags", "lint", "runs"}],
    ids=" ".join,
)
def test_commands_accept_the_options_of_their_examples(words: tuple[str, ...], capsys: Streams) -> None:
    command = PROGRAM.get_command(None, *words)
    for line in read_help(capsys, *words).rpartition("\nExamples:\n")[2].splitlines():
        given = shlex.split(line.partition("|")[0])[2:]
        command.make_context(words[0], given)


@pytest.mark.parametrize("task", list_task_names())
def test_options_of_a_task_have_headings_in_order(task: str, capsys: Streams) -> None:
    headings = re.findall(r"^(\w+):$", read_help(capsys, task), re.MULTILINE)[:-1]
    assert headings == [each for each in HEADINGS if each in headings]
    assert {"Definition", "Evidence", "Output", "Store", "Gates"} <= {*headings}
    assert "Options" not in headings


def test_usage_shows_that_several_systems_may_be_given(capsys: Streams) -> None:
    assert "Usage: isogloss ner [OPTIONS] REFERENCE [PREDICTION...]\n" in read_help(capsys, "ner")
    assert "Usage: isogloss segmentation [OPTIONS] REFERENCE PREDICTION...\n" in read_help(capsys, "segmentation")


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (["ner", "g", "s", "-f", "jsn"], "Unknown --format 'jsn'; did you mean json?"),
        (["ner", "g", "s", "--test", "bootstrp"], "Unknown --test 'bootstrp'; did you mean bootstrap?"),
        (["ner", "g", "s", "--interval", "wilsn"], "Unknown --interval 'wilsn'; did you mean wilson?"),
        (["ner", "g", "s", "--scheme", "bioess"], "Unknown scheme 'bioess'; did you mean iobes?"),
        (["ner", "g", "s", "--scheme", "BOI"], "Unknown scheme 'BOI'; did you mean iob2?"),
        (["tags", "convert", "g", "--to", "blou"], "Unknown --to 'blou'; did you mean bilou?"),
        (["report", "x", "-f", "htm"], "Unknown --format 'htm'; did you mean html?"),
        (["--install-completion=bsh"], "Unknown shell 'bsh'; did you mean bash?"),
    ],
)
def test_an_unknown_choice_is_answered_with_the_closest_one(arguments: list[str], answer: str, capsys: Streams) -> None:
    assert run(arguments) == 2
    assert answer in capsys.readouterr().err
