"""Each folder of `ner` is a reference, a prediction and the figures that `ner/README.md` works out by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import isogloss

CASES = sorted((Path(__file__).parent / "ner").glob("*/expected.json"), key=lambda path: path.parent.name)
RATIOS = ("precision", "recall", "f1", "accuracy")
SECTIONS = ("scores", "by_label", "macro", "weighted")


def document(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(folder)  # so that places are named without the folder
    reference, prediction = (next(folder.glob(f"{side}.*")).name for side in ("reference", "prediction"))
    return isogloss.ner(reference, prediction).to_dict()


def leaves(node: Mapping[str, Any], *keys: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, value in node.items():
        if isinstance(value, Mapping):
            yield from leaves(value, *keys, key)
        else:
            yield (*keys, key), value


def number(expected: Any) -> Any:
    return pytest.approx(float(Fraction(expected)), abs=1e-15) if isinstance(expected, str) else expected


def at(node: Any, keys: tuple[str, ...]) -> Any:
    for key in keys:
        node = node[key]
    return node


def test_there_are_cases() -> None:
    assert len(CASES) >= 19


@pytest.mark.parametrize("path", CASES, ids=[path.parent.name for path in CASES])
def test_figures_are_those_worked_out_by_hand(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = json.loads(path.read_text(encoding="utf-8"))
    got = document(path.parent, monkeypatch)
    for section in SECTIONS:
        for keys, value in leaves(expected.get(section, {})):
            assert at(got[section], keys) == number(value), (section, *keys)


@pytest.mark.parametrize("path", CASES, ids=[path.parent.name for path in CASES])
def test_kinds_pairs_of_labels_and_repairs_are_those_worked_out_by_hand(
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected = json.loads(path.read_text(encoding="utf-8"))
    got = document(path.parent, monkeypatch)
    if "findings" in expected:
        assert got["findings"]["counts"] == expected["findings"]
    if "confusion" in expected:
        assert got.get("confusion", []) == expected["confusion"]
    repairs = [
        {key: warning[key] for key in ("code", "count", "where")}
        for warning in got.get("warnings", [])
        if warning["code"] not in {"scheme-detected", "no-spans"}
    ]
    assert repairs == expected.get("warnings", [])


def test_bilou_without_last_tags_is_read_as_bilou_and_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    got = document(Path(__file__).parent / "ner" / "bilou-without-last-tags", monkeypatch)
    lines = [warning["message"] for warning in got["warnings"] if warning["code"] == "scheme-detected"]
    assert any("BILOU with missing L tags" in line for line in lines)
    assert got["documents"] == 4
