from __future__ import annotations

import math

import numpy as np
from labelled import documents

from isogloss.kernel.findings import Finding
from isogloss.tasks.classification.findings import find_label_errors

EXCLUSIVE = documents(["a", "b", "c", []], [[0.9, 0.1, 0], [0.7, 0.2, 0.1], [-math.inf] * 3, [0.6, 0.3, 0.1]])
TAKEN = np.array([[1, 0, 0], [1, 0, 0], [0, 0, 0], [1, 0, 0]], np.bool_)


def marks(finding: Finding) -> dict[str, str | None]:
    return {mark.side: mark.label for mark in finding.marks}


def test_exclusive_labels_are_confused_missed_or_made_up() -> None:
    found = find_label_errors(EXCLUSIVE, TAKEN, 9, exclusive=True)
    assert [(finding.kind, marks(finding)) for finding in found] == [
        ("wrong_label", {"reference": "b", "predicted": "a"}),
        ("missed", {"reference": "c"}),
        ("spurious", {"predicted": "a"}),
    ]


def test_each_wrong_label_is_a_finding_in_order_of_names() -> None:
    batch = documents([["c", "a"], ["b"]], [[0.1, 0.8, 0.9], [0.1, 0.9, 0.0]])
    found = find_label_errors(batch, np.array([[False, True, True], [False, True, False]]), 9, exclusive=False)
    assert [(finding.document, finding.kind, marks(finding)) for finding in found] == [
        ("1", "missed", {"reference": "a"}),
        ("1", "spurious", {"predicted": "b"}),
    ]


def test_unannotated_labels_are_not_errors() -> None:
    batch = documents([{"a": -1, "b": 0}], [[0.9, 0.1]])
    assert not list(find_label_errors(batch, np.array([[True, False]]), 9, exclusive=False))


def test_at_most_so_many_are_found() -> None:
    assert len(list(find_label_errors(EXCLUSIVE, TAKEN, 2, exclusive=True))) == 2


def test_label_errors_include_the_scores() -> None:
    rows = [finding.to_dict() for finding in find_label_errors(EXCLUSIVE, TAKEN, 2, exclusive=True)]
    assert [row["scores"] for row in rows] == [{"b": 0.2, "a": 0.7}, {"c": None}]


def test_the_whole_text_of_a_document_is_shown() -> None:
    batch = documents(["a"], [[0.1, 0.9]], texts=["a fine day"])
    (found,) = find_label_errors(batch, np.array([[False, True]]), 1, exclusive=True)
    assert (found.text, found.before, found.after) == ("a fine day", False, False)
    assert [(mark.text_start, mark.text_end) for mark in found.marks] == [(0, 10), (0, 10)]
    assert (found.document, found.where) == ("1", "predicted:1")
