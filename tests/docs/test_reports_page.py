"""What docs/reports.md promises and what the program does are held together."""

from __future__ import annotations

import re

import pytest
from pages import quoted, read_page, rows

from isogloss.cli import run
from isogloss.report.export import FIELDS
from isogloss.tasks.registry import TASKS, get_task

CATALOGUES = {name: get_task(name).scores for name in TASKS.builtin}
TEXT = read_page("reports.md")


def test_every_option_is_on_the_page_and_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    run(["report", "--help"])
    offered = set(re.findall(r"--[a-z]+", capsys.readouterr().out)) - {"--help"}
    assert {name for row in rows(TEXT, "# Reports") for name in re.findall(r"--[a-z]+", row[0])} == offered


def test_the_main_scores_of_the_page_are_those_of_the_program() -> None:
    told = {row[0].strip("`"): tuple(quoted(row[1] + row[2])) for row in rows(TEXT, "## Main scores")}
    assert told == {name: own.main for name, own in CATALOGUES.items()}
    for row in rows(TEXT, "## Main scores"):
        own = CATALOGUES[row[0].strip("`")]
        others = quoted(row[3])
        for name in own.main:
            assert own.is_higher_better(name.rpartition(".")[2]) == (row[3].startswith("higher") != (name in others))


def test_the_scores_of_which_less_is_better_are_on_the_page() -> None:
    sentence = re.search(r"Of the other scores, lower is better for(.*?)\.", TEXT, re.DOTALL)
    assert sentence is not None
    known = {score.path.rpartition(".")[2] for own in CATALOGUES.values() for score in own.scores}
    lower = {name for name in known if not all(own.is_higher_better(name) for own in CATALOGUES.values())}
    assert set(re.findall("`([^`]+)`", sentence[1])) == lower


def test_the_columns_of_the_csv_are_on_the_page() -> None:
    sentence = re.search(r"with the columns(.*?)\. Undefined", TEXT, re.DOTALL)
    assert sentence is not None
    assert tuple(re.findall("`([^`]+)`", sentence[1])) == FIELDS
