# the texts are Ukrainian
"""The example that PNaCoS publishes, on its sentences, tokens and entities.

The figures that it prints are those of the second text with a Ukrainian word in place of the foreign one.
"""

from __future__ import annotations

from typing import Any

import pytest

import isogloss

FIGURES = {"метрику": (1 / 4, 1 / 3, 5 / 21), "metric": (2 / 4, 2 / 3, 6 / 21)}


def rows(word: str) -> list[dict[str, Any]]:
    third = "єєєєZAZ-1103 Slavuta це є the best автомобіль in the світі"
    at = third.index("Slavuta")
    return [
        {
            "text": "Все нормально. Мабуть.",
            "sentences": [[0, 14], [15, 22]],
            "tokens": ["Все", "нормально", ".", "Мабуть", "."],
            "entities": [],
        },
        {
            "text": f"Кручу верчу {word} рахую",
            "sentences": [[0, 18 + len(word)]],
            "tokens": ["Кручу", "верчу", word, "рахую"],
            "entities": [],
        },
        {
            "text": third,
            "sentences": [[0, len(third)]],
            "tokens": ["єєєєZAZ", "-", "1103", *third[at:].split()],
            "entities": [[at, at + len("Slavuta"), "MISC"]],
        },
    ]


@pytest.mark.parametrize("word", FIGURES)
def test_the_published_example_gives_its_figures(word: str) -> None:
    sentences, texts, words = FIGURES[word]
    answer = isogloss.code_switching(rows(word), language="uk", profile="pnacos").to_dict()
    assert {name: answer[name] for name in answer if name.startswith(("codeswitch_", "total_num_"))} == {
        "codeswitch_sentences_ratio": sentences,
        "codeswitch_texts_ratio": texts,
        "codeswitch_words_ratio": words,
        "total_num_texts": 3,
        "total_num_sentences": 4,
        "total_num_tokens": 21,
    }


def test_the_default_excuses_the_same_name() -> None:
    run = isogloss.code_switching(rows("metric"), language="uk")
    assert run.scores["words"].strict_count == 7
    assert run.scores["words"].excused_count == 6
    assert run.by_label["name"]["words"]["count"] == 1
    assert run.scores["words"].total == 21 - 4  # two full stops, a hyphen and a number have no letters
