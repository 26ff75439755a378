"""Reading of the spans of an opened input.

The whole input is read with one tag scheme.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from isogloss.errors import UsageError
from isogloss.kernel.provenance import SIDES, RunWarning
from isogloss.spans.batches import DecodeTags, SpanPairs, Spans, TagPairs
from isogloss.spans.decoder import Decoder
from isogloss.spans.label_map import LabelMap, LabelMapper
from isogloss.spans.scheme_detection import AUTO, SchemeDecision, decide_schemes, use_named_scheme
from isogloss.spans.schemes import TagRepair
from isogloss.spans.tag_evidence import TagEvidence
from isogloss.tasks.ner.inputs import SpanInput, reject_tags
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
        mapper: counts the spans that the rules for labels touch while `spans` is read; None without rules.
        evidence: what the scheme was decided by: the evidence of all tags, or the tags if it was named; None if the
            input has no tags.
    """

    spans: Iterable[SpanPairs]
    choices: dict[str, str]
    warnings: tuple[RunWarning, ...] = ()
    mapper: LabelMapper | None = None
    evidence: TagEvidence | tuple[str, ...] | None = None

    def choose_labels(self, labels: tuple[str, ...] | None, label_map: LabelMap | None) -> SpanReading:
        """Return the reading with other labels, or some labels only.

        Args:
            labels: labels to keep, by their new names; None for all.
            label_map: rules for labels; None for none.
        """
        mapper = None if label_map is None else LabelMapper(label_map)
        spans = self.spans if mapper is None else mapper.map_batches(self.spans)
        return replace(self, spans=filter_labels(spans, labels), mapper=mapper)


def read_spans(
    span_input: SpanInput,
    scheme: str,
    repair: TagRepair | None,
    labels: tuple[str, ...] | None,
    label_map: LabelMap | None = None,
) -> SpanReading:
    """Read the spans of an input.

    Args:
        span_input: the input.
        scheme: a tag scheme, or `auto` to detect it from all tags of the input.
        repair: how invalid tags are handled, None for `begin`.
        labels: labels to keep, None for all.
        label_map: rules for labels, applied first; None for none.

    Raises:
        UsageError: if the scheme or repair is unknown, or the input has spans and no tags.
        TagError: if no scheme has all tags.
    """
    if span_input.read_tags is None:
        _refuse_tag_options(scheme, repair)
        return SpanReading(span_input.read_spans(reject_tags), {}).choose_labels(labels, label_map)
    decision, evidence = _choose_scheme(span_input.read_tags, scheme)
    decoder = Decoder(decision, repair or "begin")
    choices = {
        "scheme": _describe_schemes(span_input, decision.reference.name, decision.predicted.name),
        "repair": decoder.repair,
    }
    choices |= {"notation": decision.notation} if decision.notation == "underscore" else {}
    reading = SpanReading(span_input.read_spans(decoder), choices, decision.warnings, evidence=evidence)
    return reading.choose_labels(labels, label_map)


def read_profile_spans(
    profile: NerProfile,
    span_input: SpanInput,
    scheme: str,
    repair: TagRepair | None,
    labels: tuple[str, ...] | None,
    label_map: LabelMap | None = None,
) -> SpanReading:
    """Read the spans of an input as another tool does.

    Other arguments and errors are those of `read_spans`. If the tool judges tags while it reads, rules for labels are
    refused.
    """
    if label_map is not None and not profile.maps_labels:
        message = f"--labels cannot be combined with --profile {profile.name}, which compares tags instead of spans."
        raise UsageError(f"{message} Leave one of them out.")
    if profile.make_decoder is None:
        return read_spans(span_input, scheme, repair, labels, label_map)
    decode: DecodeTags = reject_tags
    choices: dict[str, str] = {}
    warnings: tuple[RunWarning, ...] = ()
    evidence: TagEvidence | tuple[str, ...] | None = None
    if span_input.read_tags is not None:
        chosen: str | None = None if scheme == AUTO else scheme
        if profile.schemes:
            decision, evidence = _choose_scheme(span_input.read_tags, scheme)
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
        labels = list_reference_labels(
            SpanReading(span_input.read_spans(decode), {}).choose_labels(None, label_map).spans
        )
    reading = SpanReading(span_input.read_spans(decode), choices, warnings, evidence=evidence)
    return reading.choose_labels(labels, label_map)


def warn_unchecked_tags(profile: NerProfile) -> RunWarning:
    """Warn that a profile does not count invalid tags.

    The profile reads all tags by one rule.
    """
    message = f"Tags are read by the rule of {profile.name}; invalid tags are not checked or counted."
    return RunWarning(TAGS_UNCHECKED, message)


def _describe_schemes(span_input: SpanInput, reference: str, predicted: str) -> str:
    """Name the schemes of both sides for the signature.

    The reference comes first. There is one name if they agree.
    """
    names = zip(SIDES, (reference, predicted), strict=True)
    return "+".join(dict.fromkeys(name if side in span_input.tagged_sides else SPANS_SCHEME for side, name in names))


def _refuse_tag_options(scheme: str, repair: TagRepair | None) -> None:
    """Refuse options without effect on spans; `begin` is the default and allowed."""
    if scheme != AUTO:
        raise UsageError(f"The scheme {scheme!r} has no effect: the input has spans and no tags. Leave it out.")
    if repair not in {None, "begin"}:
        raise UsageError(f"The repair {repair!r} has no effect: the input has spans and no tags. Leave it out.")


def _choose_scheme(
    batches: Callable[[], Iterable[TagPairs]], scheme: str
) -> tuple[SchemeDecision, TagEvidence | tuple[str, ...]]:
    """Choose the scheme, and return what decided."""
    if scheme == AUTO:
        evidence = sum(map(TagEvidence.from_batch, batches()), TagEvidence())
        return decide_schemes(evidence), evidence
    tags: dict[str, None] = {}
    for batch in batches():
        tags |= dict.fromkeys(batch.vocabulary)
    return use_named_scheme(scheme, tags), tuple(tags)


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
