"""Profiles: the figures of other tools, their quirks included.

A profile says how a tool reads a sample and what it counts. Each is tested against the tool itself. What it reproduces,
and the exceptions, are numbered in the docstring of its module in `rules`. One exception is common to all: texts are
compared first, whatever the tool would do with texts that differ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from isogloss.kernel.metric import Metric
from isogloss.kernel.scores import ScoreKey


@dataclass(frozen=True)
class SegmentationProfile:
    """The definition of another tool.

    Args:
        name: its name in `PROFILES`.
        metric: vocabulary -> what it counts and scores; a tool without vocabulary ignores it.
        batches: what the metric counts: samples in pairs, or sentences of two texts that may be cut elsewhere.
        clean: what it does to a sample written with `|` before it looks for words.
        whitespace: what it does with whitespace.
        drops_empty: whether samples without a word on either side are left out.
        takes_vocabulary: whether it scores words that a list does not have.
        native: keys and values as the tool itself writes them, from the numbers; None where it writes none.
    """

    name: str
    make_metric: Callable[[frozenset[str] | None], Metric[Any]]
    batches: Literal["samples", "sentences"] = "samples"
    clean: Callable[[str], str] | None = None
    whitespace: Literal["ignore", "separate", "keep"] = "ignore"
    drop_empty: bool = False
    can_use_vocabulary: bool = False
    tool_output: Callable[[Mapping[ScoreKey, int | float]], Mapping[str, Any]] | None = None
