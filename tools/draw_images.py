"""Draw the pictures in docs/images that are not the explorer's: terminal, report, notebook and docs, in Chromium.

    .venv/bin/pip install -e '.[dev,docs]'
    .venv/bin/mkdocs build --site-dir site
    .venv/bin/python tools/draw_images.py docs/images --site site

`--only terminal,report` draws some of them: `terminal` and `report` need no site and no JupyterLab. The notebook is the
tutorial `ner-got-worse.md`, run by a JupyterLab. `draw_explorer.py` draws the explorer.
Needs Chromium, and fonts for the scripts of the samples, such as Noto.
"""

import argparse
import html
import io
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from isogloss.cli import run
from isogloss.demo import write_samples

SHOWN = "isogloss ner gold.conll a.conll b.conll --errors 2"
TABLES = ("Systems (strict", "b.conll against a.conll", "b.conll: ")  # beginnings of the parts in the picture
COLUMNS = "110"
SECONDS = 90  # for JupyterLab to answer, and to run a notebook
TERMINAL = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; padding: 14px 20px; background: #1d2127; color: #d8dee6; }}
pre {{ margin: 0; font: 14px/1.4 "DejaVu Sans Mono", "Noto Sans Mono", monospace; }}
b {{ color: #7fd1b9; }}
</style><pre><b>$ {command}</b>

{output}</pre>"""
TUTORIAL = Path(__file__).parents[1] / "docs" / "tutorials" / "ner-got-worse.md"
LAST_CELLS = ("comparison", "after.findings.select(label='PER', document=only_before)[:3]")
LAB_SETTINGS = {"notification": {"fetchNews": "false", "checkForUpdates": False}}
Draw = Callable[[Any, Path, Path | None], None]


def main() -> None:
    """Draw the pictures into a folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--site", type=Path, help="the built documentation")
    parser.add_argument("--only", default=",".join(PICTURES), metavar="NAMES")
    options = parser.parse_args()
    pictures, site = options.folder.resolve(), options.site and options.site.resolve()
    pictures.mkdir(parents=True, exist_ok=True)
    os.environ["COLUMNS"] = COLUMNS
    with tempfile.TemporaryDirectory() as folder, chdir(folder), open_browser() as browser:
        write_samples(Path())
        for name in options.only.split(","):
            PICTURES[name](browser, pictures, site)
            sys.stdout.write(f"{name}\n")


@contextmanager
def open_browser() -> Iterator[Any]:
    """Open the Chromium of the system."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        sys.exit("Chromium is not installed. Run: apt-get install chromium")
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


def draw_terminal(browser: Any, pictures: Path, _site: Path | None) -> None:
    """Draw a command with its output, and write the text beside the picture."""
    text = f"$ {SHOWN}\n\n{select_parts(run_command(SHOWN))}\n"
    command, _, output = text.partition("\n\n")
    page = browser.new_page(viewport={"width": 940, "height": 60 + 20 * output.count("\n")})
    page.set_content(TERMINAL.format(command=html.escape(command[2:]), output=html.escape(output)))
    page.screenshot(path=pictures / "terminal.png", full_page=True)
    (pictures / "terminal.txt").write_text(text, encoding="utf-8")


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


def draw_report(browser: Any, pictures: Path, _site: Path | None) -> None:
    """Draw the first screen of a report on two systems."""
    run_command("isogloss ner gold.conll a.conll b.conll --errors 1000 -f json -o runs.json")
    run_command("isogloss report runs.json -o report.html")
    address = f"{Path('report.html').resolve().as_uri()}#/diff/run-1/run-2"
    draw_page(browser, address, pictures / "report.png", (1200, 900))


def draw_docs(browser: Any, pictures: Path, site: Path | None) -> None:
    """Draw the first page of the built documentation."""
    if site is None:
        sys.exit("Name the built documentation with --site: mkdocs build --site-dir site")
    draw_page(browser, (site / "index.html").as_uri(), pictures / "docs.png", (1300, 780))


def draw_page(browser: Any, address: str, picture: Path, size: tuple[int, int]) -> None:
    """Draw the top of a page as a picture of this width and height."""
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    page.goto(address)
    page.wait_for_selector("h1")
    page.wait_for_timeout(1000)  # fonts and drawings
    page.screenshot(path=picture)
    page.close()


def draw_notebook(browser: Any, pictures: Path, _site: Path | None) -> None:
    """Run the tutorial in JupyterLab, and draw its last cells, light and dark."""
    cells = [*re.findall(r"^```python\n(.*?)^```", TUTORIAL.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)]
    write_notebook(Path("tutorial.ipynb"), [*cells, *LAST_CELLS])
    with start_lab() as address:
        for theme, name in (("Light", "notebook.png"), ("Dark", "notebook-dark.png")):
            draw_cells(browser, f"{address}/lab/tree/tutorial.ipynb?reset", theme, pictures / name)


def write_notebook(path: Path, cells: list[str]) -> None:
    """Write cells of code as a notebook that was not run."""
    code = {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": []}
    found = [{**code, "id": f"cell-{at}", "source": cell.rstrip("\n")} for at, cell in enumerate(cells)]
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    path.write_text(json.dumps({"cells": found, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}))


@contextmanager
def start_lab() -> Iterator[str]:
    """Start JupyterLab on the current folder, and yield its address."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root", f"--port={port}"]
    command += [f"--ServerApp.root_dir={Path.cwd()}", "--IdentityProvider.token=", "--ServerApp.password="]
    command += [f"--LabApp.user_settings_dir={Path.cwd() / '.settings'}"]
    with subprocess.Popen(  # noqa: S603  fixed words
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "JUPYTER_PREFER_ENV_PATH": "1"},
    ) as process:
        try:
            wait_for(f"http://127.0.0.1:{port}/api", process)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def wait_for(address: str, process: Any) -> None:
    """Wait until a server answers."""
    end = time.monotonic() + SECONDS
    while process.poll() is None and time.monotonic() < end:
        try:
            with urllib.request.urlopen(address, timeout=5):  # noqa: S310  an address of this machine
                return
        except OSError:
            time.sleep(0.2)
    sys.exit("JupyterLab does not start. Run: pip install -e '.[pictures]'")


def draw_cells(browser: Any, address: str, theme: str, picture: Path) -> None:
    """Run all cells of a notebook in JupyterLab, and draw the last ones with their output."""
    for name, values in (LAB_SETTINGS | {"themes": {"theme": f"JupyterLab {theme}"}}).items():
        folder = Path(".settings") / "@jupyterlab" / "apputils-extension"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.jupyterlab-settings").write_text(json.dumps(values), encoding="utf-8")
    page = browser.new_page(viewport={"width": 1150, "height": 3200})
    page.set_default_timeout(1000 * SECONDS)
    page.goto(address)
    page.wait_for_selector(".jp-Notebook .jp-Cell")
    page.wait_for_selector("text=/Python 3.*Idle/")
    if page.query_selector(".jp-Dialog"):  # a slow machine asks for the kernel
        page.get_by_role("button", name="Select", exact=True).click()
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    page.wait_for_function(f"document.querySelectorAll('.jp-OutputArea-output .isogloss').length >= {len(LAST_CELLS)}")
    page.wait_for_timeout(2000)  # fonts and layout
    if page.query_selector(".jp-RenderedText[data-mime-type='application/vnd.jupyter.error']"):
        sys.exit("A cell of the tutorial failed.")
    boxes = [cell.bounding_box() for cell in page.query_selector_all(".jp-Notebook .jp-Cell")[-len(LAST_CELLS) :]]
    first, last = boxes[0], boxes[-1]
    height = last["y"] + last["height"] - first["y"]
    page.screenshot(path=picture, clip={**first, "height": height})
    page.close()


PICTURES: dict[str, Draw] = {
    "terminal": draw_terminal,
    "report": draw_report,
    "notebook": draw_notebook,
    "docs": draw_docs,
}


if __name__ == "__main__":
    main()
