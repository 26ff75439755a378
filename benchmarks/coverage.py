"""Simulate how often the intervals of isogloss contain the true score, and write docs/coverage.md.

    python benchmarks/coverage.py --write              # 5,000 corpora a cell; 2,000 of scores that need resamples
    python benchmarks/coverage.py --write --only auc   # ROC-AUC alone; the other tables of the page stay as they are
    python benchmarks/coverage.py --quick              # a tenth, printed only

The counts of many corpora are drawn at once. Trials and variances between units are computed for all of them by the
formulae of a ratio; `tests/benchmarks/test_coverage.py` compares these with the package, which knows no formula. The
functions of the package compute each interval. The bootstrap of the same corpora stands beside it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import exp, lgamma, log
from pathlib import Path
from typing import Any

import coverage_auc
import coverage_bootstrap
import numpy as np
from numpy.typing import NDArray

from isogloss.runs.interval_warnings import ENOUGH_SUPPORT, ENOUGH_UNITS
from isogloss.stats.bootstrap import draw_weights
from isogloss.stats.intervals import (
    Interval,
    compute_design_effect_interval,
    compute_difference_interval,
    compute_modified_wilson_interval,
    compute_mover_interval,
)
from isogloss.stats.unit_variance import RatioEvidence

PAGE = Path(__file__).parent.parent / "docs" / "coverage.md"
SEED = 12345
CORPORA = 5000
LARGE = 2000  # units from which a cell has fewer corpora
CORPORA_OF_LARGE = 2000
QUICK = 10  # a tenth of the corpora
RESAMPLES = 1000
TRUE = (0.5, 0.8, 0.95, 0.98, 0.995)
CORRELATIONS = (0.0, 0.15, 0.3)
SPANS_PER_DOCUMENT = 3.0
SHARES = (0.5, 0.3, 0.18, 0.02)  # of labels
GOAL = 93.0
PARTS = ("ratios", "auc", "bootstrap")
AUC_HEADING, BOOTSTRAP_HEADING = "## ROC-AUC\n", "## Scores that need resamples\n"
Floats = NDArray[np.float64]
Random = np.random.Generator


@dataclass(frozen=True)
class Ratios:
    """A ratio in many corpora.

    Args:
        parts: (corpora, units) numerators.
        wholes: (corpora, units) numbers of trials.
    """

    parts: Floats
    wholes: Floats

    def compute_values(self) -> Floats:
        """Compute the ratio of each corpus: (corpora,)."""
        with np.errstate(invalid="ignore"):
            values: Floats = self.parts.sum(axis=1) / self.wholes.sum(axis=1)
        return values

    def compute_influences(self) -> Floats:
        """Compute the influence of each unit: (corpora, units)."""
        total = np.maximum(self.wholes.sum(axis=1), 1e-300)[:, None]
        return np.nan_to_num((self.parts - self.compute_values()[:, None] * self.wholes) / total)

    def list_evidence(self) -> list[RatioEvidence]:
        """Return what the interval of each corpus rests on."""
        trials, units = self.wholes.sum(axis=1), (self.wholes > 0).sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            size = np.nan_to_num(np.square(self.wholes).sum(axis=1) / trials)
            variance = np.where(units > 1, units / (units - 1), np.nan) * np.square(self.compute_influences()).sum(1)
        rows = zip(self.compute_values(), trials, units, size, variance, strict=True)
        return [RatioEvidence(float(p), float(n), int(k), float(m), float(v)) for p, n, k, m, v in rows]

    def draw_resamples(self) -> Floats:
        """Compute the ratio in bootstrap resamples: (resamples, corpora)."""
        parts, wholes = _resample(self.parts), _resample(self.wholes)
        with np.errstate(invalid="ignore"):
            values: Floats = parts / wholes
        return values


def _resample(counts: Floats) -> Floats:
    """Sum the units of each resample: (corpora, units) -> (resamples, corpora)."""
    units = counts.shape[1]
    pieces = draw_weights(np.ones(units, np.int64), RESAMPLES, SEED)
    return np.concatenate([weights.astype(np.float64) @ counts.T for weights in pieces])


@dataclass(frozen=True)
class Cell:
    """Result of a cell, in percent.

    Args:
        coverage: coverage of the default interval.
        error: its Monte Carlo error.
        drawn: coverage of the bootstrap.
        width: mean width of the default interval.
        drawn_width: mean width of the bootstrap's.
        warned: share of the corpora whose run has a warning.
    """

    coverage: float
    error: float
    drawn: float
    width: float
    drawn_width: float
    warned: float

    def __str__(self) -> str:
        """Write coverage, that of the bootstrap, and the mean widths."""
        if np.isnan(self.coverage):
            return "–"
        mark = "" if self.coverage >= GOAL else "**"
        star = "\\*" if self.warned >= 50 else ""  # noqa: PLR2004  of 100
        return f"{mark}{self.coverage:.1f}{mark}{star} ({self.drawn:.1f}); {self.width:.3f} ({self.drawn_width:.3f})"


def measure_cell(
    truths: float | Floats, intervals: Sequence[Interval], drawn: Floats, warned: NDArray[np.bool_]
) -> Cell:
    """Compare intervals with the truth.

    Args:
        truths: the true score, or that of each corpus.
        intervals: interval of each corpus; nan if the corpus does not have the score.
        drawn: (resamples, corpora) bootstrap.
        warned: (corpora,) whether the run has a warning.
    """
    ends = np.array([(each.low, each.high) for each in intervals])
    has = ~np.isnan(ends[:, 0])
    if not has.any():
        return Cell(np.nan, np.nan, np.nan, np.nan, np.nan, np.nan)
    tails = np.full_like(ends, np.nan)
    tails[has] = _find_tails(drawn[:, has])
    rates = []
    for low, high in (ends.T, tails.T):
        inside = (low <= truths + 1e-12) & (truths - 1e-12 <= high)
        rates.append((100 * inside[has].mean(), (high - low)[has].mean()))
    (coverage, width), (other, drawn_width) = rates
    error = float(np.sqrt(max(coverage * (100 - coverage), 1) / has.sum()))
    return Cell(coverage, error, other, width, drawn_width, 100 * warned[has].mean())


def _find_tails(drawn: Floats) -> Floats:
    """Return the percentiles of the defined resamples (resamples, corpora): (corpora, 2)."""
    compute = np.nanquantile if np.isnan(drawn).any() else np.quantile
    tails: Floats = compute(drawn, [0.025, 0.975], axis=0).T
    return tails


def draw_verdicts(random: Random, trials: Any, true: float, correlation: float) -> Floats:
    """Draw how many trials of each unit are right, from a beta-binomial distribution."""
    return random.binomial(trials, draw_chances(random, np.shape(trials), true, correlation)).astype(np.float64)


def draw_chances(random: Random, shape: tuple[int, ...], true: float, correlation: float) -> Floats:
    """Draw the chance of each unit; trials of one unit have this correlation."""
    if not correlation:
        return np.full(shape, true)
    strength = 1 / correlation - 1
    return random.beta(true * strength, (1 - true) * strength, shape)


def simulate_accuracy(random: Random, corpora: int, units: int, true: float, correlation: float) -> Cell:
    """Accuracy: one verdict for each document."""
    del correlation
    right = random.binomial(1, true, (corpora, units)).astype(np.float64)
    intervals = [compute_modified_wilson_interval(number, units) for number in range(units + 1)]
    drawn = Ratios(right, np.ones_like(right)).draw_resamples()
    own = [intervals[int(number)] for number in right.sum(axis=1)]
    cell = measure_cell(true, own, drawn, np.full(corpora, units < ENOUGH_UNITS))
    chances = [compute_binomial_chance(number, units, true) for number in range(units + 1)]
    inside = [each.low <= true <= each.high for each in intervals]
    widths = [each.high - each.low for each in intervals]
    return replace(cell, coverage=100 * float(np.dot(inside, chances)), error=0.0, width=float(np.dot(widths, chances)))


def compute_binomial_chance(number: int, trials: int, chance: float) -> float:
    """Compute the chance of a number of successes."""
    ways = lgamma(trials + 1) - lgamma(number + 1) - lgamma(trials - number + 1)
    return exp(ways + number * log(chance) + (trials - number) * log(1 - chance))


def simulate_clusters(random: Random, corpora: int, units: int, true: float, correlation: float) -> Cell:
    """m-ETA by entity: clusters of 1 or more sentences, 5 in the mean."""
    trials = 1 + random.poisson(4, (corpora, units))
    return _measure_ratios(Ratios(draw_verdicts(random, trials, true, correlation), trials.astype(float)), true, units)


def simulate_recall(random: Random, corpora: int, units: int, true: float, correlation: float) -> Cell:
    """Recall of spans: documents with 3 spans in the mean, also with none."""
    trials = random.poisson(SPANS_PER_DOCUMENT, (corpora, units))
    return _measure_ratios(Ratios(draw_verdicts(random, trials, true, correlation), trials.astype(float)), true, units)


def simulate_tokens(random: Random, corpora: int, units: int, true: float, correlation: float) -> Cell:
    """Accuracy of tokens: documents of 20 tokens in the mean."""
    trials = 1 + random.poisson(19, (corpora, units))
    return _measure_ratios(Ratios(draw_verdicts(random, trials, true, correlation), trials.astype(float)), true, units)


def _measure_ratios(ratios: Ratios, true: float, units: int) -> Cell:
    intervals = [compute_design_effect_interval(each) for each in ratios.list_evidence()]
    return measure_cell(true, intervals, ratios.draw_resamples(), np.full(len(ratios.parts), units < ENOUGH_UNITS))


def draw_f_measures(random: Random, chances: Floats, spans: float) -> Ratios:
    """Draw spans of documents with a chance (corpora, units) to be found, and as many spurious ones as missed ones."""
    possible = random.poisson(spans, chances.shape)
    found = random.binomial(possible, chances)
    actual = found + random.poisson(spans * (1 - chances))
    return Ratios(found.astype(np.float64), (possible + actual) / 2)


def simulate_f(random: Random, corpora: int, units: int, true: float, correlation: float) -> Cell:
    """F1 of spans: documents with 3 reference spans in the mean."""
    chances = draw_chances(random, (corpora, units), true, correlation)
    return _measure_ratios(draw_f_measures(random, chances, SPANS_PER_DOCUMENT), true, units)


def simulate_document_mean(random: Random, corpora: int, units: int, true: float, correlation: float) -> Cell:
    """Mean of F1 over documents that have spans."""
    found = _average_documents(random, (corpora, units), true, correlation)
    many = _average_documents(random, (1, 400_000), true, correlation)
    return _measure_ratios(found, float(many.compute_values()[0]), units)


def _average_documents(random: Random, shape: tuple[int, int], true: float, correlation: float) -> Ratios:
    drawn = draw_f_measures(random, draw_chances(random, shape, true, correlation), SPANS_PER_DOCUMENT)
    has = drawn.wholes > 0
    return Ratios(np.where(has, drawn.parts / np.where(has, drawn.wholes, 1), 0), has.astype(np.float64))


def simulate_macro(random: Random, corpora: int, units: int, true: float, correlation: float) -> Cell:
    """Macro F1 over the labels that occur; four labels with 50, 30, 18 and 2 percent of the spans."""
    chances = draw_chances(random, (corpora, units), true, correlation)
    labels = [draw_f_measures(random, chances, SPANS_PER_DOCUMENT * share) for share in SHARES]
    return _measure_means(labels, true)


def simulate_rare_label(random: Random, corpora: int, units: int, true: float, correlation: float) -> Cell:
    """F1 of a label with 2 percent of the spans, where it occurs."""
    chances = draw_chances(random, (corpora, units), true, correlation)
    ratios = draw_f_measures(random, chances, SPANS_PER_DOCUMENT * SHARES[-1])
    intervals = [compute_design_effect_interval(each) for each in ratios.list_evidence()]
    return measure_cell(true, intervals, ratios.draw_resamples(), ratios.wholes.sum(axis=1) < ENOUGH_SUPPORT)


def _measure_means(labels: Sequence[Ratios], true: float) -> Cell:
    units = labels[0].parts.shape[1]
    evidence = list(zip(*(label.list_evidence() for label in labels), strict=True))  # (corpora, labels)
    influences = np.stack([label.compute_influences() for label in labels])  # (labels, corpora, units)
    products = np.einsum("icu,jcu->cij", influences, influences)
    scale = np.sqrt(np.einsum("cii->ci", products))
    outer = scale[:, :, None] * scale[:, None]
    correlations = np.where(outer > 0, products / np.where(outer > 0, outer, 1), 0)
    correlations[:, range(len(labels)), range(len(labels))] = 1
    intervals = [compute_mover_interval(own, r, units) for own, r in zip(evidence, correlations, strict=True)]
    support = np.stack([label.wholes.sum(axis=1) for label in labels])
    warned = ((support > 0) & (support < ENOUGH_SUPPORT)).any(axis=0) | (units < ENOUGH_UNITS)
    return measure_cell(true, intervals, _average_defined([label.draw_resamples() for label in labels]), warned)


def _average_defined(values: Sequence[Floats]) -> Floats:
    """Average the defined values of each place; nan without any."""
    stacked = np.stack(values)
    known = ~np.isnan(stacked)
    number = known.sum(axis=0)
    return np.where(number > 0, np.where(known, stacked, 0).sum(axis=0) / np.maximum(number, 1), np.nan)


def simulate_difference(random: Random, corpora: int, units: int, true: float, correlation: float) -> Cell:
    """Difference in recall of two systems, the other one 2/3 as often wrong, on the same documents."""
    return _measure_differences(random, random.poisson(SPANS_PER_DOCUMENT, (corpora, units)), true, correlation)


def simulate_token_difference(random: Random, corpora: int, units: int, true: float, correlation: float) -> Cell:
    """Difference in accuracy of tokens, drawn in the same way, in documents of 20 tokens in the mean."""
    return _measure_differences(random, 1 + random.poisson(19, (corpora, units)), true, correlation)


def _measure_differences(random: Random, trials: NDArray[np.int64], true: float, correlation: float) -> Cell:
    better = 1 - (1 - true) * 2 / 3
    corpora, units = trials.shape
    chances = draw_chances(random, trials.shape, true, correlation)
    both = random.binomial(trials, chances)
    fixed = random.binomial(trials - both, 1 / 3)  # of the errors of the first system
    systems = [Ratios(right.astype(np.float64), trials.astype(np.float64)) for right in (both, both + fixed)]
    moved = systems[1].compute_influences() - systems[0].compute_influences()
    values = systems[1].compute_values() - systems[0].compute_values()
    number = (trials > 0).sum(axis=1)
    variances = number / np.maximum(number - 1, 1) * np.square(moved).sum(axis=1)
    rows = zip(systems[0].list_evidence(), values.tolist(), variances.tolist(), strict=True)
    intervals = [compute_difference_interval(replace(own, value=d, variance=v)) for own, d, v in rows]
    drawn = systems[1].draw_resamples() - systems[0].draw_resamples()
    return measure_cell(better - true, intervals, drawn, np.full(corpora, units < ENOUGH_UNITS))


Simulate = Callable[[Random, int, int, float, float], Cell]


@dataclass(frozen=True)
class Kind:
    """Scores of one kind: a table of the page.

    Args:
        title: heading.
        method: method of the intervals.
        simulate: draws and measures a cell.
        units: numbers of units.
        unit: name of the unit.
        correlations: correlations of trials in one unit.
        true: true scores.
    """

    title: str
    method: str
    simulate: Simulate
    units: tuple[int, ...]
    unit: str = "documents"
    correlations: tuple[float, ...] = CORRELATIONS
    true: tuple[float, ...] = TRUE
    cells: dict[tuple[int, float, float], Cell] = field(default_factory=dict)

    def run(self, corpora: int) -> None:
        """Simulate all cells, each with a seed of its own.

        Args:
            corpora: number of corpora; cells with many units have at most `CORPORA_OF_LARGE`.
        """
        name = sum(map(ord, self.title))
        for units in self.units:
            number = corpora if units < LARGE else min(corpora, CORPORA_OF_LARGE)
            for correlation in self.correlations:
                for true in self.true:
                    random = np.random.default_rng([SEED, name, units, round(1000 * correlation), round(1000 * true)])
                    self.cells[units, correlation, true] = self.simulate(random, number, units, true, correlation)

    def draw(self) -> Iterator[str]:
        """Yield the lines of the table."""
        description = (self.simulate.__doc__ or "").strip()
        error = np.nanmax([cell.error for cell in self.cells.values()])
        yield from (f"## {self.title}", "", f"{description} Method `{self.method}`.", "")
        heads = [
            self.unit,
            *(["correlation"] if len(self.correlations) > 1 else []),
            *(f"{true:g}" for true in self.true),
        ]
        yield from (f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}")
        for units in self.units:
            for correlation in self.correlations:
                row = [f"{units:,}", *([f"{correlation:g}"] if len(self.correlations) > 1 else [])]
                row += [str(self.cells[units, correlation, true]) for true in self.true]
                yield f"| {' | '.join(row)} |"
        yield from ("", *([f"Monte Carlo error: at most {error:.1f}.", ""] if error else []))


def list_kinds() -> list[Kind]:
    """List the tables of the page."""
    documents, clusters = (10, 20, 50, 200, 1000, 2000), (5, 10, 20, 60, 300)
    make = partial(Kind, units=(10, 20, 50, 200, 1000, 2000))
    return [
        Kind("Accuracy", "wilson-modified", simulate_accuracy, documents, correlations=(0.0,)),
        Kind("m-ETA by entity", "wilson-deff", simulate_clusters, clusters, "clusters"),
        make("Recall", "wilson-deff", simulate_recall),
        Kind("Accuracy of tokens", "wilson-deff", simulate_tokens, (10, 50, 200)),
        make("F1", "wilson-deff", simulate_f),
        make("Mean over documents", "wilson-deff", simulate_document_mean),
        make("Macro F1", "mover", simulate_macro, correlations=(0.0, 0.15), true=(0.5, 0.78, 0.95, 0.98, 0.995)),
        make("F1 of a rare label", "wilson-deff", simulate_rare_label, correlations=(0.0, 0.15)),
        make("Difference of two systems", "agresti-min", simulate_difference),
        Kind("Difference of two systems in tokens", "agresti-min", simulate_token_difference, (10, 50, 200)),
    ]


INTRODUCTION = """\
# Coverage

How often does a 95% interval contain the true score? `python benchmarks/coverage.py --write` draws {corpora:,} corpora
for each cell of the tables below, {large:,} if they have {units:,} documents, and counts. The methods are described
under [intervals](intervals.md). [ROC-AUC](#roc-auc) and [scores that need resamples](#scores-that-need-resamples) have
tables of their own.

A cell has the coverage in percent and the mean width of the default interval, each with that of the bootstrap
(`--interval bootstrap`, 1,000 resamples) in parentheses: `95.1 (43.8); 0.120 (0.034)`. Columns are true scores. The
correlation is that of right and wrong things in one document or cluster. More than 97 is conservative: the interval is
wider than necessary.

- A star means that most runs of the cell have a [warning](intervals.md#warnings), `few-units` or `low-support`.
- **Bold** coverage is below 93%: {below}.
- The coverage and width of the default interval of accuracy are exact: they sum over the binomial distribution.
- Macro F1 and the rare label are measured over the labels that occur in a corpus. A label in fewer than three
  documents has no interval.

{summary}
"""


def write_page(kinds: Sequence[Kind], corpora: int) -> str:
    """Write the page, without ROC-AUC."""
    cells = [(kind, at, cell) for kind in kinds for at, cell in kind.cells.items() if not np.isnan(cell.coverage)]
    below = [(kind, at, cell) for kind, at, cell in cells if cell.coverage < GOAL]
    unwarned = [cell for _, _, cell in below if cell.warned < 50]  # noqa: PLR2004  of 100
    drawn = sum(cell.drawn < GOAL for _, _, cell in cells)
    said = f"{len(below)} of {len(cells)} cells, {len(unwarned)} of them without a warning"
    lowest = min(cell.coverage for _, _, cell in cells)
    high = sum(cell.coverage > 97 for _, _, cell in cells)  # noqa: PLR2004  percent
    summary = (
        f"The lowest coverage of the default is {lowest:.1f}%, and {high} cells are conservative. The bootstrap covers "
        f"less than 93% in {drawn} cells, {min(cell.drawn for _, _, cell in cells):.1f}% in the worst."
    )
    lines = [
        INTRODUCTION.format(
            corpora=corpora, large=min(corpora, CORPORA_OF_LARGE), units=LARGE, below=said, summary=summary
        )
    ]
    for kind in kinds:
        lines += kind.draw()
    return "\n".join(lines).rstrip() + "\n"


def simulate_page(part: str, divisor: int) -> str:
    """Simulate one part of the page with a share of the corpora."""
    if part == "auc":
        return AUC_HEADING + coverage_auc.write_tables(coverage_auc.CORPORA // divisor)
    if part == "bootstrap":
        return BOOTSTRAP_HEADING + coverage_bootstrap.write_tables(coverage_bootstrap.CORPORA // divisor)
    kinds = list_kinds()
    for kind in kinds:
        began = time.process_time()
        kind.run(CORPORA // divisor)
        print(f"{kind.title}: {time.process_time() - began:.0f} s", file=sys.stderr)
    return write_page(kinds, CORPORA // divisor)


def main() -> None:
    """Run the simulation."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the corpora, and print the page")
    parser.add_argument("--write", action="store_true", help="write docs/coverage.md")
    parser.add_argument("--only", choices=PARTS, help="simulate one part of the page, and keep the others")
    options = parser.parse_args()
    known, heading, own = PAGE.read_text(encoding="utf-8").partition(AUC_HEADING)
    own, drawn_heading, drawn = own.partition(BOOTSTRAP_HEADING)
    pages = {"ratios": known, "auc": heading + own, "bootstrap": drawn_heading + drawn}
    for part in PARTS if options.only is None else (options.only,):
        pages[part] = simulate_page(part, QUICK if options.quick else 1)
    page = "\n".join(text.strip() + "\n" for text in pages.values())
    if options.write:
        PAGE.write_text(page, encoding="utf-8")
    else:
        print(page)


if __name__ == "__main__":
    main()
