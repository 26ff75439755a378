"""Warnings about intervals that rest on little.

The causes are few units, labels with few spans, and intervals without width.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from isogloss.kernel.metric import find_metric_trials
from isogloss.kernel.provenance import RunWarning
from isogloss.runs.evidence import TallyEvidence
from isogloss.stats.bootstrap import MIN_UNITS
from isogloss.stats.intervals import Interval

ENOUGH_UNITS = 20  # with fewer documents or clusters, intervals are approximate
ENOUGH_RESAMPLED = 1000  # with fewer, percentiles are too narrow if most values are equal; see the page on coverage
ENOUGH_SUPPORT = 10  # with fewer spans or documents, the scores of a label are hardly known
MAX_NAMES = 10  # in a warning


def find_interval_warnings(evidence: TallyEvidence, intervals: Mapping[str, Interval]) -> Iterator[RunWarning]:
    """Yield warnings about the intervals of a run.

    Args:
        evidence: the counts of the run.
        intervals: all intervals of the run by path.
    """
    if evidence.resampling is None:
        return
    yield from _warn_of_few_units(evidence)
    yield from _warn_of_low_support(evidence)
    yield from _warn_of_few_resampled(evidence, intervals)
    flat = sorted(name for name, interval in intervals.items() if interval.low == interval.high)
    if flat:
        yield RunWarning(
            "no-width", f"intervals without width say nothing about a score: {_list_names(flat)}", len(flat)
        )


def _warn_of_few_units(evidence: TallyEvidence) -> Iterator[RunWarning]:
    units = "documents" if evidence.unit is None else f"clusters by {evidence.unit!r}"
    number = evidence.units
    if number < MIN_UNITS and evidence.resampling is not None and evidence.resampling.method == "auto":
        text = f"with fewer than {MIN_UNITS} {units}, scores of several things in one of them have no interval"
        yield RunWarning("few-units", text, number)
    elif number < ENOUGH_UNITS:
        yield RunWarning("few-units", f"intervals of fewer than {ENOUGH_UNITS} {units} are approximate", number)
    small = {f"{column} {value}": part.units for (column, value), part in evidence.slice_evidence.items()}
    names = [f"{name} ({units})" for name, units in small.items() if units < ENOUGH_UNITS]
    if names:
        text = f"intervals of slices with fewer than {ENOUGH_UNITS} {units} are approximate: {_list_names(names)}"
        yield RunWarning("few-units", text, len(names))


def _warn_of_few_resampled(evidence: TallyEvidence, intervals: Mapping[str, Interval]) -> Iterator[RunWarning]:
    """Warn of percentiles of few units that nobody asked for."""
    how = evidence.resampling
    if how is None or how.method != "auto" or not MIN_UNITS <= evidence.units < ENOUGH_RESAMPLED:
        return
    drawn = sorted(name for name, interval in intervals.items() if interval.method == "bootstrap")
    if drawn:
        units = "documents" if evidence.unit is None else f"clusters by {evidence.unit!r}"
        text = f"percentiles of resamples of fewer than {ENOUGH_RESAMPLED:,} {units} can be too narrow"
        yield RunWarning("few-resampled", f"{text}: {_list_names(drawn)}", len(drawn))


def _warn_of_low_support(evidence: TallyEvidence) -> Iterator[RunWarning]:
    """Warn of labels with few counted things.

    The scores of these labels and the means over labels depend on them.
    """
    support: dict[str, int] = {}
    trials = find_metric_trials(evidence.metric, evidence.sums, evidence.metric.score(evidence.sums))
    for key, number in trials.items():
        if key[0] == "by_label":
            support[key[1]] = max(support.get(key[1], 0), int(number))
    names = [f"{label} ({number})" for label, number in support.items() if 0 < number < ENOUGH_SUPPORT]
    if names:
        text = f"scores of labels that occur fewer than {ENOUGH_SUPPORT} times, and means over labels, are uncertain"
        yield RunWarning("low-support", f"{text}: {_list_names(names)}", len(names))


def _list_names(names: Sequence[str]) -> str:
    more = f", and {len(names) - MAX_NAMES:,} more" if len(names) > MAX_NAMES else ""
    return ", ".join(names[:MAX_NAMES]) + more
