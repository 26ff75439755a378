"""The examples on the pages of annotation tools are run, and give what stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pages import COMMAND, blocks, check_command, make_files, run

import isogloss
from isogloss.formats.detection import both_in_one, recognised, writable
from isogloss.records.sources import Source

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs" / "formats"
PAGES = {
    "argilla": ("records.json", "tokens.jsonl", "emoji.json"),
    "doccano": ("admin.jsonl", "unknown.jsonl", "relations.jsonl", "emoji.jsonl"),
    "label-studio": ("export.json", "gold.json", "old.json"),
    "prodigy": ("gold.jsonl",),
    "spacy": ("gold.jsonl", "pred.json", "train.jsonl"),
}
MODULES = {"label-studio": "label_studio", "spacy": "spacy_jsonl.py", "prodigy": "prodigy.py", "doccano": "doccano.py"}
SHARED = ("two_sides.py", "code_units.py")
CODE = re.compile(r'^[A-Z_]+ = (?:Notice\()?"([a-z]+(?:-[a-z]+)+)"', re.MULTILINE)
pytestmark = pytest.mark.skipif(not DOCS.exists(), reason=f"{DOCS} is not there: the tests run without the sources")


@pytest.fixture(params=PAGES)
def name(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A page, with its files in the current folder."""
    monkeypatch.chdir(tmp_path)
    chosen: str = request.param
    make_files(page(chosen))
    return chosen


def page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


def test_python_gives_what_stands_below_it(name: str) -> None:
    names = {"isogloss": isogloss}
    shown = [each for block in blocks(page(name)) for each in run(block, names)]
    assert shown
    assert [each for each in shown if not each.agrees] == []


def test_commands_print_what_stands_below_them(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = COMMAND.findall(page(name))
    assert found
    for line, shown in found:
        assert check_command(line, shown, capsys) == (3 if "isogloss: " in shown else 0)


def test_files_are_recognised(name: str) -> None:
    assert [recognised(Source(path)) for path in PAGES[name]] == [name] * len(PAGES[name])


def test_what_is_written_and_what_holds_both_sides_is_said(name: str) -> None:
    assert name in writable()
    assert "## Written" in page(name)
    assert both_in_one(name) == (name in {"argilla", "label-studio"})


def test_the_codes_of_notices_are_those_of_the_program(name: str) -> None:
    formats = ROOT / "src" / "isogloss" / "formats"
    own = formats / MODULES.get(name, name)
    files = [
        *(own.rglob("*.py") if own.is_dir() else [own]),
        *(formats / each for each in SHARED),
        formats / "offsets.py",
    ]
    codes = {code for each in files for code in CODE.findall(each.read_text(encoding="utf-8"))} - {name}
    named = set(re.findall(r"\b((?:documents|spans|offsets|annotations|regions|several|other)-[a-z-]+)`", page(name)))
    assert named <= codes
    of_module = {code for each in files[:-3] for code in CODE.findall(each.read_text(encoding="utf-8"))} - {name}
    assert of_module <= named
