"""Signatures: everything a score depends on besides the data, in one line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

ESCAPES = str.maketrans({"\\": "\\\\", "|": "\\|", "\n": "\\n", "\r": "\\r"})


@dataclass(frozen=True)
class Signature:
    """Task and choices behind the scores of a run.

    Two runs with equal signatures on equal inputs have equal scores.

    Args:
        task: name of the task.
        version: version of isogloss.
        choices: name and value of each choice, in the order they were made. A line end, `|` or a backslash in a value
            is escaped.
    """

    task: str
    version: str
    choices: Mapping[str, str | int | float] = field(default_factory=dict)

    def __str__(self) -> str:
        """Write the signature as `ner|scheme:iob2|repair:begin|...|version:0.1.0`."""
        chosen = (f"{name}:{_format_choice(value)}" for name, value in self.choices.items())
        return "|".join((self.task, *chosen, f"version:{self.version}"))


def _format_choice(value: str | float) -> str:
    return str(value).removesuffix(".0") if isinstance(value, float) else str(value).translate(ESCAPES)
