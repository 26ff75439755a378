"""Bodies that are files."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from serving import RunningService

from isogloss.service.file_bodies import parse_file_body
from isogloss.service.problems import RefusedError
from isogloss.service.requests import make_routes

ROUTES = make_routes()
GOLD = "Ada B-PER\nLovelace I-PER\nwrote O\n\nToulouse B-LOC\n"
SYSTEM = "Ada B-PER\nLovelace O\nwrote O\n\nToulouse B-LOC\n"
THAI = "text,source\nไป Bangkok กัน,a\nสวัสดีครับ,b\n"


@pytest.fixture(scope="module")
def client(service: RunningService) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=f"http://127.0.0.1:{service.port}", timeout=60) as opened:
        yield opened


def send_form(client: httpx.Client, **fields: Any) -> httpx.Response:
    files = {"reference": ("gold.conll", GOLD), "prediction": ("system.conll", SYSTEM)}
    return client.post("/v1/ner?detail=findings", files=files, data=fields)


def test_form_is_scored_as_the_command_line_scores_its_files(client: httpx.Client, tmp_path: Path) -> None:
    for name, text in (("gold.conll", GOLD), ("system.conll", SYSTEM)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    options = ("--confidence", "0.9", "--label", "PER", "--label", "LOC", "--errors", "100")
    command = [sys.executable, "-m", "isogloss", "ner", "gold.conll", "system.conll", "-f", "json", "--scheme", "iob2"]
    printed = subprocess.run([*command, *options], cwd=tmp_path, capture_output=True, encoding="utf-8", check=True)
    by_command = json.loads(printed.stdout)
    answer = send_form(client, scheme="iob2", confidence="0.9", labels=["PER", "LOC"]).json()
    for part in ("scores", "signature", "documents"):
        assert answer[part] == by_command[part]
    assert [each["path"] for each in answer["inputs"]] == ["gold.conll", "system.conll"]


def test_csv_is_scored_with_options_of_the_query(client: httpx.Client) -> None:
    query = {"language": "th", "by": "source", "detail": "findings"}
    answer = client.post(
        "/v1/code-switching", params=query, content=THAI.encode(), headers={"content-type": "text/csv"}
    )
    by_call = client.post("/v1/code-switching", json={"texts": ["ไป Bangkok กัน", "สวัสดีครับ"], "language": "th"}).json()
    assert answer.json()["scores"] == by_call["scores"]
    assert answer.json()["slices"].keys() == {"source"}


def test_json_lines_are_scored_and_a_bad_line_is_located(client: httpx.Client) -> None:
    headers = {"content-type": "application/x-ndjson; charset=utf-8"}
    lines = ['{"text": "Київ"}', '{"text": 5}']
    one = client.post("/v1/code-switching", content=lines[0], headers=headers)
    assert one.json()["documents"] == 1
    two = client.post("/v1/code-switching", content="\n".join(lines), headers=headers)
    assert two.status_code == 422
    assert two.json()["detail"].startswith("body.jsonl:2: ")


def test_error_names_the_file_as_the_client_does(client: httpx.Client) -> None:
    files = {"reference": ("my gold.conll", "Ada B-PER\nx\n"), "prediction": ("system.conll", SYSTEM)}
    answer = client.post("/v1/ner", files=files)
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith("my gold.conll:2: ")
    assert "isogloss-upload" not in answer.text


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"schema": "iob2"}, "unknown field `schema`"),
        ({"confidence": "much"}, "in confidence"),
        ({"scheme": "nothing"}, "scheme"),
        ({"by": "nothing"}, "nothing"),
        ({"patterns": "x"}, "patterns"),
        ({"labels": "{"}, "truncated"),
    ],
)
def test_option_that_cannot_be_is_refused(client: httpx.Client, fields: dict[str, str], said: str) -> None:
    answer = send_form(client, **fields)
    assert answer.status_code == 422
    assert said in answer.json()["detail"]


@pytest.mark.parametrize(
    ("body", "content_type", "kind"),
    [
        (b"x", "multipart/form-data", "malformed-request"),
        (b"", "multipart/form-data; boundary=x", "invalid-request"),
        (b'--x\r\nContent-Disposition: form-data; name="other"; filename="a"\r\n\r\n1\r\n--x--', "", "invalid-request"),
        (b"--x\r\nContent-Disposition: form-data\r\n\r\n1\r\n--x--", "", "malformed-request"),
    ],
)
def test_form_without_a_file_is_refused(body: bytes, content_type: str, kind: str) -> None:
    with pytest.raises(RefusedError) as refused:
        parse_file_body(body, content_type or "multipart/form-data; boundary=x", "", ROUTES["/v1/ner"])
    assert refused.value.problem.kind == kind


def test_field_with_the_name_of_a_file_is_its_text_and_never_a_path() -> None:
    body = b'--x\r\nContent-Disposition: form-data; name="reference"\r\n\r\n/etc/passwd\r\n--x--'
    found = parse_file_body(body, "multipart/form-data; boundary=x", "", ROUTES["/v1/ner"])
    assert found.uploads["reference"].content == b"/etc/passwd"


def test_other_media_types_are_refused_with_those_that_are_not(client: httpx.Client) -> None:
    for path in ("/v1/ner", "/calculate/"):
        answer = client.post(path, content=b"x", headers={"content-type": "application/pdf"})
        assert answer.status_code == 415
        assert ("text/csv" in answer.json()["remedy"]) == (path == "/v1/ner")
