"""Says what a run would build, download and run, without doing it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from isogloss.benchmark.cells import CellRunner
from isogloss.benchmark.corpora import CorpusTexts, read_corpus
from isogloss.benchmark.environments import find_environment, read_lock
from isogloss.benchmark.plan import Plan, System
from isogloss.benchmark.results import CellFiles
from isogloss.text.display import format_count


def describe_plan(plan: Plan, folder: Path, output: Path) -> list[str]:
    """Describe what a run would do, a line each.

    Args:
        plan: the plan.
        folder: folder of the plan.
        output: folder of the results.

    Raises:
        DataError: if a corpus cannot be read.
    """
    files = CellFiles(output, plan)
    corpora = [read_corpus(corpus, folder) for corpus in plan.corpus]
    lines = [_describe_corpus(corpus) for corpus in corpora]
    for system in plan.system:
        lines.append(f"system {system.name}: {_describe_environment(system, files)}")
        lines += [f"  {fault}" for fault in _find_faults(system, corpora, CellRunner(files, plan.limits, folder))]
    cells = plan.list_cells()
    kept = sum(files.load_cell(corpus.name, system.name) is not None for corpus, system in cells)
    rounds = f"{plan.limits.rounds} rounds of timing" if plan.limits.rounds else "no timing"
    lines.append(f"{format_count(len(cells), 'cell')}, {kept} in {output} from an earlier run; {rounds}")
    return lines


def _describe_corpus(corpus: CorpusTexts) -> str:
    characters = sum(map(len, corpus.texts))
    return f"corpus {corpus.corpus.name}: {format_count(len(corpus.texts), 'text')}, {characters:,} characters"


def _describe_environment(system: System, files: CellFiles) -> str:
    if not system.is_run:
        return "published predictions, scored and not timed"
    if not system.requires:
        return f"{system.kind}, runs here"
    lock_file = files.locate_lock(system.name)
    if find_environment(system, lock_file) is not None:
        return f"{system.kind}, its environment is in the cache"
    lock = read_lock(system, lock_file)
    known = "" if lock is None else f", {lock.count('==')} packages as in {lock_file}"
    return f"{system.kind}, needs --download to install {', '.join(system.requires)}{known}"


def _find_faults(system: System, corpora: list[CorpusTexts], runner: CellRunner) -> Iterator[str]:
    own = [corpus for corpus in corpora if system.matches(corpus.corpus)]
    if not own:
        yield "runs on no corpus: see its task, languages and corpora"
    for corpus in own:
        if system.is_run and not corpus.texts:
            yield f'corpus {corpus.corpus.name} has no texts: add texts = "FILE" to it'
        elif not system.is_run and not runner.locate_published(corpus, system).is_file():
            yield f"no such file: {runner.locate_published(corpus, system)}"
    if system.command is not None and not system.requires and shutil.which(system.command[0]) is None:
        yield f"no such program: {system.command[0]}"
