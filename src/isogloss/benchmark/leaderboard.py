"""Leaderboards of a benchmark: rows and tables.

Scores are ranked. Times stand in a table of their own and are never ranked, because they depend on the machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from isogloss.benchmark.results import (
    UNKNOWN_MACHINE,
    Benchmark,
    Cell,
    CorpusRecord,
    MeasuredMachine,
    OverallRanking,
    Timing,
    name_files,
)
from isogloss.kernel.scores import parse_path
from isogloss.runs.run_json import RunJson
from isogloss.runs.score_tables import UNDEFINED_CELL, ScoreTable, TableCell, TableColumn
from isogloss.runs.system_ranking import RankedSystem, SystemRanking
from isogloss.tasks.registry import get_task
from isogloss.text.display import make_visible

MEGABYTE = 1 << 20
SCORE_NOTES = (
    "Systems share ranks if they do not differ significantly: tests of all pairs, p < 0.05 after Holm's correction.",
    "changed: the words do not spell the text. changed, failed and timed out score zero.",
    "unstable: texts with another answer in a second process.",
)
TIME_NOTES = (
    "Never compare times of different machines.",
    "ratio to loop: time for 1,000 characters, in units of a fixed loop of Python in the same round; lower is faster.",
)


@dataclass(frozen=True)
class Confusion:
    """Words of the reference for which a system gave others.

    Args:
        kind: kind of the finding.
        reference: words of the reference, joined by `|`.
        predicted: words of the system.
        times: how often.
    """

    kind: str
    reference: str
    predicted: str
    times: int


@dataclass(frozen=True)
class RunExcerpt:
    """What the leaderboard shows from the findings of a run.

    Args:
        link: address of the run in the explorer; empty without a run.
        confusions: its most frequent confusions, the first most frequent.
    """

    link: str
    confusions: Sequence[Confusion]


Excerpts = Mapping[tuple[str, str], RunExcerpt]  # by names of corpus and system
NOTHING = RunExcerpt("", ())


@dataclass(frozen=True)
class LeaderboardRow:
    """A system on a corpus.

    Args:
        cell: outcomes and time.
        path: path of the main score; empty without scores.
        run: its scores; None without.
        ranked: its place; None if it is not ranked.
        anchor: anchor of the row in the page.
        excerpt: what it shows from the findings of its run.
    """

    cell: Cell
    path: str = ""
    run: RunJson | None = None
    ranked: RankedSystem | None = None
    anchor: str = ""
    excerpt: RunExcerpt = NOTHING

    @property
    def value(self) -> float | None:
        """The main score; None if it is undefined or missing."""
        return None if self.run is None else get_score(self.run, self.path)

    @property
    def mean(self) -> float | None:
        """Mean of the main score over documents; None if missing."""
        spread = None if self.run is None else self.run.per_document.get(self.path)
        return None if spread is None else spread.mean

    @property
    def interval(self) -> tuple[float, float] | None:
        """Interval of the main score; None if missing."""
        own = None if self.run is None else self.run.intervals.get(self.path)
        if own is None or own.low is None or own.high is None:
            return None
        return own.low, own.high


def get_score(run: RunJson, path: str) -> float | None:
    """Return an overall score of a run.

    It is None if it is undefined or missing.

    Args:
        run: the run.
        path: path of the score.
    """
    group, _, name = path.rpartition(".")
    return run.scores.get(group, {}).get(name)


@dataclass(frozen=True)
class CorpusBoard:
    """Leaderboard of a corpus.

    Args:
        corpus: the corpus.
        rows: its rows, the best score first; systems without a score come last.
        machines: machines that timed systems on it, with their times.
        is_merged: whether the results are those of several people.
        rounds: rounds of timing.
    """

    corpus: CorpusRecord
    rows: Sequence[LeaderboardRow]
    machines: Sequence[MeasuredMachine]
    is_merged: bool
    rounds: int


def build_boards(benchmark: Benchmark, excerpts: Excerpts | None = None) -> list[CorpusBoard]:
    """Build the leaderboard of each corpus.

    Args:
        benchmark: the results.
        excerpts: excerpts from the runs by names of corpus and system; None for none.
    """
    anchors = name_anchors(benchmark)
    boards = []
    for corpus in benchmark.corpora:
        runs = {each.system: each.run for each in benchmark.scored if each.corpus == corpus.name}
        ranking = benchmark.rankings.get(corpus.name)
        path = choose_path(corpus, ranking, runs)
        ranked = {} if ranking is None else {each.system: each for each in ranking.systems}
        places = {name: at for at, name in enumerate(ranked)}
        cells = [cell for cell in benchmark.cells if cell.corpus == corpus.name]
        cells.sort(key=lambda cell: (cell.system not in runs, places.get(cell.system, len(places)), cell.system))
        rows = []
        for cell in cells:
            key = corpus.name, cell.system
            own = runs.get(cell.system), ranked.get(cell.system), anchors[key], (excerpts or {}).get(key, NOTHING)
            rows.append(LeaderboardRow(cell, path, *own))
        machines = [each for each in benchmark.list_machines() if each.times.get(corpus.name)]
        boards.append(CorpusBoard(corpus, rows, machines, bool(benchmark.machines), benchmark.plan.limits.rounds))
    return boards


def choose_path(corpus: CorpusRecord, ranking: SystemRanking | None, runs: Mapping[str, RunJson]) -> str:
    """Return the path of the main score of a corpus.

    It is empty without scores.
    """
    if ranking is not None:
        return ranking.score
    first = next(iter(runs.values()), None)
    return next(
        (path for path in get_task(corpus.task).scores.main if first and get_score(first, path) is not None), ""
    )


def name_anchors(benchmark: Benchmark) -> dict[tuple[str, str], str]:
    """Choose an anchor for each cell, also the name of its badge."""
    corpora = name_files([corpus.name for corpus in benchmark.corpora])
    systems = name_files([system.name for system in benchmark.plan.system])
    return {(cell.corpus, cell.system): f"{corpora[cell.corpus]}-{systems[cell.system]}" for cell in benchmark.cells}


def build_score_table(board: CorpusBoard) -> ScoreTable:
    """Build the table of scores and outcomes of a corpus."""
    corpus = board.corpus
    path = next((row.path for row in board.rows if row.path), "")
    title = get_task(corpus.task).scores.title(parse_path(path)) if path else "score"
    columns = [
        TableColumn("system"),
        TableColumn("rank"),
        TableColumn(f"{title}, mean over texts", "ratio"),
        TableColumn(title, "ratio"),
        TableColumn("95% interval", "interval"),
        *(TableColumn(name, "count") for name in ("ok", "changed", "failed", "timed out", "unstable")),
        TableColumn("reason"),
    ]
    about = ", ".join(filter(None, (corpus.language, corpus.licence, corpus.tag)))
    texts = f"{corpus.texts:,} texts, {corpus.characters:,} characters"
    heading = f"{corpus.name}: {texts}" + (f" ({about})" if about else "")
    return ScoreTable(heading, tuple(columns), tuple(map(_list_score_cells, board.rows)), SCORE_NOTES)


def _list_score_cells(row: LeaderboardRow) -> tuple[TableCell, ...]:
    cell, ranked = row.cell, row.ranked
    rank = "" if ranked is None or ranked.first_rank is None else format_ranks(ranked.first_rank, ranked.last_rank)
    outcomes = [cell.outcomes.get(name) for name in ("ok", "changed", "failed", "timed out")]
    return (
        cell.system,
        rank,
        row.mean,
        row.value,
        row.interval,
        *outcomes,
        cell.unstable,
        cell.reason,
    )


def format_ranks(first: int, last: int | None) -> str:
    """Write a range of ranks: `2` or `2–4`.

    Args:
        first: first rank.
        last: last rank.
    """
    return str(first) if last in (None, first) else f"{first}{UNDEFINED_CELL}{last}"


def build_confusion_table(board: CorpusBoard) -> ScoreTable | None:
    """Build the table of the most frequent confusions of each system.

    The result is None if no run has confusions.
    """
    rows = tuple(
        (row.cell.system, make_visible(f"{each.reference} → {each.predicted}"), each.times, each.kind)
        for row in board.rows
        for each in row.excerpt.confusions
    )
    columns = (
        TableColumn("system"),
        TableColumn("reference → prediction"),
        TableColumn("times", "count"),
        TableColumn("kind"),
    )
    return ScoreTable(f"{board.corpus.name}: most frequent confusions", columns, rows) if rows else None


def build_time_table(board: CorpusBoard) -> ScoreTable | None:
    """Build the table of times of a corpus.

    The order is that of the scores. The result is None if no system was timed. Each machine of merged results has
    columns of its own.
    """
    if board.is_merged:
        return _build_merged_time_table(board)
    cells = [row.cell for row in board.rows if row.cell.timing is not None or row.cell.timing_reason]
    if not cells:
        return None
    heads = ("characters a second", "ratio to loop", "slowest / fastest round", "start-up, s", "memory, MB")
    columns = (TableColumn("system"), *(TableColumn(head, "ratio") for head in heads), TableColumn("note"))
    machine = board.machines[0].name if board.machines else UNKNOWN_MACHINE
    about = f"CPU seconds of one thread on one core of {machine}, {board.rounds} rounds."
    return ScoreTable(f"{board.corpus.name}: time", columns, tuple(map(_list_time_cells, cells)), (about, *TIME_NOTES))


def _build_merged_time_table(board: CorpusBoard) -> ScoreTable | None:
    """Build a table with columns for each machine; None without a time."""
    name, columns = board.corpus.name, [TableColumn("system")]
    for machine in board.machines:
        columns += [
            TableColumn(f"{head}, {machine.name}", "ratio") for head in ("characters a second", "ratio to loop")
        ]
    rows: list[tuple[TableCell, ...]] = []
    for system in (row.cell.system for row in board.rows):
        timings = [machine.times[name].get(system) for machine in board.machines]
        if any(timings):
            figures = ((None, None) if each is None else _format_speed(each) for each in timings)
            rows.append((system, *(figure for pair in figures for figure in pair)))
    return ScoreTable(f"{name}: time", tuple(columns), tuple(rows), TIME_NOTES) if rows else None


def _format_speed(timing: Timing) -> tuple[str, str]:
    return f"{timing.speed:,.0f}", f"{timing.ratio:.3f}" + (" (noisy)" if timing.noisy else "")


def _list_time_cells(cell: Cell) -> tuple[TableCell, ...]:
    timing = cell.timing
    if timing is None:
        return cell.system, None, None, None, None, None, cell.timing_reason
    note = ", ".join(filter(None, ("noisy" if timing.noisy else "", "by the clock" if timing.clock == "wall" else "")))
    return (
        cell.system,
        f"{timing.speed:,.0f}",
        f"{timing.ratio:.3f}",
        f"{timing.spread:.2f}",
        f"{timing.startup:.2f}",
        f"{timing.peak / MEGABYTE:,.0f}",
        note,
    )


def build_overall_tables(ranking: OverallRanking) -> list[ScoreTable]:
    """Build the tables of a ranking over corpora: mean ranks, and pairs.

    Args:
        ranking: the ranking.
    """
    p = UNDEFINED_CELL if ranking.p is None else f"{ranking.p:.4g}"
    statistic = UNDEFINED_CELL if ranking.statistic is None else f"{ranking.statistic:.3f}"
    number = len(ranking.corpora)
    notes = (
        f"Friedman's test: chi-squared {statistic}, p {p}, over {number} corpora: {', '.join(ranking.corpora)}.",
        f"Critical difference of mean ranks (Nemenyi, 0.05): {ranking.critical_difference:.3f}.",
    )
    columns = TableColumn("system"), TableColumn("mean rank", "ratio")
    rows = tuple(zip(ranking.systems, map(float, ranking.mean_ranks), strict=True))
    heads = "higher score on corpora", "shown on at least corpora"
    pairs = tuple((each.system, each.other, each.wins, each.replicated) for each in ranking.replications)
    pair_columns = (TableColumn("system"), TableColumn("other"), *(TableColumn(head, "count") for head in heads))
    note = "Replication of the difference by Bonferroni's partial conjunction, 0.05 (Dror et al. 2017)."
    return [
        ScoreTable(f"Mean ranks in {ranking.score}", columns, rows, notes),
        ScoreTable("Pairs over corpora", pair_columns, pairs, (note,)),
    ]


def list_tables(benchmark: Benchmark, excerpts: Excerpts | None = None) -> list[ScoreTable]:
    """List all tables: over corpora first, then those of each corpus.

    Args:
        benchmark: the results.
        excerpts: excerpts from the runs by names of corpus and system; None for no confusions.
    """
    tables = [table for ranking in benchmark.overall for table in build_overall_tables(ranking)]
    for board in build_boards(benchmark, excerpts):
        found = build_score_table(board), build_confusion_table(board), build_time_table(board)
        tables += [table for table in found if table is not None]
    return tables
