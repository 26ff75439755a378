from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from isogloss.tasks.entity_translation.matching import FOLDS, Match, classify_boundary, find_first_match, make_fold
from isogloss.tasks.entity_translation.rows import Target


def found(text: str, *names: str, form: str = "none", empty: bool = False) -> Match | None:
    return find_first_match([Target(name) for name in names], text, make_fold(form), empty=empty)


def shown(text: str, *names: str, form: str = "none") -> str:
    match = found(text, *names, form=form)
    assert match
    return text[match.start : match.end]


def test_the_first_name_in_the_order_of_the_reference_is_taken() -> None:
    match = found("Dune o Duna?", "Duna", "Dune")
    assert match
    assert (match.target, match.mention, match.start, match.end) == (0, "Duna", 7, 11)


def test_of_names_that_cover_its_place_the_longest_is_taken() -> None:
    match = found("La Regina Bianca regna", "Regina", "Bianca", "Regina Bianca", "La Regina Bianca", "Bianca regna ora")
    assert match
    assert match.mention == "La Regina Bianca"


def test_a_longer_name_elsewhere_is_not_taken() -> None:
    assert shown("Re e Regina Bianca", "Re", "Regina Bianca") == "Re"


def test_there_is_no_match_without_a_name() -> None:
    assert found("Dune", "Duna") is None


def test_an_empty_name_matches_only_where_it_counts() -> None:
    assert found("Dune", "") is None
    match = found("Dune", "", empty=True)
    assert match
    assert (match.start, match.end) == (0, 0)


def test_match_is_located_in_the_original_text() -> None:
    for form, text, name, place in [
        ("none", "die STRASSE hier", "Straße", "STRASSE"),
        ("none", "die Straße hier", "STRASSE", "Straße"),
        ("nfc", "un cafe\u0301 qui", "café", "cafe\u0301"),
        ("no-space", "나는 코믹북 가이 다", "코믹 북 가이", "코믹북 가이"),
        ("letters", "「飛べ! イサミ」は", "飛べイサミ", "飛べ! イサミ"),
    ]:
        assert shown(text, name, form=form) == place


def test_what_stands_beside_a_name() -> None:
    for text, name, kind in [
        ("Wer schrieb Dune?", "Dune", "clear"),
        ("Wer mag Dunes Ende", "Dune", "attached"),
        ("Dunes", "Dune", "attached"),
        ("Mc-Dune", "Dune", "clear"),
        ("해리 포터는 누구", "해리 포터", "attached"),
        ("使ったハリー本", "ハリー", "unspaced"),
        ("ภาพยนตร์ดูนเป็น", "ดูน", "unspaced"),
        ("電影Dune的", "Dune", "unspaced"),
    ]:
        start = text.index(name)
        assert classify_boundary(text, start, start + len(name)) == kind


@given(
    form=st.sampled_from(sorted(FOLDS)),
    text=st.text(st.sampled_from("aAßéｱガ カ\u3099'’-İ"), max_size=12),
    name=st.text(st.sampled_from("aAsßéアガ '-i"), min_size=1, max_size=3),
)
def test_the_marked_piece_of_the_text_holds_the_name(form: str, text: str, name: str) -> None:
    match = found(text, name, form=form)
    fold = make_fold(form)
    assert (match is not None) == (fold(name) != "" and fold(name) in fold(text))
    if match and form == "none":
        assert fold(name) in fold(text[match.start : match.end])
