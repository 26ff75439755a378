"""Where input comes from: files and standard input, plain or compressed, as blocks of whole lines of UTF-8.

A source can be read any number of times. What cannot be rewound (standard input, a pipe) is kept on first use: in
memory while it is small, then in a temporary file. gzip and zstd are known by their first bytes, whatever the name. A
byte order mark at the beginning is left out, and a missing last newline is added. All bytes are checked to be text. The
lines before a fault are handed on before it is raised, so that a reader meets the faults of a file in their order,
whatever its blocks; only a NUL in the first 8,000 bytes is looked for ahead, because lines of no text mean nothing.
"""

from __future__ import annotations

import difflib
import hashlib
import os
import shutil
import stat
import sys
import tempfile
import weakref
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import IO, Any, Protocol, TypeGuard, TypeVar

import numpy as np

from isogloss.errors import SourceError, import_extra
from isogloss.text.utf8 import find_invalid_byte, is_surely_text, try_decode

BLOCK = 1 << 20  # bytes
KEPT_IN_MEMORY = 1 << 24  # bytes of a pipe
COMPRESSED = 1 << 14  # bytes decompressed at once: a bomb of them stays below 20 MB
LOOKED_INTO = 8000  # bytes in which a NUL tells that a file is no text
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
        decoded: the text of `data`, where it is known already.
    """

    data: bytes
    first_line: int
    lines: int
    decoded: str | None = field(default=None, repr=False, compare=False)

    @property
    def text(self) -> str:
        """The lines as text. Text that had to be decoded to check it is not decoded again."""
        return self.data.decode() if self.decoded is None else self.decoded


class Source:
    """A file or standard input, read in blocks, as often as needed.

    Args:
        path: the file; "-" is standard input.

    Attributes:
        path: the file as given.
        name: what messages call it: the path, or `<stdin>`.
        sha256: of the bytes as stored, as sha256sum prints it; None until a pass has read them all.
        bytes_read: of the stored bytes, in the latest pass.
        has_mark: whether the latest pass left out a byte order mark.
        is_unended: whether the latest pass added a last newline; known when it has come to the end.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        if "\0" in self.path:
            raise SourceError(f"{self.path!r} holds a NUL, which no name of a file does", remedy="Name a file.")
        shown = self.path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        self.name = "<stdin>" if self.path == "-" else shown  # a name need not be UTF-8, but output is
        self.sha256: str | None = None
        self.bytes_read = 0
        self.has_mark = self.is_unended = False
        self._kept: IO[bytes] | None = None
        self._kept_size: int | None = None

    @property
    def size(self) -> int | None:
        """Bytes as stored; None where that cannot be known before they are read."""
        if self._kept_size is not None or self.path == "-":
            return self._kept_size
        try:
            status = Path(self.path).stat()
        except OSError:
            return None
        return status.st_size if stat.S_ISREG(status.st_mode) else None

    def locate(self, line: int | str) -> str:
        """File and line, as errors name them."""
        return f"{self.name}:{line}"

    def blocks(self, size: int = BLOCK, *, decode: bool = True) -> Iterator[Block]:
        """The lines of the source, from the beginning at each call.

        Args:
            size: bytes of a block, about: a line is never cut.
            decode: whether the text of the blocks will be asked for; else the bytes are only checked, which is faster.

        Yields:
            Blocks of whole lines; none for an empty source.

        Raises:
            SourceError: it is absent, a folder, not readable, damaged, binary, or not UTF-8.
            MissingExtraError: it is compressed with zstd, and zstandard is not installed.
        """
        line = 1
        self.has_mark = self.is_unended = False
        for lines in _whole_lines(self._decompressed(size), size):
            data = self._tidied(lines, first=line == 1)
            text, fault = (None, None) if not decode and is_surely_text(data) else try_decode(data)
            if fault is not None:
                sound = data[: data.rfind(b"\n", 0, fault) + 1]
                if sound:
                    yield Block(sound, line, _count_lines(sound))
                raise self._not_text(data, line, fault)
            count = _count_lines(data)
            if count:
                yield Block(data, line, count, text)
            line += count

    def _tidied(self, lines: bytes, *, first: bool) -> bytes:
        """Lines without byte order mark, and with their last newline."""
        self.has_mark = self.has_mark or (first and lines.startswith(BOM))
        self.is_unended = not lines.endswith(NEWLINE)
        data = lines.removeprefix(BOM) if first else lines
        return data + NEWLINE if self.is_unended else data

    def _decompressed(self, size: int) -> Iterator[bytes]:
        """Pieces of the text."""
        stored = self._stored(max(size, len(ZSTD)))
        first = next(stored, b"")
        pieces: Iterator[bytes] = chain([first], stored)
        if first.startswith(GZIP):
            pieces = _decompress(pieces, _gzip(self))
        elif first.startswith(ZSTD):
            pieces = _decompress(pieces, _zstd(self))
        return self._looked_into(pieces)

    def _looked_into(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """The same pieces, unless the beginning shows that they are no text at all."""
        looked: list[bytes] = []
        for piece in pieces:
            looked.append(piece)
            if sum(map(len, looked)) >= LOOKED_INTO:
                break
        head = b"".join(looked)[:LOOKED_INTO]
        kind = next((kind for magic, kind in BINARY.items() if head.startswith(magic)), None)
        fault = find_invalid_byte(head)
        cut = LOOKED_INTO - 4  # from here on the fault may be a character that is cut
        if b"\0" in head or (kind and fault is not None and fault < cut):
            raise self._binary(kind or "it holds bytes 0x00")
        return chain(looked, pieces)

    def _stored(self, size: int) -> Iterator[bytes]:
        """Pieces of the bytes as stored, counted and digested on their way."""
        digest = None if self.sha256 else hashlib.sha256()
        self.bytes_read = at = 0
        with self.opened() as file:
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

    def digest(self) -> None:
        """Sees to it that `sha256` is known, for formats that are not read from first to last.

        Raises:
            SourceError: it is absent, a folder or not readable.
        """
        if self.sha256 is None:
            for _ in self._stored(BLOCK):
                pass

    @contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        """The bytes as stored, in a file that can be read at any place. Passes may share it.

        Raises:
            SourceError: it is absent, a folder or not readable.
        """
        if self._kept is None and self.path == "-":
            self._keep(sys.stdin.buffer)
        if self._kept is not None:
            yield self._kept
            return
        with self._open() as file:
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                yield file
            else:
                yield self._keep(file)

    def _open(self) -> IO[bytes]:
        try:
            return Path(self.path).open("rb", buffering=0)
        except FileNotFoundError as error:
            raise self._absent() from error
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

    def _keep(self, pipe: IO[bytes]) -> IO[bytes]:
        kept = tempfile.SpooledTemporaryFile(KEPT_IN_MEMORY)  # noqa: SIM115 - lives as long as the source
        weakref.finalize(self, kept.close)
        shutil.copyfileobj(pipe, kept, BLOCK)
        self._kept, self._kept_size = kept, kept.tell()
        return kept

    def _absent(self) -> SourceError:
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

    def _binary(self, why: str) -> SourceError:
        remedy = "Unpack it, or export it as plain text in UTF-8."
        if "UTF-16" in why:
            remedy = f"Convert it: iconv -f UTF-16 -t UTF-8 {self.path} > converted.txt"
        return SourceError(f"is binary, not text in UTF-8: {why}", where=self.name, remedy=remedy)

    def _not_text(self, data: bytes, line: int, fault: int) -> SourceError:
        """What is wrong with a byte of a block that begins with this line."""
        begin = data.rfind(b"\n", 0, fault) + 1
        where = f"{self.name}:{line + data.count(NEWLINE, 0, begin)}"
        place = f"byte 0x{data[fault]:02X} at column {len(data[begin:fault].decode()) + 1}"
        if data[fault] == 0:
            remedy = "Remove it, or export the file as plain text in UTF-8."
            return SourceError(f"is binary, not text: {place}", where=where, remedy=remedy)
        remedy = "Convert the file from the encoding it is in, for example: "
        remedy += f"iconv -f WINDOWS-1252 -t UTF-8 {self.path} > converted.txt"
        return SourceError(f"is not UTF-8: {place}", where=where, remedy=remedy)


def _count_lines(data: bytes) -> int:
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == ord("\n")))


def _whole_lines(pieces: Iterable[bytes], size: int) -> Iterator[bytes]:
    """Pieces joined to at least `size` bytes and cut after the last newline; only the last may have none."""
    pending: list[bytes] = []
    held = 0
    for piece in pieces:
        pending.append(piece)
        held += len(piece)
        cut = piece.rfind(b"\n") + 1 if held >= size else 0
        if cut:
            yield b"".join([*pending[:-1], memoryview(piece)[:cut]])
            pending = [piece[cut:]]
            held = len(piece) - cut
    rest = b"".join(pending)
    if rest:
        yield rest


class _Decompressor(Protocol):
    """One compressed unit: a member of a gzip file, a frame of a zstd file."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


@dataclass(frozen=True)
class _Compression:
    """How a source is compressed.

    Args:
        start: begins a unit; a file may hold several.
        broken: what a unit raises when its bytes are damaged.
        fault: the error for the user.
    """

    start: Callable[[], _Decompressor]
    broken: type[Exception]
    fault: SourceError


def _gzip(source: Source) -> _Compression:
    remedy = f"Copy or download it again; `gzip -t {source.path}` checks it."
    fault = SourceError("the gzip file is damaged or cut short", where=source.name, remedy=remedy)
    return _Compression(lambda: zlib.decompressobj(zlib.MAX_WBITS | 16), zlib.error, fault)


def _zstd(source: Source) -> _Compression:
    zstandard = import_extra("zstandard", f"reading {source.name}, which is compressed with zstd,", "zstd")
    remedy = f"Copy or download it again; `zstd -t {source.path}` checks it."
    fault = SourceError("the zstd file is damaged or cut short", where=source.name, remedy=remedy)
    return _Compression(zstandard.ZstdDecompressor().decompressobj, zstandard.ZstdError, fault)


def _decompress(stored: Iterable[bytes], compression: _Compression) -> Iterator[bytes]:
    unit: _Decompressor | None = None
    for piece in stored:
        for at in range(0, len(piece), COMPRESSED):
            data = piece[at : at + COMPRESSED]
            while data := data if unit else data.lstrip(b"\0"):  # gzip files may be padded with zeros
                unit = unit or compression.start()
                try:
                    yield unit.decompress(data)
                except compression.broken as error:
                    raise compression.fault from error
                data = unit.unused_data
                unit = None if unit.eof else unit
    if unit:
        raise compression.fault


Progress = Callable[[int], object]  # called now and then with the bytes read in this pass
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


def is_path(value: Any) -> TypeGuard[str | os.PathLike[str] | Source]:
    """Whether an argument names a file."""
    return isinstance(value, str | os.PathLike | Source)
