from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from span_texts import document, read, write

ROW = {"tokenized_text": ["Ada", "met", "Bob"], "ner": [[0, 0, "PER"], [0, 2, "GRP"]]}


def file(folder: Path, *rows: Any) -> Path:
    """Rows in a file."""
    path = folder / "a.json"
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
    return path


def test_the_last_token_of_a_span_is_included(tmp_path: Path) -> None:
    first, second = read(file(tmp_path, ROW, {"tokenized_text": [], "ner": []}))
    assert (first.text, first.spans) == ("Ada met Bob", [(0, 3, "PER"), (0, 11, "GRP")])
    assert (first.tokens, first.joined, first.id) == ([(0, 3), (4, 7), (8, 11)], True, None)
    assert (second.text, second.spans) == ("", [])


def test_positions_become_code_points(tmp_path: Path) -> None:
    path = file(tmp_path, {"tokenized_text": ["𠀀", "ก้อย", "عمر"], "ner": [[1, 2, "X"], [0, 0, "X"], [0, 0, "X"]]})
    assert read(path)[0].spans == [(2, 10, "X"), (0, 1, "X"), (0, 1, "X")]


def test_what_follows_a_label_and_other_keys_are_not_read(tmp_path: Path) -> None:
    path = file(tmp_path, ROW | {"ner": [[0, 0, "PER", 0.75, "x"]], "label": ["PER"], "negatives": ["LOC"], "text": 3})
    assert read(path)[0].spans == [(0, 3, "PER")]


def test_own_tokens_are_kept_and_cut_at_spans(tmp_path: Path) -> None:
    own = document("don't go.", (0, 2, "X"), (4, 8, "Y"), tokens=[(0, 5), (6, 8)], id="d")
    write([own], "gliner", tmp_path / "a")
    assert json.loads((tmp_path / "a").read_text(encoding="utf-8")) == {
        "id": "d",
        "tokenized_text": ["do", "n'", "t", "go", "."],
        "ner": [[0, 0, "X"], [2, 3, "Y"]],
    }
