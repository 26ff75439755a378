"""`lang_metrics.py` of the Bilingual Annotation Task Force (Guzmán et al., 2017) on random utterances.

It is in no registry: name a folder that holds it in ISOGLOSS_PEERS.
"""

from __future__ import annotations

import importlib.util
import os
import random
import warnings
from contextlib import redirect_stdout
from io import StringIO
from operator import methodcaller
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.kernel.scores import Scores
from isogloss.kernel.tally import WeightedSummer
from isogloss.tasks.code_mixing.inputs import open_utterances
from isogloss.tasks.code_mixing.metric import CodeMixing
from isogloss.tasks.code_mixing.options import CodeMixingOptions

UTTERANCES = 10_000
SCRIPT = Path(os.environ.get("ISOGLOSS_PEERS", "")) / "lang_metrics.py"
NAMES = {
    "M-metric": "m_index",
    "I-metric": "i_index",
    "Burstiness": "burstiness",
    "Memory": "memory",
    "Language Entropy": "language_entropy",
    "Span Entropy": "span_entropy",
}

pytestmark = [
    pytest.mark.parity,
    pytest.mark.skipif(not SCRIPT.is_file(), reason="no lang_metrics.py: ISOGLOSS_PEERS names no folder with it"),
]


@pytest.fixture(scope="module")
def peer() -> Any:
    spec = importlib.util.spec_from_file_location("lang_metrics", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def draw_tags(generator: random.Random) -> list[str]:
    languages, stay = "abcd"[: generator.randint(2, 4)], generator.random()
    tags = [generator.choice(languages)]
    for _ in range(generator.randint(1, 40)):
        tags.append(tags[-1] if generator.random() < stay else generator.choice(languages))
    return tags


def print_figures(peer: Any, tags: list[str]) -> dict[str, float]:
    """What the functions of the script print for one sequence of tags."""
    peer.LANG_TAGS, peer.LANGS, peer.NUMTAGS = tags, sorted(set(tags)), len(tags)
    printed = StringIO()
    with redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # 0 / 0 in the memory of spans of one length
        for function in (peer.m_metric, peer.i_metric, peer.burstiness, peer.lang_entropy, peer.span_entropy):
            function()
        if len(set(tags)) > 1:
            peer.memory()
        else:  # one span has no neighbour
            print("Memory: nan")  # noqa: T201  beside what the script prints
    return {
        title: float(value) for title, _, value in map(methodcaller("partition", ": "), printed.getvalue().splitlines())
    }


def score_each(drawn: list[list[str]]) -> Scores:
    """Our scores of single utterances: (utterances,) each."""
    opened = open_utterances([{"languages": tags} for tags in drawn], CodeMixingOptions())
    (batch,) = opened.read_batches()
    metric = CodeMixing()
    counts = metric.count(batch).normalize()
    return metric.overall(WeightedSummer(counts, len(drawn)).sum_documents(np.eye(len(drawn), dtype=np.int64)))


def test_figures_of_utterances_are_equal(peer: Any) -> None:
    generator = random.Random(16)
    drawn = [draw_tags(generator) for _ in range(UTTERANCES)]
    for first in range(0, len(drawn), 500):
        part = drawn[first : first + 500]
        scores = score_each(part)
        for at, tags in enumerate(part):
            theirs = print_figures(peer, tags)
            assert theirs.keys() >= NAMES.keys()
            for title, name in NAMES.items():
                own, value = float(scores["mixing", name][at]), theirs[title]
                assert (np.isnan(own) and not np.isfinite(value)) or abs(own - value) < 1e-9, (name, tags, own, value)
    print(f"{len(drawn)} utterances compared")  # noqa: T201  how many were compared
    assert drawn
