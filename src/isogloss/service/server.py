"""The server: binds, runs until it is told to stop, and finishes what is under way."""

from __future__ import annotations

import asyncio
import socket
import sys
import time
from types import FrameType
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from isogloss.errors import UsageError
from isogloss.service.app import Service
from isogloss.service.settings import Settings

BACKLOG = 2048
HEAD_SECONDS = 15.0  # for the head of a request to arrive


def serve(settings: Settings) -> int | None:
    """Serve until a signal comes.

    Args:
        settings: how.

    Returns:
        The signal.

    Raises:
        UsageError: the address cannot be bound.
        MissingExtraError: a package or model is missing.
    """
    service = Service(settings)
    with _bound(settings) as listener:
        port = listener.getsockname()[1]
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        _say(f"isogloss: http://{host}:{port} (documentation at /docs/, ready when /readyz says so)", settings)
        server = _Server(service)
        server.run(sockets=[listener])
    if service.failure is not None:
        raise service.failure
    return server.told


class _Server(uvicorn.Server):
    """A server that keeps answering, with 503, while it finishes what is under way.

    Args:
        service: what it serves.
    """

    def __init__(self, service: Service) -> None:
        super().__init__(_config(service))
        self.told: int | None = None
        self._service = service
        self._until = 0.0

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002  as signal handlers are called
        """Stop when all is done, or at the second signal at once."""
        if self.told is not None:
            self.should_exit = self.force_exit = True
        self.told = sig
        self._service.state.stopping = True
        self._until = time.monotonic() + self._service.settings.limits.grace_seconds

    async def on_tick(self, counter: int) -> bool:
        """Whether to end now."""
        state = self._service.state
        done = state.stopping and (not state.open or time.monotonic() > self._until)
        return done or self._service.failure is not None or await super().on_tick(counter)


class _Protocol(H11Protocol):
    """HTTP/1.1 on a connection that is closed if the head of a request does not arrive."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for a head."""
        super().connection_made(transport)
        # asyncio does this only for sockets of its own; else head and body of an answer are 40 ms apart
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Wait on while there is only a part of it."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._wait()
        elif self._late is not None:
            self._late.cancel()
            self._late = None

    def _wait(self) -> None:
        if self._late is None:
            self._late = self.loop.call_later(HEAD_SECONDS, self._close)

    def _close(self) -> None:
        self._late = None
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self.transport.close()


def _config(service: Service) -> uvicorn.Config:
    return uvicorn.Config(
        service.app,
        loop="asyncio",
        http=_Protocol,
        ws="none",
        lifespan="on",
        log_config=None,
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=BACKLOG,
        timeout_graceful_shutdown=1,
    )


def _bound(settings: Settings) -> socket.socket:
    try:
        found = socket.getaddrinfo(
            settings.host or None,
            settings.port,
            type=socket.SOCK_STREAM,
            flags=socket.AI_PASSIVE,
        )
        family, _, _, _, address = found[0]
        return socket.create_server(address[:2], family=family, backlog=BACKLOG)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(
            f"{settings.host}:{settings.port} cannot be bound: {reason}. Is another service on it?",
        ) from error


def _say(line: str, settings: Settings) -> None:
    if not settings.quiet:
        print(line, file=sys.stderr, flush=True)  # noqa: T201  what a person reads
