from __future__ import annotations

import bz2
import gzip
import json
import random
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from format_samples import CONTENTS, text_of

from isogloss.errors import DataError, FormatError, IsoglossError, SourceError, UsageError
from isogloss.formats import detection
from isogloss.formats.annotation import (
    AnnotationFile,
    AnnotationFormat,
    DocumentReader,
    FileHead,
    FormatOptions,
    OptionReasons,
)
from isogloss.formats.detection import (
    detect_format,
    list_writable_formats,
    load_format,
    load_writable_format,
    open_annotations,
    open_together,
    read_head,
)
from isogloss.formats.documents import SpanDocument
from isogloss.formats.registry import FORMATS
from isogloss.formats.tagged_documents import TaggedRow
from isogloss.records.sources import Source

ORDER = (*detection.FOLDER_FORMATS, *detection.BINARY_FORMATS, *detection.JSON_FORMATS, *detection.TEXT_FORMATS)


def put(path: str, content: str | bytes) -> Source:
    Path(path).write_bytes(content.encode() if isinstance(content, str) else content)
    return Source(path)


def test_the_order_of_recognition_names_every_format_once() -> None:
    assert sorted({*ORDER}) == [*FORMATS.list_names()]
    for each in (detection.FOLDER_FORMATS, detection.BINARY_FORMATS, detection.JSON_FORMATS, detection.TEXT_FORMATS):
        assert len({*each}) == len(each)


def test_no_other_format_takes_a_file_for_its_own_but_the_last_resorts() -> None:
    for name in CONTENTS:
        head = read_head(put("file", text_of(name)))
        others = {other for other in ORDER if other != name and load_format(other).can_read(head)}
        if name in detection.RECOGNISER_FORMATS:  # with keys of other formats beside their own
            assert all(ORDER.index(name) < ORDER.index(other) for other in others)
            continue
        assert others <= {"jsonl", "conll"}
        assert name == "jsonl" or ORDER.index(name) < ORDER.index("jsonl") or "jsonl" not in others
        assert name == "conll" or "conll" not in others or ORDER.index(name) < ORDER.index("conll")


def test_formats_of_similar_files_are_detected() -> None:
    for text, name in [
        ("{\tO\nAda\tB-PER\n", "jsonl"),  # a broken row, reported as broken JSON lines
        ("[\tO\nAda\tB-PER\n", "conll"),  # a token that is a bracket
        ("[CLS]\tO\nAda\tB-PER\n", "conll"),
        ("7\tO\n8\tO\n", "conll"),
        ('"\tO\nAda\tB-PER\n', "conll"),
        ("xylophone\tO\n", "conll"),  # x begins what zlib compresses
        ("PAR1\tO\n", "arrow"),  # the beginning of a Parquet file
        ("1|t\tO\n", "conll"),
        ("-DOCSTART-\tO\n\nAda\tB-PER\n", "conll"),
        ("# a comment\nAda\tB-PER\n", "conll"),
        ("1\tAda\tB-PER\t-\tme\n", "conll"),  # a tagger's columns with a number first
        ("2\tAda\t_\t_\t_\t_\t_\t_\t_\tNER=B-PER\n", "conll"),  # no sentence begins with 2
        ("1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n1\tde\t_\t_\t_\t_\t_\t_\t_\t_\n", "conllu"),
        ("# global.columns = ID FORM NER\n1\tAda\tB-PER\n", "conllu"),
        ('{"text": "Ada", "tokens": [{"start": 0, "end": 3}], "tags": ["B-PER"]}\n', "jsonl"),
        ('{"tokens": [], "ner_tags": []}\n', "token-tags"),
        ('{"tokens": ["Ada"], "predicted_tags": ["B-PER"]}\n', "token-tags"),
        (f"{'1' * 5000}\tAda" + "\t_" * 8 + "\n", "conll"),
        ('{"words": ["Ada"], "labels": [3]}\n', "token-tags"),
        ('{"anything": 1}\n', "jsonl"),
        ('{\n  "text": "Ada",\n  "entities": []\n}\n', "jsonl"),
        ("a|t\tB-PER\n", "conll"),
        ("7|a|x\n", "conll"),
        ("a\tb|t|c\n", "conll"),
        ("|t|\n", "conll"),
    ]:
        assert detect_format(put("file", text)) == name


X = {"start": 0, "end": 1, "label": "A"}
ADA = {"text": "Ada", "label": "PER"}
ROWS: list[tuple[str, dict[str, Any]]] = [
    ("argilla", {"text": "x", "tokens": ["x"], "prediction": []}),
    ("doccano", {"text": "x", "label": []}),
    ("doccano", {"text": "x", "entities": [], "relations": []}),
    ("doccano", {"text": "x", "annotations": [{"label": 2, "start_offset": 0, "end_offset": 1, "user": 1}]}),
    ("jsonl", {"text": "x", "tokens": [{"start": 0, "end": 1}], "tags": ["O"]}),
    ("jsonl", {"text": "x", "fields": "x", "entities": []}),
    ("jsonl", {"text": "x", "entities": []}),
    ("jsonl", {"text": "x", "label": ["positive"], "entities": []}),
    ("jsonl", {"text": "x", "spans": [X]}),
    ("jsonl", {"text": "x", "spans": []}),
    ("jsonl", {"text": "x", "answer": "yes", "entities": []}),
    ("jsonl", {"text": "x", "answer": "[]", "entities": []}),
    ("jsonl", {"text": "Ada", "entities": [ADA | X]}),
    ("jsonl", {"text": "Ada", "entities": [[0, 3, "PER"]]}),
    ("mentions", {"mentions": []}),
    ("mentions", {"mentions": None}),
    ("mentions", {"text": "Ada", "entities": [ADA]}),
    ("mentions", {"text": "Ada", "entities": [["Ada", "PER"]]}),
    ("mentions", {"text": "Ada", "entities": {"PER": ["Ada"]}}),
    ("prodigy", {"text": "x", "answer": "accept"}),
    ("prodigy", {"text": "x", "spans": [X | {"token_start": 0, "token_end": 0}]}),
    ("prodigy", {"text": "x", "ents": [], "_input_hash": 3}),
    ("spacy", {"text": "x", "ents": []}),
    ("spacy", {"text": "x", "spans": {"sc": []}}),
]


def test_json_is_recognised_by_its_first_row() -> None:
    for name, row in ROWS:
        assert detect_format(put("file", json.dumps(row) + "\n")) == name, row


def test_json_of_an_unknown_format_gives_a_json_error() -> None:
    for text, where, says in [
        ('[{"id": 1, "data": {"text": "a"} "annotations": []}]', "file:1:34", "broken JSON: expecting ',' delimiter"),
        ('[\n {"text": "a",\n  "spans": }\n]', "file:3:12", "broken JSON: expecting value"),
        ('[{"text": ' + "[" * 100_000, "file", "nested too deeply"),
        ("[1, 2]", "file:1", "expected `object`, got `int`"),
        ('"x"\n', "file:1", "expected `object`, got `str`"),
    ]:
        with pytest.raises(FormatError) as error:
            list(read(put("file", text)))
        assert (error.value.where, says in error.value.message) == (where, True)


def test_a_field_of_answers_makes_a_row_one_of_mentions() -> None:
    source = put("file", '{"text": "Ada", "entities": [], "said": "Ada is a PER"}\n')
    assert detect_format(source) == "jsonl"
    assert detect_format(source, "said") == "mentions"
    with pytest.raises(FormatError, match="the first row has no field 'other'; it has "):
        detect_format(source, "other")


def test_empty_file_is_reported_as_empty() -> None:
    for data in [b"", b"\n \r\n\t", b"\xef\xbb\xbf", b"[]", b"\n[ ]\n", gzip.compress(b"", mtime=0)]:
        with pytest.raises(SourceError, match="holds no documents"):
            detect_format(put("file", data))


def test_a_binary_file_is_refused_with_its_name() -> None:
    for data in [
        b"PK\x03\x04" + bytes(60),
        bz2.compress(b"Ada\tB-PER\n" * 100),
        b"\x89PNG\r\n\x1a\n" + bytes(100),
        "Ada\tB-PER\n".encode("utf-16"),
        b"\x1f\x8b broken",
        b"Ad\xe9\tB-PER\n",
    ]:
        with pytest.raises(DataError) as error:
            list(read(put("file", data)))
        assert str(error.value).startswith("file")


def test_garbage_is_refused_with_its_name_and_never_a_bug() -> None:
    begins = [b"", b"PAR1", b"ARROW1\0\0", b"\xff\xff\xff\xff", b"x\x9c", b"{", b"[{", b"1|t|", b"\x1f\x8b\x08"]
    for seed in range(60):
        generator = random.Random(seed)
        source = put("file", begins[seed % len(begins)] + generator.randbytes(generator.randrange(1, 400)))
        with pytest.raises(IsoglossError) as error:
            list(read(source))
        assert "file" in str(error.value).partition("\n")[0], seed  # what reads it may be missing


def read(source: Source) -> Iterator[SpanDocument | TaggedRow]:
    file = open_annotations(source, detect_format(source), FormatOptions())
    if file.spans is not None:
        yield from file.spans
    if file.tags is not None:
        yield from file.tags


def test_a_folder_without_annotations_is_no_file() -> None:
    Path("some").mkdir()
    with pytest.raises(SourceError, match="is a folder; a file is expected"):
        detect_format(Source("some"))


def test_a_folder_that_cannot_be_listed_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_: Path) -> Iterator[Path]:
        raise PermissionError(13, "Permission denied")

    Path("some").mkdir()
    monkeypatch.setattr(Path, "iterdir", refused)
    with pytest.raises(SourceError, match="some: cannot be read: Permission denied"):
        detect_format(Source("some"))


@pytest.mark.parametrize("call", [load_format, load_writable_format])
def test_an_unknown_name_is_refused_with_similar_ones(call: Any) -> None:
    with pytest.raises(UsageError, match=r"Unknown input format 'conl'; did you mean conll"):
        call("conl")


def test_a_format_that_is_not_written_is_refused_with_those_that_are(monkeypatch: pytest.MonkeyPatch) -> None:
    unwritten = AnnotationFormat("gliner", lambda _: False, load_format("gliner").read)
    monkeypatch.setattr("isogloss.formats.gliner.FORMAT", unwritten)
    assert "gliner" not in list_writable_formats()
    with pytest.raises(UsageError, match=r"gliner can be read, but not written\. Choose from argilla, arrow"):
        load_writable_format("gliner")


def test_formats_of_other_packages_are_taken_by_name_or_for_what_no_other_is(monkeypatch: pytest.MonkeyPatch) -> None:
    foreign = AnnotationFormat("mine", lambda head: "x.mine" in head.file_names, load_format("conll").read)
    added = EntryPoint("mine", "isogloss.formats.detection:foreign", FORMATS.group)
    monkeypatch.setattr("isogloss.formats.detection.foreign", foreign, raising=False)
    monkeypatch.setattr("isogloss.formats.detection.FORMATS", replace(FORMATS))  # what it has found is not kept
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [added] if group == FORMATS.group else [])
    Path("folder").mkdir()
    Path("folder/x.mine").touch()
    assert load_format("mine") is foreign
    assert detect_format(Source("folder")) == "mine"


def test_the_head_has_the_first_object_of_an_array_that_is_longer_than_the_head() -> None:
    rows = [{"tokenized_text": ["a" * 100], "ner": []}] * 2000
    head = read_head(put("file", json.dumps(rows)))
    assert head.first_row == rows[0]
    assert read_head(put("file", json.dumps(rows[0]) + "\n{broken")).first_row == rows[0]


def recording(name: str, options: tuple[str, ...], seen: list[FormatOptions]) -> AnnotationFormat:
    """A format with some options, which notes with which it is read."""

    def read(_: Source, options: FormatOptions) -> AnnotationFile:
        seen.append(options)
        return AnnotationFile(spans=DocumentReader(name, lambda: iter(())))

    def never(_: FileHead) -> bool:
        return False

    return AnnotationFormat(name, never, read, options=options)


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> list[FormatOptions]:
    """The formats `conll` and `jsonl` for two that lack columns, or strict spans, and neither has answers."""
    seen: list[FormatOptions] = []
    one, other = recording("one", ("columns",), seen), recording("other", ("strict_spans",), seen)
    monkeypatch.setattr("isogloss.formats.conll.annotation.FORMAT", one)
    monkeypatch.setattr("isogloss.formats.jsonl.FORMAT", other)
    return seen


def together(first: str, second: str, **given: Any) -> OptionReasons:
    """Open both formats together, and return the options that neither has."""
    sources = [Source("a"), Source("b")]
    _, unsupported = open_together(
        sources, [first, second], [FormatOptions(side=side, **given) for side in ("reference", "predicted")]
    )
    return unsupported


def test_an_option_is_meant_for_the_format_that_has_it(two: list[FormatOptions]) -> None:
    assert together("conll", "jsonl", columns=(1, 2), strict_spans=True) == {}
    assert [(each.side, each.columns, each.strict_spans) for each in two] == [
        ("reference", (1, 2), False),
        ("predicted", None, True),
    ]


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize(
    ("formats", "given", "reasons"),
    [
        (("conll", "jsonl"), {"answers": "a"}, {"answers": "The format one has no --answers: leave it out."}),
        (
            ("conll", "conll"),
            {"strict_spans": True},
            {"strict_spans": "The format one has no --strict-spans: leave it out."},
        ),
        (
            ("jsonl", "jsonl"),
            {"columns": (1,), "answers": "a"},
            {option: f"The format other has no --{option}: leave it out." for option in ("columns", "answers")},
        ),
    ],
)
def test_options_that_neither_format_has_are_listed(
    formats: tuple[str, str], given: dict[str, Any], reasons: dict[str, str]
) -> None:
    assert together(*formats, **given) == reasons


def test_an_option_that_a_format_cannot_apply_to_a_file_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[FormatOptions] = []

    def find_faults(_: Source, options: FormatOptions) -> OptionReasons:
        return {"columns": "no names"} if options.columns == ("a",) else {}

    one = replace(recording("one", ("columns",), seen), find_faults=find_faults)
    monkeypatch.setattr("isogloss.formats.conll.annotation.FORMAT", one)
    assert together("conll", "conll", columns=(1,)) == {}
    assert together("conll", "conll", columns=("a",), answers="x") == {
        "columns": "no names",
        "answers": "The format one has no --answers: leave it out.",
    }
    assert [each.columns for each in seen] == [(1,), (1,), None, None]


def test_a_file_alone_is_refused_what_its_format_lacks(two: list[FormatOptions]) -> None:
    with pytest.raises(UsageError, match="other has no --columns"):
        open_annotations(Source("a"), "jsonl", FormatOptions(columns=(1, 2)))
    assert two == []
