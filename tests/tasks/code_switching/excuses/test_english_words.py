"""English words in Ukrainian sentences are foreign: no rule excuses them, short or long."""

from __future__ import annotations

import ast
import pydoc_data.topics
import re
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest
from excused_spans import list_reasons

MODULES = """
    argparse ast calendar cmd configparser decimal difflib doctest fractions inspect logging/__init__ optparse pdb
    smtplib statistics subprocess tarfile threading turtle typing unittest/mock zipfile
"""
WORD = re.compile(r"(?<![\w.'`*:/-])[a-z]{2,}(?![\w'`(:/-])")
SHORT = "am an as at be by do go he hi if in is it me my no of oh ok on or so to up us we"
FRAMES = (
    "Сьогодні {} було холодно.",
    "{} стоїть на початку речення",
    "Наприкінці речення стоїть {}.",
    "Кома, {}, а далі п'ять слів і об'єкт.",
    "У дужках ({}) і після них",
    "Він має п'ять {} і об'єкт поруч",
    "Слово «так», потім {} і знову «ні»",
    "Тире — {} — і двокрапка: далі",
    "Напівукраїнське слово-{} через дефіс!",
    "Хто каже {}? Ніхто",
    "Він сказав: {}… І пішов",
)
AFTER_A_NUMBER = ("У 2020 {} сталося багато", "Минуло 15 {}, і настала зима")


def docstrings() -> Iterator[str]:
    """Documentation that comes with Python."""
    yield from pydoc_data.topics.topics.values()
    for name in MODULES.split():
        place = Path(sysconfig.get_path("stdlib"), name)
        source = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                yield ast.get_docstring(node) or ""


@pytest.fixture(scope="module")
def words() -> list[str]:
    found = {word for text in docstrings() for word in WORD.findall(text)} | set(SHORT.split())
    assert len(found) >= 3000
    assert len([word for word in found if len(word) == 2]) >= len(SHORT.split())
    return sorted(found)


def excused(words: list[str], frame: str) -> list[str]:
    """Which of the words are excused, each in a line of its own."""
    told = list_reasons("\n".join(map(frame.format, words)))
    assert [word for word, _ in told] == words
    return [word for word, reason in told if reason is not None]


def test_no_english_word_is_excused_in_a_ukrainian_sentence(words: list[str]) -> None:
    for frame in FRAMES:
        assert excused(words, frame) == []


def test_few_english_words_are_excused(words: list[str]) -> None:
    """After a number a word may be a unit, such as `bit` or `px`."""
    frames = (*FRAMES, *AFTER_A_NUMBER)
    assert sum(len(excused(words, frame)) for frame in frames) < 0.005 * len(words) * len(frames)


@pytest.mark.parametrize("frame", AFTER_A_NUMBER)
def test_after_a_number_only_units_are_excused(words: list[str], frame: str) -> None:
    told = dict.fromkeys(excused(words, frame))
    assert not {"go", "in", "at", "us", "am", "as", "class", "state", "name", "test", "do", "me", "a"} & set(told)
    assert len(told) < 0.01 * len(words)
