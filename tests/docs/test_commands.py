"""Commands of pages work as pasted, on the files of `isogloss demo --write` and those that the page shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from pages import read_page

from isogloss.cli import run
from isogloss.demo import write_samples

PAGES = (
    *("classification.md", "entity-translation.md", "comparison.md", "reports.md", "slices.md", "intervals.md"),
    *("formats.md", "index.md", "lint.md", "ner.md", "tags.md"),
)
BLOCK = re.compile(r"^(?:`([^`\n]+)`:\n\n)?^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)  # its file, its language
GATE = 1  # exit code of a gate that fails, as it should
LEFT_OUT = re.compile(
    r"python3 -m venv|for |done|  isogloss|isogloss report wisesight|isogloss demo|isogloss .*(--view| < )"
)


@pytest.mark.extra
@pytest.mark.parametrize("name", PAGES)
def test_commands_of_a_page_work_as_pasted(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("sqlalchemy")
    write_samples(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ISOGLOSS_STORE", raising=False)
    done = 0
    for path, language, content in BLOCK.findall(read_page(name)):
        if path:
            Path(path).write_text(content, encoding="utf-8")
            continue
        for line in content.splitlines() if language == "sh" else ():
            words = shlex.split(line, comments=True)
            if words[:1] == ["cd"]:
                monkeypatch.chdir(words[1])
            elif words and not LEFT_OUT.match(line):
                expected = GATE if "--fail-if-worse-than" in words else 0
                assert (run(words[1:]), line) == (expected, line), capsys.readouterr().err
                done += 1
    assert done
