from __future__ import annotations

import pytest

from isogloss.tasks.entity_translation.matching import make_fold
from isogloss.tasks.entity_translation.near_misses import classify_near_miss
from isogloss.tasks.entity_translation.rows import Reference, Target

SOURCE = "Who wrote Foundation and Earth?"


def kind(answer: str | None, *names: str, source: str = SOURCE, siblings: tuple[str, ...] = ()) -> str:
    targets = tuple(Target(name, f"Chi ha scritto {name}?") for name in names or ("Fondazione e Terra",))
    return classify_near_miss(Reference("Q1_0", targets, source=source), answer, frozenset(siblings), make_fold("none"))


@pytest.mark.parametrize("answer", [None, "", " \n"])
def test_no_translation_or_a_blank_one_is_missing(answer: str | None) -> None:
    assert kind(answer) == "missing"


@pytest.mark.parametrize(
    "answer",
    ["Chi ha scritto «Fondazione-e-Terra»?", "FONDAZIONEETERRA?", "Ｆondazione e\u00a0Terra?"],
)
def test_a_name_but_for_punctuation_spaces_and_widths(answer: str) -> None:
    assert kind(answer) == "punctuation"


@pytest.mark.parametrize(
    ("answer", "name"),
    [("El Palacio de Gatchina?", "Gátchina"), ("Isparta mı?", "ısparta mi"), ("قصيده؟", "قَصيده")],
)
def test_a_name_but_for_marks(answer: str, name: str) -> None:
    assert kind(answer, name) == "diacritics"


def test_marks_that_are_letters_are_not_stripped() -> None:
    assert kind("กา?", "กำ") == "other"


def test_a_name_that_is_accepted_in_another_sentence() -> None:
    assert kind("Chi ha scritto Fondazione V?", siblings=("fondazione v",)) == "sibling_alias"


def test_the_name_of_the_source_left_as_it_is() -> None:
    assert kind("Chi ha scritto Foundation and Earth?") == "source_name_kept"


def test_accepted_source_word_is_not_a_kept_name() -> None:
    assert kind("Di chi parla Harry?", "Harry l'indomabile", source="Who is Harry the Brave?") == "other"


@pytest.mark.parametrize("source", ["Foundation: who wrote it?", "What is the key of No. 9?"])
def test_the_first_word_alone_and_numbers_are_no_name(source: str) -> None:
    assert kind("Foundation? No. 9?", "xyzw", source=source) == "other"


def test_another_spelling_of_a_name() -> None:
    assert kind("Chi ha scritto Fondazzione e Tera?") == "other_spelling"


def test_spellings_of_short_names_are_not_compared() -> None:
    assert kind("Che cos'è Osu?", "Oso", source="What is a bear?") == "other"


def test_a_question_that_was_answered() -> None:
    assert kind("Isaac Asimov.") == "answered"


@pytest.mark.parametrize("mark", "?？؟")
def test_a_question_in_any_script_is_no_answer(mark: str) -> None:
    assert kind(f"Isaac Asimov{mark}") == "other"


def test_classes_are_tried_in_their_order() -> None:
    assert kind("Fondazione-e-Terra, Foundation and Earth.") == "punctuation"
    assert kind("Fondazione V: Foundation and Earth.", siblings=("Fondazione V",)) == "sibling_alias"
    assert kind("Foundation and Earth, Fondazzione e Tera.") == "source_name_kept"
    assert kind("Fondazzione e Tera.") == "other_spelling"
