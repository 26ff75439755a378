"""What is wrong with a document by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from isogloss.formats.span_pairing import LONGEST
from isogloss.lint.ner.documents import Document, Span
from isogloss.lint.ner.edges import punctuation, spaces
from isogloss.lint.ner.faults import Fault
from isogloss.rules.words import goes_on
from isogloss.text import snap

SHOWN = 60  # characters of a name in messages


def checked(document: Document) -> Iterator[Fault]:
    """The faults of a document: of its text, its tags, then its spans."""
    if document.text is not None and not document.text.strip():
        yield Fault("empty-document", document.where, document.name, "the document has no text")
    for name, label in document.unlocated:
        message = f"{shown(name)} {label!r} is not in the text, or not so often"
        yield Fault("unlocated", document.where, document.name, message)
    for misfit in document.misfits:
        yield Fault("misfit-tag", misfit.where, document.name, misfit.message)
    for notice in document.other_texts:
        yield Fault("other-text", notice.where or document.where, document.name, notice.message)
    text = document.text
    for span in document.spans:
        if not is_within(span, text):
            message = f"[{span.start}, {span.end}) {span.label!r} {_why_outside(span, text)}"
            yield Fault("outside-text", span.where, document.name, message)
        elif text is not None:
            yield from _of_name(span, text, document.name)
    yield from _of_pairs([span for span in document.spans if is_within(span, text)], text, document.name)


def is_within(span: Span, text: str | None) -> bool:
    """Whether a text can have this span; any text if it is not known."""
    return 0 <= span.start < span.end <= (LONGEST if text is None else len(text))


def shown(name: str) -> str:
    """A name in a message."""
    return repr(name if len(name) <= SHOWN else f"{name[:SHOWN]}…")


def _why_outside(span: Span, text: str | None) -> str:
    if span.start < 0:
        return "begins before its text"
    if span.end <= span.start:
        return "has no extent"
    if text is None:
        return "ends where no text is long enough"
    return f"ends after its text, which has {len(text)} code points"


def _of_name(span: Span, text: str, document: str) -> Iterator[Fault]:
    name = text[span.start : span.end]
    called = f"{shown(name)} {span.label!r}"
    whole = (span.start, span.end) if text.isascii() and "\r" not in text else snap(text, span.start, span.end)
    if whole != (span.start, span.end):
        message = f"{called} cuts a character: whole ones are {shown(text[slice(*whole)])}"
        yield Fault("cut-cluster", span.where, document, message)
    elif goes_on(text, span.start) or goes_on(text, span.end):
        message = f"{called} cuts a word: {shown(_words(text, span))}"
        yield Fault("cut-word", span.where, document, message)
    for end in spaces(name):
        yield Fault("edge-space", span.where, document, f"{called} {end} with {_code(name, end)}")
    for end in punctuation(name):
        yield Fault("edge-punctuation", span.where, document, f"{called} {end} with {_mark(name, end)!r}")


def _words(text: str, span: Span) -> str:
    """The name with the rest of the words that it cuts."""
    start, end = span.start, span.end
    while goes_on(text, start) and span.start - start < SHOWN:
        start = snap(text, start - 1, end)[0]
    while goes_on(text, end) and end - span.end < SHOWN:
        end = snap(text, start, end + 1)[1]
    return text[start:end]


def _mark(name: str, end: str) -> str:
    return name[0] if end == "begins" else name[-1]


def _code(name: str, end: str) -> str:
    character = _mark(name, end)
    return "a space" if character == " " else f"U+{ord(character):04X}"


def _of_pairs(spans: Sequence[Span], text: str | None, document: str) -> Iterator[Fault]:
    """Spans that stand twice, and those that overlap the one before them that reaches furthest."""
    seen: set[tuple[int, int, str]] = set()
    furthest: Span | None = None
    for span in sorted(spans, key=lambda span: (span.start, -span.end, span.label)):
        if span[:3] in seen:
            message = f"{_named(span, text)} stands twice"
            yield Fault("duplicate-span", span.where, document, message)
            continue
        seen.add(span[:3])
        if furthest is not None and span.start < furthest.end:
            message = f"{_named(span, text)} {_relation(span, furthest)} {_named(furthest, text)}"
            yield Fault("overlap", span.where, document, message)
        if furthest is None or span.end > furthest.end:
            furthest = span


def _named(span: Span, text: str | None) -> str:
    name = "" if text is None else f"{shown(text[span.start : span.end])} "
    return f"{name}[{span.start}, {span.end}) {span.label!r}"


def _relation(span: Span, other: Span) -> str:
    """How a span overlaps one that begins before it or with it, and reaches further or as far."""
    if span[:2] == other[:2]:
        return "has the place of"
    return "lies in" if span.end <= other.end else "crosses"
