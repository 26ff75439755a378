"""Long texts in pieces that a library takes.

Pieces follow each other without gaps. One ends, where it can, after the last newline in its second half, else after the
last terminator with a space, else after the last whitespace; only text without any whitespace is cut inside a word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from isogloss.providers.spans import Span

BREAKS = (re.compile(r"\n"), re.compile(r"[.!?…]\s|[\u3002\uff01\uff1f]"), re.compile(r"\s"))


def pieces(text: str, longest: int) -> Iterator[tuple[int, int]]:
    """Start and end of the pieces of a text, each of at most `longest` code points (at least 2)."""
    begin = 0
    while len(text) - begin > longest:
        end = _cut(text, begin + longest // 2, begin + longest)
        yield begin, end
        begin = end
    yield begin, len(text)


def in_pieces(
    texts: Sequence[str], longest: int, annotate: Callable[[list[str]], Sequence[Sequence[Span]]]
) -> list[list[Span]]:
    """The spans of texts whose pieces are annotated.

    Args:
        texts: of any length.
        longest: code points of a piece.
        annotate: the spans of pieces, one list for each.
    """
    every = ((number, *cut) for number, text in enumerate(texts) for cut in pieces(text, longest))
    cuts = [cut for cut in every if texts[cut[0]][cut[1] : cut[2]].strip()]
    spans: list[list[Span]] = [[] for _ in texts]
    answers = annotate([texts[number][start:end] for number, start, end in cuts])
    for (number, start, _), answer in zip(cuts, answers, strict=True):
        spans[number] += [Span(start + span.start, start + span.end, span.label) for span in answer]
    return spans


def _cut(text: str, low: int, high: int) -> int:
    """The best place to end a piece, behind `low` and not behind `high`."""
    for wanted in BREAKS:
        places = [match.end() for match in wanted.finditer(text, low, high)]
        if places:
            return places[-1]
    return high
