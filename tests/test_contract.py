"""What the program prints, what docs/ner.md names and what the contract promises are held together."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from isogloss import errors
from isogloss.cli import run as command
from isogloss.demo import files
from isogloss.runs.run import Run
from isogloss.tasks.ner.scoring import ner

ROOT = Path(__file__).parents[1]
NAMES = ROOT / "docs" / "ner.md"
CONTRACT = ROOT.parent / "shared" / "CONTRACT.md"
SCHEMAS = ("strict", "exact", "partial", "type")
TO_COME = {"slices"}  # keys of the contract that come with the options that fill them

pytestmark = pytest.mark.skipif(not NAMES.exists(), reason=f"{NAMES} is not there: the tests run without the sources")


@pytest.fixture(scope="module")
def full() -> Run:
    """A run of the demo's data with everything that can be asked for."""
    demo = files()
    return ner(demo.reference, demo.systems[1], confidence=0.9, resamples=30, findings=True, profile=None)


@pytest.fixture(scope="module")
def document(full: Run) -> dict[str, Any]:
    return full.to_dict()


@pytest.fixture(scope="module")
def page() -> str:
    return NAMES.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def contract() -> str:
    if not CONTRACT.exists():
        pytest.skip(f"{CONTRACT} is not there")
    return CONTRACT.read_text(encoding="utf-8")


def table(page: str, after: str) -> Iterator[list[str]]:
    """The cells of each row of the first table after these words."""
    lines = page[page.index(after) :].splitlines()
    begin = next(at for at, line in enumerate(lines) if line.startswith("|"))
    for line in lines[begin + 2 :]:
        if not line.startswith("|"):
            return
        yield [cell.strip() for cell in line.strip("|").split(" | ")]


def quoted(text: str) -> set[str]:
    return set(re.findall(r"`([^`]+)`", text))


def first_column(page: str, after: str) -> set[str]:
    return set().union(*(quoted(row[0]) for row in table(page, after)))


def row_of(page: str, after: str, name: str) -> str:
    """What the table says of a name."""
    return next(row[1] for row in table(page, after) if name in quoted(row[0]))


def listed(text: str) -> set[str]:
    """Names separated by commas, remarks in brackets left out."""
    return {name.strip(" .`") for name in re.sub(r"\([^()]*\)", "", text).split(",")}


def test_every_option_is_documented(capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["ner", "--help"]) == 0
    spellings = re.findall(r"^  (-\S+?)(?:, (--\S+))?(?= |$)", capsys.readouterr().out, re.MULTILINE)
    assert len(spellings) > 15
    words = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md"))
    words += (ROOT / "README.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", words))
    assert [both for both in spellings if documented.isdisjoint(both)] == []


@pytest.mark.parametrize("group", SCHEMAS)
def test_overall_names_are_those_that_are_documented(document: dict[str, Any], page: str, group: str) -> None:
    assert document["scores"][group].keys() == first_column(page, "Groups `strict`, `exact`, `partial` and `type`")


@pytest.mark.parametrize("group", SCHEMAS)
def test_names_by_label_are_those_that_are_documented(document: dict[str, Any], page: str, group: str) -> None:
    for label in document["by_label"].values():
        assert label.keys() == set(SCHEMAS)
        assert label[group].keys() == first_column(page, "By label, in the same four groups")


def test_another_beta_has_the_names_that_are_documented(page: str) -> None:
    demo = files()
    strict = ner(demo.reference, demo.systems[0], beta=2).scores["strict"]
    usual = first_column(page, "Groups `strict`, `exact`, `partial` and `type`")
    assert set(strict) == usual - {"f1"} | {"f", "beta"}
    assert "`f` and `beta` instead of `f1`" in page


def test_names_of_tokens_are_those_that_are_documented(document: dict[str, Any], page: str) -> None:
    assert document["scores"].keys() == {*SCHEMAS, "tokens"}
    assert document["scores"]["tokens"].keys() == first_column(page, "Group `tokens`")


@pytest.mark.parametrize("means", ["macro", "weighted"])
def test_names_of_means_are_those_that_are_documented(document: dict[str, Any], page: str, means: str) -> None:
    names = set(re.findall(r'"(\w+)"', row_of(page, "## JSON", means)))
    assert document[means].keys() == set(SCHEMAS)
    assert all(group.keys() == names for group in document[means].values())


@pytest.mark.parametrize("key", ["per_document", "intervals"])
def test_names_of_what_has_paths_are_those_that_are_documented(document: dict[str, Any], page: str, key: str) -> None:
    names = set(re.findall(r'"(\w+)"', row_of(page, "## JSON", key)))
    assert document[key]
    assert all(entry.keys() - {"undefined"} == names for entry in document[key].values())


def test_keys_are_those_that_are_documented(document: dict[str, Any], page: str) -> None:
    assert document.keys() == first_column(page, "## JSON")


@pytest.mark.parametrize("key", ["confusion", "warnings", "inputs"])
def test_keys_of_lists_are_those_that_are_documented(document: dict[str, Any], page: str, key: str) -> None:
    names = set(re.findall(r'"(\w+)"', row_of(page, "## JSON", key)))
    assert set().union(*document[key]) == names


def test_codes_of_warnings_are_documented(page: str) -> None:
    codes = {"scheme-detected", "tags-repaired", "tags-discarded", "tags-unchecked", "label-absent"}
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    assert [code for code in codes if f'"{code}"' not in sources] == []
    assert first_column(page, "The codes of `warnings`") == codes


def test_codes_of_warnings_of_formats_are_those_that_are_documented(page: str) -> None:
    codes = first_column(page, "The codes of single")
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    assert "unlocated" in codes
    assert [code for code in codes if f'"{code}"' not in sources] == []


def test_every_warning_that_a_run_has_is_one_of_the_documented(page: str) -> None:
    codes = first_column(page, "The codes of `warnings`")
    chosen: list[dict[str, Any]] = [{}, {"repair": "discard"}, {"labels": ["PRE"]}]
    for options in chosen:
        demo = files()
        run = ner(demo.reference, demo.systems[1], **options)
        assert {notice.code for notice in run.warnings} <= codes


def test_findings_have_the_keys_and_kinds_that_are_documented(document: dict[str, Any], page: str) -> None:
    found = document["findings"]
    assert found.keys() == {"counts", "rows"}
    assert set().union(*found["rows"]) == first_column(page, "A row of `findings.rows`")
    assert found["counts"].keys() == first_column(page, "## Six kinds")
    assert {row["kind"] for row in found["rows"]} == first_column(page, "## Six kinds") - {"correct"}


def test_the_tree_of_exceptions_holds_every_exception_under_its_base() -> None:
    lines = re.findall(r"^ *([│├└─ ]*)(\w+Error)\b", (errors.__doc__ or "").split("\n\n")[1], re.MULTILINE)
    drawn: dict[str, str] = {}
    path: list[str] = []
    for branches, name in lines:
        depth = len(branches) // 4
        path[depth:] = [name]
        drawn[name] = path[depth - 1] if depth else "Exception"
    defined = {name: kind for name, kind in vars(errors).items() if inspect.isclass(kind) and "Error" in name}
    assert drawn == {name: kind.__mro__[1].__name__ for name, kind in defined.items()}


def test_overall_names_of_the_contract_are_there(document: dict[str, Any], contract: str) -> None:
    promised = re.search(r"\| ner \| (.*?): (.*?)\. `tokens`: (.*?)\. By label", contract)
    assert promised
    assert quoted(promised[1]) == set(SCHEMAS)
    for group in SCHEMAS:
        assert listed(promised[2]) <= document["scores"][group].keys()
    assert listed(promised[3]) <= document["scores"]["tokens"].keys()


def test_names_by_label_of_the_contract_are_there(document: dict[str, Any], contract: str) -> None:
    promised = re.search(r"\| ner \|.*?the counts have two sides: (.*?); precision from", contract)
    assert promised
    for label in document["by_label"].values():
        assert listed(promised[1]) <= label["strict"].keys()


def test_kinds_of_the_contract_are_there(document: dict[str, Any], contract: str) -> None:
    promised = re.search(r"\| ner \|.*?Finding kinds: (.*?) \|", contract)
    assert promised
    assert listed(promised[1]) == document["findings"]["counts"].keys()


def test_keys_of_the_contract_are_there_and_no_others(document: dict[str, Any], contract: str) -> None:
    example = contract[contract.index("## JSON of a run") :].split("\n\n")[1]
    outermost = example
    while (inner := re.sub(r"(?<!^    )[\[{][^\[\]{}]*[\]}]", "", outermost)) != outermost:
        outermost = inner
    assert set(re.findall(r'"(\w+)":', outermost)) - TO_COME == document.keys()


def test_exit_codes_of_the_contract_are_those_of_the_exceptions(contract: str) -> None:
    codes = re.search(r"Exit codes: (.*?)\. Results", contract)
    assert codes
    promised = {int(code) for code in re.findall(r"(?:^|· )(\d+)", codes[1])}
    defined = {kind.exit_code for kind in vars(errors).values() if hasattr(kind, "exit_code")}
    assert defined <= promised


def test_the_example_of_the_readme_is_what_the_program_prints(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    called, shown = readme.split("<!-- demo-output -->\n```console\n$ isogloss ")[1].split("\n```")[0].split("\n", 1)
    monkeypatch.chdir(files().reference.parent)
    assert command(called.split()) == 0
    assert capsys.readouterr().out.rstrip() == shown
