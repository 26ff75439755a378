"""Count the parts of a corpus in several processes.

Each process counts one part after another and writes a partial to a folder; the parent merges the partials. A process
that is killed is replaced, and its part counted once more; if that process is killed too, the error names the part. The
parent ends the processes when it is interrupted; the partials in the folder stay.
"""

from __future__ import annotations

import multiprocessing
import signal
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Protocol, Self

from isogloss.distributed.counting import count_part, merge_runs
from isogloss.distributed.file_digests import FileDigests, add_digests
from isogloss.distributed.partials import Partial, load_key
from isogloss.distributed.parts import PART_BYTES, PART_BYTES_NAME, Division, Part, divide_corpus
from isogloss.errors import DataError, UsageError
from isogloss.kernel.counted_corpus import reuse_freed_memory
from isogloss.records.limits import read_limit
from isogloss.records.ranges import count_records
from isogloss.runs.run import Run
from isogloss.tasks.registry import get_task
from isogloss.tasks.scoring_options import ScoringOptions
from isogloss.tasks.task import Task

TRIES = 2  # for each part, if its process is killed
Report = Callable[[int, int], object]


class CannotDivideError(Exception):
    """The corpus cannot be counted in parts with the same result.

    Args:
        reason: what a part or the merged parts lack; None if there are no parts.
    """

    def __init__(self, reason: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason


class WorkerKilledError(DataError):
    """The processes that counted a part were killed."""


@dataclass(frozen=True, eq=False)
class Job:
    """A corpus to be counted in parts.

    Args:
        task: name of the task.
        options: options of the task.
        scoring_options: options of all tasks.
    """

    task: str
    options: Any
    scoring_options: ScoringOptions

    def count(self, part: Part, path: str) -> None:
        """Count a part and write its partial."""
        task = get_task(self.task)
        partial = count_part(task, part.reference, part.predictions, self.options, self.scoring_options)
        key = part.compute_key(task, self.options, self.scoring_options)
        part.label(partial, key).save(path)


@dataclass(eq=False)
class _Worker:
    """A process and the part that it counts."""

    process: BaseProcess
    pipe: Connection
    item: int | None = None


@dataclass(eq=False)
class WorkerPool:
    """Processes that call functions with arguments, each with one at a time.

    Use it as a context: at the end the processes are stopped.

    Args:
        jobs: number of processes, at least 1.
    """

    jobs: int
    workers: list[_Worker] = field(default_factory=list)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for worker in self.workers:
            worker.pipe.close()
            if error[0] is not None:
                worker.process.kill()
        for worker in self.workers:
            worker.process.join()

    @property
    def process_ids(self) -> list[int]:
        """The ids of the processes that run."""
        return [worker.process.pid or 0 for worker in self.workers]

    def map(
        self, function: Callable[..., Any], items: Sequence[tuple[Any, ...]], name: Callable[[int], str] = str
    ) -> Iterator[tuple[int, Any]]:
        """Call a function with each of the arguments, as `Engine` says."""
        waiting = deque(range(len(items)))
        tries = [0] * len(items)
        while waiting or any(worker.item is not None for worker in self.workers):
            self._hand_out(function, items, waiting)
            busy = [worker.pipe for worker in self.workers if worker.item is not None]
            for pipe in wait(busy):
                worker = next(each for each in self.workers if each.pipe is pipe)
                item = worker.item
                assert item is not None  # noqa: S101  it is busy
                try:
                    failed, result = worker.pipe.recv()
                except (EOFError, OSError):
                    self._replace(worker)
                    tries[item] += 1
                    if tries[item] >= TRIES:
                        raise _make_killed_error(name(item), worker.process) from None
                    waiting.appendleft(item)
                    continue
                worker.item = None
                if failed:
                    raise result
                yield item, result

    def _hand_out(self, function: Callable[..., Any], items: Sequence[tuple[Any, ...]], waiting: deque[int]) -> None:
        while len(self.workers) < min(self.jobs, len(waiting) + sum(each.item is not None for each in self.workers)):
            self.workers.append(_start_worker())
        for worker in self.workers:
            if worker.item is None and waiting:
                worker.item = waiting.popleft()
                with suppress(OSError):  # a process that is gone is seen when its answer is read
                    worker.pipe.send((function, items[worker.item]))

    def _replace(self, worker: _Worker) -> None:
        worker.process.join()
        worker.pipe.close()
        self.workers.remove(worker)


def _start_worker() -> _Worker:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_work, args=(theirs,), daemon=True)
    process.start()
    theirs.close()
    return _Worker(process, ours)


def _work(pipe: Connection) -> None:
    """Answer calls until the parent closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    reuse_freed_memory()
    while True:
        try:
            function, arguments = pipe.recv()
            answer = False, function(*arguments)
        except (EOFError, BrokenPipeError):
            return
        except Exception as error:  # noqa: BLE001  the parent raises it
            answer = True, error
        try:
            pipe.send(answer)
        except OSError:
            return


def _make_killed_error(name: str, process: BaseProcess) -> WorkerKilledError:
    code = process.exitcode
    how = f"by signal {-code}" if code is not None and code < 0 else f"with exit code {code}"
    return WorkerKilledError(
        f"the process that counted it ended {how}, {TRIES} times",
        where=name,
        remedy="Look for a lack of memory: use fewer --jobs. With --resume DIR what is counted stays.",
    )


@dataclass(frozen=True, eq=False)
class Corpus:
    """A corpus as a command names it.

    Args:
        task: the task.
        systems: the opened systems, with their sources.
        options: options of the task.
        scoring_options: options of all tasks.
    """

    task: Task
    systems: Sequence[Any]
    options: Any
    scoring_options: ScoringOptions


class Engine(Protocol):
    """What calls functions with arguments, anywhere."""

    def map(
        self, function: Callable[..., Any], items: Sequence[tuple[Any, ...]], name: Callable[[int], str] = str
    ) -> Iterator[tuple[int, Any]]:
        """Call a function with each of the arguments.

        Args:
            function: a function of a module.
            items: its arguments.
            name: returns the name of an item, for messages.

        Returns:
            The number of an item and the result, as they come.

        Raises:
            DataError: if an item is tried again because its process is lost, and lost again.
            IsoglossError: if a call raises it.
        """


def score_in_jobs(
    corpus: Corpus,
    jobs: int,
    folder: str | None = None,
    report: Report | None = None,
    size: int | None = None,
) -> list[Run]:
    """Score the systems of a corpus in several processes.

    Args:
        corpus: the corpus.
        jobs: number of processes, at least 1.
        folder: the folder where partials stay; None for a folder that is removed.
        report: takes the bytes that are counted, and all bytes.
        size: approximate bytes of a part; None for the value of `ISOGLOSS_PART_BYTES`, or 16 MB.

    Returns:
        One run per system, without a way to read the documents again.

    Raises:
        CannotDivideError: if the corpus cannot be divided, or its parts cannot be merged to the same result.
        DataError: if the processes of a part are killed.
        IsoglossError: if a part cannot be counted.
    """
    with open_folder(folder) as place, WorkerPool(jobs) as pool:
        return score_in_parts(corpus, pool, place, report, size)


def score_in_parts(
    corpus: Corpus, engine: Engine, folder: str, report: Report | None = None, size: int | None = None
) -> list[Run]:
    """Score the systems of a corpus with an engine.

    Arguments and errors are those of `score_in_jobs`, but `folder` exists.
    """
    division = divide_corpus(
        corpus.task,
        corpus.systems,
        corpus.scoring_options,
        read_limit(PART_BYTES_NAME, PART_BYTES) if size is None else size,
        lambda tasks: [result for _, result in sorted(engine.map(count_records, tasks))],
    )
    if division is None:
        raise CannotDivideError
    digests = FileDigests(division.files)
    try:
        paths = _count_parts(corpus, division, engine, folder, report)
    except WorkerKilledError:
        raise
    except UsageError as error:  # such as a profile that needs the whole corpus; another one is raised again
        raise CannotDivideError(str(error).removesuffix(".")) from error
    except DataError as error:
        if not division.files:
            raise
        raise CannotDivideError(error.message) from error
    known = digests.get()
    partials = [add_digests(Partial.load(path), known) for path in paths]
    try:
        return merge_runs(partials)
    except DataError as error:
        raise CannotDivideError(error.message) from error


def _count_parts(corpus: Corpus, division: Division, engine: Engine, folder: str, report: Report | None) -> list[str]:
    """Count the parts without a partial; return all partials."""
    options = corpus.options
    if hasattr(options, "jobs"):  # a process of ours starts none of its own
        options = replace(options, jobs=1)
    job = Job(corpus.task.name, options, corpus.scoring_options)
    keys = [part.compute_key(corpus.task, options, corpus.scoring_options) for part in division.parts]
    paths = [str(Path(folder, f"part-{key[:16]}.iso")) for key in keys]
    missing = [k for k, path in enumerate(paths) if load_key(path) != keys[k]]
    total = sum(part.size for part in division.parts)
    done = total - sum(division.parts[k].size for k in missing)
    items = [(job, division.parts[k], paths[k]) for k in missing]
    for k, _ in engine.map(Job.count, items, lambda k: division.parts[missing[k]].name):
        done += division.parts[missing[k]].size
        if report is not None:
            report(done, total)
    return paths


@contextmanager
def open_folder(folder: str | None) -> Iterator[str]:
    """Open the folder of partials, or a temporary one."""
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="isogloss-") as temporary:
            yield temporary
        return
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"--resume {folder}: the folder cannot be made: {error.strerror}. Name another one."
        ) from error
    yield folder
