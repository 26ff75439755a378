"""Rows of the benchmarks: one schema for all tasks, and the ratio of each tool to isogloss."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from measure import CLOSE, Cost

OURS = "isogloss"  # the tools whose names begin so are ours
HEAD = ("case", "tool", "CPU s", "peak MB", "isogloss is faster by", "note")


@dataclass(frozen=True)
class Row:
    """What one tool took in one case.

    Args:
        benchmark: name of the script.
        case: what all tools of the case do, with the size of the input.
        tool: name of the tool; ours begin with "isogloss".
        cpu_seconds: the least of several runs; None if the tool was not measured.
        peak_mb: peak memory of that run in megabytes (10^6 bytes).
        ratio_to_ours: CPU time of this tool for the same amount of input, in units of the time that isogloss takes:
            3.0 means that isogloss is three times as fast.
        note: why the tool was not measured, or its speed and whether its runs differ.
    """

    benchmark: str
    case: str
    tool: str
    cpu_seconds: float | None = None
    peak_mb: float | None = None
    ratio_to_ours: float | None = None
    note: str = ""

    @property
    def is_peer(self) -> bool:
        """Whether the row has a ratio beside another tool."""
        return self.ratio_to_ours is not None and not self.tool.startswith(OURS)


@dataclass(frozen=True)
class Amount:
    """How much input a tool had, for tools that are given less than others.

    Args:
        number: how much.
        unit: of what.
    """

    number: float = 1
    unit: str = ""


def make_rows(
    benchmark: str,
    case: str,
    costs: Mapping[str, Cost | None],
    amount: Amount | Mapping[str, Amount] | None = None,
) -> list[Row]:
    """Rows of a case, whose first tool is the one that the others are compared with.

    Args:
        benchmark: name of the script.
        case: what the tools do.
        costs: cost by tool; None for a tool that is not installed.
        amount: what each tool was given; the same for all by default.
    """
    amounts = amount if isinstance(amount, Mapping) else dict.fromkeys(costs, amount or Amount())
    each = {tool: cost.seconds / amounts[tool].number for tool, cost in costs.items() if cost}
    ours = each[next(iter(costs))]
    return [
        Row(benchmark, case, tool, note="not installed")
        if cost is None
        else Row(
            benchmark,
            case,
            tool,
            _round(cost.seconds),
            round(cost.megabytes, 1),
            _round(each[tool] / ours),
            _note(cost, amounts[tool], differs=amounts[tool] != amounts[next(iter(costs))]),
        )
        for tool, cost in costs.items()
    ]


def _round(number: float) -> float:
    return float(f"{number:.4g}")


def _note(cost: Cost, amount: Amount, *, differs: bool) -> str:
    notes = [f"{amount.number:,.0f} {amount.unit}"] if differs else []
    if amount.unit:
        notes.append(f"{_short(amount.number / cost.seconds)} {amount.unit} / s")
    if cost.spread is None:
        notes.append("one run")
    elif cost.spread > CLOSE:
        notes.append(f"noisy: second run {cost.spread:.0%} slower")
    return "; ".join(notes)


def _short(number: float) -> str:
    for size, letter in ((1e6, " M"), (1e3, " k")):
        if number >= size:
            return f"{number / size:.3g}{letter}"
    return f"{number:.3g}"


def draw_rows(rows: Iterable[Row]) -> str:
    """Draw rows of one benchmark as a Markdown table."""
    lines = []
    for row in rows:
        memory = "" if row.peak_mb is None else f"{row.peak_mb:.0f}"
        ratio = "" if row.ratio_to_ours is None else f"{row.ratio_to_ours:.3g}x"
        seconds = "" if row.cpu_seconds is None else f"{row.cpu_seconds:.3f}"
        lines.append((row.case, row.tool, seconds, memory, ratio, row.note))
    return _draw_table(lines)


def _draw_table(lines: Sequence[Sequence[str]]) -> str:
    rules = ["---", "---", *["---:"] * 3, "---"]
    return "\n".join(f"| {' | '.join(line)} |" for line in (HEAD, rules, *lines)) + "\n"


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Write rows as JSON."""
    path.write_text(json.dumps([asdict(row) for row in rows]), encoding="utf-8")


def read_rows(path: Path) -> list[Row]:
    """Read what `write_rows` wrote."""
    return [Row(**row) for row in json.loads(path.read_text(encoding="utf-8"))]


def keep_cheapest(rows: Sequence[Row], again: Sequence[Row]) -> list[Row]:
    """Keep the cheaper of two runs of each tool, with the ratios that follow.

    Args:
        rows: of one run of a benchmark.
        again: of another run of it.
    """
    second = {(row.case, row.tool): row for row in again}
    cheapest = [_cheaper(row, second.get((row.case, row.tool), row)) for row in rows]
    ours: dict[str, float] = {}  # by case, how much less the first tool took than in the run of its row
    for row, kept in zip(rows, cheapest, strict=True):
        ours.setdefault(row.case, _share(row, kept))
    return [
        kept if row.ratio_to_ours is None else replace(kept, ratio_to_ours=_round(row.ratio_to_ours * share))
        for row, kept in zip(rows, cheapest, strict=True)
        for share in [_share(row, kept) / ours[row.case]]
    ]


def _cheaper(one: Row, other: Row) -> Row:
    both = [row for row in (one, other) if row.cpu_seconds is not None]
    return min(both, key=lambda row: row.cpu_seconds or 0, default=one)


def _share(row: Row, kept: Row) -> float:
    return (kept.cpu_seconds or 1) / (row.cpu_seconds or kept.cpu_seconds or 1)
