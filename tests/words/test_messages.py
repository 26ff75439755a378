"""Every sentence that a user can read is in `messages.txt`, so that a change of tone is seen in review."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

MODULE = '''
REMEDY = "Name it with --labels."

def check(name):
    message = f"no label {name}: " + ("one is needed" if name else "it is empty")
    raise UsageError(message, remedy=REMEDY)

def make(name):
    return DataError("two labels", detail=describe(name), where=name)

@app.command("list")
def show(limit: Annotated[int, typer.Option("--limit", help="At most so many.")]):
    """List runs.

    The newest first.
    """
    print(f"{limit} runs", file=sys.stderr)
    raise broken("is not JSON")
'''
LINES = """# rows
UsageError: no label {name}: [one is needed|it is empty]
UsageError remedy: Name it with --labels.
DataError: two labels
help: List runs. ⏎  ⏎ The newest first.
Option help: At most so many.
stderr: {limit} runs
broken(): is not JSON
"""


def test_reviewed_file_has_every_message(load: Callable[[str], Any]) -> None:
    lines = load("collect_messages").difference()
    assert not lines, "messages changed, run `python tools/collect_messages.py` and review:\n" + "\n".join(lines)


def test_messages_are_collected_with_placeholders(load: Callable[[str], Any], tmp_path: Path) -> None:
    errors = "class UsageError(Exception): ...\nclass DataError(Exception): ..."
    (tmp_path / "errors.py").write_text(errors, encoding="utf-8")
    (tmp_path / "rows.py").write_text(MODULE, encoding="utf-8")
    assert load("collect_messages").collect(tmp_path) == LINES
