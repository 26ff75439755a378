"""The application: its endpoints, pools, log and metrics.

Add a new endpoint in `Service`.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route as Endpoint
from starlette.routing import Router
from starlette.types import ASGIApp

from isogloss.kernel.registry import lazy
from isogloss.service import monitoring, openapi
from isogloss.service.explorer_endpoints import ExplorerEndpoints
from isogloss.service.file_bodies import MEDIA_TYPES as FILE_TYPES
from isogloss.service.jobs import Job, Reply, load_annotator, load_scorer
from isogloss.service.middleware import REQUEST_ID, ServiceMiddleware, ServiceState
from isogloss.service.problems import Problem, RefusedError, build_retry_header
from isogloss.service.process_pool import ProcessPool, WorkerProcess
from isogloss.service.requests import (
    DisconnectedError,
    Route,
    check_content_type,
    get_media_type,
    make_routes,
    parse_query,
    read_body,
)
from isogloss.service.settings import ServiceSettings
from isogloss.service.uploads import UploadJobs
from isogloss.version import __version__

if TYPE_CHECKING:
    from isogloss.explorer.explorer import Explorer

Answer = Callable[[Request], Coroutine[Any, Any, Response]]
LoadExplorer = Callable[[Callable[[], str | None]], "Explorer"]  # given what returns the store of uploads
JSON = "application/json"
REQUEST_HEADER = "X-Request-ID"
RUNNING = ("profile", "language", "recognisers", "splitter", "tokenizer")  # settings that `/v1/profiles` shows
MODEL_LANES = 16  # requests whose texts may share a batch
LONG_MODEL_JOBS = 2  # they share one process with the short ones


class Service:
    """The application with its pools, log and metrics.

    Args:
        settings: settings of the service.
        load_explorer: opens the runs that the explorer shows, given the store of uploads; None for those of the store.
    """

    def __init__(self, settings: ServiceSettings, load_explorer: LoadExplorer | None = None) -> None:
        self.settings = settings
        self.state = ServiceState()
        self.routes = make_routes()
        load, seconds = partial(load_scorer, settings.models), settings.limits.work_seconds
        scorers = [WorkerProcess(load, seconds=seconds) for _ in range(settings.workers)]
        self.pools = [ProcessPool("scoring", scorers, settings.limits)]
        if settings.models.has_models:
            annotator = WorkerProcess(partial(load_annotator, settings.models), lanes=MODEL_LANES)
            self.pools.append(ProcessPool("models", [annotator], settings.limits, LONG_MODEL_JOBS))
        self.uploads = UploadJobs(self.pools[0], settings)
        load_runs = load_explorer or partial(_load_stored_runs, settings.store)
        self.explorer = ExplorerEndpoints(lambda: load_runs(lambda: self.uploads.scratch), settings.limits)
        self.log = monitoring.ServiceLog(quiet=settings.quiet)
        self.metrics = monitoring.ServiceMetrics(self.pools)
        self.description = self._describe()
        router = Router(self._build_endpoints(), redirect_slashes=False, lifespan=self._run_pools)
        self.app: ASGIApp = ServiceMiddleware(router, settings, self.state, self.metrics, self.log)
        if settings.allowed_origins:
            self.app = CORSMiddleware(
                self.app,
                allow_origins=settings.allowed_origins,
                allow_methods=("GET", "POST", "PUT", "DELETE"),
                allow_headers=("Authorization", "Content-Type", REQUEST_HEADER),
                expose_headers=(REQUEST_HEADER, "Location", "Retry-After"),
            )

    @property
    def failure(self) -> Exception | None:
        """The error that prevents the start; None without one."""
        return next((pool.failure for pool in self.pools if pool.failure), None)

    @asynccontextmanager
    async def _run_pools(self, _: Router) -> AsyncIterator[None]:
        for pool in self.pools:
            pool.start()
        yield
        for pool in self.pools:
            pool.close()
        self.uploads.close()

    def _build_endpoints(self) -> list[Endpoint]:
        schema = openapi.build_document(self.routes)
        page = openapi.render_docs_page(schema, self.description if self.settings.token is None else {})
        fixed = {
            "/v1/profiles": (msgspec.json.encode(self.description), JSON),
            "/openapi.json": (openapi.format_document(schema), JSON),
            "/docs/": (page, "text/html"),
            "/docs/style.css": (openapi.STYLE, "text/css"),
            "/docs/script.js": (openapi.SCRIPT, "text/javascript"),
            "/healthz": (b'{"status":"ok"}', JSON),
        }
        endpoints = [Endpoint(path, _answer_fixed(*content)) for path, content in fixed.items()]
        endpoints += [Endpoint("/docs", _redirect_to_docs)]
        endpoints += [Endpoint("/readyz", self._answer_readyz), Endpoint("/metrics", self._answer_metrics)]
        endpoints += [*self.explorer.build(), *self.uploads.build()]
        for path, route in self.routes.items():
            endpoint = partial(self._answer_route, route)
            endpoints += [Endpoint(each, endpoint, methods=["POST"]) for each in {path, path.rstrip("/")}]
        return endpoints

    def _describe(self) -> dict[str, Any]:
        """Return the answer of `/v1/profiles`.

        It says what further routes run, and lists the profiles of each task.
        """
        running = {name: getattr(self.settings.models, name) for name in RUNNING}
        extra = {route.name: running for route in self.routes.values() if route.extra is not None}
        tasks = {route.task.name: route.task for route in self.routes.values()}
        profiles = {name: list(task.profiles.list_names()) if task.profiles else [] for name, task in tasks.items()}
        return {"version": __version__, **extra, "profiles": profiles}

    async def _answer_route(self, route: Route, request: Request) -> Response:
        findings = 0
        if route.extra is None:
            parsed = parse_query(request.query_params)
            findings = parsed.errors if parsed.detail == "findings" else 0
        files = () if route.extra is not None else FILE_TYPES
        check_content_type(request.headers, is_optional=route.extra is not None, others=files)
        content_type = request.headers.get("content-type", "")
        content_type = content_type if get_media_type(content_type) in files else ""
        pool = self.pools[-1 if route.task.uses_models else 0]  # the last pool has the models, if there are any
        with pool.reserve_place(request.client.host if request.client else "") as hold_bytes:
            limits = self.settings.limits
            query = str(request.url.query) if content_type else ""
            job = Job(route.path, findings, limits.documents, content_type=content_type, query=query)
            body = await read_body(request.headers, request.receive, limits, hold_bytes)
            reply = await _run_while_connected(request, pool.run_job(job, body))
        if reply.trace:
            self.log.log_bug(request.scope[REQUEST_ID], reply.trace)
        if reply.problem:
            raise RefusedError(reply.problem)
        return Response(reply.body, media_type=JSON)

    async def _answer_readyz(self, _: Request) -> Response:
        if self.state.is_stopping:
            raise RefusedError(Problem("shutting-down", "The service is about to stop."))
        if not all(pool.is_ready for pool in self.pools):
            raise RefusedError(Problem("not-ready", "Processes are being loaded.", headers=build_retry_header(2)))
        return Response(b'{"status":"ready"}', media_type=JSON)

    async def _answer_metrics(self, _: Request) -> Response:
        return Response(self.metrics.render(), media_type=monitoring.MEDIA_TYPE)


_load_stored_runs = lazy("isogloss.explorer.stored_runs:load_explorer")


def _answer_fixed(content: Any, media_type: str) -> Answer:
    async def answer(_: Request) -> Response:
        return Response(content, media_type=media_type)

    return answer


async def _redirect_to_docs(_: Request) -> Response:
    return RedirectResponse("/docs/")


async def _run_while_connected(request: Request, work: Coroutine[Any, Any, Reply]) -> Reply:
    """Return the result of work, unless the client disconnects first."""
    task, gone = asyncio.ensure_future(work), asyncio.ensure_future(request.receive())
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise DisconnectedError
        return task.result()
    finally:
        task.cancel()
        gone.cancel()


if __name__ == "__main__":
    sys.stdout.write(openapi.format_document(openapi.build_document(make_routes())))
