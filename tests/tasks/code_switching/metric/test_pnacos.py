# the texts are in many scripts
"""The profile `pnacos` against its steps, written down one after the other with strings and patterns."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from segmented import Row, Span, rows, spelt

import isogloss
from isogloss.tasks.code_switching.batches import CharSpans, clean_text
from isogloss.tasks.code_switching.profiles import PnacosMetric
from isogloss.text.alphabets import load_alphabet

ALPHABET = "АаБбВвГгҐґДдЕеЄєЖжЗзИиІіЇїЙйКкЛлМмНнОоПпРрСсТтУуФфХхЦцЧчШшЩщЬьЮюЯя"
FOREIGN = re.compile(rf"[^{ALPHABET}\s\W\d]+")
NATIVE = re.compile(f"[{ALPHABET}]")
TAG = re.compile(r"<[^<]+?>")
ATOMS = ["ж", "Я", "й", "q", "Q", "é", "e\u0301", "ё", "е\u0308", "ў", "ы", "7", "2024", "_", "-", ".", "«", "²"]
ATOMS += ["<b>", "</b>", "<br/>", "<", ">", "漢", "🙂", "ᵸ", "٣"]
KEYS = ("codeswitch_sentences_ratio", "codeswitch_texts_ratio", "codeswitch_words_ratio")
TOTALS = ("total_num_texts", "total_num_sentences", "total_num_tokens")


@dataclass
class Plain:
    """A text after steps 1 and 2, and the broken tokens of steps 4 to 8 as places in the text before them."""

    text: str
    places: list[int]
    sentences: list[Span]
    tokens: list[Span]
    entities: list[Span]

    @classmethod
    def of(cls, row: Row) -> Plain:
        text = row["text"]
        tags = {at for tag in TAG.finditer(text) for at in range(*tag.span())}
        kept = [(char, at) for at in range(len(text)) if at not in tags for char in bare(text[at])]
        places = [at for _, at in kept]
        moved = {
            key: [span for one in row[key] if (span := inside(places, one[0], one[1])) is not None]
            for key in ("sentences", "tokens", "entities")
        }
        return cls("".join(char for char, _ in kept), places, **moved)

    def broken(self) -> list[Span]:
        """The broken tokens."""
        wrong, entities = [], []
        for start, end in self.sentences:
            found = merged([one for one in self.entities if start <= one[0] < end])
            text = self.text[start:end]
            if NATIVE.search(text) or not blanked(text, start, found).replace(" ", ""):
                entities += found
            else:
                wrong.append((start, end))
        outside = [any(start <= one[0] < end for start, end in wrong) for one in self.tokens]
        return [
            one for one, is_wrong in zip(self.tokens, outside, strict=True) if is_wrong or self.is_broken(one, entities)
        ]

    def broken_sentences(self) -> list[Span]:
        """The sentences that a broken token intersects; to touch is to intersect."""
        tokens = self.broken()
        return [one for one in self.sentences if any(not (one[1] < a or one[0] > b) for a, b in tokens)]

    def is_broken(self, token: Span, entities: Sequence[Span]) -> bool:
        if not FOREIGN.search(self.text[token[0] : token[1]]):
            return False
        return all(token[1] < start or token[0] > end for start, end in entities)


def bare(character: str) -> str:
    if character in "йєюїЙЄЮЇ":
        return character
    apart = (one for one in unicodedata.normalize("NFD", character) if unicodedata.combining(one) == 0)
    return unicodedata.normalize("NFC", "".join(apart))


def inside(places: Sequence[int], start: int, end: int) -> Span | None:
    """Where a stretch of the text stands after the changes."""
    at = [k for k, place in enumerate(places) if start <= place < end]
    return (at[0], at[-1] + 1) if at else None


def merged(spans: Sequence[Span]) -> list[Span]:
    result: list[Span] = []
    for start, end in sorted(spans):
        if result and start <= result[-1][1]:
            start, end = result[-1][0], max(end, result[-1][1])  # noqa: PLW2901  the wider of both
            result.pop()
        result.append((start, end))
    return result


def blanked(text: str, shift: int, spans: Sequence[Span]) -> str:
    left = list(text)
    for start, end in spans:
        left[start - shift : end - shift] = " " * (end - start)
    return "".join(left)


def plainly(texts: Sequence[Row]) -> dict[str, float]:
    """The six keys of step 10."""
    plain = [Plain.of(row) for row in texts]
    broken = [one.broken() for one in plain]
    totals = len(texts), sum(len(one.sentences) for one in plain), sum(len(one.tokens) for one in plain)
    sentences = sum(len(one.broken_sentences()) for one in plain)
    counts = sentences, sum(map(bool, broken)), sum(map(len, broken))
    of = totals[1], totals[0], totals[2]
    ratios = [count / total if total else -1.0 for count, total in zip(counts, of, strict=True)]
    return dict(zip((*KEYS, *TOTALS), (*ratios, *totals), strict=True))


def answered(texts: list[Any], **options: Any) -> dict[str, Any]:
    answer = isogloss.code_switching(texts, language="uk", profile="pnacos", **options).to_dict()
    return {name: answer[name] for name in (*KEYS, *TOTALS)}


@given(rows(ATOMS))
def test_the_six_keys_equal_a_naive_count(texts: list[Row]) -> None:
    assert answered(texts) == plainly(texts)


@given(rows(ATOMS))
def test_findings_are_the_broken_tokens_of_a_naive_count(texts: list[Row]) -> None:
    run = isogloss.code_switching(texts, language="uk", profile="pnacos", findings=True)
    found = [(int(finding.document) - 1, finding.marks[0].start) for finding in run.findings]
    expected = []
    for number, row in enumerate(texts):
        plain = Plain.of(row)
        expected += [(number, plain.places[start]) for start, _ in plain.broken()]
    assert found == expected


@given(rows([atom for atom in ATOMS if "<" not in atom and ">" not in atom]))
def test_findings_are_tokens_of_the_original_text(texts: list[Row]) -> None:
    run = isogloss.code_switching(texts, language="uk", profile="pnacos", findings=True)
    for finding in run.findings:
        row, mark = texts[int(finding.document) - 1], finding.marks[0]
        assert (mark.start, mark.end) in row["tokens"]
        assert finding.extra["token"] == spelt(row, (mark.start, mark.end))


def row(text: str, *entities: str) -> Row:
    """A row of one sentence, cut at spaces; entities stand in it once."""
    spans = [(text.index(name), text.index(name) + len(name), "MISC") for name in entities]
    return {"text": text, "sentences": [(0, len(text))], "tokens": text.split(), "entities": spans}


def test_steps_by_hand() -> None:
    for text, entities, ratio in [
        ("слово word", [], 1 / 2),
        ("слово word", ["word"], 0),
        ("слово the word end", ["word"], 2 / 4),
        ("слово wo-rd", ["wo"], 0),  # a part of the token is enough
        ("слово 12 (тест)", [], 0),
        ("слово_слово і", [], 1 / 2),  # `_` is neither in the alphabet nor a digit
        ("ёлка ўсё café", [], 1 / 3),  # without marks they are е and у
        ("съел ы", [], 1 / 1),
        ("<b>Сло</b>во", [], 0),
        ("12 34 .", [], 1),  # no native letter
        ("Word Other", ["Word"], 1),
        ("Word Other", ["Word", "Other"], 0),
        ("Word Other .", ["Word", "Other"], 1),
        ("м² тут", [], 1 / 2),  # a superscript is a word character and no digit
        ("Word\tOther", ["Word", "Other"], 1),  # only spaces may stand between names
        ("Word\nOther", ["Word", "Other"], 1),
        ("Word\u00a0Other", ["Word", "Other"], 1),
    ]:
        assert answered([row(text, *entities)])["codeswitch_words_ratio"] == ratio


def test_spans_that_touch_excuse() -> None:
    text = {"text": "слово-word", "sentences": [(0, 10)], "tokens": [(0, 6), (6, 10)], "entities": [(0, 6)]}
    assert answered([text])["codeswitch_words_ratio"] == 0
    assert answered([text | {"entities": [(0, 5)]}])["codeswitch_words_ratio"] == 1 / 2
    neighbour = text | {"sentences": [(0, 6), (6, 10)], "text": "слово-wordж", "tokens": [(0, 6), (6, 11)]}
    assert answered([neighbour | {"sentences": [(0, 6), (6, 11)]}])["codeswitch_words_ratio"] == 0


def test_a_broken_first_token_does_not_break_the_sentence_before() -> None:
    text = {
        "text": "так. No ні.",
        "sentences": [(0, 4), (5, 11)],
        "tokens": ["так", ".", "No", "ні", "."],
        "entities": [],
    }
    assert answered([text])["codeswitch_sentences_ratio"] == 1 / 2


def test_a_broken_token_between_touching_sentences_breaks_both() -> None:
    text = {"text": "так.No ні.", "sentences": [(0, 4), (4, 10)], "tokens": ["так", ".", "No", "ні", "."]}
    assert answered([text | {"entities": []}])["codeswitch_sentences_ratio"] == 1
    ends = {"text": "так no.Ні", "sentences": [(0, 7), (7, 9)], "tokens": ["так", "no.", "Ні"], "entities": []}
    assert answered([ends])["codeswitch_sentences_ratio"] == 1
    gap = {"text": "так no.Ні", "sentences": [(0, 7), (7, 9)], "tokens": ["так", "no", ".", "Ні"], "entities": []}
    assert answered([gap])["codeswitch_sentences_ratio"] == 1 / 2


def test_names_that_touch_the_next_sentence_are_searched() -> None:
    def find_names(sentences: list[str]) -> list[list[Span]]:
        return [[(at, at + 3) for at in range(len(one)) if one.startswith("Їжа", at)] for one in sentences]

    text = {"text": "Це Їжаno ні", "sentences": [(0, 6), (6, 11)], "tokens": ["Це", "Їжа", "no", "ні"]}
    assert answered([text], recognisers=[find_names], excuses=[])["codeswitch_words_ratio"] == 0


@pytest.mark.parametrize(("language", "text"), [("hi", "दिल्ली में"), ("th", "ไปกินข้าว")])
def test_vowel_signs_without_a_combining_class_stay(language: str, text: str) -> None:
    """Hindi ि and ी have none, its virama has; Thai ิ has none, its tone marks have."""
    kept = "".join(one for one in unicodedata.normalize("NFD", text) if not unicodedata.combining(one))
    assert clean_text(text).text == kept
    assert ("ि" in kept) if language == "hi" else ("ิ" in kept)


def test_empty_texts_count_among_texts_only() -> None:
    answer = answered(["", "  ", "<br>", "Слово."], splitter="terminators")
    assert [answer[name] for name in TOTALS] == [4, 1, 2]


def test_ratios_without_a_denominator_are_minus_one() -> None:
    assert answered([]) == dict.fromkeys(KEYS, -1.0) | dict.fromkeys(TOTALS, 0)
    answer = answered(["", "<br>"])
    assert [answer[key] for key in KEYS] == [-1.0, 0.0, -1.0]


def test_given_entities_replace_the_search_for_names() -> None:
    text = row("слово «word» https://example.org Word") | {"prompt": "Word"}
    options: dict[str, Any] = {"prompt_field": "prompt", "names": ["Word"], "patterns": ["word"]}
    assert answered([text], **options)["codeswitch_words_ratio"] == 3 / 4
    without = {"text": text["text"], "prompt": "Word"}
    assert answered([without], **options)["codeswitch_words_ratio"] == 0


@pytest.mark.parametrize("text", ["Слово #слава_україні тут.", "#2024"])
def test_rules_excuse_tokens_broken_by_an_underscore(text: str) -> None:
    assert answered([text])["codeswitch_words_ratio"] == 0
    assert answered([text], excuses=[])["codeswitch_words_ratio"] > 0


def test_the_ukrainian_alphabet_is_that_of_pnacos() -> None:
    metric = PnacosMetric(load_alphabet("uk"))
    codes = np.array([*range(0xD800), *range(0xE000, 0x30000)], np.uint32)
    each = np.arange(len(codes), dtype=np.int32)
    undecided = metric.mark_undecided(np.append(codes, ord(" ")), CharSpans(each, each + 1))
    assert set(map(chr, codes[~undecided])) == set(ALPHABET)
