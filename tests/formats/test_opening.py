from __future__ import annotations

import bz2
import gzip
import io
import json
import random
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from libraries import library

from isogloss.errors import DataError, FormatError, IsoglossError, SourceError, UsageError
from isogloss.formats import detection
from isogloss.formats.annotation import AnnotationFormat, Annotations, Documents, Head, LackingOptionError, Options
from isogloss.formats.detection import (
    FORMATS,
    both_in_one,
    format_named,
    head_of,
    opened,
    opened_together,
    recognised,
    writable,
    writer,
)
from isogloss.formats.documents import SpanDocument
from isogloss.formats.tagged import TaggedRow
from isogloss.records.sources import Source

ORDER = (*detection.FOLDERS, *detection.BYTES, *detection.JSON, *detection.TEXTS)
SPAN = {"start": 0, "end": 3, "label": "PER"}
# One content in every format, written by hand; those in binary are made by their libraries.
CONTENTS: dict[str, Any] = {
    "argilla": {"id": "1", "fields": {"text": "Ada"}, "responses": {"spans": [{"value": [SPAN], "user_id": "u"}]}},
    "conll": "Ada\tB-PER\n",
    "conllu": "1\tAda\t_\t_\t_\t_\t_\t_\t_\tNER=B-PER\n",
    "doccano": {"id": 1, "text": "Ada", "label": [[0, 3, "PER"]]},
    "gliner": {"tokenized_text": ["Ada"], "ner": [[0, 0, "PER"]]},
    "jsonl": {"text": "Ada", "entities": [SPAN]},
    "label-studio": {
        "id": 7,
        "data": {"text": "Ada"},
        "annotations": [
            {
                "id": 1,
                "result": [
                    {
                        "from_name": "label",
                        "to_name": "text",
                        "type": "labels",
                        "value": {"start": 0, "end": 3, "text": "Ada", "labels": ["PER"]},
                    },
                ],
            },
        ],
    },
    "mentions": {"text": "Ada", "mentions": [{"text": "Ada", "label": "PER"}]},
    "prodigy": {"text": "Ada", "spans": [SPAN], "answer": "accept", "_input_hash": 1, "_task_hash": 2},
    "pubtator": "1|t|Ada\n1\t0\t3\tAda\tPER\n",
    "spacy": {"text": "Ada", "ents": [SPAN], "tokens": [{"id": 0, "start": 0, "end": 3}]},
    "token-tags": {"tokens": ["Ada"], "ner_tags": ["B-PER"]},
}
JSON = [name for name, content in CONTENTS.items() if isinstance(content, dict)]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def text_of(name: str) -> str:
    content = CONTENTS[name]
    return content if isinstance(content, str) else json.dumps(content) + "\n"


def put(path: str, content: str | bytes) -> Source:
    Path(path).write_bytes(content.encode() if isinstance(content, str) else content)
    return Source(path)


def make(name: str) -> Source:
    """A file or folder in a format."""
    if name in CONTENTS:
        return put("file", text_of(name))
    if name == "brat":
        Path("file").mkdir()
        Path("file/a.txt").write_text("Ada", encoding="utf-8")
        Path("file/a.ann").write_text("T1\tPER 0 3\tAda\n", encoding="utf-8")
    elif name == "arrow":
        pa = library("pyarrow")
        library("pyarrow.parquet").write_table(pa.table({"tokens": [["Ada"]], "ner_tags": [["B-PER"]]}), "file")
    else:
        library("spacy")
        written = writer("docbin").write
        assert written is not None
        written([SpanDocument(1, None, "Ada", [(0, 3, "PER")], file="f")], "file")
    return Source("file")


@pytest.mark.parametrize("name", ORDER)
def test_every_format_is_recognised_and_opened(name: str) -> None:
    source = make(name)
    assert recognised(source) == name
    (document,) = list(read(source))
    assert document.text == "Ada"
    assert not isinstance(document, SpanDocument) or list(document.spans) == [(0, 3, "PER")]


def test_the_order_of_recognition_names_every_format_once() -> None:
    assert sorted(ORDER) == [*FORMATS.names()]


@pytest.mark.parametrize("name", CONTENTS)
def test_no_other_format_takes_a_file_for_its_own_but_the_last_resorts(name: str) -> None:
    head = head_of(put("file", text_of(name)))
    others = {other for other in ORDER if other != name and format_named(other).recognises(head)}
    assert others <= {"jsonl", "conll"}
    assert name == "jsonl" or ORDER.index(name) < ORDER.index("jsonl") or "jsonl" not in others
    assert name == "conll" or "conll" not in others or ORDER.index(name) < ORDER.index("conll")


@pytest.mark.parametrize("name", JSON)
@pytest.mark.parametrize("layout", ["array", "indented array", "array in one line"])
def test_an_array_of_rows_is_recognised_too(name: str, layout: str) -> None:
    rows = [CONTENTS[name]] * 2
    text = {"array": f"[{text_of(name)},\n{text_of(name)}]", "indented array": json.dumps(rows, indent=2)}
    assert recognised(put("file", text.get(layout, json.dumps(rows)))) == name


@pytest.mark.parametrize("name", CONTENTS)
@pytest.mark.parametrize("how", ["gzip", "mark", "blank lines", "Windows"])
def test_how_a_text_is_stored_does_not_matter(name: str, how: str) -> None:
    data = text_of(name).encode()
    stored = {
        "gzip": gzip.compress(data),
        "mark": b"\xef\xbb\xbf" + data,
        "blank lines": b"\n \n\n" + data,
        "Windows": data.replace(b"\n", b"\r\n"),
    }[how]
    assert recognised(put("file.txt", stored)) == name


@pytest.mark.parametrize("name", CONTENTS)
def test_standard_input_is_recognised_and_can_be_read_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text_of(name).encode())))
    source = Source("-")
    assert recognised(source) == name
    assert [len(list(read(source))) for _ in range(2)] == [1, 1]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("{\tO\nAda\tB-PER\n", "jsonl"),  # a broken row: it is told as such
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
        ('{"text": "Ada", "entities": [{"text": "Ada", "label": "PER"}]}\n', "mentions"),
    ],
)
def test_files_that_look_alike_are_told_apart(text: str, name: str) -> None:
    assert recognised(put("file", text)) == name


@pytest.mark.parametrize(
    ("text", "where", "says"),
    [
        ('[{"id": 1, "data": {"text": "a"} "annotations": []}]', "file:1:34", "broken JSON: expecting ',' delimiter"),
        ('[\n {"text": "a",\n  "spans": }\n]', "file:3:12", "broken JSON: expecting value"),
        ('[{"text": ' + "[" * 5000, "file", "nested too deeply"),
        ("[1, 2]", "file:1", "expected `object`, got `int`"),
        ('"x"\n', "file:1", "expected `object`, got `str`"),
    ],
)
def test_json_that_is_in_no_format_is_told_as_json(text: str, where: str, says: str) -> None:
    with pytest.raises(FormatError) as error:
        list(read(put("file", text)))
    assert (error.value.where, says in error.value.message) == (where, True)


def test_a_field_of_answers_makes_a_row_one_of_mentions() -> None:
    source = put("file", '{"text": "Ada", "entities": [], "said": "Ada is a PER"}\n')
    assert recognised(source) == "jsonl"
    assert recognised(source, "said") == "mentions"
    with pytest.raises(FormatError, match="the first row has no field 'other'; it has "):
        recognised(source, "other")


@pytest.mark.parametrize(
    "data",
    [b"", b"\n \r\n\t", b"\xef\xbb\xbf", b"[]", b"\n[ ]\n", gzip.compress(b"", mtime=0)],
    ids=["nothing", "blanks", "mark", "array", "array and blanks", "compressed"],
)
def test_an_empty_file_is_said_to_be_empty(data: bytes) -> None:
    with pytest.raises(SourceError, match="holds no documents"):
        recognised(put("file", data))


@pytest.mark.parametrize(
    "data",
    [
        b"PK\x03\x04" + bytes(60),
        bz2.compress(b"Ada\tB-PER\n" * 100),
        b"\x89PNG\r\n\x1a\n" + bytes(100),
        "Ada\tB-PER\n".encode("utf-16"),
        b"\x1f\x8b broken",
        b"Ad\xe9\tB-PER\n",
    ],
    ids=["zip", "bzip2", "picture", "UTF-16", "broken gzip", "Latin-1"],
)
def test_a_binary_file_is_refused_with_its_name(data: bytes) -> None:
    with pytest.raises(DataError) as error:
        list(read(put("file", data)))
    assert str(error.value).startswith("file")


@pytest.mark.parametrize("seed", range(60))
def test_garbage_is_refused_with_its_name_and_never_a_bug(seed: int) -> None:
    generator = random.Random(seed)
    begins = [b"", b"PAR1", b"ARROW1\0\0", b"\xff\xff\xff\xff", b"x\x9c", b"{", b"[{", b"1|t|", b"\x1f\x8b\x08"]
    source = put("file", begins[seed % len(begins)] + generator.randbytes(generator.randrange(1, 400)))
    with pytest.raises(IsoglossError) as error:
        list(read(source))
    assert "file" in str(error.value).partition("\n")[0]  # what reads it may be missing


@pytest.mark.parametrize("name", [*JSON, "conllu", "pubtator", "conll"])
@pytest.mark.parametrize("seed", range(6))
def test_a_damaged_file_is_read_or_refused_with_its_name(name: str, seed: int) -> None:
    generator = random.Random(f"{name} {seed}")
    data = bytearray(text_of(name).encode() * 3)
    for _ in range(generator.randrange(1, 4)):
        data[generator.randrange(len(data))] = generator.choice(b'\n\t"{}[]:,x0\xff\\')
    try:
        list(read(put("file", bytes(data))))
    except IsoglossError as error:
        assert str(error).startswith(("file", "columns"))  # noqa: PT017  either is right


def read(source: Source) -> Iterator[SpanDocument | TaggedRow]:
    file = opened(source, recognised(source), Options())
    if file.spans is not None:
        yield from file.spans
    if file.tags is not None:
        yield from file.tags


def test_a_folder_without_annotations_is_no_file() -> None:
    Path("some").mkdir()
    with pytest.raises(SourceError, match="is a folder; a file is expected"):
        recognised(Source("some"))


def test_a_folder_that_cannot_be_listed_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_: Path) -> Iterator[Path]:
        raise PermissionError(13, "Permission denied")

    Path("some").mkdir()
    monkeypatch.setattr(Path, "iterdir", refused)
    with pytest.raises(SourceError, match="some: cannot be read: Permission denied"):
        recognised(Source("some"))


def test_an_absent_file_is_absent() -> None:
    with pytest.raises(SourceError, match="no such file"):
        recognised(Source("nowhere"))


@pytest.mark.parametrize("call", [format_named, both_in_one, writer])
def test_an_unknown_name_is_refused_with_similar_ones(call: Any) -> None:
    with pytest.raises(UsageError, match=r"no input format named 'conl'\. Is it one of: .*conll"):
        call("conl")


def test_a_format_that_is_not_written_is_refused_with_those_that_are(monkeypatch: pytest.MonkeyPatch) -> None:
    unwritten = AnnotationFormat("gliner", lambda _: False, format_named("gliner").read)
    monkeypatch.setattr("isogloss.formats.gliner.FORMAT", unwritten)
    assert "gliner" not in writable()
    with pytest.raises(UsageError, match=r"gliner is read, but not written\. Written are: argilla, arrow"):
        writer("gliner")


def test_formats_of_other_packages_are_taken_by_name_or_for_what_no_other_is(monkeypatch: pytest.MonkeyPatch) -> None:
    foreign = AnnotationFormat("mine", lambda head: "x.mine" in head.names, format_named("conll").read)
    added = EntryPoint("mine", "isogloss.formats.detection:foreign", FORMATS.group)
    monkeypatch.setattr("isogloss.formats.detection.foreign", foreign, raising=False)
    monkeypatch.setattr("isogloss.formats.detection.FORMATS", replace(FORMATS))  # what it has found is not kept
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [added] if group == FORMATS.group else [])
    Path("folder").mkdir()
    Path("folder/x.mine").touch()
    assert format_named("mine") is foreign
    assert recognised(Source("folder")) == "mine"


def test_the_head_has_the_first_object_of_an_array_that_is_longer_than_the_head() -> None:
    rows = [{"tokenized_text": ["a" * 100], "ner": []}] * 2000
    head = head_of(put("file", json.dumps(rows)))
    assert head.row == rows[0]
    assert head_of(put("file", json.dumps(rows[0]) + "\n{broken")).row == rows[0]


def recording(name: str, lacks: tuple[str, ...], seen: list[Options]) -> AnnotationFormat:
    """A format that lacks some options, and notes with which it is read."""

    def read(_: Source, options: Options) -> Annotations:
        for option in lacks:
            if getattr(options, option) != getattr(Options, option):
                raise LackingOptionError(option, f"{name} has no {option}")
        seen.append(options)
        return Annotations(spans=Documents(name, lambda: iter(())))

    def never(_: Head) -> bool:
        return False

    return AnnotationFormat(name, never, read)


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> list[Options]:
    """The formats `conll` and `jsonl` for two that lack columns, or strict spans, and neither has answers."""
    seen: list[Options] = []
    one, other = recording("one", ("strict_spans", "answers"), seen), recording("other", ("columns", "answers"), seen)
    monkeypatch.setattr("isogloss.formats.conll.annotation.FORMAT", one)
    monkeypatch.setattr("isogloss.formats.jsonl.FORMAT", other)
    return seen


def together(first: str, second: str, **given: Any) -> None:
    sources = [Source("a"), Source("b")]
    opened_together(sources, [first, second], [Options(side=side, **given) for side in ("reference", "predicted")])


def test_an_option_is_meant_for_the_format_that_has_it(two: list[Options]) -> None:
    together("conll", "jsonl", columns=(1, 2), strict_spans=True)
    assert [(each.side, each.columns, each.strict_spans) for each in two] == [
        ("reference", (1, 2), False),
        ("predicted", None, True),
    ]


@pytest.mark.parametrize(
    ("formats", "given", "says"),
    [
        (("conll", "jsonl"), {"answers": "a"}, "one has no answers"),
        (("conll", "conll"), {"strict_spans": True}, "one has no strict_spans"),
        (("jsonl", "jsonl"), {"columns": (1,), "answers": "a"}, "other has no columns"),
    ],
)
def test_an_option_that_neither_format_has_is_refused(
    formats: tuple[str, str],
    given: dict[str, Any],
    says: str,
    two: list[Options],
) -> None:
    with pytest.raises(UsageError, match=says):
        together(*formats, **given)


def test_a_file_alone_is_refused_what_its_format_lacks(two: list[Options]) -> None:
    with pytest.raises(UsageError, match="other has no columns"):
        opened(Source("a"), "jsonl", Options(columns=(1, 2)))
    assert two == []
