"""Declare the task code-switching."""

from __future__ import annotations

from isogloss.kernel.registry import lazy, load_object
from isogloss.kernel.score_catalogue import Catalogue, Score
from isogloss.tasks.code_switching.options import PROFILES, CodeSwitchingOptions
from isogloss.tasks.task import Argument, Definition, Task

SCORES = Catalogue(
    (
        Score("words.strict_rate", main=2, secondary=1, by_slice=True, higher_is_better=False),
        Score("words.excused_rate", main=1, by_slice=True, higher_is_better=False),
        Score("sentences.excused_rate", secondary=1, higher_is_better=False),
        Score("texts.excused_rate", secondary=1, higher_is_better=False),
        Score("mixing.cmi", higher_is_better=False, limits=(0, 100)),
        Score("mixing.m_index", higher_is_better=False),
        Score("mixing.i_index", higher_is_better=False),
        Score("mixing.burstiness", limits=(-1, 1)),
        Score("third_scripts.share"),
        Score("pass_rate.line"),
        Score("pass_rate.word"),
        Score("other_language.lines_rate", higher_is_better=False),
        Score("other_language.words_rate", higher_is_better=False),
        Score("benchmark.lpr", main=3, by_slice=True),
        Score("benchmark.wpr", main=4, by_slice=True),
        Score("benchmark.acc"),
    ),
    abbreviations={"cmi": "CMI"},
)
PLACE = "isogloss.tasks.code_switching"
TASK = Task(
    name="code-switching",
    title="Code-switching",
    summary="Score how often texts leave the language that they should be in.",
    description=(
        "Words, sentences and texts with foreign letters: strict, and after excusing names, URLs, quotations, …"
    ),
    examples=(
        "isogloss code-switching answers.txt --language uk --errors 10",
        "isogloss code-switching a.jsonl b.jsonl --language hi --by model",
        "isogloss code-switching a.jsonl --language de --identifier lingua --window 8",
    ),
    options=CodeSwitchingOptions,
    prediction=Argument(
        "texts",
        "TEXTS...",
        "Text, JSONL, CSV or Parquet, one file per system; - is standard input.",
        upload="Text, JSONL, CSV or Parquet.",
    ),
    open_systems=lazy(f"{PLACE}.scoring:open_systems"),
    count=lazy(f"{PLACE}.scoring:count"),
    finish=lazy(f"{PLACE}.scoring:finish"),
    list_sources=lazy(f"{PLACE}.scoring:list_sources"),
    merge=lazy(f"{PLACE}.scoring:merge_states"),
    make_metric=lazy(f"{PLACE}.scoring:make_metric"),
    scores=SCORES,
    definition=Definition(version=2, counts_since=2),
    tables=lazy(f"{PLACE}.tables:build_tables"),
    view=lambda: load_object(f"{PLACE}.findings:VIEW"),
    profiles=PROFILES,
    request=lazy(f"{PLACE}.request:make_request"),
    uses_models=True,
)
