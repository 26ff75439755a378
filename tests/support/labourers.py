"""What the processes of pools do in tests: each `load` is called in such a process."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

from waiting import wait_for

from isogloss.errors import MissingExtraError
from isogloss.service.jobs import Job, Reply, Work

_BOTH = threading.Barrier(2, timeout=60)


def load() -> Work:
    """Does what the job is called."""
    return _do


def load_without_package() -> Work:
    """Cannot be loaded."""
    raise MissingExtraError("spacy:xx", "isogloss[spacy]")


def load_and_die() -> Work:
    """Ends before it has loaded."""
    os._exit(3)


def _do(job: Job, body: bytes) -> Reply:
    if job.task == "die":
        os._exit(3)
    if job.task == "hang":
        time.sleep(600)
    if job.task == "await":
        wait_for(Path(body.decode()))
    if job.task == "meet":
        _BOTH.wait()
    return Reply(f"{os.getpid()} ".encode() + body)


def load_for_ever() -> Work:
    """Never done with loading."""
    while True:
        time.sleep(60)
