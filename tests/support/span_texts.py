"""Documents with spans to write and read again, and how a test reads a file in a format."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from isogloss.formats.annotation import FormatOptions
from isogloss.formats.detection import detect_format, load_writable_format, open_annotations
from isogloss.formats.documents import LabelledSpan, SpanDocument
from isogloss.formats.tagged_documents import TaggedRow
from isogloss.records.sources import Source
from isogloss.spans.decoder import Decoder
from isogloss.spans.scheme_detection import use_named_scheme

# Letters of one, two, three and four bytes, marks, right to left, no spaces, astral, white space of all kinds.
LETTERS = "ab.?é\u0301กี้नी漢عب𠀀👩\u200d👧 \n\t\r\u00a0\u2028\u200f"
LABELS = ("PER", "LOC", "ตัวละคร", "a-b")


def read(path: str | Path, name: str | None = None, **options: Any) -> list[SpanDocument]:
    """The documents with spans of a file, which is recognised unless its format is named."""
    source = Source(path)
    spans = open_annotations(source, detect_format(source) if name is None else name, FormatOptions(**options)).spans
    assert spans is not None
    return list(spans)


def read_rows(path: str | Path, name: str, **options: Any) -> list[TaggedRow]:
    """The documents with tags of a file in a format."""
    tags = open_annotations(Source(path), name, FormatOptions(**options)).tags
    assert tags is not None
    return list(tags)


def read_tagged(path: str | Path, name: str, scheme: str = "iob2") -> list[SpanDocument]:
    """The documents with tags of a file, decoded to spans."""
    decoder = Decoder(use_named_scheme(scheme))
    file = open_annotations(Source(path), name, FormatOptions())
    return list(file.as_spans("reference", decoder, keep_tokens=True))


def write(documents: Iterable[SpanDocument], name: str, path: str | Path, scheme: str | None = None) -> None:
    """Documents written in a format, with tags if a scheme is named."""
    target = load_writable_format(name)
    if scheme is not None:
        assert target.write_tags is not None
        target.write_tags(documents, str(path), scheme)
    elif target.write is not None:
        target.write(documents, str(path))


def document(text: str | None, *spans: LabelledSpan, **more: Any) -> SpanDocument:
    """A document as it is given to a writer."""
    return SpanDocument(**{"line": 7, "id": None, "text": text, "spans": spans, "file": "source.jsonl"} | more)


@st.composite
def documents(draw: st.DrawFn, letters: str = LETTERS, *, nested: bool = True, name: bool = True) -> SpanDocument:
    """A document with some spans of its text.

    Args:
        draw: of hypothesis.
        letters: what texts are made of; any other character may come in, but surrogates and NUL.
        nested: whether spans may overlap.
        name: whether it has an id.
    """
    anything = st.characters(exclude_categories=["Cs"], exclude_characters="\0\n\r\ufeff")
    text = draw(st.text(st.one_of(st.sampled_from(letters), anything), max_size=30))
    count = draw(st.integers(0, 4 if len(text) > 1 else 0))
    edges = st.integers(0, len(text))
    pairs = [tuple(sorted(draw(st.tuples(edges, edges)))) for _ in range(count)]
    spans: list[LabelledSpan] = [(start, end, draw(st.sampled_from(LABELS))) for start, end in pairs if start < end]
    if not nested:
        kept: list[LabelledSpan] = []
        for span in sorted(spans):
            if not kept or kept[-1][1] <= span[0]:
                kept.append(span)
        spans = kept
    ids = st.from_regex(r"[a-zก]{1,4}(/[a-z]{1,2}){0,2}", fullmatch=True)
    return document(text, *spans, id=draw(ids) if name else None)


def lists(**how: Any) -> st.SearchStrategy[list[SpanDocument]]:
    """Some documents, their ids unlike each other also where folders do not tell small from capital letters."""
    return st.lists(documents(**how), min_size=1, max_size=4, unique_by=lambda each: each.id or object())


def content(each: SpanDocument) -> tuple[str | None, str | None, list[LabelledSpan]]:
    """What a document says."""
    return each.id, each.text, list(each.spans)
