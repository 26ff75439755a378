"""Finding runs: lists of them in pages, and one by its id, the beginning of its id, or its name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Row, Select, and_, or_, select

from isogloss.errors import StoreError
from isogloss.runs.run import InputFile
from isogloss.store.stored_run import Figure, Summary
from isogloss.store.tables import inputs, runs, scores, tags

HEX = 32  # digits of an id
FEWEST = 4  # of them that can stand for it
SHOWN = ("id", "name", "task", "system", "corpus", "created", "version", "profile", "signature", "documents")


@dataclass(frozen=True)
class Chosen:
    """Which runs are meant; None is no condition.

    Args:
        task: of this task.
        system: of this system, or of a file of this name in any folder.
        corpus: on this corpus.
        tag: with this tag.
        reference: with an input of this SHA-256.
        score: those that have this score defined, the highest first; else the latest first.
    """

    task: str | None = None
    system: str | None = None
    corpus: str | None = None
    tag: str | None = None
    reference: str | None = None
    score: str | None = None


def summaries(connection: Connection, chosen: Chosen, limit: int | None, after: int | None) -> list[Summary]:
    """The next runs that are meant.

    Args:
        connection: of a transaction.
        chosen: which, and in which order.
        limit: at most so many, None for all.
        after: number of the run that they come after.
    """
    query = _narrowed(_shown(chosen.score), chosen)
    order = scores.c.value if chosen.score is not None else runs.c.created
    query = query.order_by(order.desc(), runs.c.number.desc())
    if after is not None:
        last = _shown(chosen.score).with_only_columns(order, runs.c.number).where(runs.c.number == after)
        value, number = connection.execute(last).one_or_none() or (None, after)
        if value is None:
            short = summary(connection, after).short
            raise StoreError(f"run {short} does not have the score {chosen.score}, so nothing comes after it")
        query = query.where(or_(order < value, and_(order == value, runs.c.number < number)))
    return _summaries(connection, connection.execute(query.limit(limit)).all())


def summary(connection: Connection, number: int) -> Summary:
    """What a list shows of a run."""
    return _summaries(connection, connection.execute(_shown(None).where(runs.c.number == number)).all())[0]


def number_of(connection: Connection, key: str | UUID) -> int:
    """The number of a run in its store.

    Args:
        connection: of a transaction.
        key: its id; or its name, of several runs the latest; or the beginning of its id.

    Raises:
        StoreError: there is none, or ids of several begin so.
    """
    digits = str(key).lower().replace("-", "")
    is_hex = re.fullmatch(rf"[0-9a-f]{{{FEWEST},{HEX}}}", digits) is not None
    if is_hex and len(digits) == HEX:
        found = connection.scalars(select(runs.c.number).where(runs.c.id == UUID(digits))).all()
    else:
        latest = select(runs.c.number).where(runs.c.name == str(key))
        found = connection.scalars(latest.order_by(runs.c.created.desc(), runs.c.number.desc()).limit(1)).all()
        found = found or (_beginning(connection, digits) if is_hex else [])
    if len(found) == 1:
        return int(found[0])
    if not found:
        raise StoreError(f"there is no run {str(key)!r}", remedy="`isogloss runs list` shows what there is.")
    raise StoreError(f"the ids of {len(found)} runs begin with {key}", remedy="Give more of the id.")


def number_still(connection: Connection, identity: UUID) -> int:
    """The number of a run that was read before.

    Raises:
        StoreError: it is there no longer.
    """
    number: int | None = connection.scalar(select(runs.c.number).where(runs.c.id == identity))
    if number is None:
        raise StoreError(f"run {identity} was deleted", remedy="`isogloss runs list` shows what there is.")
    return number


def locked(connection: Connection, key: str | UUID) -> int:
    """The number of a run that no other writer changes or deletes until this transaction is over.

    Raises:
        StoreError: there is none, or ids of several begin so.
    """
    number = number_of(connection, key)
    found = select(runs.c.number).where(runs.c.number == number).with_for_update()
    return number if connection.scalar(found) is not None else number_of(connection, key)


def inputs_of(connection: Connection, number: int) -> list[InputFile]:
    """The files of a run."""
    query = select(inputs.c.role, inputs.c.path, inputs.c.sha256).where(inputs.c.run == number)
    return [InputFile(*entry) for entry in connection.execute(query.order_by(inputs.c.position))]


def in_utc(moment: datetime) -> datetime:
    """A time as a database gives it: SQLite does not keep that it is UTC."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _beginning(connection: Connection, digits: str) -> Sequence[int]:
    """Numbers of the runs whose ids begin so."""
    low, high = UUID(digits.ljust(HEX, "0")), UUID(digits.ljust(HEX, "f"))
    return connection.scalars(select(runs.c.number).where(runs.c.id >= low, runs.c.id <= high)).all()


def _shown(score: str | None) -> Select[Any]:
    """What a summary has, with the score of this path, or else the main one."""
    path = runs.c.main_score if score is None else score
    joined = runs.join(scores, and_(scores.c.run == runs.c.number, scores.c.path == path), isouter=score is None)
    columns = [runs.c[name] for name in SHOWN]
    figure = (scores.c.path, scores.c.value, scores.c.low, scores.c.high)
    return select(runs.c.number, *columns, *figure).select_from(joined)


def _narrowed(query: Select[Any], chosen: Chosen) -> Select[Any]:
    for column in ("task", "corpus"):
        wanted = getattr(chosen, column)
        if wanted is not None:
            query = query.where(runs.c[column] == wanted)
    if chosen.system is not None:
        in_a_folder = runs.c.system.endswith(f"/{chosen.system}", autoescape=True)
        query = query.where((runs.c.system == chosen.system) | in_a_folder)
    if chosen.tag is not None:
        query = query.where(runs.c.number.in_(select(tags.c.run).where(tags.c.tag == chosen.tag)))
    if chosen.reference is not None:
        query = query.where(runs.c.number.in_(select(inputs.c.run).where(inputs.c.sha256 == chosen.reference)))
    return query if chosen.score is None else query.where(scores.c.value.is_not(None))


def _summaries(connection: Connection, rows: Sequence[Row[Any]]) -> list[Summary]:
    numbers = [row.number for row in rows]
    named: dict[int, list[str]] = {number: [] for number in numbers}
    for low in range(0, len(numbers), 1000):
        part = numbers[low : low + 1000]
        for run, tag in connection.execute(select(tags.c.run, tags.c.tag).where(tags.c.run.in_(part))):
            named[run].append(tag)
    return [_summary(row, named[row.number]) for row in rows]


def _summary(row: Row[Any], own_tags: list[str]) -> Summary:
    shown = {name: getattr(row, name) for name in SHOWN}
    shown |= {"created": in_utc(row.created), "tags": tuple(sorted(own_tags))}
    figure = None if row.path is None else Figure(row.path, row.value, row.low, row.high)
    return Summary(**shown, score=figure)
