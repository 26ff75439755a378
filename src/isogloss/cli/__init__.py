"""The command line. Results go to standard output, messages to standard error.

Exit codes: 0 success, 1 a gate failed, 2 wrong usage, 3 bad or misaligned data, 4 a missing extra or model, 70 a bug of
isogloss, 130 interrupted, 141 the reader closed the pipe.
"""

from __future__ import annotations

from collections.abc import Sequence

INTERRUPTED = 130
SHELLS = ("bash", "zsh", "fish")  # whose words isogloss completes
COMPLETION_VARIABLE = "_ISOGLOSS_COMPLETE"  # in the environment while a shell completes a word


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
