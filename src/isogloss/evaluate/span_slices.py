"""Slices of spans of named entities: which columns are meant, and what tells the values of spans in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from isogloss.batches import SpanPairs
from isogloss.evaluate.columns import Known, has_column
from isogloss.evaluate.inputs import opened
from isogloss.evaluate.pairs import Layout, Pairs
from isogloss.evaluate.reading import read
from isogloss.evaluate.referenced import held_alone, of_spans
from isogloss.evaluate.wanted import Wanted
from isogloss.exceptions import UsageError
from isogloss.metric import Metric
from isogloss.metrics.ner.definition import NamedEntities
from isogloss.metrics.ner.sliced import SlicedEntities
from isogloss.metrics.ner.spans import (
    CHARACTERS,
    COLUMNS,
    FREQUENCY,
    LENGTH,
    SEEN,
    SPANS,
    TOKENS,
    Length,
    Property,
    Seen,
)
from isogloss.tagging import AUTO

OF_TOKENS = 2  # columns of a file with one side: of the token and the tag


def columns_of_spans(
    batches: Iterable[SpanPairs], wanted: Wanted
) -> tuple[Iterable[SpanPairs], tuple[str, ...], Wanted]:
    """Which columns are properties of spans, and not of documents: a column of the data comes first.

    Args:
        batches: documents.
        wanted: what is wanted.

    Returns:
        The same batches, these columns, and what is wanted of documents.
    """
    names = [name for name in wanted.by if name in COLUMNS and name not in wanted.given]
    if not names:
        return batches, (), wanted
    rest = iter(batches)
    first = next(rest, None)
    if first is None:
        return (), (), wanted
    of_spans = tuple(name for name in names if not has_column(first, name))
    others = tuple(name for name in wanted.by if name not in of_spans)
    return chain((first,), rest), of_spans, replace(wanted, by=others)


def sliced(
    metric: Metric[SpanPairs], columns: Sequence[str], pairs: Pairs, training: Iterable[SpanPairs] | None
) -> SlicedEntities:
    """The metric by properties of spans.

    Args:
        metric: the default one.
        columns: the properties.
        pairs: the input.
        training: the training data.

    Raises:
        UsageError: it is the metric of a profile; or seen names are meant, and there is no training data, or no text.
    """
    if not isinstance(metric, NamedEntities):
        raise UsageError(f"A profile counts spans in its own way, and not by {', '.join(columns)}: leave one out.")
    properties: dict[str, Property] = {}
    if LENGTH in columns:
        properties[LENGTH] = Length(CHARACTERS if pairs.characters else TOKENS)
    if SEEN in columns:
        if training is None or not pairs.has_text:
            missing = "the training data: --training FILE (training=...)" if training is None else "texts: give files"
            raise UsageError(f"Which names are seen is told by {missing}.")
        properties[SEEN] = Seen.of(training)
    values = {name: own.names for name, own in properties.items()} | {FREQUENCY: [name for name, _ in SPANS]}
    return SlicedEntities(metric, {name: values[name] for name in columns}, properties)


def trained_on(training: Any, layout: Layout) -> Pairs:
    """The training data, read like the reference.

    Args:
        training: its path.
        layout: how the reference is read.

    Raises:
        UsageError: it is no path.
    """
    columns = None if layout.columns is None else layout.columns[:OF_TOKENS]
    return opened(
        training, training, replace(layout, columns=columns, prediction_format=None, progress=None, attributes=())
    )


def spans_of(training: Pairs, scheme: str) -> Iterable[SpanPairs]:
    """The spans of the training data.

    Raises:
        DataError: it cannot be read.
    """
    return read(training, scheme if training.tags is not None else AUTO, None, None).spans


def known_of(pairs: Pairs) -> Known[SpanPairs]:
    """What is known of documents with spans."""

    def columns() -> Iterable[str]:
        return (*pairs.columns(), *COLUMNS)

    def lengths(batch: SpanPairs) -> Sequence[int | None]:
        if batch.tokens is not None:
            return [*batch.tokens.total.tolist()]
        return [None if text is None else len(text) for text in texts(batch)]

    def texts(batch: SpanPairs) -> Sequence[str | None]:
        passages = (batch.origin.passage(row) if pairs.has_text else None for row in range(len(batch.documents)))
        return [None if passage is None else passage.text for passage in passages]

    return Known(columns, texts, lengths, reference=None if held_alone(pairs.sources) else of_spans)
