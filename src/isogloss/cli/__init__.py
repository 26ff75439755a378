"""The command line: parse, one use case, exit code. Results go to standard output, all else to standard error.

Exit codes: 0 fine, 2 usage, 3 bad or misaligned data, 4 a missing extra, 70 a bug of ours, 130 interrupted,
141 whoever read the results has seen enough.
"""

from __future__ import annotations

from collections.abc import Sequence

INTERRUPTED = 130


def run(arguments: Sequence[str]) -> int:
    """Run a command.

    Args:
        arguments: the words after the program's name.

    Returns:
        The exit code.
    """
    try:
        from isogloss.cli import app

        return app.run(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED


__all__ = ["run"]
