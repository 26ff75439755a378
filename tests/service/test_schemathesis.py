"""What schemathesis makes of the OpenAPI document: requests that fit it, and requests that do not."""

from __future__ import annotations

import json
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.core.result import Ok
from serving import RunningService

from isogloss.service.openapi import build_document
from isogloss.service.requests import make_routes

SCHEMA = schemathesis.openapi.from_dict(build_document(make_routes()))
OPERATIONS = {result.ok().label: result.ok() for result in SCHEMA.get_all_operations() if isinstance(result, Ok)}


TRIED = [label for label in OPERATIONS if not label.endswith("/events")]
REFUSING = [label for label in TRIED if OPERATIONS[label].body or OPERATIONS[label].query]  # else any text is allowed
CASES = [(label, GenerationMode.POSITIVE) for label in TRIED] + [(label, GenerationMode.NEGATIVE) for label in REFUSING]


@pytest.mark.parametrize(("label", "mode"), CASES, ids=str)
def test_every_answer_to_generated_requests_is_declared(
    service: RunningService,
    label: str,
    mode: GenerationMode,
) -> None:
    operation = OPERATIONS[label]
    declared = set(operation.definition.raw["responses"])

    with service.client() as client:

        @settings(max_examples=15, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy(generation_mode=mode))
        def ask(case: Any) -> None:
            body = case.body if isinstance(case.body, bytes) else json.dumps(case.body, default=str)
            content: dict[str, Any] = (
                {"content": body, "headers": {"content-type": "application/json"}} if operation.body else {}
            )
            answer = client.request(operation.method, case.formatted_path, params=case.query, **content)
            assert answer.status_code != 500, service.read_log()[-3000:]
            assert str(answer.status_code) in declared

        ask()
