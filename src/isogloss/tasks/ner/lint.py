"""Ends of names that seem not to belong to them: white space, and punctuation.

Punctuation seems not to belong to a name where it is

- a mark that sets off words, in any script: commas, colons, dashes, marks of questions, ends of sentences, backquotes;
- a point, unless it may abbreviate: the word before it has at most four letters, or points inside it (`Inc.`, `U.S.`);
- a bracket or quote whose partner is not in the name;
- an apostrophe that touches no letter.

Marks that are part of words stay: those of Thai and Hebrew abbreviations, of Tibetan syllables, `%`, `@`, `#`, `&`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from isogloss.formats.annotation import Options
from isogloss.formats.detection import opened, recognised
from isogloss.formats.documents import LONGEST
from isogloss.kernel.provenance import Notice
from isogloss.records.sources import Source
from isogloss.records.tabular import ENTITIES, open_rows
from isogloss.spans.scheme_detection import AUTO
from isogloss.tasks.ner.lint_documents import Document, Fault, Report, Span, decision_of, documents
from isogloss.text.display import counted, snap
from isogloss.text.words import goes_on

INVISIBLE = frozenset(
    "\u00ad\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff",
)
LATIN = ",;:!?…·•`-\u2010\u2012\u2013\u2014\u2015"
ARABIC, CHINESE = "،؛؟۔", "、。，；：？！︰‥｡､"  # noqa: RUF001  marks of a script look like those of others
OTHERS = "।॥၊။។៕།༎።፣፤፥׃։"  # noqa: RUF001  Devanagari, Burmese, Khmer, Tibetan, Ethiopic, Hebrew, Armenian
MARKS = frozenset(LATIN + ARABIC + CHINESE + OTHERS)
PAIRS = '() [] {} <> "" “”“ ”” „“” «» »«» ‹› （） ［］ 【】 〔〕 《》 〈〉 「」 『』'  # noqa: RUF001
PARTNERS = {pair[0]: pair[1:] for pair in PAIRS.split()}  # of what opens, what may close it
CLOSING = frozenset(chain.from_iterable(PARTNERS.values()))
POINTS = frozenset(".．")  # noqa: RUF001
APOSTROPHES = frozenset("'\u2018\u2019")
ABBREVIATED = 4  # letters of a word before a point


def spaces(name: str) -> list[str]:
    """The ends of a name, `begins` or `ends`, that are white space or invisible.

    Args:
        name: not empty.
    """
    ends = {"begins": name[0], "ends": name[-1]}
    return [end for end, character in ends.items() if character.isspace() or character in INVISIBLE]


def punctuation(name: str) -> list[str]:
    """The ends of a name, `begins` or `ends`, with punctuation that seems not to belong to it.

    Args:
        name: not empty.
    """
    found = []
    if _is_stray_begin(name[0], name[1:]):
        found.append("begins")
    if len(name) > 1 and _is_stray_end(name[-1], name[:-1]):
        found.append("ends")
    return found


def _is_stray_begin(mark: str, rest: str) -> bool:
    if mark in MARKS:
        return True
    if mark in POINTS or mark in APOSTROPHES:
        return not rest[:1].isalnum()
    return mark in CLOSING - PARTNERS.keys() or (mark in PARTNERS and not any(each in rest for each in PARTNERS[mark]))


def _is_stray_end(mark: str, rest: str) -> bool:
    if mark in MARKS or mark in PARTNERS.keys() - CLOSING:
        return True
    if mark in APOSTROPHES:
        return not rest[-1:].isalnum()
    if mark in POINTS:
        return _ends_sentence(rest)
    return mark in CLOSING and not any(opening in rest for opening, closing in PARTNERS.items() if mark in closing)


def _ends_sentence(rest: str) -> bool:
    """Whether a point after this abbreviates no word."""
    words = rest.split()
    if not words or not words[-1][-1].isalnum():
        return True
    return len(words[-1]) > ABBREVIATED and POINTS.isdisjoint(words[-1])


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


DUPLICATE = "duplicate-document"


def check(
    source: Source,
    input_format: str | None = None,
    options: Options | None = None,
    *,
    scheme: str = AUTO,
    most: int | None = None,
) -> Report:
    """Look for faults in a file.

    Args:
        source: the file, or a folder where its format has folders.
        input_format: its format, None to recognise it.
        options: how it is read, but that offsets are not checked on the way.
        scheme: the scheme of its tags, or `auto` to decide by all of them.
        most: how many faults of each kind are kept, None for all.

    Raises:
        UsageError: there is no such format or scheme, or an option that the format does not have.
        DataError: the file cannot be read.
    """
    options = replace(options or Options(), check_offsets=False)
    source = open_rows(source, ENTITIES, input_format)
    name = input_format or recognised(source, options.answers)
    file = opened(source, name, options)
    decision = decision_of(file, source.name, scheme)
    report = Report(source.name, name, most)
    across = _Across()
    notices = [] if decision is None else [*decision.notices]
    for document in documents(file, source.name, decision):
        notices = list(Notice.merge([*notices, *document.notices])) if document.notices else notices
        if document.left_out:
            continue
        report.documents += 1
        report.spans += len(document.spans)
        for fault in (*checked(document), *across.seen(document)):
            report.add(fault)
    for fault in across.names_and_labels():
        report.add(fault)
    report.notices = notices
    return report


@dataclass
class _Uses:
    """How often a name or label is used, and where first."""

    where: str
    count: int = 0


@dataclass
class _Across:
    """What is kept of all documents.

    Args:
        names: per name its labels.
        labels: how often each label is used.
        ids: where each id stood first.
        texts: by hash of a text, where it stood first, and a hash of its spans there.
    """

    names: dict[str, dict[str, _Uses]] = field(default_factory=dict)
    labels: dict[str, _Uses] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    texts: dict[int, tuple[str, int]] = field(default_factory=dict)

    def seen(self, document: Document) -> Iterator[Fault]:
        """Take a document; whether it stood before."""
        by_id = list(self._id(document))
        yield from by_id
        yield from (fault for fault in self._text(document) if not (by_id and fault.kind == DUPLICATE))
        for span in document.spans:
            if is_within(span, document.text):
                self._span(span, document.text)

    def names_and_labels(self) -> Iterator[Fault]:
        """Names with several labels, and labels with several cases, the most frequent first."""
        several = [(name, uses) for name, uses in self.names.items() if len(uses) > 1]
        for name, uses in sorted(several, key=lambda each: (-_total(each[1]), each[0])):
            yield _conflict("label-conflict", f"{shown(name)} is", uses)
        cases: dict[str, dict[str, _Uses]] = {}
        for label, used in self.labels.items():
            cases.setdefault(label.casefold(), {})[label] = used
        for of_case in sorted(filter(lambda uses: len(uses) > 1, cases.values()), key=lambda uses: -_total(uses)):
            yield _conflict("label-case", "the label is", of_case)

    def _id(self, document: Document) -> Iterator[Fault]:
        if document.id is None:
            return
        first = self.ids.get(document.id)
        if first is None:
            self.ids[document.id] = document.where
        else:
            message = f"the id {shown(document.id)} stands before, at {first}"
            yield Fault(DUPLICATE, document.where, document.name, message)

    def _text(self, document: Document) -> Iterator[Fault]:
        if document.text is None or not document.text.strip():
            return
        spans = hash(tuple(sorted(span[:3] for span in document.spans)))
        first, others = self.texts.get(hash(document.text), (None, None))
        if first is None:
            self.texts[hash(document.text)] = document.where, spans
            return
        kind, more = (DUPLICATE, "") if spans == others else ("conflicting-document", ", with other spans")
        message = f"the text {shown(document.text)} stands before, at {first}{more}"
        yield Fault(kind, document.where, document.name, message)

    def _span(self, span: Span, text: str | None) -> None:
        self.labels.setdefault(span.label, _Uses(span.where)).count += 1
        if text is not None:
            uses = self.names.setdefault(text[span.start : span.end], {})
            uses.setdefault(span.label, _Uses(span.where)).count += 1


def _total(uses: dict[str, _Uses]) -> int:
    return sum(used.count for used in uses.values())


def _conflict(kind: str, what: str, uses: dict[str, _Uses]) -> Fault:
    """The fault of a name or label in several forms; its place is the first of the rarest one."""
    ordered = sorted(uses.items(), key=lambda each: (-each[1].count, each[0]))
    told = [f"{label!r} {counted(used.count, 'time')} ({used.where})" for label, used in ordered]
    labels = {label: {"count": used.count, "where": used.where} for label, used in ordered}
    return Fault(kind, ordered[-1][1].where, None, f"{what} {', '.join(told)}", {"labels": labels})
