"""Run pydoclint on the sources, without the rules that it cannot switch off.

    python tools/check_docstrings.py [PATH ...]

The options are in `pyproject.toml` under `[tool.pydoclint]`. Left out are:

    DOC101, DOC102, DOC105    each comes with a DOC103 that says more
    DOC201, DOC402            want a section for what is returned or yielded; here the first line says it
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
LEFT_OUT = frozenset(("DOC101", "DOC102", "DOC105", "DOC201", "DOC402"))
VIOLATION = re.compile(r"^(?P<place>\S+:\d+): (?P<code>DOC\d{3}): (?P<message>.*)$")
LINK = re.compile(r"\(Or could be other formatting issues: \S+ ?\)\. ")


def find_violations(paths: list[str]) -> list[str]:
    """Return a line for each docstring that does not fit its function."""
    options = ["--quiet", "--show-filenames-in-every-violation-message=true", "--config=pyproject.toml"]
    command = [sys.executable, "-m", "pydoclint.main", *options, *paths]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603  fixed words
    lines = (done.stdout + done.stderr).splitlines()
    found = [match for line in lines if (match := VIOLATION.match(line.strip()))]
    if done.returncode and not found:
        sys.exit("\n".join(lines))  # it did not run
    return [LINK.sub("", match[0]) for match in found if match["code"] not in LEFT_OUT]


if __name__ == "__main__":
    violations = find_violations(sys.argv[1:] or ["src"])
    print(*violations, sep="\n")  # noqa: T201  a script prints
    sys.exit(1 if violations else 0)
