from __future__ import annotations

from itertools import pairwise

import numpy as np
import regex
from excused_spans import list_tokens
from hypothesis import given
from hypothesis import strategies as st

from isogloss.text.scripts import CLASSES, load_character_table, to_code_points
from isogloss.text.words import find_tokens, is_inside_word

# First and last code point of letters, marks and digits of scripts that join, stack and link them.
BLOCKS = {
    "Latin": (0x41, 0x24F),
    "Cyrillic": (0x400, 0x45F),
    "Armenian": (0x531, 0x587),
    "Hebrew": (0x591, 0x5F4),
    "Arabic": (0x600, 0x6FF),
    "Syriac": (0x700, 0x74F),
    "Devanagari": (0x900, 0x97F),
    "Bengali": (0x980, 0x9F1),
    "Tamil": (0xB82, 0xBEF),
    "Malayalam": (0xD00, 0xD7F),
    "Sinhala": (0xD81, 0xDF4),
    "Thai": (0xE01, 0xE5B),
    "Lao": (0xE81, 0xEDF),
    "Tibetan": (0xF00, 0xFBC),
    "Burmese": (0x1000, 0x109F),
    "Georgian": (0x10A0, 0x10FF),
    "Hangul": (0x1100, 0x11FF),
    "Khmer": (0x1780, 0x17E9),
    "Tai Tham": (0x1A20, 0x1A99),
    "Balinese": (0x1B00, 0x1B4C),
    "Kana": (0x3041, 0x30FF),
    "Han": (0x4E00, 0x4E40),
    "half-width Katakana": (0xFF66, 0xFF9F),
    "flags": (0x1F1E6, 0x1F1FF),
    "emoji": (0x1F3F0, 0x1F4FF),
}
ANY_TEXT = " \n\u00a0.,'’-_(\u200d\u200c\u00ad\u0301\u0308\ufe0f\u20e3é5½👩🏽♂↔©™"


def one_script(block: tuple[int, int]) -> st.SearchStrategy[str]:
    """A text in one script, with what stands in texts of all."""
    own = st.characters(min_codepoint=block[0], max_codepoint=block[1])
    return st.lists(own | own | st.sampled_from(ANY_TEXT), max_size=12).map("".join)


scripts = st.sampled_from(sorted(BLOCKS.values())).flatmap(one_script)
texts = scripts | st.lists(scripts, max_size=3).map("".join) | st.text(max_size=12)


def spans(text: str) -> list[tuple[int, int]]:
    start, end = find_tokens(load_character_table().classes[to_code_points(text)])
    return list(zip(start.tolist(), end.tolist(), strict=True))


def classes_of(text: str) -> str:
    return "".join(CLASSES[load_character_table().classes[ord(letter)]] for letter in text)


def naive_spans(classes: str, edges: tuple[int, ...] = ()) -> list[tuple[int, int]]:
    """The same cuts, one character after the other."""
    settled = naive_kinds(classes)
    found: list[list[int]] = []
    for at, kind in enumerate(settled):
        if kind == "Z":
            continue
        if found and found[-1][1] == at and at not in edges and naive_joined(classes, settled, at):
            found[-1][1] = at + 1
        else:
            found.append([at, at + 1])
    return [(start, end) for start, end in found]


def naive_kinds(classes: str) -> list[str]:
    bare: list[str] = []
    for at, own in enumerate(classes):
        bare.append(own if own not in "MV" else "O" if at == 0 or bare[-1] == "Z" else bare[-1])
    kinds = bare.copy()
    for at in range(1, len(classes) - 1):
        side = {"J": "L", "N": "D"}.get(classes[at])
        if side is not None and bare[at - 1] == side == classes[at + 1]:
            kinds[at] = side
    return kinds


def naive_joined(classes: str, kinds: list[str], at: int) -> bool:
    if classes[at] in "MV":
        return True
    if classes[at - 1] == "V" and classes[at] in "IS":
        return kinds[at - 1] == classes[at]
    return (kinds[at - 1] in "LD" and kinds[at] in "LD") or (kinds[at - 1] == kinds[at] and kinds[at] in "KR")


def test_a_text_falls_into_these_tokens() -> None:
    for text, expected in [
        ("п'ять об’єкт пʼєса", ["п'ять", "об’єкт", "пʼєса"]),
        ("o‘zbek", ["o‘zbek"]),
        ("'так' і 'ні'", ["'", "так", "'", "і", "'", "ні", "'"]),
        ("col·legi ii·", ["col·legi", "ii", "·"]),
        ("צה״ל", ["צה״ל"]),
        ("3,14 1.000,5 2. ٣٫١٤", ["3,14", "1.000,5", "2", ".", "٣٫١٤"]),
        ("e.g. слово.Word", ["e", ".", "g", ".", "слово", ".", "Word"]),
        ("H2O COVID-19 a_b", ["H2O", "COVID", "-", "19", "a_b"]),
        ("中文AI很好", ["中", "文", "AI", "很", "好"]),
        ("カタカナとひら", ["カタカナ", "と", "ひ", "ら"]),
        ("コーヒー ﾊﾞｽ がﾞ", ["コーヒー", "ﾊﾞｽ", "がﾞ"]),
        ("한국어는 AI의", ["한국어는", "AI의"]),
        ("กำลังที่น้ำ", ["กำ", "ลั", "ง", "ที่", "น้ำ"]),
        ("हिन्दी क्षत्रिय श्री", ["हिन्दी", "क्षत्रिय", "श्री"]),
        ("ខ្មែរ", ["ខ្មែ", "រ"]),
        ("العَرَبِيَّة می‌خواهم", ["العَرَبِيَّة", "می‌خواهم"]),
        ("۝٢٥", ["۝٢٥"]),
        ("👩‍👩‍👧‍👦👍🏽 ❤️‍🔥", ["👩‍👩‍👧‍👦", "👍🏽", "❤️‍🔥"]),
        ("🙂‍↔️🏃‍♂️©️", ["🙂‍↔️", "🏃‍♂️", "©️"]),
        ("🇺🇦 🇺🇦🇵🇱", ["🇺🇦", "🇺🇦🇵🇱"]),
        ("1️⃣ #️⃣", ["1️⃣", "#️⃣"]),
        ("и\u0306 за\u0301мок", ["и\u0306", "за\u0301мок"]),
        ("so\u00adft a\u200bb", ["so\u00adft", "a", "b"]),
        ("a \u0301b", ["a", "\u0301", "b"]),
        ("«Так»—ні…", ["«", "Так", "»", "—", "ні", "…"]),
        ("", []),
        (" \n\t\u00a0\u3000", []),
    ]:
        assert list_tokens(text) == expected


@given(texts)
def test_tokens_are_ascending_disjoint_and_cover_all_but_spaces(text: str) -> None:
    covered = {at for start, end in spans(text) for at in range(start, end)}
    assert all(start < end for start, end in spans(text))
    assert all(one[1] <= two[0] for one, two in pairwise(spans(text)))
    spaces = {at for at, letter in enumerate(text) if letter.isspace() or letter == "\u200b"}
    assert covered == set(range(len(text))) - spaces


@given(texts)
def test_tokens_of_any_text_equal_the_naive_ones(text: str) -> None:
    assert spans(text) == naive_spans(classes_of(text))


@given(st.text(CLASSES, max_size=16), st.data())
def test_tokens_of_any_classes_equal_the_naive_ones(
    classes: str,
    data: st.DataObject,
) -> None:
    edges = data.draw(st.lists(st.integers(0, max(0, len(classes) - 1)), max_size=3)) if classes else []
    codes = np.array([CLASSES.index(letter) for letter in classes], np.uint8)
    start, end = find_tokens(codes, np.array(edges, np.int64))
    found = list(zip(start.tolist(), end.tolist(), strict=True))
    assert found == naive_spans(classes, tuple(edges))


def test_the_classes_that_are_given_do_not_change() -> None:
    classes = load_character_table().classes[to_code_points("п'ять е\u0301 3,14")]
    before = classes.copy()
    find_tokens(classes)
    assert np.array_equal(classes, before)


def may_be_cut(text: str, at: int) -> bool:
    """Where a token ends within a cluster of UAX #29, as the module says: the three exceptions and nothing else."""
    after_space = regex.match(r"\s", text[at - 1]) is not None
    prepended = regex.match(r"\p{GCB=Prepend}", text[at - 1]) is not None
    marks = regex.search(r"[\p{M}\p{Cf}\p{GCB=Extend}]*\Z", text[:at])
    base = text[: marks.start()][-1:]
    without_letter = regex.search(r"\p{InCB=Linker}", marks[0]) is not None and not regex.match(r"\p{L}", base)
    return after_space or prepended or without_letter


@given(scripts)
def test_no_token_cuts_a_cluster(text: str) -> None:
    edges = {edge for cluster in regex.finditer(r"\X", text) for edge in cluster.span()}
    cuts = {edge for span in spans(text) for edge in span} - edges
    assert [at for at in sorted(cuts) if not may_be_cut(text, at)] == []


def test_the_exceptions_to_whole_clusters_are_as_the_module_says() -> None:
    """A mark after a space; a virama without a letter; a letter written before others (MALAYALAM DOT REPH)."""
    assert regex.findall(r"\X", " \u0301") == [" \u0301"]
    assert list_tokens(" \u0301") == ["\u0301"]
    assert list_tokens("-\u0d4dക") == ["-\u0d4d", "ക"]
    assert regex.findall(r"\X", "\u0d4e-") == ["\u0d4e-"]
    assert list_tokens("\u0d4e-") == ["\u0d4e", "-"]
    assert list_tokens("\u0d4eക") == ["\u0d4eക"]


def test_a_word_goes_on_between_its_letters() -> None:
    for text, at in [
        *(("Berliners", at) for at in range(1, 9)),
        *((text, 2) for text in ("ab3", "a1_", "_ab", "Ёжик", "محمد", "शहर", "e\u0301a")),
        ("বাংলা", 3),
    ]:
        assert is_inside_word(text, at)


def test_word_edges_and_unspaced_scripts_are_not_inside_a_word() -> None:
    for text, at in [
        *(("Ada", at) for at in (0, 3)),
        *((text, 3) for text in ("Ada's", "Ada Bob", "Ada-Bob", "Ada.", "Ada大", "Adaก", "Adaカ")),
        *((text, 1) for text in ("北京", "สม", "カナ", "ひら", "서울", "e\u0301", " a", "'a")),
        *((text, 2) for text in ("กิน", "서울시", "大e", "IT은")),
        ("", 0),
        ("\u0301a", 1),
    ]:
        assert not is_inside_word(text, at)
