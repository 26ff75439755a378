"""The page on lint says what the program does."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from isogloss.cli import run
from isogloss.tasks.ner.lint_documents import FAULT_KINDS

PAGE = Path(__file__).parents[3] / "docs" / "lint.md"
pytestmark = pytest.mark.skipif(not PAGE.exists(), reason=f"{PAGE} is not there: the tests run without the sources")


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The page, in a folder with its file."""
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    for name, content in re.findall(r"^`([\w.]+)`:\n\n```json\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        Path(name).write_text(content, encoding="utf-8")
    return text


def test_each_kind_has_a_row_in_its_order(page: str) -> None:
    rows = re.findall(r"^\| `([\w-]+)` \|", page[page.index("### Kinds") : page.index("### Options")], re.MULTILINE)
    assert rows == list(FAULT_KINDS)


def test_the_examples_print_what_the_page_says(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    shown = re.findall(r"^```console\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert len(shown) == 2
    for block in shown:
        line, _, expected = block.partition("\n")
        call, _, other = line.partition(" || ")
        code = run(shlex.split(call.removeprefix("$ isogloss ")))
        printed = capsys.readouterr().out + (f"exit code {code}\n" if other else "")
        assert printed == expected
        assert code == (1 if other else 0)
