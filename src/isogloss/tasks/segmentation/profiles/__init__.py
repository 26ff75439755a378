"""Profiles of word segmentation: the figures of other tools, quirks included.

A profile reads samples and counts as a tool does. Each profile is tested against the tool itself. The docstring of its
module numbers what it reproduces, and the exceptions. One exception is common to all profiles: texts are compared
first, even if the tool scores texts that differ.
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
        name: name in `PROFILES`.
        make_metric: vocabulary -> metric; a tool without vocabulary ignores it.
        batches: what the metric counts: pairs of samples, or sentences of two texts with different sentences.
        clean: cleans a sample written with `|` before words are read; None for no cleaning.
        whitespace: how whitespace is handled.
        drop_empty: whether samples without a word on one side are dropped.
        can_use_vocabulary: whether the tool scores recall by vocabulary.
        tool_output: builds keys and values as the tool writes them, from the numbers; None if it writes none.
    """

    name: str
    make_metric: Callable[[frozenset[str] | None], Metric[Any]]
    batches: Literal["samples", "sentences"] = "samples"
    clean: Callable[[str], str] | None = None
    whitespace: Literal["ignore", "separate", "keep"] = "ignore"
    drop_empty: bool = False
    can_use_vocabulary: bool = False
    tool_output: Callable[[Mapping[ScoreKey, int | float]], Mapping[str, Any]] | None = None
