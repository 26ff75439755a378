"""What `isogloss runs` has and what docs/store.md names are held together."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from saved_runs import ner_run

from isogloss.cli import run as command
from isogloss.store import DEFAULT, VARIABLE, Store
from isogloss.tasks.registry import TASKS, get_task

PAGE = "store.md"
COMMANDS = ("list", "show", "tag", "delete", "export", "import")


def of_table(page: str, after: str, column: int) -> list[set[str]]:
    """What is quoted in a column of the first table after these words, by row."""
    rows = re.search(r"(?:\|.*\n)+", page[page.index(after) :])
    assert rows
    return [set(re.findall(r"`([^`]+)`", line.split(" | ")[column])) for line in rows[0].splitlines()[2:]]


def test_the_commands_are_those_that_are_documented(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["runs", "--help"]) == 0
    shown = re.findall(r"^  ([a-z]+)  ", capsys.readouterr().out, re.MULTILINE)
    documented = [name.split()[2] for row in of_table(page, "## Commands", 0) for name in row]
    assert sorted(shown) == sorted(documented) == sorted(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_options_are_those_that_are_documented(page: str, capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert command(["runs", name, "--help"]) == 0
    options = re.findall(r"^  (-.*?)(?:  |$)", capsys.readouterr().out.partition("\nExamples:")[0], re.MULTILINE)
    shown = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", "\n".join(options)))
    rows = zip(of_table(page, "| option |", 0), of_table(page, "| option |", 1), strict=True)
    documented = {option.split()[0] for options, of in rows if name in of or not of for option in options}
    assert {o for o in shown if len(o) == 2 or o.startswith("--")} - {"-h", "--help"} == documented


def test_the_keys_of_a_list_are_those_that_are_documented(page: str, tmp_path: Path) -> None:
    with Store.open(tmp_path / "runs.db") as store:
        store.save(ner_run())
        summary = store.list()[0].to_dict()
    assert set().union(*of_table(page, "## JSON of a list", 0)) == summary.keys()
    assert set(re.findall(r'"(\w+)": \.\.\.', page)) == summary["score"].keys()


def test_the_main_scores_are_those_that_are_documented(page: str) -> None:
    documented = re.findall(r"`([\w.]+)` \(", page[page.index("The main score is") :].split("\n\n", maxsplit=1)[0])
    assert documented == [get_task(name).scores.main[0] for name in TASKS.builtin]


def test_the_place_is_the_one_that_is_documented(page: str) -> None:
    assert f"`{VARIABLE}`" in page
    assert f"`{DEFAULT.as_posix()}`" in page
