"""What a process does before its first job: import, and load models."""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from isogloss.errors import IsoglossError
from isogloss.service.batching import Batched
from isogloss.service.jobs import Job, Reply, Work, Worker
from isogloss.service.settings import Models

if TYPE_CHECKING:
    from isogloss.providers import CheckedProvider


def scorer(models: Models) -> Worker:
    """A worker without models.

    Args:
        models: what was asked for; none of it is loaded.

    Raises:
        UsageError: `/calculate/` could not be answered by this worker, which has to where there are no models.
    """
    worker = Worker(models)
    worker.warm_up()
    if not models.heavy:
        worker.figures([])
    return worker


def annotator(models: Models) -> Worker:
    """A worker with models.

    Args:
        models: what to load.

    Raises:
        UsageError: there is no such kind of model, or `/calculate/` could not be answered.
        MissingExtraError: a package is missing.
        MissingModelError: a model is.
    """
    from isogloss import providers  # noqa: PLC0415  only services with models need it

    how: dict[str, Any] = {"language": models.language, "download": models.download}
    recognisers = {spec: _loaded(providers.open_recogniser(spec, **how)) for spec in models.recognisers}
    cutters: dict[str, Any] = {}
    if models.splitter:
        cutters["splitter"] = _loaded(providers.open_splitter(models.splitter, **how))
    if models.tokenizer:
        cutters["tokenizer"] = _loaded(providers.open_tokenizer(models.tokenizer, **how))
    worker = Worker(models, recognisers, cutters)
    worker.figures([])
    return worker


def _loaded(provider: CheckedProvider) -> Batched:
    provider.load()
    return Batched(provider)


Load = Callable[[], Work]
SPAWN = multiprocessing.get_context("spawn")  # a fork of a process with threads may hang
READY = "ready"


class EndedError(Exception):
    """The process has ended unexpectedly."""


class TooLateError(Exception):
    """The job takes longer than it may."""


@dataclass(frozen=True, eq=False)
class _Child:
    """A running process.

    Args:
        process: it.
        pipes: one for each lane.
    """

    process: Any
    pipes: Sequence[Connection]


class Process:
    """A process with lanes, started again when it ends.

    Args:
        load: gives what does the jobs; called in the process.
        lanes: how many jobs it does at a time.
        seconds: that a job may take, after which the process is replaced; None for any. With several lanes this would
            take the jobs of the others with it.
    """

    def __init__(self, load: Load, lanes: int = 1, seconds: float | None = None) -> None:
        self.lanes = lanes
        self._load = load
        self._seconds = seconds
        self._lock = threading.Lock()
        self._child: _Child | None = None
        self._running: Any = None  # the latest process, from before it has loaded
        self._closed = False

    @property
    def loaded(self) -> bool:
        """Whether it has been loaded, and could be again where it had to be."""
        return self._child is not None

    @property
    def closed(self) -> bool:
        """Whether it was ended on purpose."""
        return self._closed

    def start(self) -> None:
        """Start it and wait until it has loaded.

        Raises:
            IsoglossError: what loading raises.
            EndedError: it has ended before it had loaded.
        """
        self._replace(None)

    def do(self, lane: int, job: Job, body: bytes) -> Reply:
        """Do a job.

        Args:
            lane: its lane, of which no other thread makes use.
            job: what to do.
            body: to what.

        Raises:
            IsoglossError: the process had ended before, and cannot be loaded again.
            EndedError: it ends while it does the job.
            TooLateError: the job takes longer than it may.
        """
        child = self._child
        if child is None or not child.process.is_alive() or child.pipes[lane].poll():  # unasked, it says only its end
            child = self._replace(child)
        pipe = child.pipes[lane]
        try:
            pipe.send(job)
            pipe.send_bytes(body)
            if self._seconds is not None and not pipe.poll(self._seconds):
                child.process.kill()
                child.process.join()
                raise TooLateError
            reply: Reply = pipe.recv()
            return reply._replace(body=pipe.recv_bytes())
        except (EOFError, OSError) as error:
            child.process.kill()
            child.process.join()
            raise EndedError from error

    def close(self) -> None:
        """End it, whatever it does: also while it loads."""
        self._closed = True
        process = self._running
        if process is not None:
            process.kill()
            process.join()

    def _replace(self, old: _Child | None) -> _Child:
        """Start another in place of the old one, unless another thread has done so."""
        with self._lock:
            if self._closed:
                raise EndedError
            if self._child is old:
                self._child = None
                self._child = self._started()
            if self._child is None:
                raise EndedError
            return self._child

    def _started(self) -> _Child:
        pairs = [SPAWN.Pipe() for _ in range(self.lanes)]
        process = SPAWN.Process(
            target=_main,
            args=([theirs for _, theirs in pairs], self._load),
            name="isogloss worker",
        )
        process.start()
        self._running = process
        for _, theirs in pairs:
            theirs.close()
        if self._closed:  # just now: nobody else would end it
            process.kill()
        try:
            said = pairs[0][0].recv()
        except (EOFError, OSError) as error:
            process.join()
            raise EndedError from error
        if said != READY:
            process.join()
            raise said
        return _Child(process, [ours for ours, _ in pairs])


def _main(pipes: Sequence[Connection], load: Load) -> None:
    """What the process does until the pipes are closed. Signals are for the server, which tells it by that."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        work = load()
    except IsoglossError as error:
        pipes[0].send(error)
        return
    pipes[0].send(READY)
    threads = [threading.Thread(target=_lane, args=(pipe, work)) for pipe in pipes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _lane(pipe: Connection, work: Work) -> None:
    try:
        while True:
            job = pipe.recv()
            reply = work(job, pipe.recv_bytes())
            pipe.send(reply._replace(body=b""))
            pipe.send_bytes(reply.body)
    except (EOFError, OSError):  # the server has closed it, or is gone
        return
