"""What every request passes, in this process and without processes behind it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest

from isogloss.errors import UsageError
from isogloss.service.app import Service
from isogloss.service.monitoring import ServiceMetrics
from isogloss.service.settings import ModelSettings, ServiceSettings

TOKEN = "s3cret-Token"


def asked(settings: ServiceSettings, path: str, method: str = "GET", **options: Any) -> httpx.Response:
    async def answer() -> httpx.Response:
        transport = httpx.ASGITransport(Service(settings).app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8008") as client:
            return await client.request(method, path, **options)

    return asyncio.run(answer())


@pytest.mark.parametrize(
    "shown",
    [None, "", "Bearer", "Bearer ", f"Bearer {TOKEN}x", f"Bearer {TOKEN.lower()}", f"Basic {TOKEN}", TOKEN],
)
@pytest.mark.parametrize("path", ["/v1/profiles", "/openapi.json", "/metrics", "/calculate/", "/nothing"])
def test_request_without_the_token_is_refused(path: str, shown: str | None) -> None:
    headers = {} if shown is None else {"authorization": shown}
    answer = asked(ServiceSettings(token=TOKEN), path, headers=headers)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert answer.json()["type"] == "urn:isogloss:problem:token-missing"


@pytest.mark.parametrize("path", ["/", "/static/app.js", "/static/app.css", "/docs/", "/docs/script.js"])
def test_page_that_asks_for_the_token_needs_none(path: str) -> None:
    assert asked(ServiceSettings(token=TOKEN), path).status_code == 200


def test_documentation_without_the_token_hides_the_models() -> None:
    models = ModelSettings(recognisers=("names:secret.txt",))
    assert "secret.txt" in asked(ServiceSettings(models=models), "/docs/").text
    assert "secret.txt" not in asked(ServiceSettings(models=models, token=TOKEN), "/docs/").text


@pytest.mark.parametrize("path", ["/v1/runs", "/v1/notes", "/v1/export"])
def test_data_of_the_page_need_the_token(path: str) -> None:
    assert asked(ServiceSettings(token=TOKEN), path).status_code == 401


def test_with_the_token_it_is() -> None:
    for scheme in ("Bearer", "bearer"):
        headers = {"authorization": f"{scheme} {TOKEN}"}
        assert asked(ServiceSettings(token=TOKEN), "/v1/profiles", headers=headers).status_code == 200


def test_health_needs_no_token() -> None:
    assert asked(ServiceSettings(token=TOKEN), "/healthz").status_code == 200
    assert asked(ServiceSettings(token=TOKEN), "/readyz").status_code == 503


def test_request_before_loading_gets_a_retry_time() -> None:
    answer = asked(ServiceSettings(), "/v1/ner", "POST", json={"reference": [], "prediction": []})
    assert (answer.status_code, answer.json()["type"]) == (503, "urn:isogloss:problem:not-ready")
    assert int(answer.headers["retry-after"]) > 0


def test_a_bug_is_answered_with_its_id_and_logged_without_text(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fails(_: ServiceMetrics) -> bytes:
        raise RuntimeError("hush")

    settings = ServiceSettings()
    monkeypatch.setattr(ServiceMetrics, "render", fails)
    answer = asked(settings, "/metrics", headers={"x-request-id": "the-id"})
    assert answer.status_code == 500
    assert answer.json()["request_id"] == "the-id"
    assert "hush" not in answer.text
    bug, request = map(json.loads, capsys.readouterr().err.splitlines())
    assert bug["bug"][-1] == "RuntimeError"
    assert any("service/app.py" in place for place in bug["bug"])
    assert "hush" not in json.dumps(bug)
    assert (bug["request_id"], request["status"]) == ("the-id", 500)


def test_quiet_service_does_not_log_requests(capsys: pytest.CaptureFixture[str]) -> None:
    asked(ServiceSettings(quiet=True), "/healthz")
    assert capsys.readouterr().err == ""


PAGE = "https://page.example"


@pytest.mark.parametrize("allowed", [PAGE, "*"])
def test_page_of_an_allowed_origin_may_call_the_service(allowed: str) -> None:
    settings = ServiceSettings(token=TOKEN, allowed_origins=(allowed,))
    asks = {"origin": PAGE, "access-control-request-method": "POST", "access-control-request-headers": "authorization"}
    preflight = asked(settings, "/v1/ner", "OPTIONS", headers=asks)
    assert preflight.status_code == 200
    assert "POST" in preflight.headers["access-control-allow-methods"]
    answer = asked(settings, "/v1/profiles", headers={"origin": PAGE, "authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == allowed
    assert "X-Request-ID" in answer.headers["access-control-expose-headers"]
    assert asked(settings, "/v1/profiles", headers={"origin": PAGE}).status_code == 401


def test_page_of_another_origin_may_not() -> None:
    settings = ServiceSettings(allowed_origins=(PAGE,))
    for other in ("https://other.example", "http://page.example", "https://page.example:444"):
        answer = asked(settings, "/v1/profiles", headers={"origin": other})
        assert answer.status_code == 403
        assert "--allow-origin" in answer.json()["remedy"]
        assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("origin", ["page.example", "https://page.example/path", "ftp://page.example", "https://", ""])
def test_origin_that_no_browser_sends_is_refused(origin: str) -> None:
    with pytest.raises(UsageError, match="--allow-origin must be like"):
        ServiceSettings(allowed_origins=(origin,))
