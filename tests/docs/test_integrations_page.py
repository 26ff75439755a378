"""What docs/integrations.md says and what there is are held together; its examples are run."""

from __future__ import annotations

import inspect
import re
import tomllib
from typing import Any

import pytest
from pages import ROOT, blocks, run

from isogloss import Accumulator
from isogloss.integrations import Seqeval, compute_metrics
from isogloss.integrations import spacy as scorer
from isogloss.tasks.ner.metric import NER_SCHEMAS

PAGE = "integrations.md"


def section(page: str, heading: str) -> str:
    return page.split(f"## {heading}\n", maxsplit=1)[1].split("\n## ", maxsplit=1)[0]


def quoted_first(page: str) -> set[str]:
    """The names in the first cells of the tables of a section."""
    rows = re.findall(r"^\| (`[^|]*?) \|", page, re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`([^`]+)`", row)}


def test_every_example_gives_what_stands_below_it(page: str) -> None:
    names: dict[str, Any] = {}
    checked = 0
    for block in blocks(page):
        if "import Trainer" in block or "import spacy" in block:  # each is run where its library is tested
            continue
        for shown in run(block, names):
            assert shown.agrees, shown
            checked += 1
    assert checked == 8


@pytest.mark.extra
def test_the_example_of_spacy_gives_what_stands_below_it(page: str) -> None:
    pytest.importorskip("spacy", reason="spaCy is not installed")
    (block,) = [block for block in blocks(page) if "import spacy" in block]
    found = list(run(block, {}))
    assert [shown for shown in found if not shown.agrees] == []
    assert len(found) == 2


@pytest.mark.parametrize(
    ("heading", "call", "elsewhere"),
    [
        ("Hugging Face evaluate", Seqeval.compute, {"predictions", "references", "sample_weight"}),
        ("transformers Trainer", compute_metrics, {"label_list"}),
    ],
)
def test_the_options_are_those_that_are_documented(page: str, heading: str, call: Any, elsewhere: set[str]) -> None:
    own = section(page, heading)
    options = set(inspect.signature(call).parameters) - {"self"}
    assert quoted_first(own) == options - elsewhere
    assert all(name in own for name in elsewhere)


def test_what_accumulators_do_is_documented(page: str) -> None:
    own = section(page, "Batches and processes")
    names = {name for name in vars(Accumulator) if not name.startswith("_")}
    assert {name for name in names if name in own} == names


def test_the_keys_of_the_scorer_are_those_that_are_documented(page: str) -> None:
    own = quoted_first(section(page, "spaCy"))
    keys = {name for name in scorer.KEYS if not name.startswith("isogloss_macro")}
    singles = {f"isogloss_{schema}_{ratio}" for schema in NER_SCHEMAS for ratio in scorer.RATIOS.values()}
    assert {name for name in own if name.startswith("isogloss")} == (keys - singles) | {
        "isogloss_strict_f1",
        "isogloss_macro_strict_f1",
    }
    assert "`isogloss_{strict,exact,partial,type}_{precision,recall,f1}`" in page


def test_the_scorer_has_the_name_that_is_documented(page: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (name,) = project["entry-points"]["spacy_scorers"]
    assert f'@scorers = "{name}"' in section(page, "spaCy")


def test_extras_are_those_that_there_are(page: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    documented = set(re.findall(r"pip install 'isogloss\[(\w+)\]'", page))
    assert documented == {"transformers", "spacy"}
    assert documented <= set(project["optional-dependencies"])
