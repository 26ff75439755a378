"""Which format a file is in, by its first lines. What was found is told to the user, who can name another.

conllu    ten tab-separated fields, the first an id
jsonl     an object a line
lst20     four tab-separated fields; the word `_` is a space
columns   another constant number of tab-separated fields; the first is the word
best      `|` between words on most lines, and tags such as <NE>
vistec    likewise, with <msp=...>, <ne> or <compound>
pipe      `|` between words on most lines
spaces    whitespace between words, as in SIGHAN's files
raw       text that is not cut: each line is one word
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice

from isogloss.exceptions import SourceError
from isogloss.sources import Source

NAMES: Mapping[str, str] = {
    "conllu": "CoNLL-U",
    "jsonl": "JSON lines",
    "lst20": "LST20 columns",
    "columns": "columns, the first with the word",
    "best": "words between | with tags of BEST",
    "vistec": "words between | with tags of VISTEC",
    "pipe": "words between |",
    "spaces": "words between spaces",
    "raw": "text that is not cut: each line is one word",
}
LOOKED_AT = 200  # lines that are not blank
LOOK_AHEAD = 1 << 16  # bytes
CONLLU_COLUMNS, LST20_COLUMNS = 10, 4
LONGEST_WORD = 8.0  # code points on average: words are shorter, phrases between the spaces of Thai or Chinese longer
MOST = 0.5

JSON_OBJECT = re.compile(r'\{\s*["}]')
CONLLU_ID = re.compile(r"\d+([-.]\d+)?")
BEST_TAG = re.compile(r"</?(?:NE|AB|POEM)>")
VISTEC_TAG = re.compile(r"</?(?:ne|compound|msp)(?:[=\s][^<>]*)?>")


def detected(source: Source) -> str:
    """The format of a file, a key of `NAMES`.

    Raises:
        SourceError: the file cannot be read, or has only blank lines.
    """
    lines = list(islice((line for line in _lines(source) if line and not line.isspace()), LOOKED_AT))
    if not lines:
        raise SourceError(
            "the file is empty: it holds no text",
            where=source.name,
            remedy="Check that it is the file you mean, and that the program that writes it has finished.",
        )
    if JSON_OBJECT.match(lines[0].lstrip()):
        return "jsonl"
    return _of_columns(lines) or _of_marks(lines) or _of_spaces(lines)


def _lines(source: Source) -> list[str] | map[str]:
    blocks = source.blocks(LOOK_AHEAD)
    return map(str, (line for block in blocks for line in block.text.split("\n")))


def _of_columns(lines: Sequence[str]) -> str | None:
    rows = [line.rstrip("\r").split("\t") for line in lines if not line.startswith("#") or line.count("\t")]
    widths = {len(row) for row in rows}
    if widths == {CONLLU_COLUMNS} and all(CONLLU_ID.fullmatch(row[0]) for row in rows):
        return "conllu"
    if len(widths) != 1 or min(widths) == 1:
        return None
    return "lst20" if widths == {LST20_COLUMNS} else "columns"


def _of_marks(lines: Sequence[str]) -> str | None:
    if sum("|" in line for line in lines) <= MOST * len(lines):
        return None
    if any(map(BEST_TAG.search, lines)):
        return "best"
    return "vistec" if any(map(VISTEC_TAG.search, lines)) else "pipe"


def _of_spaces(lines: Sequence[str]) -> str:
    words = [line.split() for line in lines]
    spaced = sum(len(row) > 1 for row in words) > MOST * len(lines)
    mean = sum(map(len, (word for row in words for word in row))) / sum(map(len, words))
    if spaced and mean <= LONGEST_WORD:
        return "spaces"
    return "pipe" if any("|" in line for line in lines) else "raw"
