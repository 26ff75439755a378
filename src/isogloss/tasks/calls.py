"""One way from arguments to a run: what Python, the HTTP service and added tasks call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from isogloss.errors import UsageError
from isogloss.runs.run import Run
from isogloss.tasks.options import check_choices, fields_of
from isogloss.tasks.registry import get_task
from isogloss.tasks.scoring_options import build_scoring_options
from isogloss.tasks.task import Task

SCORING = ("by", "confidence", "resamples", "unit", "interval", "seed", "findings", "context")


def score(task: str, *data: Any, **options: Any) -> Run:
    """Score one system in a task, by name.

    Args:
        task: its name, such as `ner`.
        data: what the task's own call takes first: reference and prediction, or texts.
        options: those of the task, and `by`, `confidence`, `resamples`, `unit`, `interval`, `seed`, `findings`,
            `context`.

    Raises:
        UsageError: if there is no such task or option, or a value is not allowed.
        DataError: if the input cannot be scored.
    """
    found = get_task(task)
    names = [each.name for each in (found.reference, found.prediction) if each is not None]
    return score_call(found, dict(zip(names, data, strict=False)) | options)


def score_call(task: Task, arguments: Mapping[str, Any]) -> Run:
    """Score one system.

    Args:
        task: what is scored.
        arguments: reference and prediction by the names the task gives them, options, and how evidence is made.

    Raises:
        UsageError: if an argument is unknown or a value is not allowed.
        DataError: if the input cannot be scored.
    """
    given = dict(arguments)
    reference = None if task.reference is None else given.pop(task.reference.name, None)
    prediction = given.pop(task.prediction.name, None)
    evidence = {name: given.pop(name) for name in SCORING if name in given}
    unit = evidence.pop("unit", task.default_unit)
    options = build_options(task.options, given)
    wanted = build_scoring_options(
        evidence.pop("confidence", None),
        evidence.pop("resamples", 1000),
        evidence.pop("seed", 12345),
        evidence.pop("findings", False),
        evidence.pop("context", 3 if task.shows_context else 0),
        unit=unit,
        **evidence,
    )
    (system,) = task.open_systems(reference, [prediction], options, wanted)
    return task.score(system, options, wanted)


def build_options(kind: type, given: Mapping[str, Any]) -> Any:
    """Build the options of a task from the values that Python or a request gives.

    Args:
        kind: the dataclass that declares them.
        given: values by name; what is left out has its default.

    Raises:
        UsageError: if an option is unknown, or a value is not allowed.
    """
    fields = {field.name: field for field in fields_of(kind)}
    values = {}
    for name, value in given.items():
        if name not in fields:
            raise UsageError(f"Unknown option {name!r}. Choose from {', '.join(fields)}.")
        convert = fields[name].option.convert
        values[name] = value if convert is None or value is None else convert(name, value)
    missing = [name for name, field in fields.items() if field.is_required and name not in values]
    if missing:
        raise UsageError(f"{missing[0]} must be given.")
    options = kind(**values)
    check_choices(options)
    return options
