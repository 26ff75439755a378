"""Make the command of a task from its declaration.

The command has the arguments, the options of the task, and the options of all tasks.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin

import typer

from isogloss.cli.after_scoring import AfterScoringOptions, ScoredSystems, process_runs
from isogloss.cli.completion import Complete, complete_choices, complete_from_reference
from isogloss.cli.options import EngineName, TaskOptions, check_files, list_parameters, make_parameter, set_signature
from isogloss.cli.output import OutputFormat, ProgressLine, measure_input, print_message
from isogloss.errors import UsageError
from isogloss.kernel.argument_checks import check_choice
from isogloss.tasks.options import Field, check_choices, list_fields
from isogloss.tasks.task import Export, Task

if TYPE_CHECKING:
    from isogloss.runs.run import Run

HIDDEN = frozenset(("keep_documents", "collect_findings", "draws_together"))  # fields of TaskOptions, but no options
PREDICTIONS = "predictions"
MAX_CHOICES = 40  # cells of a placeholder that lists the choices; longer ones are in the help text
PLACEHOLDERS: dict[type, str] = {int: "N", float: "NUMBER", str: "TEXT"}


def make_command(task: Task) -> Callable[..., None]:
    """Make the function that typer turns into the command of a task.

    Args:
        task: its declaration.
    """
    shared = list_parameters(TaskOptions, list_hidden(task))
    shared = [each.replace(default=task.default_unit) if each.name == "unit" else each for each in shared]
    after = list_parameters(AfterScoringOptions)
    parameters = [
        *make_arguments(task),
        *make_options(task.options),
        *_make_layout_option(task),
        *map(_make_export_option, task.exports),
        *shared,
        *after,
    ]

    def command(**given: Any) -> None:
        after_options = AfterScoringOptions(**{each.name: given.pop(each.name) for each in after})
        _run_task(task, given, {each.name: given.pop(each.name) for each in shared}, after_options)

    return set_signature(command, parameters, f"{task.summary}\n\n{task.description}")


def list_hidden(task: Task) -> frozenset[str]:
    """List the fields of `TaskOptions` that a task's command leaves out.

    The command does not have them as options.
    """
    context = frozenset() if task.shows_context else frozenset(("context",))
    jobs = frozenset(("jobs",)) if any(field.flag == "--jobs" for field in list_fields(task.options)) else frozenset()
    has_label = any(field.flag == "--label" for field in list_fields(task.options))  # which labels are scored
    return HIDDEN | context | jobs | (frozenset(("label",)) if has_label else frozenset())


def _run_task(task: Task, given: dict[str, Any], shared: Mapping[str, Any], after: AfterScoringOptions) -> None:
    """Score the systems, then compare and store them, check gates and print."""
    from isogloss.records.sources import Source

    reference = given.pop(task.reference.name, None) if task.reference is not None else None
    predictions: list[str] = given.pop(PREDICTIONS) or []
    layout: str | None = given.pop("layout", None)
    paths = [(each, given.pop(_get_export_name(each))) for each in task.exports]
    exports = [(each, path) for each, path in paths if path is not None]
    after.check_systems(len(predictions))  # a mistake is reported before anything is read
    gates, baseline = after.parse_gates(task.scores), after.load_baseline()
    files = [given.get(field.name) for field in list_fields(task.options) if field.option.reads_file]
    read = [name for each in (reference, predictions, *files) for name in _to_list(each)]
    written = {each.flag: path for each, path in exports if each.metavar == "FILE"}
    check_files(read, {"-o": shared["output"], "--junit": after.junit} | written)
    form: OutputFormat = shared["form"]
    task_options = TaskOptions(
        **shared,
        keep_documents=after.needs_documents(len(predictions)),
        collect_findings=after.save is not None or after.view,
        draws_together=len(predictions) > 1 and shared["errors"] > 0 and form is OutputFormat.text,
    )
    task_options.check_selection()
    options, all_findings = _build_options(task, given, form, layout, [each for each, _ in exports])
    scoring = task_options.build_scoring_options(all_findings=all_findings)
    with (
        _suggest_quotes(reference, predictions),
        ProgressLine(f"isogloss {task.name}:", quiet=task_options.quiet) as progress,
    ):
        source = None if reference is None else Source(reference)  # keeps standard input for the next system
        systems = list(task.open_systems(source, predictions, options, scoring, progress))
        work = [[reference, name] for name in predictions or [reference or ""]]
        runs = None if layout or exports else _score_in_jobs(task, systems, (options, scoring), task_options, progress)
        if runs is None:
            progress.plan([own[1] or "" for own in work], partial(_measure_work, task, systems, options, work))
            runs = _score_systems(task, systems, options, scoring, progress)
        for export, path in exports:
            export.write(systems, runs, options, str(path))
        text = None if layout is None else task.layouts[layout].draw(systems, runs, options, form.value)
    process_runs(ScoredSystems(runs, task_options, text, all_findings), after, gates, baseline)


def _score_systems(task: Task, systems: Sequence[Any], options: Any, scoring: Any, progress: ProgressLine) -> list[Run]:
    """Score one system after another."""
    from isogloss.tasks.scoring import score_system

    runs = []
    for number, system in enumerate(systems):
        progress.begin_system(number)
        runs.append(score_system(task, system, options, scoring))
    return runs


def _score_in_jobs(
    task: Task, systems: Sequence[Any], how: tuple[Any, Any], task_options: TaskOptions, progress: ProgressLine
) -> list[Run] | None:
    """Score the systems in several processes.

    The result is None if one process is enough, or the corpus cannot be divided.
    """
    options, scoring = how
    jobs = max(task_options.jobs, getattr(options, "jobs", 1))
    folder = task_options.resume
    with_ray = task_options.engine is EngineName.ray
    if task_options.address is not None and not with_ray:
        raise UsageError("--address has no effect without --engine ray: add it, or leave out --address.")
    if with_ray and folder is None:
        raise UsageError("--engine ray needs a folder that all nodes share: add --resume DIR.")
    if jobs == 1 and folder is None:
        return None
    from isogloss.distributed.jobs import CannotDivideError, Corpus, open_folder, score_in_jobs

    corpus = Corpus(task, systems, options, scoring)
    try:
        if with_ray:
            from isogloss.distributed.ray import score_with_ray

            with open_folder(str(folder)) as place:
                return score_with_ray(corpus, place, task_options.address, progress.report_share)
        return score_in_jobs(corpus, jobs, None if folder is None else str(folder), progress.report_share)
    except CannotDivideError as error:
        if not task_options.quiet:
            print_message(UNDIVIDED if error.reason is None else f"{UNMERGED}: {error.reason}.")
        return None


UNDIVIDED = (
    "isogloss: one process reads this input: it is smaller than two parts of 16 MB, or neither shards with the same "
    "names on both sides, a folder with a file for each language, nor one uncompressed file of JSON lines, columns or "
    "lines of text. ISOGLOSS_PART_BYTES sets a part's size."
)
UNMERGED = "isogloss: one process reads this input, because its parts cannot be counted by themselves"


@contextmanager
def _suggest_quotes(reference: str | None, predictions: Sequence[str]) -> Iterator[None]:
    """Add a remedy if predictions look like shards of one system."""
    from isogloss.errors import MismatchError
    from isogloss.records.shards import suggest_quotes

    try:
        yield
    except MismatchError as error:
        hint = "" if reference is None else suggest_quotes(reference, predictions)
        if not hint:
            raise
        remedy = f"{error.remedy} {hint}".strip()
        raise MismatchError(error.message, where=error.where, detail=error.detail, remedy=remedy) from error


def _measure_work(
    task: Task, systems: Sequence[Any], options: Any, files: Sequence[Sequence[str | None]]
) -> list[int | None]:
    """Measure the bytes to read for each system, over all passes.

    A number is None if a file is a pipe.
    """
    sizes: list[int | None] = []
    for system, own in zip(systems, files, strict=True):
        size = measure_input(dict.fromkeys(own))
        passes = 1 if task.count_passes is None else task.count_passes(system, options)
        sizes.append(None if size is None else size * passes)
    return sizes


def _build_options(
    task: Task, given: Mapping[str, Any], form: OutputFormat, layout: str | None, exports: Sequence[Export]
) -> tuple[Any, bool]:
    """Build the options of the task, with a default profile.

    If no profile is given, it is that of the layout or export.

    Returns:
        The options, and whether JSON needs all findings.
    """
    options = parse_options(task.options, given)
    profiles = [each.profile for each in exports]
    if layout is not None:
        check_choice("--layout", layout, task.layouts)
        forms = task.layouts[layout].forms
        if form.value not in forms:
            allowed = " or ".join(forms)
            raise UsageError(f"--layout {layout} has the format {allowed}, not {form}: leave out -f {form}.")
        profiles.insert(0, task.layouts[layout].profile)
    _refuse_layout_options(task, given, layout)
    profile = next(filter(None, profiles), None)
    if profile is not None and options.profile is None:
        options = replace(options, profile=profile)
    if form is not OutputFormat.json or task.json_options is None:
        return options, False
    changed = task.json_options(options)
    return changed, changed != options


def _refuse_layout_options(task: Task, given: Mapping[str, Any], layout: str | None) -> None:
    """Refuse options that only another layout uses."""
    own = () if layout is None else task.layouts[layout].options
    for name, each in task.layouts.items():
        for option in each.options:
            if given.get(option) is not None and option not in own:
                flag = "--" + option.replace("_", "-")
                raise UsageError(f"{flag} has no effect without --layout {name}: add --layout {name}, or leave it out.")


def parse_options(kind: type, given: Mapping[str, Any]) -> Any:
    """Build options from the values of the command line.

    Args:
        kind: the dataclass that declares the options.
        given: values by name.

    Raises:
        UsageError: if a value is not allowed.
    """
    values = {}
    for field in list_fields(kind):
        value = given.get(field.name)
        if value is None or (field.option.repeats and not value):
            continue
        values[field.name] = value if field.option.parse is None else field.option.parse(value)
    options = kind(**values)
    check_choices(options)
    return options


def make_arguments(task: Task) -> list[inspect.Parameter]:
    """Make the positional arguments of a task."""
    arguments = []
    if task.reference is not None:
        argument = typer.Argument(metavar=task.reference.metavar, help=task.reference.help)
        arguments.append(make_parameter(task.reference.name, Annotated[str, argument], positional=True))
    many = typer.Argument(metavar=task.prediction.metavar, help=task.prediction.help)
    if task.prediction.optional:
        arguments.append(make_parameter(PREDICTIONS, Annotated[list[str] | None, many], None, positional=True))
    else:
        arguments.append(make_parameter(PREDICTIONS, Annotated[list[str], many], positional=True))
    return arguments


def make_options(kind: type) -> list[inspect.Parameter]:
    """Make the typer options of a dataclass, required ones first.

    The dataclass declares the options.
    """
    fields = [field for field in list_fields(kind) if "command" in field.option.surfaces]
    return [_make_option(field) for field in sorted(fields, key=lambda field: not field.is_required)]


def _make_option(field: Field) -> inspect.Parameter:
    """Make the typer option of a field."""
    option, kind = field.option, _choose_type(field.type)
    details: dict[str, Any] = {"help": _format_help(field), "show_default": _format_default(field)}
    details["rich_help_panel"] = option.group
    details["autocompletion"] = _choose_completion(field)
    if kind is not bool:
        details["metavar"] = _choose_metavar(field, kind)
    if option.minimum is not None:
        details["min"] = option.minimum
    if option.repeats:
        return make_parameter(field.name, Annotated[list[str] | None, typer.Option(field.flag, **details)], None)
    if option.parse is not None:
        kind = str
    if field.is_required:
        return make_parameter(field.name, Annotated[kind, typer.Option(field.flag, **details)])
    default = field.default if option.parse is None else None
    hint = kind | None if default is None else kind
    return make_parameter(field.name, Annotated[hint, typer.Option(field.flag, **details)], default)


def _choose_metavar(field: Field, kind: type) -> str:
    """Choose the placeholder of an option.

    Short choices are shown in full, all others as a word.
    """
    option = field.option
    choices = f"[{'|'.join(option.list_allowed())}]" if option.choices and not option.metavar else ""
    if choices and len(choices) <= MAX_CHOICES:
        return choices
    return option.metavar or (field.name.upper() if choices else PLACEHOLDERS[kind])


def _choose_completion(field: Field) -> Complete | None:
    """Choose how values of an option are completed; None for file names."""
    if field.option.choices:
        return complete_choices(field.option.list_allowed)
    return None if field.option.list_values is None else complete_from_reference(field.option.list_values)


def _choose_type(kind: Any) -> Any:
    """Choose a type that typer knows.

    For a literal it is the type of the values, for all others a string.
    """
    if get_origin(kind) is Literal:
        return type(get_args(kind)[0])
    return kind if kind in {bool, int, float, str} else str


def list_slow_help(kind: type) -> dict[str, Callable[[], str]]:
    """List the help of options whose choices take time to find.

    The functions that format it are listed by name of the option. Only `--help` calls them, because finding the
    entry points of other packages takes a tenth of the start of a command.

    Args:
        kind: the dataclass that declares the options.
    """
    return {field.name: partial(_add_choices, field) for field in list_fields(kind) if _has_slow_help(field)}


def _has_slow_help(field: Field) -> bool:
    return callable(field.option.choices) and not field.option.repeats and bool(field.option.metavar)


def _format_help(field: Field) -> str:
    """Format the help of an option, without slow choices."""
    return field.option.help if _has_slow_help(field) else _add_choices(field)


def _add_choices(field: Field) -> str:
    """Return the help of an option with its choices.

    They are left out if the metavar lists them.
    """
    allowed = field.option.list_allowed()
    if not allowed or field.option.repeats or _choose_metavar(field, str).startswith("["):
        return field.option.help
    return f"{field.option.help.rstrip('.')}: {', '.join(allowed)}."


def _format_default(field: Field) -> bool | str:
    if field.option.default_text is not None:
        return field.option.default_text
    return not field.is_required and field.default not in (None, False, ())


def _make_layout_option(task: Task) -> list[inspect.Parameter]:
    if not task.layouts:
        return []
    names = "|".join(task.layouts)
    text = "Print the results as another tool does, with its profile unless --profile names one."
    option = typer.Option(
        "--layout",
        metavar=f"[{names}]",
        help=text,
        show_default=False,
        rich_help_panel="Output",
        autocompletion=complete_choices(lambda: task.layouts),
    )
    return [make_parameter("layout", Annotated[str | None, option], None)]


def _make_export_option(export: Export) -> inspect.Parameter:
    option = typer.Option(
        export.flag, metavar=export.metavar, help=export.help, show_default=False, rich_help_panel="Output"
    )
    return make_parameter(_get_export_name(export), Annotated[Path | None, option], None)


def _get_export_name(export: Export) -> str:
    return export.flag.removeprefix("--").replace("-", "_")


def _to_list(names: str | list[str] | None) -> list[str]:
    return [names] if isinstance(names, str) else names or []
