"""A text of a finding with its marks, as pieces that a template escapes.

A mark is widened to whole grapheme clusters, because no markup may stand inside one; a remark says which code point was
taken in or left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from unicodedata import name

from isogloss.findings import Finding, Mark
from isogloss.text import snap


@dataclass(frozen=True)
class Piece:
    """A part of a text.

    Args:
        text: what is shown.
        role: `plain`, or the class of the mark.
    """

    text: str
    role: str = "plain"


@dataclass(frozen=True)
class Lane:
    """What one side sets in a text.

    Args:
        side: `reference` or `predicted`, or another word for who speaks.
        label: its label, empty for none.
        pieces: the text.
        remarks: what the marks cannot show.
    """

    side: str
    label: str
    pieces: tuple[Piece, ...]
    remarks: tuple[str, ...] = ()


def marked(text: str, spans: Sequence[tuple[int, int, str]]) -> tuple[Piece, ...]:
    """The text in pieces.

    Args:
        text: as it is.
        spans: begin, end and role of each mark, in order and apart; empty ones are left out.
    """
    pieces, at = [], 0
    for begin, stop, role in spans:
        low, high = snap(text, begin, stop)
        low = max(low, at)
        if low >= high:
            continue
        pieces += [Piece(text[at:low]), Piece(text[low:high], role)]
        at = high
    pieces.append(Piece(text[at:]))
    return tuple(piece for piece in pieces if piece.text)


def lane(finding: Finding, mark: Mark, role: str) -> Lane:
    """The text with the mark of one side; without a text, where it stands."""
    label = mark.label or ""
    if finding.text is None or mark.begin is None or mark.stop is None:
        place = f"[{mark.start}, {mark.end})" if mark.end > mark.start else ""
        return Lane(mark.side, label, (Piece(place),) if place else ())
    pieces = marked(finding.text, [(mark.begin, mark.stop, role)])
    pieces = around(pieces, before=finding.before, after=finding.after)
    return Lane(mark.side, label, pieces, remarks(finding.text, mark.begin, mark.stop))


def around(pieces: tuple[Piece, ...], *, before: bool, after: bool) -> tuple[Piece, ...]:
    """Pieces with signs that the document goes on."""
    ellipsis = (Piece("…", "more"),)
    return (ellipsis if before else ()) + pieces + (ellipsis if after else ())


def words_in(text: str, begin: int, stop: int, words: Sequence[str]) -> list[tuple[int, int]] | None:
    """Where words stand one after the other in a stretch of a text; None where one of them does not."""
    found = []
    for word in words:
        at = text.find(word, begin, stop)
        if at < 0 or not word:
            return None
        begin = at + len(word)
        found.append((at, begin))
    return found


def remarks(text: str, begin: int, stop: int) -> tuple[str, ...]:
    """What a mark that was widened to whole characters does not show."""
    low, high = snap(text, begin, stop)
    said = [f"begins inside a character, at {_named(text[begin])}"] if low < begin else []
    said += [f"ends inside a character, before {_named(text[stop])}"] if stop < high else []
    return tuple(said)


def _named(character: str) -> str:
    return f"U+{ord(character):04X} {name(character, '')}".rstrip()
