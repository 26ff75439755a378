from __future__ import annotations

import asyncio
import json
from collections import Counter

import malformed
import pytest
from http_load import Answer, build_request, send_requests
from serving import RunningService

from isogloss.service.problems import PROBLEM_KINDS, TYPE_PREFIX

NUMBER = 10_000
CONNECTIONS = 8


def sent(service: RunningService, path: str, bodies: list[bytes]) -> list[Answer]:
    return asyncio.run(send_requests(service.port, [build_request("POST", path, body) for body in bodies], CONNECTIONS))


@pytest.mark.parametrize("path", malformed.BASES)
def test_no_malformed_body_meets_a_bug(service: RunningService, path: str) -> None:
    number = -(-NUMBER // len(malformed.BASES))
    bodies = malformed.bodies(path, number, seed=1)
    found = sent(service, path + "?detail=findings" * path.startswith("/v1"), bodies)
    statuses = Counter(answered.status for answered in found)
    assert len(found) == number
    assert statuses.keys() <= {200, 400, 413, 422}, f"{statuses}\n{service.read_log()[-5000:]}"
    assert statuses[422] > number / 10
    assert statuses[400] > number / 20


@pytest.mark.parametrize("path", malformed.BASES)
def test_every_refusal_is_a_problem_with_a_detail(service: RunningService, path: str) -> None:
    for answered in sent(service, path, malformed.bodies(path, 50, seed=2)):
        if answered.status != 200:
            problem = json.loads(answered.body)
            assert PROBLEM_KINDS[problem["type"].removeprefix(TYPE_PREFIX)][0] == problem["status"] == answered.status
            assert problem["detail"]
