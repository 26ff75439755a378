"""Middleware around all routes.

It checks Host, Origin and token, adds ids and headers, logs, and answers problems.
"""

from __future__ import annotations

import asyncio
import hmac
import re
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.routing import Route, Router
from starlette.types import Message, Receive, Scope, Send

from isogloss.service.jobs import format_trace
from isogloss.service.monitoring import ServiceLog, ServiceMetrics
from isogloss.service.problems import BUG, MEDIA_TYPE, Problem, RefusedError, build_retry_header
from isogloss.service.requests import DisconnectedError
from isogloss.service.settings import ANY, ServiceSettings, parse_address

LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
HOST_REMEDY = "Call it by the address that it binds, or start it with --allow-host and the name."
ORIGIN_REMEDY = "Start the service with --allow-origin and the origin of the page."


class AllowedHosts:
    """Allowed Host headers (DNS-rebinding protection).

    They are the names of this machine, the bound address (any address if all are bound), and those of `--allow-host`.
    """

    def __init__(self, settings: ServiceSettings) -> None:
        self._hosts = LOCAL_HOSTS | {name.lower() for name in (settings.host, *settings.allowed_hosts)}
        self._origins = frozenset(settings.allowed_origins)
        self._any_address = settings.host == "" or (settings.address is not None and settings.address.is_unspecified)

    def check_request(self, host: str | None, origin: str | None) -> None:
        """Refuse requests with another Host or Origin.

        Args:
            host: header Host, None without it.
            origin: header Origin, which browsers send; None without it.

        Raises:
            RefusedError: if a header is not allowed.
        """
        if host is None or not self._is_allowed(parse_hostname(host)):
            raise RefusedError(Problem("host-refused", "The Host header names another service.", HOST_REMEDY))
        if origin is None or not self._origins.isdisjoint({origin, ANY}):
            return
        authority = urlsplit(origin).netloc if "://" in origin else ""
        same = authority.lower() == host.lower()
        if not same and (not authority or parse_hostname(authority) not in self._hosts - LOCAL_HOSTS):
            raise RefusedError(Problem("origin-refused", "The Origin header names another site.", ORIGIN_REMEDY))

    def _is_allowed(self, name: str) -> bool:
        return not self._hosts.isdisjoint({name, ANY}) or (self._any_address and parse_address(name) is not None)


def parse_hostname(authority: str) -> str:
    """Return the name of `name:port` in lower case.

    The result is empty if the port is not a number.
    """
    if authority.startswith("["):
        return authority[1:].partition("]")[0].lower()
    name, colon, port = authority.partition(":")
    return "" if colon and not port.isdigit() else name.rstrip(".").lower()


REQUEST_ID = "isogloss.request_id"
REQUEST_ID_PATTERN = re.compile(r"[A-Za-z0-9._-]{1,64}")
OTHER = "other"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
PUBLIC_PATHS = frozenset({"/healthz", "/readyz"})  # need no token, and do not delay the end of the service
PAGE_PATHS = frozenset(  # the pages ask for the token
    {"/", "/favicon.ico", "/static/app.js", "/static/app.css", "/docs", "/docs/", "/docs/style.css", "/docs/script.js"}
)
LINGER_SECONDS = 0.5
CLIENT_CLOSED_STATUS = 499  # in the log: nobody reads the answer
CLOSE = (b"connection", b"close")
ROUTING_KINDS = {404: "not-found", 405: "method-not-allowed"}
HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)


@dataclass
class ServiceState:
    """The state of the service.

    Args:
        is_stopping: whether the service was told to stop.
        open_requests: number of open requests, without those of `/healthz` and `/readyz`.
    """

    is_stopping: bool = False
    open_requests: int = 0


class ServiceMiddleware:
    """The middleware around all routes.

    Args:
        app: the routes.
        settings: allowed hosts, token and limits.
        state: whether the service stops, and its open requests.
        metrics: counts answers.
        log: logs answers.
    """

    def __init__(
        self,
        app: Router,
        settings: ServiceSettings,
        state: ServiceState,
        metrics: ServiceMetrics,
        log: ServiceLog,
    ) -> None:
        self._app = app
        self._allowed_hosts = AllowedHosts(settings)
        self._token = None if settings.token is None else settings.token.encode()
        self._max_drained = settings.limits.body
        self._state = state
        self._metrics = metrics
        self._log = log
        routes = [route for route in app.routes if isinstance(route, Route)]
        self._paths = frozenset(route.path for route in routes)
        self._patterns = [(route.path_regex, route.path_format) for route in routes if route.param_convertors]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start_time, path = time.monotonic(), scope["path"]
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        exchange = _Exchange(headers, receive, send, self._max_drained)
        scope["app"] = self  # with an app, the router raises what it cannot route
        scope[REQUEST_ID] = exchange.request_id
        counts = path not in PUBLIC_PATHS
        self._state.open_requests += counts
        try:
            await self._serve_request(scope, exchange, headers)
        finally:
            self._state.open_requests -= counts
        route = path if path in self._paths else self._find_pattern(path)
        method = scope["method"] if scope["method"] in METHODS else OTHER
        seconds = time.monotonic() - start_time
        self._metrics.count_answer(route, method, exchange.status, seconds)
        self._log.log_request(exchange.request_id, method, route, exchange.status, seconds)

    def _find_pattern(self, path: str) -> str:
        """Return the path with parameters in braces, for metrics."""
        return next((name for pattern, name in self._patterns if pattern.match(path)), OTHER)

    async def _serve_request(self, scope: Scope, exchange: _Exchange, headers: Mapping[str, str]) -> None:
        try:
            self._check_request(scope["path"], headers)
            await self._app(scope, exchange.receive, exchange.send)
        except RefusedError as refused:
            await exchange.refuse(refused.problem)
        except HTTPException as error:
            await exchange.refuse(_build_routing_problem(error))
        except DisconnectedError:
            exchange.status = CLIENT_CLOSED_STATUS
        except asyncio.CancelledError:  # the server ends, and this is not done
            detail = "The request was not done in time."
            await exchange.refuse(Problem("shutting-down", detail, headers=build_retry_header(5)))
        except Exception as error:  # noqa: BLE001  a bug is answered, and the service goes on
            self._log.log_bug(exchange.request_id, format_trace(error))
            await exchange.refuse(BUG)

    def _check_request(self, path: str, headers: Mapping[str, str]) -> None:
        self._allowed_hosts.check_request(headers.get("host"), headers.get("origin"))
        if path in PUBLIC_PATHS:
            return
        if path not in PAGE_PATHS and self._token is not None and not self._has_token(headers.get("authorization", "")):
            detail = "The request shows no token, or another one."
            header = {"WWW-Authenticate": 'Bearer realm="isogloss"'}
            raise RefusedError(Problem("token-missing", detail, "Send `Authorization: Bearer TOKEN`.", headers=header))
        if self._state.is_stopping:
            headers = build_retry_header(5)
            raise RefusedError(Problem("shutting-down", "No new requests are taken.", "Try another.", headers=headers))

    def _has_token(self, authorization: str) -> bool:
        scheme, _, token = authorization.partition(" ")
        same = hmac.compare_digest(token.strip().encode(), self._token or b"")
        return same and scheme.lower() == "bearer"


def _build_routing_problem(error: HTTPException) -> Problem:
    headers = dict(error.headers or {})
    remedy = f"It has: {headers['Allow']}." if "Allow" in headers else "`/docs/` lists what there is."
    kind = ROUTING_KINDS.get(error.status_code, "malformed-request")
    return Problem(kind, "Nothing here answers this.", remedy, headers=headers)


class _Exchange:
    """An open request and its answer.

    Of a refused body at most `max_drained` bytes are read.
    """

    def __init__(self, headers: Mapping[str, str], receive: Receive, send: Send, max_drained: int) -> None:
        given = headers.get("x-request-id", "")
        self.request_id = given if REQUEST_ID_PATTERN.fullmatch(given) else uuid.uuid4().hex
        self.status = 0
        self._is_read = headers.get("content-length", "0") == "0" and "transfer-encoding" not in headers
        self._receive = receive
        self._send = send
        self._max_drained = max_drained

    async def receive(self) -> Message:
        """Receive a piece of the body."""
        message = await self._receive()
        self._is_read = self._is_read or not message.get("more_body", False)
        return message

    async def send(self, message: Message) -> None:
        """Send a piece of the answer.

        Before the last piece, the rest of the body is read.
        """
        if message["type"] == "http.response.start":
            self.status = message["status"]
            own = [(b"x-request-id", self.request_id.encode()), *HEADERS, *(() if self._is_read else (CLOSE,))]
            message = {**message, "headers": [*message.get("headers", ()), *own]}
        elif not self._is_read and not message.get("more_body", False):
            await self._send({**message, "more_body": True})
            await self._drain()
            message = {"type": "http.response.body", "body": b""}
        await self._send(message)

    async def refuse(self, problem: Problem) -> None:
        """Answer with a problem, unless an answer has begun."""
        if self.status:
            return
        body = problem.to_json(self.request_id)
        headers = {"content-type": MEDIA_TYPE, "content-length": str(len(body)), **problem.headers}
        listed = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        closing = [CLOSE] if problem.kind == "shutting-down" and self._is_read else []
        await self.send({"type": "http.response.start", "status": problem.status, "headers": listed + closing})
        await self.send({"type": "http.response.body", "body": body})

    async def _drain(self) -> None:
        """Read the rest of the body for half a second.

        With an unread body the client may not see the answer.
        """
        left = self._max_drained
        try:
            async with asyncio.timeout(LINGER_SECONDS):
                while not self._is_read and left > 0:
                    left -= len((await self.receive()).get("body", b""))
        except TimeoutError:
            pass
