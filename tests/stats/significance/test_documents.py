from __future__ import annotations

import math

import numpy as np
import pytest
from corpora import Answer, Document, batch_of, corpora
from hypothesis import given
from toy_metrics import Share

from isogloss.kernel.counts import Counts
from isogloss.stats.paired_tests import DocumentComparison, compare_documents

SHARE = ("overall", "share")
NAN = math.nan


def duel(baseline: list[float], other: list[float]) -> DocumentComparison:
    return DocumentComparison(np.arange(len(baseline)) * 10, np.array(baseline), np.array(other))


@given(corpora())
def test_every_document_is_compared_by_itself(corpus: list[Document]) -> None:
    batch = batch_of(corpus, np.arange(len(corpus))[::-1])
    found = compare_documents(Share().count(batch), Share().count(batch.of_other_system()), Share().overall)[SHARE]
    shares = [
        (sum(a.right for a in d.answers) / len(d.answers), sum(a.other for a in d.answers) / len(d.answers))
        for d in corpus
        if d.answers
    ]
    assert found.wins == sum(other > baseline for baseline, other in shares)
    assert found.losses == sum(other < baseline for baseline, other in shares)
    assert found.ties == sum(other == baseline for baseline, other in shares)
    assert found.undefined == len(corpus) - len(shares)
    pairs = [(k, d.answers) for k, d in enumerate(corpus) if d.answers]
    assert found.only_baseline.tolist() == [
        k for k, a in pairs if all(x.right for x in a) and not all(x.other for x in a)
    ]
    assert found.only_other.tolist() == [k for k, a in pairs if all(x.other for x in a) and not all(x.right for x in a)]


def test_a_document_that_one_system_has_no_score_of_takes_no_part() -> None:
    found = duel([NAN, 1.0, NAN, 0.5], [1.0, NAN, NAN, 1.0])
    assert (found.wins, found.ties, found.losses, found.undefined) == (1, 0, 0, 3)
    assert found.only_baseline.tolist() == []
    assert found.only_other.tolist() == [30]


def test_rounding_neither_wins_nor_is_wrong() -> None:
    found = duel([0.1 + 0.2, 1 - 2**-53, 1.0], [0.3, 1.0, 1 - 2**-53])
    assert (found.wins, found.ties, found.losses) == (0, 3, 0)
    assert found.only_baseline.tolist() == found.only_other.tolist() == []


@pytest.mark.extra
def test_verdicts_have_the_p_value_of_a_sign_test() -> None:
    stats = pytest.importorskip("scipy.stats")
    found = duel([1, 1, 0, 0, 0, 0, 0, 0, NAN], [1, 0, 1, 1, 1, 1, 1, 0, 1])
    assert found.has_only_verdicts
    assert found.compute_mcnemar_p() == pytest.approx(stats.binomtest(1, 6).pvalue, rel=1e-12)


def test_scores_between_right_and_wrong_are_no_verdicts() -> None:
    found = duel([1.0, 0.5], [0.0, 1.0])
    assert not found.has_only_verdicts
    with pytest.raises(ValueError, match="some documents have a score between 0 and 1"):
        found.compute_mcnemar_p()


def test_systems_scored_on_other_documents_are_refused() -> None:
    one, two = (Counts.build(np.array(d), {"n": np.ones(len(d), np.int64)}) for d in ([0, 1, 2], [0, 1, 3]))
    with pytest.raises(ValueError, match="same documents"):
        compare_documents(one, two, Share().overall)


def test_an_answer_is_a_verdict() -> None:
    corpus = [Document(answers=(Answer(None, "short", right, other),)) for right, other in ((1, 0), (0, 1), (1, 1))]
    batch = batch_of(corpus)
    found = compare_documents(Share().count(batch), Share().count(batch.of_other_system()), Share().overall)[SHARE]
    assert (found.has_only_verdicts, found.compute_mcnemar_p()) == (True, 1.0)
