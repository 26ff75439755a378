"""Files of JSON lines, or of one array, to batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from msgspec import UNSET

from isogloss.batches import Notice, Side, SpanPairs, TagPairs
from isogloss.exceptions import FormatError
from isogloss.formats.attributes import Values
from isogloss.formats.json_lines import Columns
from isogloss.formats.jsonl.rows import (
    Item,
    Numbered,
    Row,
    check_kept,
    items_of,
    marked_of,
    pieces_of,
    tags_of,
    triples_of,
)
from isogloss.formats.offsets import Offsets, placed
from isogloss.formats.span_pairing import Decode, SpanDocument, TaggedRow, Triple, batch_of, decoded, paired
from isogloss.formats.tag_table import TagTable
from isogloss.sources import Source

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
        File(reference, "reference", decode, block, columns), File(prediction, "predicted", decode, block, columns)
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
        self, number: int | str, row: Row, items: Sequence[Item]
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
