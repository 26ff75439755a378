"""The explorer in Chromium, over the payloads of bundled runs and of a run of a million findings."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import shutil
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from explorer_fixture import STATIC, Explorer, ScoredRun, build_explorer, score_demo, start_server
from reports import HOSTILE

pytest.importorskip("playwright", reason="playwright is not installed")
from playwright.sync_api import Browser, Page, expect, sync_playwright

SOURCES = Path(__file__).parents[2] / "explorer-ui"
STAMPED = ("index.html", "package-lock.json", "package.json", "src", "stamp.js", "tsconfig.json", "vite.config.js")
AXE = SOURCES / "node_modules/axe-core/axe.min.js"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
MILLION = 1_000_000
NER, OTHER_NER = "run0", "run5"
LONE = "\ud800"
WIDTH_AFTER_TWO_FRAMES = """() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(
    () => done(document.documentElement.scrollWidth))))"""
PAGES = (
    "#/board",
    "#/history",
    f"#/run/{OTHER_NER}",
    "#/run/run4",
    f"#/run/{OTHER_NER}/findings",
    f"#/run/{OTHER_NER}/findings?at=1",
    f"#/run/{OTHER_NER}/findings?group=1",
    "#/run/run6/findings?at=0",
    "#/run/run7/findings?at=0",
    "#/run/run8/findings?at=0",
    "#/run/run9/findings?at=0",
    f"#/run/{OTHER_NER}/document/1?at=1",
    f"#/diff/{NER}/{OTHER_NER}",
    f"#/diff/{NER}/{OTHER_NER}?class=changed&at=0",
    f"#/matrix/{NER},{OTHER_NER},{NER}",
    "#/run/run7/slices",
    "#/notes",
    "#/upload",
)
pytestmark = [pytest.mark.extra, pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")]


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return build_explorer(MILLION)


@pytest.fixture(scope="module")
def address(explorer: Explorer) -> Iterator[str]:
    yield from _serve(explorer)


def _serve(explorer: Explorer) -> Iterator[str]:
    server = start_server(explorer)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    yield context.new_page()
    context.close()


def show(page: Page, address: str, place: str) -> None:
    """Open a state of the page, and wait until it has read its data."""
    page.goto("about:blank")
    page.goto(address + place)
    page.wait_for_selector("h1")
    expect(page.get_by_text("Loading…", exact=True)).to_have_count(0)


def test_bundle_is_built_from_these_sources() -> None:
    digest = hashlib.sha256()
    paths = [path for name in STAMPED for path in _list_files(SOURCES / name)]
    for name, path in sorted((path.relative_to(SOURCES).as_posix(), path) for path in paths):
        digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    assert f"stamp {digest.hexdigest()[:32]}." in (STATIC / "app.js").read_text(encoding="utf-8")[:200]
    assert (STATIC / "index.html").read_bytes() == (SOURCES / "index.html").read_bytes()


def _list_files(path: Path) -> list[Path]:
    return [each for each in path.rglob("*") if each.is_file()] if path.is_dir() else [path]


@pytest.mark.skipif(
    shutil.which("npx") is None or not AXE.exists(), reason="needs node, and npm ci in the folder explorer-ui"
)
def test_bundle_equals_a_new_build(tmp_path: Path) -> None:
    subprocess.run(
        ["npx", "vite", "build", "--outDir", str(tmp_path), "--logLevel", "warn"], cwd=SOURCES, check=True, timeout=300
    )
    for name in ("app.js", "app.css", "index.html"):
        assert (tmp_path / name).read_bytes() == (STATIC / name).read_bytes(), f"{name}: run npm run build"


def test_filter_gives_the_findings_that_have_all_of_it(page: Page, address: str, explorer: Explorer) -> None:
    run = explorer.runs[OTHER_NER]
    assert isinstance(run, ScoredRun)
    show(page, address, f"#/run/{OTHER_NER}/findings")
    page.get_by_role("checkbox", name="missed").check()
    page.get_by_role("checkbox", name="PER", exact=False).first.check()
    wanted = [
        row
        for row, one in zip(run.rows, run.facets["label"][1], strict=True)
        if row["kind"] == "missed" and one == "PER"
    ]
    expect(page.locator(".count")).to_have_text(f"{len(wanted)} of {len(run.rows)} findings")
    assert "kind=missed" in page.url
    assert "label=PER" in page.url
    page.go_back()
    page.go_back()
    expect(page.locator(".count")).to_have_text(f"{len(run.rows)} of {len(run.rows)} findings")


def test_link_to_a_finding_opens_it_for_a_colleague(page: Page, address: str, explorer: Explorer) -> None:
    run = explorer.runs[OTHER_NER]
    assert isinstance(run, ScoredRun)
    show(page, address, f"#/run/{OTHER_NER}/findings?kind=missed")
    for _ in range(3):
        page.keyboard.press("j")
    missed = [row for row in run.rows if row["kind"] == "missed"]
    assert page.url.endswith(f"at={missed[2]['position']}")
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator(".detail .text").first).to_contain_text(missed[2]["lanes"][0]["pieces"][-1]["text"].strip("…"))
    expect(page.locator(".count")).to_contain_text(f"{len(missed)} of ")
    page.keyboard.press("k")
    expect(page.locator(".row.active")).to_contain_text(missed[1]["document"])
    page.go_back()
    assert page.url == "about:blank"


def test_keyboard_reaches_all_of_a_run(page: Page, address: str) -> None:
    show(page, address, "#/board")
    page.get_by_role("link", name="system-b").first.focus()
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Read 51 findings").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".row")
    page.keyboard.press("/")
    page.keyboard.type("Nairobi")
    expect(page.locator(".count")).to_contain_text("of 51 findings")
    expect(page.locator(".count")).not_to_contain_text("51 of 51")
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("d")
    page.wait_for_selector(".whole")
    assert "/document/" in page.url
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    show(page, address, f"#/run/{OTHER_NER}/findings")
    page.get_by_role("listbox").focus()
    page.keyboard.press("End")
    assert page.url.endswith("at=50")


def test_search_ignores_case_and_form(page: Page, address: str) -> None:
    show(page, address, f"#/run/{OTHER_NER}/findings?q=AMARA")
    expect(page.locator(".count")).to_contain_text("of 51 findings")
    expect(page.locator(".row").first).to_contain_text("Amara")


def test_groups_lead_to_their_findings(page: Page, address: str, explorer: Explorer) -> None:
    run = explorer.runs["run8"]
    assert isinstance(run, ScoredRun)
    show(page, address, "#/run/run8/findings?group=1")
    first = page.locator(".row").first
    expect(first).to_contain_text(f"×{run.surface_counts[run.surfaces[0]]}")
    first.click()
    expect(page.locator(".count")).to_have_text(f"{run.surface_counts[run.surfaces[0]]} of {len(run.rows)} findings")


def test_last_of_a_million_rows_can_be_reached(page: Page, address: str) -> None:
    show(page, address, "#/run/huge/findings")
    page.evaluate("document.querySelector('.list').scrollTop = 1e9")
    expect(page.locator("#row-999999")).to_be_in_viewport(ratio=0.9)
    expect(page.locator("#row-999999")).to_contain_text("Finding 999999 has")
    page.evaluate("document.querySelector('.list').scrollTop = 0")
    expect(page.locator("#row-0")).to_be_in_viewport(ratio=0.9)
    page.get_by_role("listbox").focus()
    page.keyboard.press("End")
    expect(page.locator("#row-999999")).to_be_in_viewport(ratio=0.9)
    page.keyboard.press("ArrowUp")
    expect(page.locator("#row-999998.active")).to_be_in_viewport(ratio=0.9)


def test_wheel_moves_a_long_list_by_its_own_pixels(page: Page, address: str) -> None:
    show(page, address, "#/run/huge/findings?at=500000")
    row = page.locator("#row-500000")
    expect(row).to_be_in_viewport()
    before = row.bounding_box()
    page.locator(".list").hover()
    page.mouse.wheel(0, 60)
    page.wait_for_timeout(400)
    after = row.bounding_box()
    assert before is not None
    assert after is not None
    assert abs(before["y"] - after["y"] - 60) < 2


def test_numbers_lead_to_their_findings(page: Page, address: str, explorer: Explorer) -> None:
    run = explorer.runs[OTHER_NER]
    assert isinstance(run, ScoredRun)
    show(page, address, f"#/run/{OTHER_NER}")
    cell = page.locator(".matrix a").first
    count = int(cell.inner_text())
    cell.click()
    expect(page.locator(".count")).to_have_text(f"{count} of {len(run.rows)} findings")
    assert "label=" in page.url


def test_diff_classes_filter_rows(page: Page, address: str) -> None:
    show(page, address, f"#/diff/{NER}/{OTHER_NER}")
    square = page.locator(".square.fixed")
    count = square.locator(".square-count").inner_text()
    square.click()
    expect(page.locator(".count")).to_contain_text(f"{count} of ")
    expect(page.locator(".row").first).to_contain_text("✓ right")
    page.keyboard.press("j")
    expect(page.locator(".detail")).to_contain_text("fixed")


def test_verdict_is_kept_beside_the_finding(page: Page, address: str, explorer: Explorer) -> None:
    show(page, address, f"#/run/{OTHER_NER}/findings?at=2")
    page.get_by_role("button", name="gold error").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    assert [note["verdict"] for note in explorer.notes] == ["gold error"]
    show(page, address, "#/notes")
    expect(page.get_by_role("rowheader", name="gold error")).to_be_visible()
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_text("No verdicts yet")).to_be_visible()


def test_upload_shows_the_run(page: Page, address: str) -> None:
    show(page, address, "#/upload")
    files = page.locator("input[type=file]")
    files.nth(0).set_input_files({"name": "gold.conll", "mimeType": "text/plain", "buffer": b"a O\n"})
    files.nth(1).set_input_files({"name": "system.conll", "mimeType": "text/plain", "buffer": b"a O\n"})
    page.get_by_role("button", name="Score", exact=True).click()
    page.wait_for_url("**/#/run/run0")


def test_without_runs_the_page_says_what_to_do(page: Page) -> None:
    for address in _serve(Explorer({})):
        show(page, address, "")
        expect(page.get_by_role("heading", name="No runs yet")).to_be_visible()
        expect(page.get_by_role("link", name="Score two files here")).to_be_visible()


@pytest.mark.parametrize("place", PAGES)
def test_page_is_accessible_and_fits_and_asks_no_other_host(page: Page, address: str, place: str) -> None:
    requests: list[str] = []
    messages: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda problem: messages.append(str(problem)))
    show(page, address, place)
    page.set_viewport_size({"width": 360, "height": 760})
    assert page.evaluate(WIDTH_AFTER_TWO_FRAMES) <= 360
    page.set_viewport_size({"width": 1280, "height": 900})
    assert [url for url in requests if not url.startswith((address, "about:"))] == []
    assert [text for text in messages if "favicon" not in text and "404" not in text] == []
    for scheme in ("light", "dark") if AXE.exists() else ():  # axe-core comes by npm ci in the folder explorer-ui
        page.emulate_media(color_scheme=scheme)
        show(page, address, place)
        page.evaluate(AXE.read_text(encoding="utf-8"))  # as the debugger: the policy forbids other scripts
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        shown = [(one["id"], [node["html"][:120] for node in one["nodes"][:3]]) for one in found["violations"]]
        assert shown == [], scheme


@pytest.mark.parametrize("width", [360, 1200])
def test_notes_with_long_names_fit(page: Page, address: str, explorer: Explorer, width: int) -> None:
    run = explorer.runs[OTHER_NER]
    assert isinstance(run, ScoredRun)
    note = {"corpus_key": run.summary["corpus_key"], "key": run.rows[0]["key"], "verdict": "gold error"}
    explorer.notes.append(note | {"text": "a_long_word_" * 20, "created": "2026-11-22T10:00:00+00:00"})
    try:
        page.set_viewport_size({"width": width, "height": 760})
        show(page, address, "#/notes")
        expect(page.get_by_role("rowheader", name="gold error")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        if AXE.exists():
            page.evaluate(AXE.read_text(encoding="utf-8"))
            assert page.evaluate("axe.run(document).then(found => found.violations.map(one => one.id))") == []
    finally:
        explorer.notes.clear()


def test_dragging_over_two_points_compares_them(page: Page, address: str) -> None:
    show(page, address, "#/history")
    page.locator(".pick .target").nth(1).wait_for()
    boxes = [one.bounding_box() for one in page.locator(".pick .target").all()]
    places = sorted(box["x"] for box in boxes if box is not None)
    box = page.locator("svg.chart").bounding_box()
    assert box is not None
    page.mouse.move(places[0] - 4, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(places[1] + 30, box["y"] + 60, steps=4)
    assert page.locator("svg.chart > rect.brushed").count() == 1
    page.mouse.up()
    page.wait_for_url("**/#/diff/**")
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def make_hostile(run: ScoredRun) -> ScoredRun:
    """Put markup and controls into each text that comes from data."""
    bad = f"<img src=x onerror=alert(1)>{HOSTILE}{LONE}"
    copy = replace(run)
    copy.summary |= {"name": bad, "system": bad, "corpus": bad, "tags": [bad], "signature": bad}
    for row in copy.rows:
        row |= {"document": bad, "where": bad, "text": bad, "facts": [[bad, [bad, bad]]]}
        for lane in row["lanes"]:
            lane |= {"label": bad, "remarks": [bad]}
            lane["pieces"] = [{"text": bad, "role": piece["role"]} for piece in lane["pieces"]]
    copy.facets = {
        name: (bad, values if name == "kind" else [bad] * len(values)) for name, (_, values) in copy.facets.items()
    }
    copy.surfaces = [f"{bad}{n}" for n in range(len(copy.surfaces))]
    copy.surface_counts = type(copy.surface_counts)(dict.fromkeys(copy.surfaces, 1))
    return copy


@pytest.mark.parametrize(
    "place",
    [
        "#/board",
        "#/history",
        "#/run/run0",
        "#/run/run0/findings?at=1",
        "#/run/run0/findings?group=1",
        "#/run/run0/document/0?at=0",
    ],
)
def test_text_from_data_stays_text(page: Page, place: str) -> None:
    problems: list[Any] = []
    page.on("dialog", lambda dialog: problems.append(dialog.message))
    page.on("pageerror", lambda problem: problems.append(str(problem)))
    run = make_hostile(ScoredRun(score_demo()[0].run, "names", "run0", "2026-11-01T00:00:00+00:00"))
    for address in _serve(Explorer({"run0": run})):
        show(page, address, place)
        assert page.locator("img, script:not([src]):not([type])").count() == 0
        assert "<img src=x onerror=alert(1)>" in page.locator("#app").inner_text()
        text = page.evaluate("document.getElementById('app').textContent")
        assert not set(text) & set("\0\x1b\u202e\u2066" + LONE)
    assert problems == []


def write_one_file(path: Path, explorer: Explorer, run: ScoredRun) -> None:
    """Write the page with the payloads of a run in it, as a report does."""
    prefix = f"/v1/runs/{run.id}"
    parts = [
        "/facets",
        "/rows/0",
        "/surfaces",
        "",
        *(f"/columns/{name}" for name in (*run.facets, "document", "surface")),
    ]
    urls = ["/v1/runs", *(prefix + part for part in parts), f"{prefix}/documents/0"]
    names = {url: f"d{at}" for at, url in enumerate(urls)}
    elements = []
    for url, name in names.items():
        found = explorer.answer(url, {})
        body = found if isinstance(found, bytes) else json.dumps(found).encode()
        packed = base64.b64encode(gzip.compress(body)).decode()
        elements.append(f'<script type="text/plain" id="{name}">{packed}</script>')
    settings = json.dumps({"mode": "inline", "files": names})
    script, style = ((STATIC / name).read_text(encoding="utf-8") for name in ("app.js", "app.css"))
    text = (STATIC / "index.html").read_text(encoding="utf-8")
    text = text.replace('{"mode":"http"}', settings).replace("</body>", "".join(elements) + "</body>")
    text = text.replace('<script defer src="static/app.js"></script>', "").replace(
        "</html>", f"<script>{script}</script></html>"
    )
    path.write_text(text.replace("</head>", f"<style>{style}</style></head>"), encoding="utf-8")


def test_one_file_opens_from_disk(page: Page, explorer: Explorer, tmp_path: Path) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    run = explorer.runs[OTHER_NER]
    assert isinstance(run, ScoredRun)
    write_one_file(tmp_path / "report.html", explorer, run)
    address = (tmp_path / "report.html").as_uri()
    show(page, address, f"#/run/{OTHER_NER}/findings?kind=missed")
    missed = [row for row in run.rows if row["kind"] == "missed"]
    expect(page.locator(".count")).to_have_text(f"{len(missed)} of {len(run.rows)} findings")
    expect(page.locator(".row").first).to_contain_text(missed[0]["lanes"][0]["pieces"][-1]["text"].strip("…"))
    show(page, address, f"#/run/{OTHER_NER}/findings?q=AMARA")
    expect(page.locator(".count")).to_have_text(f"{len(run.search('amara'))} of {len(run.rows)} findings")
    show(page, address, f"#/run/{OTHER_NER}/findings?group=1")
    expect(page.locator(".row").first).to_contain_text("×")
    show(page, address, f"#/run/{OTHER_NER}/document/0")
    assert page.locator(".band > div").count() > 0
    assert all(url.startswith(("file:", "about:")) for url in requests)


def test_direction_is_that_of_the_field(page: Page, address: str, explorer: Explorer) -> None:
    run = explorer.runs[OTHER_NER]
    assert isinstance(run, ScoredRun)
    position = next(row["position"] for row in run.rows if row["dir"] == "rtl")
    show(page, address, f"#/run/{OTHER_NER}/findings?at={position}")
    assert page.locator(".detail .text").first.get_attribute("dir") == "rtl"
    assert page.locator("html").evaluate("element => getComputedStyle(element).direction") == "ltr"


def test_document_also_shows_correct_spans(page: Page, address: str, explorer: Explorer) -> None:
    run = explorer.runs[OTHER_NER]
    assert isinstance(run, ScoredRun)
    number, correct = next((run.documents.index(one.document), one.correct) for one in run.run.findings if one.correct)
    show(page, address, f"#/run/{OTHER_NER}/document/{number}")
    assert page.locator(".bar-above.correct").count() >= len(correct)
    expect(page.locator(".bar-above.correct").first).to_have_text(correct[0][2] or "")
    assert page.evaluate("CSS.highlights.get('isogloss-correct').size") >= 1


def test_spans_lie_over_their_text(page: Page, address: str) -> None:
    show(page, address, "#/run/long-ar/document/0?at=3")
    assert page.locator(".band > div").count() >= 500
    apart = page.evaluate(
        """() => {
          const node = document.querySelector(".whole").firstChild;
          const open = [...CSS.highlights.get("isogloss-open")][0].getBoundingClientRect();
          const bar = document.querySelector('.overlay [data-position="3"]').getBoundingClientRect();
          return [node.length > 10000, Math.abs(bar.left - open.left), Math.abs(bar.width - open.width)];
        }"""
    )
    assert apart[0]
    assert max(apart[1:]) < 1
