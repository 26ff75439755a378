"""How the server binds, and that answers leave at once."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest
from serving import RunningService, exchange_bytes

from isogloss.service.server import _bind_socket
from isogloss.service.settings import ServiceSettings

HEAD = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"


def test_a_head_that_arrives_in_pieces_is_answered(service: RunningService) -> None:
    with socket.create_connection(("127.0.0.1", service.port), timeout=30) as connection:
        for piece in (HEAD[:10], HEAD[10:] + b"Connection: close\r\n", b"\r\n"):
            connection.sendall(piece)
        answer = b"".join(iter(lambda: connection.recv(1 << 16), b""))
    assert answer.startswith(b"HTTP/1.1 200 ")


def test_bytes_that_are_not_http_are_refused(service: RunningService) -> None:
    assert exchange_bytes(service.port, b"\x16\x03\x01 not HTTP\r\n\r\n").startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_connections_send_answers_without_delay(host: str) -> None:
    listener = _bind_socket(ServiceSettings(host=host, port=0))
    with listener, socket.create_connection(listener.getsockname()[:2]), listener.accept()[0] as connection:
        assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_the_server_process_never_imports_what_scores() -> None:
    code = (
        "import sys; from isogloss.service.app import Service; from isogloss.service.settings import ServiceSettings; "
        "Service(ServiceSettings()); sys.exit('numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
