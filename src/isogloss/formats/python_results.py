"""Results of recognisers from Python, as sources of the readers of files.

    open_result_list(pipe(texts), "prediction")    # lists of dicts, a list for each text

Results are lists of dicts as `recogniser_outputs` reads them; responses of web services, dicts without a text;
or objects with `to_dict`: results of Presidio, sentences of Flair, documents of Stanza. The first items decide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from isogloss.errors import DataError, UsageError
from isogloss.formats.documents import LabelledSpan
from isogloss.formats.python_arguments import ARGUMENT_NAMES, to_unit_list
from isogloss.formats.python_lists import convert_span
from isogloss.formats.python_rows import RowListSource, to_plain
from isogloss.formats.recogniser_outputs import TEXTS
from isogloss.formats.recogniser_shapes import SHAPES
from isogloss.kernel.provenance import Side

ITEM_KEYS = ("entities", "Entities")  # of a response of one text
MAX_EXAMINED = 100  # responses of which one must have an item


class ResultListSource(RowListSource):
    """A list of results as a source of JSON lines.

    Args:
        results: a result for each text.
        name: name of the list in messages.

    Raises:
        DataError: if a result holds a value that JSON does not have.
    """

    def __init__(self, results: Sequence[Any], name: str) -> None:
        super().__init__((), name)
        self.results = results
        self._data = b"".join(_encode(result, f"{name}[{number}]") + b"\n" for number, result in enumerate(results))


def open_result_list(value: Any, name: str) -> Any:
    """Return results as a source; anything else unchanged.

    Args:
        value: an argument of the call.
        name: its name in messages.

    Raises:
        DataError: if a result holds a value that JSON does not have.
    """
    if not isinstance(value, (list, tuple)):
        return value
    first = next((each for each in value if not isinstance(each, (list, tuple)) or each), None)
    item = first[0] if isinstance(first, (list, tuple)) else first
    if isinstance(item, Mapping) and item is first:
        return ResultListSource(list(value), name) if _has_textless_results(value) else value
    if item is None or isinstance(item, (str, int)):
        return value
    if isinstance(item, tuple) or not _is_result(_to_dict(item)):
        return value
    return ResultListSource(list(map(_convert_result, value)), name)


def list_result_spans(source: ResultListSource, side: Side) -> list[list[LabelledSpan]]:
    """Return results as lists of spans.

    They are compared with other lists of spans.

    Args:
        source: results whose offsets count code points.
        side: which side they are.

    Raises:
        UsageError: if the texts are needed to read them.
    """
    name = ARGUMENT_NAMES[side]
    result_spans = []
    for number, result in enumerate(source.results):
        items = result if isinstance(result, list) else _find_items(result)
        if items is None:
            raise UsageError(f"{name}[{number}] needs its text to be read: give rows with texts on the other side.")
        shapes = [shape for shape in SHAPES if shape.unit is not None and any(map(shape.is_item, items))]
        if items and (not shapes or shapes[0].is_token(items[0])):
            raise UsageError(f"{name}[{number}] needs its text to be read: give rows with texts on the other side.")
        spans = [span for item in items for span in shapes[0].read_spans(item)]
        if any(span is None or span.is_unplaced for span in spans):
            raise DataError("has an item without label or offsets", where=f"{name}[{number}]", remedy=shapes[0].remedy)
        result_spans.append([span.span.to_code_points() for span in spans if span is not None])
    return result_spans


def build_text_rows(documents: Sequence[Any], texts: Sequence[str], side: Side) -> list[dict[str, Any]]:
    """Return lists of spans as rows with their texts.

    Args:
        documents: per document a list of spans.
        texts: per document its text.
        side: which side they are.

    Raises:
        UsageError: if the numbers of documents and texts differ.
        DataError: if an item is not a span.
    """
    name = ARGUMENT_NAMES[side]
    if len(documents) != len(texts):
        raise UsageError(f"texts has {len(texts)} texts, but {name} has {len(documents)} documents.")
    return [
        {"text": text, "entities": [convert_span(span, f"{name}[{at}]") for span in to_unit_list(spans, at, side)]}
        for at, (spans, text) in enumerate(zip(documents, texts, strict=True))
    ]


def _has_textless_results(rows: Sequence[Any]) -> bool:
    """Return whether rows are responses of a web service without texts."""
    first = rows[:MAX_EXAMINED]
    are_textless = all(isinstance(row, Mapping) and not any(key in row for key in TEXTS) for row in first)
    return are_textless and any(map(_is_result, first))


def _find_items(result: Mapping[str, Any]) -> Sequence[Any] | None:
    """Return the items of a response of one text.

    The result is None if it has none where they usually stand.
    """
    return next((result[key] for key in ITEM_KEYS if isinstance(result.get(key), list)), None)


def _is_result(plain: Any) -> bool:
    """Return whether a value is an item, or holds items."""
    return any(shape.has_items(plain) for shape in SHAPES)


def _to_dict(item: Any) -> Any:
    return item.to_dict() if hasattr(item, "to_dict") and not isinstance(item, Mapping) else item


def _convert_result(result: Any) -> Any:
    return [_to_dict(item) for item in result] if isinstance(result, (list, tuple)) else _to_dict(result)


def _encode(result: Any, where: str) -> bytes:
    try:
        return msgspec.json.encode(result, enc_hook=to_plain)
    except (TypeError, UnicodeEncodeError, msgspec.MsgspecError) as error:
        remedy = "A result holds strings, numbers, lists and dicts."
        raise DataError(f"the result cannot be written as JSON: {error}", where=where, remedy=remedy) from error
