"""These tests need the extra `web` and what `dev` adds to it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from serving import RunningService

NEEDED = ("starlette", "jinja2", "uvicorn", "prometheus_client", "httpx", "schemathesis")
collect_ignore_glob = [] if all(map(find_spec, NEEDED)) else ["test_*.py"]


@pytest.fixture(scope="session")
def service() -> Iterator[RunningService]:
    """A service with a recogniser that is quick, and small limits."""
    from serving import start_service  # noqa: PLC0415  where the extra is absent, no test asks for it

    limits = ("--max-body", "1MB", "--max-documents", "2000", "--body-timeout", "0.5")
    with start_service("--recogniser", "python:recognisers:capitalised", "--workers", "2", *limits) as running:
        yield running
