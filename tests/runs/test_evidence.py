from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from corpora import Answer, Document, batch_of, random_corpus
from toy_metrics import Quality, Share

import isogloss
from isogloss.kernel.counts import Counts
from isogloss.kernel.scores import Ints, ScoreKey, Scores
from isogloss.kernel.slices import Attribute
from isogloss.kernel.sums import Sums
from isogloss.kernel.tallied_documents import TalliedDocuments
from isogloss.kernel.tally import Tally
from isogloss.runs.evidence import DocumentCounts, Resampling, ResamplingMethod, TallyEvidence
from isogloss.stats.bootstrap import bootstrap_scores
from isogloss.stats.intervals import compute_percentile_intervals, compute_wilson_interval

CORPUS = random_corpus(3, 30)


def evidence(metric: Any, corpus: list[Document] = CORPUS, resampling: Resampling | None = None) -> TallyEvidence:
    return TallyEvidence(metric, Tally.from_counts(metric.count(batch_of(corpus))), resampling)


def test_counts_are_integers_and_ratios_are_floats() -> None:
    numbers = evidence(Share()).numbers
    assert {key: type(value) for key, value in numbers.items()} == {
        ("overall", "share"): float,
        ("overall", "right"): int,
        ("overall", "total"): int,
    }


def test_repeated_documents_are_counted() -> None:
    assert evidence(Share(), CORPUS * 3).documents == 90


def test_only_ratios_have_a_spread_over_documents() -> None:
    corpus = [
        Document((Answer("name", "short", 1, 0), Answer("name", "short", 0, 0))),
        Document((Answer("name", "short", 1, 0),)),
        Document(),
    ]
    (found,) = evidence(Share(), corpus).per_document.items()
    name, spread = found
    assert name == "overall.share"
    assert (spread.mean, spread.min, spread.max, spread.documents) == (0.75, 0.5, 1.0, 2)
    assert spread.std == pytest.approx(math.sqrt(0.125 / 1))


def test_tally_without_resampling_has_no_intervals() -> None:
    assert evidence(Share()).intervals == {}


def test_intervals_equal_the_bootstrap_of_seed_and_level() -> None:
    found = evidence(Share(), resampling=Resampling(0.8, 50, seed=7)).intervals
    tally = Tally.from_counts(Share().count(batch_of(CORPUS)))
    expected = compute_percentile_intervals(bootstrap_scores(tally, Share().score, 50, seed=7), 0.8)["overall", "share"]
    assert found["overall.share"] == expected


def test_intervals_cover_ratios_and_document_means() -> None:
    known = evidence(Quality(), resampling=Resampling(resamples=10))
    scores = {"overall.share", "fluency.mean"} | {
        f"by_label.{kind}.overall.share" for kind in ("name", "place", '"U.S."', '"дата"')
    }
    means = {f"per_document.{name}.mean" for name in known.per_document}
    assert set(known.intervals) == scores | means
    assert means == {"per_document.overall.share.mean", "per_document.fluency.mean.mean"}


def test_interval_of_document_mean_contains_the_mean() -> None:
    known = evidence(Quality(), resampling=Resampling(0.999, 200))
    interval = known.intervals["per_document.overall.share.mean"]
    assert interval.low < known.per_document["overall.share"].mean < interval.high


class Confusable(Share):
    def confusion(self, sums: Sums) -> dict[tuple[str | None, str | None], int]:
        return {("b", None): 1, ("a", "x"): 2, (None, "x"): 3, ("a", None): 4}


def test_confusion_is_ordered_by_name_with_none_last() -> None:
    assert list(evidence(Confusable()).confusion.items()) == [
        (("a", "x"), 2),
        (("a", None), 4),
        (("b", None), 1),
        ((None, "x"), 3),
    ]
    assert evidence(Share()).confusion == {}


def test_scores_are_computed_only_on_demand() -> None:
    class Failing(Share):
        def score(self, sums: Sums) -> Scores:
            raise AssertionError

    counts = Counts.build(np.arange(2), {"right": np.ones(2, np.int64), "total": np.ones(2, np.int64)})
    assert TallyEvidence(Failing(), Tally.from_counts(counts), Resampling()).documents == 2


class Counting(Share):
    def hidden_proportions(self, sums: Sums) -> dict[ScoreKey, tuple[Ints, Ints]]:
        right, total = (sums.get_column(name).sum(axis=-1) for name in ("right", "total"))
        return {("overall", "share"): (right, total)}


def test_wilson_intervals_apply_to_proportions_only() -> None:
    how = Resampling(0.8, 50, method="wilson")
    right = sum(answer.right for document in CORPUS for answer in document.answers)
    total = sum(len(document.answers) for document in CORPUS)
    assert evidence(Counting(), resampling=how).intervals["overall.share"] == compute_wilson_interval(right, total, 0.8)
    drawn = evidence(Counting(), resampling=Resampling(method="bootstrap"))
    assert drawn.intervals["overall.share"].method == "bootstrap"
    assert evidence(Share(), resampling=how).intervals["overall.share"].method == "bootstrap"
    mean = "per_document.overall.share.mean"
    assert evidence(Counting(), resampling=how).intervals[mean].method == "bootstrap"


def test_wilson_intervals_of_clusters_are_refused() -> None:
    counts = Share().count(batch_of(CORPUS))
    group = {"group": Attribute.build(counts.documents, ["x"] * len(counts.documents))}
    how = Resampling(method="wilson")
    documents = TalliedDocuments.from_counts(counts)
    with pytest.raises(ValueError, match="not clusters by 'group'"):
        TallyEvidence(Share(), documents.tally, how, DocumentCounts(documents, group), unit="group")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        *(
            ({"method": name}, "method must be one of auto, bootstrap, wilson, got")
            for name in ("normal", "Wilson", "")
        ),
        *(({"level": level}, "give no interval") for level in (0.0, 1.0, 95.0)),
        ({"resamples": 0}, "give no interval"),
    ],
)
def test_invalid_resampling_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Resampling(**changes)


def test_clustered_standard_error_equals_hand_computation() -> None:
    tags = [["B-A"]] * 6
    told = [["B-A"], ["B-A"], ["O"], ["O"], ["B-A"], ["O"]]
    by = {"author": ["x", "x", "y", "y", "z", "z"]}
    for confidence in (None, 0.9):
        run = isogloss.ner(tags, told, by=by, confidence=confidence, unit="author")
        found = run.per_document["strict.recall"]
        assert found.mean == 0.5
        # residuals: 2 - 1 of x, 0 - 1 of y, 1 - 1 of z; three clusters give the factor 3 / 2, six documents the mean
        assert found.se == pytest.approx((3 / 2 * (1**2 + 1**2)) ** 0.5 / 6)
    alone = isogloss.ner(tags, told).per_document["strict.recall"]
    assert alone.se == pytest.approx((6 * 0.5**2 / 5) ** 0.5 / 6**0.5)
    assert (round(found.se, 4), round(alone.se, 4)) == (0.2887, 0.2236)


def test_two_clusters_have_no_standard_error_and_no_interval() -> None:
    right = isogloss.ner([["B-A"]] * 4, [["B-A"]] * 3 + [["O"]], by={"f": list("xxyy")}, unit="f", confidence=0.9)
    assert math.isnan(right.per_document["strict.recall"].se)
    overall = [interval for name, interval in right.intervals.items() if not name.startswith("slices")]
    assert all(math.isnan(interval.low) and interval.is_degenerate for interval in overall)
    warning = next(warning for warning in right.warnings if warning.code == "few-units")
    assert (warning.count, "clusters by 'f'" in warning.message) == (2, True)


def test_without_a_unit_translations_have_no_standard_error() -> None:
    rows = [{"id": f"Q{k // 3}_{k}", "targets": [{"mention": "x"}]} for k in range(12)]
    answers = ["x" if k // 3 % 2 else "y" for k in range(12)]
    found = {
        unit: isogloss.entity_translation({"it": rows}, {"it": answers}, unit=unit, confidence=level)
        .per_document["m_eta.accuracy"]
        .se
        for unit, level in ((None, None), ("document", None), ("entity", 0.9))
    }
    assert math.isnan(found[None])
    # four entities, each with residuals of three times 1/2: 4 / 3 x 4 x 1.5² under the root, by twelve sentences
    assert found["entity"] == pytest.approx((4 / 3 * 4 * 1.5**2) ** 0.5 / 12)
    assert found["document"] == pytest.approx((12 * 0.5**2 / 11) ** 0.5 / 12**0.5)


@pytest.mark.parametrize(
    ("documents", "interval", "is_warned"), [(5, "auto", True), (1000, "auto", False), (5, "bootstrap", False)]
)
def test_percentiles_of_few_documents_are_warned_of(
    documents: int, interval: ResamplingMethod, *, is_warned: bool
) -> None:
    texts = [[("a", "en"), ("b", "es")], [("a", "en")], [("b", "es")], [("a", "en")], [("a", "en")]]
    run = isogloss.code_mixing(texts * (documents // 5), confidence=0.9, resamples=100, interval=interval)
    messages = [warning.message for warning in run.warnings if warning.code == "few-resampled"]
    assert bool(messages) is is_warned
    assert all("fewer than 1,000 documents" in message and "mixing.cmi" in message for message in messages)
