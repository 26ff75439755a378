"""Documents as `Doc.to_json()` of spaCy, and its older training examples.

There is one document a line, or all are in one array. The training examples are those of spaCy 2.

    {"text": "Ada met Bob", "ents": [{"start": 0, "end": 3, "label": "PER"}], "tokens": [...]}
    {"text": "Ada met Bob", "spans": {"sc": [{"start": 0, "end": 3, "label": "PER", "kb_id": ""}]}, "tokens": [...]}
    ["Ada met Bob", {"entities": [[0, 3, "PER"]]}]

The spans of a row are its `ents`, or without that key its `spans`: a list, or the only group of an object. `--columns
sc` names the group, even if there are `ents`; a row without the group has no spans. A row with neither key has no
annotation, as spaCy defines it: it is left out of the reference, and has no spans in the prediction. Offsets count code
points, as `Doc.to_json` writes them; if a span gives its text, it must stand there. The third form, of pairs, has
neither ids nor columns. A file holds only pairs or only objects.

Written are `ents`, or the group `sc` if spans overlap, which `Doc.ents` cannot hold; both with the tokens that
`Doc.from_json` requires.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import msgspec

from isogloss.formats.annotation import (
    AnnotationFile,
    AnnotationFormat,
    DocumentReader,
    FileHead,
    FormatOptions,
    get_writable_text,
    list_span_objects,
    write_json_lines,
)
from isogloss.formats.documents import SpanDocument
from isogloss.formats.offsets import OffsetMode, SpanObject, place_spans, to_marked_spans
from isogloss.formats.tagged_documents import read_token_bounds
from isogloss.formats.tokens import TokenBounds, tokenize_text
from isogloss.formats.two_sided_files import mark_unannotated
from isogloss.records import json_lines
from isogloss.records.json_fields import (
    LazyRow,
    check_column_name,
    make_column_lister,
    parse_column_names,
    read_lazy_rows,
)
from isogloss.records.sources import Source

REMEDY = 'A row looks like {"text": "Ada met Bob", "ents": [{"start": 0, "end": 3, "label": "PER"}]}.'
PAIR_REMEDY = 'A row looks like ["Ada met Bob", {"entities": [[0, 3, "PER"]]}].'
GROUP = "sc"  # the default group of spaCy's components for overlapping spans
COLUMNS_HELP = "the name of a span group, such as sc"
PAIR_PATTERN = re.compile(rb'\[\s*(\[\s*)?"')  # the beginning of a file of pairs, as lines or as one array


class SpacyExample(msgspec.Struct, gc=False):
    """The annotation of a text in spaCy 2."""

    entities: list[tuple[int, int, str]] = []


SpacySpans = list[SpanObject | tuple[int, int, str]]
_SPANS = msgspec.json.Decoder(SpacySpans)
_GROUPS = msgspec.json.Decoder(SpacySpans | dict[str, SpacySpans])
_PAIR = msgspec.json.Decoder(tuple[str, SpacyExample])


def _can_read(head: FileHead) -> bool:
    row = head.first_row
    if row is None:
        return PAIR_PATTERN.match(head.data) is not None and b'"entities"' in head.data
    if not isinstance(row.get("text"), str):
        return False
    return isinstance(row.get("ents"), list) or isinstance(row.get("spans"), dict)


def _read(source: Source, options: FormatOptions) -> AnnotationFile:
    (group,) = parse_column_names(options.columns, COLUMNS_HELP, most=1)
    for block in source.blocks(json_lines.BLOCK_BYTES):
        match = PAIR_PATTERN.match(block.data.lstrip())
        if match is not None:
            in_array = match[1] is not None
            return AnnotationFile(
                spans=DocumentReader(source.name, partial(_read_pairs, source, options.offsets, in_array=in_array))
            )
        if not block.data.isspace():
            break
    read = partial(_read_documents, source, options, group)
    return AnnotationFile(spans=DocumentReader(source.name, read), list_columns=make_column_lister(source))


def _read_pairs(source: Source, offsets: OffsetMode, *, in_array: bool) -> Iterator[SpanDocument]:
    for line, (text, example) in (
        json_lines.read_rows(source, _PAIR, PAIR_REMEDY) if in_array else _read_pair_lines(source)
    ):
        spans, warnings = place_spans(text, to_marked_spans(example.entities), source.locate(line), offsets=offsets)
        yield SpanDocument(line, None, text, spans, warnings)


def _read_pair_lines(source: Source) -> Iterator[tuple[int, tuple[str, SpacyExample]]]:
    for block in source.blocks(json_lines.BLOCK_BYTES):
        yield from json_lines.read_block_rows(source, block, _PAIR, PAIR_REMEDY)


def _read_documents(source: Source, options: FormatOptions, group: str | None) -> Iterator[SpanDocument]:
    groups: set[str] = set()
    for row in read_lazy_rows(source, REMEDY):
        text = row.read_text()
        if group is not None:
            groups |= row.read_object("spans").keys()
        spans, warnings = place_spans(
            text, to_marked_spans(_read_spans(row, group)), row.where, offsets=options.offsets
        )
        document = SpanDocument(
            row.line,
            row.read_id(),
            text,
            spans,
            warnings,
            columns=row.read_columns(options.attributes),
            tokens=read_token_bounds(row),
        )
        known = group is not None or row.has("ents") or row.has("spans")
        yield document if known else mark_unannotated(document, options.side, row.where)
    if group is not None:
        check_column_name(group, groups, "spans", source.name)


def _read_spans(row: LazyRow, group: str | None) -> SpacySpans:
    if group is None and row.has("ents"):
        return row.read("ents", _SPANS) or []
    groups = row.read("spans", _GROUPS)
    if isinstance(groups, list):
        return groups
    if group is not None:
        return groups.get(group, []) if groups is not None else []
    if groups is not None and len(groups) > 1:
        names = ", ".join(sorted(groups))
        raise row.build_error(f"the row has spans in several groups: {names}", "Name one of them: --columns NAME.")
    return next(iter((groups or {}).values()), [])


def _build_row(document: SpanDocument) -> dict[str, Any]:
    text, spans = get_writable_text(document), list_span_objects(document)
    tokens = _add_space_tokens(text, tokenize_text(text, document.tokens, document.spans))
    overlap = any(before[1] > after[0] for before, after in pairwise(sorted(document.spans)))
    return {
        "text": text,
        **({"spans": {GROUP: [{**span, "kb_id": ""} for span in spans]}} if overlap else {"ents": spans}),
        "tokens": [{"id": number, "start": start, "end": end} for number, (start, end) in enumerate(tokens)],
    }


def _add_space_tokens(text: str, tokens: Iterable[TokenBounds]) -> Iterator[TokenBounds]:
    """Add tokens for white space as spaCy does.

    A space belongs to the token before it, other white space is a token.
    """
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


FORMAT = AnnotationFormat(
    "spacy", _can_read, _read, write_json_lines(_build_row), options=("columns", "repair_offsets")
)
