from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.errors import MissingExtraError, UsageError
from isogloss.kernel.counts import Counts
from isogloss.kernel.tally import Tally
from isogloss.tasks.entity_translation.batches import TranslationBatch
from isogloss.tasks.entity_translation.inputs import convert_lists_by_language
from isogloss.tasks.entity_translation.options import Rules
from isogloss.tasks.entity_translation.pairing import read_language
from isogloss.tasks.entity_translation.quality import (
    QUALITY_COLUMNS,
    QualityScore,
    QualityStatistics,
    choose_bleu_tokenizer,
    score_quality,
)

sacrebleu = pytest.importorskip("sacrebleu")
Pair = tuple[list[str], str | None]


def batch(pairs: Sequence[Pair], language: str = "it") -> TranslationBatch:
    tasks = [
        {"id": str(k), "targets": [{"mention": "x", "translation": text} for text in texts]}
        for k, (texts, _) in enumerate(pairs)
    ]
    [part] = convert_lists_by_language({language: tasks}, {language: [answer for _, answer in pairs]})
    return next(read_language(part, Rules(), 0))


def score(quality: QualityScore, pairs: Sequence[Pair], language: str = "it", tokenizer: str | None = None) -> float:
    found = batch(pairs, language)
    values = QualityStatistics(quality, tokenizer).count(found)
    counts = Counts.build(found.documents, dict(zip(QUALITY_COLUMNS[quality], values.T, strict=True)))
    return float(score_quality(quality, Tally.from_counts(counts).sum_all()))


def by_sacrebleu(quality: QualityScore, pairs: Sequence[Pair], tokenizer: str = "13a") -> float:
    metric = sacrebleu.CHRF() if quality == "chrf" else sacrebleu.BLEU(tokenize=tokenizer)
    most = max(len(texts) for texts, _ in pairs)
    streams = [[texts[n] if n < len(texts) else None for texts, _ in pairs] for n in range(most)]
    return float(metric.corpus_score([answer or "" for _, answer in pairs], streams).score)


PAIRS: list[Pair] = [
    (["Chi ha scritto Duna?", "Chi è l'autore di Duna?"], "Chi ha scritto Dune?"),
    (["Quando è uscito il film Duna?"], "Quando è uscito Duna?"),
    (["Di che genere è Duna?"], None),
]


@pytest.mark.parametrize("quality", ["chrf", "bleu"])
def test_scores_are_those_of_sacrebleu(quality: QualityScore) -> None:
    assert score(quality, PAIRS) == pytest.approx(by_sacrebleu(quality, PAIRS), abs=1e-9)


words = st.lists(st.sampled_from(["a", "b", "Duna", "?", "il film", "電影", "x."]), min_size=1, max_size=7).map(
    " ".join,
)
pairs = st.lists(st.tuples(st.lists(words, min_size=1, max_size=3), st.none() | words), min_size=1, max_size=6)


@pytest.mark.parametrize("quality", ["chrf", "bleu"])
@given(found=pairs)
@settings(deadline=None)
def test_scores_of_any_sentences_are_those_of_sacrebleu(quality: QualityScore, found: list[Pair]) -> None:
    assert score(quality, found) == pytest.approx(by_sacrebleu(quality, found), abs=1e-9)


def test_perfect_translation_scores_100_and_an_empty_one_0() -> None:
    perfect: list[Pair] = [(["Chi ha scritto il libro Duna?"], "Chi ha scritto il libro Duna?")]
    assert score("chrf", perfect) == pytest.approx(100)
    assert score("bleu", perfect) == pytest.approx(100)
    assert score("bleu", [(["Chi?"], "")]) == score("chrf", [(["Chi?"], "")]) == 0


def test_sentences_without_a_known_translation_have_no_score() -> None:
    assert np.isnan(score("bleu", [([""], "Chi?")]))
    assert score("chrf", [([""], "Chi?"), *PAIRS]) == pytest.approx(score("chrf", PAIRS))


def test_the_tokenizer_follows_the_language() -> None:
    for language, tokenizer in [
        ("zh_TW", "zh"),
        ("yue", "zh"),
        ("ja_JP", "char"),
        ("th_TH", "char"),
        ("ko_KR", "13a"),
        ("und", "13a"),
    ]:
        assert choose_bleu_tokenizer(language) == tokenizer
        sentences: list[Pair] = [(["電影 Duna 的 类型是什么?"], "Duna 电影的類型是什麼?")]
        assert score("bleu", sentences, language) == pytest.approx(by_sacrebleu("bleu", sentences, tokenizer))


def test_a_tokenizer_can_be_named() -> None:
    assert score("bleu", PAIRS, tokenizer="char") == pytest.approx(by_sacrebleu("bleu", PAIRS, "char"))
    with pytest.raises(UsageError, match="Unknown tokenizer 'words'"):
        score("bleu", PAIRS, tokenizer="words")


def test_without_sacrebleu_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'isogloss\[mt\]'"):
        score("chrf", PAIRS)
