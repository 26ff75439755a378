"""An engine of Ray that takes a while for each part, so that a node can be lost in between."""

import time
from pathlib import Path
from typing import Any

from isogloss.distributed.jobs import Job
from isogloss.distributed.ray import RayEngine


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
