"""The service: its application, and the processes behind it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from functools import partial
from importlib import import_module
from typing import Any

from fastapi import Request
from fastapi.responses import Response

from isogloss import __version__
from isogloss.service import measures
from isogloss.service.bodies import DisconnectedError, body_of, check_kind
from isogloss.service.front import REQUEST_ID, Front, State
from isogloss.service.lanes import Process
from isogloss.service.loading import annotator, scorer
from isogloss.service.log import Log
from isogloss.service.pool import Pool
from isogloss.service.problems import RefusedError
from isogloss.service.routes import JSON, routes_of
from isogloss.service.settings import Settings
from isogloss.service.tasks import TASKS, Task
from isogloss.service.work import CALCULATE, Job, Reply

AT_A_TIME = 16  # requests whose texts may share a batch
WITH_MODELS = frozenset({"code-switching", CALCULATE})


class Service:
    """The application, and what it runs on.

    Args:
        settings: how it runs.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.state = State()
        self.scoring = _scoring(settings)
        self.annotating = _annotating(settings) if settings.models.heavy else None
        self.log = Log(quiet=settings.quiet)
        # looked up now: the imports that it takes would hold up other requests
        self._profiles = {name: _registered(task) for name, task in TASKS.items()}
        self.measures = measures.Measures(self.pools)
        self.routes = routes_of(self)
        paths = frozenset(str(getattr(route, "path", "")) for route in self.routes.routes)
        self.app = Front(self.routes, settings, self.state, self.measures, self.log, paths)

    @property
    def pools(self) -> list[Pool]:
        """Those that there are."""
        return [self.scoring, *([self.annotating] if self.annotating else [])]

    @property
    def failure(self) -> Exception | None:
        """Why it cannot start, if that is so."""
        return next((pool.failure for pool in self.pools if pool.failure), None)

    def profiles(self) -> dict[str, Any]:
        """What `/calculate/` runs, and the profiles of each task."""
        models = self.settings.models
        running = {
            "profile": models.profile,
            "language": models.language,
            "recognisers": list(models.recognisers),
            "splitter": models.splitter,
            "tokenizer": models.tokenizer,
        }
        return {"version": __version__, "calculate": running, "profiles": self._profiles}

    async def answered(self, job: Job, request: Request) -> Response:
        """The answer to a request with a body.

        Args:
            job: what to do to the body.
            request: the request.

        Raises:
            RefusedError: it is not served.
            DisconnectedError: the client has gone.
        """
        check_kind(request.headers, may_lack=job.task == CALCULATE)
        pool = self.annotating if self.annotating and job.task in WITH_MODELS else self.scoring
        with pool.place(request.client.host if request.client else "") as place:
            body = await body_of(request.headers, request.receive, self.settings.limits, place)
            reply = await _unless_gone(request, pool.do(job, body))
        if reply.trace:
            self.log.bug(request.scope[REQUEST_ID], reply.trace)
        if reply.problem:
            raise RefusedError(reply.problem)
        return Response(reply.body, media_type=JSON)


def _registered(task: Task) -> list[str]:
    """The names of a task's profiles."""
    module, _, name = task.profiles.partition(":")
    return list(getattr(import_module(module), name).names())


def _scoring(settings: Settings) -> Pool:
    load = partial(scorer, settings.models)
    processes = [Process(load, seconds=settings.limits.work_seconds) for _ in range(settings.workers)]
    return Pool("scoring", processes, settings.limits)


def _annotating(settings: Settings) -> Pool:
    return Pool("models", [Process(partial(annotator, settings.models), lanes=AT_A_TIME)], settings.limits)


async def _unless_gone(request: Request, doing: Coroutine[Any, Any, Reply]) -> Reply:
    """What is being done, unless the client goes."""
    task, gone = asyncio.ensure_future(doing), asyncio.ensure_future(request.receive())
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise DisconnectedError
        return task.result()
    finally:
        task.cancel()
        gone.cancel()
