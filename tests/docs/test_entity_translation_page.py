"""What `isogloss entity-translation` gives, what its page names and what the contract promises are held together."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from pages import first_column, quoted, rows
from translations import answer, task, write

import isogloss
from isogloss.cli import run as command
from isogloss.tasks.entity_translation import lint
from isogloss.tasks.entity_translation.matching import FOLDS
from isogloss.tasks.entity_translation.options import PROFILES
from isogloss.tasks.entity_translation.verdicts import VERDICT_KINDS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "entity-translation.md"
CONTRACT = ROOT.parent / "shared" / "CONTRACT.md"
pytestmark = pytest.mark.skipif(not PAGE.exists(), reason=f"{PAGE} is not there: the tests run without the sources")


@pytest.fixture(scope="module")
def page() -> str:
    return PAGE.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A run with everything that can be asked for."""
    pytest.importorskip("sacrebleu")
    folder = tmp_path_factory.mktemp("page")
    tasks = [
        task("Q1_0", "Duna", wikidata_id="Q1", entity_types=["Book"], source="Who wrote Dune?"),
        task("Q1_1", "Duna", wikidata_id="Q1", entity_types=["Book"]),
    ]
    files = write(folder / "it_IT.jsonl", tasks), write(folder / "p", [answer("Q1_0", "Duna")])
    comet = write(folder / "comet.json", ['{"it_IT": 0.9}'])
    run = isogloss.entity_translation(
        *files,
        chrf=True,
        bleu=True,
        comet=comet,
        comet_scale="0-1",
        confidence=0.9,
        resamples=20,
        hits=True,
    )
    return run.to_dict()


def test_groups_and_names_are_those_that_are_documented(document: dict[str, Any], page: str) -> None:
    documented = {row[0].strip("`"): set(quoted(row[1])) for row in rows(page, "## Scores")}
    found = {group: set(names) for group, names in document["scores"].items()}
    assert found.keys() == documented.keys()
    assert all(names <= documented[group] for group, names in found.items())


def test_slices_have_the_groups_that_are_documented(document: dict[str, Any], page: str) -> None:
    [own] = document["slices"]["language"].values()
    assert set(own) == {"documents", "scores"}
    assert set(own["scores"]) <= set(quoted(page[page.index("`slices.language` has") :].split(";", 1)[0]))


def test_keys_are_those_that_are_documented(document: dict[str, Any], page: str) -> None:
    assert set(document) == set(first_column(page, "## JSON"))
    assert set().union(*document["findings"]["rows"]) == set(first_column(page, "A row of `findings.rows`"))


def test_kinds_are_those_that_are_documented(document: dict[str, Any], page: str) -> None:
    assert set(first_column(page, "## Kinds")) == set(VERDICT_KINDS) == set(document["findings"]["counts"])


def test_forms_profiles_and_faults_are_those_that_are_documented(page: str) -> None:
    assert set(first_column(page, "compares names in another form")) == set(FOLDS)
    assert set(PROFILES.list_names()) <= set(quoted(page))
    documented = {row[0].strip("`"): row[1] == "yes" for row in rows(page, "## Lint")}
    codes = re.findall(r"^    ([a-z-]+) +(?:yes|no) ", lint.__doc__ or "", re.MULTILINE)
    assert documented == {code: code in lint.SEVERE_FAULTS for code in codes}


def test_codes_of_warnings_are_those_that_are_documented(page: str) -> None:
    files = list((ROOT / "src" / "isogloss" / "tasks" / "entity_translation").glob("*.py"))
    assert files
    codes = {
        code for path in files for code in re.findall(r'(?:RunWarning|_note)\(\s*"([a-z-]+)"', path.read_text("utf-8"))
    }
    assert codes == set(first_column(page, "The codes of `warnings`"))


def test_groups_and_kinds_of_the_contract_are_there(document: dict[str, Any]) -> None:
    if not CONTRACT.exists():
        pytest.skip(f"{CONTRACT} is not there")
    promised = re.search(r"\| entity-translation \| (.*?) \|\n", CONTRACT.read_text(encoding="utf-8"))
    assert promised
    assert {"m_eta", "languages", "chrf", "bleu", "comet", "harmonic_mean"} == set(quoted(promised[1]))
    assert set(quoted(promised[1])) <= set(document["scores"])
    assert {"accuracy", "correct", "total", "missing"} == set(document["scores"]["m_eta"])
    assert all("score" in document["scores"][name] for name in ("chrf", "bleu", "comet", "harmonic_mean"))


@pytest.mark.parametrize(
    "words",
    [["entity-translation"], ["lint", "entity-translation"], ["segmentation"], ["code-switching"], ["classification"]],
)
def test_every_option_is_documented(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert command([*words, "--help"]) == 0
    spellings = re.findall(r"^  (-\S+?)(?:, (--\S+))?(?= |$)", capsys.readouterr().out, re.MULTILINE)
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md"))
    text += (ROOT / "README.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", text))
    assert [both for both in spellings if documented.isdisjoint(both)] == []
