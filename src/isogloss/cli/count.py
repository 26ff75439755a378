"""`isogloss count TASK`: count a part of a corpus."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from isogloss.cli.help import format_examples
from isogloss.cli.options import TaskOptions, check_files, list_files, list_parameters, make_parameter, set_signature
from isogloss.cli.output import ProgressLine, print_message
from isogloss.cli.task_command import HIDDEN, PREDICTIONS, list_hidden, make_arguments, make_options, parse_options
from isogloss.errors import MismatchError, UsageError
from isogloss.records.sources import Source
from isogloss.tasks.registry import get_task, list_task_names
from isogloss.tasks.task import Task

# Options of all tasks that count does not have: those of merge, and those of several processes.
NOT_COUNTED = frozenset(("form", "output", "jobs", "resume", "engine", "address"))

PartialOption = Annotated[
    Path, typer.Option("-o", "--output", metavar="FILE", help="The partial to write, such as part-1.iso.")
]
PartOption = Annotated[
    str | None,
    typer.Option("--part", metavar="K/N", help="Count part K of N of the named files only.", show_default=False),
]
KeepOption = Annotated[
    bool,
    typer.Option(
        "--keep-documents",
        help="Keep documents and findings, for --save, --view and --fail-if-worse-than of merge.",
    ),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Count again, also if the partial is there and matches.")]


def make_app() -> typer.Typer:
    """Make the commands of all tasks."""
    app = typer.Typer()
    for task in map(get_task, list_task_names()):
        app.command(task.name, epilog=format_examples(_list_examples(task)))(_make_command(task))
    return app


def _list_examples(task: Task) -> tuple[str, ...]:
    language = re.search(r" --language \S+|$", task.list_examples()[0])
    data = ("texts-1", "texts/") if task.reference is None else ("gold-1 system-1", "gold/ system/")
    one, all_ = (f"isogloss count {task.name} {each}{language[0] if language else ''}" for each in data)
    return (
        f"{one} -o part-1.iso",
        f"{one} --errors 5 -o part-1.iso",
        f"{all_} --part 1/10 -o part-1.iso",
    )


def _make_command(task: Task) -> Callable[..., None]:
    shared = list_parameters(TaskOptions, list_hidden(task) | NOT_COUNTED)
    shared = [each.replace(default=task.default_unit) if each.name == "unit" else each for each in shared]

    def command(*, output: Path, part: str | None, keep_documents: bool, force: bool, **given: Any) -> None:
        options = TaskOptions(
            **{each.name: given.pop(each.name) for each in shared},
            keep_documents=keep_documents,
            collect_findings=keep_documents,
        )
        _count(task, given, options, (output, part), force=force)

    parameters = [
        *make_arguments(task),
        *make_options(task.options),
        make_parameter("output", PartialOption),
        make_parameter("part", PartOption, None),
        make_parameter("keep_documents", KeepOption, default=False),
        make_parameter("force", ForceOption, default=False),
        *shared,
    ]
    return set_signature(command, parameters, f"Count a part of a corpus: {task.summary.lower()}")


def _count(
    task: Task, given: dict[str, Any], options: TaskOptions, where: tuple[Path, str | None], *, force: bool
) -> None:
    """Count a part, and write its partial."""
    from isogloss.distributed.partials import load_key
    from isogloss.distributed.parts import Part, list_file_stamps, parse_part

    output, text = where
    reference = given.pop(task.reference.name, None) if task.reference is not None else None
    predictions: list[str] = given.pop(PREDICTIONS) or []
    check_files([name for name in (reference, *predictions) if name is not None], {"-o": output})
    options.check_selection()
    chosen = None if text is None else parse_part(text)
    scoring = options.build_scoring_options()
    if len(predictions) > 1:  # for comparisons
        scoring = replace(scoring, keep_documents=True)
    task_options = parse_options(task.options, given)
    with ProgressLine(f"isogloss count {task.name}:", quiet=options.quiet):
        source = None if reference is None else Source(reference)
        files: Sequence[str] = ()
        if chosen is None:
            part = Part(source, tuple(predictions), list_file_stamps(_list_names(reference, predictions)))
        else:
            part, files = _choose_part(task, (source, predictions), task_options, scoring, chosen)
        key = part.compute_key(task, task_options, scoring)
        is_known = "-" not in (reference, *predictions)  # a pipe has no size and time
        if is_known and not force and load_key(output) == key:
            if not options.quiet:
                print_message(f"isogloss: {output} is there and matches: nothing to count (--force counts again).")
            return
        partial = _count_part(task, part, task_options, scoring)
        if chosen is not None and chosen[0] == 1:  # one part knows the digests of the files that are read in part
            partial = _add_digests(partial, files)
    request = {name: _to_plain(value) for name, value in asdict(options).items() if name not in NOT_REQUESTED}
    replace(part.label(partial, key), part=chosen, request=request).save(output)


WHOLE_PREDICTION = " If the prediction is that of several shards, divide it by ids first: docs/scale.md shows how."
NOT_REQUESTED = NOT_COUNTED | {"quiet", *HIDDEN}  # options that merge has itself


def _choose_part(
    task: Task, data: tuple[Source | None, list[str]], options: Any, scoring: Any, chosen: tuple[int, int]
) -> tuple[Any, Sequence[str]]:
    """Return the chosen part of a corpus.

    With it come the files that are read in part.
    """
    from isogloss.distributed.parts import choose_part, divide_corpus

    systems = list(task.open_systems(*data, options, scoring))
    division = divide_corpus(task, systems, scoring, number=chosen[1])
    if division is None:
        raise UsageError(
            "--part divides shards that both sides have by the same names, folders with a file for each language, or "
            "uncompressed files of JSON lines, columns or lines of text with the same records, if there are several of "
            "them. Count these files without --part; if the prediction is one file with ids, divide it into files with "
            "the names of the reference's: docs/scale.md shows how."
        )
    return choose_part(division, *chosen), division.files


def _add_digests(partial: Any, paths: Sequence[str]) -> Any:
    from isogloss.distributed.file_digests import FileDigests, add_digests

    return add_digests(partial, FileDigests(paths).get())


def _list_names(reference: str | None, predictions: Sequence[str]) -> list[str]:
    return [file for name in (reference, *predictions) if name is not None for file in list_files(name)]


def _count_part(task: Task, part: Any, options: Any, scoring: Any) -> Any:
    from isogloss.distributed.counting import count_part

    try:
        return count_part(task, part.reference, part.predictions, options, scoring)
    except MismatchError as error:
        error.remedy += WHOLE_PREDICTION
        raise


def _to_plain(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value
