"""What a reader leaves out of an answer is found, whatever the form of the answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.formats.answer_pieces import AnswerPieces
from isogloss.formats.mention_shapes import Vocabulary
from isogloss.formats.model_answers import parse_answer

LABELS = frozenset(("PER", "LOC", "ORG"))
NAMES = ("Ada Lovelace", "Oslo", "Acme Corp", "Żubr Piwny", "สมชาย", "東京", "القاهرة", "9:30 Club")
Mention = tuple[str, str]
Mentions = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(sorted(LABELS))),
    min_size=1,
    max_size=6,
    unique_by=lambda mention: mention[0],
)


def write_by_label(mentions: list[Mention]) -> str:
    names = {label: [name for name, own in mentions if own == label] for label in sorted(LABELS)}
    return json.dumps(names, ensure_ascii=False)


def write_headings(mentions: list[Mention]) -> str:
    return "\n".join(
        f"**{label}**\n" + "".join(f"- {name}\n" for name, own in mentions if own == label) for label in sorted(LABELS)
    )


ITEM_FORMS: dict[str, Callable[[Mention], str]] = {
    "object": lambda mention: json.dumps({"text": mention[0], "label": mention[1]}, ensure_ascii=False),
    "unknown keys": lambda mention: json.dumps({"qwx": mention[0], "zzy": mention[1]}, ensure_ascii=False),
    "pair": lambda mention: json.dumps(mention, ensure_ascii=False),
    "call": lambda mention: f"record({mention[0]!r}, kind={mention[1]!r})",
    "bullet": lambda mention: f"- {mention[0]} ({mention[1]})",
    "arrow": lambda mention: f"{mention[0]} ⟶ [{mention[1]}]",
    "label first": lambda mention: f"* {mention[1]}: {mention[0]}",
    "row": lambda mention: f"| {mention[0]} | {mention[1]} |",
    "tag": lambda mention: f"<{mention[1]}>{mention[0]}</{mention[1]}>",
    "unknown marks": lambda mention: f"«{mention[0]}» ¦¦ <<{mention[1]}>>",
}
LIST_FORMS = {"by label": write_by_label, "headings": write_headings}


def make_pieces(answer: str) -> AnswerPieces:
    return AnswerPieces([answer], Vocabulary("; ".join((*NAMES, "and much more, as they say")), LABELS))


@pytest.mark.parametrize("form", ITEM_FORMS)
@given(Mentions)
def test_a_name_that_is_left_out_of_items_is_unread(form: str, mentions: list[Mention]) -> None:
    pieces = make_pieces("\n".join(map(ITEM_FORMS[form], mentions)))
    assert pieces.list_unread(mentions) == []
    for k in range(len(mentions)):
        assert pieces.list_unread(mentions[:k] + mentions[k + 1 :])


@pytest.mark.parametrize("form", ITEM_FORMS)
@given(Mentions)
def test_a_wrong_label_of_an_item_is_unread(form: str, mentions: list[Mention]) -> None:
    pieces = make_pieces("\n".join(map(ITEM_FORMS[form], mentions)))
    for k, (name, label) in enumerate(mentions):
        other = min(LABELS - {label})
        assert pieces.list_unread([*mentions[:k], (name, other), *mentions[k + 1 :]])


@pytest.mark.parametrize("form", LIST_FORMS)
@given(Mentions)
def test_a_name_that_is_left_out_of_a_list_is_unread(form: str, mentions: list[Mention]) -> None:
    pieces = make_pieces(LIST_FORMS[form](mentions))
    assert pieces.list_unread(mentions) == []
    for k in range(len(mentions)):
        assert pieces.list_unread(mentions[:k] + mentions[k + 1 :])


@given(Mentions)
def test_labels_are_paired_with_the_names_beside_them(mentions: list[Mention]) -> None:
    for form in ("call", "arrow", "label first", "unknown marks"):
        pieces = make_pieces("\n".join(map(ITEM_FORMS[form], mentions)))
        assert pieces.pair_names() == mentions


def test_notes_and_copies_of_the_text_have_no_items() -> None:
    known = Vocabulary("Ada met Bob in Oslo on Monday.", LABELS)
    answer = (
        "Text: Ada met Bob in Oslo on Monday.\n<PER>Ada</PER> met <PER>Bob</PER> in <LOC>Oslo</LOC> on Monday.\n\n"
        "Note: Monday is neither a LOC nor an ORG.\nOn Monday they met."
    )
    assert AnswerPieces([answer], known).list_unread([("Ada", "PER"), ("Bob", "PER"), ("Oslo", "LOC")]) == []


@pytest.mark.parametrize(
    ("answer", "mentions"),
    [
        ("- Ada: PER or ORG", [("Ada", "PER")]),
        ("- Ada: PER\n- Ada: ORG", [("Ada", "PER"), ("Ada", "ORG")]),
        ('[{"name": "Ada", "label": "PER or LOC"}]', [("Ada", "PER or LOC")]),
        ('[{"nom": "Ada", "genre": "PER"}, {"nom": "Bob"}]', [("Ada", "PER"), ("Bob", "nom")]),
    ],
)
def test_doubtful_labels_are_unread(answer: str, mentions: list[Mention]) -> None:
    assert AnswerPieces([answer], Vocabulary("Ada met Bob.", LABELS)).list_unread(mentions)


def test_tags_of_tokens_are_counted_by_their_first_tokens() -> None:
    pieces = AnswerPieces(["Ada B-PER\nLovelace I-PER\nmet O\nBob B-PER"], Vocabulary("Ada Lovelace met Bob", LABELS))
    assert pieces.list_unread([("Ada Lovelace", "PER"), ("Bob", "PER")]) == []
    assert pieces.list_unread([("Ada Lovelace", "PER")]) == ["per"]


def test_without_a_text_nothing_is_unread() -> None:
    assert AnswerPieces(['[["Ada", "PER"]]'], Vocabulary(None, LABELS)).list_unread([]) == []


def test_of_100_names_left_out_of_golden_answers_at_least_98_are_unread() -> None:
    """The share that docs/formats/mentions.md states."""
    found = total = 0
    for line in (Path(__file__).parents[2] / "golden/answers/answers.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        read = parse_answer(row["answer"], row["text"], row["labels"])
        if not isinstance(row["answer"], str) or read.unread or "loss" in row or read.spans:
            continue
        pieces = AnswerPieces([row["answer"]], Vocabulary(row["text"], frozenset(row["labels"])))
        for k in range(len(read.mentions)):
            found += bool(pieces.list_unread(read.mentions[:k] + read.mentions[k + 1 :]))
            total += 1
    assert total > 2000
    assert found >= 0.98 * total
