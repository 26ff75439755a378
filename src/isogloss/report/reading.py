"""Runs read from where they were written: files of `-f json`, and the store.

A file holds one run, or several as `{"runs": [...], "comparisons": [...]}`. What has not the form of a run is refused
with the place in the file. Keys that a run of this version does not have are kept as those of its profile.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from isogloss.batches import SIDES, Notice, Side
from isogloss.comparison import compare
from isogloss.exceptions import FormatError
from isogloss.findings import Finding, Mark
from isogloss.report.written import Change, Compared, Curves, Drawn, Position, Verdict, Written
from isogloss.run import Input, Run
from isogloss.run.saved import SavedEvidence
from isogloss.signature import Signature
from isogloss.sources import Source

REMEDY = "Give files that -f json wrote, or names of runs in the store."


@dataclass(frozen=True, eq=False)
class Opened:
    """A run, and what its file says beside it.

    Args:
        run: the run.
        origin: the file, or the store and the id.
        corpus: name of its corpus, where the store has one.
        baseline: the run that it is compared with, None for none.
        changes: by path, how it differs from the baseline.
        curves: by label.
    """

    run: Run
    origin: str
    corpus: str | None = None
    baseline: Opened | None = None
    changes: Mapping[str, Change] = field(default_factory=dict)
    curves: Mapping[str, Curves] = field(default_factory=dict)


def runs_of_file(path: str) -> list[Opened]:
    """The runs of a file. Where they were compared, the first is the baseline.

    Raises:
        DataError: it cannot be read, or holds no runs.
    """
    document = _document(path)
    several = "runs" in document
    place = "$.runs[{}]" if several else "$"
    rows = _as(list[dict[str, Any]], document["runs"], path, "$.runs") if several else [document]
    if not rows:
        raise FormatError("holds no run", where=path, remedy=REMEDY)
    compared = _as(list[Compared], document.get("comparisons", []), path, "$.comparisons")
    opened = [_opened(row, path, place.format(at)) for at, row in enumerate(rows)]
    return _with_changes(opened, compared, path) if compared else opened


def compared(opened: Sequence[Opened], runs: Sequence[Run]) -> list[Opened]:
    """Runs of a store with how they differ from the first.

    Args:
        opened: as they were saved.
        runs: the same with their documents, which are of one reference.

    Raises:
        UsageError: they cannot be compared.
        MismatchError: they are about different documents.
    """
    baseline, *others = opened
    rows = [pair.to_dict()["scores"] for pair in compare(*runs).pairs]
    changes = msgspec.convert(rows, list[dict[str, Change]])
    return [
        baseline,
        *(replace(each, baseline=baseline, changes=own) for each, own in zip(others, changes, strict=True)),
    ]


def curves_of_file(path: str) -> list[Drawn]:
    """The curves that `--curves` wrote.

    Raises:
        DataError: it cannot be read, or holds no curves.
    """
    document = _document(path)
    rows = document.get("runs", [document])
    drawn: list[Drawn] = _as(list[Drawn], rows, path, "$.runs" if "runs" in document else "$")
    return drawn


def _document(path: str) -> dict[str, Any]:
    text = "".join(block.text for block in Source(path).blocks())
    try:
        document = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise FormatError(f"is not JSON: {error}", where=path, remedy=REMEDY) from None
    if not isinstance(document, dict):
        raise FormatError("is not the JSON of a run", where=path, remedy=REMEDY)
    return document


def _opened(row: dict[str, Any], path: str, place: str) -> Opened:
    written = _as(Written, row, path, place)
    run = _run(row, written, path, place)
    return Opened(run, path, curves=_as(dict[str, Curves], written.curves, path, f"{place}.curves"))


def _with_changes(opened: Sequence[Opened], compared: Sequence[Compared], path: str) -> list[Opened]:
    """Runs with how they differ from the first; comparisons are of the others in their order.

    Raises:
        FormatError: they are of other runs.
    """
    baseline, *others = opened
    expected = [(baseline.run.system, other.run.system) for other in others]
    if [(pair.baseline, pair.system) for pair in compared] != expected:
        message = "its comparisons are not those of its runs with the first one, in their order"
        raise FormatError(message, where=path, remedy=REMEDY)
    changed = [
        replace(other, baseline=baseline, changes=pair.scores) for other, pair in zip(others, compared, strict=True)
    ]
    return [baseline, *changed]


def _run(row: dict[str, Any], written: Written, path: str, place: str) -> Run:
    return Run(
        task=written.task,
        system=written.system,
        signature=signature_of(written.signature, written.task, written.version),
        evidence=SavedEvidence(row),
        profile=written.profile,
        findings=tuple(_findings(written.findings.rows, path, f"{place}.findings.rows")),
        warnings=tuple(Notice(w.code, w.message, w.count, w.where) for w in written.warnings),
        inputs=tuple(Input(entry.role, entry.path, entry.sha256) for entry in written.inputs),
        listed=bool(written.findings.rows),
    )


def _findings(rows: Iterable[dict[str, Any]], path: str, place: str) -> Iterable[Finding]:
    for at, row in enumerate(rows):
        yield _finding(row, _as(Verdict, row, path, f"{place}[{at}]"))


def _finding(row: dict[str, Any], verdict: Verdict) -> Finding:
    marks = tuple(_mark(side, own, verdict.text) for side in SIDES if (own := getattr(verdict, side)) is not None)
    beside = {"kind", "document", "where", "text", "before", "after", *SIDES}
    return Finding(
        kind=verdict.kind,
        document=verdict.document,
        where=verdict.where,
        marks=marks,
        text=verdict.text,
        before=verdict.before,
        after=verdict.after,
        more={name: value for name, value in row.items() if name not in beside},
    )


def _mark(side: Side, own: Position, text: str | None) -> Mark:
    """What a side sets; a position beyond the text ends with it."""
    if text is None or own.in_text is None:
        return Mark(side, own.label, own.start, own.end)
    begin, stop = (min(max(edge, 0), len(text)) for edge in own.in_text)
    return Mark(side, own.label, own.start, own.end, begin, max(begin, stop))


def signature_of(text: str, task: str, version: str) -> Signature:
    """The signature that was written as one line."""
    parts = re.findall(r"(?:[^|\\]|\\.)+", text)
    pairs = (part.partition(":") for part in parts[1:])
    choices = {name: _unescaped(value) for name, _, value in pairs if name != "version"}
    return Signature(task, version, choices)


def _unescaped(value: str) -> str:
    line_ends: dict[str, str] = {"n": "\n", "r": "\r"}
    return re.sub(r"\\(.)", lambda found: line_ends.get(found[1], found[1]), value)


def _as(kind: Any, value: Any, path: str, place: str) -> Any:
    """A value of the JSON in its type.

    Raises:
        FormatError: it is of another type.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        at = str(error).replace("`$", f"`{place}") if "`$" in str(error) else f"{error} - at `{place}`"
        raise FormatError(f"is not the JSON of a run: {at}", where=path, remedy=REMEDY) from None
