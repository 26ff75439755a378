"""Let the tests import the scripts of `tools/`, which is not a package."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Any:
    if not (ROOT / "src").exists() or not (ROOT / "tools").exists():
        pytest.skip("the tests run without the sources")
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return import_module
