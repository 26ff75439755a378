from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from translations import task

from isogloss.tasks.entity_translation.batches import TranslationBatch
from isogloss.tasks.entity_translation.inputs import convert_lists_by_language
from isogloss.tasks.entity_translation.matching import FOLDS, make_fold
from isogloss.tasks.entity_translation.options import Rules
from isogloss.tasks.entity_translation.pairing import read_language
from isogloss.tasks.entity_translation.verdicts import (
    VERDICT_KINDS,
    JudgedTranslations,
    TranslationJudge,
    merge_verdicts,
)


def batch(tasks: Sequence[Any], answers: Sequence[str | None]) -> TranslationBatch:
    [part] = convert_lists_by_language(tasks, answers)
    return next(read_language(part, Rules(empty_mentions=True), 0))


def correct(name: str, answer: str | None, judge: TranslationJudge | None = None) -> bool:
    return bool((judge or TranslationJudge())(batch([task("a", name)], [answer])).correct[0])


def test_a_name_may_stand_anywhere_in_any_case() -> None:
    for name, answer in [
        ("Duna", "la DUNA?"),
        ("STRASSE", "Straße"),
        ("Duna", "Dunas"),
        ("ดูน", "ภาพยนตร์ดูนเป็น"),
        ("ΟΔΟΣ", "οδος"),
    ]:
        assert correct(name, answer)


def test_a_name_that_is_not_there_is_wrong() -> None:
    for name, answer in [("Duna", "Dune"), ("İstanbul", "istanbul"), ("Duna", None), ("Duna", "")]:
        assert not correct(name, answer)


@pytest.mark.parametrize("name", ["", " "])
def test_blank_name_counts_only_if_empty_mentions_is_set(name: str) -> None:
    assert not correct(name, "La Duna")
    assert correct(name, "La Duna", TranslationJudge(empty_mentions=True))


def test_a_name_without_letters_is_in_no_text_of_letters() -> None:
    assert not correct("!!!", "La Duna", TranslationJudge("letters"))


def test_missing_translations_are_none_and_blank_ones() -> None:
    judged = TranslationJudge()(batch([task(key, "x") for key in "abcd"], [None, " ", "", "y"]))
    assert judged.missing.tolist() == [True, True, True, False]


def test_overlong_translation_is_warned_of_with_its_place() -> None:
    tasks = [task("a", "x"), task("b", "y" * 100), {"id": "c", "targets": [{"mention": "z"}]}]
    [notice] = TranslationJudge()(batch(tasks, ["x" * 201, "y" * 201, "z" * 900])).warnings
    assert (notice.code, notice.count, notice.where) == ("long-predictions", 1, "predictions[0]")


@pytest.mark.parametrize(
    ("reference", "answer", "is_long"),
    [(1, 200, False), (1, 201, True), (67, 201, False), (66, 201, True), (100, 300, False), (100, 301, True)],
)
def test_translation_length_limits(reference: int, answer: int, *, is_long: bool) -> None:
    target = {"translation": "x" * reference, "mention": "x"}
    notices = TranslationJudge()(batch([{"id": "a", "targets": [target]}], ["y" * answer])).warnings
    assert [notice.code for notice in notices] == ["long-predictions"] * is_long


def test_explained_verdicts_have_kind_and_found_name() -> None:
    judge = TranslationJudge(aliases={("und", "Q1"): frozenset({"Sabbia"})})
    tasks = [task(key, "Duna", wikidata_id="Q1") for key in "abcd"]
    explanation = judge(batch(tasks, ["La Duna", None, "La Sabbia", "Niente?"])).explanation
    assert explanation
    assert [VERDICT_KINDS[k] for k in explanation.kinds] == ["correct", "missing", "sibling_alias", "other"]
    assert [match and match.mention for match in explanation.matches] == ["Duna", None, None, None]


texts = st.text(st.sampled_from("aAßsé E\u0301ſ’'-カｶด2\u0345"), max_size=6)


@given(
    form=st.sampled_from(sorted(FOLDS)),
    rows=st.lists(st.tuples(st.lists(texts, min_size=1, max_size=3), st.none() | texts), max_size=8),
)
def test_verdicts_are_those_of_one_name_after_the_other(form: Any, rows: list[tuple[list[str], str | None]]) -> None:
    fold = make_fold(form)
    expected = [
        answer is not None and any(fold(name).strip() != "" and fold(name) in fold(answer) for name in names)
        for names, answer in rows
    ]
    tasks = [task(str(k), *names) for k, (names, _) in enumerate(rows)]
    judged = TranslationJudge(form)(batch(tasks or [task("z", "x")], [answer for _, answer in rows] or [None]))
    assert judged.correct.tolist() == (expected or [False])


@given(rows=st.lists(st.tuples(st.lists(texts, min_size=1, max_size=3), st.none() | texts), min_size=1, max_size=8))
def test_verdicts_with_empty_names_equal_the_official_scorer(
    rows: list[tuple[list[str], str | None]],
) -> None:
    expected = [
        answer is not None and any(name.casefold() in answer.casefold() for name in names) for names, answer in rows
    ]
    judged = TranslationJudge(empty_mentions=True)(
        batch([task(str(k), *names) for k, (names, _) in enumerate(rows)], [answer for _, answer in rows]),
    )
    assert judged.correct.tolist() == expected
    blank = [not right and not (answer or "").strip() for right, (_, answer) in zip(expected, rows, strict=True)]
    assert judged.missing.tolist() == blank


@given(sizes=st.lists(st.tuples(st.sampled_from(["it", "th"]), st.integers(0, 5)), max_size=8), least=st.integers(1, 7))
def test_joined_verdicts_are_the_same_in_batches_of_one_language(sizes: list[tuple[str, int]], least: int) -> None:
    first = 0
    batches = []
    for language, size in sizes:
        numbers = np.arange(first, first + size)
        types = [(str(k % 2),) for k in numbers.tolist()]
        batches.append(JudgedTranslations(numbers, language, types, numbers % 2 == 0, numbers % 3 == 0, numbers / 7))
        first += size
    wide = list(merge_verdicts(batches, least))
    for name in ("documents", "correct", "missing", "comet"):
        narrow, joint = ([value for each in side for value in getattr(each, name).tolist()] for side in (batches, wide))
        assert narrow == joint
    assert [t for each in wide for t in each.types] == [t for each in batches for t in each.types]
    spread = [{int(n): each.language for each in side for n in each.documents} for side in (batches, wide)]
    assert spread[0] == spread[1]
