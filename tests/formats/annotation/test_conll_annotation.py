from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flat_spans import flat
from hypothesis import given, settings
from hypothesis import strategies as st
from span_texts import LETTERS, document, documents, read_rows, read_tagged, write
from tagged import LETTERS as SCHEMES
from tagged import join_touching

from isogloss.errors import DataError
from isogloss.formats.annotation import FormatOptions
from isogloss.formats.detection import open_annotations
from isogloss.formats.documents import SpanDocument
from isogloss.formats.tagged_documents import TaggedRow
from isogloss.records.sources import Source


def rows(text: str, **options: Any) -> list[TaggedRow]:
    Path("file").write_text(text, encoding="utf-8")
    return read_rows("file", "conll", **options)


def test_a_sentence_is_a_document_with_its_tokens_joined_by_spaces() -> None:
    first, second = rows("# genre = news\nAda\tB-PER\nmet\tO\n\n-DOCSTART-\tO\n\nBob\tO\n", attributes=("genre",))
    assert (first.id, first.text, first.get_words(), list(first.tags)) == (
        None,
        "Ada met",
        ["Ada", "met"],
        ["B-PER", "O"],
    )
    assert [first.format_place(0), first.format_place(1), second.format_place(0)] == ["file:2", "file:3", "file:7"]
    assert (first.columns, second.columns) == ({"genre": "news"}, {})
    assert list(open_annotations(Source("file"), "conll", FormatOptions()).list_columns()) == ["genre", "docstart"]
    assert first.joined


def test_comments_within_a_sentence_take_no_line_from_its_tokens() -> None:
    (row,) = rows("Ada\tO\n# a comment\nmet\tO\n")
    assert [row.format_place(at) for at in range(3)] == ["file:1", "file:3", "file:1"]


BOTH = "Ada\tX\tB-A\tB-B\n"


@pytest.mark.parametrize(
    ("options", "tag"),
    [
        ({}, "B-B"),
        ({"columns": (1, 3)}, "B-A"),
        ({"columns": (1, -2)}, "B-A"),
        ({"single_file": True}, "B-A"),
        ({"single_file": True, "side": "predicted"}, "B-B"),
        ({"single_file": True, "side": "predicted", "columns": (1, 4, 3)}, "B-A"),
    ],
)
def test_columns_are_those_of_the_side(options: dict[str, Any], tag: str) -> None:
    ((found,),) = (list(row.tags) for row in rows(BOTH, **options))
    assert found == tag


def spans_of(path: str, scheme: str) -> list[tuple[list[str], list[tuple[int, int, str]]]]:
    """The words of each document, and its spans in words."""
    return [in_words(each) for each in read_tagged(path, "conll", scheme)]


def in_words(each: SpanDocument) -> tuple[list[str], list[tuple[int, int, str]]]:
    tokens = each.tokens or ()
    first, last = {start: at for at, (start, _) in enumerate(tokens)}, {end: at for at, (_, end) in enumerate(tokens)}
    words = [(each.text or "")[start:end] for start, end in tokens]
    return words, [(first[start], last[end] + 1, label) for start, end, label in each.spans]


def decided(corpus: list[SpanDocument]) -> bool:
    """Whether a token begins with something else than #: one like that decides the columns of a file."""
    return any((each.text or " ").lstrip()[:1] not in {"#", ""} for each in corpus)


WITH_TOKENS = documents(LETTERS + "#").map(flat).filter(lambda each: bool((each.text or "").strip()))
CORPORA = st.lists(WITH_TOKENS, min_size=1, max_size=4).filter(decided)


@pytest.mark.parametrize("scheme", SCHEMES)
@settings(max_examples=30)
@given(corpus=CORPORA)
def test_what_is_written_has_the_same_spans_on_the_same_words(scheme: str, corpus: list[SpanDocument]) -> None:
    if scheme == "io" and any(touch(each) for each in corpus):
        with pytest.raises(DataError, match="spans of one label that touch"):
            write(corpus, "conll", "out", scheme)
        return
    write(corpus, "conll", "out", scheme)
    for (words, spans), each in zip(spans_of("out", scheme), corpus, strict=True):
        assert "".join("".join(words).split()) == "".join((each.text or "").split())
        surfaces = ["".join("".join(words[a:b]).split()) for a, b, _ in spans]
        assert surfaces == ["".join((each.text or "")[a:b].split()) for a, b, _ in each.spans]
        assert [label for *_, label in spans] == [label for *_, label in each.spans]


def touch(each: SpanDocument) -> bool:
    """Whether IO reads two of its spans as one."""
    Path("one").mkdir(exist_ok=True)
    write([each, document("x")], "conll", "one/file")
    _, spans = spans_of("one/file", "iob2")[0]
    return join_touching(spans) != spans


@given(st.lists(WITH_TOKENS, min_size=1, max_size=3).filter(decided))
def test_what_was_read_is_written_the_same(corpus: list[SpanDocument]) -> None:
    write(corpus, "conll", "one")
    write(read_tagged("one", "conll"), "conll", "two")
    assert Path("two").read_bytes() == Path("one").read_bytes()


def test_a_sentence_is_written_like_this() -> None:
    whole = document("New York's  #1", (0, 8, "my label"), id="id", columns={"a": "b"})
    write([whole, whole], "conll", "out")
    expected = "New\tB-my label\nYork\tI-my label\n'\tO\ns\tO\n#\tO\n1\tO\n\n"
    assert Path("out").read_text(encoding="utf-8") == expected * 2
