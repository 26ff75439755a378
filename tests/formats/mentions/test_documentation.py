"""The page on mentions says what the program does: its files, calls, outputs, keys and codes."""

from __future__ import annotations

import ast
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

import isogloss
from isogloss.cli import run as command
from isogloss.formats.mention_shapes import LABELS, TEXTS, WRAPPERS
from isogloss.formats.mentions import MESSAGES
from isogloss.formats.model_answers import parse_answer

PAGE = Path(__file__).parents[3] / "docs" / "formats" / "mentions.md"
pytestmark = pytest.mark.skipif(not PAGE.exists(), reason=f"{PAGE} is not there: the tests run without the sources")


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The page, in a folder with the files that it shows."""
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    for name, _, content in re.findall(r"^`([\w.]+)`:\n\n(`{3,})json\n(.*?)^\2$", text, re.DOTALL | re.MULTILINE):
        Path(name).write_text(content, encoding="utf-8")
    return text


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)


def test_each_command_prints_these_lines(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    shown = blocks(page, "console")
    assert len(shown) == 2
    for block in shown:
        first, *lines = block.splitlines()
        assert command(shlex.split(first.removeprefix("$ isogloss "))) == 0
        printed = capsys.readouterr().out.splitlines()
        assert [line for line in lines if line not in printed] == []


def test_the_python_example_is_true(page: str) -> None:
    [block] = blocks(page, "python")
    code, shown = block.rsplit("# ", 1)
    *statements, last = ast.parse(code).body
    names: dict[str, Any] = {"isogloss": isogloss}
    exec(compile(ast.Module(statements, []), "page", "exec"), names)
    assert isinstance(last, ast.Expr)
    assert eval(ast.unparse(last), names) == ast.literal_eval(shown)


def test_every_count_and_key_is_documented(page: str) -> None:
    words = set(re.findall(r"`([^`\n]+)`", page))
    assert {*MESSAGES, *TEXTS, *LABELS, *WRAPPERS} <= words


def test_every_shape_of_the_page_is_read(page: str) -> None:
    rows = [line for line in page.splitlines() if line.startswith("| ") and "Ada" in line and "in the text" not in line]
    shapes = [shape for row in rows for shape in re.findall(r"`([\[{].*?)`[,;| ]", row)]
    assert len(shapes) == 12
    for shape in shapes:
        assert parse_answer(ast.literal_eval(shape), "Ada ran", ["PER"]).mentions == [("Ada", "PER")], shape


def test_every_form_of_text_on_the_page_is_read(page: str) -> None:
    for form in ("tags in the text", "XML", "lines"):
        [row] = [line for line in page.splitlines() if line.startswith(f"| {form} |")]
        for example in re.findall(r"`([^`]*Ada[^`]*)`", row):
            names = parse_answer(example.replace("\\|", "|"), "Ada ran, Bob too", ["PER"]).mentions
            assert names[:1] == [("Ada", "PER")], example
