"""A sample cut into words by both sides, whole: words that are right stand plain, those that are not are marked.

A word is right where both sides have it, with its beginning and its end. Between two right words that touch, as they do
where a script has no spaces, there is a line; other words show themselves where they end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import msgspec

from isogloss.batches import SIDES, Side
from isogloss.findings import Finding
from isogloss.report.html.marking import Lane, marked, remarks

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
