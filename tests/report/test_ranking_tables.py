"""Systems ranked by tests of all pairs, in every form of a report."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from reports import HOSTILE, by_hand, corpora, rank_by_hand

from isogloss.errors import FormatError, UsageError
from isogloss.explorer.static_export import render_report
from isogloss.report.export import format_pairs_csv, format_report_latex, format_report_markdown
from isogloss.report.ranking_tables import format_places
from isogloss.report.report_runs import ReportCorpus

RUNS = [by_hand(f"d/{system}.conll") for system in ("x", "y", "z")]


def ranked(path: Path, **more: Any) -> tuple[ReportCorpus, ...]:
    return corpora(path / "r.json", *RUNS, ranking=rank_by_hand(RUNS) | more)


@pytest.mark.parametrize(
    ("places", "text"),
    [([], ""), ([4], "4"), ([2, 3], "2–3"), ([2, 4, 5, 6, 9], "2, 4–6, 9")],
)
def test_places_are_written_as_ranges(places: list[int], text: str) -> None:
    assert format_places(places) == text


def test_markdown_has_ranks(tmp_path: Path) -> None:
    lines = format_report_markdown(ranked(tmp_path)).splitlines()
    at = lines.index("**Ranks by Strict F1 (randomization by document, 10,000 trials, seed 1)**")
    assert lines[at + 2 : at + 7] == [
        r"| system | \# | score | interval | ranks | group | better than |",
        "| --- | ---: | ---: | ---: | --- | ---: | --- |",
        "| x | 1 | 0.5000 | 0.250–0.750 | 1–2 | 1 | 3 |",
        "| y | 2 | 0.5000 | 0.250–0.750 | 1–2 | 1 | 3 |",
        "| z | 3 | 0.5000 | 0.250–0.750 | 3 | 2 |  |",
    ]
    assert r"a\_note" in lines


def test_latex_has_ranks_in_one_table(tmp_path: Path) -> None:
    text = format_report_latex(ranked(tmp_path))
    assert r"system & \# & score & interval & ranks & group & better than \\" in text
    assert r"x & 1 & 0.5000 & 0.250--0.750 & 1--2 & 1 & 3 \\" in text


def test_page_has_a_triangle_of_p_values(tmp_path: Path) -> None:
    html = render_report(ranked(tmp_path))
    table = html[html.index("<caption><bdi>All pairs, ") :]
    rows = table[: table.index("</table>")].split("<tr>")[2:]
    assert len(rows) == 2
    assert "<bdi>1 x</bdi>" in rows[0]
    assert '<td class="n"><bdi>0.4000</bdi></td><td class="n"><bdi>&lt; 0.0001</bdi></td>' in rows[0]
    assert '<td class="n"><bdi></bdi></td><td class="n"><bdi>&lt; 0.0001</bdi></td>' in rows[1]
    assert "correction for 3 pairs" in html


def test_hostile_names_are_escaped_in_ranks(tmp_path: Path) -> None:
    runs = [by_hand(name) for name in (HOSTILE, "y", "z")]
    html = render_report(corpora(tmp_path / "r.json", *runs, ranking=rank_by_hand(runs)))
    assert "Ranks by" in html
    assert "<script>alert" not in html


def test_csv_has_a_line_for_each_pair(tmp_path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(format_pairs_csv(ranked(tmp_path)))))
    assert [(row["system"], row["other"], row["p_holm"]) for row in rows] == [
        ("x", "y", "0.4"),
        ("x", "z", "1e-05"),
        ("y", "z", "1e-05"),
    ]
    assert rows[0] == rows[0] | {"corpus": "a/gold.conll", "score": "strict.f1", "difference": "0.1", "p": "0.001"}


def test_pairs_of_runs_without_ranking_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--all-pairs"):
        format_pairs_csv(corpora(tmp_path / "r.json", *RUNS))


def test_ranking_of_other_runs_is_left_out(tmp_path: Path) -> None:
    found = corpora(tmp_path / "r.json", *RUNS[:2], ranking=rank_by_hand(RUNS))
    assert "Ranks" not in format_report_markdown(found)


def test_ranking_without_all_pairs_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"all pairs.*\$\.ranking"):
        ranked(tmp_path, pairs=[])
