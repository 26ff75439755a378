"""View of findings of word segmentation.

It shows the words of both sides, in the whole sample if it is kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import msgspec

from isogloss.kernel.findings import Finding, Mark
from isogloss.kernel.provenance import SIDES, Side
from isogloss.runs.finding_view import (
    FindingContext,
    FindingExcerpt,
    FindingLane,
    FindingView,
    RoleSpans,
    TextPiece,
    build_lane,
    build_span_lane,
    count_kinds,
    describe_cut_clusters,
    find_words,
    get_language_code,
    iterate_facts,
    split_marked_text,
)

WordSpan = tuple[int, int]
SAMPLE = "sample"  # key in the extra data of findings
TOUCHING = "cut"  # role of a correct word that touches another word


class SampleWords(msgspec.Struct, frozen=True):
    """A text, and the places of the words of both sides.

    A place is begin and end in code points.
    """

    text: str
    reference: list[WordSpan]
    predicted: list[WordSpan]

    @property
    def sides(self) -> Mapping[Side, Sequence[WordSpan]]:
        """The words of each side."""
        return {"reference": self.reference, "predicted": self.predicted}

    @property
    def is_in_order(self) -> bool:
        """Whether the words lie in the text in order, without overlaps."""
        edges = ([0, *(at for span in spans for at in span), len(self.text)] for spans in self.sides.values())
        return all(low <= high for own in edges for low, high in pairwise(own))


def find_sample(findings: Sequence[Finding]) -> SampleWords | None:
    """Find the sample in the findings of a document.

    The result is None if no finding has the sample.
    """
    known = (finding.extra[SAMPLE] for finding in findings if SAMPLE in finding.extra)
    return next((sample for sample in map(_parse_sample, known) if sample is not None), None)


def build_sample_lanes(sample: SampleWords) -> tuple[FindingLane, ...]:
    """Build a lane with the text of a sample for each side."""
    return tuple(_build_side_lane(sample, side, set(sample.reference).intersection(sample.predicted)) for side in SIDES)


def _build_side_lane(sample: SampleWords, side: Side, right: set[WordSpan]) -> FindingLane:
    words = sample.sides[side]
    spans: list[tuple[int, int, str]] = []
    notes: list[str] = []
    for before, word, after in zip([None, *words[:-1]], words, [*words[1:], None], strict=True):
        if word not in right:
            spans.append((*word, f"word word-{side}"))
            notes += describe_cut_clusters(sample.text, *word)
        elif (before and before[1] == word[0]) or (after and after[0] == word[1]):
            spans.append((*word, TOUCHING))
    return FindingLane(side, "", split_marked_text(sample.text, spans), tuple(dict.fromkeys(notes)))


def _parse_sample(value: Any) -> SampleWords | None:
    """Parse a stored sample; None if it is not valid."""
    try:
        sample = msgspec.convert(value, SampleWords)
    except msgspec.ValidationError:
        return None
    return sample if sample.is_in_order else None


def whole_sample(findings: Sequence[Finding]) -> FindingContext | None:
    """Show the whole text once for each side.

    The result is None if no finding has the sample.
    """
    sample = find_sample(findings)
    if sample is None:
        return None
    first = findings[0]
    return FindingContext(
        count_kinds(findings),
        first.where,
        get_language_code(first),
        build_sample_lanes(sample),
        tuple(iterate_facts(first)),
    )


def _build_cut_context(passage: FindingExcerpt) -> FindingContext:
    """Build a lane for each side with the words that differ."""
    lanes = [
        build_span_lane(
            passage, side, [span for one in passage.findings for span in _find_cut_words(passage, one, side)]
        )
        for side in SIDES
    ]
    return FindingContext(
        count_kinds(passage.findings),
        passage.findings[0].where,
        get_language_code(passage.findings[0]),
        tuple(lanes),
    )


def _find_cut_words(passage: FindingExcerpt, finding: Finding, side: Side) -> RoleSpans:
    """Find the words of one side of a finding.

    If the words are not found, its whole region is returned.
    """
    mark = finding.get_mark(side)
    if mark is None:
        return []
    begin, stop = (passage.to_excerpt_position(finding, at or 0) for at in (mark.text_start, mark.text_end))
    places = find_words(passage.text, begin, stop, _get_words(finding, side)) or [(begin, stop)]
    return [(low, high, f"word word-{side}") for low, high in places]


def _build_word_lanes(finding: Finding) -> tuple[FindingLane, ...]:
    """Build a lane with the words of each side.

    Such lanes are for texts that were compared in another form.
    """
    return tuple(_build_word_lane(finding, mark) for mark in finding.marks)


def _build_word_lane(finding: Finding, mark: Mark) -> FindingLane:
    words = tuple(TextPiece(word, f"word word-{mark.side}") for word in _get_words(finding, mark.side))
    return FindingLane(mark.side, "", words or build_lane(finding, mark, f"side-{mark.side}").pieces)


def _get_words(finding: Finding, side: Side) -> list[str]:
    return [str(word) for word in finding.extra.get(f"{side}_words", ())]


VIEW = FindingView(lanes=_build_word_lanes, passage=_build_cut_context, whole=whole_sample)
