"""The span scores of spaCy 3.8: NER and SPAN.

`spacy evaluate` prints the results of `get_ner_prf` as NER, and those of `Scorer.score_spans` as SPAN.

What is reproduced, in reading tags: `Doc(vocab, words, ents=tags)`, for bilou `biluo_tags_to_spans`
    1. iob1, iob2 and io are read by one rule. I after O or after another label begins a span. At the start of a
       document it is refused (spaCy's E093).
    2. A tag is O, or B, I or O with a hyphen and a label: `B`, `B-`, `ADJ` and `U-P` are refused (E177). `O-P` is
       outside. `B-A-B` has the label `A-B`.
    3. bilou: what does not fit is refused (E067, E068, E1010). All that begins with O is outside.

What is reproduced, in counting
    1. `ents_p`, `ents_r`, `ents_f`, `ents_per_type` are the group `strict`. The reference spans of a document are a
       set; a predicted span that is in it is right and takes it out, so that the same span listed again is spurious.
    2. `spans_sc_p`, `spans_sc_r`, `spans_sc_f`, `spans_sc_per_type` are the group `spans`: both sides are sets. `sc` is
       spaCy's usual key of spans.
    3. The group `bounds` is the same without labels: `score_spans(labeled=False)`, by which `span_finder` scores
       itself. It has no keys of its own, since spaCy gives it those of the spans, and no figures by label.
    4. 0/0 is 0, but everything is undefined where neither side has a span.
    5. There are no averages over labels. A label of either side has its figures.

Exceptions
    1. spaCy reads some of the bilou tags that do not fit: `B-P O` has no span there, `B-P O L-P` and `B-P I-Q L-P` have
       one, the label of `BxP` is `P`. All of them are refused here.
    2. Every document is annotated. spaCy leaves out those whose reference has no annotation, and predicted spans that
       touch a token without one; tags for that (`-`, empty) are refused here.
    3. spaCy compares tokens after aligning both sides. Here they are the same, or spans are characters.
    4. Spans that overlap have figures in both groups; spaCy refuses them as entities.
    5. `spacy convert` reads column files in another way, by `iob_to_biluo`: I may stand at the start, and whatever has
       no known prefix is a span: `ADJ` has the label `J`, `O-P` the label `P`.
    6. Labels are ascending. spaCy has them in the order in which it meets them, the missed ones in that of a set.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import TagError
from isogloss.kernel.counts import Counts
from isogloss.kernel.provenance import SIDES
from isogloss.kernel.scores import Ints, ScoreKey, Scores, divide
from isogloss.kernel.sums import Sums
from isogloss.spans.batches import SpanPairs, TagPairs
from isogloss.spans.decoder import Decoder
from isogloss.spans.schemes import OUTSIDE, SCHEMES, TagRule, format_letters
from isogloss.tasks.ner.metric import name_figures
from isogloss.tasks.ner.profiles import NerProfile, ToolNumber
from isogloss.tasks.ner.profiles.exact_chunks import find_label_cells, select_distinct_spans
from isogloss.tasks.ner.profiles.seqeval import is_strict_begin, is_strict_end

BOUND_COLUMNS = ("bounds_correct", "bounds_reference", "bounds_predicted")
SPACY_COLUMNS = ("correct", "reference", "predicted", "listed", *BOUND_COLUMNS)
GROUP_COLUMNS = {"strict": "listed", "spans": "predicted"}  # and the column of their predicted spans
OUTPUT_GROUPS = {"ents": "strict", "spans_sc": "spans"}
OUTPUT_RATIOS = {"p": "precision", "r": "recall", "f": "f1"}
IOB_SCHEMES = ("iob1", "iob2", "io")


def split_spacy_tag(tag: str, letters: str) -> tuple[str, str] | None:
    """Split a tag into prefix and label; None for a refused tag."""
    if tag == OUTSIDE:
        return OUTSIDE, ""
    prefix, hyphen, label = tag[0], tag[1:2], tag[2:]
    return (prefix, label) if prefix in letters and hyphen == "-" and label else None


def split_spacy_bilou_tag(tag: str) -> tuple[str, str] | None:
    """Split a tag of bilou into prefix and label; None if refused."""
    return (OUTSIDE, tag[1:]) if tag.startswith(OUTSIDE) else split_spacy_tag(tag, "BILU")


SPACY_RULES = {
    name: TagRule(
        title=f"{SCHEMES[name].title} of spaCy",
        split_tag=split_spacy_bilou_tag if name == "bilou" else partial(split_spacy_tag, letters=f"BI{OUTSIDE}"),
        is_span_begin=is_strict_begin,
        is_span_end=is_strict_end,
        first_prefixes=frozenset(SCHEMES[name].first_letters) if name in ("bilou", "iob2") else None,
        last_prefixes=frozenset(SCHEMES[name].last_letters) if name == "bilou" else None,
        expected_tags=format_letters("BILU" if name == "bilou" else "BI", "prefix"),
        repairs=(),
    )
    for name in (*IOB_SCHEMES, "bilou")
}


def read_spacy_iob(rule: TagRule, batch: TagPairs) -> SpanPairs:
    """Read B and I as spaCy does.

    Args:
        rule: the rule of the scheme.
        batch: tags of documents.

    Raises:
        TagError: if a tag is refused, or a document starts with I.
    """
    spans = Decoder(rule)(batch)
    inside = np.array([tag.startswith("I-") for tag in batch.vocabulary])  # (tags,)
    rows = np.flatnonzero(np.diff(batch.offsets))  # documents with tokens
    for side in SIDES:
        codes = batch.reference if side == "reference" else batch.predicted
        wrong = rows[inside[codes[batch.offsets[rows]]]]
        if len(wrong):
            row = int(wrong[0])
            tag = batch.vocabulary[int(codes[batch.offsets[row]])]
            raise TagError(
                f"{tag!r} at the start of its document is refused by spaCy",
                where=batch.provenance.where(row, 0, side),
                remedy="Correct the tag: a span begins with B there.",
            )
    return spans


@dataclass(frozen=True)
class SpacyEntityMetric:
    """The metric of spaCy for entities and spans, without options."""

    def count(self, batch: SpanPairs) -> Counts:
        """Count distinct spans by label, all predicted spans, and bounds.

        Distinct spans are counted as correct, reference and predicted.
        """
        labelled = [*select_distinct_spans(batch).values(), batch.predicted]
        sides = [*labelled, *select_distinct_spans(_drop_labels(batch)).values()]
        row, label = (np.concatenate([getattr(spans, name) for spans in sides]) for name in ("row", "label"))
        label[sum(map(len, labelled)) :] = -1
        values = np.repeat(np.eye(len(SPACY_COLUMNS), dtype=np.int64), [len(spans) for spans in sides], axis=0)
        columns = dict(zip(SPACY_COLUMNS, values.T, strict=True))  # (spans of all sides,) each
        return Counts.build(batch.documents, columns, row=row, parts={"label": (label, batch.labels)})

    def overall(self, sums: Sums) -> Scores:
        """Return the scores of entities, spans and bounds over all labels."""
        total = {name: sums.get_column(name).sum(axis=-1) for name in SPACY_COLUMNS}
        scores = {
            (group, name): value for group in GROUP_COLUMNS for name, value in _compute_figures(total, group).items()
        }
        bounds = _compute_ratios(*(total[name] for name in BOUND_COLUMNS))
        return scores | {("bounds", name): value for name, value in bounds.items()}

    def score(self, sums: Sums) -> Scores:
        """Return the overall scores, and entities and spans of each label."""
        labels, at = find_label_cells(sums)
        counted = {name: sums.get_column(name)[..., at] for name in SPACY_COLUMNS}  # (..., labels) each
        scores = self.overall(sums)
        for group in GROUP_COLUMNS:
            scores |= name_figures(("by_label",), labels, group, _compute_figures(counted, group))
        return scores


def _drop_labels(batch: SpanPairs) -> SpanPairs:
    """Return the spans of a batch with one label for all."""
    sides = [replace(spans, label=np.zeros(len(spans), np.int64)) for spans in (batch.reference, batch.predicted)]
    return replace(batch, reference=sides[0], predicted=sides[1])


def _compute_figures(counted: Mapping[str, Ints], group: str) -> dict[str, NDArray[Any]]:
    return _compute_ratios(counted["correct"], counted["reference"], counted[GROUP_COLUMNS[group]])


def _compute_ratios(correct: Ints, possible: Ints, actual: Ints) -> dict[str, NDArray[Any]]:
    precision, recall = divide(correct, actual, 0.0), divide(correct, possible, 0.0)
    f1 = 2 * divide(precision * recall, precision + recall, 0.0)
    nothing = possible + actual == 0
    ratios = zip(OUTPUT_RATIOS.values(), (precision, recall, f1), strict=True)
    counts = {"correct": correct, "possible": possible, "actual": actual}
    errors = {"missed": possible - correct, "spurious": actual - correct}
    return {name: np.where(nothing, np.nan, value) for name, value in ratios} | counts | errors


def to_spacy_entity_output(numbers: Mapping[ScoreKey, ToolNumber]) -> dict[str, Any]:
    """Return keys and values as spaCy's `evaluate` command writes them.

    Values are None if no side has a span.

    Args:
        numbers: scores of `SpacyEntityMetric`.
    """
    labels = sorted({key[1] for key in numbers if key[0] == "by_label"})
    result: dict[str, Any] = {}
    for key, group in OUTPUT_GROUPS.items():
        result |= {f"{key}_{short}": numbers[group, name] for short, name in OUTPUT_RATIOS.items()}
        by_label = {
            label: {short: numbers["by_label", label, group, name] for short, name in OUTPUT_RATIOS.items()}
            for label in labels
        }
        result[f"{key}_per_type"] = by_label or None
    return result


PROFILE = NerProfile(
    name="spacy",
    metric=SpacyEntityMetric(),
    make_decoder=lambda scheme, _: (
        partial(read_spacy_iob, SPACY_RULES[scheme]) if scheme in IOB_SCHEMES else Decoder(SPACY_RULES[scheme], "error")
    ),
    schemes=tuple(sorted(SPACY_RULES)),
    tool_output=to_spacy_entity_output,
)
