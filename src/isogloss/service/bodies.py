"""Bodies, read within limits: what is too large is refused before it is read, or as soon as it has become too large."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping

from starlette.types import Receive

from isogloss.service.pool import Place
from isogloss.service.problems import Problem, RefusedError
from isogloss.service.settings import Limits

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
        raise RefusedError(Problem("media-type-refused", "The request has no Content-Type.", REMEDY))
    if kind is not None and not JSON.fullmatch(kind.strip()):
        raise RefusedError(Problem("media-type-refused", "The Content-Type is not JSON in UTF-8.", REMEDY))
    if coding.lower() != "identity":
        raise RefusedError(Problem("media-type-refused", "The body is compressed.", "Send it as it is."))


REMEDY = "Send JSON in UTF-8 with `Content-Type: application/json`."


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
