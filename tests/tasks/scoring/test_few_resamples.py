"""The warning, which every task has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from genres import CASES, Corpus


@CASES
@pytest.mark.parametrize(("how", "told"), [({"resamples": 99}, 1), ({"resamples": 100}, 0), ({"confidence": None}, 0)])
def test_intervals_of_few_resamples_are_warned_of(name: str, how: dict[str, Any], told: int, tmp_path: Path) -> None:
    run = Corpus.of(name, tmp_path).scored(**{"confidence": 0.9, "resamples": 10, **how})
    assert [notice.code for notice in run.warnings].count("few-resamples") == told
