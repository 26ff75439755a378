"""Clients of PNaCoS need not change."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx
import pytest
from serving import RunningService, start_service

from isogloss.tasks.code_switching.request import CalculateReport

FINE = "Усе гаразд."


@pytest.fixture
def client(service: RunningService) -> Iterator[httpx.Client]:
    with service.client() as client:
        yield client


@pytest.mark.parametrize("path", ["/calculate/", "/calculate"])
def test_the_figures_stand_at_the_top_and_under_report(client: httpx.Client, path: str) -> None:
    answer = client.post(path, json={"texts": [FINE, "Це є the best світ."]}).json()
    report = answer.pop("report")
    assert answer == report
    assert report.keys() == set(CalculateReport.__struct_fields__)
    assert report["total_num_texts"] == 2


def test_without_texts_a_ratio_is_minus_one(client: httpx.Client) -> None:
    report = client.post("/calculate/", json={"texts": []}).json()["report"]
    assert {name: value for name, value in report.items() if name.endswith("ratio")} == {
        "codeswitch_sentences_ratio": -1.0,
        "codeswitch_texts_ratio": -1.0,
        "codeswitch_words_ratio": -1.0,
    }
    assert [value for name, value in report.items() if name.startswith("total")] == [0, 0, 0]


def test_a_client_that_names_no_type_and_sends_more_is_served(client: httpx.Client) -> None:
    body = json.dumps({"texts": [FINE], "threshold": 1})
    assert client.post("/calculate/", content=body).status_code == 200


@pytest.mark.parametrize("body", [{}, {"texts": FINE}, {"texts": [1]}, {"texts": None}, [FINE]])
def test_another_request_is_refused_with_422_as_it_was(client: httpx.Client, body: object) -> None:
    assert client.post("/calculate/", json=body).status_code == 422


def test_names_of_the_recogniser_of_the_service_are_excused(client: httpx.Client) -> None:
    report = client.post("/calculate/", json={"texts": ["Це є Dundee там"]}).json()["report"]
    assert report["codeswitch_words_ratio"] == 0.0
    assert client.post("/calculate/", json={"texts": ["Це є dundee там"]}).json()["codeswitch_words_ratio"] > 0


# The example that PNaCoS publishes, on its 4 sentences and 21 tokens, with Slavuta a name. The figures that it prints
# are those of the second text with a Ukrainian word in place of the foreign one.
PUBLISHED = [
    "Все нормально. Мабуть.",
    "Кручу верчу {} рахую",
    "єєєєZAZ-1103 Slavuta це є the best автомобіль in the світі",
]
FIGURES = {"метрику": (1 / 4, 1 / 3, 5 / 21), "metric": (2 / 4, 2 / 3, 6 / 21)}


@pytest.fixture(scope="module")
def published() -> Iterator[RunningService]:
    cut = ("--splitter", "python:recognisers:sentences", "--tokenizer", "python:recognisers:tokens")
    with start_service("--workers", "1", "--recogniser", "python:recognisers:slavuta", *cut) as running:
        yield running


@pytest.mark.parametrize("word", FIGURES)
def test_the_published_example_gives_its_figures(published: RunningService, word: str) -> None:
    with published.client() as client:
        report = client.post("/calculate/", json={"texts": [text.format(word) for text in PUBLISHED]}).json()["report"]
    sentences, texts, words = FIGURES[word]
    assert report == {
        "codeswitch_sentences_ratio": sentences,
        "codeswitch_texts_ratio": texts,
        "codeswitch_words_ratio": words,
        "total_num_texts": 3,
        "total_num_sentences": 4,
        "total_num_tokens": 21,
    }
