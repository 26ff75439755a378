"""Runs of a report, named and grouped by corpus.

They are read from JSON files with comparisons and curves.

Runs have the same corpus if their reference files have the same hashes. The name of a corpus is its name in the store,
or else the file of its reference. Code-switching has no reference: its corpus is its language.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from isogloss.errors import FormatError, StoreError, UsageError
from isogloss.kernel.provenance import Signature
from isogloss.kernel.score_catalogue import Catalogue
from isogloss.records.sources import Source
from isogloss.runs.comparison import compare
from isogloss.runs.findings import Findings
from isogloss.runs.run import Run
from isogloss.runs.run_json import FindingJson, RunJson
from isogloss.runs.score_tables import find_shared_parts, strip_shared_folders
from isogloss.runs.system_ranking import SystemRanking
from isogloss.tasks.registry import get_task, list_task_names

SIGNIFICANT = 0.05  # a corrected p-value below this is significant
REMEDY = "Give a file that -f json wrote, or the name of a stored run."


class ScoreChange(msgspec.Struct):
    """Difference of a score from the baseline."""

    difference: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_holm: float | None = None


class ComparisonJson(msgspec.Struct):
    """JSON of a comparison of a system with the baseline."""

    baseline: str
    system: str
    scores: dict[str, ScoreChange]


class CurvePoints(msgspec.Struct):
    """Points of a ROC curve or of a precision-recall curve."""

    false_positive_rate: list[float] = []
    true_positive_rate: list[float] = []
    recall: list[float] = []
    precision: list[float] = []
    threshold: list[float | None] = []


class LabelCurves(msgspec.Struct):
    """Both curves of a label; None if a curve is undefined."""

    roc: CurvePoints | None = None
    precision_recall: CurvePoints | None = None


class SystemCurves(msgspec.Struct):
    """Curves of a system, as `--curves` writes them."""

    system: str
    signature: str
    curves: dict[str, LabelCurves]


@dataclass(frozen=True, eq=False)
class ReportRun:
    """A run in a report with comparison, curves, anchor and name.

    Args:
        run: the run.
        provenance: the file, or the store and the id.
        corpus: name of its corpus in the store; None if unknown.
        baseline: the run it is compared with; None for no comparison.
        changes: differences from the baseline by the path of the score.
        curves: curves by label.
        ranking: all runs of its file ranked by tests of all pairs; None if they were not ranked.
        id: anchor of its section, such as `run-1`; empty outside of a report.
        name: name of its system, without folders and suffix that all systems share; empty outside of a report.
        baseline_name: name of its baseline; None for no comparison, or outside of a report.
    """

    run: Run
    provenance: str = ""
    corpus: str | None = None
    baseline: ReportRun | None = None
    changes: Mapping[str, ScoreChange] = field(default_factory=dict)
    curves: Mapping[str, LabelCurves] = field(default_factory=dict)
    ranking: SystemRanking | None = None
    id: str = ""
    name: str = ""
    baseline_name: str | None = None

    def is_significant(self, path: str) -> bool:
        """Return whether the difference from the baseline is significant.

        It is significant if p < 0.05 after Holm's correction.

        Args:
            path: path of the score.
        """
        change = self.changes.get(path)
        return change is not None and change.p_holm is not None and change.p_holm < SIGNIFICANT


def load_run_file(path: str) -> list[ReportRun]:
    """Load the runs of a file.

    If they were compared, the first is the baseline.

    Args:
        path: the file.

    Raises:
        DataError: if the file cannot be read, or has no runs.
    """
    document = _load_document(path)
    several = "runs" in document
    place = "$.runs[{}]" if several else "$"
    rows = _convert(list[dict[str, Any]], document["runs"], path, "$.runs") if several else [document]
    if not rows:
        raise FormatError("has no run", where=path, remedy=REMEDY)
    compared = _convert(list[ComparisonJson], document.get("comparisons", []), path, "$.comparisons")
    ranking = _convert(SystemRanking | None, document.get("ranking"), path, "$.ranking")
    opened = [replace(_build_report_run(row, path, place.format(at)), ranking=ranking) for at, row in enumerate(rows)]
    return _add_changes(opened, compared, path) if compared else opened


def parse_run(text: bytes, where: str) -> Run:
    """Parse the JSON of a run, with its findings.

    Args:
        text: the JSON.
        where: where it comes from, for errors.

    Raises:
        FormatError: if it is not the JSON of a run.
    """
    try:
        document = msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError) as error:
        raise FormatError(f"is not the JSON of a run: {error}", where=where, remedy=REMEDY) from None
    return _build_report_run(document, where, "$").run


def add_comparisons(opened: Sequence[ReportRun], runs: Sequence[Run]) -> list[ReportRun]:
    """Add the differences from the first run to runs of a store.

    Args:
        opened: the runs as they were saved.
        runs: the same runs with their documents.

    Raises:
        UsageError: if the runs cannot be compared.
        MismatchError: if the runs are about different documents.
    """
    baseline, *others = opened
    rows = [pair.to_dict()["scores"] for pair in compare(*runs).pairs]
    changes = msgspec.convert(rows, list[dict[str, ScoreChange]])
    return [
        baseline,
        *(replace(each, baseline=baseline, changes=own) for each, own in zip(others, changes, strict=True)),
    ]


def load_curve_file(path: str) -> list[SystemCurves]:
    """Load the curves of a file that `--curves` wrote.

    Args:
        path: the file.

    Raises:
        DataError: if the file cannot be read, or has no curves.
    """
    document = _load_document(path)
    rows = document.get("runs", [document])
    systems: list[SystemCurves] = _convert(list[SystemCurves], rows, path, "$.runs" if "runs" in document else "$")
    return systems


@dataclass(frozen=True, eq=False)
class ReportCorpus:
    """The runs on one corpus.

    Args:
        name: name of the corpus, empty if unknown.
        entries: its runs, at least one.
    """

    name: str
    entries: tuple[ReportRun, ...]

    @property
    def runs(self) -> tuple[Run, ...]:
        """The runs of its entries."""
        return tuple(entry.run for entry in self.entries)

    @property
    def ranking(self) -> SystemRanking | None:
        """The ranking of exactly the runs of this corpus.

        It is None if the runs were not ranked, or not together.
        """
        first, *others = (entry.ranking for entry in self.entries)
        is_whole = first is not None and sorted(each.system for each in first.systems) == sorted(
            run.system for run in self.runs
        )
        return first if is_whole and all(each is first for each in others) else None

    def list_ranked_names(self) -> list[str]:
        """List the names of the runs in the order of ranking.

        The list is empty without a ranking.
        """
        names: dict[str, list[str]] = {}
        for entry in self.entries:
            names.setdefault(entry.run.system, []).append(entry.name)
        return [] if self.ranking is None else [names[each.system].pop(0) for each in self.ranking.systems]


def group_by_corpus(
    opened: Sequence[ReportRun], system_curves: Sequence[SystemCurves] = ()
) -> tuple[ReportCorpus, ...]:
    """Group runs by corpus, in the order in which both first occur.

    Args:
        opened: runs, at least one.
        system_curves: curves of some of the runs.

    Raises:
        UsageError: if the runs have several tasks, or curves do not belong to a run.
    """
    tasks = sorted({one.run.task for one in opened})
    if len(tasks) > 1:
        raise UsageError(f"A report needs runs of one task, got {len(tasks)}: {', '.join(tasks)}. Write one for each.")
    curves = _match_curves(opened, system_curves)
    groups: dict[tuple[str, ...], list[ReportRun]] = {}
    for one in opened:
        groups.setdefault(_get_corpus_key(one.run), []).append(one)
    names = _choose_corpus_names(list(groups.values()))
    ordered = [one for group in groups.values() for one in group]
    systems = dict(zip(ordered, _choose_system_names(list(groups.values())), strict=True))
    entries = {
        one: replace(
            one,
            id=f"run-{number}",
            name=systems[one],
            baseline_name=None if one.baseline is None else systems[one.baseline],
            curves=curves[one],
        )
        for number, one in enumerate(ordered, 1)
    }
    return tuple(
        ReportCorpus(name, tuple(entries[one] for one in group))
        for name, group in zip(names, groups.values(), strict=True)
    )


def list_report_runs(corpora: Iterable[ReportCorpus]) -> list[ReportRun]:
    """List the runs of all corpora.

    Args:
        corpora: corpora of one report.
    """
    return [entry for corpus in corpora for entry in corpus.entries]


def _match_curves(
    opened: Sequence[ReportRun], system_curves: Sequence[SystemCurves]
) -> dict[ReportRun, Mapping[str, LabelCurves]]:
    """Find the curves of each run by its system and signature.

    A run without a match keeps its own curves.
    """
    by_run = {(curves.system, curves.signature): curves.curves for curves in system_curves}
    runs = {one: (one.run.system, str(one.run.signature)) for one in opened}
    for system, signature in by_run:
        if (system, signature) not in runs.values():
            raise UsageError(
                f"--curves: no run of the system {system!r} has the signature {signature}. Give its run too."
            )
    return {one: by_run.get(key, one.curves) for one, key in runs.items()}


def compute_curves(run: Run, load_documents: Callable[[], Run] | None = None) -> Mapping[str, LabelCurves]:
    """Compute the curves of a run.

    Without curves in the task, scores in the predictions, or single documents, the result is empty.

    Args:
        run: the run.
        load_documents: loads a run of which only the scores are known with its documents; None if it has none.
    """
    compute = get_task(run.task).curves
    for load in (lambda: run, load_documents):
        if compute is not None and load is not None:
            with suppress(UsageError, StoreError):  # no scores in the predictions; no documents in the store
                return msgspec.convert(compute(load())["curves"], dict[str, LabelCurves])
    return {}


def _get_corpus_key(run: Run) -> tuple[str, ...]:
    """Return a key that runs on the same corpus share."""
    return run.reference_digests or (str(run.signature.choices.get("language", "")),)


def _choose_corpus_names(groups: Sequence[Sequence[ReportRun]]) -> list[str]:
    own = [next((one.corpus for one in group if one.corpus), _get_corpus_path(group[0].run)) for group in groups]
    if len(own) > 1:
        own = _strip_files(strip_shared_folders([path.rstrip("/") for path in own]))
    return _number_duplicates(own)


def _get_corpus_path(run: Run) -> str:
    """Return the path that stands for the corpus of a run.

    It is the file of the reference, the folder of several files, or the language.
    """
    paths = [entry.path for entry in run.inputs if entry.role.startswith("reference")]
    if "language" in run.signature.choices:
        return str(run.signature.choices["language"])
    return paths[0] if len(paths) == 1 else "/".join(find_shared_parts(paths))


def _choose_system_names(groups: Sequence[Sequence[ReportRun]]) -> list[str]:
    """Choose a name for each run; names within a corpus differ."""
    short = [strip_shared_folders([one.run.system.rstrip("/") for one in group]) for group in groups]
    own = iter(_strip_suffix([name for group in short for name in group]))
    return [name for group in short for name in _number_duplicates([next(own) for _ in group])]


def _strip_files(paths: Sequence[str]) -> list[str]:
    """Remove the file name that all paths share, or else the suffix."""
    parts = [path.rpartition("/") for path in paths]
    if len({file for _, _, file in parts}) == 1 and all(folder for folder, _, _ in parts):
        return [folder for folder, _, _ in parts]
    return _strip_suffix(paths)


def _strip_suffix(names: Sequence[str]) -> list[str]:
    """Remove the suffixes that all names share."""
    parts = [name.split(".") for name in names]
    while len(names) > 1 and len({own[-1] for own in parts}) == 1 and all(_has_suffix(own) for own in parts):
        parts = [own[:-1] for own in parts]
    return [".".join(own) for own in parts]


def _has_suffix(parts: Sequence[str]) -> bool:
    """Return whether the last suffix can be removed.

    Removing it must not lose a folder or the whole name.
    """
    return len(parts) > 1 and "/" not in parts[-1] and parts[-2] != "" and not parts[-2].endswith("/")


def _number_duplicates(names: Sequence[str]) -> list[str]:
    """Add a number to names that occur again."""
    seen: dict[str, int] = {}
    numbered = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        numbered.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return numbered


def _load_document(path: str) -> dict[str, Any]:
    text = "".join(block.text for block in Source(path).blocks())
    try:
        document = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise FormatError(f"is not JSON: {error}", where=path, remedy=REMEDY) from None
    if not isinstance(document, dict):
        raise FormatError("is not the JSON of a run", where=path, remedy=REMEDY)
    return document


def _build_report_run(row: dict[str, Any], path: str, place: str) -> ReportRun:
    run_json: RunJson = _convert(RunJson, row, path, place)
    known = run_json.task in list_task_names()
    run = Run.from_json(
        run_json,
        replace(parse_signature(run_json.signature, run_json.task, run_json.version), definition=run_json.definition),
        get_task(run_json.task).scores if known else Catalogue(),
    )
    rows = run_json.findings.rows if run_json.findings else []
    rows_read = (
        _convert(FindingJson, own, path, f"{place}.findings.rows[{at}]").to_finding(own) for at, own in enumerate(rows)
    )
    curves = _convert(dict[str, LabelCurves], row.get("curves", {}), path, f"{place}.curves")
    return ReportRun(
        replace(run, findings=Findings(rows_read, run.task), list_findings=bool(rows)), path, curves=curves
    )


def _add_changes(opened: Sequence[ReportRun], comparisons: Sequence[ComparisonJson], path: str) -> list[ReportRun]:
    """Add the comparisons of a file to its runs.

    Args:
        opened: the runs of the file.
        comparisons: comparisons of the other runs with the first.
        path: the file.

    Raises:
        FormatError: if the comparisons are not those of the other runs with the first, in their order.
    """
    baseline, *others = opened
    expected = [(baseline.run.system, other.run.system) for other in others]
    if [(pair.baseline, pair.system) for pair in comparisons] != expected:
        message = "the comparisons are not those of the other runs with the first, in their order"
        raise FormatError(message, where=path, remedy=REMEDY)
    pairs = zip(others, comparisons, strict=True)
    return [baseline, *(replace(other, baseline=baseline, changes=pair.scores) for other, pair in pairs)]


def parse_signature(text: str, task: str, version: str) -> Signature:
    """Parse a signature.

    Args:
        text: the signature as one line.
        task: name of its task.
        version: version of isogloss that wrote it.
    """
    parts = re.findall(r"(?:[^|\\]|\\.)+", text)
    pairs = (part.partition(":") for part in parts[1:])
    line_ends = {"n": "\n", "r": "\r"}
    choices = {
        name: re.sub(r"\\(.)", lambda match: line_ends.get(match[1], match[1]), value)
        for name, _, value in pairs
        if name != "version"
    }
    return Signature(task, version, choices)


def _convert(kind: Any, value: Any, path: str, place: str) -> Any:
    """Convert a value of the JSON to its type.

    Args:
        kind: the type.
        value: the value.
        path: the file.
        place: place of the value in the file, such as `$.runs[0]`.

    Raises:
        FormatError: if the value has another type.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        at = str(error).replace("`$", f"`{place}") if "`$" in str(error) else f"{error} - at `{place}`"
        raise FormatError(f"is not the JSON of a run: {at}", where=path, remedy=REMEDY) from None
