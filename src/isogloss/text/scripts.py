"""Character classes and scripts of all code points.

Classes, after the word boundaries of Unicode Standard Annex #29:

    O other      punctuation and symbols, each a token of its own
    L letter     of scripts that separate words by spaces
    I ideograph  letters of scripts that do not: Han, Hiragana, Thai, Lao, Khmer, Burmese; each is a token
    K katakana   a run of it is a token
    M mark       joins the character before it: combining marks, format characters, sound marks, skin tones
    V linker     a mark after which the next letter belongs to the same cluster: viramas, the zero width joiner
    D digit      numbers of all kinds, the signs that Arabic writes before them, and `_`
    Z space      separates tokens, and belongs to none
    J inner      an apostrophe or point that is part of a word between two letters
    N separator  a point or comma that is part of a number between two digits
    S symbol     pictures, which a joiner may link
    R regional   the letters that flags are made of; a row of them is a token

A letter that any script may use, such as a modifier letter, belongs to no script. `tools/make_characters.py` makes the
table from the Unicode Character Database.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Positions = NDArray[np.signedinteger]  # in a text: of 4 bytes if they fit, because each word has two
CodePointArray = NDArray[np.unsignedinteger]
Entry = TypeVar("Entry", bound=np.generic)
CLASSES = "OLIKMVDZJNSR"
OTHER, LETTER, IDEOGRAPH, KATAKANA, MARK, LINKER, DIGIT, SPACE, INNER, SEPARATOR, SYMBOL, REGIONAL = range(len(CLASSES))
CODE_POINT_COUNT = sys.maxunicode + 1
QUOTE_PAIRS = {
    "«": "»",
    "“": "”",
    "„": "“”",
    "‹": "›",
    "‘": "’",
    "‚": "‘’",
    "「": "」",
    "『": "』",
    "《": "》",
    "〈": "〉",
}
QUOTE_CHARACTERS = frozenset(
    "`\n\"'" + "".join(QUOTE_PAIRS) + "".join(QUOTE_PAIRS.values())
)  # characters that delimit quotations and code


@dataclass(frozen=True, eq=False)
class CharacterTable:
    """Class and scripts of all code points.

    Args:
        classes: (code points,) position in `CLASSES`.
        script_index: (code points,) position in `script_sets`.
        script_sets: sets of scripts as four-letter codes; the first set is empty.
    """

    classes: NDArray[np.uint8]
    script_index: NDArray[np.uint8]
    script_sets: tuple[tuple[str, ...], ...]

    def find_script(self, character: str) -> str | None:
        """Return the first script of a letter.

        The result is None if the letter has no script.
        """
        return next(iter(self.find_scripts(character)), None)

    def find_scripts(self, character: str) -> tuple[str, ...]:
        """Return all scripts that use a letter.

        The result is empty if the letter has no script.
        """
        return self.script_sets[self.script_index[ord(character)]]

    def mask_letters(self, scripts: frozenset[str]) -> NDArray[np.bool_]:
        """Return a mask of the letters of these scripts: (code points,).

        A letter is marked if one of the scripts uses it.
        """
        return np.array([not scripts.isdisjoint(used) for used in self.script_sets])[self.script_index]


@cache
def load_character_table() -> CharacterTable:
    """Read the character table once."""
    classes, used = np.zeros(CODE_POINT_COUNT, np.uint8), np.zeros(CODE_POINT_COUNT, np.uint8)
    scripts: dict[tuple[str, ...], int] = {(): 0}
    for line in read_data_file("characters.txt").splitlines()[1:]:
        first, last, name, members = line.split()
        codes = slice(int(first, 16), int(last, 16) + 1)
        classes[codes] = CLASSES.index(name)
        key = () if members == "-" else tuple(members.split(","))
        used[codes] = scripts.setdefault(key, len(scripts))
    return CharacterTable(classes, used, tuple(scripts))


def read_data_file(name: str) -> str:
    """Read a file of the folder `text/data`."""
    from importlib.resources import files  # noqa: PLC0415  it takes 3 ms, and not every task looks at scripts

    return (files("isogloss.text") / "data" / name).read_text(encoding="utf-8")


def to_code_points(text: str) -> CodePointArray:
    """Return the code points of a text, lone surrogates included: (characters,).

    Each takes the fewest bytes that all of them fit in: 1 in ASCII, 2 up to U+FFFF, else 4.
    """
    if text.isascii():
        return np.frombuffer(text.encode("ascii"), np.uint8)
    narrow = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), "<u2")
    if len(narrow) == len(text):
        return narrow.astype(np.uint16, copy=False)
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.uint32, copy=False)


CODES_AT_ONCE = 1 << 16  # numpy makes eight bytes of each code that it looks up


@dataclass(frozen=True, eq=False)
class LongText:
    """The code points of a long text, encoded when they are read.

    A space stands after the text. An array of all of them takes as many bytes as the text.

    Args:
        text: the text.
    """

    text: str

    def __len__(self) -> int:
        return len(self.text) + 1

    def __getitem__(self, at: slice | Positions) -> CodePointArray:
        """Return the code points of a part, or at these positions."""
        if isinstance(at, slice):
            start, stop, _ = at.indices(len(self))
            return to_code_points(self.text[start:stop] + " " * (stop > len(self.text)))
        codes = np.empty(len(at), np.uint32)
        for first in range(0, len(at), CODES_AT_ONCE):
            letters = (self.text[place : place + 1] or " " for place in at[first : first + CODES_AT_ONCE].tolist())
            codes[first : first + CODES_AT_ONCE] = list(map(ord, letters))
        return codes


CodePoints = CodePointArray | LongText


def choose_position_type(size: int) -> type[np.int32 | np.int64]:
    """Return the type of positions in a text of so many characters."""
    return np.int32 if size < 2**31 else np.int64


def list_marked(mask: NDArray[np.bool_], also: NDArray[np.bool_] | None = None) -> Positions:
    """Return the positions of what is marked, ascending.

    They are as narrow as `choose_position_type` tells.

    Args:
        mask: (characters,) whether each is marked.
        also: (characters,) a mark that each must have too; None for no other mark.
    """
    pieces = [slice(at, at + CODES_AT_ONCE) for at in range(0, len(mask), CODES_AT_ONCE)]
    both = (mask[piece] if also is None else mask[piece] & also[piece] for piece in chain(pieces, pieces))
    number = sum(np.count_nonzero(each) for each in islice(both, len(pieces)))  # the first time to count them
    marked, done = np.empty(number, choose_position_type(len(mask))), 0
    for piece, each in zip(pieces, both, strict=True):
        found = np.flatnonzero(each)
        np.add(found, piece.start, out=marked[done : done + len(found)], casting="same_kind")
        done += len(found)
    return marked


def look_up(table: NDArray[Entry], codes: NDArray[np.integer] | LongText) -> NDArray[Entry]:
    """Return the table's entry for each code: (codes,).

    The entry of a code outside the table is the first or the last one.
    """
    entries = np.empty(len(codes), table.dtype)
    for at in range(0, len(codes), CODES_AT_ONCE):
        piece = slice(at, at + CODES_AT_ONCE)
        np.take(table, codes[piece], out=entries[piece], mode="clip")
    return entries
