"""What docs/layouts.md shows is what the program prints."""

from __future__ import annotations

import re

import pytest

from isogloss.cli import run
from isogloss.demo import files
from isogloss.tasks.ner.layouts import LAYOUTS, load_layout

PAGE = "layouts.md"


def test_every_layout_has_a_row_with_its_profile_and_a_section(page: str) -> None:
    rows = re.findall(r"\| \[`(\w+)`\]\(#\w+\) \|[^|]*\| \[`(\w+)`\]\(profiles\.md#\w+\) \|([^|]*)\|", page)
    assert {name: profile for name, profile, _ in rows} == {
        name: load_layout(name).profile for name in LAYOUTS.list_names()
    }
    assert {name: bool(told.strip()) for name, _, told in rows} == {
        name: load_layout(name).to_data is not None for name in LAYOUTS.list_names()
    }
    assert set(re.findall(r"^## (\w+)$", page, re.MULTILINE)) == set(LAYOUTS.list_names())


def test_the_examples_are_what_the_program_prints(
    page: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(files().reference.parent)
    examples = re.findall(r"```console\n\$ isogloss ([^\n]*)\n(.*?)```", page, re.DOTALL)
    assert {re.findall(r"--layout (\w+)", called)[0] for called, _ in examples} == set(LAYOUTS.list_names())
    for called, shown in examples:
        assert run(called.split()) == 0
        assert capsys.readouterr().out == shown, called


def test_the_python_runs(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(compile(example, PAGE, "exec"), {})
    assert "micro avg       1.00      0.50      0.67         2" in capsys.readouterr().out
