"""Run commands in this process, as a person runs them."""

import io
from contextlib import redirect_stderr, redirect_stdout

from isogloss.cli.app import run


class Output(io.TextIOWrapper):
    """Standard output in memory."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8")

    def get_text(self) -> str:
        """Return what was written."""
        self.flush()
        buffer = self.buffer
        assert isinstance(buffer, io.BytesIO)
        return buffer.getvalue().decode()


def try_isogloss(*arguments: str) -> tuple[int, str, str]:
    """Return exit code, standard output and standard error of a command."""
    output, errors = Output(), io.StringIO()
    with redirect_stdout(output), redirect_stderr(errors):
        code = run([str(each) for each in arguments])
    return code, output.get_text(), errors.getvalue()


def run_isogloss(*arguments: str) -> str:
    """Return the output of a command that must work."""
    code, output, errors = try_isogloss(*arguments)
    assert code == 0, errors
    return output
