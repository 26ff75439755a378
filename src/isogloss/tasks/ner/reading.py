"""An input as batches of spans: how its tags are read is decided once, before the first batch is counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from isogloss.errors import UsageError
from isogloss.kernel.provenance import SIDES, Notice
from isogloss.spans.batches import SpanPairs, Spans, TagPairs
from isogloss.spans.decoder import Decoder
from isogloss.spans.scheme_detection import AUTO, Decision, Evidence, decide, named
from isogloss.spans.schemes import Repair
from isogloss.tasks.ner.inputs import Decode, Pairs
from isogloss.tasks.ner.profiles import Profile, reference_labels

UNCHECKED = "tags-unchecked"
NO_TAGS = "spans"  # instead of a scheme, for a side that has none


@dataclass(frozen=True, eq=False)
class Reading:
    """An input, read.

    Args:
        spans: its batches.
        choices: how its tags were read, for the signature; empty where it has none.
        notices: what was decided about its tags, and what could not be told.
    """

    spans: Iterable[SpanPairs]
    choices: dict[str, str]
    notices: tuple[Notice, ...] = ()


def read(pairs: Pairs, scheme: str, repair: Repair | None, labels: tuple[str, ...] | None) -> Reading:
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
    if pairs.tags is None:
        _refuse_tag_options(scheme, repair)
        return Reading(with_labels(pairs.spans(_no_tags), labels), {})
    decision = _decision(pairs.tags, scheme)
    decoder = Decoder(decision, repair or "begin")
    choices = {"scheme": _schemes(pairs, decision.reference.name, decision.predicted.name), "repair": decoder.repair}
    return Reading(with_labels(pairs.spans(decoder), labels), choices, decision.notices)


def read_as(
    profile: Profile,
    pairs: Pairs,
    scheme: str,
    repair: Repair | None,
    labels: tuple[str, ...] | None,
) -> Reading:
    """The spans of an input as another tool reads them: the same arguments and errors as `read`."""
    if profile.read is None:
        return read(pairs, scheme, repair, labels)
    decode: Decode = _no_tags
    choices: dict[str, str] = {}
    notices: tuple[Notice, ...] = ()
    if pairs.tags is not None:
        chosen: str | None = None if scheme == AUTO else scheme
        if profile.schemes:
            decision = _decision(pairs.tags, scheme)
            chosen, notices = decision.reference.name, decision.notices
        else:
            notices = (Notice(UNCHECKED, f"Tags are read as {profile.name} reads them; none is checked or counted."),)
        decode = profile.decoder(chosen, repair)
        written = None if chosen is None else _schemes(pairs, chosen, chosen)
        named_choices = {"scheme": written, "repair": repair or next(iter(profile.repairs), None)}
        choices = {name: value for name, value in named_choices.items() if value is not None}
    else:
        _refuse_tag_options(scheme, repair)
    if labels is None and profile.scores == "reference":
        labels = reference_labels(pairs.spans(decode))
    return Reading(with_labels(pairs.spans(decode), labels), choices, notices)


def _schemes(pairs: Pairs, reference: str, predicted: str) -> str:
    """What the signature says of the schemes of both sides: that of the reference first, one word if they agree."""
    names = zip(SIDES, (reference, predicted), strict=True)
    return "+".join(dict.fromkeys(name if side in pairs.tagged else NO_TAGS for side, name in names))


def _refuse_tag_options(scheme: str, repair: Repair | None) -> None:
    """An option that nothing would read is refused; `begin` is what the call without one means."""
    if scheme != AUTO:
        raise UsageError(f"The input has spans, which have no tag scheme: leave out {scheme!r}.")
    if repair not in {None, "begin"}:
        raise UsageError(f"The input has spans, of which none can be repaired: leave out {repair!r}.")


def _no_tags(batch: TagPairs) -> SpanPairs:
    raise AssertionError(f"{len(batch.documents)} documents with tags in an input that has none")


def _decision(batches: Callable[[], Iterable[TagPairs]], scheme: str) -> Decision:
    if scheme == AUTO:
        return decide(sum(map(Evidence.of, batches()), Evidence()))
    tags: dict[str, None] = {}
    for batch in batches():
        tags |= dict.fromkeys(batch.vocabulary)
    return named(scheme, tags)


def with_labels(batches: Iterable[SpanPairs], labels: tuple[str, ...] | None) -> Iterable[SpanPairs]:
    """Only the spans with these labels.

    Args:
        batches: spans of any labels.
        labels: those that are wanted, None for all.
    """
    if labels is None:
        return batches
    return (_of_labels(batch, frozenset(labels)) for batch in batches)


def _of_labels(batch: SpanPairs, labels: frozenset[str]) -> SpanPairs:
    wanted = np.array([label in labels for label in batch.labels], np.bool_)
    kept = tuple(label for label in batch.labels if label in labels)
    code = np.cumsum(wanted) - 1  # (labels,)

    def of(spans: Spans) -> Spans:
        chosen = spans.take(wanted[spans.label])
        return replace(chosen, label=code[chosen.label])

    return replace(batch, labels=kept, reference=of(batch.reference), predicted=of(batch.predicted))
