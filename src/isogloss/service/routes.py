"""The routes, and what each declares for the OpenAPI document."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from fastapi import FastAPI, Query, Request
from fastapi.responses import RedirectResponse, Response

from isogloss.service import measures, openapi, pages
from isogloss.service.problems import Problem, RefusedError
from isogloss.service.refusals import add_refusals
from isogloss.service.tasks import TASKS, Task
from isogloss.service.work import CALCULATE, Job

if TYPE_CHECKING:
    from isogloss.service.app import Service

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
    for task in TASKS.values():
        app.post(
            f"/v1/{task.name}",
            summary=(task.body.__doc__ or "").partition(":")[0].rstrip("."),
            operation_id=task.call,
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


def _scored(service: Service, task: Task) -> Endpoint:
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
        return Response(service.measures.page(), media_type=measures.MEDIA_TYPE)

    for path, endpoint in {"/healthz": healthz, "/readyz": readyz, "/metrics": metrics}.items():
        app.get(path, include_in_schema=False)(endpoint)
