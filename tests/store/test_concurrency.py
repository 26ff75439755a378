"""Processes that are killed, or that write to a store at the same time."""

from __future__ import annotations

import random
import sqlite3
import subprocess
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from saved_runs import called, finished, ner_run, with_findings
from sqlalchemy import text

from isogloss.store import Store
from isogloss.store.database import lock_tables
from isogloss.store.queries import lock_run
from isogloss.store.store import add_tags

NUMBER = 6000
FORKING = """
import os, signal, sys, time
{imports}

for line in sys.stdin:
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(writer, 1)
{work}
        os._exit(0)
    os.close(writer)
    told = os.fdopen(reader)
    assert told.readline() == "ready\\n"
    url, seconds = line.split("\\t")
    time.sleep(float(seconds))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    print(len(told.readlines()), flush=True)
"""
SAVING = FORKING.format(
    imports=f"""
from saved_runs import with_findings
from saved_runs import with_findings
from isogloss.store import Store

run = with_findings({NUMBER}).ensure_documents()
""",
    work="""
        with Store.open(line.split("\\t")[0]) as store:
            print("ready", flush=True)
            while True:
                store.save(run, tags=["a", "b"])
                print("saved", flush=True)
""",
)
MAKING = FORKING.format(
    imports="""
import alembic.command, isogloss.store.database
from isogloss.store import Store
""",
    work="""
        print("ready", flush=True)
        Store.open(line.split("\\t")[0]).close()
""",
)
WRITING = """
import sys
from saved_runs import with_findings
from saved_runs import with_findings
from isogloss.store import Store

print("ready", flush=True)
sys.stdin.readline()
run = with_findings(200).ensure_documents()
with Store.open(sys.argv[1]) as store:
    for k in range(int(sys.argv[3])):
        print(store.save(run, name=f"{sys.argv[2]} {k}"))
"""


def killed(code: str, urls: list[str], most: float) -> list[int]:
    """How many lines a process wrote for each of these, from when it was ready until it was killed."""
    generator = random.Random(urls[0][:6])
    lines = "".join(f"{url}\t{generator.uniform(0, most)}\n" for url in urls)
    written, said = called(code).communicate(lines, timeout=120)
    found = [int(line) for line in written.split()]
    assert len(found) == len(urls), said
    return found


def test_killed_save_leaves_only_complete_runs(url: str) -> None:
    told = sum(killed(SAVING, [url] * 4, 0.3))
    with Store.open(url) as store:
        runs = store.list(limit=None)
        assert told <= len(runs) <= told + 4  # each killed process may save a run without printing it
        for summary in runs:
            assert summary.tags == ("a", "b")
            assert sum(store.finding_counts(summary.id).values()) == NUMBER
            assert len(store.findings(summary.id, limit=None)) == NUMBER
            assert store.get(summary.id).run().documents == summary.documents
        with store._database.begin_reading() as connection:
            for table in ("scores", "packed", "tags", "digests"):
                owners = connection.exec_driver_sql(f"SELECT count(DISTINCT run) FROM {table}").scalar()
                assert owners == len(runs)


def test_killed_creation_leaves_a_usable_file(tmp_path: Path) -> None:
    paths = [tmp_path / f"{k}.db" for k in range(4)]
    killed(MAKING, [str(path) for path in paths], 0.12)
    for path in paths:
        with Store.open(path) as store:
            assert store.list() == []
        connection = sqlite3.connect(path)
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        connection.close()


@pytest.mark.parametrize("new", [False, True])
def test_two_concurrent_writers_lose_no_run(request: pytest.FixtureRequest, kind: str, new: bool) -> None:  # noqa: FBT001  a parameter
    url: str = request.getfixturevalue("untouched" if new else "url")
    writers: list[subprocess.Popen[str]] = [called(WRITING, url, name, "8") for name in ("one", "two")]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    told = [line for writer in writers for line in finished(writer).split()]
    with Store.open(url) as store:
        assert sorted(told) == sorted(str(summary.id) for summary in store.list())
        assert len(told) == 16
        for k in range(8):
            for name in ("one", "two"):
                assert len(store.findings(f"{name} {k}", limit=None)) == 200


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
def test_concurrent_equal_tags_are_saved_once(opened: Store) -> None:
    identity = opened.save(ner_run())
    with ThreadPoolExecutor(1) as threads:
        with opened._database.begin_writing() as connection:
            number = lock_run(connection, identity)
            late = threads.submit(opened.tag, identity, "nightly")
            assert blocked(opened, late)
            add_tags(connection, number, {"nightly"})
        late.result(PATIENCE)
    assert opened.get(identity).summary.tags == ("nightly",)


@pytest.mark.extra
def test_concurrent_imports_save_each_run_once(opened: Store, tmp_path: Path) -> None:
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
