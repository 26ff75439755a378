"""Shards: several files that are one corpus, on either side.

    reference, prediction = open_sides("gold/", "sys-*.jsonl.zst")   # all files of a folder; a pattern
    prediction = Shards(["sys-1.jsonl", "sys-2.jsonl"])              # the files themselves

Shards are read one after another, in the natural order of their names: `part-9` before `part-10`. A folder stands for
all files in it and in its folders, except those whose names begin with `.` or `_`. A shard may be compressed or empty;
all must have one file ending.

If both sides have several shards, these are paired by name: what all names of a side have in common at their begin and
end is left out, numbers are compared by value, and a shard without a partner is an error. If one side has one file, its
rows are paired with those of all shards.

To readers of lines, shards are one source: `blocks` numbers the lines of all shards through, and `locate` finds the
shard and the line in it. Readers that need whole files, or end something at the end of a file, go over `read_shards`.
"""

from __future__ import annotations

import hashlib
import os
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path, PurePath
from typing import Any, Self, TypeVar

from isogloss.errors import DataError, FormatError, MismatchError, SourceError, UsageError
from isogloss.records.sources import BLOCK, Block, Source
from isogloss.text.natural_order import to_natural_key

HIDDEN = (".", "_")  # beginnings of names that are left out, as Hadoop, Spark and Arrow do
WILDCARDS = re.compile(r"[*?\[]")
COMPRESSION = re.compile(r"\.(?:gz|zst)$")
ENDING = re.compile(r"\.[A-Za-z]\w*$")
DATASET_FILES = frozenset(("state.json", "dataset_dict.json"))  # of a folder that Hugging Face `save_to_disk` writes
BOUNDARY = re.compile(r"[a-zA-Z]+|[0-9]+|.", re.DOTALL)
DIGITS = "0123456789"
MAX_SHOWN = 3  # shards that a message names
PAIRING = "Shards are paired by name, without what all names of a side begin and end with."
PathLike = str | os.PathLike[str]
T = TypeVar("T")


class Shards(Source):
    """Several files that are one corpus, ordered by name.

    Args:
        paths: the files.
        name: what stands for them in messages and tables; None for a pattern that fits all of them.

    Attributes:
        files: the paths of all files in order.

    Raises:
        UsageError: if `paths` is one string, or has standard input.
        SourceError: if there is no file, or one of them stands twice.
        FormatError: if the files have different endings.
    """

    def __init__(self, paths: Iterable[PathLike | Source], name: str | None = None) -> None:
        if isinstance(paths, str | os.PathLike):
            raise UsageError(f"Shards takes a list of files; a folder or a pattern is given as a path: {paths!r}.")
        given = [path if isinstance(path, Source) else Source(path) for path in paths]
        files = sorted(given, key=lambda file: (to_natural_key(file.path), file.path))
        self.files = tuple(file.path for file in files)
        if "-" in self.files:
            raise UsageError("Standard input (-) cannot be one of several shards: store it in a file.")
        if not files:
            raise SourceError("there is no file", where=name, remedy="Name at least one shard.")
        _check_endings(self.files)
        _check_repeats(self.files)
        self._shards = tuple(file for file in files if file.size != 0)
        self._bytes_before = 0
        self._current: Source | None = None
        self._lines_before: list[int] = []
        super().__init__(name or _build_pattern(self.files))
        if not self._shards:
            remedy = "Check that they are the right files, and that the program that writes them has finished."
            raise SourceError("all files are empty: they hold no documents", where=self.name, remedy=remedy)

    @classmethod
    def from_folder(cls, folder: str) -> Shards:
        """Open the files of a folder and its folders.

        Args:
            folder: its path.

        Raises:
            SourceError: if the folder cannot be read, or has no files.
        """
        files = list(_list_folder(folder))
        if not files:
            remedy = "Check that it is the right folder. Files whose names begin with . or _ are left out."
            raise SourceError("the folder holds no files", where=folder, remedy=remedy)
        return cls(files, folder)

    @classmethod
    def from_pattern(cls, pattern: str) -> Shards:
        """Open the files that a pattern fits.

        Args:
            pattern: a path with `*`, `?`, `[…]`, or `**` for any folders.

        Raises:
            SourceError: if it fits no file.
        """
        files = [str(path) for path in list_matches(pattern)]
        if not files:
            folder = Path(WILDCARDS.split(pattern)[0] + "x").parent
            raise SourceError("no file has such a name", where=pattern, remedy=f"List what is there: ls {folder}")
        return cls(files, pattern)

    @classmethod
    def convert(cls, shards: Shards, convert: Callable[[Source], Source]) -> Self:
        """Return shards opened otherwise, such as tables as JSON lines.

        Args:
            shards: the shards.
            convert: returns another source of the rows of a file.
        """
        made = cls(map(convert, shards.shards), shards.path)
        made.files = shards.files
        return made

    @property
    def shards(self) -> Sequence[Source]:
        """The files that are not empty, in order."""
        return self._shards

    @property
    def size(self) -> int | None:
        """Number of stored bytes of all shards."""
        sizes = [shard.size for shard in self._shards]
        return None if None in sizes else sum(size or 0 for size in sizes)

    @property
    def bytes_read(self) -> int:
        """Number of stored bytes read in the latest pass."""
        return self._bytes_before + (0 if self._current is None else self._current.bytes_read)

    @bytes_read.setter
    def bytes_read(self, value: int) -> None:
        self._bytes_before, self._current = value, None

    @property
    def sha256(self) -> str | None:
        """Digest of the digests of all shards in order.

        Each digest is a line. It is None until a pass has read all shards.
        """
        digests = [shard.sha256 for shard in self._shards]
        if None in digests:
            return None
        return hashlib.sha256("".join(f"{digest}\n" for digest in digests).encode()).hexdigest()

    @sha256.setter
    def sha256(self, value: str | None) -> None:
        """Ignore the value: the digest is always that of the shards."""

    def compute_digest(self) -> None:
        """Compute the digest of each shard."""
        for shard in self._shards:
            shard.compute_digest()

    def read_shards(self) -> Iterator[Source]:
        """Yield the files that are not empty, for one pass over them."""
        self.bytes_read = 0
        for shard in self._shards:
            self._current = shard
            yield shard
            self.bytes_read = self.bytes_read  # the bytes before the next shard

    def read_numbered(
        self, read: Callable[[Source], Iterable[T]], count: Callable[[T], int]
    ) -> Iterator[tuple[int, T]]:
        """Yield parts of all shards, with the number of lines before.

        Args:
            read: reads the parts of a shard.
            count: returns the last line of a part, in its shard.
        """
        before = 0
        for number, shard in enumerate(self.read_shards()):
            self._lines_before[number:] = self._lines_before[number:] or [before]
            last = 0
            for part in read(shard):
                last = count(part)
                yield before, part
            before += last

    def blocks(self, size: int = BLOCK, *, decode: bool = True) -> Iterator[Block]:
        """Read the lines of all shards; they are numbered through."""
        parts = self.read_numbered(
            lambda shard: shard.blocks(size, decode=decode), lambda block: block.first_line + block.lines - 1
        )
        for before, block in parts:
            yield Block(block.data, before + block.first_line, block.lines, block.decoded) if before else block

    def locate(self, line: int | str) -> str:
        """Return the shard and the line in it."""
        if isinstance(line, str) or not self._lines_before:
            return super().locate(line)
        number = self._find_shard(line)
        return self._shards[number].locate(line - self._lines_before[number])

    def get_file(self, line: int) -> str:
        """Return the name of the shard with a line."""
        return self._shards[self._find_shard(line)].name if self._lines_before else self.name

    def _find_shard(self, line: int) -> int:
        return max(0, bisect_right(self._lines_before, line - 1) - 1)


def list_matches(path: str) -> list[Path]:
    """List the files that a pattern fits.

    A path that exists, or has no wildcards, stands for itself.
    """
    if not WILDCARDS.search(path) or os.path.lexists(path):
        return [Path(path)]
    import glob  # noqa: PLC0415  only patterns need it

    paths = glob.glob(path, recursive=True)  # noqa: PTH207  `Path.glob` takes no absolute patterns
    return [Path(_check_link(Path(file))) for file in paths if Path(file).is_file() or Path(file).is_symlink()]


def suggest_quotes(reference: str, predictions: Sequence[str]) -> str:
    """Write a remedy for predictions with names of shards.

    Without quotes the shell replaces a pattern by the files that it fits, and each of them is a system.

    Args:
        reference: the reference as given.
        predictions: the predictions as given.

    Returns:
        A sentence with the remedy; empty if the names do not look like that.
    """
    try:
        source = open_source(reference)
    except DataError:
        return ""
    own = source.files if isinstance(source, Shards) else (reference, *predictions[: (len(predictions) - 1) // 2])
    other = predictions[len(predictions) - len(own) :]
    if len(own) == 1 or len(own) != len(other) or "-" in (*own, *other):
        return ""
    names = pair_names([own, other])
    if {*names[0]} != {*names[1]}:
        return ""
    patterns = reference if isinstance(source, Shards) else f"'{_build_pattern(own)}'"
    return (
        f"The {len(other)} predictions have the names of shards: if they are one system, put its pattern in quotes, "
        f"which the shell leaves as it is: {patterns} '{_build_pattern(other)}'."
    )


def open_source(value: Any, is_format: Callable[[str], bool] = lambda _: False) -> Source:
    """Open a file, or the shards that a value stands for.

    Args:
        value: what `is_path` accepts.
        is_format: whether a folder is one file in a format of folders, such as brat.

    Raises:
        SourceError: if a folder or a pattern has no files.
        FormatError: if the shards have different endings.
    """
    if isinstance(value, list | tuple):
        return Shards(value)
    source = value if isinstance(value, Source) else Source(value)
    path = source.path
    if type(source) is not Source or path == "-":
        return source
    if os.path.isdir(path):  # noqa: PTH112  a file need not wait for a `Path`
        return source if _is_dataset(path) or is_format(path) else Shards.from_folder(path)
    if WILDCARDS.search(path) and not os.path.lexists(path):
        return Shards.from_pattern(path)
    return source


def open_sides(
    reference: Any,
    prediction: Any,
    is_format: Callable[[str], bool] = lambda _: False,
    is_predicted_format: Callable[[str], bool] | None = None,
) -> tuple[Source, Source]:
    """Open both sides, and check that their shards belong together.

    Args:
        reference: what `is_path` accepts.
        prediction: what `is_path` accepts.
        is_format: whether a folder is one file in a format of folders.
        is_predicted_format: the same for the prediction; None for the same function.

    Raises:
        SourceError: if a folder or a pattern has no files.
        FormatError: if the shards of a side have different endings.
        MismatchError: if a shard has no partner of its name.
    """
    sides = open_source(reference, is_format), open_source(prediction, is_predicted_format or is_format)
    check_shard_names(*sides)
    return sides


def check_same_format(first: tuple[Source, str], other: tuple[Source, str]) -> None:
    """Check that two shards have one format.

    Args:
        first: the first shard, and what it is.
        other: another shard, and what it is.

    Raises:
        FormatError: if they are different things.
    """
    if first[1] != other[1]:
        remedy = "Name the shards of one format by a pattern in quotes, or their format with --input-format."
        raise FormatError(
            f"is {other[1]}, but the first shard, {first[0].name}, is {first[1]}", where=other[0].name, remedy=remedy
        )


def check_shard_names(reference: Source, prediction: Source) -> None:
    """Check that each shard has a partner, if both sides have several.

    Args:
        reference: the reference.
        prediction: the prediction.

    Raises:
        MismatchError: if a shard has none; it names the shard.
    """
    if not (isinstance(reference, Shards) and isinstance(prediction, Shards)):
        return
    sides = reference, prediction
    names = pair_names([side.files for side in sides])
    if len(reference.files) == 1 or len(prediction.files) == 1:  # one file for all shards, unless one has its name
        names = [[((_strip_ending(PurePath(file).name), 0),) for file in side.files] for side in sides]
        if not {*names[0]} & {*names[1]}:
            return
    lacking = [
        (own, other, [file for file, name in zip(own.files, names[k], strict=True) if name not in names[1 - k]])
        for k, (own, other) in enumerate(((reference, prediction), (prediction, reference)))
    ]
    for _, other, missing in lacking:
        if not missing:
            continue
        raise MismatchError(
            f"has no shard for {missing[0]}",
            where=other.name,
            detail="\n".join(
                f"only in {own.name}: {_shorten(shard_names)}" for own, _, shard_names in lacking if shard_names
            ),
            remedy=f"Add the shard that is missing, or remove its partner. {PAIRING}",
        )


NameKey = tuple[tuple[str, int], ...]


def pair_names(sides: Sequence[Sequence[str]]) -> list[list[NameKey]]:
    """Return a key for each file; partners have the same key.

    Args:
        sides: (sides,) the paths of each.
    """
    plain = [[_strip_ending(name) for name in names] for names in sides]
    choices = [[strip(names) for names in plain] for strip in (_strip_folder, _strip_words, _strip_letters)]
    keys = [[[tuple(to_natural_key(name)) for name in names] for names in choice] for choice in choices]
    distinct = [each for each in keys if all(len({*side}) == len(side) for side in each)]
    exact: list[list[list[NameKey]]] = [[[((name, 0),) for name in names] for names in choice] for choice in choices]
    return max(distinct or exact, key=lambda each: len({*each[0]}.intersection(*each[1:])))


def _strip_folder(names: Sequence[str]) -> list[str]:
    """Return the names within the folder that has all of them."""
    folder = os.path.commonpath(map(os.path.dirname, names)) if names else ""
    return [os.path.relpath(name, folder or os.curdir) for name in names]


def _strip_words(names: Sequence[str]) -> list[str]:
    """Return what differs in the names, in whole words and numbers."""
    return ["".join(parts) for parts in _strip_common([BOUNDARY.findall(name) for name in names])]


def _strip_letters(names: Sequence[str]) -> list[str]:
    """Return what differs in the names, in characters."""
    return ["".join(parts) for parts in _strip_common(names)]


def _strip_common(names: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Leave out what all names have in common at both ends."""
    begin = _count_common(names)
    rest = [name[begin:] for name in names]
    end = _count_common([name[::-1] for name in rest])
    return [name[: len(name) - end] for name in rest]


def _count_common(names: Sequence[Sequence[str]]) -> int:
    """Count the items that all names begin with."""
    return next((at for at, items in enumerate(zip_longest(*names)) if len({*items}) > 1), len(names[0]))


def _strip_ending(name: str) -> str:
    return ENDING.sub("", COMPRESSION.sub("", name))


def _find_ending(name: str) -> str:
    match = ENDING.search(COMPRESSION.sub("", PurePath(name).name))
    return match[0].lower() if match else ""


def _check_endings(files: Sequence[str]) -> None:
    """Check that all files have one ending, compression apart."""
    own = _find_ending(files[0])
    other = next((file for file in files if _find_ending(file) != own), None)
    if other is not None:
        named = [f"{file} ({_find_ending(file) or 'no ending'})" for file in (files[0], other)]
        pattern = Path(files[0]).parent / f"*{own}"
        raise FormatError(
            f"the files of a corpus must have one format, but their names end differently: {' and '.join(named)}",
            remedy=f"Name the shards by a pattern in quotes: '{pattern}'.",
        )


def _check_repeats(files: Sequence[str]) -> None:
    """Check that no shard is there twice, such as also compressed."""
    seen: dict[str, str] = {}
    for file in files:
        first = seen.setdefault(COMPRESSION.sub("", os.path.normpath(file)), file)
        if first is not file:
            remedy = "Remove one of them, or name the shards by a pattern."
            raise SourceError(f"is the same shard as {first}", where=file, remedy=remedy)


def name_shards(files: Sequence[str]) -> str:
    """Return the name of shards: a pattern that fits all of them."""
    return _build_pattern(sorted(files, key=lambda file: (to_natural_key(file), file)))


def _build_pattern(files: Sequence[str]) -> str:
    """Return a pattern that fits all files: `sys-*.jsonl`."""
    if len(files) == 1:
        return files[0]
    differing = _strip_letters(files)[0]
    begin = files[0][: _count_common(files)]
    end = files[0][len(begin) + len(differing) :]
    return f"{begin.rstrip(DIGITS)}*{end.lstrip(DIGITS)}"


def _list_folder(folder: str) -> Iterator[str]:
    """Yield the files of a folder and its folders."""

    def fail(error: OSError) -> None:
        raise SourceError(f"cannot be read: {error.strerror}", where=str(error.filename)) from error

    for root, folders, names in os.walk(folder, onerror=fail):
        folders[:] = [name for name in folders if not name.startswith(HIDDEN)]
        for name in names:
            if not name.startswith(HIDDEN):
                yield _check_link(Path(root, name))


def _check_link(path: Path) -> str:
    """Return the path of a file; refuse a broken link."""
    if path.is_symlink() and not path.exists():
        remedy = f"Restore that file, or remove the link: rm '{path}'"
        raise SourceError(f"is a link to {path.readlink()}, which is not there", where=str(path), remedy=remedy)
    return str(path)


def _is_dataset(folder: str) -> bool:
    return any(Path(folder, name).exists() for name in DATASET_FILES)


def _shorten(names: Sequence[str]) -> str:
    rest = len(names) - MAX_SHOWN
    return ", ".join(names[:MAX_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
