"""A text as it was given, and texts that can be read again, whatever they are kept in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, repeat
from typing import NamedTuple, Protocol

from isogloss.formats.attributes import Values
from isogloss.formats.code_switching.names import Names
from isogloss.sources import Block, Source

BLOCK = 1 << 18  # bytes read at once: what is made of them stays in the processor's cache
Progress = Callable[[int], object]


class Row(NamedTuple):
    """A text. Positions are half-open and count its code points.

    Args:
        text: as the user gave it, newlines inside allowed.
        place: where it begins: a line of a file from 1, a row of a Parquet file from 1, a position in a list from 0.
        name: its id, or its number from 1.
        sentences: ascending, disjoint; None where they are to be found.
        tokens: likewise; each is within one sentence.
        entities: spans with a label or None; may overlap.
        prompt: what the text answers; None where nobody said.
        columns: what is wanted of the row beside; None where nothing is.
    """

    text: str
    place: int
    name: str
    sentences: tuple[tuple[int, int], ...] | None = None
    tokens: tuple[tuple[int, int], ...] | None = None
    entities: tuple[tuple[int, int, str | None], ...] | None = None
    prompt: str | None = None
    columns: Values | None = None


class Rows(Protocol):
    """Rows that can be read again."""

    @property
    def name(self) -> str:
        """What messages call them: the path, or `texts`."""

    @property
    def sources(self) -> tuple[Source, ...]:
        """The files they are in; none for a list."""

    @property
    def format(self) -> str:
        """What they are kept in: one of `FORMATS`, or `list`."""

    @property
    def columns(self) -> Callable[[], Iterable[str]]:
        """What tells the columns of the rows, as far as the first one has them."""

    def pieces(self, size: int) -> Iterator[list[Row]]:
        """All rows in their order, in lists with about `size` code points of text in all. No list is empty.

        Raises:
            SourceError: a file cannot be read.
            FormatError: a row is not what it should be.
            DataError: a position is not within its text, tokens do not fit their sentences, an id stands twice, or
                only some rows have one.
            MissingExtraError: what reads the format is not installed.
        """

    def where(self, place: int, line: int) -> str:
        """What messages call a spot of a text.

        Args:
            place: of the row.
            line: newlines in the text before the spot. It counts where a text has several lines of its file.
        """


@dataclass(frozen=True, eq=False)
class Readable:
    """Rows of any format.

    Args:
        name: what messages call them.
        sources: the files they are in.
        format: what they are kept in.
        read: hands on all rows in their order, in lists of any length; they are called as it is told.
        spot: what messages call a spot, by place and line.
        id_field: where ids are looked for, None to number the rows.
        columns: the columns of the rows, as far as the first one tells.
    """

    name: str
    sources: tuple[Source, ...]
    format: str
    read: Callable[[Names], Iterator[list[Row]]]
    spot: Callable[[int, int], str]
    id_field: str | None
    columns: Callable[[], Iterable[str]] = tuple

    def pieces(self, size: int) -> Iterator[list[Row]]:
        """All rows, as `Rows` has it."""
        names = self._names()
        yield from _gathered(self.read(names), size)
        if names.may_repeat():
            names.check((row.name, row.place) for rows in self.read(self._names()) for row in rows)

    def where(self, place: int, line: int) -> str:
        """What messages call a spot of a text."""
        return self.spot(place, line)

    def _names(self) -> Names:
        return Names(self.id_field, lambda place: self.spot(place, 0))


def of_columns(
    texts: Sequence[str],
    places: Iterable[int],
    names: Iterable[str],
    prompts: Iterable[str | None] = repeat(None),
    values: Iterable[Values | None] = repeat(None),
) -> list[Row]:
    """Rows of which nothing is known but these.

    Args:
        texts: (rows,) the texts.
        places: (rows,) where they begin.
        names: (rows,) what they are called.
        prompts: (rows,) what they answer.
        values: (rows,) what is wanted of them beside.
    """
    nothing = repeat(None)
    fields = zip(texts, places, names, nothing, nothing, nothing, prompts, values, strict=False)
    return list(map(partial(tuple.__new__, Row), fields))  # three times as fast as to call Row


def blocks_of(source: Source, progress: Progress | None, *, decode: bool = True) -> Iterator[Block]:
    """The blocks of a file; `progress` is told the bytes read after each.

    Raises:
        SourceError: the file cannot be read.
    """
    for block in source.blocks(BLOCK, decode=decode):
        yield block
        if progress is not None:
            progress(source.bytes_read)


def _gathered(lists: Iterable[list[Row]], size: int) -> Iterator[list[Row]]:
    """The rows in lists with at least `size` code points of text; only the last may have less."""
    piece: list[Row] = []
    held = 0
    for row in chain.from_iterable(lists):
        piece.append(row)
        held += len(row[0])
        if held >= size:
            yield piece
            piece, held = [], 0
    if piece:
        yield piece
