# the texts are in many scripts
from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import isogloss
from isogloss.cli import run
from isogloss.tasks.code_switching.reasons import DEFAULT_REASONS

TEXTS = "Це звичайний текст.\nТут знову забули слово translate.\nКiев, «quoted», λέξη і https://example.org!\n"
Streams = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    Path("a.txt").write_text(TEXTS, encoding="utf-8")
    Path("b.txt").write_text("Слово.\n", encoding="utf-8")


def output(capsys: Streams, *arguments: str, language: str = "uk") -> str:
    assert run(["code-switching", *arguments, "--language", language]) == 0
    return capsys.readouterr().out


def document(capsys: Streams, *arguments: str) -> Any:
    return json.loads(output(capsys, *arguments, "-f", "json"))


def test_options_reach_the_definition(capsys: Streams) -> None:
    Path("rows.jsonl").write_text(
        '{"key": "a", "said": "Azure і word, «так» ABC", "asked": "Azure?"}\n',
        encoding="utf-8",
    )
    options = ("--level", "script", "--excuse", "url", "--excuse", "quotation", "--pattern", "AB.", "--neutral")
    fields = ("--text-field", "said", "--id-field", "key", "--names-from", "asked", "--input-format", "jsonl")
    tools = ("--splitter", "lines", "--tokenizer", "whitespace", "--batch-size", "1", "--jobs", "1")
    got = document(capsys, "rows.jsonl", *options, *fields, *tools, "--errors", "2", "--context", "1")
    wanted = isogloss.code_switching(
        "rows.jsonl",
        language="uk",
        level="script",
        excuses=["url", "quotation"],
        patterns=["AB."],
        neutral=True,
        text_field="said",
        id_field="key",
        prompt_field="asked",
        splitter="lines",
        tokenizer="whitespace",
        findings=2,
        context=1,
    )
    assert got == wanted.to_dict()
    assert {name: label["words"]["count"] for name, label in got["by_label"].items()} == {"prompt": 1, "pattern": 1}


def test_the_alphabet_and_capitals_reach_the_definition(capsys: Streams) -> None:
    got = document(capsys, "a.txt", "--alphabet", "абвгдеклмнорстуфцьяійичщзю", "--excuse-capitalised")
    wanted = isogloss.code_switching(
        "a.txt",
        language="uk",
        alphabet="абвгдеклмнорстуфцьяійичщзю",
        excuses=[*DEFAULT_REASONS, "capitalised"],
    )
    assert got == wanted.to_dict()


def test_capitals_excuse_beside_the_rules_that_are_named(capsys: Streams) -> None:
    Path("c.txt").write_text("Azure «word» word", encoding="utf-8")
    labels = document(capsys, "c.txt", "--excuse", "url", "--excuse-capitalised")["by_label"]
    assert labels == {"capitalised": {"words": {"count": 1}}}


def test_recognisers_are_given_one_by_one(capsys: Streams) -> None:
    Path("names").write_text("translate\n", encoding="utf-8")
    options = ("--recogniser", "names:names", "--recogniser", "python:recognisers:capitalised")
    Path("c.txt").write_text("Azure, translate і word", encoding="utf-8")
    got = document(capsys, "c.txt", *options)
    assert got["by_label"] == {"name": {"words": {"count": 2}}}
    assert "recognisers:names:names+python:recognisers:capitalised" in got["signature"]


def test_a_whole_file_is_one_text(capsys: Streams) -> None:
    assert document(capsys, "a.txt", "--whole")["documents"] == 1
    assert document(capsys, "a.txt")["documents"] == 3


def test_texts_come_from_standard_input(capsys: Streams, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXTS.encode()), encoding="utf-8"))
    got = document(capsys, "-")
    assert got["scores"] == document(capsys, "a.txt")["scores"]


def test_the_profile_has_its_six_keys_beside_the_scores(capsys: Streams) -> None:
    got = document(capsys, "a.txt", "--profile", "pnacos")
    assert got["codeswitch_texts_ratio"] == got["scores"]["texts"]["excused_rate"] == 2 / 3
    assert [got[f"total_num_{unit}"] for unit in ("texts", "sentences")] == [3, 3]
    assert set(got["scores"]["words"]) == {"excused_rate", "excused_count", "total"}


def test_the_profile_scores_an_empty_file(capsys: Streams) -> None:
    Path("empty").write_bytes(b"")
    got = document(capsys, "empty", "--profile", "pnacos")
    assert [got[f"codeswitch_{unit}_ratio"] for unit in ("words", "sentences", "texts")] == [-1.0, -1.0, -1.0]
    assert got["total_num_texts"] == 0


def test_quiet_leaves_out_notices(capsys: Streams, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.providers.rule_based.find_spec", lambda _: None)
    assert "isogloss[sentences]" in output(capsys, "a.txt")
    assert "isogloss[sentences]" not in output(capsys, "a.txt", "-q")


def test_without_a_language_the_call_is_refused(capsys: Streams) -> None:
    assert run(["code-switching", "a.txt"]) == 2
    assert "--language" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["a.txt", "--language", "uk", "--profile", "pnacos", "--identifier", "python:language_identifiers:ukrainian"],
        ["a.txt", "--language", "uk", "--recogniser", "gliner:x"],
        ["a.txt", "--language", "uk", "--identifier", "lid"],
        ["a.txt", "--language", "uk", "--names-from", "prompt"],
        ["a.txt", "--language", "uk", "--batch-size", "0"],
        ["a.txt", "--language", "uk", "--whole", "--input-format", "csv"],
    ],
)
def test_a_wrong_call_leaves_with_2(capsys: Streams, arguments: list[str]) -> None:
    assert run(["code-switching", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.strip()


@pytest.mark.parametrize("arguments", [["a.txt", "absent.txt"], ["empty"], ["bad.jsonl"]])
def test_bad_data_leaves_with_3(capsys: Streams, arguments: list[str]) -> None:
    Path("empty").write_bytes(b"")
    Path("bad.jsonl").write_text('{"text": "так"}\n{"texts": 1}\n', encoding="utf-8")
    assert run(["code-switching", *arguments, "--language", "uk"]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("isogloss: ")


@pytest.mark.parametrize(
    ("option", "module", "extra"),
    [
        ("--recogniser gliner:x?labels=person", "gliner", "gliner"),
        ("--recogniser stanza:uk", "stanza", "stanza"),
        ("--splitter sentencex", "sentencex", "sentences"),
        ("--tokenizer icu", "icu", "icu"),
    ],
)
def test_a_missing_extra_leaves_with_4_and_the_command_to_run(
    capsys: Streams,
    monkeypatch: pytest.MonkeyPatch,
    option: str,
    module: str,
    extra: str,
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    assert run(["code-switching", "a.txt", "--language", "uk", *option.split(maxsplit=1)]) == 4
    out, err = capsys.readouterr()
    assert out == ""
    assert f"pip install 'isogloss[{extra}]'" in err


def test_a_recogniser_that_fails_leaves_with_3_and_its_name(capsys: Streams) -> None:
    option = ("--recogniser", "python:language_identifiers:failing")
    assert run(["code-switching", "a.txt", "--language", "uk", *option]) == 3
    assert "python:language_identifiers:failing fails: ValueError: broken" in capsys.readouterr().err
