"""What is counted and ranked, by the default definition or by that of another tool.

definition = PROFILES.load("spacy")
scoring = definition(Options(multi_label=True), documents)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from isogloss.batches import LabelledDocuments
from isogloss.metric import Metric, OrderMetric
from isogloss.metrics.classification.exclusive import Exclusive
from isogloss.metrics.classification.figures import Averaging
from isogloss.metrics.classification.multilabel import DEFAULT, MultiLabel
from isogloss.metrics.classification.ordering import Ordering, ranking_of
from isogloss.ranking import Ranking
from isogloss.registry import Registry
from isogloss.scores import Key

PROFILES = Registry(
    kind="profile",
    group="isogloss.classification_profiles",
    builtin={"spacy": "isogloss.metrics.classification.spacy:scoring"},
)
Numbers = Mapping[Key, int | float]


@dataclass(frozen=True)
class Options:
    """What a definition is asked for.

    Args:
        multi_label: whether a document may have several labels.
        threshold: a label is given from this score on; where a document may have several.
        thresholds: other thresholds for some labels.
        averaging: choices behind ratios and means.
        best: whether the threshold with the highest F of each label is wanted.
        positive_label: of two labels that exclude each other, the one that matters.
    """

    multi_label: bool = False
    threshold: float = DEFAULT
    thresholds: Mapping[str, float] = field(default_factory=dict)
    averaging: Averaging = field(default_factory=Averaging)
    best: bool = False
    positive_label: str | None = None


@dataclass(frozen=True)
class Scoring:
    """A definition of scores.

    Args:
        counted: what is counted of documents.
        ordering: what is scored of their order.
        rank: what is ranked of documents with scores.
        native: keys and values as the tool itself writes them, from the numbers; None where there is no such tool.
    """

    counted: Metric[LabelledDocuments]
    ordering: OrderMetric
    rank: Callable[[LabelledDocuments], Ranking]
    native: Callable[[Numbers], Mapping[str, Any]] | None = None


def scoring(options: Options, documents: LabelledDocuments) -> Scoring:
    """The default definition for documents with these labels."""
    labels = tuple(sorted(documents.labels))
    counted: Exclusive | MultiLabel = Exclusive(labels, options.averaging)
    if options.multi_label:
        counted = MultiLabel(labels, options.averaging, options.threshold, options.thresholds)
    return Scoring(counted, Ordering(options.best, options.averaging.beta), ranking_of)
