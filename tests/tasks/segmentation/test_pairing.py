from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isogloss
from isogloss.errors import DataError, FormatError, MismatchError
from isogloss.tasks.segmentation.batches import WordPairs
from isogloss.tasks.segmentation.inputs import read_lists
from isogloss.tasks.segmentation.options import Align
from isogloss.tasks.segmentation.pairing import CanonicalText, Pairing, pair_samples, to_canonical
from isogloss.tasks.segmentation.reading import Reading
from isogloss.tasks.segmentation.samples import SampleBlock
from isogloss.tasks.segmentation.sentences import pair_sentences

SAMPLES = st.lists(st.lists(st.text("กขab", min_size=1, max_size=3), max_size=4), max_size=6)


def side(samples: list[list[str]], name: Any = "predicted", cuts: tuple[int, ...] = ()) -> Iterator[SampleBlock]:
    for block in read_lists(samples, name, Reading()):
        edges = sorted({0, *(cut for cut in cuts if cut < len(block)), len(block)})
        for low, high in pairwise(edges):
            yield block.select_rows(low, high)


def pairs(reference: list[list[str]], predicted: list[list[str]], **options: Any) -> list[WordPairs]:
    return list(pair_samples(side(reference, "reference"), side(predicted), Pairing(**options)))


def flat(batches: list[WordPairs]) -> list[tuple[int, list[int], list[bool], list[bool], bool, int]]:
    """Every document by itself."""
    result = []
    for batch in batches:
        for row, number in enumerate(batch.documents.tolist()):
            span = slice(int(batch.offsets[row]), int(batch.offsets[row + 1]))
            parts = batch.text[span].tolist(), batch.reference[span].tolist(), batch.predicted[span].tolist()
            result.append((number, *parts, bool(batch.compared[row]), int(batch.uncompared_words[row])))
    return result


@given(SAMPLES, st.sets(st.integers(1, 5)), st.sets(st.integers(1, 5)))
def test_blocks_cut_anywhere_give_the_same_documents(samples: list[list[str]], left: set[int], right: set[int]) -> None:
    again = [["".join(words)] if words else [] for words in samples]
    cut = pair_samples(side(samples, "reference", tuple(left)), side(again, cuts=tuple(right)), Pairing())
    assert flat(list(cut)) == flat(pairs(samples, again))


def test_batches_follow_the_blocks_of_the_reference() -> None:
    for size in [1, 2, 3, 7]:
        samples = [[f"a{k}", "b"] for k in range(7)]
        cut = tuple(range(size, 7, size))
        found = list(pair_samples(side(samples, "reference", (4,)), side(samples, cuts=cut), Pairing()))
        assert [batch.documents.tolist() for batch in found] == [[0, 1, 2, 3], [4, 5, 6]]
        assert [batch.provenance.where(1, 0, "predicted") for batch in found] == ["prediction[1]", "prediction[5]"]


def faulty(samples: list[list[str]]) -> Iterator[SampleBlock]:
    """Samples one by one, and then a line that cannot be read."""
    yield from side(samples, cuts=(1, 2, 3))
    raise FormatError("the line is broken", where="pred:4", remedy="Repair it.")


def test_mismatch_is_raised_before_an_error_in_a_later_line() -> None:
    reference = [["ab"], ["c"], ["d"], ["e"]]
    with pytest.raises(MismatchError, match="sample 2 differ"):
        list(pair_samples(side(reference, "reference"), faulty([["ab"], ["x"], ["d"]]), Pairing()))
    with pytest.raises(FormatError, match="the line is broken"):
        list(pair_samples(side(reference, "reference"), faulty([["ab"], ["c"], ["d"]]), Pairing()))


def test_text_error_names_sample_offset_and_both_contexts() -> None:
    with pytest.raises(MismatchError) as raised:
        pairs([["ab"], ["ab", "cd"]], [["ab"], ["ab", "xd"]])
    error = raised.value
    assert error.where == "prediction[1]"
    assert "sample 2 differ: whitespace aside, character 3 is U+0078 (x), but U+0063 (c) in the reference" in str(error)
    assert "(reference[1])" in str(error)
    assert [line.split() for line in error.detail.splitlines()] == [["reference", "abcd"], ["prediction", "abxd"]]


def test_mismatch_names_the_first_missing_character() -> None:
    with pytest.raises(MismatchError, match="character 3 is missing, but U\\+0063"):
        pairs([["ab", "c"]], [["ab"]])


def test_long_contexts_are_cut_on_both_sides() -> None:
    with pytest.raises(MismatchError) as raised:
        pairs([["a" * 40 + "b" + "a" * 40]], [["a" * 40 + "c" + "a" * 40]])
    assert "…" + "a" * 12 + "b" + "a" * 11 + "…" in raised.value.detail


@pytest.mark.parametrize(
    ("reference", "predicted", "says"),
    [
        ([["a"], ["b"]], [["a"]], "the prediction ends after 1 sample, but the reference has 2"),
        ([["a"]], [["a"], ["b"], ["c"]], "the reference ends after 1 sample, but the prediction has 3"),
    ],
)
def test_another_number_of_samples_is_an_error(reference: Any, predicted: Any, says: str) -> None:
    with pytest.raises(MismatchError, match=says):
        pairs(reference, predicted)


def test_an_empty_prediction_is_kept_without_words_and_counted() -> None:
    (batch,) = pairs([["ab", "c"], ["d"]], [[], ["d"]])
    assert batch.compared.tolist() == [False, True]
    assert batch.uncompared_words.tolist() == [0, 0]
    assert not batch.predicted[:3].any()
    assert [(n.code, n.count, n.where) for n in batch.warnings] == [("prediction-empty", 1, "prediction[0]")]


def test_skip_leaves_samples_out_and_keeps_numbers() -> None:
    (batch,) = pairs([["a"], ["b"], ["c"]], [["a"], ["x"], ["c"]], on_mismatch="skip")
    assert batch.documents.tolist() == [0, 2]
    assert batch.provenance.name(1) == "3"
    assert [(n.code, n.message) for n in batch.warnings] == [
        ("text-mismatch", "A sample is left out: its texts differ."),
    ]


def test_zero_counts_the_words_of_both_sides_as_wrong() -> None:
    (batch,) = pairs([["a", "b"]], [["x", "y", "z"]], on_mismatch="zero")
    assert (batch.compared.tolist(), batch.uncompared_words.tolist()) == ([False], [3])
    assert batch.reference.tolist() == [True, True]
    assert [n.message for n in batch.warnings] == ["A sample scores zero: its texts differ."]


def test_a_reference_without_text_is_a_mismatch() -> None:
    with pytest.raises(MismatchError, match="character 1 is U\\+0061 \\(a\\), but missing"):
        pairs([[]], [["a"]])


def test_an_allowed_way_of_writing_brings_both_sides_to_one_form() -> None:
    (batch,) = pairs([["น้ำ", "ดี"], ["กา"]], [["นํ้า", "ดี"], ["กา"]], align="thai")
    assert batch.compared.all()
    assert (batch.reference == batch.predicted).all()
    assert [n.code for n in batch.warnings] == ["text-aligned"]


def test_texts_that_are_equal_as_they_are_stay_as_they_are() -> None:
    (batch,) = pairs([["น้ำ"]], [["น้", "ำ"]], align="thai")
    assert "".join(map(chr, batch.text.tolist())) == "น้ำ"
    assert batch.predicted.tolist() == [True, False, True]


def test_other_texts_than_the_allowed_ones_are_still_an_error() -> None:
    with pytest.raises(MismatchError):
        pairs([["น้ำ"]], [["น้า"]], align="thai")


def test_samples_without_words_on_either_side_can_be_dropped() -> None:
    batches = pairs([["a"], [], ["b"], []], [["a"], ["x"], [], []], drop_empty=True)
    assert [document[0] for document in flat(batches)] == [0]
    assert [n.code for batch in batches for n in batch.warnings] == ["sample-dropped"] * 3


def sentences(reference: list[list[str]], predicted: list[list[str]], cuts: tuple[int, ...] = ()) -> list[Any]:
    return list(pair_sentences(side(reference, "reference", cuts), side(predicted)))


def test_documents_begin_where_both_sides_begin_a_sentence() -> None:
    (batch,) = sentences([["a", "b"], ["c"], ["d"]], [["a"], ["bc"], ["d"]])
    assert batch.offsets.tolist() == [0, 3, 4]
    assert batch.reference_sentences.tolist() == [True, False, True, True]
    assert batch.predicted_sentences.tolist() == [True, True, False, True]
    assert [batch.provenance.where(0, at, "reference") for at in range(3)] == ["reference[0]"] * 2 + ["reference[1]"]
    assert batch.provenance.get_excerpt(0).text == "abc"


@pytest.mark.parametrize(("reference", "predicted"), [([], [["a"]]), ([["a"]], [])])
def test_sentences_on_one_side_only_are_a_mismatch(reference: list[list[str]], predicted: list[list[str]]) -> None:
    with pytest.raises(MismatchError, match="the texts of sample 1 differ"):
        sentences(reference, predicted)


def test_blocks_may_end_where_the_other_side_goes_on() -> None:
    reference, predicted = [["a", "b"], ["c"], ["d", "e"], ["f"]], [["a"], ["bcd"], ["ef"]]
    cut = sentences(reference, predicted, cuts=(1, 2, 3))
    assert sum(len(batch.documents) for batch in cut) == len(sentences(reference, predicted)[0].documents)
    assert [n for batch in cut for n in batch.documents.tolist()] == list(range(sum(len(b.documents) for b in cut)))


@pytest.mark.parametrize("predicted", [[["ax"]], [["a"]], [["abc"]]])
def test_another_text_is_an_error_also_when_sentences_may_differ(predicted: list[list[str]]) -> None:
    with pytest.raises(MismatchError):
        sentences([["a", "b"]], predicted)


TEXT = st.text(st.sampled_from("กขนำ้ําเแ็\u0e48\u200be\u0301\u0327éกa"), min_size=1, max_size=8)


def form(words: list[str], align: Align) -> CanonicalText:
    text = "".join(words)
    starts = np.zeros(len(text), np.bool_)
    starts[np.cumsum([0, *map(len, words[:-1])])[: len(text)]] = True
    return to_canonical(np.array([ord(c) for c in text], np.uint32), starts, align)


def cut(found: CanonicalText) -> list[str]:
    words: list[str] = []
    for code, start in zip(found.text.tolist(), found.starts.tolist(), strict=True):
        if start:
            words.append("")
        words[-1] += chr(code)
    return words


EQUAL: list[tuple[Align, str, str]] = [
    ("nfc", "é", "e\u0301"),
    ("nfc", "ḉ", "c\u0301\u0327"),
    ("thai", "é", "e\u0301"),
    ("thai", "น้ำ", "น\u0e4d\u0e49\u0e32"),
    ("thai", "น้ำ", "น\u0e49\u0e4d\u0e32"),
    ("thai", "แม่", "เเม่"),
    ("thai", "กา\u200bดำ", "กาดำ"),
    ("thai", "\ufeffกา", "กา"),
]


def test_ways_to_write_the_same_have_one_form() -> None:
    for align, one, other in EQUAL:
        assert form([one], align).text.tolist() == form([other], align).text.tolist()


def test_thai_forms_are_not_canonically_equivalent() -> None:
    for one, other in [(one, other) for align, one, other in EQUAL if align == "thai"][1:]:
        assert form([one], "nfc").text.tolist() != form([other], "nfc").text.tolist()


def test_word_start_inside_a_composed_character_is_kept() -> None:
    assert cut(form(["น", "ำ"], "thai")) == ["น", "\u0e4d\u0e32"]
    assert cut(form(["น\u0e4d", "า"], "thai")) == ["น\u0e4d", "า"]
    assert cut(form(["e", "\u0301"], "nfc")) == ["e", "\u0301"]


def test_a_word_that_is_invisible_alone_is_none() -> None:
    assert cut(form(["กา", "\u200b", "ดำ"], "thai")) == ["กา", "ด\u0e4d\u0e32"]
    assert cut(form(["กา", "\u200b"], "thai")) == ["กา"]


def test_each_character_knows_which_it_stands_for() -> None:
    assert form(["ก\u200b", "ำ"], "thai").positions == (0, 2, 2)


@given(TEXT)
def test_nfc_form_is_the_canonical_decomposition(text: str) -> None:
    decomposed = unicodedata.normalize("NFD", text)
    assert "".join(map(chr, form([text], "nfc").text.tolist())) == decomposed


@given(TEXT)
def test_the_form_of_a_form_is_itself(text: str) -> None:
    once = "".join(map(chr, form([text], "thai").text.tolist()))
    assert "".join(map(chr, form([once], "thai").text.tolist())) == once


@given(st.lists(TEXT, min_size=1, max_size=4))
def test_a_text_with_characters_left_begins_with_a_word(words: list[str]) -> None:
    found = form(words, "thai")
    assert not len(found.text) or found.starts[0]


GOLD = {"a": ["ab", "c"], "b": ["d", "e"], "c": ["f"]}


SYSTEM = {"a": ["a", "b", "c"], "b": ["d", "e"], "c": ["f"]}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write_rows(name: str, words: dict[Any, list[str]], ids: str) -> str:
    """Write the samples with these letters, as a table or as JSON lines by the ending of the name."""
    if name.endswith(".csv"):
        rows = ["id,words", *(f"{key},{'|'.join(words[key])}" for key in ids)]
    else:
        rows = [json.dumps({"id": key, "tokens": words[key]}) for key in ids]
    Path(name).write_text("\n".join(rows) + "\n", encoding="utf-8")
    return name


@pytest.mark.parametrize("name", ["system.jsonl", "system.csv"])
def test_rows_with_ids_in_another_order_are_paired(name: str) -> None:
    gold = write_rows("gold.jsonl", GOLD, "abc")
    in_order = isogloss.segmentation(gold, write_rows(name, SYSTEM, "abc"), findings=True)
    shuffled = isogloss.segmentation(gold, write_rows(name, SYSTEM, "cab"), findings=True)
    assert shuffled.scores == in_order.scores
    (finding,) = shuffled.findings
    assert (finding.document, finding.where) == ("1", f"{name}:{3 if name.endswith('csv') else 2}")


@pytest.mark.parametrize(
    ("ids", "error", "says"),
    [
        (
            "ab",
            MismatchError,
            "gold.jsonl:3: 1 of 3 ids of the reference are not in the prediction\nonly in gold.jsonl: 'c'",
        ),
        ("cabb", DataError, "system.jsonl:4: the id 'b' stands twice"),
    ],
)
def test_rows_without_a_partner_are_refused(ids: str, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        isogloss.segmentation(write_rows("gold.jsonl", GOLD, "abc"), write_rows("system.jsonl", SYSTEM, ids))


def test_ids_with_nothing_in_common_are_ignored_with_a_warning() -> None:
    other = {key.upper(): words for key, words in SYSTEM.items()}
    run = isogloss.segmentation(write_rows("gold.jsonl", GOLD, "abc"), write_rows("system.jsonl", other, "ABC"))
    assert run.scores["word"].correct == 4
    assert [warning.code for warning in run.warnings] == ["format-detected", "format-detected", "ids-ignored"]


def test_ids_on_one_side_only_change_nothing() -> None:
    Path("system").write_text("a|b|c\nd|e\nf\n", encoding="utf-8")
    assert isogloss.segmentation(write_rows("gold.jsonl", GOLD, "abc"), "system").scores["word"].correct == 4
