"""A corpus whose parts take a while, so that a node can be lost in between."""

import time
from pathlib import Path
from typing import Any

from isogloss.distributed.jobs import Corpus, Job
from isogloss.distributed.ray import RayEngine
from isogloss.tasks.ner.options import NerOptions
from isogloss.tasks.registry import get_task
from isogloss.tasks.scoring_options import ScoringOptions

__all__ = ["SlowEngine", "open_corpus"]


def open_corpus(reference: str, prediction: str) -> Corpus:
    """Open a corpus of named entities."""
    task, options, scoring = get_task("ner"), NerOptions(), ScoringOptions(unit="document")
    return Corpus(task, list(task.open_systems(reference, [prediction], options, scoring)), options, scoring)


class SlowEngine(RayEngine):
    """Waits in each call."""

    def map(self, function: Any, items: Any, name: Any = str) -> Any:
        """Call a function after half a second."""
        if function is not Job.count:
            return super().map(function, items, name)
        return super().map(count_slowly, items, name)


def count_slowly(job: Job, part: Any, path: str) -> None:
    """Count a part after half a second, and note it."""
    Path(path).with_suffix(".begun").touch()
    time.sleep(0.5)
    job.count(part, path)
