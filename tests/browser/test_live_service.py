"""The page of a real service with a token and a store, in Chromium."""

from __future__ import annotations

import gzip
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="playwright is not installed")
pytest.importorskip("starlette", reason="starlette is not installed")
from playwright.sync_api import Browser, Page, expect, sync_playwright
from serving import start_service

from isogloss.demo import files
from isogloss.store import Store
from isogloss.tasks.classification.scoring import classification
from isogloss.tasks.ner.scoring import ner

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
TOKEN = "s3cret"
LABELS = ("food", "music", "rain", "sport", "travel")
pytestmark = [pytest.mark.extra, pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    draw, path = random.Random(1), str(tmp_path_factory.mktemp("store") / "runs.db")
    gold = [[label for label in LABELS if draw.random() < 0.3] for _ in range(200)]
    scores = [{label: draw.random() * (1 + (label in own)) / 2 for label in LABELS} for own in gold]
    names = files().folder / "ner"
    with Store.open(path) as opened:
        opened.save(classification(gold, scores), name="topics")
        opened.save(ner(names / "reference.conll", names / "system-a.conll", findings=True), name="names")
    return path


@pytest.fixture(scope="module")
def url(store: str) -> Iterator[str]:
    with start_service("--store", store, environment={"ISOGLOSS_TOKEN": TOKEN}) as running:
        yield f"http://127.0.0.1:{running.port}/"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Browser, url: str) -> Iterator[Page]:
    """A page whose tab has the token."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    opened.goto(url)
    give_token(opened, TOKEN)
    yield opened
    context.close()


def give_token(page: Page, token: str) -> None:
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Token").fill(token)
    with page.expect_navigation():
        dialog.get_by_role("button", name="Use it").click()


def test_page_asks_for_the_token_until_it_is_right(browser: Browser, url: str) -> None:
    page = browser.new_page()
    page.goto(url)
    give_token(page, "wrong")
    give_token(page, TOKEN)
    expect(page.get_by_role("link", name="topics")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.reload()
    expect(page.get_by_role("link", name="topics")).to_be_visible()
    page.close()


def test_curves_of_a_stored_run_are_drawn_for_the_chosen_label(page: Page) -> None:
    page.get_by_role("link", name="topics").click()
    section = page.locator("section.curves")
    expect(section.get_by_role("img")).to_have_count(3)
    section.get_by_label("Label").select_option("sport")
    for name in ("ROC curve of sport", "Precision and recall of sport by threshold", "Precision-recall curve of sport"):
        drawn = section.get_by_role("img", name=name)
        line = drawn.locator(".line").first.get_attribute("points") or ""
        points = [tuple(map(float, one.split(","))) for one in line.split()]
        frame = {key: float(drawn.locator("rect").get_attribute(key) or 0) for key in ("x", "y", "width", "height")}
        assert len(points) > 10
        assert all(0 <= x - frame["x"] <= frame["width"] and 0 <= y - frame["y"] <= frame["height"] for x, y in points)
    assert "curve=sport" in page.url
    page.reload()
    expect(section.get_by_label("Label")).to_have_value("sport")


def test_parquet_export_has_the_selection(page: Page, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    page.get_by_role("link", name="names").click()
    page.get_by_role("link", name="Read").click()
    page.get_by_role("checkbox", name="missed").check()
    count = page.locator(".count")
    expect(count).to_contain_text(" of ")
    shown = int(count.inner_text().split(" ")[0])
    page.get_by_text("Export").click()
    with page.expect_download() as started:
        page.get_by_role("link", name="Parquet").click()
    started.value.save_as(tmp_path / "findings.parquet")
    rows = parquet.read_table(tmp_path / "findings.parquet").to_pylist()
    assert {row["kind"] for row in rows} == {"missed"}
    assert len(rows) == shown > 0


def test_compressed_files_are_scored_and_not_kept(page: Page, store: str, tmp_path: Path) -> None:
    for name in ("reference.conll", "system-b.conll"):
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress((files().folder / "ner" / name).read_bytes()))
    page.get_by_role("link", name="Score files").click()
    page.locator("select").select_option("ner")
    reference, prediction = page.locator("input[type=file]").all()
    reference.set_input_files(tmp_path / "reference.conll.gz")
    prediction.set_input_files(tmp_path / "system-b.conll.gz")
    page.get_by_role("button", name="Score").click()
    expect(page.get_by_role("link", name="Read")).to_be_visible(timeout=30_000)
    with Store.open(store) as opened:
        assert len(opened.list()) == 2
