"""What is promised under load, by a service in a process of its own."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from http_load import Answer, build_request, send_requests
from serving import RunningService, start_service
from waiting import wait_until

ASKED = 400


async def meanwhile(
    port: int,
    load: list[bytes],
    open_gate: Callable[[], None],
) -> tuple[list[Answer], list[Answer]]:
    """The answers of /healthz while nothing of a load can be answered for its recogniser, and those to the load."""
    loading = asyncio.ensure_future(send_requests(port, load, len(load)))
    await asyncio.sleep(0.1)
    healthy = await send_requests(port, [build_request("GET", "/healthz")] * ASKED, 2)
    assert not loading.done()
    open_gate()
    return healthy, await loading


def test_health_is_answered_while_scoring_is_busy(tmp_path: Path) -> None:
    tags = [["B-PER", "I-PER", "O", "B-LOC"] * 10] * 15_000
    large = json.dumps({"reference": tags, "prediction": tags}).encode()
    texts = [
        build_request("POST", "/calculate/", json.dumps({"texts": [f"Привіт Dundee {n}"]}).encode()) for n in range(20)
    ]
    load, gate = [build_request("POST", "/v1/ner", large)] * 4 + texts, tmp_path / "gate"
    arguments = ("--workers", "2", "--recogniser", "python:recognisers:busy")
    with start_service(*arguments, environment={"ISOGLOSS_TEST_GATE": str(gate)}) as service:
        healthy, loaded = asyncio.run(meanwhile(service.port, load, gate.touch))
    assert Counter(one.status for one in healthy) == {200: ASKED}
    assert Counter(one.status for one in loaded) == {200: len(load)}


def test_requests_that_wait_for_a_recogniser_share_its_batches(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    body = json.dumps({"texts": ["Привіт Dundee"]}).encode()
    arguments = ("--workers", "1", "--recogniser", "python:recognisers:gated")
    with (
        start_service(*arguments, environment={"ISOGLOSS_TEST_GATE": str(gate)}) as service,
        ThreadPoolExecutor() as threads,
    ):
        sent = [build_request("POST", "/calculate/", body)] * 16
        found = threads.submit(asyncio.run, send_requests(service.port, sent, 16))
        with service.client() as client:
            wait_until(lambda: 'isogloss_requests_open{queue="models"} 16.0' in client.get("/metrics").text)
        gate.touch()
        assert Counter(one.status for one in found.result()) == {200: 16}
    batches = gate.with_suffix(".batches").read_text(encoding="ascii").split()
    assert sum(map(int, batches)) == 16
    assert len(batches) < 16, "each had a batch of its own"


def test_of_a_thousand_requests_at_a_time_none_is_lost(service: RunningService) -> None:
    sent = []
    for number in range(1000):
        tags = [["B-PER"], *[["O"]] * (number % 7)]
        sent.append(build_request("POST", "/v1/ner", json.dumps({"reference": tags, "prediction": tags}).encode()))
    found = asyncio.run(send_requests(service.port, sent, len(sent)))
    assert Counter(one.status for one in found) == {200: 1000}
    documents = Counter(json.loads(one.body)["documents"] for one in found)
    assert documents == Counter(number % 7 + 1 for number in range(1000))
