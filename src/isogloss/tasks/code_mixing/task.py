"""Declare the task code-mixing."""

from __future__ import annotations

from isogloss.kernel.registry import lazy, load_object
from isogloss.kernel.score_catalogue import Catalogue, Score
from isogloss.tasks.code_mixing.options import CodeMixingOptions
from isogloss.tasks.task import Argument, Task

PERCENT = (0, 100)
SCORES = Catalogue(
    (
        Score("utterances.cmi", main=1, secondary=1, by_slice=True, limits=PERCENT),
        Score("utterances.cmi_mixed", limits=PERCENT),
        Score("utterances.cu", secondary=1, limits=PERCENT),
        Score("utterances.cu_mixed", limits=PERCENT),
        Score("utterances.mixed_share", secondary=1, by_slice=True),
        Score("mixing.cmi", limits=PERCENT),
        Score("mixing.cc", limits=(0, 700 / 3)),
        Score("mixing.m_index", main=2, secondary=1, by_slice=True),
        Score("mixing.i_index", main=3, secondary=1, by_slice=True),
        Score("mixing.burstiness", limits=(-1, 1)),
        Score("mixing.memory", limits=(-1, 1)),
    ),
    abbreviations={"cmi": "CMI", "cu": "Cu", "cc": "Cc"},
)
PLACE = "isogloss.tasks.code_mixing"
TASK = Task(
    name="code-mixing",
    title="Code-mixing",
    summary="Measure how texts mix languages, from a language tag for each token.",
    description="Code-Mixing Index, M-index, I-index, burstiness, memory and entropies, with each switch point.",
    examples=(
        "isogloss code-mixing tweets.conll --errors 10",
        "isogloss code-mixing a.jsonl b.jsonl --by platform --confidence 0.95",
        "isogloss code-mixing answers.txt --identifier 'lingua?languages=en,es'",
    ),
    options=CodeMixingOptions,
    prediction=Argument(
        "texts",
        "TEXTS...",
        "CoNLL columns, JSONL, CSV or Parquet, one file per corpus; - is standard input.",
        upload="CoNLL columns, JSONL, CSV or Parquet.",
    ),
    open_systems=lazy(f"{PLACE}.scoring:open_systems"),
    count=lazy(f"{PLACE}.scoring:count"),
    finish=lazy(f"{PLACE}.scoring:finish"),
    merge=lazy(f"{PLACE}.scoring:merge_states"),
    list_sources=lazy(f"{PLACE}.scoring:list_sources"),
    make_metric=lazy(f"{PLACE}.scoring:make_metric"),
    scores=SCORES,
    tables=lazy(f"{PLACE}.tables:build_tables"),
    view=lambda: load_object(f"{PLACE}.findings:VIEW"),
    shows_document_means=False,
    uses_models=True,
    request=lazy(f"{PLACE}.request:make_request"),
)
