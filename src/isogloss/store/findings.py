"""Save findings in compressed chunks with their columns, and load some.

The findings of a run are JSON in chunks of `CHUNK_ROWS`. Beside the chunks are the columns of
`isogloss.runs.finding_columns` and their values, in pieces. Filters read columns; then only the chunks that have the
findings found are read. Long texts of documents are in pieces of their own. An index has the digest of each chunk and
piece before compression, and the run has the digest of the index: nothing is hidden or changed without a digest that
fails.
"""

from __future__ import annotations

import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, select

from isogloss.kernel.findings import CorrectSpan, DocumentText, Finding, pause_garbage_collection
from isogloss.runs.finding_columns import (
    DOCUMENT,
    DOCUMENT_KEY,
    KEY,
    SLICE,
    SURFACE,
    FindingColumns,
    FindingColumnsBuilder,
    FindingFilter,
    LabelPair,
    Numbers,
    Positions,
    select_numbers,
    select_positions,
)
from isogloss.runs.text_index import FindingTexts
from isogloss.store.database import add_rows
from isogloss.store.digests import check_part, digest_bytes, raise_corrupt, report_corrupt_part
from isogloss.store.schema import packed

FINDINGS = "findings"  # the part of a run
CHUNKS, INDEX, TEXTS = "findings", "findings:index", "findings:texts"  # names in the table `packed`
COLUMNS, VALUES = "findings:column:", "findings:values:"  # before the name of a column there
LAYOUT_VERSION = 3  # since 2, long texts of documents are kept; since 3, their correct spans
CHUNK_ROWS = 250  # findings in a chunk: a scattered page reads many chunks
PIECE_ROWS = 2**18  # numbers of a column in a piece
PIECE_VALUES = 4096  # values of a column in a piece
SHORT_TEXT = 400  # code points of a document's text that is kept within its chunk
PIECE_TEXT = 2**20  # code points of long texts after which a piece ends
PIECES_AT_ONCE = 40  # pieces that are written or read at a time
COMPRESSION_LEVEL = 1
FEW = 4  # less than this part of a chunk is decoded by itself
INCOMPRESSIBLE = (KEY, DOCUMENT_KEY)  # random bits
MANY_VALUES = (DOCUMENT, SURFACE)  # columns whose values are not kept in memory


@dataclass(frozen=True)
class StoredFinding:
    """A finding and its position.

    Args:
        position: among the findings of its run, from 0; the next page begins after it.
        finding: the finding.
    """

    position: int
    finding: Finding

    def to_dict(self) -> dict[str, Any]:
        """Return its row in JSON."""
        return {"position": self.position} | self.finding.to_dict()


class ColumnIndex(msgspec.Struct, array_like=True, frozen=True):
    """How a column is stored.

    Args:
        dtype: type of its numbers, as numpy writes it.
        rows: how many numbers it has.
        pieces: digests of the pieces of its numbers.
        values: how many values it has.
        value_pieces: digests of the pieces of its values.
    """

    dtype: str
    rows: int
    pieces: list[bytes]
    values: int = 0
    value_pieces: list[bytes] = []


class FindingIndex(msgspec.Struct, array_like=True, frozen=True):
    """How the findings of a run are stored.

    Args:
        layout: version of this index.
        count: number of findings.
        chunk_rows: findings in each chunk but the last.
        chunks: digests of the chunks.
        columns: the columns by name.
        texts: position of the first finding and digest of each piece of long texts of documents; none in layout 1.
    """

    layout: int
    count: int
    chunk_rows: int
    chunks: list[bytes]
    columns: dict[str, ColumnIndex]
    texts: list[tuple[int, bytes]] = []


class _LongText(msgspec.Struct, array_like=True, omit_defaults=True):
    """A long text of a document.

    Args:
        position: position of the document's first finding.
        text: the text.
        correct: its correct spans; none before layout 3.
    """

    position: int
    text: str
    correct: tuple[CorrectSpan, ...] = ()


class _SearchedText(msgspec.Struct, array_like=True):
    """The text of a finding; its other parts are not decoded."""

    kind: msgspec.Raw
    document: msgspec.Raw
    where: msgspec.Raw
    marks: msgspec.Raw
    text: str | None


_encode = msgspec.json.Encoder(enc_hook=dict).encode  # for mappings that are not a dictionary
_decode_chunk = msgspec.json.Decoder(list[Finding]).decode
_decode_texts = msgspec.json.Decoder(list[_SearchedText]).decode
_decode_long_texts = msgspec.json.Decoder(list[_LongText]).decode
_split_chunk = msgspec.json.Decoder(list[msgspec.Raw]).decode
_decode_finding = msgspec.json.Decoder(Finding).decode
_decode_pairs = msgspec.json.Decoder(list[LabelPair]).decode
_decode_values = msgspec.json.Decoder(list[str | None]).decode
decode_index = msgspec.msgpack.Decoder(FindingIndex).decode
Piece = tuple[str, int, bytes]  # name and position in `packed`, content


def add_findings(connection: Connection, run: int, findings: Iterable[Finding]) -> bytes:
    """Write the findings of a run.

    Args:
        connection: connection in a transaction that writes.
        run: number of the run.
        findings: all of them, in their order.

    Returns:
        Their digest.
    """
    builder, rest, chunks, texts = FindingColumnsBuilder(), iter(findings), list[bytes](), LongTexts()

    def build_chunks() -> Iterator[Piece]:
        text_of: str | None = None  # the document of the finding before, whose text is saved already
        while chunk := list(islice(rest, CHUNK_ROWS)):
            builder.add(chunk)
            data = encode_chunk(chunk, text_of)
            yield from texts.add(chunk, len(chunks) * CHUNK_ROWS, text_of)
            yield CHUNKS, len(chunks), _compress(data, chunks)
            text_of = chunk[-1].document
        yield from texts.close()

    with pause_garbage_collection():
        _add_pieces(connection, run, build_chunks())
    columns, index = builder.build(), dict[str, ColumnIndex]()
    _add_pieces(connection, run, _build_column_pieces(columns, index))
    data = msgspec.msgpack.encode(
        FindingIndex(LAYOUT_VERSION, columns.count, CHUNK_ROWS, chunks, index, texts.list_pieces())
    )
    _add_pieces(connection, run, [(INDEX, 0, data)])
    return digest_bytes(data)


class LongTexts:
    """Long texts of documents, in pieces beside the chunks.

    A page of findings does not read them.
    """

    def __init__(self) -> None:
        self._texts: list[_LongText] = []  # of the next piece
        self._size = 0
        self._starts: list[int] = []
        self._digests: list[bytes] = []

    def add(self, findings: Sequence[Finding], position: int, text_of: str | None) -> Iterator[Piece]:
        """Add the texts of a chunk, and yield full pieces.

        Args:
            findings: the chunk.
            position: position of its first finding.
            text_of: document of the finding before; None for the first.
        """
        for at, finding in enumerate(findings, position):
            text = finding.document_text
            if text is not None and len(text) > SHORT_TEXT and finding.document != text_of:
                self._texts.append(_LongText(at, text, finding.correct))
                self._size += len(text)
                if self._size >= PIECE_TEXT:
                    yield from self.close()
            text_of = finding.document

    def close(self) -> Iterator[Piece]:
        """Yield the last piece, unless it is empty."""
        if self._texts:
            self._starts.append(self._texts[0].position)
            yield TEXTS, len(self._digests), _compress(_encode(self._texts), self._digests)
            self._texts, self._size = [], 0

    def list_pieces(self) -> list[tuple[int, bytes]]:
        """List the first position and the digest of each piece."""
        return list(zip(self._starts, self._digests, strict=True))


def encode_chunk(findings: Sequence[Finding], text_of: str | None = None) -> bytes:
    """Encode findings as a list in JSON.

    A short text of a document is kept with the first finding of the document, and so are its correct spans.

    Args:
        findings: at least one finding.
        text_of: document of the finding before; None for the first.
    """
    before = [text_of, *(finding.document for finding in findings[:-1])]
    rows = [
        (
            one.kind,
            one.document,
            one.where,
            one.marks,
            one.text,
            one.before,
            one.after,
            one.extra,
            one.document_text if one.document != last and len(one.document_text or "") <= SHORT_TEXT else None,
            one.text_start,
            *(
                (one.correct,)
                if one.correct and one.document != last and len(one.document_text or "") <= SHORT_TEXT
                else ()
            ),
        )
        for one, last in zip(findings, before, strict=True)
    ]
    return _encode(rows)


def _build_column_pieces(columns: FindingColumns, index: dict[str, ColumnIndex]) -> Iterator[Piece]:
    """Yield the pieces of columns and values.

    Their digests are put into the index.
    """
    for name, numbers in columns.columns.items():
        little = numbers.astype(numbers.dtype.newbyteorder("<"), copy=False)
        values = columns.values.get(name, ())
        own = index[name] = ColumnIndex(little.dtype.str, len(little), [], len(values), [])
        level = 0 if name in INCOMPRESSIBLE else COMPRESSION_LEVEL
        for low in range(0, len(little), PIECE_ROWS):
            data = little[low : low + PIECE_ROWS].tobytes()
            yield COLUMNS + name, len(own.pieces), _compress(data, own.pieces, level)
        for low in range(0, len(values), PIECE_VALUES):
            data = _encode(values[low : low + PIECE_VALUES])
            yield VALUES + name, len(own.value_pieces), _compress(data, own.value_pieces)


def _compress(data: bytes, known: list[bytes], level: int = COMPRESSION_LEVEL) -> bytes:
    """Compress the next piece, and add its digest to those known."""
    known.append(digest_bytes(data))
    return zlib.compress(data, level)


def _add_pieces(connection: Connection, run: int, pieces: Iterable[Piece]) -> None:
    rest = iter(pieces)
    while some := list(islice(rest, PIECES_AT_ONCE)):
        add_rows(connection, packed, ("run", "what", "position", "data"), [(run, *piece) for piece in some])


class StoredFindings:
    """The findings of a stored run: columns, pages, texts.

    Columns and their few values stay in memory after they were read once. Every method reads in one transaction.

    Args:
        begin: begins a transaction that reads.
        run: number of the run.
    """

    def __init__(self, begin: Callable[[], AbstractContextManager[Connection]], run: int) -> None:
        self._begin, self._run = begin, run
        self._columns: dict[str, Numbers] = {}
        self._values: dict[str, Sequence[Any]] = {}
        self._texts = FindingTexts(self._read_texts, self._read_document_names, lambda: self.get_column(DOCUMENT))
        with begin() as connection:
            self._index = self._load_index(connection)

    @property
    def count(self) -> int:
        """Number of findings."""
        return self._index.count

    @property
    def layout(self) -> int:
        """Layout in which they are stored."""
        return self._index.layout

    @property
    def columns(self) -> Sequence[str]:
        """Names of all columns."""
        return list(self._index.columns)

    @property
    def slice_columns(self) -> Sequence[str]:
        """Names of the columns of slices, without `slice:`."""
        return [name.removeprefix(SLICE) for name in self._index.columns if name.startswith(SLICE)]

    def get_column(self, name: str) -> Numbers:
        """Load the numbers of a column.

        Args:
            name: its name, see `isogloss.runs.finding_columns`.

        Raises:
            KeyError: if there is no such column.
            StoreError: if it is corrupt.
        """
        if name not in self._columns:
            self._columns[name] = self._load_column(name)
        return self._columns[name]

    def get_values(self, name: str) -> Sequence[Any]:
        """Load all values of a column: texts; for `label`, pairs (reference, predicted).

        Args:
            name: name of the column.

        Raises:
            KeyError: if there is no such column.
            StoreError: if they are corrupt.
        """
        if name in MANY_VALUES:
            return self.load_values(name, 0, self.count_values(name))
        if name not in self._values:
            self._values[name] = self.load_values(name, 0, self.count_values(name))
        return self._values[name]

    def count_values(self, name: str) -> int:
        """Return how many values a column has."""
        return self._index.columns[name].values

    def load_values(self, name: str, first: int, stop: int) -> list[Any]:
        """Load the values of a column whose numbers are in a range.

        Args:
            name: name of the column.
            first: the first number.
            stop: the number after the last one.

        Raises:
            KeyError: if there is no such column.
            StoreError: if they are corrupt.
        """
        entry = self._index.columns[name]
        decode: Callable[[bytes], list[Any]] = _decode_pairs if name == "label" else _decode_values
        first, stop = max(first, 0), min(stop, entry.values)
        low, high = first // PIECE_VALUES, -(-stop // PIECE_VALUES)
        pieces = self._read_pieces(VALUES + name, entry.value_pieces, range(low, high))
        values = [value for _, data in pieces for value in decode(data)]
        return values[first - low * PIECE_VALUES : max(stop - low * PIECE_VALUES, 0)]

    def list_surfaces(self, first: int, stop: int) -> list[tuple[int, str, int]]:
        """List number, text and count of surface forms, the most frequent first."""
        counts = np.bincount(self.get_column(SURFACE), minlength=self.count_values(SURFACE))
        texts = self.load_values(SURFACE, first, stop)
        return [(number, text, int(counts[number])) for number, text in enumerate(texts, max(first, 0))]

    def find(self, conditions: FindingFilter, limit: int | None = None) -> Positions:
        """Find the positions of findings that meet all conditions, ascending."""
        return select_positions(self, conditions, limit)

    def find_in_document(self, number: int) -> Positions:
        """Find the positions of the findings of the document with this number."""
        return select_numbers(self, {DOCUMENT: [number]})

    def load(self, positions: Iterable[int]) -> list[StoredFinding]:
        """Load the findings at some positions.

        Args:
            positions: ascending; positions that the run does not have are left out.

        Raises:
            StoreError: if a finding is corrupt.
        """
        rows = self._index.chunk_rows
        known = (int(position) for position in positions if 0 <= position < self.count)
        chunks = {number: list(own) for number, own in groupby(known, lambda position: position // rows)}
        stored: list[StoredFinding] = []
        for number, data in self._read_pieces(CHUNKS, self._index.chunks, list(chunks)):
            stored += _decode_positions(data, number * rows, chunks[number])
        return stored

    def load_document(self, number: int) -> DocumentText:
        """Load the whole text of a document and its correct spans.

        Args:
            number: number of the document.
        """
        position = int(self.find_in_document(number)[0])
        texts = self._load_long_texts(position, position + 1)
        if texts:
            return DocumentText(texts[position].text, texts[position].correct)
        chunk, row = divmod(position, self._index.chunk_rows)
        ((_, data),) = self._read_pieces(CHUNKS, self._index.chunks, [chunk])
        first = _decode_finding(_split_chunk(data)[row])
        return DocumentText(first.document_text, first.correct)

    def _load_long_texts(self, first: int, stop: int) -> dict[int, _LongText]:
        """Load the long texts in a range, by position of first findings."""
        starts = [start for start, _ in self._index.texts]
        pieces = range(max(bisect_right(starts, first) - 1, 0), bisect_left(starts, stop))
        read = self._read_pieces(TEXTS, [digest for _, digest in self._index.texts], pieces)
        return {
            own.position: own for _, data in read for own in _decode_long_texts(data) if first <= own.position < stop
        }

    def read_chunks(self) -> Iterator[bytes]:
        """Yield all findings in their order, in lists as JSON.

        Raises:
            StoreError: if they are corrupt.
        """
        return (data for _, data in self._read_pieces(CHUNKS, self._index.chunks, range(len(self._index.chunks))))

    def read_chunks_with_texts(self) -> Iterator[bytes]:
        """Yield all findings as JSON lists with long texts of documents.

        Raises:
            StoreError: if they are corrupt.
        """
        for number, data in enumerate(self.read_chunks()):
            first = number * self._index.chunk_rows
            texts = self._load_long_texts(first, first + self._index.chunk_rows)
            yield _insert_texts(data, first, texts) if texts else data

    def search(self, text: str) -> NDArray[np.bool_]:
        """Return for each finding whether it has a text: (findings,).

        The text is in the finding or the name of its document; case and the form of composed characters do not matter.

        Args:
            text: the text.

        Raises:
            StoreError: if a finding is corrupt.
        """
        return self._texts.search(text)

    def _read_texts(self) -> Iterator[str | None]:
        return (row.text for data in self.read_chunks() for row in _decode_texts(data))

    def _read_document_names(self) -> Iterator[str]:
        starts = range(0, self.count_values(DOCUMENT), PIECE_VALUES)
        return (name for start in starts for name in self.load_values(DOCUMENT, start, start + PIECE_VALUES))

    def _load_index(self, connection: Connection) -> FindingIndex:
        column = packed.c
        query = select(column.data).where(column.run == self._run, column.what == INDEX)
        with report_corrupt_part(connection, self._run, FINDINGS):
            data = connection.scalars(query).one()
        check_part(connection, self._run, FINDINGS, digest_bytes(data))
        return decode_index(data)

    def _load_column(self, name: str) -> Numbers:
        entry = self._index.columns[name]
        pieces = self._read_pieces(COLUMNS + name, entry.pieces, range(len(entry.pieces)))
        column: Numbers = np.frombuffer(b"".join(data for _, data in pieces), entry.dtype)
        return column

    def _read_pieces(self, what: str, known: Sequence[bytes], numbers: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        """Read pieces one after the other and check their digests.

        Args:
            what: their name.
            known: digests of all pieces.
            numbers: ascending numbers of the pieces to read.
        """
        if not numbers:
            return
        column = packed.c
        query = select(column.position, column.data).where(column.run == self._run, column.what == what)
        with self._begin() as connection:
            for low in range(0, len(numbers), PIECES_AT_ONCE):
                some = list(numbers[low : low + PIECES_AT_ONCE])
                with report_corrupt_part(connection, self._run, FINDINGS):
                    rows = connection.execute(query.where(column.position.in_(some))).all()
                    by_position = {row.position: row.data for row in rows}
                for number in some:
                    yield number, self._decompress(connection, by_position.get(number), known[number])

    def _decompress(self, connection: Connection, data: bytes | None, digest: bytes) -> bytes:
        """Decompress a piece and check its digest."""
        try:
            content = zlib.decompress(data or b"")
        except (zlib.error, TypeError) as error:
            raise_corrupt(connection, self._run, FINDINGS, error)
        if digest_bytes(content) != digest:
            raise_corrupt(connection, self._run, FINDINGS)
        return content


def _decode_positions(data: bytes, first: int, positions: Sequence[int]) -> Iterator[StoredFinding]:
    """Decode the findings of a chunk at these positions.

    The chunk begins at the position `first`.
    """
    if len(positions) < CHUNK_ROWS // FEW:
        parts = _split_chunk(data)
        findings = [_decode_finding(parts[position - first]) for position in positions]
    else:
        every = _decode_chunk(data)
        findings = [every[position - first] for position in positions]
    for position, finding in zip(positions, findings, strict=True):
        yield StoredFinding(position, _remove_document_text(finding))


def _insert_texts(data: bytes, first: int, texts: Mapping[int, _LongText]) -> bytes:
    """Insert long texts by position into a chunk that begins at `first`."""
    return _encode(
        [
            msgspec.structs.replace(finding, document_text=texts[at].text, correct=texts[at].correct)
            if at in texts
            else finding
            for at, finding in enumerate(_decode_chunk(data), first)
        ]
    )


def _remove_document_text(finding: Finding) -> Finding:
    """Remove the text of the document and its correct spans.

    Only the first finding of a document has them.
    """
    if finding.document_text is None:
        return finding
    return msgspec.structs.replace(finding, document_text=None, correct=())


def open_findings(connection: Connection, run: int) -> StoredFindings:
    """Open the findings of a run within a transaction.

    Args:
        connection: connection in a transaction.
        run: number of the run.

    Raises:
        StoreError: if their index is corrupt.
    """
    return StoredFindings(lambda: nullcontext(connection), run)


def load_findings(
    connection: Connection, run: int, conditions: FindingFilter, limit: int | None
) -> list[StoredFinding]:
    """Load the next findings of a run that match, in their order.

    Args:
        connection: connection in a transaction.
        run: number of the run.
        conditions: the conditions.
        limit: most findings to load; None for all.

    Raises:
        StoreError: if what was read is corrupt.
    """
    stored = open_findings(connection, run)
    return stored.load(stored.find(conditions, None if limit is None or limit < 0 else limit).tolist())
