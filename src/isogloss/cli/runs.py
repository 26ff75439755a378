"""`isogloss runs`: list, show, tag, delete, export and import stored runs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isogloss.cli.completion import complete_run
from isogloss.cli.options import (
    FormOption,
    OutputOption,
    QuietOption,
    StoreOption,
    TableForm,
    TableFormOption,
    check_files,
    list_parameters,
    make_parameter,
    set_signature,
)
from isogloss.cli.output import OutputFormat, exit_on_closed_pipe, open_output, print_message, write_runs, write_text
from isogloss.errors import UsageError
from isogloss.kernel.argument_checks import check_choice

if TYPE_CHECKING:
    from isogloss.store import CorruptRunsError, Store, Summary

app = typer.Typer()
RunArgument = Annotated[
    str, typer.Argument(metavar="RUN", help="Id, beginning of the id, or name of a run.", autocompletion=complete_run)
]
RunsArgument = Annotated[
    list[str],
    typer.Argument(metavar="RUN...", help="Ids, beginnings of ids, or names of runs.", autocompletion=complete_run),
]


@dataclass(frozen=True, kw_only=True)
class ListOptions:
    """Which runs `isogloss runs list` shows: the arguments of `Store.list`."""

    task: Annotated[str | None, typer.Option(help="Only runs of this task.")] = None
    name: Annotated[str | None, typer.Option(help="Only runs of this name.")] = None
    system: Annotated[str | None, typer.Option(help="Only runs of this system.")] = None
    corpus: Annotated[str | None, typer.Option(help="Only runs on this corpus.")] = None
    tag: Annotated[str | None, typer.Option(help="Only runs with this tag.")] = None
    signature: Annotated[
        str | None, typer.Option(help="Only runs of this signature, or with these choices, such as scheme:iob2.")
    ] = None
    reference: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|SHA256", help="Only runs with this reference: path, name, or first digits of its SHA-256."
        ),
    ] = None
    since: Annotated[
        str | None, typer.Option(metavar="DATE", help="Only runs saved on this date or later, such as 2026-11-22.")
    ] = None
    until: Annotated[str | None, typer.Option(metavar="DATE", help="Only runs saved on this date or earlier.")] = None
    score: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="Only runs with this score, such as strict.recall; the highest first."),
    ] = None
    limit: Annotated[int, typer.Option("-n", "--limit", metavar="N", help="Show at most N runs.", min=1)] = 50
    after: Annotated[str | None, typer.Option(metavar="RUN", help="Continue the list after this run.")] = None


def list_runs(form: TableForm, output: Path | None, store: str | None, **conditions: Any) -> None:
    """List runs, the latest first."""
    from isogloss.tasks.registry import list_task_names

    options = ListOptions(**conditions)
    if options.task is not None:
        check_choice("--task", options.task, list_task_names())
    with _open_store(store) as opened:
        check_files([opened.place], {"-o": output})
        summaries, corrupt = _collect_summaries(lambda: opened.list(**asdict(options)))
    from isogloss.report.store_listing import format_list_csv, format_list_json, print_run_list

    if form is not TableForm.text:
        write_text((format_list_json if form is TableForm.json else format_list_csv)(summaries), output)
    else:
        with open_output(output) as stream:
            print_run_list(summaries, stream)
    if corrupt is not None:
        raise corrupt


_LIST_OUTPUT = (("form", TableFormOption, TableForm.text), ("output", OutputOption, None), ("store", StoreOption, None))
app.command("list")(
    set_signature(
        list_runs,
        [*list_parameters(ListOptions), *(make_parameter(*each) for each in _LIST_OUTPUT)],
        "List runs, the latest first.",
    )
)


@app.command("show")
def show(
    run: RunArgument,
    *,
    errors: Annotated[
        int | None,
        typer.Option("--errors", metavar="N", help="Show at most N errors.", min=0, show_default="as saved"),
    ] = None,
    form: FormOption = OutputFormat.text,
    output: OutputOption = None,
    store: StoreOption = None,
    quiet: QuietOption = False,
) -> None:
    """Show a run as it was when it was saved."""
    with _open_store(store) as opened:
        check_files([opened.place], {"-o": output})
        write_runs([opened.get(run).as_saved(errors)], form, output, quiet=quiet)


@app.command("tag")
def tag_run(
    run: RunArgument,
    tags: Annotated[list[str], typer.Argument(metavar="TAG...", help="Tags to list runs by.")],
    *,
    remove: Annotated[bool, typer.Option("--remove", help="Remove the tags.")] = False,
    store: StoreOption = None,
) -> None:
    """Add tags to a run, or remove them."""
    with _open_store(store) as opened:
        if remove:
            opened.untag(run, *tags)
        else:
            opened.tag(run, *tags)


@app.command("delete")
def delete(
    runs: RunsArgument,
    *,
    yes: Annotated[bool, typer.Option("-y", "--yes", help="Delete without asking.")] = False,
    store: StoreOption = None,
) -> None:
    """Delete runs permanently."""
    with _open_store(store) as opened:
        if yes:  # also a run that is corrupt
            opened.delete(*runs)
            return
        summaries = [opened.get(run).summary for run in runs]
        _confirm_delete(summaries)
        opened.delete(*(summary.id for summary in summaries))


@app.command("export")
def export(
    runs: RunsArgument,
    *,
    output: Annotated[
        Path,
        typer.Option("-o", "--output", help="File to write; compressed if it ends with .gz or .zst."),
    ],
    store: StoreOption = None,
) -> None:
    """Write runs to one file, which another store can import."""
    with _open_store(store) as opened, exit_on_closed_pipe():
        check_files([opened.place], {"-o": output})
        opened.export(runs, output)


@app.command("import")
def import_runs(
    file: Annotated[str, typer.Argument(metavar="FILE", help="File that `runs export` wrote; - is standard input.")],
    *,
    store: StoreOption = None,
    quiet: QuietOption = False,
) -> None:
    """Import the runs of a file.

    Runs that are already in the store stay as they are.
    """
    from isogloss.store import load_runs
    from isogloss.text.display import format_count

    place, new = load_runs(file, store=store)
    if not quiet:
        print_message(f"{format_count(len(new), 'new run')} in {place}")


def _collect_summaries(
    list_summaries: Callable[[], Sequence[Summary]],
) -> tuple[Sequence[Summary], CorruptRunsError | None]:
    """Return the summaries of a list, and the error for corrupt runs.

    The caller raises the error after it has shown the list.
    """
    from isogloss.store import CorruptRunsError

    try:
        return list_summaries(), None
    except CorruptRunsError as error:
        return error.summaries, error


def _open_store(store: str | None) -> Store:
    from isogloss.store import Store

    return Store.open(store, create=False)


def _confirm_delete(summaries: Sequence[Summary]) -> None:
    """Ask the user to confirm that runs are deleted.

    Args:
        summaries: of the runs.

    Raises:
        UsageError: if standard input is not a terminal.
        Abort: if the user declines.
    """
    if not sys.stdin.isatty():
        raise UsageError("Standard input is not a terminal to confirm on: add --yes to delete without asking.")
    for summary in summaries:
        print_message(f"{summary.short}  {summary.task}  {summary.system}")
    typer.confirm(
        f"Delete {'this run' if len(summaries) == 1 else f'these {len(summaries)} runs'}?", abort=True, err=True
    )
