"""Whether two files hold the same sentences and tokens, and the error that shows where they first do not."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from isogloss.exceptions import DataError, MismatchError
from isogloss.formats.conll.reader import Part, TaggedBlock

AROUND = 2  # lines shown before and after the first difference
SHOWN = 72  # characters shown of a line
SHOWN_TOKEN = 40  # characters shown of a token
SAME_TEXT = "Reference and prediction must hold the same sentences, token by token, in the same order."
SPELLING = "If only the spelling of tokens differs, add --ignore-tokens."


def check_same(reference: Part, predicted: Part, before: int, *, ignore_tokens: bool) -> None:
    """Checks that sentences have as many tokens, and the same ones.

    Args:
        reference: sentences of the reference.
        predicted: as many sentences of the prediction.
        before: sentences of both files before these.
        ignore_tokens: whether only the number of tokens is compared.

    Raises:
        MismatchError: the first difference.
    """
    counts, found = np.diff(reference.offsets), np.diff(predicted.offsets)  # (sentences,) tokens of each
    even = int((counts != found).argmax()) if (counts != found).any() else len(counts)  # sentences up to an uneven one
    if not ignore_tokens:
        token = reference.tokens(0, even).first_difference(predicted.tokens(0, even))
        if token is not None:
            row = int(np.searchsorted(reference.offsets, token, side="right")) - 1
            raise _other_token(reference, predicted, row, token - int(reference.offsets[row]), before)
    if even < len(counts):
        raise _other_number(reference, predicted, even, before, ignore_tokens=ignore_tokens)


def prediction_ends(missing: Part, last: Part, before: int, rest: Iterable[TaggedBlock]) -> MismatchError:
    """The error for a prediction with fewer sentences.

    Args:
        missing: sentences of the reference that it lacks.
        last: its last sentences.
        before: its number of sentences.
        rest: what follows `missing` in the reference.
    """
    end = last.line(last.sentences - 1, len(last.tokens(last.sentences - 1, last.sentences)) - 1)
    return MismatchError(
        f"the prediction ends after sentence {before}, but the reference ({missing.name}) has "
        f"{_number(before + missing.sentences, rest)}",
        where=f"{last.name}:{end}",
        detail=_both(missing, missing.line(0, 0), last, end),
        remedy=f"{SAME_TEXT} Check that the prediction was written to its end.",
    )


def prediction_goes_on(last: Part, extra: Part, before: int, rest: Iterable[TaggedBlock]) -> MismatchError:
    """The error for a prediction with more sentences.

    Args:
        last: the last sentences of the reference.
        extra: the first sentences that only the prediction has.
        before: the reference's number of sentences.
        rest: what follows `extra` in the prediction.
    """
    end = last.line(last.sentences - 1, len(last.tokens(last.sentences - 1, last.sentences)) - 1)
    begin = extra.line(0, 0)
    return MismatchError(
        f"the prediction goes on to {_number(before + extra.sentences, rest)}, "
        f"but the reference ends after sentence {before} ({last.name}:{end})",
        where=f"{extra.name}:{begin}",
        detail=_both(last, end, extra, begin),
        remedy=f"{SAME_TEXT} Check that the reference is complete and the right one.",
    )


def _other_token(reference: Part, predicted: Part, row: int, position: int, before: int) -> MismatchError:
    here, there = (_token(side, row, position) for side in (predicted, reference))
    line, reference_line = predicted.line(row, position), reference.line(row, position)
    return MismatchError(
        f"token {position + 1} of sentence {before + row + 1} is {here}, "
        f"but {there} in the reference ({reference.name}:{reference_line})",
        where=f"{predicted.name}:{line}",
        detail=_both(reference, reference_line, predicted, line),
        remedy=f"{SAME_TEXT} {SPELLING}",
    )


def _other_number(reference: Part, predicted: Part, row: int, before: int, *, ignore_tokens: bool) -> MismatchError:
    expected, found = reference.tokens(row, row + 1), predicted.tokens(row, row + 1)
    both = min(len(expected), len(found))
    other = None if ignore_tokens else expected.rows(0, both).first_difference(found.rows(0, both))
    position = both if other is None else other
    line, reference_line = predicted.line(row, position), reference.line(row, position)
    return MismatchError(
        f"sentence {before + row + 1} has {_tokens(len(found))}, "
        f"but {_tokens(len(expected))} in the reference ({reference.name}:{reference_line})",
        where=f"{predicted.name}:{line}",
        detail=_both(reference, reference_line, predicted, line),
        remedy=f"{SAME_TEXT} Look for a token, a sentence or a blank line that is missing or too much.",
    )


def _number(sentences: int, rest: Iterable[TaggedBlock]) -> str:
    """The number of sentences, those of the rest of the file added as far as it can be read."""
    try:
        for block in rest:
            sentences += block.sentences
    except DataError:
        return f"{sentences} or more"
    return str(sentences)


def _tokens(number: int) -> str:
    return f"{number} token{'' if number == 1 else 's'}"


def _token(part: Part, row: int, position: int) -> str:
    return repr(part.tokens(row, row + 1).field(position).decode()[:SHOWN_TOKEN])


def _both(reference: Part, reference_line: int, predicted: Part, line: int) -> str:
    """Lines of both files around a place."""
    return "\n".join([*_around("reference", reference, reference_line), *_around("prediction", predicted, line)])


def _around(side: str, part: Part, line: int) -> list[str]:
    lines = part.block.lines(line - AROUND, line + AROUND)
    width = max(len(str(number)) for number, _ in lines)
    return [f"  {side} {part.name}"] + [
        f"  {'>' if number == line else ' '} {number:>{width}}  {text[:SHOWN]}".rstrip() for number, text in lines
    ]
