"""What the page on providers says and what there is are held together; its examples are run."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from pages import ROOT, blocks, quoted, rows, run

from isogloss.errors import UsageError
from isogloss.kernel.registry import Registry
from isogloss.providers import (
    DEFAULT_BATCH_SIZE,
    RECOGNISERS,
    SPLITTERS,
    TOKENIZERS,
    open_recogniser,
    open_splitter,
    open_tokenizer,
)
from isogloss.providers.gliner import THRESHOLD
from isogloss.providers.models import NOT_NAMES

PAGE = "providers.md"


def by_kind(page: str, after: str) -> dict[str, list[str]]:
    """The rows of the first table after these words, by the kind in the first cell."""
    return {quoted(kind)[0]: rest for kind, *rest in rows(page, after)}


@pytest.mark.parametrize(
    ("heading", "kinds"),
    [("## Recognisers", RECOGNISERS), ("## Splitters", SPLITTERS), ("## Tokenizers", TOKENIZERS)],
)
def test_kinds_are_those_that_are_documented(page: str, heading: str, kinds: Registry) -> None:
    assert set(by_kind(page, heading)) == set(kinds.builtin)
    assert f"`{kinds.group}`" in page


def test_options_are_those_that_are_documented(page: str, tmp_path: Path) -> None:
    (tmp_path / "names").write_text("a", encoding="utf-8")
    arguments = {"names": f"{tmp_path}/names", "python": "builtins:len"}
    values = {"labels": "a", "max_length": "8", "stride": "2", "threshold": "0.1"}
    for kind, (_, options, _) in by_kind(page, "## Recognisers").items():
        documented = [name for name in quoted(options) if name in values]
        chosen = "&".join(f"{name}={values[name]}" for name in documented)
        start = f"{kind}:{arguments.get(kind, 'x')}?{chosen}"
        open_recogniser(start, language="uk")
        for other in values.keys() - set(documented):
            with pytest.raises(UsageError, match=f"no option '{other}'"):
                open_recogniser(f"{start}&{other}={values[other]}", language="uk")


def test_splitters_and_tokenizers_have_no_options_as_documented() -> None:
    for kind in ("spacy:x", "stanza:x", "terminators", "lines"):
        with pytest.raises(UsageError, match="has no option"):
            open_splitter(f"{kind}?labels=a", language="uk")
    for kind in ("spacy:x", "stanza:x", "whitespace"):
        with pytest.raises(UsageError, match="has no option"):
            open_tokenizer(f"{kind}?labels=a", language="uk")


def test_labels_that_are_left_out_are_those_that_are_documented(page: str) -> None:
    block = page[page.index("    ADAGE") : page.index("`names` and `python` use")].split()
    for kind in RECOGNISERS.builtin:
        expected = (
            {*block, *(label.lower() for label in block)} if kind in ("spacy", "stanza", "transformers") else set()
        )
        assert NOT_NAMES.get(kind, frozenset()) == expected


def test_defaults_are_those_that_are_documented(page: str) -> None:
    assert f"`--batch-size` ({DEFAULT_BATCH_SIZE})" in page
    assert f"`threshold` ({THRESHOLD})" in page


def test_extras_are_those_that_are_documented(page: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    documented = set(re.findall(r"pip install 'isogloss\[(\w+)\]'", page))
    assert documented == {"spacy", "stanza", "transformers", "gliner", "sentences", "icu", "thai", "lid"}
    assert documented <= set(project["optional-dependencies"])


def test_every_example_gives_what_stands_below_it(page: str) -> None:
    names: dict[str, Any] = {}
    found = [shown for block in blocks(page) for shown in run(block, names)]
    assert [shown for shown in found if not shown.agrees] == []
    assert len(found) == 7
