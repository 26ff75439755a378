"""Whatever a route raises, as an answer: problem details, and a status for clients that have gone."""

from __future__ import annotations

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from isogloss.service.bodies import DisconnectedError
from isogloss.service.front import REQUEST_ID
from isogloss.service.problems import MEDIA_TYPE, Problem, RefusedError, bug, escaped

GONE = 499  # a client that has not waited; nobody reads it


def add_refusals(app: FastAPI) -> None:
    """Make an application answer with problems.

    Args:
        app: the application.
    """
    app.add_exception_handler(RefusedError, _refused)
    app.add_exception_handler(DisconnectedError, _gone)
    app.add_exception_handler(HTTPException, _not_routed)
    app.add_exception_handler(RequestValidationError, _bad_query)
    app.add_exception_handler(Exception, _bug)


def _answer(request: Request, problem: Problem) -> Response:
    body = problem.to_json(request.scope[REQUEST_ID])
    return Response(body, problem.status, dict(problem.headers), MEDIA_TYPE)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, RefusedError)  # noqa: S101  as it is registered
    return _answer(request, error.problem)


async def _gone(_: Request, __: Exception) -> Response:
    return Response(status_code=GONE)


async def _bug(request: Request, _: Exception) -> Response:
    return _answer(request, bug())


async def _not_routed(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101  as it is registered
    headers = dict(error.headers or {})
    allowed = f"It has: {headers['Allow']}." if "Allow" in headers else "`/docs/` lists what there is."
    kinds = {404: "not-found", 405: "method-not-allowed"}
    kind = kinds.get(error.status_code, "malformed-request")
    return _answer(request, Problem(kind, "Nothing here answers this.", allowed, headers=headers))


async def _bad_query(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101  as it is registered
    first = error.errors()[0]
    detail = f"The query's {escaped(str(first['loc'][-1]))}: {first['msg']}."
    return _answer(request, Problem("invalid-request", detail, "`/docs/` says what it may be."))
