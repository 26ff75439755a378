"""`--by`, `--unit` and `--training` on the command line, alike for all tasks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from isogloss.cli.app import run

Write = Callable[[Path], list[str]]


def lines(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def ner(folder: Path) -> list[str]:
    rows = [{"text": "Ada", "entities": [[0, 3, "PER"]], "genre": genre} for genre in ("news", "web", "web")]
    return ["ner", lines(folder / "r", rows), lines(folder / "p", rows)]


def segmentation(folder: Path) -> list[str]:
    rows = [{"tokens": ["ab", "c"], "genre": genre} for genre in ("news", "web", "web")]
    return ["segmentation", lines(folder / "r", rows), lines(folder / "p", rows)]


def classification(folder: Path) -> list[str]:
    genres = ("news", "web", "web")
    rows = [{"gold": "ab"[k % 2], "scores": {"a": 0.2, "b": 0.1 * k}, "genre": g} for k, g in enumerate(genres)]
    return ["classification", lines(folder / "r", rows)]


def translation(folder: Path) -> list[str]:
    rows = [
        {"id": f"Q{k}_0", "targets": [{"mention": "x"}], "prediction": "x", "genre": genre}
        for k, genre in enumerate(("news", "web", "web"))
    ]
    return ["entity-translation", lines(folder / "it_IT.jsonl", rows), lines(folder / "p.jsonl", rows)]


def texts(folder: Path) -> list[str]:
    rows = [{"text": "так yes", "genre": genre} for genre in ("news", "web", "web")]
    return ["code-switching", lines(folder / "t.jsonl", rows), "--language", "uk"]


TASKS = pytest.mark.parametrize("write", [ner, segmentation, classification, translation, texts])


@TASKS
def test_columns_are_slices_and_clusters(write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--by", "genre", "--by", "file", "--unit", "genre", "--confidence", "0.9", "--resamples", "10"]
    assert run([*write(tmp_path), *options, "-f", "json", "-q"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert {value: part["documents"] for value, part in document["slices"]["genre"].items()} == {"news": 1, "web": 2}
    assert "unit:genre" in document["signature"]
    assert [part["documents"] for part in document["slices"]["file"].values()] == [3]
    assert any(path.startswith("slices.genre.web.") for path in document["intervals"])


@TASKS
def test_each_column_is_a_table(write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*write(tmp_path), "--by", "genre", "-q"]) == 0
    out = capsys.readouterr().out
    assert "By genre" in out
    assert "web" in out


@TASKS
def test_an_unknown_column_ends_with_two(write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*write(tmp_path), "--by", "gerne", "-q"]) == 2
    assert "did you mean genre?" in capsys.readouterr().err


def test_a_unit_that_is_not_there_ends_with_two(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*ner(tmp_path), "--unit", "author", "--confidence", "0.9", "-q"]) == 2
    assert "author" in capsys.readouterr().err


def test_training_data_tells_what_is_seen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ner(tmp_path)
    assert run([*call, "--by", "seen", "--training", call[1], "-f", "json", "-q"]) == 0
    assert list(json.loads(capsys.readouterr().out)["slices"]["seen"]) == ["seen"]
