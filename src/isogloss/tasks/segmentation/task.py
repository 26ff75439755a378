"""Declaration of the task word segmentation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from isogloss.kernel.registry import lazy, load_object
from isogloss.kernel.score_catalogue import Catalogue, Score
from isogloss.tasks.segmentation.options import PROFILES, SegmentationOptions
from isogloss.tasks.task import Argument, Export, Layout, SystemTexts, Task

SCORES = Catalogue(
    (
        Score("word.precision", secondary=1, by_slice=True),
        Score("word.recall", secondary=1, by_slice=True),
        Score("word.f1", main=1, by_slice=True),
        Score("boundary.f1", main=2, secondary=1),
        Score("character.f1", main=3, secondary=1),
        Score("oov.recall", secondary=1),
        Score("iv.recall", secondary=1),
    ),
    abbreviations={"oov": "OOV", "iv": "IV"},
)
PLACE = "isogloss.tasks.segmentation"
THAI_BENCHMARK = "thai-benchmark"


def _draw(systems: Sequence[Any], runs: Sequence[Any], options: Any, form: str) -> str:
    del runs, form
    text: str = lazy(f"{PLACE}.thai_benchmark_layout:draw_systems")(systems, options)
    return text


def _write_details(systems: Sequence[Any], runs: Sequence[Any], options: Any, folder: str) -> None:
    del runs
    lazy(f"{PLACE}.thai_benchmark_layout:write_all_details")(systems, options, folder)


TASK = Task(
    name="segmentation",
    title="Word segmentation",
    summary="Score texts cut into words against a reference.",
    description="Characters, words, boundaries; splits, merges and shifts; words that a training list does not have.",
    examples=(
        "isogloss segmentation gold.txt system.txt --errors 10",
        "isogloss segmentation gold.txt a.txt b.txt --confidence 0.95",
        "isogloss segmentation gold.label system.label --profile thai-benchmark",
    ),
    options=SegmentationOptions,
    reference=Argument(
        "reference",
        "REFERENCE",
        "A text cut into words, plain or .gz; - is standard input.",
        upload="A text cut into words, plain or .gz.",
    ),
    prediction=Argument(
        "prediction",
        "PREDICTION...",
        "One file per system, the first is the baseline.",
        upload="The same text, cut into words by one system.",
    ),
    open_systems=lazy(f"{PLACE}.scoring:open_systems"),
    count=lazy(f"{PLACE}.scoring:count"),
    finish=lazy(f"{PLACE}.scoring:finish"),
    list_sources=lazy(f"{PLACE}.scoring:list_sources"),
    make_metric=lazy(f"{PLACE}.scoring:make_metric"),
    scores=SCORES,
    tables=lazy(f"{PLACE}.tables:build_tables"),
    view=lambda: load_object(f"{PLACE}.finding_view:VIEW"),
    profiles=PROFILES,
    layouts={THAI_BENCHMARK: Layout(_draw, profile=THAI_BENCHMARK)},
    exports=(
        Export(
            "--details",
            "DIR",
            "Write the files of thai-benchmark there.",
            _write_details,
            THAI_BENCHMARK,
        ),
    ),
    request=lazy(f"{PLACE}.request:make_request"),
    system_texts=SystemTexts(lazy(f"{PLACE}.inputs:read_texts"), {"on_mismatch": "zero"}),
    shows_document_means=False,  # its own tables have means of more scores
)
