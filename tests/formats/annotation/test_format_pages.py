"""The examples on the pages of formats, and on their overview, are run, and give what stands there."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from format_samples import usable
from pages import BLOCK, COMMAND, check_command, make_files, run

import isogloss
from isogloss.cli import run as command
from isogloss.formats.detection import RECOGNISER_FORMATS, detect_format, list_writable_formats, load_format
from isogloss.formats.registry import FORMATS
from isogloss.records.sources import Source

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
PAGES = {  # the name of each, and files of its format
    "argilla": ("records.json", "tokens.jsonl", "emoji.json"),
    "arrow": ("gold.parquet", "pred.feather", "both.parquet", "spans.parquet"),
    "brat": ("gold",),
    "conll": ("gold.conll", "pred.conll", "both.conll"),
    "conllu": ("gold.conllu", "pred.conllu", "both.conllu"),
    "doccano": ("admin.jsonl", "unknown.jsonl", "relations.jsonl", "emoji.jsonl"),
    "docbin": ("gold.spacy",),
    "gliner": ("gold.json",),
    "jsonl": ("gold.jsonl", "pred.jsonl", "whole.jsonl", "parts.jsonl"),
    "label-studio": ("export.json", "gold.json", "old.json"),
    "prodigy": ("gold.jsonl",),
    "pubtator": ("gold.txt",),
    "spacy": ("gold.jsonl", "pred.json", "train.jsonl"),
    "token-tags": ("gold.jsonl", "pred.json"),
}
OF_TOKENS = ("arrow", "conll", "conllu", "jsonl", "token-tags")
MODULES = {
    "argilla": "argilla.py",
    "doccano": "doccano.py",
    "label-studio": "label_studio.py",
    "prodigy": "prodigy.py",
    "spacy": "spacy_jsonl.py",
}
SHARED = ("two_sided_files.py", "offsets.py")
CODE = re.compile(r'^[A-Z_]+ = (?:RunWarning\()?"([a-z]+(?:-[a-z]+)+)"', re.MULTILINE)
pytestmark = pytest.mark.skipif(not DOCS.exists(), reason=f"{DOCS} is not there: the tests run without the sources")


def page(name: str) -> str:
    return (DOCS / name).with_suffix(".md").read_text(encoding="utf-8")


def check_examples(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Run the examples of a page in their order, in the current folder."""
    make_files(text)
    for path in Path("gold").rglob("*.txt"):  # "the texts of the prediction are the same"
        shutil.copy(path, Path("pred", path.relative_to("gold")))
    names = {"isogloss": isogloss}
    examples = sorted((each for kind in (BLOCK, COMMAND) for each in kind.finditer(text)), key=re.Match.start)
    assert examples
    for example in examples:
        if example.re is BLOCK:
            for shown in run(example[1], names):
                assert shown.agrees, shown
        elif example[1].startswith("isogloss "):
            fails = "isogloss: " in example[2] and " convert " not in example[1]  # which says there what it did
            assert check_command(example[1], example[2], capsys) == (3 if fails else 0)


@pytest.mark.parametrize("name", PAGES)
def test_the_examples_show_what_stands_there(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    usable(name)
    monkeypatch.chdir(tmp_path)
    check_examples(page(f"formats/{name}"), capsys)
    assert [detect_format(Source(path)) for path in PAGES[name]] == [name] * len(PAGES[name])
    lines = [line for line, _ in COMMAND.findall(page(f"formats/{name}")) if "sha256sum" in line]
    assert bool(lines) == (name == "brat")
    if lines and shutil.which("sha256sum"):  # the digest of a folder
        done = subprocess.run(["sh", "-c", lines[0]], capture_output=True, text=True, check=True)
        assert isogloss.ner("gold", "pred").inputs[0].sha256 == done.stdout.split()[0]


def test_the_examples_of_the_overview_show_what_stands_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    check_examples(page("formats"), capsys)


@pytest.mark.parametrize("name", PAGES)
def test_every_page_has_its_sections(name: str) -> None:
    found = re.findall(r"^## (.+)$", page(f"formats/{name}"), re.MULTILINE)
    assert "Output" in found
    if name in OF_TOKENS:
        assert found == ["Detected by", "Input", "Faults", "Output", "Differences from other tools"]


def rows() -> dict[str, list[str]]:
    """The table of formats: the cells of each row after its name."""
    table = [line for line in page("formats").splitlines() if line.startswith("| [`")]
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table]
    return {re.sub(r"\[`(.+)`\]\(.*", r"\1", first): rest for first, *rest in cells}


def test_the_overview_has_every_format_in_order_and_says_which_hold_both_sides() -> None:
    assert list(rows()) == [*FORMATS.list_names()]
    for name, cells in rows().items():
        assert (cells[3] == "yes") == load_format(name).has_both_sides, name


def test_the_overview_names_the_formats_that_are_not_written() -> None:
    text = page("formats").replace("\n", " ")
    sentence = text.partition("isogloss also writes these formats, except")[2].partition(". If")[0]
    named = set(re.findall(r"`([a-z-]+)`", sentence)) | {*RECOGNISER_FORMATS}
    assert {*FORMATS.list_names()} - {*list_writable_formats()} == named


def test_every_option_of_the_command_is_documented(capsys: pytest.CaptureFixture[str]) -> None:
    command(["convert", "--help"])
    options = set(re.findall(r"--[a-z-]+", capsys.readouterr().out)) - {"--help"}
    table = page("formats").partition("## Converting")[2].partition("In Python:")[0]
    assert options <= set(re.findall(r"--[a-z-]+", table))


def codes_in(file: str) -> set[str]:
    text = (ROOT / "src" / "isogloss" / "formats" / file).read_text(encoding="utf-8")
    return set(CODE.findall(text))


@pytest.mark.parametrize("name", MODULES)
def test_the_codes_of_warnings_are_those_of_the_program(name: str) -> None:
    own = codes_in(MODULES[name])
    kinds = r"\b((?:documents|spans|offsets|annotations|regions|several|other)-[a-z-]+)`"
    named = set(re.findall(kinds, page(f"formats/{name}")))
    assert own <= named <= own.union(*map(codes_in, SHARED))
