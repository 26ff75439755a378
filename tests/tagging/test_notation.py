import pytest

from isogloss.tagging.notation import Notation, detect, split, written


@pytest.mark.parametrize(
    ("tag", "notation", "expected"),
    [
        ("B-PER", "prefix", ("B", "PER")),
        ("B-A-B", "prefix", ("B", "A-B")),
        ("A-B-B", "suffix", ("B", "A-B")),
        ("PER-B", "suffix", ("B", "PER")),
        ("B", "prefix", ("B", "_")),
        ("B", "suffix", ("B", "_")),
        ("B-", "prefix", ("B", "_")),
        ("-B", "suffix", ("B", "_")),
        ("B-_", "prefix", ("B", "_")),
        ("I-B", "prefix", ("I", "B")),
        ("I-B", "suffix", ("B", "I")),
        ("person-actor", "bare", ("I", "person-actor")),
        ("B-PER", "bare", ("I", "B-PER")),
        ("PER", "prefix", None),
        ("PER-B", "prefix", None),
        ("B-PER", "suffix", None),
        ("ADJ", "prefix", None),
        ("", "prefix", None),
        ("", "suffix", None),
        ("", "bare", None),
    ],
)
def test_a_tag_splits_into_letter_and_label(tag: str, notation: Notation, expected: tuple[str, str] | None) -> None:
    assert split(tag, notation) == expected


def test_a_letter_that_is_not_among_those_given_is_unknown() -> None:
    assert split("S-PER", "prefix", frozenset("BI")) is None


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        (["O", "B-PER", "I-PER"], "prefix"),
        (["O", "PER-B", "PER-I"], "suffix"),
        (["O", "I-B"], "prefix"),
        (["O", "PER-B", "I-B"], "prefix"),
        (["O", "B", "I"], "prefix"),
        (["O", "B", "PER-B"], "suffix"),
        (["O", "PER", "LOC"], "bare"),
        (["O", "person-actor", "PER"], "bare"),
        (["O", "B-PER", "PER"], "prefix"),
        (["O", "X-PER"], "bare"),
        (["O"], "prefix"),
        ([], "prefix"),
    ],
)
def test_the_notation_shows_in_the_tags(tags: list[str], expected: Notation) -> None:
    assert detect(tags) == expected


def test_letters_are_written_as_they_stand_in_tags() -> None:
    assert written("BI", "prefix") == "B-, I-"
    assert written("BI", "suffix") == "-B, -I"
