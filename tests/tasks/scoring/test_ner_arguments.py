"""Python arguments that cannot be meant are refused by name; options that nothing would read are too."""

from __future__ import annotations

import math
from typing import Any

import pytest

from isogloss.errors import DataError, UsageError
from isogloss.tasks.ner.scoring import ner

TAGS = [["B-P", "O"]]
SPANS = [[(0, 1, "P")]]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("beta", "1"),
        ("beta", None),
        ("beta", True),
        ("beta", 0),
        ("beta", -1),
        ("beta", math.nan),
        ("confidence", "0.95"),
        ("confidence", 0),
        ("confidence", math.nan),
        ("labels", "PER"),
        ("labels", [1]),
        ("labels", []),
        ("macro_over", "refernce"),
        ("scheme", ["iob2"]),
        ("scheme", "iob"),
        ("repair", "beginn"),
        ("profile", ["seqeval"]),
        ("context", -1),
        ("input_format", "json"),
        ("columns", "1,2"),
        ("columns", (1.0, 2)),
        ("zero_division", 2),
        ("zero_division", 0.5),
    ],
)
def test_a_wrong_value_is_refused_by_name(option: str, value: Any) -> None:
    with pytest.raises(UsageError, match=f"^(Unknown {option} |{option} (is|must be) )"):
        ner(TAGS, TAGS, **{option: value})


def test_system_without_a_name_is_refused() -> None:
    with pytest.raises(UsageError, match=r"^system must be a string that is not empty, such as 'my model'; got ''"):
        ner(TAGS, TAGS, system="")


@pytest.mark.parametrize(
    "options",
    [{"scheme": "iob2"}, {"repair": "discard"}, {"scheme": "iob2", "profile": "conlleval"}],
)
def test_an_option_about_tags_is_refused_where_there_are_spans(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="has no effect: the input has spans"):
        ner(SPANS, SPANS, **options)


def test_to_begin_spans_is_what_a_call_without_a_repair_means() -> None:
    assert ner(SPANS, SPANS, repair="begin").scores["strict"].f1 == 1


def test_different_labels_have_different_signatures() -> None:
    spans = [[(0, 1, "a,b"), (1, 2, "a"), (2, 3, "b")]]
    one, two = ner(spans, spans, labels=["a,b"]), ner(spans, spans, labels=["b", "a", "a"])
    assert 'labels:"a,b"|' in str(one.signature)
    assert "labels:a,b|" in str(two.signature)


def test_a_name_with_a_nul_is_no_file() -> None:
    with pytest.raises(DataError, match="contains a NUL"):
        ner("a\0b", "c")
