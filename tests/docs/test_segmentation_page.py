"""What `isogloss segmentation` gives, what its page names and what the contract promises are held together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from documented_runs import documented_run
from pages import first_column, quoted, rows

import isogloss
from isogloss.tasks.segmentation.options import PROFILES
from isogloss.tasks.segmentation.reading import FORMAT_TITLES

PAGE = "segmentation.md"


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return documented_run("segmentation").to_dict()


def test_groups_and_names_are_those_that_are_documented(document: dict[str, Any], page: str) -> None:
    documented = {name: set(quoted(row[1])) for row in rows(page, "## Scores") for name in quoted(row[0])}
    assert {group: set(names) for group, names in document["scores"].items()} == documented


def test_codes_of_warnings_are_those_that_are_documented(page: str, tmp_path: Path) -> None:
    for name, content in (("gold", "น้ำ|a\nb\nc\n"), ("pred", "น\u0e49\u0e4d\u0e32|a\nx\n\n")):
        (tmp_path / name).write_text(content, encoding="utf-8")
    sides = tmp_path / "gold", tmp_path / "pred"
    runs = [isogloss.segmentation(*sides, align="thai", on_mismatch="zero", profile=p) for p in (None, "pythainlp")]
    for number, path in enumerate(sides):
        path.write_text(f'{{"id": {number}, "tokens": ["a"]}}\n', encoding="utf-8")
    runs.append(isogloss.segmentation(*sides))
    assert {n.code for run in runs for n in run.warnings} == set(first_column(page, "The codes of `warnings`"))


def test_formats_and_profiles_are_those_that_are_documented(page: str) -> None:
    assert set(first_column(page, "## Formats")) == set(FORMAT_TITLES)
    assert set(first_column(page, "## Other tools")) == set(PROFILES.list_names())


@pytest.mark.parametrize("profile", PROFILES.list_names())
def test_names_of_profiles_are_documented(profile: str, page: str) -> None:
    scores = isogloss.segmentation([["a"]], [["a"]], profile=profile).scores
    words = set(quoted(page))
    assert {name for group in scores.values() for name in group} | set(scores) <= words
