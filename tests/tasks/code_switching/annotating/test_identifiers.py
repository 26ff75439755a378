from __future__ import annotations

from typing import Any

import pytest

import isogloss
from isogloss.errors import DataError, UsageError
from isogloss.providers import open_identifier
from isogloss.runs.run import Run

FIVE = "один два три чотири пять"


def cyrillic(lines: list[str]) -> list[str | None]:
    """Ukrainian where a letter is, English where Latin ones begin the line, nobody knows elsewhere."""
    return ["en" if line[0].isascii() else None if line.startswith("ы") else "uk" for line in lines]


def rates(*texts: str, language: str = "uk", how: Any = cyrillic, **options: Any) -> tuple[float | None, float | None]:
    answer = isogloss.code_switching(list(texts), language=language, identifier=how, **options).to_dict()
    return answer["scores"]["pass_rate"]["line"], answer["scores"]["pass_rate"]["word"]


def test_a_text_passes_if_every_line_is_in_the_language() -> None:
    assert rates(f"{FIVE}\n{FIVE}", f"{FIVE}\none two three four five", FIVE) == (2 / 3, 1)


def test_texts_without_broken_words_pass_by_words() -> None:
    texts = [FIVE, f"{FIVE} word", f"{FIVE} «word»", "one two three four five"]
    assert rates(*texts) == (3 / 4, 2 / 3)
    assert rates(*texts, excuses=[]) == (3 / 4, 1 / 3)


def test_lines_of_fewer_than_five_words_are_not_identified() -> None:
    seen: list[str] = []

    def keeps(lines: list[str]) -> list[str]:
        seen.extend(lines)
        return ["uk"] * len(lines)

    numbers = "один 2 3 4 5 6 – ! два"
    rates(f"  {FIVE} \none two\n\n{numbers}\nодин-два-три, чотири word", "короткий", FIVE, how=keeps)
    assert seen == [FIVE, "один-два-три, чотири word", FIVE]


def test_texts_without_a_long_line_are_not_judged() -> None:
    assert rates("один", "", FIVE) == (1, 1)
    assert rates("один", "one two three four", "") == (None, None)


def test_without_passing_lines_the_rate_of_words_is_undefined() -> None:
    assert rates("one two three four five") == (0, None)


def test_an_answer_of_none_counts_as_another_language() -> None:
    assert rates("ы два три чотири пять") == (0, None)


@pytest.mark.parametrize(
    ("language", "text", "answer"),
    [
        ("uk", FIVE, "uk-UA"),
        ("uk", FIVE, "UK"),
        ("zh_Hant", "這是五個字", "zh"),
        ("sr_Latn", "jedan dva tri četiri pet", "sr_RS"),
    ],
)
def test_script_and_region_do_not_count(language: str, text: str, answer: str) -> None:
    assert rates(text, language=language, how=lambda lines: [answer] * len(lines))[0] == 1


def test_without_an_identifier_there_are_no_pass_rates() -> None:
    assert "pass_rate" not in isogloss.code_switching([FIVE], language="uk").scores


def test_an_identifier_that_does_not_answer_each_line_is_refused() -> None:
    with pytest.raises(DataError, match="returns 1 languages for 2 texts"):
        rates(FIVE, FIVE, how=lambda _: ["uk"])


def test_an_identifier_is_named_in_the_signature() -> None:
    run = isogloss.code_switching([FIVE], language="uk", identifier=cyrillic)
    assert "identifier:" in str(run.signature)
    assert str(run.signature).split("identifier:")[1].startswith(f"{__name__}:cyrillic")


def test_an_identifier_is_found_by_its_name() -> None:
    assert open_identifier("python:language_identifiers:ukrainian").identify(["один", "two"]) == ["uk", "uk"]


@pytest.mark.parametrize("wanted", ["fasttext", 5, "python:statistics:absent", "python:string:digits", "lid"])
def test_other_identifiers_are_refused(wanted: Any) -> None:
    with pytest.raises(UsageError):
        open_identifier(wanted)


def test_an_identifier_with_pnacos_is_refused() -> None:
    with pytest.raises(UsageError, match="no pass rates"):
        rates(FIVE, profile="pnacos")


def test_without_documents_the_identifier_is_not_called() -> None:
    with pytest.raises(DataError, match="no document"):
        rates()


def test_a_faulty_identifier_is_an_error_of_the_user() -> None:
    def raises(lines: list[str]) -> list[str]:
        raise ValueError("no model")

    for how, message in [
        (raises, "fails: ValueError: no model"),
        (lambda lines: None, "fails: TypeError"),
        (lambda lines: [5] * len(lines), "returns 5 of type int"),
        (lambda: ["uk"], "fails: TypeError"),
    ]:
        with pytest.raises(DataError, match=message) as caught:
            rates(FIVE, how=how)
        assert caught.value.exit_code == 3
        assert "language code" in str(caught.value)


def find_run(*texts: Any, how: Any = cyrillic, **options: Any) -> Run:
    return isogloss.code_switching(list(texts), **{"language": "uk", "identifier": how, "findings": True} | options)


def test_names_are_left_out_before_lines_are_identified() -> None:
    seen: list[str] = []

    def keeps(lines: list[str]) -> list[str]:
        seen.extend(lines)
        return ["uk"] * len(lines)

    start = len(FIVE) + 1
    find_run({"text": f"{FIVE} Kyiv Post шість", "entities": [(start, start + 9)]}, how=keeps)
    short = {"text": "один два Тарас три чотири", "entities": [(9, 14)]}
    find_run(short, how=keeps)
    assert seen == [f"{FIVE} шість"]


def test_wrong_lines_are_findings_with_offsets() -> None:
    text = f"{FIVE}\n  one two three four five  \n{FIVE}"
    run = find_run(text, excuses=[])
    (finding,) = (each for each in run.findings if each.kind == "wrong_line")
    assert text[finding.marks[0].start : finding.marks[0].end] == "one two three four five"
    assert finding.extra["identified_as"] == "en"
    assert run.scores["other_language"]["lines_rate"] == 1 / 3
    assert run.to_dict()["findings"]["counts"]["wrong_line"] == 1


def by_first_word(texts: list[str]) -> list[str | None]:
    """Return the language of a few German and English words."""
    german = {"das", "ist", "ein", "haus", "und", "wir", "gehen"}
    return [None if text.startswith("zz") else "de" if text.split()[0].lower() in german else "en" for text in texts]


def test_stretches_of_another_language_are_findings() -> None:
    text = "Das ist ein we are going to the ein Haus und. Wir gehen."
    run = find_run(text, language="de", how=by_first_word, window=3)
    found = [each for each in run.findings if each.kind == "other_language"]
    assert [text[each.marks[0].start : each.marks[0].end] for each in found] == ["we are going to the ein"]
    assert [each.extra["identified_as"] for each in found] == ["en"]
    other = run.scores["other_language"]
    assert (other["words_count"], other["words_total"]) == (6, 11)  # the last sentence has fewer than three words
    assert run.scores["words"]["strict_rate"] == 0


def test_the_last_window_of_a_sentence_judges_the_words_not_judged_before() -> None:
    run = find_run("Das ist ein Haus we", language="de", how=lambda texts: ["de", "en"][: len(texts)], window=3)
    other = run.scores["other_language"]
    assert (other["words_count"], other["words_total"]) == (2, 5)


def test_an_unknown_language_of_a_window_is_not_another_language() -> None:
    run = find_run("zz ist ein", language="de", how=by_first_word, window=3)
    assert run.scores["other_language"]["words_count"] == 0


def test_a_window_needs_an_identifier() -> None:
    with pytest.raises(UsageError, match="identifier lingua"):
        isogloss.code_switching([FIVE], language="uk", window=5)


@pytest.mark.parametrize(("language", "warned"), [("de", True), ("vi", True), ("en", False), ("uk", False)])
def test_a_language_in_the_letters_of_english_is_warned_of(language: str, warned: bool) -> None:  # noqa: FBT001  a parameter
    run = isogloss.code_switching(["ab"], language=language)
    assert ("same-script" in {warning.code for warning in run.warnings}) is warned
    identified = isogloss.code_switching(["ab"], language=language, identifier=cyrillic)
    assert "same-script" not in {warning.code for warning in identified.warnings}
