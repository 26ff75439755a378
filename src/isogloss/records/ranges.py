"""Ranges of bytes of one file, as sources of their own.

A range begins at the beginning of a line, and its lines have their numbers in the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isogloss.records.sources import GZIP, ZSTD, Source

STEP = 1 << 18  # bytes between places whose number of lines is known
NEWLINE = 10
LINE, BLANK = b"\n", b"\n\n"  # what ends a record


class SourceRange(Source):
    """A range of bytes of an uncompressed file.

    Args:
        path: the file.
        start: first byte, at the beginning of a line.
        end: byte after the last.
        lines_before: number of lines before the range.
    """

    def __init__(self, path: str, start: int, end: int, lines_before: int) -> None:
        super().__init__(path)
        self.start, self.end = start, end
        self.first_line = lines_before + 1
        self.sha256 = ""  # the digest of the file is computed elsewhere, once

    @property
    def size(self) -> int:
        """Number of bytes of the range."""
        return self.end - self.start

    def _read_stored(self, size: int) -> Iterator[bytes]:
        self.bytes_read = 0
        with self.open_stored() as file:
            while self.bytes_read < self.size:
                piece = self._read(file, self.start + self.bytes_read, min(size, self.size - self.bytes_read))
                if not piece:
                    return
                self.bytes_read += len(piece)
                yield piece


FileRange = tuple[int, int, int]  # first byte, byte after the last, and number of lines before


class FolderPart(Source):
    """A part of a folder with a file for each language.

    Args:
        path: the folder.
        ranges: by path, the range of each file of the part; None for the whole file.
    """

    def __init__(self, path: str, ranges: Mapping[str, FileRange | None]) -> None:
        super().__init__(path)
        self.ranges = ranges

    def open_file(self, file: Source) -> Source | None:
        """Return what the part has of a file of the folder.

        It is None if the part has nothing of it.
        """
        if file.path not in self.ranges:
            return None
        own = self.ranges[file.path]
        return file if own is None else SourceRange(file.path, *own)


@dataclass(frozen=True, eq=False)
class RecordIndex:
    """How many records and lines end in each step of a file.

    Args:
        path: the file.
        size: its bytes.
        separator: what ends a record: a line end, or an empty line.
        records: (steps,) records that end in each step.
        lines: (steps,) lines that end in each step.
    """

    path: str
    size: int
    separator: bytes
    records: NDArray[np.int64]
    lines: NDArray[np.int64]

    @property
    def total(self) -> int:
        """Number of records that end in the file."""
        return int(self.records.sum())

    def find_cut(self, at: int) -> tuple[int, int] | None:
        """Find the first cut from a byte on.

        Return it with the number of records before it. It is None if the file ends first.
        """
        step = at // STEP
        before = int(self.records[:step].sum())
        data = self._read(step * STEP, 2 * STEP)
        found = data.find(self.separator, at - step * STEP)
        if found < 0:
            return None
        cut = found + len(self.separator)
        return step * STEP + cut, before + data[:cut].count(self.separator)

    def find_record(self, number: int) -> int | None:
        """Return the byte after so many records.

        It is None if there are fewer.
        """
        ends = np.cumsum(self.records)
        step = int(np.searchsorted(ends, number))
        if step == len(ends):
            return None
        rest = number - (int(ends[step - 1]) if step else 0)
        data, at = self._read(step * STEP, STEP + 1), 0
        for _ in range(rest):
            at = data.find(self.separator, at)
            if at < 0:
                return None
            at += len(self.separator)
        return step * STEP + at

    def count_lines(self, end: int) -> int:
        """Return the number of lines before a byte."""
        step = end // STEP
        return int(self.lines[:step].sum()) + self._read(step * STEP, end - step * STEP).count(LINE)

    def _read(self, at: int, size: int) -> bytes:
        with Path(self.path).open("rb") as file:
            file.seek(at)
            return file.read(size)


def count_records(path: str, start: int, end: int, separator: bytes) -> tuple[list[int], list[int]]:
    """Count the records and lines in each step of a range.

    Args:
        path: the file.
        start: first byte, a multiple of `STEP`.
        end: byte after the last.
        separator: what ends a record.

    Returns:
        Records and lines by step.
    """
    records, lines = [], []
    with Path(path).open("rb") as file:
        for at in range(start, end, STEP):
            file.seek(at)
            data = file.read(STEP + 1)
            is_end = np.frombuffer(data, np.uint8) == NEWLINE
            number = int(np.count_nonzero(is_end[:STEP]))
            lines.append(number)
            records.append(number if separator == LINE else _count_blank_lines(data, is_end))
    return records, lines


def _count_blank_lines(data: bytes, is_end: NDArray[np.bool_]) -> int:
    """Count as `data.count(BLANK)`, which takes seven times as long."""
    is_blank = is_end[1:] & is_end[:-1]
    follow_each_other = is_blank[1:] & is_blank[:-1]
    return data.count(BLANK) if follow_each_other.any() else int(np.count_nonzero(is_blank))


def choose_separator(source: Source) -> bytes | None:
    """Choose what ends a record of a file.

    It is the end of a line if lines are records or JSON, or an empty line after columns.

    Args:
        source: the file.

    Returns:
        None if the file is compressed, or its records are not known.
    """
    with Path(source.path).open("rb") as file:
        head = file.read(STEP)
    if head.startswith((GZIP, ZSTD)) or b"\0" in head:
        return None
    if source.has_line_records:
        return LINE
    lines = [line for line in head.split(LINE)[:-1] if line.strip()]
    if lines and all(line.startswith(b"{") and line.rstrip().endswith(b"}") for line in lines):
        return LINE
    return BLANK if BLANK in head and not head.lstrip().startswith((b"{", b"[")) else None


def cut_files(indexes: Sequence[RecordIndex], size: int) -> list[list[tuple[int, int, int]]]:
    """Cut files at the same records.

    Args:
        indexes: one for each file; the first decides where.
        size: approximate bytes of a range of the first file.

    Returns:
        For each range, per file its first byte, the byte after its last, and the number of lines before it.
    """
    first = indexes[0]
    places = [[0] * len(indexes)]
    at = size
    while at < first.size:
        cut = first.find_cut(at)
        if cut is None or cut[0] >= first.size:
            break
        others = [index.find_record(cut[1]) for index in indexes[1:]]
        if None in others:
            break
        places.append([cut[0], *(other or 0 for other in others)])
        at = cut[0] + size
    ends = [*places[1:], [index.size for index in indexes]]
    return [
        [(start, end, index.count_lines(start)) for start, end, index in zip(starts, stops, indexes, strict=True)]
        for starts, stops in zip(places, ends, strict=True)
    ]
