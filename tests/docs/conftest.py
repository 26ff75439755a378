"""The pages, and the contract on what users see; without the sources there is nothing to compare with."""

from __future__ import annotations

import pytest
from pages import CONTRACT, DOCS, read_page

collect_ignore_glob = [] if DOCS.exists() else ["test_*.py"]


@pytest.fixture(scope="module")
def page(request: pytest.FixtureRequest) -> str:
    """The page that the module names in `PAGE`."""
    return read_page(request.module.PAGE)


@pytest.fixture(scope="session")
def contract() -> str:
    if not CONTRACT.exists():
        pytest.skip(f"{CONTRACT} is not there")
    return CONTRACT.read_text(encoding="utf-8")
