import random
import unicodedata
from itertools import pairwise
from typing import Literal

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from isogloss.text import display
from isogloss.text.display import (
    can_encode,
    choose_isolates,
    fit_apart,
    fit_width,
    format_count,
    make_lines_visible,
    make_visible,
    measure_width,
    snap_to_clusters,
    split_graphemes,
)

SAMPLES = {
    "thai": "น้ำทิพย์เดินทางไปกรุงเทพมหานครที่ทำเนียบ",
    "lao": "ນ້ຳຂອງປະເທດລາວ",
    "khmer": "ព្រះរាជាណាចក្រកម្ពុជា",
    "burmese": "ရန်ကုန်မြို့သို့ ကျွန်ုပ်",
    "hindi": "प्रधानमंत्री नरेन्द्र मोदी क्षत्रिय हिन्दी",
    "bengali": "কৃষ্ণচন্দ্র বাংলাদেশ",
    "tamil": "தமிழ்நாடு ஸ்ரீ கொழும்பு",
    "malayalam": "ൎക കൊച്ചി ക്ഷേത്രം",
    "arabic": "مُحَمَّدٌ رَسُولُ ٱللّٰه؀١٢",
    "persian": "کتاب‌هایش را می‌خواهم",
    "hebrew": "בְּרֵאשִׁית בָּרָא אֱלֹהִים",
    "syriac": "ܐܠܗܐ\u070fܐܒ",
    "korean": "한국 각 \u1112\u1161\u11ab\u1100\u1173\u11af 가\u11a8",
    "chinese": "葛\U000e0100飾区 中华人民共和国",
    "tibetan": "བོད་སྐད་",
    "emoji": "👨‍👩‍👧‍👦👍🏽🏳️‍🌈1️⃣☎️❤️🏴\U000e0067\U000e0062\U000e007f",
    "flags": "🇷🇸🇹🇭🇷",
    "latin": "A\u030a\u0323 e\u0301 z\u035c\u0361z",
    "lines": "a\r\nb\n\rc\u2028\u0301d\x00\u200be",
}
# Code points that the rules name or treat apart, and some that nothing happens to.
SPECIAL = (
    "aZ1 .中あ\r\n\t\x1b\x85\u2028\u200b\u200e\u202e\ufeff\xad"  # letters and controls
    "\u0301\u0323\u20dd\u0e33\u0e49\u0e01\u093e\u0903\u09be\u302e\uff9e\u103b\u102c\u1038"  # marks
    "कष\u094d\u093cকক্ത്ക\u1780\u17d2\u1000\u1039\u200c\u200d\u0d4e\u0600\u06dd\U000110bd"  # conjuncts, prepended
    "가각\u1100\ua960\u1161\u11a8\ud7b0\ud7cb"  # Hangul
    "\U0001f1f7\U0001f1f8👨👩☎©\ufe0f\ufe0e🏽\u20e3\U000e0067\U000e007f"  # emoji
    "ابשم\u05b8\u064b🀄"
)
texts = st.text(st.sampled_from(SPECIAL), max_size=12) | st.sampled_from(sorted(SAMPLES.values()))


def clusters_of_regex(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in regex.finditer(r"\X", text)]


def cells_of_the_c_library(text: str) -> int:
    """Cells as `wcwidth` of glibc has them: marks and format characters none, East Asian wide ones two."""
    none = {"Mn", "Me", "Cf", "Cc", "Zl", "Zp"}
    return sum(
        0
        if unicodedata.category(character) in none
        or "\u1160" <= character <= "\u11ff"
        or "\ud7b0" <= character <= "\ud7fb"
        else 2
        if unicodedata.east_asian_width(character) in "WF"
        else 1
        for character in text
    )


def test_clusters_of_many_scripts_are_those_of_regex() -> None:
    for text in SAMPLES.values():
        assert split_graphemes(text) == clusters_of_regex(text)


@given(texts)
@example("a\u094dक")
@example("👨\u0301\u200d👨")
@example("👨\u200c\u200d👨")
@example("👨\u200d\u200d👨")
@example("क\u094d\u200dक")
@example("\u0600\r\n")
def test_clusters_of_any_text_are_those_of_regex(text: str) -> None:
    assert split_graphemes(text) == clusters_of_regex(text)


def test_every_assigned_code_point_joins_and_parts_as_in_regex() -> None:
    assigned = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) != "Cn"]
    text = "\n".join(f"a{character}a" for character in assigned)
    assert split_graphemes(text) == clusters_of_regex(text)


def test_a_conjunct_a_flag_and_a_family_are_one_cluster_each() -> None:
    assert split_graphemes("क्ष🇷🇸👨‍👩‍👧") == [(0, 3), (3, 5), (5, 10)]


def test_a_text_without_characters_has_no_clusters() -> None:
    assert split_graphemes("") == []


def test_a_span_widens_to_whole_clusters() -> None:
    for span, snapped in [
        ((0, 1), (0, 3)),
        ((1, 2), (0, 3)),
        ((2, 4), (0, 4)),
        ((3, 4), (3, 4)),
        ((3, 3), (3, 3)),
        ((4, 4), (4, 4)),
    ]:
        assert snap_to_clusters("น\u0e49\u0e33ท", *span) == snapped


@given(texts, st.data())
def test_a_snapped_span_is_the_clusters_that_the_span_touches(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    if start < end:
        touched = [bounds for bounds in clusters_of_regex(text) if bounds[0] < end and bounds[1] > start]
        assert snap_to_clusters(text, start, end) == (touched[0][0], touched[-1][1])


def test_width_counts_terminal_cells() -> None:
    for text, cells in [
        ("", 0),
        ("abc", 3),
        ("中文", 4),
        ("กำ", 2),
        ("ที่", 1),
        ("e\u0301", 1),
        ("हिन्दी", 5),
        ("한", 2),
        ("\u1112\u1161\u11ab", 2),
        ("☎️", 2),
        ("\u200b", 0),
    ]:
        assert measure_width(text) == cells


@given(texts)
def test_width_is_at_least_what_rich_and_the_c_library_count(text: str) -> None:
    assert measure_width(text) >= max(cell_len(text), cells_of_the_c_library(text))


@given(texts, st.integers(1, 20))
def test_fitted_text_is_the_longest_that_fits(text: str, cells: int) -> None:
    text = make_visible(text)
    fitted = fit_width(text, cells)
    ends = [0, *(end for _, end in clusters_of_regex(text))]
    starts = [text[:end] for end in ends if measure_width(text[:end]) + 1 <= cells]
    assert fitted == (text if measure_width(text) <= cells else starts[-1] + "…")


@given(texts, st.integers(1, 20))
def test_the_end_of_a_text_can_be_what_is_kept(text: str, cells: int) -> None:
    text = make_visible(text)
    fitted = fit_width(text, cells, keep="end")
    starts = [*(start for start, _ in clusters_of_regex(text)), len(text)]
    ends = [text[start:] for start in starts if measure_width(text[start:]) + 1 <= cells]
    assert fitted == (text if measure_width(text) <= cells else "…" + ends[0])


def test_wide_character_half_outside_is_left_out() -> None:
    assert fit_width("中文字", 4) == "中…"


TAIL = "/gpt-4o/validation/it_IT.jsonl"


@pytest.mark.parametrize(
    ("texts", "shown"),
    [
        (["a/x", "b/x"], ["a/x", "b/x"]),
        ([f"model-a{TAIL}", f"model-b{TAIL}"], ["model-a/…", "model-b/…"]),
        ([f"a{TAIL}", "x", f"x/a{TAIL}", f"a{TAIL}"], ["a/…", "x", "x/a/…", "a/…"]),
        (["model-a-" + "x" * 40, "model-b-" + "x" * 40], ["model-a-xxxxxxxxxxx…", "model-b-xxxxxxxxxxx…"]),
        ([f"{'x' * 30}{own}{'y' * 30}" for own in "ab"], ["…xxxxxxxxxxxxxxxxxa…", "…xxxxxxxxxxxxxxxxxb…"]),
        (["x" * 40, "x" * 41], ["x…", "xx…"]),
        ([f"{a}/{b * 40}" for a in "ab" for b in "xy"], [f"{a}/{b * 17}…" for a in "ab" for b in "xy"]),
        ([f"{a}{'z' * 40}{b}" for a in "ab" for b in "xy"], [f"{a}{'z' * 40}{b}" for a in "ab" for b in "xy"]),
    ],
    ids=["short", "tail", "one ends with another", "other end", "middle", "one letter", "two tails", "both ends"],
)
def test_texts_with_one_end_are_cut_where_they_differ(texts: list[str], shown: list[str]) -> None:
    assert fit_apart(texts, 20, keep="end") == shown


def test_texts_with_one_beginning_are_cut_where_they_differ() -> None:
    assert fit_apart([f"runs/{'x' * 40}-a", f"runs/{'x' * 40}-b"], 20) == [f"…/…{'x' * 15}-{own}" for own in "ab"]


@given(
    st.lists(st.text("ab/é\u0301漢", max_size=12).map(lambda text: text * 3), max_size=5),
    st.integers(3, 12),
    st.sampled_from(["start", "end"]),
)
def test_different_texts_stay_different_and_wider_ones_are_whole(
    texts: list[str], cells: int, keep: Literal["start", "end"]
) -> None:
    shown = fit_apart(texts, cells, keep=keep)
    assert len(set(shown)) == len(set(texts))
    for text, cut in zip(texts, shown, strict=True):
        assert cut == text or measure_width(cut) <= cells < measure_width(text)


def test_an_ellipsis_wider_than_the_room_is_an_error() -> None:
    with pytest.raises(ValueError, match="is wider than 2 cells"):
        fit_width("abc", 2, ellipsis="...")


def test_invisible_and_control_characters_are_shown() -> None:
    for text, shown in [
        ("a\nb\tc", "a␊b␉c"),
        ("a\r\nb", "a␍␊b"),
        ("\x1b[31m", "␛[31m"),
        ("\x7f\x9b", "␡<U+009B>"),
        ("a\u202eb\u2069\u200f", "a<U+202E>b<U+2069><U+200F>"),
        ("a\u200b\ufeff\xad\u2028", "a<U+200B><U+FEFF><U+00AD><U+2028>"),
        ("\ud800", "<U+D800>"),
        ("\u0e49a", "<U+0E49>a"),
        ("\n\u0301", "␊<U+0301>"),
        ("نمی\u200cشود", "نمی\u200cشود"),
        ("👨\u200d👩", "👨\u200d👩"),
        ("🏴\U000e0067\U000e007f", "🏴\U000e0067\U000e007f"),
        ("a\U000e0067", "a<U+E0067>"),
        ("\u0600\u0661", "\u0600\u0661"),
        ("\u0600", "<U+0600>"),
    ]:
        assert make_visible(text) == shown


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [("ascii", "<U+0E01><U+000A>é".replace("é", "<U+00E9>")), ("cp874", "ก<U+000A><U+00E9>"), ("utf-16", "ก␊é")],
)
def test_what_an_encoding_lacks_is_shown_as_its_code_point(encoding: str, shown: str) -> None:
    assert make_visible("ก\né", encoding) == shown


@given(texts, st.sampled_from(["utf-8", "ascii", "cp874", "gb18030"]))
def test_visible_text_is_one_encodable_line_and_stable(text: str, encoding: str) -> None:
    shown = make_visible(text, encoding)
    assert can_encode(shown, encoding)
    assert len(shown.splitlines()) <= 1
    assert not {unicodedata.bidirectional(character) for character in shown} & {
        "LRE",
        "RLE",
        "LRO",
        "RLO",
        "PDF",
        "B",
        "S",
    }
    assert make_visible(shown, encoding) == shown


@given(texts, texts)
def test_visible_text_does_not_join_a_bracket_beside_it(before: str, after: str) -> None:
    before, after = make_visible(before), make_visible(after)
    edges = {end for _, end in clusters_of_regex(f"{before}[{after}")}
    assert len(before) == 0 or len(before) in edges
    assert len(before) + 1 in edges


def test_right_to_left_text_is_isolated_in_its_main_direction() -> None:
    for text, around in [
        ("Belgrade", ("", "")),
        ("12:30", ("", "")),
        ("تل أبيب", ("\u2067", "\u2069")),
        ("UN في باريس", ("\u2067", "\u2069")),
        ("the Arabic word في here", ("\u2066", "\u2069")),
    ]:
        assert choose_isolates(text) == around


def test_an_encoding_without_isolates_gets_none() -> None:
    assert choose_isolates("تل أبيب", "cp1256") == ("", "")


@given(texts)
def test_clusters_cover_the_text_without_gaps(text: str) -> None:
    bounds = split_graphemes(text)
    assert "".join(text[start:end] for start, end in bounds) == text
    assert all(left[1] == right[0] for left, right in pairwise(bounds))


@pytest.mark.parametrize(("number", "shown"), [(0, "0 spans"), (1, "1 span"), (2077, "2,077 spans")])
def test_one_thing_takes_no_plural(number: int, shown: str) -> None:
    assert format_count(number, "span") == shown


def test_cluster_around_a_span_of_a_long_text_is_found_near_it(monkeypatch: pytest.MonkeyPatch) -> None:
    split: list[int] = []
    whole = display.split_graphemes

    def measure(text: str) -> list[tuple[int, int]]:
        split.append(len(text))
        return whole(text)

    monkeypatch.setattr(display, "split_graphemes", measure)
    text = "私は" * 500_000 + "e\u0301" + "한글" * 500_000
    assert snap_to_clusters(text, 1_000_001, 1_000_005) == (1_000_000, 1_000_005)
    assert sum(split) < 10


def test_snapped_span_equals_that_of_all_clusters() -> None:
    chance = random.Random(3)
    letters = "aก\u0e34한글\u1100\u1161\u11a8\r\n\u0301\u200d😀🏽🇫🇷\u0915\u094d\u0600\u200c ️私"
    for _ in range(5000):
        text = "".join(chance.choice(letters) for _ in range(chance.randint(0, 12)))
        start = chance.randint(0, len(text))
        end = chance.randint(start, len(text))
        edges = {0, *(stop for _, stop in split_graphemes(text))}
        expected = max(at for at in edges if at <= start), min(at for at in edges if at >= end)
        assert snap_to_clusters(text, start, end) == expected


def test_lines_are_made_visible_and_keep_line_feeds_and_tabs() -> None:
    assert make_lines_visible("a\tb\x1b\n\nน้ำ \u202ec\r\n") == "a\tb␛\n\nน้ำ <U+202E>c␍\n"
