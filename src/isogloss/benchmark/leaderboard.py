"""Leaderboards of a benchmark: tables, figures, badges and one page.

Scores are ranked. Times stand in a table of their own and are never ranked, because they depend on the machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from isogloss.benchmark.drawings import draw_critical_difference, draw_pareto_plot
from isogloss.benchmark.ranking import find_pareto_front
from isogloss.benchmark.results import (
    Benchmark,
    Cell,
    CorpusRecord,
    MeasuredMachine,
    OverallRanking,
    Timing,
    name_files,
)
from isogloss.kernel.scores import parse_path
from isogloss.records.destinations import write_files
from isogloss.report.badges import draw_badge
from isogloss.report.export import escape_markdown
from isogloss.report.latex import format_document
from isogloss.report.markup import Markup, build_element, join_markup
from isogloss.report.text_formats import format_csv, format_latex_table, format_markdown_table
from isogloss.runs.run_json import RunJson
from isogloss.runs.score_tables import UNDEFINED_CELL, ScoreTable, TableCell, TableColumn, format_cell
from isogloss.runs.system_ranking import RankedSystem, SystemRanking
from isogloss.tasks.registry import get_task
from isogloss.text.display import make_visible

PAGE = "leaderboard.html"
BADGE_FOLDER = "badges"
BADGE_LIST = "badges.md"
REMEDY = "Name a folder that can be written."
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
CSV_FIELDS = (
    "corpus",
    "system",
    "status",
    "reason",
    "score",
    "value",
    "low",
    "high",
    "mean_over_documents",
    "first_rank",
    "last_rank",
    "group",
    "ok",
    "changed",
    "failed",
    "timed_out",
    "unstable",
    "machine",
    "characters_per_second",
    "ratio",
    "spread",
    "noisy",
    "startup_seconds",
    "peak_bytes",
)
STYLE = """
body{font:16px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem;color:#1d2129;background:#fff}
table{border-collapse:collapse;margin:1rem 0;display:block;overflow-x:auto}
th,td{padding:.3rem .7rem;border-bottom:1px solid #d5d9e0;text-align:right;white-space:nowrap}
th{border-bottom:2px solid #3f4450}td.text,th.text{text-align:left}
td.reason{white-space:normal;min-width:14rem}p.note{color:#4a5160}svg{max-width:100%;height:auto}
"""


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
        link: address of the run in the explorer.
        confusions: its most frequent confusions, the first most frequent.
    """

    link: str
    confusions: Sequence[Confusion]


Excerpts = Mapping[tuple[str, str], RunExcerpt]  # by names of corpus and system


@dataclass(frozen=True)
class LeaderboardRow:
    """A system on a corpus.

    Args:
        cell: outcomes and time.
        path: path of the main score; empty without scores.
        run: its scores; None without.
        ranked: its place; None if it is not ranked.
        anchor: anchor of the row in the page.
    """

    cell: Cell
    path: str = ""
    run: RunJson | None = None
    ranked: RankedSystem | None = None
    anchor: str = ""

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


def build_rows(benchmark: Benchmark, corpus: CorpusRecord) -> list[LeaderboardRow]:
    """Build the rows of a corpus, the best score first.

    Systems without a score come last.

    Args:
        benchmark: the results.
        corpus: the corpus.
    """
    runs = {each.system: each.run for each in benchmark.scored if each.corpus == corpus.name}
    ranking = benchmark.rankings.get(corpus.name)
    path = choose_path(corpus, ranking, runs)
    ranked = {} if ranking is None else {each.system: each for each in ranking.systems}
    places = {name: at for at, name in enumerate(ranked)}
    cells = [cell for cell in benchmark.cells if cell.corpus == corpus.name]
    cells.sort(key=lambda cell: (cell.system not in runs, places.get(cell.system, len(places)), cell.system))
    anchors = name_anchors(benchmark)
    return [
        LeaderboardRow(cell, path, runs.get(cell.system), ranked.get(cell.system), anchors[corpus.name, cell.system])
        for cell in cells
    ]


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


def build_score_table(benchmark: Benchmark, corpus: CorpusRecord) -> ScoreTable:
    """Build the table of scores and outcomes of a corpus.

    Args:
        benchmark: the results.
        corpus: the corpus.
    """
    rows = build_rows(benchmark, corpus)
    path = next((row.path for row in rows if row.path), "")
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
    return ScoreTable(heading, tuple(columns), tuple(map(_list_score_cells, rows)), SCORE_NOTES)


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


def build_confusion_table(benchmark: Benchmark, corpus: CorpusRecord, excerpts: Excerpts) -> ScoreTable | None:
    """Build the table of the most frequent confusions of each system.

    The result is None if no run has confusions.

    Args:
        benchmark: the results.
        corpus: the corpus.
        excerpts: excerpts from the runs by names of corpus and system.
    """
    rows = []
    for row in build_rows(benchmark, corpus):
        excerpt = excerpts.get((corpus.name, row.cell.system))
        for each in () if excerpt is None else excerpt.confusions:
            change = make_visible(f"{each.reference} → {each.predicted}")
            rows.append((row.cell.system, change, each.times, each.kind))
    columns = (
        TableColumn("system"),
        TableColumn("reference → prediction"),
        TableColumn("times", "count"),
        TableColumn("kind"),
    )
    return ScoreTable(f"{corpus.name}: most frequent confusions", columns, tuple(rows)) if rows else None


def build_time_table(benchmark: Benchmark, corpus: CorpusRecord) -> ScoreTable | None:
    """Build the table of times of a corpus.

    The order is that of the scores. The result is None if no system was timed. Each machine of merged results has
    columns of its own.

    Args:
        benchmark: the results.
        corpus: the corpus.
    """
    cells = [row.cell for row in build_rows(benchmark, corpus)]
    machines = [each for each in benchmark.list_machines() if each.times.get(corpus.name)]
    if benchmark.machines:
        return _build_merged_time_table(corpus.name, cells, machines)
    cells = [cell for cell in cells if cell.timing is not None or cell.timing_reason]
    if not cells:
        return None
    heads = ("characters a second", "ratio to loop", "slowest / fastest round", "start-up, s", "memory, MB")
    columns = (TableColumn("system"), *(TableColumn(head, "ratio") for head in heads), TableColumn("note"))
    rounds = benchmark.plan.limits.rounds
    about = f"CPU seconds of one thread on one core of {benchmark.machine.get('cpu')}, {rounds} rounds."
    return ScoreTable(f"{corpus.name}: time", columns, tuple(map(_list_time_cells, cells)), (about, *TIME_NOTES))


def _build_merged_time_table(
    corpus: str, cells: Sequence[Cell], machines: Sequence[MeasuredMachine]
) -> ScoreTable | None:
    """Build a table with columns for each machine; None without a time."""
    columns = [TableColumn("system")]
    for machine in machines:
        columns += [
            TableColumn(f"{head}, {machine.name}", "ratio") for head in ("characters a second", "ratio to loop")
        ]
    rows: list[tuple[TableCell, ...]] = []
    for system in (cell.system for cell in cells):
        timings = [machine.times[corpus].get(system) for machine in machines]
        if any(timings):
            figures = ((None, None) if each is None else _format_speed(each) for each in timings)
            rows.append((system, *(figure for pair in figures for figure in pair)))
    return ScoreTable(f"{corpus}: time", tuple(columns), tuple(rows), TIME_NOTES) if rows else None


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
    for corpus in benchmark.corpora:
        confusions = build_confusion_table(benchmark, corpus, excerpts or {})
        found = (build_score_table(benchmark, corpus), confusions, build_time_table(benchmark, corpus))
        tables += [table for table in found if table is not None]
    return tables


def format_leaderboard_markdown(benchmark: Benchmark, excerpts: Excerpts) -> str:
    """Format the leaderboard as Markdown.

    Args:
        benchmark: the results.
        excerpts: excerpts from the runs by names of corpus and system.
    """
    title = f"# {escape_markdown(benchmark.plan.name)}"
    tables = (
        format_markdown_table(each, escape_markdown, escape_markdown(each.title))
        for each in list_tables(benchmark, excerpts)
    )
    signatures = dict.fromkeys(each.run.signature for each in benchmark.scored)
    return "\n\n".join([title, *tables, *(f"`{each}`" for each in signatures)]) + "\n"


def format_leaderboard_latex(benchmark: Benchmark, excerpts: Excerpts) -> str:
    """Format the leaderboard as LaTeX tables with booktabs rules.

    Args:
        benchmark: the results.
        excerpts: excerpts from the runs by names of corpus and system.
    """
    signatures = dict.fromkeys(each.run.signature for each in benchmark.scored)
    return format_document(signatures, "\n".join(map(format_latex_table, list_tables(benchmark, excerpts))))


def format_leaderboard_csv(benchmark: Benchmark) -> str:
    """Format the leaderboard as CSV, one line a cell and machine."""
    rows = [row for own in benchmark.corpora for row in build_rows(benchmark, own)]
    return format_csv(CSV_FIELDS, [line for row in rows for line in _build_csv_rows(row, benchmark.list_machines())])


def _build_csv_rows(row: LeaderboardRow, machines: Sequence[MeasuredMachine]) -> list[dict[str, object]]:
    """Build a line for each machine that timed the cell.

    Without a time there is one line.
    """
    cell, line = row.cell, _build_csv_row(row)
    timings = ((each.name, each.times.get(cell.corpus, {}).get(cell.system)) for each in machines)
    timed = [line | {"machine": name} | _build_time_fields(timing) for name, timing in timings if timing is not None]
    return timed or [line]


def _build_csv_row(row: LeaderboardRow) -> dict[str, object]:
    cell, interval, ranked = row.cell, row.interval or (None, None), row.ranked
    outcomes = {name.replace(" ", "_"): number for name, number in cell.outcomes.items()}
    places = {} if ranked is None else {name: getattr(ranked, name) for name in ("first_rank", "last_rank", "group")}
    return {
        "corpus": cell.corpus,
        "system": cell.system,
        "status": cell.status,
        "reason": cell.reason,
        "score": row.path,
        "value": row.value,
        "low": interval[0],
        "high": interval[1],
        "mean_over_documents": row.mean,
        "unstable": cell.unstable,
        **places,
        **outcomes,
    }


def _build_time_fields(timing: Timing) -> dict[str, object]:
    return {
        "characters_per_second": timing.speed,
        "ratio": timing.ratio,
        "spread": timing.spread,
        "noisy": timing.noisy,
        "startup_seconds": timing.startup,
        "peak_bytes": timing.peak,
    }


def format_leaderboard_page(benchmark: Benchmark, excerpts: Excerpts) -> str:
    """Format the leaderboard as one HTML page without other files.

    Args:
        benchmark: the results.
        excerpts: excerpts from the runs by names of corpus and system.
    """
    parts = [build_element("h1", benchmark.plan.name)]
    for ranking in benchmark.overall:
        parts += [_draw_table(table) for table in build_overall_tables(ranking)[:1]]
        parts.append(draw_critical_difference(ranking.systems, ranking.mean_ranks, ranking.critical_difference))
        parts += [_draw_table(table) for table in build_overall_tables(ranking)[1:]]
    for corpus in benchmark.corpora:
        parts += _draw_corpus(benchmark, corpus, excerpts)
    body = join_markup(*parts)
    head = join_markup(
        Markup('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'),
        build_element("title", benchmark.plan.name),
        build_element("style", Markup(STYLE)),
    )
    page = build_element(
        "html", build_element("head", head), build_element("body", build_element("main", body)), lang="en"
    )
    return f"<!DOCTYPE html>\n{page}\n"


def _draw_corpus(benchmark: Benchmark, corpus: CorpusRecord, excerpts: Excerpts) -> Iterator[Markup]:
    rows = build_rows(benchmark, corpus)
    own = [excerpts.get((corpus.name, row.cell.system)) for row in rows]
    places = [RowPlace(row.anchor, "" if each is None else each.link) for row, each in zip(rows, own, strict=True)]
    yield _draw_table(build_score_table(benchmark, corpus), places)
    confusions = build_confusion_table(benchmark, corpus, excerpts)
    if confusions is not None:
        yield _draw_table(confusions)
    times = build_time_table(benchmark, corpus)
    if times is not None:
        yield _draw_table(times)
    for machine in benchmark.list_machines():
        timings = machine.times.get(corpus.name, {})
        points = [
            (row.cell.system, row.value, timings[row.cell.system].speed)
            for row in rows
            if row.value is not None and row.cell.system in timings
        ]
        if len(points) > 1:
            if benchmark.machines:
                yield build_element("p", f"Score against speed on {machine.name}:")
            front = find_pareto_front([(value, speed) for _, value, speed in points])
            yield draw_pareto_plot(points, front)


@dataclass(frozen=True)
class RowPlace:
    """Anchor of a row, and where its system leads.

    Args:
        anchor: its anchor.
        link: address of the run in the explorer; empty without a run.
    """

    anchor: str
    link: str


def _draw_table(table: ScoreTable, places: Sequence[RowPlace] = ()) -> Markup:
    """Draw a table; rows have anchors and links if there are some."""
    kinds = ["text" if column.kind == "text" else None for column in table.columns]
    head = build_element(
        "tr", *(build_element("th", each.title, class_=kind) for each, kind in zip(table.columns, kinds, strict=True))
    )
    rows = []
    for at, row in enumerate(table.rows):
        cells = [
            build_element("td", format_cell(cell), class_=_get_class(column.title, kind))
            for cell, column, kind in zip(row, table.columns, kinds, strict=True)
        ]
        if places and places[at].link:
            link = build_element("a", format_cell(row[0]), href=places[at].link)
            cells[0] = build_element("td", link, class_="text")
        rows.append(build_element("tr", *cells, id=places[at].anchor if places else None))
    notes = (build_element("p", note, class_="note") for note in table.notes)
    inside = build_element("thead", head), build_element("tbody", *rows)
    return join_markup(build_element("h2", table.title), build_element("table", *inside), *notes)


def _get_class(title: str, kind: str | None) -> str | None:
    return "text reason" if title == "reason" else kind


def build_badges(benchmark: Benchmark, excerpts: Excerpts) -> dict[str, str]:
    """Build a badge for each system on each corpus.

    A Markdown table shows all badges. The result is the content by file name.

    A badge shows the mean over texts if there is one, else the score. It leads to the words of its run in the explorer,
    or to its row of the page if there is no run.

    Args:
        benchmark: the results.
        excerpts: excerpts from the runs by names of corpus and system.
    """
    content: dict[str, str] = {}
    names = [corpus.name for corpus in benchmark.corpora]
    table: dict[str, dict[str, str]] = {system.name: {} for system in benchmark.plan.system}
    for corpus in benchmark.corpora:
        for row in build_rows(benchmark, corpus):
            file = f"{row.anchor}.svg"
            excerpt = excerpts.get((corpus.name, row.cell.system))
            href = f"{PAGE}#{row.anchor}" if excerpt is None else excerpt.link
            badge = draw_badge(row.cell.system, _format_badge(corpus, row), f"../{href}")
            content[f"{BADGE_FOLDER}/{file}"] = f"{badge}\n"
            image = f"![{escape_markdown(row.cell.system)} on {escape_markdown(corpus.name)}]({BADGE_FOLDER}/{file})"
            table[row.cell.system][corpus.name] = f"[{image}](<{href}>)"
    lines = [["system", *map(escape_markdown, names)], ["---"] * (len(names) + 1)]
    lines += [[escape_markdown(name), *(own.get(each, "") for each in names)] for name, own in table.items()]
    content[BADGE_LIST] = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return content


def _format_badge(corpus: CorpusRecord, row: LeaderboardRow) -> list[str]:
    value = row.value if row.mean is None else row.mean
    shown = "failed" if row.run is None else UNDEFINED_CELL if value is None else f"{value:.3f}"
    return [corpus.name, f" {shown}"]


def write_leaderboards(folder: Path, benchmark: Benchmark, excerpts: Excerpts | None = None) -> list[Path]:
    """Write the leaderboard as HTML, Markdown, CSV and LaTeX, and the badges.

    Args:
        folder: folder of the results.
        benchmark: the results.
        excerpts: excerpts from the runs by names of corpus and system.

    Returns:
        The files.

    Raises:
        SourceError: if a file cannot be written.
    """
    content = {
        PAGE: format_leaderboard_page(benchmark, excerpts or {}),
        "leaderboard.md": format_leaderboard_markdown(benchmark, excerpts or {}),
        "leaderboard.csv": format_leaderboard_csv(benchmark),
        "leaderboard.tex": format_leaderboard_latex(benchmark, excerpts or {}),
        **build_badges(benchmark, excerpts or {}),
    }
    write_files({folder / name: text for name, text in content.items()}, REMEDY)
    return [folder / name for name in content]
