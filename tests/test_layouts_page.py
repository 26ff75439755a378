"""What docs/layouts.md shows is what the program prints, and what docs/profiles.md says of `fair` is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import isogloss
from isogloss.cli import run
from isogloss.demo import files
from isogloss.metrics.ner.profiles import PROFILES
from isogloss.report.layouts import LAYOUTS, layout_of

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "layouts.md"
pytestmark = pytest.mark.skipif(not PAGE.exists(), reason=f"{PAGE} is not there: the tests run without the sources")


@pytest.fixture(scope="module")
def page() -> str:
    return PAGE.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def profiles() -> str:
    return (DOCS / "profiles.md").read_text(encoding="utf-8")


def test_every_layout_has_a_row_with_its_profile_and_a_section(page: str) -> None:
    rows = re.findall(r"\| \[`(\w+)`\]\(#\w+\) \|[^|]*\| \[`(\w+)`\]\(profiles\.md#\w+\) \|([^|]*)\|", page)
    assert {name: profile for name, profile, _ in rows} == {name: layout_of(name).profile for name in LAYOUTS.names()}
    assert {name: bool(told.strip()) for name, _, told in rows} == {
        name: layout_of(name).data is not None for name in LAYOUTS.names()
    }
    assert set(re.findall(r"^## (\w+)$", page, re.MULTILINE)) == set(LAYOUTS.names())


def test_the_examples_are_what_the_program_prints(
    page: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(files().reference.parent)
    examples = re.findall(r"```console\n\$ isogloss ([^\n]*)\n(.*?)```", page, re.DOTALL)
    assert {re.findall(r"--layout (\w+)", called)[0] for called, _ in examples} == set(LAYOUTS.names())
    for called, shown in examples:
        assert run(called.split()) == 0
        assert capsys.readouterr().out == shown, called


def test_the_python_runs(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(compile(example, str(PAGE), "exec"), {})
    assert "micro avg       1.00      0.50      0.67         2" in capsys.readouterr().out


def test_every_profile_has_a_row_and_a_section(profiles: str) -> None:
    assert re.findall(r"^\| \[`([\w-]+)`\]\(#[\w-]+\) \|", profiles, re.MULTILINE) == list(
        re.findall(r"^## ([a-z][\w-]+)$", profiles, re.MULTILINE)
    )
    assert set(re.findall(r"^## ([a-z][\w-]+)$", profiles, re.MULTILINE)) == set(PROFILES.names())


@pytest.mark.parametrize(
    ("case", "found"),
    [
        ("`P[0,2)` → `Q[0,2) P[0,1)`", {"wrong_type": 1, "spurious": 1}),
        ("`P[0,4)` → `Q[0,3) P[3,4)`", {"wrong_boundary": 1, "wrong_type_and_boundary": 1}),
        ("`P[1,3)` → `P[0,3) P[2,4)`", {"wrong_boundary": 1, "spurious": 1}),
        ("`P[0,4)` → `P[0,2) P[2,4)`", {"wrong_boundary": 2}),
        ("`P[0,4) P[0,3)` → `P[0,2)`", {"wrong_boundary": 1, "missed": 1}),
        ("`P[0,2)` → `Q[0,2)`", {"wrong_type": 1}),
        ("`P[0,2) Q[0,2)` → `R[0,2)`", {"wrong_type": 1, "missed": 1}),
    ],
)
def test_the_inputs_of_the_section_on_fair_give_what_it_says(case: str, found: dict[str, int], profiles: str) -> None:
    section = " ".join(profiles.split("\n## fair\n")[1].split())
    assert case in section
    sides = [
        [(int(start), int(end), label) for label, start, end in re.findall(r"(\w)\[(\d+),(\d+)\)", side)]
        for side in case.split("→")
    ]
    group = isogloss.ner([sides[0]], [sides[1]], profile="fair").scores["fair"]
    assert {name: n for name, n in group.items() if isinstance(n, int) and n} == {**found}
