"""`isogloss benchmark`: run many systems on many corpora."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.cli.options import QuietOption, StoreOption
from isogloss.cli.output import open_stdout, print_message, write_text

if TYPE_CHECKING:
    from isogloss.benchmark.results import Benchmark

PLAN = Path("bench.toml")
RESULTS = Path("results")
DIFFERENT = 1  # exit code of `verify`

app = typer.Typer()

PlanArgument = Annotated[Path, typer.Argument(metavar="PLAN", help="The plan.", show_default="bench.toml")]
FolderArgument = Annotated[Path, typer.Argument(metavar="DIR", help="Folder that `benchmark run -o DIR` wrote.")]
FolderOption = Annotated[
    Path,
    typer.Option("-o", "--output", metavar="DIR", help="Folder of the results.", rich_help_panel="Output"),
]
DemoOption = Annotated[bool, typer.Option("--demo", help="Plan tokenizers from the package index, pinned.")]
SaveOption = Annotated[
    str | None,
    typer.Option(
        "--save",
        metavar="[NAME]",
        help="Store the runs with the time of each system; --save=NAME also names them.",
        rich_help_panel="Store",
    ),
]
DownloadOption = Annotated[bool, typer.Option("--download", help="Allow packages to be downloaded.")]


@app.command("init")
def init(plan: PlanArgument = PLAN, *, demo: DemoOption = False) -> None:
    """Write a plan from the tokenizers installed here, with bundled sentences."""
    from isogloss.benchmark.plan_writing import write_plan
    from isogloss.demo import locate_words

    written = write_plan(plan, locate_words(), demo=demo)
    download = " --download" if demo else ""
    print_message(f"isogloss: wrote {', '.join(map(str, written))}")
    print_message(f"Next: isogloss benchmark run {plan} -o results{download}")


@app.command("check")
def check(plan: PlanArgument = PLAN, *, output: FolderOption = RESULTS) -> None:
    """Say what a run would build, download and run; nothing is run."""
    from isogloss.benchmark.plan import load_plan
    from isogloss.benchmark.plan_check import describe_plan

    lines = describe_plan(load_plan(plan), plan.parent.absolute(), output)
    write_text("".join(f"{line}\n" for line in lines), None)


@app.command("run")
def run(
    plan: PlanArgument = PLAN,
    *,
    output: FolderOption = RESULTS,
    download: DownloadOption = False,
    save: SaveOption = None,
    store: StoreOption = None,
    quiet: QuietOption = False,
) -> None:
    """Run a plan: predictions, time, scores and ranks.

    A stopped run goes on where it was.
    """
    from isogloss.benchmark.matrix import BenchmarkRunner
    from isogloss.benchmark.plan import load_plan
    from isogloss.cli.benchmark_monitor import make_monitor

    loaded = load_plan(plan)
    if save is not None:
        from isogloss.store import check_save

        check_save(len(loaded.list_cells()), store=store, name=save or None)
    with make_monitor(len(loaded.list_cells()), quiet=quiet) as monitor:
        found = BenchmarkRunner(loaded, plan.parent.absolute(), output.absolute(), monitor, download).run()
    if not quiet:
        _print_tables(found)
    if save is not None:
        from isogloss.benchmark.saved_runs import save_benchmark_runs

        number = len(save_benchmark_runs(output.absolute(), found, store, save or None))
        print_message(f"isogloss: saved {number} runs. Next: isogloss runs list --score speed.ratio")
    print_message(f"isogloss: wrote {output / 'benchmark.json'}. Next: isogloss benchmark report {output}")


@app.command("verify")
def verify(folder: FolderArgument) -> None:
    """Score predictions again, and compare each hash and score."""
    from isogloss.benchmark.results import load_benchmark
    from isogloss.benchmark.verification import verify_benchmark

    benchmark = load_benchmark(folder)
    found = verify_benchmark(folder, benchmark)
    write_text("".join(f"{each}\n" for each in found), None)
    if found:
        raise typer.Exit(DIFFERENT)
    print_message(f"isogloss: {len(benchmark.scored)} runs have the same hashes and scores")


@app.command("report")
def report(folder: FolderArgument) -> None:
    """Write leaderboards and badges.

    Leaderboards are HTML, Markdown, CSV and LaTeX; there is a badge for each system and corpus.
    """
    from isogloss.benchmark.leaderboard import write_leaderboards
    from isogloss.benchmark.results import load_benchmark

    benchmark = load_benchmark(folder)
    written = write_leaderboards(folder, benchmark)
    explorer = write_explorer(folder, benchmark)
    written += [] if explorer is None else [explorer]
    leaderboards = [path.name for path in written if path.parent == folder]
    print_message(
        f"isogloss: wrote {', '.join(leaderboards)} and {len(written) - len(leaderboards)} badges to {folder}"
    )


def _print_tables(benchmark: Benchmark) -> None:
    from isogloss.benchmark.leaderboard import list_tables
    from isogloss.report.terminal import open_console, print_table

    with open_stdout() as stream:
        console = open_console(stream)
        for table in list_tables(benchmark):
            print_table(table, console)
            console.print()


def write_explorer(folder: Path, benchmark: Benchmark) -> Path | None:
    """Write the explorer of all runs, if it is installed.

    Args:
        folder: folder of the results.
        benchmark: the results.

    Returns:
        The page; None without the explorer, without its runs, or with runs of several tasks.
    """
    from isogloss.benchmark.saved_runs import score_with_findings
    from isogloss.explorer.static_export import render_report
    from isogloss.report.report_runs import ReportRun, group_by_corpus

    runs = score_with_findings(folder, benchmark)
    corpora = group_by_corpus([ReportRun(run, corpus=corpus) for corpus, run in runs])
    page = folder / "explorer.html"
    write_text(render_report(corpora), page)
    return page
