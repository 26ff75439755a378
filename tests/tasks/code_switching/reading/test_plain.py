from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from text_rows import read_rows

from isogloss.tasks.code_switching import inputs
from isogloss.tasks.code_switching.rows import TextRow


def test_a_line_is_a_text_and_blank_lines_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes("one\r\n\n \t\r\n  deux \n\u3000\ntrois\r\r\nfour".encode())
    assert read_rows(path) == [
        TextRow("one", 1, "1"),
        TextRow("  deux ", 4, "2"),
        TextRow("trois\r", 6, "3"),
        TextRow("four", 7, "4"),
    ]


def test_only_a_newline_ends_a_line(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("a\u2028b\x0bc\x85d\re\n", newline="")
    assert [row.text for row in read_rows(path)] == ["a\u2028b\x0bc\x85d\re"]


def test_lines_and_texts_are_numbered_across_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "BLOCK", 4)
    path = tmp_path / "f"
    path.write_text("one\n\ntwo\nthree\n\n\nfour\n")
    found = [(row.place, row.name) for row in read_rows(path)]
    assert found == [(1, "1"), (3, "2"), (4, "3"), (7, "4")]


@pytest.mark.parametrize("block", [1, 1 << 18])
@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_a_file_can_be_one_text(tmp_path: Path, compress: type, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "BLOCK", block)
    path = tmp_path / "f"
    path.write_bytes(compress('{"a"}\r\n\nдж\n\n'.encode()))
    assert read_rows(path, whole=True) == [TextRow('{"a"}\r\n\nдж\n', 1, "1")]


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_the_last_line_end_is_not_part_of_a_whole_file(tmp_path: Path, end: str) -> None:
    path = tmp_path / "f"
    path.write_bytes(f"a\nb{end}".encode())
    assert [row.text for row in read_rows(path, whole=True)] == ["a\nb"]
