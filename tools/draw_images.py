"""Draw terminal.png in docs/images: a command on the bundled data, in Chromium. `draw_explorer.py` draws the explorer.

    .venv/bin/python tools/draw_images.py docs/images
    .venv/bin/mkdocs build --site-dir site && .venv/bin/python tools/draw_images.py docs/images --site site

`--site` also draws docs.png, the first page of the built documentation.
Needs Chromium, and fonts for the scripts of the samples, such as Noto.
"""

import argparse
import html
import io
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from contextlib import chdir, redirect_stdout
from pathlib import Path

from isogloss.cli import run
from isogloss.demo import write_samples

SHOWN = "isogloss ner gold.conll a.conll b.conll --errors 2"
TABLES = ("Systems (strict", "b.conll against a.conll", "b.conll: ")  # beginnings of the parts in the picture
COLUMNS = "110"
SECONDS = 60  # for Chromium to draw a page
TERMINAL = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; padding: 14px 20px; background: #1d2127; color: #d8dee6; }}
pre {{ margin: 0; font: 14px/1.4 "DejaVu Sans Mono", "Noto Sans Mono", monospace; }}
b {{ color: #7fd1b9; }}
</style><pre><b>$ {command}</b>

{output}</pre>"""


def main() -> None:
    """Draw the pictures into a folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--site", type=Path)
    options = parser.parse_args()
    pictures, site = options.folder.resolve(), options.site and options.site.resolve()
    os.environ["COLUMNS"] = COLUMNS
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        write_samples(Path())
        text = select_parts(run_command(SHOWN))
        Path("terminal.html").write_text(format_terminal(text), encoding="utf-8")
        draw_page(Path("terminal.html"), pictures / "terminal.png", (940, 60 + 20 * (text.count("\n") + 2)))
        if site is not None:
            draw_page(site / "index.html", pictures / "docs.png", (1300, 780))


def run_command(line: str) -> str:
    """Run a command of isogloss and return what it prints."""
    written = io.StringIO()
    with redirect_stdout(written):
        code = run(shlex.split(line)[1:])
    if code:
        sys.exit(f"{line} ended with exit code {code}.")
    return written.getvalue()


def select_parts(output: str) -> str:
    """Return the parts of an output that are in the picture, each once."""
    parts = output.split("\n\n")
    found = [next(part for part in parts if part.lstrip().startswith(begin)) for begin in TABLES]
    return "\n\n".join(part.strip("\n") for part in found)


def format_terminal(text: str) -> str:
    """Format an output as a page that looks like a terminal."""
    return TERMINAL.format(command=html.escape(SHOWN), output=html.escape(text))


def draw_page(page: Path, picture: Path, size: tuple[int, int]) -> None:
    """Draw the top of a page as a picture of this width and height."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("Chromium is not installed. Run: apt-get install chromium")
    width, height = size
    command = [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    command += [f"--user-data-dir={Path.cwd()}/chromium", f"--window-size={width},{height}"]
    command += [f"--screenshot={picture}", page.resolve().as_uri()]
    subprocess.run(command, check=True, timeout=SECONDS, capture_output=True)  # noqa: S603  fixed words


if __name__ == "__main__":
    main()
