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


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def put(path: str, content: str | bytes) -> Source:
    Path(path).write_bytes(content.encode() if isinstance(content, str) else content)
    return Source(path)


def test_the_order_of_recognition_names_every_format_once() -> None:
    assert sorted(ORDER) == [*FORMATS.names()]


def test_no_other_format_takes_a_file_for_its_own_but_the_last_resorts() -> None:
    for name in CONTENTS:
        head = head_of(put("file", text_of(name)))
        others = {other for other in ORDER if other != name and format_named(other).recognises(head)}
        assert others <= {"jsonl", "conll"}
        assert name == "jsonl" or ORDER.index(name) < ORDER.index("jsonl") or "jsonl" not in others
        assert name == "conll" or "conll" not in others or ORDER.index(name) < ORDER.index("conll")


def test_files_that_look_alike_are_told_apart() -> None:
    for text, name in [
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
    ]:
        assert recognised(put("file", text)) == name


def test_json_that_is_in_no_format_is_told_as_json() -> None:
    for text, where, says in [
        ('[{"id": 1, "data": {"text": "a"} "annotations": []}]', "file:1:34", "broken JSON: expecting ',' delimiter"),
        ('[\n {"text": "a",\n  "spans": }\n]', "file:3:12", "broken JSON: expecting value"),
        ('[{"text": ' + "[" * 5000, "file", "nested too deeply"),
        ("[1, 2]", "file:1", "expected `object`, got `int`"),
        ('"x"\n', "file:1", "expected `object`, got `str`"),
    ]:
        with pytest.raises(FormatError) as error:
            list(read(put("file", text)))
        assert (error.value.where, says in error.value.message) == (where, True)


def test_a_field_of_answers_makes_a_row_one_of_mentions() -> None:
    source = put("file", '{"text": "Ada", "entities": [], "said": "Ada is a PER"}\n')
    assert recognised(source) == "jsonl"
    assert recognised(source, "said") == "mentions"
    with pytest.raises(FormatError, match="the first row has no field 'other'; it has "):
        recognised(source, "other")


def test_an_empty_file_is_said_to_be_empty() -> None:
    for data in [b"", b"\n \r\n\t", b"\xef\xbb\xbf", b"[]", b"\n[ ]\n", gzip.compress(b"", mtime=0)]:
        with pytest.raises(SourceError, match="holds no documents"):
            recognised(put("file", data))


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
