from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from isogloss.formats.mention_locating import MAX_PLACES, LocationResult, fold_name, locate_mentions
from isogloss.text.display import split_graphemes

Mention = tuple[str, str]
Triple = tuple[int, int, str]
# Clusters and words of scripts that join, stack, link and run in both directions, some of them beyond the first plane.
PARTS = (
    *("Ada", "Łódź", "e\u0301", "ß", "İ", "ﬁ", "Ⅳ", "Ψυχή", "Москва"),
    *("สมชาย", "กรุงเทพฯ", "น้ำ", "ก", "ລາວ", "ភ្នំពេញ", "မြန်မာ"),
    *("محمد", "مُحَمَّد", "القاهرة", "ירושלים", "दिल्ली", "क्षत्रिय", "হাসিনা", "தமிழ்"),
    *("北京", "大学", "ＩＢＭ", "東京", "カナ", "서울", "각", "👩\u200d🔬", "🇹🇭", "𝔸", "𐎠𐎡", "-", "“", "1", "'"),
)
SPACES = (" ", "\n", "\u00a0", "\r\n", "\t", "\u3000", ". ", ", ")


@st.composite
def annotated(draw: st.DrawFn) -> tuple[str, list[Triple]]:
    """A text of these words apart from each other, and spans of whole words that do not overlap."""
    words = draw(st.lists(st.sampled_from(PARTS), min_size=1, max_size=12))
    gaps = draw(st.lists(st.sampled_from(SPACES), min_size=len(words), max_size=len(words)))
    bounds, text = [], ""
    for word, gap in zip(words, gaps, strict=True):
        bounds.append((len(text), len(text) + len(word)))
        text += word + gap
    marks = draw(st.lists(st.sampled_from(("", "PER", "LOC")), min_size=len(words), max_size=len(words)))
    spans = []
    at = 0
    while at < len(words):
        length = draw(st.integers(1, 3))
        last = min(at + length, len(words)) - 1
        if marks[at]:
            spans.append((bounds[at][0], bounds[last][1], marks[at]))
        at = last + 1
    return text, spans


def occurrences(text: str, name: str) -> int:
    return sum(text.startswith(name, at) for at in range(len(text)))


@given(annotated())
def test_names_that_are_as_often_in_the_text_as_in_the_answer_are_where_they_were(
    case: tuple[str, list[Triple]],
) -> None:
    text, spans = case
    names = [text[start:end] for start, end, _ in spans]
    assume(all(occurrences(text, name) == count for name, count in Counter(names).items()))
    mentions = [(name, label) for name, (_, _, label) in zip(names, spans, strict=True)]
    assert locate_mentions(mentions, text) == LocationResult(spans, [], 0, 0)


@given(annotated(), st.data())
def test_a_name_in_another_form_is_where_the_name_is(case: tuple[str, list[Triple]], data: st.DataObject) -> None:
    text, spans = case
    assume(spans)
    start, end, label = data.draw(st.sampled_from(spans))
    name = text[start:end]
    assume(occurrences(fold_name(text), fold_name(name)) == 1)
    shouted = name.upper()
    assume(fold_name(shouted) == fold_name(name))  # not so of some letters: ﬁ
    assert locate_mentions([(shouted, label)], text).spans == [(start, end, label)]
    apart = unicodedata.normalize("NFD", name)
    assert locate_mentions([(apart, label)], text).spans == [(start, end, label)]


def naive(mentions: list[Mention], text: str) -> tuple[list[Triple], list[Mention], int, int]:
    """The rules of the docstring, step by step, for ASCII without quotes, where a cluster is a character."""
    spans: list[Triple] = []
    rest = list(enumerate(mentions))
    by_step = []
    tried: dict[int, list[list[tuple[int, int]]]] = {at: [] for at, _ in rest}
    for step in range(3):
        kept = [at for at, character in enumerate(text) if step < 2 or not character.isspace()]
        form = "".join(text[at] if step == 0 else text[at].lower() for at in kept)
        before, left = len(rest), []
        for at, (name, label) in rest:
            wanted = name.strip() if step == 0 else name.strip().lower() if step == 1 else "".join(name.lower().split())
            places = [
                (kept[begin], kept[begin + len(wanted) - 1] + 1)
                for begin in range(len(form) - len(wanted) + 1)
                if wanted and form.startswith(wanted, begin)
            ]
            inside = {edge for edge in range(1, len(text)) if text[edge - 1].isalnum() and text[edge].isalnum()}
            places = [place for place in places if not inside & {*place}] or places
            tried[at].append(places)
            free = [(a, b) for a, b in places if all(b <= start or end <= a for start, end, _ in spans)]
            nobodys = [(a, b) for a, b in places if all((a, b) != (start, end) for start, end, _ in spans)]
            if free or nobodys:
                spans.append((*(free or nobodys)[0], label))
            else:
                left.append((at, (name, label)))
        rest = left
        by_step.append(before - len(rest))
    unlocated = []
    for at, (name, label) in rest:
        shared = [place for places in tried[at] for place in places if (*place, label) not in spans]
        if shared:
            spans.append((*shared[0], label))
        else:
            unlocated.append((name, label))
    return sorted(spans), unlocated, by_step[1], by_step[2]


@given(
    st.lists(st.tuples(st.text("abA ", max_size=4), st.sampled_from(("X", "Y"))), max_size=8),
    st.text("abA. ", max_size=20),
)
def test_places_are_those_of_the_rules(mentions: list[Mention], text: str) -> None:
    found = locate_mentions(mentions, text)
    assert (list(found.spans), list(found.unlocated), found.normalised, found.spaces) == naive(mentions, text)


@given(st.lists(st.tuples(st.text(max_size=5), st.sampled_from("XY")), max_size=6), st.text())
def test_no_span_cuts_a_cluster_and_no_mention_is_lost(mentions: list[Mention], text: str) -> None:
    found = locate_mentions(mentions, text)
    edges = {0, *(end for _, end in split_graphemes(text))}
    assert all(start in edges and end in edges and start < end for start, end, _ in found.spans)
    assert len(found.spans) + len(found.unlocated) == len(mentions)
    assert len(set(found.spans)) == len(found.spans)


def places(text: str, *names: str) -> list[str | None]:
    """What stands before each name where it was found, None where it was not; the labels are its numbers."""
    found = locate_mentions([(name, str(at)) for at, name in enumerate(names)], text)
    starts = {label: text[:start] for start, _, label in found.spans}
    return [starts.get(str(at)) for at in range(len(names))]


def test_a_name_is_where_a_reader_would_find_it() -> None:
    for text, names, before in [
        # English
        ("Paris? Ada is in Paris.", ["Ada", "Paris"], ["Paris? ", ""]),  # one mention of two: the first
        ("Paris, Paris, Paris", ["Paris", "Paris"], ["", "Paris, "]),
        ("New York and York", ["New York", "York"], ["", "New York and "]),
        ("New York and York", ["York", "New York"], ["New ", ""]),  # the longer one takes nothing away
        ("New York", ["New York", "York"], ["", "New "]),
        ("Annapolis, Ann Arbor, Ann", ["Ann"], ["Annapolis, "]),
        ("ten Berliners", ["Berlin"], ["ten "]),
        ("Annapolis, Ann", ["Ann", "Ann"], ["Annapolis, ", "Annapolis, "]),  # shared, as the labels differ
        ("apple and Apple", ["Apple", "Apple"], ["apple and ", ""]),  # exact first
        ("APPLE and Apple", ["apple", "Apple"], ["", "APPLE and "]),
        ("the “Bell–Boole” inequality", ['"bell-boole"'], ["the "]),
        ("in New\nYork", ["New York", "NewYork"], ["in ", "in "]),
        ("the ﬁrm", ["firm"], ["the "]),
        ("the ﬁrm", ["irm"], [None]),  # half a ligature
        ("soft\u00adware\u200b", ["software"], [""]),
        ("Ada", [" Ada\n"], [""]),
        ("Ada", ["", " ", "\u200b"], [None, None, None]),
        ("", ["Ada"], [None]),
        # Thai: no spaces between words, vowels and tones on consonants
        ("สมชายไปกรุงเทพฯ", ["กรุงเทพ", "สมชาย"], ["สมชายไป", ""]),
        ("น้ำและน", ["น"], ["น้ำและ"]),
        ("น้ำ", ["น"], [None]),
        ("น\u0e49\u0e4d\u0e32", ["น\u0e49\u0e33"], [""]),  # sara am and its two parts
        # Arabic: marks on letters, presentation forms, an article that is written to its word
        ("زار محمد القاهرة", ["محمد", "القاهرة"], ["زار ", "زار محمد "]),
        ("ﻣﺤﻤﺪ", ["محمد"], [""]),
        ("\u200fمحمد\u200f", ["محمد"], ["\u200f"]),
        ("كتبت لمحمد", ["محمد"], ["كتبت ل"]),
        ("مُحَمَّد", ["م"], [None]),
        # Chinese: no spaces, full width
        ("张伟在北京大学学习", ["北京", "北京大学"], ["张伟在", "张伟在"]),
        ("他在ＩＢＭ工作", ["IBM"], ["他在"]),
        ("在New York市", ["New York"], ["在"]),
        # Hindi: conjuncts, a dot that is one code point or two
        ("वह दिल्ली में है", ["दिल्ली"], ["वह "]),
        ("दिल्ली", ["दिल"], [None]),
        ("\u0958लम", ["\u0915\u093cलम"], [""]),
        # Korean: particles are written to names
        ("서울은 크다. 서울", ["서울"], [""]),
        # Beyond the first plane, and an emoji of three parts
        ("👩\u200d🔬 𝔸𝕕𝕒", ["Ada"], ["👩\u200d🔬 "]),
        ("👩\u200d🔬", ["👩", "🔬"], [None, None]),
    ]:
        assert places(text, *names) == before


def test_name_repeated_too_often_is_unlocated() -> None:
    assert locate_mentions([("Ada", "PER")] * 3, "Ada, Ada") == LocationResult(
        [(0, 3, "PER"), (5, 8, "PER")], [("Ada", "PER")], 0, 0
    )


def test_each_step_is_counted() -> None:
    found = locate_mentions([("Ada", "PER"), ("bob", "PER"), ("NewYork", "LOC"), ("Eve", "PER")], "Ada, Bob, New York")
    assert found == LocationResult([(0, 3, "PER"), (5, 8, "PER"), (10, 18, "LOC")], [("Eve", "PER")], 1, 1)


@pytest.mark.parametrize(
    "answered",
    [
        lambda n: (["a"] * n, "a" * n),
        lambda n: (["a"] * n, "a " * (n // 2)),
        lambda n: (["a" * at for at in range(1, 60)], "a" * n),
        lambda n: (["ab" * 5_000] * (n // 4), "ab" * (n // 2)),
        lambda n: ([str(at) for at in range(n // 10)], "x" * n),
        lambda n: (["A" * 100] * (n // 20), "a\u0301" * (n // 2)),
        lambda n: (["x y"] * (n // 4), "x" * n),
    ],
)
def test_many_names_are_looked_for_in_a_long_text(answered: Callable[[int], tuple[list[str], str]]) -> None:
    """It does not end in reasonable time where each name looks through the whole text, or through all other names."""
    names, text = answered(20_000)
    found = locate_mentions([(name, label) for name in names for label in "XY"], text)
    assert len(found.spans) + len(found.unlocated) == 2 * len(names)


def test_so_many_places_of_a_name_are_looked_at_and_no_more() -> None:
    found = locate_mentions([("a", "X")] * (MAX_PLACES + 2), "a " * (MAX_PLACES + 1))
    assert len(found.spans) == MAX_PLACES
    assert len(found.unlocated) == 2
