from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import isogloss
from isogloss.cli import run
from isogloss.errors import UsageError
from isogloss.tasks.classification.options import OTHERS, ClassificationOptions, parse_thresholds

ROWS = [
    {"id": "1", "gold": "a", "scores": {"a": 0.9, "b": 0.1}, "text": "all is well"},
    {"id": "2", "gold": "b", "scores": {"a": 0.2, "b": 0.8}},
    {"id": "3", "gold": "b", "scores": {"a": 0.6, "b": 0.4}, "text": "nothing is"},
]
Streams = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write("scores", ROWS)
    write("several", [row | {"gold": [row["gold"]]} for row in ROWS])
    write("gold", [{key: row[key] for key in ("id", "gold")} for row in ROWS])
    write("other", [{"id": row["id"], "scores": {"a": 0.3, "b": 0.7}} for row in ROWS[::-1]])
    Path("gold.txt").write_text("a\nb\nb\n", encoding="utf-8")
    Path("pred.txt").write_text("a\nb\na\n", encoding="utf-8")


def write(name: str, rows: list[dict[str, Any]]) -> None:
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def output(capsys: Streams, *arguments: str) -> str:
    assert run(["classification", *arguments]) == 0
    return capsys.readouterr().out


def document(capsys: Streams, *arguments: str) -> Any:
    return json.loads(output(capsys, *arguments, "-f", "json"))


def test_labels_come_a_line_each(capsys: Streams) -> None:
    found = document(capsys, "gold.txt", "pred.txt")
    assert found["confusion"] == document(capsys, "scores")["confusion"]
    assert found["scores"].keys() == {"overall", "micro"}


def test_options_reach_the_definition(capsys: Streams) -> None:
    options = ("--threshold", "0.3", "--threshold", "b=0.9", "--beta", "2", "--zero-division", "1", "--best-threshold")
    got = document(capsys, "several", *options, "--macro-over", "reference")
    wanted = isogloss.classification("several", threshold={"a": 0.3, "b": 0.9}, beta=2, zero_division=1)
    assert got["by_label"]["a"]["label"] == wanted.to_dict()["by_label"]["a"]["label"]
    assert "best" in got["by_label"]["a"]
    assert "|threshold:0.3,b=0.9|beta:2|zero-division:1|macro-over:reference|" in got["signature"]


@pytest.mark.parametrize(("option", "mode"), [("--multi-label", "multiple"), ("--exclusive", "exclusive")])
def test_options_set_multi_label_or_exclusive_mode(capsys: Streams, option: str, mode: str) -> None:
    assert f"|labels:{mode}|" in document(capsys, "scores", option)["signature"]


def test_the_profile_writes_the_keys_of_spacy_beside_ours(capsys: Streams) -> None:
    found = document(capsys, "scores", "--profile", "spacy", "--positive-label", "b")
    assert found["profile"] == "spacy"
    assert (found["cats_score_desc"], found["cats_score"]) == ("F (b)", pytest.approx(2 / 3))
    assert found["cats_auc_per_type"] == {"a": 1.0, "b": 1.0}


def test_curves_are_written_to_a_file(capsys: Streams) -> None:
    output(capsys, "scores", "--curves", "curves.json")
    found = json.loads(Path("curves.json").read_text(encoding="utf-8"))
    assert found["curves"]["a"]["roc"]["threshold"] == [None, 0.9, 0.6, 0.2]
    output(capsys, "gold", "scores", "other", "--curves", "curves.json")
    both = json.loads(Path("curves.json").read_text(encoding="utf-8"))
    assert [one["system"] for one in both["runs"]] == ["scores", "other"]


def test_curves_that_cannot_be_written_are_an_error(capsys: Streams) -> None:
    assert run(["classification", "scores", "--curves", "absent/curves.json"]) == 3
    assert run(["classification", "gold.txt", "pred.txt", "--curves", "curves.json"]) == 2
    assert "no scores, so there are no curves" in capsys.readouterr().err


def test_errors_are_shown_with_the_text_of_the_document(capsys: Streams) -> None:
    found = output(capsys, "scores", "--errors", "5")
    assert "reference  b   [nothing is]" in found
    assert "predicted  a   [nothing is]" in found


def test_errors_of_documents_without_text_show_the_labels_alone(capsys: Streams) -> None:
    found = output(capsys, "gold", "other", "--errors", "5")
    assert "wrong_label   other:3\n  reference  a\n  predicted  b\n" in "\n".join(map(str.rstrip, found.split("\n")))


def test_bad_data_leaves_with_3_and_its_place(capsys: Streams) -> None:
    write("bad", [ROWS[0], {"id": "2", "gold": "b"}])
    assert run(["classification", "bad"]) == 3
    assert capsys.readouterr().err.startswith("isogloss: bad:2: the row has no `scores`\n")


def test_thresholds_are_numbers_with_or_without_a_label() -> None:
    assert parse_thresholds([]) == 0.5
    found = parse_thresholds(["0.2", "a=b=0.7", "c=1"])
    assert found == {OTHERS: 0.2, "a=b": 0.7, "c": 1.0}
    options = ClassificationOptions(threshold=found)
    assert (options.default_threshold, options.thresholds) == (0.2, {"a=b": 0.7, "c": 1.0})


@pytest.mark.parametrize("text", ["", "a", "a=", "a=b"])
def test_other_thresholds_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="must be a number or LABEL=NUMBER"):
        parse_thresholds([text])
