"""The URLs of the explorer over HTTP, notes, the page and its files."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from explored import build_run, explore, explore_demo
from serving import RunningService

from isogloss.demo import files
from isogloss.errors import UsageError
from isogloss.explorer.explorer import Explorer
from isogloss.explorer.payloads import Upload
from isogloss.explorer.routes import answer_url
from isogloss.explorer.static_export import list_urls
from isogloss.service.app import Service
from isogloss.service.settings import ServiceSettings
from isogloss.service.upload_scoring import open_upload_folder

NOTE = f"/v1/notes/{'a' * 64}/{'0' * 16}"


def call(explorer: Explorer, use: Callable[[httpx.AsyncClient], Any]) -> Any:
    """Call the service in this process."""

    async def run() -> Any:
        transport = httpx.ASGITransport(Service(ServiceSettings(quiet=True), lambda _: explorer).app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await use(client)

    return asyncio.run(run())


@pytest.fixture
def explorer() -> Explorer:
    return explore(build_run([(0, 0, 1, "missed", "PER", "news/web?")]))


@pytest.mark.parametrize("task", ["ner", "classification"])
def test_answers_are_those_of_static_exports(task: str, tmp_path: Path) -> None:
    explorer = explore_demo(tmp_path, task)
    urls = list(list_urls(explorer))

    async def read(client: httpx.AsyncClient) -> dict[str, bytes]:
        return {url: (await client.get(url)).content for url in urls}

    assert call(explorer, read) == {url: answer_url(explorer, url).body for url in urls}


def test_problems_have_their_status(explorer: Explorer) -> None:
    expected = {"/v1/runs/zz": 404, "/v1/runs?limit=0": 422, "/v1/compare?runs=run-1": 422, "/v1/runs/run-1": 200}

    async def read(client: httpx.AsyncClient) -> dict[str, int]:
        return {url: (await client.get(url)).status_code for url in expected}

    assert call(explorer, read) == expected


def test_page_runs_only_its_own_files(explorer: Explorer) -> None:
    async def read(client: httpx.AsyncClient) -> list[httpx.Response]:
        return [await client.get(url) for url in ("/", "/static/app.js", "/static/app.css")]

    page, script, style = call(explorer, read)
    assert page.headers["content-security-policy"].startswith("default-src 'self';")
    assert "unsafe" not in page.headers["content-security-policy"]
    assert "<script>" not in page.text
    assert "style=" not in page.text
    assert script.headers["content-type"].startswith("text/javascript")
    assert style.headers["content-type"].startswith("text/css")


def test_note_is_written_read_and_deleted(explorer: Explorer) -> None:
    async def use(client: httpx.AsyncClient) -> list[Any]:
        body = {"verdict": "gold error", "text": "A river."}
        written = (await client.put(NOTE, json=body)).json()
        listed = (await client.get("/v1/notes")).json()
        again = (await client.put(NOTE, json=body | {"verdict": "ambiguous"})).json()
        deleted = (await client.delete(NOTE)).status_code
        return [written, listed, again["verdict"], deleted, (await client.get("/v1/notes")).json()]

    written, listed, again, deleted, left = call(explorer, use)
    assert written == written | {"verdict": "gold error", "text": "A river.", "key": "0" * 16}
    assert listed["notes"] == [written]
    assert (again, deleted, left["notes"]) == ("ambiguous", 204, [])


@pytest.mark.parametrize(
    ("url", "body", "status"),
    [
        (NOTE, {"verdict": "nonsense"}, 422),
        (NOTE, {"verdict": "ambiguous", "more": 1}, 422),
        ("/v1/notes/a/short", {"verdict": "ambiguous"}, 422),
    ],
)
def test_wrong_note_is_refused(explorer: Explorer, url: str, body: dict[str, Any], status: int) -> None:
    assert call(explorer, lambda client: client.put(url, json=body)).status_code == status


def test_other_sites_write_no_notes(explorer: Explorer) -> None:
    headers = {"origin": "https://example.org"}
    answer = call(explorer, lambda client: client.put(NOTE, json={"verdict": "ambiguous"}, headers=headers))
    assert answer.status_code == 403


def test_export_is_a_file(explorer: Explorer) -> None:
    answer = call(explorer, lambda client: client.get("/v1/export?run=run-1&kind=missed"))
    assert answer.headers["content-disposition"] == 'attachment; filename="findings-ner-jsonl.jsonl"'
    assert json.loads(answer.text)["kind"] == "missed"


def test_metrics_name_the_route_and_not_the_run(explorer: Explorer) -> None:
    async def use(client: httpx.AsyncClient) -> str:
        await client.get("/v1/runs/run-1/facets")
        return (await client.get("/metrics")).text

    text = call(explorer, use)
    assert 'route="/v1/runs/{id}/facets"' in text
    assert "run-1" not in text


def upload(name: str, content: bytes) -> dict[str, str]:
    return {"name": name, "content": base64.b64encode(content).decode()}


def follow(client: httpx.Client, body: dict[str, Any]) -> list[dict[str, Any]]:
    """Create a job and read its events to the end."""
    created = client.post("/v1/jobs", json=body)
    assert created.status_code == 202, created.text
    assert created.headers["location"] == f"/v1/jobs/{created.json()['id']}"
    with client.stream("GET", f"{created.headers['location']}/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        return [json.loads(line.removeprefix("data: ")) for line in stream.iter_lines() if line]


def ner_body(**more: Any) -> dict[str, Any]:
    found = files()
    return {
        "task": "ner",
        "reference": upload("our gold.conll", found.reference.read_bytes()),
        "prediction": upload("../../etc/b.conll", found.systems[1].read_bytes()),
    } | more


def test_upload_is_scored_and_shown(service: RunningService) -> None:
    with service.client() as client:
        events = follow(client, ner_body())
        assert events[-1]["state"] == "done", events[-1]
        run = client.get(f"/v1/runs/{events[-1]['run']}").json()
        rows = client.get(f"/v1/runs/{events[-1]['run']}/rows/0").json()["findings"]
    assert run["system"] == "../../etc/b.conll"
    assert run["findings"] == len(rows) == 51
    assert all("/tmp" not in row["where"] for row in rows)


def test_form_with_compressed_files_is_scored(service: RunningService) -> None:
    found = files()
    parts = {
        "reference": ("gold.conll.gz", gzip.compress(found.reference.read_bytes())),
        "prediction": ("b.conll", found.systems[1].read_bytes()),
    }
    fields = {"task": "ner", "save": "false", "name": "", "options": '{"scheme": "iob2"}'}
    with service.client() as client:
        created = client.post("/v1/jobs", data=fields, files=parts)
        assert created.status_code == 202, created.text
        with client.stream("GET", f"{created.headers['location']}/events") as stream:
            last = [json.loads(line.removeprefix("data: ")) for line in stream.iter_lines() if line][-1]
        assert last["state"] == "done", last
        run = client.get(f"/v1/runs/{last['run']}").json()
    assert (run["findings"], run["system"]) == (51, "b.conll")
    assert "scheme" in run["signature"] or "iob2" in run["signature"]


def test_form_without_a_task_is_refused(service: RunningService) -> None:
    with service.client() as client:
        answer = client.post("/v1/jobs", files={"prediction": ("b.conll", b"A O\n")})
    assert answer.status_code == 422
    assert "task" in answer.json()["detail"]


def test_upload_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_MAX_UNPACKED", "1000000")
    with open_upload_folder() as folder, pytest.raises(UsageError, match="more than 1,000,000 bytes"):
        folder.write("reference", Upload(name="bomb.gz", content=gzip.compress(bytes(50_000_000))))


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"reference": None}, "The reference is missing"),
        ({"reference": upload("a.gz", b"\x1f\x8b\x08")}, "The reference is a damaged gzip file"),
        ({"reference": upload("a.gz", gzip.compress(b"A O\n") + b"zz")}, "The reference is a damaged gzip file"),
        ({"reference": upload("a.zst", b"\x28\xb5\x2f\xfd")}, "compressed, but not with gzip"),
        ({"options": {"training": "/etc/passwd"}}, "Unknown option 'training'"),
        ({"prediction": upload("p.conll", b"Ada B-PER\n")}, "our gold.conll"),
    ],
)
def test_upload_that_cannot_be_scored_says_why(service: RunningService, more: dict[str, Any], message: str) -> None:
    with service.client() as client:
        last = follow(client, ner_body(**more))[-1]
    assert last["state"] == "failed"
    assert message in last["message"]
    assert "/tmp" not in last["message"]


def test_unknown_task_is_refused(service: RunningService) -> None:
    with service.client() as client:
        answer = client.post("/v1/jobs", json=ner_body(task="zz"))
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == "/task"


def test_cancelled_job_ends(service: RunningService) -> None:
    line = b"Ada B-PER\n\n"
    big = ner_body(reference=upload("g.conll", line * 20_000), prediction=upload("p.conll", line * 20_000))
    with service.client() as client:
        created = client.post("/v1/jobs", json=big).json()
        cancelled = client.delete(f"/v1/jobs/{created['id']}").json()
        assert cancelled["state"] in ("cancelled", "done")
        assert client.get(f"/v1/jobs/{created['id']}").json()["state"] == cancelled["state"]
        assert client.get("/v1/jobs/zz").status_code == 404
