"""Declaration of the task named entity recognition."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from isogloss.kernel.registry import lazy, load_object
from isogloss.kernel.score_catalogue import Catalogue, Score
from isogloss.tasks.ner.options import PROFILES, NerLintOptions, NerOptions
from isogloss.tasks.task import Argument, Layout, Linter, Task

SCORES = Catalogue(
    (
        Score("fair.f1", main=1),
        Score("fair.precision", secondary=1),
        Score("fair.recall", secondary=1),
        Score("strict.precision", secondary=2, by_slice=True),
        Score("strict.recall", secondary=2, by_slice=True),
        Score("strict.f1", main=2, secondary=1, by_slice=True),
        Score("strict.f", main=3, by_slice=True),
        Score("exact.f1", secondary=2),
        Score("partial.f1", secondary=2),
        Score("type.f1", secondary=2),
        Score("pii.precision", secondary=2),
        Score("pii.recall", secondary=2),
        Score("pii.f", main=4, secondary=1),
    ),
    by_label=(("fair", "f1"), ("strict", "f1"), ("strict", "f"), ("entity", "f")),
)
PLACE = "isogloss.tasks.ner"


def _draw_runs(name: str, systems: Sequence[Any], runs: Sequence[Any], options: Any, form: str) -> str:
    del systems
    text: str = load_object(f"{PLACE}.layouts:format_in_layout")(runs, name, form, digits=options.digits)
    return text


TASK = Task(
    name="ner",
    title="Named entities",
    summary="Score predicted named entities against a reference.",
    description="Four SemEval-2013 schemas (strict, exact, partial, type), six error types, by label and overall.",
    examples=(
        "isogloss ner gold.conll system.conll --errors 10",
        "isogloss ner gold.conll a.conll b.conll --confidence 0.95",
        "isogloss ner gold.jsonl system.jsonl --by genre -f json -o scores.json",
    ),
    options=NerOptions,
    reference=Argument(
        "reference",
        "REFERENCE",
        "CoNLL columns, JSON lines or any other known format, plain or .gz; - is standard input.",
        upload="CoNLL columns, JSON lines or any other known format, plain or .gz.",
    ),
    prediction=Argument(
        "prediction",
        "PREDICTION",
        "One file per system, the first is the baseline. Left out: the reference file has a column for it.",
        optional=True,
        upload="The output of one system, in any known format. Not needed if the reference has a column for it.",
    ),
    open_systems=lazy(f"{PLACE}.scoring:open_systems"),
    count=lazy(f"{PLACE}.scoring:count"),
    finish=lazy(f"{PLACE}.scoring:finish"),
    list_sources=lazy(f"{PLACE}.scoring:list_sources"),
    merge=lazy(f"{PLACE}.scoring:merge_states"),
    count_passes=lazy(f"{PLACE}.scoring:count_passes"),
    make_metric=lazy(f"{PLACE}.scoring:make_metric"),
    scores=SCORES,
    tables=lazy(f"{PLACE}.tables:build_tables"),
    profiles=PROFILES,
    layouts={
        "conlleval": Layout(partial(_draw_runs, "conlleval"), profile="conlleval"),
        "seqscore": Layout(partial(_draw_runs, "seqscore"), profile="seqscore"),
        "sklearn": Layout(
            partial(_draw_runs, "sklearn"), profile="seqeval", forms=("text", "json"), options=("digits",)
        ),
        "spacy": Layout(partial(_draw_runs, "spacy"), profile="spacy", forms=("text", "json")),
    },
    linter=Linter(
        summary="Find faults in annotations of named entities.",
        description="The exit code is 0; with --fail-on it is 1 if there is a fault of that kind.",
        data=Argument("file", "FILE", "Annotations in any known format, plain or .gz; - is standard input."),
        options=NerLintOptions,
        find_faults=lazy(f"{PLACE}.lint:find_faults"),
    ),
    request=lazy(f"{PLACE}.request:make_request"),
)
