"""Destinations of output: standard output, and files that are written whole.

A file is written whole or not at all.

Output goes to a temporary file in the same folder, which replaces the destination when it is complete and takes over
its permissions. An interrupt or an error leaves everything as it was. A symbolic link stays one. A device or a pipe is
written to directly. Text is compressed according to the suffix of its file.
"""

from __future__ import annotations

import gzip
import io
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from errno import EACCES, EISDIR
from pathlib import Path
from typing import IO, Any, Literal, TextIO

from isogloss.errors import SourceError, UsageError, import_extra

Compression = Literal["gzip", "zstd"]
STDOUT = "<stdout>"
COMPRESSED_SUFFIXES: dict[str, Compression] = {".gz": "gzip", ".zst": "zstd"}
UNSUPPORTED_SUFFIXES = (".bz2", ".xz")  # compression that isogloss does not write
GZIP_LEVEL = 6  # the default of the program gzip
MAX_STEM = 60  # characters of a name that its temporary file keeps, whose name must not be too long
OUTPUT_REMEDY = "Name a file that can be written."


@contextmanager
def open_binary_output(
    path: str | os.PathLike[str], *, text: bool = True, remedy: str = OUTPUT_REMEDY
) -> Iterator[IO[bytes]]:
    """Open a file to write bytes.

    Args:
        path: the file, or `-` for standard output. Text is compressed if the name ends with `.gz` or `.zst`.
        text: whether the bytes are text; isogloss does not read other files compressed.
        remedy: what the error tells the user to do.

    Raises:
        UsageError: if the suffix names a compression that the file cannot have.
        SourceError: if it cannot be written.
        MissingExtraError: if its name ends with `.zst`, and zstandard is not installed.
    """
    name = os.fspath(path)
    if name == "-":
        with open_stdout() as stdout:
            yield stdout.buffer
            stdout.buffer.flush()
        return
    compression = find_compression(name)
    if compression is not None and not text:
        raise UsageError(f"{name} is not compressed as a whole: leave {Path(name).suffix} out of its name.")
    with _raise_source_error(name, remedy), _open_target(name) as file, _compress(file, compression, name) as stream:
        yield stream


@contextmanager
def open_text_output(path: str | os.PathLike[str], remedy: str = OUTPUT_REMEDY) -> Iterator[TextIO]:
    """Open a file, or standard output, to write text.

    The text is written as UTF-8 with unchanged newlines.

    Args:
        path: the file, or `-` for standard output. It is compressed if the name ends with `.gz` or `.zst`.
        remedy: what the error tells the user to do.

    Raises:
        UsageError: if the suffix names a compression that is not supported.
        SourceError: if it cannot be written.
        MissingExtraError: if its name ends with `.zst`, and zstandard is not installed.
    """
    if os.fspath(path) == "-":
        with open_stdout() as stdout:
            yield stdout
        return
    with open_binary_output(path, remedy=remedy) as file:
        stream = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
        yield stream
        stream.flush()


@contextmanager
def open_replacement(path: str, compression: Compression | None) -> Iterator[IO[bytes]]:
    """Open the replacement of an existing file.

    Args:
        path: the file.
        compression: how it is compressed; None for not at all.

    Raises:
        SourceError: if it cannot be written.
        MissingExtraError: if it is compressed with zstd, and zstandard is not installed.
    """
    with (
        _raise_source_error(path, OUTPUT_REMEDY),
        _open_temporary(Path(os.path.realpath(path))) as file,
        _compress(file, compression, path) as stream,
    ):
        yield stream


@contextmanager
def open_output_folder(path: str) -> Iterator[Path]:
    """Open a folder to write files.

    The files go to their place when all are written; an error leaves none of them.

    Args:
        path: a folder that does not exist yet, or is empty.

    Raises:
        SourceError: if there is something else, or it cannot be written.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        remedy = "Name a folder that is not there yet, or an empty one."
        raise SourceError("exists already, and is not an empty folder", where=path, remedy=remedy)
    partial = _name_temporary(target)
    try:
        with _raise_source_error(path, "Name a folder that can be written."):
            partial.mkdir()
            yield partial
            target.mkdir(exist_ok=True)
            for each in partial.iterdir():
                each.replace(target / each.name)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


@contextmanager
def open_stdout() -> Iterator[TextIO]:
    """Open standard output, and flush it at the end.

    Raises:
        SourceError: if it is closed, or the disk is full.
        BrokenPipeError: if the reader closed the pipe.
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
        raise _build_write_error(error, STDOUT, "Name a file that can be written, with -o.") from error


def write_files(content: Mapping[Path, str], remedy: str = OUTPUT_REMEDY) -> None:
    """Write texts, each whole or not at all; missing folders are created.

    Args:
        content: texts by path.
        remedy: what the error tells the user to do.

    Raises:
        SourceError: if a text cannot be written.
    """
    for path, text in content.items():
        with _raise_source_error(str(path.parent), remedy):
            path.parent.mkdir(parents=True, exist_ok=True)
        with open_text_output(path, remedy) as file:
            file.write(text)


def append_text(text: str, path: str, remedy: str = OUTPUT_REMEDY) -> None:
    """Append text to a file, or create it.

    Args:
        text: the text.
        path: the file.
        remedy: what the error tells the user to do.

    Raises:
        SourceError: if the file cannot be written.
    """
    with _raise_source_error(path, remedy), Path(path).open("a", encoding="utf-8", newline="\n") as stream:
        stream.write(text)


def find_compression(path: str | os.PathLike[str]) -> Compression | None:
    """Return how a file of this name is compressed.

    The result is None if it is not compressed.

    Args:
        path: name of a file.

    Raises:
        UsageError: if isogloss does not write this compression.
    """
    suffix = Path(path).suffix
    if suffix in UNSUPPORTED_SUFFIXES:
        allowed = " or ".join(COMPRESSED_SUFFIXES)
        raise UsageError(f"{os.fspath(path)}: isogloss does not write {suffix}. Let the name end with {allowed}.")
    return COMPRESSED_SUFFIXES.get(suffix)


def check_output(
    path: str | os.PathLike[str],
    read: Iterable[str],
    option: str = "-o",
    otherwise: str = "name another",
) -> None:
    """Check that output can go to a file, before anything is read.

    Args:
        path: the file, or `-`.
        read: the input files.
        option: the option that names the output.
        otherwise: what to do if it is an input file.

    Raises:
        UsageError: if it is an input file, or isogloss does not write its compression.
        MissingExtraError: if its name ends with `.zst`, and zstandard is not installed.
    """
    name = os.fspath(path)
    if name == "-":
        return
    if find_compression(name) == "zstd":
        _import_zstandard(name)
    if any(_is_same_file(name, other) for other in read if other != "-"):
        raise UsageError(f"{option} {name} is an input file: {otherwise}.")


def _is_same_file(one: str, other: str) -> bool:
    try:
        return Path(one).is_file() and Path(one).samefile(other)
    except (OSError, ValueError):  # a missing file, or not a path
        return False


@contextmanager
def _raise_source_error(path: str, remedy: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _build_write_error(error, path, remedy) from error


def _build_write_error(error: OSError, where: str, remedy: str) -> SourceError:
    return SourceError(f"cannot be written: {error.strerror}", where=where, remedy=remedy)


@contextmanager
def _open_target(path: str) -> Iterator[IO[bytes]]:
    """Open the temporary file of a path.

    A device or pipe is opened itself.
    """
    place = Path(path)
    if place.exists() and not (place.is_file() or place.is_dir()):
        with place.open("wb") as file:
            yield file
    else:
        with _open_temporary(Path(os.path.realpath(path))) as file:
            yield file


@contextmanager
def _open_temporary(target: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file that replaces the target when it is complete."""
    if target.is_dir():
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
    is_there = target.exists()
    if is_there and not os.access(target, os.W_OK):
        raise PermissionError(EACCES, os.strerror(EACCES))
    partial = _name_temporary(target)
    file = partial.open("xb")
    try:
        with file:
            if is_there:  # a private file stays private while it is written
                partial.chmod(target.stat().st_mode & 0o7777)
            yield file
            file.flush()
            if is_there:  # a power cut must not leave an empty file
                os.fsync(file.fileno())
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def _name_temporary(target: Path) -> Path:
    """Return a path in the same folder that does not exist."""
    return target.with_name(f".{target.name[:MAX_STEM]}.{os.urandom(4).hex()}.part")


@contextmanager
def _compress(file: IO[bytes], compression: Compression | None, name: str) -> Iterator[IO[bytes]]:
    if compression == "gzip":
        with gzip.GzipFile("", "wb", GZIP_LEVEL, file, mtime=0) as packed:  # the same bytes at any time
            yield packed  # type: ignore[misc]  # it has the methods of a file that are used
    elif compression == "zstd":
        zstandard = _import_zstandard(name)
        with zstandard.ZstdCompressor().stream_writer(file, closefd=False) as stream:
            yield stream
    else:
        yield file


def _import_zstandard(name: str) -> Any:
    return import_extra("zstandard", f"writing {name}, compressed with zstd,", "zstd")
