"""Find runs: pages of summaries, and one run by its id, the beginning of its id, or its name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Row, Select, and_, or_, select

from isogloss.errors import StoreError
from isogloss.runs.run_json import InputFile
from isogloss.store.schema import inputs, runs, scores, tags
from isogloss.store.stored_run import Figure, Summary

ID_DIGITS = 32
MIN_ID_DIGITS = 4  # at the beginning of an id
SUMMARY_COLUMNS = tuple(field.name for field in fields(Summary) if field.name not in ("tags", "score"))


@dataclass(frozen=True)
class RunFilter:
    """Conditions on runs; None is no condition.

    Args:
        task: name of the task.
        system: system, or name of its file in any folder.
        corpus: name of the corpus.
        tag: one of its tags.
        reference: SHA-256 of one of its inputs.
        score: path of a score that the run has, the highest first; None for the latest run first.
    """

    task: str | None = None
    system: str | None = None
    corpus: str | None = None
    tag: str | None = None
    reference: str | None = None
    score: str | None = None


def load_summaries(
    connection: Connection,
    run_filter: RunFilter,
    limit: int | None,
    after: int | None,
) -> list[Summary]:
    """Load summaries of the next runs that match.

    Args:
        connection: connection in a transaction.
        run_filter: the conditions, and the order.
        limit: most runs to load; None for all.
        after: number of the last run of the page before.
    """
    query = _apply_filter(_select_summary(run_filter.score), run_filter)
    order = scores.c.value if run_filter.score is not None else runs.c.created
    query = query.order_by(order.desc(), runs.c.number.desc())
    if after is not None:
        last = _select_summary(run_filter.score).with_only_columns(order, runs.c.number).where(runs.c.number == after)
        value, number = connection.execute(last).one_or_none() or (None, after)
        if value is None:
            short = load_summary(connection, after).short
            raise StoreError(f"run {short} does not have the score {run_filter.score}, so nothing comes after it")
        query = query.where(or_(order < value, and_(order == value, runs.c.number < number)))
    return _build_summaries(connection, connection.execute(query.limit(limit)).all())


def load_summary(connection: Connection, number: int) -> Summary:
    """Load what a list shows of a run."""
    return _build_summaries(connection, connection.execute(_select_summary(None).where(runs.c.number == number)).all())[
        0
    ]


def find_run_number(connection: Connection, key: str | UUID) -> int:
    """Find the number of a run in its store.

    Args:
        connection: connection in a transaction.
        key: its id; or its name, the latest if several runs have it; or the beginning of its id.

    Raises:
        StoreError: if no run has this key, or the ids of several runs begin with it.
    """
    digits = str(key).lower().replace("-", "")
    is_hex = re.fullmatch(rf"[0-9a-f]{{{MIN_ID_DIGITS},{ID_DIGITS}}}", digits) is not None
    if is_hex and len(digits) == ID_DIGITS:
        found = connection.scalars(select(runs.c.number).where(runs.c.id == UUID(digits))).all()
    else:
        latest = select(runs.c.number).where(runs.c.name == str(key))
        found = connection.scalars(latest.order_by(runs.c.created.desc(), runs.c.number.desc()).limit(1)).all()
        found = found or (_find_by_prefix(connection, digits) if is_hex else [])
    if len(found) == 1:
        return int(found[0])
    if not found:
        raise StoreError(f"there is no run {str(key)!r}", remedy="`isogloss runs list` shows what there is.")
    raise StoreError(f"the ids of {len(found)} runs begin with {key}", remedy="Give more of the id.")


def find_number_by_id(connection: Connection, identity: UUID) -> int:
    """Find the number of a run that was loaded before.

    Args:
        connection: connection in a transaction.
        identity: id of the run.

    Raises:
        StoreError: if the run was deleted.
    """
    number: int | None = connection.scalar(select(runs.c.number).where(runs.c.id == identity))
    if number is None:
        raise StoreError(f"run {identity} was deleted", remedy="`isogloss runs list` shows what there is.")
    return number


def lock_run(connection: Connection, key: str | UUID) -> int:
    """Find the number of a run, and keep other writers from the run until this transaction is over.

    Args:
        connection: connection in a transaction.
        key: id of the run, the beginning of its id, or its name.

    Raises:
        StoreError: if no run has this key, or the ids of several runs begin with it.
    """
    number = find_run_number(connection, key)
    found = select(runs.c.number).where(runs.c.number == number).with_for_update()
    return number if connection.scalar(found) is not None else find_run_number(connection, key)


def load_inputs(connection: Connection, number: int) -> list[InputFile]:
    """Load the files of a run."""
    query = select(inputs.c.role, inputs.c.path, inputs.c.sha256).where(inputs.c.run == number)
    return [InputFile(*entry) for entry in connection.execute(query.order_by(inputs.c.position))]


def to_utc(moment: datetime) -> datetime:
    """Convert a time of a database: SQLite does not keep that it is UTC."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _find_by_prefix(connection: Connection, digits: str) -> Sequence[int]:
    """Find the numbers of the runs whose ids begin with these digits."""
    low, high = UUID(digits.ljust(ID_DIGITS, "0")), UUID(digits.ljust(ID_DIGITS, "f"))
    return connection.scalars(select(runs.c.number).where(runs.c.id >= low, runs.c.id <= high)).all()


def _select_summary(score: str | None) -> Select[Any]:
    """Select the columns of a summary, with the score of this path, or else the main score."""
    path = runs.c.main_score if score is None else score
    joined = runs.join(scores, and_(scores.c.run == runs.c.number, scores.c.path == path), isouter=score is None)
    columns = [runs.c[name] for name in SUMMARY_COLUMNS]
    figure = (scores.c.path, scores.c.value, scores.c.low, scores.c.high)
    return select(runs.c.number, *columns, *figure).select_from(joined)


def _apply_filter(query: Select[Any], run_filter: RunFilter) -> Select[Any]:
    for column in ("task", "corpus"):
        value = getattr(run_filter, column)
        if value is not None:
            query = query.where(runs.c[column] == value)
    if run_filter.system is not None:
        in_a_folder = runs.c.system.endswith(f"/{run_filter.system}", autoescape=True)
        query = query.where((runs.c.system == run_filter.system) | in_a_folder)
    if run_filter.tag is not None:
        query = query.where(runs.c.number.in_(select(tags.c.run).where(tags.c.tag == run_filter.tag)))
    if run_filter.reference is not None:
        query = query.where(runs.c.number.in_(select(inputs.c.run).where(inputs.c.sha256 == run_filter.reference)))
    return query if run_filter.score is None else query.where(scores.c.value.is_not(None))


def _build_summaries(connection: Connection, rows: Sequence[Row[Any]]) -> list[Summary]:
    own_tags: dict[int, list[str]] = {row.number: [] for row in rows}
    numbers = list(own_tags)
    for low in range(0, len(numbers), 1000):  # databases limit the values of one query
        query = select(tags.c.run, tags.c.tag).where(tags.c.run.in_(numbers[low : low + 1000]))
        for run, tag in connection.execute(query):
            own_tags[run].append(tag)
    return [
        Summary(
            **{name: getattr(row, name) for name in SUMMARY_COLUMNS if name != "created"},
            created=to_utc(row.created),
            tags=tuple(sorted(own_tags[row.number])),
            score=None if row.path is None else Figure(row.path, row.value, row.low, row.high),
        )
        for row in rows
    ]
