from __future__ import annotations

import io
import json
import random
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flat_spans import flat
from hypothesis import given
from hypothesis import strategies as st
from libraries import library
from span_texts import LETTERS, content, document, documents, read, read_rows, read_tagged, write

from isogloss.errors import DataError, FormatError, IsoglossError
from isogloss.formats.annotation import AnnotationFile, FormatOptions
from isogloss.formats.detection import detect_format, open_annotations
from isogloss.formats.documents import SpanDocument
from isogloss.formats.tagged_documents import TaggedRow
from isogloss.records.parquet import SharedFileView
from isogloss.records.sources import Source

pa = library("pyarrow")
parquet = library("pyarrow.parquet")
feather = library("pyarrow.feather")

NAMES = ["O", "B-PER", "I-PER"]
TOKENS = {"tokens": [["Ada", "met"], ["Bob"]], "ner_tags": [["B-PER", "O"], ["B-PER"]]}
SPAN = {"start": 0, "end": 3, "label": "PER"}
SPANS = {"text": ["Ada met", "Bob"], "entities": [[SPAN], []]}


def as_file(table: Any, path: str) -> None:
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=1)


def as_stream(table: Any, path: str) -> None:
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=1)


KINDS: dict[str, Callable[[Any, str], None]] = {
    "Parquet": lambda table, path: parquet.write_table(table, path, row_group_size=1),
    "Feather": feather.write_feather,
    "Feather compressed": lambda table, path: feather.write_feather(table, path, compression="zstd"),
    "file": as_file,
    "stream": as_stream,
}


def table(content: Any, features: Any = None) -> Any:
    made = content if isinstance(content, pa.Table) else pa.table(content)
    if features is None:
        return made
    return made.replace_schema_metadata({"huggingface": json.dumps({"info": {"features": features}})})


def open_it(content: Any, features: Any = None, **options: Any) -> AnnotationFile:
    parquet.write_table(table(content, features), "file")
    return open_annotations(Source("file"), "arrow", FormatOptions(**options))


def rows(content: Any, features: Any = None, **options: Any) -> list[TaggedRow]:
    parquet.write_table(table(content, features), "file")
    return read_rows("file", "arrow", **options)


def tags(content: Any, features: Any = None, **options: Any) -> list[list[str]]:
    return [list(row.tags) for row in rows(content, features, **options)]


def spans(content: Any, features: Any = None, **options: Any) -> list[SpanDocument]:
    parquet.write_table(table(content, features), "file")
    return read("file", "arrow", **options)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("columns", [TOKENS, SPANS], ids=["tokens", "spans"])
def test_every_kind_of_file_is_recognised_and_read_again_and_again(kind: str, columns: Any) -> None:
    KINDS[kind](table(columns), "file")
    source = Source("file")
    assert detect_format(source) == "arrow"
    file = open_annotations(source, "arrow", FormatOptions())
    read = file.tags or file.spans
    assert read is not None
    assert [[row.text for row in read] for _ in range(2)] == [["Ada met", "Bob"]] * 2
    assert source.sha256 is not None


@pytest.mark.parametrize("kind", KINDS)
def test_two_passes_over_standard_input_do_not_disturb_each_other(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    KINDS[kind](table({"text": [f"{at}" for at in range(50)], "entities": [[]] * 50}), "file")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path("file").read_bytes())))
    file = open_annotations(Source("-"), "arrow", FormatOptions()).spans
    assert file is not None
    pairs = list(zip(file, file, strict=True))
    assert [(one.text, other.text) for one, other in pairs] == [(f"{at}", f"{at}") for at in range(50)]


def test_tokens_are_joined_or_stand_in_the_text() -> None:
    first, second = rows({**TOKENS, "text": ["Ada\nmet", None], "id": [7, 8]})
    assert (first.text, first.joined, first.get_words(), first.id) == ("Ada\nmet", False, ["Ada", "met"], "7")
    assert (second.text, second.joined, second.format_place(0)) == ("Bob", True, "file:row 2")


@pytest.mark.parametrize(
    "feature",
    [
        {"feature": {"names": NAMES, "_type": "ClassLabel"}, "_type": "List"},
        {"feature": {"names": NAMES, "_type": "ClassLabel"}, "length": -1, "_type": "Sequence"},
        [{"names": NAMES, "_type": "ClassLabel"}],
    ],
)
def test_numbers_are_named_by_the_features_of_the_dataset(feature: Any) -> None:
    columns = {"tokens": [["a", "b"]], "ner_tags": [[1, 0]]}
    assert tags(columns, {"ner_tags": feature}) == [["B-PER", "O"]]


def test_numbers_without_names_are_refused() -> None:
    for features in [None, {}, {"ner_tags": {"dtype": "int64"}}, "broken", ["x"]]:
        with pytest.raises(FormatError, match=r"file:row 1: `ner_tags\[0\]` is 1, and no file names its tag"):
            rows({"tokens": [["a"]], "ner_tags": [[1]]}, features)


def test_metadata_that_is_no_json_names_nothing() -> None:
    made = pa.table({"tokens": [["a"]], "ner_tags": [[1]]}).replace_schema_metadata({"huggingface": b"\xff{"})
    with pytest.raises(FormatError, match="no file names its tag"):
        rows(made)


@pytest.mark.parametrize(
    "kind",
    [
        lambda: pa.list_(pa.string()),
        lambda: pa.large_list(pa.large_string()),
        lambda: pa.list_(pa.dictionary(pa.int8(), pa.string())),
        lambda: pa.list_(pa.string(), 1),
    ],
)
def test_lists_of_text_may_be_of_any_type(kind: Callable[[], Any]) -> None:
    columns = {"words": pa.array([["a"]], kind()), "labels": pa.array([["B-X"]], kind())}
    assert tags(columns) == [["B-X"]]


def test_a_file_may_hold_both_sides() -> None:
    both = {**TOKENS, "predicted_tags": [["O", "O"], ["O"]], "crf": [["B-X", "O"], ["O"]]}
    assert tags(both, single_file=True) == TOKENS["ner_tags"]
    assert tags(both, single_file=True, side="predicted") == tags(both, side="predicted") == [["O", "O"], ["O"]]
    chosen = ("tokens", "ner_tags", "crf")
    assert tags(both, single_file=True, side="predicted", columns=chosen) == [["B-X", "O"], ["O"]]
    assert tags(both, single_file=True, columns=chosen) == TOKENS["ner_tags"]
    assert tags(both, columns=("tokens", "crf")) == [["B-X", "O"], ["O"]]


def test_spans_may_be_a_struct_of_lists_and_labels_numbers_with_names() -> None:
    kind = pa.struct([("start", pa.list_(pa.int32())), ("end", pa.list_(pa.int32())), ("type", pa.list_(pa.int64()))])
    columns = {"text": ["Ada"], "entities": pa.array([{"start": [0, 1], "end": [3, 2], "type": [0, 1]}], kind)}
    features = {"entities": {"feature": {"start": {}, "end": {}, "type": {"names": ["PER", "X"]}}, "_type": "Sequence"}}
    assert [list(each.spans) for each in spans(columns, features)] == [[(0, 3, "PER"), (1, 2, "X")]]
    listed = {"text": ["Ada"], "spans": [[{"start": 0, "end": 3, "label": 1}]]}
    for feature in ([{"label": {"names": ["A", "B"]}}], {"feature": {"label": {"names": ["A", "B"]}}, "_type": "List"}):
        assert [list(each.spans) for each in spans(listed, {"spans": feature})] == [[(0, 3, "B")]]


def test_the_text_of_a_span_is_checked_and_repaired_on_request() -> None:
    columns = {"text": ["👍 Ada"], "entities": [[{**SPAN, "start": 3, "end": 6, "text": "Ada"}]]}
    with pytest.raises(DataError, match="file:row 1: the span") as error:
        spans(columns)
    assert "These count UTF-16 code units" in str(error.value)
    (document,) = spans(columns, repair_offsets=True)
    assert (list(document.spans), document.warnings[0].code) == ([(2, 5, "PER")], "offsets-repaired")


def test_a_file_with_texts_may_hold_both_sides() -> None:
    both = {**SPANS, "predicted_spans": [[], [SPAN]]}
    assert [len(each.spans) for each in spans(both, single_file=True)] == [1, 0]
    assert [len(each.spans) for each in spans(both, single_file=True, side="predicted")] == [0, 1]
    assert [len(each.spans) for each in spans(both, columns=("text", "predicted_spans"))] == [0, 1]


def test_a_text_may_be_null_and_spans_without_one_stay() -> None:
    (document,) = spans({"text": pa.array([None], pa.string()), "entities": [[SPAN]]})
    assert (document.text, list(document.spans)) == (None, [(0, 3, "PER")])


def test_chosen_columns_are_kept_and_all_columns_listed() -> None:
    columns = {**SPANS, "genre": ["news", None], "year": [7, 8]}
    assert [each.columns for each in spans(columns, attributes=("genre", "year", "other"))] == [
        {"genre": "news", "year": "7"},
        {"year": "8"},
    ]
    assert list(open_it(columns).list_columns()) == ["text", "genre", "year"]
    assert rows({**TOKENS, "genre": ["x", "y"]}, attributes=("genre",))[0].columns == {"genre": "x"}


@pytest.mark.parametrize(
    ("columns", "options", "says"),
    [
        ({"a": [1]}, {}, "has no column 'tokens' or 'words' or 'text'"),
        ({"tokens": [["a"]]}, {}, "has no column 'ner_tags' or 'tags' or 'labels'"),
        ({"text": ["a"]}, {}, "has no column 'entities' or 'spans'"),
        ({"tokens": [["a"]], "ner_tags": ["O"]}, {}, "the column 'ner_tags' holds string"),
        ({"text": ["a"], "entities": [["x"]]}, {}, "the column 'entities' holds list"),
        (TOKENS, {"single_file": True, "side": "predicted"}, "has no column 'predicted_tags' or 'predictions'"),
        (SPANS, {"single_file": True, "side": "predicted"}, "has no column 'predicted_entities'"),
        (TOKENS, {"columns": ("tokens", "nothing")}, "has no column 'nothing'"),
        (TOKENS, {"columns": ("ner", "ner_tags")}, "has no column 'ner'"),
    ],
)
def test_missing_column_error_lists_the_columns(columns: Any, options: Any, says: str) -> None:
    with pytest.raises(FormatError, match=says) as error:
        open_it(columns, **options)
    assert error.value.where == "file"
    assert error.value.detail == f"It has {', '.join(map(repr, columns))}."


def test_two_columns_of_one_name_are_refused() -> None:
    twice = pa.Table.from_arrays([pa.array(TOKENS["tokens"])] * 2, names=["tokens", "tokens"])
    as_stream(twice, "file")
    with pytest.raises(FormatError, match="has two columns named 'tokens'"):
        open_annotations(Source("file"), "arrow", FormatOptions())


STRINGS = ("tokens", "ner_tags")


def test_error_names_the_row() -> None:
    for columns, says in [
        (dict(zip(STRINGS, ([["a"], None], [["O"], ["O"]]), strict=True)), "`tokens` is null"),
        (dict(zip(STRINGS, ([["a"], ["a"]], [["O"], None]), strict=True)), "`ner_tags` is null"),
        (dict(zip(STRINGS, ([["a"], ["a"]], [["O"], [None]]), strict=True)), r"`ner_tags\[0\]` is not a tag"),
        (dict(zip(STRINGS, ([["a"], ["a", None]], [["O"], ["O", "O"]]), strict=True)), "token 2 is empty"),
        (dict(zip(STRINGS, ([["a"], ["a"]], [["O"], []]), strict=True)), "1 token, but 0 tags"),
        ({"text": ["a", "b"], "entities": [[], [{**SPAN, "start": None}]]}, "has a malformed span: {'start': None"),
        ({"text": ["a", "b"], "entities": [[SPAN | {"end": 1}], [None]]}, "has a malformed span: {}"),
        ({"text": ["a", "b"], "entities": [[], [{**SPAN, "label": None}]]}, "has a malformed span"),
    ]:
        file = open_it(columns)
        with pytest.raises(FormatError, match=says) as error:
            list(file.tags or file.spans or ())
        assert error.value.where == "file:row 2"


def test_lists_of_a_struct_that_are_not_as_long_are_refused() -> None:
    kind = pa.struct([(name, pa.list_(pa.int64())) for name in ("start", "end", "label")])
    columns = {"text": ["Ada"], "entities": pa.array([{"start": [0], "end": [3, 4], "label": [0]}], kind)}
    with pytest.raises(FormatError, match="not of the same length"):
        spans(columns, {"entities": {"label": {"names": ["A"]}}})


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_is_cut_short_is_refused_with_its_name(kind: str) -> None:
    KINDS[kind](table(TOKENS), "file")
    data = Path("file").read_bytes()
    for length in (8, len(data) // 2, len(data) - 3 if kind != "stream" else len(data) // 2 + 50):
        Path("file").write_bytes(data[:length])
        with pytest.raises(FormatError, match="is damaged") as error:
            list(open_annotations(Source("file"), "arrow", FormatOptions()).tags or ())
        assert str(error.value.where).startswith("file")


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_file_is_read_or_refused_with_its_name(kind: str) -> None:
    KINDS[kind](table({**TOKENS, **SPANS}), "file")
    whole = Path("file").read_bytes()
    for seed in range(40):
        generator, data = random.Random(f"{kind} {seed}"), bytearray(whole)
        for _ in range(generator.randrange(1, 12)):
            data[generator.randrange(8, len(data))] = generator.randrange(256)
        Path("file").write_bytes(bytes(data))
        try:
            for columns in (STRINGS, ("text", "entities")):
                file = open_annotations(Source("file"), "arrow", FormatOptions(columns=columns))
                list(file.tags or file.spans or ())
        except IsoglossError as error:
            assert str(error).startswith("file"), seed  # noqa: PT017  either is right


def test_corrupt_batch_error_names_the_first_row() -> None:
    as_file(table({"text": ["first text", "second text"], "entities": [[], []]}), "file")
    data = Path("file").read_bytes()
    Path("file").write_bytes(data.replace(b"second text", b"sec\xffnd text"))
    file = open_annotations(Source("file"), "arrow", FormatOptions()).spans
    assert file is not None
    found = iter(file)
    assert next(found).text == "first text"
    with pytest.raises(FormatError, match=r"file:row 2: `text` is not UTF-8"):
        next(found)


def test_what_is_no_table_is_refused() -> None:
    Path("file").write_text("Ada\tB-PER\n", encoding="utf-8")
    with pytest.raises(FormatError, match="file: is damaged, or not a Parquet or Arrow file"):
        open_annotations(Source("file"), "arrow", FormatOptions())


def test_a_view_of_a_file_has_a_place_of_its_own() -> None:
    file = io.BytesIO(b"0123456789")
    one, other = SharedFileView(file), SharedFileView(file)
    assert (one.readable(), one.seekable(), one.seek(-3, io.SEEK_END)) == (True, True, 7)
    assert (other.read(2), one.read(1 << 62), other.read(2), one.tell()) == (b"01", b"789", b"23", 10)
    assert (other.seek(1, io.SEEK_CUR), other.read()) == (5, b"56789")
    assert (one.seek(20), one.read(5)) == (20, b"")


@pytest.mark.parametrize("kind", ["Parquet", "file", "stream"])
def test_memory_does_not_grow_with_the_file(kind: str) -> None:
    def made(batches: int) -> str:
        path = f"{kind}.{batches}"
        text = ["x" * 1000] * 500
        part = pa.record_batch({"text": text, "entities": pa.array([[SPAN]] * 500)})
        writers = {"Parquet": parquet.ParquetWriter, "file": pa.ipc.new_file, "stream": pa.ipc.new_stream}
        with writers[kind](path, part.schema) as writer:
            for _ in range(batches):
                writer.write_batch(part)
        return path

    def most(path: str) -> tuple[int, int]:
        pa.default_memory_pool().release_unused()
        before = pa.total_allocated_bytes()
        tracemalloc.start()
        file = open_annotations(Source(path), "arrow", FormatOptions()).spans
        assert file is not None
        arrow = max(pa.total_allocated_bytes() - before for _ in file)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return arrow, peak

    small, large = most(made(8)), most(made(64))
    assert large[0] < 2 * small[0] + 4_000_000
    assert large[1] < 2 * small[1] + 1_000_000


@pytest.mark.parametrize("count", [0, 2])
def test_the_name_of_a_file_says_what_is_written(count: int) -> None:
    corpus = [document("Ada met", (0, 7, "G"), (0, 3, "P"), id="a"), document("", id=None)][:count]
    for name in ("out.parquet", "out", "out.arrow", "out.FEATHER", "out.ipc"):
        write(corpus, "arrow", name)
        assert Path(name).read_bytes()[:4] == (b"PAR1" if name in {"out.parquet", "out"} else b"ARRO")
        assert [content(each) for each in read(name)] == [content(each) for each in corpus]


@given(corpus=st.lists(documents(LETTERS + "\0").map(flat), max_size=3))
def test_tags_that_are_written_are_read_back(corpus: list[SpanDocument]) -> None:
    write(corpus, "arrow", "out.parquet", "iobes")
    assert [content(each) for each in read_tagged("out.parquet", "arrow", "iobes")] == [
        content(each) for each in corpus
    ]


def test_more_rows_than_are_written_at_once_are_written() -> None:
    write([document(str(at)) for at in range(5000)], "arrow", "out.arrow")
    assert [each.text for each in read("out.arrow")] == [str(at) for at in range(5000)]
