"""The command line. Results go to standard output, messages to standard error.

Exit codes: 0 success, 1 a gate failed, 2 wrong usage, 3 bad or misaligned data, 4 a missing extra or model, 70 a bug of
isogloss, 130 interrupted, 141 the reader closed the pipe.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Sequence
from types import FrameType

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
    _stop_as_interrupted()
    try:
        from isogloss.cli import app

        return app.run(arguments)
    except KeyboardInterrupt:
        print("isogloss: interrupted", file=sys.stderr)  # noqa: T201  what a person reads
        return INTERRUPTED


def _stop_as_interrupted() -> None:
    """Let SIGTERM end a command as Ctrl-C does, removing unfinished files.

    A signal that the caller handles or ignores stays as it is; `isogloss serve` has handlers of its own.
    """
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _raise_interrupt)


def _raise_interrupt(number: int, frame: FrameType | None) -> None:  # noqa: ARG001  as signal handlers are called
    raise KeyboardInterrupt


__all__ = ["run"]
