"""The examples on the pages of brat, PubTator, DocBin and GLiNER are run, and give what stands there."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from libraries import library
from pages import COMMAND, blocks, check_command, make_files, run

import isogloss
from isogloss.formats.detection import recognised, writable
from isogloss.records.sources import Source

DOCS = Path(__file__).parents[3] / "docs"
PAGES = {"brat": "gold", "pubtator": "gold.txt", "docbin": "gold.spacy", "gliner": "gold.json"}
Streams = pytest.CaptureFixture[str]
pytestmark = pytest.mark.skipif(not DOCS.exists(), reason=f"{DOCS} is not there: the tests run without the sources")


@pytest.fixture(params=PAGES)
def name(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A page, with its files in the current folder. Running its Python shows what it says."""
    chosen: str = request.param
    if chosen == "docbin":
        library("spacy")
    monkeypatch.chdir(tmp_path)
    text = page(chosen)
    make_files(text)
    for path in Path("gold").rglob("*.txt"):  # "the texts of the prediction are the same"
        shutil.copy(path, Path("pred", path.relative_to("gold")))
    names = {"isogloss": isogloss}
    for block in blocks(text):
        for shown in run(block, names):
            assert shown.agrees, shown
    return chosen


def page(name: str) -> str:
    return (DOCS / "formats" / f"{name}.md").read_text(encoding="utf-8")


def test_the_commands_print_what_stands_there(name: str, capsys: Streams) -> None:
    found = [(line, shown) for line, shown in COMMAND.findall(page(name)) if line.startswith("isogloss ")]
    assert found
    for line, shown in found:
        assert check_command(line, shown, capsys) == (3 if "isogloss: " in shown else 0)


def test_the_files_are_recognised(name: str) -> None:
    assert recognised(Source(PAGES[name])) == name


@pytest.mark.parametrize("name", PAGES, indirect=False)
def test_what_is_written_is_written(name: str) -> None:
    assert name in writable()
    assert "## Written" in page(name)


def test_the_digest_of_a_folder_is_that_of_the_command_shown(name: str) -> None:
    lines = [line for line, _ in COMMAND.findall(page(name)) if "sha256sum" in line]
    assert bool(lines) == (name == "brat")
    if lines and shutil.which("sha256sum"):
        done = subprocess.run(["sh", "-c", lines[0]], capture_output=True, text=True, check=True)
        inputs = isogloss.ner("gold", "pred").inputs
        assert inputs[0].sha256 == done.stdout.split()[0]
