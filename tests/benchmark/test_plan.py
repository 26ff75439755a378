"""Plans are read, and errors name the place of a key."""

from __future__ import annotations

from pathlib import Path

import pytest

from isogloss.benchmark.plan import load_plan
from isogloss.errors import FormatError, SourceError

PLAN = """
[[corpus]]
name = "thai"
gold = "gold.label"
language = "th"

[[corpus]]
name = "chinese"
gold = "zh.label"
language = "zh"

[[system]]
name = "newmm 5.4"
tokenizer = "pythainlp:newmm"
requires = ["pythainlp==5.4.0"]
languages = ["th"]

[[system]]
name = "published"
predictions = "published/{corpus}.label"
"""


def write_plan(folder: Path, text: str) -> Path:
    path = folder / "bench.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_system_runs_on_the_corpora_of_its_languages(tmp_path: Path) -> None:
    plan = load_plan(write_plan(tmp_path, PLAN))
    cells = [(corpus.name, system.name) for corpus, system in plan.list_cells()]
    assert cells == [("thai", "newmm 5.4"), ("thai", "published"), ("chinese", "published")]


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ("tokenizer =", "tokeniser =", "system[1] ('newmm 5.4')", "Did you mean tokenizer?"),
        ('gold = "zh.label"', "", "corpus[2] ('chinese')", "gold is missing"),
        ("[[corpus]]", "[[corpora]]", "bench.toml", "Did you mean corpus?"),
        ('name = "chinese"', 'name = "thai"', "corpus[2]", "'thai' is used twice"),
        ('requires = ["pythainlp==5.4.0"]', "requires = 5", "system[1].requires", "Expected `array`"),
        ('language = "zh"', 'task = "segmentatoin"', "corpus[2]", "Did you mean segmentation?"),
        ("{corpus}", "all", "system[2] ('published')", "one file for several corpora"),
        ('tokenizer = "p', 'function = "a:b"\ntokenizer = "p', "system[1]", "found tokenizer and function"),
        ('languages = ["th"]', 'corpora = ["thia"]', "system[1]", "Did you mean thai?"),
        ("[[corpus]]", "[limits]\nseconds = 0\n[[corpus]]", "limits", "seconds must be above 0"),
    ],
)
def test_an_error_names_place_and_remedy(tmp_path: Path, old: str, new: str, place: str, message: str) -> None:
    with pytest.raises(FormatError) as found:
        load_plan(write_plan(tmp_path, PLAN.replace(old, new, 1)))
    assert place in str(found.value)
    assert message in str(found.value)


def test_a_line_that_is_not_toml_is_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="line 2"):
        load_plan(write_plan(tmp_path, "[[corpus]]\nname = thai\n"))


def test_a_missing_plan_says_how_to_write_one(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="isogloss benchmark init"):
        load_plan(tmp_path / "bench.toml")
