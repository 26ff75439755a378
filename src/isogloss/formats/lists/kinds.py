"""What a `reference` or `prediction` argument is: a path, tag lists, or span lists."""

from __future__ import annotations

import os
from typing import Any, Literal

from isogloss.batches import Side
from isogloss.exceptions import DataError, UsageError
from isogloss.formats.lists.documents import ARGUMENT, in_document, in_list, is_span

Kind = Literal["path", "tags", "spans", "empty"]
FORMS = "paths, lists of tag lists, or lists of span lists"
WORDS: dict[Kind, str] = {
    "path": "a path",
    "tags": "a list of tag lists",
    "spans": "a list of span lists",
    "empty": "a list of empty lists",
}


def kind_of(value: Any, side: Side) -> Kind:
    """What an argument is, told by its first document that is not empty.

    Args:
        value: the argument.
        side: which argument it is, for messages.

    Returns:
        "empty" where all documents are: it is equal to tags and to spans.

    Raises:
        UsageError: it is neither, or a document is where the documents should be.
        DataError: the first tag or span is neither.
    """
    if isinstance(value, (str, os.PathLike)):
        return "path"
    for number, document in enumerate(in_list(value, side)):
        for first in in_document(document, number, side)[:1]:
            return _kind_of_item(first, f"{ARGUMENT[side]}[{number}][0]")
    return "empty"


def kind_of_both(reference: Any, prediction: Any) -> Kind:
    """What both arguments are.

    Args:
        reference: an argument.
        prediction: the other.

    Returns:
        "empty" where all documents of both are.

    Raises:
        UsageError: they are not of one kind.
        DataError: the first tag or span of one is neither.
    """
    kinds: tuple[Kind, Kind] = kind_of(reference, "reference"), kind_of(prediction, "predicted")
    known = set(kinds) - {"empty"}
    if len(known) > 1 or ("path" in known and "empty" in kinds):
        raise UsageError(
            f"reference is {WORDS[kinds[0]]}, but prediction is {WORDS[kinds[1]]}. Both must be of one kind: {FORMS}"
        )
    return known.pop() if known else "empty"


def _kind_of_item(item: Any, where: str) -> Kind:
    if isinstance(item, str):
        return "tags"
    if is_span(item):
        return "spans"
    remedy = "A tag is a string. A span is a tuple (start, end, label), a dict with these keys, or such an object."
    if isinstance(item, int):
        remedy = "Replace the numbers by the names of their tags, such as 'B-PER'."
    raise DataError(f"{item!r} is neither a tag nor a span", where=where, remedy=remedy)
