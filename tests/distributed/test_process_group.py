"""Accumulators of several processes of `torch.distributed`."""

from __future__ import annotations

import json
import multiprocessing
import random
from pathlib import Path
from typing import Any

import pytest
from accumulator_processes import gather_parts
from libraries import library

import isogloss

pytestmark = [pytest.mark.extra, pytest.mark.transformers]
torch = library("torch")

PROCESSES = 2


@pytest.mark.skipif(not torch.distributed.is_available(), reason="this torch has no process groups")
def test_every_process_has_the_sum_of_all_and_keeps_its_own(tmp_path: Path) -> None:
    draw = random.Random(3)
    sizes = [draw.randint(0, 6) for _ in range(40)]
    predictions, references = ([draw.choices(["O", "B-PER", "I-PER"], k=size) for size in sizes] for _ in range(2))
    # One process has most of the documents, the other the rest.
    parts = [(predictions[low:high], references[low:high]) for low, high in ((0, 29), (29, 40))]
    context = multiprocessing.get_context("spawn")
    arguments = (tmp_path / "meeting", parts, tmp_path)
    started = [context.Process(target=gather_parts, args=(rank, *arguments)) for rank in range(PROCESSES)]
    for process in started:
        process.start()
    for process in started:
        process.join(timeout=100)
        assert process.exitcode == 0

    def written(name: str) -> Any:
        return json.loads((tmp_path / f"{name}.json").read_text("utf-8"))

    how: dict[str, Any] = {"scheme": "iob2", "confidence": 0.9, "resamples": 100}
    whole = json.loads(isogloss.ner(references, predictions, **how).to_json())
    for rank, (predicted, expected) in enumerate(parts):
        assert written(f"all-{rank}")["scores"] == whole["scores"]
        assert written(f"all-{rank}")["intervals"] == whole["intervals"]
        own = isogloss.ner(expected, predicted, **how).to_dict()
        assert written(f"own-{rank}")["scores"] == own["scores"]
