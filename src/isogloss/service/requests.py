"""The bodies of requests: the arguments of the Python calls, as far as they hold data and no paths.

Types are all that is checked here, and they bound how deep a body can be nested; values are checked where they are
used. What a request leaves out has the default of the call. A string where Python takes a path fits no type below, so
no path of a client is ever opened. Nothing here is compiled as a pattern.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal, cast, get_origin

import msgspec
from msgspec import UNSET, Meta, UnsetType

from isogloss.tasks.options import SAME, Field, fields_of
from isogloss.tasks.registry import get_task, task_names
from isogloss.tasks.task import Request, Task

MOST_RESAMPLES = 10_000
MOST_CONTEXT = 100
Number = int | float
Confidence = Annotated[Number | None, Meta(description="Level of the intervals, such as 0.95.")]
Interval = Annotated[
    Literal["bootstrap", "wilson"],
    Meta(description="How intervals are made; `wilson` where a score is a plain proportion of independent units."),
]
Resamples = Annotated[int, Meta(description="Number of resamples.", ge=1, le=MOST_RESAMPLES)]
Seed = Annotated[int, Meta(description="Seed of the resamples.", ge=0)]
Slices = Annotated[
    dict[str, list[str | Number | bool | None]],
    Meta(description="Per column the value of each document: the documents with each value are scored apart, too."),
]
Unit = Annotated[str, Meta(description="`document`, or the column of `by` whose values are resampled as a whole.")]
Context = Annotated[int, Meta(description="Words of context on each side of a finding.", ge=0, le=MOST_CONTEXT)]
LISTS = (tuple, frozenset)


EVIDENCE: Mapping[str, Any] = {
    "by": Slices,
    "unit": Unit,
    "confidence": Confidence,
    "interval": Interval,
    "resamples": Resamples,
    "seed": Seed,
}  # how evidence is made, alike for every task


class Body(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """What all requests are. The first member has an item for each document."""

    def given(self) -> dict[str, Any]:
        """The arguments that the request has."""
        values = ((name, getattr(self, name)) for name in self.__struct_fields__)
        return {name: value for name, value in values if value is not UNSET}

    @property
    def documents(self) -> int:
        """How many documents it asks to score."""
        first = getattr(self, self.__struct_fields__[0])
        return sum(map(len, first.values())) if isinstance(first, dict) else len(first)


def body_type(task: Task, request: Request) -> type[Body]:
    """Build the type of the bodies of a task: its data, its options, and how evidence is made.

    Args:
        task: what is scored.
        request: what its data look like.
    """
    options = [field for field in fields_of(task.options) if "service" in field.option.surfaces]
    members: list[tuple[str, Any] | tuple[str, Any, Any]] = [*request.data.items()]
    members += [(field.name, _member(field) | UnsetType, UNSET) for field in options]
    members += [(name, kind | UnsetType, UNSET) for name, kind in EVIDENCE.items()]
    if task.shows_context:
        members.append(("context", Context | UnsetType, UNSET))
    made = msgspec.defstruct(request.name, members, bases=(Body,), forbid_unknown_fields=True)
    made.__doc__ = request.description
    return cast("type[Body]", made)


def _member(field: Field) -> Any:
    """The type of an option in a body; its choices are checked where it is used, and documented here."""
    option = field.option
    kind = field.type if option.body_type is SAME else option.body_type
    allowed = () if callable(option.choices) or kind is not field.type else option.choices
    if get_origin(kind) is Literal and option.body_type is SAME:
        kind = str
    elif get_origin(kind) in LISTS:
        kind = list[str]
    elif kind is float:
        kind = Number
    schema = {"enum": [*allowed]} if allowed else None
    least = option.minimum if kind is int else None
    described: Any = Annotated[kind, Meta(description=option.help, ge=least, extra_json_schema=schema)]
    return described | None if field.nullable else described


class CalculateRequest(msgspec.Struct):
    """Texts, as clients of PNaCoS send them; other members are ignored."""

    texts: list[str]

    @property
    def documents(self) -> int:
        """How many texts it has."""
        return len(self.texts)


@dataclass(frozen=True, eq=False)
class Route:
    """A task as the service offers it.

    Args:
        task: its declaration.
        request: what its data look like.
    """

    task: Task
    request: Request

    @property
    def name(self) -> str:
        """As in the path and on the command line."""
        return self.task.name

    @property
    def example(self) -> Mapping[str, Any]:
        """A body."""
        return self.request.example

    @cached_property
    def body(self) -> type[Body]:
        """The type of its bodies."""
        return body_type(self.task, self.request)

    @property
    def arguments(self) -> frozenset[str]:
        """Names of the members of a body."""
        return frozenset(self.body.__struct_fields__)

    def given(self, body: Body) -> dict[str, Any]:
        """Return the arguments that a body has."""
        given = body.given()
        if self.request.as_dicts:
            given |= {name: msgspec.to_builtins(given[name]) for name in self.request.data if name in given}
        return given


def make_routes() -> dict[str, Route]:
    """Return the tasks that the service offers, by name."""
    tasks = [get_task(name) for name in task_names()]
    return {task.name: Route(task, task.request()) for task in tasks if task.request is not None}
