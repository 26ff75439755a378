"""Examples of pages: blocks of Python in which the value of an expression stands below it, after `# `."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Shown(NamedTuple):
    """What an expression gives, and what the page says."""

    code: str
    value: Any
    stated: str

    @property
    def agrees(self) -> bool:
        """Whether they are the same: as values, where what is stated is one, else as they are shown."""
        try:
            return bool(self.value == ast.literal_eval(self.stated))
        except (SyntaxError, ValueError):
            return repr(self.value) == self.stated


def blocks(page: str) -> list[str]:
    """The blocks of Python of a page."""
    return BLOCK.findall(page)


def run(block: str, names: dict[str, Any]) -> Iterator[Shown]:
    """Runs a block among these names; gives what its expressions show.

    Raises:
        AssertionError: an expression shows nothing.
    """
    lines = block.splitlines()
    for statement in ast.parse(block).body:
        code = ast.get_source_segment(block, statement) or ""
        below = lines[statement.end_lineno] if statement.end_lineno and statement.end_lineno < len(lines) else ""
        if not isinstance(statement, ast.Expr):
            exec(code, names)
        elif below.startswith("# "):
            yield Shown(code, eval(code, names), below.removeprefix("# "))
        else:
            assert isinstance(statement.value, ast.Call), f"nothing stands below {code}"
            exec(code, names)
