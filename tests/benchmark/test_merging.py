"""Results of two people are scored together; times stay apart."""

from __future__ import annotations

import csv
from pathlib import Path

import msgspec
import pytest

from isogloss.benchmark.leaderboard import build_boards, build_time_table
from isogloss.benchmark.leaderboard_files import format_leaderboard_csv, write_leaderboards
from isogloss.benchmark.matrix import BenchmarkRunner
from isogloss.benchmark.merging import merge_benchmarks
from isogloss.benchmark.plan import Corpus, Limits, Plan, System
from isogloss.benchmark.results import Benchmark, load_benchmark, save_benchmark
from isogloss.benchmark.verification import verify_benchmark
from isogloss.errors import FormatError, UsageError

SYSTEMS = """
def pairs(text):
    return [text[at:at + 2] for at in range(0, len(text), 2)]

def letters(text):
    return list(text)
"""
LIMITS = Limits(rounds=1, pass_seconds=0.0, seconds=5.0)


class Silent:
    def show_state(self, corpus: str, system: str, state: str, done: int = 0, total: int = 0) -> None:
        pass


def run_person(folder: Path, cpu: str, systems: str, golds: dict[str, str]) -> Path:
    folder.mkdir()
    (folder / "systems.py").write_text(systems)
    for name, content in golds.items():
        (folder / f"{name}.label").write_text(content)
    plan = Plan(
        [Corpus(name, gold=f"{name}.label") for name in golds],
        [System(name, function=f"systems:{name}") for name in ("pairs", "letters")],
        LIMITS,
    )
    found = BenchmarkRunner(plan, folder, folder / "out", Silent()).run()
    save_benchmark(folder / "out", msgspec.structs.replace(found, machine={"cpu": cpu}))
    return folder / "out"


@pytest.fixture(scope="module")
def merged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Benchmark]:
    folder = tmp_path_factory.mktemp("people")
    one = run_person(folder / "ada", "Fast", SYSTEMS, {"toy": "ab|cd\nx|y\n", "mine": "a|b\n"})
    other = SYSTEMS.replace("list(text)", "[text]")
    two = run_person(folder / "bob", "Slow", other, {"same": "ab|cd\nx|y\n", "mine": "ab\n"})
    merge_benchmarks([one, two], folder / "both")
    return folder / "both", load_benchmark(folder / "both")


def test_corpora_with_equal_references_are_one(merged: tuple[Path, Benchmark]) -> None:
    assert [record.name for record in merged[1].corpora] == ["toy", "mine", "mine (2)"]


def test_systems_with_other_answers_have_a_name_of_their_own(merged: tuple[Path, Benchmark]) -> None:
    scores = {(each.corpus, each.system): each.run.scores["word"]["f1"] for each in merged[1].scored}
    # Of ab cd | x y, `pairs` finds ab and cd and writes xy, `letters` finds x and y and writes a b c d.
    assert scores["toy", "pairs"] == pytest.approx(2 * 2 / (4 + 3))
    assert scores["toy", "letters"] == pytest.approx(2 * 2 / (4 + 6))
    assert scores["toy", "letters (2)"] == 0.0
    assert scores["mine", "pairs"] == 0.0
    assert scores["mine (2)", "pairs"] == 1.0
    ranking = merged[1].rankings["toy"]
    assert {each.system for each in ranking.systems} == {"pairs", "letters", "letters (2)"}


def test_each_machine_has_columns_of_its_own(merged: tuple[Path, Benchmark]) -> None:
    folder, benchmark = merged
    table = build_time_table(build_boards(benchmark)[0])
    assert table is not None
    assert [column.title for column in table.columns] == [
        "system",
        "characters a second, Fast",
        "ratio to loop, Fast",
        "characters a second, Slow",
        "ratio to loop, Slow",
    ]
    cells = {str(row[0]): [cell is not None for cell in row[1:]] for row in table.rows}
    assert cells == {
        "pairs": [True, True, True, True],
        "letters": [True, True, False, False],
        "letters (2)": [False, False, True, True],
    }
    lines = list(csv.DictReader(format_leaderboard_csv(benchmark).splitlines()))
    assert [line["machine"] for line in lines if (line["corpus"], line["system"]) == ("toy", "pairs")] == [
        "Fast",
        "Slow",
    ]
    write_leaderboards(folder, benchmark)
    assert (folder / "leaderboard.html").read_text().count("Score against speed on") == 4  # toy twice, mine, mine (2)


def test_merged_results_verify(merged: tuple[Path, Benchmark]) -> None:
    assert verify_benchmark(*merged) == []


def test_changed_predictions_are_refused(merged: tuple[Path, Benchmark], tmp_path: Path) -> None:
    people = merged[0].parent
    path = people / "bob" / "out" / "predictions" / "pairs" / "same.jsonl.gz"
    content = path.read_bytes()
    path.write_bytes(b"other")
    with pytest.raises(FormatError, match="another SHA-256"):
        merge_benchmarks([people / "ada" / "out", people / "bob" / "out"], tmp_path / "x")
    path.write_bytes(content)


def test_one_folder_is_refused(merged: tuple[Path, Benchmark], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="at least two"):
        merge_benchmarks([merged[0]], tmp_path)
