"""Tags of a file that do not fit their scheme, with their places."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isogloss.exceptions import TagError
from isogloss.tagging import Repair
from isogloss.tagging.misfits import BEGIN, END, KINDS, UNKNOWN, Misfits
from isogloss.tags.columns import TagColumn


@dataclass(frozen=True)
class Misfit:
    """A tag that does not fit.

    Args:
        file: the file in messages.
        line: its line.
        column: its column, from 1.
        token: the token that has it.
        tag: the tag.
        kind: one of `KINDS`.
        message: what is wrong, in one sentence.
        fits: the tag that would fit in its place; None where the scheme has no such tag.
    """

    file: str
    line: int
    column: int
    token: str
    tag: str
    kind: str
    message: str
    fits: str | None

    @property
    def where(self) -> str:
        """File and line."""
        return f"{self.file}:{self.line}"


def described(column: TagColumn, misfits: Misfits, number: int) -> Misfit:
    """One misfit of a column of a block.

    Args:
        column: the column.
        misfits: its misfits.
        number: which, from 0.
    """
    token, block = int(misfits.at[number]), column.block
    return Misfit(
        file=block.name,
        line=block.line(token),
        column=column.number,
        token=block.tokens.field(token).decode(),
        tag=misfits.tag(number),
        kind=KINDS[misfits.kind[number]],
        message=misfits.message(number),
        fits=misfits.fits(number),
    )


def checked(column: TagColumn, repair: Repair) -> Misfits:
    """The misfits of a column of a block, none of which is one that nothing can be done about.

    Args:
        column: the column.
        repair: what is done about tags that do not fit.

    Raises:
        TagError: at the first tag that the scheme does not have or, where nothing is repaired, that does not fit.
    """
    misfits = Misfits.of(column.batch, column.decision)
    refused = (UNKNOWN, BEGIN, END) if repair == "error" else (UNKNOWN,)
    found = np.flatnonzero(np.isin(misfits.kind, refused))
    if len(found):
        first = described(column, misfits, int(found[0]))
        remedy = "Correct the tag, or name the scheme that it belongs to with --scheme or --from."
        if first.fits is not None:
            remedy = "Correct the tag, or have such tags repaired with --repair begin or --repair discard."
        raise TagError(first.message, where=first.where, remedy=remedy)
    return misfits
