"""What the processes of pools do in tests: each `load` is called in such a process."""

from __future__ import annotations

import os
import time

from isogloss.exceptions import MissingExtraError
from isogloss.service.work import Job, Reply, Work


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
    if job.task == "sleep":
        time.sleep(0.3)
    return Reply(f"{os.getpid()} ".encode() + body)


def load_for_ever() -> Work:
    """Never done with loading."""
    while True:
        time.sleep(60)
