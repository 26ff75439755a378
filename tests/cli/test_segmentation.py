from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import isogloss
from isogloss.cli import run

GOLD, SYSTEM = "ab|c\nd|e\n", "a|b|c\nde\n"
Streams = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold").write_text(GOLD, encoding="utf-8")
    Path("system.label").write_text(SYSTEM, encoding="utf-8")


def output(capsys: Streams, *arguments: str) -> str:
    assert run(["segmentation", *arguments]) == 0
    return capsys.readouterr().out


def document(capsys: Streams, *arguments: str) -> Any:
    return json.loads(output(capsys, *arguments, "-f", "json"))


def test_options_reach_the_definition(capsys: Streams) -> None:
    Path("words").write_text("ab\n", encoding="utf-8")
    Path("other").write_text("x\nd|e\n", encoding="utf-8")
    options = ("--on-mismatch", "zero", "--align", "thai", "--whitespace", "separate", "--zero-division", "1")
    got = document(capsys, "gold", "other", *options, "--vocabulary", "words")
    wanted = isogloss.segmentation(
        "gold",
        "other",
        on_mismatch="zero",
        align="thai",
        whitespace="separate",
        zero_division=1,
        vocabulary="words",
    )
    assert got == wanted.to_dict()


def test_formats_can_be_named(capsys: Streams) -> None:
    Path("system.label").write_text("ab c\nd e\n", encoding="utf-8")
    got = document(capsys, "gold", "system.label", "--input-format", "pipe", "--prediction-format", "spaces")
    assert got["scores"]["word"]["f1"] == 1
    assert "warnings" not in got


def test_errors_are_drawn_with_the_words_of_both_sides(capsys: Streams) -> None:
    printed = output(capsys, "gold", "system.label", "--errors", "1")
    assert "Errors (the first 1 of 2)" in printed
    assert "predicted  a|b   [ab]c" in printed


def test_texts_that_differ_leave_with_3_and_say_where(capsys: Streams) -> None:
    Path("system.label").write_text("ab|c\nx\n", encoding="utf-8")
    assert run(["segmentation", "gold", "system.label"]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("isogloss: system.label:2: the texts of sample 2 differ")


@pytest.mark.parametrize(
    "arguments",
    [
        ["gold"],
        ["gold", "system.label", "--profile", "spacy", "--layout", "thai-benchmark"],
    ],
)
def test_a_wrong_call_leaves_with_2(capsys: Streams, arguments: list[str]) -> None:
    assert run(["segmentation", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.strip()


def test_the_layout_of_the_benchmark_is_printed_instead(capsys: Streams) -> None:
    # Bits of `a|b|c`: tp 2, fp 1, and of `de`: tp 1, tn 0, fn 1; F of words 2/5 and 0.
    assert output(capsys, "gold", "system.label", "--layout", "thai-benchmark") == (
        "Benchmarking system.label against gold with 2 samples in total\n"
        "============== Benchmark Result ==============\n"
        "              metric  mean±std      min      max\n"
        "       char_level:tp 1.50±0.71 1.000000 2.000000\n"
        "       char_level:tn 0.00±0.00 0.000000 0.000000\n"
        "       char_level:fp 0.50±0.71 0.000000 1.000000\n"
        "       char_level:fn 0.50±0.71 0.000000 1.000000\n"
        "char_level:precision 0.83±0.24 0.666667 1.000000\n"
        "   char_level:recall 0.75±0.35 0.500000 1.000000\n"
        "       char_level:f1 0.73±0.09 0.666667 0.800000\n"
        "word_level:precision 0.17±0.24 0.000000 0.333333\n"
        "   word_level:recall 0.25±0.35 0.000000 0.500000\n"
        "       word_level:f1 0.20±0.28 0.000000 0.400000\n"
    )


def test_details_are_written_to_the_given_folder(capsys: Streams) -> None:
    assert "word" in output(capsys, "gold", "system.label", "--details", "results/2019")
    assert sorted(path.name for path in Path("results/2019").iterdir()) == [
        "eval-details-system.json",
        "eval-system.yml",
    ]


def test_details_of_equal_names_are_not_overwritten(capsys: Streams) -> None:
    shutil.copy("system.label", "system.2.label")
    assert run(["segmentation", "gold", "system.label", "system.2.label", "--details", "results"]) == 2
    assert "have the same name: system, system" in capsys.readouterr().err
    assert not Path("results").exists()
