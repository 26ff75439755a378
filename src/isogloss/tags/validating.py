"""Every tag that does not fit its scheme, in the order of the file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from isogloss.tagging.misfits import KINDS, Misfits
from isogloss.tags.columns import TagColumn, TagFile
from isogloss.tags.misfits import Misfit, described


@dataclass(frozen=True)
class Validated:
    """What is known of one column of a file.

    Args:
        file: the file in messages.
        column: the column, from 1.
        scheme: name of the scheme that its tags are held against.
        notation: how they are written.
        sentences: number of sentences.
        tokens: number of tags.
        spans: number of spans, by the lenient reading.
        misfits: how many tags do not fit.
        kinds: how many of each kind there are.
    """

    file: str
    column: int
    scheme: str
    notation: str
    sentences: int
    tokens: int
    spans: int
    misfits: int
    kinds: dict[str, int]

    @property
    def fits(self) -> bool:
        """Whether all tags fit."""
        return not self.misfits

    def to_dict(self) -> dict[str, Any]:
        """What JSON has of a column."""
        return {key: value for key, value in asdict(self).items() if key not in {"file", "sentences", "tokens"}}


def validate(file: TagFile, show: Callable[[Misfit], object], most: int | None = None) -> tuple[Validated, ...]:
    """Hold all tags of a file against their schemes.

    Args:
        file: the file.
        show: is given the misfits, in the order of their places.
        most: how many misfits it is given; None for all.

    Returns:
        What is known of each column of tags.

    Raises:
        SourceError: the file cannot be read.
        FormatError: a line has not the columns of the file.
    """
    totals: list[Counter[str]] = [Counter() for _ in file.numbers]
    left = most
    for block in file.blocks():
        found = [(column, Misfits.of(column.batch, column.decision)) for column in file.columns_of(block)]
        for total, (column, misfits) in zip(totals, found, strict=True):
            total.update(sentences=block.sentences, tokens=len(column.batch.reference), spans=misfits.spans)
            total.update(KINDS[kind] for kind in misfits.kind.tolist())
        for misfit in _in_order(found, left):
            show(misfit)
            left = left if left is None else left - 1
    return tuple(_validated(file, k, total) for k, total in enumerate(totals))


def _in_order(found: list[tuple[TagColumn, Misfits]], most: int | None) -> Iterator[Misfit]:
    """The first misfits of the columns of a block, line by line."""
    places = sorted(
        (at, k, number) for k, (_, each) in enumerate(found) for number, at in enumerate(each.at[:most].tolist())
    )
    return (described(*found[k], number) for _, k, number in places[:most])


def _validated(file: TagFile, k: int, total: Counter[str]) -> Validated:
    decision = file.decisions[k]
    kinds = {kind: total[kind] for kind in KINDS if total[kind]}
    return Validated(
        file=file.name,
        column=file.numbers[k],
        scheme=decision.reference.name,
        notation=decision.notation,
        sentences=total["sentences"],
        tokens=total["tokens"],
        spans=total["spans"],
        misfits=sum(kinds.values()),
        kinds=kinds,
    )
