"""What every format of named entities does, one table for all: what only one format does has a file of its own."""

from __future__ import annotations

import gzip
import io
import json
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flat_spans import flat
from format_samples import COLUMNS, CONTENTS, JSON, NEEDS, READ_ONLY, TEXT, make, read_all, text_of, usable
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from span_texts import LETTERS, content, document, documents, lists, read, write

import isogloss
from isogloss.errors import DataError, IsoglossError, MissingExtraError, UsageError
from isogloss.formats.annotation import FormatOptions
from isogloss.formats.detection import detect_format, list_writable_formats, load_format, open_annotations
from isogloss.formats.documents import SpanDocument
from isogloss.formats.registry import FORMATS
from isogloss.records.sources import Source

DATA = Path(__file__).parents[3] / "shared" / "data" / "ner"
NAMES = FORMATS.list_names()
WRITABLE = [name for name in NAMES if name not in READ_ONLY]
OF_TOKENS = ("conll", "conllu", "token-tags")
RESULTS = {"azure", "comprehend", "flair", "google-nl", "presidio", "stanza", "transformers"}
# What a format is read with; `answers` is what makes a prediction one of `mentions`.
HAVE = {
    "columns": {
        "argilla", "arrow", "conll", "conllu", "datasets", "docbin", "label-studio", "spacy", "token-tags", *RESULTS,
    },
    "strict_spans": {"brat"},
    "answers": {"mentions"},
    "offset_unit": RESULTS,
    "split": {"datasets"},
    "repair_offsets": {
        "argilla", "arrow", "brat", "datasets", "docbin", "doccano", "jsonl", "label-studio", "prodigy", "pubtator",
        "spacy", *RESULTS,
    },
}  # fmt: skip
GIVEN: dict[str, Any] = {
    "columns": ("a",), "strict_spans": True, "answers": "a", "repair_offsets": True, "offset_unit": "utf-8",
    "split": "a",
}  # fmt: skip

every = pytest.mark.parametrize("name", NAMES)
every_writable = pytest.mark.parametrize("name", WRITABLE)


def put(data: bytes) -> Source:
    Path("file.txt").write_bytes(data)
    return Source("file.txt")


@every
def test_a_file_is_recognised_and_read_again_and_again(name: str) -> None:
    source = make(name)
    assert detect_format(source) == name
    for _ in range(2):
        (found,) = read_all(source)
        assert (found.text, list(found.spans)) == (TEXT, [(0, 3, "PER")])


def stored(data: bytes) -> dict[str, bytes]:
    """The same text, stored in other ways."""
    return {
        "gzip": gzip.compress(data),
        "byte order mark": b"\xef\xbb\xbf" + data,
        "blank lines": b"\n \n\n" + data,
        "Windows": data.replace(b"\n", b"\r\n"),
        "no last line break": data.rstrip(b"\n"),
    }


@pytest.mark.parametrize("name", CONTENTS)
def test_how_a_text_is_stored_does_not_matter(name: str) -> None:
    expected = [content(each) for each in read_all(make(name))]
    for how, data in stored(text_of(name).encode()).items():
        source = put(data)
        assert detect_format(source) == name, how
        assert [content(each) for each in read_all(source)] == expected, how


@pytest.mark.parametrize("name", JSON)
def test_an_array_has_the_documents_of_lines(name: str) -> None:
    row, expected = CONTENTS[name], [content(each) for each in read_all(make(name))] * 2
    line = json.dumps(row)
    for text in (f"[{line},\n{line}]", json.dumps([row] * 2, indent=2), json.dumps([row] * 2), f"{line}\n{line}\n"):
        source = put(text.encode())
        assert detect_format(source) == name
        assert [content(each) for each in read_all(source)] == expected


@pytest.mark.parametrize("name", [name for name in NAMES if name not in {"brat", "datasets", "docbin"}])
def test_standard_input_can_be_read_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = Path(make(name).path).read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    source = Source("-")
    assert detect_format(source) == name
    assert [len(read_all(source)) for _ in range(2)] == [1, 1]


@pytest.mark.parametrize("name", CONTENTS)
def test_a_wrong_line_after_good_ones_is_located(name: str) -> None:
    good = text_of(name)
    wrong = '{"text": \n' if name in JSON else "1\t0\tx\tAda\tPER\n" if name == "pubtator" else "1\n"
    lines = good.count("\n") + wrong.count("\n") + (name == "conllu")
    with pytest.raises(DataError) as error:
        read_all(put((good + ("\n" if name == "conllu" else "") + wrong).encode()), name)
    assert (error.value.where or "").startswith(f"file.txt:{lines}")
    assert error.value.remedy


@pytest.mark.parametrize("name", [*CONTENTS, "arrow"])
def test_a_damaged_file_is_read_or_refused_with_its_name(name: str) -> None:
    data = Path(make(name).path).read_bytes() * (1 if name == "arrow" else 3)
    for seed in range(30):
        generator, damaged = random.Random(f"{name} {seed}"), bytearray(data)
        for _ in range(generator.randrange(1, 4)):
            damaged[generator.randrange(len(damaged))] = generator.choice(b'\n\t"{}[]:,x0\xff\\')
        try:
            read_all(put(bytes(damaged)))
        except IsoglossError as error:
            assert str(error).startswith(("file", "columns"))  # noqa: PT017  either is right


@pytest.mark.parametrize("name", COLUMNS)
def test_what_a_document_has_besides_is_kept_as_columns(name: str) -> None:
    source = put(COLUMNS[name].encode())
    (found,) = read_all(source, name, attributes=("genre", "year"))
    assert found.columns == {"genre": "news", "year": "7"}
    assert {"genre", "year"} <= {*open_annotations(source, name, FormatOptions()).list_columns()}


@every
def test_an_option_that_it_does_not_have_is_refused_by_its_name(name: str) -> None:
    source = make(name)
    for option, having in HAVE.items():
        if name not in having:
            said = rf"The format {name} has no --{option.replace('_', '-')}"
            with pytest.raises(UsageError, match=said):
                open_annotations(source, name, FormatOptions(**{option: GIVEN[option]}))


def test_every_option_is_had_by_formats_that_there_are() -> None:
    assert set().union(*HAVE.values()) <= {*NAMES}
    assert list_writable_formats() == tuple(WRITABLE)


@pytest.mark.parametrize("name", CONTENTS)
def test_a_byte_that_is_no_utf8_is_refused_with_the_name_of_the_file(name: str) -> None:
    source = put(text_of(name).replace("Ada", "Ad\xe9").encode("latin-1"))
    with pytest.raises(DataError, match=r"^file\.txt"):
        read_all(source, name)


@pytest.mark.parametrize("name", sorted(HAVE["repair_offsets"] - {*READ_ONLY}))
def test_white_space_at_the_ends_of_spans_is_left_out_on_request(name: str) -> None:
    usable(name)
    loose, tight = [(0, 4, "PER"), (7, 11, "PER")], [(0, 3, "PER"), (8, 11, "PER")]
    write([document("Ada met Bob", *loose, id="1")], name, "out")
    (plain,), (repaired,) = read_all(Source("out")), read_all(Source("out"), repair_offsets=True)
    assert [sorted(each.spans) for each in (plain, repaired)] == [loose, tight]
    counted = [
        [each.count for each in found.warnings if each.code == "offsets-repaired"] for found in (plain, repaired)
    ]
    assert counted == [[], [2]]


ELSEWHERE = {"start": 0, "end": 3, "label": "PER", "text": "Ada"}
SURFACES: dict[str, dict[str, Any]] = {
    "jsonl": {"entities": [ELSEWHERE]},
    "prodigy": {"spans": [ELSEWHERE], "answer": "accept"},
    "spacy": {"ents": [ELSEWHERE]},
    "spacy, a group": {"spans": {"sc": [ELSEWHERE]}},
}


@pytest.mark.parametrize("which", SURFACES)
def test_the_text_of_a_span_is_checked_and_repaired_on_request(which: str) -> None:
    source = put(json.dumps({"text": "met Ada"} | SURFACES[which]).encode())
    with pytest.raises(
        DataError, match=r"file\.txt:1: the span \[0, 3\) 'PER' covers 'met', but its own text is 'Ada'"
    ):
        read_all(source)
    (found,) = read_all(source, repair_offsets=True)
    assert (found.spans, [each.code for each in found.warnings]) == ([(4, 7, "PER")], ["offsets-repaired"])


@every_writable
def test_nested_spans_are_kept_or_refused_with_their_place(name: str) -> None:
    usable(name)
    nested = document("New York met Ada", (0, 8, "LOC"), (4, 8, "LOC"), (0, 8, "ORG"), id="1")
    if name in {*OF_TOKENS, "docbin"}:
        with pytest.raises(
            DataError, match=r"source\.jsonl:7: the document has (overlapping spans|spans that overlap)"
        ):
            write([nested], name, "out")
        return
    write([nested], name, "out")
    (found,) = read_all(Source("out"))
    assert sorted(found.spans) == sorted(nested.spans)


@every_writable
def test_offsets_are_code_points_whatever_the_letters(name: str) -> None:
    usable(name)
    words = ["𠀀𠀁", "ก้อย", "عُمَر", "e\u0301te\u0301", "été", "👩\u200d👧"]  # composed and not, beyond U+FFFF
    text, spans = " ".join(words), []
    for number, word in enumerate(words):
        spans.append((text.index(word), text.index(word) + len(word), f"L{number}"))
    write([document(text, *spans, id="1")], name, "out")
    (found,) = read_all(Source("out"))
    covered = [((found.text or "")[start:end].replace(" ", ""), label) for start, end, label in sorted(found.spans)]
    assert covered == [(word, f"L{number}") for number, word in enumerate(words)]  # single characters are tokens


def unspaced(each: SpanDocument) -> tuple[str | None, str, list[tuple[int, int, str]]]:
    """A document with spans in characters that are no white space, as where tokens are joined by spaces."""
    text = each.text or ""
    before = [sum(not character.isspace() for character in text[:at]) for at in range(len(text) + 1)]
    return each.id, "".join(text.split()), [(before[start], before[end], label) for start, end, label in each.spans]


def in_order(each: SpanDocument) -> tuple[str | None, str | None, list[tuple[int, int, str]]]:
    return each.id, each.text, sorted(each.spans)


def trimmed(each: SpanDocument) -> SpanDocument:
    """The document with the spans that neither begin nor end with white space."""
    names = [((each.text or "")[start:end], (start, end, label)) for start, end, label in each.spans]
    return document(each.text, *(span for inside, span in names if inside == inside.strip()), id=each.id)


FLAT = st.lists(documents(LETTERS).map(flat), min_size=1, max_size=4)
WORDY = st.lists(
    documents(LETTERS).map(flat).filter(lambda each: bool((each.text or "").strip())), min_size=1, max_size=4
)
ONE_LINE = lists(letters=LETTERS.replace("\n", "").replace("\r", "") + ". ")
# What is written, and what of it is read again. `conll` and `mentions` keep less, which their own tests say.
ROUND: dict[str, tuple[st.SearchStrategy[list[SpanDocument]], Callable[[SpanDocument], Any]]] = {
    **dict.fromkeys(("argilla", "doccano", "label-studio", "prodigy", "spacy"), (lists(), content)),
    **dict.fromkeys(("jsonl", "arrow"), (st.lists(documents(LETTERS + "\0"), min_size=1, max_size=4), content)),
    "brat": (lists(), in_order),
    "docbin": (lists(nested=False), in_order),
    "gliner": (lists().map(lambda corpus: [trimmed(each) for each in corpus]), unspaced),
    "pubtator": (ONE_LINE, content),
    "conllu": (WORDY, content),
    "token-tags": (FLAT, content),
}


@pytest.mark.parametrize("name", ROUND)
@settings(max_examples=50)
@given(data=st.data())
def test_what_is_written_is_recognised_and_read_back(
    name: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    usable(name)
    corpus, kept = data.draw(ROUND[name][0]), ROUND[name][1]
    source = Source(tmp_path_factory.mktemp("written") / "out")
    write(corpus, name, source.path)
    assert detect_format(source) == name
    found = read_all(source)
    both = ([kept(each) for each in side] for side in (found, corpus))
    assert [*next(both)] == [*next(both)] if name != "brat" else sorted(next(both)) == sorted(next(both))
    assert not any(each.left_out for each in found)


UNHOLDABLE = {
    "a name that is not in the text": document("Ada", unlocated=[("Bob", "PER")]),
    "no text": document(None),
    "a span beyond the text": document("Ada", (0, 4, "X")),
    "an empty span": document("Ada", (1, 1, "X")),
    "half a character": document("\ud800"),
}
HOLD_THE_REST = {"arrow": 1, "jsonl": 1, "mentions": 0}  # how many of these they refuse: they need no text


@every_writable
def test_what_it_cannot_hold_is_refused_with_its_place_and_leaves_no_file(name: str) -> None:
    usable(name)
    for what, faulty in [*UNHOLDABLE.items()][: HOLD_THE_REST.get(name, len(UNHOLDABLE))]:
        with pytest.raises(DataError) as error:
            write([document("Bob", id="1"), faulty], name, "out")
        assert error.value.where == "source.jsonl:7", what
        assert error.value.remedy
        assert list(Path.cwd().iterdir()) == [], what


@pytest.mark.parametrize("name", NEEDS)
def test_missing_library_error_gives_the_install_command(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source = make(name)
    monkeypatch.setitem(sys.modules, NEEDS[name], None)
    said = rf"pip install 'isogloss\[{'arrow' if NEEDS[name] == 'pyarrow' else 'spacy'}\]'"
    with pytest.raises(MissingExtraError, match=said):
        read_all(source, name)
    if name in READ_ONLY:
        return
    with pytest.raises(MissingExtraError, match=said):
        write([document("Ada")], name, "out")
    write_tags = load_format(name).write_tags
    if write_tags is not None:
        with pytest.raises(MissingExtraError, match=said):
            write_tags([], "out", "iob2")


def figures(*sides: Path) -> dict[str, Any]:
    """All figures of a run that no format may change."""
    run = isogloss.ner(*sides).to_dict()
    return {key: run[key] for key in ("scores", "by_label", "confusion", "documents")}


@pytest.mark.skipif(not DATA.is_dir(), reason=f"the data of {DATA} is not there")
@pytest.mark.parametrize("name", [name for name in WRITABLE if name not in {*OF_TOKENS, "jsonl", "mentions"}])
def test_real_documents_have_the_same_scores_in_every_format(name: str) -> None:
    usable(name)
    for corpus in ("uner_sr_set", "uner_zh_gsdsimp"):
        sides = [DATA / corpus / f"{each}.test.jsonl" for each in ("gold", "crf")]
        made = [Path(f"{corpus}.{side.stem}") for side in sides]
        for side, path in zip(sides, made, strict=True):
            given = [replace(each, file=str(side), text=(each.text or "").replace("\n", " ")) for each in read(side)]
            write(given, name, path)
        expected = figures(*sides)
        assert figures(*made) == expected
        assert figures(sides[0], made[1]) == expected
