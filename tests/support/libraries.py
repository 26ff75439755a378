"""Libraries that a test may do without, unless the run is there to test them."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

import pytest


def library(name: str) -> Any:
    """A module; without it the tests of the calling module are skipped.

    They fail instead where the environment variable `ISOGLOSS_REQUIRE` lists the module, separated by commas: a run
    that is there to test it must not pass because it is absent.
    """
    if name in os.environ.get("ISOGLOSS_REQUIRE", "").split(","):
        return import_module(name)
    return pytest.importorskip(name, reason=f"{name} is not installed")
