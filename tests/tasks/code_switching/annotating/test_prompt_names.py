"""Names from prompts: what a question calls by its name, the answer may, too."""

from __future__ import annotations

from typing import Any

import pytest

import isogloss


def excused(text: str, prompt: Any, language: str = "uk") -> dict[str, int]:
    """Reasons of a text."""
    run = isogloss.code_switching([{"text": text, "prompt": prompt}], language=language, prompt_field="prompt")
    return {name: label["words"]["count"] for name, label in run.by_label.items()}


def test_a_foreign_word_with_a_capital_in_the_prompt_is_excused() -> None:
    assert excused("Так, Azure є.", "Що таке Azure?") == {"prompt": 1}


def test_a_word_without_a_capital_is_no_name() -> None:
    assert excused("Так, cloud є.", "Що таке cloud?") == {}


def test_a_name_is_excused_as_it_is_written_in_the_prompt() -> None:
    assert excused("Так, azure і AZURE, Azures.", "Що таке Azure?") == {}


def test_names_in_brackets_and_quotations_of_the_prompt_count() -> None:
    assert excused("Azure, Word, IBM.", "(Azure) «Word», IBM!") == {"prompt": 3}


def test_a_name_of_another_prompt_excuses_nothing() -> None:
    rows = [{"text": "Azure є", "prompt": "Azure"}, {"text": "Azure є", "prompt": "Що?"}]
    run = isogloss.code_switching(rows, language="uk", prompt_field="prompt")
    assert run.scores["words"].excused_count == 1


def test_a_text_without_a_prompt_stands_beside_others() -> None:
    rows = [{"text": "Azure є", "prompt": None}, {"text": "Azure є", "prompt": "Azure"}]
    run = isogloss.code_switching(rows, language="uk", prompt_field="prompt")
    assert run.scores["words"].excused_count == 1


def test_prompts_are_used_only_by_option() -> None:
    run = isogloss.code_switching([{"text": "Azure є", "prompt": "Azure"}], language="uk")
    assert run.scores["words"].excused_count == 1


@pytest.mark.parametrize(
    ("language", "text", "prompt"),
    [
        ("ja", "これはAzureです", "Azureとは？"),
        ("ar", "هذا Azure هنا", "ما هو Azure؟"),
        ("zh", "使用Azure平台", "Azure是什么"),
    ],
)
def test_latin_names_are_found_in_any_script(language: str, text: str, prompt: str) -> None:
    assert excused(text, prompt, language) == {"prompt": 1 if language == "ar" else len("Azure")}  # or characters


def test_recognisers_do_not_get_names_of_the_prompt() -> None:
    def refuses(texts: list[str]) -> list[list[tuple[int, int]]]:
        raise AssertionError(texts)

    row = {"text": "Azure є", "prompt": "Azure"}
    isogloss.code_switching([row], language="uk", prompt_field="prompt", recognisers=[refuses])
