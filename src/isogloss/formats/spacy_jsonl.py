"""spaCy's `Doc.to_json()`, one document a line or all in one array, and the examples that spaCy 2 was trained on.

    {"text": "Ada met Bob", "ents": [{"start": 0, "end": 3, "label": "PER"}], "tokens": [...]}
    {"text": "Ada met Bob", "spans": {"sc": [{"start": 0, "end": 3, "label": "PER", "kb_id": ""}]}, "tokens": [...]}
    ["Ada met Bob", {"entities": [[0, 3, "PER"]]}]

A row gives its `ents`, or without that key its `spans`: a list, or the only group of an object. `--columns sc` names
the group, also where there are `ents`; a row without it has none. A row with neither key is a document without
annotation, as spaCy says: left out in the reference, without spans in the prediction. Offsets count code points, as
`Doc.to_json` writes them; the text of a span, if it has one, must stand there. The third form, of pairs, has
neither ids nor columns. A file is all of pairs, or all of objects.

Written are `ents`, or where spans overlap, which `Doc.ents` cannot hold, the group `sc`; both with the tokens that
`Doc.from_json` asks for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import pairwise

import msgspec

from isogloss.formats.annotation import AnnotationFormat, Annotations, Documents, Head, Options, writable_text
from isogloss.formats.documents import SpanDocument, Triple
from isogloss.formats.offsets import Marked, Offsets, placed
from isogloss.formats.tagged import Token
from isogloss.formats.tokens import Bounds, tokens_of
from isogloss.formats.two_sides import without
from isogloss.records import json_lines, json_rows
from isogloss.records.destinations import written
from isogloss.records.json_rows import Fields, check_name, columns_of, named, read_lazy_rows
from isogloss.records.sources import Source

NAME = "spacy"
REMEDY = 'A row looks like {"text": "Ada met Bob", "ents": [{"start": 0, "end": 3, "label": "PER"}]}.'
PAIR = 'A row looks like ["Ada met Bob", {"entities": [[0, 3, "PER"]]}].'
GROUP = "sc"  # where spaCy's own components look for spans that may overlap
HOW = "the name of a span group, such as sc"
IS_PAIR = re.compile(rb'\[\s*(\[\s*)?"')  # how a file of pairs begins, each in a line or all in an array


class Ent(msgspec.Struct, gc=False):
    """A span, with its text if who wrote it added that."""

    start: int
    end: int
    label: str
    text: str | None = None


class Example(msgspec.Struct, gc=False):
    """What stands beside a text in spaCy 2."""

    entities: list[tuple[int, int, str]] = []


Spans = list[Ent | tuple[int, int, str]]
_SPANS = msgspec.json.Decoder(Spans)
_GROUPS = msgspec.json.Decoder(Spans | dict[str, Spans])
_TOKENS = msgspec.json.Decoder(list[Token])
_PAIR = msgspec.json.Decoder(tuple[str, Example])


def _recognises(head: Head) -> bool:
    row = head.row
    if row is None:
        return IS_PAIR.match(head.data) is not None and b'"entities"' in head.data
    if not isinstance(row.get("text"), str):
        return False
    return isinstance(row.get("ents"), list) or isinstance(row.get("spans"), dict)


def _read(source: Source, options: Options) -> Annotations:
    options.only(NAME, "columns", "repair_offsets")
    (group,) = named(options.columns, HOW, most=1)
    for block in source.blocks(json_rows.BLOCK):
        found = IS_PAIR.match(block.data.lstrip())
        if found is not None:
            in_array = found[1] is not None
            return Annotations(
                spans=Documents(source.name, partial(_pairs, source, options.offsets, in_array=in_array)),
            )
        if not block.data.isspace():
            break
    read = partial(_documents, source, options, group)
    return Annotations(spans=Documents(source.name, read), columns=columns_of(source))


def _pairs(source: Source, offsets: Offsets, *, in_array: bool) -> Iterator[SpanDocument]:
    for line, (text, example) in json_rows.read_rows(source, _PAIR, PAIR) if in_array else _lines(source):
        spans, notices = placed(text, _marked(example.entities), f"{source.name}:{line}", offsets=offsets)
        yield SpanDocument(line, None, text, spans, notices)


def _lines(source: Source) -> Iterator[tuple[int, tuple[str, Example]]]:
    for block in source.blocks(json_rows.BLOCK):
        yield from json_lines.rows_of(source, block, _PAIR, PAIR)


def _documents(source: Source, options: Options, group: str | None) -> Iterator[SpanDocument]:
    groups: set[str] = set()
    for row in read_lazy_rows(source, REMEDY):
        tokens = row.read("tokens", _TOKENS)
        text = row.text()
        if group is not None:
            groups |= row.mapping("spans").keys()
        spans, notices = placed(text, _marked(_spans(row, group)), row.where, offsets=options.offsets)
        document = SpanDocument(
            row.line,
            row.id(),
            text,
            spans,
            notices,
            columns=row.columns(options.attributes),
            tokens=None if tokens is None else [(token.start, token.end) for token in tokens],
        )
        known = group is not None or row.has("ents") or row.has("spans")
        yield document if known else without(document, options.side, row.where)
    if group is not None:
        check_name(group, groups, "spans", source.name)


def _spans(row: Fields, group: str | None) -> Spans:
    if group is None and row.has("ents"):
        return row.read("ents", _SPANS) or []
    groups = row.read("spans", _GROUPS)
    if isinstance(groups, list):
        return groups
    if group is not None:
        return groups.get(group, []) if groups is not None else []
    if groups is not None and len(groups) > 1:
        names = ", ".join(sorted(groups))
        raise row.fault(f"the row has spans in several groups: {names}", "Name one of them: --columns NAME.")
    return next(iter((groups or {}).values()), [])


def _marked(spans: Iterable[Ent | Triple]) -> list[Marked]:
    return [(each.start, each.end, each.label, each.text) if isinstance(each, Ent) else (*each, None) for each in spans]


def _write(documents: Iterable[SpanDocument], path: str) -> None:
    with written(path) as file:
        for document in documents:
            row: dict[str, object] = {} if document.id is None else {"id": document.id}
            text = writable_text(document)
            tokens = [
                {"id": number, "start": start, "end": end}
                for number, (start, end) in enumerate(
                    _with_white_space(text, tokens_of(text, document.tokens, document.spans)),
                )
            ]
            file.write(
                msgspec.json.encode(row | {"text": text} | _written_spans(document) | {"tokens": tokens}) + b"\n",
            )


def _written_spans(document: SpanDocument) -> dict[str, object]:
    spans = [{"start": start, "end": end, "label": label} for start, end, label in document.spans]
    ordered = sorted(document.spans)
    overlap = any(before[1] > after[0] for before, after in pairwise(ordered))
    return {"spans": {GROUP: [{**span, "kb_id": ""} for span in spans]}} if overlap else {"ents": spans}


def _with_white_space(text: str, tokens: Iterable[Bounds]) -> Iterator[Bounds]:
    """Tokens as spaCy has them: a space after a token belongs to it, and other white space is a token of its own."""
    at = 0
    for start, end in tokens:
        if text[start:end].isspace():
            continue
        if start > at:
            yield at, start
        yield start, end
        at = end + (text[end : end + 1] == " ")
    if at < len(text):
        yield at, len(text)


FORMAT = AnnotationFormat(NAME, _recognises, _read, _write)
