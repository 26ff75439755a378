# the texts are in several languages
from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

import isogloss
from isogloss.errors import DataError, UsageError

ROWS: list[dict[str, Any]] = [
    {"text": "Це слово word.", "language": "uk"},
    {"text": "Это слово ы.", "language": "ru"},
    {"text": "Це слово ы.", "language": "uk"},
    {"text": "这是 word", "language": "zh"},
]


def test_each_text_is_judged_by_its_own_alphabet() -> None:
    run = isogloss.code_switching(ROWS, language_field="language", findings=True)
    assert [finding.extra["token"] for finding in run.findings] == ["word", "ы", "word"]
    assert [finding.document for finding in run.findings] == ["1", "3", "4"]
    slices = run.to_dict()["slices"]["language"]
    assert {name: each["scores"]["words"]["strict_rate"] for name, each in slices.items()} == {
        "uk": 2 / 6,
        "ru": 0,
        "zh": 4 / 6,  # characters on both sides
    }


@pytest.mark.parametrize("language", ["uk", "ru", "zh"])
def test_a_slice_is_the_run_of_its_texts_alone(language: str) -> None:
    own = [row for row in ROWS if row["language"] == language]
    alone = isogloss.code_switching(own, language=language).scores["words"]
    slices = isogloss.code_switching(ROWS, language_field="language").to_dict()["slices"]["language"]
    assert slices[language]["scores"]["words"]["strict_rate"] == alone["strict_rate"]


def test_letters_of_the_own_language_are_one_script() -> None:
    scripts = isogloss.code_switching(ROWS[:3], language_field="language").scores["scripts"]
    assert scripts == {"native": 8 / 9, "Latn": 1 / 9}
    cyrillic = isogloss.code_switching([{"text": "слово", "language": "zh"}], language_field="language")
    assert cyrillic.scores["third_scripts"]["share"] == 1


def test_the_language_of_the_call_is_that_of_texts_without_one() -> None:
    rows = [{"text": "ы"}, {"text": "ы", "language": "ru"}, {"text": "ы", "language": None}]
    run = isogloss.code_switching(rows, language="uk", language_field="language")
    assert run.scores["words"]["strict_count"] == 2
    with pytest.raises(DataError, match=r"texts\[0\]: the text has no language in `language`"):
        isogloss.code_switching(rows, language_field="language")


def test_a_text_in_an_unknown_language_is_named() -> None:
    with pytest.raises(DataError, match=r"texts\[1\]: Unknown language 'xx'"):
        isogloss.code_switching([*ROWS[:1], {"text": "a", "language": "xx"}], language_field="language")


def test_options_of_one_language_are_refused() -> None:
    with pytest.raises(UsageError, match="alphabet cannot be combined with language_field"):
        isogloss.code_switching(ROWS, language_field="language", alphabet="абв")
    with pytest.raises(UsageError, match="language is missing"):
        isogloss.code_switching(ROWS)


def test_a_csv_file_with_languages_is_read(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerows([["language", "completion"], *((row["language"], row["text"]) for row in ROWS)])
    run = isogloss.code_switching(str(path), text_field="completion", language_field="language")
    assert run.to_dict()["slices"].keys() == {"language"}
    assert run.scores["words"] == isogloss.code_switching(ROWS, language_field="language").scores["words"]


def test_the_profile_pnacos_takes_the_alphabet_of_each_text() -> None:
    run = isogloss.code_switching(ROWS[:3], language_field="language", profile="pnacos", splitter="terminators")
    assert run.scores["words"]["excused_count"] == 2
