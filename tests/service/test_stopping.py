"""How a service handles requests while it stops."""

from __future__ import annotations

import os
import signal
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from serving import RunningService, start_service
from waiting import wait_until

GATED = ("--workers", "1", "--recogniser", "python:recognisers:gated")
TEXTS = {"texts": ["Привіт Dundee"]}


def post(service: RunningService) -> httpx.Response:
    with service.client() as client:
        return client.post("/calculate/", json=TEXTS)


def wait_until_working(client: httpx.Client) -> None:
    wait_until(lambda: 'isogloss_requests_open{queue="models"} 1.0' in client.get("/metrics").text)


def told_while_working(
    service: RunningService, number: signal.Signals, gate: Path
) -> tuple[httpx.Response, httpx.Response]:
    """The answers to a request that was under way when the signal came, and to one that came after it."""
    with ThreadPoolExecutor() as threads, service.client() as client:
        running = threads.submit(post, service)
        wait_until_working(client)
        service.process.send_signal(number)
        wait_until(lambda: client.get("/readyz").status_code != httpx.codes.OK)
        late = client.post("/calculate/", json=TEXTS)
        gate.touch()
        return running.result(), late


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_what_is_under_way_is_finished_and_what_comes_is_refused(
    number: signal.Signals,
    code: int,
    tmp_path: Path,
) -> None:
    gate = tmp_path / "gate"
    with start_service(*GATED, environment={"ISOGLOSS_TEST_GATE": str(gate)}) as service:
        running, late = told_while_working(service, number, gate)
        assert running.status_code == 200
        assert (late.status_code, late.json()["type"]) == (503, "urn:isogloss:problem:shutting-down")
        assert int(late.headers["retry-after"]) > 0
        assert service.process.wait(60) == code
        assert "Traceback" not in service.read_log()


def test_what_takes_longer_than_the_grace_is_not_waited_for() -> None:
    stuck = ("--workers", "1", "--recogniser", "python:recognisers:stuck", "--grace", "0.1")
    with start_service(*stuck) as service, ThreadPoolExecutor() as threads, service.client() as client:
        running = threads.submit(post, service)
        wait_until_working(client)
        service.process.send_signal(signal.SIGTERM)
        assert service.process.wait(60) == 0
        assert running.result().status_code == 503


def test_runs_that_nobody_keeps_are_deleted_in_the_end(tmp_path: Path) -> None:
    with start_service("--workers", "1", environment={"TMPDIR": str(tmp_path)}) as service:
        with service.client() as client:
            file = {"name": "gold.conll", "content": b64encode(b"Ada B-PER\n").decode()}
            body = {"task": "ner", "reference": file, "prediction": file}
            url = client.post("/v1/jobs", json=body).headers["location"]
            wait_until(lambda: client.get(url).json()["state"] == "done")
        assert [*tmp_path.glob("isogloss-*/runs.db")]
        service.process.send_signal(signal.SIGTERM)
        assert service.process.wait(60) == 0
    assert not [*tmp_path.iterdir()]


def test_a_worker_that_is_killed_is_replaced() -> None:
    with start_service("--workers", "1") as service, service.client() as client:
        workers = workers_of(service)
        if not workers:
            pytest.skip("/proc does not name the workers")
        body = {"reference": [["O"]], "prediction": [["O"]]}
        for worker in workers:
            os.kill(worker, signal.SIGKILL)
        assert client.post("/v1/ner", json=body).status_code == 200
        assert client.get("/readyz").status_code == 200


def workers_of(service: RunningService) -> list[int]:
    """The processes that score."""
    number = service.process.pid
    file = Path(f"/proc/{number}/task/{number}/children")
    children = map(int, file.read_text(encoding="ascii").split()) if file.exists() else ()
    return [child for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]
