"""`isogloss benchmark`: run many systems on many corpora."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.cli.options import QuietOption, StoreOption
from isogloss.cli.output import open_stdout, print_message, write_text
from isogloss.errors import UsageError
from isogloss.kernel.argument_checks import check_choice

if TYPE_CHECKING:
    from isogloss.benchmark.results import Benchmark

PLAN = Path("bench.toml")
RESULTS = Path("results")
DIFFERENT = 1  # exit code of `verify`

app = typer.Typer()

PlanArgument = Annotated[Path, typer.Argument(metavar="PLAN", help="The plan.", show_default="bench.toml")]
FolderArgument = Annotated[Path, typer.Argument(metavar="DIR", help="Folder that `benchmark run -o DIR` wrote.")]
FoldersArgument = Annotated[
    list[Path], typer.Argument(metavar="DIR...", help="Folders that `benchmark run -o DIR` wrote.")
]
MergedOption = Annotated[
    Path,
    typer.Option("-o", "--output", metavar="DIR", help="Folder of the merged results.", rich_help_panel="Output"),
]
FolderOption = Annotated[
    Path,
    typer.Option("-o", "--output", metavar="DIR", help="Folder of the results.", rich_help_panel="Output"),
]
TaskOption = Annotated[
    str | None, typer.Option("--task", metavar="NAME", help="Task of the plan.", show_default="word segmentation")
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
def init(plan: PlanArgument = PLAN, *, task: TaskOption = None, demo: DemoOption = False) -> None:
    """Write a plan from the systems installed here, with bundled sentences.

    Without --task it plans tokenizers.
    """
    from isogloss.benchmark.plan import find_default_task
    from isogloss.benchmark.plan_writing import write_plan, write_task_plan
    from isogloss.demo import format_spans, locate_words
    from isogloss.tasks.registry import list_task_names

    check_choice("--task", task := task or find_default_task(), list_task_names())
    if task == find_default_task():
        written = write_plan(plan, locate_words(), demo=demo)
    elif demo:
        raise UsageError("--demo plans tokenizers. Leave out --demo or --task.")
    else:
        written = write_task_plan(plan, task, format_spans(task))
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
        result = BenchmarkRunner(loaded, plan.parent.absolute(), output.absolute(), monitor, download).run()
    if not quiet:
        _print_tables(result)
    if save is not None:
        from isogloss.benchmark.saved_runs import save_benchmark_runs

        number = len(save_benchmark_runs(output.absolute(), result, store, save or None))
        print_message(f"isogloss: saved {number} runs. Next: isogloss runs list --score speed.ratio")
    print_message(f"isogloss: wrote {output / 'benchmark.json'}. Next: isogloss benchmark report {output}")


@app.command("verify")
def verify(folder: FolderArgument) -> None:
    """Score predictions again, and compare each hash and score."""
    from isogloss.benchmark.results import load_benchmark
    from isogloss.benchmark.verification import verify_benchmark

    benchmark = load_benchmark(folder)
    differences = verify_benchmark(folder, benchmark)
    write_text("".join(f"{each}\n" for each in differences), None)
    if differences:
        raise typer.Exit(DIFFERENT)
    print_message(f"isogloss: {len(benchmark.scored)} runs have the same hashes and scores")


@app.command("merge")
def merge(folders: FoldersArgument, *, output: MergedOption) -> None:
    """Merge results of several people or machines.

    Systems are scored and ranked together; times of each machine have columns of their own.
    """
    from isogloss.benchmark.merging import merge_benchmarks

    found = merge_benchmarks(folders, output)
    corpora, systems = len(found.corpora), len(found.plan.system)
    print_message(f"isogloss: merged {len(folders)} results: corpora {corpora}, systems {systems}")
    print_message(f"Next: isogloss benchmark report {output}")


@app.command("report")
def report(folder: FolderArgument) -> None:
    """Write leaderboards and badges.

    Leaderboards are HTML, Markdown, CSV and LaTeX; there is a badge for each system and corpus.
    """
    from isogloss.benchmark.explorer_pages import write_explorers
    from isogloss.benchmark.leaderboard_files import write_leaderboards
    from isogloss.benchmark.results import load_benchmark

    benchmark = load_benchmark(folder)
    pages, excerpts = write_explorers(folder.absolute(), benchmark)
    written = [*pages, *write_leaderboards(folder.absolute(), benchmark, excerpts)]
    own = [path.name for path in written if path.parent == folder.absolute()]
    print_message(f"isogloss: wrote {', '.join(own)} and {len(written) - len(own)} badges to {folder}")


def _print_tables(benchmark: Benchmark) -> None:
    from isogloss.benchmark.leaderboard import list_tables
    from isogloss.report.terminal import open_console, print_table

    with open_stdout() as stream:
        console = open_console(stream)
        for table in list_tables(benchmark):
            print_table(table, console)
            console.print()
