"""Two that write the same to a server at once: the second finds what the first has written."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from example_runs import ner_run, with_findings
from sqlalchemy import text

from isogloss.store import Store
from isogloss.store.database import lock_tables
from isogloss.store.queries import lock_run

WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted"
PATIENCE = 60.0  # seconds after which a test fails


def blocked(store: Store, future: Future[Any]) -> bool:
    """Whether a call waits for others, as soon as it does or has ended."""
    until = monotonic() + PATIENCE
    while not future.done() and monotonic() < until:
        with store._database.begin_reading() as connection:
            if connection.scalar(text(WAITING)):
                return True
    return False


@pytest.fixture
def opened(server: str) -> Any:
    with Store.open(server) as store:
        yield store


@pytest.mark.extra
def test_a_tag_that_another_gives_meanwhile_does_no_harm(opened: Store) -> None:
    identity = opened.save(ner_run())
    with ThreadPoolExecutor(1) as threads:
        with opened._database.begin_writing() as connection:
            number = lock_run(connection, identity)
            late = threads.submit(opened.tag, identity, "nightly")
            assert blocked(opened, late)
            connection.execute(text("INSERT INTO tags (run, tag) VALUES (:run, 'nightly')"), {"run": number})
        late.result(PATIENCE)
    assert opened.get(identity).summary.tags == ("nightly",)


@pytest.mark.extra
def test_runs_that_another_takes_in_meanwhile_are_here_already(opened: Store, tmp_path: Path) -> None:
    identity = opened.save(with_findings(7))
    opened.export([identity], tmp_path / "runs.jsonl")
    opened.delete(identity)
    with ThreadPoolExecutor(2) as threads:
        with opened._database.begin_writing() as connection:
            lock_tables(connection)
            both = [threads.submit(opened.load_export, tmp_path / "runs.jsonl") for _ in range(2)]
            assert blocked(opened, both[0])
        found = [each.result(PATIENCE) for each in both]
    assert sorted(map(len, found)) == [0, 1]
    assert len(opened.findings(identity)) == 7
