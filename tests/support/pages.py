"""What stands on pages: tables, files, commands with what they print, and blocks of Python with values after `# `."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from isogloss.cli import run as run_command

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
CONTRACT = ROOT.parent / "shared" / "CONTRACT.md"
FILE = re.compile(r"^`([^`\n]+)`(?: \([^\n]*\))?:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^```console\n\$ ([^\n]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def read_page(name: str) -> str:
    """The text of a page of the documentation."""
    return (DOCS / name).read_text(encoding="utf-8")


def rows(page: str, after: str) -> list[list[str]]:
    """The cells of the first table after these words, without its head. A pipe without a space before is no border."""
    lines = page[page.index(after) :].splitlines()
    begin = next(at for at, line in enumerate(lines) if line.startswith("|"))
    found = []
    for line in lines[begin + 2 :]:
        if not line.startswith("|"):
            break
        found.append([cell.strip() for cell in re.split(r"\s\|(?=\s|$)", line.removeprefix("|").rstrip())[:-1]])
    return found


def quoted(text: str) -> list[str]:
    """What stands in backquotes."""
    return re.findall(r"`([^`\n]+)`", text)


def first_column(page: str, after: str) -> list[str]:
    """What is quoted in the first column of the first table after these words."""
    return [name for row in rows(page, after) for name in quoted(row[0])]


def make_files(page: str) -> None:
    """Write the files that a page shows, each below its name, into the current folder."""
    for path, content in FILE.findall(page):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(content, encoding="utf-8")


def check_command(line: str, shown: str, capsys: pytest.CaptureFixture[str]) -> int:
    """The exit code of a command that prints each line that is shown.

    Raises:
        AssertionError: it does not.
    """
    capsys.readouterr()
    code = run_command(shlex.split(line)[1:])
    streams = capsys.readouterr()
    printed = [row.rstrip() for row in (streams.out + streams.err).splitlines()]
    assert [row for row in shown.splitlines() if row.rstrip() not in printed] == [], line
    return code


class Shown(NamedTuple):
    """What an expression gives, and what the page says."""

    code: str
    value: Any
    stated: str

    @property
    def agrees(self) -> bool:
        """Whether they are the same: as values, where what is stated is one, else as they are shown."""
        try:
            return bool(self.value == ast.literal_eval(self.stated))
        except (SyntaxError, ValueError):
            return repr(self.value) == self.stated


def blocks(page: str) -> list[str]:
    """The blocks of Python of a page."""
    return BLOCK.findall(page)


def run(block: str, names: dict[str, Any]) -> Iterator[Shown]:
    """Runs a block among these names; gives what its expressions show.

    Raises:
        AssertionError: an expression shows nothing.
    """
    lines = block.splitlines()
    for statement in ast.parse(block).body:
        code = ast.get_source_segment(block, statement) or ""
        below = lines[statement.end_lineno] if statement.end_lineno and statement.end_lineno < len(lines) else ""
        if not isinstance(statement, ast.Expr):
            exec(code, names)
        elif below.startswith("# "):
            yield Shown(code, eval(code, names), below.removeprefix("# "))
        else:
            assert isinstance(statement.value, ast.Call), f"nothing stands below {code}"
            exec(code, names)
