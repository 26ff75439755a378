from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from isogloss.cli import run
from isogloss.errors import MissingExtraError
from isogloss.integrations.spacy import make_ner_scorer

HEAVY = {"torch", "transformers", "spacy", "evaluate", "seqeval", "rich", "typer", "pyarrow", "sqlalchemy", "pandas"}


def test_a_scorer_without_spacy_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    modules: dict[str, Any] = {"spacy": None, "spacy.scorer": None}
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    with pytest.raises(MissingExtraError, match=r"pip install 'isogloss\[spacy\]'"):
        make_ner_scorer()


@pytest.fixture(params=["sqlalchemy", "alembic"])
def no_store(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("isogloss.store")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, request.param, None)


@pytest.mark.usefixtures("no_store")
@pytest.mark.parametrize(
    "arguments",
    [
        ["ner", "gold", "gold", "--save"],
        ["ner", "gold", "gold", "--fail-if-worse-than", "monday"],
        ["runs", "list"],
        ["compare", "monday", "tuesday"],
        ["report", "monday"],
    ],
)
def test_stored_runs_without_their_extra_end_with_4(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold").write_text("Ada\tB-PER\n", encoding="utf-8")
    assert run(arguments) == 4
    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith("Run: pip install 'isogloss[store]'\n")


def test_integrations_import_nothing_heavier_than_numpy() -> None:
    code = "import sys, isogloss.integrations, isogloss.integrations.spacy; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert HEAVY.isdisjoint(done.stdout.split())
