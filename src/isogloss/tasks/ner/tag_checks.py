"""Every tag that does not fit its scheme, in the order of the file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from isogloss.spans.batches import Spans
from isogloss.spans.invalid_tags import BEGIN, END, KINDS, Misfits
from isogloss.spans.schemes import Repair
from isogloss.tasks.ner.tag_files import Misfit, TagColumn, TagFile, checked, described


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


@dataclass
class ColumnCounts:
    """What a column of tags holds.

    Args:
        column: the column, from 1; None for columns of several files with other numbers.
        scheme: name of the scheme that it is read with, or the different names joined by `+`.
        spans: number of spans by label and length in tokens.
        tags: number of tags by tag.
        misfits: tags that begin or end a span and do not fit.
        names: number of spans by label and tokens, where that was asked for.
    """

    column: int | None
    scheme: str
    spans: Counter[tuple[str, int]] = field(default_factory=Counter)
    tags: Counter[str] = field(default_factory=Counter)
    misfits: int = 0
    names: Counter[tuple[str, str]] = field(default_factory=Counter)

    def include(self, other: ColumnCounts) -> None:
        """Add the counts of other sentences."""
        self.column = self.column if self.column == other.column else None
        self.scheme = "+".join(dict.fromkeys([*self.scheme.split("+"), *other.scheme.split("+")]))
        self.spans.update(other.spans)
        self.tags.update(other.tags)
        self.misfits += other.misfits
        self.names.update(other.names)

    @property
    def total(self) -> int:
        """Number of spans."""
        return self.spans.total()

    def by_label(self) -> dict[str, int]:
        """Number of spans by label, in the order of the labels."""
        return _summed((label, number) for (label, _), number in self.spans.items())

    def by_length(self) -> dict[int, int]:
        """Number of spans by length in tokens, ascending."""
        return _summed((length, number) for (_, length), number in self.spans.items())

    def most_frequent(self, number: int | None) -> list[tuple[str, str, int]]:
        """Label, name and count of the most frequent names; equals in the order of name and label.

        Args:
            number: how many; None for all.
        """
        ordered = sorted(self.names.items(), key=lambda item: (-item[1], item[0][1], item[0][0]))
        return [(label, name, count) for (label, name), count in ordered[:number]]

    def to_dict(self) -> dict[str, Any]:
        """What JSON has of a column, names left out."""
        row: dict[str, Any] = {} if self.column is None else {"column": self.column}
        row |= {"scheme": self.scheme, "misfits": self.misfits, "spans": self.total, "by_label": self.by_label()}
        row["by_length"] = {str(length): number for length, number in self.by_length().items()}
        return row | {"tags": dict(sorted(self.tags.items()))}


@dataclass
class Counted:
    """What a file holds, or several together.

    Args:
        columns: its columns of tags.
        sentences: number of sentences.
        tokens: number of tokens.
    """

    columns: tuple[ColumnCounts, ...]
    sentences: int = 0
    tokens: int = 0

    def include(self, other: Counted) -> None:
        """Add the counts of other sentences with as many columns."""
        self.sentences += other.sentences
        self.tokens += other.tokens
        for own, more in zip(self.columns, other.columns, strict=True):
            own.include(more)


def count(file: TagFile, repair: Repair = "begin", *, names: bool = False) -> Counted:
    """Count what a file holds.

    Args:
        file: the file.
        repair: what to do about tags that do not fit.
        names: whether to count the tokens of spans too.

    Raises:
        SourceError: the file cannot be read.
        FormatError: a line has not the columns of the file.
        TagError: a tag that its scheme does not have or, with the repair `error`, that does not fit.
    """
    columns = zip(file.numbers, file.decisions, strict=True)
    counted = Counted(tuple(ColumnCounts(number, decision.reference.name) for number, decision in columns))
    for block in file.blocks():
        found = tuple(_of_column(column, repair, names=names) for column in file.columns_of(block))
        counted.include(Counted(found, block.sentences, int(block.offsets[-1])))
    return counted


def together(files: Iterable[Counted]) -> Counted:
    """The counts of several files with as many columns, at least one."""
    first, *others = files
    total = deepcopy(first)
    for other in others:
        total.include(other)
    return total


def _of_column(column: TagColumn, repair: Repair, *, names: bool) -> ColumnCounts:
    misfits = checked(column, repair)
    batch = column.batch
    pairs = column.decoded(repair)
    spans, labels = pairs.reference, pairs.labels
    lengths = (spans.end - spans.start).tolist()
    numbers = np.bincount(batch.reference, minlength=len(batch.vocabulary)).tolist()  # (tags,)
    return ColumnCounts(
        column=column.number,
        scheme=column.scheme.name,
        spans=Counter(zip([labels[code] for code in spans.label.tolist()], lengths, strict=True)),
        tags=Counter({tag: number for tag, number in zip(batch.vocabulary, numbers, strict=True) if number}),
        misfits=int(np.isin(misfits.kind, (BEGIN, END)).sum()),
        names=_names(column, spans, labels) if names else Counter(),
    )


def _names(column: TagColumn, spans: Spans, labels: tuple[str, ...]) -> Counter[tuple[str, str]]:
    length = spans.end - spans.start  # (spans,)
    after = np.cumsum(length)  # (spans,) tokens of the spans up to each
    begin = column.batch.offsets.take(spans.row) + spans.start  # (spans,) position in the block
    at = np.repeat(begin - after + length, length) + np.arange(int(length.sum()))  # (tokens of spans,)
    words = column.block.tokens.take(at).texts()
    names = (" ".join(words[end - size : end]) for end, size in zip(after.tolist(), length.tolist(), strict=True))
    return Counter(zip([labels[code] for code in spans.label.tolist()], names, strict=True))


def _summed(pairs: Iterable[tuple[Any, int]]) -> dict[Any, int]:
    summed: Counter[Any] = Counter()
    for key, number in pairs:
        summed[key] += number
    return dict(sorted(summed.items()))
