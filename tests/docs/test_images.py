"""The pictures of the documentation are those that `tools/draw_images.py` draws."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(not IMAGES.exists(), reason="needs the checkout")


def measure_picture(path: Path) -> tuple[int, int]:
    """Return width and height, from the header of a PNG."""
    width, height = struct.unpack(">II", path.read_bytes()[16:24])
    return width, height


def test_every_picture_of_a_page_is_there() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    links = {
        (page.parent / link).resolve()
        for page in pages
        for link in re.findall(r"!\[[^\]]*\]\(([^)]+\.png)\)", page.read_text(encoding="utf-8"))
    }
    assert [str(path) for path in sorted(links) if not path.exists()] == []


@pytest.mark.extra
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_the_picture_of_the_terminal_has_the_lines_that_the_command_prints(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "tools" / "draw_images.py"), str(tmp_path)]
    subprocess.run(command, check=True, timeout=120, capture_output=True)
    assert measure_picture(tmp_path / "terminal.png") == measure_picture(IMAGES / "terminal.png")
