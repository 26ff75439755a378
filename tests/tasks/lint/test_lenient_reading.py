"""Lint reads files leniently: errors of scoring are faults among others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from label_studio_export import annotation, region, task

from isogloss.errors import FormatError
from isogloss.records.sources import Source
from isogloss.tasks.ner.lint import lint_ner_file
from isogloss.tasks.ner.lint_documents import LintReport

FIRE = "🚒 Ada"


def lint_rows(folder: Path, *rows: Any, name: str | None = None) -> LintReport:
    path = folder / "notes.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return lint_ner_file(Source(path), name)


def list_faults(report: LintReport, kind: str) -> list[tuple[str, str]]:
    """Line and message of the faults of a kind."""
    return [(fault.where.rpartition(":")[2], fault.message) for fault in report.faults if fault.kind == kind]


@pytest.mark.parametrize("folder", [True, False], ids=["folder", "file"])
def test_brat_faults_have_their_lines(tmp_path: Path, *, folder: bool) -> None:
    (tmp_path / "a.txt").write_text("Ada met Bob", encoding="utf-8")
    lines = [
        "T1\tPER 0 99\tAda",
        "T2\tPER 3 0\tAda",
        "T3\tPER 4 7\tBob",
        "T4\tPER 0 3;8 11\tAda Eve",
        "T5\tPER 8 11\tBob",
    ]
    (tmp_path / "a.ann").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    report = lint_ner_file(Source(tmp_path if folder else tmp_path / "a.ann"))
    assert list_faults(report, "outside-text") == [
        ("1", "[0, 99) 'PER' ends after its text, which has 11 code points"),
        ("2", "[3, 0) 'PER' has no extent"),
    ]
    assert list_faults(report, "other-text") == [
        ("3", "the span [4, 7) 'PER' covers 'met', but its own text is 'Bob'"),
        ("4", "the span [8, 11) 'PER' covers 'Bob', but its own text is 'Eve'"),
    ]
    assert report.spans == 5


def test_other_text_of_pieces_is_one_fault(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Ada met Bob", encoding="utf-8")
    (tmp_path / "a.ann").write_text("T1\tPER 0 3;8 11\tEve\n", encoding="utf-8")
    assert list_faults(lint_ner_file(Source(tmp_path / "a.ann")), "other-text") == [
        ("1", "the pieces of the span cover 'Ada Bob', but its own text is 'Eve'")
    ]


def test_pubtator_faults_have_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "notes"
    path.write_text("1|t|Ada met\n1|a|Bob\n1\t0\t99\tAda\tPER\n1\t8\t11\tEve\tPER\n", encoding="utf-8")
    report = lint_ner_file(Source(path))
    assert [line for line, _ in list_faults(report, "outside-text")] == ["3"]
    assert list_faults(report, "other-text") == [
        ("4", "the span [8, 11) 'PER' covers 'Bob', but its own text is 'Eve'")
    ]


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("jsonl", {"text": FIRE, "entities": [{"start": 3, "end": 5, "label": "PER", "text": "Ad"}]}),
        (
            "prodigy",
            {"text": FIRE, "answer": "accept", "spans": [{"start": 3, "end": 5, "label": "PER", "text": "Ad"}]},
        ),
        ("label-studio", task(FIRE, annotation(region(3, 5, "PER", "Ad")))),
    ],
)
def test_other_text_names_the_unit_of_the_offsets(tmp_path: Path, name: str, row: dict[str, Any]) -> None:
    report = lint_rows(tmp_path, row, row, row)
    assert (report.format, report.counts["other-text"]) == (name, 3)
    said = "the span [3, 5) 'PER' covers 'da', but its own text is 'Ad': these offsets count UTF-16 code units"
    assert list_faults(report, "other-text") == [(str(line), said) for line in (1, 2, 3)]


@pytest.mark.parametrize(
    "row",
    [
        {"text": FIRE, "label": [[3, 6, "PER"]]},
        {
            "fields": {"text": FIRE},
            "suggestions": {},
            "responses": {"spans": [{"value": [{"start": 3, "end": 6, "label": "PER"}], "user_id": "a"}]},
        },
        task(FIRE, annotation(region(3, 6, "PER"))),
    ],
    ids=["doccano", "argilla", "label-studio"],
)
def test_drawn_spans_beyond_the_text_are_outside_text(tmp_path: Path, row: dict[str, Any]) -> None:
    report = lint_rows(tmp_path, row, row)
    said = "[3, 6) 'PER' ends after its text, which has 5 code points"
    assert list_faults(report, "outside-text") == [("1", said), ("2", said)]
    assert [(notice.code, notice.count) for notice in report.warnings] == [("offsets-uncertain", 2)]


def test_skipped_documents_are_not_checked(tmp_path: Path) -> None:
    nobody = task("Ada met Bob", annotations=[], id=8)
    report = lint_rows(tmp_path, task("Ada met Bob", annotation(region(0, 3, "PER", "Ada"))), nobody)
    assert (report.documents, report.counts.total()) == (1, 0)
    assert [notice.code for notice in report.warnings] == ["documents-left-out"]
    ada = {"text": "Ada met Bob", "spans": [{"start": 0, "end": 3, "label": "PER"}], "answer": "accept"}
    report = lint_rows(tmp_path, ada, ada | {"answer": "reject"})
    assert (report.documents, report.counts.total()) == (1, 0)


def test_mentions_without_text_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="names without positions, and no text") as error:
        lint_rows(tmp_path, {"mentions": [{"text": "Ada", "label": "PER"}]})
    assert str(error.value.where).endswith(":1")


@pytest.mark.parametrize(
    ("spans", "kinds"),
    [([], ["duplicate-document"]), ([[0, 3, "PER"]], ["duplicate-document", "conflicting-document"])],
)
def test_repeated_document_is_one_fault_per_kind(tmp_path: Path, spans: list[Any], kinds: list[str]) -> None:
    row = {"id": "a", "text": "Ada met Bob", "entities": []}
    assert [fault.kind for fault in lint_rows(tmp_path, row, row | {"entities": spans}).faults] == kinds
