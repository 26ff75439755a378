"""Validation and counts of the tags of a file.

The commands are `isogloss tags validate` and `isogloss tags count`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from isogloss.spans.batches import Spans
from isogloss.spans.invalid_tags import BEGIN, END, INVALID_KINDS, InvalidTags
from isogloss.spans.schemes import TagRepair
from isogloss.tasks.ner.tag_files import InvalidTag, TagColumn, TagFile, check_tag_column, describe_invalid_tag


@dataclass(frozen=True)
class TagValidation:
    """The validation of one column of tags.

    Args:
        file: name of the file.
        column: number of the column, from 1.
        scheme: name of the tag scheme.
        notation: how tags are written: `prefix`, `suffix` or `bare`.
        sentences: number of sentences.
        tokens: number of tags.
        spans: number of spans after the repair `begin`.
        misfits: number of invalid tags.
        kinds: number of invalid tags of each kind.
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

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of a column."""
        return {key: value for key, value in asdict(self).items() if key not in {"file", "sentences", "tokens"}}


def validate_tags(
    file: TagFile, show: Callable[[InvalidTag], object], max_shown: int | None = None
) -> tuple[TagValidation, ...]:
    """Check all tags of a file against their schemes.

    Args:
        file: the file.
        show: takes the invalid tags, in the order of the file.
        max_shown: maximum number of calls of `show`; None for all invalid tags.

    Returns:
        The validation of each column of tags.

    Raises:
        SourceError: if the file cannot be read.
        FormatError: if a line does not have the columns of the file.
    """
    totals: list[Counter[str]] = [Counter() for _ in file.column_numbers]
    left = max_shown
    for block in file.read_blocks():
        invalid_by_column = [
            (column, InvalidTags.from_batch(column.batch, column.decision)) for column in file.split_columns(block)
        ]
        for total, (column, invalid) in zip(totals, invalid_by_column, strict=True):
            total.update(sentences=block.sentences, tokens=len(column.batch.reference), spans=invalid.spans)
            total.update(INVALID_KINDS[kind] for kind in invalid.kind.tolist())
        for tag in _sort_invalid_tags(invalid_by_column, left):
            show(tag)
            left = left if left is None else left - 1
    return tuple(_build_validation(file, k, total) for k, total in enumerate(totals))


def _sort_invalid_tags(
    invalid_by_column: list[tuple[TagColumn, InvalidTags]], max_shown: int | None
) -> Iterator[InvalidTag]:
    """Return the first invalid tags of a block, line by line.

    The tags of all its columns are merged.
    """
    places = sorted(
        (at, k, number)
        for k, (_, each) in enumerate(invalid_by_column)
        for number, at in enumerate(each.positions[:max_shown].tolist())
    )
    return (describe_invalid_tag(*invalid_by_column[k], number) for _, k, number in places[:max_shown])


def _build_validation(file: TagFile, k: int, total: Counter[str]) -> TagValidation:
    decision = file.decisions[k]
    kinds = {kind: total[kind] for kind in INVALID_KINDS if total[kind]}
    return TagValidation(
        file=file.name,
        column=file.column_numbers[k],
        scheme=decision.reference.name,
        notation=decision.notation,
        sentences=total["sentences"],
        tokens=total["tokens"],
        spans=total["spans"],
        misfits=sum(kinds.values()),
        kinds=kinds,
    )


@dataclass
class TagColumnCounts:
    """Counts of a column of tags.

    Args:
        column: number of the column, from 1; None for columns of several files with different numbers.
        scheme: name of the tag scheme, or several names joined by `+`.
        spans: number of spans by label and length in tokens.
        tags: number of tags by tag.
        invalid_tags: number of invalid tags that begin or end a span.
        names: number of spans by label and tokens, if requested.
    """

    column: int | None
    scheme: str
    spans: Counter[tuple[str, int]] = field(default_factory=Counter)
    tags: Counter[str] = field(default_factory=Counter)
    invalid_tags: int = 0
    names: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, other: TagColumnCounts) -> None:
        """Add the counts of other sentences to this column."""
        self.column = self.column if self.column == other.column else None
        self.scheme = "+".join(dict.fromkeys([*self.scheme.split("+"), *other.scheme.split("+")]))
        self.spans.update(other.spans)
        self.tags.update(other.tags)
        self.invalid_tags += other.invalid_tags
        self.names.update(other.names)

    @property
    def total(self) -> int:
        """Number of spans."""
        return self.spans.total()

    def count_by_label(self) -> dict[str, int]:
        """Return the number of spans by label, in the order of labels."""
        return _sum_counts((label, number) for (label, _), number in self.spans.items())

    def count_by_length(self) -> dict[int, int]:
        """Return the number of spans by length in tokens, ascending."""
        return _sum_counts((length, number) for (_, length), number in self.spans.items())

    def list_frequent_names(self, number: int | None) -> list[tuple[str, str, int]]:
        """List label, name and count of the most frequent names.

        Ties are in the order of name and label.

        Args:
            number: maximum number of names; None for all.
        """
        ordered = sorted(self.names.items(), key=lambda item: (-item[1], item[0][1], item[0][0]))
        return [(label, name, count) for (label, name), count in ordered[:number]]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of a column, without names."""
        row: dict[str, Any] = {} if self.column is None else {"column": self.column}
        row |= {
            "scheme": self.scheme,
            "misfits": self.invalid_tags,
            "spans": self.total,
            "by_label": self.count_by_label(),
        }
        row["by_length"] = {str(length): number for length, number in self.count_by_length().items()}
        return row | {"tags": dict(sorted(self.tags.items()))}


@dataclass
class TagFileCounts:
    """Counts of a file, or of several files together.

    Args:
        columns: counts of each column of tags.
        sentences: number of sentences.
        tokens: number of tokens.
    """

    columns: tuple[TagColumnCounts, ...]
    sentences: int = 0
    tokens: int = 0

    def add(self, other: TagFileCounts) -> None:
        """Add the counts of other sentences with as many columns."""
        self.sentences += other.sentences
        self.tokens += other.tokens
        for own, more in zip(self.columns, other.columns, strict=True):
            own.add(more)


def count_tags(file: TagFile, repair: TagRepair = "begin", *, names: bool = False) -> TagFileCounts:
    """Count sentences, tokens, tags and spans of a file.

    Args:
        file: the file.
        repair: how invalid tags are handled.
        names: whether to count names too.

    Raises:
        SourceError: if the file cannot be read.
        FormatError: if a line does not have the columns of the file.
        TagError: if the scheme does not have a tag or, with the repair `error`, a tag is invalid.
    """
    columns = zip(file.column_numbers, file.decisions, strict=True)
    counted = TagFileCounts(tuple(TagColumnCounts(number, decision.reference.name) for number, decision in columns))
    for block in file.read_blocks():
        by_column = tuple(_count_column(column, repair, names=names) for column in file.split_columns(block))
        counted.add(TagFileCounts(by_column, block.sentences, int(block.offsets[-1])))
    return counted


def merge_tag_counts(files: Iterable[TagFileCounts]) -> TagFileCounts:
    """Add up the counts of files with equally many columns.

    There are one or more files.
    """
    first, *others = files
    total = deepcopy(first)
    for other in others:
        total.add(other)
    return total


def _count_column(column: TagColumn, repair: TagRepair, *, names: bool) -> TagColumnCounts:
    invalid = check_tag_column(column, repair)
    batch = column.batch
    pairs = column.decode(repair)
    spans, labels = pairs.reference, pairs.labels
    lengths = (spans.end - spans.start).tolist()
    numbers = np.bincount(batch.reference, minlength=len(batch.vocabulary)).tolist()  # (tags,)
    return TagColumnCounts(
        column=column.number,
        scheme=column.scheme.name,
        spans=Counter(zip([labels[code] for code in spans.label.tolist()], lengths, strict=True)),
        tags=Counter({tag: number for tag, number in zip(batch.vocabulary, numbers, strict=True) if number}),
        invalid_tags=int(np.isin(invalid.kind, (BEGIN, END)).sum()),
        names=_count_names(column, spans, labels) if names else Counter(),
    )


def _count_names(column: TagColumn, spans: Spans, labels: tuple[str, ...]) -> Counter[tuple[str, str]]:
    length = spans.end - spans.start  # (spans,)
    after = np.cumsum(length)  # (spans,) tokens of the spans up to each
    begin = column.batch.offsets.take(spans.row) + spans.start  # (spans,) position in the block
    at = np.repeat(begin - after + length, length) + np.arange(int(length.sum()))  # (tokens of spans,)
    words = column.block.tokens.take(at).decode_fields()
    names = (" ".join(words[end - size : end]) for end, size in zip(after.tolist(), length.tolist(), strict=True))
    return Counter(zip([labels[code] for code in spans.label.tolist()], names, strict=True))


def _sum_counts(pairs: Iterable[tuple[Any, int]]) -> dict[Any, int]:
    summed: Counter[Any] = Counter()
    for key, number in pairs:
        summed[key] += number
    return dict(sorted(summed.items()))
