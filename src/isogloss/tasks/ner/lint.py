"""Checks of annotations of named entities, with faults by kind.

    kind                  what
    outside-text          a span that begins before its text, ends after it, or has no extent
    other-text            a span whose own text differs from the text at its offsets
    unlocated             a name without offsets that is not in the text
    misfit-tag            a tag that does not fit its scheme, or that the scheme does not have
    cut-cluster           a span that begins or ends inside a grapheme cluster: inside a character, as readers see it
    cut-word              a span that begins or ends inside a word, in scripts that separate words
    edge-space            a span with white space or an invisible character at an end
    edge-punctuation      a span with punctuation at an end that seems not to belong to the name
    duplicate-span        a span that occurs twice with one label
    overlap               a span that overlaps another
    empty-document        a document without text
    duplicate-document    a document whose id or text occurred before
    conflicting-document  a document whose text occurred before with other spans
    label-conflict        a name with several labels
    label-case            labels that differ only by case

Many faults may be intended: Hungarian appends endings to names, and some corpora have nested spans. Offsets are not
checked while reading, so that every file can be read to its end. A name is the text of a span. Words are not checked in
Korean, which appends particles to names, and in scripts without spaces. Tags are decoded as for scores, with the repair
`begin`; unknown tags count as O.

Documents are read one by one. Memory holds the names with their labels, the ids, a hash of each text, and the first
faults of each kind.

`edge-punctuation` is punctuation at the end of a name that is

- a mark that sets off words, in any script: commas, colons, dashes, marks of questions, ends of sentences, backquotes;
- a point, unless it may abbreviate: the word before it has at most four letters, or points inside it (`Inc.`, `U.S.`);
- a bracket or quote whose partner is not in the name;
- an apostrophe that touches no letter.

Marks that are parts of words are allowed: those of Thai and Hebrew abbreviations, of Tibetan syllables, `%`, `@`, `#`
and `&`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from isogloss.formats.annotation import ENTITY_SHAPE, FormatOptions
from isogloss.formats.detection import detect_format, make_folder_check, open_annotations
from isogloss.formats.documents import MAX_TEXT_LENGTH
from isogloss.kernel.provenance import RunWarning, Side
from isogloss.records.shards import open_source
from isogloss.records.sources import Source
from isogloss.records.tabular import open_rows
from isogloss.spans.scheme_detection import AUTO
from isogloss.tasks.ner.lint_documents import (
    AnnotationFault,
    LintDocument,
    LintReport,
    LintSpan,
    check_fault_kinds,
    decide_file_scheme,
    format_lint_report,
    read_lint_documents,
    to_lint_json,
)
from isogloss.tasks.ner.options import NerLintOptions
from isogloss.text.display import format_count, snap_to_clusters
from isogloss.text.words import is_inside_word

INVISIBLE_MARKS = frozenset(
    "\u00ad\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff",
)
LATIN_MARKS = ",;:!?…·•`-\u2010\u2012\u2013\u2014\u2015"
ARABIC_MARKS, CHINESE_MARKS = "،؛؟۔", "、。，；：？！︰‥｡､"
OTHER_MARKS = "।॥၊။។៕།༎።፣፤፥׃։"
PUNCTUATION_MARKS = frozenset(LATIN_MARKS + ARABIC_MARKS + CHINESE_MARKS + OTHER_MARKS)
BRACKET_PAIRS = '() [] {} <> "" “”“ ”” „“” «» »«» ‹› （） ［］ 【】 〔〕 《》 〈〉 「」 『』'
BRACKET_PARTNERS = {pair[0]: pair[1:] for pair in BRACKET_PAIRS.split()}  # closing brackets by opening bracket
CLOSING_BRACKETS = frozenset(chain.from_iterable(BRACKET_PARTNERS.values()))
FULL_STOPS = frozenset(".．")
APOSTROPHES = frozenset("'\u2018\u2019")
MAX_ABBREVIATION = 4  # letters of a word before a full stop


def find_edge_spaces(name: str) -> list[str]:
    """Return the ends of a name with white space or invisible characters.

    An end is `begins` or `ends`.

    Args:
        name: not empty.
    """
    ends = {"begins": name[0], "ends": name[-1]}
    return [end for end, character in ends.items() if character.isspace() or character in INVISIBLE_MARKS]


def find_edge_punctuation(name: str) -> list[str]:
    """Return the ends of a name with doubtful punctuation.

    An end is `begins` or `ends`. Doubtful punctuation seems not to belong to the name.

    Args:
        name: not empty.
    """
    edges = []
    if _is_stray_begin(name[0], name[1:]):
        edges.append("begins")
    if len(name) > 1 and _is_stray_end(name[-1], name[:-1]):
        edges.append("ends")
    return edges


def _is_stray_begin(mark: str, rest: str) -> bool:
    if mark in PUNCTUATION_MARKS:
        return True
    if mark in FULL_STOPS or mark in APOSTROPHES:
        return not rest[:1].isalnum()
    return mark in CLOSING_BRACKETS - BRACKET_PARTNERS.keys() or (
        mark in BRACKET_PARTNERS and not any(each in rest for each in BRACKET_PARTNERS[mark])
    )


def _is_stray_end(mark: str, rest: str) -> bool:
    if mark in PUNCTUATION_MARKS or mark in BRACKET_PARTNERS.keys() - CLOSING_BRACKETS:
        return True
    if mark in APOSTROPHES:
        return not rest[-1:].isalnum()
    if mark in FULL_STOPS:
        return _ends_sentence(rest)
    return mark in CLOSING_BRACKETS and not any(
        opening in rest for opening, closing in BRACKET_PARTNERS.items() if mark in closing
    )


def _ends_sentence(rest: str) -> bool:
    """Return whether a full stop after this text ends a sentence.

    Otherwise the full stop ends an abbreviation.
    """
    words = rest.split()
    if not words or not words[-1][-1].isalnum():
        return True
    return len(words[-1]) > MAX_ABBREVIATION and FULL_STOPS.isdisjoint(words[-1])


MAX_PRINTED_NAME = 60  # characters of a name in messages


def check_document(document: LintDocument) -> Iterator[AnnotationFault]:
    """Yield the faults of a document.

    First come the faults of its text, then of its tags, then of its spans.
    """
    if document.text is not None and not document.text.strip():
        yield AnnotationFault("empty-document", document.where, document.name, "the document has no text")
    for name, label in document.unlocated:
        message = f"{format_name(name)} {label!r} is not in the text, or not so often"
        yield AnnotationFault("unlocated", document.where, document.name, message)
    for tag in document.invalid_tags:
        yield AnnotationFault("misfit-tag", tag.where, document.name, tag.message)
    for warning in document.text_warnings:
        yield AnnotationFault("other-text", warning.where or document.where, document.name, warning.message)
    text = document.text
    for span in document.spans:
        if not is_within(span, text):
            message = f"[{span.start}, {span.end}) {span.label!r} {_explain_outside(span, text)}"
            yield AnnotationFault("outside-text", span.where, document.name, message)
        elif text is not None:
            yield from _check_name(span, text, document.name)
    yield from _check_span_pairs([span for span in document.spans if is_within(span, text)], text, document.name)


def is_within(span: LintSpan, text: str | None) -> bool:
    """Return whether a span lies within its text.

    Without a text, it must lie within the longest text allowed.
    """
    return 0 <= span.start < span.end <= (MAX_TEXT_LENGTH if text is None else len(text))


def format_name(name: str) -> str:
    """Quote a name for a message, shortened to 60 characters."""
    return repr(name if len(name) <= MAX_PRINTED_NAME else f"{name[:MAX_PRINTED_NAME]}…")


def _explain_outside(span: LintSpan, text: str | None) -> str:
    if span.start < 0:
        return "begins before its text"
    if span.end <= span.start:
        return "has no extent"
    if text is None:
        return "ends where no text is long enough"
    return f"ends after its text, which has {len(text)} code points"


def _check_name(span: LintSpan, text: str, document: str) -> Iterator[AnnotationFault]:
    name = text[span.start : span.end]
    called = f"{format_name(name)} {span.label!r}"
    whole = (
        (span.start, span.end) if text.isascii() and "\r" not in text else snap_to_clusters(text, span.start, span.end)
    )
    if whole != (span.start, span.end):
        message = f"{called} cuts a character: whole ones are {format_name(text[slice(*whole)])}"
        yield AnnotationFault("cut-cluster", span.where, document, message)
    elif is_inside_word(text, span.start) or is_inside_word(text, span.end):
        message = f"{called} cuts a word: {format_name(_expand_to_words(text, span))}"
        yield AnnotationFault("cut-word", span.where, document, message)
    for end in find_edge_spaces(name):
        yield AnnotationFault(
            "edge-space", span.where, document, f"{called} {end} with {_describe_edge_mark(name, end)}"
        )
    for end in find_edge_punctuation(name):
        yield AnnotationFault(
            "edge-punctuation", span.where, document, f"{called} {end} with {_get_edge_mark(name, end)!r}"
        )


def _expand_to_words(text: str, span: LintSpan) -> str:
    """Return the name expanded to whole words."""
    start, end = span.start, span.end
    while is_inside_word(text, start) and span.start - start < MAX_PRINTED_NAME:
        start = snap_to_clusters(text, start - 1, end)[0]
    while is_inside_word(text, end) and end - span.end < MAX_PRINTED_NAME:
        end = snap_to_clusters(text, start, end + 1)[1]
    return text[start:end]


def _get_edge_mark(name: str, end: str) -> str:
    return name[0] if end == "begins" else name[-1]


def _describe_edge_mark(name: str, end: str) -> str:
    character = _get_edge_mark(name, end)
    return "a space" if character == " " else f"U+{ord(character):04X}"


def _check_span_pairs(spans: Sequence[LintSpan], text: str | None, document: str) -> Iterator[AnnotationFault]:
    """Yield duplicate spans and overlapping spans.

    A span is compared with the earlier span that has the furthest end.
    """
    seen: set[tuple[int, int, str]] = set()
    furthest: LintSpan | None = None
    for span in sorted(spans, key=lambda span: (span.start, -span.end, span.label)):
        if span[:3] in seen:
            message = f"{_describe_span(span, text)} stands twice"
            yield AnnotationFault("duplicate-span", span.where, document, message)
            continue
        seen.add(span[:3])
        if furthest is not None and span.start < furthest.end:
            message = (
                f"{_describe_span(span, text)} {_describe_overlap(span, furthest)} {_describe_span(furthest, text)}"
            )
            yield AnnotationFault("overlap", span.where, document, message)
        if furthest is None or span.end > furthest.end:
            furthest = span


def _describe_span(span: LintSpan, text: str | None) -> str:
    name = "" if text is None else f"{format_name(text[span.start : span.end])} "
    return f"{name}[{span.start}, {span.end}) {span.label!r}"


def _describe_overlap(span: LintSpan, other: LintSpan) -> str:
    """Describe how a span overlaps another one.

    The other span begins no later and ends no earlier, or crosses the span.
    """
    if span[:2] == other[:2]:
        return "has the place of"
    return "lies in" if span.end <= other.end else "crosses"


DUPLICATE_DOCUMENT = "duplicate-document"


def find_faults(path: str, options: NerLintOptions, form: str) -> tuple[str, int]:
    """Find the faults of a file, as `isogloss lint ner` does.

    Args:
        path: the file.
        options: how to read it, and what to report.
        form: `text` or `json`.

    Returns:
        The report, and the exit code: 1 if there is a fault of a kind in `fail_on`.

    Raises:
        UsageError: if a value of an option is unknown, or the format does not support an option.
        DataError: if the file cannot be read.
    """
    check_fault_kinds(options.fail_on)
    side: Side = "reference" if options.side == "reference" and options.answers is None else "predicted"
    reading = FormatOptions(side=side, columns=options.columns, answers=options.answers)
    report = lint_ner_file(
        open_source(path, make_folder_check(options.input_format)),
        options.input_format,
        reading,
        scheme=options.scheme,
        max_faults=options.max_faults,
    )
    text = to_lint_json(report) if form == "json" else format_lint_report(report)
    return text, int(report.has_faults(options.fail_on))


def lint_ner_file(
    source: Source,
    input_format: str | None = None,
    options: FormatOptions | None = None,
    *,
    scheme: str = AUTO,
    max_faults: int | None = None,
) -> LintReport:
    """Find the faults of a file.

    Args:
        source: the file, or a folder if its format has folders.
        input_format: format of the file, None to detect it.
        options: how the file is read; offsets are never checked while reading.
        scheme: tag scheme, or `auto` to detect it from all tags.
        max_faults: maximum number of faults kept of each kind, None for all.

    Raises:
        UsageError: if the format or scheme is unknown, or the format does not support an option.
        DataError: if the file cannot be read.
    """
    options = replace(options or FormatOptions(), check_offsets=False)
    source = open_rows(source, ENTITY_SHAPE, input_format)
    name = input_format or detect_format(source, options.answers)
    file = open_annotations(source, name, options)
    decision = decide_file_scheme(file, source.name, scheme)
    report = LintReport(source.name, name, max_faults)
    across = _CorpusUsage()
    warnings = [*file.warnings, *(() if decision is None else decision.warnings)]
    for document in read_lint_documents(file, source.name, decision):
        warnings = list(RunWarning.merge([*warnings, *document.warnings])) if document.warnings else warnings
        if document.is_skipped:
            continue
        report.documents += 1
        report.spans += len(document.spans)
        for fault in (*check_document(document), *across.add_document(document)):
            report.add(fault)
    for fault in across.check_names_and_labels():
        report.add(fault)
    report.warnings = warnings
    return report


@dataclass
class _Usage:
    """Count and first place of a name or label."""

    where: str
    count: int = 0


@dataclass
class _CorpusUsage:
    """Names, labels, ids and texts of all documents.

    Args:
        names: usage of each label of each name.
        labels: usage of each label.
        ids: first place of each id.
        texts: by hash of a text, its first place and a hash of its spans there.
    """

    names: dict[str, dict[str, _Usage]] = field(default_factory=dict)
    labels: dict[str, _Usage] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    texts: dict[int, tuple[str, int]] = field(default_factory=dict)

    def add_document(self, document: LintDocument) -> Iterator[AnnotationFault]:
        """Add a document, and yield a fault if it is repeated.

        It is repeated if its id or text occurred before.
        """
        by_id = list(self._check_id(document))
        yield from by_id
        yield from (fault for fault in self._check_text(document) if not (by_id and fault.kind == DUPLICATE_DOCUMENT))
        for span in document.spans:
            if is_within(span, document.text):
                self._count_span(span, document.text)

    def check_names_and_labels(self) -> Iterator[AnnotationFault]:
        """Yield conflicts of names and labels, most frequent first.

        These are names with several labels, and labels that differ by case only.
        """
        several = [(name, uses) for name, uses in self.names.items() if len(uses) > 1]
        for name, uses in sorted(several, key=lambda each: (-_count_uses(each[1]), each[0])):
            yield _make_conflict("label-conflict", f"{format_name(name)} is", uses)
        cases: dict[str, dict[str, _Usage]] = {}
        for label, used in self.labels.items():
            cases.setdefault(label.casefold(), {})[label] = used
        for of_case in sorted(filter(lambda uses: len(uses) > 1, cases.values()), key=lambda uses: -_count_uses(uses)):
            yield _make_conflict("label-case", "the label is", of_case)

    def _check_id(self, document: LintDocument) -> Iterator[AnnotationFault]:
        if document.id is None:
            return
        first = self.ids.get(document.id)
        if first is None:
            self.ids[document.id] = document.where
        else:
            message = f"the id {format_name(document.id)} stands before, at {first}"
            yield AnnotationFault(DUPLICATE_DOCUMENT, document.where, document.name, message)

    def _check_text(self, document: LintDocument) -> Iterator[AnnotationFault]:
        if document.text is None or not document.text.strip():
            return
        spans = hash(tuple(sorted(span[:3] for span in document.spans)))
        first, others = self.texts.get(hash(document.text), (None, None))
        if first is None:
            self.texts[hash(document.text)] = document.where, spans
            return
        kind, more = (DUPLICATE_DOCUMENT, "") if spans == others else ("conflicting-document", ", with other spans")
        message = f"the text {format_name(document.text)} stands before, at {first}{more}"
        yield AnnotationFault(kind, document.where, document.name, message)

    def _count_span(self, span: LintSpan, text: str | None) -> None:
        self.labels.setdefault(span.label, _Usage(span.where)).count += 1
        if text is not None:
            uses = self.names.setdefault(text[span.start : span.end], {})
            uses.setdefault(span.label, _Usage(span.where)).count += 1


def _count_uses(uses: dict[str, _Usage]) -> int:
    return sum(used.count for used in uses.values())


def _make_conflict(kind: str, what: str, uses: dict[str, _Usage]) -> AnnotationFault:
    """Build the fault of a name or label in several forms.

    Its place is the first place of the rarest form.
    """
    ordered = sorted(uses.items(), key=lambda each: (-each[1].count, each[0]))
    uses_by_label = [f"{label!r} {format_count(used.count, 'time')} ({used.where})" for label, used in ordered]
    labels = {label: {"count": used.count, "where": used.where} for label, used in ordered}
    return AnnotationFault(kind, ordered[-1][1].where, None, f"{what} {', '.join(uses_by_label)}", {"labels": labels})
