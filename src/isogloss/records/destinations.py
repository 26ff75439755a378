"""Where output goes: files that are written whole or not at all, and standard output.

What is written stands in a file beside its place until all of it is there, and then takes that place, with the
permissions of what was there. An interrupt or an error leaves everything as it was. A symbolic link stays one. What is
no file, such as a device or a pipe, is written to as it stands. Text is compressed as the name of its file says.
"""

from __future__ import annotations

import gzip
import io
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from errno import EACCES, EISDIR
from pathlib import Path
from typing import IO, Any, Literal, TextIO

from isogloss.errors import SourceError, UsageError, import_extra

Packing = Literal["gzip", "zstd"]
STDOUT = "<stdout>"
SUFFIXES: dict[str, Packing] = {".gz": "gzip", ".zst": "zstd"}
UNWRITTEN = (".bz2", ".xz")  # said by names of files that would not be what they say
LEVEL = 6  # of gzip, as the program has it
KEPT = 60  # characters of a name that are kept in that of the file beside it, which must not be too long
REMEDY = "Name a file that can be written."


@contextmanager
def written(path: str | os.PathLike[str], *, text: bool = True, remedy: str = REMEDY) -> Iterator[IO[bytes]]:
    """A file to write bytes to.

    Args:
        path: where it goes, `-` for standard output. Text is compressed if the name ends with `.gz` or `.zst`.
        text: whether it is text; other files are not read compressed.
        remedy: what to do when it cannot be written.

    Raises:
        UsageError: the name says that it is compressed as nothing of its kind is.
        SourceError: it cannot be written.
        MissingExtraError: its name ends with `.zst`, and zstandard is not installed.
    """
    name = os.fspath(path)
    if name == "-":
        with standard_output() as stream:
            yield stream.buffer
            stream.buffer.flush()
        return
    packing = packing_of(name)
    if packing is not None and not text:
        raise UsageError(f"{name} is not compressed as a whole: leave {Path(name).suffix} out of its name.")
    with _told(name, remedy), _opened(name) as file, _packed(file, packing, name) as stream:
        yield stream


@contextmanager
def written_text(path: str | os.PathLike[str], remedy: str = REMEDY) -> Iterator[TextIO]:
    """A file to write text to, as UTF-8 with the newlines that it is given. All else is as for `written`."""
    with written(path, remedy=remedy) as file:
        stream = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
        yield stream
        stream.flush()


@contextmanager
def replaced(path: str, packing: Packing | None) -> Iterator[IO[bytes]]:
    """What takes the place of a file that is there, compressed as that is, whatever its name.

    Args:
        path: the file.
        packing: how it is compressed.

    Raises:
        SourceError: it cannot be written.
        MissingExtraError: it is compressed with zstd, and zstandard is not installed.
    """
    with _told(path, REMEDY), _beside(Path(os.path.realpath(path))) as file, _packed(file, packing, path) as stream:
        yield stream


@contextmanager
def written_folder(path: str) -> Iterator[Path]:
    """A folder to write files to. They go to their place when all are written, and an error leaves nothing of them.

    Args:
        path: a folder that is absent or empty.

    Raises:
        SourceError: it is neither, or cannot be written.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        remedy = "Name a folder that is not there yet, or an empty one."
        raise SourceError("is there already, and no empty folder", where=path, remedy=remedy)
    partial = _partial(target)
    try:
        with _told(path, "Name a folder that can be written."):
            partial.mkdir()
            yield partial
            target.mkdir(exist_ok=True)
            for each in partial.iterdir():
                each.replace(target / each.name)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


@contextmanager
def standard_output() -> Iterator[TextIO]:
    """Standard output, written to its end.

    Raises:
        SourceError: it is closed, or takes no more.
        BrokenPipeError: whoever read it has seen enough.
    """
    stream: TextIO | None = sys.stdout  # None where the caller has closed it
    if stream is None:
        raise SourceError("is closed: the results have nowhere to go", where=STDOUT, remedy="Name a file with -o.")
    try:
        yield stream
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _unwritable(error, STDOUT, "Name a file that can be written, with -o.") from error


def write_files(content: Mapping[Path, str], remedy: str = REMEDY) -> None:
    """Write texts, each whole or not at all. Folders that are not there are made.

    Args:
        content: what to write, by its place.
        remedy: what to do when they cannot be written.

    Raises:
        SourceError: they cannot be written.
    """
    for path, text in content.items():
        with _told(str(path.parent), remedy):
            path.parent.mkdir(parents=True, exist_ok=True)
        with written_text(path, remedy) as file:
            file.write(text)


def append(text: str, path: str, remedy: str = REMEDY) -> None:
    """Add text to the end of a file, which need not be there.

    Args:
        text: what to add.
        path: the file.
        remedy: what to do when it cannot be written.

    Raises:
        SourceError: the file cannot be written.
    """
    with _told(path, remedy), Path(path).open("a", encoding="utf-8", newline="\n") as stream:
        stream.write(text)


def packing_of(path: str | os.PathLike[str]) -> Packing | None:
    """How a file of this name is compressed.

    Args:
        path: name of a file.

    Raises:
        UsageError: in a way that is not written.
    """
    suffix = Path(path).suffix
    if suffix in UNWRITTEN:
        raise UsageError(f"{os.fspath(path)}: {suffix} is not written. Let the name end with {' or '.join(SUFFIXES)}.")
    return SUFFIXES.get(suffix)


def check(
    path: str | os.PathLike[str],
    read: Iterable[str],
    option: str = "-o",
    otherwise: str = "name another",
) -> None:
    """Refuse a place for output that can be none, before anything is read.

    Args:
        path: the place.
        read: the files that are read.
        option: what names the place.
        otherwise: what to do where that is a file that is read.

    Raises:
        UsageError: it is one of the files that are read, or its name says that it is compressed in a way that is not
            written.
        MissingExtraError: its name ends with `.zst`, and zstandard is not installed.
    """
    name = os.fspath(path)
    if name == "-":
        return
    if packing_of(name) == "zstd":
        _import_zstandard(name)
    if any(_is_same_file(name, other) for other in read if other != "-"):
        raise UsageError(f"{option} {name} is a file that is read: {otherwise}.")


def _is_same_file(one: str, other: str) -> bool:
    try:
        return Path(one).is_file() and Path(one).samefile(other)
    except (OSError, ValueError):  # what is not there, or can be no path
        return False


@contextmanager
def _told(path: str, remedy: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _unwritable(error, path, remedy) from error


def _unwritable(error: OSError, where: str, remedy: str) -> SourceError:
    return SourceError(f"cannot be written: {error.strerror}", where=where, remedy=remedy)


@contextmanager
def _opened(path: str) -> Iterator[IO[bytes]]:
    """The file beside its place or, where that is no file, what is there itself."""
    place = Path(path)
    if place.exists() and not (place.is_file() or place.is_dir()):
        with place.open("wb") as file:
            yield file
    else:
        with _beside(Path(os.path.realpath(path))) as file:
            yield file


@contextmanager
def _beside(target: Path) -> Iterator[IO[bytes]]:
    """A file beside the target, which takes its place and its permissions."""
    if target.is_dir():
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
    is_there = target.exists()
    if is_there and not os.access(target, os.W_OK):
        raise PermissionError(EACCES, os.strerror(EACCES))
    partial = _partial(target)
    file = partial.open("xb")
    try:
        with file:
            if is_there:  # what is private stays so while it is written
                partial.chmod(target.stat().st_mode & 0o7777)
            yield file
            file.flush()
            if is_there:  # a power cut must not leave an empty file
                os.fsync(file.fileno())
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def _partial(target: Path) -> Path:
    """A name beside the target that nothing else has."""
    return target.with_name(f".{target.name[:KEPT]}.{os.urandom(4).hex()}.part")


@contextmanager
def _packed(file: IO[bytes], packing: Packing | None, name: str) -> Iterator[IO[bytes]]:
    if packing == "gzip":
        with gzip.GzipFile("", "wb", LEVEL, file, mtime=0) as packed:  # the same bytes at any time
            yield packed  # type: ignore[misc]  # it has all that is used of a file
    elif packing == "zstd":
        zstandard = _import_zstandard(name)
        with zstandard.ZstdCompressor().stream_writer(file, closefd=False) as stream:
            yield stream
    else:
        yield file


def _import_zstandard(name: str) -> Any:
    return import_extra("zstandard", f"writing {name}, compressed with zstd,", "zstd")


def open_output(path: str | os.PathLike[str], remedy: str = REMEDY) -> AbstractContextManager[TextIO]:
    """Open a file, or standard output for `-`, to write text.

    Args:
        path: a path, or `-`.
        remedy: what the error tells the user to do.

    Raises:
        SourceError: if it cannot be written.
    """
    return standard_output() if str(path) == "-" else written_text(path, remedy)
