"""Options of tasks, declared once.

The command line, the HTTP service, the docs and Python use these declarations.

    scheme: Annotated[str, Option("Tag scheme.", choices=SCHEMES)] = "auto"

The options of a task are the fields of one frozen dataclass. The name of a field is the argument of the Python call,
its annotation is the type of the value, and `Option` holds the rest. This module imports nothing heavy, so that
`--help` is quick.
"""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import MISSING, dataclass
from functools import cache
from typing import Any, Literal, get_args, get_type_hints

from isogloss.errors import UsageError
from isogloss.kernel.argument_checks import resolve_choice
from isogloss.kernel.registry import Registry

Surface = Literal["command", "python", "service"]
EVERYWHERE: frozenset[Surface] = frozenset(("command", "python", "service"))
LOCAL: frozenset[Surface] = frozenset(("command", "python"))  # the value names files or models of this machine
NOT_ON_COMMAND_LINE: frozenset[Surface] = frozenset(("python", "service"))
PYTHON: frozenset[Surface] = frozenset(("python",))  # the value is a Python object
SAME = object()
HelpGroup = Literal["Input", "Models", "Definition", "Evidence", "Comparison", "Output", "Store", "Gates"]


@dataclass(frozen=True)
class Option:
    """An option, apart from its name, type and default.

    Args:
        help: one sentence, in the imperative or a noun phrase.
        choices: the allowed values, or a function that returns them; empty if any value of the type is allowed.
        synonyms: other names of choices, lower case.
        flag: the flag on the command line, if it is not `--field-name`.
        metavar: placeholder of the value in help.
        default_text: text of help for a default of None.
        repeats: whether the flag may be repeated.
        parse: converts the text of the command line into the value.
        convert: (name, value) -> value, checks and converts a value from Python or a request.
        reads_file: whether the value on the command line names a file to read.
        minimum: the lowest whole number allowed.
        surfaces: where users can set the option.
        list_values: lists values that occur in a reference, from its path, for completion on the command line.
        group: heading of the help of the command under which the option is listed.
        body_type: type in the body of an HTTP request, if it is not the type of the field.
    """

    help: str
    choices: Sequence[str] | Callable[[], Sequence[str]] = ()
    synonyms: Mapping[str, str] = dataclasses.field(default_factory=dict)
    flag: str = ""
    metavar: str = ""
    default_text: str | None = None
    repeats: bool = False
    parse: Callable[[Any], Any] | None = None
    convert: Callable[[str, Any], Any] | None = None
    reads_file: bool = False
    minimum: int | None = None
    surfaces: frozenset[Surface] = EVERYWHERE
    list_values: Callable[[str], Sequence[str]] | None = None
    group: HelpGroup = "Definition"
    body_type: Any = SAME

    def list_allowed(self) -> Sequence[str]:
        """Return the allowed values; empty if any value is allowed."""
        return self.choices() if callable(self.choices) else self.choices


MacroOver = Literal["union", "reference"]
BETA = Option("Weight of recall in the F-measure.")
MACRO_OVER = Option("Labels that enter a mean.", choices=get_args(MacroOver))
ZERO_DIVISION = Option("Value of 0/0: 0 or 1.", default_text="undefined")


def make_profile_option(profiles: Registry) -> Option:
    """Declare `profile` with the profiles of a task."""
    return Option("Reproduce the figures of another tool.", choices=profiles.list_names, metavar="NAME")


def make_format_option(formats: Sequence[str] | Callable[[], Sequence[str]]) -> Option:
    """Declare `input_format` with the formats of a task."""
    help_text = "Format of the input; detected if left out."
    return Option(help_text, choices=formats, metavar="NAME", surfaces=LOCAL, group="Input")


def make_prediction_format_option(formats: Sequence[str] | Callable[[], Sequence[str]]) -> Option:
    """Declare `prediction_format` with the formats of a task."""
    help_text = "Format of the predictions, if it is another."
    return Option(help_text, choices=formats, metavar="NAME", surfaces=LOCAL, group="Input")


@dataclass(frozen=True)
class Field:
    """An option with its name, type and default.

    Args:
        name: name of the field and of the Python argument.
        type: type of the value, without None.
        nullable: whether the value can be None.
        default: the default, `MISSING` for a required option.
        option: help, choices and everything else.
    """

    name: str
    type: Any
    nullable: bool
    default: Any
    option: Option

    @property
    def flag(self) -> str:
        """The flag on the command line."""
        return self.option.flag or "--" + self.name.replace("_", "-")

    @property
    def is_required(self) -> bool:
        """Whether the option has no default."""
        return self.default is MISSING


@cache
def list_fields(options: Hashable) -> tuple[Field, ...]:
    """Return the options that a dataclass declares, in order."""
    assert isinstance(options, type)  # noqa: S101  only for the type checker
    names: dict[str, Any] = {}  # passed by name: functions in annotations look up their own names in it later
    for base in reversed(options.__mro__):
        names |= vars(sys.modules[base.__module__])
    hints = get_type_hints(options, names, names, include_extras=True)
    declared = []
    for field in dataclasses.fields(options):
        hint = hints[field.name]
        option = next((each for each in getattr(hint, "__metadata__", ()) if isinstance(each, Option)), None)
        if option is None:
            continue
        kind = hint.__origin__
        parts = [each for each in get_args(kind) if each is not type(None)]
        nullable = type(None) in get_args(kind)
        default = field.default if field.default_factory is MISSING else field.default_factory()
        value_type = parts[0] if nullable and len(parts) == 1 else kind
        declared.append(Field(field.name, value_type, nullable, default, option))
    return tuple(declared)


def check_choices(options: Any) -> None:
    """Check that values are among the choices of their options.

    They are then set as the choices are written.

    Args:
        options: an instance of a dataclass that declares options, while it is built.

    Raises:
        UsageError: if a value is not allowed; it names the option and suggests the closest choice.
    """
    for field in list_fields(type(options)):  # type: ignore[arg-type]  # a class is hashable
        value = getattr(options, field.name)
        if (value is None and field.nullable) or isinstance(value, frozenset | tuple):
            continue  # before `allowed`, which may import what lists the choices
        allowed = field.option.list_allowed()
        if allowed:
            meant = resolve_choice(field.name, value, allowed, field.option.synonyms)
            object.__setattr__(options, field.name, meant)  # a frozen instance, in its `__post_init__`


def encode_beta(beta: float) -> float | str:
    """Return beta as a JSON value, which cannot be infinite.

    Args:
        beta: weight of recall in the F-measure.
    """
    return "inf" if math.isinf(beta) else float(beta)


def decode_beta(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments of a metric with beta as a number.

    Arguments without beta stay as they are.

    Args:
        arguments: arguments with beta as `encode_beta` returns it.
    """
    return {name: float(value) if name == "beta" else value for name, value in arguments.items()}


def check_zero_division(value: Any) -> None:
    """Check that the value of 0/0 is 0, 1 or None.

    Args:
        value: value that the caller gave.

    Raises:
        UsageError: if it is another value.
    """
    if isinstance(value, bool) or value not in (None, 0, 1):
        raise UsageError(f"zero_division must be 0, 1 or left out, got {value!r}.")
