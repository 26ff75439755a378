"""Gates: thresholds for scores, and verdicts on runs.

An undefined score fails. With `interval`, the end of the interval nearer to failing is compared instead of the score.
"""

from __future__ import annotations

import math
import platform
import re
import shlex
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Literal, Protocol

from isogloss.errors import UsageError
from isogloss.kernel.findings import Finding
from isogloss.kernel.score_catalogue import Catalogue
from isogloss.kernel.scores import parse_path, quote_names
from isogloss.runs.run import Run
from isogloss.runs.score_tables import format_beside, format_limit

PERCENT = 100
GateBound = Literal["under", "over"]


@dataclass(frozen=True)
class Gate:
    """Threshold for a score.

    Args:
        score: path of the score, such as `strict.f1` or `by_label.PER.strict.recall`.
        value: the threshold.
        bound: whether a run fails if its score is `under` or `over` the threshold.
        interval: whether the end of the score's interval must meet the threshold.
    """

    score: str
    value: float
    bound: GateBound = "under"
    interval: bool = False

    def __str__(self) -> str:
        """Write the gate in one line, such as `strict.f1 not under 0.8`."""
        return f"{self.subject} not {self.bound} {format_limit(self.value)}"

    @property
    def subject(self) -> str:
        """The score, or an end of its interval, in words."""
        if not self.interval:
            return self.score
        return f"the {'lower' if self.bound == 'under' else 'upper'} end of {self.score}"

    def judge(self, run: Run) -> GateVerdict:
        """Compare a run with the threshold.

        Args:
            run: the run.

        Raises:
            UsageError: if the run does not have the score, or no interval of it.
        """
        value = self._find_value(run)
        degenerate = self.interval and run.intervals[self.score].low == run.intervals[self.score].high
        meets = value >= self.value if self.bound == "under" else value <= self.value  # false for nan
        return GateVerdict(self, run.system, value, meets and not degenerate, has_no_width=degenerate)

    def _find_value(self, run: Run) -> float:
        if self.interval:
            interval = run.intervals.get(self.score)
            if interval is None:
                if not run.intervals:
                    raise UsageError(f"The run has no interval of {self.score!r}. Compute them with --confidence 0.95.")
                suggestion = suggest_scores(self.score, list(run.intervals))
                raise UsageError(f"{self.score!r} has no interval: only ratios have one. {suggestion}")
            return interval.low if self.bound == "under" else interval.high
        try:
            return float(run.score(self.score))
        except KeyError:
            names = [row["score"] for row in run.to_rows()]
            raise UsageError(f"The run has no score {self.score!r}. {suggest_scores(self.score, names)}") from None


@dataclass(frozen=True)
class GateVerdict:
    """Result of a gate for one run.

    Args:
        gate: the gate.
        system: system of the run.
        value: the score, or the end of its interval; nan where undefined.
        passed: whether the run meets the threshold, and the interval that shows it has a width.
        has_no_width: whether the gate is about an interval whose ends are equal, which shows nothing.
    """

    gate: Gate
    system: str
    value: float
    passed: bool
    has_no_width: bool = False
    names_system = False
    is_undecided = False

    def __str__(self) -> str:
        """Write the verdict in one line.

        An example is `strict.f1 is 0.7100, under 0.8`.
        """
        if math.isnan(self.value):
            return f"{self.gate.subject} is undefined"
        value, limit = format_beside(self.value, self.gate.value), format_limit(self.gate.value)
        if self.has_no_width:
            return f"{self.gate.subject} is {value}, but the interval has no width, so it shows nothing"
        bound = f"not {self.gate.bound}" if self.passed else self.gate.bound
        return f"{self.gate.subject} is {value}, {bound} {limit}"


def parse_gate(
    text: str, bound: GateBound = "under", *, interval: bool = False, catalogue: Catalogue | None = None
) -> Gate:
    """Parse a gate from an option: `strict.f1=0.8`.

    Args:
        text: path of a score, `=`, and a number.
        bound: whether a run fails under or over the threshold.
        interval: whether the end of the score's interval must meet the threshold.
        catalogue: score catalogue of the task, which knows the limits of scores; None to accept any number.

    Raises:
        UsageError: if the path or the number is invalid, or the score can never have the number.
    """
    score, _, value = text.rpartition("=")
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or '""' in quote_names(score):
        raise UsageError(f"Invalid threshold {text!r}. Give the path of a score and a number, such as strict.f1=0.8.")
    try:
        key = parse_path(score)
    except ValueError:
        remedy = "Put names with other characters than A to Z, digits, _ and - in double quotes, and all in single ones"
        quoted = shlex.quote(f"{quote_names(score)}={value}")
        raise UsageError(f"Invalid threshold {text!r}. {remedy}: {quoted}.") from None
    limits = None if catalogue is None else catalogue.find_limits(key)
    if limits is not None and not limits[0] <= number <= limits[1]:
        low, high = (f"{limit:g}" for limit in limits)
        meant = number / PERCENT
        fix = f"For {number:g}% write {score}={meant:g}." if limits == (0, 1) and 0 <= meant <= 1 else ""
        remedy = fix or f"Give a number from {low} to {high}."
        raise UsageError(f"Invalid threshold {text!r}: {score} is between {low} and {high}. {remedy}")
    return Gate(score, number, bound, interval)


def suggest_scores(score: str, names: list[str]) -> str:
    """Suggest the scores with names most like a misspelt one."""
    same_name = [name for name in names if name.endswith(f".{score}")]
    close = same_name[:3] or get_close_matches(score, names, n=3)
    return f"Did you mean {', '.join(close)}?" if close else f"Its scores are {', '.join(names[:5])}, and so on."


# Characters that XML 1.0 cannot contain.
XML_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class VerdictLike(Protocol):
    """Verdict of any gate; `str` writes it in one line."""

    @property
    def gate(self) -> object:
        """The gate, which `str` writes in one line.

        The line is the same for every run.
        """

    @property
    def names_system(self) -> bool:
        """Whether the line of the verdict names the system."""

    @property
    def system(self) -> str:
        """Name of the system."""

    @property
    def passed(self) -> bool:
        """Whether the gate is met."""

    @property
    def is_undecided(self) -> bool:
        """Whether the gate is met because no system could have failed it."""


def format_verdict(verdict: VerdictLike, *, several: bool) -> str:
    """Write a verdict in one line.

    The line names the system if there are several.
    """
    text = str(verdict)
    return f"{verdict.system}: {text}" if several and not verdict.names_system else text


def name_outcome(verdict: VerdictLike, failed: str = "FAILED") -> str:
    """Return `passed`, `undecided`, or the word for a gate that failed."""
    return "undecided" if verdict.is_undecided else "passed" if verdict.passed else failed


def format_junit(verdicts: Sequence[VerdictLike], *, suite: str = "isogloss", now: datetime | None = None) -> str:
    """Write a JUnit test suite with a case for each verdict.

    The suite is valid in the schemas of Jenkins and of Ant. Ant allows one element in a case, so the verdicts that pass
    stand in the output of the suite.

    Args:
        verdicts: verdicts in display order.
        suite: name of the suite.
        now: time of the suite; None for the current time in UTC.
    """
    root = ET.Element("testsuites")
    element = ET.SubElement(
        root,
        "testsuite",
        id="0",
        package=suite,
        name=suite,
        timestamp=(now or datetime.now(UTC)).strftime("%Y-%m-%dT%H:%M:%S"),  # Ant allows no time zone
        hostname=_clean_xml(platform.node()) or "localhost",
        tests=str(len(verdicts)),
        failures=str(sum(not verdict.passed for verdict in verdicts)),
        errors="0",
        skipped="0",
        time="0.000",
    )
    ET.SubElement(element, "properties")
    for verdict in verdicts:
        names = {"classname": _clean_xml(verdict.system), "name": _clean_xml(str(verdict.gate)), "time": "0.000"}
        case = ET.SubElement(element, "testcase", names)
        if not verdict.passed:
            ET.SubElement(case, "failure", message=_clean_xml(str(verdict)), type="threshold")
    several = len({verdict.system for verdict in verdicts}) > 1
    passed = (format_verdict(verdict, several=several) for verdict in verdicts if verdict.passed)
    ET.SubElement(element, "system-out").text = _clean_xml("\n".join(passed))
    ET.SubElement(element, "system-err")
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=False) + "\n"


def _clean_xml(text: str) -> str:
    return XML_FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)


MAX_ANNOTATIONS = 10  # annotations of one level that GitHub shows for a step
FILE_AND_LINE = re.compile(r"(?P<file>.+):(?P<line>[1-9][0-9]*)")


def format_workflow_commands(
    runs: Sequence[Run], verdicts: Sequence[VerdictLike], limit: int = MAX_ANNOTATIONS
) -> Iterator[str]:
    """Yield GitHub workflow commands for failed gates and for findings.

    There is an error for each failed gate, then come the findings; the limit holds for both together.

    Args:
        runs: runs with their findings; these are errors if a gate failed, otherwise warnings.
        verdicts: verdicts on the runs.
        limit: most annotations to write.
    """
    files = {run.system: entry.path for run in runs for entry in run.inputs if not entry.role.startswith("reference")}
    failed = [verdict for verdict in verdicts if not verdict.passed]
    for verdict in failed[:limit]:
        file = f"file={_escape_property(files[verdict.system])}," if verdict.system in files else ""
        message = _escape_message(format_verdict(verdict, several=len(runs) > 1))
        yield f"::error {file}title=isogloss gate::{message}"
    undecided = [verdict for verdict in verdicts if verdict.is_undecided][: max(limit - len(failed), 0)]
    for verdict in undecided:
        yield f"::warning title=isogloss gate::{_escape_message(format_verdict(verdict, several=len(runs) > 1))}"
    errors = [finding for run in runs for finding in run.findings if finding.kind != "correct"]
    for finding in errors[: max(limit - len(failed) - len(undecided), 0)]:
        yield _format_annotation("error" if failed else "warning", finding)


def format_gate_summary(verdicts: Sequence[VerdictLike]) -> str:
    """Write Markdown for a step summary, with a row per gate."""
    several = len({verdict.system for verdict in verdicts}) > 1
    rows = [
        f"| {name_outcome(verdict, '**failed**')} | {_escape_cell(format_verdict(verdict, several=several))} |"
        for verdict in verdicts
    ]
    return "\n".join(["| gate | |", "| --- | --- |", *rows, ""]) if rows else ""


def _format_annotation(level: Literal["error", "warning"], finding: Finding) -> str:
    marks = "; ".join(f"{mark.side} {mark.label or ''}".strip() for mark in finding.marks)
    text = "" if finding.text is None else f": {finding.text}"
    place = FILE_AND_LINE.fullmatch(finding.where)
    where = "" if place is None else f"file={_escape_property(place['file'])},line={place['line']},"
    return f"::{level} {where}title={_escape_property(finding.kind)}::{_escape_message(f'{marks}{text}')}"


def _escape_message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape_message(text).replace(":", "%3A").replace(",", "%2C")


def _escape_cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")
