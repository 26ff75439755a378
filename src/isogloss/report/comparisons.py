"""Tables of how systems differ from the baseline: for each the scores of the whole corpus, of labels and of slices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from isogloss.kernel.scores import Key, keys_of, path
from isogloss.runs.main_scores import main_score, score_of_labels, score_title
from isogloss.runs.tables import Cell, Column, Table, short_names
from isogloss.text.display import counted

if TYPE_CHECKING:
    from isogloss.runs.comparison_pairs import Pair, ScoreDifference, Test

# The figures that a system is judged by; the others are in the JSON.
FIGURES = ("f1", "f", "accuracy", "strict_rate", "excused_rate", "macro", "micro", "line", "word", "score")
GROUP_AND_NAME = 2
NAMED = 10  # documents


class Compared(Protocol):
    """Systems against a baseline."""

    @property
    def pairs(self) -> Sequence[Pair]:
        """The baseline with each other system."""


def comparison_tables(comparison: Compared | None) -> list[Table]:
    """The tables of each pair."""
    if comparison is None or not comparison.pairs:
        return []
    baseline, *others = short_names([comparison.pairs[0].baseline, *(pair.other for pair in comparison.pairs)])
    return [
        table
        for pair, other in zip(comparison.pairs, others, strict=True)
        for table in _tables(pair, f"{other} against {baseline}")
    ]


def _tables(pair: Pair, systems: str) -> Iterator[Table]:
    yield _overall(pair, f"{systems} ({_how(pair.test)})")
    runs = [pair.baseline, pair.other]
    group = score_of_labels(runs)
    if group is not None:
        of_labels = {
            label: ("by_label", label, *group) for label in dict.fromkeys(name for run in runs for name in run.by_label)
        }
        yield from _parts(pair, f"{score_title(pair.baseline, path(group))} by label, {systems}", "label", of_labels)
    main = main_score(runs)
    values: dict[str, dict[str, Key]] = defaultdict(dict)
    for name in pair.scores:
        kind, *rest = keys_of(name)
        if kind == "slices" and path(tuple(rest[2:])) == main:
            values[rest[0]][rest[1]] = (kind, *rest)
    for column, keys in values.items():
        yield from _parts(pair, f"{score_title(pair.baseline, main)} by {column}, {systems}", column, keys)


def _how(test: Test) -> str:
    """What gives the p-values, in words."""
    times = f"{test.trials:,} trials" if test.method == "randomization" else f"{test.resamples:,} resamples"
    return f"{test.method} by {test.unit or 'document'}, {times}, seed {test.seed}"


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
                yield f"Only {system} has {name} = 1 in {counted(number, 'document')}: {', '.join(named)}{more}"


def _overall(pair: Pair, heading: str) -> Table:
    chosen = {name: found for name, found in pair.scores.items() if _is_shown(name)}
    verdicts = [name for name in chosen if name in pair.duels and pair.duels[name].verdicts]
    columns = (
        *_columns("score", pair.test),
        *(Column(name, "count") for name in ("wins", "ties", "losses")),
        *([Column("p (McNemar)", "ratio")] if verdicts else []),
    )
    rows = []
    for name, found in chosen.items():
        row = (*_row(name, found), *pair.outcomes.get(name, (None, None, None)))
        mcnemar = pair.duels[name].mcnemar() if name in verdicts else None
        rows.append((*row, mcnemar) if verdicts else row)
    return Table(heading, columns, tuple(rows))


def _parts(pair: Pair, heading: str, column: str, keys: Mapping[str, Key]) -> Iterable[Table]:
    """A table of one score for parts of the corpus, none where no part has it."""
    found = {name: pair.scores[path(key)] for name, key in keys.items() if path(key) in pair.scores}
    rows = tuple(_row(name, each) for name, each in found.items())
    return [Table(heading, _columns(column, pair.test), rows)] if rows else []


def _columns(first: str, test: Test) -> tuple[Column, ...]:
    ratios = [Column(name, "ratio") for name in ("baseline", "system", "difference")]
    interval = Column(f"difference {100 * test.confidence:g}%", "interval")
    return (Column(first), *ratios, interval, Column("p", "ratio"), Column("p (Holm)", "ratio"))


def _row(name: str, found: ScoreDifference) -> tuple[Cell, ...]:
    return (name, found.baseline, found.system, found.difference, (found.low, found.high), found.p, found.p_holm)


def _is_shown(name: str) -> bool:
    key = keys_of(name)
    return len(key) == GROUP_AND_NAME and key[1] in FIGURES
