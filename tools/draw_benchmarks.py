"""Put the measured ratios of `benchmarks/history.jsonl` into the documentation, as a chart and a table for each task.

A hook of MkDocs, named in `mkdocs.yml`. They replace the line `<!-- ratios -->` of
`docs/benchmark-results.md`. The columns are the accepted full runs of `benchmarks/run.py`, one for each label.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

MARKER = "<!-- ratios -->"
HISTORY = Path(__file__).parents[1] / "benchmarks" / "history.jsonl"
TITLES = {"ner": "Named entities", "tags": "Tag schemes", "store": "Store of runs", "evidence": "Intervals and tests"}
BAR_WIDTH = 320  # pixels for a ratio of MOST
MOST = 1000

Ratios = Mapping[tuple[str, str], float]  # by case and tool


def on_page_markdown(markdown: str, **_: Any) -> str | None:
    """Fill the page that has the marker."""
    if MARKER not in markdown:
        return None
    lines = HISTORY.read_text(encoding="utf-8").splitlines()
    return markdown.replace(MARKER, "\n".join(format_ratios([json.loads(line) for line in lines])))


def format_ratios(runs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the Markdown of all benchmarks."""
    accepted = [run for run in runs if run["accepted"] and not run["quick"]]
    benchmarks = dict.fromkeys(row["benchmark"] for run in accepted for row in run["rows"])
    for benchmark in sorted(benchmarks):
        columns = dict(_collect_columns(accepted, benchmark))
        latest = list(columns.values())[-1] if columns else {}
        if latest:
            yield f"\n## {TITLES.get(benchmark, benchmark.replace('_', ' ').capitalize())}\n"
            yield f'<div class="ratios">{"".join(_draw_bars(latest))}</div>\n'
            yield from _format_table(columns, latest)


def _collect_columns(runs: Sequence[Mapping[str, Any]], benchmark: str) -> Iterator[tuple[str, Ratios]]:
    for run in runs:
        ratios = {
            (row["case"], row["tool"]): row["ratio_to_ours"]
            for row in run["rows"]
            if row["benchmark"] == benchmark and row["ratio_to_ours"] and not row["tool"].startswith("isogloss")
        }
        if ratios:
            yield f"{run['date']}, {run['label']}", ratios


def _draw_bars(ratios: Ratios) -> Iterator[str]:
    """Yield a bar for the median case of each tool, on a logarithmic scale."""
    by_tool: dict[str, list[float]] = {}
    for (_, tool), ratio in ratios.items():
        by_tool.setdefault(tool, []).append(ratio)
    medians = {tool: sorted(values)[len(values) // 2] for tool, values in by_tool.items()}
    for tool, ratio in sorted(medians.items(), key=lambda item: -item[1]):
        width = max(1.0, BAR_WIDTH * math.log(max(ratio, 1)) / math.log(MOST))
        yield (
            f'<div>{escape(tool.replace("`", ""))}<br><svg width="{BAR_WIDTH + 80}" height="16" role="img" '
            f'aria-label="{ratio:.3g} times the CPU time of isogloss">'
            f'<rect width="{width:.0f}" height="16" fill="teal"/>'
            f'<text x="{width + 6:.0f}" y="12" font-size="12" fill="currentColor">{ratio:.3g}×</text></svg></div>'
        )


def _format_table(columns: Mapping[str, Ratios], latest: Ratios) -> Iterator[str]:
    yield "| case | tool | " + " | ".join(columns) + " |"
    yield "|---|---|" + "--:|" * len(columns)
    for place in latest:
        cells = [f"{ratios[place]:.3g}" if place in ratios else "–" for ratios in columns.values()]
        yield f"| {_escape(place[0])} | {_escape(place[1])} | {' | '.join(cells)} |"
    yield ""


def _escape(text: str) -> str:
    return text.replace("|", "\\|")
