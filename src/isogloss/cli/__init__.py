"""The command line: parse, one use case, exit code. Results go to standard output, all else to standard error.

Exit codes: 0 fine, 2 usage, 3 bad or misaligned data, 4 a missing extra, 70 a bug of ours, 130 interrupted.
"""

from isogloss.cli.app import run

__all__ = ["run"]
