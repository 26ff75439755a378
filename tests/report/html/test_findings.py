from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from reports import by_hand

from isogloss.kernel.findings import Finding, Mark
from isogloss.report.html.findings import group_findings
from isogloss.report.report_runs import load_run_file
from isogloss.runs.finding_view import FindingContext, FindingKind, TextPiece, build_kind
from isogloss.runs.run import Run
from isogloss.tasks.classification.findings import MOST_TEXT
from isogloss.tasks.registry import get_task


def run_with(path: Path, rows: list[dict[str, Any]], counts: dict[str, int] | None = None) -> Run:
    file = path / "run.json"
    file.write_text(json.dumps(by_hand(findings={"counts": counts or {}, "rows": rows})), encoding="utf-8")
    return load_run_file(str(file))[0].run


def contexts(findings: list[Finding], task: str) -> list[FindingContext]:
    return get_task(task).finding_view.build_contexts(findings)


def row(kind: str, document: str) -> dict[str, Any]:
    return {"kind": kind, "document": document, "where": "f:1"}


def test_documents_with_most_findings_come_first(tmp_path: Path) -> None:
    found = group_findings(run_with(tmp_path, [row("missed", name) for name in "abbcb"]), 100)
    assert [document.name for document in found.documents] == ["b", "a", "c"]


def test_correct_findings_are_left_out(tmp_path: Path) -> None:
    rows = [row("correct", "a"), row("excused", "b"), row("excused", "b"), row("foreign", "c")]
    found = group_findings(run_with(tmp_path, rows), 100)
    assert [document.name for document in found.documents] == ["c", "b"]


def test_findings_are_limited_in_total_and_by_document(tmp_path: Path) -> None:
    rows = [row("missed", name) for name in "aaaaaabbbc"]
    found = group_findings(run_with(tmp_path, rows, {"correct": 7, "missed": 12}), 8)
    assert [(one.name, len(one.contexts), one.left_out) for one in found.documents] == [
        ("a", 2, 4),
        ("b", 2, 1),
        ("c", 1, 0),
    ]
    assert (found.number, found.known, found.total) == (5, 10, 12)


def test_limit_of_zero_shows_no_findings(tmp_path: Path) -> None:
    assert group_findings(run_with(tmp_path, [row("missed", "a")]), 0).documents == ()


def test_each_side_has_a_lane_with_its_mark() -> None:
    marks = (Mark("reference", "PER", 0, 2, 0, 7), Mark("predicted", "ORG", 0, 1, 0, 3))
    (context,) = contexts([Finding("wrong_boundary", "1", "f:1", marks, "Ada Lee ran")], "ner")
    assert context.kinds == (FindingKind("wrong boundary", "\N{LEFT RIGHT ARROW}", "wrong"),)
    assert [(lane.side, lane.label, lane.pieces[0]) for lane in context.lanes] == [
        ("reference", "PER", TextPiece("Ada Lee", "side-reference")),
        ("predicted", "ORG", TextPiece("Ada", "side-predicted")),
    ]


def cut(start: int, end: int, reference: list[str], predicted: list[str]) -> Finding:
    text = "แมวชอบนอนตากลมทุกวัน"
    marks = tuple(Mark(side, "", start, end, start, end) for side in ("reference", "predicted"))
    words = {"reference_words": reference, "predicted_words": predicted}
    return Finding("shift", "2", "f:2", marks, text, extra=words)


def test_segmentation_marks_words_of_both_sides() -> None:
    findings = [cut(9, 14, ["ตาก", "ลม"], ["ตา", "กลม"]), cut(14, 20, ["ทุก", "วัน"], ["ทุกวัน"])]
    (context,) = contexts(findings, "segmentation")
    words = [[piece.text for piece in lane.pieces if piece.role != "plain"] for lane in context.lanes]
    assert words == [["ตาก", "ลม", "ทุก", "วัน"], ["ตา", "กลม", "ทุกวัน"]]
    assert context.kinds == (build_kind("shift", 2),)


def test_segmentation_marks_the_span_if_words_differ_in_form() -> None:
    (context,) = contexts([cut(9, 14, ["xx"], ["ตา", "กลม"])], "segmentation")
    assert [piece.text for piece in context.lanes[0].pieces if piece.role != "plain"] == ["ตากลม"]


def test_code_switching_marks_foreign_and_excused_words() -> None:
    text = "Є basic і C"
    foreign = Finding("foreign", "1", "f:1", (Mark("predicted", None, 2, 7, 2, 7),), text, extra={"script": "Latn"})
    odd = Finding("homoglyph", "1", "f:1", (Mark("predicted", None, 8, 9, 8, 9),), text, extra={"script": "Latn"})
    excused = Finding("excused", "1", "f:1", (Mark("predicted", "unit", 10, 11, 10, 11),), text)
    (context,) = contexts([foreign, odd, excused], "code-switching")
    roles = [(piece.text, piece.role) for piece in context.lanes[0].pieces if piece.role != "plain"]
    assert roles == [("basic", "foreign"), ("і", "foreign"), ("C", "excused")]
    assert context.facts == (("homoglyph, Latn", ("і",)), ("excused: unit", ("C",)))


def test_translation_is_between_source_and_accepted_names() -> None:
    more = {"source": "Who?", "accepted": ["Chi", "Che"], "language": "it_IT", "entity": "Q1"}
    (context,) = contexts(
        [Finding("other", "1", "f", (Mark("predicted", None, 0, 2, 0, 2),), "Qu", extra=more)],
        "entity-translation",
    )
    assert [lane.side for lane in context.lanes] == ["source", "predicted", "accepted"]
    assert context.lanes[1].pieces == (TextPiece("Qu"),)
    assert [piece.text for piece in context.lanes[2].pieces] == ["Chi", "Che"]
    assert (context.language, context.facts) == ("it-IT", (("entity", ("Q1",)),))


def test_classification_labels_have_scores() -> None:
    marks = (Mark("reference", "pos", 0, 0), Mark("predicted", "neg", 0, 0))
    (context,) = contexts([Finding("wrong_label", "1", "f", marks, extra={"scores": {"neg": 0.75}})], "classification")
    assert [(lane.label, lane.pieces) for lane in context.lanes] == [("pos", ()), ("neg", (TextPiece("score 0.750"),))]


def labelled(kind: str, text: str | None, **more: Any) -> Finding:
    ends = (0, len(text)) if text else (None, None)
    return Finding(kind, "1", "f", (Mark("reference", "pos", 0, len(text or ""), *ends),), text, extra=more)


def test_classification_text_is_shown_once() -> None:
    found = contexts([labelled("missed", "สวัสดี"), labelled("missed", "สวัสดี")], "classification")
    assert [[lane.side for lane in context.lanes] for context in found] == [["text", "reference"], ["reference"]]
    assert found[0].lanes[0].pieces == (TextPiece("สวัสดี"),)
    assert [lane.side for lane in contexts([labelled("missed", None)], "classification")[0].lanes] == ["reference"]


def test_long_text_is_cut_between_clusters() -> None:
    text = "a" * (MOST_TEXT - 1) + "กี่" + "b" * 5000
    (context,) = contexts([labelled("missed", text)], "classification")
    assert context.lanes[0].pieces == (TextPiece("a" * (MOST_TEXT - 1) + "กี่"), TextPiece("…", "more"))


def test_slices_of_findings_are_facts() -> None:
    (context,) = contexts([labelled("missed", None, slices={"genre": "news", "file": "a"})], "classification")
    assert context.facts == (("genre", ("news",)), ("file", ("a",)))


def test_sample_shown_whole_leaves_no_finding_out(tmp_path: Path) -> None:
    sample = {"text": "abc", "reference": [[0, 3]], "predicted": [[0, 1], [1, 2], [2, 3]]}
    rows = [row("split", name) | ({"sample": sample} if k == 0 else {}) for name in "ab" for k in range(6)]
    found = group_findings(replace(run_with(tmp_path, rows), task="segmentation"), 8)
    assert [(one.name, len(one.contexts), one.left_out) for one in found.documents] == [("a", 1, 0), ("b", 1, 0)]
    assert (found.number, found.known) == (12, 12)
