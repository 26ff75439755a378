"""Every command and every line of Python of the tutorials and of the how-to pages runs, and prints what is shown.

A page is run from its beginning, in one empty folder. Of a ```console block, the lines between `$ command` and `…`
are in the output of the command, in order. A ```text block is in the output of the Python block before it.
A block after `file`: is a file.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import tomllib
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from pages import DOCS, ROOT, first_column, read_page
from pages import run as run_block

from isogloss.cli import run

STEP = re.compile(r"^(?:`([^`\n]+)`:\n\n)?^(`{3,4})(\w+)\n(.*?)^\2$", re.MULTILINE | re.DOTALL)
TUTORIALS = sorted(path.name for path in (DOCS / "tutorials").glob("*.md"))
HOW_TO = ("hugging-face.md", "test-set-size.md", "different-score.md", "shards.md")
PAGES = [f"tutorials/{name}" for name in TUTORIALS] + [*HOW_TO]
MARKS = (pytest.mark.parity, pytest.mark.extra)
NEEDS = {"tutorials/thai-tokenizer.md": "pythainlp", "tutorials/ner-got-worse.md": "sqlalchemy"}


class PageRun:
    """Runs the blocks of a page one after the other.

    Args:
        folder: the folder where the page begins.
    """

    def __init__(self, folder: Path) -> None:
        self.home = folder
        self.names: dict[str, Any] = {}
        self.printed = ""
        self.code = 0

    def run_step(self, path: str | None, language: str, content: str) -> None:
        """Run one block, or write it to a file."""
        if path is not None:
            Path(path).write_text(content, encoding="utf-8")
        elif language == "python":
            self.run_python(content)
        elif language == "text":
            self.check_shown(content)
        elif language in {"sh", "console"}:
            for command, shown in split_commands(content, language):
                self.run_command(command)
                self.check_shown(shown)

    def run_python(self, block: str) -> None:
        """Run Python, and check the values that comments below expressions state."""
        written = io.StringIO()
        with redirect_stdout(written):
            shown = list(run_block(block, self.names))
        self.printed = written.getvalue()
        assert [each for each in shown if not each.agrees] == []

    def run_command(self, line: str) -> None:
        """Run a line of a shell: commands of isogloss, `cd` and `echo $?`. `pip install` is left out."""
        self.printed = ""
        for part in line.split(" && "):
            words = shlex.split(part, comments=True)
            if words[0] == "cd":
                os.chdir(words[1])
            elif words[:2] == ["echo", "$?"]:
                self.printed = f"{self.code}\n"
            elif words[0] != "pip":
                assert words[0] == "isogloss", line
                self.printed += self.run_isogloss(words[1:])

    def run_isogloss(self, words: list[str]) -> str:
        """Return what a command prints to both streams."""
        written, messages = io.StringIO(), io.StringIO()
        with redirect_stdout(written), redirect_stderr(messages):
            self.code = run(words)
        assert self.code in (0, 1), messages.getvalue()
        return written.getvalue() + messages.getvalue()

    def check_shown(self, shown: str) -> None:
        """Check that the parts of what is shown are in the output, in order."""
        rest = "\n".join(line.rstrip() for line in self.printed.splitlines())
        for part in filter(str.strip, re.split(r"^…$\n?", shown, flags=re.MULTILINE)):
            _, found, rest = rest.partition(part.strip("\n"))
            assert found, f"{part}\nis not in\n{self.printed}"


def split_commands(content: str, language: str) -> Iterator[tuple[str, str]]:
    """Return the commands of a block, each with what is shown below it."""
    if language == "sh":
        yield from ((line, "") for line in content.splitlines() if line and not line.startswith("#"))
        return
    for part in re.split(r"^\$ ", content, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


@pytest.mark.parametrize("page", [pytest.param(page, marks=MARKS if page in NEEDS else ()) for page in PAGES])
def test_a_tutorial_runs_and_prints_what_it_shows(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if page in NEEDS:
        pytest.importorskip(NEEDS[page])
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ISOGLOSS_STORE", raising=False)
    monkeypatch.delenv("COLUMNS", raising=False)
    steps = STEP.findall(read_page(page))
    assert len(steps) >= 2
    runner = PageRun(tmp_path)
    for path, _, language, content in steps:
        runner.run_step(path or None, language, content)


def test_there_are_four_tutorials_and_the_home_page_names_them() -> None:
    home = read_page("index.md")
    assert len(TUTORIALS) == 4
    assert [name for name in TUTORIALS if f"(tutorials/{name})" not in home] == []


def test_the_extras_of_the_install_page_are_those_of_the_package() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        extras = tomllib.load(file)["project"]["optional-dependencies"]
    assert first_column(read_page("install.md"), "## What are the extras for?") == sorted(
        extras.keys() - {"dev", "docs", "pictures", "release"}
    )
