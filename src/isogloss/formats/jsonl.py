"""JSON to rows with the expected types, or an error with its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

import msgspec
from msgspec import UNSET

from isogloss.errors import FormatError
from isogloss.formats.annotation import AnnotationFormat, Annotations, Documents, Head, Options, unwritable
from isogloss.formats.documents import LONGEST, SpanDocument, Triple
from isogloss.formats.offsets import Marked, Offsets, placed
from isogloss.formats.span_pairing import paired
from isogloss.formats.tag_table import TagTable
from isogloss.formats.tagged import Decode, TaggedRow, Token, batch_of, decoded
from isogloss.kernel.provenance import Notice, Side
from isogloss.records import json_lines, json_rows
from isogloss.records.attributes import Values
from isogloss.records.destinations import written
from isogloss.records.json_lines import Columns, value_of
from isogloss.records.json_rows import columns_of
from isogloss.records.sources import Source
from isogloss.spans.batches import SpanPairs, TagPairs

REMEDY = 'A row looks like {"id": "1", "text": "Ada met Bob", "entities": [{"start": 0, "end": 3, "label": "PER"}]}.'
TOKENS = (
    'With tags, a row has tokens such as {"start": 0, "end": 3}, as many as tags; both count code points of the text.'
)
DROPPED = (b'"reject"', b'"ignore"')  # answers in Prodigy
OF_PRODIGY = "Its first row does not look like Prodigy. --input-format prodigy leaves out such rows, and counts them."
PIECE = 1 << 10  # rows of an array


class Entity(msgspec.Struct, gc=False):
    """A span written as an object, which may say what text it covers."""

    start: int
    end: int
    label: str
    text: str | None = None


Item = Entity | tuple[int, int, str]


class Row(msgspec.Struct, gc=False, rename={"task_hash": "_task_hash"}):
    """What a line may hold. What is only looked at without `entities` is left as JSON: it may mean something else."""

    id: str | int | None = None
    text: str | None = None
    entities: list[Item] | msgspec.UnsetType = msgspec.UNSET
    spans: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    tokens: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    tags: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    answer: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    task_hash: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET

    @property
    def name(self) -> str | None:
        """The id as text."""
        return None if self.id is None else str(self.id)


Numbered = tuple[int | str, Row]  # line and row
_ROW = msgspec.json.Decoder(Row)
_SPANS = msgspec.json.Decoder(list[Item])
_TOKENS = msgspec.json.Decoder(list[Token])
_TAGS = msgspec.json.Decoder(list[str])


def pieces_of(source: Source, size: int, columns: Columns[Row] | None = None) -> Iterator[Iterable[Numbered]]:
    """The rows of a file in pieces, each row with its line.

    Args:
        source: JSON lines, or one array, which is in memory as a whole.
        size: bytes of lines that are read at once, about.
        columns: columns that are wanted beside.

    Raises:
        SourceError: the file cannot be read.
        FormatError: it is no JSON, a row is no object, or a value is not of the type that it should be.
    """
    decoder = _ROW if columns is None else columns.decoder
    if not json_rows.is_array(source):
        yield from (json_lines.rows_of(source, block, decoder, REMEDY) for block in source.blocks(size))
        return
    rows = json_rows.read_rows(source, decoder, REMEDY)
    while piece := list(islice(rows, PIECE)):
        yield piece


def items_of(row: Row, name: str, line: int | str) -> Sequence[Item] | None:
    """The spans of a row as they stand, None where it has tags instead.

    Args:
        row: a row.
        name: of its file.
        line: its line.

    Raises:
        FormatError: `spans` are not of the types that they should be, or it has neither spans nor tags.
    """
    if row.entities is not msgspec.UNSET:
        return row.entities
    if row.spans is not msgspec.UNSET:
        return value_of(_SPANS, row.spans, "spans", f"{name}:{line}", REMEDY)
    if row.tags is not msgspec.UNSET:
        return None
    raise FormatError("the row has neither `entities` nor `tags`", where=f"{name}:{line}", remedy=REMEDY)


def check_kept(row: Row, name: str, line: int | str) -> None:
    """Refuse a row that its annotator did not keep, in a file of Prodigy whose first row does not look like one.

    Args:
        row: a row with an answer.
        name: of its file.
        line: its line.

    Raises:
        FormatError: it was rejected or ignored in Prodigy.
    """
    answer = b"" if row.answer is msgspec.UNSET else bytes(row.answer)
    if answer in DROPPED and row.task_hash is not msgspec.UNSET:
        message = f"the row has the answer {answer.decode()} of Prodigy, but the file is read as jsonl"
        raise FormatError(message, where=f"{name}:{line}", remedy=OF_PRODIGY)


def triples_of(items: Sequence[Item]) -> Sequence[Triple]:
    """Start, end and label of spans."""
    if not items:
        return ()
    return [(item.start, item.end, item.label) if isinstance(item, Entity) else item for item in items]


def marked_of(items: Sequence[Item]) -> list[Marked] | None:
    """Spans with the texts that they say they cover; None where none says so."""
    if all(getattr(item, "text", None) is None for item in items):
        return None
    return [
        (item.start, item.end, item.label, item.text) if isinstance(item, Entity) else (*item, None) for item in items
    ]


def tags_of(row: Row, where: str) -> tuple[list[Token], list[str]]:
    """The tokens of a row and their tags.

    Args:
        row: a row with `tags`.
        where: its file and line.

    Raises:
        FormatError: tokens or tags are missing or not what they should be, or there are not as many of both.
    """
    if row.tokens is msgspec.UNSET or row.tags is msgspec.UNSET:
        raise FormatError("the row has `tags`, but no `tokens`", where=where, remedy=TOKENS)
    tokens = value_of(_TOKENS, row.tokens, "tokens", where, TOKENS)
    tags = value_of(_TAGS, row.tags, "tags", where, REMEDY)
    if len(tokens) != len(tags):
        raise FormatError(f"the row has {len(tokens)} tokens, but {len(tags)} tags", where=where, remedy=TOKENS)
    if not all(tags):
        message = f"`tags[{tags.index('')}]` is empty"
        raise FormatError(message, where=where, remedy="The tag of a token without a name is 'O'.")
    _check_order(tokens, where)
    return tokens, tags


def _check_order(tokens: list[Token], where: str) -> None:
    end = 0
    for at, token in enumerate(tokens):
        if not end <= token.start < token.end <= LONGEST:
            message = f"`tokens[{at}]`, [{token.start}, {token.end}), is empty or does not begin at {end} or later"
            raise FormatError(message, where=where, remedy="List the tokens in the order of the text.")
        end = token.end


BLOCK = 1 << 16  # bytes: the rows of a megabyte no longer stay in the processor's cache


def span_pairs(
    reference: Source,
    prediction: Source,
    decode: Decode | None = None,
    block: int = BLOCK,
    *,
    attributes: Sequence[str] = (),
) -> Iterator[SpanPairs]:
    """Documents of two files in batches, their spans in code points.

    Args:
        reference: JSON lines, or one array.
        prediction: likewise.
        decode: turns tags into spans; needed where a file has tags.
        block: bytes that are read at once, about.
        attributes: columns that are kept of both sides.

    Yields:
        Batches in the order of the reference.

    Raises:
        SourceError: a file cannot be read.
        FormatError: a row is not what it should be, or a file holds no documents.
        MismatchError: the files do not have the same documents with the same texts.
        DataError: an id stands twice in a file, or a span is not within its text.
        TagError: by `decode`.
        UsageError: a column holds lists or objects.
    """
    columns = Columns.beside(Row, attributes) if attributes else None
    return paired(
        File(reference, "reference", decode, block, columns),
        File(prediction, "predicted", decode, block, columns),
    )


def has_tags(source: Source) -> bool:
    """Whether the first row has tags in place of spans, which all rows then have.

    Raises:
        SourceError: the file cannot be read.
        FormatError: the row is not what it should be.
    """
    for number, row in chain.from_iterable(pieces_of(source, BLOCK)):
        return items_of(row, source.name, number) is None
    return False


def tag_batches(source: Source, side: Side, block: int = BLOCK) -> Iterator[TagPairs]:
    """The tags of a file that has some, as evidence for their scheme.

    Args:
        source: JSON lines with tags.
        side: whose they are. The tags of the other side are all "O", as the two may be tokenised differently.
        block: bytes that are read at once, about.

    Yields:
        A batch a block.

    Raises:
        SourceError: the file cannot be read.
        FormatError: a row is not what it should be.
    """
    for _, batch in File(source, side, None, block).tagged():
        yield batch


@dataclass(frozen=True, eq=False)
class File:
    """A file whose rows have spans, or all have tags, as the first has.

    Args:
        source: JSON lines, or one array.
        side: whose they are.
        decode: turns tags into spans; needed where rows with tags are wanted as spans.
        block: bytes that are read at once, about.
        columns: what is kept of rows beside.
        offsets: what is done about offsets that are off.
    """

    source: Source
    side: Side
    decode: Decode | None = None
    block: int = BLOCK
    columns: Columns[Row] | None = None
    offsets: Offsets = "checked"

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.source.name

    def __iter__(self) -> Iterator[SpanDocument]:
        """Its documents with spans, from the beginning at each call."""
        return self._from_tags() if has_tags(self.source) else self.rows_with_spans()

    def rows_with_spans(self) -> Iterator[SpanDocument]:
        """The rows of a file with spans."""
        for number, row in chain.from_iterable(self._pieces()):
            items = items_of(row, self.name, number)
            if items is None:
                raise self._mixed(number, "tags", "spans")
            if row.answer is not UNSET:
                check_kept(row, self.name, number)
            spans, notices = self._placed(number, row, items)
            yield SpanDocument(number, row.name, row.text, spans, notices, self._values(number, row))

    def _pieces(self) -> Iterator[Iterable[Numbered]]:
        return pieces_of(self.source, self.block, self.columns)

    def _placed(
        self,
        number: int | str,
        row: Row,
        items: Sequence[Item],
    ) -> tuple[Sequence[Triple], tuple[Notice, ...]]:
        """The spans of a row; where they say what text they cover, or are to be repaired, each is looked at."""
        marked = None if row.text is None or not items else marked_of(items)
        if row.text is None or (marked is None and self.offsets != "repaired"):
            return triples_of(items), ()
        own = marked or [(*triple, None) for triple in triples_of(items)]
        return placed(row.text, own, f"{self.name}:{number}", offsets=self.offsets)

    def _from_tags(self) -> Iterator[SpanDocument]:
        if self.decode is None:
            raise ValueError("rows with tags need a decoder")
        for rows, batch in self.tagged():
            spans, notices = decoded(rows, batch, self.side, self.decode)
            for row, of_row in zip(rows, spans, strict=True):
                yield SpanDocument(row.line, row.id, row.text, of_row, notices, row.columns)
                notices = ()

    def rows_with_tags(self) -> Iterator[TaggedRow]:
        """The rows of a file with tags."""
        for piece in self._pieces():
            yield from self._tagged_rows(piece)

    def tagged(self) -> Iterator[tuple[list[TaggedRow], TagPairs]]:
        """The rows of each block of a file with tags, and a batch of their tags."""
        table, first = TagTable(), 0
        for piece in self._pieces():
            rows = self._tagged_rows(piece)
            if rows:
                yield rows, batch_of(rows, first, self.side, table)
            first += len(rows)

    def _tagged_rows(self, piece: Iterable[Numbered]) -> list[TaggedRow]:
        return [self._tagged_row(number, row) for number, row in piece]

    def _tagged_row(self, number: int | str, row: Row) -> TaggedRow:
        if items_of(row, self.name, number) is not None:
            raise self._mixed(number, "spans", "tags")
        tokens, tags = tags_of(row, f"{self.name}:{number}")
        return TaggedRow(self.name, number, row.name, row.text, tokens, tags, self._values(number, row))

    def _values(self, number: int | str, row: Row) -> Values | None:
        return None if self.columns is None else self.columns.of(row, f"{self.name}:{number}")

    def _mixed(self, number: int | str, has: str, others: str) -> FormatError:
        return FormatError(
            f"the row has {has}, but the first row of the file has {others}",
            where=f"{self.name}:{number}",
            remedy="Write all rows of a file with `entities`, or all with `tokens` and `tags`.",
        )


def _recognises(head: Head) -> bool:
    return head.data[:1] == b"{" or head.row is not None  # also what is broken: it is told as such


def _read(source: Source, options: Options) -> Annotations:
    options.only("jsonl", "repair_offsets")
    columns = Columns.beside(Row, options.attributes) if options.attributes else None
    file = File(source, options.side, columns=columns, offsets=options.offsets)
    if has_tags(source):
        options.only("jsonl")
        return Annotations(tags=Documents(source.name, file.rows_with_tags), columns=columns_of(source))
    return Annotations(spans=Documents(source.name, file.rows_with_spans), columns=columns_of(source))


def _write(documents: Iterable[SpanDocument], path: str) -> None:
    with written(path) as file:
        for document in documents:
            if document.unlocated:
                raise unwritable(document, "has names that are not in its text", "Leave these names out.")
            row: dict[str, object] = {} if document.id is None else {"id": document.id}
            row |= {} if document.text is None else {"text": document.text}
            row["entities"] = [dict(zip(("start", "end", "label"), span, strict=True)) for span in document.spans]
            file.write(msgspec.json.encode(row) + b"\n")


FORMAT = AnnotationFormat("jsonl", _recognises, _read, _write)
