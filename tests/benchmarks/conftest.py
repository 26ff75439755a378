"""Let the tests import the modules of `benchmarks/`, which is not a package."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    if not FOLDER.exists():
        pytest.skip(f"{FOLDER} is not there: the tests run without the sources")
    monkeypatch.syspath_prepend(str(FOLDER))
    return import_module
