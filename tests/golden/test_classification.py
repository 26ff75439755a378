"""Each folder of `classification` holds the figures that `classification/README.md` works out by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import isogloss

FOLDER = Path(__file__).parent / "classification"
CASES = sorted(FOLDER.glob("*/expected.json"), key=lambda path: path.parent.name)


def leaves(node: Mapping[str, Any], *keys: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, value in node.items():
        if isinstance(value, Mapping):
            yield from leaves(value, *keys, key)
        else:
            yield (*keys, key), value


def at(node: Any, keys: tuple[str, ...]) -> Any:
    for key in keys:
        node = node[key]
    return node


def test_there_are_cases() -> None:
    assert [path.parent.name for path in CASES] == ["exclusive", "lines", "several"]


@pytest.mark.parametrize("path", CASES, ids=[path.parent.name for path in CASES])
def test_figures_are_those_worked_out_by_hand(path: Path) -> None:
    files = [next(iter(sorted(path.parent.glob(f"{side}.*"))), None) for side in ("reference", "prediction")]
    got = isogloss.classification(*files).to_dict()
    for keys, expected in leaves(json.loads(path.read_text(encoding="utf-8"))):
        value = pytest.approx(float(Fraction(expected)), abs=1e-15) if isinstance(expected, str) else expected
        assert at(got, keys) == value, keys
