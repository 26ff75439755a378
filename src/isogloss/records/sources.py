"""Sources of input: files and standard input, as blocks of whole lines.

A source can be read any number of times. Standard input and pipes are stored on first use: in memory while they are
small, then in a temporary file. gzip and zstd are recognised by their first bytes, whatever the name. A byte order mark
at the beginning is left out, and a missing last newline is added. All bytes are checked to be text. The lines before a
fault are yielded before it is raised, so that the faults of a file are reported in their order, whatever its blocks;
only a NUL in the first 8,000 bytes is reported at once, because it means that the file is not text.
"""

from __future__ import annotations

import codecs
import difflib
import hashlib
import os
import stat
import sys
import weakref
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import IO, Any, Protocol, TypeGuard, TypeVar

import numpy as np

from isogloss.errors import SourceError, import_extra
from isogloss.text.utf8 import find_invalid_byte, is_surely_text, try_decode

BLOCK = 1 << 20  # bytes
MAX_MEMORY = 1 << 24  # bytes of a pipe that are kept in memory
COMPRESSED_BYTES = 1 << 14  # decompressed at once: a bomb of them stays below 20 MB
SNIFFED_BYTES = 8000  # in which a NUL means that a file is not text
NEWLINE = b"\n"
BOM = b"\xef\xbb\xbf"
GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
BINARY = {
    b"PK\x03\x04": "a zip archive (.zip, .xlsx, .docx, .npz)",
    b"PAR1": "a Parquet file",
    b"BZh": "compressed with bzip2",
    b"\xfd7zXZ\x00": "compressed with xz",
    b"%PDF-": "a PDF",
    b"\x80\x04\x95": "a Python pickle",
    b"\x80\x05\x95": "a Python pickle",
    b"\xff\xfe": "text in UTF-16",
    b"\xfe\xff": "text in UTF-16",
}


@dataclass(frozen=True)
class Block:
    """Consecutive whole lines of a source.

    Args:
        data: valid UTF-8 without NUL bytes that ends with a newline.
        first_line: number of the first line, from 1.
        lines: number of lines.
        decoded: the text of `data`; None if it is not decoded yet.
    """

    data: bytes
    first_line: int
    lines: int
    decoded: str | None = field(default=None, repr=False, compare=False)

    @property
    def text(self) -> str:
        """The lines as text, decoded once."""
        return self.data.decode() if self.decoded is None else self.decoded


class ArgumentName(str):
    """Name of a Python list of rows.

    Places in the list are indices.
    """

    __slots__ = ()


def format_place(name: str, line: int | str) -> str:
    """Return the place of a row.

    It is `pred.jsonl:2` in a file, `prediction[1]` in a Python list.

    Args:
        name: name of the source.
        line: line in the file, from 1, or another place in it.
    """
    return f"{name}[{line - 1}]" if isinstance(name, ArgumentName) and isinstance(line, int) else f"{name}:{line}"


class Source:
    """A file or standard input, read in blocks, as often as needed.

    Args:
        path: the file; "-" is standard input.

    Attributes:
        path: the file as given.
        name: its name in messages: the path, or `<stdin>`.
        sha256: digest of the stored bytes, as sha256sum prints it; None until a pass has read them all.
        bytes_read: number of stored bytes read in the latest pass.
        has_mark: whether the latest pass left out a byte order mark.
        is_unended: whether the latest pass added a last newline; known at its end.
        first_line: number of its first line.
        has_line_records: whether each line is a record, as its task has found.
        folder: the folder that was given instead of its files, if it is one with a file for each language.
    """

    first_line = 1

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        if "\0" in self.path:
            raise SourceError(
                f"{self.path!r} contains a NUL character, which names of files cannot have", remedy="Name a file."
            )
        shown = self.path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        self.name = "<stdin>" if self.path == "-" else shown  # a name need not be UTF-8, but output is
        self.sha256: str | None = None
        self.bytes_read = 0
        self.has_mark = self.is_unended = self.has_line_records = False
        self.folder: str | None = None
        self._pipe: IO[bytes] | None = None
        self._pipe_size: int | None = None

    @property
    def size(self) -> int | None:
        """Number of stored bytes.

        It is None if it is unknown before the bytes are read.
        """
        if self._pipe_size is not None or self.path == "-":
            return self._pipe_size
        try:
            status = Path(self.path).stat()
        except OSError:
            return None
        return status.st_size if stat.S_ISREG(status.st_mode) else None

    @property
    def shards(self) -> Sequence[Source]:
        """The files that it consists of: itself, unless it is `isogloss.records.shards.Shards`."""
        return (self,)

    def read_shards(self) -> Iterator[Source]:
        """Yield its files one after another, for one pass over them."""
        yield self

    def locate(self, line: int | str) -> str:
        """Return file and line for errors."""
        return format_place(self.name, line)

    def get_file(self, line: int) -> str:  # noqa: ARG002  shards look for the file with the line
        """Return the name of the file with a line."""
        return self.name

    def blocks(self, size: int = BLOCK, *, decode: bool = True) -> Iterator[Block]:
        """Read the lines of the source, from the beginning at each call.

        Args:
            size: approximate number of bytes of a block; a line is never cut.
            decode: whether the text of the blocks is needed; if not, bytes are only checked, which is faster.

        Yields:
            Blocks of whole lines; none for an empty source.

        Raises:
            SourceError: if it is missing, a folder, not readable, damaged, binary, or not UTF-8.
            MissingExtraError: if it is compressed with zstd, and zstandard is not installed.
        """
        line = self.first_line
        self.has_mark = self.is_unended = False
        for lines in _join_lines(self._read_decompressed(size), size):
            data = self._normalize(lines, first=line == self.first_line)
            text, fault = (None, None) if not decode and is_surely_text(data) else try_decode(data)
            if fault is not None:
                sound = data[: data.rfind(b"\n", 0, fault) + 1]
                if sound:
                    yield Block(sound, line, _count_lines(sound))
                raise self._build_text_error(data, line, fault)
            count = _count_lines(data)
            block = [Block(data, line, count, text if decode else None)] if count else []
            del lines, data, text  # only the reader holds the block, so that it can free it
            if block:
                yield block.pop()
            line += count

    def _normalize(self, lines: bytes, *, first: bool) -> bytes:
        """Remove a byte order mark, and add a missing last newline."""
        self.has_mark = self.has_mark or (first and lines.startswith(BOM))
        self.is_unended = not lines.endswith(NEWLINE)
        data = lines.removeprefix(BOM) if first else lines
        return data + NEWLINE if self.is_unended else data

    def _read_decompressed(self, size: int) -> Iterator[bytes]:
        """Yield pieces of the text."""
        stored = self._read_stored(max(size, len(ZSTD)))
        first = next(stored, b"")
        pieces: Iterator[bytes] = chain([first], stored)
        if first.startswith(GZIP):
            pieces = _decompress(pieces, _build_gzip(self))
        elif first.startswith(ZSTD):
            pieces = _decompress(pieces, _build_zstd(self))
        return self._check_text(pieces)

    def _check_text(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """Check that the beginning is text, and return the same pieces."""
        begin: list[bytes] = []
        for piece in pieces:
            begin.append(piece)
            if sum(map(len, begin)) >= SNIFFED_BYTES:
                break
        head = b"".join(begin)[:SNIFFED_BYTES]
        kind = next((kind for magic, kind in BINARY.items() if head.startswith(magic)), None)
        fault = find_invalid_byte(head)
        cut = SNIFFED_BYTES - 4  # a fault from here on may be a cut character
        if b"\0" in head or (kind and fault is not None and fault < cut):
            raise self._build_binary_error(kind or "it holds bytes 0x00")
        return chain(begin, pieces)

    def _read_stored(self, size: int) -> Iterator[bytes]:
        """Yield pieces of the stored bytes, and count and digest them."""
        digest = None if self.sha256 else hashlib.sha256()
        self.bytes_read = at = 0
        with self.open_stored() as file:
            while piece := self._read(file, at, size):
                if digest:
                    digest.update(piece)
                at += len(piece)
                self.bytes_read = at
                yield piece
        if digest:
            self.sha256 = digest.hexdigest()

    def _read(self, file: IO[bytes], at: int, size: int) -> bytes:
        try:
            file.seek(at)  # passes over a kept pipe share its file
            return file.read(size)
        except OSError as error:
            raise SourceError(f"cannot be read: {error.strerror}", where=self.name) from error

    def compute_digest(self) -> None:
        """Compute `sha256` of a file that is read by position.

        This is for formats that are not read from first to last byte.

        Raises:
            SourceError: if it is missing, a folder or not readable.
        """
        if self.sha256 is None:
            for _ in self._read_stored(BLOCK):
                pass

    @contextmanager
    def open_stored(self) -> Iterator[IO[bytes]]:
        """Open the stored bytes as a file to read by position.

        The file can be read at any position. Several passes may share it.

        Raises:
            SourceError: if it is missing, a folder or not readable.
        """
        if self._pipe is None and self.path == "-":
            self._store_pipe(sys.stdin.buffer)
        if self._pipe is not None:
            yield self._pipe
            return
        with self._open() as file:
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                yield file
            else:
                yield self._store_pipe(file)

    def _open(self) -> IO[bytes]:
        try:
            return Path(self.path).open("rb", buffering=0)
        except FileNotFoundError as error:
            raise self._build_missing_error() from error
        except IsADirectoryError as error:
            raise SourceError(
                "is a folder; a file is expected",
                where=self.name,
                remedy="Name one of the files in it.",
            ) from error
        except PermissionError as error:
            raise SourceError(
                "no permission to read it",
                where=self.name,
                remedy=f"Allow it: chmod u+r {self.path}",
            ) from error
        except OSError as error:
            raise SourceError(f"cannot be opened: {error.strerror}", where=self.name) from error

    def _store_pipe(self, pipe: IO[bytes]) -> IO[bytes]:
        import shutil  # noqa: PLC0415  with tempfile it takes 5 ms, which most runs need not wait for
        import tempfile  # noqa: PLC0415

        kept = tempfile.SpooledTemporaryFile(MAX_MEMORY)  # noqa: SIM115 - open as long as the source
        weakref.finalize(self, kept.close)
        shutil.copyfileobj(pipe, kept, BLOCK)
        self._pipe, self._pipe_size = kept, kept.tell()
        return kept

    def _build_missing_error(self) -> SourceError:
        path = Path(self.path)
        try:
            names = [entry.name for entry in path.parent.iterdir()]
        except OSError:
            remedy = f"The folder {path.parent} does not exist either."
        else:
            close = difflib.get_close_matches(path.name, sorted(names), n=3)
            similar = " or ".join(str(path.with_name(name)) for name in close)
            remedy = f"Did you mean {similar}?" if close else f"No file in {path.parent} has a similar name."
        return SourceError("no such file", where=self.name, remedy=remedy)

    def _build_binary_error(self, why: str) -> SourceError:
        remedy = "Unpack it, or export it as plain text in UTF-8."
        if "UTF-16" in why:
            remedy = f"Convert it: iconv -f UTF-16 -t UTF-8 {self.path} > converted.txt"
        return SourceError(f"is binary, not text in UTF-8: {why}", where=self.name, remedy=remedy)

    def _build_text_error(self, data: bytes, line: int, fault: int) -> SourceError:
        """Build the error for a byte that is not text.

        The byte is in a block that begins with this line.
        """
        begin = data.rfind(b"\n", 0, fault) + 1
        where = f"{self.name}:{line + data.count(NEWLINE, 0, begin)}"
        place = f"byte 0x{data[fault]:02X} at column {len(data[begin:fault].decode()) + 1}"
        if data[fault] == 0:
            remedy = "Remove it, or export the file as plain text in UTF-8."
            return SourceError(f"is binary, not text: {place}", where=where, remedy=remedy)
        if self.is_unended and not data[:fault].isascii() and _is_begun_character(data[fault:].rstrip(b"\n")):
            remedy = "Copy or download it again."
            return SourceError(f"ends inside a character, it is cut off: {place}", where=where, remedy=remedy)
        remedy = (
            f"Convert the file from the encoding it is in, for example: iconv -f WINDOWS-1252 -t UTF-8 {self.path} > "
            "converted.txt. For Thai that is often WINDOWS-874, for Cyrillic letters WINDOWS-1251."
        )
        return SourceError(f"is not UTF-8: {place}", where=where, remedy=remedy)


def _is_begun_character(data: bytes) -> bool:
    """Return whether bytes are the beginning of a character in UTF-8."""
    try:
        return not codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError:
        return False


def _count_lines(data: bytes) -> int:
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == ord("\n")))


def _join_lines(pieces: Iterable[bytes], size: int) -> Iterator[bytes]:
    """Join pieces to whole lines of at least `size` bytes."""
    pending: list[bytes] = []
    held = 0
    for piece in pieces:
        pending.append(piece)
        held += len(piece)
        cut = piece.rfind(b"\n") + 1 if held >= size else 0
        if cut:
            lines = [b"".join([*pending[:-1], memoryview(piece)[:cut]])]
            pending = [piece[cut:]]
            held = len(piece) - cut
            yield lines.pop()  # the reader alone holds it, so that it can free it
    rest = [b"".join(pending)]
    pending.clear()
    if rest[0]:
        yield rest.pop()


class _Decompressor(Protocol):
    """Decompressor of a gzip member or a zstd frame."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


@dataclass(frozen=True)
class _Compression:
    """Compression of a source.

    Args:
        start: begins a unit; a file may have several.
        damage_error: exception of a unit whose bytes are damaged.
        fault: the error for the user.
    """

    start: Callable[[], _Decompressor]
    damage_error: type[Exception]
    fault: SourceError


def _build_gzip(source: Source) -> _Compression:
    remedy = f"Copy or download it again; `gzip -t {source.path}` checks it."
    fault = SourceError("the gzip file is damaged or cut short", where=source.name, remedy=remedy)
    return _Compression(lambda: zlib.decompressobj(zlib.MAX_WBITS | 16), zlib.error, fault)


def _build_zstd(source: Source) -> _Compression:
    zstandard = import_extra("zstandard", f"reading {source.name}, which is compressed with zstd,", "zstd")
    remedy = f"Copy or download it again; `zstd -t {source.path}` checks it."
    fault = SourceError("the zstd file is damaged or cut short", where=source.name, remedy=remedy)
    return _Compression(zstandard.ZstdDecompressor().decompressobj, zstandard.ZstdError, fault)


def _decompress(stored: Iterable[bytes], compression: _Compression) -> Iterator[bytes]:
    unit: _Decompressor | None = None
    for piece in stored:
        for at in range(0, len(piece), COMPRESSED_BYTES):
            data = piece[at : at + COMPRESSED_BYTES]
            while data := data if unit else data.lstrip(b"\0"):  # gzip files may be padded with zeros
                unit = unit or compression.start()
                try:
                    yield unit.decompress(data)
                except compression.damage_error as error:
                    raise compression.fault from error
                data = unit.unused_data
                unit = None if unit.eof else unit
    if unit:
        raise compression.fault


Progress = Callable[[int], object]  # takes the number of bytes read in this pass
T = TypeVar("T")


def report_progress(items: Iterable[T], sources: Iterable[Source], progress: Progress | None) -> Iterator[T]:
    """Yield items and report the bytes read after each.

    Args:
        items: items read from the sources, such as batches.
        sources: the sources; a source listed twice counts once.
        progress: takes the number of bytes; None for no reports.
    """
    files = {id(source): source for source in sources}.values()
    for item in items:
        yield item
        if progress is not None:
            progress(sum(source.bytes_read for source in files))


def is_path(value: Any) -> TypeGuard[str | os.PathLike[str] | Source | Sequence[os.PathLike[str]]]:
    """Check whether an argument names one file or several.

    A path may also be a folder or a pattern. A list names files if all its items are path objects: strings may be tags.
    """
    if isinstance(value, list | tuple):
        return bool(value) and all(isinstance(item, os.PathLike) for item in value)
    return isinstance(value, str | os.PathLike | Source)
