"""How findings of word segmentation look: the words of both sides, in the whole sample where it is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import msgspec

from isogloss.kernel.findings import Finding, Mark
from isogloss.kernel.provenance import SIDES, Side
from isogloss.runs.finding_view import (
    Context,
    FindingView,
    Lane,
    Passage,
    Piece,
    Spans,
    count_kinds,
    facts_of,
    lane,
    lane_of_spans,
    language_of,
    marked,
    remarks,
    words_in,
)

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


def whole_sample(findings: Sequence[Finding]) -> Context | None:
    """Show the whole text once for each side; None where no finding has the sample."""
    sample = sample_of(findings)
    if sample is None:
        return None
    first = findings[0]
    return Context(count_kinds(findings), first.where, language_of(first), lanes(sample), tuple(facts_of(first)))


def _cut(passage: Passage) -> Context:
    """A text cut into words: a lane for each side, with the words on which they differ."""
    lanes = [
        lane_of_spans(passage, side, [span for one in passage.findings for span in _cuts(passage, one, side)])
        for side in SIDES
    ]
    return Context(
        count_kinds(passage.findings),
        passage.findings[0].where,
        language_of(passage.findings[0]),
        tuple(lanes),
    )


def _cuts(passage: Passage, finding: Finding, side: Side) -> Spans:
    """The words of one side in one finding, or all of its stretch where they do not stand there letter by letter."""
    mark = finding.mark(side)
    if mark is None:
        return []
    begin, stop = (passage.within(finding, at or 0) for at in (mark.begin, mark.stop))
    places = words_in(passage.text, begin, stop, _words_of(finding, side)) or [(begin, stop)]
    return [(low, high, f"word word-{side}") for low, high in places]


def _words(finding: Finding) -> tuple[Lane, ...]:
    """The words of each side by themselves: of texts that were compared in another form."""
    return tuple(_listed(finding, mark) for mark in finding.marks)


def _listed(finding: Finding, mark: Mark) -> Lane:
    words = tuple(Piece(word, f"word word-{mark.side}") for word in _words_of(finding, mark.side))
    return Lane(mark.side, "", words or lane(finding, mark, f"side-{mark.side}").pieces)


def _words_of(finding: Finding, side: Side) -> list[str]:
    return [str(word) for word in finding.more.get(f"{side}_words", ())]


VIEW = FindingView(lanes=_words, passage=_cut, whole=whole_sample)
