"""Convert tags and spans in Python lists.

Tags become spans, spans become tags, and tags change their scheme.

    tags_to_spans(["B-PER", "I-PER", "O"])              # [(0, 2, "PER")]
    spans_to_tags([(0, 2, "PER")], 3, scheme="iobes")   # ["B-PER", "E-PER", "O"]
    convert_tags(["B-PER", "I-PER", "O"], "bilou")      # ["B-PER", "L-PER", "O"]

All three take one document or a list of documents, and return the same form. Invalid tags are repaired as `ner` repairs
them, with a Python warning that counts them.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from isogloss.errors import MismatchError, UsageError
from isogloss.formats.documents import LabelledSpan
from isogloss.formats.python_arguments import to_document_list
from isogloss.formats.python_lists import batch_span_lists, batch_tag_lists
from isogloss.kernel.provenance import RunWarning
from isogloss.kernel.scores import Ints
from isogloss.spans.batches import SpanPairs, TagPairs
from isogloss.spans.decoder import Decoder
from isogloss.spans.encoder import encode_spans
from isogloss.spans.scheme_detection import SchemeDecision, decide_schemes, find_scheme, use_named_scheme
from isogloss.spans.schemes import TagNotation, TagRepair, TagScheme
from isogloss.spans.tag_evidence import TagEvidence
from isogloss.text.display import format_count

AUTO = "auto"


def tags_to_spans(tags: Any, scheme: str = AUTO, *, repair: TagRepair = "begin") -> Any:
    """Return the spans of tags, as `get_entities` of seqeval does.

    Args:
        tags: the tags of a document, or a list of them for each document.
        scheme: tag scheme, or `auto` to detect it from all tags.
        repair: how invalid tags are handled, such as I-ORG after O: `begin` a span there, `discard` the span, or
            `error`.

    Returns:
        Spans (start, end, label) in order: half-open, in tokens from 0; for several documents a list for each.

    Raises:
        UsageError: if the scheme or repair is unknown.
        DataError: if a tag is not a string, or does not belong to the scheme.

    Examples:
        >>> tags_to_spans(["B-PER", "I-PER", "O", "B-LOC"])
        [(0, 2, 'PER'), (3, 4, 'LOC')]
    """
    documents, is_single = _wrap_tags(tags)
    lists: list[list[LabelledSpan]] = []
    pairs, _ = _decode(documents, scheme, repair)
    _warn_repairs(pairs)
    for _, spans in pairs:
        lists += _list_spans(spans)
    return lists[0] if is_single else lists


def spans_to_tags(spans: Any, lengths: Any, scheme: str = "iob2", *, notation: TagNotation = "prefix") -> Any:
    """Return the tags of spans.

    Args:
        spans: the spans (start, end, label) of a document, half-open, in tokens; or a list of them for each document.
        lengths: number of tokens of the document, or its tokens; for several documents a list of either.
        scheme: tag scheme of the tags.
        notation: how tags are written: `prefix` (B-PER), `suffix` (PER-B), or `bare` with the scheme `io`.

    Returns:
        A tag for each token; for several documents a list for each.

    Raises:
        UsageError: if the scheme is unknown, or an argument has the wrong form.
        MismatchError: if there are more or fewer lengths than documents.
        DataError: if spans overlap, or reach beyond their document.

    Examples:
        >>> spans_to_tags([(0, 2, "PER")], 3)
        ['B-PER', 'I-PER', 'O']
        >>> spans_to_tags([(0, 1, "LOC")], ["Paris", "sleeps"], scheme="bilou")
        ['U-LOC', 'O']
    """
    is_single = isinstance(lengths, int) or _holds_strings(lengths)
    documents, sizes = ([spans], [lengths]) if is_single else (to_document_list(spans, "reference"), lengths)
    counts = np.array([size if isinstance(size, int) else len(size) for size in sizes], np.int64)  # (documents,)
    if len(counts) != len(documents):
        raise MismatchError(
            f"there are spans of {format_count(len(documents), 'document')}, but {len(counts)} lengths",
            remedy="Give the number of tokens, or the tokens, of each document.",
        )
    chosen, lists, first = find_scheme(scheme), [], 0
    for batch in batch_span_lists(documents, [[]] * len(documents)):
        own = counts[first : first + len(batch.documents)]
        lists += _encode(batch, np.concatenate([[0], np.cumsum(own)]), chosen, notation)
        first += len(own)
    return lists[0] if is_single else lists


def convert_tags(tags: Any, to: str, scheme: str = AUTO, *, repair: TagRepair = "begin") -> Any:
    """Return tags in another scheme.

    Args:
        tags: the tags of a document, or a list of them for each document.
        to: tag scheme of the result.
        scheme: tag scheme of `tags`, or `auto` to detect it from all of them.
        repair: how invalid tags are handled, such as I-ORG after O: `begin` a span there, `discard` the span, or
            `error`.

    Returns:
        Tags in the same form.

    Raises:
        UsageError: if a scheme or repair is unknown.
        DataError: if a tag is not a string, or does not belong to its scheme.

    Examples:
        >>> convert_tags(["B-PER", "I-PER", "O", "B-LOC"], "iobes")
        ['B-PER', 'E-PER', 'O', 'S-LOC']
    """
    documents, is_single = _wrap_tags(tags)
    target, lists = find_scheme(to), []
    pairs, decision = _decode(documents, scheme, repair)
    _warn_repairs(pairs)
    notation: TagNotation = "prefix" if decision.notation == "bare" else decision.notation
    for batch, spans in pairs:
        lists += _encode(spans, batch.offsets, target, notation)
    return lists[0] if is_single else lists


def _wrap_tags(tags: Any) -> tuple[Sequence[Any], bool]:
    """Return documents, and whether a single one was given."""
    is_single = _holds_strings(tags) or (hasattr(tags, "__len__") and len(tags) == 0)
    return ([tags] if is_single else to_document_list(tags, "reference")), is_single


def _holds_strings(value: Any) -> bool:
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise UsageError(f"tags must be a list of tags, or of lists of tags; got {type(value).__name__}.")
    return isinstance(next(iter(value), None), str)


DecodedPairs = list[tuple[TagPairs, SpanPairs]]


def _decode(documents: Sequence[Any], scheme: str, repair: TagRepair) -> tuple[DecodedPairs, SchemeDecision]:
    """Decode the tags of documents; both sides of the batches are equal."""
    batches = list(batch_tag_lists(documents, documents))
    if scheme == AUTO:
        decision = decide_schemes(sum(map(TagEvidence.from_batch, batches), TagEvidence()))
    else:
        decision = use_named_scheme(scheme, (tag for batch in batches for tag in batch.vocabulary))
    decode = Decoder(decision, repair)
    return [(batch, decode(batch)) for batch in batches], decision


def _warn_repairs(pairs: DecodedPairs) -> None:
    """Warn the caller's caller of invalid tags."""
    repairs = (
        warning for _, spans in pairs for warning in spans.warnings[:1]
    )  # the second is on the other, equal side
    for warning in RunWarning.merge(repairs):
        line = warning.format_line(always_count=True).replace("Tags of the reference", "Tags", 1)
        warnings.warn(line.replace("reference[", "tags[", 1), UserWarning, stacklevel=3)


def _list_spans(batch: SpanPairs) -> list[list[LabelledSpan]]:
    spans = batch.reference
    lists: list[list[LabelledSpan]] = [[] for _ in batch.documents]
    columns = (each.tolist() for each in (spans.row, spans.start, spans.end, spans.label))
    for row, start, end, label in zip(*columns, strict=True):
        lists[row].append((start, end, batch.labels[label]))
    return lists


def _encode(batch: SpanPairs, offsets: Ints, scheme: TagScheme, notation: TagNotation) -> list[list[str]]:
    """Return the tags of each document of a batch."""
    vocabulary, codes = encode_spans(batch.reference, offsets, batch.labels, scheme, notation)
    tags = [vocabulary[code] for code in codes.tolist()]
    return [tags[start:end] for start, end in pairwise(offsets.tolist())]
