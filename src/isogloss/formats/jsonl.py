"""JSON Lines, or one JSON array, with spans or with tags.

Spans are called `entities` or `spans`; tags stand beside tokens.

    {"id": "1", "text": "Ada met Bob", "entities": [{"start": 0, "end": 3, "label": "PER"}]}

Offsets count code points. A span may also be a list `[0, 3, "PER"]`, and may give its own `text`, which is checked. All
rows of a file have spans, or all have tags, as the first row has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import msgspec
from msgspec import UNSET

from isogloss.errors import FormatError
from isogloss.formats.annotation import (
    AnnotationFile,
    AnnotationFormat,
    DocumentReader,
    FormatOptions,
    OptionReasons,
    check_located,
    list_span_objects,
    refuse_option,
    write_json_lines,
)
from isogloss.formats.documents import MAX_TEXT_LENGTH, LabelledSpan, SpanDocument
from isogloss.formats.offsets import OffsetMode, SpanObject, place_spans, to_marked_spans
from isogloss.formats.tagged_documents import TaggedRow, TokenPosition
from isogloss.kernel.provenance import RunWarning
from isogloss.records import json_lines
from isogloss.records.attributes import Values
from isogloss.records.json_fields import ColumnDecoder, make_column_lister
from isogloss.records.json_lines import decode_value
from isogloss.records.sources import Source, format_place

REMEDY = 'A row looks like {"id": "1", "text": "Ada met Bob", "entities": [{"start": 0, "end": 3, "label": "PER"}]}.'
TOKENS = (
    'With tags, a row has tokens such as {"start": 0, "end": 3}, as many as tags; both count code points of the text.'
)
DROPPED_ANSWERS = (b'"reject"', b'"ignore"')  # answers in Prodigy
PRODIGY_REMEDY = (
    "Its first row does not look like Prodigy. --input-format prodigy leaves out such rows, and counts them."
)
ROWS_PER_PIECE = 1 << 10  # rows of an array


JsonlSpan = SpanObject | tuple[int, int, str]


class JsonlRow(msgspec.Struct, gc=False, rename={"task_hash": "_task_hash"}):
    """The fields of a row.

    Fields that matter only without `entities` stay raw, because other tools use them too.
    """

    id: str | int | None = None
    text: str | None = None
    entities: list[JsonlSpan] | msgspec.UnsetType = msgspec.UNSET
    spans: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    tokens: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    tags: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    answer: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    task_hash: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET

    @property
    def name(self) -> str | None:
        """The id as text."""
        return None if self.id is None else str(self.id)


NumberedRow = tuple[int | str, JsonlRow]  # line and row
_ROW = msgspec.json.Decoder(JsonlRow)
_SPANS = msgspec.json.Decoder(list[JsonlSpan])
_TOKENS = msgspec.json.Decoder(list[TokenPosition])
_TAGS = msgspec.json.Decoder(list[str])


def read_jsonl_pieces(
    source: Source, size: int, columns: ColumnDecoder[JsonlRow] | None = None
) -> Iterator[Iterable[NumberedRow]]:
    """Read the rows of a file in pieces, with their lines.

    Args:
        source: JSON Lines, or one array, which is held in memory as a whole.
        size: approximate bytes of lines to read at once.
        columns: further columns to keep.

    Raises:
        SourceError: if the file cannot be read.
        FormatError: if it is not JSON, a row is not an object, or a value has the wrong type.
    """
    decoder = _ROW if columns is None else columns.decoder
    if not json_lines.is_array(source):
        yield from (json_lines.read_block_rows(source, block, decoder, REMEDY) for block in source.blocks(size))
        return
    rows = json_lines.read_rows(source, decoder, REMEDY)
    while piece := list(islice(rows, ROWS_PER_PIECE)):
        yield piece


def get_jsonl_spans(row: JsonlRow, name: str, line: int | str) -> Sequence[JsonlSpan] | None:
    """Return the spans of a row, None if it has tags instead.

    Args:
        row: a row.
        name: the name of its file.
        line: its line.

    Raises:
        FormatError: if `spans` have the wrong type, or the row has neither spans nor tags.
    """
    if row.entities is not msgspec.UNSET:
        return row.entities
    if row.spans is not msgspec.UNSET:
        return decode_value(_SPANS, row.spans, "spans", format_place(name, line), REMEDY)
    if row.tags is not msgspec.UNSET:
        return None
    raise FormatError("the row has neither `entities` nor `tags`", where=format_place(name, line), remedy=REMEDY)


def check_prodigy_answer(row: JsonlRow, name: str, line: int | str) -> None:
    """Refuse a rejected or ignored row of Prodigy.

    The file was not recognised as Prodigy's, whose reader leaves out such rows.

    Args:
        row: a row with an answer.
        name: the name of its file.
        line: its line.

    Raises:
        FormatError: if the row was rejected or ignored in Prodigy.
    """
    answer = b"" if row.answer is msgspec.UNSET else bytes(row.answer)
    if answer in DROPPED_ANSWERS and row.task_hash is not msgspec.UNSET:
        message = f"the row has the answer {answer.decode()} of Prodigy, but the file is read as jsonl"
        raise FormatError(message, where=format_place(name, line), remedy=PRODIGY_REMEDY)


def to_labelled_spans(items: Sequence[JsonlSpan]) -> Sequence[LabelledSpan]:
    """Return start, end and label of each span."""
    if not items:
        return ()
    return [(item.start, item.end, item.label) if isinstance(item, SpanObject) else item for item in items]


def read_jsonl_tags(row: JsonlRow, where: str) -> tuple[list[TokenPosition], list[str]]:
    """Read the tokens of a row and their tags.

    Args:
        row: a row with `tags`.
        where: its file and line.

    Raises:
        FormatError: if tokens or tags are missing or have the wrong type, or their numbers differ.
    """
    if row.tokens is msgspec.UNSET or row.tags is msgspec.UNSET:
        raise FormatError("the row has `tags`, but no `tokens`", where=where, remedy=TOKENS)
    tokens = decode_value(_TOKENS, row.tokens, "tokens", where, TOKENS)
    tags = decode_value(_TAGS, row.tags, "tags", where, REMEDY)
    if len(tokens) != len(tags):
        raise FormatError(f"the row has {len(tokens)} tokens, but {len(tags)} tags", where=where, remedy=TOKENS)
    if not all(tags):
        message = f"`tags[{tags.index('')}]` is empty"
        raise FormatError(message, where=where, remedy="The tag of a token without a name is 'O'.")
    _check_order(tokens, where)
    return tokens, tags


def _check_order(tokens: list[TokenPosition], where: str) -> None:
    end = 0
    for at, token in enumerate(tokens):
        if not end <= token.start < token.end <= MAX_TEXT_LENGTH:
            message = f"`tokens[{at}]`, [{token.start}, {token.end}), is empty or does not begin at {end} or later"
            raise FormatError(message, where=where, remedy="List the tokens in the order of the text.")
        end = token.end


BLOCK = 1 << 16  # bytes: the rows of a megabyte exceed the processor's cache


def has_tags(source: Source) -> bool:
    """Return whether the rows have tags, by the first row.

    Args:
        source: JSON Lines, or one array.

    Raises:
        SourceError: if the file cannot be read.
        FormatError: if the row is malformed.
    """
    for number, row in chain.from_iterable(read_jsonl_pieces(source, BLOCK)):
        return get_jsonl_spans(row, source.name, number) is None
    return False


@dataclass(frozen=True, eq=False)
class _JsonlFile:
    """A file whose rows all have spans, or all have tags.

    Args:
        source: JSON Lines, or one array.
        columns: further columns to keep.
        offsets: how offsets that are off are handled.
    """

    source: Source
    columns: ColumnDecoder[JsonlRow] | None
    offsets: OffsetMode

    def read_spans(self) -> Iterator[SpanDocument]:
        """Read the rows of a file with spans."""
        for number, row in chain.from_iterable(read_jsonl_pieces(self.source, BLOCK, self.columns)):
            items = get_jsonl_spans(row, self.source.name, number)
            if items is None:
                raise self._make_mixed_error(number, "tags", "spans")
            if row.answer is not UNSET:
                check_prodigy_answer(row, self.source.name, number)
            spans, warnings = self._place_spans(number, row, items)
            yield SpanDocument(number, row.name, row.text, spans, warnings, self._read_attributes(number, row))

    def read_tags(self) -> Iterator[TaggedRow]:
        """Read the rows of a file with tags."""
        for number, row in chain.from_iterable(read_jsonl_pieces(self.source, BLOCK, self.columns)):
            if get_jsonl_spans(row, self.source.name, number) is not None:
                raise self._make_mixed_error(number, "spans", "tags")
            tokens, tags = read_jsonl_tags(row, self.source.locate(number))
            columns = self._read_attributes(number, row)
            yield TaggedRow(self.source.name, number, row.name, row.text, tokens, tags, columns)

    def _place_spans(
        self, number: int | str, row: JsonlRow, items: Sequence[JsonlSpan]
    ) -> tuple[Sequence[LabelledSpan], tuple[RunWarning, ...]]:
        """Return the spans of a row, checked where necessary.

        A span is checked if the spans give their text or are to be repaired.
        """
        if row.text is None or (
            self.offsets != "repaired" and all(getattr(item, "text", None) is None for item in items)
        ):
            return to_labelled_spans(items), ()
        return place_spans(row.text, to_marked_spans(items), self.source.locate(number), offsets=self.offsets)

    def _read_attributes(self, number: int | str, row: JsonlRow) -> Values | None:
        return None if self.columns is None else self.columns.read_columns(row, self.source.locate(number))

    def _make_mixed_error(self, number: int | str, has: str, others: str) -> FormatError:
        return FormatError(
            f"the row has {has}, but the first row of the file has {others}",
            where=self.source.locate(number),
            remedy="Write all rows of a file with `entities`, or all with `tokens` and `tags`.",
        )


def _read(source: Source, options: FormatOptions) -> AnnotationFile:
    columns = ColumnDecoder.build(JsonlRow, options.attributes) if options.attributes else None
    file = _JsonlFile(source, columns, options.offsets)
    if has_tags(source):
        return AnnotationFile(tags=DocumentReader(source.name, file.read_tags), list_columns=make_column_lister(source))
    return AnnotationFile(spans=DocumentReader(source.name, file.read_spans), list_columns=make_column_lister(source))


def _find_faults(source: Source, options: FormatOptions) -> OptionReasons:
    """Refuse to repair offsets of rows with tags."""
    repairs = options.repair_offsets and has_tags(source)
    return {"repair_offsets": refuse_option("jsonl", "repair_offsets")} if repairs else {}


def _build_row(document: SpanDocument) -> dict[str, Any]:
    check_located(document)
    row: dict[str, Any] = {} if document.text is None else {"text": document.text}
    return row | {"entities": list_span_objects(document)}


FORMAT = AnnotationFormat(
    "jsonl",
    lambda head: head.data[:1] == b"{" or head.first_row is not None,  # malformed rows too: the reader names the fault
    _read,
    write_json_lines(_build_row),
    options=("repair_offsets",),
    find_faults=_find_faults,
)
