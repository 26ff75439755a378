"""Pairs of documents without those that are left out, such as those that nobody annotated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from isogloss.batches import Notice
from isogloss.exceptions import DataError, FormatError
from isogloss.formats.span_pairing.partners import Partners
from isogloss.formats.span_pairing.passages import on_one_text
from isogloss.text import counted


def scored(pairs: Iterable[Partners], names: tuple[str, str]) -> Iterator[Partners]:
    """The pairs that are scored, on one text. The last has the notices of those that are not.

    Args:
        pairs: reference and prediction.
        names: of their files, for errors.

    Raises:
        FormatError: no pair is left; or one has names without positions, and neither side has a text.
    """
    held: Partners | None = None
    notices: tuple[Notice, ...] = ()
    without = 0
    try:
        for pair in pairs:
            if pair[0].left_out or pair[1].left_out:
                notices = Notice.merge((*notices, *pair[0 if pair[0].left_out else 1].notices))
                without += 1
                continue
            if held is not None:
                before, held = held, None
                yield before
            held = on_one_text(pair, names)
    except DataError:
        if held is not None:
            yield held
        raise
    if held is None:
        raise _nothing_left(names[0], without, notices)
    reference, predicted = held
    yield msgspec.structs.replace(reference, notices=(*reference.notices, *notices)), predicted


def _nothing_left(name: str, without: int, notices: Iterable[Notice]) -> FormatError:
    return FormatError(
        f"nothing is left to score: {counted(without, 'document')} left out",
        where=name,
        detail="\n".join(f"{notice.message} ({notice.count}, first {notice.where})" for notice in notices),
        remedy="Export documents that were annotated.",
    )
