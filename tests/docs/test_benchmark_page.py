"""What docs/benchmark-runner.md promises and what the program does are held together."""

from __future__ import annotations

import re
import tomllib

import msgspec
import pytest
from pages import quoted, read_page, rows

from isogloss.benchmark.plan import Corpus, Limits, System, parse_plan
from isogloss.benchmark.results import OUTCOMES, Benchmark, Cell, MeasuredMachine, Timing
from isogloss.benchmark.worker import TOKENIZERS
from isogloss.cli import run

TEXT = read_page("benchmark-runner.md")


def list_keys(kind: type[msgspec.Struct]) -> set[str]:
    return {field.name for field in msgspec.structs.fields(kind)}


@pytest.mark.parametrize(
    ("heading", "kind"), [("### Corpora", Corpus), ("### Systems", System), ("### Limits", Limits)]
)
def test_the_keys_of_the_plan_are_on_the_page(heading: str, kind: type[msgspec.Struct]) -> None:
    assert {row[0].strip("`") for row in rows(TEXT, heading)} == list_keys(kind)


def test_the_limits_of_the_page_are_the_defaults() -> None:
    assert {row[0].strip("`"): float(row[1]) for row in rows(TEXT, "### Limits")} == msgspec.structs.asdict(Limits())


def test_the_plan_of_the_page_is_a_plan() -> None:
    block = re.search(r"```toml\n(.*?)```", TEXT, re.DOTALL)
    assert block is not None
    assert len(parse_plan(tomllib.loads(block[1]), "page").system) == 3


def test_the_outcomes_are_on_the_page() -> None:
    assert tuple(row[0].strip("`") for row in rows(TEXT, "## What happens to a text")) == OUTCOMES


def test_the_keys_of_the_results_are_on_the_page() -> None:
    told = set(quoted(TEXT))
    assert list_keys(Benchmark) | list_keys(Cell) | list_keys(Timing) | list_keys(MeasuredMachine) <= told


def test_the_tokenizers_of_the_worker_are_on_the_page() -> None:
    told = {name.partition(":")[0] for name in quoted(TEXT)}
    assert set(TOKENIZERS) <= told


def test_the_options_are_on_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    offered = set()
    for name in ("init", "check", "run", "verify", "merge", "report"):
        run(["benchmark", name, "--help"])
        options = capsys.readouterr().out.partition("Examples")[0]
        offered |= set(re.findall(r"--[a-z]+", options)) - {"--help"}
    assert {name for row in rows(TEXT, "## Options") for name in re.findall(r"--[a-z]+", row[0])} == offered
