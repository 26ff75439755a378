"""Draw the explorer on the bundled data, in Chromium: docs/images/explorer-*.png.

    .venv/bin/python tools/draw_explorer.py docs/images

Needs Chromium, `pip install playwright`, and fonts for the scripts of the samples, such as Noto.
"""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from isogloss.cli.demo import score_viewed
from isogloss.explorer.explorer import Explorer
from isogloss.explorer.run_sources import build_memory_runs
from isogloss.explorer.static_export import write_bundle

WIDE, NARROW = {"width": 1280, "height": 760}, {"width": 360, "height": 740}
SECONDS = 0.6  # for fonts and drawings
ARABIC, THAI = "ليلى", "รถไฟ"
PICTURES = (  # name, place, size, colours, part of the page
    ("board", "board", WIDE, "light"),
    ("run", "run/run-2", WIDE, "light"),
    ("findings", "run/run-2/findings?kind=wrong_boundary", WIDE, "light"),
    ("diff", "diff/run-1/run-2", WIDE, "light"),
    ("diff-dark", "diff/run-1/run-2", WIDE, "dark"),
    ("run-dark", "run/run-2", WIDE, "dark"),
    ("findings-360", "run/run-2/findings", NARROW, "light"),
    ("arabic", f"run/run-2/findings?q={ARABIC}&at={{arabic}}", WIDE, "light"),
    ("thai", "run/run-4/findings?at={thai}", WIDE, "light"),
    ("document", "run/run-2/document/{document}", WIDE, "light"),
    ("curves", "run/run-8", WIDE, "light", ".curves"),
)


def main() -> None:
    """Draw all pictures into a folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    pictures = parser.parse_args().folder.resolve()
    explorer = Explorer(build_memory_runs(score_viewed()))
    places = {
        "arabic": find_finding(explorer, "run-2", ARABIC),
        "thai": find_finding(explorer, "run-4", THAI),
        "document": 1,
    }
    with tempfile.TemporaryDirectory() as folder:
        write_bundle(explorer, Path(folder))
        draw_pictures((Path(folder) / "index.html").as_uri(), places, pictures)


def find_finding(explorer: Explorer, run: str, words: str) -> int:
    """Find the first finding whose text has these words."""
    return int(explorer.open_run(run).source.search(words).argmax())


def draw_pictures(page_url: str, places: dict[str, int], pictures: Path) -> None:
    """Draw each picture of the explorer in a folder."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("Chromium is not installed. Run: apt-get install chromium")
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, place, size, colours, *part in PICTURES:
            page: Any = browser.new_page(viewport=size, color_scheme=colours)
            page.goto(f"{page_url}#/{place.format(**places)}")
            page.wait_for_selector("h1")
            page.wait_for_timeout(1000 * SECONDS)
            shown = page.locator(part[0]) if part else page
            shown.screenshot(path=pictures / f"explorer-{name}.png")
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
