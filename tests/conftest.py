"""How hypothesis runs here: the same examples for everyone; `--hypothesis-profile=explore` looks for new ones.

Text is as wide as in the docs. Without `COLUMNS`, output that goes to no terminal has lines of any length.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("suite", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile("suite")

os.environ["COLUMNS"] = "80"

HERE = Path(__file__).parent
NEEDS_STORE = (
    "store",
    "explorer",
    "cli/test_completion.py",
    "cli/test_runs.py",
    "cli/test_saved_runs.py",
    "cli/test_view.py",
    "docs/test_store_page.py",
    "service/test_explorer_endpoints.py",
)
collect_ignore = [] if find_spec("sqlalchemy") and find_spec("alembic") else list(NEEDS_STORE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that need the extra `store` as a whole."""
    for item in items:
        if any(item.path.is_relative_to(HERE / each) for each in NEEDS_STORE):
            item.add_marker(pytest.mark.extra)
