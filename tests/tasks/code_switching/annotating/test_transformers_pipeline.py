"""A real model, made here and saved to a folder, from the command line to the figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from libraries import library
from tiny_models import token_classifier

import isogloss
from isogloss.cli import run

pytestmark = [pytest.mark.extra, pytest.mark.transformers]
library("torch")
library("transformers")

Streams = pytest.CaptureFixture[str]
LONG = "слово " * 200  # a window of the model has room for 14 tokens


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tags = {"Lviv": "B-LOC", "Ivan": "B-PER", "Franko": "I-PER", "1875": "B-DATE"}
    return token_classifier(tmp_path_factory.mktemp("model"), tags, max_length=16)


def scored(capsys: Streams, file: Path, model: Path, *options: str) -> Any:
    arguments = ["code-switching", str(file), "--language", "uk", "--recogniser", f"transformers:{model}"]
    assert run([*arguments, "--splitter", "terminators", "-f", "json", *options]) == 0
    return json.loads(capsys.readouterr().out)


def test_names_of_a_model_are_excused(capsys: Streams, tmp_path: Path, model: Path) -> None:
    file = tmp_path / "texts"
    file.write_text("Поет Ivan Franko жив тут.\nМісто Lviv і слово city.\nСлово.\n", encoding="utf-8")
    answer = scored(capsys, file, model, "--errors", "9")
    assert answer["scores"]["words"]["strict_count"] == 4
    assert answer["scores"]["words"]["excused_count"] == 1
    assert answer["by_label"] == {"name": {"words": {"count": 3}}}
    found = [(row["verdict"], row["token"], row["predicted"]["label"]) for row in answer["findings"]["rows"]]
    assert found == [("foreign", "city", None), *(("excused", name, "name") for name in ("Ivan", "Franko", "Lviv"))]
    assert f"recognisers:transformers:{model}" in answer["signature"]


def test_long_sentences_are_not_cut(capsys: Streams, tmp_path: Path, model: Path) -> None:
    file = tmp_path / "texts"
    file.write_text(f"{LONG}Lviv {LONG}Ivan Franko\nLviv\n", encoding="utf-8")
    answer = scored(capsys, file, model)
    assert answer["by_label"] == {"name": {"words": {"count": 4}}}
    assert answer["scores"]["words"] == {
        "strict_rate": 4 / 404,
        "strict_count": 4,
        "excused_rate": 0,
        "excused_count": 0,
        "total": 404,
    }


def test_a_long_file_that_is_one_text_stays_whole(capsys: Streams, tmp_path: Path, model: Path) -> None:
    file = tmp_path / "book"
    file.write_text(f"{LONG}Lviv.\n" * 20, encoding="utf-8")
    assert scored(capsys, file, model, "--whole")["by_label"]["name"]["words"]["count"] == 20


def test_pnacos_takes_the_names_of_the_model(capsys: Streams, tmp_path: Path, model: Path) -> None:
    file = tmp_path / "texts"
    file.write_text("Місто Lviv і city тут.\nIvan Franko\n", encoding="utf-8")
    answer = scored(capsys, file, model, "--profile", "pnacos", "--tokenizer", "whitespace")
    assert answer["codeswitch_words_ratio"] == 1 / 7
    assert answer["codeswitch_sentences_ratio"] == 1 / 2


@pytest.mark.parametrize("batch_size", [1, 3])
def test_the_size_of_batches_changes_nothing(model: Path, batch_size: int) -> None:
    texts = ["Lviv і city", f"{LONG} Ivan Franko", "", "Lviv"] * 2
    options: dict[str, Any] = {"language": "uk", "recognisers": [f"transformers:{model}"], "splitter": "terminators"}
    one = isogloss.code_switching(texts, batch_size=batch_size, **options)
    assert one.to_dict()["scores"] == isogloss.code_switching(texts, **options).to_dict()["scores"]
    assert one.by_label["name"]["words"]["count"] == 8


def test_labels_that_count_can_be_chosen(capsys: Streams, tmp_path: Path, model: Path) -> None:
    file = tmp_path / "texts"
    file.write_text("Ivan Franko і Lviv\n", encoding="utf-8")
    options = ["--language", "uk", "--recogniser", f"transformers:{model}?labels=LOC", "-f", "json"]
    assert run(["code-switching", str(file), *options]) == 0
    assert json.loads(capsys.readouterr().out)["scores"]["words"]["excused_count"] == 2


def test_a_folder_without_a_model_leaves_with_an_error(capsys: Streams, tmp_path: Path) -> None:
    file = tmp_path / "texts"
    file.write_text("Lviv\n", encoding="utf-8")
    options = ["--language", "uk", "--recogniser", f"transformers:{tmp_path}/absent"]
    assert run(["code-switching", str(file), *options]) == 4
    assert "there is no model at" in capsys.readouterr().err
