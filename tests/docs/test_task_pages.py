"""What the runs of all tasks have, what their pages document and what the contract promises are held together."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from typing import Any

import pytest
from documented_runs import documented_run
from pages import DOCS, ROOT, first_column, quoted, read_page

import isogloss
from isogloss import errors
from isogloss.cli import run as command
from isogloss.demo import files, write_samples
from isogloss.tasks.registry import TASKS, get_task

KINDS = {"ner": "## Six kinds", "classification": "The kinds of `findings`"}
MAY_LACK = {"definition", "warnings", "inputs"}  # keys that a run on lists does not have
WITH_RULES = {"by_level", "label_rules"}  # keys that a run without rules for labels does not have
EACH = pytest.mark.parametrize("task", TASKS.builtin)
COMMANDS = [[name] for name in TASKS.builtin] + [["lint", name] for name in TASKS.builtin if get_task(name).linter]


@EACH
def test_keys_of_json_are_documented(task: str) -> None:
    keys = set(documented_run(task).to_dict())
    assert keys | MAY_LACK == set(first_column(read_page(f"{task}.md"), "## JSON")) - WITH_RULES | MAY_LACK


@EACH
def test_keys_and_kinds_of_findings_are_documented(task: str) -> None:
    page, findings = read_page(f"{task}.md"), documented_run(task).to_dict()["findings"]
    assert set(findings["counts"]) == set(first_column(page, KINDS.get(task, "## Kinds")))
    if task != "classification":
        assert set().union(*findings["rows"]) == set(first_column(page, "A row of `findings.rows`"))


@EACH
def test_names_of_the_contract_are_in_the_run(task: str, contract: str) -> None:
    row = next((line for line in contract.splitlines() if line.startswith(f"| {task} |")), None)
    if row is None:
        pytest.skip("the contract does not have the task")
    run = documented_run(task)
    found: dict[str, Any] = {**next(iter(run.by_label.values()), {}), **run.scores}
    promised = re.findall(r"((?:`\w+`(?:, )?)+): ([\w, ]+)", re.sub(r"\([^()]*\)", "", row))
    assert promised
    for groups, names in promised:
        for group in quoted(groups):
            assert set(re.findall(r"(?<![\w ])(\w+)(?= ?(?:,|$))", f",{names}".replace(", ", ","))) <= set(found[group])
    kinds = re.search(r"[Kk]inds: (.*?) \|", row)
    if kinds is not None:
        assert {name for name in kinds[1].split(", ") if " " not in name} <= set(run.kinds)


@EACH
def test_arguments_of_the_contract_have_their_defaults(task: str, contract: str) -> None:
    call = get_task(task).call
    promised = re.search(rf"isogloss\.{call}\((.*?)\) -> Run", contract, re.DOTALL)
    if promised is None:
        pytest.skip("the contract does not have the call")
    parameters = inspect.signature(getattr(isogloss, call)).parameters
    for argument in set(re.split(r",\s+", promised[1])) - {"*", "..."}:
        name, _, default = argument.partition("=")
        assert name in parameters
        if default and name != "repair":  # None stands for "begin" where tags are scored
            assert parameters[name].default == ast.literal_eval(default)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_option_is_documented(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert command([*words, "--help"]) == 0
    spellings = re.findall(r"^  (-\S+?)(?:, (--\S+))?(?= |$)", capsys.readouterr().out, re.MULTILINE)
    text = "".join(path.read_text(encoding="utf-8") for path in (*DOCS.rglob("*.md"), ROOT / "README.md"))
    documented = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", text))
    assert spellings
    assert [both for both in spellings if documented.isdisjoint(both)] == []


def test_keys_of_the_contract_are_those_of_a_run(contract: str) -> None:
    example = contract[contract.index("## JSON of a run") :].split("\n\n")[1]
    outermost = example
    while (inner := re.sub(r"(?<!^    )[\[{][^\[\]{}]*[\]}]", "", outermost)) != outermost:
        outermost = inner
    slices = {"slices"}  # comes with the option that asks for them
    assert set(re.findall(r'"(\w+)":', outermost)) - slices == documented_run("ner").to_dict().keys()


def test_exit_codes_of_the_contract_have_an_exception(contract: str) -> None:
    codes = re.search(r"Exit codes: (.*?)\. Results", contract)
    assert codes
    defined = {kind.exit_code for kind in vars(errors).values() if hasattr(kind, "exit_code")}
    assert defined <= {int(code) for code in re.findall(r"(?:^|· )(\d+)", codes[1])}


def test_the_readme_shows_what_the_program_prints(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    called, shown = readme.split("<!-- demo-output -->\n```console\n$ isogloss ")[1].split("\n```")[0].split("\n", 1)
    monkeypatch.chdir(files().reference.parent)
    monkeypatch.delenv("COLUMNS", raising=False)
    assert command(called.split()) == 0
    printed, parts = capsys.readouterr().out, re.split(r"^…$\n?", shown, flags=re.MULTILINE)
    assert len(shown.splitlines()) >= 12
    for part in filter(None, parts):
        _, found, printed = printed.partition(part.rstrip())
        assert found, part


def test_the_python_of_the_readme_runs_on_the_samples(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    write_samples(tmp_path / "samples")
    monkeypatch.chdir(tmp_path / "samples")
    monkeypatch.delenv("COLUMNS", raising=False)
    names: dict[str, object] = {}
    blocks = re.findall(
        r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
    assert len(blocks) == 2
    assert "strict.f1          0.8317  0.5685     -0.2632" in capsys.readouterr().out


def test_every_link_of_the_readme_leads_to_a_file() -> None:
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(targets) >= 20
    assert [target for target in targets if "://" not in target and not (ROOT / target).exists()] == []
