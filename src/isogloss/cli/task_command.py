"""The command of a task, made from its declaration: arguments, the task's own options, then those of every task."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import typer

from isogloss.cli.after_scoring import Ending, Outcome, finish
from isogloss.cli.options import TaskOptions, check_files
from isogloss.cli.output import OutputFormat
from isogloss.cli.progress import ProgressLine
from isogloss.errors import UsageError
from isogloss.kernel.argument_checks import check_choice
from isogloss.tasks.options import Field, check_choices, fields_of
from isogloss.tasks.task import Export, Task

HIDDEN = frozenset(("keep", "collect"))  # fields of TaskOptions that are not options
PREDICTIONS = "predictions"


def make_command(task: Task) -> Callable[..., None]:
    """Build the function that typer makes the command of a task from.

    Args:
        task: its declaration.
    """
    own = [field for field in fields_of(task.options) if "command" in field.option.surfaces]
    evidence = _parameters_of(TaskOptions, HIDDEN if task.shows_context else HIDDEN | {"context"})
    evidence = [each.replace(default=task.default_unit) if each.name == "unit" else each for each in evidence]
    after = _parameters_of(Ending)
    parameters = [
        *_arguments(task),
        *(_parameter(field) for field in own if field.is_required),
        *(_parameter(field) for field in own if not field.is_required),
        *_layout(task),
        *map(_export, task.exports),
        *evidence,
        *after,
    ]

    def command(**given: Any) -> None:
        ending = Ending(**{each.name: given.pop(each.name) for each in after})
        output = {each.name: given.pop(each.name) for each in evidence}
        _run(task, own, given, output, ending)

    command.__doc__ = f"{task.summary}\n\n{task.description}"
    command.__name__ = task.call
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # read by typer
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def _run(  # noqa: PLR0915  the steps of a command, in order
    task: Task,
    own: Sequence[Field],
    given: dict[str, Any],
    output: Mapping[str, Any],
    ending: Ending,
) -> None:
    """Score the systems, then compare, store, judge and print."""
    from isogloss.records.sources import Source

    reference = given.pop(task.reference.name, None) if task.reference is not None else None
    predictions: list[str] = given.pop(PREDICTIONS) or []
    layout: str | None = given.pop("layout", None)
    exports = [(each, given.pop(_export_name(each))) for each in task.exports]
    ending.check_save(len(predictions))  # a mistake is reported before anything is read
    gates, yardstick = ending.gates(), ending.yardstick()
    read = [name for field in own if field.option.reads_file for name in _listed(given.get(field.name))]
    read = [*_listed(reference), *predictions, *read]
    written = {each.flag: path for each, path in exports if each.metavar == "FILE"}
    check_files(read, {"-o": output["output"], "--junit": ending.junit} | written)
    collect = TaskOptions(**output, keep=ending.keeps(len(predictions)), collect=ending.save is not None)
    options = _task_options(task, own, given)
    if layout is not None:
        options = _with_layout(task, layout, collect.form.value, options)
    chosen = [each for each, path in exports if path is not None]
    options = _with_profile(options, next((each.profile for each in chosen if each.profile), None))
    lists_all = False
    if collect.form is OutputFormat.json and task.json_options is not None:
        before, options = options, task.json_options(options)
        lists_all = options != before
    wanted = collect.wanted(all_findings=lists_all)
    with ProgressLine(reference or predictions[0], quiet=collect.quiet) as progress:
        shared = None if reference is None else Source(reference)  # keeps standard input for the next system
        systems = list(task.open_systems(shared, predictions, options, wanted, progress))
        text = _drawn(task, layout, systems, [], options, collect.form.value, before=True)
        for export, path in exports:
            if path is not None and export.before_scoring:
                export.write(systems, [], options, str(path))
        runs = [task.score(system, options, wanted) for system in systems]
    for export, path in exports:
        if path is not None and not export.before_scoring:
            export.write(systems, runs, options, str(path))
    if text is None:
        text = _drawn(task, layout, systems, runs, options, collect.form.value, before=False)
    finish(Outcome(runs, collect, text, lists_all), ending, gates, yardstick)


def _drawn(  # noqa: PLR0913  all that a layout is given
    task: Task,
    layout: str | None,
    systems: Sequence[Any],
    runs: Sequence[Any],
    options: Any,
    form: str,
    *,
    before: bool,
) -> str | None:
    if layout is None or task.layouts[layout].before_scoring is not before:
        return None
    return task.layouts[layout].draw(systems, runs, options, form)


def _task_options(task: Task, own: Sequence[Field], given: Mapping[str, Any]) -> Any:
    """Build the options of the task from what the command line holds."""
    values = {}
    for field in own:
        value = given.get(field.name)
        if value is None or (field.option.repeats and not value):
            continue
        values[field.name] = value if field.option.parse is None else field.option.parse(value)
    options = task.options(**values)
    check_choices(options)
    return options


def _with_layout(task: Task, name: str, form: str, options: Any) -> Any:
    check_choice("--layout", name, task.layouts)
    layout = task.layouts[name]
    if form not in layout.forms:
        having = " or ".join(layout.forms)
        raise UsageError(f"The layout {name} has the form {having}, not {form}: leave out -f {form}.")
    return _with_profile(options, layout.profile)


def _with_profile(options: Any, profile: str | None) -> Any:
    """The options with this profile, unless they name one."""
    return options if profile is None or options.profile is not None else replace(options, profile=profile)


def _arguments(task: Task) -> list[inspect.Parameter]:
    found = []
    if task.reference is not None:
        argument = typer.Argument(metavar=task.reference.metavar, help=task.reference.help)
        found.append(_positional(task.reference.name, Annotated[str, argument], inspect.Parameter.empty))
    own = task.prediction
    many = typer.Argument(metavar=own.metavar, help=own.help)
    if own.optional:
        found.append(_positional(PREDICTIONS, Annotated[list[str] | None, many], None))
    else:
        found.append(_positional(PREDICTIONS, Annotated[list[str], many], inspect.Parameter.empty))
    return found


def _positional(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=annotation, default=default)


def _keyword(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


def _parameter(field: Field) -> inspect.Parameter:
    """The option of a task as typer reads it."""
    option, kind = field.option, _plain(field.type)
    details: dict[str, Any] = {"help": _help(field), "show_default": _shown_default(field)}
    metavar = option.metavar or (f"[{'|'.join(option.allowed())}]" if option.choices else "")
    if metavar and kind is not bool:
        details["metavar"] = metavar
    if option.minimum is not None:
        details["min"] = option.minimum
    if option.repeats:
        return _keyword(field.name, Annotated[list[str] | None, typer.Option(field.flag, **details)], None)
    if option.parse is not None:
        kind = str
    required = field.is_required
    default = inspect.Parameter.empty if required else field.default
    if option.parse is not None and not required:
        default = None
    hint = kind if required or default is not None else kind | None
    return _keyword(field.name, Annotated[hint, typer.Option(field.flag, **details)], default)


def _plain(kind: Any) -> Any:
    """A type that typer knows: a literal or anything else is a string."""
    if get_origin(kind) is Literal:
        return type(get_args(kind)[0])
    return kind if kind in {bool, int, float, str} else str


def _help(field: Field) -> str:
    """The help of an option, with its choices where the metavar does not list them."""
    allowed = field.option.allowed() if field.option.metavar else ()
    if not allowed or field.option.repeats:
        return field.option.help
    return f"{field.option.help.rstrip('.')}: {', '.join(allowed)}."


def _shown_default(field: Field) -> bool | str:
    if field.option.default_text is not None:
        return field.option.default_text
    return not field.is_required and field.default not in (None, False, ())


def _layout(task: Task) -> list[inspect.Parameter]:
    if not task.layouts:
        return []
    names = "|".join(task.layouts)
    text = "Print as another tool prints; takes its profile unless --profile names one."
    option = typer.Option("--layout", metavar=f"[{names}]", help=text, show_default=False)
    return [_keyword("layout", Annotated[str | None, option], None)]


def _export(export: Export) -> inspect.Parameter:
    option = typer.Option(export.flag, metavar=export.metavar, help=export.help, show_default=False)
    return _keyword(_export_name(export), Annotated[Path | None, option], None)


def _export_name(export: Export) -> str:
    return export.flag.removeprefix("--").replace("-", "_")


def _parameters_of(options: Callable[..., Any], without: frozenset[str] = frozenset()) -> list[inspect.Parameter]:
    found = inspect.signature(options, eval_str=True).parameters.values()
    return [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in found if each.name not in without]


def _listed(names: str | list[str] | None) -> list[str]:
    return [names] if isinstance(names, str) else names or []
