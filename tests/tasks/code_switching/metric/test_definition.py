# the texts are in many scripts
"""The default metric against a plain count: one text, one sentence, one token after the other."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import Any

import pytest
from hypothesis import given
from segmented import Row, Span, rows, spelt

import isogloss
from isogloss.errors import UsageError

UKRAINIAN = frozenset("абвгґдеєжзиіїйклмнопрстуфхцчшщьюяАБВГҐДЕЄЖЗИІЇЙКЛМНОПРСТУФХЦЧШЩЬЮЯ")
SCRIPTS = {"ы": "Cyrl", "ё": "Cyrl", "i": "Latn", "q": "Latn", "Q": "Latn", "é": "Latn"}
SCRIPTS |= {"λ": "Grek", "漢": "Hani", "ク": "Kana", "क": "Deva", "ع": "Arab"}
LOOKS_LIKE = {"а": {"Latn", "Grek"}, "і": {"Latn", "Grek"}, "ё": {"Latn"}}  # letters of Cyrillic, as some of these
LOOKS_UKRAINIAN = {"i"}
MARKED = ["а\u0301", "и\u0306", "е\u0308", "e\u0301", "कि"]  # a stress; letters in two code points; a vowel sign
ATOMS = ["ж", "а", "і", *SCRIPTS, *MARKED, "7", "_", "-", ".", "🙂", "²"]
RATES = ("words", "sentences", "texts")


def letters(token: str) -> list[str]:
    """The letters of a token, in one code point each."""
    return [char for char in unicodedata.normalize("NFC", token) if char in UKRAINIAN or char in SCRIPTS]


def script(letter: str) -> str:
    return SCRIPTS.get(letter, "Cyrl")


@dataclass
class Plain:
    """The counts of all texts."""

    counts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    findings: list[list[tuple[int, int, str]]] = field(default_factory=list)
    scripts: Counter[str] = field(default_factory=Counter)
    tags: list[list[str]] = field(default_factory=list)


def kind_of(token: str, *, excused: bool) -> str:
    found = letters(token)
    if any(one in UKRAINIAN for one in found) and any(script(one) != "Cyrl" for one in found):
        return mixture(found)
    if excused:
        return "excused"
    first = next(script(one) for one in found if one not in UKRAINIAN)
    return "foreign" if first in {"Cyrl", "Latn"} else "third_script"


def mixture(found: Sequence[str]) -> str:
    foreign = [one for one in found if script(one) != "Cyrl"]
    own = [one for one in found if script(one) == "Cyrl"]
    written = {script(one) for one in foreign}
    around = len(written) == 1 and found[0] in foreign and found[-1] in foreign
    if LOOKS_UKRAINIAN.issuperset(foreign) or (around and all(LOOKS_LIKE.get(one, set()) >= written for one in own)):
        return "homoglyph"
    return "glued"


def plainly(texts: Iterable[Row], *, neutral: bool = False) -> Plain:
    plain = Plain()
    for row in texts:
        broken: set[tuple[str, int]] = set()
        tags: list[str] = []
        findings: list[tuple[int, int, str]] = []
        for start, end in row["tokens"]:
            found = letters(spelt(row, (start, end)))
            plain.counts["words"] += neutral or bool(found)
            if not found:
                continue
            foreign = [one for one in found if one not in UKRAINIAN]
            excused = any(one < end and start < other for one, other, _ in row["entities"])
            written = script(foreign[0]) if foreign else "Cyrl"
            plain.scripts[written] += 1
            if not (foreign and excused):
                tags.append(written)
            if foreign:
                kind = kind_of(spelt(row, (start, end)), excused=excused)
                plain.kinds[kind] += kind in {"homoglyph", "glued"}
                add_finding(findings, row, (start, end), kind)
                plain.reasons["name"] += excused
                sentence = next(k for k, (one, other) in enumerate(row["sentences"]) if one <= start < other)
                for side in ("strict", *(() if excused else ("excused",))):
                    plain.counts[f"words {side}"] += 1
                    broken.add((side, sentence))
        plain.counts["sentences"] += len(row["sentences"])
        plain.counts["texts"] += 1
        for side in ("strict", "excused"):
            number = sum(of == side for of, _ in broken)
            plain.counts[f"sentences {side}"] += number
            plain.counts[f"texts {side}"] += number > 0
        plain.tags.append(tags)
        plain.findings.append(findings)
    return plain


def add_finding(findings: list[tuple[int, int, str]], row: Row, token: Span, kind: str) -> None:
    """Add a token; ideographs and kana without anything between them are one finding."""
    if findings and findings[-1][1:] == (token[0], kind) and kind not in {"homoglyph", "glued"}:
        first = findings[-1][0]
        if {row["text"][token[0]], row["text"][first]} <= set("漢ク"):
            findings[-1] = (first, token[1], kind)
            return
    findings.append((*token, kind))


def divided(count: float, total: float) -> float | None:
    return count / total if total else None


def indices(texts: Sequence[Sequence[str]]) -> dict[str, float | None]:
    """The four indices by the formulas of their papers."""
    words = Counter(tag for tags in texts for tag in tags)
    n = sum(words.values())
    squares = sum((w / n) ** 2 for w in words.values())
    pairs = [pair for tags in texts for pair in pairwise(tags)]
    runs = [len(list(run)) for tags in texts for _, run in groupby(tags)]
    mean = sum(runs) / len(runs) if runs else 0
    spread = math.sqrt(sum((run - mean) ** 2 for run in runs) / len(runs)) if runs else 0
    return {
        "cmi": 100 * (1 - max(words.values()) / n) if n else None,
        "m_index": None if not n else 0.0 if len(words) == 1 else (1 - squares) / ((len(words) - 1) * squares),
        "i_index": divided(sum(one != other for one, other in pairs), len(pairs)),
        "burstiness": divided(spread - mean, spread + mean),
    }


def scored(texts: list[Row], **options: Any) -> dict[str, Any]:
    """A run without rules: only the entities that are given excuse."""
    return isogloss.code_switching(texts, language="uk", excuses=[], **options).to_dict()


@given(rows(ATOMS, across=True))
def test_rates_equal_a_naive_count(texts: list[Row]) -> None:
    scores, counts = scored(texts)["scores"], plainly(texts).counts
    for unit in RATES:
        assert scores[unit]["total"] == counts[unit]
        for side in ("strict", "excused"):
            assert scores[unit][f"{side}_count"] == counts[f"{unit} {side}"]
            assert scores[unit][f"{side}_rate"] == divided(counts[f"{unit} {side}"], counts[unit])


@given(rows(ATOMS))
def test_with_neutral_all_tokens_are_words(texts: list[Row]) -> None:
    words, counts = scored(texts, neutral=True)["scores"]["words"], plainly(texts, neutral=True).counts
    assert words["total"] == sum(len(row["tokens"]) for row in texts) == counts["words"]
    assert words["strict_rate"] == divided(counts["words strict"], counts["words"])


@given(rows(ATOMS, across=True))
def test_reasons_and_kinds_equal_a_naive_count(texts: list[Row]) -> None:
    answer, plain = scored(texts), plainly(texts)
    kinds = Counter(kind for findings in plain.findings for _, _, kind in findings)
    assert {kind: count for kind, count in answer["findings"]["counts"].items() if count} == dict(kinds)
    labels = {name: label["words"]["count"] for name, label in answer.get("by_label", {}).items()}
    assert labels == {name: count for name, count in (plain.kinds | plain.reasons).items() if count}


@given(rows(ATOMS))
def test_shares_of_scripts_equal_a_naive_count(texts: list[Row]) -> None:
    scores, scripts = scored(texts)["scores"], plainly(texts).scripts
    total = scripts.total()
    assert scores.get("scripts", {}) == {name: count / total for name, count in scripts.items()}
    third = total - scripts["Cyrl"] - scripts["Latn"]
    assert scores["third_scripts"] == {"share": divided(third, total), "count": third}


@given(rows(ATOMS, across=True))
def test_indices_follow_the_papers(texts: list[Row]) -> None:
    mixing, plain = scored(texts)["scores"]["mixing"], indices(plainly(texts).tags)
    for name, expected in plain.items():
        assert mixing[name] == (None if expected is None else pytest.approx(expected, abs=1e-7)), name


@given(rows(ATOMS))
def test_the_means_of_indices_are_over_single_texts(texts: list[Row]) -> None:
    alone = [indices([tags])["cmi"] for tags in plainly(texts).tags]
    known = [cmi for cmi in alone if cmi is not None]
    mean = scored(texts)["per_document"]["mixing.cmi"]
    assert mean["documents"] == len(known)
    assert mean["mean"] == (pytest.approx(sum(known) / len(known)) if known else None)


@given(rows(ATOMS, across=True))
def test_findings_are_the_foreign_tokens_of_a_naive_count(texts: list[Row]) -> None:
    run = isogloss.code_switching(texts, language="uk", excuses=[], findings=True)
    found = {(int(f.document) - 1, f.marks[0].start, f.marks[0].end): f for f in run.findings}
    expected = {(number, *span[:2]) for number, spans in enumerate(plainly(texts).findings) for span in spans}
    assert set(found) == expected
    assert len(run.findings) == len(expected)
    for (number, *span), finding in found.items():
        assert finding.extra["token"] == spelt(texts[number], (span[0], span[1]))


def row(*words: str, entities: Sequence[Span] = ()) -> Row:
    text = " ".join(words)
    return {"text": text, "tokens": list(words), "entities": list(entities)}


def test_indices_of_a_text_by_hand() -> None:
    # Runs of 2, 1, 2 and 1 words: mean 1.5, deviation 0.5. Shares 4/6 and 2/6: their squares add up to 20/36.
    mixing = scored([row("а", "б", "x", "в", "г", "z")])["scores"]["mixing"]
    assert mixing["cmi"] == pytest.approx(100 / 3)
    assert mixing["m_index"] == pytest.approx((16 / 36) / (20 / 36))
    assert mixing["i_index"] == pytest.approx(3 / 5)
    assert mixing["burstiness"] == pytest.approx((0.5 - 1.5) / (0.5 + 1.5))


def test_a_text_in_one_script_does_not_mix() -> None:
    assert scored([row("а", "б", "в")])["scores"]["mixing"] == {
        "cmi": 0,
        "m_index": 0,
        "i_index": 0,
        "burstiness": -1,
    }


def test_without_words_the_indices_are_undefined() -> None:
    assert set(scored([row("1", "!")])["scores"]["mixing"].values()) == {None}


def test_excused_words_do_not_enter_the_indices() -> None:
    assert scored([row("а", "x", "б", entities=[(2, 3)])])["scores"]["mixing"]["i_index"] == 0
    assert scored([row("а", "x", "б")])["scores"]["mixing"]["i_index"] == 1


def test_latin_is_not_a_third_script() -> None:
    third = scored([row("слово", "word", "λέξη", "漢")])["scores"]["third_scripts"]
    assert third == {"share": 0.5, "count": 2}


def test_each_chinese_character_is_a_native_word() -> None:
    run = isogloss.code_switching(["人工智能 AI 漢字かな"], language="zh", count_by="tokens")
    assert run.scores["scripts"] == {"Hans": 6 / 9, "Hira": 2 / 9, "Latn": 1 / 9}


def test_languages_without_spaces_count_characters_on_both_sides() -> None:
    run = isogloss.code_switching(["人工智能 AI 汉字かな 12"], language="zh", findings=True)
    assert run.scores["scripts"] == {"Hans": 6 / 10, "Hira": 2 / 10, "Latn": 2 / 10}
    assert run.scores["words"]["strict_rate"] == 4 / 10
    assert [finding.extra["token"] for finding in run.findings] == ["AI", "かな"]
    assert "count:characters" in str(run.signature)
    thai = isogloss.code_switching(["ไปกิน pizza"], language="th").scores["words"]
    assert (thai["strict_count"], thai["total"]) == (5, 5 + 4)  # ไ ป ก น; the vowel sign is a mark


@pytest.mark.parametrize(("count_by", "codes"), [(None, ["mixed-units"]), ("tokens", [])])
def test_words_of_two_units_in_one_file_are_warned_of(count_by: str | None, codes: list[str]) -> None:
    texts = [{"text": "人工 AI", "language": "zh"}, {"text": "한국어 word", "language": "ko"}]
    run = isogloss.code_switching(texts, language_field="language", count_by=count_by)
    assert [each.code for each in run.warnings if each.code != "sentences-by-terminators"] == codes
    assert run.scores["words"]["total"] == (4 + 2 if count_by is None else 3 + 2)


def test_runs_that_count_two_units_are_not_compared() -> None:
    one, other = (isogloss.code_switching(["人工 AI"], language="zh", count_by=unit) for unit in (None, "tokens"))
    with pytest.raises(UsageError, match=r"count \(characters and tokens\)"):
        isogloss.compare(one, other)


def test_a_named_tokenizer_counts_its_tokens() -> None:
    run = isogloss.code_switching(["人工 智能 AI"], language="zh", tokenizer="whitespace")
    assert (run.scores["words"]["strict_count"], run.scores["words"]["total"]) == (1, 3)
    assert "count:tokens" in str(run.signature)


def test_korean_and_ukrainian_count_tokens_unless_told() -> None:
    text = "слово word"
    assert isogloss.code_switching([text], language="uk").scores["words"]["strict_rate"] == 1 / 2
    by_letter = isogloss.code_switching([text], language="uk", count_by="characters").scores["words"]
    assert by_letter["strict_rate"] == 4 / 9
    assert isogloss.code_switching(["한국어 word"], language="ko").scores["words"]["total"] == 2


def test_kana_and_kanji_are_one_script_of_japanese() -> None:
    assert isogloss.code_switching(["漢字かなカナ"], language="ja").scores["scripts"] == {"Jpan": 1.0}


def test_a_mixed_word_is_broken_unless_it_is_excused() -> None:
    words = scored([row("Кiев", "статистическогоdispersion", "AI", entities=[(0, 4)])])
    assert words["scores"]["words"]["excused_count"] == 2
    assert words["findings"]["counts"]["homoglyph"] == 1
    assert words["by_label"]["homoglyph"] == words["by_label"]["name"] == {"words": {"count": 1}}
