"""Measures of code-mixing on examples computed by hand, and beside a plain second implementation."""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import groupby, pairwise
from statistics import fmean, pstdev
from typing import Any

import pytest

import isogloss
from isogloss.runs.run import Run
from isogloss.tasks.code_mixing.inputs import open_utterances
from isogloss.tasks.code_mixing.metric import CodeMixing
from isogloss.tasks.code_mixing.options import CodeMixingOptions

Tags = list[str | None]


def score(*utterances: str, **options: Any) -> Run:
    return isogloss.code_mixing([{"languages": each.split()} for each in utterances], **options)


def figures(run: Run, group: str) -> dict[str, float]:
    found: dict[str, float] = run.to_dict()["scores"][group]
    return found


def test_cmi_of_utterances_by_hand() -> None:
    # N = 10, M = 7, P = 2; then N = 4, M = 2, P = 3; then only English; then no language at all
    run = score("a a a b b b a a a a", "a b a b", "a a a", "other NE univ", independent=["other", "ne", "univ"])
    utterances = figures(run, "utterances")
    assert utterances["cmi"] == pytest.approx((30 + 50 + 0 + 0) / 4)
    assert utterances["cmi_mixed"] == pytest.approx((30 + 50) / 2)
    assert utterances["cu"] == pytest.approx((100 * 5 / 20 + 100 * 5 / 8) / 4)
    assert utterances["cu_mixed"] == pytest.approx((25 + 62.5) / 2)
    assert (utterances["switch_points"], utterances["mixed_share"]) == (5 / 4, 2 / 4)
    assert run.scores["tokens"].tagged == 17


def test_cc_adds_changes_of_the_matrix_language_and_mixed_utterances() -> None:
    # matrix languages a, tie (stays a), b, b, none (stays b), a: δ is 1 for the third and the last utterance
    run = score("a a b", "a b", "b", "b b", "other", "a")
    total = (1 / 3 + 1 / 3) + (1 / 2 + 1 / 2) + (0 + 1) + 0 + 0 + (0 + 1)
    assert run.scores["utterances"].changes == 2
    assert run.scores["mixing"].cc == pytest.approx(100 / 6 * (total / 2 + 5 / 6 * 2))


def test_corpus_figures_by_hand() -> None:
    # spans 2, 4, 3, 2 of English and Hindi: 5 and 6 tokens; the universal tokens interrupt none
    run = score("EN EN HI HI UNIV UNIV HI HI EN EN EN HI HI", independent=["univ"])
    mixing = figures(run, "mixing")
    shares = (5 / 11, 6 / 11)
    squares = sum(p * p for p in shares)
    mean, spread = 11 / 4, math.sqrt((4 + 16 + 9 + 4) / 4 - (11 / 4) ** 2)
    assert mixing["cmi"] == pytest.approx(100 * 5 / 11)  # as the README of cs_metrics has it: 45.45454545454546
    assert mixing["m_index"] == pytest.approx((1 - squares) / squares)  # 0.9836065573770497 there
    assert mixing["language_entropy"] == pytest.approx(0.9940302114769565)
    assert mixing["i_index"] == pytest.approx(3 / 10)
    assert mixing["burstiness"] == pytest.approx((spread - mean) / (spread + mean))
    assert mixing["span_entropy"] == pytest.approx(1.5)  # lengths 2, 2, 3, 4
    # pairs (2, 4), (4, 3), (3, 2): deviations (-1, 1), (1, 0), (0, -1)
    assert mixing["memory"] == pytest.approx(-1 / 2)


def test_one_language_is_not_mixed() -> None:
    mixing = figures(score("a a a", "a"), "mixing")
    assert mixing == {
        "cmi": 0,
        "cc": 0,
        "m_index": 0,
        "language_entropy": 0,
        "i_index": 0,
        "burstiness": pytest.approx((1 - 2) / (1 + 2)),
        "span_entropy": 1,
        "memory": None,
    }


def test_without_languages_figures_are_undefined() -> None:
    run = score("other", "")
    assert figures(run, "utterances")["cmi"] == 0
    assert {name for name, value in figures(run, "mixing").items() if value is None} == {
        *("cmi", "m_index", "language_entropy", "i_index", "burstiness", "span_entropy", "memory"),
    }


def draw_utterances(generator: random.Random, count: int) -> list[Tags]:
    found: list[Tags] = []
    for _ in range(count):
        tags = ["a", "b", "c", "d"][: generator.randint(1, 4)]
        stay = generator.random()
        found_tags: Tags = []
        for _ in range(generator.randint(0, 12)):
            keep = found_tags and generator.random() < stay
            found_tags.append(found_tags[-1] if keep else generator.choice([*tags, None]))
        found.append(found_tags)
    return found


def naive_figures(utterances: list[Tags]) -> dict[str, float | None]:
    """The measures with loops and lists, after the formulas of the page."""
    cu, halves, mixed, matrix = [], [], 0, None
    spans: list[int] = []
    pairs: list[tuple[int, int]] = []
    words: Counter[str] = Counter()
    switches = places = 0
    for tags in utterances:
        own = [tag for tag in tags if tag is not None]
        words.update(own)
        lengths = [len(list(group)) for _, group in groupby(own)]
        spans += lengths
        pairs += pairwise(lengths)
        points = sum(one != two for one, two in pairwise(own))
        switches, places, mixed = switches + points, places + max(0, len(own) - 1), mixed + (points > 0)
        counts = Counter(own).most_common()
        value = (len(own) - counts[0][1] + points) / len(own) if own else 0.0
        leads = bool(own) and (len(counts) == 1 or counts[0][1] > counts[1][1])
        change = leads and matrix is not None and matrix != counts[0][0]
        matrix = counts[0][0] if leads else matrix
        cu.append(50 * value)
        halves.append(value + change)
    total = sum(words.values())
    shares = [count / total for count in words.values()]
    squares = sum(share * share for share in shares)
    found: dict[str, float | None] = {
        "cu": fmean(cu),
        "cc": 100 / len(utterances) * (sum(halves) / 2 + 5 / 6 * mixed),
        "m_index": None if not total else (1 - squares) / ((len(words) - 1) * squares) if len(words) > 1 else 0.0,
        "language_entropy": None if not total else -sum(share * math.log2(share) for share in shares),
        "i_index": switches / places if places else None,
    }
    return found | naive_span_figures(spans, pairs)


def naive_span_figures(spans: list[int], pairs: list[tuple[int, int]]) -> dict[str, float | None]:
    found: dict[str, float | None] = {}
    if spans:
        mean, spread = fmean(spans), pstdev(spans)
        found["burstiness"] = (spread - mean) / (spread + mean)
        parts = [count / len(spans) for count in Counter(spans).values()]
        found["span_entropy"] = -sum(part * math.log2(part) for part in parts)
    if len({one for one, _ in pairs}) > 1 and len({two for _, two in pairs}) > 1:
        one, two = ([pair[k] for pair in pairs] for k in (0, 1))
        product = fmean((a - fmean(one)) * (b - fmean(two)) for a, b in pairs)
        found["memory"] = product / (pstdev(one) * pstdev(two))
    return found


@pytest.mark.parametrize("seed", range(40))
def test_figures_equal_a_plain_implementation(seed: int) -> None:
    generator = random.Random(seed)
    utterances = draw_utterances(generator, generator.randint(1, 30))
    run = isogloss.code_mixing([{"languages": tags} for tags in utterances])
    own = figures(run, "mixing") | {"cu": figures(run, "utterances")["cu"]}
    expected = dict.fromkeys(own.keys() - {"cmi"}) | naive_figures(utterances)
    assert {name: own[name] for name in expected} == {
        name: None if value is None else pytest.approx(value, abs=1e-9) for name, value in expected.items()
    }


def test_borders_of_batches_change_nothing() -> None:
    utterances = draw_utterances(random.Random(7), 60)
    opened = open_utterances([{"languages": tags} for tags in utterances], CodeMixingOptions())
    tables = []
    for size in (1, 9, 10**6):
        batches = list(opened.read_batches(size))
        counts = [CodeMixing().count(batch) for batch in batches]
        tables.append(
            sorted(
                (int(each.documents[row]), *map(str, each.cells[cell]), *values)
                for each in counts
                for row, cell, values in zip(each.row.tolist(), each.cell.tolist(), each.values.tolist(), strict=True)
            )
        )
        assert sum(len(batch.documents) for batch in batches) == len(utterances)
    assert tables[0] == tables[1] == tables[2]


def test_shares_have_intervals_that_hold_them() -> None:
    utterances = draw_utterances(random.Random(3), 200)
    run = isogloss.code_mixing([{"languages": tags} for tags in utterances], confidence=0.95, resamples=200)
    for path in ("utterances.cmi", "utterances.cu", "utterances.mixed_share", "mixing.cc", "mixing.i_index"):
        interval = run.intervals[path]
        assert interval.low < run.score(path) < interval.high, path
    assert "wilson" in run.intervals["utterances.mixed_share"].method
