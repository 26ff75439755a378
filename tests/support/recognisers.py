"""Recognisers for `python:recognisers:NAME`, in the processes that tests start."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence
from pathlib import Path

from waiting import wait_for

Spans = list[tuple[int, int, str]]
Pairs = list[tuple[int, int]]


def capitalised(texts: Sequence[str]) -> list[Spans]:
    """Capitalised Latin words are names."""
    return [[(m.start(), m.end(), "PER") for m in re.finditer(r"\b[A-Z][a-z]+", text)] for text in texts]


def gated(texts: Sequence[str]) -> list[Spans]:
    """As `capitalised`, once the file is there that `ISOGLOSS_TEST_GATE` names; how many texts there were is noted."""
    gate = Path(os.environ["ISOGLOSS_TEST_GATE"])
    with gate.with_suffix(".batches").open("a", encoding="ascii") as batches:
        batches.write(f"{len(texts)}\n")
    wait_for(gate)
    return capitalised(texts)


def busy(texts: Sequence[str]) -> list[Spans]:
    """As `capitalised`, busy until the file is there, without letting another thread run for long."""
    for _ in range(50_000):  # some minutes: it ends also where a test has failed
        if Path(os.environ["ISOGLOSS_TEST_GATE"]).exists():
            break
        sum(range(100_000))
    return capitalised(texts)


def stuck(texts: Sequence[str]) -> list[Spans]:
    """Takes longer than anybody waits."""
    time.sleep(600)
    return capitalised(texts)


def sentences(texts: Sequence[str]) -> list[Pairs]:
    """A full stop ends a sentence."""
    return [[match.span() for match in re.finditer(r"[^\s.][^.]*\.?", text)] for text in texts]


def tokens(texts: Sequence[str]) -> list[Pairs]:
    """Words, and signs one by one."""
    return [[match.span() for match in re.finditer(r"\w+|[^\w\s]", text)] for text in texts]


def slavuta(texts: Sequence[str]) -> list[Spans]:
    """One name."""
    return [[(match.start(), match.end(), "MISC") for match in re.finditer("Slavuta", text)] for text in texts]
