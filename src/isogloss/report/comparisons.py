"""Tables of how systems differ from the baseline: one for each, the scores of the whole corpus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from isogloss.report.main_scores import main_score
from isogloss.report.tables import Cell, Column, Table, short_names
from isogloss.scores import keys_of

if TYPE_CHECKING:
    from isogloss.comparison import Pair, ScoreDifference

# The figures that a system is judged by; the others are in the JSON.
FIGURES = ("f1", "f", "accuracy", "strict_rate", "excused_rate", "macro", "micro", "line", "word", "score")
GROUP_AND_NAME = 2
NAMED = 10  # documents


class Compared(Protocol):
    """Systems against a baseline."""

    @property
    def pairs(self) -> Sequence[Pair]:
        """The baseline with each other system."""


def tables_of(comparison: Compared | None) -> list[Table]:
    """A table for each pair."""
    if comparison is None or not comparison.pairs:
        return []
    baseline, *others = short_names([comparison.pairs[0].baseline, *(pair.other for pair in comparison.pairs)])
    return [
        _table(pair, f"{other} against {baseline} ({pair.test.method})")
        for pair, other in zip(comparison.pairs, others, strict=True)
    ]


def only_right(comparison: Compared | None) -> Iterator[str]:
    """A line for each system of a pair: the first documents that it gets entirely right and the other does not."""
    for pair in () if comparison is None else comparison.pairs:
        name = main_score([pair.baseline, pair.other])
        if name not in pair.duels:
            continue
        duel = pair.duels[name]
        numbers = len(duel.only_baseline), len(duel.only_other)
        systems = short_names([pair.baseline, pair.other])
        for system, number, named in zip(systems, numbers, pair.only_right(name, NAMED), strict=True):
            more = ", …" if number > len(named) else ""
            if number:
                yield f"Only {system} has {name} = 1 in {number:,} documents: {', '.join(named)}{more}"


def _table(pair: Pair, title: str) -> Table:
    chosen = {name: found for name, found in pair.scores.items() if _is_shown(name)}
    level = f"difference {100 * pair.test.confidence:g}%"
    columns = (
        Column("score"),
        Column("baseline", "ratio"),
        Column("system", "ratio"),
        Column("difference", "ratio"),
        Column(level, "interval"),
        Column("p", "ratio"),
        Column("p (Holm)", "ratio"),
        *(Column(name, "count") for name in ("wins", "ties", "losses")),
    )
    rows = tuple(_row(name, found, pair) for name, found in chosen.items())
    return Table(title, columns, rows)


def _row(name: str, found: ScoreDifference, pair: Pair) -> tuple[Cell, ...]:
    counts = pair.outcomes.get(name, (None, None, None))
    interval = (found.low, found.high)
    return (name, found.baseline, found.system, found.difference, interval, found.p, found.p_holm, *counts)


def _is_shown(name: str) -> bool:
    key = keys_of(name)
    return len(key) == GROUP_AND_NAME and key[1] in FIGURES
