# the texts are in many scripts
from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import isogloss
from isogloss.errors import MissingExtraError, SourceError, UsageError
from isogloss.kernel.findings import Finding
from isogloss.text.scripts import IDEOGRAPH, load_character_table

ROOT = Path(__file__).resolve().parents[3]
ANSWERS = ROOT.parent / "shared" / "data" / "code-switching" / "llm_outputs_sample.jsonl"
TEXTS = ["Це звичайний текст.", "Тут знову забули слово translate."]


def excused(*texts: Any, **options: Any) -> dict[str, int]:
    """How many words each reason excuses."""
    run = isogloss.code_switching(list(texts), **{"language": "uk", **options})
    return {name: label["words"]["count"] for name, label in run.by_label.items()}


def broken(*texts: Any, **options: Any) -> int:
    run = isogloss.code_switching(list(texts), **{"language": "uk", **options})
    return int(run.scores["words"].excused_count)


def test_rates_by_hand() -> None:
    scores = isogloss.code_switching(TEXTS, language="uk", splitter="terminators").scores
    assert (scores["words"].strict_count, scores["words"].total, scores["words"].strict_rate) == (1, 8, 1 / 8)
    assert (scores["sentences"].strict_count, scores["sentences"].total) == (1, 2)
    assert (scores["texts"].excused_rate, scores["texts"].total) == (1 / 2, 2)


def test_empty_texts_are_texts_without_words() -> None:
    scores = isogloss.code_switching(["", "слово", " \n", "word"], language="uk").scores
    assert (scores["texts"].total, scores["sentences"].total, scores["words"].total) == (4, 2, 2)
    assert scores["texts"].strict_rate == 1 / 4


def test_without_words_the_rates_of_words_are_undefined() -> None:
    scores = isogloss.code_switching(["", "12!"], language="uk").to_dict()["scores"]
    assert scores["words"]["strict_rate"] is scores["words"]["excused_rate"] is None
    assert scores["texts"]["strict_rate"] == 0


def test_names_excuse_whole_words_as_they_are_written() -> None:
    text = "Google, google, Googles, iPhone 15 і Open AI."
    assert excused(text, names=["Google", "iPhone 15", "Open AI"]) == {"name": 4}


def test_names_of_a_file_are_a_recogniser(tmp_path: Path) -> None:
    (tmp_path / "names").write_text("Google\nOpen AI\tORG\n", encoding="utf-8")
    assert excused("Google, Open AI, word", recognisers=[f"names:{tmp_path}/names"]) == {"name": 3}


def test_only_the_rules_that_are_named_excuse() -> None:
    text = "«word» https://example.org XIV"
    assert set(excused(text)) == {"quotation", "url", "roman_numeral"}
    assert set(excused(text, excuses=["quotation"])) == {"quotation"}
    assert excused(text, excuses=[]) == {}


def test_capitalised_words_are_excused_only_with_the_option() -> None:
    text = "Sundance Film Festival і word"
    assert excused(text) == {}
    assert excused(text, excuses=["capitalised"]) == {"capitalised": 3}


def test_patterns_excuse_what_they_match() -> None:
    text = "Код AB-12 і слово AB тут"
    assert excused(text, patterns=[r"[A-Z]{2}-\d+"]) == {"pattern": 1}
    assert excused(text, patterns=[r"[A-Z]{2}-\d+", "AB тут"]) == {"pattern": 2}


def test_a_pattern_sees_one_text_at_a_time() -> None:
    assert excused("Note: слово", "Note: слово", "слово Note", patterns=["^Note"]) == {"pattern": 2}
    assert excused("слово Note", "слово Note", "Note слово", patterns=["Note$"]) == {"pattern": 2}
    assert excused("слово Note", "Note слово", patterns=[r"Note\s+Note"]) == {}


def test_reasons_add_up_to_what_is_excused() -> None:
    text = "«word» https://example.org XIV Google, word"
    run = isogloss.code_switching([text], language="uk", names=["Google", "word"], patterns=["example"])
    counts = sum(label["words"]["count"] for label in run.by_label.values())
    assert counts == run.scores["words"].strict_count - run.scores["words"].excused_count


def test_the_alphabet_can_be_ones_own() -> None:
    assert broken("ыыы слово", alphabet="абвглоыс") == 0
    assert broken("ыыы слово", alphabet="ы") == 1
    assert broken("Ыы", alphabet="ы") == 0


@pytest.mark.parametrize(("level", "count"), [("main", 3), ("main+auxiliary", 2), ("script", 1)])
def test_levels_widen_the_alphabet(level: str, count: int) -> None:
    # CLDR lists é for words from French among the auxiliary letters of Polish, but not ħ; ж is of another script.
    assert broken("zażółć café ħal жук", language="pl", level=level) == count


def test_neutral_tokens_are_words_only_with_the_option() -> None:
    text = "слово, word 12!"
    assert isogloss.code_switching([text], language="uk").scores["words"].total == 2
    assert isogloss.code_switching([text], language="uk", neutral=True).scores["words"].total == 5


def test_a_tokenizer_can_be_chosen() -> None:
    text = ["слово-word тут"]
    assert isogloss.code_switching(text, language="uk").scores["words"].total == 3
    assert isogloss.code_switching(text, language="uk", tokenizer="whitespace").scores["words"].total == 2
    assert isogloss.code_switching(text, language="uk", tokenizer="words").scores["words"].total == 3


def test_a_missing_sentencex_gives_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.providers.rule_based.find_spec", lambda _: None)
    run = isogloss.code_switching(TEXTS, language="uk")
    assert [notice.code for notice in run.warnings] == ["sentences-by-terminators"]
    assert "splitter:terminators" in str(run.signature)


def test_a_splitter_that_was_chosen_is_no_reason_for_a_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.providers.rule_based.find_spec", lambda _: None)
    assert isogloss.code_switching(TEXTS, language="uk", splitter="terminators").warnings == ()


def test_a_splitter_that_is_missing_is_answered_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentencex", None)
    with pytest.raises(MissingExtraError, match=r"isogloss\[sentences\]"):
        isogloss.code_switching(TEXTS, language="uk", splitter="sentencex")


def signature(**options: Any) -> str:
    chosen = {"language": "uk", "splitter": "terminators", **options}
    return str(isogloss.code_switching(TEXTS, **chosen).signature)


def test_the_signature_tells_what_can_change_the_figures() -> None:
    assert signature().startswith(
        "code-switching|language:uk|level:main|excuses:default|splitter:terminators|tokenizer:words|version:",
    )


def test_the_signature_has_the_versions_of_providers() -> None:
    class Tokenizer:
        name = "mine"

        def annotate(self, texts: Sequence[str]) -> list[list[Any]]:
            return [[] for _ in texts]

        def versions(self) -> dict[str, str]:
            return {"mine": "1.0"}

    assert "|tokenizer:mine|versions:mine=1.0|" in signature(tokenizer=Tokenizer())


@pytest.mark.parametrize(
    "options",
    [
        {"language": "ru"},
        {"level": "script"},
        {"alphabet": "абв"},
        {"excuses": ["url"]},
        {"patterns": ["x"]},
        {"neutral": True},
        {"splitter": "lines"},
        {"tokenizer": "whitespace"},
        {"names": ["Google"]},
        {"profile": "pnacos"},
        {"identifier": lambda lines: ["uk"] * len(lines)},
    ],
    ids=lambda options: str(next(iter(options))),
)
def test_every_choice_changes_the_signature(options: dict[str, Any]) -> None:
    assert signature(**options) != signature()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"alphabet": "абв"}, {"alphabet": "где"}),
        ({"patterns": ["x"]}, {"patterns": ["y"]}),
        ({"names": ["Google"]}, {"names": ["Apple"]}),
    ],
)
def test_choices_of_the_same_kind_differ_in_the_signature(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert signature(**one) != signature(**other)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"language": "xx"}, "Unknown language 'xx'"),
        ({"language": "ukrainian"}, "did you mean uk"),
        ({"level": "wide"}, "Unknown level 'wide'"),
        ({"alphabet": "123"}, "no letter"),
        ({"excuses": ["urls"]}, "Unknown excuses 'urls'; did you mean url"),
        ({"excuses": "url"}, "must be a list"),
        ({"patterns": ["("]}, r"pattern '\(' is not a regular expression"),
        ({"patterns": "x"}, "must be a list"),
        ({"names": "Google"}, "names must be a list"),
        ({"names": [1]}, "list of strings"),
        ({"recognisers": "names:x"}, "must be a list"),
        ({"recognisers": [5]}, "not a provider"),
        ({"splitter": "nothing"}, "nothing"),
        ({"tokenizer": "nothing"}, "nothing"),
        ({"profile": "codeswitch"}, "pnacos"),
        ({"profile": "pnacos", "neutral": True}, "neutral cannot be combined with the profile pnacos"),
        ({"input_format": "jsonl"}, "needs no format"),
    ],
)
def test_what_cannot_be_meant_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        isogloss.code_switching(TEXTS, **{"language": "uk", **options})


def test_a_file_that_is_missing_is_refused() -> None:
    with pytest.raises(SourceError, match="no such file"):
        isogloss.code_switching("absent.txt", language="uk")


@pytest.mark.parametrize("kind", ["lines", "jsonl", "csv", "whole"])
def test_a_text_has_its_figures_whatever_it_is_kept_in(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"texts.{kind}"
    text = "Тут слово word, «word» і XIV"
    with path.open("w", encoding="utf-8", newline="") as stream:
        if kind == "csv":
            csv.writer(stream).writerows([["id", "text"], ["7", text]])
        else:
            stream.write(json.dumps({"id": "7", "text": text}) if kind == "jsonl" else text)
    run = isogloss.code_switching(str(path), language="uk", input_format="whole" if kind == "whole" else None)
    assert run.to_dict()["scores"] == isogloss.code_switching([text], language="uk").to_dict()["scores"]
    assert [given.role for given in run.inputs] == ["texts"]


@pytest.fixture(scope="module")
def answers() -> dict[str, list[dict[str, str]]]:
    """Answers of language models by language."""
    if not ANSWERS.is_file():
        pytest.skip(f"{ANSWERS} is not there")
    with ANSWERS.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return {name: [{"text": row["text"]} for row in rows if row["language"] == name] for name in LANGUAGES}


LANGUAGES = ("ar", "hi", "ja", "ko", "ru", "zh")


def count_words(finding: Finding, language: str) -> int:
    """Return how often a finding counts: in Chinese and Japanese its letters, else once or each ideograph."""
    letters = [one for one in finding.extra["token"] if load_character_table().find_script(one)]
    if language in {"ja", "zh"}:
        return len(letters)
    unspaced = sum(int(load_character_table().classes[ord(one)]) == IDEOGRAPH for one in letters)
    return max(unspaced, 1)


def test_counts_of_real_answers_agree_with_each_other(answers: dict[str, list[dict[str, str]]]) -> None:
    for language in LANGUAGES:
        run = isogloss.code_switching(answers[language], language=language, findings=True)
        words = run.scores["words"]
        assert 0 < words.excused_count < words.strict_count < words.total
        assert Counter(finding.kind for finding in run.findings) == Counter(run.kinds)
        assert sum(count_words(finding, language) for finding in run.findings) == words.strict_count
        reasons: Counter[str] = Counter()
        for finding in run.findings:
            if finding.marks[0].label:
                reasons[finding.marks[0].label] += count_words(finding, language)
        assert reasons.total() == words.strict_count - words.excused_count
        assert all(run.by_label[name]["words"]["count"] == count for name, count in reasons.items())
        texts = {finding.document for finding in run.findings}
        assert run.scores["texts"].strict_count == len(texts)
        assert not {notice.code for notice in run.warnings} - {"sentences-by-terminators"}


def test_findings_of_real_answers_are_slices_of_them(answers: dict[str, list[dict[str, str]]]) -> None:
    for language in LANGUAGES:
        for finding in isogloss.code_switching(answers[language], language=language, findings=True).findings:
            text, mark = answers[language][int(finding.document) - 1]["text"], finding.marks[0]
            assert text[mark.start : mark.end] == finding.extra["token"]
            assert finding.text is not None
            assert finding.text[mark.text_start : mark.text_end] == finding.extra["token"]
