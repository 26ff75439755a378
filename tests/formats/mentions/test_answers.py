from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.formats.mention_shapes import LABELS, TEXTS, WRAPPERS, parse_mentions
from isogloss.formats.model_answers import ParsedAnswer, parse_answer

ADA, BOB = ("Ada", "PER"), ("Bob", "PER")
ITEM = '{"text": "Ada", "label": "PER"}'
OTHER = '{"text": "Bob", "label": "PER"}'
Words = st.text(st.characters(codec="utf-8"), min_size=1).filter(lambda word: word.strip() == word)
Mentions = st.lists(st.tuples(Words, Words), max_size=5)


def test_names_have_many_shapes() -> None:
    for value in [
        [{"text": "Ada", "label": "PER"}, {"text": "Bob", "label": "PER"}],
        [{"label": " PER\n", "text": "Ada", "start": 99, "end": 3}, {"name": "Bob", "type": "PER", "score": 0.9}],
        [{"word": "Ada", "entity": "PER"}, {"entity": "Bob", "entity_type": "PER"}],
        [["Ada", "PER"], ["Bob", "PER", 0, 3, 0.5]],
        {"PER": ["Ada", "Bob"]},
        {"PER": ["Ada", "Bob"], "LOC": [], "ORG": None},
        {"PER": [{"text": "Ada"}, {"text": "Bob", "type": "PER"}]},
        [{"PER": ["Ada"]}, {"PER": ["Bob"]}],
        {"entities": [["Ada", "PER"], ["Bob", "PER"]], "text": "Ada met Bob", "note": "two"},
        {"result": {"output": {"PER": ["Ada", "Bob"]}}},
    ]:
        assert parse_answer(value) == ParsedAnswer([ADA, BOB])
        assert parse_answer(json.dumps(value)) == ParsedAnswer([ADA, BOB])


def test_each_key_of_a_name_is_known() -> None:
    for key in TEXTS:
        assert parse_answer([{key: "Ada", "label": "PER"}]) == ParsedAnswer([ADA])


def test_each_key_of_a_label_is_known() -> None:
    for key in LABELS:
        assert parse_answer([{"text": "Ada", key: "PER"}]) == ParsedAnswer([ADA])


def test_each_key_of_a_list_is_known() -> None:
    for key in WRAPPERS:
        assert parse_answer({key: [{"text": "Ada", "label": "PER"}]}) == ParsedAnswer([ADA])


def test_a_number_may_be_a_name() -> None:
    assert parse_answer('[{"text": 2020, "label": "DATE"}]') == ParsedAnswer([("2020", "DATE")])


def test_an_answer_may_say_that_there_are_none() -> None:
    for empty in ["[]", "{}", '{"entities": []}', '{"PER": [], "LOC": []}', "There are none: []."]:
        assert parse_answer(empty) == ParsedAnswer()


def test_a_name_is_found_in_what_models_write() -> None:
    for answer in [
        f"[{ITEM}]",
        f"Sure!\n```json\n[{ITEM}]\n```\nAnything else?",
        f"```\n{{'entities': [{ITEM}],}}\n```",
        "<think>PER? [maybe] (yes)</think>\n[('Ada', 'PER')]",
        "{'PER': ['Ada']}",
        "(('Ada', 'PER'),)",
        "('Ada', 'PER')",
        ITEM,
        f'[1] {{"count": 1}} {ITEM}',
        "PER: Ada",
        "\n- PER: Ada\n- LOC: none\n",
        "```\n* **PER**: Ada\n```",
        "1. PER: Ada",
        "PER: Ada\nThat is all.",
        "Ada (PER)",
    ]:
        assert parse_answer(answer) == ParsedAnswer([ADA])


@pytest.mark.parametrize("answer", [f"{ITEM}\n{OTHER}", f"- {ITEM}\n- {OTHER}", "('Ada', 'PER'), ('Bob', 'PER')"])
def test_names_may_stand_one_after_the_other(answer: str) -> None:
    assert parse_answer(answer) == ParsedAnswer([ADA, BOB])


def test_what_can_be_read_in_no_way_or_in_two_is_undecodable() -> None:
    for answer in [
        "",
        "I cannot help with that.",
        "null",
        '["Ada", "Bob"]',
        '["Ada", "PER"]',
        '{"Ada": "PER"}',
        '{"entities": ["Ada"]}',
        "Ada (PER) met Bob (PER).",
        '[{"text": "Ada"}]',
        '[{"text": "Ada", "label": " "}]',
        "foo()",
        "PER: Ada, Bob",
        "PER: Ada; Bob",
        "ORG: NATO",
        "NATO: ORG",
        "Note: Ada",
        "PER:",
        '{"entities":' * 9 + "[]" + "}" * 9,
    ]:
        assert parse_answer(answer) == ParsedAnswer(is_decoded=False)


def test_so_is_json_that_is_no_names() -> None:
    for answer in [None, 3, True, ["Ada"]]:
        assert parse_answer(answer) == ParsedAnswer(is_decoded=False)


def test_of_an_answer_that_breaks_off_the_complete_items_count() -> None:
    for answer in [
        f"[{ITEM}, {OTHER}, ",
        f'[{ITEM}, {OTHER}, {{"text": "Ey',
        f"[{ITEM}, {OTHER}, ...]",
        f"[{ITEM}, {OTHER}, {{'text': }}]",
    ]:
        assert parse_answer(answer) == ParsedAnswer([ADA, BOB], is_truncated=True)


@pytest.mark.parametrize("answer", ['[{"text": "Ad', '{"text": "Ada", "label": "PE', "["])
def test_an_answer_that_breaks_off_in_its_first_item_is_truncated_and_empty(answer: str) -> None:
    assert parse_answer(answer) == ParsedAnswer(is_truncated=True)


@pytest.mark.parametrize("shape", ["[{}]", '{{"entities": [{}]}}', "{}"])
@pytest.mark.parametrize("place", range(4))
def test_a_malformed_item_is_counted_wherever_it_stands(shape: str, place: int) -> None:
    names = [(name, "PER") for name in ("Ada", "Bob", "Cy", "Dee")]
    items = [json.dumps({"text": text, "label": label}) for text, label in names]
    items[place] = '{"text": , "label": "PER"}'
    read = parse_answer(shape.format(", ".join(items)))
    assert read.mentions == names[:place] + names[place + 1 :]
    assert read.is_truncated


def test_a_later_list_without_names_takes_none_away() -> None:
    for empty in ["Relations: []", "{}", '{"PER": []}', "```json\n[]\n```"]:
        assert parse_answer(f"[{ITEM}]\n\n{empty}") == ParsedAnswer([ADA], is_one_of_several=True)
        assert parse_answer(f"{ITEM}\n\n{empty}\n{OTHER}") == ParsedAnswer([ADA, BOB], is_one_of_several=True)
        assert parse_answer(f"{empty}\n\n[{ITEM}]") == ParsedAnswer([ADA])


def test_of_several_lists_the_last_counts() -> None:
    assert parse_answer(f"First [{ITEM}]. No: [{OTHER}]") == ParsedAnswer([BOB], is_one_of_several=True)
    assert parse_answer(f"{ITEM}? No: [{OTHER}]") == ParsedAnswer([BOB], is_one_of_several=True)
    assert parse_answer(f"[{ITEM}], but not {OTHER}") == ParsedAnswer([ADA], is_one_of_several=True)


def test_repeated_list_is_read_once() -> None:
    assert parse_answer(f"[{ITEM}] That is: [{ITEM}], with {ITEM}. Labels are [1] and ['PER'].") == ParsedAnswer([ADA])


def test_items_that_are_no_names_are_counted() -> None:
    assert parse_answer(f'[{ITEM}, {{"text": "Oslo", "label": null}}, "Oslo"]') == ParsedAnswer([ADA], unusable=2)
    assert parse_answer('{"PER": ["Ada", null], "note": "one"}') == ParsedAnswer([ADA], unusable=2)


@given(Mentions)
def test_what_was_written_is_read(mentions: list[tuple[str, str]]) -> None:
    items = [{"text": text, "label": label} for text, label in mentions]
    assert parse_answer(f"Names: {json.dumps(items)}.") == ParsedAnswer(mentions)
    assert parse_answer(repr(mentions)) == ParsedAnswer(mentions)


@given(Mentions, st.data())
def test_wherever_an_answer_is_cut_the_names_before_are_read(
    mentions: list[tuple[str, str]], data: st.DataObject
) -> None:
    answer = json.dumps([{"text": text, "label": label} for text, label in mentions])
    cut = data.draw(st.integers(1, len(answer) - 1))
    read = parse_answer(answer[:cut])
    assert read.is_truncated
    assert read.mentions == mentions[: len(read.mentions)]
    assert len(read.mentions) == answer[:cut].count("}") if "}" not in "".join(map("".join, mentions)) else True


@given(st.text() | st.text("[](){},:'\"\\ PERAda\n-"))
def test_no_answer_is_an_error(answer: str) -> None:
    assert all(text is not None and label.strip() for text, label in parse_answer(answer).mentions)


def test_an_answer_of_one_piece_repeated_is_read_in_a_pass() -> None:
    """It does not end in reasonable time where a step looks at all characters before or behind it."""
    for piece in ("PER: a\n", " ", "PER:", "- ", "\n", f"{ITEM} ", f"[{ITEM}] ", '{"a":['):
        assert isinstance(parse_answer(piece * (100_000 // len(piece))), ParsedAnswer), piece


def test_values_that_are_nested_deeply_are_no_names() -> None:
    value: Any = []
    for _ in range(900):
        value = {"entities": value}
    assert parse_mentions(value) is None
