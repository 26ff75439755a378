"""The examples on the overview of formats and on the pages of tokens and JSON lines give what stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from libraries import library
from pages import BLOCK, COMMAND, check_command, make_files, run

import isogloss
from isogloss.cli import run as command
from isogloss.formats.detection import FORMATS, both_in_one, recognised, writable
from isogloss.records.sources import Source

DOCS = Path(__file__).parents[3] / "docs"
PAGES = {  # the name of each, and files of its format
    "formats/arrow": ("gold.parquet", "pred.feather", "both.parquet", "spans.parquet"),
    "formats/conll": ("gold.conll", "pred.conll", "both.conll"),
    "formats/conllu": ("gold.conllu", "pred.conllu", "both.conllu"),
    "formats/jsonl": ("gold.jsonl", "pred.jsonl", "whole.jsonl", "parts.jsonl"),
    "formats/token-tags": ("gold.jsonl", "pred.json"),
    "formats": (),
}
Streams = pytest.CaptureFixture[str]
pytestmark = pytest.mark.skipif(not DOCS.exists(), reason=f"{DOCS} is not there: the tests run without the sources")


@pytest.fixture(params=PAGES)
def name(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A page, with its files in the current folder."""
    chosen: str = request.param
    if chosen == "formats/arrow":
        library("pyarrow")
    monkeypatch.chdir(tmp_path)
    make_files(page(chosen))
    return chosen


def page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


def test_the_examples_show_what_stands_there(name: str, capsys: Streams) -> None:
    text = page(name)
    names = {"isogloss": isogloss}
    examples = sorted((each for kind in (BLOCK, COMMAND) for each in kind.finditer(text)), key=re.Match.start)
    assert examples
    for example in examples:
        if example.re is COMMAND:
            assert check_command(example[1], example[2], capsys) == 0
        else:
            for shown in run(example[1], names):
                assert shown.agrees, shown


def test_the_files_are_recognised(name: str, capsys: Streams) -> None:
    test_the_examples_show_what_stands_there(name, capsys)  # some files are made by the examples
    for path in PAGES[name]:
        assert recognised(Source(path)) == name.partition("/")[2]


@pytest.mark.parametrize("name", [name for name in PAGES if "/" in name], indirect=False)
def test_every_page_has_its_sections(name: str) -> None:
    wanted = ["Recognised by", "What is read", "Faults", "Written", "Differences from other tools"]
    assert re.findall(r"^## (.+)$", page(name), re.MULTILINE) == wanted


def rows() -> dict[str, list[str]]:
    """The table of formats: the cells of each row after its name."""
    table = [line for line in page("formats").splitlines() if line.startswith("| [`")]
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table]
    return {re.sub(r"\[`(.+)`\]\(.*", r"\1", first): rest for first, *rest in cells}


def test_the_overview_has_every_format_in_order() -> None:
    assert list(rows()) == [*FORMATS.names()]


def test_the_overview_says_which_formats_hold_both_sides() -> None:
    for name, cells in rows().items():
        assert (cells[3] == "yes") == both_in_one(name), name


def test_every_format_is_written() -> None:
    assert "Each can be written, too." in page("formats")
    assert writable() == FORMATS.names()


def test_every_option_of_the_command_is_documented(capsys: Streams) -> None:
    command(["convert", "--help"])
    options = set(re.findall(r"--[a-z-]+", capsys.readouterr().out)) - {"--help"}
    table = page("formats").partition("## Converting")[2].partition("In Python:")[0]
    assert options <= set(re.findall(r"--[a-z-]+", table))
