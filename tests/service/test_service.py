"""Requests to a running service over loopback."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from serving import RunningService, exchange_bytes

import isogloss
from isogloss.cli import run
from isogloss.report.text_formats import format_runs_json
from isogloss.service.requests import make_routes

JSON = "application/json"
TASKS = {route.task.name: route for route in make_routes().values() if route.extra is None}
REFERENCE = [["B-PER", "I-PER", "O"], ["O", "B-LOC"]]
PREDICTION = [["B-PER", "O", "O"], ["O", "B-LOC"]]
NER = {"reference": REFERENCE, "prediction": PREDICTION}
OF_FILES = {"system", "inputs"}  # what differs between a file and a list, beside places


@pytest.fixture
def client(service: RunningService) -> Iterator[httpx.Client]:
    with service.client() as client:
        yield client


def problem(answer: httpx.Response, status: int, kind: str) -> dict[str, Any]:
    assert answer.headers["content-type"] == "application/problem+json"
    document: dict[str, Any] = answer.json()
    assert (answer.status_code, document["status"], document["type"]) == (
        status,
        status,
        f"urn:isogloss:problem:{kind}",
    )
    assert document["request_id"] == answer.headers["x-request-id"]
    return document


def pointers(document: dict[str, Any]) -> list[str]:
    return [error["pointer"] for error in document["errors"]]


@pytest.mark.parametrize("name", TASKS)
def test_the_answer_is_the_json_of_the_run(client: httpx.Client, name: str) -> None:
    route = TASKS[name]
    body = dict(route.example) | {"confidence": 0.9, "resamples": 20}
    body |= {"recognisers": []} if name == "code-switching" else {}
    answer = client.post(f"/v1/{name}", json=body, params={"detail": "findings"})
    run = getattr(isogloss, route.task.call)(**body, findings=100)
    assert answer.headers["content-type"] == JSON
    assert answer.text == format_runs_json([run])


def test_it_is_what_the_command_line_prints_but_for_places(
    client: httpx.Client,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, documents in {"gold": REFERENCE, "system": PREDICTION}.items():
        lines = "\n\n".join("\n".join(f"w {tag}" for tag in document) for document in documents)
        (tmp_path / name).write_text(lines + "\n", encoding="utf-8")
    assert run(["ner", str(tmp_path / "gold"), str(tmp_path / "system"), "-f", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    answered = client.post("/v1/ner", json=NER).json()
    for document in (printed, answered):
        for warning in document["warnings"]:
            warning.pop("where", None)
    assert printed["signature"].startswith("ner|format:conll|")
    printed["signature"] = printed["signature"].replace("|format:conll", "")
    assert {key: value for key, value in printed.items() if key not in OF_FILES} == {
        key: value for key, value in answered.items() if key not in OF_FILES
    }


def test_findings_are_listed_on_request_up_to_a_limit(client: httpx.Client) -> None:
    body = {"reference": [["B-A"]] * 5, "prediction": [["O"]] * 5}
    summary = client.post("/v1/ner", json=body).json()
    findings = client.post("/v1/ner?detail=findings&errors=3", json=body).json()
    assert "rows" not in summary["findings"]
    assert summary["findings"]["counts"] == findings["findings"]["counts"]
    assert len(findings["findings"]["rows"]) == 3


@pytest.mark.parametrize("query", ["detail=all", "detail=findings&errors=0", "errors=1000000", "errors=x"])
def test_a_query_that_cannot_be_meant_is_refused(client: httpx.Client, query: str) -> None:
    problem(client.post(f"/v1/ner?{query}", json=NER), 422, "invalid-request")


@pytest.mark.parametrize(
    ("path", "change", "pointer"),
    [
        ("ner", {"reference": "/etc/passwd"}, "/reference"),
        ("ner", {"prediction": "-"}, "/prediction"),
        ("segmentation", {"vocabulary": "/etc/passwd"}, "/vocabulary"),
        ("entity-translation", {"references": "/etc"}, "/references"),
        ("entity-translation", {"comet": "/etc/passwd"}, "/comet"),
        ("classification", {"gold": "/etc/passwd"}, "/gold"),
        ("code-switching", {"texts": "/etc/passwd"}, "/texts"),
        ("code-switching", {"names": "/etc/passwd"}, "/names"),
        ("code-switching", {"splitter": "python:os:system"}, "/splitter"),
    ],
)
def test_no_path_of_a_client_is_opened(client: httpx.Client, path: str, change: dict[str, Any], pointer: str) -> None:
    document = problem(client.post(f"/v1/{path}", json=dict(TASKS[path].example) | change), 422, "invalid-request")
    assert pointers(document) == [pointer]


def test_recognisers_are_those_that_the_service_was_started_with(client: httpx.Client) -> None:
    body = {"texts": ["x"], "recognisers": ["python:os:system"]}
    document = problem(client.post("/v1/code-switching", json=body), 422, "invalid-request")
    assert pointers(document) == ["/recognisers"]
    assert "python:recognisers:capitalised" in document["detail"]


def test_data_at_fault_are_located_with_a_json_pointer(client: httpx.Client) -> None:
    body = {"reference": [["O"], ["O", "O"]], "prediction": [["O"], ["O", ""]]}
    document = problem(client.post("/v1/ner", json=body), 422, "unscorable-data")
    assert pointers(document) == ["/prediction/1/1"]
    assert document["remedy"]


def test_a_value_of_another_type_is_located_too(client: httpx.Client) -> None:
    document = problem(client.post("/v1/ner", json=NER | {"prediction": [["O", 5]]}), 422, "invalid-request")
    assert pointers(document) == ["/prediction/0/1"]


def test_a_body_names_its_system_and_has_words_for_findings(client: httpx.Client) -> None:
    body = {
        "reference": [["B-PER", "O"]],
        "prediction": [["O", "O"]],
        "tokens": [["Ada", "waits"]],
        "system": "tuesday",
    }
    answered = client.post("/v1/ner?detail=findings", json=body).json()
    assert answered["system"] == "tuesday"
    assert "Ada" in json.dumps(answered["findings"])


def test_a_wrong_option_is_named(client: httpx.Client) -> None:
    document = problem(client.post("/v1/ner", json=NER | {"scheme": "iob3"}), 422, "invalid-request")
    assert pointers(document) == ["/scheme"]


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b'{"reference": [["\\ud800"]]}', b'{"reference": nan}'])
def test_what_is_no_json_is_refused(client: httpx.Client, body: bytes) -> None:
    problem(client.post("/v1/ner", content=body, headers={"content-type": JSON}), 400, "malformed-json")


@pytest.mark.parametrize("body", [b"[" * 500_000, b'{"texts":' + b"[" * 500_000, b'{"x":' * 100_000])
@pytest.mark.parametrize("path", ["/v1/ner", "/v1/code-switching", "/calculate/"])
def test_deep_nesting_is_refused(client: httpx.Client, path: str, body: bytes) -> None:
    answer = client.post(path, content=body, headers={"content-type": JSON})
    assert answer.status_code in {400, 422}


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"content-type": "text/plain"},
        {"content-type": "application/json; charset=latin-1"},
        {"content-type": "application/jsonx"},
        {"content-type": JSON, "content-encoding": "gzip"},
    ],
)
def test_what_is_not_sent_as_json_is_refused(client: httpx.Client, headers: dict[str, str]) -> None:
    problem(client.post("/v1/ner", content=json.dumps(NER), headers=headers), 415, "media-type-refused")


@pytest.mark.parametrize("kind", [JSON, "application/json; charset=utf-8", "Application/JSON", "application/x+json"])
def test_json_may_be_named_in_several_ways(client: httpx.Client, kind: str) -> None:
    assert client.post("/v1/ner", content=json.dumps(NER), headers={"content-type": kind}).status_code == 200


def test_too_many_documents_are_refused(client: httpx.Client) -> None:
    body: dict[str, list[list[str]]] = {"reference": [[]] * 2001, "prediction": [[]] * 2001}
    assert "2,000" in problem(client.post("/v1/ner", json=body), 413, "too-many-documents")["detail"]


def test_a_body_over_the_limit_is_refused_before_it_is_sent(service: RunningService) -> None:
    head = b"POST /v1/ner HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    answer = exchange_bytes(service.port, head + b"Content-Length: 1000001\r\n\r\n{")
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"body-too-large" in answer


def test_a_chunked_body_over_the_limit_is_refused(service: RunningService) -> None:
    head = b"POST /v1/ner HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    chunk = b"10000\r\n" + b"[" * 0x10000 + b"\r\n"
    answer = exchange_bytes(service.port, head + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 20)  # it never ends
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"connection: close" in answer.lower()
    assert b"body-too-large" in answer


def test_a_body_that_nobody_reads_ends_the_connection(service: RunningService) -> None:
    head = b"POST /nothing HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    answer = exchange_bytes(service.port, head + b"4\r\nabcd\r\n")
    assert answer.startswith(b"HTTP/1.1 404 ")
    assert b"connection: close" in answer.lower()


def test_a_body_that_does_not_arrive_is_not_waited_for(service: RunningService) -> None:
    head = b"POST /v1/ner HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n"
    answer = exchange_bytes(service.port, head + b"{")
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"body-late" in answer


def test_a_chunked_body_within_the_limit_is_served(client: httpx.Client) -> None:
    pieces = iter([json.dumps(NER)[:10].encode(), json.dumps(NER)[10:].encode()])
    answer = client.post("/v1/ner", content=pieces, headers={"content-type": JSON})
    assert answer.status_code == 200


def test_there_is_nothing_at_other_paths(client: httpx.Client) -> None:
    problem(client.get("/v2"), 404, "not-found")
    problem(client.get("/docs/../../etc/passwd"), 404, "not-found")


def test_wrong_method_error_lists_the_allowed_method(client: httpx.Client) -> None:
    answer = client.get("/v1/ner")
    problem(answer, 405, "method-not-allowed")
    assert answer.headers["allow"] == "POST"


@pytest.mark.parametrize("headers", [{"host": "evil.example"}, {"origin": "http://evil.example"}])
def test_other_names_and_other_origins_are_refused(client: httpx.Client, headers: dict[str, str]) -> None:
    kind = f"{next(iter(headers))}-refused"
    problem(client.post("/calculate/", json={"texts": []}, headers=headers), 403, kind)
    problem(client.get("/healthz", headers=headers), 403, kind)


def test_an_id_is_echoed_if_it_is_sane(client: httpx.Client) -> None:
    assert client.get("/healthz", headers={"x-request-id": "a-1.B_2"}).headers["x-request-id"] == "a-1.B_2"
    for other in ("x" * 65, 'a"b', "a b", ""):
        assert re.fullmatch(
            "[0-9a-f]{32}",
            client.get("/healthz", headers={"x-request-id": other}).headers["x-request-id"],
        )


def test_a_body_has_rules_for_labels_but_no_path_of_them(client: httpx.Client) -> None:
    body = {"reference": [["B-PER"]], "prediction": [["B-PERSON"]]}
    answer = client.post("/v1/ner", json=body | {"labels": {"prediction": {"rename": {"PERSON": "PER"}}}}).json()
    assert answer["scores"]["strict"]["f1"] == 1
    assert answer["label_rules"][0]["predicted"] == 1
    problem(client.post("/v1/ner", json=body | {"labels": "labels.toml"}), 422, "invalid-request")
    problem(client.post("/v1/ner", json=body | {"labels": {"renam": {}}}), 422, "invalid-request")


@pytest.mark.parametrize("path", ["/healthz", "/docs/", "/v1/nothing", "/openapi.json"])
def test_browsers_are_kept_in_bounds(client: httpx.Client, path: str) -> None:
    headers = client.get(path).headers
    assert headers["content-security-policy"].startswith("default-src 'self';")
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "access-control-allow-origin" not in headers
    assert "server" not in headers


def test_the_documentation_needs_no_network_and_no_inline_script(client: httpx.Client) -> None:
    answer = client.get("/docs", follow_redirects=True)
    assert answer.url.path == "/docs/"
    links = re.findall(r"""(?:href|src)\s*=\s*["']?([^"'\s>]+)""", answer.text)
    assert links
    for link in {link for link in links if not link.startswith("#")}:
        assert link.startswith("/")
        assert client.get(link).status_code == 200
    assert {link[1:] for link in links if link.startswith("#")} <= set(re.findall(r'id="([^"]+)"', answer.text))
    assert not re.search(r"<script(?! src=)|style=|@import", answer.text + client.get("/docs/style.css").text)
    assert set(re.findall(r"https?://[^/]+", answer.text)) == {"http://127.0.0.1:8008"}


def test_the_documentation_says_what_the_service_runs(client: httpx.Client) -> None:
    page = client.get("/docs/").text
    running = client.get("/v1/profiles").json()["calculate"]
    assert running["recognisers"] == ["python:recognisers:capitalised"]
    assert (running["language"], running["profile"]) == ("uk", "pnacos")
    for told in ("python:recognisers:capitalised", "uk", "pnacos", "POST /calculate/", "POST /v1/entity-translation"):
        assert told in page


def test_the_profiles_of_all_tasks_are_listed(client: httpx.Client) -> None:
    listed = client.get("/v1/profiles").json()["profiles"]
    assert listed.keys() == TASKS.keys()
    assert "seqeval" in listed["ner"]


def test_the_openapi_document_is_served(client: httpx.Client) -> None:
    assert client.get("/openapi.json").json()["paths"].keys() >= {"/calculate/", "/v1/ner"}


def test_neither_log_nor_metrics_have_anything_of_a_text(client: httpx.Client, service: RunningService) -> None:
    word = "Geheimnis"
    client.post("/v1/ner", json={"reference": [[word]], "prediction": [[word]]})
    client.post("/calculate/", json={"texts": [word]}, params={"q": word})
    client.request(word.upper(), "/v1/ner")
    client.post(f"/{word}", json={}, headers={"x-other": word, "x-request-id": "here-it-is"})
    told = service.read_log("here-it-is") + client.get("/metrics").text
    assert word.lower() not in told.lower()


def test_requests_are_logged_as_json(client: httpx.Client, service: RunningService) -> None:
    client.post("/v1/ner", json=NER, headers={"x-request-id": "logged-1"})
    lines = [json.loads(line) for line in service.read_log('"logged-1"').splitlines() if '"logged-1"' in line]
    assert [(line["method"], line["path"], line["status"]) for line in lines] == [("POST", "/v1/ner", 200)]
    assert lines[0].keys() == {"time", "method", "path", "status", "ms", "request_id"}


def test_requests_are_counted_by_route_and_status(client: httpx.Client) -> None:
    name = 'isogloss_requests_total{method="POST",route="/v1/segmentation",status="422"}'

    def number() -> float:
        found = re.search(rf"^{re.escape(name)} (\S+)$", client.get("/metrics").text, re.MULTILINE)
        return float(found[1]) if found else 0.0

    before = number()
    client.post("/v1/segmentation", json={})
    assert number() == before + 1
    assert 'isogloss_queue_length{queue="models"} 0.0' in client.get("/metrics").text


def test_it_is_healthy_and_ready(client: httpx.Client) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ready"}
