"""Measure how often the 95% interval of ROC-AUC has the true area, in simulated corpora.

`benchmarks/coverage.py` runs it and writes its tables into docs/coverage.md.

Scores are normal with standard deviation 1; those of positive documents are higher by d, so the true area is
Phi(d / sqrt(2)). Every corpus has the same number of positives. In clusters of 5 documents, half of the variance of the
scores is shared by a cluster; either all documents of a cluster have one verdict, or verdicts are spread over clusters.
Means are those of three exclusive labels (60%, 30% and 10% of the documents).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

import numpy as np
from internals import (
    ClassColumn,
    Influence,
    Ranking,
    RankingAreas,
    compute_auc_influence,
    compute_auc_intervals,
)

from isogloss.runs.interval_warnings import ENOUGH_UNITS

AREAS = (0.5, 0.8, 0.95, 0.976, 0.995)
SIZES = (40, 200, 1000)
SHARES = (0.5, 0.2, 0.05)
CLUSTERS = (5, 10, 20, 50, 200)
CLUSTER_SIZE = 5
LABEL_SHARES = (0.6, 0.3, 0.1)
LABEL_SIZES = (50, 200, 1000)
MEANS = ("macro", "weighted", "micro")
LOW, HIGH = 0.93, 0.97
CORPORA = 5000
PROCESSES = 2
LARGE = 300_000  # documents from which the true means over labels are computed
AUC = ("roc_auc",)
NORMAL = NormalDist().inv_cdf(0.975)
ScoreKey = tuple[str, ...]
Ends = tuple[float, float]  # of an interval


@dataclass(frozen=True)
class Cell:
    """A design of simulations.

    Args:
        area: the true ROC-AUC.
        documents: number of documents.
        share: share of positive documents.
        corpora: number of corpora.
        clusters: number of clusters; 0 for independent documents.
        spread: whether the verdicts of a cluster differ.
    """

    area: float
    documents: int
    share: float
    corpora: int
    clusters: int = 0
    spread: bool = False


@dataclass(frozen=True)
class Coverage:
    """Share of intervals with the true area, and their mean width.

    Args:
        newcombe: share of Newcombe's intervals.
        delong: share of DeLong's intervals.
        width: mean width of Newcombe's intervals.
        delong_width: mean width of DeLong's intervals, where known.
        warned: whether runs have a warning.
    """

    newcombe: float
    delong: float
    width: float
    delong_width: float
    warned: bool = False


def measure_area(cell: Cell) -> Coverage:
    """Simulate the interval of one area."""
    generator = np.random.default_rng(
        [7, cell.documents, round(1000 * cell.share), round(1000 * cell.area), cell.clusters]
    )
    gold = np.zeros(cell.documents, np.bool_)
    gold[: max(1, round(cell.documents * cell.share))] = True
    clusters = np.arange(cell.documents) // CLUSTER_SIZE
    found = [_draw_influence(cell, gold, clusters, generator) for _ in range(cell.corpora)]
    truth = float(np.mean([each.estimates[0] for each in found])) if cell.spread else cell.area
    warned = 0 < cell.clusters < ENOUGH_UNITS
    return replace(_compare(found, ("by_label", "c", *AUC), truth), warned=warned)


def _draw_influence(cell: Cell, gold: Any, clusters: Any, generator: np.random.Generator) -> Influence:
    distance = NormalDist().inv_cdf(cell.area) * math.sqrt(2)
    noise = generator.normal(size=cell.documents)
    if cell.clusters:
        noise = (noise + generator.normal(size=cell.clusters)[clusters]) / math.sqrt(2)
    gold = generator.permutation(gold) if cell.spread else gold
    documents = np.arange(cell.documents)
    found = compute_auc_influence(Ranking(("c",), (ClassColumn(documents, noise + distance * gold, gold),)), AUC)
    return found.group_by_cluster(clusters) if cell.clusters else found


def measure_means(documents: int, corpora: int) -> dict[str, Coverage]:
    """Simulate the intervals of means over three labels."""
    generator = np.random.default_rng([8, documents])
    truth = RankingAreas().score(_draw_labels(LARGE, np.random.default_rng(9)))
    found = [RankingAreas().influence(_draw_labels(documents, generator)) for _ in range(corpora)]
    return {mean: _compare(found, ("roc_auc", mean), float(truth["roc_auc", mean])) for mean in MEANS}


def _draw_labels(documents: int, generator: np.random.Generator) -> Ranking:
    label = np.repeat(np.arange(3), np.round(documents * np.array(LABEL_SHARES)).astype(int))
    scores = generator.normal(size=(len(label), 3)) + 2.0 * (label[:, None] == np.arange(3))
    numbers = np.arange(len(label))
    columns = tuple(ClassColumn(numbers, np.ascontiguousarray(scores[:, k]), label == k) for k in range(3))
    return Ranking(("a", "b", "c"), columns)


def _compare(found: Sequence[Influence], key: ScoreKey, truth: float) -> Coverage:
    shares, widths = [], []
    for compute in (_list_newcombe, _list_delong):
        low, high = np.array([compute(each, key) for each in found]).T
        shares.append(np.mean((low <= truth) & (truth <= high)))
        widths.append(np.nanmean(high - low))
    return Coverage(float(shares[0]), float(shares[1]), float(widths[0]), float(widths[1]))


def _list_newcombe(influence: Influence, key: ScoreKey) -> Ends:
    interval = compute_auc_intervals(influence)[key]
    return interval.low, interval.high


def _list_delong(influence: Influence, key: ScoreKey) -> Ends:
    """Compute DeLong's normal interval, cut to [0, 1]."""
    at = influence.keys.index(key)
    half = NORMAL * influence.compute_standard_errors()[at]
    low, high = np.clip(influence.estimates[at] + np.array([-half, half]), 0, 1)
    return float(low), float(high)


def write_table(heads: Iterable[str], rows: Iterable[tuple[Sequence[object], Coverage]]) -> str:
    """Write a table in Markdown; a coverage below the range is bold."""
    titles = [*heads, "Newcombe", "DeLong", "width", "width, DeLong"]
    body = [
        [
            *map(str, names),
            _write(own.newcombe, own.warned),
            _write(own.delong),
            f"{own.width:.3f}",
            f"{own.delong_width:.3f}",
        ]
        for names, own in rows
    ]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (titles, ["---"] * len(titles), *body))


def _write(share: float, warned: bool = False) -> str:  # noqa: FBT001, FBT002  private
    text = f"{100 * share:.1f}" + ("\\*" if warned else "")
    return f"**{text}**" if share < LOW else text


def write_tables(corpora: int) -> str:
    """Run the simulations and write their tables."""
    plain = [Cell(area, size, share, corpora) for area in AREAS for size in SIZES for share in SHARES]
    clustered = [
        Cell(area, number * CLUSTER_SIZE, 0.4, corpora, number, spread)
        for spread in (False, True)
        for area in AREAS
        for number in CLUSTERS
    ]
    with ProcessPoolExecutor(PROCESSES) as pool:
        means = [(size, pool.submit(measure_means, size, corpora)) for size in LABEL_SIZES]
        found = list(pool.map(measure_area, [*plain, *clustered]))
    rows = [
        ((cell.area, cell.documents, f"{100 * cell.share:g}%"), own) for cell, own in zip(plain, found, strict=False)
    ]
    of_clusters = [
        (("spread" if cell.spread else "one", cell.area, cell.clusters), own)
        for cell, own in zip(clustered, found[len(plain) :], strict=True)
    ]
    of_means = [((size, mean), own) for size, measured in means for mean, own in measured.result().items()]
    error = 100 * math.sqrt(0.95 * 0.05 / corpora)
    return f"""
These tables show how often the 95% interval of ROC-AUC has the true area. Newcombe's interval is the one that isogloss
prints; DeLong's normal interval stands beside it. Each row has {corpora:,} simulated corpora; the standard error of a
coverage of 95% is {error:.1f}. Coverage below 93% is **bold**; a star means that runs have the warning `few-units`. An
interval that DeLong's variance does not define counts as one without the true area.

Newcombe's interval covers more than 97% near an area of 1, because normal scores vary less there than the exponential
scores of its variance. It is then wider than it has to be.

### Independent documents

{write_table(("true AUC", "documents", "positives"), rows)}

### Clusters

Clusters of {CLUSTER_SIZE} documents that share half of the variance of their scores; 40% of the documents are positive.
`verdicts` says whether the documents of a cluster have one verdict or verdicts are spread over all clusters.

{write_table(("verdicts", "true AUC", "clusters"), of_clusters)}

### Means over labels

Three exclusive labels with 60%, 30% and 10% of the documents.

{write_table(("documents", "mean"), of_means)}
"""
