from __future__ import annotations

import gzip
import hashlib
import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from text_rows import read_rows

from isogloss.errors import DataError, FormatError, MissingExtraError, SourceError
from isogloss.tasks.code_switching.inputs import open_texts
from isogloss.tasks.code_switching.rows import TextRow

needs_arrow = pytest.mark.extra
ANY = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=12), max_size=8)


def written(path: Path, columns: dict[str, Any], **options: Any) -> Path:
    arrow = pytest.importorskip("pyarrow", reason="needs isogloss[arrow]")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.table(columns), path, **options)
    return path


def fault(path: Path, **options: Any) -> DataError:
    with pytest.raises(DataError) as raised:
        read_rows(path, **options)
    return raised.value


def test_without_pyarrow_the_error_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "f").write_bytes(b"PAR1 and so on PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"f, a Parquet or Arrow file, .* pip install 'isogloss\[arrow\]'"):
        read_rows(tmp_path / "f")


@needs_arrow
@given(texts=ANY, size=st.sampled_from([1, 7, 1 << 20]), group=st.integers(1, 5))
def test_any_text_of_parquet_is_read(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], size: int, group: int
) -> None:
    arrow = pytest.importorskip("pyarrow", reason="needs isogloss[arrow]")
    column = arrow.array(texts, arrow.string())
    path = written(tmp_path_factory.mktemp("any") / "f", {"text": column}, row_group_size=group)
    assert read_rows(path, size, input_format="parquet") == [TextRow(t, n, str(n)) for n, t in enumerate(texts, 1)]


@needs_arrow
@pytest.mark.parametrize("kind", ["string", "large_string", "dictionary"])
def test_a_column_holds_strings_of_any_kind(tmp_path: Path, kind: str) -> None:
    arrow = pytest.importorskip("pyarrow", reason="needs isogloss[arrow]")
    types = {"string": arrow.string(), "large_string": arrow.large_string()}
    types["dictionary"] = arrow.dictionary(arrow.int32(), arrow.string())
    path = written(tmp_path / "f", {"answer": arrow.array(["da", "да", "da"], types[kind])})
    assert [row.text for row in read_rows(path, text_field="answer")] == ["da", "да", "da"]


@needs_arrow
def test_ids_and_prompts_are_columns_too(tmp_path: Path) -> None:
    path = written(tmp_path / "f", {"id": [5, 6], "text": ["a", "b"], "q": ["c", None], "sentences": [1, 2]})
    assert read_rows(path, prompt_field="q") == [TextRow("a", 1, "5", prompt="c"), TextRow("b", 2, "6")]
    assert [row.name for row in read_rows(path, id_field="")] == ["1", "2"]


@needs_arrow
def test_a_run_has_the_digest_of_its_file(tmp_path: Path) -> None:
    path = written(tmp_path / "f", {"text": ["a"] * 5000})
    texts = open_texts(path)
    assert len(list(texts.read_batches(1000))) == 5
    assert texts.format == "parquet"
    assert texts.sources[0].sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


@needs_arrow
def test_columns_of_other_types_are_ignored(tmp_path: Path) -> None:
    path = written(tmp_path / "f", {"text": ["a"], "image": [b"\xff"], "tokens": [12], "entities": [[[0, 1]]]})
    [row] = read_rows(path)
    assert (row.text, row.tokens, row.entities) == ("a", None, ((0, 1, None),))
    assert list(open_texts(path).list_columns()) == ["text", "image", "tokens", "entities"]


@needs_arrow
def test_memory_does_not_grow_with_a_file(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="needs isogloss[arrow]")

    def most_held(rows: int) -> int:
        texts = [f"text number {number} of many" for number in range(rows)]
        path = written(tmp_path / str(rows), {"text": texts}, row_group_size=rows)
        before = arrow.total_allocated_bytes()
        return max(int(arrow.total_allocated_bytes() - before) for _ in open_texts(path).read_batches(1 << 14))

    assert 0 < most_held(300_000) < 1.2 * most_held(100_000)


@needs_arrow
def test_standard_input_is_read_as_often_as_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = written(tmp_path / "f", {"text": ["a", "b"]}).read_bytes()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    texts = open_texts("-")
    for _ in range(2):
        assert [[row.text for row in piece] for piece in texts.read_batches(1)] == [["a"], ["b"]]


@needs_arrow
def test_passes_over_a_file_may_overlap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = written(tmp_path / "f", {"text": list(map(str, range(5000)))}, row_group_size=700).read_bytes()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    texts = open_texts("-")
    assert all(one == other for one, other in zip(texts.read_batches(100), texts.read_batches(100), strict=True))


@needs_arrow
def test_a_text_that_is_null_is_named_by_its_row(tmp_path: Path) -> None:
    error = fault(written(tmp_path / "f", {"text": ["a"] * 2000 + [None]}))
    assert error.where == f"{tmp_path}/f:row 2001"
    assert "`text` is null" in error.message
    assert "--text-field" in error.remedy


@needs_arrow
def test_an_error_of_a_missing_column_lists_the_columns(tmp_path: Path) -> None:
    error = fault(written(tmp_path / "f", {"key": [1], "texts": ["a"]}))
    assert error.where == f"{tmp_path}/f"
    assert "no column is called 'text'" in error.message
    assert "`key`, `texts`" in error.detail
    assert "--text-field texts" in error.remedy


@needs_arrow
@pytest.mark.parametrize(
    ("columns", "options", "where", "says", "remedy"),
    [
        ({"text": [1]}, {}, ":row 1", "`text` is of type int", "--text-field"),
        ({"text": [b"a"]}, {}, "", "'text' holds binary, not text", "from text"),
        ({"text": ["a"], "id": [1.5]}, {}, ":row 1", "`id` is 1.5", "a string or a whole number"),
        ({"text": ["a"], "p": [["b"]]}, {"prompt_field": "p"}, ":row 1", "`p` is of type list", "--prompt-field"),
    ],
)
def test_a_column_of_another_type_is_refused(
    tmp_path: Path,
    columns: dict[str, Any],
    options: dict[str, str],
    where: str,
    says: str,
    remedy: str,
) -> None:
    error = fault(written(tmp_path / "f", columns), **options)
    assert (type(error), error.where) == (FormatError, f"{tmp_path}/f{where}")
    assert says in error.message
    assert remedy in error.remedy


@needs_arrow
def test_an_error_of_a_repeated_id_names_both_rows(tmp_path: Path) -> None:
    error = fault(written(tmp_path / "f", {"id": [1, 2, 1], "text": ["a", "b", "c"]}))
    assert (error.where, error.detail) == (f"{tmp_path}/f:row 3", f"It first stands at {tmp_path}/f:row 1.")


@needs_arrow
@pytest.mark.parametrize("broken", ["footer", "page"])
def test_a_damaged_file_is_an_error(tmp_path: Path, broken: str) -> None:
    path = written(tmp_path / "f", {"text": ["a"] * 100})
    data = bytearray(path.read_bytes())
    at = 4 if broken == "page" else len(data) - 30
    data[at : at + 20] = b"\xff" * 20
    path.write_bytes(data)
    error = fault(path)
    assert error.where == str(path) + (":row 1" if broken == "page" else "")
    assert "is damaged" in error.message
    assert "Copy or download it again" in error.remedy


@needs_arrow
def test_a_text_that_is_not_utf8_is_named_by_its_row(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="needs isogloss[arrow]")
    offsets = arrow.py_buffer(b"\0\0\0\0\1\0\0\0\2\0\0\0")
    column = arrow.Array.from_buffers(arrow.string(), 2, [None, offsets, arrow.py_buffer(b"a\xff")])
    error = fault(written(tmp_path / "f", {"text": column}))
    assert error.where == f"{tmp_path}/f:row 2"
    assert "`text` is not UTF-8" in error.message
    assert error.remedy


@needs_arrow
def test_a_file_that_is_compressed_once_more_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "f", {"text": ["a"]})
    path.write_bytes(gzip.compress(path.read_bytes()))
    with pytest.raises(SourceError, match="a Parquet file"):
        open_texts(path)


@needs_arrow
@given(
    rows=st.lists(st.tuples(st.sampled_from(["", "a", "b\n", "ж"]), st.sampled_from([None, "", "x", "y"])), min_size=1),
    flags=st.lists(st.sampled_from([None, True, False]), min_size=1, max_size=3),
)
def test_parquet_columns_give_the_rows_of_json_lines(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str | None]], flags: list[bool | None]
) -> None:
    folder = tmp_path_factory.mktemp("same")
    columns = {
        "text": [text for text, _ in rows],
        "q": [prompt for _, prompt in rows],
        "genre": [prompt for _, prompt in rows],
        "flag": [flags[at % len(flags)] for at in range(len(rows))],
    }
    cells = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    lines = [json.dumps({**row, "q": row["q"] or None, "genre": row["genre"] or None}) for row in cells]
    (folder / "f.jsonl").write_text("".join(line + "\n" for line in lines))
    written(folder / "f.parquet", columns)
    options: dict[str, Any] = {"prompt_field": "q", "attributes": ("genre", "flag", "absent")}
    assert read_rows(folder / "f.parquet", **options) == read_rows(folder / "f.jsonl", **options)


@needs_arrow
def test_text_within_a_list_that_is_not_utf8_is_named_by_its_row(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="needs isogloss[arrow]")
    offsets = arrow.py_buffer(b"\0\0\0\0\1\0\0\0\2\0\0\0")
    words = arrow.Array.from_buffers(arrow.string(), 2, [None, offsets, arrow.py_buffer(b"a\xff")])
    column = arrow.ListArray.from_arrays(arrow.array([0, 1, 2], arrow.int32()), words)
    error = fault(written(tmp_path / "f", {"text": ["a", "b"], "tokens": column}))
    assert error.where == f"{tmp_path}/f:row 2"
    assert "`tokens` is not UTF-8" in error.message


@needs_arrow
def read_plainly(path: Path) -> list[Any]:
    arrow = pytest.importorskip("pyarrow", reason="needs isogloss[arrow]")
    try:
        rows: list[Any] = arrow.ipc.open_file(path).read_all().to_pylist()
    except (OSError, ValueError):
        return []
    return rows


def test_arrow_batch_that_claims_more_rows_than_its_columns_have_is_refused(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="needs isogloss[arrow]")
    path = tmp_path / "f.arrow"
    table = arrow.table({"text": ["a"] * 7})
    with arrow.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    data = path.read_bytes()
    at = data.index((7).to_bytes(8, "little"))  # the length of the batch stands before those of its columns
    lengths = [place for place in range(at, len(data) - 8) if data[place : place + 8] == (7).to_bytes(8, "little")]
    for place in lengths:
        path.write_bytes(data[:place] + (2**20).to_bytes(8, "little") + data[place + 8 :])
        if read_plainly(path) != table.to_pylist():  # pyarrow before 26 does without one of these lengths
            assert "is damaged" in fault(path).message
