from __future__ import annotations

import inspect
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from serving import RunningService, start_service

import isogloss
from isogloss.errors import ServiceError

TASKS = ("ner", "segmentation", "entity_translation", "code_switching", "classification")
CALLS: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "ner": (
        ([["B-PER", "I-PER", "O"], ["B-LOC"]], [["B-PER", "O", "O"], ["B-LOC"]]),
        {"scheme": "iob2", "confidence": 0.9},
    ),
    "segmentation": (([["ไป", "กัน"]], [["ไปกัน"]]), {"system": "longest"}),
    "entity_translation": (
        ([{"id": "1", "source": "Ada came", "targets": [{"translation": "Ада", "mention": "Ада"}]}], ["Хтось прийшов"]),
        {},
    ),
    "code_switching": ((["Утром я пью coffee."],), {"language": "ru"}),
    "classification": ((["a", "b"], [{"a": 0.9, "b": 0.1}, {"a": 0.7, "b": 0.3}]), {"beta": 2.0}),
}


@pytest.fixture(scope="module")
def client(service: RunningService) -> isogloss.Client:
    return isogloss.Client(f"http://127.0.0.1:{service.port}/")


@pytest.mark.parametrize("task", TASKS)
def test_call_has_the_parameters_of_the_library(task: str) -> None:
    ours, theirs = getattr(isogloss.Client, task), getattr(isogloss, task)
    assert inspect.signature(ours) == inspect.signature(theirs)


def test_task_is_scored_by_name(client: isogloss.Client) -> None:
    assert client.score("segmentation", reference=[["ab"]], prediction=[["a", "b"]]).task == "segmentation"
    with pytest.raises(ServiceError, match="404"):
        client.score("nothing", reference=[])


@pytest.mark.parametrize("task", TASKS)
def test_run_of_the_service_is_that_of_the_library(client: isogloss.Client, task: str) -> None:
    data, options = CALLS[task]
    here, there = (getattr(place, task)(*data, **options, findings=True) for place in (isogloss, client))
    assert there.to_dict() | {"system": ""} == here.to_dict() | {"system": ""}
    assert [*there.findings] == [*here.findings]


def test_paths_are_sent_as_files(client: isogloss.Client, tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.conll", tmp_path / "sys tem.conll"
    gold.write_text("Ada B-PER\n", encoding="utf-8")
    system.write_text("Ada B-LOC\n", encoding="utf-8")
    run = client.ner(gold, str(system), labels=["PER", "LOC"])
    assert run.to_dict()["scores"] == isogloss.ner(gold, system, labels=["PER", "LOC"]).to_dict()["scores"]
    assert [each.path for each in run.inputs] == ["gold.conll", "sys tem.conll"]


def test_arrays_are_sent_as_lists(client: isogloss.Client) -> None:
    scores = np.array([[0.9, 0.1], [0.3, 0.7]])
    run = client.classification(["a", "b"], scores, labels=["a", "b"])
    assert run.to_dict()["scores"] == isogloss.classification(["a", "b"], scores, labels=["a", "b"]).to_dict()["scores"]


def test_data_that_cannot_be_scored_is_located(client: isogloss.Client) -> None:
    with pytest.raises(isogloss.DataError) as error:
        client.ner([["B-PER", "I-PER"]], [["B-PER"]])
    with pytest.raises(isogloss.DataError) as here:
        isogloss.ner([["B-PER", "I-PER"]], [["B-PER"]])
    assert error.value.where == here.value.where


def test_wrong_option_is_a_usage_error(client: isogloss.Client) -> None:
    with pytest.raises(isogloss.UsageError, match="scheme"):
        client.ner([["O"]], [["O"]], scheme="nothing")
    with pytest.raises(TypeError, match="schema"):
        client.ner([["O"]], [["O"]], schema="iob2")  # type: ignore[call-arg]


def test_path_beside_data_is_refused(client: isogloss.Client) -> None:
    with pytest.raises(isogloss.UsageError, match="prediction must be a path"):
        client.ner("gold.conll", [["O"]])


def test_value_that_is_not_data_is_refused(client: isogloss.Client) -> None:
    with pytest.raises(isogloss.UsageError, match="cannot be sent"):
        client.ner(object(), [["O"]])


def test_service_that_does_not_run_is_reported() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(ServiceError, match="does not answer"):
        isogloss.Client(address).ner([["O"]], [["O"]])
    with pytest.raises(isogloss.UsageError, match="must begin with http"):
        isogloss.Client("localhost:8008").ner([["O"]], [["O"]])


def test_token_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ISOGLOSS_TOKEN", raising=False)
    with start_service(environment={"ISOGLOSS_TOKEN": "s3cret"}) as running:
        address = f"http://127.0.0.1:{running.port}"
        assert isogloss.Client(address, token="s3cret").ner([["O"]], [["O"]]).documents == 1
        with pytest.raises(ServiceError, match="401"):
            isogloss.Client(address).ner([["O"]], [["O"]])


class Busy(BaseHTTPRequestHandler):
    count = 0

    def do_POST(self) -> None:
        type(self).count += 1
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(503)
        self.send_header("Retry-After", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def busy() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Busy)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_busy_service_is_asked_again_a_few_times(busy: str) -> None:
    with pytest.raises(ServiceError, match="503"):
        isogloss.Client(busy, retries=2).ner([["O"]], [["O"]])
    assert Busy.count == 3
