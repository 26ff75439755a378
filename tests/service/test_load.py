"""What is promised under load, by a service in a process of its own."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from many import Answered, answers, request
from serving import Served, served
from waiting import wait_until

HEALTHY = 0.050  # seconds, for 99 of 100 answers of /healthz on a machine that has time for them
BUSY = 5  # times as long as without a load, where the machine is busy with something else
ASKED = 400
ATTEMPTS = 5


@pytest.fixture(scope="module", params=["sleeping", "burning"])
def slow(request: pytest.FixtureRequest) -> Iterator[Served]:
    """A service whose recogniser takes half a second for a batch."""
    with served("--workers", "2", "--recogniser", f"python:recognisers:{request.param}") as running:
        yield running


async def health(port: int) -> float:
    """The 99th of 100 times of /healthz."""
    seconds = sorted(one.seconds for one in await answers(port, [request("GET", "/healthz")] * ASKED, 2))
    return seconds[ASKED * 99 // 100]


async def meanwhile(port: int, load: list[bytes]) -> tuple[float, list[Answered], bool]:
    """The 99th of 100 times of /healthz under a load, the answers to the load, and whether it lasted that long."""
    loading = asyncio.ensure_future(answers(port, load, len(load)))
    await asyncio.sleep(0.1)
    seconds = await health(port)
    lasted = not loading.done()
    return seconds, await loading, lasted


def test_neither_a_slow_recogniser_nor_a_large_body_delays_health(slow: Served) -> None:
    tags = [["B-PER", "I-PER", "O", "B-LOC"] * 10] * 15_000
    large = json.dumps({"reference": tags, "prediction": tags}).encode()
    texts = [request("POST", "/calculate/", json.dumps({"texts": [f"Привіт Dundee {n}"]}).encode()) for n in range(20)]
    load = [request("POST", "/v1/ner", large)] * 4 + texts
    times = []
    for _ in range(ATTEMPTS):
        time, loaded, lasted = asyncio.run(meanwhile(slow.port, load))
        assert Counter(one.status for one in loaded) == {200: len(load)}
        assert lasted, "the load ended before the measurement"
        alone = asyncio.run(health(slow.port))
        times.append((time, alone))
        if time < max(HEALTHY, BUSY * alone):
            return
    pytest.fail(f"seconds with and without a load: {times}")


def test_requests_that_wait_for_a_recogniser_share_its_batches(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    body = json.dumps({"texts": ["Привіт Dundee"]}).encode()
    arguments = ("--workers", "1", "--recogniser", "python:recognisers:gated")
    with served(*arguments, environment={"ISOGLOSS_TEST_GATE": str(gate)}) as service, ThreadPoolExecutor() as threads:
        sent = [request("POST", "/calculate/", body)] * 16
        found = threads.submit(asyncio.run, answers(service.port, sent, 16))
        with service.client() as client:
            wait_until(lambda: 'isogloss_requests_open{queue="models"} 16.0' in client.get("/metrics").text)
        gate.touch()
        assert Counter(one.status for one in found.result()) == {200: 16}
    batches = gate.with_suffix(".batches").read_text(encoding="ascii").split()
    assert sum(map(int, batches)) == 16
    assert len(batches) < 16, "each had a batch of its own"


def test_of_a_thousand_requests_at_a_time_none_is_lost(service: Served) -> None:
    sent = []
    for number in range(1000):
        tags = [["B-PER"], *[["O"]] * (number % 7)]
        sent.append(request("POST", "/v1/ner", json.dumps({"reference": tags, "prediction": tags}).encode()))
    found = asyncio.run(answers(service.port, sent, len(sent)))
    assert Counter(one.status for one in found) == {200: 1000}
    documents = Counter(json.loads(one.body)["documents"] for one in found)
    assert documents == Counter(number % 7 + 1 for number in range(1000))
