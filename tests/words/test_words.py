"""Names and messages use the agreed words. The table of words is in `tools/check_words.py`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Load = Callable[[str], Any]
MODULE = """
class NoticeLine:
    def of(self): ...
    def count(self): ...
    def parse_rows(self): ...

def gold_rows():
    def told(): ...
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "src" / "isogloss"
    (folder / "tasks" / "classification").mkdir(parents=True)
    (folder / "knots.py").write_text(MODULE, encoding="utf-8")
    (folder / "tasks" / "classification" / "rows.py").write_text("def gold_rows(): ...", encoding="utf-8")
    return folder


def test_code_uses_the_agreed_words(load: Load) -> None:
    words = load("check_words")
    new, gone = words.compare(words.offences(), words.read_allowed())
    assert not new, "words with an agreed other one:\n" + "\n".join(new)
    assert not gone, "no longer in the code, run `python tools/check_words.py --update`:\n" + "\n".join(gone)


def test_names_are_searched_word_by_word(load: Load, source: Path) -> None:
    found = {(each.place, each.word) for each in load("check_words").offences_in_names(source)}
    place = "src/isogloss/knots.py"
    assert found == {
        (f"{place}:1", "knots"),
        (f"{place}:2", "notice"),
        (f"{place}:3", "of"),
        (f"{place}:7", "gold"),
        (f"{place}:8", "told"),
    }


def test_messages_are_searched_outside_placeholders(load: Load, tmp_path: Path) -> None:
    messages = tmp_path / "messages.txt"
    messages.write_text("# runs/run\nUsageError: {told} is no run\nUsageError: there is no run\n", encoding="utf-8")
    found = [(each.place, each.word) for each in load("check_words").offences_in_messages(messages)]
    assert found == [("messages.txt:2", "is no")]


def test_a_word_is_allowed_as_often_as_it_is_listed(load: Load) -> None:
    words = load("check_words")
    one = words.Offence("src/isogloss/a.py:3", "a told", "told", "report")
    assert words.compare([one], Counter([one.key])) == ([], [])
    assert words.compare([], Counter([one.key])) == ([], ["a told: told -> report"])
    assert words.compare([one, one], Counter([one.key])) == (["src/isogloss/a.py:3: 'told' in told: say report"], [])
