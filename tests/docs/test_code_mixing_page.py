"""What `isogloss code-mixing` gives, and what its page says, are held together."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from documented_runs import documented_run
from pages import first_column, quoted, rows

import isogloss
from isogloss.cli import run as command
from isogloss.tasks.code_mixing.options import FORMATS, INDEPENDENT_TAGS

PAGE = "code-mixing.md"


def test_groups_names_and_formats_are_documented(page: str) -> None:
    scores = documented_run("code-mixing").to_dict()["scores"]
    documented = {name: set(quoted(row[1])) for row in rows(page, "| group | names") for name in quoted(row[0])}
    assert {group: set(names) for group, names in scores.items()} == documented
    assert set(first_column(page, "## Input")) == set(FORMATS)
    assert all(f"`{tag}`" in page for tag in INDEPENDENT_TAGS)


def test_example_is_what_it_prints(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = page.split("```text\n")[1].split("```", maxsplit=1)[0]
    (tmp_path / "tweets.conll").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    called, shown = re.findall(r"^```console\n\$ isogloss ([^\n]*)\n(.+?)^```", page, re.DOTALL | re.MULTILINE)[0]
    assert command(called.split()) == 0
    assert shown.rstrip() in capsys.readouterr().out
    assert command([*called.split(), "--by", "platform"]) == 0


def test_row_of_the_page_is_read(page: str) -> None:
    row = json.loads(page.split("```json\n")[1].split("\n```", maxsplit=1)[0])
    (finding,) = isogloss.code_mixing([row], findings=True).findings
    assert (finding.marks[0].start, finding.marks[0].end) == (7, 12)
