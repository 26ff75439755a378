"""`isogloss runs`: what was saved with `--save`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.cli.options import FormOption, OutputOption, QuietOption, check_files
from isogloss.cli.output import OutputFormat, exit_on_closed_pipe, open_output, write_runs, write_text
from isogloss.errors import UsageError
from isogloss.kernel.argument_checks import check_choice

if TYPE_CHECKING:
    from isogloss.store import Store, Summary

app = typer.Typer(
    help="List, show, tag, delete and move runs that were saved.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)
StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="URL|PATH",
        help="Where runs are kept: an SQLite file or postgresql://...; else ISOGLOSS_STORE.",
        show_default=".isogloss/runs.db",
    ),
]
RunArgument = Annotated[str, typer.Argument(metavar="RUN", help="Its id, the beginning of its id, or its name.")]
RunsArgument = Annotated[list[str], typer.Argument(metavar="RUN...", help="Ids, beginnings of ids, or names.")]


class ListFormat(StrEnum):
    """How a list is printed."""

    text = "text"
    json = "json"
    csv = "csv"


@app.command("list")
def list_runs(  # noqa: PLR0913  a command's options are its arguments
    *,
    task: Annotated[str | None, typer.Option(help="Only runs of this task.")] = None,
    system: Annotated[str | None, typer.Option(help="Only runs of this system.")] = None,
    corpus: Annotated[str | None, typer.Option(help="Only runs on this corpus.")] = None,
    tag: Annotated[str | None, typer.Option(help="Only runs with this tag.")] = None,
    score: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="Only runs with this score, such as strict.recall; highest first."),
    ] = None,
    limit: Annotated[int, typer.Option("-n", "--limit", help="Show so many at most.", min=1)] = 50,
    after: Annotated[str | None, typer.Option(metavar="RUN", help="Show those that come after this run.")] = None,
    form: Annotated[ListFormat, typer.Option("-f", "--format", help="How to print the list.")] = ListFormat.text,
    output: OutputOption = None,
    store: StoreOption = None,
) -> None:
    """List runs, the latest first."""
    from isogloss.tasks.registry import task_names

    if task is not None:
        check_choice("--task", task, task_names())
    with _open_store(store) as kept:
        check_files([kept.place], {"-o": output})
        found = kept.list(task=task, system=system, corpus=corpus, tag=tag, score=score, limit=limit, after=after)
    from isogloss.report import run_list as runs

    if form is not ListFormat.text:
        write_text((runs.format_list_json if form is ListFormat.json else runs.format_list_csv)(found), output)
    else:
        with open_output(output) as stream:
            runs.print_run_list(found, stream)


@app.command("show")
def show(
    run: RunArgument,
    *,
    errors: Annotated[
        int | None,
        typer.Option("--errors", help="Show so many errors at most.", min=0, show_default="as saved"),
    ] = None,
    form: FormOption = OutputFormat.text,
    output: OutputOption = None,
    store: StoreOption = None,
    quiet: QuietOption = False,
) -> None:
    """Show a run as it was when it was saved."""
    with _open_store(store) as kept:
        check_files([kept.place], {"-o": output})
        write_runs([kept.get(run).as_saved(errors)], form, output, quiet=quiet)


@app.command("tag")
def tag_run(
    run: RunArgument,
    tags: Annotated[list[str], typer.Argument(metavar="TAG...", help="Words that runs can be listed by.")],
    *,
    remove: Annotated[bool, typer.Option("--remove", help="Take the tags away.")] = False,
    store: StoreOption = None,
) -> None:
    """Give a run tags, or take them away."""
    with _open_store(store) as opened:
        if remove:
            opened.untag(run, *tags)
        else:
            opened.tag(run, *tags)


@app.command("delete")
def delete(
    runs: RunsArgument,
    *,
    yes: Annotated[bool, typer.Option("-y", "--yes", help="Do not ask.")] = False,
    store: StoreOption = None,
) -> None:
    """Delete runs for good."""
    with _open_store(store) as opened:
        found = [opened.get(run).summary for run in runs]
        if not yes:
            _confirm_delete(found)
        opened.delete(*(summary.id for summary in found))


@app.command("export")
def export(
    runs: RunsArgument,
    *,
    output: Annotated[
        Path,
        typer.Option("-o", "--output", help="The file to write; compressed if it ends with .gz or .zst."),
    ],
    store: StoreOption = None,
) -> None:
    """Write runs to one file, which another store can import."""
    with _open_store(store) as kept, exit_on_closed_pipe():
        check_files([kept.place], {"-o": output})
        kept.export(runs, output)


@app.command("import")
def import_runs(
    file: Annotated[str, typer.Argument(metavar="FILE", help="What `runs export` wrote; - is standard input.")],
    *,
    store: StoreOption = None,
    quiet: QuietOption = False,
) -> None:
    """Take in the runs of a file. Those that are here already are left as they are."""
    from isogloss.store import load_runs

    place, new = load_runs(file, store=store)
    if not quiet:
        print(f"{len(new)} new run{'' if len(new) == 1 else 's'} in {place}", file=sys.stderr)  # noqa: T201


def _open_store(store: str | None) -> Store:
    from isogloss.store import Store

    return Store.open(store, create=False)


def _confirm_delete(summaries: Sequence[Summary]) -> None:
    """Ask whether these runs are to be deleted.

    Raises:
        UsageError: there is nobody to ask.
        Abort: they are not.
    """
    if not sys.stdin.isatty():
        raise UsageError("There is no terminal to ask on: give --yes to delete without being asked.")
    for summary in summaries:
        typer.echo(f"{summary.short}  {summary.task}  {summary.system}", err=True)
    typer.confirm(
        f"Delete {'this run' if len(summaries) == 1 else f'these {len(summaries)} runs'}?", abort=True, err=True
    )
