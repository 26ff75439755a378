"""What is logged, as lines of JSON on standard error: paths, statuses and times; never a text, a query or a header."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec


class Log:
    """Lines of JSON on standard error.

    Args:
        quiet: whether requests are left out; bugs never are.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet

    def request(self, request_id: str, method: str, route: str, status: int, seconds: float) -> None:
        """A request that was answered.

        Args:
            request_id: its id.
            method: one that is known, or `other`.
            route: its path as it is declared, or `other`.
            status: of the answer.
            seconds: how long it took.
        """
        if not self._quiet:
            line = {"method": method, "path": route, "status": status, "ms": round(1000 * seconds, 1)}
            _write(line | {"request_id": request_id})

    def bug(self, request_id: str, trace: Sequence[str]) -> None:
        """A failure of ours.

        Args:
            request_id: of the request that met it.
            trace: the places in the code.
        """
        _write({"bug": list(trace), "request_id": request_id})


def _write(line: dict[str, Any]) -> None:
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    sys.stderr.write(msgspec.json.encode({"time": now} | line).decode() + "\n")
    sys.stderr.flush()
