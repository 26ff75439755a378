"""Decode tags into spans, a batch at a time.

For a batch of documents with two tags per token, the decoder returns the spans of both sides, the number of tokens with
equal tags, and warnings about invalid tags. It works on arrays; Python code sees each tag once per vocabulary. Cutting
a corpus into other batches, or using other codes for tags, does not change the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

import numpy as np

from isogloss.kernel.argument_checks import check_choice
from isogloss.kernel.provenance import SIDES, RunWarning
from isogloss.spans.batches import SpanPairs, Spans, TagPairs
from isogloss.spans.scheme_detection import SchemeDecision
from isogloss.spans.schemes import TagRepair, TagRule
from isogloss.spans.tag_reading import (
    CompressedSpans,
    RuleTable,
    TaggedSide,
    TaggedTokens,
    check_known_tags,
    compile_rules,
    repair_spans,
)


@dataclass(frozen=True)
class Decoder:
    """Callable that turns `TagPairs` into `SpanPairs`.

    It holds no state between batches, is thread-safe, and can be pickled if its rule can.

    Args:
        reading: the schemes of the two sides, or one rule for both.
        repair: how invalid tags are handled.

    Raises:
        UsageError: if the repair is unknown.
    """

    reading: SchemeDecision | TagRule
    repair: TagRepair = "begin"

    def __post_init__(self) -> None:
        check_choice("repair", self.repair, get_args(TagRepair))

    def __call__(self, batch: TagPairs) -> SpanPairs:
        """Decode a batch.

        Args:
            batch: documents with a reference and a predicted tag for every token.

        Returns:
            The spans of both sides, ascending by (row, start, end), in tokens of their document; the labels of all tags
                in the vocabulary; the number of equal tags; and a warning for each side with invalid tags.

        Raises:
            TagError: if the batch has a tag that the rule does not know or, with the repair `error`, an invalid tag.
        """
        labels, tables = compile_rules(batch.vocabulary, self._rules)
        tokens = TaggedTokens.from_batch(batch)
        sides = [
            TaggedSide(batch, tokens, side, rule, table)
            for side, rule, table in zip(SIDES, self._rules, tables, strict=True)
        ]
        (reference, before), (predicted, after) = (self._decode_side(side) for side in sides)
        return SpanPairs(
            documents=batch.documents,
            labels=labels,
            reference=reference,
            predicted=predicted,
            provenance=batch.provenance,
            tokens=tokens.count_matches(batch),
            warnings=tuple(warning for warning in (before, after) if warning is not None),
        )

    @property
    def _rules(self) -> tuple[TagRule, TagRule]:
        return (self.reading, self.reading) if isinstance(self.reading, TagRule) else self.reading.rules

    def _decode_side(self, side: TaggedSide) -> tuple[Spans, RunWarning | None]:
        check_known_tags(side)
        spans, warning = repair_spans(
            side, CompressedSpans.from_tokens(side.tokens, side.side, side.table), self.repair
        )
        return _place_spans(side.batch, side.tokens, spans, side.table), warning


def _place_spans(batch: TagPairs, tokens: TaggedTokens, spans: CompressedSpans, table: RuleTable) -> Spans:
    row = tokens.row.take(spans.last).astype(np.int64)  # (spans,)
    offset = batch.offsets.take(row)  # (spans,)
    start = np.maximum(tokens.positions.take(spans.first) - offset, 0)  # (spans,); 0 for a begin in an earlier document
    start[spans.first < 0] = 0
    end = tokens.positions.take(spans.last) - offset + 1  # (spans,)
    return Spans(row, start, end, table.label.take(spans.last_code).astype(np.int64))
