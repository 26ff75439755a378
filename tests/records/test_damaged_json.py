"""What was JSON before it was damaged is refused with its place in every task, and never scored as plain text."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import isogloss
from isogloss.errors import DataError, FormatError

ROWS = [
    {"id": f"{n}", "text": "Це слово coffee.", "label": "pos", "tokens": ["Це"], "spaces": [True]} for n in range(3)
]
LINES = [json.dumps(row, ensure_ascii=False) for row in ROWS]
SCORERS: dict[str, Callable[[Path], Any]] = {
    "classification": lambda path: isogloss.classification(path, path),
    "code-switching": lambda path: isogloss.code_switching(path, language="uk"),
    "segmentation": lambda path: isogloss.segmentation(path, path),
    "ner": lambda path: isogloss.ner(path, path),
}
DAMAGES: dict[str, Callable[[str], str]] = {
    "two brackets": lambda line: "[[" + line,
    "two braces": lambda line: "{" + line,
    "no brace": lambda line: line[1:],
    "no key": lambda line: line[4:],
    "half a key": lambda line: "{" + line[3:],
    "several braces": lambda line: "{i{i{" + line[2:],
    "second byte order mark": lambda line: "\ufeff\ufeff" + line,
    "line separator": lambda line: "\u2028" + line,
    "accent without a letter": lambda line: "\u2028\u0301" + line[0] + line[2:],
    "bar in a brace": lambda line: "[{|" + line[2:],
    "bracket in a key": lambda line: '[}"i>' + line[4:],
    "mark before a key": lambda line: line[6:].replace('"text', '"#text', 1),
    "open string": lambda line: line.replace('"0"', '"0', 1),
    "garbage before it": lambda line: "00" + line,
    "escapes before it": lambda line: r"\ud800" * 3 + "[" + line,
    "escapes for the first keys": lambda line: r"\ud800" * 3 + "]" + line[line.index('"text"') :][:12],
    "accent after a key": lambda _: '", "text":\u2028\u0301 "Це слово coffee."}',
    "text before an empty key": lambda line: 'B-B-B-{"": "0", "' + line[line.index('"Це') :],
    "bar in a key without quotes": lambda line: "{text|" + line[line.index('": "Це') :].replace('"}', ":}"),
    "no whole key": lambda line: '>>{{id": "0", "text"1-2: ' + line[line.index('"Це') :],
    "end of a key alone": lambda _: 'ext":',
    "cut off": lambda line: line[:30],
    "comment before it": lambda line: "#\n" + line,
}


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("task", SCORERS)
def test_damaged_first_line_of_json_lines_is_refused(tmp_path: Path, task: str, damage: str, rows: int) -> None:
    path = tmp_path / "rows.txt"
    path.write_text("\n".join([DAMAGES[damage](LINES[0]), *LINES[1:rows]]) + "\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        SCORERS[task](path)
    assert caught.value.where is not None
    assert caught.value.where.startswith(str(path))


@pytest.mark.parametrize(
    "text",
    [
        "[Applause] Дякую.",
        'Він сказав: "так", "ні", "може".',
        '"Кобзар": збірка, "Гайдамаки", "Сон".',
        "{{Шаблон}} слово",
        "[[Місто]] тут",
        'Він сказав: "так".',
        '" Hello " : 5 ]',
        "[",
    ],
)
def test_texts_with_brackets_and_quotes_are_texts(tmp_path: Path, text: str) -> None:
    path = tmp_path / "texts.txt"
    path.write_text(f"{text}\nСлово.\n", encoding="utf-8")
    assert isogloss.code_switching(path, language="uk").documents == 2


def test_a_line_of_json_after_the_first_line_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "texts.txt"
    path.write_text("#\n" + LINES[0] + "\n" + ": 1.5}\n" * 20, encoding="utf-8")
    with pytest.raises(FormatError, match="the line is not JSON, but the next lines are JSON objects"):
        isogloss.code_switching(path, language="uk")


def test_named_format_reads_damaged_json_as_texts(tmp_path: Path) -> None:
    path = tmp_path / "texts.txt"
    path.write_text("[[" + LINES[0] + "\n", encoding="utf-8")
    assert isogloss.code_switching(path, language="uk", input_format="lines").documents == 1


@pytest.mark.parametrize("begin", ["\n", "\n\n \n", "\r\n\t\n", "\ufeff\n\n"])
def test_table_after_blank_lines_has_all_its_rows(tmp_path: Path, begin: str) -> None:
    path = tmp_path / "texts.csv"
    path.write_text(begin + 'id,text\n1,"Це, слово"\n\n2,Так\n', encoding="utf-8", newline="")
    assert isogloss.code_switching(path, language="uk").documents == 2


@pytest.mark.parametrize("header", ['"""id,text', "{{{x,text", '"id,text'])
def test_table_with_a_damaged_header_is_not_read_as_plain_lines(tmp_path: Path, header: str) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(f"{header}\n1,pos\n2,neg\n", encoding="utf-8")
    with pytest.raises(FormatError):
        isogloss.classification(path, path)


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("labels.csv", 'el\n1,"a,', 2),
        ("labels.csv", '\nid]text\\label\npos\n1,"a, b",pos\n', 4),
        ("labels.txt", r"\ud800\ud800\ud800" + '{"id": "0", "gold"', 1),
        ("labels.txt", ']]]{id":', 1),
        ("labels.txt", 'd": ', 1),
    ],
)
def test_a_damaged_table_or_object_is_not_read_as_labels(tmp_path: Path, name: str, content: str, line: int) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        isogloss.classification(path, path)
    assert caught.value.where == f"{path}:{line}"


def test_labels_without_a_header_may_be_named_as_a_table(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("pos\nneg\npos\n", encoding="utf-8")
    assert isogloss.classification(path, path).documents == 3


@pytest.mark.parametrize(
    "row",
    [
        {"text": "Ada", "tokens": ["Ada"], "annotation": [], "prediction": [], "score": 7},
        {"id": 2, "text": "Ada", "l": [], "annotator": 1, "annotation_id": 1, "updated_at": "2026", "lead_time": 7},
        {"text": "Ada", "mentions": 7},
    ],
)
def test_number_out_of_range_in_a_late_field_is_refused_with_its_line(tmp_path: Path, row: dict[str, Any]) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row).replace("7", "1e999") + "\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        isogloss.ner(path, path, by=["score"] if "score" in row else ())
    assert str(caught.value.where).startswith(f"{path}:1")
