from __future__ import annotations

import numpy as np
import pytest

from isogloss.errors import UsageError
from isogloss.records.attributes import MAX_NAME_LENGTH, Comments, as_text, list_comment_columns, parse_comment


def test_a_value_is_named_by_itself_or_by_its_json() -> None:
    for value, text in [
        ("news", "news"),
        ("", ""),
        (3, "3"),
        (10**30, "1" + 30 * "0"),
        (0.5, "0.5"),
        (True, "true"),
        (False, "false"),
        (None, None),
        (np.int64(4), "4"),
        (np.float64(0.25), "0.25"),
        (np.bool_(True), "true"),  # noqa: FBT003  the value itself
    ]:
        assert as_text(value, "column", "place") == text


def test_a_value_that_holds_others_has_no_name() -> None:
    for value in [[], ["a"], {}, {"a": 1}, (1, 2), b"bytes"]:
        with pytest.raises(UsageError, match=r"ref\.jsonl:7: the column 'genre' holds a value of type"):
            as_text(value, "genre", "ref.jsonl:7")


def test_half_a_surrogate_pair_is_no_name() -> None:
    with pytest.raises(UsageError, match="half a surrogate pair"):
        as_text("a\ud800", "genre", "by['genre'][0]")
    assert as_text("Ünï\U0001f600", "genre", "") == "Ünï\U0001f600"


def test_long_strings_are_cut_and_stay_apart() -> None:
    one, two = (as_text("x" * 5000 + end, "prompt", "") for end in "ab")
    assert one is not None
    assert two is not None
    assert one != two
    assert len(one) <= MAX_NAME_LENGTH
    assert as_text("x" * MAX_NAME_LENGTH, "prompt", "") == "x" * MAX_NAME_LENGTH


def test_comments_with_a_sign_of_equality_have_a_key_and_a_value() -> None:
    for line, found in [
        ("# genre = news", ("genre", "news")),
        ("#genre=news", ("genre", "news")),
        ("#  newdoc   id = a = b ", ("newdoc id", "a = b")),
        ("# newdoc", None),
        ("# = x", None),
        ("# x =", None),
        ("genre = news", None),
    ]:
        assert parse_comment(line) == found


def test_a_comment_belongs_to_the_next_sentence_and_that_of_a_document_to_all_of_it() -> None:
    comments = Comments(["genre", "newdoc id", "docstart"])
    seen = []
    for lines in (["-DOCSTART- -X-", "# newdoc id = a", "# genre = news"], [], ["# newdoc id = b"], ["# newdoc"]):
        for line in lines:
            comments.read_line(line)
        seen.append(dict(comments.finish_sentence()))
    assert seen == [
        {"newdoc id": "a", "genre": "news", "docstart": "1"},
        {"newdoc id": "a", "docstart": "1"},
        {"newdoc id": "b", "docstart": "1"},
        {"docstart": "1"},
    ]


def test_a_new_document_ends_a_paragraph_too() -> None:
    comments = Comments(["newpar id"])
    comments.read_line("# newpar id = p")
    assert comments.finish_sentence() == {"newpar id": "p"}
    comments.read_line("# newdoc id = d")
    assert comments.finish_sentence() == {}


def test_only_what_is_wanted_is_kept() -> None:
    comments = Comments(["genre"])
    comments.read_line("# genre = news")
    comments.read_line("# speaker = Ada")
    assert comments.finish_sentence() == {"genre": "news"}


def test_the_columns_of_a_text_are_those_of_its_comments() -> None:
    assert list_comment_columns("# a = 1\nx O\n\n-DOCSTART- O\n# b c = 2\n# a = 3\n# no\n") == ["a", "b c", "docstart"]
