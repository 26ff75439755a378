from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.errors import UsageError
from isogloss.providers.specs import ProviderSettings, ProviderSpec, parse_spec


def test_a_spec_has_kind_argument_and_options() -> None:
    text = "transformers:./model?labels=PER,ORG&stride=32"
    assert parse_spec(text) == ProviderSpec(text, "transformers", "./model", {"labels": "PER,ORG", "stride": "32"})


def test_an_argument_may_have_colons() -> None:
    assert parse_spec("python:module:function").argument == "module:function"


def test_a_kind_may_stand_alone() -> None:
    assert parse_spec("lines") == ProviderSpec("lines", "lines")


@given(st.text(st.characters(exclude_characters="?"), max_size=20))
def test_an_argument_without_a_question_mark_is_kept(argument: str) -> None:
    assert parse_spec(f"names:{argument}").argument == argument


@given(st.lists(st.text("PER&,%= ü", min_size=1).map(str.strip).filter(bool), min_size=1))
def test_labels_may_hold_anything_that_is_escaped(labels: list[str]) -> None:
    escaped = [label.replace("%", "%25").replace("&", "%26").replace(",", "%2C") for label in labels]
    assert parse_spec("names:x?labels=" + ",".join(escaped)).parse_labels() == tuple(labels)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (":x", "names no kind of provider"),
        ("", "names no kind of provider"),
        ("names:x?labels", "'labels' has no value; write labels=value"),
        ("names:x?labels=", "has no value"),
        ("names:x?a=1&a=2", "a is given twice"),
    ],
)
def test_an_invalid_spec_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        parse_spec(text)
    assert repr(text) in str(caught.value)


def test_an_unknown_option_suggests_the_closest() -> None:
    with pytest.raises(UsageError, match=r"In 'spacy:x\?lables=A': spacy has no option 'lables'. Is it one of: labels"):
        parse_spec("spacy:x?lables=A").check_options("labels", "stride")


def test_a_kind_without_options_says_so() -> None:
    with pytest.raises(UsageError, match=r"lines has no option 'a'\. It has no options"):
        parse_spec("lines?a=1").check_options()


def test_an_error_of_a_missing_argument_has_an_example() -> None:
    with pytest.raises(UsageError, match="as in names:FILE"):
        parse_spec("names").require_argument("FILE")


def test_a_number_is_checked() -> None:
    for value in ["x", "-1", "1.5", "0"]:
        with pytest.raises(UsageError, match=f"stride={value} is not a whole number from 1"):
            parse_spec(f"transformers:x?stride={value}").parse_integer("stride")


def test_a_share_is_checked() -> None:
    for value in ["x", "-0.1", "1.01", "nan"]:
        with pytest.raises(UsageError, match=f"threshold={value} is not a number from 0 to 1"):
            parse_spec(f"gliner:x?threshold={value}").parse_share("threshold", 0.5)


def test_a_missing_option_has_its_default() -> None:
    spec = parse_spec("gliner:x")
    assert spec.parse_share("threshold", 0.5) == 0.5
    assert [spec.parse_integer("stride"), spec.parse_integer("stride", 7), spec.parse_labels()] == [None, 7, None]


def test_an_empty_label_is_refused() -> None:
    with pytest.raises(UsageError, match="labels=PER,,ORG has an empty label"):
        parse_spec("spacy:x?labels=PER,,ORG").parse_labels()


@pytest.mark.parametrize(("language", "base"), [("uk", "uk"), ("zh_TW", "zh"), ("sr-Latn-RS", "sr")])
def test_a_language_has_a_base(language: str, base: str) -> None:
    assert ProviderSettings(language).base_language == base


@pytest.mark.parametrize("name", ["batch_size", "jobs"])
def test_settings_are_checked(name: str) -> None:
    with pytest.raises(UsageError, match=f"{name} must be at least 1, got 0"):
        ProviderSettings("uk", batch_size=int(name != "batch_size"), jobs=int(name != "jobs"))
