"""What a score depends on besides the data, as one line that two people can compare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

ESCAPES = str.maketrans({"\\": "\\\\", "|": "\\|", "\n": "\\n", "\r": "\\r"})


@dataclass(frozen=True)
class Signature:
    """The task and the choices that its scores rest on, in the order in which they were made.

    Two runs with equal signatures on equal inputs have equal scores.

    Args:
        task: name of the task.
        choices: name and value of each choice. A line end, `|` or a backslash in a value is escaped.
        version: version of isogloss.
    """

    task: str
    version: str
    choices: Mapping[str, str | int | float] = field(default_factory=dict)

    def __str__(self) -> str:
        """`ner|scheme:iob2|repair:begin|...|version:0.1.0`."""
        chosen = (f"{name}:{_format_choice(value)}" for name, value in self.choices.items())
        return "|".join((self.task, *chosen, f"version:{self.version}"))


def _format_choice(value: str | float) -> str:
    return str(value).removesuffix(".0") if isinstance(value, float) else str(value).translate(ESCAPES)
