"""The server: bind, run until a signal, and finish open requests.

A reverse proxy handles slow request heads, idle connections and TLS; uvicorn closes idle keep-alive connections.
"""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Callable
from types import FrameType

import uvicorn

from isogloss.errors import UsageError
from isogloss.service.app import LoadExplorer, Service
from isogloss.service.settings import ServiceSettings

BACKLOG = 2048


def serve(
    settings: ServiceSettings, load_explorer: LoadExplorer | None = None, announce: Callable[[str], None] | None = None
) -> int | None:
    """Serve until a signal comes, and return the signal.

    Args:
        settings: settings of the service.
        load_explorer: opens the runs that the explorer shows; None for those of the store.
        announce: takes the URL of the service; None to print it unless the service is quiet.

    Raises:
        UsageError: if the address cannot be bound.
        MissingExtraError: if a package or model is missing.
    """
    service = Service(settings, load_explorer)
    with _bind_socket(settings) as listener:
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        url = f"http://{host}:{listener.getsockname()[1]}"
        if announce is not None:
            announce(url)
        elif not settings.quiet:
            line = f"isogloss: {url} (explorer at /, documentation at /docs/, ready when /readyz says so)"
            print(line, file=sys.stderr, flush=True)  # noqa: T201  what a person reads
        server = _Server(service)
        server.run(sockets=[listener])
    if service.failure is not None:
        raise service.failure
    return server.stop_signal


class _Server(uvicorn.Server):
    """A server that finishes open requests before it ends.

    Meanwhile it answers 503 to new requests.
    """

    def __init__(self, service: Service) -> None:
        super().__init__(
            uvicorn.Config(
                service.app,
                loop="asyncio",
                http="h11",
                ws="none",
                lifespan="on",
                log_config=None,
                log_level="critical",
                access_log=False,
                proxy_headers=False,
                server_header=False,
                backlog=BACKLOG,
                timeout_graceful_shutdown=1,
            ),
        )
        self.stop_signal: int | None = None
        self._service = service
        self._stop_time = 0.0

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002  as signal handlers are called
        """Stop after the open requests, or at once at the second signal."""
        if self.stop_signal is not None:
            self.should_exit = self.force_exit = True
        self.stop_signal = sig
        self._service.state.is_stopping = True
        self._stop_time = time.monotonic() + self._service.settings.limits.grace_seconds

    async def on_tick(self, counter: int) -> bool:
        """Return whether to end now."""
        state = self._service.state
        done = state.is_stopping and (not state.open_requests or time.monotonic() > self._stop_time)
        return done or self._service.failure is not None or await super().on_tick(counter)


def _bind_socket(settings: ServiceSettings) -> socket.socket:
    try:
        kind, flags = socket.SOCK_STREAM, socket.AI_PASSIVE
        family, *_, address = socket.getaddrinfo(settings.host or None, settings.port, type=kind, flags=flags)[0]
        listener = socket.create_server(address[:2], family=family, backlog=BACKLOG)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(
            f"{settings.host}:{settings.port} cannot be bound: {reason}. Is another service on it?",
        ) from error
    # connections inherit it; without it head and body of an answer are 40 ms apart
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener
