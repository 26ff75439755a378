from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.kernel.counts import Counts
from isogloss.kernel.scores import format_path
from isogloss.kernel.tally import Tally
from isogloss.tasks.entity_translation.metric import EntityTranslation
from isogloss.tasks.entity_translation.verdicts import JudgedTranslations

Sentence = tuple[str, tuple[str, ...], bool, bool, float | None]  # language, types, correct, missing, COMET
LANGUAGES = ("it", "th")
METRIC = EntityTranslation()
WITH_COMET = EntityTranslation(languages=LANGUAGES)


def judged(sentences: Sequence[Sentence], numbers: Sequence[int]) -> list[JudgedTranslations]:
    """Batches of one language each."""
    found = []
    for language in LANGUAGES:
        at = [k for k, sentence in enumerate(sentences) if sentence[0] == language]
        own = [sentences[k] for k in at]
        found.append(
            JudgedTranslations(
                documents=np.array([numbers[k] for k in at], np.int64),
                language=language,
                types=[sentence[1] for sentence in own],
                correct=np.array([sentence[2] for sentence in own], np.bool_),
                missing=np.array([sentence[3] for sentence in own], np.bool_),
                comet=np.array([np.nan if sentence[4] is None else sentence[4] for sentence in own], np.float64),
            ),
        )
    return found


def scored(sentences: Sequence[Sentence], metric: EntityTranslation = METRIC) -> Mapping[str, float]:
    counts = Counts.merge(map(metric.count, judged(sentences, range(len(sentences)))))
    return {format_path(key): value.item() for key, value in metric.score(Tally.from_counts(counts).sum_all()).items()}


CORPUS: list[Sentence] = [
    ("it", ("Book", "Movie"), True, False, 80.0),
    ("it", ("Book",), False, False, 90.0),
    ("it", (), False, True, None),
    ("th", ("Movie", "Movie"), True, False, 50.0),
]


def test_the_overall_score_counts_each_sentence_once() -> None:
    scores = scored(CORPUS)
    assert {name: scores[f"m_eta.{name}"] for name in ("accuracy", "correct", "total", "missing")} == {
        "accuracy": 0.5,
        "correct": 2,
        "total": 4,
        "missing": 1,
    }


def test_a_sentence_counts_in_each_of_its_types_once() -> None:
    scores = scored(CORPUS)
    assert (scores["by_label.Book.m_eta.correct"], scores["by_label.Book.m_eta.total"]) == (1, 2)
    assert (scores["by_label.Movie.m_eta.correct"], scores["by_label.Movie.m_eta.total"]) == (2, 2)


def test_only_types_that_are_scored_have_scores_of_their_own() -> None:
    scores = scored(CORPUS, EntityTranslation(types=frozenset({"Book"})))
    assert {name.split(".")[1] for name in scores if name.startswith("by_label")} == {"Book"}


def test_languages_have_scores_of_their_own_and_a_mean() -> None:
    scores = scored(CORPUS)
    assert scores["slices.language.it.m_eta.accuracy"] == pytest.approx(1 / 3)
    assert (scores["slices.language.it.documents"], scores["slices.language.th.documents"]) == (3, 1)
    assert scores["languages.accuracy"] == pytest.approx(float((Fraction(1, 3) + 1) / 2))
    assert scores["languages.number"] == 2


def test_comet_is_a_mean_over_sentences_and_then_over_languages() -> None:
    scores = scored(CORPUS, WITH_COMET)
    assert (scores["slices.language.it.comet.score"], scores["slices.language.th.comet.score"]) == (85.0, 50.0)
    assert scores["comet.score"] == 67.5


def test_both_overall_harmonic_means_are_there_and_differ() -> None:
    scores = scored(CORPUS, WITH_COMET)
    italian = 2 / (1 / 85 + 3 / 100)
    thai = 2 / (1 / 50 + 1 / 100)
    assert scores["slices.language.it.harmonic_mean.score"] == pytest.approx(italian)
    assert scores["harmonic_mean.mean_of_harmonic_means"] == pytest.approx((italian + thai) / 2)
    assert scores["harmonic_mean.score"] == scores["harmonic_mean.mean_of_harmonic_means"]
    assert scores["harmonic_mean.harmonic_mean_of_means"] == pytest.approx(2 / (1 / 67.5 + 1 / (200 / 3)))


def test_a_harmonic_mean_is_zero_where_one_of_the_two_is() -> None:
    scores = scored([("it", (), False, False, 0.0), ("th", (), True, False, -3.0)], WITH_COMET)
    assert scores["slices.language.it.harmonic_mean.score"] == 0.0
    assert scores["slices.language.th.harmonic_mean.score"] == 0.0


def test_kinds_are_coarse_where_nothing_was_explained() -> None:
    scores = scored(CORPUS)
    kinds = {name: value for name, value in scores.items() if name.startswith("findings")}
    assert kinds == {"findings.correct": 2, "findings.missing": 1, "findings.wrong": 1}


def test_unexplained_verdicts_cannot_be_counted_as_explained() -> None:
    with pytest.raises(ValueError, match="not explained"):
        scored(CORPUS, EntityTranslation(explained=True))


types = st.lists(st.sampled_from(["Book", "Movie", "U.S. state"]), max_size=3).map(tuple)
sentences = st.tuples(
    st.sampled_from(LANGUAGES),
    types,
    st.booleans(),
    st.sampled_from([False]),
    st.none() | st.floats(-100, 100),
)
corpora = st.lists(sentences, min_size=1, max_size=12)


@given(corpus=corpora, seed=st.integers(0, 2**32 - 1))
def test_neither_order_nor_batches_change_a_score(corpus: list[Sentence], seed: int) -> None:
    generator = np.random.default_rng(seed)
    order = generator.permutation(len(corpus)).tolist()
    cut = int(generator.integers(0, len(corpus) + 1))
    pieces = [batch for at in (order[cut:], order[:cut]) for batch in judged([corpus[k] for k in at], at)]
    both = [
        Tally.from_counts(Counts.merge(map(WITH_COMET.count, each)))
        for each in (judged(corpus, range(len(corpus))), pieces)
    ]
    whole, apart = ({format_path(k): v.item() for k, v in WITH_COMET.score(tally.sum_all()).items()} for tally in both)
    assert whole.keys() == apart.keys()
    assert all(np.array_equal(whole[name], apart[name], equal_nan=True) for name in whole)


@given(corpus=corpora)
def test_languages_add_up_and_right_translations_score_one(corpus: list[Sentence]) -> None:
    scores = scored(corpus)
    used = {sentence[0] for sentence in corpus}
    for name in ("correct", "total", "missing"):
        assert scores[f"m_eta.{name}"] == sum(scores[f"slices.language.{own}.m_eta.{name}"] for own in used)
    right = scored([(language, kinds, True, False, None) for language, kinds, *_ in corpus])
    assert {value for name, value in right.items() if name.endswith("accuracy")} == {1.0}


def test_an_empty_batch_has_no_counts() -> None:
    empty = replace(judged([], [])[0], comet=None)
    assert len(WITH_COMET.count(empty).documents) == 0
