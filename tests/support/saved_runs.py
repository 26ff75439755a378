"""Runs to save in a store, and Python processes that use one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select

import isogloss
from isogloss.kernel.findings import Finding, Mark
from isogloss.runs.findings import Findings
from isogloss.runs.run import Run
from isogloss.store.digests import RUN, digest_parts, digest_run_row
from isogloss.store.schema import digests, runs

GOLD = [["B-PER", "I-PER", "O", "B-LOC"], ["B-ORG", "O"], ["O", "B-LOC", "O"], ["B-PER", "O"]]
SYSTEM = [["B-PER", "O", "O", "B-LOC"], ["O", "B-ORG"], ["O", "B-PER", "O"], ["B-PER", "O"]]
BETTER = [["B-PER", "I-PER", "O", "B-LOC"], ["O", "B-ORG"], ["O", "B-LOC", "O"], ["B-PER", "O"]]
HERE = Path(__file__).parent


def ner_run(
    system: Sequence[Sequence[str]] = SYSTEM,
    *,
    confidence: float | None = None,
    findings: bool = False,
) -> Run:
    """Named entities of four sentences."""
    return isogloss.ner(GOLD, system, confidence=confidence, resamples=50, findings=findings)


def with_findings(number: int, run: Run | None = None) -> Run:
    """A run with so many findings of five kinds, four labels and two columns of slices, three to a document."""
    return replace(run or ner_run(), findings=Findings(map(finding, range(number))), list_findings=True)


def finding(k: int) -> Finding:
    """The finding of a number."""
    kinds, labels = ("wrong_type", "missed", "spurious", "split"), ("PER", "LOC", "U.S.", "дата")
    kind = "rare" if k % 97 == 96 else kinds[k % 4]
    first = None if kind == "split" else labels[k // 4 % 4]
    second = labels[k // 16 % 4] if kind == "wrong_type" else first
    marks = [Mark("reference", first, 3, 4)] * (kind != "spurious") + [Mark("predicted", second, 3, 5)] * (
        kind != "missed"
    )
    more: dict[str, Any] = {"token": f"т{k}"} if k % 5 == 0 else {}
    if k % 7:
        more["slices"] = {"genre": ("news", "web", "U.S.")[k % 3], "author": f"ж{k // 50}"}
    return Finding(kind, str(k // 3 + 1), f"system.conll:{k + 1}", tuple(marks), extra=more)


def renew_digests(connection: Connection) -> None:
    """Compute the digests of the row of the only run of a store again, after a test has changed the row."""
    row = connection.execute(select(runs)).one()._mapping
    for part, digest in digest_run_row(row).items():
        connection.execute(digests.update().where(digests.c.part == part).values(digest=digest))
    parts = {part: bytes(digest) for part, digest in connection.execute(select(digests.c.part, digests.c.digest))}
    connection.execute(digests.update().where(digests.c.part == RUN).values(digest=digest_parts(parts)))


def called(code: str, *arguments: str) -> subprocess.Popen[str]:
    """A Python process of its own that runs this code, with what this module has."""
    path = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = os.environ | {"PYTHONPATH": path}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.PIPE}
    return subprocess.Popen([sys.executable, "-c", code, *arguments], env=environment, text=True, **pipes)  # type: ignore[call-overload,no-any-return]  # of pipes


def finished(process: subprocess.Popen[str]) -> str:
    """What a process has written when it is done, and it was fine."""
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out
