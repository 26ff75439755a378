"""Find runs of a store.

There are pages of summaries, and one run by its id, the beginning of its id, or its name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, func, or_, select, text
from sqlalchemy.exc import DBAPIError

from isogloss.errors import StoreError, UsageError
from isogloss.runs.run_json import InputFile
from isogloss.store.digests import (
    ROW_ERRORS,
    SUMMARY_COLUMNS,
    TAGS,
    check_part,
    compute_checksum,
    digest_rows,
    digest_run_row,
    digest_scores,
    digest_summary,
    digest_tags,
    encode_score,
    raise_corrupt,
    report_corrupt_part,
    to_utc,
)
from isogloss.store.schema import digests, inputs, runs, scores, tags
from isogloss.store.stored_run import Figure, Summary

ID_DIGITS = 32
SHA256_DIGITS = 64
MIN_ID_DIGITS = 4  # at the beginning of an id
REBUILD_INDEX = "Rebuild the indexes of the store with the command REINDEX of sqlite3 or psql."
WITHOUT_INDEX = ("NOT INDEXED", "sqlite")  # a damaged index would hide runs
COUNTED_BY = ("NOT INDEXED", "INDEXED BY ix_runs_created")
MAX_VALUES = 1000  # databases limit the values of one query


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
    """Parse a date, or a date and a time.

    Without a time zone it is local time.

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
) -> tuple[list[Summary], list[StoreError]]:
    """Load summaries of the next runs that match.

    There is an error for each of these runs that is corrupt.

    Args:
        connection: connection in a transaction.
        run_filter: the conditions, and the order.
        limit: most runs to load; None for all.
        after: number of the last run of the page before.

    Raises:
        StoreError: if an index is corrupt, or the last run does not have the score.
    """
    check_run_indexes(connection)
    query = _apply_filter(_select_summary(run_filter.score), run_filter)
    order: Any = runs.c.created if run_filter.score is None else scores.c.value + 0.0  # no index has the sum
    query = query.order_by(order.desc(), runs.c.number.desc())
    if after is not None:
        last = _select_summary(run_filter.score).with_only_columns(order, runs.c.number).where(runs.c.number == after)
        value, number = connection.execute(last).one_or_none() or (None, after)
        if value is None:
            short = load_summary(connection, after).short
            raise StoreError(f"run {short} does not have the score {run_filter.score}, so nothing comes after it")
        query = query.where(or_(order < value, and_(order == value, runs.c.number < number)))
    errors: dict[int, StoreError] = {}
    rows = _load_rows(connection, query.limit(limit), errors)
    summaries = _build_summaries(connection, rows, errors)
    if any(run_filter.tag not in (None, *summary.tags) for summary in summaries):
        raise StoreError("the index of its runs is corrupt", remedy=REBUILD_INDEX)
    if run_filter.score is not None:
        _check_score_index(connection, run_filter.score)
    return summaries, list(errors.values())


def load_summary(connection: Connection, number: int) -> Summary:
    """Load what a list shows of a run.

    Args:
        connection: connection in a transaction.
        number: number of the run.

    Raises:
        StoreError: if it is corrupt.
    """
    query = _select_summary(None).where(runs.c.number == number)
    with report_corrupt_part(connection, number, "summary"):
        (row,) = connection.execute(query).all()
    errors: dict[int, StoreError] = {}
    summaries = _build_summaries(connection, [row], errors)
    for error in errors.values():
        raise error
    return summaries[0]


def load_row(connection: Connection, number: int) -> dict[str, Any]:
    """Load all columns of the row of a run.

    Args:
        connection: connection in a transaction.
        number: number of the run.

    Raises:
        StoreError: if it is corrupt.
    """
    with report_corrupt_part(connection, number, "row"):
        row = connection.execute(select(runs).where(runs.c.number == number)).one()
        columns = dict(row._mapping)  # noqa: SLF001  its public name has the underscore
        digest = digest_run_row(columns)["row"]
    check_part(connection, number, "row", digest)
    return columns


def _load_rows(connection: Connection, query: Select[Any], errors: dict[int, StoreError]) -> list[Row[Any]]:
    """Load rows of runs.

    There is an error for each run whose row cannot be read.
    """
    try:
        return list(connection.execute(query).all())
    except (*ROW_ERRORS, DBAPIError):
        rows: list[Row[Any]] = []
        for number in connection.scalars(query.with_only_columns(runs.c.number)).all():
            with _collect_error(errors, number), report_corrupt_part(connection, number, "summary"):
                rows += connection.execute(query.where(runs.c.number == number)).all()
        if not errors:
            raise
        return rows


@contextmanager
def _collect_error(errors: dict[int, StoreError], number: int) -> Iterator[None]:
    """Keep the first error of a corrupt run instead of raising it."""
    try:
        yield
    except StoreError as error:
        errors.setdefault(number, error)


def check_run_indexes(connection: Connection) -> None:
    """Check that the table of runs and its smallest index agree.

    They must have the same runs, so that neither hides a run.

    Args:
        connection: connection in a transaction.

    Raises:
        StoreError: if they differ.
    """
    if connection.dialect.name == "sqlite":
        ordered = "SELECT number || ' ' || created AS run FROM runs {} ORDER BY created, number"
        query = f"SELECT group_concat(run) FROM ({ordered})"  # noqa: S608  own texts
        if len({connection.scalar(text(query.format(how))) for how in COUNTED_BY}) > 1:
            raise StoreError("the table or an index of its runs is corrupt", remedy=REBUILD_INDEX)


def _check_score_index(connection: Connection, path: str) -> None:
    """Check that the index of a score hides no run.

    As many runs must have a score by the index of its path as by the key of the run.
    """
    column = scores.c
    by_path = select(func.count()).where(column.path == path, column.value.is_not(None))
    own = select(column.run).where(column.run == runs.c.number, column.path == path, column.value.is_not(None))
    by_run = select(func.count()).select_from(runs).where(own.exists()).with_hint(runs, *WITHOUT_INDEX)
    if connection.scalar(by_path) != connection.scalar(by_run):
        raise StoreError("the index of its scores is corrupt", remedy=REBUILD_INDEX)


def find_run_number(connection: Connection, key: str | UUID) -> int:
    """Find the number of a run, and check its row.

    The number is that in its store.

    Args:
        connection: connection in a transaction.
        key: its id; or its name, the latest if several runs have it; or the beginning of its id.

    Raises:
        StoreError: if no run has this key, the ids of several runs begin with it, or its row is corrupt.
    """
    number = find_unchecked_number(connection, key)
    summary = load_summary(connection, number)
    digits = str(key).lower().replace("-", "")
    if summary.name != str(key) and not summary.id.hex.startswith(digits):
        raise StoreError(f"the index that finds run {str(key)!r} is corrupt", remedy=REBUILD_INDEX)
    return number


def find_unchecked_number(connection: Connection, key: str | UUID) -> int:
    """Find the number of a run that may be corrupt.

    The number is that in its store. Corrupt runs are found too, so that they can be deleted.

    Args:
        connection: connection in a transaction.
        key: its id; or its name, the latest if several runs have it; or the beginning of its id.

    Raises:
        StoreError: if no run has this key, or the ids of several runs begin with it.
    """
    check_run_indexes(connection)
    digits = str(key).lower().replace("-", "")
    is_hex = re.fullmatch(rf"[0-9a-f]{{{MIN_ID_DIGITS},{ID_DIGITS}}}", digits) is not None
    if is_hex and len(digits) == ID_DIGITS:
        numbers = connection.scalars(_select_number().where(runs.c.id == UUID(digits))).all()
    else:
        latest = _select_number().where(runs.c.name == str(key))
        numbers = connection.scalars(latest.order_by(runs.c.created.desc(), runs.c.number.desc()).limit(1)).all()
        numbers = numbers or (_find_by_prefix(connection, digits) if is_hex else [])
    if len(numbers) == 1:
        return int(numbers[0])
    if not numbers:
        raise StoreError(f"there is no run {str(key)!r}", remedy="`isogloss runs list` shows what there is.")
    raise StoreError(f"the ids of {len(numbers)} runs begin with {key}", remedy="Give more of the id.")


def find_number_by_id(connection: Connection, identity: UUID) -> int:
    """Find the number of a run that was loaded before.

    Args:
        connection: connection in a transaction.
        identity: id of the run.

    Raises:
        StoreError: if the run was deleted.
    """
    number: int | None = connection.scalar(_select_number().where(runs.c.id == identity))
    if number is None:
        raise StoreError(f"run {identity} was deleted", remedy="`isogloss runs list` shows what there is.")
    return find_run_number(connection, identity)


def load_id(connection: Connection, number: int) -> UUID | None:
    """Load the id of a run.

    It is None if no run has this number.

    Args:
        connection: connection in a transaction.
        number: number of the run.

    Raises:
        StoreError: if it is corrupt.
    """
    with report_corrupt_part(connection, number, "row"):
        return connection.scalar(select(runs.c.id).where(runs.c.number == number).with_hint(runs, *WITHOUT_INDEX))


def lock_run(connection: Connection, key: str | UUID) -> int:
    """Lock a run for writing, find its number, check its row.

    Other writers are kept from the run until this transaction is over.

    Args:
        connection: connection in a transaction that writes.
        key: id of the run, the beginning of its id, or its name.

    Raises:
        StoreError: if no run has this key, the ids of several runs begin with it, or its row is corrupt.
    """
    number = find_unchecked_number(connection, key)
    connection.execute(select(runs.c.number).where(runs.c.number == number).with_for_update())
    return find_run_number(connection, key)  # checked with the lock: else a writer could be between its tags and digest


def load_inputs(connection: Connection, number: int) -> list[InputFile]:
    """Load the files of a run.

    Args:
        connection: connection in a transaction.
        number: number of the run.

    Raises:
        StoreError: if they are corrupt.
    """
    query = select(inputs.c.role, inputs.c.path, inputs.c.sha256).where(inputs.c.run == number)
    with report_corrupt_part(connection, number, "inputs"):
        rows = [tuple(row) for row in connection.execute(query.order_by(inputs.c.position))]
    check_part(connection, number, "inputs", digest_rows(rows))
    return [InputFile(*entry) for entry in rows]


def load_scores(connection: Connection, number: int) -> list[tuple[str, float | None, float | None, float | None]]:
    """Load path, value, low and high of the scores of a run.

    Args:
        connection: connection in a transaction.
        number: number of the run.

    Raises:
        StoreError: if they are corrupt.
    """
    column = scores.c
    query = select(column.path, column.value, column.low, column.high).where(column.run == number)
    with report_corrupt_part(connection, number, "scores"):
        result = connection.execute(query.order_by(column.path))
        # a damaged type of a column would give 1 for 1.0
        rows = [(path, *(None if number is None else float(number) for number in numbers)) for path, *numbers in result]
        digest = digest_scores(rows)
    check_part(connection, number, "scores", digest)
    return rows


def _find_by_prefix(connection: Connection, digits: str) -> Sequence[int]:
    """Find the numbers of the runs whose ids begin with these digits."""
    low, high = UUID(digits.ljust(ID_DIGITS, "0")), UUID(digits.ljust(ID_DIGITS, "f"))
    return connection.scalars(_select_number().where(runs.c.id >= low, runs.c.id <= high)).all()


def _select_number() -> Select[Any]:
    return select(runs.c.number).with_hint(runs, *WITHOUT_INDEX)


def _select_summary(score: str | None) -> Select[Any]:
    """Select the columns of a summary with one score.

    It is the score of this path, or else the main score.
    """
    path = runs.c.main_score if score is None else score
    joined = runs.join(scores, and_(scores.c.run == runs.c.number, scores.c.path == path), isouter=score is None)
    columns = [runs.c[name] for name in SUMMARY_COLUMNS]
    figure = (scores.c.path, scores.c.value, scores.c.low, scores.c.high, scores.c.checksum)
    query = select(runs.c.number, *columns, *figure).select_from(joined)
    return query.with_hint(runs, *WITHOUT_INDEX)


def _apply_filter(query: Select[Any], run_filter: RunFilter) -> Select[Any]:
    """Add the conditions that are given to a query."""
    conditions: dict[str, Callable[[Any], ColumnElement[bool]]] = {
        "task": runs.c.task.__eq__,
        "name": runs.c.name.__eq__,
        "system": lambda system: _is_file(runs.c.system, system),
        "corpus": runs.c.corpus.__eq__,
        "tag": _has_tag,
        "signature": _has_signature,
        "reference": lambda reference: runs.c.number.in_(_select_runs_of_reference(reference)),
        "since": runs.c.created.__ge__,
        "until": runs.c.created.__lt__,
        "score": lambda _: scores.c.value.is_not(None),
    }
    given = ((build, getattr(run_filter, name)) for name, build in conditions.items())
    return query.where(*(build(value) for build, value in given if value is not None))


def _has_tag(tag: str) -> ColumnElement[bool]:
    """Return whether a run has a tag.

    The index and the table are both asked, so that a corrupt index hides no run.
    """
    by_index = select(tags.c.run).where(tags.c.tag == tag)
    by_table = select(tags.c.run).where(tags.c.tag.concat("") == tag)
    return runs.c.number.in_(by_index) | runs.c.number.in_(by_table)


def _is_file(column: ColumnElement[str], path: str) -> ColumnElement[bool]:
    """Return whether a column is this path or file name.

    A file of this name may be in any folder.
    """
    return (column == path) | column.endswith(f"/{path}", autoescape=True)


def _has_signature(signature: str) -> ColumnElement[bool]:
    """Return whether a run has this signature, or all its choices."""
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


def _build_summaries(connection: Connection, rows: Sequence[Row[Any]], errors: dict[int, StoreError]) -> list[Summary]:
    """Build the summaries of runs.

    There is an error for each run that is corrupt.
    """
    own_tags: dict[int, list[str]] = {row.number: [] for row in rows}
    known: dict[int, dict[str, bytes]] = {row.number: {} for row in rows}
    numbers = list(own_tags)
    for low in range(0, len(numbers), MAX_VALUES):
        some = numbers[low : low + MAX_VALUES]
        for run, tag in _load_rows_of_runs(connection, some, select(tags.c.run, tags.c.tag), TAGS, errors):
            own_tags[run].append(tag)
        query = select(digests.c.run, digests.c.part, digests.c.digest).where(digests.c.part.in_(("summary", TAGS)))
        for run, part, digest in _load_rows_of_runs(connection, some, query, "digests", errors):
            known[run][part] = bytes(digest)
    for row in rows:
        with _collect_error(errors, row.number):
            _check_summary(connection, row, own_tags[row.number], known[row.number])
    return [_build_summary(row, own_tags[row.number]) for row in rows if row.number not in errors]


def _load_rows_of_runs(
    connection: Connection, numbers: Sequence[int], query: Select[Any], part: str, errors: dict[int, StoreError]
) -> Sequence[Any]:
    """Load rows of a part of some runs.

    There is an error for each run whose rows cannot be read.
    """
    run, known = query.selected_columns["run"], frozenset(numbers)
    try:  # a damaged row may have another number than its index
        return [row for row in connection.execute(query.where(run.in_(numbers))) if row[0] in known]
    except (*ROW_ERRORS, DBAPIError):
        rows: list[Any] = []
        for number in numbers:
            with _collect_error(errors, number), report_corrupt_part(connection, number, part):
                rows += [row for row in connection.execute(query.where(run == number)) if row[0] == number]
        if not errors:
            raise
        return rows


def _check_summary(connection: Connection, row: Row[Any], own_tags: Sequence[str], known: Mapping[str, bytes]) -> None:
    """Check what a list shows of a run.

    Checked are its row, its tags and its score.
    """
    with report_corrupt_part(connection, row.number, "summary"):
        digest = digest_summary(row._mapping)  # noqa: SLF001  its public name has the underscore
    if digest != known.get("summary"):
        raise_corrupt(connection, row.number, "summary")
    if digest_tags(own_tags) != known.get(TAGS):
        raise_corrupt(connection, row.number, TAGS)
    with report_corrupt_part(connection, row.number, "scores"):
        if row.path is None:
            is_saved = row.main_score is None
        else:
            data = encode_score(row.path, row.value, row.low, row.high)
            is_saved = compute_checksum(row.number, data) == row.checksum
    if not is_saved:
        raise_corrupt(connection, row.number, "scores")


def _build_summary(row: Row[Any], own_tags: Sequence[str]) -> Summary:
    columns = {name: getattr(row, name) for name in SUMMARY_COLUMNS if name not in ("created", "main_score")}
    score = None if row.path is None else Figure(row.path, row.value, row.low, row.high)
    return Summary(**columns, created=to_utc(row.created), tags=tuple(sorted(own_tags)), score=score)
