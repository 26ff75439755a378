from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from isogloss.errors import MissingExtraError
from isogloss.integrations.spacy import make_ner_scorer

HEAVY = {"torch", "transformers", "spacy", "evaluate", "seqeval", "rich", "typer", "pyarrow", "sqlalchemy", "pandas"}


def test_a_scorer_without_spacy_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    modules: dict[str, Any] = {"spacy": None, "spacy.scorer": None}
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    with pytest.raises(MissingExtraError, match=r"pip install 'isogloss\[spacy\]'"):
        make_ner_scorer()


def test_integrations_import_nothing_heavier_than_numpy() -> None:
    code = "import sys, isogloss.integrations, isogloss.integrations.spacy; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert HEAVY.isdisjoint(done.stdout.split())
