"""Measure the type I error of every paired test: how often it finds a difference between two systems that do not differ.

    .venv/bin/python benchmarks/null_tests.py                    # writes docs/null-tests.md
    .venv/bin/python benchmarks/null_tests.py --quick            # a tenth of the simulations, prints the table

Each simulation draws a corpus and the output of two systems from one distribution, and calls `isogloss.compare`. The share
of p-values of at most 0.05 is the type I error. A test may reject less often (it is conservative), but not more.

Corpora of labels: each document has labels `a` (60%), `b` (30%) and `c` (10%), each independently. A system decides on each
label by itself and is right in about 80% of the decisions. Corpora of scores: 30% of the documents are positive, and the
scores of two normal distributions 1.4 standard deviations apart have a ROC-AUC of about .84. In corpora with clusters, n
is the number of clusters, each has 4 documents, and each system is better in some clusters than in others.

The tests use 99 trials or resamples, not 10,000: an exact level of .05 needs 19 trials, and more trials change the power
of a test but not its type I error.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

import isogloss

PAGE = Path(__file__).parents[1] / "docs" / "null-tests.md"
SIZES = (5, 10, 30, 100, 200)
ALPHA = 0.05
LOW, HIGH = 0.035, 0.065
TRIALS = 99
CLUSTER_SIZE = 4
LABELS = {"a": 0.6, "b": 0.3, "c": 0.1}
SIMULATIONS = 1000
PROCESSES = 2
LABEL_SCORES = {"accuracy": "overall.accuracy", "micro-F1": "micro.f1", "macro-F1": "macro.label.f1"}
RANKING_SCORES = {"ROC-AUC": "roc_auc.macro", "average precision": "average_precision.macro"}
Method = Literal["randomization", "bootstrap"]
Row = tuple[str, str]  # test and score


@dataclass(frozen=True)
class Cell:
    """A design of simulations.

    Args:
        documents: number of documents, or of clusters.
        clustered: whether documents come in clusters.
        simulations: number of corpora.
    """

    documents: int
    clustered: bool
    simulations: int

    @property
    def seed(self) -> list[int]:
        """Seed of the generator."""
        return [20261122, self.documents, int(self.clustered)]


def simulate(cell: Cell) -> tuple[Cell, Counter[Row], Counter[Row]]:
    """Count rejections and defined p-values of every test in one design."""
    generator = np.random.default_rng(cell.seed)
    rejected, tested = Counter[Row](), Counter[Row]()
    for _ in range(cell.simulations):
        for row, p in find_p_values(cell, generator):
            tested[row] += 1
            rejected[row] += not math.isnan(p) and p <= ALPHA
    return cell, rejected, tested


def find_p_values(cell: Cell, generator: np.random.Generator) -> Iterator[tuple[Row, float]]:
    """Yield the p-values of all tests on one corpus of labels and one of scores."""
    size = CLUSTER_SIZE if cell.clustered else 1
    clusters = np.repeat(np.arange(cell.documents), size)
    own = generator.normal(size=(2, cell.documents))[:, clusters] if cell.clustered else np.zeros((2, cell.documents))
    runs = draw_labels(own, clusters, generator)
    for method, scores in (("randomization", LABEL_SCORES), ("bootstrap", LABEL_SCORES)):
        pair = compare(runs, method, clustered=cell.clustered)
        yield from (((method, name), pair.scores[path].p) for name, path in scores.items())
    test = "McNemar by cluster" if cell.clustered else "McNemar"
    yield (test, "accuracy"), pair.compute_mcnemar_p("overall.accuracy")
    if cell.clustered:
        plain = compare(runs, "randomization", clustered=False)
        yield ("McNemar, clusters ignored", "accuracy"), plain.compute_mcnemar_p("overall.accuracy")
    runs = draw_scores(own, clusters, generator)
    for method in ("randomization", "bootstrap"):
        pair = compare(runs, method, clustered=cell.clustered)
        for name, path in RANKING_SCORES.items():
            found = pair.scores[path]
            test = "DeLong" if name == "ROC-AUC" else found.test_result.method
            if name != "ROC-AUC" or method == "randomization":
                yield (test, name), found.p


def compare(runs: list[isogloss.Run], method: Method, *, clustered: bool) -> Any:
    """Compare two runs."""
    unit = "cluster" if clustered else "document"
    (pair,) = isogloss.compare(*runs, method=method, trials=TRIALS, resamples=TRIALS, unit=unit).pairs
    return pair


def draw_labels(own: Any, clusters: Any, generator: np.random.Generator) -> list[isogloss.Run]:
    """Draw gold labels, and the labels of two systems.

    Args:
        own: (2, documents) how good each system is on each document.
        clusters: (documents,) cluster of each document.
        generator: source of randomness.
    """
    names = list(LABELS)
    gold = generator.random((len(clusters), len(names))) < [*LABELS.values()]
    right = generator.normal(size=(2, *gold.shape)) + own[..., None] < 0.84 * np.sqrt(1 + own.var())
    columns = {"cluster": [str(cluster) for cluster in clusters.tolist()]}
    reference, *systems = (
        [[names[k] for k in np.flatnonzero(row)] for row in side] for side in (gold, *(gold == right))
    )
    runs = (isogloss.classification(reference, system, multi_label=True, by=columns) for system in systems)
    return [replace(run, evidence=replace(run.evidence, slice_columns=())) for run in runs]  # no test of each cluster


def draw_scores(own: Any, clusters: Any, generator: np.random.Generator) -> list[isogloss.Run]:
    """Draw gold labels, and the scores of two systems.

    Args:
        own: (2, documents) how good each system is on each document.
        clusters: (documents,) cluster of each document.
        generator: source of randomness.
    """
    gold = generator.random(len(clusters)) < 0.3
    gold[:2] = True, False
    side = np.where(gold, 1.0, -1.0)
    score = generator.normal(size=(2, len(gold))) + side * (0.7 + 0.5 * own)
    columns = {"cluster": [str(cluster) for cluster in clusters.tolist()]}
    reference = np.where(gold, "pos", "neg").tolist()
    scores = [[{"pos": x, "neg": -x} for x in each] for each in score.tolist()]
    runs = [isogloss.classification(reference, each, by=columns) for each in scores]
    tallies = [replace(run.evidence.tally_evidence, slice_columns=()) for run in runs]
    return [
        replace(run, evidence=replace(run.evidence, tally_evidence=tally))
        for run, tally in zip(runs, tallies, strict=True)
    ]


def write_table(found: list[tuple[Cell, Counter[Row], Counter[Row]]], *, clustered: bool) -> str:
    """Write the table of corpora with or without clusters, in Markdown."""
    chosen = [each for each in found if each[0].clustered is clustered]
    heads = ["test", "score", *(f"n = {cell.documents}" for cell, _, _ in chosen)]
    rows = list(dict.fromkeys(row for _, _, tested in chosen for row in tested))
    body = [[*row, *(write_rate(rejected[row], tested[row]) for _, rejected, tested in chosen)] for row in rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heads, ["---"] * len(heads), *body))


def write_rate(rejected: int, tested: int) -> str:
    """Write a rate; one above the range in bold."""
    if not tested:
        return "–"
    text = f"{rejected / tested:.3f}".lstrip("0")
    return f"**{text}**" if rejected / tested > HIGH else text


def write_page(found: list[tuple[Cell, Counter[Row], Counter[Row]]]) -> str:
    """Write the page."""
    simulations = max(cell.simulations for cell, _, _ in found)
    error = math.sqrt(ALPHA * (1 - ALPHA) / simulations)
    return f"""# Tests under the null hypothesis

This page shows how often each paired test finds a difference at .05 between two systems that do not differ. A test is
right if that happens in 5% of the corpora, or less often. `benchmarks/null_tests.py` writes this page:

```sh
.venv/bin/python benchmarks/null_tests.py
```

Each cell is the share of {simulations:,} simulated corpora; its standard error is {error:.3f}. A share from {LOW} to {HIGH} is what
chance allows, a lower one is conservative, a higher one is **bold**. With 5 documents no exchange of systems can have a
p-value below 2 / 2⁵ = .0625, so the share is 0. Corpora and options are described at the top of the script.

## Independent documents

`n` is the number of documents.

{write_table(found, clustered=False)}

## Clusters of documents

`n` is the number of clusters; each has {CLUSTER_SIZE} documents, which are compared with `--unit`. The last row of McNemar's test shows
what happens without it.

{write_table(found, clustered=True)}
"""


def main() -> None:
    """Run the simulations."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the simulations; prints the page")
    parser.add_argument("--simulations", type=int, default=SIMULATIONS, help="simulations of each cell")
    arguments = parser.parse_args()
    number = arguments.simulations // 10 if arguments.quick else arguments.simulations
    cells = [Cell(documents, clustered, number) for documents in SIZES for clustered in (False, True)]
    with ProcessPoolExecutor(PROCESSES) as pool:
        found = sorted(pool.map(simulate, cells[::-1]), key=lambda each: (each[0].clustered, each[0].documents))
    if arguments.quick:
        print(write_page(found))
    else:
        PAGE.write_text(write_page(found), encoding="utf-8")


if __name__ == "__main__":
    main()
