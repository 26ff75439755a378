"""Draw docs/images/notebook.png: runs in a real JupyterLab, in Chromium.

    python3 -m venv /tmp/lab && /tmp/lab/bin/pip install . jupyterlab
    /tmp/lab/bin/python tools/draw_notebook.py docs/images/notebook.png

Needs Chromium, and fonts with Arabic letters. `--dark` draws the dark theme, `--html FILE` also writes what the output
cells hold in the page.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from tornado.websocket import websocket_connect

CELLS = (
    """\
import isogloss

tokens = [["Ada", "Lovelace", "met", "Charles", "Babbage", "."],
          ["ولد", "نجيب", "محفوظ", "في", "القاهرة", "."],
          ["The", "University", "of", "Belgrade", "hired", "her", "."]]
gold = [["B-PER", "I-PER", "O", "B-PER", "I-PER", "O"],
        ["O", "B-PER", "I-PER", "O", "B-LOC", "O"],
        ["O", "B-ORG", "I-ORG", "I-ORG", "O", "O", "O"]]
system = [["B-PER", "I-PER", "O", "B-PER", "I-PER", "O"],
          ["O", "B-PER", "O", "O", "B-LOC", "O"],
          ["O", "O", "O", "B-LOC", "O", "O", "O"]]

run = isogloss.ner(gold, system, tokens=tokens, system="my model",
                   findings=True, confidence=0.95)
run""",
)
WIDTH, HEIGHT = 1150, 1900
SECONDS = 90  # for the page to be drawn
READY = "document.querySelectorAll('.jp-OutputArea-output .isogloss').length"
OUTPUTS = "[...document.querySelectorAll('.jp-OutputArea-output')].map(one => one.innerHTML).join('\\n')"
CELLS_AREA = """
(() => {
  const cells = [...document.querySelectorAll('.jp-Notebook .jp-Cell')].slice(0, CELLS);
  const boxes = cells.map(one => one.getBoundingClientRect());
  const top = boxes[0].top, left = boxes[0].left;
  return {x: left, y: top, width: boxes[0].width, height: boxes.at(-1).bottom - top, scale: 1};
})()
"""
SETTINGS = {
    "themes": {"theme": "JupyterLab Light"},
    "notification": {"fetchNews": "false", "checkForUpdates": False},
}


def main() -> None:
    """Run the cells, open them in JupyterLab, and save the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("picture", type=Path)
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--html", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_notebook(Path(folder) / "isogloss.ipynb")
        with start_lab(folder, dark=options.dark) as address, start_browser(folder) as port:
            picture, html = asyncio.run(draw_page(port, f"{address}/lab/tree/isogloss.ipynb?reset"))
    options.picture.write_bytes(picture)
    if options.html is not None:
        options.html.write_text(html, encoding="utf-8")


def write_notebook(path: Path) -> None:
    """Run the cells and save the notebook as one that JupyterLab trusts."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    NotebookClient(notebook, timeout=SECONDS).execute()
    nbformat.write(notebook, path)
    command = [sys.executable, "-m", "jupyter", "trust", str(path)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603  fixed words


def find_port() -> int:
    """Find a port that is free."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


@contextmanager
def start_lab(folder: str, *, dark: bool) -> Iterator[str]:
    """Start JupyterLab on a folder, and yield its address."""
    settings = Path(folder) / ".settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    chosen = SETTINGS | ({"themes": {"theme": "JupyterLab Dark"}} if dark else {})
    for name, values in chosen.items():
        (settings / f"{name}.jupyterlab-settings").write_text(json.dumps(values), encoding="utf-8")
    port = find_port()
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root", f"--port={port}"]
    command += [f"--ServerApp.root_dir={folder}", "--IdentityProvider.token=", "--ServerApp.password="]
    command += [f"--LabApp.user_settings_dir={Path(folder) / '.settings'}"]
    with run_process(command):
        address = f"http://127.0.0.1:{port}"
        wait_for(f"{address}/api")
        yield address


@contextmanager
def start_browser(folder: str) -> Iterator[int]:
    """Start Chromium without a window, and yield the port of its debugger."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        sys.exit("Chromium is not installed. Run: apt-get install chromium")
    port = find_port()
    command = [found, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/.chromium"]
    command += [f"--remote-debugging-port={port}", f"--window-size={WIDTH},{HEIGHT}", "about:blank"]
    with run_process(command):
        wait_for(f"http://127.0.0.1:{port}/json/version")
        yield port


@contextmanager
def run_process(command: list[str]) -> Iterator[None]:
    """Run a program until the block ends."""
    with subprocess.Popen(  # noqa: S603  fixed words
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "JUPYTER_PREFER_ENV_PATH": "1"},
    ) as process:
        try:
            yield
        finally:
            process.terminate()


def wait_for(address: str) -> None:
    """Wait until a server answers."""
    end = time.monotonic() + SECONDS
    while True:
        try:
            with urllib.request.urlopen(address, timeout=5):  # noqa: S310  an address of this machine
                return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)


def find_page(port: int) -> str:
    """Return the address by which the page of a browser is controlled."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=5) as answer:
        found: str = next(one for one in json.load(answer) if one["type"] == "page")["webSocketDebuggerUrl"]
        return found


async def draw_page(port: int, address: str) -> tuple[bytes, str]:
    """Open a page, wait for its output cells, and return a picture and their HTML."""
    connection = await websocket_connect(find_page(port), max_message_size=1 << 28)
    number = 0

    async def call(method: str, **parameters: Any) -> dict[str, Any]:
        nonlocal number
        number += 1
        await connection.write_message(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(await connection.read_message() or "{}")
            if message.get("id") == number:
                result: dict[str, Any] = message["result"]
                return result

    async def evaluate(expression: str) -> Any:
        found = await call("Runtime.evaluate", expression=expression, returnByValue=True)
        return found["result"].get("value")

    await call("Page.navigate", url=address)
    end = time.monotonic() + SECONDS
    while await evaluate(READY) != len(CELLS):
        if time.monotonic() > end:
            sys.exit("JupyterLab did not draw the cells.")
        await asyncio.sleep(0.5)
    await asyncio.sleep(3)  # fonts and layout
    area = await evaluate(CELLS_AREA.replace("CELLS", str(len(CELLS))))
    picture = await call("Page.captureScreenshot", format="png", clip=area)
    return base64.b64decode(picture["data"]), await evaluate(OUTPUTS)


if __name__ == "__main__":
    main()
