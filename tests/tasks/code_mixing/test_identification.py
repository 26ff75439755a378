"""Languages of tokens from identifiers, and codes of languages in two and three letters."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from libraries import library

import isogloss
from isogloss.cli import run as command
from isogloss.errors import DataError, FormatError, UsageError
from isogloss.service.jobs import Job, Worker, load_annotator
from isogloss.service.settings import ModelSettings
from isogloss.tasks.code_mixing.identification import TokenIdentifier
from isogloss.text.languages import shorten_language_code

SPANISH = {"tacos", "ahora"}
BY_ALPHABET = "python:language_identifiers:cyrillic_or_english"


def test_codes_of_three_letters_are_those_of_the_standard() -> None:
    languages = library("pycountry").languages
    pairs = [
        (code, each.alpha_2)
        for each in languages
        if hasattr(each, "alpha_2")
        for code in (each.alpha_3, getattr(each, "bibliographic", each.alpha_3))
    ]
    assert len(pairs) > 300
    assert all(shorten_language_code(code) == short for code, short in pairs)


@pytest.mark.parametrize("name", ["other", "lang1", "fw", "en", "pt-BR", "fil", "Latn", ""])
def test_other_names_stay(name: str) -> None:
    assert shorten_language_code(name) == name


def test_tags_of_two_and_three_letters_are_one_language() -> None:
    run = isogloss.code_mixing([[("I", "eng"), ("want", "en"), ("tacos", "spa"), ("ok", "NEP"), ("no", "ne")]])
    assert set(run.by_label) == {"en", "es", "ne"}
    assert run.by_label["en"]["words"]["count"] == 2
    assert run.by_label["ne"]["words"]["count"] == 1  # Nepali, although `ne` is a tag of names


def test_an_identifier_of_words_is_asked_once_for_each() -> None:
    asked: list[str] = []

    def identify(tokens: list[str]) -> list[str]:
        asked.extend(tokens)
        return ["es" if token in SPANISH else "en" for token in tokens]

    words = TokenIdentifier(identify, sees_utterances=False)
    assert words.find_languages(["I", "tacos", "I", "!", "24"], "") == ["en", "es", "en", None, None]
    assert words.find_languages(["ahora", "tacos", "?"], "") == ["es", "es", None]
    assert asked == ["I", "tacos", "ahora"]


def test_the_command_identifies_tokens(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "texts.txt"
    path.write_text("I want блины сейчас\n", encoding="utf-8")
    assert command(["code-mixing", str(path), "--identifier", BY_ALPHABET, "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert {name: row["words"]["count"] for name, row in answer["by_label"].items()} == {"en": 2, "ru": 2}
    assert answer["signature"].startswith(f"code-mixing|languages:{BY_ALPHABET}|")


def test_lingua_tells_the_languages_that_it_is_given() -> None:
    library("lingua")
    text = "I want tacos ahora porque tengo hambre"
    run = isogloss.code_mixing([text], identifier="lingua?languages=en,es", findings=True)
    (finding,) = run.findings
    assert finding.extra["token"] == "tacos"


def test_the_service_identifies_tokens_if_it_was_started_so() -> None:
    body = json.dumps({"texts": ["I want блины"], "identifier": BY_ALPHABET}).encode()
    reply = load_annotator(ModelSettings(identifier=BY_ALPHABET))(Job("/v1/code-mixing", 0, 10), body)
    assert reply.problem is None, reply.problem
    assert set(json.loads(reply.body)["by_label"]) == {"en", "ru"}
    refused = Worker(ModelSettings())(Job("/v1/code-mixing", 0, 10), body).problem
    assert refused is not None
    assert "isogloss serve --identifier" in refused.detail


def test_a_function_of_a_module_that_fails_is_named_with_the_place() -> None:
    with pytest.raises(DataError, match=r"texts\[0\]: the identifier fails: ValueError: broken"):
        isogloss.code_mixing(["a b"], identifier="python:language_identifiers:failing")


def test_an_unknown_identifier_is_refused() -> None:
    with pytest.raises(UsageError, match="Choose from cld3"):
        isogloss.code_mixing(["a b"], identifier="linga")


def test_plain_text_is_not_read_as_columns(tmp_path: Path) -> None:
    path = tmp_path / "texts.txt"
    path.write_text("I want tacos ahora porque tengo hambre\nWe stay in la playa hoy\n", encoding="utf-8")
    with pytest.raises(FormatError, match="lines of text have no languages"):
        isogloss.code_mixing(path)


def test_the_service_takes_what_the_call_takes() -> None:
    texts = [[["I", "eng"], ["ahora", "spa"], ["!", None]]]
    reply = Worker(ModelSettings())(Job("/v1/code-mixing", 0, 10), json.dumps({"texts": texts}).encode())
    assert reply.problem is None, reply.problem
    assert json.loads(reply.body)["scores"] == isogloss.code_mixing(texts).to_dict()["scores"]
