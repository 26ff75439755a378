"""The examples of docs/python.md run, and its tables name what exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from pages import DOCS

import isogloss
from isogloss.demo import files
from isogloss.runs.frames import SCORE_COLUMNS

PAGE = "python.md"


@pytest.mark.extra
def test_the_examples_run(page: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    for name, path in (("gold", files().reference), ("system", files().systems[0])):
        Path(f"{name}.conll").write_bytes(path.read_bytes())
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, PAGE, "exec"), names)
    assert len(blocks) >= 6


def test_results_beside_calls_are_what_they_return(page: str) -> None:
    lines = re.findall(r"^(isogloss\.\w+\(.*\)) +# (.+)$", page, re.MULTILINE)
    assert len(lines) == 3
    for call, result in lines:
        assert eval(call, {"isogloss": isogloss}) == ast.literal_eval(result)


def test_every_column_of_a_frame_is_in_the_table(page: str) -> None:
    table = page[page.index("| column of `run.to_frame()`") : page.index("A row of `run.findings.to_frame()`")]
    names = re.findall(r"`(\w+)`", "\n".join(re.findall(r"^\| ([^|]*) \|", table, re.MULTILINE)[1:]))
    assert names == list(SCORE_COLUMNS)


def test_the_picture_exists(page: str) -> None:
    (picture,) = re.findall(r"\]\((images/[^)]*)\)", page)
    assert (DOCS / picture).read_bytes().startswith(b"\x89PNG")
