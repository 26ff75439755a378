"""Leaderboards, badges and verification of a small benchmark."""

from __future__ import annotations

import csv
import gzip
import io
import shutil
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import isogloss
from isogloss.benchmark.drawings import draw_critical_difference, draw_pareto_plot
from isogloss.benchmark.explorer_pages import count_confusions, write_explorers
from isogloss.benchmark.leaderboard_files import write_leaderboards
from isogloss.benchmark.matrix import BenchmarkRunner
from isogloss.benchmark.plan import Corpus, Limits, Plan, System
from isogloss.benchmark.results import Benchmark, load_benchmark
from isogloss.benchmark.verification import verify_benchmark

SYSTEMS = """
def pairs(text):
    return [text[at:at + 2] for at in range(0, len(text), 2)]

def letters(text):
    return list(text)

def changes(text):
    return [text.replace("x", "y")]
"""


class Silent:
    def show_state(self, corpus: str, system: str, state: str, done: int = 0, total: int = 0) -> None:
        pass


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    (folder / "systems.py").write_text(SYSTEMS)
    (folder / "gold.label").write_text("ab|cd\nx|y\nef|gh\n")
    (folder / "other.label").write_text("a|b\nc\n")
    corpora = [Corpus("toy <1>", gold="gold.label", licence="CC0"), Corpus("toy|2", gold="other.label")]
    systems = [
        System("pairs & co", function="systems:pairs"),
        System("letters", function="systems:letters"),
        System("changes", function="systems:changes"),
        System("lost", function="nowhere:cut"),
    ]
    plan = Plan(corpora, systems, Limits(rounds=2, pass_seconds=0.0, seconds=5.0))
    BenchmarkRunner(plan, folder, folder / "out", Silent()).run()
    return folder


@pytest.fixture
def results(built: Path, tmp_path: Path) -> tuple[Path, Benchmark]:
    """A copy of the results, as in a fresh clone."""
    shutil.copytree(built, tmp_path / "clone")
    folder = tmp_path / "clone" / "out"
    return folder, load_benchmark(folder)


def test_every_form_of_the_leaderboard_has_every_system(results: tuple[Path, Benchmark]) -> None:
    folder, benchmark = results
    write_leaderboards(folder, benchmark)
    rows = list(csv.DictReader(io.StringIO((folder / "leaderboard.csv").read_text())))
    assert len(rows) == 8
    best = rows[0]
    assert (best["corpus"], best["system"], best["ok"], best["status"]) == ("toy <1>", "pairs & co", "3", "done")
    assert float(best["value"]) == pytest.approx(8 / 11)
    # The three texts have F1 1, 0 and 1.
    assert float(best["mean_over_documents"]) == pytest.approx(2 / 3)
    assert {row["status"] for row in rows if row["system"] == "lost"} == {"failed"}
    markdown = (folder / "leaderboard.md").read_text()
    assert "toy \\<1\\>" in markdown
    assert "No module named 'nowhere'" in markdown
    page = (folder / "leaderboard.html").read_text()
    assert "pairs &amp; co" in page
    assert "toy &lt;1&gt;" in page
    assert page.count("<svg") == 3  # mean ranks, and a plot of each corpus
    assert "pairs \\& co" in (folder / "leaderboard.tex").read_text()


def test_there_is_a_badge_for_each_system_on_each_corpus(results: tuple[Path, Benchmark]) -> None:
    folder, benchmark = results
    write_leaderboards(folder, benchmark)
    badges = sorted((folder / "badges").glob("*.svg"))
    assert len(badges) == 8
    text = (folder / "badges" / "toy-1-pairs-co.svg").read_text()
    assert ET.fromstring(text).tag.endswith("svg")
    assert "toy &lt;1&gt; 0.667" in "".join(ET.fromstring(text).itertext()).replace("<", "&lt;").replace(">", "&gt;")
    listed = (folder / "badges.md").read_text()
    assert all(f"badges/{badge.name}" in listed for badge in badges)
    page = (folder / "leaderboard.html").read_text()
    assert all(f'id="{badge.stem}"' in page for badge in badges)


def test_the_most_frequent_confusions_are_listed(results: tuple[Path, Benchmark]) -> None:
    folder, benchmark = results
    _, excerpts = write_explorers(folder, benchmark)
    write_leaderboards(folder, benchmark, excerpts)
    # `letters` cuts ab, cd, ef and gh; `pairs` joins x and y, on the other corpus a and b.
    listed = [
        (each.kind, each.reference, each.predicted, each.times) for each in excerpts["toy <1>", "letters"].confusions
    ]
    assert listed == [("split", word, "|".join(word), 1) for word in ("ab", "cd", "ef", "gh")]
    (merged,) = excerpts["toy|2", "pairs & co"].confusions
    assert (merged.kind, merged.reference, merged.predicted) == ("merge", "a|b", "ab")
    page = (folder / "leaderboard.html").read_text()
    assert "a|b → ab" in page
    assert "a\\|b → ab" in (folder / "leaderboard.md").read_text()


def test_confusions_are_ordered_by_their_number() -> None:
    run = isogloss.segmentation([["a", "b"], ["cd"], ["a", "b"]], [["ab"], ["c", "d"], ["ab"]], findings=True)
    assert [(each.predicted, each.times) for each in count_confusions(run)] == [("ab", 2), ("c|d", 1)]


def test_mean_ranks_leave_out_systems_without_scores(results: tuple[Path, Benchmark]) -> None:
    _, benchmark = results
    (overall,) = benchmark.overall
    assert overall.corpora == ["toy <1>", "toy|2"]
    assert set(overall.systems) == {"pairs & co", "letters", "changes"}
    assert sum(overall.mean_ranks) == pytest.approx(6)


def test_a_copy_of_the_results_verifies(results: tuple[Path, Benchmark]) -> None:
    assert verify_benchmark(*results) == []


def test_verification_names_what_was_changed(results: tuple[Path, Benchmark]) -> None:
    folder, benchmark = results
    path = folder / "predictions" / "letters" / "toy-2.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"words": ["ab"]}\n{"words": ["c"]}\n'))
    (folder.parent / "gold.label").write_text("abcd\nx|y\nef|gh\n")
    found = [str(each) for each in verify_benchmark(folder, benchmark)]
    assert "toy|2, letters: the predictions have another SHA-256" in found
    assert any(each.startswith("toy|2, letters: word.f1 was 1.0") for each in found)
    assert "toy <1>: the reference has another SHA-256" in found
    path.unlink()
    assert "are not there" in " ".join(str(each) for each in verify_benchmark(folder, benchmark))


def test_figures_are_svg_with_all_names() -> None:
    names = ["a", "b <b>", "c"]
    for figure in (
        draw_critical_difference(names, [1.0, 2.2, 2.8], 1.1),
        draw_pareto_plot([(name, 0.5, 10.0**at) for at, name in enumerate(names)], [2]),
    ):
        text = "".join(ET.fromstring(figure).itertext())
        assert all(name in text for name in names)


def list_labels(figure: str) -> list[tuple[float, float, str]]:
    texts = [each for each in ET.fromstring(figure).iter() if each.tag.endswith("text")]
    return [(float(each.attrib["x"]), float(each.attrib["y"]), each.text or "") for each in texts]


def test_names_of_many_systems_never_overlap_or_leave_the_figure() -> None:
    names = [f"a system with a long name {at}" for at in range(20)]
    ranks = draw_critical_difference(names, [1.0 + at * 0.9 for at in range(20)], 5.0)
    plot = draw_pareto_plot([(name, 0.5, 1000.0) for name in names], [0])
    for figure in (ranks, plot):
        labels = [(x, y, text) for x, y, text in list_labels(figure) if "system" in text]
        assert len({text for _, _, text in labels}) == 20
        width, height = (float(size) for size in ET.fromstring(figure).attrib["viewBox"].split()[2:])
        longest = 7 * max(len(text) for _, _, text in labels)  # letters of 13 pixels are about 7 wide
        assert all(longest < x < width - longest or min(x, width - x) > longest for x, _, _ in labels)
        assert all(0 < y < height for _, y, _ in labels)
        for side in {x for x, _, _ in labels}:
            lines = sorted(y for x, y, _ in labels if x == side)
            assert all(low - high >= 15 for high, low in pairwise(lines))
