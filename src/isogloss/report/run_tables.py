"""Tables of runs and of differences between systems.

The tables of runs have overall scores, scores over single documents, and slices.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from isogloss.kernel.provenance import RunWarning
from isogloss.kernel.scores import ScoreKey, format_path, parse_path
from isogloss.report.ranking_tables import build_ranking_table
from isogloss.runs.main_scores import choose_label_score, choose_main_score, format_score_title
from isogloss.runs.run import Run
from isogloss.runs.score_tables import (
    PValue,
    ScoreTable,
    TableCell,
    TableColumn,
    build_slice_tables,
    build_spread_tables,
    select_names,
    shorten_system_names,
    strip_shared_folders,
)
from isogloss.tasks.registry import get_task
from isogloss.text.display import format_count

if TYPE_CHECKING:
    from isogloss.runs.comparison import Comparison
    from isogloss.runs.pair_comparison import ComparisonOptions, RunPair, ScoreDifference
    from isogloss.runs.system_ranking import SystemRanking

# Scores in the table of differences; the JSON has all.
SHOWN_SCORES = ("f1", "f", "accuracy", "strict_rate", "excused_rate", "macro", "micro", "line", "word", "score")
ALWAYS_COUNTED = ("tags-repaired", "tags-discarded")  # warnings whose count is shown even if it is 1
GROUP_AND_NAME = 2
MAX_NAMED = 10  # documents in a line
MAX_ROWS = 1000  # of a table that people read; JSON and CSV have all


def build_tables(runs: Sequence[Run], comparison: Comparison | None = None) -> list[ScoreTable]:
    """Build the tables of one run, or of several side by side.

    Several runs are of one task.

    Args:
        runs: one per system.
        comparison: how the systems differ from the first; None for no tables of differences.
    """
    task = get_task(runs[0].task)
    means = build_spread_tables(runs) if task.shows_document_means else []
    tables = [*task.build_tables(runs), *means, *build_slice_tables(runs, task.columns_in_tables)]
    return [_cut_rows(table) for table in (*tables, *_build_comparison_tables(runs, comparison))]


def format_warning(warning: RunWarning) -> str:
    """Format a warning as one line: message, count and first place.

    Args:
        warning: the warning.
    """
    return warning.format_line(always_count=warning.code in ALWAYS_COUNTED)


def format_warnings(runs: Sequence[Run]) -> Iterator[str]:
    """Format each warning once.

    A warning has its systems if it does not hold for all.

    Args:
        runs: one per system.
    """
    systems_by_line: dict[str, list[str]] = {}
    for run, name in zip(runs, shorten_system_names(runs), strict=True):
        for warning in run.warnings:
            systems_by_line.setdefault(format_warning(warning), []).append(name)
    for line, systems in systems_by_line.items():
        whose = f"{', '.join(systems)}: " if len(systems) < len(runs) else ""
        yield f"{whose}{line}"


def _cut_rows(table: ScoreTable) -> ScoreTable:
    """Return the first rows, with a note on the others."""
    if len(table.rows) <= MAX_ROWS:
        return table
    left_out = len(table.rows) - MAX_ROWS
    note = f"{left_out:,} of {len(table.rows):,} rows are left out; --format json or csv has all."
    return replace(table, rows=table.rows[:MAX_ROWS], notes=(*table.notes, note))


def _build_comparison_tables(runs: Sequence[Run], comparison: Comparison | None) -> Iterator[ScoreTable]:
    if comparison is None or not comparison.pairs:
        return
    if comparison.ranking is not None:
        yield _build_ranking_table(runs, comparison.ranking)
    baseline, *others = shorten_system_names([comparison.pairs[0].baseline, *(pair.other for pair in comparison.pairs)])
    for pair, other in zip(comparison.pairs, others, strict=True):
        yield from _build_pair_tables(pair, f"{other} against {baseline}")


def _build_ranking_table(runs: Sequence[Run], ranking: SystemRanking) -> ScoreTable:
    systems = [each.system for each in ranking.systems]
    return build_ranking_table(ranking, format_score_title(runs[0], ranking.score), strip_shared_folders(systems))


def _build_pair_tables(pair: RunPair, systems: str) -> Iterator[ScoreTable]:
    """Build the tables of a pair.

    They have the scores of the whole corpus, of labels and of slices.
    """
    yield _build_overall_table(pair, f"{systems} ({_describe_test(pair)})")
    runs = [pair.baseline, pair.other]
    group = choose_label_score(runs)
    if group is not None:
        of_labels = {label: ("by_label", label, *group) for label in select_names(run.by_label for run in runs)}
        yield from _build_part_tables(
            pair, f"{format_score_title(pair.baseline, format_path(group))} by label, {systems}", "label", of_labels
        )
    main = choose_main_score(runs)
    values: dict[str, dict[str, ScoreKey]] = defaultdict(dict)
    for name in pair.scores:
        kind, *rest = parse_path(name)
        if kind == "slices" and format_path(tuple(rest[2:])) == main:
            values[rest[0]][rest[1]] = (kind, *rest)
    for column, keys in values.items():
        yield from _build_part_tables(
            pair, f"{format_score_title(pair.baseline, main)} by {column}, {systems}", column, keys
        )


def _describe_test(pair: RunPair) -> str:
    """Describe the significance test with its numbers of trials.

    The description is in words; the numbers are those of the trials that were used.
    """
    test, noun = pair.options, "trials" if pair.options.method == "randomization" else "resamples"
    tested = [each.test_result for each in pair.scores.values() if each.test_result.method == test.method]
    drawn = sorted({each.trials for each in tested if each.trials})
    times = " to ".join(dict.fromkeys(f"{number:,}" for number in (*drawn[:1], *drawn[-1:])))
    if tested and not drawn:
        return f"{test.method} by {test.unit or 'document'}, exact: all exchanges"
    return f"{test.method} by {test.unit or 'document'}, {times or f'{test.trials:,}'} {noun}, seed {test.seed}"


@dataclass(frozen=True)
class UniqueSuccess:
    """The documents that only one system of a pair gets entirely right.

    Args:
        sentence: how many, and the first of them.
        documents: the first of them.
        runs: the baseline and the other system.
    """

    sentence: str
    documents: Sequence[str]
    runs: tuple[Run, Run]


def list_unique_successes(comparison: Comparison | None) -> Iterator[UniqueSuccess]:
    """List the documents that one system alone gets entirely right.

    The documents of each pair are listed by system, if there are any.
    """
    for pair in () if comparison is None else comparison.pairs:
        name = choose_main_score([pair.baseline, pair.other])
        if name not in pair.document_comparisons:
            continue
        documents = pair.document_comparisons[name]
        numbers = len(documents.only_baseline), len(documents.only_other)
        systems = shorten_system_names([pair.baseline, pair.other])
        for system, number, named in zip(systems, numbers, pair.name_only_right(name, MAX_NAMED), strict=True):
            more = ", …" if number > len(named) else ""
            if number:
                count = format_count(number, "document")
                sentence = f"Only {system} has {name} = 1 in {count}: {', '.join(named)}{more}"
                yield UniqueSuccess(sentence, named, (pair.baseline, pair.other))


def _name_mcnemar(test: ComparisonOptions) -> str:
    return "McNemar" if test.unit is None else f"McNemar by {test.unit}"


def _build_overall_table(pair: RunPair, heading: str) -> ScoreTable:
    chosen = {name: difference for name, difference in pair.scores.items() if _is_shown(name)}
    verdicts = [
        name
        for name in chosen
        if name in pair.document_comparisons and pair.document_comparisons[name].has_only_verdicts
    ]
    columns = (
        *_build_columns("score", pair.options),
        *(TableColumn(name, "count") for name in ("wins", "ties", "losses")),
        *([TableColumn(f"p ({_name_mcnemar(pair.options)})", "ratio")] if verdicts else []),
    )
    rows = []
    for name, difference in chosen.items():
        row = (*_build_row(name, difference), *pair.outcomes.get(name, (None, None, None)))
        mcnemar = PValue(pair.compute_mcnemar_p(name)) if name in verdicts else None
        rows.append((*row, mcnemar) if verdicts else row)
    return ScoreTable(heading, columns, tuple(rows), tuple(warning.message for warning in pair.warnings))


def _build_part_tables(pair: RunPair, heading: str, column: str, keys: Mapping[str, ScoreKey]) -> Iterator[ScoreTable]:
    """Build a table of one score for parts of the corpus.

    There is no table if no part has the score.
    """
    differences = {name: pair.scores[format_path(key)] for name, key in keys.items() if format_path(key) in pair.scores}
    rows = tuple(_build_row(name, each) for name, each in differences.items())
    if rows:
        yield ScoreTable(heading, _build_columns(column, pair.options), rows)


def _build_columns(first: str, test: ComparisonOptions) -> tuple[TableColumn, ...]:
    ratios = [TableColumn(name, "ratio") for name in ("baseline", "system", "difference")]
    interval = TableColumn(f"difference {100 * test.confidence:g}%", "interval")
    return (TableColumn(first), *ratios, interval, TableColumn("p", "ratio"), TableColumn("p (Holm)", "ratio"))


def _build_row(name: str, difference: ScoreDifference) -> tuple[TableCell, ...]:
    p_values = PValue(difference.p), PValue(difference.p_holm)
    return (
        name,
        difference.baseline,
        difference.system,
        difference.difference,
        (difference.low, difference.high),
        *p_values,
    )


def _is_shown(name: str) -> bool:
    key = parse_path(name)
    return len(key) == GROUP_AND_NAME and key[1] in SHOWN_SCORES
