"""What `isogloss code-switching` gives, what its page says and what the contract promises are held together."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from documented_runs import documented_run
from pages import first_column, make_files, quoted, rows

import isogloss
from isogloss.cli import run as command
from isogloss.tasks.code_switching.options import FORMATS, PROFILES
from isogloss.tasks.code_switching.reasons import REASONS
from isogloss.tasks.code_switching.verdicts import FOREIGN_KINDS, MIXTURES, OTHER_LANGUAGE, WRONG_LINE
from isogloss.text.alphabets import LEVELS, list_languages

PAGE = "code-switching.md"


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return documented_run("code-switching").to_dict()


def test_groups_and_names_are_those_that_are_documented(document: dict[str, Any], page: str) -> None:
    documented = {name: set(quoted(row[1])) for row in rows(page, "## Scores") for name in quoted(row[0])}
    documented["scripts"] = {"Cyrl", "Latn", "Hani"}  # "a name for each script that occurs"
    assert {group: set(names) for group, names in document["scores"].items()} == documented


def test_kinds_reasons_and_mixtures_are_documented(document: dict[str, Any], page: str) -> None:
    assert set(first_column(page, "## Kinds")) == set(document["findings"]["counts"])
    assert set(FOREIGN_KINDS) | {WRONG_LINE, OTHER_LANGUAGE} == set(first_column(page, "## Kinds"))
    assert first_column(page, "## Reasons") == list(REASONS)
    assert set(first_column(page, "## Words that mix scripts")) == set(MIXTURES)


def test_codes_of_warnings_are_those_that_are_documented(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["Один. Два."]
    found = isogloss.code_switching(texts, language="uk", splitter=lambda texts: [[(0, 3)] for _ in texts]).warnings
    monkeypatch.setattr("isogloss.providers.rule_based.find_spec", lambda _: None)
    found += isogloss.code_switching(texts, language="uk").warnings
    found += isogloss.code_switching(["Ja."], language="de").warnings
    rows = [{"text": "今天 weather", "language": "zh"}, {"text": "날씨 weather", "language": "ko"}]
    found += isogloss.code_switching(rows, language_field="language").warnings
    rows = [{"completion": "Ja.", "language": "de", "source": "aya"}]
    found += isogloss.code_switching(rows, profile="language-confusion", identifier=lambda _: []).warnings
    assert {notice.code for notice in found} == set(first_column(page, "The codes of `warnings`"))


def test_formats_levels_and_profiles_are_documented(page: str) -> None:
    assert first_column(page, "## Input") == ["lines", "whole", "--whole", "jsonl", "csv", "parquet"]
    assert set(FORMATS) == {"lines", "whole", "jsonl", "csv", "parquet"}
    assert first_column(page, "## Alphabets") == list(LEVELS)
    assert PROFILES.list_names() == ("language-confusion", "pnacos")
    assert all(f"## The profile `{name}`" in page for name in PROFILES.list_names())
    assert f"one of {len(list_languages())} locales" in page


def test_the_example_is_what_it_prints(
    page: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("sentencex", reason="the example splits sentences with sentencex")
    monkeypatch.chdir(tmp_path)
    make_files(page)
    called = page.split("<!-- example -->\n```console\n$ isogloss ")[1].split("\n", maxsplit=1)[0]
    assert command(called.split()) == 0
    printed = capsys.readouterr().out
    shown = re.findall(r"^```console\n(?:\$ [^\n]*\n)?(.+?)^```", page, re.DOTALL | re.MULTILINE)
    assert [block for block in shown if block.rstrip() not in printed] == []
    assert len(shown) == 2


def test_the_row_of_the_page_is_read(page: str) -> None:
    row = json.loads(page.split("```json\n")[1].split("\n```", maxsplit=1)[0])
    run = isogloss.code_switching([row], language="uk")
    assert (run.scores["words"].strict_count, run.scores["words"].excused_count, run.scores["words"].total) == (1, 0, 3)
