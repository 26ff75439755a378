"""An HTTP endpoint is a system; its time is that of the clock."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from isogloss.benchmark.matrix import BenchmarkRunner
from isogloss.benchmark.plan import Corpus, Limits, Plan, System


class Silent:
    def show_state(self, corpus: str, system: str, state: str, done: int = 0, total: int = 0) -> None:
        pass


class Letters(BaseHTTPRequestHandler):
    """Cuts texts into letters; it fails on the letter x."""

    def do_POST(self) -> None:
        text = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["text"]
        self.send_response(500 if "x" in text else 200)
        self.end_headers()
        self.wfile.write(json.dumps({"words": list(text)}).encode())

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def address() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Letters) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/cut"
        server.shutdown()
        thread.join()


def test_an_endpoint_is_asked_for_each_text(address: str, tmp_path: Path) -> None:
    (tmp_path / "gold.label").write_text("a|b\nx|y\ncd\n")
    systems = [System("letters", url=address), System("nobody", url="http://127.0.0.1:9/")]
    plan = Plan([Corpus("toy", gold="gold.label")], systems, Limits(rounds=1, pass_seconds=0.0))
    benchmark = BenchmarkRunner(plan, tmp_path, tmp_path / "out", Silent()).run()
    letters, nobody = benchmark.cells
    assert letters.outcomes == {"ok": 2, "changed": 0, "failed": 1, "timed out": 0}
    assert letters.problems[0].reason == "HTTPError: HTTP Error 500: Internal Server Error"
    assert letters.timing is not None
    assert letters.timing.clock == "wall"
    assert letters.timing.seconds == letters.timing.wall
    assert nobody.outcomes["failed"] == 3
    assert "URLError" in nobody.reason
    scores = {each.system: each.run.scores["word"] for each in benchmark.scored}
    assert (scores["letters"]["correct"], scores["letters"]["reference"]) == (2, 5)
