"""Search texts of findings, in any script.

Case and the form of composed characters do not matter. The folded texts stand one after the other in a temporary file,
in UTF-8, so that a million of them take no memory. A search compares bytes: first the byte of the words that is rarest
in the texts, then the others at the places found.
"""

from __future__ import annotations

import tempfile
import unicodedata
import weakref
from array import array
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby, islice
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.runs.finding_columns import Numbers

BATCH = 1000  # texts that are folded at a time
PIECE_BYTES = 2**20  # of texts that are searched at a time; what is made of them stays in the cache of a core
END = b"\xff"  # after each text; UTF-8 does not have this byte
END_CHARACTER = END.decode("utf-8", "surrogateescape")
ENCODED_END = END_CHARACTER.encode("utf-8", "surrogatepass")
Bytes = NDArray[np.uint8]


class TextIndex:
    """Texts in their order. Equal neighbours are kept once.

    Args:
        texts: the texts; None is a text that no words find.
    """

    def __init__(self, texts: Iterable[str | None]) -> None:
        self._file: Any = tempfile.TemporaryFile()  # noqa: SIM115  it is open as long as the index exists
        weakref.finalize(self, self._file.close)
        self._lock = Lock()
        repeats, self._ends = array("i"), list[NDArray[np.uint32]]()  # ends of the texts in each piece
        self._frequency = np.zeros(256, np.int64)
        for data in _join_pieces(_fold_batches(texts, repeats)):
            piece = np.frombuffer(data, np.uint8)
            self._ends.append(np.flatnonzero(piece == END[0]).astype(np.uint32))
            self._frequency += np.bincount(piece[: 2**16], minlength=256)
            self._file.write(data)
        self._repeats = np.array(repeats)  # (distinct,)

    def search(self, words: str) -> NDArray[np.bool_]:
        """Return for each text whether it has the words: (texts,)."""
        pattern = np.frombuffer(fold_text(words).encode(errors="surrogatepass"), np.uint8)
        found = [np.full(len(ends), not len(pattern)) for ends in self._ends]
        for piece, ends, own in zip(self._read_pieces(), self._ends, found, strict=True) if len(pattern) else ():
            own[np.searchsorted(ends, find_bytes(piece, pattern, self._frequency).astype(ends.dtype))] = True
        return np.repeat(np.concatenate([*found, np.zeros(0, bool)]), self._repeats)

    def _read_pieces(self) -> Iterator[Bytes]:
        """Read one piece after the other into the same memory."""
        sizes = [int(ends[-1]) + 1 for ends in self._ends]
        start, buffer = 0, np.empty(max(sizes, default=0), np.uint8)
        for size in sizes:
            with self._lock:
                self._file.seek(start)
                self._file.readinto(buffer[:size])
            yield buffer[:size]
            start += size


class FindingTexts:
    """Texts of findings and the names of their documents.

    They are read at the first search, which takes some seconds for a million findings.

    Args:
        load_texts: loads the text of each finding; None if it has none.
        load_names: loads the names of the documents.
        load_numbers: loads the number of the document of each finding.
    """

    def __init__(
        self,
        load_texts: Callable[[], Iterable[str | None]],
        load_names: Callable[[], Iterable[str | None]],
        load_numbers: Callable[[], Numbers],
    ) -> None:
        self._load_texts, self._load_names, self._load_numbers = load_texts, load_names, load_numbers
        self._indexes: tuple[TextIndex, TextIndex] | None = None
        self._lock = Lock()

    def search(self, words: str) -> NDArray[np.bool_]:
        """Return for each finding whether it has the words: (findings,).

        They are in the text of the finding or the name of its document.

        Args:
            words: the words; empty ones are everywhere.
        """
        with self._lock:
            if self._indexes is None:
                self._indexes = TextIndex(self._load_texts()), TextIndex(self._load_names())
            texts, names = self._indexes
        found, in_name = texts.search(words), names.search(words)
        return found | in_name[self._load_numbers()] if in_name.any() else found


def fold_text(text: str) -> str:
    """Fold case and composed characters of a text for search."""
    return unicodedata.normalize("NFC", text.casefold())


def find_bytes(piece: Bytes, pattern: Bytes, frequency: NDArray[np.int64]) -> NDArray[np.int64]:
    """Find where a pattern begins in some bytes: (found,).

    Args:
        piece: the bytes.
        pattern: at least one byte.
        frequency: frequency of each byte, to look for the rarest first.
    """
    rarest, last = int(np.argmin(frequency[pattern])), len(piece) - len(pattern) + 1
    if last <= 0:
        return np.zeros(0, np.int64)
    found = np.flatnonzero(piece[rarest : rarest + last] == pattern[rarest])
    size = next(each for each in (8, 4, 1) if each <= len(pattern))  # bytes that are compared at once
    starts = {*range(0, len(pattern) - size, size), len(pattern) - size}
    windows, wanted = (
        np.ndarray((len(each) - size + 1,), f"<u{size}", each, strides=(1,)) for each in (piece, pattern)
    )
    for at in starts - ({rarest} if size == 1 else set()):
        found = found[windows[found + at] == wanted[at]]
    return found


def _fold_batches(texts: Iterable[str | None], repeats: array[int]) -> Iterator[bytes]:
    """Fold texts, each with an end.

    Equal neighbours are folded once; `repeats` gets their number.
    """
    groups = ((text, sum(1 for _ in own)) for text, own in groupby(texts))
    while batch := list(islice(groups, BATCH)):
        repeats.extend(times for _, times in batch)
        joined = "".join(f"{(text or '').replace(END_CHARACTER, '?')}{END_CHARACTER}" for text, _ in batch)
        yield fold_text(joined).encode("utf-8", "surrogatepass").replace(ENCODED_END, END)


def _join_pieces(batches: Iterable[bytes]) -> Iterator[bytes]:
    some = bytearray()
    for batch in batches:
        some += batch
        if len(some) >= PIECE_BYTES:
            yield bytes(some)
            some.clear()
    if some:
        yield bytes(some)
