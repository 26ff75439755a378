"""The routes, and what each declares for the OpenAPI document."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from enum import StrEnum
from functools import partial
from typing import Annotated, Any

import msgspec
from fastapi import FastAPI, Query, Request
from fastapi.responses import RedirectResponse, Response

from isogloss.service import monitoring, openapi, pages
from isogloss.service.jobs import CALCULATE, Job, Reply
from isogloss.service.middleware import REQUEST_ID, DisconnectedError, Front, State, add_refusals, body_of, check_kind
from isogloss.service.monitoring import Log
from isogloss.service.problems import Problem, RefusedError
from isogloss.service.queue import Pool
from isogloss.service.requests import Route, make_routes
from isogloss.service.settings import Settings
from isogloss.service.worker_process import Process, annotator, scorer
from isogloss.version import __version__

JSON = "application/json"
MOST_FINDINGS = 100_000
Endpoint = Callable[..., Coroutine[Any, Any, Response]]


class Detail(StrEnum):
    """How much is told."""

    summary = "summary"
    findings = "findings"


DetailQuery = Annotated[Detail, Query(description="`findings` adds what a person looks at, each in its context.")]
ErrorsQuery = Annotated[int, Query(ge=1, le=MOST_FINDINGS, description="At most so many findings are listed.")]


def routes_of(service: Service) -> FastAPI:
    """The routes, each with what it declares for the OpenAPI document.

    Args:
        service: what answers.
    """

    @asynccontextmanager
    async def running(_: FastAPI) -> AsyncIterator[None]:
        for pool in service.pools:
            pool.start()
        yield
        for pool in service.pools:
            pool.close()

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False, lifespan=running)
    _add_tasks(app, service)
    _add_pages(app, service)
    _add_states(app, service)
    add_refusals(app)
    return app


def _add_tasks(app: FastAPI, service: Service) -> None:
    of_bodies = openapi.problems(openapi.OF_BODIES)
    for task in make_routes().values():
        app.post(
            f"/v1/{task.name}",
            summary=task.request.description.partition(":")[0].rstrip("."),
            operation_id=task.task.call,
            responses=openapi.answer("Run") | of_bodies,
            openapi_extra=openapi.body_of_task(task),
        )(_scored(service, task))

    async def calculate(request: Request) -> Response:
        return await service.answered(Job(CALCULATE, 0, service.settings.limits.documents), request)

    for path, shown in (("/calculate/", True), ("/calculate", False)):
        app.post(
            path,
            summary="Code-switching as PNaCoS answers it",
            operation_id="calculate",
            include_in_schema=shown,
            responses=openapi.answer("Figures") | of_bodies,
            openapi_extra=openapi.body_of_calculate(),
        )(calculate)


def _scored(service: Service, task: Route) -> Endpoint:
    async def endpoint(request: Request, detail: DetailQuery = Detail.summary, errors: ErrorsQuery = 100) -> Response:
        findings = errors if detail is Detail.findings else 0
        return await service.answered(Job(task.name, findings, service.settings.limits.documents), request)

    return endpoint


def _add_pages(app: FastAPI, service: Service) -> None:
    described = openapi.document(app)

    async def schema() -> Response:
        return Response(openapi.text_of(described), media_type=JSON)

    async def profiles() -> Response:
        return Response(msgspec.json.encode(service.profiles()), media_type=JSON)

    async def docs() -> Response:
        return Response(pages.page(described, service.profiles()), media_type="text/html")

    async def style() -> Response:
        return Response(pages.STYLE, media_type="text/css")

    async def to_docs() -> Response:
        return RedirectResponse("/docs/")

    of_others = openapi.problems(openapi.OF_OTHERS)
    app.get(
        "/v1/profiles",
        summary="Profiles, and what /calculate/ runs",
        operation_id="profiles",
        responses=openapi.answer("Profiles") | of_others,
    )(profiles)
    described |= openapi.document(app)
    for path, endpoint in {"/openapi.json": schema, "/docs/": docs, "/docs/style.css": style, "/docs": to_docs}.items():
        app.get(path, include_in_schema=False)(endpoint)


def _add_states(app: FastAPI, service: Service) -> None:
    async def healthz() -> Response:
        return Response(b'{"status":"ok"}', media_type=JSON)

    async def readyz() -> Response:
        if service.state.stopping:
            raise RefusedError(Problem("shutting-down", "The service is about to stop."))
        if not all(pool.ready for pool in service.pools):
            raise RefusedError(Problem("not-ready", "Processes are being loaded.", headers={"Retry-After": "2"}))
        return Response(b'{"status":"ready"}', media_type=JSON)

    async def metrics() -> Response:
        return Response(service.measures.page(), media_type=monitoring.MEDIA_TYPE)

    for path, endpoint in {"/healthz": healthz, "/readyz": readyz, "/metrics": metrics}.items():
        app.get(path, include_in_schema=False)(endpoint)


AT_A_TIME = 16  # requests whose texts may share a batch


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
        offered = [route.task for route in make_routes().values()]
        self._profiles = {
            task.name: [] if task.profiles is None else list(task.profiles.list_names()) for task in offered
        }
        self._with_models = {task.name for task in offered if task.uses_models} | {CALCULATE}
        self.measures = monitoring.Measures(self.pools)
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
        pool = self.annotating if self.annotating and job.task in self._with_models else self.scoring
        with pool.place(request.client.host if request.client else "") as place:
            body = await body_of(request.headers, request.receive, self.settings.limits, place)
            reply = await _unless_gone(request, pool.do(job, body))
        if reply.trace:
            self.log.bug(request.scope[REQUEST_ID], reply.trace)
        if reply.problem:
            raise RefusedError(reply.problem)
        return Response(reply.body, media_type=JSON)


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


if __name__ == "__main__":
    sys.stdout.write(openapi.text_of(openapi.document(Service(Settings()).routes)))
