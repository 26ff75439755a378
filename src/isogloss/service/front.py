"""What every request passes before it comes to a route, and every answer on its way out.

In this order: is the service called by its name, by a page of its own or no page; is there a token; is it about to
stop. All answers get an id, headers that keep browsers in bounds, a line in the log, and are counted. Where an answer
is sent before a body has been read to its end, the connection is closed after it; what is under way of the body is
read for a moment, because a connection that is closed with bytes unread may take the answer with it.
"""

from __future__ import annotations

import asyncio
import hmac
import re
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from isogloss.service.hosts import Names
from isogloss.service.log import Log
from isogloss.service.measures import Measures
from isogloss.service.problems import MEDIA_TYPE, Problem, RefusedError, bug
from isogloss.service.settings import Settings
from isogloss.service.work import without_text

REQUEST_ID = "isogloss.request_id"
SANE = re.compile(r"[A-Za-z0-9._-]{1,64}")
OTHER = "other"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OPEN = frozenset({"/healthz", "/readyz"})  # what asks these has no token, and is not waited for
LINGER = 0.5  # seconds
CLOSE = (b"connection", b"close")
LATER = {"Retry-After": "5"}
HEADERS = (
    (b"content-security-policy", b"default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)


@dataclass
class State:
    """What the service is doing.

    Args:
        stopping: whether it has been told to stop.
        open: requests under way, without those that ask for its health.
    """

    stopping: bool = False
    open: int = 0


class Front:
    """The middleware around all routes.

    Args:
        app: the routes.
        settings: names and token.
        state: is asked whether to stop, and told of requests.
        measures: count answers.
        log: tells of them.
        routes: the paths that there are.
    """

    def __init__(
        self, app: ASGIApp, settings: Settings, state: State, measures: Measures, log: Log, routes: frozenset[str]
    ) -> None:
        self._app = app
        self._names = Names.of(settings)
        self._token = None if settings.token is None else settings.token.encode()
        self._drained = settings.limits.body
        self._state = state
        self._measures = measures
        self._log = log
        self._routes = routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        asked = headers.get("x-request-id", "")
        exchange = _Exchange(asked if SANE.fullmatch(asked) else uuid.uuid4().hex, headers, receive, send)
        scope[REQUEST_ID] = exchange.request_id
        with self._counted(scope["path"]):
            await self._served(scope, exchange, headers)
            await exchange.finish(self._drained)
        self._told(scope, exchange)

    async def _served(self, scope: Scope, exchange: _Exchange, headers: Mapping[str, str]) -> None:
        try:
            self._check(scope["path"], headers)
            await self._app(scope, exchange.receive, exchange.send)
        except RefusedError as refused:
            await exchange.refuse(refused.problem)
        except asyncio.CancelledError:  # the server ends, and this is not done
            if not exchange.status:
                await exchange.refuse(Problem("shutting-down", "The request was not done in time.", headers=LATER))
        except Exception as error:  # noqa: BLE001  the last line of defence
            self._log.bug(exchange.request_id, without_text(error))
            if not exchange.status:
                await exchange.refuse(bug())

    def _check(self, path: str, headers: Mapping[str, str]) -> None:
        self._names.check(headers.get("host"), headers.get("origin"))
        if path in OPEN:
            return
        if self._token is not None and not self._shown(headers.get("authorization", "")):
            detail = "The request shows no token, or another one."
            header = {"WWW-Authenticate": 'Bearer realm="isogloss"'}
            raise RefusedError(Problem("token-missing", detail, "Send `Authorization: Bearer TOKEN`.", headers=header))
        if self._state.stopping:
            problem = Problem(
                "shutting-down", "No new requests are taken.", "Try another.", headers={"Retry-After": "5"}
            )
            raise RefusedError(problem)

    def _shown(self, authorization: str) -> bool:
        scheme, _, token = authorization.partition(" ")
        same = hmac.compare_digest(token.strip().encode(), self._token or b"")
        return same and scheme.lower() == "bearer"

    @contextmanager
    def _counted(self, path: str) -> Iterator[None]:
        counts = path not in OPEN
        self._state.open += counts
        try:
            yield
        finally:
            self._state.open -= counts

    def _told(self, scope: Scope, exchange: _Exchange) -> None:
        route = scope["path"] if scope["path"] in self._routes else OTHER
        method = scope["method"] if scope["method"] in METHODS else OTHER
        seconds = time.monotonic() - exchange.began
        self._measures.answered(route, method, exchange.status, seconds)
        self._log.request(exchange.request_id, method, route, exchange.status, seconds)


class _Exchange:
    """A request and its answer, under way.

    Args:
        request_id: its id.
        headers: of the request.
        receive: gives its body.
        send: takes the answer.
    """

    def __init__(self, request_id: str, headers: Mapping[str, str], receive: Receive, send: Send) -> None:
        self.request_id = request_id
        self.status = 0
        self.began = time.monotonic()
        self._read = headers.get("content-length", "0") == "0" and "transfer-encoding" not in headers
        self._last: Message | None = None
        self._receive = receive
        self._send = send

    async def receive(self) -> Message:
        """A piece of the body."""
        message = await self._receive()
        self._read = self._read or not message.get("more_body", False)
        return message

    async def send(self, message: Message) -> None:
        """A piece of the answer; its end is kept back until `finish`."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            own = [(b"x-request-id", self.request_id.encode()), *HEADERS, *(() if self._read else (CLOSE,))]
            message = {**message, "headers": [*message.get("headers", ()), *own]}
        elif not message.get("more_body", False):
            self._last = {"type": "http.response.body", "body": b"", "more_body": False}
            if self._read:
                self._last = {**message}
                return
            message = {**message, "more_body": True}
        await self._send(message)

    async def refuse(self, problem: Problem) -> None:
        """Answer with a problem."""
        body = problem.to_json(self.request_id)
        headers = {"content-type": MEDIA_TYPE, "content-length": str(len(body)), **problem.headers}
        listed = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        closing = [CLOSE] if problem.kind == "shutting-down" and self._read else []
        await self.send({"type": "http.response.start", "status": problem.status, "headers": listed + closing})
        await self.send({"type": "http.response.body", "body": body})

    async def finish(self, most: int) -> None:
        """End the answer.

        Args:
            most: bytes of the body that are read before.
        """
        if not self._read and self.status:
            try:
                async with asyncio.timeout(LINGER):
                    while not self._read and most > 0:
                        most -= len((await self.receive()).get("body", b""))
            except TimeoutError:
                pass
        if self._last is not None:
            await self._send(self._last)
