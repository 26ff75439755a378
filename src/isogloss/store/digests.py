"""Digests of stored runs.

They are computed while a run is saved, and checked by every read, so that no damage goes unnoticed.

The digest of a part (its scores, its counts) covers all rows of the part. The digest of the run covers those of its
parts, except tags, which change. Scores are read a few at a time, so that they have a checksum of their own, seeded
with the number of the run. The digest of findings covers an index with the digests of their chunks and columns: a page
of findings checks what it reads, and nothing else is read for that.
Digests do not depend on the database or on numbers of the store, so an export carries them.
"""

from __future__ import annotations

import hashlib
import hmac
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, NoReturn

import msgspec
from sqlalchemy import Connection, select
from sqlalchemy.exc import DBAPIError, NoResultFound

from isogloss.errors import StoreError
from isogloss.store.schema import digests, runs

DIGEST_BYTES = 16
SHORT_ID_LENGTH = 8
SUMMARY_COLUMNS = (
    *("id", "name", "task", "system", "corpus", "created", "version", "profile", "signature", "documents"),
    "main_score",
)
OTHER_COLUMNS = ("documents_digest", "listed", "choices", "document", "native", "rebuilding")
ROW_COLUMNS = (*SUMMARY_COLUMNS, *OTHER_COLUMNS)
RUN, TAGS = "run", "tags"
PACKED_PARTS = frozenset(("counts", "ranking", "attributes"))
PART_TITLES = {  # as a message names them; packed parts are named by their own names
    "summary": "row",
    "row": "row",
    "counts": "counts of documents",
    "attributes": "attributes of documents",
}
UNREADABLE_TEXT = "Could not decode to UTF-8"
# of values that have the wrong type or form, or are lost
ROW_ERRORS = (ValueError, TypeError, LookupError, AttributeError, OverflowError, NoResultFound)


encode_row = msgspec.msgpack.Encoder().encode  # twice as fast as `msgspec.msgpack.encode`


class RowDigest:
    """The digest of the rows of a part, one after the other."""

    def __init__(self) -> None:
        self._hash = hashlib.blake2b(digest_size=DIGEST_BYTES)

    def add(self, data: bytes) -> None:
        """Add the bytes of the next row."""
        self._hash.update(data)

    def to_bytes(self) -> bytes:
        """Return the digest of the rows so far."""
        return self._hash.digest()


def digest_rows(rows: Iterable[Sequence[Any]]) -> bytes:
    """Compute the digest of rows of texts, numbers and bytes."""
    digest = RowDigest()
    for row in rows:
        digest.add(encode_row(tuple(row)))
    return digest.to_bytes()


def digest_bytes(data: bytes) -> bytes:
    """Compute the digest of the bytes of a packed part."""
    return hashlib.blake2b(data, digest_size=DIGEST_BYTES).digest()


def digest_run_row(row: Mapping[Any, Any]) -> dict[str, bytes]:
    """Compute the digests of the row of a run.

    One digest is of what a list shows, and one of all columns.

    Args:
        row: the columns by name, JSON as Python values.
    """
    summary = digest_summary(row)
    rest = [msgspec.json.encode(row[name]) for name in OTHER_COLUMNS]
    return {"summary": summary, "row": digest_rows([(summary, *rest)])}


def digest_summary(row: Mapping[Any, Any]) -> bytes:
    """Compute the digest of the columns that a list shows."""
    values = {name: row[name] for name in SUMMARY_COLUMNS}
    values |= {"id": values["id"].hex, "created": to_utc(values["created"]).isoformat()}
    return digest_rows([tuple(values.values())])


def digest_parts(parts: Mapping[str, bytes]) -> bytes:
    """Compute the digest of a run from those of its parts.

    The parts may be in any order. Tags are not among them, because they change.
    """
    return digest_rows((name, parts[name]) for name in sorted(parts) if name not in (RUN, TAGS))


def digest_tags(tags: Iterable[str]) -> bytes:
    """Compute the digest of the tags of a run."""
    return digest_rows((tag,) for tag in sorted(tags))


def digest_scores(scores: Iterable[tuple[str, float | None, float | None, float | None]]) -> bytes:
    """Compute the digest of the scores of a run."""
    digest = RowDigest()
    for entry in sorted(scores):
        digest.add(encode_score(*entry))
    return digest.to_bytes()


def encode_score(path: str, *numbers: float | None) -> bytes:
    """Encode path, value, low and high of a score.

    The bytes are equal if the scores are.
    """
    return encode_row((path, *(None if n is None or n != n else n + 0.0 for n in numbers)))  # noqa: PLR0124  only nan differs from itself


def compute_checksum(run: int, data: bytes) -> int:
    """Compute the checksum of an encoded row of a run.

    The run is given by its number.
    """
    return zlib.crc32(data, seed_checksum(run))


def seed_checksum(run: int) -> int:
    """Return where the checksums of the rows of a run begin.

    A row of another run thus has a wrong checksum.
    """
    return run & 0xFFFFFFFF


def to_utc(moment: datetime) -> datetime:
    """Convert a time of a database to UTC.

    SQLite does not keep that the time is UTC.
    """
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def load_digests(connection: Connection, run: int) -> dict[str, bytes]:
    """Load the digests of the parts of a run.

    Args:
        connection: connection in a transaction.
        run: number of the run.

    Raises:
        StoreError: if they do not have the digest of the run.
    """
    query = select(digests.c.part, digests.c.digest).where(digests.c.run == run)
    with report_corrupt_part(connection, run, "digests"):
        by_part: dict[str, bytes] = {part: bytes(digest) for part, digest in connection.execute(query)}
    if not hmac.compare_digest(by_part.get(RUN, b""), digest_parts(by_part)):
        raise_corrupt(connection, run, "digests")
    return by_part


def check_part(connection: Connection, run: int, part: str, digest: bytes | None) -> None:
    """Check what was read of a part of a run.

    Args:
        connection: connection in a transaction.
        run: number of the run.
        part: name of the part.
        digest: digest of what was read; None if there is nothing.

    Raises:
        StoreError: if its digest is another.
    """
    if load_digests(connection, run).get(part) != digest:
        raise_corrupt(connection, run, part)


@contextmanager
def report_corrupt_part(connection: Connection, run: int, part: str) -> Iterator[None]:
    """Report unreadable values as a corrupt part of the run.

    Values of the wrong type are reported too.

    Args:
        connection: connection in a transaction.
        run: number of the run.
        part: name of the part.

    Raises:
        StoreError: if a value cannot be read.
    """
    try:
        yield
    except ROW_ERRORS as error:
        raise_corrupt(connection, run, part, error)
    except DBAPIError as error:
        if UNREADABLE_TEXT not in str(error):
            raise
        raise_corrupt(connection, run, part, error)


def raise_corrupt(connection: Connection, run: int, part: str, cause: Exception | None = None) -> NoReturn:
    """Raise the error for a corrupt part of a run.

    A corrupt part is not as it was saved.

    Args:
        connection: connection in a transaction.
        run: number of the run.
        part: name of the part.
        cause: why its values cannot be read; None if they can.

    Raises:
        StoreError: always.
    """
    name, key = _name_run(connection, run)
    title = PART_TITLES.get(part, part)
    verb = "is" if title == "row" else "are"
    raise StoreError(
        f"{name}: its {title} {verb} corrupt: not what was saved",
        remedy=f"Restore it from an export or delete it: isogloss runs delete --yes {key}",
    ) from cause


def _name_run(connection: Connection, run: int) -> tuple[str, str]:
    """Return the name of a run in messages, and its id.

    Both are returned as far as they can be read.
    """
    try:
        query = select(runs.c.name, runs.c.id).where(runs.c.number == run)
        name, identity = connection.execute(query).one()
    except (*ROW_ERRORS, DBAPIError):
        return f"run number {run}", "ID"
    short = identity.hex[:SHORT_ID_LENGTH]
    return (f"run {short}" if name is None else f"run {name} ({short})"), short
