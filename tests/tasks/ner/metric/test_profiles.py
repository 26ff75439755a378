"""What the profiles say of the inputs that tools disagree about, what they refuse, and what must not change them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.errors import TagError, UsageError
from isogloss.formats.python_lists import batch_span_lists, batch_tag_lists
from isogloss.kernel.counting import count_batches
from isogloss.runs.evidence import TallyEvidence
from isogloss.spans.batches import SpanPairs
from isogloss.tasks.ner.options import PROFILES
from isogloss.tasks.ner.profiles import NerProfile, list_reference_labels

Documents = list[list[str]]
Way = tuple[str, str | None, Any]
BEGIN, DISCARD, ERROR = (("seqscore", "iob2", repair) for repair in ("begin", "discard", "error"))
SEQEVAL, STRICT = ("seqeval", None, None), ("seqeval-strict", "iob2", None)
CONLLEVAL, NERVALUATE = ("conlleval", None, None), ("nervaluate", None, None)
ALL = (SEQEVAL, STRICT, CONLLEVAL, NERVALUATE, BEGIN, DISCARD)
NAMES = ("conlleval", "nervaluate", "seqeval", "seqeval-strict", "seqscore")
TAGS = ("O", "B-P", "I-P", "B-Q", "I-Q")
ODD_TAGS = (*TAGS, "X", "X-P", "S", "E-P", ".-P", "O-P", "[-P")


def read(way: Way, reference: Documents, prediction: Documents) -> list[SpanPairs]:
    name, scheme, repair = way
    return list(map(PROFILES.load(name).build_decoder(scheme, repair), batch_tag_lists(reference, prediction)))


def numbers(name: str, batches: list[SpanPairs]) -> Any:
    metric = PROFILES.load(name).configure_metric()
    return TallyEvidence(metric, count_batches(batches, metric).tally).numbers


def scored(way: Way, reference: Documents, prediction: Documents) -> Any:
    return numbers(way[0], read(way, reference, prediction))


def test_the_registry_has_the_five_tools() -> None:
    assert set(NAMES) <= set(PROFILES.list_names())


@pytest.mark.parametrize("name", NAMES)
def test_a_profile_has_the_name_it_is_registered_by(name: str) -> None:
    assert PROFILES.load(name).name == name


# The table of inputs that tools disagree about: golden values seen from the tools themselves.


@pytest.mark.parametrize(
    ("way", "f1"),
    [(SEQEVAL, 1), (STRICT, 0), (CONLLEVAL, 1), (NERVALUATE, 1), (BEGIN, 1), (DISCARD, 0)],
)
def test_a_span_that_starts_with_i(way: Way, f1: float) -> None:
    assert scored(way, [["B-P", "I-P", "O"]], [["I-P", "I-P", "O"]])["strict", "f1"] == f1


def test_a_span_that_starts_with_i_is_refused_by_seqscore_without_repair() -> None:
    with pytest.raises(TagError):
        read(ERROR, [["B-P", "I-P", "O"]], [["I-P", "I-P", "O"]])


@pytest.mark.parametrize(("way", "spurious"), [(SEQEVAL, 2), (STRICT, 1), (CONLLEVAL, 2), (BEGIN, 2), (DISCARD, 1)])
def test_a_span_that_changes_its_label(way: Way, spurious: int) -> None:
    assert scored(way, [["B-P", "I-P", "I-P"]], [["B-P", "I-L", "I-L"]])["strict", "spurious"] == spurious


def test_a_span_that_changes_its_label_is_half_right_by_type_in_nervaluate() -> None:
    batches = read(NERVALUATE, [["B-P", "I-P", "I-P"]], [["B-P", "I-L", "I-L"]])
    assert numbers("nervaluate", batches)["type", "f1"] == pytest.approx(2 / 3)


@pytest.mark.parametrize("way", ALL)
def test_no_entities_at_all_give_0(way: Way) -> None:
    assert scored(way, [["O", "O"]], [["O", "O"]])["strict", "f1"] == 0


@pytest.mark.parametrize("way", [SEQEVAL, STRICT])
def test_no_entities_at_all_have_no_macro_average_in_seqeval(way: Way) -> None:
    assert math.isnan(scored(way, [["O", "O"]], [["O", "O"]])["macro", "strict", "f1"])


@pytest.mark.parametrize("way", ALL)
def test_spans_of_different_documents_do_not_meet(way: Way) -> None:
    result = scored(way, [["O", "O"], ["B-P", "O"]], [["B-P", "O"], ["O", "O"]])
    assert result["strict", "f1"] == 0


@pytest.mark.parametrize("way", ALL)
def test_two_spans_predicted_as_one(way: Way) -> None:
    assert scored(way, [["B-P", "B-P"]], [["B-P", "I-P"]])["strict", "f1"] == 0


def test_two_spans_predicted_as_one_are_incorrect_and_missed_in_nervaluate() -> None:
    result = scored(NERVALUATE, [["B-P", "B-P"]], [["B-P", "I-P"]])
    assert (result["strict", "incorrect"], result["strict", "missed"], result["strict", "spurious"]) == (1, 1, 0)


def test_nervaluate_takes_the_first_overlap_overall_and_the_exact_span_by_label() -> None:
    batches = list(batch_span_lists([[(0, 2, "P")]], [[(0, 1, "L"), (0, 2, "P")]]))
    result = numbers("nervaluate", batches)
    assert result["strict", "f1"] == 0
    assert result["by_label", "P", "strict", "f1"] == 1


@pytest.mark.parametrize("name", ["seqscore", "seqeval", "seqeval-strict", "conlleval"])
def test_exact_chunks_find_the_exact_span_beside_an_overlap(name: str) -> None:
    batches = list(batch_span_lists([[(0, 2, "P")]], [[(0, 1, "L"), (0, 2, "P")]]))
    assert numbers(name, batches)["strict", "f1"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(("name", "f1"), [("nervaluate", 2 / 3), ("seqscore", 1), ("seqeval", 1), ("conlleval", 1)])
def test_a_prediction_listed_twice(name: str, f1: float) -> None:
    batches = list(batch_span_lists([[(0, 2, "P")]], [[(0, 2, "P"), (0, 2, "P")]]))
    assert numbers(name, batches)["strict", "f1"] == pytest.approx(f1)


@pytest.mark.parametrize("way", [SEQEVAL, STRICT, CONLLEVAL, BEGIN, DISCARD])
def test_a_label_of_the_prediction_alone_counts(way: Way) -> None:
    assert scored(way, [["B-P", "O"]], [["B-P", "B-L"]])["strict", "f1"] == pytest.approx(2 / 3)


def test_a_label_of_the_prediction_alone_is_not_among_those_of_the_reference() -> None:
    assert list_reference_labels(read(NERVALUATE, [["B-P", "O"]], [["B-P", "B-L"]])) == ("P",)
    assert PROFILES.load("nervaluate").scored_labels == "reference"


# The same table from the tools themselves, where they are installed.


@pytest.mark.parity
def test_seqeval_itself_gives_the_golden_values() -> None:
    f1_score = pytest.importorskip("seqeval.metrics").f1_score
    iob2 = pytest.importorskip("seqeval.scheme").IOB2
    strict = {"mode": "strict", "scheme": iob2}
    assert f1_score([["B-P", "I-P", "O"]], [["I-P", "I-P", "O"]]) == 1
    assert f1_score([["B-P", "I-P", "O"]], [["I-P", "I-P", "O"]], zero_division=0, **strict) == 0
    assert f1_score([["B-P", "B-P"]], [["B-P", "I-P"]], zero_division=0) == 0
    assert f1_score([["O", "O"]], [["O", "O"]], zero_division=0) == 0
    assert f1_score([["B-P", "O"]], [["B-P", "B-L"]], **strict) == pytest.approx(2 / 3)
    with pytest.warns(RuntimeWarning, match="empty slice|invalid value"):
        assert math.isnan(f1_score([["O", "O"]], [["O", "O"]], average="macro", zero_division=0))


@pytest.mark.parity
def test_seqeval_itself_finds_no_ioe1_span_that_ends_with_e_before_o() -> None:
    schemes = pytest.importorskip("seqeval.scheme")
    assert schemes.Entities([["I-P", "E-P", "O"]], schemes.IOE1).entities == [[]]


@pytest.mark.parity
def test_nervaluate_itself_gives_the_golden_values() -> None:
    evaluator = pytest.importorskip("nervaluate").Evaluator

    def overall(schema: str, true: Any, pred: Any, loader: str, tags: str = "PL") -> Any:
        return evaluator(true, pred, tags=list(tags), loader=loader).evaluate()["overall"][schema]

    gold, short = {"label": "P", "start": 0, "end": 1}, {"label": "L", "start": 0, "end": 0}
    assert overall("strict", [["B-P", "I-P", "O"]], [["I-P", "I-P", "O"]], "list").f1 == 1
    assert overall("ent_type", [["B-P", "I-P", "I-P"]], [["B-P", "I-L", "I-L"]], "list").f1 == pytest.approx(2 / 3)
    merged = overall("strict", [["B-P", "B-P"]], [["B-P", "I-P"]], "list")
    assert (merged.incorrect, merged.missed) == (1, 1)
    assert overall("strict", [[gold]], [[short, gold]], "dict").f1 == 0
    assert overall("strict", [[gold]], [[gold, short]], "dict").correct == 1
    assert overall("strict", [[gold]], [[gold, gold]], "dict").f1 == pytest.approx(2 / 3)
    assert overall("strict", [["B-P", "O"]], [["B-P", "B-L"]], "list", tags="P").f1 == 1
    by_label = evaluator([[gold]], [[short, gold]], tags=["P", "L"], loader="dict").evaluate()["entities"]
    assert by_label["P"]["strict"].f1 == 1


@pytest.mark.parity
def test_seqscore_itself_gives_the_golden_values() -> None:
    score = pytest.importorskip("seqscore.scoring").score_label_sequences
    error = pytest.importorskip("seqscore.encoding").EncodingError
    gold, late = [["B-P", "I-P", "O"]], [["I-P", "I-P", "O"]]
    assert score(late, gold, "BIO", repair="conlleval")[0].f1 == 1
    assert score(late, gold, "BIO", repair="discard")[0].f1 == 0
    with pytest.raises(error):
        score(late, gold, "BIO", repair=None)
    changed = [["B-P", "I-L", "I-L"]], [["B-P", "I-P", "I-P"]]
    assert [score(*changed, "BIO", repair=r)[0].false_pos for r in ("conlleval", "discard")] == [2, 1]
    assert score([["O", "O"]], [["O", "O"]], "BIO", repair=None)[0].f1 == 0


# What is refused.


@pytest.mark.parametrize("name", ["seqeval", "conlleval", "nervaluate"])
def test_a_tool_with_one_rule_takes_no_scheme(name: str) -> None:
    with pytest.raises(UsageError, match="Leave the scheme out"):
        PROFILES.load(name).build_decoder("iob2")


@pytest.mark.parametrize("scheme", ["ioe1", "bmes", None])
def test_seqeval_strict_takes_the_schemes_it_reads_rightly(scheme: str | None) -> None:
    with pytest.raises(UsageError, match="iob1, iob2, ioe2, iobes, bilou"):
        PROFILES.load("seqeval-strict").build_decoder(scheme)


@pytest.mark.parametrize("name", ["seqeval", "seqeval-strict", "conlleval", "nervaluate"])
def test_a_tool_with_its_own_way_takes_no_repair(name: str) -> None:
    profile = PROFILES.load(name)
    with pytest.raises(UsageError, match="repair"):
        profile.build_decoder(next(iter(profile.schemes), None), "begin")


def test_seqscore_repairs_nothing_unless_asked() -> None:
    assert PROFILES.load("seqscore").repairs[0] == "error"


@pytest.mark.parametrize(("scheme", "repair"), [("iobes", "begin"), ("io", "discard"), ("iob1", "discard")])
def test_seqscore_has_few_repairs(scheme: str, repair: Any) -> None:
    with pytest.raises(UsageError, match="does not support --repair"):
        PROFILES.load("seqscore").build_decoder(scheme, repair)


@pytest.mark.parametrize("name", ["conlleval", "nervaluate", "seqscore"])
def test_options_that_a_tool_does_not_have_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="does not support beta"):
        PROFILES.load(name).configure_metric(beta=2.0)


def test_options_that_a_tool_has_are_named_when_others_are_refused() -> None:
    with pytest.raises(UsageError, match=r"does not support macro_over\. Choose from beta, zero_division"):
        PROFILES.load("seqeval").configure_metric(macro_over="reference")


# Properties.


@st.composite
def corpora(draw: st.DrawFn, tags: tuple[str, ...]) -> tuple[Documents, Documents]:
    lengths = draw(st.lists(st.integers(0, 5), min_size=2, max_size=6))
    sides = [[draw(st.lists(st.sampled_from(tags), min_size=n, max_size=n)) for n in lengths] for _ in range(2)]
    return sides[0], sides[1]


def equal(one: Any, other: Any) -> bool:
    return one.keys() == other.keys() and np.array_equal(list(one.values()), list(other.values()), equal_nan=True)


@pytest.mark.parametrize("way", [SEQEVAL, CONLLEVAL])
@given(pair=corpora(ODD_TAGS), at=st.integers(1, 5))
def test_cutting_a_corpus_with_odd_tags_into_batches_changes_nothing(
    way: Way,
    pair: tuple[Documents, Documents],
    at: int,
) -> None:
    parts = [read(way, *(side[part] for side in pair)) for part in (slice(0, at), slice(at, None))]
    moved = [replace(b, documents=b.documents + at * k) for k, batches in enumerate(parts) for b in batches]
    assert equal(numbers(way[0], moved), scored(way, *pair))


@pytest.mark.parametrize("way", [STRICT, NERVALUATE, BEGIN, DISCARD])
@given(pair=corpora(TAGS), at=st.integers(1, 5))
def test_cutting_a_corpus_into_batches_changes_nothing(way: Way, pair: tuple[Documents, Documents], at: int) -> None:
    parts = [read(way, *(side[part] for side in pair)) for part in (slice(0, at), slice(at, None))]
    moved = [replace(b, documents=b.documents + at * k) for k, batches in enumerate(parts) for b in batches]
    assert equal(numbers(way[0], moved), scored(way, *pair))


@given(pair=corpora(TAGS))
def test_on_any_bio_the_lenient_tools_agree_and_so_do_the_strict_ones(pair: tuple[Documents, Documents]) -> None:
    key = [("strict", name) for name in ("correct", "possible", "actual")]
    for group in ((SEQEVAL, CONLLEVAL, BEGIN, NERVALUATE), (STRICT, DISCARD)):
        results = [scored(way, *pair) for way in group]
        assert all([result[k] for k in key[1:]] == [results[0][k] for k in key[1:]] for result in results)
        exact = [result["strict", "correct"] for way, result in zip(group, results, strict=True) if way != NERVALUATE]
        assert len(set(exact)) == 1


@pytest.mark.parametrize("way", [SEQEVAL, STRICT, CONLLEVAL, BEGIN, DISCARD])
@given(pair=corpora(TAGS))
def test_swapping_the_sides_swaps_precision_and_recall(way: Way, pair: tuple[Documents, Documents]) -> None:
    one, other = scored(way, *pair), scored(way, *reversed(pair))
    assert one["strict", "precision"] == other["strict", "recall"]
    assert one["strict", "f1"] == other["strict", "f1"]


@pytest.mark.parametrize("way", ALL)
@given(pair=corpora(TAGS))
def test_a_perfect_prediction_has_only_correct_spans(way: Way, pair: tuple[Documents, Documents]) -> None:
    result = scored(way, pair[0], pair[0])
    assert result["strict", "correct"] == result["strict", "possible"] == result["strict", "actual"]
    assert result["strict", "missed"] == result["strict", "spurious"] == 0


def test_a_profile_is_a_value() -> None:
    assert isinstance(PROFILES.load("seqeval"), NerProfile)
    with pytest.raises(AttributeError):
        PROFILES.load("seqeval").name = "other"
