"""What `isogloss entity-translation` gives, what its page names and what the contract promises are held together."""

from __future__ import annotations

import re
from typing import Any

import pytest
from documented_runs import documented_run
from pages import ROOT, first_column, quoted, rows

from isogloss.tasks.entity_translation import lint
from isogloss.tasks.entity_translation.matching import FOLDS
from isogloss.tasks.entity_translation.options import PROFILES

PAGE = "entity-translation.md"


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return documented_run("entity-translation").to_dict()


def test_groups_and_names_are_those_that_are_documented(document: dict[str, Any], page: str) -> None:
    documented = {row[0].strip("`"): set(quoted(row[1])) for row in rows(page, "## Scores")}
    found = {group: set(names) for group, names in document["scores"].items()}
    assert found.keys() == documented.keys()
    assert all(names <= documented[group] for group, names in found.items())


def test_slices_have_the_groups_that_are_documented(document: dict[str, Any], page: str) -> None:
    [own] = document["slices"]["language"].values()
    assert set(own) == {"documents", "scores"}
    assert set(own["scores"]) <= set(quoted(page[page.index("`slices.language` has") :].split(";", 1)[0]))


def test_forms_profiles_and_faults_are_those_that_are_documented(page: str) -> None:
    assert set(first_column(page, "compares names in another form")) == set(FOLDS)
    assert set(PROFILES.list_names()) <= set(quoted(page))
    documented = {row[0].strip("`"): row[1] == "yes" for row in rows(page, "## Lint")}
    codes = re.findall(r"^    ([a-z-]+) +(?:yes|no) ", lint.__doc__ or "", re.MULTILINE)
    assert documented == {code: code in lint.SEVERE_FAULTS for code in codes}


def test_codes_of_warnings_are_those_that_are_documented(page: str) -> None:
    files = list((ROOT / "src" / "isogloss" / "tasks" / "entity_translation").glob("*.py"))
    assert files
    codes = {
        code for path in files for code in re.findall(r'(?:RunWarning|_note)\(\s*"([a-z-]+)"', path.read_text("utf-8"))
    }
    assert codes == set(first_column(page, "The codes of `warnings`"))
