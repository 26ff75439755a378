"""What `isogloss segmentation` gives, what its page names and what the contract promises are held together."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from pages import first_column, quoted, rows

import isogloss
from isogloss.tasks.segmentation.metric import REGION_KINDS
from isogloss.tasks.segmentation.options import PROFILES
from isogloss.tasks.segmentation.reading import FORMAT_TITLES

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "segmentation.md"
CONTRACT = ROOT.parent / "shared" / "CONTRACT.md"
pytestmark = pytest.mark.skipif(not PAGE.exists(), reason=f"{PAGE} is not there: the tests run without the sources")


@pytest.fixture(scope="module")
def page() -> str:
    return PAGE.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    """A run with everything that can be asked for."""
    sides = [["ab", "c"], ["de"], ["f", "gh"], []], [["a", "b", "c"], ["de"], ["fg", "h"], []]
    run = isogloss.segmentation(*sides, vocabulary=["c"], confidence=0.9, resamples=100, findings=True)
    return run.to_dict()


def test_groups_and_names_are_those_that_are_documented(document: dict[str, Any], page: str) -> None:
    documented = {name: set(quoted(row[1])) for row in rows(page, "## Scores") for name in quoted(row[0])}
    assert {group: set(names) for group, names in document["scores"].items()} == documented


def test_groups_and_names_of_the_contract_are_there(document: dict[str, Any]) -> None:
    if not CONTRACT.exists():
        pytest.skip(f"{CONTRACT} is not there")
    promised = re.search(
        r"\| segmentation \| (.*?) \(Sums over.*?Kinds: (.*?) \|",
        CONTRACT.read_text(encoding="utf-8"),
    )
    assert promised
    for part in promised[1].rstrip(".").split(". "):
        groups, names = part.split(": ")
        for group in quoted(groups):
            assert {name.strip(" .") for name in names.split(",")} == set(document["scores"][group]), group
    assert set(promised[2].split(", ")) == set(REGION_KINDS) - {"correct"}


def test_kinds_are_those_that_are_documented(document: dict[str, Any], page: str) -> None:
    assert set(first_column(page, "## Kinds")) == set(document["findings"]["counts"])


def test_keys_are_those_that_are_documented(document: dict[str, Any], page: str) -> None:
    files = {"inputs"}  # lists have none
    warned = {"warnings"}
    assert set(document) == set(first_column(page, "## JSON")) - files - warned
    assert set().union(*document["findings"]["rows"]) == set(first_column(page, "A row of `findings.rows`"))


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
