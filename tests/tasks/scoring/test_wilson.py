"""`interval="wilson"`: which scores have Wilson's interval, of which counts, and when it is refused."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import isogloss
from isogloss.errors import UsageError
from isogloss.kernel.metric import find_metric_proportions
from isogloss.runs.evidence import TallyEvidence
from isogloss.runs.ranking_evidence import RankingEvidence
from isogloss.runs.run import Run
from isogloss.tasks.classification.options import PROFILES as OF_CLASSIFICATION
from isogloss.tasks.code_switching.options import PROFILES as OF_CODE_SWITCHING
from isogloss.tasks.entity_translation.options import PROFILES as OF_TRANSLATION
from isogloss.tasks.ner.options import PROFILES as OF_NER
from isogloss.tasks.segmentation.options import PROFILES as OF_SEGMENTATION

Counted = dict[str, tuple[int, int]]  # path -> right, among
WILSON: dict[str, Any] = {"confidence": 0.9, "resamples": 20, "interval": "wilson"}
TAGS = [["B-PER", "I-PER", "O"], ["B-LOC", "O"]], [["B-PER", "O", "O"], ["B-PER", "O"]]


def ner(**more: Any) -> Run:
    return isogloss.ner(*TAGS, **more)


def segmentation(**more: Any) -> Run:
    return isogloss.segmentation([["ab", "c"]], [["a", "b", "c"]], **more)


def translation(**more: Any) -> Run:
    italian = [{"id": f"Q1_{k}", "targets": [{"mention": "x"}], "entity_types": ["Book"]} for k in range(2)]
    thai = [{"id": "Q2_0", "targets": [{"mention": "ก"}]}]
    answers = {"it_IT": ["x", "y"], "th_TH": ["ก"]}
    return isogloss.entity_translation({"it_IT": italian, "th_TH": thai}, answers, **{"unit": "document"} | more)


def is_ukrainian(lines: Sequence[str]) -> list[str]:
    return ["uk"] * len(lines)


def code_switching(**more: Any) -> Run:
    texts = ["Так є та буде завжди.", "Тут є слово word Slack."]
    return isogloss.code_switching(texts, language="uk", **{"names": ["Slack"]} | more)


def exclusive(**more: Any) -> Run:
    scores = [{"a": 0.9, "b": 0.1}, {"a": 0.8, "b": 0.2}, {"a": 0.7, "b": 0.3}]
    return isogloss.classification(["a", "b", "a"], scores, **more)


def several(**more: Any) -> Run:
    scores = [{"a": 0.9, "b": 0.9}, {"a": 0.9, "b": 0.1}, {"a": 0.1, "b": 0.1}]
    return isogloss.classification([["a"], ["a", "b"], []], scores, **more)


def by_hand(text: str) -> Counted:
    """Paths with their counts, `tokens.accuracy 3/5`."""
    found = re.findall(r"([\w.]+) (\d+)/(\d+)", text)
    return {name: (int(right), int(total)) for name, right, total in found}


BY_HAND: list[tuple[Callable[..., Run], dict[str, Any], Counted]] = [
    (
        ner,
        {"by": {"genre": ["news", "web"]}},
        by_hand(
            """
            tokens.accuracy 3/5
            strict.precision 0/2, strict.recall 0/2
            exact.precision 1/2, exact.recall 1/2
            type.precision 1/2, type.recall 1/2
            by_label.PER.strict.precision 0/2, by_label.PER.strict.recall 0/1
            by_label.PER.exact.precision 1/2, by_label.PER.exact.recall 0/1
            by_label.PER.type.precision 1/2, by_label.PER.type.recall 1/1
            by_label.LOC.strict.precision 0/0, by_label.LOC.strict.recall 0/1
            by_label.LOC.exact.precision 0/0, by_label.LOC.exact.recall 1/1
            by_label.LOC.type.precision 0/0, by_label.LOC.type.recall 0/1
            slices.genre.news.tokens.accuracy 2/3
            slices.genre.news.strict.precision 0/1, slices.genre.news.strict.recall 0/1
            slices.genre.news.exact.precision 0/1, slices.genre.news.exact.recall 0/1
            slices.genre.news.type.precision 1/1, slices.genre.news.type.recall 1/1
            slices.genre.web.tokens.accuracy 1/2
            slices.genre.web.strict.precision 0/1, slices.genre.web.strict.recall 0/1
            slices.genre.web.exact.precision 1/1, slices.genre.web.exact.recall 1/1
            slices.genre.web.type.precision 0/1, slices.genre.web.type.recall 0/1
            """,
        ),
    ),
    (
        segmentation,
        {"vocabulary": ["c"]},
        by_hand(
            """
            character.precision 2/3, character.recall 2/2
            word.precision 1/3, word.recall 1/2
            boundary.precision 1/2, boundary.recall 1/1
            oov.recall 0/1, iv.recall 1/1
            """,
        ),
    ),
    (
        translation,
        {},
        by_hand(
            """
            m_eta.accuracy 2/3, by_label.Book.m_eta.accuracy 1/2
            slices.language.it_IT.m_eta.accuracy 1/2, slices.language.th_TH.m_eta.accuracy 1/1
            """,
        ),
    ),
    (
        code_switching,
        {"identifier": is_ukrainian},
        by_hand(
            """
            words.strict_rate 2/10, words.excused_rate 1/10
            sentences.strict_rate 1/2, sentences.excused_rate 1/2
            texts.strict_rate 1/2, texts.excused_rate 1/2
            scripts.Cyrl 8/10, scripts.Latn 2/10, third_scripts.share 0/10
            pass_rate.line 1/1, pass_rate.word 1/1
            """,
        ),
    ),
    (
        exclusive,
        {},
        by_hand(
            """
            overall.accuracy 2/3, micro.precision 2/3, micro.recall 2/3
            by_label.a.label.precision 2/3, by_label.a.label.recall 2/2
            by_label.b.label.precision 0/0, by_label.b.label.recall 0/1
            """,
        ),
    ),
    (
        several,
        {},
        by_hand(
            """
            overall.accuracy 1/3, micro.precision 2/3, micro.recall 2/3
            by_label.a.label.precision 2/2, by_label.a.label.recall 2/2
            by_label.b.label.precision 0/1, by_label.b.label.recall 0/1
            """,
        ),
    ),
]


@pytest.mark.extra
@pytest.mark.parametrize(("call", "more", "counted"), BY_HAND, ids=lambda value: getattr(value, "__name__", ""))
def test_proportions_have_the_wilson_interval_of_scipy(
    call: Callable[..., Run],
    more: dict[str, Any],
    counted: Counted,
) -> None:
    stats = pytest.importorskip("scipy.stats")
    run = call(**WILSON, **more)
    found = {name: interval for name, interval in run.intervals.items() if interval.method == "wilson"}
    assert set(found) == set(counted)
    for name, (right, total) in counted.items():
        if not total:
            assert math.isnan(found[name].low), name
            continue
        expected = stats.binomtest(right, total).proportion_ci(0.9, method="wilson")
        ends = found[name].low, found[name].high
        assert ends == pytest.approx((expected.low, expected.high), rel=1e-9, abs=1e-12), name
        assert run.score(name) == pytest.approx(right / total), name


def test_all_other_scores_keep_the_intervals_that_they_had() -> None:
    for call, more, counted in BY_HAND:
        before, after = (call(**WILSON | {"interval": method}, **more).intervals for method in ("bootstrap", "wilson"))
        assert list(before) == list(after)
        assert {one.method for one in before.values()} <= {"bootstrap", "newcombe"}
        others = set(after) - set(counted)
        assert {name: repr(after[name]) for name in others} == {name: repr(before[name]) for name in others}
        assert any(name.endswith((".f1", ".mean", ".macro", "cmi")) for name in others)


@pytest.mark.extra
def test_spans_with_a_property_have_it_too() -> None:
    stats = pytest.importorskip("scipy.stats")
    found = ner(**WILSON, by=["entity_length"]).intervals["slices.entity_length.1.exact.precision"]
    expected = stats.binomtest(1, 2).proportion_ci(0.9, method="wilson")
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert found.method == "wilson"


DEFINITIONS: list[tuple[Callable[..., Run], str | None]] = [
    (call, profile)
    for call, profiles in (
        (ner, OF_NER),
        (segmentation, OF_SEGMENTATION),
        (translation, OF_TRANSLATION),
        (code_switching, OF_CODE_SWITCHING),
        (exclusive, OF_CLASSIFICATION),
        (several, OF_CLASSIFICATION),
    )
    for profile in (None, *profiles.list_names())
]
PROPORTIONS = ("precision", "recall", "accuracy", "strict_rate", "excused_rate", "share", "Cyrl", "Latn")
MEANS = ("macro", "weighted", "languages")
HALVES = ("partial", "fair", "fair_weighted")  # groups of scores that give half points
OF_PROFILES: dict[str, dict[str, Any]] = {
    "pnacos": {"names": ()},
    "language-confusion": {"names": (), "identifier": is_ukrainian},
}


def test_every_metric_lists_counts_of_its_proportions_only() -> None:
    for call, profile in DEFINITIONS:
        run = call(profile=profile, **OF_PROFILES.get(profile or "", {}))
        evidence = run.evidence.tally_evidence if isinstance(run.evidence, RankingEvidence) else run.evidence
        assert isinstance(evidence, TallyEvidence)
        counts = find_metric_proportions(evidence.metric, evidence.sums)
        expected = {
            key for key in evidence.numbers if key[-1] in PROPORTIONS and key[0] not in MEANS and key[-2] not in HALVES
        }
        assert set(counts) == expected
        for key, (right, total) in counts.items():
            assert 0 <= right <= total
            if total and not math.isnan(evidence.numbers[key]):
                assert evidence.numbers[key] == pytest.approx(right / total), key


def test_json_and_signature_say_which_method_it_was() -> None:
    run = ner(**WILSON)
    intervals = run.to_dict()["intervals"]
    assert intervals["strict.recall"].keys() == {"low", "high", "level", "method"}
    assert (intervals["strict.recall"]["method"], intervals["strict.f1"]["method"]) == ("wilson", "bootstrap")
    assert intervals["by_label.LOC.strict.precision"]["low"] is None
    assert "method:wilson+bootstrap-percentile" in str(run.signature)


def test_runs_with_either_method_can_be_compared() -> None:
    pair = isogloss.compare(ner(**WILSON), ner(confidence=0.9, resamples=20)).pairs[0]
    assert pair.scores["strict.recall"].difference == 0


@pytest.mark.extra
def test_a_stored_run_is_rescored_with_equal_intervals(tmp_path: Path) -> None:
    from isogloss.store import Store  # noqa: PLC0415  the extra `store` may be missing

    run = ner(**WILSON)
    with Store.open(tmp_path / "runs.db") as store:
        again = store.get(store.save(run)).run()
    assert isinstance(again.evidence, TallyEvidence)
    assert repr(again.evidence.intervals["strict.recall"]) == repr(run.intervals["strict.recall"])


CLUSTERS = {"by": {"book": ["x", "x"]}, "unit": "book"}


def test_clusters_are_refused_with_wilson_intervals() -> None:
    with pytest.raises(UsageError, match=r"unit 'book'.*independent documents.*depend on each other"):
        ner(**WILSON, **CLUSTERS)


def test_translations_need_unit_document_for_wilson_intervals() -> None:
    with pytest.raises(UsageError, match=r"unit 'entity'.*unit 'document'"):
        translation(**WILSON, unit=None)
    assert translation(**WILSON, unit="document").intervals["m_eta.accuracy"].method == "wilson"
