"""Tables of systems ranked by tests of all pairs.

There are ranks and groups, a matrix of p-values, and the pairs as CSV rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from isogloss.runs.score_tables import (
    UNDEFINED_CELL,
    PValue,
    ScoreTable,
    TableCell,
    TableColumn,
    format_limit,
)
from isogloss.text.display import format_count

if TYPE_CHECKING:  # a table of one system need not wait for the tests
    from isogloss.runs.system_ranking import PairTest, RankedSystem, SystemRanking

PAIR_FIELDS = ("corpus", "score", "system", "other", "difference", "p", "p_holm")


def build_ranking_table(ranking: SystemRanking, title: str, names: Sequence[str]) -> ScoreTable:
    """Build the ranking as a table with a line per system.

    A line has the place, the score with interval, ranks, the group, and the places that the system is better than.

    Args:
        ranking: the ranked systems.
        title: title of the score.
        names: short names of the systems, in the order of the ranking.
    """
    has_intervals = any(each.low is not None for each in ranking.systems)
    columns = [TableColumn("system"), TableColumn("#", "count"), TableColumn("score", "ratio")]
    columns += [TableColumn("interval", "interval")] if has_intervals else []
    columns += [TableColumn("ranks"), TableColumn("group", "count"), TableColumn("better than")]
    rows = tuple(
        _build_row(ranking, place, name, has_interval=has_intervals) for place, name in enumerate(names, start=1)
    )
    return ScoreTable(f"Ranks by {title} ({_describe_tests(ranking)})", tuple(columns), rows, _write_notes(ranking))


def _build_row(ranking: SystemRanking, place: int, name: str, *, has_interval: bool) -> tuple[TableCell, ...]:
    own = ranking.systems[place - 1]
    interval = [_get_ends(own)] if has_interval else []
    if own.value is None:
        return (name, None, float("nan"), *interval, "", None, "")
    ranks = _format_range(own.first_rank or 0, own.last_rank or 0)
    return (name, place, own.value, *interval, ranks, own.group, format_places(ranking.find_worse(place)))


def _get_ends(own: RankedSystem) -> TableCell:
    return None if own.low is None or own.high is None else (own.low, own.high)


def _describe_tests(ranking: SystemRanking) -> str:
    trials = format_count(ranking.trials, "trial" if ranking.method == "randomization" else "resample")
    return f"{ranking.method} by {ranking.unit}, {trials}, seed {ranking.seed}"


def _write_notes(ranking: SystemRanking) -> tuple[str, ...]:
    level, tests = format_limit(ranking.alpha), format_count(len(ranking.pairs), "pair")
    legend = (
        f"better than: # of systems that are significantly worse (p < {level} after Holm's correction for {tests}). "
        "ranks: from 1 + the number of significantly better systems, to all without the significantly worse. "
        "group: a new one begins where all systems above are significantly better than all below."
    )
    return (legend, *ranking.notes)


def format_places(places: Iterable[int]) -> str:
    """Write ascending places with ranges: `5, 7–20`.

    Args:
        places: the places.
    """
    ranges: list[tuple[int, int]] = []
    for place in places:
        if ranges and ranges[-1][1] == place - 1:
            ranges[-1] = ranges[-1][0], place
        else:
            ranges.append((place, place))
    return ", ".join(_format_range(*ends) for ends in ranges)


def _format_range(first: int, last: int) -> str:
    return f"{first}" if first == last else f"{first}{UNDEFINED_CELL}{last}"


def build_pair_table(ranking: SystemRanking, title: str, names: Sequence[str]) -> ScoreTable:
    """Build a triangle of the corrected p-values of all pairs.

    Args:
        ranking: the ranked systems.
        title: title of the score.
        names: short names of the systems, in the order of the ranking.
    """
    places = range(1, ranking.number + 1)
    cells = {places: _get_p(pair) for places, pair in zip(combinations(places, 2), ranking.pairs, strict=True)}
    rows = tuple(
        (f"{place} {names[place - 1]}", *(cells.get((place, other)) for other in places[1:])) for place in places[:-1]
    )
    columns = (TableColumn("system"), *(TableColumn(str(place), "ratio") for place in places[1:]))
    note = (
        f"p-values after Holm's correction for {format_count(len(ranking.pairs), 'pair')}. Rows and columns: # of the "
        f"table of ranks. p < {format_limit(ranking.alpha)}: the system of the row is better."
    )
    return ScoreTable(f"All pairs, {title}", columns, rows, (note,))


def _get_p(pair: PairTest) -> TableCell:
    return float("nan") if pair.p_holm is None else PValue(pair.p_holm)


def list_pair_rows(ranking: SystemRanking, corpus: str, names: Sequence[str]) -> list[dict[str, Any]]:
    """List a row of the CSV for each pair.

    Args:
        ranking: the ranked systems.
        corpus: name of the corpus.
        names: short names of the systems, in the order of the ranking.
    """
    return [
        {
            "corpus": corpus,
            "score": ranking.score,
            "system": system,
            "other": other,
            **{name: getattr(pair, name) for name in ("difference", "p", "p_holm")},
        }
        for (system, other), pair in zip(combinations(names[: ranking.number], 2), ranking.pairs, strict=True)
    ]
