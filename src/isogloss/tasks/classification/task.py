"""Declare the task text classification."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from isogloss.kernel.registry import lazy, load_object
from isogloss.kernel.score_catalogue import Catalogue, Score
from isogloss.tasks.classification.options import PROFILES, ClassificationOptions
from isogloss.tasks.task import Argument, Export, Task

SCORES = Catalogue(
    (
        Score("overall.accuracy", main=1, by_slice=True),
        Score("micro.f1", main=2, secondary=1, by_slice=True),
        Score("micro.f", main=3),
        Score("macro.label.f1", secondary=1),
        Score("roc_auc.macro", main=4, secondary=1, by_slice=True),
        Score("average_precision.macro", secondary=1, by_slice=True),
        Score("roc_auc.weighted"),
        Score("roc_auc.micro"),
        Score("ranking.roc_auc"),
        Score("ranking.average_precision"),
    ),
    by_label=(("label", "f1"), ("label", "f"), ("ranking", "roc_auc")),
    abbreviations={"roc_auc": "ROC-AUC"},
)
PLACE = "isogloss.tasks.classification"


def _write_curves(systems: Sequence[Any], runs: Sequence[Any], options: Any, path: str) -> None:
    del systems, options
    lazy(f"{PLACE}.ranking:write_curves")(runs, path)


TASK = Task(
    name="classification",
    title="Classification",
    summary="Score text classification.",
    description=("One label per document, or several: accuracy, precision, recall, F, ROC-AUC and average precision."),
    examples=(
        "isogloss classification scores.jsonl --errors 10",
        "isogloss classification gold.jsonl a.jsonl b.jsonl --confidence 0.95",
        "isogloss classification gold.txt predicted.txt -f json -o scores.json",
    ),
    options=ClassificationOptions,
    reference=Argument(
        "reference",
        "SCORES|REFERENCE",
        "JSONL with gold and scores; or gold labels only, as JSONL or a label per line. - is standard input.",
        upload="JSONL with gold and scores; or gold labels only, as JSONL or a label per line.",
    ),
    prediction=Argument(
        "prediction",
        "PREDICTION",
        "JSONL with scores, or a label per line. One file per system, the first is the baseline.",
        optional=True,
        upload="JSONL with scores, or a label per line. Not needed if the reference has the scores.",
    ),
    open_systems=lazy(f"{PLACE}.scoring:open_systems"),
    count=lazy(f"{PLACE}.scoring:count"),
    finish=lazy(f"{PLACE}.scoring:finish"),
    list_sources=lazy(f"{PLACE}.scoring:list_sources"),
    merge=lazy(f"{PLACE}.scoring:merge_states"),
    make_metric=lazy(f"{PLACE}.scoring:make_metric"),
    scores=SCORES,
    tables=lazy(f"{PLACE}.tables:build_tables"),
    view=lambda: load_object(f"{PLACE}.findings:VIEW"),
    profiles=PROFILES,
    curves=lazy(f"{PLACE}.ranking:curves_to_dict"),
    exports=(Export("--curves", "FILE", "Write ROC and precision-recall curves, as JSON.", _write_curves),),
    request=lazy(f"{PLACE}.request:make_request"),
    shows_context=False,
)
