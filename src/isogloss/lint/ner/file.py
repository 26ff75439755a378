"""A file, looked at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from isogloss.batches import Notice
from isogloss.formats.annotation import Options
from isogloss.formats.opening import opened, recognised
from isogloss.lint.ner.checks import checked, is_within, shown
from isogloss.lint.ner.documents import Document, Span, decision_of, documents
from isogloss.lint.ner.faults import Fault, Report
from isogloss.sources import Source
from isogloss.tagging import AUTO
from isogloss.text import counted

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
