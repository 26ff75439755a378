"""Bodies, read within limits: what is too large is refused before it is read, or as soon as it has become too large."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import re
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from isogloss.service.jobs import without_text
from isogloss.service.monitoring import Log, Measures
from isogloss.service.problems import MEDIA_TYPE, Problem, RefusedError, bug, escaped
from isogloss.service.queue import Place
from isogloss.service.settings import Limits, Settings

JSON = re.compile(r"application/(?:[\w.+-]+\+)?json\s*(?:;\s*charset\s*=\s*\"?utf-?8\"?\s*)?", re.IGNORECASE | re.ASCII)


class DisconnectedError(Exception):
    """The client has gone before its body had come."""


def check_kind(headers: Mapping[str, str], *, may_lack: bool) -> None:
    """Refuse what is not sent as JSON.

    Args:
        headers: of the request.
        may_lack: whether the type may be left out.

    Raises:
        RefusedError: it is something else, or compressed.
    """
    kind, coding = headers.get("content-type"), headers.get("content-encoding", "identity")
    if kind is None if not may_lack else False:
        raise RefusedError(Problem("media-type-refused", "The request has no Content-Type.", BODY_REMEDY))
    if kind is not None and not JSON.fullmatch(kind.strip()):
        raise RefusedError(Problem("media-type-refused", "The Content-Type is not JSON in UTF-8.", BODY_REMEDY))
    if coding.lower() != "identity":
        raise RefusedError(Problem("media-type-refused", "The body is compressed.", "Send it as it is."))


BODY_REMEDY = "Send JSON in UTF-8 with `Content-Type: application/json`."


async def body_of(headers: Mapping[str, str], receive: Receive, limits: Limits, place: Place) -> bytes:
    """The body of a request.

    Args:
        headers: of the request.
        receive: gives its pieces.
        limits: how large it may be, and how long it may take.
        place: of the request, which is told of what is held.

    Raises:
        RefusedError: it is too large, late, or more than can be held now.
        DisconnectedError: the client has gone.
    """
    announced = headers.get("content-length", "0")
    if not announced.isascii() or not announced.isdigit() or int(announced[:20]) > limits.body:
        raise _too_large(limits)
    try:
        async with asyncio.timeout(limits.body_seconds):
            return await _read(receive, limits, place)
    except TimeoutError:
        detail = f"The body has not arrived within {limits.body_seconds:g} s."
        raise RefusedError(Problem("body-late", detail, "Send it at once.")) from None


async def _read(receive: Receive, limits: Limits, place: Place) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise DisconnectedError
        piece = message.get("body", b"")
        size += len(piece)
        if size > limits.body:
            raise _too_large(limits)
        place.hold(len(piece))
        pieces.append(piece)
        if not message.get("more_body", False):
            return b"".join(pieces)


def _too_large(limits: Limits) -> RefusedError:
    detail = f"The body is larger than {limits.body:,} bytes."
    return RefusedError(Problem("body-too-large", detail, "Send fewer documents at a time, or raise --max-body."))


LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
ANY = "*"


@dataclass(frozen=True)
class Names:
    """The names that are known.

    Args:
        hosts: names and addresses.
        addresses: whether any address will do, because all are bound.
    """

    hosts: frozenset[str]
    addresses: bool = False

    @classmethod
    def of(cls, settings: Settings) -> Names:
        """The names that follow from what is bound, and those that were named."""
        named = {name.lower() for name in settings.allowed_hosts}
        everywhere = settings.host == "" or (settings.address is not None and settings.address.is_unspecified)
        return cls(LOCAL | named | {settings.host.lower()}, everywhere)

    def check(self, host: str | None, origin: str | None) -> None:
        """Refuse calls by other names, and of pages of other origins.

        Args:
            host: the header Host.
            origin: the header Origin, which browsers send.

        Raises:
            RefusedError: for these.
        """
        if host is None or not self._knows(hostname(host)):
            raise RefusedError(Problem("host-refused", "The Host header names another service.", HOST_REMEDY))
        if origin is None:
            return
        authority = urlsplit(origin).netloc if "://" in origin else ""
        same = authority.lower() == host.lower()
        if not same and (not authority or hostname(authority) not in self.hosts - LOCAL):
            raise RefusedError(Problem("origin-refused", "The Origin header names another site.", HOST_REMEDY))

    def _knows(self, name: str) -> bool:
        return name in self.hosts or ANY in self.hosts or (self.addresses and _is_address(name))


HOST_REMEDY = "Call it by the address that it binds, or start it with --allow-host and the name."


def hostname(authority: str) -> str:
    """The name of `name:port`, in lower case; empty where that is none."""
    if authority.startswith("["):
        return authority[1:].partition("]")[0].lower()
    name, colon, port = authority.partition(":")
    return "" if colon and not port.isdigit() else name.rstrip(".").lower()


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


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
        self,
        app: ASGIApp,
        settings: Settings,
        state: State,
        measures: Measures,
        log: Log,
        routes: frozenset[str],
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
        except Exception as error:  # noqa: BLE001  each of the batch has to hear of it
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
                "shutting-down",
                "No new requests are taken.",
                "Try another.",
                headers={"Retry-After": "5"},
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


GONE = 499  # a client that has not waited; nobody reads it


def add_refusals(app: FastAPI) -> None:
    """Make an application answer with problems.

    Args:
        app: the application.
    """
    app.add_exception_handler(RefusedError, _refused)
    app.add_exception_handler(DisconnectedError, _gone)
    app.add_exception_handler(HTTPException, _not_routed)
    app.add_exception_handler(RequestValidationError, _bad_query)
    app.add_exception_handler(Exception, _bug)


def _answer(request: Request, problem: Problem) -> Response:
    body = problem.to_json(request.scope[REQUEST_ID])
    return Response(body, problem.status, dict(problem.headers), MEDIA_TYPE)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, RefusedError)  # noqa: S101  as it is registered
    return _answer(request, error.problem)


async def _gone(_: Request, __: Exception) -> Response:
    return Response(status_code=GONE)


async def _bug(request: Request, _: Exception) -> Response:
    return _answer(request, bug())


async def _not_routed(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101  as it is registered
    headers = dict(error.headers or {})
    allowed = f"It has: {headers['Allow']}." if "Allow" in headers else "`/docs/` lists what there is."
    kinds = {404: "not-found", 405: "method-not-allowed"}
    kind = kinds.get(error.status_code, "malformed-request")
    return _answer(request, Problem(kind, "Nothing here answers this.", allowed, headers=headers))


async def _bad_query(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101  as it is registered
    first = error.errors()[0]
    detail = f"The query's {escaped(str(first['loc'][-1]))}: {first['msg']}."
    return _answer(request, Problem("invalid-request", detail, "`/docs/` says what it may be."))
