"""Requests with a body: their routes, types, reading and parsing.

The routes are those that tasks declare. A body holds arguments of the Python call: data and options, never paths. A
missing argument has the default of the call. Types limit the nesting of a body; the task checks the values. No type
below accepts a string where Python takes a path, so the service never opens a path of a client, and it compiles no
pattern of a client.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Collection, Mapping, MutableMapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal, cast, get_origin

import msgspec
from msgspec import UNSET, Meta, UnsetType

from isogloss.service.problems import Problem, RefusedError, escape_pointer, to_json_pointer
from isogloss.service.settings import ServiceLimits
from isogloss.tasks.options import SAME, Field, list_fields
from isogloss.tasks.registry import get_task, list_task_names
from isogloss.tasks.task import ExtraRoute, Request, Task

MAX_RESAMPLES = 10_000
MAX_CONTEXT = 100
MAX_FINDINGS = 100_000
Number = int | float
Confidence = Annotated[Number | None, Meta(description="Level of the intervals, such as 0.95.")]
Interval = Annotated[
    Literal["auto", "bootstrap", "wilson"],
    Meta(description="Method of the intervals: `auto` by score, `bootstrap`, or `wilson` for independent proportions."),
]
Resamples = Annotated[int, Meta(description="Number of resamples.", ge=1, le=MAX_RESAMPLES)]
Seed = Annotated[int, Meta(description="Seed of the resamples.", ge=0)]
Slices = Annotated[
    dict[str, list[str | Number | bool | None]],
    Meta(description="Per column the value of each document: the documents with each value are scored apart, too."),
]
Unit = Annotated[str, Meta(description="`document`, or the column of `by` whose values are resampled as a whole.")]
Context = Annotated[int, Meta(description="Words of context on each side of a finding.", ge=0, le=MAX_CONTEXT)]
Detail = Annotated[
    Literal["findings", "summary"],
    Meta(description="`findings` adds what a person looks at, each in its context."),
]
MaxFindings = Annotated[int, Meta(description="At most so many findings are listed.", ge=1, le=MAX_FINDINGS)]


class Query(msgspec.Struct):
    """The query of a route that scores."""

    detail: Detail = "summary"
    errors: MaxFindings = 100


System = Annotated[str, Meta(description="Name of the system in the result.")]
EVIDENCE: Mapping[str, Any] = {
    "system": System,
    "by": Slices,
    "unit": Unit,
    "confidence": Confidence,
    "interval": Interval,
    "resamples": Resamples,
    "seed": Seed,
}  # the same for every task


class Body(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Body of a request.

    The first member has an item for each document.
    """


def build_body_type(task: Task, request: Request) -> type[Body]:
    """Build the type of the bodies of a task.

    A body has data, options of the task, and options of all tasks.
    """
    options = [field for field in list_fields(task.options) if "service" in field.option.surfaces]
    members: list[tuple[str, Any] | tuple[str, Any, Any]] = [*request.data.items()]
    members += [(field.name, _build_member_type(field) | UnsetType, UNSET) for field in options]
    members += [(name, kind | UnsetType, UNSET) for name, kind in EVIDENCE.items()]
    if task.shows_context:
        members.append(("context", Context | UnsetType, UNSET))
    body = msgspec.defstruct(request.name, members, bases=(Body,), forbid_unknown_fields=True)
    body.__doc__ = request.description
    return cast("type[Body]", body)


def _build_member_type(field: Field) -> Any:
    """Return the type of an option in a body.

    Choices are documented here, and checked by the task.
    """
    option = field.option
    kind = field.type if option.body_type is SAME else option.body_type
    allowed = () if callable(option.choices) or kind is not field.type else option.choices
    if get_origin(kind) is Literal and option.body_type is SAME:
        kind = str
    elif get_origin(kind) in (tuple, frozenset):
        kind = list[str]
    elif kind is float:
        kind = Number
    schema = {"enum": [*allowed]} if allowed else None
    least = option.minimum if kind is int else None
    described: Any = Annotated[kind, Meta(description=option.help, ge=least, extra_json_schema=schema)]
    return described | None if field.nullable else described


@dataclass(frozen=True, eq=False)
class Route:
    """A route whose requests have a body, as its task declares it.

    Args:
        task: the task.
        request: declaration of the data.
        path: path, such as `/v1/TASK`.
        name: name of the operation in the OpenAPI document.
        summary: one line for the documentation.
        body: type of the bodies.
        example: an example body.
        extra: declaration of a further route of the task; None for the route that scores.
    """

    task: Task
    request: Request
    path: str
    name: str
    summary: str
    body: type[msgspec.Struct]
    example: Mapping[str, Any]
    extra: ExtraRoute | None = None

    @cached_property
    def decoder(self) -> msgspec.json.Decoder[Any]:
        """Decoder of bodies."""
        return msgspec.json.Decoder(self.body)

    @property
    def arguments(self) -> frozenset[str]:
        """Names of the members of a body."""
        return frozenset(self.body.__struct_fields__)

    def to_arguments(self, body: msgspec.Struct) -> dict[str, Any]:
        """Return the arguments that a body gives, by name."""
        values = {name: getattr(body, name) for name in body.__struct_fields__}
        given = {name: value for name, value in values.items() if value is not UNSET}
        if self.request.as_dicts:
            given |= {name: msgspec.to_builtins(given[name]) for name in self.request.data if name in given}
        return given


def make_routes() -> dict[str, Route]:
    """Return the routes that the tasks declare, by path."""
    routes, further = [], []
    for task in map(get_task, list_task_names()):
        if task.request is None:
            continue
        request = task.request()
        body, summary = build_body_type(task, request), request.description.partition(":")[0].rstrip(".")
        routes.append(Route(task, request, f"/v1/{task.name}", task.call, summary, body, request.example))
        for extra in request.extra_routes:
            name = extra.path.strip("/").replace("/", "_")
            further.append(Route(task, request, extra.path, name, extra.summary, extra.body, extra.example, extra))
    return {route.path: route for route in (*routes, *further)}


JSON = re.compile(r"application/(?:[\w.+-]+\+)?json\s*(?:;\s*charset\s*=\s*\"?utf-?8\"?\s*)?", re.IGNORECASE | re.ASCII)
BODY_REMEDY = "Send JSON in UTF-8 with `Content-Type: application/json`."
SCHEMA_REMEDY = "`/openapi.json` and `/docs/` say what a body looks like."
UNKNOWN_FIELD = re.compile(r"unknown field `(.*)`")


class DisconnectedError(Exception):
    """Client that disconnected before the answer."""


def check_content_type(headers: Mapping[str, str], *, is_optional: bool, others: Collection[str] = ()) -> None:
    """Refuse a body that is not sent as JSON.

    Args:
        headers: headers of the request, with names in lower case.
        is_optional: whether the Content-Type may be missing.
        others: allowed media types besides JSON.

    Raises:
        RefusedError: if the Content-Type is another one, or the body is compressed.
    """
    kind = headers.get("content-type")
    if kind is None and not is_optional:
        raise RefusedError(Problem("media-type-refused", "The request has no Content-Type.", BODY_REMEDY))
    if kind is not None and not JSON.fullmatch(kind.strip()) and get_media_type(kind) not in others:
        remedy = f"{BODY_REMEDY} Files may be sent as {', '.join(others)}." if others else BODY_REMEDY
        raise RefusedError(Problem("media-type-refused", "The Content-Type is not JSON in UTF-8.", remedy))
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise RefusedError(Problem("media-type-refused", "The body is compressed.", "Send it as it is."))


def get_media_type(content_type: str) -> str:
    """Return the media type of a Content-Type in lower case."""
    return content_type.partition(";")[0].strip().lower()


async def read_body(
    headers: Mapping[str, str],
    receive: Callable[[], Awaitable[MutableMapping[str, Any]]],
    limits: ServiceLimits,
    hold_bytes: Callable[[int], None],
) -> bytes:
    """Read the body of a request.

    The body is refused as soon as it is known to be too large.

    Args:
        headers: headers of the request.
        receive: returns the next piece of the body.
        limits: limits of size and duration.
        hold_bytes: called with the size of each piece; see `ProcessPool.reserve_place`.

    Raises:
        RefusedError: if the body is too large or late, or the service holds too many bytes.
        DisconnectedError: if the client has disconnected.
    """
    pieces: list[bytes] = []
    size, announced = 0, headers.get("content-length", "0")
    if not announced.isascii() or not announced.isdigit() or int(announced[:20]) > limits.body:
        raise _make_too_large_error(limits)
    try:
        async with asyncio.timeout(limits.body_seconds):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise DisconnectedError
                pieces.append(message.get("body", b""))
                size += len(pieces[-1])
                if size > limits.body:
                    raise _make_too_large_error(limits)
                hold_bytes(len(pieces[-1]))
                if not message.get("more_body", False):
                    return b"".join(pieces)
    except TimeoutError:
        detail = f"The body has not arrived within {limits.body_seconds:g} s."
        raise RefusedError(Problem("body-late", detail, "Send it at once.")) from None


def _make_too_large_error(limits: ServiceLimits) -> RefusedError:
    detail = f"The body is larger than {limits.body:,} bytes."
    return RefusedError(Problem("body-too-large", detail, "Send fewer documents at a time, or raise --max-body."))


def parse_query(values: Mapping[str, str]) -> Query:
    """Parse the query of a request that scores; unknown parameters are ignored.

    Args:
        values: parameters by name, as text.

    Raises:
        RefusedError: if a value is not allowed.
    """
    try:
        return msgspec.convert(dict(values), Query, strict=False)
    except msgspec.ValidationError as error:
        what, _, path = str(error).partition(" - at `$.")
        detail = f"The query's {path.rstrip('`')}: {what}."
        raise RefusedError(Problem("invalid-request", detail, "`/docs/` says what it may be.")) from None


def parse_body(body: bytes, route: Route, max_documents: int) -> Any:
    """Parse a body as the type of its route.

    Args:
        body: JSON in UTF-8.
        route: route of the request.
        max_documents: largest number of documents in a body.

    Raises:
        RefusedError: if the body is not JSON, does not fit the type, or has too many documents.
    """
    try:
        request = route.decoder.decode(body)
    except msgspec.ValidationError as error:
        raise RefusedError(_build_type_problem(str(error), route.arguments)) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RefusedError(Problem("malformed-json", f"{str(error).removeprefix('JSON is malformed: ')}.")) from None
    first = getattr(request, request.__struct_fields__[0])
    documents = sum(map(len, first.values())) if isinstance(first, dict) else len(first)
    if documents > max_documents:
        detail = f"The body has {documents:,} documents, but the service takes {max_documents:,} at most."
        raise RefusedError(Problem("too-many-documents", detail, "Send fewer at a time, or raise --max-documents."))
    return request


def _build_type_problem(message: str, arguments: frozenset[str]) -> Problem:
    """Build the problem of an error of msgspec.

    The place of the error is a JSON Pointer.
    """
    what, _, path = message.partition(" - at `$")
    pointer = to_json_pointer(path.split("[...]")[0].strip(".`"), arguments) or ""
    if unknown := UNKNOWN_FIELD.search(what):
        pointer += f"/{escape_pointer(unknown[1])}"
    return Problem("invalid-request", f"{what}.", SCHEMA_REMEDY, pointer)
