"""Plain text: a text a line, or a text a file.

Lines end with a newline and nothing else; a carriage return before it is left out. Lines with nothing but whitespace
are skipped. A file that is one text is that without its last line end; with nothing but whitespace it holds no text.
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.formats.code_switching.names import Names
from isogloss.formats.code_switching.rows import Progress, Row, blocks_of, of_columns
from isogloss.sources import Source


def lines(source: Source, names: Names, progress: Progress | None) -> Iterator[list[Row]]:
    """The lines of a file, in lists.

    Args:
        source: the file.
        names: numbers them.
        progress: told the bytes read after each block.

    Raises:
        SourceError: the file cannot be read.
    """
    for block in blocks_of(source, progress):
        text = block.text.replace("\r\n", "\n") if b"\r" in block.data else block.text
        texts = text.split("\n")[:-1]
        places = range(block.first_line, block.first_line + len(texts))
        if all(texts) and not any(map(str.isspace, texts)):
            yield of_columns(texts, places, names.numbered(len(texts)))
            continue
        kept = [(line, place) for line, place in zip(texts, places, strict=True) if line and not line.isspace()]
        yield of_columns([line for line, _ in kept], [place for _, place in kept], names.numbered(len(kept)))


def whole(source: Source, names: Names, progress: Progress | None) -> Iterator[list[Row]]:
    """A file as one text.

    Args:
        source: the file.
        names: numbers it.
        progress: told the bytes read after each block.

    Raises:
        SourceError: the file cannot be read.
    """
    text = "".join([block.text for block in blocks_of(source, progress)])
    if text and not text.isspace():
        yield of_columns([text.removesuffix("\n").removesuffix("\r")], [1], names.numbered(1))
