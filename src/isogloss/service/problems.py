"""Problem details (RFC 9457): answers to requests that cannot be served.

Add a new kind of problem here. The kind of a problem is its type and defines its status. Places in the body are JSON
Pointers (RFC 6901).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import msgspec

from isogloss.errors import DataError, IsoglossError, MissingExtraError
from isogloss.version import __version__

MEDIA_TYPE = "application/problem+json"
TYPE_PREFIX = "urn:isogloss:problem:"
PROBLEM_KINDS: Mapping[str, tuple[int, str]] = MappingProxyType(
    {
        "malformed-request": (400, "The request cannot be read"),
        "malformed-json": (400, "The body is not JSON"),
        "token-missing": (401, "A token is needed"),
        "host-refused": (403, "The service is not called by this name"),
        "origin-refused": (403, "Pages of other origins may not call the service"),
        "not-found": (404, "There is nothing at this path"),
        "method-not-allowed": (405, "The path has no such method"),
        "body-late": (408, "The body did not arrive in time"),
        "body-too-large": (413, "The body is too large"),
        "too-many-documents": (413, "The body has too many documents"),
        "media-type-refused": (415, "The body is not sent as JSON"),
        "invalid-request": (422, "The request does not say what can be meant"),
        "unscorable-data": (422, "The data cannot be scored"),
        "queue-full": (429, "Too many requests wait"),
        "bug": (500, "A bug of isogloss"),
        "package-missing": (501, "The service lacks a package or a model"),
        "not-ready": (503, "The service is starting"),
        "shutting-down": (503, "The service is shutting down"),
        "store-unreadable": (503, "The store of runs cannot be read"),
        "took-too-long": (503, "The request took too long"),
    },
)
BUG_REMEDY = f"Please report it with the request's id and what you sent; isogloss is version {__version__}."
NAME = re.compile(r"[A-Za-z_]\w*")
STEP = re.compile(r"\[(?:(\d+)|'([^']*)'|\"([^\"]*)\")\]|\.([A-Za-z_]\w*)")


@dataclass(frozen=True)
class Problem:
    """The reason why a request is not served.

    Args:
        kind: one of `PROBLEM_KINDS`.
        detail: what is wrong, in one sentence.
        remedy: what to do about it.
        pointer: place in the body, as a JSON Pointer; None for problems without a place in the body.
        headers: headers of the answer besides those of all answers.
    """

    kind: str
    detail: str
    remedy: str = ""
    pointer: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def status(self) -> int:
        """The status of the answer."""
        return PROBLEM_KINDS[self.kind][0]

    def to_dict(self, request_id: str = "") -> dict[str, Any]:
        """Return the members of the answer without empty ones."""
        document = {
            "type": TYPE_PREFIX + self.kind,
            "title": PROBLEM_KINDS[self.kind][1],
            "status": self.status,
            "detail": self.detail,
            "remedy": self.remedy,
            "errors": [] if self.pointer is None else [{"pointer": self.pointer, "detail": self.detail}],
            "request_id": request_id,
        }
        return {name: value for name, value in document.items() if value}

    def to_json(self, request_id: str = "") -> bytes:
        """Return the body of the answer."""
        return msgspec.json.encode(self.to_dict(request_id))


BUG = Problem("bug", "Something failed that should not have.", BUG_REMEDY)  # the log has the place in our code


class RefusedError(Exception):
    """Request that is not served because of a problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.kind)
        self.problem = problem


def to_problem(error: IsoglossError, arguments: frozenset[str] = frozenset()) -> Problem:
    """Convert an error of isogloss to a problem.

    Args:
        error: the error.
        arguments: names of the members of the body.
    """
    if error.exit_code == MissingExtraError.exit_code:
        return Problem("package-missing", str(error), "Whoever runs the service can install it.")
    if isinstance(error, DataError):
        detail = "\n".join(part for part in (error.message, error.detail) if part)
        pointer = to_json_pointer(error.where or "", arguments)
        detail = f"{error.where}: {detail}" if error.where and pointer is None else detail
        return Problem("unscorable-data", detail, error.remedy, pointer)
    message = str(error)
    first = NAME.match(message.removeprefix("Unknown "))
    pointer = f"/{first[0]}" if first and first[0] in arguments else None
    return Problem("invalid-request", message, pointer=pointer)


def to_json_pointer(where: str, arguments: frozenset[str]) -> str | None:
    """Convert a place as Python names it to a JSON Pointer.

    The pointer of `prediction[3][5]` is `/prediction/3/5`.

    Args:
        where: the place.
        arguments: names of the members of the body; a place outside them has no pointer.
    """
    name = NAME.match(where)
    if name is None or name[0] not in arguments:
        return None
    parts, at = [name[0]], name.end()
    while step := STEP.match(where, at):
        parts.append(next(group for group in step.groups() if group is not None))
        at = step.end()
    return "".join(f"/{escape_pointer(part)}" for part in parts)


def escape_pointer(part: str) -> str:
    """Escape the name of a member for a JSON Pointer."""
    return part.replace("~", "~0").replace("/", "~1")


def build_retry_header(seconds: int) -> dict[str, str]:
    """Build the header that tells a client when to try again."""
    return {"Retry-After": str(seconds)}
