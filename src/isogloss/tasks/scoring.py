"""Score a task from its arguments.

Python functions, the HTTP service and added tasks call this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from isogloss.errors import UsageError
from isogloss.kernel.argument_checks import check_name
from isogloss.runs.run import Run
from isogloss.tasks.options import check_choices, list_fields
from isogloss.tasks.registry import get_task
from isogloss.tasks.scoring_options import ScoringOptions, build_scoring_options
from isogloss.tasks.task import Task

SCORING = ("by", "confidence", "resamples", "unit", "interval", "seed", "findings", "context")
SYSTEM = "system"  # the argument with the name of the system


def score(task: str, *data: Any, **options: Any) -> Run:
    """Score one system in a task, by name.

    Args:
        task: name of the task, such as `ner`.
        data: positional arguments of the task's own call: reference and prediction, or texts.
        options: options of the task, and `by`, `confidence`, `resamples`, `unit`, `interval`, `seed`, `findings`,
            `context`, `system`.

    Raises:
        UsageError: if the task or an option is unknown, or a value is not allowed.
        DataError: if the input cannot be scored.
    """
    declaration = get_task(task)
    names = [each.name for each in (declaration.reference, declaration.prediction) if each is not None]
    return score_call(declaration, dict(zip(names, data, strict=False)) | options)


def score_call(task: Task, arguments: Mapping[str, Any]) -> Run:
    """Score one system from arguments given by name.

    Args:
        task: the task.
        arguments: reference and prediction under the names of the task, options of the task, the options that
            `SCORING` lists, and the name of the system.

    Raises:
        UsageError: if an argument is unknown or a value is not allowed.
        DataError: if the input cannot be scored.
    """
    call = parse_call(task, arguments)
    (system,) = task.open_systems(call.reference, [call.prediction], call.options, call.scoring_options)
    run = score_system(task, system, call.options, call.scoring_options)
    return run if call.system is None else replace(run, system=call.system)


def score_system(task: Task, system: Any, options: Any, scoring_options: ScoringOptions) -> Run:
    """Score one opened system.

    Args:
        task: the task.
        system: what its `open_systems` returned for one prediction.
        options: options of the task.
        scoring_options: intervals, slices and findings.

    Raises:
        UsageError: if options conflict, or the profile does not support an option.
        DataError: if the input cannot be scored.
    """
    run = task.finish(task.count(system, options, scoring_options), scoring_options)
    return replace(run, rescore=lambda: score_system(task, system, options, scoring_options.reduce_to_documents()))


@dataclass(frozen=True)
class Call:
    """The arguments of a task's call.

    Args:
        reference: the reference.
        prediction: the prediction.
        options: options of the task.
        scoring_options: options of all tasks.
        system: name of the system; None for its path.
    """

    reference: Any
    prediction: Any
    options: Any
    scoring_options: ScoringOptions
    system: str | None


def parse_call(task: Task, arguments: Mapping[str, Any]) -> Call:
    """Parse the arguments of a task's call.

    Arguments and errors are those of `score_call`.
    """
    given = dict(arguments)
    reference = None if task.reference is None else given.pop(task.reference.name, None)
    prediction = given.pop(task.prediction.name, None)
    name = check_name(SYSTEM, given.pop(SYSTEM, None))
    evidence = {each: given.pop(each) for each in SCORING if each in given}
    unit = evidence.pop("unit", task.default_unit)
    options = build_options(task.options, given)
    scoring_options = build_scoring_options(
        evidence.pop("confidence", None),
        evidence.pop("resamples", 1000),
        evidence.pop("seed", 12345),
        evidence.pop("findings", False),
        evidence.pop("context", 3 if task.shows_context else 0),
        unit=unit,
        **evidence,
    )
    return Call(reference, prediction, options, scoring_options, name)


def build_options(kind: type, given: Mapping[str, Any]) -> Any:
    """Build the options of a task from given values.

    Python or a request gives the values.

    Args:
        kind: the dataclass that declares the options.
        given: values by name; a missing option has its default.

    Raises:
        UsageError: if an option is unknown or missing, or a value is not allowed.
    """
    fields = {field.name: field for field in list_fields(kind)}
    values = {}
    for name, value in given.items():
        if name not in fields:
            close = get_close_matches(name, fields, n=1)
            meant = f"; did you mean {close[0]}?" if close else "."
            raise UsageError(f"Unknown option {name!r}{meant} Choose from {', '.join(fields)}.")
        convert = fields[name].option.convert
        values[name] = value if convert is None or value is None else convert(name, value)
    missing = [name for name, field in fields.items() if field.is_required and name not in values]
    if missing:
        raise UsageError(f"{missing[0]} is missing: add {missing[0]}=…")
    options = kind(**values)
    check_choices(options)
    return options
