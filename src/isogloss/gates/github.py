"""What GitHub Actions shows of a run: annotations at the lines of findings, and a step's summary.

Source: GitHub, Workflow commands for GitHub Actions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from isogloss.findings import Finding
from isogloss.gates.junit import Judged, said
from isogloss.run import Run

MOST = 10  # annotations of a kind that GitHub shows of a step
FILE_AND_LINE = re.compile(r"(?P<file>.+):(?P<line>[1-9][0-9]*)")


def commands(runs: Sequence[Run], verdicts: Sequence[Judged], most: int = MOST) -> Iterator[str]:
    """Workflow commands: an error for each gate that is not met, and each finding, as an error if one is not met.

    Args:
        runs: with the findings that were asked for.
        verdicts: on them.
        most: at most so many findings.
    """
    files = {run.system: entry.path for run in runs for entry in run.inputs if not entry.role.startswith("reference")}
    failed = [verdict for verdict in verdicts if not verdict.passed]
    for verdict in failed:
        file = f"file={_property(files[verdict.system])}," if verdict.system in files else ""
        yield f"::error {file}title={_property('isogloss gate')}::{_message(said(verdict, several=len(runs) > 1))}"
    found = [finding for run in runs for finding in run.findings if finding.kind != "correct"]
    for finding in found[:most]:
        yield _annotation("error" if failed else "warning", finding)


def summary(verdicts: Sequence[Judged]) -> str:
    """Markdown for the summary of a step: what became of each gate."""
    several = len({verdict.system for verdict in verdicts}) > 1
    told = [(verdict.passed, _cell(said(verdict, several=several))) for verdict in verdicts]
    rows = [f"| {'passed' if passed else '**failed**'} | {text} |" for passed, text in told]
    return "\n".join(["| gate | |", "| --- | --- |", *rows, ""]) if rows else ""


def _annotation(level: Literal["error", "warning"], finding: Finding) -> str:
    marks = "; ".join(f"{mark.side} {mark.label or ''}".strip() for mark in finding.marks)
    text = "" if finding.text is None else f": {finding.text}"
    place = FILE_AND_LINE.fullmatch(finding.where)
    where = "" if place is None else f"file={_property(place['file'])},line={place['line']},"
    return f"::{level} {where}title={_property(finding.kind)}::{_message(f'{marks}{text}')}"


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


def _cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")
