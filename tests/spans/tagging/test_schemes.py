import pytest

from isogloss.spans.schemes import SCHEMES, TagScheme, is_continuation


def test_all_schemes_have_lower_case_names_that_users_know() -> None:
    assert set(SCHEMES) == {"iob1", "iob2", "ioe1", "ioe2", "iobes", "bilou", "bmes", "bmewo", "io"}
    assert all(scheme.name == name for name, scheme in SCHEMES.items())


def test_schemes_with_a_letter_for_every_last_tag_close_explicitly() -> None:
    for scheme in ["ioe2", "iobes", "bilou", "bmes", "bmewo"]:
        assert SCHEMES[scheme].has_explicit_end


def test_schemes_in_which_an_inside_tag_may_be_last_do_not() -> None:
    for scheme in ["iob1", "iob2", "ioe1", "io"]:
        assert not SCHEMES[scheme].has_explicit_end


def test_a_scheme_cannot_open_spans_with_a_letter_it_does_not_have() -> None:
    with pytest.raises(ValueError, match="beside its own"):
        TagScheme("odd", letters="BI", first_letters="BS", last_letters="BI")


def test_a_tag_goes_on_only_with_a_span_of_its_label() -> None:
    pairs = {(one, two) for one in "OBIESLUMW" for two in "OBIESLUMW" if is_continuation(one, two, same_label=True)}
    assert pairs == {(one, two) for one in "BIM" for two in "IEML"}
    assert not is_continuation("B", "I", same_label=False)
