"""Find runs: pages of summaries, and one run by its id, the beginning of its id, or its name."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, func, or_, select

from isogloss.errors import StoreError, UsageError
from isogloss.runs.run_json import InputFile
from isogloss.store.schema import inputs, runs, scores, tags
from isogloss.store.stored_run import Figure, Summary

ID_DIGITS = 32
SHA256_DIGITS = 64
MIN_ID_DIGITS = 4  # at the beginning of an id
SUMMARY_COLUMNS = tuple(field.name for field in fields(Summary) if field.name not in ("tags", "score"))


@dataclass(frozen=True, kw_only=True)
class RunFilter:
    """Conditions on runs; None is no condition.

    Args:
        task: name of the task.
        name: name of the run.
        system: system, or name of its file in any folder.
        corpus: name of the corpus.
        tag: one of its tags.
        signature: signature, or some of its choices.
        reference: SHA-256 of a reference file, the beginning of the SHA-256, its path, or its name in any folder.
        since: first time of saving.
        until: time of saving that comes after the last one.
        score: path of a score that the run has, the highest first; None for the latest run first.
    """

    task: str | None = None
    name: str | None = None
    system: str | None = None
    corpus: str | None = None
    tag: str | None = None
    signature: str | None = None
    reference: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    score: str | None = None


def parse_time(option: str, value: str | date, *, is_end: bool = False) -> datetime:
    """Parse a date, or a date and a time; without a time zone it is local time.

    Args:
        option: name of the argument, for the message.
        value: such as `2026-11-22`, `2026-11-22T18:30` or `2026-11-22T18:30+01:00`, or an object of `datetime`.
        is_end: whether to return the time after it: the next day of a date, the next microsecond of a time.

    Raises:
        UsageError: if it is not a date or time.
    """
    try:
        moment = value if isinstance(value, date) else _parse_iso_time(value)
        step = timedelta(microseconds=1) if isinstance(moment, datetime) else timedelta(days=1)
        moment = moment + step if is_end else moment
        start = moment if isinstance(moment, datetime) else datetime.combine(moment, time())
        return start.astimezone(UTC)
    except (ValueError, OverflowError, OSError, TypeError) as error:
        message = f"{option} must be a date such as 2026-11-22, or a time such as 2026-11-22T18:30; got {value!r}."
        raise UsageError(message) from error


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
    """Add the conditions that are given to a query."""
    conditions: dict[str, Callable[[Any], ColumnElement[bool]]] = {
        "task": runs.c.task.__eq__,
        "name": runs.c.name.__eq__,
        "system": lambda system: _is_file(runs.c.system, system),
        "corpus": runs.c.corpus.__eq__,
        "tag": lambda tag: runs.c.number.in_(select(tags.c.run).where(tags.c.tag == tag)),
        "signature": _has_signature,
        "reference": lambda reference: runs.c.number.in_(_select_runs_of_reference(reference)),
        "since": runs.c.created.__ge__,
        "until": runs.c.created.__lt__,
        "score": lambda _: scores.c.value.is_not(None),
    }
    given = ((build, getattr(run_filter, name)) for name, build in conditions.items())
    return query.where(*(build(value) for build, value in given if value is not None))


def _is_file(column: ColumnElement[str], path: str) -> ColumnElement[bool]:
    """Return whether a column is this path, or the path of a file of this name in any folder."""
    return (column == path) | column.endswith(f"/{path}", autoescape=True)


def _has_signature(signature: str) -> ColumnElement[bool]:
    """Return whether the signature of a run is this, or has all choices of this."""
    parts = re.findall(r"(?:[^|\\]|\\.)+", signature)
    is_whole = not parts or (":" not in parts[0] and parts[-1].startswith("version:"))
    if is_whole:
        return runs.c.signature == signature
    enclosed = "|" + runs.c.signature + "|"
    # a text has a part if replacing the part changes the text; LIKE would ignore case in SQLite
    return and_(*(func.replace(enclosed, f"|{part}|", "") != enclosed for part in parts))


def _select_runs_of_reference(reference: str) -> Select[tuple[int]]:
    matches = _is_file(inputs.c.path, reference)
    if re.fullmatch(rf"[0-9a-fA-F]{{{MIN_ID_DIGITS},{SHA256_DIGITS}}}", reference):
        matches |= inputs.c.sha256.startswith(reference.lower())
    is_reference = inputs.c.role.startswith("reference") | (inputs.c.role == "texts")
    return select(inputs.c.run).where(matches, is_reference)


def _parse_iso_time(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return datetime.fromisoformat(text)


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
