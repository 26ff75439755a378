"""Measure how often the bootstrap's 95% interval has the true score, for scores that have no other interval.

`benchmarks/coverage.py` runs it and writes its tables into docs/coverage.md.

Average precision: scores are normal with standard deviation 1, those of positive documents are higher by d, and every
corpus has the same number of positives. The true average precision is that of a million documents. Means of mixing: a
share of the utterances is mixed, and the index of a mixed one is uniform from 10 to 50, as the CMI of 100 often is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from internals import Interval, compute_logit_interval, compute_percentile_intervals

from isogloss.runs.interval_warnings import ENOUGH_RESAMPLED, ENOUGH_SUPPORT, ENOUGH_UNITS

DISTANCES = (0.8, 1.6, 2.8)
SIZES = (50, 100, 200, 1000)
POSITIVES = (0.5, 0.2, 0.05)
UTTERANCES = (10, 20, 50, 200, 500, 1000, 2000)
MIXED = (0.05, 0.2, 0.5, 0.9)
CORPORA = 2000
RESAMPLES = 400
LARGE = 1_000_000
LOW = 0.93
PROCESSES = 2


@dataclass(frozen=True)
class Design:
    """A design of corpora.

    Args:
        documents: number of documents or utterances.
        share: share of positive documents, or of mixed utterances.
        distance: of the scores of positive documents from the others; None for a mean of mixing.
    """

    documents: int
    share: float
    distance: float | None = None


@dataclass(frozen=True)
class Measured:
    """What was measured.

    Args:
        truth: the true score.
        coverage: share of the default intervals that have it; nan if there are none.
        of_percentiles: the same for percentiles of resamples.
        width: mean width of the default intervals.
        percentile_width: the same for percentiles of resamples.
        warned: whether runs of the design have a warning.
    """

    truth: float
    coverage: float
    of_percentiles: float
    width: float
    percentile_width: float
    warned: bool


def measure_coverage(design: Design, corpora: int) -> Measured:
    """Draw corpora of a design, and count the intervals with the true score."""
    generator = np.random.default_rng(
        [10, design.documents, round(1000 * design.share), round(10 * (design.distance or 0))]
    )
    measure = _measure_mixing if design.distance is None else _measure_precision
    truth, intervals = measure(design, corpora, generator)
    ends = np.array([[(each.low, each.high) for each in pair] for pair in intervals])  # (corpora, 2, 2)
    low, high = ends[..., 0].T, ends[..., 1].T  # (2, corpora): the default, and percentiles
    rare = design.distance is not None and _count_positives(design) < ENOUGH_SUPPORT
    covered = np.where(np.isnan(low).all(axis=1), np.nan, ((low <= truth) & (truth <= high)).mean(axis=1)).tolist()
    warned = rare or design.documents < (ENOUGH_UNITS if design.distance else ENOUGH_RESAMPLED)
    return Measured(truth, *covered, *(high - low).mean(axis=1).tolist(), warned)


def _count_positives(design: Design) -> int:
    return max(1, round(design.documents * design.share))


def _measure_precision(design: Design, corpora: int, generator: Any) -> tuple[float, list[tuple[Interval, Interval]]]:
    """Return the true average precision, and the interval of each corpus."""
    gold = np.arange(design.documents) < _count_positives(design)  # (documents,)
    many = np.arange(LARGE) < LARGE * gold.mean()
    ones = np.ones((1, LARGE), np.int64)
    truth = float(compute_precision(_draw_scores(many, design, generator), many, ones)[0])
    freedom = min(gold.sum(), len(gold) - gold.sum()) - 1
    weights = np.concatenate([np.ones((1, len(gold)), np.int64), _draw_weights(design, generator)]).astype(np.float32)
    found = []
    for _ in range(corpora):
        value, *samples = compute_precision(_draw_scores(gold, design, generator), gold, weights)
        found.append((compute_logit_interval(value, np.array(samples), freedom), _find_interval(np.array(samples))))
    return truth, found


def _draw_scores(gold: Any, design: Design, generator: Any) -> Any:
    return generator.normal(size=len(gold)) + gold * design.distance


def compute_precision(scores: Any, gold: Any, weights: Any) -> Any:
    """Compute the average precision of weighted documents: (draws,).

    Args:
        scores: (documents,) different scores.
        gold: (documents,) whether a document is positive.
        weights: (draws, documents) how often each document occurs.
    """
    order = np.argsort(-scores)
    drawn = weights[:, order]
    hits = drawn * gold[order]
    found = np.cumsum(hits, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        precision = np.nan_to_num(found / np.cumsum(drawn, axis=1))
        return (hits * precision).sum(axis=1) / found[:, -1]


def _measure_mixing(design: Design, corpora: int, generator: Any) -> tuple[float, list[tuple[Interval, Interval]]]:
    """Return the true mean, and the interval of each corpus."""
    weights, found = _draw_weights(design, generator), []
    for _ in range(corpora):
        mixed = generator.random(design.documents) < design.share
        values = mixed * generator.uniform(10, 50, design.documents)
        interval = _find_interval(weights @ values / design.documents)
        found.append((interval, interval))
    return 30 * design.share, found


def _draw_weights(design: Design, generator: Any) -> Any:
    """Draw resamples (resamples, documents), the same for all corpora, as isogloss has one seed for all."""
    return generator.multinomial(design.documents, np.full(design.documents, 1 / design.documents), RESAMPLES)


def _find_interval(samples: Any) -> Interval:
    return compute_percentile_intervals({("score",): samples})["score",]


def write_table(heads: Sequence[str], rows: Iterable[tuple[Sequence[object], Measured]], digits: int) -> str:
    """Write a table in Markdown."""
    titles = [*heads, "true score", "covered", "percentiles", "width", "width, percentiles"]
    body = [
        [
            *(*map(str, names), f"{own.truth:.{digits}f}", _write_coverage(own), f"{100 * own.of_percentiles:.1f}"),
            *("" if math.isnan(width) else f"{width:.{digits}f}" for width in (own.width, own.percentile_width)),
        ]
        for names, own in rows
    ]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (titles, ["---"] * len(titles), *body))


def _write_coverage(own: Measured) -> str:
    if math.isnan(own.coverage):
        return "no interval"
    text = f"{100 * own.coverage:.1f}" + ("\\*" if own.warned else "")
    return f"**{text}**" if own.coverage < LOW else text


def write_tables(corpora: int) -> str:
    """Run the simulations and write their tables."""
    precision = [Design(size, share, distance) for distance in DISTANCES for size in SIZES for share in POSITIVES]
    mixing = [Design(size, share) for share in MIXED for size in UTTERANCES]
    designs = [*precision, *mixing]
    with ProcessPoolExecutor(PROCESSES) as pool:
        found = dict(zip(designs, pool.map(measure_coverage, designs, [corpora] * len(designs)), strict=True))
    areas = [((each.documents, f"{100 * each.share:g}%"), found[each]) for each in precision]
    means = [((each.documents, f"{100 * each.share:g}%"), found[each]) for each in mixing]
    error = 100 * math.sqrt(0.95 * 0.05 / corpora)
    return f"""
Average precision, and means of mixing, need resamples. Each row has {corpora:,} simulated corpora of {RESAMPLES}
resamples each; the standard error of a coverage of 95% is {error:.1f}. Beside the [default](intervals.md) stand
percentiles of the same resamples. A star means that runs have a warning; **bold** coverage is below 93%.

### Average precision

Method `logit-t`. A label in fewer than three documents has no interval.

{write_table(("documents", "positives"), areas, 3)}

### Means of mixing

The CMI of 100, a mean over utterances: method `bootstrap`, percentiles. A share of the utterances is mixed. Percentiles
of few utterances are too narrow, so runs with fewer than {ENOUGH_RESAMPLED:,} have the warning `few-resampled`.

{write_table(("utterances", "mixed"), means, 1)}

### Intervals without a table

Scores of the profile `fair`, BLEU and COMET beside entity translation, and the corpus measures of code-mixing (such as
M-index and burstiness) have percentiles too. They have no table, because their true values depend on the texts;
the warning `few-resampled` holds for them.
"""
