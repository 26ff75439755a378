"""Scoring of uploaded files in the background, with progress.

The server process keeps the state of each job. A worker process scores the files and saves the run: in a store that is
deleted when the service ends, or in the user's store if the request asks for it. Uploaded names never become paths.
"""

from __future__ import annotations

import asyncio
import tempfile
import threading
import uuid
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route as Endpoint

from isogloss.explorer.payloads import JobBody, JobPayload, JobState
from isogloss.service.explorer_endpoints import JSON, format_event, parse_typed_body
from isogloss.service.file_bodies import MULTIPART, parse_form
from isogloss.service.jobs import UPLOADS, Job, Reply
from isogloss.service.problems import Problem, RefusedError
from isogloss.service.process_pool import JobControl, ProcessPool
from isogloss.service.requests import check_content_type, get_media_type, read_body
from isogloss.service.settings import ServiceSettings
from isogloss.tasks.registry import list_task_names

MAX_JOBS = 1000  # that the service remembers
EVENT_SECONDS = 0.1  # between two looks at a job
FILES = ("reference", "prediction")  # of a form
TRUTH = {"true": True, "on": True, "false": False}  # a field of a form that is a boolean
ENDED: frozenset[JobState] = frozenset(("done", "failed", "cancelled"))
JOB_PATH = "/v1/jobs/{id}"


class UploadResult(msgspec.Struct):
    """What a worker answers: the id of the saved run."""

    run: str


@dataclass(eq=False)
class UploadJob:
    """A job and its state.

    Args:
        id: its id.
        state: its state.
        message: what happened, for a person.
        run: id of the run; None until it is done.
        control: progress, and the way to cancel it.
    """

    id: str
    state: JobState = "waiting"
    message: str = "Waiting."
    run: str | None = None
    control: JobControl = field(default_factory=JobControl)
    work: asyncio.Task[None] | None = None

    def to_payload(self) -> JobPayload:
        """Return its state for clients."""
        running = self.state == "waiting" and self.control.is_started
        state: JobState = "running" if running else self.state
        message = "Scoring." if running else self.message
        return JobPayload(id=self.id, state=state, share=self.control.share, message=message, run=self.run)

    def end(self, state: JobState, message: str, run: str | None = None) -> None:
        """Set the last state, unless it has ended already."""
        if self.state not in ENDED:
            self.state, self.message, self.run = state, message, run


class UploadJobs:
    """Endpoints of jobs.

    Args:
        pool: processes that score.
        settings: limits, and the store for runs that clients want to keep.
    """

    def __init__(self, pool: ProcessPool, settings: ServiceSettings) -> None:
        self._pool = pool
        self._settings = settings
        self._jobs: OrderedDict[str, UploadJob] = OrderedDict()
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._lock = threading.Lock()

    def build(self) -> list[Endpoint]:
        """Build the endpoints."""
        return [
            Endpoint("/v1/jobs", self._create, methods=["POST"]),
            Endpoint(JOB_PATH, self._answer_job, methods=["GET", "DELETE"]),
            Endpoint(f"{JOB_PATH}/events", self._stream_events),
        ]

    @property
    def scratch(self) -> str | None:
        """Path of the store of runs that are not kept.

        It is None before the first of them.
        """
        return None if self._folder is None else str(Path(self._folder.name) / "runs.db")

    def close(self) -> None:
        """Delete the runs that nobody asked to keep."""
        if self._folder is not None:
            self._folder.cleanup()

    async def _create(self, request: Request) -> Response:
        check_content_type(request.headers, is_optional=False, others=(MULTIPART,))
        limits, held = self._settings.limits, ExitStack()
        with held:
            hold_bytes = held.enter_context(self._pool.reserve_place(request.client.host if request.client else ""))
            body = await read_body(request.headers, request.receive, limits, hold_bytes)
            if get_media_type(request.headers["content-type"]) == MULTIPART:
                body = _convert_form(body, request.headers["content-type"])
            parsed: JobBody = parse_typed_body(body, JobBody)
            if parsed.task not in list_task_names():
                detail = f"Unknown task {parsed.task!r}."
                raise RefusedError(Problem("invalid-request", detail, "/v1/tasks lists the tasks.", "/task"))
            job = self._add_job()
            store = self._settings.store or "" if parsed.save else self._make_scratch()
            kept = held.pop_all()  # the place is free when the job has ended
            job.work = asyncio.ensure_future(self._run(job, Job(UPLOADS, 0, limits.documents, store), body, kept))
        headers = {"location": f"/v1/jobs/{job.id}"}
        return Response(msgspec.json.encode(job.to_payload()), status_code=202, media_type=JSON, headers=headers)

    def _make_scratch(self) -> str:
        with self._lock:
            if self._folder is None:
                self._folder = tempfile.TemporaryDirectory(prefix="isogloss-")
        return self.scratch or ""

    def _add_job(self) -> UploadJob:
        job = UploadJob(uuid.uuid4().hex)
        self._jobs[job.id] = job
        ended = [each.id for each in self._jobs.values() if each.state in ENDED]
        for old in ended[: max(0, len(self._jobs) - MAX_JOBS)]:
            del self._jobs[old]
        return job

    async def _run(self, job: UploadJob, work: Job, body: bytes, held: ExitStack) -> None:
        with held:
            try:
                reply = await self._pool.run_job(work, body, job.control)
            except asyncio.CancelledError:
                job.end("cancelled", "Cancelled.")
                raise
        _end_job(job, reply)

    async def _answer_job(self, request: Request) -> Response:
        job = self._get_job(request)
        if request.method == "DELETE" and job.state not in ENDED:
            job.control.cancel()
            if job.work is not None:
                job.work.cancel()
            job.end("cancelled", "Cancelled.")
        return Response(msgspec.json.encode(job.to_payload()), media_type=JSON)

    async def _stream_events(self, request: Request) -> Response:
        return StreamingResponse(_iterate_events(self._get_job(request)), media_type="text/event-stream")

    def _get_job(self, request: Request) -> UploadJob:
        job = self._jobs.get(request.path_params["id"])
        if job is None:
            raise RefusedError(Problem("not-found", "There is no such job.", "The service forgets jobs when it ends."))
        return job


def _convert_form(body: bytes, content_type: str) -> bytes:
    """Convert a form with files and fields into a body in JSON.

    Raises:
        RefusedError: if the form is malformed.
    """
    files, fields = parse_form(body, content_type, FILES)
    values: dict[str, Any] = {name: text for name, text in fields if text}
    if values.get("save") in TRUTH:
        values["save"] = TRUTH[values["save"]]
    if "options" in values:
        values["options"] = msgspec.Raw(values["options"].encode())
    return msgspec.json.encode(values | files)


def _end_job(job: UploadJob, reply: Reply) -> None:
    """Set the last state of a job by its reply."""
    if reply.problem is None:
        job.control.share = 1.0
        job.end("done", "Done.", msgspec.json.decode(reply.body, type=UploadResult).run)
    else:
        job.end("failed", "\n".join(filter(None, (reply.problem.detail, reply.problem.remedy))))


async def _iterate_events(job: UploadJob) -> AsyncIterator[bytes]:
    """Yield an event for each change of a job."""
    last = b""
    while True:
        payload = job.to_payload()
        body = msgspec.json.encode(payload)
        if body != last:
            yield format_event(body)
            last = body
        if payload.state in ENDED:
            return
        await asyncio.sleep(EVENT_SECONDS)
