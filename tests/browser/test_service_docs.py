"""The documentation page of the service in Chromium."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

pytest.importorskip("playwright", reason="playwright is not installed")
pytest.importorskip("starlette", reason="starlette is not installed")
from playwright.sync_api import Page, expect, sync_playwright
from serving import RunningService, start_service

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
TOKEN = "s3cret"
pytestmark = [pytest.mark.extra, pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")]


@pytest.fixture(scope="module")
def service() -> Iterator[RunningService]:
    with start_service(environment={"ISOGLOSS_TOKEN": TOKEN}) as running:
        yield running


@pytest.fixture(scope="module")
def page(service: RunningService) -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        opened = browser.new_page(viewport={"width": 360, "height": 800})
        opened.goto(f"http://127.0.0.1:{service.port}/docs/")
        yield opened
        browser.close()


def test_form_sends_the_example_with_the_token(page: Page) -> None:
    section = page.locator("#ner")
    section.get_by_text("Try it").click()
    section.get_by_role("button", name="Send").click()
    expect(section.locator("output")).to_contain_text("401")
    page.get_by_label("Token").fill(TOKEN)
    section.get_by_role("button", name="Send").click()
    expect(section.locator("output")).to_contain_text('"task": "ner"')


def test_commands_have_the_address_of_the_service(page: Page, service: RunningService) -> None:
    expect(page.locator("#ner .command")).to_contain_text(f"curl http://127.0.0.1:{service.port}/v1/ner -H")


def test_page_does_not_scroll_sideways(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
