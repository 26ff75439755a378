"""What a sceptic once broke, end to end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from isogloss.cli import run as command
from isogloss.errors import DataError, FormatError, TagError
from isogloss.formats.python_lists import TagListProvenance
from isogloss.kernel.provenance import TextExcerpt
from isogloss.tasks.ner.scoring import ner


def test_the_text_of_a_document_is_built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    passage = TagListProvenance.get_excerpt

    def counted(self: TagListProvenance, row: int) -> TextExcerpt:
        asked.append(row)
        return passage(self, row)

    monkeypatch.setattr(TagListProvenance, "get_excerpt", counted)
    found = ner([["B-P", "O"] * 50, ["B-P"]], [["B-Q", "O"] * 50, ["O"]], findings=True).findings
    assert (len(found), asked) == (51, [0, 1])


@pytest.mark.parametrize("form", ["json", "csv", "markdown", "latex"])
def test_forms_for_programs_are_utf_8_whatever_the_terminal_is(form: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"entities": [[0, 1, "人名"]]}\n', encoding="utf-8")
    call = [sys.executable, "-m", "isogloss", "ner", str(path), str(path), "-f", form]
    done = subprocess.run(call, check=False, capture_output=True, env=os.environ | {"PYTHONIOENCODING": "cp1252"})
    assert done.returncode == 0, done.stderr.decode()
    assert "人名" in done.stdout.decode("utf-8")


def test_a_file_name_need_not_be_utf_8(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = os.fsencode(tmp_path) + b"/x\xff.conll"
    try:
        Path(os.fsdecode(path)).write_text("a B-P\n")
    except OSError:
        pytest.skip("this file system has names in UTF-8 only")
    assert command(["ner", os.fsdecode(path), os.fsdecode(path), "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["system"].endswith(r"x\xff.conll")


def test_the_largest_position_is_a_position() -> None:
    spans = [[(0, 2**40, "A")]]
    for profile in (None, "fair", "nervaluate", "seqeval", "spacy"):
        assert ner(spans, spans, profile=profile).to_dict()["documents"] == 1
    assert ner(spans, spans).scores["strict"].correct == 1


def test_two_objects_on_a_line_are_no_two_documents(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"entities": [[0, 1, "A"]]}{"entities": [[0, 2, "A"]]}\n\n')
    with pytest.raises(FormatError) as caught:
        ner(path, path)
    assert (caught.value.where or "").startswith(f"{path}:1")


def rows(path: Path, *documents: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(document) + "\n" for document in documents))
    return path


TOKENS = [{"start": 0, "end": 2}, {"start": 3, "end": 5}]


def test_a_column_of_other_tags_is_refused_in_json_lines_too(tmp_path: Path) -> None:
    path = rows(tmp_path / "a.jsonl", {"text": "ab cd", "tokens": TOKENS, "tags": ["NNP", "VB"]})
    with pytest.raises(TagError, match="does not look like a column of tags"):
        ner(path, path)


def test_side_without_tags_gives_no_tag_warning(tmp_path: Path) -> None:
    gold = rows(tmp_path / "gold.jsonl", {"text": "ab cd", "entities": [[0, 5, "P"]]})
    system = rows(tmp_path / "system.jsonl", {"text": "ab cd", "tokens": TOKENS, "tags": ["B-P", "I-P"]})
    run = ner(gold, system)
    assert run.scores["strict"].f1 == 1
    assert [notice.message.split(" is ")[0] for notice in run.warnings] == ["The prediction"]


def test_half_a_character_is_no_label() -> None:
    with pytest.raises(DataError, match="surrogate") as caught:
        ner([[(0, 1, "A")], [(0, 1, "A"), (1, 2, "\ud800")]], [[], []])
    assert caught.value.where == "reference[1][1]"


def test_means_over_documents_have_a_path() -> None:
    run = ner([["B-P"], ["B-P"]] * 2, [["B-P"], ["O"]] * 2, confidence=0.9, resamples=20)
    assert run.score("per_document.strict.recall.mean") == 0.5
    row = next(row for row in run.to_rows() if row["score"] == "per_document.strict.recall.mean")
    assert (row["value"], row["low"] <= row["high"]) == (0.5, True)
