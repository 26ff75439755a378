"""The page on other labels says what the program does."""

from __future__ import annotations

import doctest
import re
import tomllib

from pages import first_column

from isogloss.spans.label_map_file import MAP_KEYS, load_label_map
from isogloss.tasks.ner.findings import LEVEL_KINDS

PAGE = "labels.md"


def test_the_examples_of_python_give_what_the_page_says(page: str) -> None:
    example = "\n".join(re.findall("```pycon\n(.*?)```", page, re.DOTALL))
    test = doctest.DocTestParser().get_doctest(example, {}, PAGE, PAGE, 0)
    found = doctest.DocTestRunner().run(test)
    assert (found.failed, found.attempted >= 8) == (0, True)


def test_the_rules_of_the_page_can_be_read(page: str) -> None:
    texts = re.findall("```toml\n(.*?)```", page, re.DOTALL)
    assert [len(load_label_map(tomllib.loads(text)).rules) for text in texts] == [5, 2]


def test_every_key_and_kind_is_documented(page: str) -> None:
    assert set(first_column(page, "## Rules")) | {"prediction"} == set(MAP_KEYS)  # both sides share a row
    assert set(first_column(page, "If the spans are equal")) == set(LEVEL_KINDS)
