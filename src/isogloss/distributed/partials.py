"""Partials: the counts of a part of a corpus.

A file begins with a line that names its format, then the first 16 bytes of a SHA-256, then a MessagePack map, which is
compressed if it is small. Bytes that are not what was written are an error, never other numbers. A file is written
under a temporary name and renamed, so that a partial that exists is complete.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from isogloss.errors import DataError, SourceError
from isogloss.kernel.counted_corpus import CountedCorpus, KeptDocuments
from isogloss.kernel.counts import Counts, narrow_integers
from isogloss.kernel.findings import Finding
from isogloss.kernel.provenance import RunWarning
from isogloss.kernel.slices import Attribute
from isogloss.kernel.tallied_documents import TalliedDocuments
from isogloss.kernel.tally import Tally
from isogloss.records.destinations import open_binary_output
from isogloss.runs.evidence import Resampling
from isogloss.tasks.counted_system import CountedFile, CountedSystem
from isogloss.tasks.scoring_options import ScoringOptions

MAGIC = b"isogloss partial 2\n"
CHECKSUM_BYTES = 16
MAX_COMPRESSED = 2**24  # bytes; compressing more would take longer than writing them
PLAIN, COMPRESSED = b"p", b"z"
TUPLES = ("by", "finding_columns", "kept_columns", "finding_kinds", "finding_labels")  # of scoring options
ARRAY = 1  # code of arrays in MessagePack


@dataclass(frozen=True, eq=False)
class Partial:
    """The counts of a part of a corpus.

    Args:
        task: name of the task.
        definition: version of the definitions of its scores.
        systems: one per system, the baseline first.
        scoring_options: options with which the part was counted.
        part: number of the part, from 1, and number of parts; None if unknown.
        ranges: path, first byte and byte after the last of each file that was read in part.
        key: digest of options and files, by which a partial is recognised.
        request: options of the command besides those of the task, for the results.
        name: the file, for messages.
    """

    task: str
    definition: int
    systems: tuple[CountedSystem, ...]
    scoring_options: ScoringOptions
    part: tuple[int, int] | None = None
    ranges: tuple[tuple[str, int, int], ...] = ()
    key: str = ""
    request: Mapping[str, Any] = field(default_factory=dict)
    name: str = "partial"

    @property
    def documents(self) -> int:
        """Number of documents, those of the first system."""
        system = self.systems[0]
        return system.numbers if system.corpus is None else system.corpus.tally.documents

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the partial to a file.

        Args:
            path: the file; if it exists, it is replaced when the new one is complete.

        Raises:
            SourceError: if it cannot be written.
        """
        body = _encode(
            {
                "task": self.task,
                "definition": self.definition,
                "systems": [_describe_system(system) for system in self.systems],
                "scoring": _describe_scoring(self.scoring_options),
                "part": self.part,
                "ranges": self.ranges,
                "key": self.key,
                "request": self.request,
            }
        )
        with open_binary_output(path, text=False) as file:
            file.write(MAGIC + hashlib.sha256(body).digest()[:CHECKSUM_BYTES] + body)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Partial:
        """Read a partial.

        Args:
            path: the file.

        Raises:
            SourceError: if it cannot be read.
            DataError: if it is not a partial, or damaged.
        """
        name = os.fspath(path)
        content = _decode(_read_body(name), name)
        try:
            return cls(
                content["task"],
                content["definition"],
                tuple(map(_build_system, content["systems"])),
                _build_scoring(content["scoring"]),
                None if content["part"] is None else tuple(content["part"]),
                tuple((path, low, high) for path, low, high in content["ranges"]),
                content["key"],
                content["request"],
                name,
            )
        except (LookupError, TypeError, ValueError) as error:
            raise _make_damage_error(name) from error


def load_key(path: str | os.PathLike[str]) -> str | None:
    """Return the key of a partial, None without a sound one."""
    if not Path(path).exists():
        return None
    try:
        return Partial.load(path).key
    except DataError:
        return None


def _read_body(name: str) -> bytes:
    try:
        data = Path(name).read_bytes()
    except OSError as error:
        remedy = "Name files that isogloss count has written."
        raise SourceError(f"cannot be read: {error.strerror}", where=name, remedy=remedy) from error
    if not data.startswith(MAGIC):
        kind = "is a partial of another version of isogloss" if data.startswith(MAGIC[:16]) else "is not a partial"
        raise DataError(kind, where=name, remedy="Name files that isogloss count of this version has written.")
    begin = len(MAGIC) + CHECKSUM_BYTES
    body = data[begin:]
    if hashlib.sha256(body).digest()[:CHECKSUM_BYTES] != data[len(MAGIC) : begin]:
        raise _make_damage_error(name)
    return body


def _make_damage_error(name: str) -> DataError:
    return DataError(
        "the partial is damaged: its checksum does not fit",
        where=name,
        remedy="Delete it, and count its part again with the same command.",
    )


def _encode(content: Mapping[str, Any]) -> bytes:
    body = msgspec.msgpack.encode(content, enc_hook=_encode_array)
    return COMPRESSED + zlib.compress(body, 1) if len(body) <= MAX_COMPRESSED else PLAIN + body


def _decode(body: bytes, name: str) -> dict[str, Any]:
    try:
        plain = zlib.decompress(body[1:]) if body[:1] == COMPRESSED else body[1:]
        content: dict[str, Any] = msgspec.msgpack.decode(plain, ext_hook=_decode_array)
    except (msgspec.DecodeError, zlib.error, ValueError) as error:
        raise _make_damage_error(name) from error
    return content


def _encode_array(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        head = msgspec.msgpack.encode([value.dtype.str, value.shape])
        return msgspec.msgpack.Ext(ARRAY, bytes([len(head)]) + head + np.ascontiguousarray(value).tobytes())
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a partial cannot hold {type(value).__name__}")


def _decode_array(code: int, data: memoryview) -> NDArray[Any]:
    if code != ARRAY:
        raise ValueError(f"unknown code {code}")
    length = data[0]
    dtype, shape = msgspec.msgpack.decode(data[1 : 1 + length])
    return np.frombuffer(data[1 + length :], np.dtype(dtype)).reshape(shape).copy()


def _describe_scoring(options: ScoringOptions) -> dict[str, Any]:
    given = {each.name: getattr(options, each.name) for each in fields(options)}
    resampling = None if options.resampling is None else asdict(options.resampling)
    return {**given, "caller_columns": {}, "resampling": resampling}


def _build_scoring(saved: Mapping[str, Any]) -> ScoringOptions:
    resampling = None if saved["resampling"] is None else Resampling(**saved["resampling"])
    tuples = {name: tuple(saved[name]) for name in TUPLES}
    return ScoringOptions(**{**saved, **tuples, "resampling": resampling})


def _describe_system(system: CountedSystem) -> dict[str, Any]:
    given = {each.name: getattr(system, each.name) for each in fields(system)}
    warnings = {name: list(map(asdict, given[name])) for name in ("warnings", "file_warnings")}
    corpus = None if system.corpus is None else _describe_corpus(system.corpus)
    return {**given, **warnings, "corpus": corpus}


def _build_system(saved: Mapping[str, Any]) -> CountedSystem:
    corpus = None if saved["corpus"] is None else _build_corpus(saved["corpus"])
    warnings = {name: _build_warnings(saved[name]) for name in ("warnings", "file_warnings")}
    files = msgspec.convert(saved["files"], tuple[CountedFile, ...])
    return CountedSystem(**{**saved, **warnings, "corpus": corpus, "files": files})


def _build_warnings(saved: Sequence[Mapping[str, Any]]) -> tuple[RunWarning, ...]:
    return tuple(RunWarning(**each) for each in saved)


def _describe_corpus(corpus: CountedCorpus) -> dict[str, Any]:
    kept = corpus.kept_documents
    return {
        "rows": _describe_counts(corpus.tally.rows),
        "times": corpus.tally.times,
        "warnings": list(map(asdict, corpus.warnings)),
        "findings": corpus.findings,
        "is_numbered": list(corpus.is_numbered),
        "kept": None
        if kept is None
        else {
            "documents": narrow_integers(kept.documents),
            "kinds": kept.tallied.kinds,
            "attributes": {name: each.rank(kept.documents) for name, each in kept.attributes.items()},
            "digest": kept.digest,
            "reference_bytes": kept.reference_bytes,
        },
    }


def _build_corpus(saved: Mapping[str, Any]) -> CountedCorpus:
    kept, tally = saved["kept"], Tally(_build_counts(saved["rows"]), saved["times"])
    numbers = kept and kept["documents"].astype(np.int64)
    documents = kept and KeptDocuments(
        TalliedDocuments(tally, numbers, kept["kinds"]),
        {name: Attribute(numbers, *each) for name, each in kept["attributes"].items()},
        kept["digest"],
        bytes(kept["reference_bytes"]),
    )
    return CountedCorpus(
        tally,
        _build_warnings(saved["warnings"]),
        msgspec.convert(saved["findings"], list[Finding]),
        documents,
        saved["is_numbered"],
    )


def _describe_counts(counts: Counts) -> dict[str, Any]:
    return {each.name: getattr(counts, each.name) for each in fields(counts)}


def _build_counts(saved: Mapping[str, Any]) -> Counts:
    names = {name: tuple(saved[name]) for name in ("parts", "columns", "measures")}
    return Counts(**{**saved, **names, "cells": tuple(map(tuple, saved["cells"]))})


def compute_key(*values: Any) -> str:
    """Compute a digest that is the same in every process.

    Args:
        values: plain values, dataclasses, mappings and collections of them.
    """
    return hashlib.sha256(_format_plain(values).encode("utf-8", "surrogatepass")).hexdigest()


def _format_plain(value: Any) -> str:
    if is_dataclass(value) and not isinstance(value, type):
        value = {each.name: getattr(value, each.name) for each in fields(value) if each.repr}
    if isinstance(value, Mapping):
        return "{" + ",".join(sorted(f"{_format_plain(k)}:{_format_plain(v)}" for k, v in value.items())) + "}"
    if isinstance(value, set | frozenset):
        return "{" + ",".join(sorted(map(_format_plain, value))) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_format_plain, value)) + "]"
    return repr(value)


def with_name(partial: Partial, name: str) -> Partial:
    """Return a partial with a name for messages."""
    return replace(partial, name=name)
