"""Run pydoclint on the sources, without the rules that it cannot switch off, and measure first lines.

    python tools/check_docstrings.py [PATH ...]

The options are in `pyproject.toml` under `[tool.pydoclint]`. Left out are:

    DOC101, DOC102, DOC105    each comes with a DOC103 that says more
    DOC201, DOC402            want a section for what is returned or yielded; here the first line says it

The first line of a docstring has at most 12 words.
"""

import ast
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
MAX_FIRST_LINE = 12  # words
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


def find_long_first_lines(paths: list[str]) -> list[str]:
    """Return a line for each docstring whose first line is too long."""
    files = [file for path in paths for file in ([Path(path)] if path.endswith(".py") else Path(path).rglob("*.py"))]
    return [line for file in sorted(files) for line in _list_long_first_lines(file)]


def _list_long_first_lines(file: Path) -> list[str]:
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    documented = [node for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, kinds)]
    words = [
        (getattr(node, "lineno", 1), (ast.get_docstring(node) or "").split("\n")[0].split()) for node in documented
    ]
    return [
        f"{file}:{line}: the first line of the docstring has {len(first)} words, at most {MAX_FIRST_LINE} are allowed"
        for line, first in words
        if len(first) > MAX_FIRST_LINE
    ]


if __name__ == "__main__":
    chosen = sys.argv[1:] or [str(ROOT / "src")]
    violations = [*find_violations(chosen), *find_long_first_lines(chosen)]
    print(*violations, sep="\n")  # noqa: T201  a script prints
    sys.exit(1 if violations else 0)
