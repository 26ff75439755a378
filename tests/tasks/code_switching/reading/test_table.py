from __future__ import annotations

import csv
import gzip
from pathlib import Path
from typing import Any

import pytest
from text_rows import read_rows

from isogloss.tasks.code_switching.rows import TextRow


def read(path: Path, data: str, **options: Any) -> list[TextRow]:
    path.write_bytes(data.encode() if path.suffix != ".gz" else gzip.compress(data.encode()))
    return read_rows(path, **options)


def test_a_row_is_a_text_with_its_id_prompt_and_line(tmp_path: Path) -> None:
    data = 'id,prompt,text\n7,Who?,"Ada, ""or"" Bob"\n\na,,\n'
    expected = [TextRow('Ada, "or" Bob', 2, "7", prompt="Who?"), TextRow("", 4, "a")]
    assert read(tmp_path / "f.csv", data, prompt_field="prompt") == expected


def test_a_place_is_the_line_in_which_a_text_begins(tmp_path: Path) -> None:
    data = 'note,text\r\n"two\r\nlines","three\r\n\nlines"\r\nx,y\r\n'
    assert read(tmp_path / "f.csv", data) == [TextRow("three\r\n\nlines", 3, "1"), TextRow("y", 6, "2")]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("f.csv", "n,text\n1,a;b\tc\n"),
        ("f.csv", "n;text\n1;a,b\n"),
        ("f.csv", "n\ttext\n1\ta,b\n"),
        ("f.tsv", 'n\ttext\t"a,b,c"\n1\ta,b\tx\n'),
        ("f.tsv.gz", "n,;m\ttext\n1\ta,b\n"),
        ("f.csv", '"a,b,c";text;d\n1;a,b;x\n'),
        ("f.csv", "\n\n text,x\n;,1\n"),
        ("f.csv", "\ufefftext\na\n"),
    ],
)
def test_the_delimiter_is_detected_by_name_or_header(tmp_path: Path, name: str, data: str) -> None:
    [row] = read(tmp_path / name, data, text_field=" text" if " text" in data else "text")
    assert row.text in {"a;b\tc", "a,b", ";", "a"}


def test_a_table_may_have_no_ids(tmp_path: Path) -> None:
    assert [row.name for row in read(tmp_path / "f.csv", "text\na\nb\n")] == ["1", "2"]
    assert [row.name for row in read(tmp_path / "f.csv", "id,text\nx,a\nx,b\n", id_field="")] == ["1", "2"]


def test_a_column_name_may_have_dots(tmp_path: Path) -> None:
    assert [row.text for row in read(tmp_path / "f.csv", "response.text\na\n", text_field="response.text")] == ["a"]


def test_a_text_may_be_longer_than_the_csv_module_allows(tmp_path: Path) -> None:
    limit = csv.field_size_limit()
    text = "a" * (limit + 1)
    assert [row.text for row in read(tmp_path / "f.csv", f'text\n"{text}"\n')] == [text]
    assert csv.field_size_limit() == limit
