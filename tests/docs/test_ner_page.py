"""What the page on named entities names is what a run has."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest
from documented_runs import documented_run
from pages import ROOT, first_column, quoted, rows

from isogloss.demo import files
from isogloss.tasks.ner.scoring import ner

PAGE = "ner.md"
SCHEMAS = ("strict", "exact", "partial", "type")
OVERALL, BY_LABEL = "Groups `strict`, `exact`, `partial` and `type`", "By label, in the same four groups"
WARNINGS = {"scheme-detected", "tags-repaired", "tags-discarded", "tags-unchecked", "label-absent"}
WARNINGS |= {"label-alias", "label-rule-unused", "no-spans"}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return documented_run("ner").to_dict()


def documented_keys(page: str, name: str) -> set[str]:
    """The keys that the table of the JSON names for an entry."""
    return set(re.findall(r'"(\w+)"', next(row[1] for row in rows(page, "## JSON") if name in quoted(row[0]))))


def test_names_of_scores_are_documented(document: dict[str, Any], page: str) -> None:
    scores: Mapping[str, Any] = document["scores"]
    assert scores.keys() == {*SCHEMAS, "tokens"}
    assert scores["tokens"].keys() == set(first_column(page, "Group `tokens`"))
    for schema in SCHEMAS:
        assert scores[schema].keys() == set(first_column(page, OVERALL))


def test_names_by_label_are_documented(document: dict[str, Any], page: str) -> None:
    for label in document["by_label"].values():
        assert label.keys() == set(SCHEMAS)
        for group in label.values():
            assert group.keys() == set(first_column(page, BY_LABEL))


def test_names_by_label_of_the_contract_are_there(document: dict[str, Any], contract: str) -> None:
    promised = re.search(r"\| ner \|.*?the counts have two sides: (.*?); precision from", contract)
    assert promised
    names = {name.split(" ")[0] for name in promised[1].split(", ")}
    assert all(names <= label["strict"].keys() for label in document["by_label"].values())


def test_names_with_another_beta_are_documented(page: str) -> None:
    strict = ner(files().reference, files().systems[0], beta=2).scores["strict"]
    assert set(strict) == set(first_column(page, OVERALL)) - {"f1"} | {"f", "beta"}
    assert "`f` and `beta` instead of `f1`" in page


def test_keys_within_the_json_are_documented(document: dict[str, Any], page: str) -> None:
    for means in ("macro", "weighted"):
        assert document[means].keys() == set(SCHEMAS)
        assert all(group.keys() == documented_keys(page, means) for group in document[means].values())
    for paths in ("per_document", "intervals"):
        assert document[paths]
        assert all(entry.keys() - {"undefined"} == documented_keys(page, paths) for entry in document[paths].values())
    for entries in ("confusion", "warnings", "inputs"):
        assert set().union(*document[entries]) == documented_keys(page, entries)


def test_codes_of_warnings_are_documented(page: str) -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    of_formats = first_column(page, "The codes of single")
    assert "unlocated" in of_formats
    assert [code for code in (*WARNINGS, *of_formats) if f'"{code}"' not in sources] == []
    assert set(first_column(page, "The codes of `warnings`")) == WARNINGS
    chosen: list[dict[str, Any]] = [{}, {"repair": "discard"}, {"labels": ["PER", "PRE"]}]
    for options in chosen:
        run = ner(files().reference, files().systems[1], **options)
        assert {warning.code for warning in run.warnings} <= WARNINGS
