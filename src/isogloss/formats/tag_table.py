"""Convert tags in a byte buffer to codes.

The vocabulary of tags grows with new tags.

A tag is read as 8-byte words straight from the buffer, each tag followed by at least one byte that UTF-8 never has. The
word of a short tag is its key, and different tags have different keys. The key of a longer tag is a hash of its words,
which only proposes a known tag: all words are compared, so a collision cannot give a wrong code. Tags of any length,
script and number are correct; one of up to 7 bytes costs one word.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isogloss.kernel.scores import Ints
from isogloss.spans.batches import Codes

ByteArray = NDArray[np.uint8]
WordArray = NDArray[np.uint64]
WORD = 8  # bytes
_SAMPLE = 1024  # unknown tags to add first; they nearly always include all new ones
_MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio, odd: spreads the words of a longer tag over the key
_SLOT_BITS = 12
_TO_SLOT = np.uint64(64 - _SLOT_BITS)
_FILL = np.array([(1 << 64) - (1 << 8 * used) for used in range(WORD + 1)], np.uint64)  # (bytes used of a word + 1,)
_NOT_SHORT = np.uint64((1 << 63) - 1)  # the last byte of a short tag's key is 0xFF, that of a hash is not


class TagTable:
    """Codes of tags: 0 is "O", others in order of appearance."""

    def __init__(self) -> None:
        self._codes: dict[bytes, int] = {b"O": 0}
        self._vocabulary: tuple[str, ...] = ("O",)
        self._build_index()

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The tags in the order of their codes; the first is "O"."""
        if len(self._vocabulary) != len(self._codes):
            self._vocabulary = tuple(tag.decode() for tag in self._codes)
        return self._vocabulary

    @property
    def dtype(self) -> type[np.uint8 | np.uint16 | np.uint32]:
        """The smallest unsigned type that holds every code."""
        if len(self._codes) <= 1 << 8:
            return np.uint8
        return np.uint16 if len(self._codes) <= 1 << 16 else np.uint32

    def to_codes(self, codes: ArrayLike) -> Codes:
        """Return codes in the smallest type that holds the vocabulary.

        They are copied only if they have another type.
        """
        return cast("Codes", np.asarray(codes, self.dtype))

    def encode_tag(self, tag: bytes) -> int:
        """Return the code of one tag, a new one if unknown.

        Args:
            tag: the tag in UTF-8.
        """
        return self._codes.setdefault(tag, len(self._codes))

    def encode_tags(self, buffer: ByteArray, starts: Ints, lengths: Ints) -> Codes:
        """Return the codes of many tags, new ones for unknown tags.

        Most tags are a lone "O": a caller that knows their places saves the look-up.

        Args:
            buffer: (bytes,) UTF-8, contiguous. It is copied unless at least 8 bytes follow the last tag.
            starts: (tags,) position of each tag's first byte.
            lengths: (tags,) bytes of each tag, at least 1.

        Returns:
            (tags,) codes in the smallest type that holds the vocabulary; a later call may need a larger one.
        """
        if not len(starts):
            return self.to_codes([])
        tags = _Tags(buffer, starts, lengths)
        codes, known = self._look_up(tags)
        for most in (_SAMPLE, len(starts)):
            if known.all():
                return self.to_codes(codes)
            self._add_tags(tags, np.flatnonzero(~known)[:most])
            codes, known = self._look_up(tags)
        codes = codes.astype(np.int64)
        for at in np.flatnonzero(~known).tolist():  # longer tags whose hashes collide
            codes[at] = self.encode_tag(tags.get_tag(at))
        return self.to_codes(codes)

    def _look_up(self, tags: _Tags) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Return (tags,) codes, and (tags,) whether each code is right."""
        at = self._slots.take(_compute_slots(tags.keys))  # (tags,)
        known = self._keys.take(at) == tags.keys  # (tags,)
        if not known.all():
            others = np.flatnonzero(~known)
            at[others] = np.minimum(self._keys.searchsorted(tags.keys[others]), len(self._keys) - 1)
            known = self._keys.take(at) == tags.keys  # (tags,)
        word, longer = 0, tags.longer[known[tags.longer]]
        while len(longer):
            equal = self._words[at[longer], word] == tags.read_words(longer, word)
            known[longer[~equal]] = False
            word += 1
            longer = longer[equal & (tags.lengths[longer] >= word * WORD)]
        return self._code_of_key.take(at), known

    def _add_tags(self, tags: _Tags, unknown: Ints) -> None:
        """Number the tags at unknown positions, one per key.

        The numbers are in the order of the places of the tags.
        """
        _, first = np.unique(tags.keys[unknown], return_index=True)
        for at in unknown[np.sort(first)].tolist():
            self.encode_tag(tags.get_tag(at))
        self._build_index()

    def _build_index(self) -> None:
        """Sort the keys of all tags."""
        lengths = np.array([len(tag) for tag in self._codes], np.int64)  # (tags,)
        tags = _Tags(np.frombuffer(b"".join(self._codes), np.uint8), np.cumsum(lengths) - lengths, lengths)
        words = np.zeros((len(lengths), int(lengths.max()) // WORD + 1), np.uint64)  # (tags, words of the longest)
        for word in range(words.shape[1]):
            at = np.flatnonzero(lengths >= word * WORD)
            words[at, word] = tags.read_words(at, word)
        order = np.argsort(tags.keys, kind="stable")
        self._keys, self._words, self._code_of_key = tags.keys[order], words[order], order.astype(self.dtype)
        self._slots = np.zeros(1 << _SLOT_BITS, np.int64)  # (slots,) a key of each slot
        self._slots[_compute_slots(self._keys)] = np.arange(len(order))


def _compute_slots(keys: WordArray) -> Ints:
    """Return (tags,) the first slot of each key to look at.

    A search among sorted keys takes five times as long.
    """
    return (keys * _MIX >> _TO_SLOT).view(np.int64)


class _Tags:
    """Tags in a buffer and their keys (tags,).

    `longer` are the positions of tags with several words.
    """

    def __init__(self, buffer: ByteArray, starts: Ints, lengths: Ints) -> None:
        self.buffer, self.starts, self.lengths = buffer, starts, lengths
        if len(buffer) < (starts + lengths).max() + WORD:
            buffer = np.concatenate([buffer, np.zeros(WORD, np.uint8)])
        self._windows = np.ndarray(
            (len(buffer) - WORD + 1,), "<u8", buffer, 0, (1,)
        )  # the 8 bytes from each position on, as a view
        self.keys = self._windows[starts] | _FILL[np.minimum(lengths, WORD)]
        self.longer = np.flatnonzero(lengths >= WORD)
        word, longer = 1, self.longer
        while len(longer):
            self.keys[longer] = self.keys[longer] * _MIX ^ self.read_words(longer, word)
            word += 1
            longer = longer[lengths[longer] >= word * WORD]
        self.keys[self.longer] &= _NOT_SHORT

    def read_words(self, at: Ints, word: int) -> WordArray:
        """Return the `word`-th 8 bytes of the tags at these positions.

        All of these tags reach that far.
        """
        lengths = self.lengths[at] - word * WORD
        return self._windows[self.starts[at] + word * WORD] | _FILL[np.minimum(lengths, WORD)]

    def get_tag(self, at: int) -> bytes:
        """Return the bytes of a tag."""
        return self.buffer[self.starts[at] : self.starts[at] + self.lengths[at]].tobytes()
