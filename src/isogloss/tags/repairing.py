"""Tags that do not fit, replaced.

- `begin`: each tag that does not fit is replaced by the one that would.
- `discard`: all tags of a span whose first or last tag does not fit become O. A `needless` tag loses its letter only.

Afterwards every tag fits, and the spans are those that the decoder finds under the same repair. A tag that the scheme
does not have cannot be repaired.
"""

from __future__ import annotations

import numpy as np

from isogloss.tagging import Repair
from isogloss.tagging.misfits import NEEDLESS
from isogloss.tags.columns import TagColumn
from isogloss.tags.misfits import checked
from isogloss.tags.rewriting import Change, Changing, outside, relettering


def repairing(repair: Repair) -> Changing:
    """What a repair makes of a column.

    Args:
        repair: `begin` or `discard`.

    Returns:
        A function that raises `TagError` at a tag that the scheme does not have.
    """

    def change(column: TagColumn) -> Change:
        misfits = checked(column, repair)
        wrong = np.ones(len(misfits), np.bool_) if repair == "begin" else misfits.kind == NEEDLESS  # (misfits,)
        notation = column.decision.notation
        fixed = relettering(column, misfits.at[wrong], misfits.letter[wrong], column.scheme.letters, notation)
        return fixed if repair == "begin" else outside(fixed, misfits.dropped)

    return change
