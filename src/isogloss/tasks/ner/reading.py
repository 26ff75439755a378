"""Reading of an input as batches of spans, with one tag scheme detected before the first batch is counted."""

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
SPANS_SCHEME = "spans"  # in the signature, for a side with spans and no tags


@dataclass(frozen=True, eq=False)
class SpanReading:
    """The spans of an input, and how its tags were read.

    Args:
        spans: batches of spans.
        choices: scheme and repair for the signature; empty without tags.
        warnings: warnings about the detection of the scheme.
    """

    spans: Iterable[SpanPairs]
    choices: dict[str, str]
    warnings: tuple[RunWarning, ...] = ()


def read_spans(
    span_input: SpanInput, scheme: str, repair: TagRepair | None, labels: tuple[str, ...] | None
) -> SpanReading:
    """Read the spans of an input.

    Args:
        span_input: the input.
        scheme: a tag scheme, or `auto` to detect it from all tags of the input.
        repair: how invalid tags are handled, None for `begin`.
        labels: labels to keep, None for all.

    Raises:
        UsageError: if the scheme or repair is unknown, or the input has spans and no tags.
        TagError: if no scheme has all tags.
    """
    if span_input.read_tags is None:
        _refuse_tag_options(scheme, repair)
        return SpanReading(filter_labels(span_input.read_spans(_reject_tags), labels), {})
    decision = _choose_scheme(span_input.read_tags, scheme)
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
    """Read the spans of an input as another tool does; other arguments and errors are those of `read_spans`."""
    if profile.make_decoder is None:
        return read_spans(span_input, scheme, repair, labels)
    decode: DecodeTags = _reject_tags
    choices: dict[str, str] = {}
    warnings: tuple[RunWarning, ...] = ()
    if span_input.read_tags is not None:
        chosen: str | None = None if scheme == AUTO else scheme
        if profile.schemes:
            decision = _choose_scheme(span_input.read_tags, scheme)
            chosen, warnings = decision.reference.name, decision.warnings
        else:
            warnings = (warn_unchecked_tags(profile),)
        decode = profile.build_decoder(chosen, repair)
        written = None if chosen is None else _describe_schemes(span_input, chosen, chosen)
        named_choices = {"scheme": written, "repair": repair or next(iter(profile.repairs), None)}
        choices = {name: value for name, value in named_choices.items() if value is not None}
    else:
        _refuse_tag_options(scheme, repair)
    if labels is None and profile.scored_labels == "reference":
        labels = list_reference_labels(span_input.read_spans(decode))
    return SpanReading(filter_labels(span_input.read_spans(decode), labels), choices, warnings)


def warn_unchecked_tags(profile: NerProfile) -> RunWarning:
    """Warn that a profile reads all tags by one rule, so that invalid tags are not counted."""
    message = f"Tags are read by the rule of {profile.name}; invalid tags are not checked or counted."
    return RunWarning(TAGS_UNCHECKED, message)


def _describe_schemes(span_input: SpanInput, reference: str, predicted: str) -> str:
    """Name the schemes of both sides for the signature: the reference first, one name if they agree."""
    names = zip(SIDES, (reference, predicted), strict=True)
    return "+".join(dict.fromkeys(name if side in span_input.tagged_sides else SPANS_SCHEME for side, name in names))


def _refuse_tag_options(scheme: str, repair: TagRepair | None) -> None:
    """Refuse options without effect on spans; `begin` is the default and allowed."""
    if scheme != AUTO:
        raise UsageError(f"The scheme {scheme!r} has no effect: the input has spans and no tags. Leave it out.")
    if repair not in {None, "begin"}:
        raise UsageError(f"The repair {repair!r} has no effect: the input has spans and no tags. Leave it out.")


def _reject_tags(batch: TagPairs) -> SpanPairs:
    raise AssertionError(f"{len(batch.documents)} documents with tags in an input without tags")


def _choose_scheme(batches: Callable[[], Iterable[TagPairs]], scheme: str) -> SchemeDecision:
    if scheme == AUTO:
        return decide_schemes(sum(map(TagEvidence.from_batch, batches()), TagEvidence()))
    tags: dict[str, None] = {}
    for batch in batches():
        tags |= dict.fromkeys(batch.vocabulary)
    return use_named_scheme(scheme, tags)


def filter_labels(batches: Iterable[SpanPairs], labels: tuple[str, ...] | None) -> Iterable[SpanPairs]:
    """Keep the spans with some labels.

    Args:
        batches: spans with any labels.
        labels: labels to keep, None for all.
    """
    if labels is None:
        return batches
    return (_select_labels(batch, frozenset(labels)) for batch in batches)


def _select_labels(batch: SpanPairs, labels: frozenset[str]) -> SpanPairs:
    is_kept = np.array([label in labels for label in batch.labels], np.bool_)  # (labels,)
    kept = tuple(label for label in batch.labels if label in labels)
    code = np.cumsum(is_kept) - 1  # (labels,)

    def select(spans: Spans) -> Spans:
        selected = spans.take(is_kept[spans.label])
        return replace(selected, label=code[selected.label])

    return replace(batch, labels=kept, reference=select(batch.reference), predicted=select(batch.predicted))
