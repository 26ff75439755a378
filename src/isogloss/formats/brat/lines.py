"""Lines of annotations to spans of the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, pairwise

from isogloss.batches import Notice
from isogloss.exceptions import DataError, FormatError
from isogloss.formats.annotation import Options
from isogloss.formats.offsets import BLANKS, OTHER_TEXT, Marked, placed_lines
from isogloss.formats.span_pairing import Triple
from isogloss.sources import Source

OTHERS = re.compile(r"[REAMN*][^\t]*\t|#")
BOUNDS = r"-?[0-9]{1,18} -?[0-9]{1,18}"
SPAN = re.compile(rf"T[^\t]*\t([^ \t]+) ({BOUNDS}(?:;{BOUNDS})*) *(?:\t(.*))?")
REMEDY = "A span looks like T1, tab, `PER 0 3`, tab, its text; one of several pieces like `PER 0 3;8 12`."
DISCONTINUOUS = "discontinuous-spans"
SHOWN = 60  # code points of a line in messages
Bounds = tuple[int, int]


@dataclass(frozen=True)
class Mention:
    """A line with a span.

    Args:
        line: its number.
        label: the label.
        fragments: start and end of each piece, as they stand there.
        tail: its own text, and what may follow after a tab; None where it has none.
    """

    line: int
    label: str
    fragments: Sequence[Bounds]
    tail: str | None

    @property
    def surface(self) -> str:
        """Its own text, if that holds no tab."""
        return (self.tail or "").partition("\t")[0]

    def marked(self, text: str) -> list[Marked]:
        """The pieces, each with its own text as far as that can be told."""
        pieces = [text[start:end] for start, end in self.fragments]
        surfaces = pieces if self._says(pieces) else self._divided()
        return [(*bounds, self.label, surface) for bounds, surface in zip(self.fragments, surfaces, strict=True)]

    def _says(self, pieces: Iterable[str]) -> bool:
        """Whether its own text is these pieces."""
        if self.tail is None:
            return True
        flat, own = [piece.translate(BLANKS) for piece in pieces], self.tail.translate(BLANKS)
        return any(
            own.startswith(joined) and self.tail[len(joined) : len(joined) + 1] in {"", "\t"}
            for joined in (" ".join(flat), "".join(flat))
        )

    def _divided(self) -> list[str | None]:
        """Its own text divided by the lengths of the pieces, if these fit."""
        lengths = [end - start for start, end in self.fragments]
        if len(lengths) == 1:
            return [self.surface]
        if sum(lengths) + len(lengths) - 1 != len(self.surface):
            return [None] * len(lengths)
        found: list[str | None] = []
        at = 0
        for length in lengths:
            found.append(self.surface[at : at + length])
            at += length + 1
        return found


def mentions_of(source: Source) -> Iterator[Mention]:
    """The lines with spans.

    Raises:
        SourceError: the file cannot be read.
        FormatError: a line is no annotation.
    """
    for block in source.blocks():
        for number, line in enumerate(block.text.split("\n"), block.first_line):
            if not line.strip() or OTHERS.match(line):
                continue
            found = SPAN.fullmatch(line.removesuffix("\r"))
            if found is None:
                message = f"{line[:SHOWN]!r} is no annotation of brat"
                raise FormatError(message, where=f"{source.name}:{number}", remedy=REMEDY)
            bounds = (tuple(map(int, pair.split(" "))) for pair in found[2].split(";"))
            yield Mention(number, found[1], [(start, end) for start, end in bounds], found[3])


def spans_of(
    text: str, mentions: Sequence[Mention], name: str, options: Options
) -> tuple[list[Triple], tuple[Notice, ...]]:
    """The spans of a document, each from its first character to its last, and what was done about them.

    Args:
        text: of the document.
        mentions: lines with spans.
        name: of the file with the lines.
        options: whether offsets are repaired, and discontinuous spans refused.

    Raises:
        DataError: a span is not within the text, or its own text is not where it is.
    """
    lines = [mention.line for mention in mentions for _ in mention.fragments]
    marked = list(chain.from_iterable(mention.marked(text) for mention in mentions))
    placed, notices = placed_lines(text, marked, lambda at: f"{name}:{lines[at]}", offsets=options.offsets)
    pieces = iter((start, end) for start, end, _ in placed)
    spans: list[Triple] = []
    broken: list[str] = []
    for mention in mentions:
        fragments, where = list(islice(pieces, len(mention.fragments))), f"{name}:{mention.line}"
        if len(fragments) > 1:
            if all(notice.where != where for notice in notices):  # else its pieces have been told
                notices = (*notices, *_other_text(text, mention, fragments, where, options))
            broken += [where] if _is_broken(text, mention, fragments, where, options) else []
        spans.append((min(fragments)[0], max(end for _, end in fragments), mention.label))
    if broken:
        said = "Discontinuous spans were counted from their first character to their last."
        notices = (*notices, Notice(DISCONTINUOUS, said, len(broken), broken[0]))
    return spans, notices


def _other_text(
    text: str, mention: Mention, fragments: Sequence[Bounds], where: str, options: Options
) -> Iterator[Notice]:
    """A notice if the own text of a span is not that of its pieces, where that is no error.

    Raises:
        DataError: it is not, and offsets are checked.
    """
    covered = [text[start:end] for start, end in fragments]
    if mention.tail is None or _squeezed(*covered) in {_squeezed(mention.surface), _squeezed(mention.tail)}:
        return
    message = f"the pieces of the span cover {' '.join(covered)[:SHOWN]!r}, but its own text is"
    message = f"{message} {mention.surface[:SHOWN]!r}"
    if options.offsets != "unchecked":
        raise DataError(message, where=where, remedy=REMEDY)
    yield Notice(OTHER_TEXT, message, 1, where)


def _is_broken(text: str, mention: Mention, fragments: Sequence[Bounds], where: str, options: Options) -> bool:
    """Whether there is more than white space between the pieces of a span.

    Raises:
        DataError: there is, and it must not be.
    """
    covered = [text[start:end] for start, end in fragments]
    broken = any(text[end:start].strip() for (_, end), (start, _) in pairwise(sorted(fragments)))
    if broken and options.strict_spans:
        raise DataError(
            f"the span {' '.join(covered)[:SHOWN]!r} {mention.label!r} is discontinuous, in {len(fragments)} pieces",
            where=where,
            remedy="Without --strict-spans it is counted from its first character to its last.",
        )
    return broken


def _squeezed(*pieces: str) -> str:
    return "".join("".join(pieces).split())
