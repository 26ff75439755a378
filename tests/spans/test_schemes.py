import pytest

from isogloss.errors import TagError
from isogloss.spans.schemes import (
    SCHEMES,
    TagNotation,
    TagScheme,
    detect_notation,
    format_letters,
    is_continuation,
    join_tag,
    replace_letter,
    split_tag,
)


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
def test_a_tag_splits_into_letter_and_label(tag: str, notation: TagNotation, expected: tuple[str, str] | None) -> None:
    assert split_tag(tag, notation) == expected


def test_a_letter_that_is_not_among_those_given_is_unknown() -> None:
    assert split_tag("S-PER", "prefix", frozenset("BI")) is None


def test_the_notation_shows_in_the_tags() -> None:
    for tags, expected in [
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
        (["O", "B_PER", "I_PER"], "underscore"),
        (["O", "B_CELL", "I_LINE"], "underscore"),
        (["O", "B_PER", "E_PER", "PER"], "underscore"),
        (["O", "B_CELL", "T_CELL"], "bare"),
        (["O", "B_CELL", "LINE"], "bare"),
        (["O", "B_PER", "I_PER", "B-LOC"], "prefix"),
        (["O", "B_PER", "I_PER-X"], "underscore"),
        (["O", "B_X-I", "I_X-I"], "suffix"),
        (["O"], "prefix"),
        ([], "prefix"),
    ]:
        assert detect_notation(tags) == expected


def test_letters_are_written_as_they_stand_in_tags() -> None:
    assert format_letters("BI", "prefix") == "B-, I-"
    assert format_letters("BI", "suffix") == "-B, -I"
    assert format_letters("BI", "underscore") == "B_, I_"


@pytest.mark.parametrize(
    ("tag", "read", "write", "expected"),
    [
        ("B-PER", "prefix", "prefix", "I-PER"),
        ("B-A-B", "prefix", "prefix", "I-A-B"),
        ("B-A-B", "prefix", "suffix", "A-B-I"),
        ("A-B-B", "suffix", "suffix", "A-B-I"),
        ("A-B-B", "suffix", "prefix", "I-A-B"),
        ("B", "prefix", "suffix", "I"),
        ("B-", "prefix", "prefix", "I-"),
        ("B-", "prefix", "suffix", "-I"),
        ("B-_", "prefix", "prefix", "I-_"),
        ("-B", "suffix", "bare", "_"),
        ("B", "prefix", "bare", "_"),
        ("B-PER", "prefix", "bare", "PER"),
        ("PER", "bare", "prefix", "I-PER"),
        ("PER", "bare", "suffix", "PER-I"),
        ("B-PER", "bare", "prefix", "I-B-PER"),
        ("PER", "bare", "bare", "PER"),
        ("B_PER_X", "underscore", "underscore", "I_PER_X"),
        ("B_PER_X", "underscore", "prefix", "I-PER_X"),
        ("B-A-B", "prefix", "underscore", "I_A-B"),
        ("B", "underscore", "underscore", "I"),
        ("B_", "underscore", "underscore", "I_"),
    ],
)
def test_another_letter_leaves_the_label_as_it_is_written(
    tag: str, read: TagNotation, write: TagNotation, expected: str
) -> None:
    assert replace_letter(tag, "I", read, write) == expected


def test_bare_label_that_is_a_letter_is_refused_with_remedy() -> None:
    for tag, label in [("B-O", "O"), ("I-O", "O"), ("B-B", "B"), ("I-S", "S")]:
        with pytest.raises(TagError, match=rf"'{label}' cannot stand alone.*\n.*--notation prefix"):
            replace_letter(tag, "I", "prefix", "bare")


@pytest.mark.parametrize("notation", ["prefix", "suffix", "underscore"])
@pytest.mark.parametrize("label", ["PER", "B", "A-B", "A_B", "-", "--", "_", "__"])
def test_joining_is_the_other_way_of_splitting(label: str, notation: TagNotation) -> None:
    assert split_tag(join_tag("E", label, notation), notation) == ("E", label)


def test_all_schemes_have_lower_case_names_that_users_know() -> None:
    assert set(SCHEMES) == {"iob1", "iob2", "ioe1", "ioe2", "iobes", "bilou", "bmes", "bmewo", "io"}
    assert all(scheme.name == name for name, scheme in SCHEMES.items())


def test_schemes_with_end_letters_have_explicit_end() -> None:
    for scheme in ["ioe2", "iobes", "bilou", "bmes", "bmewo"]:
        assert SCHEMES[scheme].has_explicit_end


def test_schemes_with_inside_as_last_have_no_explicit_end() -> None:
    for scheme in ["iob1", "iob2", "ioe1", "io"]:
        assert not SCHEMES[scheme].has_explicit_end


def test_scheme_with_foreign_first_letter_is_refused() -> None:
    with pytest.raises(ValueError, match="beside its own"):
        TagScheme("odd", letters="BI", first_letters="BS", last_letters="BI")


def test_continuation_needs_letters_and_the_same_label() -> None:
    pairs = {(one, two) for one in "OBIESLUMW" for two in "OBIESLUMW" if is_continuation(one, two, same_label=True)}
    assert pairs == {(one, two) for one in "BIM" for two in "IEML"}
    assert not is_continuation("B", "I", same_label=False)
