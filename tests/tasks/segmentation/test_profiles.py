from __future__ import annotations

import math
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import isogloss
from isogloss.errors import UsageError
from isogloss.tasks.segmentation.options import PROFILES
from isogloss.tasks.segmentation.profiles import SegmentationProfile
from isogloss.tasks.segmentation.profiles.conll18 import measure_lcs
from isogloss.tasks.segmentation.profiles.sighan import find_lcs
from isogloss.tasks.segmentation.profiles.thai_benchmarks import clean_thai_benchmark

ITEMS = st.lists(st.sampled_from("abcd"), max_size=9)


def longest(first: list[str], second: list[str]) -> int:
    """Length of the longest common subsequence, by its definition."""

    @cache
    def of(i: int, j: int) -> int:
        if i == len(first) or j == len(second):
            return 0
        if first[i] == second[j]:
            return 1 + of(i + 1, j + 1)
        return max(of(i + 1, j), of(i, j + 1))

    return of(0, 0)


def is_subsequence(items: list[str], of: list[str]) -> bool:
    rest = iter(of)
    return all(item in rest for item in items)


@given(ITEMS, ITEMS)
def test_what_diff_shares_is_a_longest_common_subsequence(first: list[str], second: list[str]) -> None:
    at = find_lcs(first, second)
    assert at == sorted(set(at))
    assert len(at) == longest(first, second)
    assert is_subsequence([first[k] for k in at], second)


@given(ITEMS, ITEMS)
def test_the_number_of_words_in_common_is_that_of_the_definition(first: list[str], second: list[str]) -> None:
    assert measure_lcs(first, second) == longest(first, second)


@pytest.mark.parametrize("name", PROFILES.list_names())
def test_every_profile_is_known_by_its_own_name(name: str) -> None:
    profile: SegmentationProfile = PROFILES.load(name)
    assert profile.name == name


@pytest.mark.parametrize("name", PROFILES.list_names())
def test_every_profile_scores_a_perfect_prediction_1(name: str) -> None:
    words = [["กา", " ", "ดำ"], ["บิน"]]
    run = isogloss.segmentation(words, words, profile=name)
    figures = [value for group in run.scores.values() for key, value in group.items() if key in ("precision", "f1")]
    assert figures
    assert set(figures) == {1.0}
    assert f"profile:{name}" in str(run.signature)
    assert run.profile == name


@pytest.mark.parametrize(
    ("profile", "options"),
    [
        ("thai-benchmark", {"whitespace": "keep"}),
        ("pythainlp", {"zero_division": 1}),
        ("spacy", {"vocabulary": ["a"]}),
        ("conll18", {"on_mismatch": "skip"}),
        ("conll18", {"align": "thai"}),
    ],
)
def test_what_a_tool_does_not_have_is_refused(profile: str, options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=f"{next(iter(options))} cannot be combined with the profile {profile}"):
        isogloss.segmentation([["a"]], [["a"]], profile=profile, **options)


@pytest.mark.parametrize(
    ("sample", "cleaned"),
    [
        ("ab|c| |", "ab|c"),
        ("| |ab|c", "ab|c"),
        ("ab||c|", "ab|c"),
        ("a b|c ", "ab|c"),
        ("<NE>ab</NE>|c", "ab|c"),
        ("<ne>ab</ne>|c", "<ne>ab</ne>|c"),
        ("ab|<NE>|c", "ab||c"),
        ("||", ""),
    ],
)
def test_the_benchmark_of_2019_cleans_a_sample_in_its_order(sample: str, cleaned: str) -> None:
    assert clean_thai_benchmark(sample) == cleaned


def test_sighan_counts_signs_as_missed_for_recall_only() -> None:
    word = isogloss.segmentation([["a", "|", "<"]], [["a", "|", "<"]], profile="sighan").scores["word"]
    assert (word.correct, word.correct_predicted) == (1, 3)
    assert (word.recall, word.precision) == (pytest.approx(1 / 3), 1)


def test_sighan_knows_new_words_by_its_dictionary() -> None:
    run = isogloss.segmentation([["ab", "c"]], [["a", "b", "c"]], profile="sighan", vocabulary=["c"])
    assert (run.scores["oov"].recall, run.scores["iv"].recall) == (0, 1)


def test_spacy_without_prediction_is_undefined() -> None:
    run = isogloss.segmentation([["a"]], [[]], profile="spacy")
    assert all(math.isnan(run.scores["word"][name]) for name in ("precision", "recall", "f1"))
    assert run.scores["word"].reference == 1


def test_spacy_has_the_keys_that_spacy_writes() -> None:
    found = isogloss.segmentation([["ab", "c"]], [["a", "b", "c"]], profile="spacy").to_dict()
    named = {key: value for key, value in found.items() if key.startswith("token_")}
    assert named == {"token_acc": 1.0, "token_p": 1 / 3, "token_r": 1 / 2, "token_f": pytest.approx(2 / 5)}
    assert not any(key.startswith("token_") for key in isogloss.segmentation([["a"]], [["a"]]).to_dict())


def test_spacy_does_not_count_whitespace() -> None:
    run = isogloss.segmentation([["a", " ", "b"]], [["a", " ", "b"]], profile="spacy")
    assert run.scores["word"].correct == 2


def test_spacy_compares_offsets_with_whitespace() -> None:
    run = isogloss.segmentation([["a ", "b"]], [["a", " ", "b"]], profile="spacy")
    assert (run.scores["word"].correct, run.scores["word"].predicted) == (1, 2)


def test_conll18_scores_sentences_that_are_cut_elsewhere() -> None:
    run = isogloss.segmentation([["a", "b"], ["c"], ["d"]], [["a"], ["b", "c"], ["d"]], profile="conll18")
    assert (run.scores["tokens"].f1, run.scores["sentences"].correct) == (1, 1)
    assert (run.scores["sentences"].predicted, run.scores["sentences"].reference) == (3, 3)
    assert run.documents == 2
