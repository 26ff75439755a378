"""Divide a corpus into parts that can be counted by themselves.

Definition
    1. Shards are divided between files, in order, in groups of about `PART_BYTES`. Both sides are divided alike: a file
       of the prediction goes with the file of the reference that has its name.
    2. One file, or one file on each side, is divided between records: lines of JSON, or sentences of columns. The sides
       are cut at the same record.
    3. The division depends on names and sizes of files only, not on the number of processes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.distributed.partials import Partial, compute_key
from isogloss.errors import UsageError
from isogloss.records.ranges import (
    BLANK,
    FileRange,
    FolderPart,
    RecordIndex,
    SourceRange,
    choose_separator,
    count_records,
    cut_files,
)
from isogloss.records.shards import Shards, pair_names
from isogloss.records.sources import Source
from isogloss.tasks.document_columns import BUILT_IN_COLUMNS
from isogloss.tasks.scoring_options import ScoringOptions
from isogloss.tasks.task import Task
from isogloss.version import __version__

PART_BYTES_NAME, PART_BYTES = "ISOGLOSS_PART_BYTES", 1 << 24  # of all files of a part
PIECES = 4  # of a file, for each part that is chosen
INDEX_BYTES = 1 << 26  # of a file, indexed at a time
CountRecords = Callable[[Sequence[tuple[str, int, int, bytes]]], Iterable[tuple[list[int], list[int]]]]
CutFiles = Callable[[Sequence[Source]], "list[_Slice]"]


@dataclass(frozen=True, eq=False)
class Part:
    """A part of a corpus.

    Args:
        reference: its reference; None for a task without reference.
        predictions: the prediction of each system; empty if the reference has it too.
        files: path, size and time of change of its files.
        ranges: path, first byte and byte after the last of files that are read in part.
    """

    reference: Any
    predictions: tuple[Any, ...]
    files: tuple[tuple[str, int, int], ...]
    ranges: tuple[tuple[str, int, int], ...] = ()

    @property
    def size(self) -> int:
        """Number of bytes."""
        return sum(end - start for _, start, end in self.ranges) or sum(size for _, size, _ in self.files)

    @property
    def name(self) -> str:
        """What the part is, for messages."""
        if self.ranges:
            path, start, end = self.ranges[0]
            return f"bytes {start:,} to {end:,} of {path}"
        return self.files[0][0] + (f" and {len(self.files) - 1} more files" if len(self.files) > 1 else "")

    def compute_key(self, task: Task, options: Any, scoring_options: ScoringOptions) -> str:
        """Compute the key of this part's partial, from files and options."""
        definition = task.name, task.definition.version, __version__
        return compute_key(definition, options, scoring_options, self.files, self.ranges)

    def label(self, partial: Partial, key: str) -> Partial:
        """Return a partial of this part with ranges and key."""
        return replace(partial, ranges=self.ranges, key=key)


@dataclass(frozen=True, eq=False)
class Division:
    """The parts of a corpus.

    Args:
        parts: the parts in order.
        files: the files that are read in part, whose digests no part knows.
    """

    parts: tuple[Part, ...]
    files: tuple[str, ...] = field(default=())


def list_file_stamps(paths: Iterable[str]) -> tuple[tuple[str, int, int], ...]:
    """Return path, size and time of change of files.

    What is not a file is left out.
    """
    found = []
    for path in dict.fromkeys(paths):
        if Path(path).is_file():
            status = Path(path).stat()
            found.append((path, status.st_size, status.st_mtime_ns))
    return tuple(found)


def divide_corpus(
    task: Task,
    systems: Sequence[Any],
    scoring_options: ScoringOptions,
    size: int = PART_BYTES,
    count: CountRecords | None = None,
    number: int | None = None,
) -> Division | None:
    """Divide the corpus of opened systems.

    Args:
        task: the task.
        systems: the opened systems.
        scoring_options: options of scoring, with the columns that are needed.
        size: approximate bytes of a part.
        count: counts the records of ranges of files; None to count them one after another.
        number: number of parts that will be chosen from; None to divide by size.

    Returns:
        None if the corpus cannot be divided, or is one part.
    """
    if task.list_sources is None or scoring_options.caller_columns:
        return None
    sides = [list(task.list_sources(system)) for system in systems]
    if not sides or any(not own for own in sides):
        return None
    if number is not None:
        known = {source.path: source for own in sides for _, source in own}
        total = sum(source.size or 0 for source in known.values())
        size = 1 if isinstance(sides[0][0][1], Shards) else max(1, total // (PIECES * number))
    cut = partial(_divide_files, scoring_options=scoring_options, size=size, count=count or _count_one_by_one)
    if sides[0][0][1].folder is not None:
        parts = _divide_folders(sides, cut, size)
    else:
        parts = _arrange_parts(task, sides, _divide_sides(_list_sides(sides), cut, size))
    if len(parts) < 2:  # noqa: PLR2004  one part is no division
        return None
    files = dict.fromkeys(path for part in parts for path, _, _ in part.ranges)
    return Division(tuple(parts), tuple(files))


def _divide_sides(sources: Sequence[Source], cut: CutFiles, size: int) -> list[_Slice]:
    """Divide the sources of all sides.

    The result is empty if they cannot be divided.
    """
    if not sources:
        return []
    if all(isinstance(source, Shards) for source in sources):
        return _divide_shards([source for source in sources if isinstance(source, Shards)], size)
    if all(type(source) is Source for source in sources):
        return cut(sources)
    return []


@dataclass(frozen=True)
class _Slice:
    """The files of a part, one per side.

    Args:
        sources: the source of each side.
        files: path, size and time of change of its files.
        ranges: bytes of files that are read in part.
    """

    sources: tuple[Source, ...]
    files: tuple[tuple[str, int, int], ...]
    ranges: tuple[tuple[str, int, int], ...] = ()


def _list_sides(sides: Sequence[Sequence[tuple[str, Source]]]) -> list[Source]:
    """Return the reference and the prediction of each system.

    The result is empty if there are other files. A file with both sides is listed once.
    """
    first = [source for _, source in sides[0]]
    if len(first) == 1 or (len(first) == 2 and first[0] is first[1]):  # noqa: PLR2004  both sides
        return [own[-1][1] for own in sides]
    if any(len(own) != 2 for own in sides):  # noqa: PLR2004  both sides
        return []
    return [first[0], *(own[1][1] for own in sides)]


def _divide_shards(sides: Sequence[Shards], size: int) -> list[_Slice]:
    """Divide shards between files."""
    files = [list(side.files) for side in sides]
    if len({len(own) for own in files}) > 1:
        return []
    if len(sides) > 1:
        keys = pair_names(files)
        order = {key: k for k, key in enumerate(keys[0])}
        for k, own in enumerate(keys[1:], 1):
            if {*own} != order.keys():
                return []
            files[k] = [path for _, path in sorted(zip(map(order.__getitem__, own), files[k], strict=True))]
    rows = list(zip(*files, strict=True))
    sizes = [sum(Path(path).stat().st_size for path in row) for row in rows]
    groups: list[list[int]] = [[]]
    held = 0
    for k, row_size in enumerate(sizes):
        if held >= size and row_size:
            groups.append([])
            held = 0
        groups[-1].append(k)
        held += row_size
    slices = []
    for group in groups:
        paths = [[rows[k][side] for k in group] for side in range(len(sides))]
        sources = tuple(Shards(own, side.path) for own, side in zip(paths, sides, strict=True))
        slices.append(_Slice(sources, list_file_stamps(path for own in paths for path in own)))
    return slices


def _divide_files(
    sources: Sequence[Source], *, scoring_options: ScoringOptions, size: int, count: CountRecords
) -> list[_Slice]:
    """Divide files between records."""
    known = {source.path: source for source in sources}
    distinct = list(known)
    if not all(Path(path).is_file() for path in distinct):
        return []
    if sum(Path(path).stat().st_size for path in distinct) <= size:
        return []
    separators = set(map(choose_separator, known.values()))
    if len(separators) > 1 or None in separators:
        return []
    separator = separators.pop() or BLANK
    if separator == BLANK and not {*scoring_options.needed_columns} <= {*BUILT_IN_COLUMNS, "file"}:
        return []  # comments that hold for several sentences may be in another range
    indexes = _build_indexes(distinct, separator, count)
    if len({index.total for index in indexes}) > 1:
        return []
    stamps = list_file_stamps(distinct)
    return [
        _Slice(
            tuple(SourceRange(source.path, *own[distinct.index(source.path)]) for source in sources),
            stamps,
            tuple((path, start, end) for path, (start, end, _) in zip(distinct, own, strict=True)),
        )
        for own in cut_files(indexes, max(1, size // len(distinct)))
    ]


def _build_indexes(paths: Sequence[str], separator: bytes, count: CountRecords) -> list[RecordIndex]:
    sizes = [Path(path).stat().st_size for path in paths]
    tasks = [
        (path, start, min(size, start + INDEX_BYTES), separator)
        for path, size in zip(paths, sizes, strict=True)
        for start in range(0, size, INDEX_BYTES)
    ]
    found: dict[str, tuple[list[int], list[int]]] = {path: ([], []) for path in paths}
    for (path, *_), (records, lines) in zip(tasks, count(tasks), strict=True):
        found[path][0].extend(records)
        found[path][1].extend(lines)
    return [
        RecordIndex(path, size, separator, *(np.array(own, np.int64) for own in found[path]))
        for path, size in zip(paths, sizes, strict=True)
    ]


def _count_one_by_one(tasks: Sequence[tuple[str, int, int, bytes]]) -> Iterable[tuple[list[int], list[int]]]:
    return [count_records(*each) for each in tasks]


def _divide_folders(sides: Sequence[Sequence[tuple[str, Source]]], cut: CutFiles, size: int) -> list[Part]:
    """Divide folders with a file for each language.

    They are divided between languages, and large files between records.

    Args:
        sides: role and file of each system: for each language a reference, then its prediction if there is one.
        cut: divides the files of a language.
        size: approximate bytes of a part.
    """
    role, first = sides[0][0]
    folders = [first.folder, *(next((file.folder for each, file in own if each != role), None) for own in sides)]
    parts = []
    for each in zip(*(_list_languages(own, role) for own in sides), strict=True):
        files = [each[0][0], *(prediction for _, prediction in each)]  # of the reference and of each system
        given = {file.path: file for file in files if file is not None}
        slices = cut([*given.values()]) if all(type(file) is Source for file in given.values()) else []
        for ranges in [_list_ranges(one) for one in slices] or [dict.fromkeys(given, None)]:
            own = [
                FolderPart(folder, {} if file is None else {file.path: ranges[file.path]})
                for folder, file in zip(folders, files, strict=True)
                if folder is not None
            ]
            stamps = list_file_stamps(given)
            bounds = [(path, *(ranges[path] or (0, bytes_, 0))[:2]) for path, bytes_, _ in stamps]
            parts.append(Part(own[0], tuple(own[1:]), stamps, tuple(bounds)))
    return _join_small_parts(parts, size) if None not in folders else []


def _list_languages(files: Sequence[tuple[str, Source]], role: str) -> list[tuple[Source, Source | None]]:
    """Return the reference of each language with its prediction."""
    found: list[tuple[Source, Source | None]] = []
    for each, file in files:
        found = [*found, (file, None)] if each == role else [*found[:-1], (found[-1][0], file)]
    return found


def _list_ranges(part: _Slice) -> dict[str, FileRange | None]:
    return {
        each.path: (each.start, each.end, each.first_line - 1) for each in part.sources if isinstance(each, SourceRange)
    }


def _join_small_parts(parts: Sequence[Part], size: int) -> list[Part]:
    """Join neighbours to parts of at least so many bytes."""
    groups: list[list[Part]] = []
    held = size
    for part in parts:
        if held >= size:
            groups.append([])
            held = 0
        groups[-1].append(part)
        held += part.size
    return list(map(join_parts, groups))


def _arrange_parts(task: Task, sides: Sequence[Sequence[tuple[str, Source]]], slices: Sequence[_Slice]) -> list[Part]:
    """Arrange sources as the task opens them."""
    alone = len({id(source) for _, source in sides[0]}) == 1
    parts = []
    for each in slices:
        if task.reference is None:
            reference, predictions = None, each.sources
        elif alone:
            reference, predictions = each.sources[0], ()
        else:
            reference, predictions = each.sources[0], each.sources[1:]
        parts.append(Part(reference, tuple(predictions), each.files, each.ranges))
    return parts


def choose_part(division: Division, number: int, total: int) -> Part:
    """Return one of `total` parts of about equal size.

    Args:
        division: the division of the corpus.
        number: which one, from 1.
        total: number of parts.

    Raises:
        UsageError: if the corpus has fewer parts.
    """
    if total > len(division.parts):
        raise UsageError(
            f"--part {number}/{total}: the corpus can be divided into {len(division.parts)} parts at most. "
            f"Use --part K/{len(division.parts)}."
        )
    sizes = np.array([part.size for part in division.parts])
    groups = ((np.cumsum(sizes) - sizes / 2) * total / sizes.sum()).astype(np.int64).tolist()
    chosen: list[int] = []
    rest = len(groups) - total
    for k, group in enumerate(groups):  # no group is left out, and none is empty
        chosen.append(min(max(group, k - rest), chosen[-1] + 1 if chosen else 0, total - 1))
    return join_parts([part for part, own in zip(division.parts, chosen, strict=True) if own == number - 1])


def join_parts(parts: Sequence[Part]) -> Part:
    """Join neighbouring parts."""
    if len(parts) == 1:
        return parts[0]
    files = tuple(dict.fromkeys(file for part in parts for file in part.files))
    sides = [part.predictions for part in parts]
    predictions = tuple(_join_sources(each) for each in zip(*sides, strict=True))
    reference = None if parts[0].reference is None else _join_sources([part.reference for part in parts])
    found: dict[str, tuple[int, int]] = {}
    for path, start, end in (each for part in parts for each in part.ranges):
        found[path] = (found[path][0] if path in found else start, end)
    ranges = tuple((path, start, end) for path, (start, end) in found.items())
    return Part(reference, predictions, files, ranges)


def _join_sources(sources: Sequence[Any]) -> Source:
    first, last = sources[0], sources[-1]
    if isinstance(first, SourceRange):
        return SourceRange(first.path, first.start, last.end, first.first_line - 1)
    if isinstance(first, FolderPart):
        return FolderPart(first.path, _join_ranges([source.ranges for source in sources]))
    return Shards([path for source in sources for path in source.files], first.path)


def _join_ranges(parts: Sequence[Mapping[str, FileRange | None]]) -> dict[str, FileRange | None]:
    """Join the ranges of files in neighbouring parts."""
    found: dict[str, FileRange | None] = {}
    for path, own in (each for part in parts for each in part.items()):
        known = found.get(path)
        found[path] = own if known is None or own is None else (known[0], own[1], known[2])
    return found


def parse_part(text: str) -> tuple[int, int]:
    """Parse `--part K/N`.

    Args:
        text: number of the part, from 1, and number of parts.

    Raises:
        UsageError: if it is something else.
    """
    first, slash, second = text.partition("/")
    if slash and first.isdecimal() and second.isdecimal() and 1 <= int(first) <= int(second):
        return int(first), int(second)
    raise UsageError(f"--part must be K/N, a number from 1 to N and the number of parts, got {text!r}: --part 1/10.")
