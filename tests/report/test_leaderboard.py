from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from reports import by_hand, corpora, demo_runs

from isogloss.report.leaderboard import ScoreBoard, build_corpora_board, build_labels_board, build_systems_board


def best(board: ScoreBoard, column: int = 0) -> list[str]:
    return [name for name, _, row in board.rows if (cell := row[column]) is not None and cell.best]


def on(corpus: str, system: str, f1: float | None) -> dict[str, Any]:
    inputs = [{"role": "reference", "path": f"{corpus}/gold", "sha256": corpus * 64}]
    return by_hand(f"{corpus}/{system}", f1, inputs=inputs)


@pytest.mark.parametrize(
    ("scores", "order", "marked"),
    [
        ({"x": 0.4, "y": 0.6, "z": 0.5}, ["y", "z", "x"], ["y"]),
        ({"x": 0.4, "y": 0.4}, ["x", "y"], ["x", "y"]),
        ({"x": 0.4}, ["x"], []),
        ({"x": None, "y": 0.1, "z": 0.2}, ["z", "y", "x"], ["z"]),
    ],
)
def test_best_systems_are_first_and_marked(
    tmp_path: Path, scores: dict[str, float | None], order: list[str], marked: list[str]
) -> None:
    found = corpora(tmp_path / "r.json", *(on("p", name, f1) for name, f1 in scores.items()))
    for board in (build_systems_board(found[0]), build_corpora_board(found)):
        assert [name for name, _, _ in board.rows] == order
        assert [anchor for _, anchor, _ in board.rows] == [f"run-{[*scores].index(name) + 1}" for name in order]
        assert best(board) == marked


def test_lowest_code_switching_rate_is_best(tmp_path: Path) -> None:
    run = demo_runs("code-switching")[0]
    words = run["scores"]["words"]
    worse = run | {"system": "worse", "scores": run["scores"] | {"words": words | {"excused_rate": 0.9}}}
    (corpus,) = corpora(tmp_path / "r.json", worse, run)
    board = build_systems_board(corpus)
    assert board.lower_is_better
    assert best(board) == [board.rows[0][0]]
    assert board.rows[1][0] == "worse"


def test_best_system_of_each_label_is_marked(tmp_path: Path) -> None:
    (corpus,) = corpora(tmp_path / "r.json", *demo_runs("ner"))
    board = build_labels_board(corpus)
    assert board is not None
    assert board.columns == ("system-a", "system-b")
    assert [name for name, _, _ in board.rows] == ["LOC", "ORG", "PER"]
    assert best(board, 0) == ["LOC", "ORG", "PER"]
    assert board.rows[0][2][0] is not None
    assert board.rows[0][2][0].has_interval


def test_task_without_labels_has_no_label_board(tmp_path: Path) -> None:
    (corpus,) = corpora(tmp_path / "r.json", *demo_runs("segmentation"))
    assert build_labels_board(corpus) is None


def test_systems_are_ranked_by_mean_over_corpora(tmp_path: Path) -> None:
    runs = [on("p", "x", 0.9), on("p", "y", 0.7), on("q", "x", 0.3), on("q", "y", 0.6)]
    board = build_corpora_board(corpora(tmp_path / "r.json", *runs))
    assert board.columns == ("p", "q", "mean")
    assert [name for name, _, _ in board.rows] == ["y", "x"]
    assert (best(board, 0), best(board, 1), best(board, 2)) == (["x"], ["y"], ["y"])
    means = [row[2].value for _, _, row in board.rows if row[2] is not None]
    assert means == pytest.approx([0.65, 0.6])


def test_system_missing_a_corpus_comes_last(tmp_path: Path) -> None:
    board = build_corpora_board(corpora(tmp_path / "r.json", on("p", "x", 0.9), on("p", "y", 0.2), on("q", "y", 0.2)))
    assert [name for name, _, _ in board.rows] == ["y", "x"]
    assert board.rows[1][2][1] is None


def test_mean_of_missing_corpus_is_never_best(tmp_path: Path) -> None:
    runs = [on("p", "x", 0.9), on("p", "y", 0.2), on("q", "y", 0.2), on("p", "z", 0.1), on("q", "z", 0.2)]
    board = build_corpora_board(corpora(tmp_path / "r.json", *runs))
    assert [name for name, _, _ in board.rows] == ["y", "z", "x"]
    assert best(board, 2) == ["y"]
    assert [row[2].value for _, _, row in board.rows if row[2] is not None] == pytest.approx([0.2, 0.15, 0.9])


def test_leaderboard_of_one_corpus_has_no_mean(tmp_path: Path) -> None:
    assert len(build_corpora_board(corpora(tmp_path / "r.json", on("p", "x", 0.9), on("p", "y", 0.7))).columns) == 1
