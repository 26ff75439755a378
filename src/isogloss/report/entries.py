"""The runs of a report, grouped by corpus, with short names of systems.

Runs have the same corpus if their reference files have the same hashes. The name of a corpus is its name in the store,
or else the file of its reference. Code-switching has no reference: its corpus is its language.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from isogloss.errors import UsageError
from isogloss.report.run_files import LabelCurves, ReportRun, ScoreChange, SystemCurves
from isogloss.runs.run import Run

SIGNIFICANT = 0.05  # a corrected p-value below this is significant


@dataclass(frozen=True, eq=False)
class ReportEntry:
    """A run in a report.

    Args:
        id: anchor of its section, such as `run-1`.
        name: name of its system, without folders and suffix that all systems share.
        run: the run.
        origin: the file or store it was read from.
        baseline: name of the system it is compared with; None for no comparison.
        changes: differences from the baseline by the path of the score.
        curves: curves by label.
    """

    id: str
    name: str
    run: Run
    origin: str = ""
    baseline: str | None = None
    changes: Mapping[str, ScoreChange] = field(default_factory=dict)
    curves: Mapping[str, LabelCurves] = field(default_factory=dict)

    def is_significant(self, path: str) -> bool:
        """Return whether the difference from the baseline is significant: p < 0.05 after Holm's correction.

        Args:
            path: path of the score.
        """
        change = self.changes.get(path)
        return change is not None and change.p_holm is not None and change.p_holm < SIGNIFICANT


@dataclass(frozen=True, eq=False)
class ReportCorpus:
    """The runs on one corpus.

    Args:
        name: name of the corpus, empty if unknown.
        entries: at least one.
    """

    name: str
    entries: tuple[ReportEntry, ...]

    @property
    def runs(self) -> tuple[Run, ...]:
        """The runs of its entries."""
        return tuple(entry.run for entry in self.entries)


def group_by_corpus(
    opened: Sequence[ReportRun], system_curves: Sequence[SystemCurves] = ()
) -> tuple[ReportCorpus, ...]:
    """Group runs by corpus, in the order in which both first occur.

    Args:
        opened: at least one run.
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
    numbered = iter(range(1, len(opened) + 1))
    return tuple(
        ReportCorpus(name, tuple(_build_entry(one, systems, f"run-{next(numbered)}", curves[one]) for one in group))
        for name, group in zip(names, groups.values(), strict=True)
    )


def list_entries(corpora: Iterable[ReportCorpus]) -> list[ReportEntry]:
    """List the entries of all corpora.

    Args:
        corpora: of one report.
    """
    return [entry for corpus in corpora for entry in corpus.entries]


def _build_entry(
    one: ReportRun, systems: Mapping[ReportRun, str], anchor: str, curves: Mapping[str, LabelCurves]
) -> ReportEntry:
    baseline = None if one.baseline is None else systems[one.baseline]
    return ReportEntry(anchor, systems[one], one.run, one.origin, baseline, one.changes, curves)


def _match_curves(
    opened: Sequence[ReportRun], system_curves: Sequence[SystemCurves]
) -> dict[ReportRun, Mapping[str, LabelCurves]]:
    """Find the curves of each run by its system and signature, else use its own."""
    found = {(curves.system, curves.signature): curves.curves for curves in system_curves}
    runs = {one: (one.run.system, str(one.run.signature)) for one in opened}
    for system, signature in found:
        if (system, signature) not in runs.values():
            raise UsageError(
                f"--curves: no run of the system {system!r} has the signature {signature}. Give its run too."
            )
    return {one: found.get(key, one.curves) for one, key in runs.items()}


def _get_corpus_key(run: Run) -> tuple[str, ...]:
    """Return a key that runs on the same corpus share."""
    return run.reference_digests or (str(run.signature.choices.get("language", "")),)


def _choose_corpus_names(groups: Sequence[Sequence[ReportRun]]) -> list[str]:
    own = [
        next((one.corpus for one in group if one.corpus), None) or _get_corpus_path(group[0].run) for group in groups
    ]
    return _number_duplicates(own if len(own) == 1 else _strip_files(_strip_folders(own)))


def _get_corpus_path(run: Run) -> str:
    """Return the file of the reference, the folder of several files, or the language."""
    paths = [entry.path for entry in run.inputs if entry.role.startswith("reference")]
    if "language" in run.signature.choices:
        return str(run.signature.choices["language"])
    return paths[0] if len(paths) == 1 else "/".join(_find_shared_parts(paths))


def _choose_system_names(groups: Sequence[Sequence[ReportRun]]) -> list[str]:
    """Choose a name for each run; names within a corpus differ."""
    short = [_strip_folders([one.run.system for one in group]) for group in groups]
    own = iter(_strip_suffix([name for group in short for name in group]))
    return [name for group in short for name in _number_duplicates([next(own) for _ in group])]


def _strip_folders(paths: Sequence[str]) -> list[str]:
    """Remove the folders that all paths share; of a single path all folders."""
    parts = [path.rstrip("/").split("/") for path in paths]
    shared = min(len(_find_shared_parts(["/".join(own) for own in parts])), *(len(own) - 1 for own in parts), 10**6)
    return ["/".join(own[shared:]) for own in parts]


def _find_shared_parts(paths: Sequence[str]) -> list[str]:
    parts = [path.split("/") for path in paths]
    shared: list[str] = []
    for own in zip(*parts, strict=False):
        if len(set(own)) > 1:
            break
        shared.append(own[0])
    return shared


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
    """Return whether the last suffix can be removed without losing a folder or the whole name."""
    return len(parts) > 1 and "/" not in parts[-1] and parts[-2] != "" and not parts[-2].endswith("/")


def _number_duplicates(names: Sequence[str]) -> list[str]:
    """Add a number to names that occur again."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found
