"""`isogloss view`: look at runs and their findings in a browser."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.cli.completion import complete_choices, complete_run
from isogloss.cli.options import StoreOption
from isogloss.cli.output import ProgressLine, print_message
from isogloss.errors import MissingExtraError, UsageError
from isogloss.kernel.argument_checks import check_choice
from isogloss.tasks.registry import list_task_names

if TYPE_CHECKING:
    from isogloss.explorer.explorer import Explorer
    from isogloss.explorer.run_sources import RunSource
    from isogloss.runs.run import Run

PORT = 8009
LoadExplorer = Callable[[Callable[[], str | None]], "Explorer"]


@dataclass(frozen=True)
class ViewOptions:
    """How runs are shown.

    Args:
        port: port of the page; 0 for any free port.
        opens_browser: whether to open the browser.
        bundle: folder to write in place of a page; None for a page.
        store: store of notes and of uploads that are kept; None for the default.
    """

    port: int = PORT
    opens_browser: bool = True
    bundle: Path | None = None
    store: str | None = None


NamesArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[RUN|FILE]...",
        help="Ids or names of stored runs, or JSON files that -f json wrote; with --task, reference and predictions.",
        show_default="all stored runs",
        autocompletion=complete_run,
    ),
]
TaskOption = Annotated[
    str | None,
    typer.Option(
        "--task",
        metavar="TASK",
        autocompletion=complete_choices(list_task_names),
        help="Score these files now: the reference first, then a prediction of each system.",
    ),
]
ViewPortOption = Annotated[int, typer.Option(help="Port; 0 for any free port.", min=0, max=65535)]
NoBrowserOption = Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")]
BundleOption = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Write a folder whose index.html opens from disk, and stop."),
]


def command(
    names: NamesArgument = None,
    *,
    task: TaskOption = None,
    port: ViewPortOption = PORT,
    no_browser: NoBrowserOption = False,
    bundle: BundleOption = None,
    store: StoreOption = None,
) -> None:
    """Look at runs and their findings in a browser.

    The page is on this machine only. Ctrl-C ends it.
    """
    options = ViewOptions(port, not no_browser, bundle, store)
    if task is not None:
        check_choice("--task", task, list_task_names())
        show_runs(_score_files(task, names or []), options)
        return
    files = [name for name in names or () if os.path.exists(name)]  # noqa: PTH110  False for what cannot be a path
    _show(_choose_runs(names or [], files, store), options)


def show_runs(runs: Sequence[Run], options: ViewOptions) -> None:
    """Show runs that were scored just now.

    Args:
        runs: the runs, with all findings.
        options: how they are shown.
    """
    from isogloss.explorer.run_sources import build_memory_runs

    _show(lambda: build_memory_runs(runs), options)


def _score_files(task: str, names: Sequence[str]) -> list[Run]:
    from isogloss.explorer.file_scoring import score_files

    with ProgressLine(f"isogloss {task}:", quiet=False) as progress:
        return score_files(task, names, progress)


def _choose_runs(names: Sequence[str], files: Sequence[str], store: str | None) -> Callable[[], RunSource]:
    """Return what opens the runs that the user named."""

    def open_runs() -> RunSource:
        from isogloss.explorer.run_sources import JoinedRuns, MemoryRuns
        from isogloss.explorer.stored_runs import StoredRuns, find_ids
        from isogloss.report.report_runs import group_by_corpus, load_run_file

        if not names:
            return StoredRuns(lambda: store)
        opened = [run for name in files for run in load_run_file(name)]
        tasks = dict.fromkeys(one.run.task for one in opened)
        corpora = [each for task in tasks for each in group_by_corpus([one for one in opened if one.run.task == task])]
        keys = [name for name in names if name not in files]
        stored = [StoredRuns(lambda: store, find_ids(keys, store))] if keys else []
        return JoinedRuns((MemoryRuns(corpora), *stored))

    if any(Path(name).suffix.lower() != ".json" for name in files):
        odd = next(name for name in files if Path(name).suffix.lower() != ".json")
        raise UsageError(f"{odd} is not a JSON file of runs. To score files now, add --task TASK.")
    return open_runs


def _show(open_runs: Callable[[], RunSource], options: ViewOptions) -> None:
    """Write a folder, or serve the page until Ctrl-C."""
    from isogloss.explorer.explorer import Explorer
    from isogloss.explorer.run_sources import JoinedRuns
    from isogloss.explorer.static_export import write_bundle
    from isogloss.explorer.stored_runs import ScratchRuns, StoredNotes

    runs = open_runs()  # a mistake is reported before anything is served
    if options.bundle is not None:
        number = write_bundle(Explorer(runs, StoredNotes(options.store)), options.bundle)
        print_message(f"isogloss: wrote {number} files; open {options.bundle / 'index.html'} in a browser")
        return

    def load(get_scratch: Callable[[], str | None]) -> Explorer:
        return Explorer(JoinedRuns((ScratchRuns(get_scratch), runs)), StoredNotes(options.store))

    _serve(load, options)


def _serve(load: LoadExplorer, options: ViewOptions) -> None:
    try:
        from isogloss.service.server import serve
    except ImportError as error:
        raise MissingExtraError("isogloss view", "isogloss[web]") from error
    from isogloss.service.settings import ServiceLimits, ServiceSettings

    limits = ServiceLimits(body=200_000_000, grace_seconds=0)
    settings = ServiceSettings(port=options.port, limits=limits, workers=1, quiet=True, store=options.store)

    def announce(url: str) -> None:
        print_message(f"isogloss: {url}/ (Ctrl-C ends it)")
        if options.opens_browser:
            _open_browser(f"{url}/")

    if serve(settings, load, announce) == signal.SIGTERM:
        raise typer.Exit(128 + signal.SIGTERM)


def _open_browser(url: str) -> None:
    """Open the browser in the background: some wait for its end."""
    import threading
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
