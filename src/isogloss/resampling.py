"""The bootstrap over documents (or clusters of them) from a tally, and averages over documents.

The draws depend on the distinct documents, their multiplicities and the seed: on no partition and no order. Drawing n
documents with replacement is drawing how often each distinct document comes up, a multinomial, so that it costs the
distinct documents and not all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from isogloss.counts import Counts, Sums, Tally
from isogloss.metric import OrderMetric
from isogloss.ranking import Influence, Ranking
from isogloss.scores import Floats, Ints, Key, Scores, path

Score = Callable[[Sums], Scores]
HELD = 2**22  # numbers held at a time
MULTINOMIAL = 8  # a multinomial costs about this many index draws per distinct document


@dataclass(frozen=True)
class Interval:
    """An interval of a score.

    Args:
        low: lower end, nan when every resample was undefined.
        high: upper end.
        level: confidence level in (0, 1).
        method: `bootstrap` or `delong`.
        undefined: resamples that had no score and were left out.
    """

    low: float
    high: float
    level: float
    method: str
    undefined: int = 0


@dataclass(frozen=True)
class Spread:
    """A score over single documents, those left out for which it is undefined.

    Args:
        mean: mean over documents.
        std: standard deviation of the sample (ddof 1), nan for fewer than two documents.
        min: smallest.
        max: largest.
        documents: how many documents have the score.
    """

    mean: float
    std: float
    min: float
    max: float
    documents: int


def draws(times: Ints, resamples: int, seed: int, width: int = 1) -> Iterator[Ints]:
    """Bootstrap weights in pieces (draws, distinct), each row adding up to `times.sum()`.

    Args:
        times: (distinct,) how often each distinct document occurs.
        resamples: how many draws there are in all.
        seed: seed of the generator. The size of the pieces changes no draw.
        width: how many numbers the reader of a piece makes of each draw: it bounds memory too.
    """
    generator, total, kinds = np.random.default_rng(seed), int(times.sum()), len(times)
    step = max(1, HELD // max(1, kinds, width))
    few = kinds * MULTINOMIAL < total
    kind = np.zeros(0, np.int64) if few else np.repeat(np.arange(kinds), times)
    for low in range(0, resamples, step):
        number = min(step, resamples - low)
        if few:
            yield generator.multinomial(total, times / total, size=number)
        else:
            picks = (kind[generator.integers(0, total, total)] for _ in range(number))
            yield np.stack([np.bincount(pick, minlength=kinds) for pick in picks])


def bootstrap(tally: Tally, score: Score, resamples: int = 1000, seed: int = 12345) -> Scores:
    """All scores of all resamples: leading axis resamples. No document, no resample."""
    if not len(tally.times):
        return {key: np.asarray(value)[None][:0] for key, value in score(tally.total()).items()}
    width = 8 * len(tally.rows.cells) * len(tally.rows.columns)
    pieces = [score(tally.weighted(weights)) for weights in draws(tally.times, resamples, seed, width)]
    return {key: np.concatenate([piece[key] for piece in pieces]) for key in pieces[0]}


def bootstrap_of_order(ranking: Ranking, metric: OrderMetric, resamples: int = 1000, seed: int = 12345) -> Scores:
    """All scores of a ranking for all resamples of its documents: leading axis resamples. No document, no resample."""
    times = np.ones(len(ranking.documents), np.int64)
    return metric.weighted(ranking, draws(times, resamples, seed, width=ranking.size) if len(times) else ())


def intervals(samples: Scores, level: float = 0.95) -> dict[Key, Interval]:
    """Percentile intervals of resampled scores (resamples,); undefined resamples are left out and counted."""
    tails = [(1 - level) / 2, (1 + level) / 2]
    result = {}
    for key, values in samples.items():
        defined = values[~np.isnan(values)]
        low, high = np.quantile(defined, tails).tolist() if len(defined) else (np.nan, np.nan)
        result[key] = Interval(low, high, level, "bootstrap", len(values) - len(defined))
    return result


def delong(influence: Influence, level: float = 0.95) -> dict[Key, Interval]:
    """Normal intervals from the contributions of documents, cut to [0, 1]."""
    half = NormalDist().inv_cdf((1 + level) / 2) * influence.errors()
    low = np.clip(influence.estimates - half, 0, 1).tolist()
    high = np.clip(influence.estimates + half, 0, 1).tolist()
    return {key: Interval(a, b, level, "delong") for key, a, b in zip(influence.keys, low, high, strict=True)}


def with_document_scores(tally: Tally, overall: Score) -> Tally:
    """The tally with each score of each single document as a measure, named by its path."""
    pieces = [overall(sums) for _, sums in tally.each()]
    names = tuple(pieces[0])
    measured = [tally.rows.measured]
    for key in names:
        values = np.concatenate([np.asarray(piece[key], np.float64) for piece in pieces])  # (distinct,)
        known = ~np.isnan(values)
        measured.append(np.stack([np.where(known, values, 0), known], axis=1)[:, None])
    rows = replace(
        tally.rows,
        measures=(*tally.rows.measures, *map(path, names)),
        measured=np.concatenate(measured, axis=1),
    )
    return replace(tally, rows=rows)


def scored_documents(counts: Counts, overall: Score) -> Counts:
    """Normal counts with each score of each single document as a measure: what clusters are grouped from."""
    tally, kind = Tally.with_kinds(counts)
    rows = with_document_scores(tally, overall).rows
    return replace(counts.normal(), measures=rows.measures, measured=rows.measured[kind])


def document_means(sums: Sums, of: Iterable[Key]) -> Scores:
    """Mean of scores over the documents that have them: scores like any other, so that they have intervals.

    Args:
        sums: sums of a tally `with_document_scores`.
        of: the scores.
    """
    return {("per_document", *key, "mean"): sums.mean(path(key)) for key in of}


def spreads(tally: Tally, overall: Score) -> dict[Key, Spread]:
    """Mean, standard deviation, minimum and maximum of scores over the single documents that have them.

    Nothing is kept of a document. The order of a tally does not depend on that of the documents, so neither does a bit
    of the result.

    Args:
        tally: documents, not clusters of them.
        overall: the scores.
    """
    result: dict[Key, Moments] = {}
    for at, sums in tally.each():
        times = tally.times[at]
        for key, values in overall(sums).items():
            found = Moments.of(np.asarray(values, np.float64), times)
            result[key] = result[key].with_more(found) if key in result else found
    return {key: moments.spread() for key, moments in result.items()}


@dataclass(frozen=True)
class Moments:
    """What a spread needs to know of some documents.

    Args:
        number: how many have the score.
        mean: its mean over them, 0 over none.
        squares: sum of the squared differences from it.
        min: smallest.
        max: largest.
    """

    number: int
    mean: float
    squares: float
    min: float
    max: float

    @classmethod
    def of(cls, values: Floats, times: Ints) -> Moments:
        """Of scores (distinct,), nan where there is none, of documents that occur `times` (distinct,) each."""
        has = ~np.isnan(values)
        if not has.all():
            values, times = values[has], times[has]
        number = int(times.sum())
        if not number:
            return cls(0, 0.0, 0.0, np.inf, -np.inf)
        mean = _weighted_sum(values, times) / number
        squares = _weighted_sum(np.square(values - mean), times)
        return cls(number, mean, squares, float(values.min()), float(values.max()))

    def with_more(self, other: Moments) -> Moments:
        """Those of these and other documents.

        Source: Chan, Golub and LeVeque (1979), updating formulae for sample variances.
        """
        number = self.number + other.number
        apart, share = other.mean - self.mean, other.number / max(1, number)
        return Moments(
            number,
            self.mean + apart * share,
            self.squares + other.squares + apart * apart * self.number * share,
            min(self.min, other.min),
            max(self.max, other.max),
        )

    def spread(self) -> Spread:
        """The spread."""
        if not self.number:
            return Spread(np.nan, np.nan, np.nan, np.nan, 0)
        std = float(np.sqrt(self.squares / (self.number - 1))) if self.number > 1 else np.nan
        return Spread(self.mean, std, self.min, self.max, self.number)


def _weighted_sum(values: Floats, times: Ints) -> float:
    return float((values * times).sum())
