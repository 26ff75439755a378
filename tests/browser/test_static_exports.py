"""A report and a folder as Chromium opens them from disk, without network. Needs Chromium and playwright."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from explored import explore_demo
from reports import HOSTILE, corpora, demo_runs

from isogloss.explorer.static_export import PageOptions, render_report, write_bundle

sync_api = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [pytest.mark.extra, pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")]
BREAKING = HOSTILE + "</script><script>window.broken = 1</script><img src=x onerror='window.broken = 1'>"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as player:
        opened = player.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page that refuses all requests but those to files, and fails on errors."""
    opened = browser.new_page()
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    opened.on("request", lambda one: problems.extend([one.url][: not one.url.startswith(("file:", "data:", "blob:"))]))
    opened.on("dialog", lambda dialog: problems.append(dialog.message))
    yield opened
    opened.close()
    assert problems == []


@pytest.mark.parametrize("task", ["ner", "segmentation", "classification"])
def test_report_opens_from_disk(task: str, page: Any, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(render_report(corpora(tmp_path / "r.json", *demo_runs(task))), encoding="utf-8")
    page.goto(f"{file.as_uri()}#/run/run-1/findings")
    page.wait_for_selector(".row .row-head")
    page.goto(f"{file.as_uri()}#/run/run-1")
    page.wait_for_selector("h1")
    assert page.locator("table").count() > 0


def test_folder_opens_from_disk(page: Any, tmp_path: Path) -> None:
    write_bundle(explore_demo(tmp_path, "ner"), tmp_path / "folder")
    place = (tmp_path / "folder/index.html").as_uri()
    page.goto(f"{place}#/diff/run-1/run-2")
    page.wait_for_selector(".row .row-head")


def test_breaking_texts_run_nothing(page: Any, tmp_path: Path) -> None:
    run = json.loads(json.dumps(demo_runs("ner")[0]))
    for row in run["findings"]["rows"]:
        row |= {"document": BREAKING, "where": BREAKING, "slices": {BREAKING: BREAKING}}
    run |= {"system": BREAKING, "warnings": [{"code": BREAKING, "message": BREAKING}]}
    file = tmp_path / "report.html"
    file.write_text(render_report(corpora(tmp_path / "r.json", run), PageOptions(title=BREAKING)), encoding="utf-8")
    for place in ("run/run-1", "run/run-1/findings", "run/run-1/document/0", "board"):
        page.goto(f"{file.as_uri()}#/{place}")
        page.wait_for_selector("h1")
        page.wait_for_timeout(300)
    assert page.evaluate("window.broken") is None
    assert page.locator("img").count() == 0


def test_tables_are_read_without_script(browser: Any, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(render_report(corpora(tmp_path / "r.json", *demo_runs("ner"))), encoding="utf-8")
    opened = browser.new_context(java_script_enabled=False).new_page()
    opened.goto(file.as_uri())
    assert opened.locator("caption", has_text="By label (strict)").count() == 2
    assert demo_runs("ner")[0]["signature"] in opened.inner_text("main")
    opened.close()
