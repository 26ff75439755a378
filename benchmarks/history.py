"""The history of the benchmarks: one line of JSON a run, and which ratios fell since an earlier line."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from rows import Row

PACKAGES = (
    *("numpy", "msgspec", "typer", "SQLAlchemy", "nervaluate", "pythainlp", "sacrebleu", "scikit-learn", "scipy"),
    *("sentencex", "seqeval", "seqscore", "spacy", "udtools"),
)
KEPT = (2, 3)  # a ratio may fall to two thirds of what it was
HERE = Path(__file__).parent
Key = tuple[str, str, str]


@dataclass(frozen=True)
class Line:
    """One run of the benchmarks.

    Args:
        date: day of the run, in UTC.
        commit: hash of the commit, with "+changes" if files of the source differ from it.
        label: what the user called the run.
        quick: whether the input was a tenth.
        accepted: whether no ratio fell and no benchmark failed. Later runs are compared with accepted lines.
        cores: number of cores.
        versions: version by package; without packages that are not installed.
        rows: what was measured.
    """

    date: str
    commit: str
    label: str
    quick: bool
    accepted: bool
    cores: int
    versions: dict[str, str]
    rows: list[Row] = field(default_factory=list)

    @property
    def benchmarks(self) -> set[str]:
        """Names of the benchmarks that were run."""
        return {row.benchmark for row in self.rows}

    @property
    def title(self) -> str:
        """Date, commit and label, for people."""
        return f"{self.date}, {self.commit[:8]}" + (f", {self.label}" if self.label else "")


@dataclass(frozen=True)
class Fall:
    """A ratio beside a peer that fell by more than a third."""

    before: Row
    now: Row
    since: Line

    def __str__(self) -> str:
        """The ratio with both values."""
        ratios = f"{self.before.ratio_to_ours:.3g}x before, {self.now.ratio_to_ours:.3g}x now"
        return f"{self.now.benchmark}: {self.now.case}: {self.now.tool}: {ratios} (before: {self.since.title})"


def new_line(rows: Sequence[Row], *, label: str, quick: bool, accepted: bool) -> Line:
    """Describe a run that has just ended, without anything that names the machine.

    Args:
        rows: what was measured.
        label: what the user called it.
        quick: whether the input was a tenth.
        accepted: whether later runs are compared with it.
    """
    date = datetime.now(UTC).date().isoformat()
    return Line(date, _commit(), label, quick, accepted, os.cpu_count() or 1, _versions(), list(rows))


def _versions() -> dict[str, str]:
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions


def _commit() -> str:
    changes = _git("status", "--porcelain", "--", "../src")
    return _git("rev-parse", "HEAD") + ("+changes" if changes else "")


def _git(*words: str) -> str:
    """What git prints; nothing outside a repository or for a revision that it does not know."""
    try:
        done = subprocess.run(["git", *words], cwd=HERE, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def append_line(path: Path, line: Line) -> None:
    """Append a run to the history."""
    with path.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(asdict(line), ensure_ascii=False) + "\n")


def read_lines(path: Path) -> list[Line]:
    """Read the history, oldest run first; an absent file has none."""
    if not path.exists():
        return []
    lines = [json.loads(text) for text in path.read_text(encoding="utf-8").splitlines() if text.strip()]
    return [Line(**line | {"rows": [Row(**row) for row in line["rows"]]}) for line in lines]


def find_baselines(
    lines: Sequence[Line],
    benchmarks: Iterable[str],
    *,
    quick: bool,
    against: str | None = None,
) -> dict[str, Line]:
    """Find the line that each benchmark is compared with, the last one that has it.

    Args:
        lines: the history.
        benchmarks: names of benchmarks.
        quick: whether the run is quick; it is compared with quick runs only, and a full run with full runs.
        against: a label or a revision; by default any accepted line will do.

    Raises:
        LookupError: if no line has this label or revision.
    """
    fitting = [line for line in lines if line.quick == quick and _matches(line, against)]
    if against is not None and not fitting:
        kind = "quick" if quick else "full"
        raise LookupError(f"The history has no {kind} run with the label or commit '{against}'.")
    return {name: line for name in benchmarks for line in fitting if name in line.benchmarks}


def _matches(line: Line, against: str | None) -> bool:
    if against is None:
        return line.accepted
    commit = _git("rev-parse", "--verify", "--quiet", f"{against}^{{commit}}")
    return line.label == against or (bool(commit) and line.commit.startswith(commit))


def find_falls(before: Line, now: Iterable[Row]) -> list[Fall]:
    """Find each ratio beside a peer that fell by more than a third.

    Args:
        before: a line of the history.
        now: rows of a run.
    """
    earlier = _peers(before.rows)
    pairs = ((earlier[key], row) for key, row in _peers(now).items() if key in earlier)
    return [Fall(old, new, before) for old, new in pairs if _fell(old.ratio_to_ours or 0, new.ratio_to_ours or 0)]


def _fell(before: float, now: float) -> bool:
    kept, of = KEPT
    return now * of < before * kept


def find_unmeasured(before: Line, now: Sequence[Row]) -> list[Row]:
    """Find ratios of the line whose benchmark was run again, but without them."""
    benchmarks, measured = {row.benchmark for row in now}, _peers(now)
    return [row for key, row in _peers(before.rows).items() if row.benchmark in benchmarks and key not in measured]


def _peers(rows: Iterable[Row]) -> dict[Key, Row]:
    return {(row.benchmark, row.case, row.tool): row for row in rows if row.is_peer}
