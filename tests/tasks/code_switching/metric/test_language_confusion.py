# the texts are in many scripts
"""The profile `language-confusion` against the benchmark's steps, written down one after the other."""

from __future__ import annotations

import csv
import string
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import isogloss
from isogloss.errors import SourceError, UsageError
from isogloss.runs.run import Run

WORDS = ["Aachen", "language", "word", "cat", "house", ""]
LETTERS = ["так", "слово", "word", "house,", "cat", "House", "—", "،", "\n", "\nQ:", " ", "de", "fr", "ru", "xx", "."]
texts = st.lists(st.sampled_from(LETTERS), max_size=24).map(" ".join)
outputs = st.lists(
    st.fixed_dictionaries(
        {"completion": texts, "language": st.sampled_from(["ru", "fr"]), "source": st.sampled_from(["aya", "okapi"])}
    ),
    min_size=1,
    max_size=12,
)
Output = dict[str, str]
EMPTY = "no texts for "  # with the name of a rate: whether it has no texts to judge


def identify(lines: list[str]) -> list[str | None]:
    """Return the first code that stands in a line, None for xx."""
    found = [next((code for code in line.split() if code in {"ru", "fr", "xx"}), "ru") for line in lines]
    return [None if code == "xx" else code for code in found]


def rate_plainly(completions: Sequence[str], language: str) -> dict[str, float]:
    """The rates of the texts of one source and language, 1 without texts."""
    judged = line_errors = word_errors = 0
    right = []
    for completion in completions:
        text = completion.split("\nQ:")[0].strip()
        text = "".join(one for one in text if one not in string.punctuation and one != "،").replace("—", " ")
        lines = [line for line in text.split("\n") if len(line.split()) >= 5]
        judged += bool(lines)
        wrong = [answer != language for answer in identify(lines)]
        right += [1 - sum(wrong) / len(lines)] if lines else []
        if any(wrong):
            line_errors += 1
        elif any(word in {"language", "word", "house"} for line in lines for word in line.split()):
            word_errors += 1
    rates = {"acc": fmean(right or [1]), "lpr": 1 - line_errors / max(1, judged)}
    rates |= {"wpr": 1 - word_errors / max(1, judged - line_errors)} if language == "ru" else {}
    texts = {"acc": judged, "lpr": judged, "wpr": judged - line_errors}
    return rates | {EMPTY + name: not texts[name] for name in list(rates)}


def rate_all_plainly(rows: Sequence[Output]) -> dict[str, dict[str, float]]:
    """The rates by source and language, and their means."""
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in rows:
        groups[row["source"], row["language"]].append(row["completion"])
    rates = {key: rate_plainly(found, key[1]) for key, found in groups.items()}
    result = {"/".join(key): found for key, found in rates.items()}
    by_language = {code: average([rates[key] for key in rates if key[1] == code]) for _, code in rates}
    result |= {f"all/{code}": found for code, found in by_language.items()}
    result |= {f"{name}/all": average([rates[key] for key in rates if key[0] == name]) for name, _ in rates}
    return result | {"all/all": average(list(by_language.values()))}


def average(rates: Sequence[dict[str, float]]) -> dict[str, float]:
    groups = {name: [each for each in rates if name in each] for name in ("acc", "lpr", "wpr")}
    found = {name: fmean(each[name] for each in known) for name, known in groups.items() if known}
    return found | {EMPTY + name: all(each[EMPTY + name] for each in groups[name]) for name in found}


def hide_empty(rates: dict[str, float]) -> dict[str, Any]:
    """Rates without texts have no value."""
    names = [name for name in rates if not name.startswith(EMPTY)]
    return {name: None if rates[EMPTY + name] else pytest.approx(rates[name]) for name in names}


@pytest.fixture(scope="module")
def word_list(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("words") / "words"
    path.write_text("\n".join(WORDS), encoding="utf-8")
    return str(path)


def confuse(rows: Any, words: str | None, **options: Any) -> Run:
    named: dict[str, Any] = {"profile": "language-confusion", "identifier": identify, "english_words": words}
    return isogloss.code_switching(rows, **(named | options))


@given(outputs)
def test_rates_equal_a_naive_count(word_list: str, rows: list[Output]) -> None:
    answer = confuse(rows, word_list).to_dict()
    found = {name: label["benchmark"] for name, label in answer["by_label"].items()}
    found["all/all"] = answer["scores"]["benchmark"]
    assert found == {name: hide_empty(rates) for name, rates in rate_all_plainly(rows).items()}


@given(outputs)
def test_findings_are_wrong_lines_and_english_words_of_the_text(word_list: str, rows: list[Output]) -> None:
    for finding in confuse(rows, word_list, findings=True).findings:
        text, mark = rows[int(finding.document) - 1]["completion"], finding.marks[0]
        assert text[mark.start : mark.end] == finding.extra["token"]
        if finding.kind == "english_word":
            assert finding.extra["token"] in {"word", "house"}
        else:
            assert finding.extra["identified_as"] in {"ru", "fr", "unknown"}


def test_the_benchmark_file_is_read_as_it_is(tmp_path: Path, word_list: str) -> None:
    """Ids repeat in it, and texts have several lines."""
    path = tmp_path / "model.csv"
    rows = [
        {"id": "0", "completion": "один два три чотири пять\nru ru ru ru word", "language": "ru", "source": "aya"},
        {"id": "0", "completion": "fr fr fr fr fr,\n\nfr ru fr ru fr", "language": "fr", "source": "aya"},
        {"id": "0", "completion": "xx a b c d e", "language": "fr", "source": "okapi"},
    ]
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, ["id", "completion", "language", "source"])
        table.writeheader()
        table.writerows(rows)
    run = confuse(str(path), word_list, by=["source"])
    assert run.scores["benchmark"] == {"acc": 3 / 4, "lpr": pytest.approx((1 + 1 / 2) / 2), "wpr": 0}
    assert run.to_dict()["slices"]["source"]["okapi"]["scores"]["benchmark"]["lpr"] == 0
    assert run.to_dict()["slices"]["language"]["fr"]["scores"]["benchmark"]["lpr"] == 1 / 2


def test_without_a_list_of_words_there_is_no_word_rate() -> None:
    run = confuse(["ru ru ru ru word"], None, language="ru")
    assert run.scores["benchmark"] == {"acc": 1, "lpr": 1}


def test_what_the_benchmark_does_not_do_is_refused(word_list: str) -> None:
    with pytest.raises(UsageError, match="needs an identifier"):
        confuse(["a"], word_list, language="ru", identifier=None)
    with pytest.raises(UsageError, match="excuses nothing"):
        confuse(["a"], word_list, language="ru", names=["Ada"])
    with pytest.raises(UsageError, match="no effect without the profile"):
        isogloss.code_switching(["a"], language="ru", english_words=word_list)
    with pytest.raises(SourceError, match="list of English words"):
        confuse(["a"], "/nowhere/words", language="ru")


def test_chinese_lines_are_split_into_words() -> None:
    pytest.importorskip("jieba", reason="the extra language-confusion is not installed")
    answer = confuse(
        ["他来到了网易杭研大厦"], None, language="zh", identifier=lambda lines: ["zh"] * len(lines), findings=True
    )
    assert answer.to_dict()["findings"]["counts"]["wrong_line"] == 0
    assert answer.scores["benchmark"]["lpr"] == 1
