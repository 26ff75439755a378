"""Texts to look at for words of other languages, in all the ways in which people keep them.

lines    plain text: each line that is not blank is a text
whole    plain text: a file is one text
jsonl    an object a line, with the text in one of its fields
csv      a table with a header, with the text in one of its columns; also separated by semicolons or tabs
parquet  likewise (extra `arrow`)
list     a Python list of strings, or of dictionaries such as the rows of `jsonl`

    rows = opened("answers.jsonl", text_field="response")
    for piece in rows.pieces(1 << 20): ...

Whatever the format, a text becomes a `Row`. Rows of `jsonl` and dictionaries may also say where the sentences, tokens
and names of their text stand; nothing is then left to be found. Rows can be read any number of times, and only a piece
of them is in memory at once. Either all rows of an input have an id, each its own, or they are numbered from 1.
"""

from isogloss.formats.code_switching.opening import FORMATS, opened
from isogloss.formats.code_switching.rows import Row, Rows

__all__ = ["FORMATS", "Row", "Rows", "opened"]
