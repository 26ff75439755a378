from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest
from reports import HOSTILE, by_hand, corpora

from isogloss.report.badges import choose_file_names, draw_badge, write_badges
from isogloss.report.leaderboard import ScoreBoard, build_corpora_board
from isogloss.runs.score_tables import UNDEFINED_CELL

SVG = "{http://www.w3.org/2000/svg}"


def board(path: Path, *systems: str, score: float | None = 0.5) -> ScoreBoard:
    return build_corpora_board(corpora(path / "r.json", *(by_hand(f"d/{name}", score) for name in systems)))


def texts(svg: str) -> list[str]:
    return ["".join(one.itertext()) for one in fromstring(svg).iter(f"{SVG}text")]


def test_badge_has_score_and_link_to_the_run(tmp_path: Path) -> None:
    files = write_badges(board(tmp_path, "x", "y"), tmp_path / "badges", "report.html")
    assert [file.name for file in files] == ["x.svg", "y.svg", "badges.md"]
    svg = files[1].read_text(encoding="utf-8")
    assert texts(svg) == ["y", "Strict F1 0.500"]
    assert [link.get("href") for link in fromstring(svg).iter(f"{SVG}a")] == ["report.html#/run/run-2"]
    assert files[2].read_text(encoding="utf-8").splitlines()[0] == "[![x](x.svg)](<report.html#/run/run-1>)"


def test_badges_without_page_have_no_links(tmp_path: Path) -> None:
    files = write_badges(board(tmp_path, "x", "y"), tmp_path / "badges")
    assert "<a" not in files[0].read_text(encoding="utf-8")
    assert files[2].read_text(encoding="utf-8") == "![x](x.svg)\n![y](y.svg)\n"


def test_badge_has_score_of_each_corpus(tmp_path: Path) -> None:
    runs: list[dict[str, Any]] = [
        by_hand(f"{c}/x", f, inputs=[{"role": "reference", "path": f"{c}/gold", "sha256": c * 64}])
        for c, f in (("p", 0.25), ("q", None))
    ]
    files = write_badges(build_corpora_board(corpora(tmp_path / "r.json", *runs)), tmp_path)
    assert texts(files[0].read_text(encoding="utf-8")) == ["x", f"p 0.250 · q {UNDEFINED_CELL}"]


def test_badge_is_valid_svg_for_any_text() -> None:
    svg = draw_badge(HOSTILE, [HOSTILE], HOSTILE)
    root = fromstring(svg)
    assert {one.tag.removeprefix(SVG) for one in root.iter()} == {"svg", "title", "a", "rect", "text", "tspan"}
    assert "\x00" not in svg
    assert "\u202e" not in svg


def test_badge_is_as_wide_as_its_texts() -> None:
    narrow, wide = (fromstring(draw_badge("x", [text])) for text in ("1", "1111111111"))
    assert float(wide.get("width", 0)) - float(narrow.get("width", 0)) == pytest.approx(9 * 6.6)
    for root in (narrow, wide):
        ends = [float(one.get("x", 0)) + float(one.get("width", 0)) for one in root.iter(f"{SVG}rect")]
        assert ends[-1] == pytest.approx(float(root.get("width", 0)))


def test_badge_file_names_are_plain_and_unique() -> None:
    names = ["../../etc", "Émile", "ก", "a b", "a/b", "A-B", "a-b-2", ""]
    expected = "etc emile system a-b a-b-2 a-b-3 a-b-2-2 system-2"
    assert choose_file_names(names) == [f"{name}.svg" for name in expected.split()]


def test_long_names_are_shortened_apart(tmp_path: Path) -> None:
    long = "x" * 60
    runs: list[dict[str, Any]] = [
        by_hand(f"{c}/{long}-{s}", 0.5, inputs=[{"role": "reference", "path": f"{long}-{c}/gold", "sha256": c * 64}])
        for c in "pq"
        for s in "ab"
    ]
    files = write_badges(build_corpora_board(corpora(tmp_path / "r.json", *runs)), tmp_path / "badges")
    shown = [texts(file.read_text(encoding="utf-8")) for file in files[:2]]
    assert [name for name, _ in shown] == [f"…{long[:37]}-{s}" for s in "ab"]
    assert shown[0][1] == f"…{long[:37]}-p 0.500 · …{long[:37]}-q 0.500"
