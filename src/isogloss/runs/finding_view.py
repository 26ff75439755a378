"""View of findings in the report and the explorer.

A finding is shown as lanes of text with marks, and as facts. A task describes its findings by a `FindingView`; by
default each side is a lane with its span marked. A mark is widened to whole grapheme clusters, because markup must not
cut one; a remark names the code point that was added.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from unicodedata import name

from isogloss.kernel.findings import Finding, Mark
from isogloss.text.display import snap_to_clusters

CORRECT = "correct"
EXCUSED = "excused"
SIGNS = {  # sign before the name of each kind
    "correct": "\N{CHECK MARK}",
    "excused": "\N{CHECK MARK}",
    "missed": "\N{MINUS SIGN}",
    "missing": "\N{MINUS SIGN}",
    "spurious": "+",
    "wrong_type": "\N{MULTIPLICATION SIGN}",
    "too_coarse": "\N{UPWARDS ARROW}",
    "too_fine": "\N{DOWNWARDS ARROW}",
    "wrong_label": "\N{MULTIPLICATION SIGN}",
    "wrong_boundary": "\N{LEFT RIGHT ARROW}",
    "wrong_type_and_boundary": "\N{MULTIPLICATION SIGN}\N{LEFT RIGHT ARROW}",
    "split": "|",
    "merge": "\N{UNION}",
    "shift": "\N{LEFT RIGHT ARROW}",
}
OTHER_SIGN = "!"
SHOWN_ELSEWHERE = frozenset(
    ("source", "accepted", "language", "reference_words", "predicted_words", "verdict", "token", "scores", "sample"),
)
Facts = tuple[tuple[str, tuple[str, ...]], ...]
RoleSpans = list[tuple[int, int, str]]


@dataclass(frozen=True)
class TextPiece:
    """Part of a text with one role.

    Args:
        text: the text shown.
        role: `plain`, or the class of the mark.
    """

    text: str
    role: str = "plain"


@dataclass(frozen=True)
class FindingLane:
    """Text with the marks of one side.

    Args:
        side: `reference` or `predicted`, or another name of the source.
        label: its label, empty for none.
        pieces: the text.
        remarks: facts that the marks cannot show.
    """

    side: str
    label: str
    pieces: tuple[TextPiece, ...]
    remarks: tuple[str, ...] = ()


def split_marked_text(text: str, spans: Sequence[tuple[int, int, str]]) -> tuple[TextPiece, ...]:
    """Split a text into marked and plain pieces.

    Args:
        text: the text.
        spans: Begin, end and role of each mark, ascending and apart; empty marks are skipped.
    """
    pieces, at = [], 0
    for begin, stop, role in spans:
        low, high = snap_to_clusters(text, begin, stop)
        low = max(low, at)
        if low >= high:
            continue
        pieces += [TextPiece(text[at:low]), TextPiece(text[low:high], role)]
        at = high
    pieces.append(TextPiece(text[at:]))
    return tuple(piece for piece in pieces if piece.text)


def build_lane(finding: Finding, mark: Mark, role: str) -> FindingLane:
    """Build the lane of one side.

    Without a text, the lane shows the offsets.
    """
    label = mark.label or ""
    if finding.text is None or mark.text_start is None or mark.text_end is None:
        place = f"[{mark.start}, {mark.end})" if mark.end > mark.start else ""
        return FindingLane(mark.side, label, (TextPiece(place),) if place else ())
    pieces = split_marked_text(finding.text, [(mark.text_start, mark.text_end, role)])
    pieces = add_ellipses(pieces, before=finding.before, after=finding.after)
    return FindingLane(mark.side, label, pieces, describe_cut_clusters(finding.text, mark.text_start, mark.text_end))


def add_ellipses(pieces: tuple[TextPiece, ...], *, before: bool, after: bool) -> tuple[TextPiece, ...]:
    """Add an ellipsis where the document continues."""
    ellipsis = (TextPiece("…", "more"),)
    return (ellipsis if before else ()) + pieces + (ellipsis if after else ())


def find_words(text: str, begin: int, stop: int, words: Sequence[str]) -> list[tuple[int, int]] | None:
    """Find words in order in part of a text.

    The result is None if a word is missing.
    """
    words_found = []
    for word in words:
        at = text.find(word, begin, stop)
        if at < 0 or not word:
            return None
        begin = at + len(word)
        words_found.append((at, begin))
    return words_found


def describe_cut_clusters(text: str, begin: int, stop: int) -> tuple[str, ...]:
    """Describe the code points by which a mark was widened."""
    low, high = snap_to_clusters(text, begin, stop)
    remarks = [f"begins inside a character, at {_name_character(text[begin])}"] if low < begin else []
    remarks += [f"ends inside a character, before {_name_character(text[stop])}"] if stop < high else []
    return tuple(remarks)


def _name_character(character: str) -> str:
    return f"U+{ord(character):04X} {name(character, '')}".rstrip()


@dataclass(frozen=True)
class FindingExcerpt:
    """Part of a document's text with the findings in it.

    Args:
        text: the part.
        offset: code point of the document where it begins.
        before: whether the document has text before it.
        after: whether the document has text after it.
        findings: findings in order of position.
    """

    text: str
    offset: int
    before: bool
    after: bool
    findings: tuple[Finding, ...]

    def to_excerpt_position(self, finding: Finding, at: int) -> int:
        """Convert a position in a finding's text to one in this excerpt."""
        return at + get_excerpt_offset(finding) - self.offset


def merge_excerpts(findings: Sequence[Finding]) -> list[FindingExcerpt]:
    """Merge the excerpts of one document that overlap or touch.

    Args:
        findings: findings of one document, each with a text and a mark in it.
    """
    excerpts: list[FindingExcerpt] = []
    for finding in sorted(findings, key=lambda one: (get_excerpt_offset(one), one.marks[0].start)):
        one = FindingExcerpt(finding.text or "", get_excerpt_offset(finding), finding.before, finding.after, (finding,))
        together = _merge_two(excerpts[-1], one) if excerpts else None
        if together is None:
            excerpts.append(one)
        else:
            excerpts[-1] = together
    return excerpts


def get_excerpt_offset(finding: Finding) -> int:
    """Return the code point of the document where a finding's text begins."""
    mark = finding.marks[0]
    return mark.start - (mark.text_start or 0)


def has_place(finding: Finding) -> bool:
    """Check whether the marks of a finding's text have their document length."""
    marks = finding.marks
    lengths = all(
        mark.text_start is not None and mark.end - mark.start == (mark.text_end or 0) - mark.text_start
        for mark in marks
    )
    return finding.text is not None and bool(marks) and lengths


def _merge_two(first: FindingExcerpt, second: FindingExcerpt) -> FindingExcerpt | None:
    """Merge two excerpts; None if they are apart or disagree."""
    shared = first.offset + len(first.text) - second.offset
    overlap = second.text[: max(shared, 0)]
    if shared < 0 or not first.text[len(first.text) - shared :].startswith(overlap):
        return None
    text = first.text + second.text[shared:]
    after = second.after if len(second.text) >= shared else first.after
    return FindingExcerpt(text, first.offset, first.before, after, first.findings + second.findings)


@dataclass(frozen=True)
class FindingKind:
    """Kind of finding in a context.

    Args:
        name: name in words.
        sign: sign before the name.
        tone: `right`, `excused` or `wrong`.
        count: how often it occurs.
    """

    name: str
    sign: str
    tone: str
    count: int = 1


@dataclass(frozen=True)
class FindingContext:
    """Findings of one excerpt, ready to be drawn.

    Args:
        kinds: kinds of the findings.
        where: file and line.
        language: BCP 47 code of its texts, empty if unknown.
        lanes: the text, once for each side with marks.
        facts: further facts, by name.
    """

    kinds: tuple[FindingKind, ...]
    where: str
    language: str
    lanes: tuple[FindingLane, ...]
    facts: Facts = ()


def build_kind(kind: str, count: int = 1) -> FindingKind:
    """Build a kind with its sign and tone."""
    tone = EXCUSED if kind == EXCUSED else "right" if kind == CORRECT else "wrong"
    return FindingKind(kind.replace("_", " "), SIGNS.get(kind, OTHER_SIGN), tone, count)


def count_kinds(findings: Sequence[Finding]) -> tuple[FindingKind, ...]:
    """Count the kinds of findings, excused ones last."""
    counts = Counter(finding.kind for finding in findings)
    return tuple(build_kind(kind, count) for kind, count in sorted(counts.items(), key=lambda item: item[0] == EXCUSED))


def build_side_lanes(finding: Finding) -> tuple[FindingLane, ...]:
    """Build a lane for each side, with its span."""
    return tuple(build_lane(finding, mark, f"side-{mark.side}") for mark in finding.marks)


def build_span_lane(passage: FindingExcerpt, side: str, spans: RoleSpans) -> FindingLane:
    """Build the lane of an excerpt with spans (begin, end, role) marked."""
    ordered = sorted(spans)
    remarks = (remark for begin, stop, _ in ordered for remark in describe_cut_clusters(passage.text, begin, stop))
    pieces = add_ellipses(split_marked_text(passage.text, ordered), before=passage.before, after=passage.after)
    return FindingLane(side, "", pieces, tuple(dict.fromkeys(remarks)))


def iterate_facts(finding: Finding) -> Iterable[tuple[str, tuple[str, ...]]]:
    """Yield further facts of a finding, by name."""
    for fact, value in finding.extra.items():
        if fact in SHOWN_ELSEWHERE or value is None:
            continue
        if fact == "slices" and isinstance(value, Mapping):
            yield from ((str(column), (str(own),)) for column, own in value.items())
            continue
        values = value if isinstance(value, list) else [value]
        yield fact.replace("_", " "), tuple(map(str, values))


def get_language_code(finding: Finding) -> str:
    """Return the language of a finding as a BCP 47 code."""
    return str(finding.extra.get("language") or "").replace("_", "-")


@dataclass(frozen=True)
class FindingView:
    """How a task shows its findings.

    Args:
        title: heading of the list of findings.
        shows_labelled_spans: whether marks with their labels say all of a finding, so that several share a text.
        names_sides: whether a finding names the side of a mark; false if there is only one side.
        lanes: builds the lanes of one finding.
        text: builds lanes shown once before the findings of a document, from its first finding; None for none.
        passage: builds one context for all findings of an excerpt, if all have a place; None for one each.
        whole: builds one context for all findings of a document; returns None if they do not hold the whole text.
    """

    title: str = "Errors"
    shows_labelled_spans: bool = False
    names_sides: bool = True
    lanes: Callable[[Finding], tuple[FindingLane, ...]] = build_side_lanes
    text: Callable[[Finding], tuple[FindingLane, ...]] | None = None
    passage: Callable[[FindingExcerpt], FindingContext] | None = None
    whole: Callable[[Sequence[Finding]], FindingContext | None] | None = None

    def build_contexts(self, findings: Sequence[Finding]) -> list[FindingContext]:
        """Build the contexts that show the findings of one document."""
        whole = None if self.whole is None else self.whole(findings)
        if whole is not None:
            return [whole]
        if self.passage is not None and all(map(has_place, findings)):
            return [self.passage(passage) for passage in merge_excerpts(findings)]
        return [
            FindingContext(
                (build_kind(one.kind),),
                one.where,
                get_language_code(one),
                (*(self.text(one) if self.text is not None and k == 0 else ()), *self.lanes(one)),
                tuple(iterate_facts(one)),
            )
            for k, one in enumerate(findings)
        ]
