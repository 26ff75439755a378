"""What other processes do with accumulators: they import it from here."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from isogloss import Accumulator

Tags = Sequence[Sequence[str]]


def count_documents(predictions: Tags, references: Tags, **options: Any) -> tuple[int, Accumulator]:
    """The process, and what it has counted, a document at a time."""
    accumulator = Accumulator("ner", **options)
    for predicted, reference in zip(predictions, references, strict=True):
        accumulator.update([reference], [predicted])
    return os.getpid(), accumulator


def gather_parts(rank: int, meeting: Path, parts: Sequence[tuple[Tags, Tags]], results: Path) -> None:
    """Counts one part in a process group, and writes the JSON of all parts and of its own.

    Args:
        rank: number of this process.
        meeting: a file that is not there, where the processes meet.
        parts: predictions and references of each process.
        results: a folder.
    """
    from torch import distributed  # noqa: PLC0415  an extra

    distributed.init_process_group("gloo", init_method=meeting.as_uri(), rank=rank, world_size=len(parts))
    try:
        own = count_documents(*parts[rank], scheme="iob2")[1]
        for name, accumulator in (("all", own.gather()), ("own", own)):
            run = accumulator.compute(confidence=0.9, resamples=100)
            (results / f"{name}-{rank}.json").write_text(run.to_json(), "utf-8")
    finally:
        distributed.destroy_process_group()
