from __future__ import annotations

import csv
import gzip
import io
import json
import sys
import tracemalloc
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.errors import UsageError
from isogloss.records.sources import Source
from isogloss.tasks.code_switching import inputs
from isogloss.tasks.code_switching.inputs import TextRows, open_texts
from isogloss.tasks.code_switching.options import FORMATS
from isogloss.tasks.code_switching.rows import TextRow


def all_of(rows: TextRows, size: int = 1 << 20) -> list[TextRow]:
    return [row for piece in rows.read_batches(size) for row in piece]


def texts_of(rows: TextRows) -> list[str]:
    return [row.text for row in all_of(rows)]


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("f", b"one\ntwo\n", "lines"),
        ("f", b"", "lines"),
        ("f", b"{not JSON}\n", "lines"),
        ("f.txt", b'\n \n{"text": "a"}\n', "jsonl"),
        ("f", b"{}\n", "jsonl"),
        ("f", b'[{"text": "a"}]\n', "jsonl"),
        ("f.csv", b'{"text": "a"}\n', "jsonl"),
        ("f.csv", b"text\na\n", "csv"),
        ("f.CSV.gz", gzip.compress(b"text\na\n", mtime=0), "csv"),
        ("f.tsv.zst", b"text\na\n", "csv"),
        ("f.csv.txt", b"text\na\n", "lines"),
        ("f", b"PAR1 is a protein\n", "lines"),
        ("f", b"PAR1\n", "lines"),
        ("f", b"PAR1 and so PAR1", "parquet"),
    ],
)
def test_a_format_is_detected_by_content_or_name(name: str, data: bytes, kind: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    assert open_texts(tmp_path / name).format == kind


@pytest.mark.parametrize("kind", FORMATS)
def test_a_named_format_is_not_detected(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_bytes(b"text\n")
    rows = open_texts(path, input_format=kind)
    assert (rows.format, rows.name, rows.sources[0].name) == (kind, *[str(path)] * 2)


def test_a_path_a_string_and_a_source_are_the_same(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("one\n")
    source = Source(path)
    assert all_of(open_texts(path)) == all_of(open_texts(str(path))) == all_of(open_texts(source))
    assert open_texts(source).sources == (source,)


def test_standard_input_is_read_as_often_as_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b'{"text": "a"}\n')))
    rows = open_texts("-")
    assert rows.locate(1, 0) == "<stdin>:1"
    assert texts_of(rows) == texts_of(rows) == ["a"]


@pytest.mark.parametrize(
    ("texts", "options", "says"),
    [
        ("f", {"input_format": "xml"}, "Choose from lines, whole, jsonl, csv, parquet"),
        ("f", {"input_format": "jsonl", "whole": True}, "cannot be read whole"),
        ("f", {"input_format": "lines", "text_field": "answer"}, "has no field 'answer'"),
        ("f", {"whole": True, "prompt_field": "prompt"}, "leave out prompt_field"),
        ("f", {"input_format": "lines", "id_field": "key"}, "leave out id_field"),
        ("f", {"text_field": ""}, "names of fields, not '', 'id'"),
        ("f", {"id_field": 5}, "names of fields, not 'text', 5"),
        ("f", {"prompt_field": ""}, "names of fields, not 'text', 'id', ''"),
        ("f", {"text_field": "a", "prompt_field": "a"}, "must differ"),
        (["a"], {"input_format": "lines"}, "is a list"),
        (["a"], {"whole": True}, "is a list"),
        (b"a", {}, "is of type bytes"),
        (None, {}, "is of type NoneType"),
        ({"text": "a"}, {}, "is of type dict"),
    ],
)
def test_conflicting_options_are_refused(texts: Any, options: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        open_texts(texts, **options)


@pytest.mark.parametrize(
    ("name", "data", "places"),
    [
        ("f", "one\n\ntwo\n", ["f:1", "f:3"]),
        ("f", '{"text": "a\\nb"}\n{"text": "c"}\n', ["f:1", "f:2"]),
        ("f.csv", 'text\n"a\nb"\nc\n', ["f.csv:2", "f.csv:4"]),
    ],
)
def test_rows_have_their_locations(name: str, data: str, places: list[str], tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(data)
    rows = open_texts(name)
    assert [rows.locate(row.place, 0) for row in all_of(rows)] == places


def test_a_location_counts_lines_only_in_multiline_formats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("f").touch()
    places = [open_texts("f", input_format=kind).locate(3, 2) for kind in FORMATS]
    assert places == ["f:3", "f:5", "f:3", "f:5", "f:row 3"]
    assert open_texts(["a"]).locate(3, 2) == "texts[3]"


@pytest.mark.parametrize("name", ["f", "f.csv", "f.jsonl"])
def test_bytes_read_end_with_the_size_in_each_pass(name: str, tmp_path: Path) -> None:
    write = {"f": as_lines, "f.csv": as_csv, "f.jsonl": as_jsonl}[name]
    (tmp_path / name).write_bytes(write(["some text"] * 100))
    texts = open_texts(tmp_path / name)
    for _ in range(2):
        all_of(texts)
        assert texts.sources[0].bytes_read == texts.sources[0].size == (tmp_path / name).stat().st_size


def test_batches_have_about_the_requested_size() -> None:
    for size in [1, 5, 6, 100]:
        texts = ["abc", "", "жжж", "a" * 20, "b"]
        pieces = [[row.text for row in piece] for piece in open_texts(texts).read_batches(size)]
        assert [text for piece in pieces for text in piece] == texts
        assert all(pieces)
        for piece, following in pairwise(pieces):
            assert len("".join(piece)) >= size or len(following[0]) >= size  # a long text is by itself
        assert all(len("".join(piece[:-1])) < size for piece in pieces)


@pytest.mark.parametrize("data", [b"", b"\n \n\r\n"])
@pytest.mark.parametrize("kind", ["lines", "whole", "jsonl", "csv"])
def test_a_file_without_texts_has_no_pieces(data: bytes, kind: str, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(data)
    assert list(open_texts(tmp_path / "f", input_format=kind).read_batches(1)) == []


def as_lines(texts: list[str]) -> bytes:
    return "".join(f"{text}\n" for text in texts).encode()


def as_jsonl(texts: list[str]) -> bytes:
    return "".join(json.dumps({"text": text}, ensure_ascii=len(text) % 2 == 0) + "\n" for text in texts).encode()


def as_nested(texts: list[str]) -> bytes:
    return "".join(json.dumps({"response": {"text": text}}) + "\n\n" for text in texts).encode()


def as_csv(texts: list[str], delimiter: str = ",") -> bytes:
    table = io.StringIO(newline="")
    writer = csv.writer(table, delimiter=delimiter)
    writer.writerows([["number", "text"], *enumerate(texts)])
    return table.getvalue().encode()


SIZES = st.sampled_from([1, 7, 1 << 20])
ANY = st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12), max_size=8)
LINE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\n\r"), min_size=1).filter(str.strip)


@given(
    texts=ANY,
    write=st.sampled_from([as_jsonl, as_nested, as_csv, lambda texts: as_csv(texts, ";")]),
    compress=st.booleans(),
    block=st.sampled_from([1, 20, 1 << 18]),
    size=SIZES,
)
def test_any_text_of_json_lines_and_tables_is_read(
    tmp_path_factory: pytest.TempPathFactory,
    texts: list[str],
    write: Callable[[list[str]], bytes],
    *,
    compress: bool,
    block: int,
    size: int,
) -> None:
    path = tmp_path_factory.mktemp("any") / "file"
    path.write_bytes(gzip.compress(write(texts)) if compress else write(texts))
    how = {"input_format": "jsonl" if write in {as_jsonl, as_nested} else "csv"}
    how |= {"text_field": "response.text"} if write is as_nested else {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inputs, "BLOCK", block)
        found = all_of(open_texts(path, **how), size)  # type: ignore[arg-type]
    assert [row.text for row in found] == texts
    assert [row.name for row in found] == [str(number + 1) for number in range(len(texts))]


@given(texts=st.lists(LINE, max_size=8), ends=st.sampled_from(["\n", "\r\n", "\n\n", "\n\u2028\n"]), size=SIZES)
def test_any_line_of_plain_text_is_read(
    tmp_path_factory: pytest.TempPathFactory,
    texts: list[str],
    ends: str,
    size: int,
) -> None:
    path = tmp_path_factory.mktemp("any") / "file"
    path.write_bytes("".join(text + ends for text in texts).encode())
    found = all_of(open_texts(path, input_format="lines"), size)
    first = ["\ufeff".join(texts[:1]).removeprefix("\ufeff")] if texts else []  # a byte order mark is no text
    expected = [text for text in [*first, *texts[1:]] if text.strip()]
    assert [row.text for row in found] == expected
    assert [row.name for row in found] == [str(number + 1) for number in range(len(expected))]


@given(texts=ANY, size=SIZES)
def test_any_list_is_read(texts: list[str], size: int) -> None:
    mixed = [text if at % 2 else {"text": text} for at, text in enumerate(texts)]
    expected = [TextRow(text, at, str(at + 1)) for at, text in enumerate(texts)]
    assert all_of(open_texts(texts), size) == all_of(open_texts(mixed), size) == expected


def test_memory_does_not_grow_with_a_file(tmp_path: Path) -> None:
    for name, write in (("f", as_lines), ("f.jsonl", as_jsonl)):
        path = tmp_path / name
        path.write_bytes(write(["a text of some length, as texts are, " * 5] * 40_000))
        texts = open_texts(path)
        tracemalloc.start()
        count = sum(map(len, texts.read_batches(1 << 12)))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert count == 40_000
        assert peak < path.stat().st_size / 2
