"""Search in the documentation as Chromium opens it from disk. Needs MkDocs and playwright."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
sync_api = pytest.importorskip("playwright.sync_api")
pytest.importorskip("material", reason="mkdocs-material is not installed")
pytest.importorskip("mkdocstrings", reason="mkdocstrings is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.extra,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
    pytest.mark.skipif(not (ROOT / "mkdocs.yml").exists(), reason="needs the checkout"),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built documentation."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, timeout=300)
    return folder


@pytest.fixture(scope="module")
def page(site: Path) -> Iterator[Any]:
    """The first page, which asks nothing of a network."""
    requested: list[str] = []
    with sync_api.sync_playwright() as player:
        browser = player.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        opened = browser.new_page()
        opened.on("request", lambda one: requested.append(one.url))
        opened.goto((site / "index.html").as_uri())
        yield opened
        browser.close()
    assert [url for url in requested if not url.startswith(("file:", "data:", "blob:"))] == []


@pytest.mark.parametrize(
    ("words", "found"),
    [("install", "install.html"), ("tutorial", "index.html#tutorials"), ("huggingface", "hugging-face.html")],
)
def test_search_from_disk_finds_the_page(page: Any, words: str, found: str) -> None:
    page.goto(page.url.partition("?")[0])
    page.keyboard.press("f")  # opens search
    page.keyboard.type(words)
    page.wait_for_selector(f".md-search-result__link[href*='h={words}']")
    links = [each.get_attribute("href") for each in page.locator(".md-search-result__item").first.locator("a").all()]
    name, _, anchor = found.partition("#")
    assert all(f"/{name}" in link for link in links)
    assert any(link.endswith(anchor) for link in links)
