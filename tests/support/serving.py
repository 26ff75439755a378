"""A service in a process of its own, over loopback."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

HERE = Path(__file__).parent
SECONDS = 30.0  # for a server to be ready, on a busy machine


@dataclass
class RunningService:
    """A running service."""

    process: subprocess.Popen[str]
    url: str = ""
    port: int = 0
    lines: list[str] = field(default_factory=list)

    def client(self, **options: object) -> httpx.Client:
        return httpx.Client(base_url=self.url, timeout=SECONDS, trust_env=False, **options)  # type: ignore[arg-type]

    def read_log(self, last: str = "") -> str:
        """All that it has written to standard error, up to a line that holds these words."""
        until = time.monotonic() + SECONDS
        while last and not any(last in line for line in self.lines):
            assert time.monotonic() < until, f"it does not say {last}"
            time.sleep(0.005)  # the lines come through a pipe
        return "\n".join(self.lines)


@contextmanager
def start_service(
    *arguments: str, environment: dict[str, str] | None = None, ready: bool = True
) -> Iterator[RunningService]:
    """Start a service on a free port, and wait until it is ready.

    It is killed in the end and cannot clean up, so its temporary files are in a folder that is deleted here.
    """
    temporary = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # workers may outlive the service a little
    paths = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])])
    process = subprocess.Popen(
        [sys.executable, "-m", "isogloss", "serve", "--port", "0", *arguments],
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=os.environ | {"PYTHONPATH": paths, "TMPDIR": temporary.name} | (environment or {}),
    )
    service = RunningService(process)
    started = threading.Event()
    reader = threading.Thread(target=_read, args=(service, started), daemon=True)
    reader.start()
    try:
        assert started.wait(SECONDS), "the server has said nothing"
        if ready:
            _until_ready(service)
        yield service
    finally:
        process.kill()
        process.wait()
        reader.join()
        assert process.stderr is not None
        process.stderr.close()
        temporary.cleanup()


def exchange_bytes(port: int, request: bytes) -> bytes:
    """All that is answered to these bytes until the connection is closed."""
    with socket.create_connection(("127.0.0.1", port), timeout=SECONDS) as connection:
        connection.sendall(request)
        return b"".join(iter(lambda: connection.recv(1 << 16), b""))


def _read(service: RunningService, started: threading.Event) -> None:
    assert service.process.stderr is not None
    for line in service.process.stderr:
        service.lines.append(line.rstrip("\n"))
        found = re.search(r"http://\S+:(\d+) ", line)
        if found and not service.port:
            service.port = int(found[1])
            service.url = f"http://127.0.0.1:{service.port}"
            started.set()
    started.set()


def _until_ready(service: RunningService) -> None:
    until = time.monotonic() + SECONDS
    with service.client() as client:
        while client.get("/readyz").status_code != httpx.codes.OK:
            assert time.monotonic() < until, service.read_log()
            assert service.process.poll() is None, service.read_log()
            time.sleep(0.02)  # a server that starts gives no other sign
