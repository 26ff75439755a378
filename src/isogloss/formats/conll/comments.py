"""Comments and `-DOCSTART-` lines of a text as columns of its sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from isogloss.formats.attributes import Comments, Values
from isogloss.formats.conll.layout import DOCSTART, is_docstart
from isogloss.formats.conll.scan import Rows
from isogloss.scores import Ints

# Lines that may be comments or begin a document; each begins with the newline before it.
MARKED = re.compile(rb"\n[ \t]*(#[^\n]*|" + re.escape(DOCSTART) + rb"[^\n]*)")


def columns_of_sentences(rows: Rows, offsets: Ints, comments: Comments) -> Sequence[Values]:
    """The columns of each sentence: (sentences,).

    Args:
        rows: the token lines of a text of whole sentences.
        offsets: (sentences + 1,) first token of each.
        comments: what the texts before have left; it takes those of this one.
    """
    buffer, tokens = rows.buffer, rows.before.take(rows.first) + 1  # (tokens,) where each begins
    found: list[Values] = []
    for mark in MARKED.finditer(buffer.padded):
        at = mark.start(1)
        token = int(np.searchsorted(tokens, at))  # the first that does not begin before
        if token < len(tokens) and tokens[token] == at:
            continue  # a line that begins with # and is a token
        sentence = int(np.searchsorted(offsets, token, side="right")) - 1
        while len(found) < min(sentence, len(offsets) - 1):
            found.append(comments.sentence())
        line = mark[1]
        if line.startswith(b"#") or is_docstart(line):
            comments.take(line.decode())
    while len(found) < len(offsets) - 1:
        found.append(comments.sentence())
    return found
