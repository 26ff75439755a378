"""What classification prints, what docs/classification.md names and what the contract promises are held together."""

from __future__ import annotations

import re

import pytest
from documented_runs import documented_run
from pages import ROOT, first_column, quoted, rows

import isogloss
from isogloss.runs.run import Run
from isogloss.tasks.classification.ranking import curves_to_dict

PAGE = "classification.md"


SCORES = [{"a": 0.9, "b": 0.1}, {"a": 0.2, "b": 0.8}, {"a": 0.6, "b": 0.4}, {"a": 0.7, "b": 0.1}]


def by_first(page: str, after: str) -> dict[str, set[str]]:
    """What is quoted in the first column of a table, and in the second."""
    table = {name: set(quoted(second)) for first, second in rows(page, after) for name in quoted(first)}
    return {name: {each for each in second if not each.startswith("--")} for name, second in table.items()}


@pytest.fixture(scope="module")
def full() -> Run:
    return documented_run("classification")


def test_overall_names_are_those_that_are_documented(full: Run, page: str) -> None:
    documented = by_first(page, "Overall, in `scores`")
    assert full.scores.keys() == documented.keys()
    for group, names in full.scores.items():
        assert names.keys() | {"f", "beta"} == documented[group] | {"f", "beta"}


def test_names_by_label_are_those_that_are_documented(full: Run, page: str) -> None:
    documented = by_first(page, "By label, in `by_label`")
    assert full.by_label["a"].keys() == documented.keys()
    for group, names in full.by_label["a"].items():
        assert names.keys() | {"f"} == documented[group] | {"f"}


@pytest.mark.parametrize("means", ["macro", "weighted"])
def test_names_of_means_are_those_that_are_documented(full: Run, page: str, means: str) -> None:
    sentence = page[page.index("`macro` and `weighted` have the group") :].split(". ", maxsplit=1)[0]
    assert getattr(full, means)["label"].keys() == set(quoted(sentence)) - {"macro", "weighted", "label"}


def test_codes_of_warnings_are_those_that_are_documented(page: str) -> None:
    sources = "".join(
        path.read_text(encoding="utf-8")
        for path in (ROOT / "src").rglob("*.py")
        if "classification" in str(path) or path.stem == "labelled"
    )
    codes = set(re.findall(r'^[A-Z_]+ = "((?:labels|scores|label|gold|ranking)-\w+)"', sources, re.MULTILINE))
    assert codes == set(first_column(page, "The codes of `warnings`"))


def test_keys_of_curves_are_those_that_are_documented(full: Run, page: str) -> None:
    document = curves_to_dict(full)
    example = page[page.index("## Curves") :].split("```")[1]
    keys = {*document, *document["curves"]["a"], *(k for c in document["curves"]["a"].values() for k in c)}
    assert keys | {"pos"} == set(re.findall(r'"(\w+)":', example))


def test_keys_of_spacy_are_those_that_are_documented(page: str) -> None:
    found = isogloss.classification(["a", "b"], SCORES[:2], profile="spacy").to_dict()
    assert {key for key in found if key.startswith("cats_")} == set(re.findall(r"`(cats_\w+)`", page))
