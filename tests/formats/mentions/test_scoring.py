"""Names without offsets scored against references of other formats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import isogloss

TEXT = "Ada met Bob in Paris"
GOLD = {"id": "1", "text": TEXT, "entities": [[0, 3, "PER"], [8, 11, "PER"], [15, 20, "LOC"]]}


def file(path: Path, *rows: Any) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def counts(run: isogloss.Run) -> tuple[int, int, int]:
    """Correct, missed and spurious spans."""
    strict = run.scores["strict"]
    return strict.correct, strict.missed, strict.spurious


def test_unlocated_names_are_spurious_and_counted(tmp_path: Path) -> None:
    names = [["Ada", "PER"], ["BOB", "PER"], ["Ada", "PER"], ["Rome", "LOC"]]
    prediction = file(tmp_path / "pred.jsonl", {"id": "1", "mentions": names})
    run = isogloss.ner(file(tmp_path / "gold.jsonl", GOLD), prediction, findings=True)
    assert counts(run) == (2, 1, 2)
    warnings = [(each["code"], each["count"], each["where"]) for each in run.to_dict()["warnings"]]
    assert warnings == [("normalised", 1, f"{prediction}:1"), ("unlocated", 2, f"{prediction}:1")]
    spurious = [finding for finding in run.findings if finding.kind == "spurious"]
    assert [finding.marks[0].label for finding in spurious] == ["PER", "LOC"]
    assert all((finding.text or "").endswith(("Ada", "Rome", "Ada\nRome")) for finding in spurious)


def test_unlocated_names_of_a_reference_are_missed(tmp_path: Path) -> None:
    reference = file(tmp_path / "gold.jsonl", {"id": "1", "text": TEXT, "mentions": [["Ada", "PER"], ["Eve", "PER"]]})
    prediction = file(tmp_path / "pred.jsonl", {"id": "1", "text": TEXT, "entities": [[0, 3, "PER"]]})
    run = isogloss.ner(reference, prediction)
    assert counts(run) == (1, 1, 0)
    assert [warning.code for warning in run.warnings] == ["unlocated"]


def test_equal_unlocated_names_of_both_sides_are_no_hit(tmp_path: Path) -> None:
    row = {"id": "1", "text": TEXT, "mentions": [["Eve", "PER"]]}
    assert counts(isogloss.ner(file(tmp_path / "a.jsonl", row), file(tmp_path / "b.jsonl", row))) == (0, 1, 1)


def test_names_are_found_in_the_words_of_columns(tmp_path: Path) -> None:
    reference = tmp_path / "gold.conll"
    reference.write_text("Ada\tB-PER\nmet\tO\nBob\tB-PER\n\nNew\tB-LOC\nYork\tI-LOC\n", encoding="utf-8")
    rows = [{"mentions": {"PER": ["Ada", "Bob"]}}, {"mentions": [["NewYork", "LOC"]]}]
    assert counts(isogloss.ner(reference, file(tmp_path / "pred.jsonl", *rows))) == (3, 0, 0)


def test_the_labels_of_the_reference_decide_what_a_label_is(tmp_path: Path) -> None:
    """Without them, `EU` would look like the label."""
    reference = tmp_path / "gold.conll"
    reference.write_text("EU\tB-bloc\nmet\tO\nSun\tB-day\n", encoding="utf-8")
    for answer in (
        '{"EU": "bloc", "Sun": "day"}',
        "bloc: EU\nday: Sun",
        [{"type": "text", "text": "<bloc>EU</bloc> <day>Sun</day>"}],
    ):
        rows = file(tmp_path / "pred.jsonl", {"answer": answer})
        assert counts(isogloss.ner(reference, rows, answers="answer")) == (2, 0, 0), answer


def test_one_file_may_have_the_reference_and_the_answer(tmp_path: Path) -> None:
    both = file(tmp_path / "both.jsonl", GOLD | {"answer": '[["Ada", "PER"]]'})
    assert counts(isogloss.ner(both, both, answers="answer")) == (1, 2, 0)


def test_spans_without_names_stand_where_the_answer_says(tmp_path: Path) -> None:
    """The first `Oslo` has another label, so searching for the name would find the wrong place."""
    text = "Oslo FC left Oslo."
    reference = file(tmp_path / "gold.jsonl", {"text": text, "entities": [[0, 7, "ORG"], [13, 17, "LOC"]]})
    answers = ([{"start": 13, "end": 17, "label": "LOC"}], {"spans": [{"begin": 13, "end": 17, "type": "LOC"}]})
    for answer in answers:
        prediction = file(tmp_path / "pred.jsonl", {"answer": f"Here: {json.dumps(answer)}"})
        assert counts(isogloss.ner(reference, prediction, answers="answer")) == (1, 1, 0)
