"""Functions that worker processes load in tests."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

from waiting import wait_for

from isogloss.errors import MissingExtraError
from isogloss.service.jobs import Job, Reply, ReportShare, WorkFunction, ignore_progress

_BOTH = threading.Barrier(2, timeout=60)


def load() -> WorkFunction:
    """Return a function that does what the route of a job names."""
    return _do


def load_without_package() -> WorkFunction:
    """Fail for lack of an extra."""
    raise MissingExtraError("spacy:xx", "isogloss[spacy]")


def load_and_die() -> WorkFunction:
    """End the process while loading."""
    os._exit(3)


def _do(job: Job, body: bytes, report: ReportShare = ignore_progress, /) -> Reply:
    if job.route == "die":
        os._exit(3)
    if job.route == "hang":
        time.sleep(600)
    if job.route == "await":
        wait_for(Path(body.decode()))
    if job.route == "meet":
        _BOTH.wait()
    return Reply(f"{os.getpid()} ".encode() + body)


def load_for_ever() -> WorkFunction:
    """Load without end."""
    while True:
        time.sleep(60)
