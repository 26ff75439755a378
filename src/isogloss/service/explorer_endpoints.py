"""Endpoints of the explorer.

They are the page, its files, and URLs that read runs and write notes.

Requests are answered in threads, so that a slow store delays no other request. numpy and the store are imported at the
first request for a run.
"""

from __future__ import annotations

import gzip
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route as Endpoint

from isogloss.errors import IsoglossError, StoreError
from isogloss.explorer.payloads import NoteBody
from isogloss.explorer.queries import UnknownError
from isogloss.explorer.routes import ROUTES, ExplorerRoute, answer_route
from isogloss.service.problems import Problem, RefusedError, to_problem
from isogloss.service.requests import SCHEMA_REMEDY, check_content_type, read_body
from isogloss.service.settings import ServiceLimits

if TYPE_CHECKING:
    from isogloss.explorer.explorer import Explorer

JSON = "application/json"
NOTE_PATH = "/v1/notes/{corpus_key}/{key}"
STATIC = {"app.js": "text/javascript", "app.css": "text/css"}
MIN_COMPRESSED = 1000  # bytes of an answer that is worth compressing
LEVEL = 1  # of gzip: over loopback time counts more than size
ReadBody = Callable[[Request], Awaitable[bytes]]


class ExplorerEndpoints:
    """The endpoints of the explorer.

    Args:
        load_explorer: opens the runs; called once, at the first request for them.
        limits: limits of bodies.
    """

    def __init__(self, load_explorer: Callable[[], Explorer], limits: ServiceLimits) -> None:
        self._load_explorer = load_explorer
        self._explorer: Explorer | None = None
        self._limits = limits

    def build(self) -> list[Endpoint]:
        """Build the endpoints."""
        static = files("isogloss.explorer").joinpath("static")
        endpoints = [Endpoint("/", partial(_answer_file, static.joinpath("index.html"), "text/html"))]
        endpoints += [Endpoint("/favicon.ico", _answer_nothing)]  # browsers ask for it
        endpoints += [
            Endpoint(f"/static/{name}", partial(_answer_file, static.joinpath(name), kind))
            for name, kind in STATIC.items()
        ]
        endpoints += [Endpoint(route.path_with_types, partial(self._answer_route, route)) for route in ROUTES]
        return [*endpoints, Endpoint(NOTE_PATH, self._answer_note, methods=["PUT", "DELETE"])]

    def get_explorer(self) -> Explorer:
        """Return the runs; open them at the first call."""
        if self._explorer is None:
            self._explorer = self._load_explorer()
        return self._explorer

    async def _answer_route(self, route: ExplorerRoute, request: Request) -> Response:
        pairs = request.query_params.multi_items()
        accepts_gzip = "gzip" in request.headers.get("accept-encoding", "")
        response: Response = await _run_in_thread(
            lambda: self._build_response(route, request.path_params, pairs, accepts_gzip)
        )
        return response

    def _build_response(
        self,
        route: ExplorerRoute,
        parameters: Mapping[str, str],
        pairs: list[tuple[str, str]],
        accepts_gzip: bool,  # noqa: FBT001  a value, not a mode
    ) -> Response:
        answer = answer_route(self.get_explorer(), route, parameters, pairs)
        headers = {"vary": "accept-encoding"}
        if answer.file_name:
            headers["content-disposition"] = f'attachment; filename="{answer.file_name}"'
        body = answer.body
        if accepts_gzip and len(body) > MIN_COMPRESSED:
            body, headers["content-encoding"] = gzip.compress(body, LEVEL), "gzip"
        return Response(body, media_type=answer.media_type, headers=headers)

    async def _answer_note(self, request: Request) -> Response:
        path = request.path_params
        if request.method == "DELETE":
            await _run_in_thread(lambda: self.get_explorer().delete_note(path["corpus_key"], path["key"]))
            return Response(status_code=204)
        check_content_type(request.headers, is_optional=False)
        body = await read_body(request.headers, request.receive, self._limits, lambda _: None)
        note = parse_typed_body(body, NoteBody)
        written = await _run_in_thread(lambda: self.get_explorer().write_note(path["corpus_key"], path["key"], note))
        return Response(msgspec.json.encode(written), media_type=JSON)


def parse_typed_body(body: bytes, kind: type[Any]) -> Any:
    """Parse a JSON body as a type.

    Args:
        body: the bytes.
        kind: the type.

    Raises:
        RefusedError: if the body is not JSON, or does not fit the type.
    """
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.ValidationError as error:
        what, _, place = str(error).partition(" - at `$")
        pointer = "".join(f"/{step}" for step in place.strip(".`").split(".") if step)
        raise RefusedError(Problem("invalid-request", f"{what}.", SCHEMA_REMEDY, pointer or None)) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RefusedError(Problem("malformed-json", f"{str(error).removeprefix('JSON is malformed: ')}.")) from None


async def _run_in_thread(work: Callable[[], Any]) -> Any:
    """Run work in a thread.

    Raises:
        RefusedError: if it ends in an error of isogloss.
    """
    try:
        return await run_in_threadpool(work)
    except UnknownError as error:
        detail = f"{error.message[:1].upper()}{error.message[1:]}."
        raise RefusedError(Problem("not-found", detail, error.remedy or "")) from None
    except StoreError as error:
        raise RefusedError(Problem("store-unreadable", error.message, error.remedy or "")) from None
    except IsoglossError as error:
        raise RefusedError(to_problem(error)) from None


async def _answer_file(file: Any, media_type: str, _: Request) -> Response:
    return Response(file.read_bytes(), media_type=media_type)


async def _answer_nothing(_: Request) -> Response:
    return Response(status_code=204)


def format_event(body: bytes) -> bytes:
    """Format a server-sent event."""
    return b"data: " + body + b"\n\n"
