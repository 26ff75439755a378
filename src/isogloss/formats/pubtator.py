"""PubTator: a title, an abstract, and a line for each mention.

    1000475|t|Effects of aspirin
    1000475|a|Aspirin is a drug.
    1000475	11	18	aspirin	Chemical	D001241

A title begins a document, whose id stands before it. The text is title, space, abstract, or the title alone without
an abstract; it may differ in white space from the other side, such as a line break after the title. Offsets count from
the beginning of the title. Start, end, text and type of a mention are read; further columns (identifiers, the parts of
a composite mention) are ignored. A line whose second column does not begin like a number is a relation, and is skipped.
Blank lines are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from isogloss.errors import FormatError
from isogloss.formats.annotation import (
    AnnotationFormat,
    FormatOptions,
    get_writable_text,
    make_unwritable_error,
    read_lines,
    read_spans,
)
from isogloss.formats.documents import SpanDocument
from isogloss.formats.offsets import BLANKS, MarkedSpan, place_span_lines
from isogloss.records.attributes import NO_VALUES
from isogloss.records.destinations import open_binary_output
from isogloss.records.sources import Source

BEGIN = re.compile(rb"[^|\t\r\n]+\|t\|")
PASSAGE = re.compile(r"([^|\t]+)\|([ta])\|(.*)", re.DOTALL)
NUMBER = re.compile(r"-?[0-9]{1,18}")
MIN_COLUMNS = 5  # columns of a mention: document, start, end, text, type
SHOWN = 60  # code points of a line in messages
REMEDY = "A mention has the columns document, start, end, text and type, with tabs between them."
DOCUMENT_REMEDY = "A document begins with `ID|t|title`, then `ID|a|abstract`; its mentions follow."
SENTENCE = re.compile(r"[.?!] (?=.)", re.DOTALL)
FORBIDDEN_CHARACTERS = re.compile("[\0\r\n]")


@dataclass
class _Article:
    """A document as far as its lines have been read."""

    line: int
    id: str
    title: str
    abstract: str | None = None
    mentions: list[MarkedSpan] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    def to_document(self, name: str, options: FormatOptions) -> SpanDocument:
        """Build the document after its last line."""
        text = f"{self.title} {self.abstract}" if self.abstract else self.title

        def place(at: int) -> str:
            return f"{name}:{self.lines[at]}"

        spans, warnings = place_span_lines(text, self.mentions, place, offsets=options.offsets)
        columns = NO_VALUES if options.attributes else None
        return SpanDocument(self.line, self.id, text, spans, warnings, columns, joined=True, lines=self.lines)

    def add_line(self, cells: list[str], where: str, line: int) -> None:
        """Add the columns of a mention; a relation is skipped."""
        if cells[0] != self.id:
            message = f"the line is of document {cells[0]!r}, but stands in {self.id!r}"
            raise FormatError(message, where=where, remedy=DOCUMENT_REMEDY)
        if not cells[1][:1].isdigit() and cells[1][:1] not in {"-", "+"}:
            return
        if len(cells) < MIN_COLUMNS or not cells[4]:
            shown = "\t".join(cells)[:SHOWN]
            raise FormatError(f"the mention {shown!r} has no type", where=where, remedy=REMEDY)
        for cell in cells[1:3]:
            if not NUMBER.fullmatch(cell):
                raise FormatError(f"the offset {cell[:SHOWN]!r} is not a whole number", where=where, remedy=REMEDY)
        self.mentions.append((int(cells[1]), int(cells[2]), cells[4], cells[3]))
        self.lines.append(line)


def _read_documents(source: Source, options: FormatOptions) -> Iterator[SpanDocument]:
    article: _Article | None = None
    filled = ((line, text) for line, text in read_lines(source) if text.strip())
    for line, text in filled:
        where = f"{source.name}:{line}"
        passage = PASSAGE.fullmatch(text)
        if passage is not None and passage[2] == "t":
            if article is not None:
                yield article.to_document(source.name, options)
            article = _Article(line, passage[1], passage[3])
        elif article is None:
            raise FormatError(f"{text[:SHOWN]!r} stands before the first title", where=where, remedy=DOCUMENT_REMEDY)
        elif passage is not None:
            _add_abstract(article, passage, where)
        elif "\t" in text:
            article.add_line(text.split("\t"), where, line)
        else:
            raise FormatError(
                f"{text[:SHOWN]!r} is not a title, abstract or mention", where=where, remedy=DOCUMENT_REMEDY
            )
    if article is not None:
        yield article.to_document(source.name, options)


def _add_abstract(article: _Article, passage: re.Match[str], where: str) -> None:
    if passage[1] != article.id:
        message = f"the abstract is of document {passage[1]!r}, but the title before it of {article.id!r}"
        raise FormatError(message, where=where, remedy=DOCUMENT_REMEDY)
    if article.abstract is not None:
        raise FormatError(f"document {article.id!r} has a second abstract", where=where, remedy=DOCUMENT_REMEDY)
    article.abstract = passage[3]


def _write(documents: Iterable[SpanDocument], path: str) -> None:
    with open_binary_output(path) as file:
        for number, document in enumerate(documents, 1):
            lines = _format_document(document, str(number) if document.id is None else document.id)
            file.write("".join(f"{line}\n" for line in (*lines, "")).encode())


def _format_document(document: SpanDocument, name: str) -> Iterator[str]:
    """Yield the lines of a document in PubTator's format.

    The title is the text before its first full stop.
    """
    text = get_writable_text(document)
    if FORBIDDEN_CHARACTERS.search(text):
        raise make_unwritable_error(document, "has line breaks or NUL in its text", "Annotate it without them.")
    if not name or re.search("[|\t\r\n\0]", name):
        raise make_unwritable_error(
            document, "has an id that PubTator cannot hold", "Leave out |, tabs and line breaks."
        )
    stop = SENTENCE.search(text)
    title, abstract = (text[: stop.end() - 1], text[stop.end() :]) if stop else (text, "")
    yield f"{name}|t|{title}"
    yield f"{name}|a|{abstract}"
    for start, end, label in document.spans:
        if not label or re.search("[\t\r\n\0]", label):
            raise make_unwritable_error(
                document, f"has a label that PubTator cannot hold, {label!r}", "Leave out tabs and line breaks."
            )
        yield "\t".join([name, str(start), str(end), text[start:end].translate(BLANKS), label])


FORMAT = AnnotationFormat(
    "pubtator",
    lambda head: BEGIN.match(head.data) is not None,
    read_spans(_read_documents),
    _write,
    options=("repair_offsets",),
)
