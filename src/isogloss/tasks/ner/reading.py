"""An input as batches of spans: how its tags are read is decided once, before the first batch is counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from isogloss.errors import UsageError
from isogloss.kernel.provenance import SIDES, RunWarning
from isogloss.spans.batches import SpanPairs, Spans, TagPairs
from isogloss.spans.decoder import Decoder
from isogloss.spans.scheme_detection import AUTO, SchemeDecision, TagEvidence, decide_schemes, use_named_scheme
from isogloss.spans.schemes import TagRepair
from isogloss.tasks.ner.inputs import DecodeTags, SpanInput
from isogloss.tasks.ner.profiles import NerProfile, list_reference_labels

TAGS_UNCHECKED = "tags-unchecked"
SPANS_SCHEME = "spans"  # instead of a scheme, for a side that has none


@dataclass(frozen=True, eq=False)
class SpanReading:
    """An input, read.

    Args:
        spans: its batches.
        choices: how its tags were read, for the signature; empty where it has none.
        notices: what was decided about its tags, and what could not be told.
    """

    spans: Iterable[SpanPairs]
    choices: dict[str, str]
    warnings: tuple[RunWarning, ...] = ()


def read_spans(
    span_input: SpanInput, scheme: str, repair: TagRepair | None, labels: tuple[str, ...] | None
) -> SpanReading:
    """The spans of an input.

    Args:
        pairs: the input.
        scheme: a tag scheme, or `auto` to decide by all tags of the input.
        repair: what to do about tags that do not fit, None for `begin`.
        labels: only spans with these labels, None for all.

    Raises:
        UsageError: for an unknown scheme or repair.
        TagError: for tags of no scheme.
    """
    if span_input.read_tags is None:
        _refuse_tag_options(scheme, repair)
        return SpanReading(filter_labels(span_input.read_spans(_reject_tags), labels), {})
    decision = _decide_scheme(span_input.read_tags, scheme)
    decoder = Decoder(decision, repair or "begin")
    choices = {
        "scheme": _describe_schemes(span_input, decision.reference.name, decision.predicted.name),
        "repair": decoder.repair,
    }
    return SpanReading(filter_labels(span_input.read_spans(decoder), labels), choices, decision.warnings)


def read_profile_spans(
    profile: NerProfile,
    span_input: SpanInput,
    scheme: str,
    repair: TagRepair | None,
    labels: tuple[str, ...] | None,
) -> SpanReading:
    """The spans of an input as another tool reads them: the same arguments and errors as `read`."""
    if profile.make_decoder is None:
        return read_spans(span_input, scheme, repair, labels)
    decode: DecodeTags = _reject_tags
    choices: dict[str, str] = {}
    notices: tuple[RunWarning, ...] = ()
    if span_input.read_tags is not None:
        chosen: str | None = None if scheme == AUTO else scheme
        if profile.schemes:
            decision = _decide_scheme(span_input.read_tags, scheme)
            chosen, notices = decision.reference.name, decision.warnings
        else:
            notices = (
                RunWarning(TAGS_UNCHECKED, f"Tags are read as {profile.name} reads them; none is checked or counted."),
            )
        decode = profile.build_decoder(chosen, repair)
        written = None if chosen is None else _describe_schemes(span_input, chosen, chosen)
        named_choices = {"scheme": written, "repair": repair or next(iter(profile.repairs), None)}
        choices = {name: value for name, value in named_choices.items() if value is not None}
    else:
        _refuse_tag_options(scheme, repair)
    if labels is None and profile.scored_labels == "reference":
        labels = list_reference_labels(span_input.read_spans(decode))
    return SpanReading(filter_labels(span_input.read_spans(decode), labels), choices, notices)


def _describe_schemes(span_input: SpanInput, reference: str, predicted: str) -> str:
    """What the signature says of the schemes of both sides: that of the reference first, one word if they agree."""
    names = zip(SIDES, (reference, predicted), strict=True)
    return "+".join(dict.fromkeys(name if side in span_input.tagged_sides else SPANS_SCHEME for side, name in names))


def _refuse_tag_options(scheme: str, repair: TagRepair | None) -> None:
    """An option that nothing would read is refused; `begin` is what the call without one means."""
    if scheme != AUTO:
        raise UsageError(f"The input has spans, which have no tag scheme: leave out {scheme!r}.")
    if repair not in {None, "begin"}:
        raise UsageError(f"The input has spans, of which none can be repaired: leave out {repair!r}.")


def _reject_tags(batch: TagPairs) -> SpanPairs:
    raise AssertionError(f"{len(batch.documents)} documents with tags in an input that has none")


def _decide_scheme(batches: Callable[[], Iterable[TagPairs]], scheme: str) -> SchemeDecision:
    if scheme == AUTO:
        return decide_schemes(sum(map(TagEvidence.from_batch, batches()), TagEvidence()))
    tags: dict[str, None] = {}
    for batch in batches():
        tags |= dict.fromkeys(batch.vocabulary)
    return use_named_scheme(scheme, tags)


def filter_labels(batches: Iterable[SpanPairs], labels: tuple[str, ...] | None) -> Iterable[SpanPairs]:
    """Only the spans with these labels.

    Args:
        batches: spans of any labels.
        labels: those that are wanted, None for all.
    """
    if labels is None:
        return batches
    return (_select_labels(batch, frozenset(labels)) for batch in batches)


def _select_labels(batch: SpanPairs, labels: frozenset[str]) -> SpanPairs:
    wanted = np.array([label in labels for label in batch.labels], np.bool_)
    kept = tuple(label for label in batch.labels if label in labels)
    code = np.cumsum(wanted) - 1  # (labels,)

    def of(spans: Spans) -> Spans:
        chosen = spans.take(wanted[spans.label])
        return replace(chosen, label=code[chosen.label])

    return replace(batch, labels=kept, reference=of(batch.reference), predicted=of(batch.predicted))
