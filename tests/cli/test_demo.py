from __future__ import annotations

import io
import re
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from isogloss.cli import run

TASKS = ["classification", "code-switching", "entity-translation", "ner", "segmentation"]


@pytest.fixture(scope="module")
def shown() -> str:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        assert run(["demo"]) == 0
    assert err.getvalue() == ""
    return out.getvalue()


def bundled(shown: str) -> Path:
    """The folder that the demo names at its end."""
    return Path(shown.rstrip().rsplit("\n", 1)[1].strip())


def test_it_shows_every_task(shown: str) -> None:
    assert sorted(set(re.findall(r"^\$ isogloss (\S+)", shown, re.MULTILINE))) == TASKS


def test_it_shows_the_commands_that_it_stands_for(shown: str) -> None:
    commands = [line for line in shown.splitlines() if line.startswith("$ isogloss ner ")]
    assert len(commands) == 2


def test_the_demo_shows_every_part_of_a_run(shown: str) -> None:
    wanted = (
        "strict",
        "partial",
        "By label",
        "wrong boundary",
        "Errors (the first 6 of ",
        "f1 95%",
        "do not fit",
        "ner|format:conll|scheme:",
    )
    assert [words for words in wanted if words not in shown] == []


def test_it_compares_two_systems(shown: str) -> None:
    assert "2 systems, 60 documents" in shown


def test_it_ends_with_what_to_try_next_on_files_that_exist(shown: str) -> None:
    end = shown[shown.index("\nNext:\n") :]
    assert "isogloss --help" in end
    assert sorted(path.name for path in bundled(shown).iterdir()) == TASKS


def test_what_it_says_its_commands_print_is_what_they_print(
    shown: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(bundled(shown))
    for command in re.findall(r"^\$ isogloss (.*)$", shown, re.MULTILINE):
        assert run(command.split()) == 0
        assert capsys.readouterr().out in shown
