"""The pictures of the documentation are those that `tools/draw_images.py` draws."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from isogloss.cli import run
from isogloss.demo import write_samples

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(not IMAGES.exists(), reason="needs the checkout")


def test_every_picture_of_a_page_is_there() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    links = {
        (page.parent / link).resolve()
        for page in pages
        for link in re.findall(r"!\[[^\]]*\]\(([^)]+\.png)\)", page.read_text(encoding="utf-8"))
    }
    assert [str(path) for path in sorted(links) if not path.exists()] == []


@pytest.mark.extra
def test_the_picture_of_the_terminal_has_the_lines_that_the_command_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command, parts = (IMAGES / "terminal.txt").read_text(encoding="utf-8").removeprefix("$ ").split("\n\n", 1)
    write_samples(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "110")
    assert run(shlex.split(command)[1:]) == 0
    printed = capsys.readouterr().out.split("\n\n")
    missing = [part for part in parts.rstrip("\n").split("\n\n") if part not in [one.strip("\n") for one in printed]]
    assert missing == [], "run tools/draw_images.py docs/images --only terminal"


@pytest.mark.extra
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_pictures_of_terminal_and_report_can_be_drawn(tmp_path: Path) -> None:
    pytest.importorskip("playwright")
    command = [sys.executable, str(ROOT / "tools" / "draw_images.py"), str(tmp_path), "--only", "terminal,report"]
    subprocess.run(command, check=True, timeout=120, capture_output=True)
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["report.png", "terminal.png", "terminal.txt"]
