from __future__ import annotations

import pickle

import pytest

import isogloss
from isogloss.runs.findings import Findings

GOLD = [["B-PER", "O", "B-LOC"], ["O", "B-LOC", "O"]]
PREDICTED = [["O", "O", "B-ORG"], ["O", "O", "B-PER"]]
FINDINGS = isogloss.ner(GOLD, PREDICTED, findings=True).findings


def list_places(findings: Findings) -> list[tuple[str, str]]:
    return [(finding.kind, finding.document) for finding in findings]


ALL = [("missed", "1"), ("wrong_type", "1"), ("missed", "2"), ("spurious", "2")]


def test_conditions_select_findings() -> None:
    assert list_places(FINDINGS) == ALL
    assert list_places(FINDINGS.select()) == ALL
    assert list_places(FINDINGS.select(kind="missed")) == [ALL[0], ALL[2]]
    assert list_places(FINDINGS.select(kind=["missed", "spurious"], document="2")) == ALL[2:]
    assert list_places(FINDINGS.select(label="ORG")) == [ALL[1]]
    assert list_places(FINDINGS.select(label="LOC", kind="missed")) == [ALL[2]]
    assert list_places(FINDINGS.select(document="3")) == []


def test_number_of_a_document_may_be_an_integer() -> None:
    assert list_places(FINDINGS.select(document=2)) == ALL[2:]


def test_part_of_the_list_is_such_a_list() -> None:
    part = FINDINGS[1:3]
    assert isinstance(part, Findings)
    assert (list_places(part), part.task) == (ALL[1:3], "ner")
    assert FINDINGS[0].kind == "missed"
    assert tuple(FINDINGS) == FINDINGS


@pytest.mark.parametrize("protocol", [2, pickle.HIGHEST_PROTOCOL])
def test_list_is_the_same_after_pickling(protocol: int) -> None:
    found = pickle.loads(pickle.dumps(FINDINGS, protocol))
    assert (found, found.task) == (FINDINGS, "ner")
