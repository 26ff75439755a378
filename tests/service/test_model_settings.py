"""Options of `isogloss serve` that change how code-switching is judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from isogloss.errors import UsageError
from isogloss.service.jobs import Job, Worker, load_annotator, load_scorer
from isogloss.service.settings import ModelSettings

TEXT = "Це слово ы і word «fine» 12."


def call(worker: Worker, path: str, **body: Any) -> dict[str, Any]:
    reply = worker(Job(path, 0, 1000), json.dumps({"texts": [TEXT]} | body).encode())
    assert reply.problem is None, reply.problem
    answer: dict[str, Any] = json.loads(reply.body)
    return answer


def rate(worker: Worker, **body: Any) -> dict[str, Any]:
    words: dict[str, Any] = call(worker, "/v1/code-switching", **body)["scores"]["words"]
    return words


def test_letters_of_the_service_hold_for_its_language() -> None:
    plain, wide = Worker(ModelSettings()), Worker(ModelSettings(letters={"level": "script"}))
    assert rate(plain)["strict_count"] == 3
    assert rate(wide)["strict_count"] == 2
    assert rate(wide, level="main")["strict_count"] == 3
    assert rate(wide, language="be")["strict_count"] == rate(plain, language="be")["strict_count"]


def test_the_route_of_pnacos_takes_letters_and_excuses() -> None:
    plain = call(Worker(ModelSettings()), "/calculate/")["codeswitch_words_ratio"]
    alphabet = "абвгґдеєжзиіїйклмнопрстуфхцчшщьюяы"
    wide = call(Worker(ModelSettings(letters={"alphabet": alphabet})), "/calculate/")["codeswitch_words_ratio"]
    strict = call(Worker(ModelSettings(letters={"excuses": ["url"]})), "/calculate/")["codeswitch_words_ratio"]
    assert wide < plain < strict
    both = Worker(ModelSettings(letters={"neutral": True}))
    assert call(both, "/calculate/")["codeswitch_words_ratio"] == plain
    assert rate(both)["total"] > rate(Worker(ModelSettings()))["total"]


def test_wrong_letters_are_refused_at_the_start() -> None:
    with pytest.raises(UsageError, match="has no letter"):
        load_scorer(ModelSettings(letters={"alphabet": "12"}))


def test_a_request_names_the_identifier_of_the_service() -> None:
    spec = "python:language_identifiers:ukrainian"
    worker = load_annotator(ModelSettings(identifier=spec))
    answer = call(worker, "/v1/code-switching", identifier=spec, texts=["Це слово і ще одне, так."])
    assert answer["scores"]["pass_rate"]["line"] == 1
    assert "pass_rate" not in call(worker, "/v1/code-switching")["scores"]
    body = json.dumps({"texts": [TEXT], "identifier": "lingua"}).encode()
    for each in (worker, Worker(ModelSettings())):
        problem = each(Job("/v1/code-switching", 0, 1000), body).problem
        assert problem is not None
        assert "started with" in problem.detail


def test_each_text_of_a_request_may_name_its_language() -> None:
    texts = [{"text": "слово ы", "language": "uk"}, {"text": "слово ы", "language": "ru"}]
    answer = call(Worker(ModelSettings()), "/v1/code-switching", texts=texts, language_field="language")
    assert answer["scores"]["words"]["strict_count"] == 1
    assert answer["slices"].keys() == {"language"}


def test_a_request_names_the_words_of_the_service(tmp_path: Path) -> None:
    words = tmp_path / "words"
    words.write_text("language\n", encoding="utf-8")
    spec = "python:language_identifiers:ukrainian"
    worker = load_annotator(ModelSettings(identifier=spec, english_words=str(words)))
    texts = [
        {"text": "Це слово language ще одне.", "language": "uk", "source": "aya"},
        {"text": "Это слово и ещё одно.", "language": "ru", "source": "aya"},
    ]
    body = {"profile": "language-confusion", "identifier": spec, "texts": texts, "language_field": "language"}
    answer = call(worker, "/v1/code-switching", english_words=str(words), **body)
    assert answer["scores"]["benchmark"] == {"acc": 0.5, "lpr": 0.5, "wpr": None}
    (warning,) = answer["warnings"]
    assert (warning["code"], warning["count"]) == ("no-texts-to-judge", 1)
    assert "aya/ru: no text has only lines in its language, so there is no WPR" in warning["message"]
    reply = Worker(ModelSettings())(
        Job("/v1/code-switching", 0, 10), json.dumps(body | {"english_words": "x"}).encode()
    )
    assert reply.problem is not None
