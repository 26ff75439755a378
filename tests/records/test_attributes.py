from __future__ import annotations

import numpy as np
import pytest

from isogloss.errors import UsageError
from isogloss.records.attributes import MAX_NAME_LENGTH, Comments, as_text, list_comment_columns, parse_comment


def test_attribute_names_are_strings_or_json() -> None:
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


def test_lists_and_objects_are_refused_as_attributes() -> None:
    for value in [[], ["a"], {}, {"a": 1}, (1, 2), b"bytes"]:
        with pytest.raises(UsageError, match=r"ref\.jsonl:7: the column 'genre' holds a value of type"):
            as_text(value, "genre", "ref.jsonl:7")


def test_half_a_surrogate_pair_is_refused_as_a_name() -> None:
    with pytest.raises(UsageError, match="half a surrogate pair"):
        as_text("a\ud800", "genre", "by['genre'][0]")
    assert as_text("Ünï\U0001f600", "genre", "") == "Ünï\U0001f600"


def test_shortened_strings_stay_different() -> None:
    one, two = (as_text("x" * 5000 + end, "prompt", "") for end in "ab")
    assert one is not None
    assert two is not None
    assert one != two
    assert len(one) <= MAX_NAME_LENGTH
    assert as_text("x" * MAX_NAME_LENGTH, "prompt", "") == "x" * MAX_NAME_LENGTH


def test_comments_with_an_equals_sign_have_key_and_value() -> None:
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


def test_document_comments_apply_to_all_its_sentences() -> None:
    comments = Comments(["genre", "newdoc id", "newpar id", "docstart"])
    seen = []
    for lines in (
        ["-DOCSTART- -X-", "# newdoc id = a", "# genre = news", "# newpar id = p", "# speaker = Ada"],
        [],
        ["# newdoc id = b"],
        ["# newdoc"],
    ):
        for line in lines:
            comments.read_line(line)
        seen.append(dict(comments.finish_sentence()))
    assert seen == [
        {"newdoc id": "a", "newpar id": "p", "genre": "news", "docstart": "1"},
        {"newdoc id": "a", "newpar id": "p", "docstart": "1"},
        {"newdoc id": "b", "docstart": "1"},
        {"docstart": "1"},
    ]


def test_comment_columns_are_listed_in_order() -> None:
    assert list_comment_columns("# a = 1\nx O\n\n-DOCSTART- O\n# b c = 2\n# a = 3\n# no\n") == ["a", "b c", "docstart"]
