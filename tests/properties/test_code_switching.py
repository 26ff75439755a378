# the texts are in many scripts
"""What must hold for all texts, however they are cut, read and put in order."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import isogloss
from isogloss.runs.run import Run
from isogloss.tasks.code_switching import annotator, batches, excuses
from isogloss.tasks.code_switching import scoring as task
from isogloss.text import alphabets, scripts, words

PIECES = ["слово", "Кiев", "word", "Word", "λέξη", "漢字", "12", "5 km", "km", "x =", "de", "facto", "«", "»", '"', "'"]
PIECES += [
    "https://example.org/a",
    "#тег",
    "@name",
    "`",
    "XIV",
    ".",
    "!",
    "\n",
    " ",
    "_",
    "AI",
    "п'ять",
    "e\u0301",
    "й",
]
texts = st.lists(st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join), min_size=1, max_size=8)
profiles = st.sampled_from([None, "pnacos"])


def names(sentences: list[str]) -> list[list[tuple[int, int]]]:
    """`Word` is a name."""
    return [[(at, at + 4) for at in range(len(one)) if one.startswith("Word", at)] for one in sentences]


def scored(given: list[Any], **options: Any) -> Run:
    chosen = {"language": "uk", "splitter": "terminators", "patterns": ["AI"], **options}
    return isogloss.code_switching(given, recognisers=[names], **chosen)


def comparable(run: Run) -> dict[str, Any]:
    answer = run.to_dict()
    del answer["per_document"]  # sums of floats, whose last digit depends on the order
    return answer


@contextmanager
def blocks_of(size: int) -> Iterator[None]:
    """Texts are looked at in pieces of so many code points."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(task, "BLOCK_CHARACTERS", size)
        patch.setattr(task, "MODEL_BLOCK_CHARACTERS", size)
        yield


@given(texts, profiles, st.sampled_from([1, 7, 40]))
def test_the_size_of_pieces_changes_nothing(given: list[str], profile: str | None, size: int) -> None:
    whole = scored(given, profile=profile, findings=True)
    with blocks_of(size):
        cut = scored(given, profile=profile, findings=True)
    assert comparable(cut)["scores"] == comparable(whole)["scores"]
    assert comparable(cut).get("by_label") == comparable(whole).get("by_label")
    assert sorted(map(str, cut.findings)) == sorted(map(str, whole.findings))


@contextmanager
def steps_of(size: int) -> Iterator[None]:
    """Characters, spans, tokens and excuses are looked at so many at once."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (alphabets, scripts, words, annotator, batches, excuses):
            names = [name for name in vars(module) if name.endswith("_AT_ONCE") or name == "MANY_TOKENS"]
            assert names
            for name in names:
                patch.setattr(module, name, size)
        yield


@given(texts, profiles, st.sampled_from([1, 2, 5]), st.sampled_from(["uk", "en", "zh", "th"]))
def test_the_size_of_steps_changes_nothing(given: list[str], profile: str | None, size: int, language: str) -> None:
    options = {"profile": profile, "findings": True, "language": language}
    whole = scored(given, **options)
    with steps_of(size):
        stepwise = scored(given, **options)
    assert stepwise.to_dict() == whole.to_dict()
    assert list(stepwise.findings) == list(whole.findings)


@given(texts, profiles, st.randoms(use_true_random=False))
def test_the_order_of_texts_changes_nothing(given: list[str], profile: str | None, chance: random.Random) -> None:
    shuffled = chance.sample(given, len(given))
    assert comparable(scored(shuffled, profile=profile)) == comparable(scored(given, profile=profile))


@given(texts, profiles)
def test_counts_of_a_list_are_the_sums_of_its_texts(given: list[str], profile: str | None) -> None:
    together, alone = scored(given, profile=profile), [scored([text], profile=profile) for text in given]
    for unit in ("words", "sentences", "texts"):
        for name in ("strict_count", "excused_count", "total"):
            if name in together.scores[unit]:
                assert together.scores[unit][name] == sum(run.scores[unit][name] for run in alone)
    for kind, count in together.kinds.items():
        assert count == sum(run.kinds[kind] for run in alone)


@given(texts)
def test_counts_agree_with_each_other(given: list[str]) -> None:
    run = scored(given)
    for unit in ("words", "sentences", "texts"):
        scores = run.scores[unit]
        assert 0 <= scores.excused_count <= scores.strict_count <= scores.total
    words = run.scores["words"]
    reasons = {name for name in run.by_label if name not in {"homoglyph", "glued", "attachment"}}
    excused = sum(run.by_label[name]["words"]["count"] for name in reasons)
    assert excused == words.strict_count - words.excused_count
    assert sum(run.kinds.values()) <= words.strict_count  # a run of ideographs is one finding
    assert sum(run.scores.get("scripts", {"": 1.0}).values()) == pytest.approx(1)


@given(texts)
def test_more_rules_never_break_more(given: list[str]) -> None:
    few, all_of_them = scored(given, excuses=["url", "quotation"]), scored(given)
    for unit in ("words", "sentences", "texts"):
        assert all_of_them.scores[unit].strict_count == few.scores[unit].strict_count
        assert all_of_them.scores[unit].excused_count <= few.scores[unit].excused_count


@given(texts)
def test_a_wider_alphabet_never_breaks_more(given: list[str]) -> None:
    counts = [scored(given, level=level).scores["words"].strict_count for level in ("main", "main+auxiliary", "script")]
    assert counts == sorted(counts, reverse=True)


@given(texts)
def test_empty_texts_add_texts_only(given: list[str]) -> None:
    padded = [part for text in given for part in ("", text, " \n ")]
    one, other = (scored(each).to_dict()["scores"] for each in (given, padded))
    assert other.pop("texts")["total"] == 3 * one.pop("texts")["total"]
    assert other == one


@given(texts, st.sampled_from([1, 2, 32]))
def test_the_size_of_batches_of_recognisers_changes_nothing(given: list[str], size: int) -> None:
    assert comparable(scored(given, batch_size=size)) == comparable(scored(given))


@given(texts)
def test_entities_that_are_given_count_as_those_that_are_found(given: list[str]) -> None:
    rows = [{"text": text, "entities": names([text])[0]} for text in given]
    found, known = comparable(scored(given)), comparable(scored(rows))
    assert known["scores"] == found["scores"]
    assert known.get("by_label") == found.get("by_label")


@given(st.lists(st.text(max_size=30), min_size=1, max_size=4), profiles)
def test_no_text_is_too_strange(given: list[str], profile: str | None) -> None:
    run = scored(given, profile=profile, findings=True)
    for finding in run.findings:
        text, mark = given[int(finding.document) - 1], finding.marks[0]
        assert text[mark.start : mark.end] == finding.extra["token"] != ""
