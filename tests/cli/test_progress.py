from __future__ import annotations

import io
import itertools
from contextlib import redirect_stderr

import pytest

from isogloss.cli.output import ProgressLine


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def half_a_second_a_look(monkeypatch: pytest.MonkeyPatch) -> None:
    times = itertools.count()
    monkeypatch.setattr("time.monotonic", lambda: next(times) / 2)


def shown(stream: io.StringIO, *, megabytes: int, quiet: bool = False) -> str:
    with redirect_stderr(stream), ProgressLine("gold.conll", quiet=quiet) as progress:
        for number in range(1, megabytes + 1):
            progress(number * 1_000_000)
    return stream.getvalue()


def test_nothing_is_shown_in_the_first_second() -> None:
    assert shown(Terminal(), megabytes=1) == ""


def test_after_a_second_a_terminal_sees_how_far_it_is_and_nothing_stays() -> None:
    written = shown(Terminal(), megabytes=3)
    assert "gold.conll: 3 MB read" in written
    assert written.endswith("\r\x1b[2K")


def test_quiet_is_quiet() -> None:
    assert shown(Terminal(), megabytes=5, quiet=True) == ""


def test_a_file_or_a_pipe_sees_nothing() -> None:
    assert shown(io.StringIO(), megabytes=5) == ""
