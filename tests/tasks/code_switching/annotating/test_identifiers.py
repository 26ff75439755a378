from __future__ import annotations

from typing import Any

import pytest

import isogloss
from isogloss.errors import DataError, UsageError
from isogloss.tasks.code_switching.annotator import make_identifier

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
    with pytest.raises(DataError, match="returns 1 languages for 2 lines"):
        rates(FIVE, FIVE, how=lambda _: ["uk"])


def test_an_identifier_is_named_in_the_signature() -> None:
    run = isogloss.code_switching([FIVE], language="uk", identifier=cyrillic)
    assert "identifier:" in str(run.signature)
    assert str(run.signature).split("identifier:")[1].startswith(f"{__name__}:cyrillic")


def test_an_identifier_is_found_by_its_name() -> None:
    assert make_identifier("python:language_identifiers:ukrainian").identify(["один", "two"]) == ["uk", "uk"]


@pytest.mark.parametrize("wanted", ["fasttext:lid.176", 5, "python:statistics:absent", "lid"])
def test_other_identifiers_are_refused(wanted: Any) -> None:
    with pytest.raises(UsageError):
        make_identifier(wanted)


def test_an_identifier_with_pnacos_is_refused() -> None:
    with pytest.raises(UsageError, match="no pass rates"):
        rates(FIVE, profile="pnacos")


def test_without_documents_the_identifier_is_not_called() -> None:
    with pytest.raises(DataError, match="no document"):
        rates()
