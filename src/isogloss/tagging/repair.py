"""What is done about tags that do not fit the scheme. Nothing is repaired or dropped without being counted.

Repairs are judged on the spans of the lenient reading: the first tag of a span must be one that opens spans, the last
one that closes them (`schemes`). A lone tag that fits neither way is one tag.

- `begin`: spans stay as they are read; every tag that did not fit counts as repaired.
- `discard`: a span whose first or last tag does not fit is dropped; every tag of it counts as discarded.
- `error`: the first tag that does not fit is a `TagError`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.batches import Notice, Side, TagPairs
from isogloss.exceptions import TagError
from isogloss.tagging.rules import Repair, Rule
from isogloss.tagging.tables import Table
from isogloss.tagging.tokens import Runs, TaggedTokens

REMEDIES: dict[Repair, str] = {
    "begin": "read such tags as the nearest that fit with --repair begin",
    "discard": "drop their spans with --repair discard",
}
WORDS: dict[Side, str] = {"reference": "reference", "predicted": "prediction"}


@dataclass(frozen=True, eq=False)
class TaggedSide:
    """One side of a batch under its rule, and places in it for messages.

    Args:
        batch: the batch.
        tokens: its tagged tokens.
        side: which side.
        rule: the rule that reads it.
        table: the rule compiled for the batch's vocabulary.
    """

    batch: TagPairs
    tokens: TaggedTokens
    side: Side
    rule: Rule
    table: Table

    def where(self, at: int) -> str:
        """Place of a compressed position, as the user names it."""
        row, position = self._place(at)
        return self.batch.origin.where(row, position, self.side)

    def tag(self, at: int, step: int = 0) -> str | None:
        """The tag at a compressed position, or `step` tokens further; None beyond the edge of the document."""
        row, position = self._place(at)
        codes = self.batch.reference if self.side == "reference" else self.batch.predicted
        start, stop = int(self.batch.offsets[row]), int(self.batch.offsets[row + 1])
        token = start + position + step
        return self.batch.vocabulary[int(codes[token])] if start <= token < stop else None

    def _place(self, at: int) -> tuple[int, int]:
        row = int(self.tokens.row[at])
        return row, int(self.tokens.at[at] - self.batch.offsets[row])


def check_known(side: TaggedSide) -> None:
    """Refuse tags that the rule does not know, where this batch uses one.

    Raises:
        TagError: at the first such tag.
    """
    known = side.table.known
    if known is None:
        return
    unknown = ~known.take(side.tokens.codes(side.side)[1:-1])  # (tagged,)
    if not unknown.any():
        return
    at = int(unknown.argmax())
    expected = f"{side.rule.title} has {side.rule.expects}" if side.rule.expects else f"not a tag of {side.rule.title}"
    raise TagError(
        f"unknown tag {side.tag(at)!r} in the {WORDS[side.side]}: {expected}",
        where=side.where(at),
        remedy="Correct the tag"
        + (", or name the scheme that it belongs to with --scheme." if side.rule.named else "."),
    )


def repaired(side: TaggedSide, runs: Runs, repair: Repair) -> tuple[Runs, Notice | None]:
    """Spans after repair, and what was done.

    Args:
        side: the side that they are of.
        runs: its spans by the lenient reading.
        repair: what to do about tags that do not fit.

    Returns:
        The spans to keep, and a notice when any tag did not fit.

    Raises:
        TagError: with `error`, at the first tag that does not fit.
    """
    opening = ~side.table.opens.take(runs.opening)  # (spans,)
    closing = ~side.table.closes.take(runs.closing)  # (spans,)
    if not (opening.any() or closing.any()):
        return runs, None
    if repair == "error":
        raise _misfit(side, runs, opening, closing)
    if repair == "discard":
        return _discard(side, runs, opening | closing)
    alone = opening & closing & (runs.first == runs.last)
    count = int(opening.sum() + closing.sum() - alone.sum())
    where = side.where(_first_misfit(runs, opening, closing))
    ends = " or ".join(_repaired_ends(side.rule))
    message = f"tags of the {WORDS[side.side]} do not fit {side.rule.title} and were read as the {ends} of a span"
    return runs, Notice("tags-repaired", message, count, where)


def _repaired_ends(rule: Rule) -> list[str]:
    return [end for end, fitting in (("begin", rule.opens), ("end", rule.closes)) if fitting is not None]


def _discard(side: TaggedSide, runs: Runs, dropped: NDArray[np.bool_]) -> tuple[Runs, Notice]:
    gone = runs.take(dropped)
    message = f"tags of the {WORDS[side.side]} are in spans that do not fit {side.rule.title} and were discarded"
    count = int((gone.last - gone.first + 1).sum())
    return runs.take(~dropped), Notice("tags-discarded", message, count, side.where(int(gone.first[0])))


def _first_misfit(runs: Runs, opening: NDArray[np.bool_], closing: NDArray[np.bool_]) -> int:
    return int(min((*runs.first[opening][:1], *runs.last[closing][:1])))


def _misfit(side: TaggedSide, runs: Runs, opening: NDArray[np.bool_], closing: NDArray[np.bool_]) -> TagError:
    at = _first_misfit(runs, opening, closing)
    if at in runs.first[opening]:
        neighbour, edge = side.tag(at, -1), "at the start of its document"
        place, wanted, verb = "after", side.rule.opens, "begins"
    else:
        neighbour, edge = side.tag(at, 1), "at the end of its document"
        place, wanted, verb = "before", side.rule.closes, "ends"
    context = edge if neighbour is None else f"{place} {neighbour!r}"
    letters = " or ".join(sorted(wanted or ()))
    tag = f"{side.tag(at)!r} {context} in the {WORDS[side.side]}"
    return TagError(
        f"{tag} does not fit {side.rule.title}: a span {verb} with {letters}",
        where=side.where(at),
        remedy=" or ".join(["Correct the tag", *(REMEDIES[repair] for repair in side.rule.repairs)]) + ".",
    )
