"""A text of a finding with its marks, as pieces that a template escapes.

A mark is widened to whole grapheme clusters, because no markup may stand inside one; a remark says which code point was
taken in or left out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any
from unicodedata import name

import msgspec

from isogloss.kernel.findings import Finding, Mark
from isogloss.kernel.provenance import SIDES, Side
from isogloss.runs.run import Run
from isogloss.text.display import snap


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


Span = tuple[int, int]
SAMPLE = "sample"  # what findings call it
TOUCHING = "cut"  # role of a right word beside another


class Sample(msgspec.Struct, frozen=True):
    """A text and where the words of both sides stand in it: begin and end of each, in code points."""

    text: str
    reference: list[Span]
    predicted: list[Span]

    @property
    def sides(self) -> Mapping[Side, Sequence[Span]]:
        """The words of each side."""
        return {"reference": self.reference, "predicted": self.predicted}

    @property
    def is_in_order(self) -> bool:
        """Whether words stand in the text one after the other."""
        edges = ([0, *(at for span in spans for at in span), len(self.text)] for spans in self.sides.values())
        return all(low <= high for own in edges for low, high in pairwise(own))


def sample_of(findings: Sequence[Finding]) -> Sample | None:
    """The sample that one of the findings of a document has, None where none has one."""
    known = (finding.more[SAMPLE] for finding in findings if SAMPLE in finding.more)
    return next((sample for sample in map(_read, known) if sample is not None), None)


def lanes(sample: Sample) -> tuple[Lane, ...]:
    """The text of a sample, once for each side."""
    return tuple(_lane(sample, side, set(sample.reference).intersection(sample.predicted)) for side in SIDES)


def _lane(sample: Sample, side: Side, right: set[Span]) -> Lane:
    words = sample.sides[side]
    spans: list[tuple[int, int, str]] = []
    said: list[str] = []
    for before, word, after in zip([None, *words[:-1]], words, [*words[1:], None], strict=True):
        if word not in right:
            spans.append((*word, f"word word-{side}"))
            said += remarks(sample.text, *word)
        elif (before and before[1] == word[0]) or (after and after[0] == word[1]):
            spans.append((*word, TOUCHING))
    return Lane(side, "", marked(sample.text, spans), tuple(dict.fromkeys(said)))


def _read(value: Any) -> Sample | None:
    """A sample as it was written; None where it is none."""
    try:
        sample = msgspec.convert(value, Sample)
    except msgspec.ValidationError:
        return None
    return sample if sample.is_in_order else None


@dataclass(frozen=True)
class Passage:
    """A part of a document's text and the findings in it.

    Args:
        text: the part.
        offset: where it begins in the document.
        before: whether the document goes on before it.
        after: whether it goes on after it.
        findings: in the order of their places.
    """

    text: str
    offset: int
    before: bool
    after: bool
    findings: tuple[Finding, ...]

    def within(self, finding: Finding, at: int) -> int:
        """Where code point `at` of a finding's own excerpt is in the passage."""
        return at + offset_of(finding) - self.offset


def passages(findings: Sequence[Finding]) -> list[Passage]:
    """The excerpts of one document, those that overlap or touch put together.

    Args:
        findings: of one document, each with a text and a mark in it.
    """
    found: list[Passage] = []
    for finding in sorted(findings, key=lambda one: (offset_of(one), one.marks[0].start)):
        one = Passage(finding.text or "", offset_of(finding), finding.before, finding.after, (finding,))
        together = _together(found[-1], one) if found else None
        if together is None:
            found.append(one)
        else:
            found[-1] = together
    return found


def offset_of(finding: Finding) -> int:
    """Where the excerpt of a finding begins in its document, in code points."""
    mark = finding.marks[0]
    return mark.start - (mark.begin or 0)


def has_place(finding: Finding) -> bool:
    """Whether an excerpt says where it stands: its marks are as long in the document as in the excerpt."""
    marks = finding.marks
    lengths = all(mark.begin is not None and mark.end - mark.start == (mark.stop or 0) - mark.begin for mark in marks)
    return finding.text is not None and bool(marks) and lengths


def _together(first: Passage, second: Passage) -> Passage | None:
    """Two passages as one; None where they are apart or do not agree."""
    shared = first.offset + len(first.text) - second.offset
    overlap = second.text[: max(shared, 0)]
    if shared < 0 or not first.text[len(first.text) - shared :].startswith(overlap):
        return None
    text = first.text + second.text[shared:]
    after = second.after if len(second.text) >= shared else first.after
    return Passage(text, first.offset, first.before, after, first.findings + second.findings)


RIGHT = "correct"
EXCUSED = "excused"
FOREIGN = "foreign"
SIGNS = {  # a sign for each kind, beside its name
    "correct": "\N{CHECK MARK}",
    "excused": "\N{CHECK MARK}",
    "missed": "\N{MINUS SIGN}",
    "missing": "\N{MINUS SIGN}",
    "spurious": "+",
    "wrong_type": "\N{MULTIPLICATION SIGN}",
    "wrong_label": "\N{MULTIPLICATION SIGN}",
    "wrong_boundary": "\N{LEFT RIGHT ARROW}",
    "wrong_type_and_boundary": "\N{MULTIPLICATION SIGN}\N{LEFT RIGHT ARROW}",
    "split": "|",
    "merge": "\N{UNION}",
    "shift": "\N{LEFT RIGHT ARROW}",
}
OTHER_SIGN = "!"
MOST_TEXT = 1000  # code points of a document that has labels
FEWEST_DOCUMENTS = 4  # among which the findings are shared out
SHOWN_ELSEWHERE = frozenset(
    ("source", "accepted", "language", "reference_words", "predicted_words", "verdict", "token", "scores", SAMPLE)
)
Facts = tuple[tuple[str, tuple[str, ...]], ...]
Spans = list[tuple[int, int, str]]


@dataclass(frozen=True)
class Kind:
    """A kind of finding in a context.

    Args:
        name: in words.
        sign: stands before it.
        tone: `right`, `excused` or `wrong`.
        count: how often.
    """

    name: str
    sign: str
    tone: str
    count: int = 1


@dataclass(frozen=True)
class Context:
    """A finding, or several in one passage, ready to be shown.

    Args:
        kinds: what it is.
        where: file and line.
        language: BCP 47 code of its texts, empty where it is not known.
        lanes: the text, once for each side that has something to show.
        facts: what else is known, by name.
    """

    kinds: tuple[Kind, ...]
    where: str
    language: str
    lanes: tuple[Lane, ...]
    facts: Facts = ()


@dataclass(frozen=True)
class Document:
    """A document and its findings.

    Args:
        name: its id or number.
        contexts: its findings.
        left_out: how many it has that are not shown.
    """

    name: str
    contexts: tuple[Context, ...]
    left_out: int


@dataclass(frozen=True)
class Shown:
    """What is shown of the findings of a run.

    Args:
        documents: those with the most findings first.
        number: of the findings that are shown.
        known: of those that the run lists.
        total: of those that there are, None where the run does not say.
    """

    documents: tuple[Document, ...]
    number: int
    known: int
    total: int | None


def group_findings(run: Run, most: int) -> Shown:
    """Findings of the documents of a run that have most of them. What is right is left out.

    Args:
        run: with the findings that were asked for.
        most: how many findings at most, a quarter of them of one document; a sample that is shown whole has all of its.
    """
    wrong = [finding for finding in run.findings if finding.kind != RIGHT]
    by_document: dict[str, list[Finding]] = defaultdict(list)
    for finding in wrong:
        by_document[finding.document].append(finding)
    ranked = sorted(by_document.items(), key=lambda item: -sum(one.kind != EXCUSED for one in item[1]))
    documents, number, left, share = [], 0, most, -(-most // FEWEST_DOCUMENTS)
    for document, found in ranked:
        kept = found[: min(left, share)]
        if not kept:
            break
        if sample_of(kept) is not None:  # it shows all there is
            kept = found
        documents.append(Document(document, tuple(contexts(kept, run.task)), len(found) - len(kept)))
        number += len(kept)
        left = max(0, left - len(kept))
    total = sum(count for kind, count in run.kinds.items() if kind != RIGHT) if run.kinds else None
    return Shown(tuple(documents), number, len(wrong), total)


def contexts(findings: Sequence[Finding], task: str) -> list[Context]:
    """Findings of one document as their task shows them."""
    sample = sample_of(findings)
    if sample is not None:
        first = findings[0]
        return [Context(_kinds(findings), first.where, _language(first), lanes(sample), tuple(_facts(first)))]
    together = TOGETHER.get(task)
    if together is not None and all(map(has_place, findings)):
        return [together(passage) for passage in passages(findings)]
    show = LANES.get(task, _spans)
    return [
        Context(
            (kind_of(one.kind),),
            one.where,
            _language(one),
            (*(_text(one) if task in WITH_TEXT and k == 0 else ()), *show(one)),
            tuple(_facts(one)),
        )
        for k, one in enumerate(findings)
    ]


def kind_of(kind: str, count: int = 1) -> Kind:
    """A kind as it is shown."""
    tone = EXCUSED if kind == EXCUSED else "right" if kind == RIGHT else "wrong"
    return Kind(kind.replace("_", " "), SIGNS.get(kind, OTHER_SIGN), tone, count)


def _kinds(findings: Sequence[Finding]) -> tuple[Kind, ...]:
    counts = Counter(finding.kind for finding in findings)
    return tuple(kind_of(kind, count) for kind, count in sorted(counts.items(), key=lambda item: item[0] == EXCUSED))


def _spans(finding: Finding) -> tuple[Lane, ...]:
    """A lane for each side, with its span."""
    return tuple(lane(finding, mark, f"side-{mark.side}") for mark in finding.marks)


def _cut(passage: Passage) -> Context:
    """A text cut into words: a lane for each side, with the words on which they differ."""
    lanes = [
        _pieces(passage, side, [span for one in passage.findings for span in _cuts(passage, one, side)])
        for side in SIDES
    ]
    return Context(_kinds(passage.findings), passage.findings[0].where, _language(passage.findings[0]), tuple(lanes))


def _cuts(passage: Passage, finding: Finding, side: Side) -> Spans:
    """The words of one side in one finding, or all of its stretch where they do not stand there letter by letter."""
    mark = finding.mark(side)
    if mark is None:
        return []
    begin, stop = (passage.within(finding, at or 0) for at in (mark.begin, mark.stop))
    places = words_in(passage.text, begin, stop, _words_of(finding, side)) or [(begin, stop)]
    return [(low, high, f"word word-{side}") for low, high in places]


def _mixed(passage: Passage) -> Context:
    """A text in which foreign words are marked, and excused ones outlined; their reasons stand below."""
    spans: Spans = []
    facts: dict[str, list[str]] = defaultdict(list)
    for finding in passage.findings:
        excused = finding.kind == EXCUSED
        for mark in finding.marks:
            begin, stop = (passage.within(finding, at or 0) for at in (mark.begin, mark.stop))
            spans.append((begin, stop, "excused" if excused else "foreign"))
            if finding.kind != FOREIGN:
                facts[_reason(finding, mark)].append(passage.text[begin:stop])
    told = tuple((name, tuple(dict.fromkeys(words))) for name, words in facts.items())
    first = passage.findings[0]
    return Context(_kinds(passage.findings), first.where, _language(first), (_pieces(passage, "text", spans),), told)


def _reason(finding: Finding, mark: Mark) -> str:
    """Why a word is excused, or what is odd about it and its script."""
    if finding.kind == EXCUSED:
        return f"excused: {mark.label or 'no reason'}".replace("_", " ")
    script = finding.more.get("script")
    return finding.kind.replace("_", " ") + (f", {script}" if script else "")


def _pieces(passage: Passage, side: str, spans: Spans) -> Lane:
    ordered = sorted(spans)
    said = (remark for begin, stop, _ in ordered for remark in remarks(passage.text, begin, stop))
    pieces = around(marked(passage.text, ordered), before=passage.before, after=passage.after)
    return Lane(side, "", pieces, tuple(dict.fromkeys(said)))


def _words(finding: Finding) -> tuple[Lane, ...]:
    """The words of each side by themselves: of texts that were compared in another form."""
    return tuple(_listed(finding, mark) for mark in finding.marks)


def _listed(finding: Finding, mark: Mark) -> Lane:
    words = tuple(Piece(word, f"word word-{mark.side}") for word in _words_of(finding, mark.side))
    return Lane(mark.side, "", words or lane(finding, mark, f"side-{mark.side}").pieces)


def _words_of(finding: Finding, side: Side) -> list[str]:
    return [str(word) for word in finding.more.get(f"{side}_words", ())]


def _translation(finding: Finding) -> tuple[Lane, ...]:
    """Source, translation and the names that are accepted."""
    lanes = [Lane("source", "", (Piece(str(finding.more["source"])),))] if "source" in finding.more else []
    for mark in finding.marks:
        whole = mark.begin == 0 and finding.text is not None and mark.stop == len(finding.text)
        lanes.append(lane(finding, mark, "plain" if whole else f"side-{mark.side}"))
    accepted = tuple(Piece(str(one), "word word-reference") for one in finding.more.get("accepted", ()))
    return (*lanes, *([Lane("accepted", "", accepted)] if accepted else []))


def _labels(finding: Finding) -> tuple[Lane, ...]:
    """The label of each side, with the score that it got."""
    scores = finding.more.get("scores", {})
    lanes = []
    for mark in finding.marks:
        score = scores.get(mark.label)
        told = () if score is None else (Piece(f"score {score:.3f}"),)
        lanes.append(Lane(mark.side, mark.label or "", told))
    return tuple(lanes)


def _text(finding: Finding) -> tuple[Lane, ...]:
    """The text of a document that has labels, where it is known: of a long one the beginning."""
    if not finding.text:
        return ()
    text = finding.text[: 2 * MOST_TEXT]
    stop = snap(text, 0, min(MOST_TEXT, len(text)))[1]
    after = finding.after or stop < len(finding.text)
    return (Lane("text", "", around((Piece(text[:stop]),), before=finding.before, after=after)),)


LANES: dict[str, Callable[[Finding], tuple[Lane, ...]]] = {
    "segmentation": _words,
    "entity-translation": _translation,
    "classification": _labels,
}
WITH_TEXT = frozenset(("classification",))  # tasks whose findings are about a whole text: it stands before the first
TOGETHER: dict[str, Callable[[Passage], Context]] = {"segmentation": _cut, "code-switching": _mixed}


def _facts(finding: Finding) -> Iterable[tuple[str, tuple[str, ...]]]:
    for fact, value in finding.more.items():
        if fact in SHOWN_ELSEWHERE or value is None:
            continue
        if fact == "slices" and isinstance(value, Mapping):
            yield from ((str(column), (str(own),)) for column, own in value.items())
            continue
        values = value if isinstance(value, list) else [value]
        yield fact.replace("_", " "), tuple(map(str, values))


def _language(finding: Finding) -> str:
    """`it_IT` as HTML has it."""
    return str(finding.more.get("language") or "").replace("_", "-")
