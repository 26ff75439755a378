"""Measure the type I error of every paired test: how often it finds a difference where there is none.

    .venv/bin/python benchmarks/null_tests.py                    # writes docs/null-tests.md
    .venv/bin/python benchmarks/null_tests.py --only few         # one of its parts; the others stay as they are
    .venv/bin/python benchmarks/null_tests.py --quick            # a tenth of the simulations, prints the page

Each simulation draws a corpus, and the output of two systems from one distribution, and tests their scores with the
functions behind `isogloss.compare`. The share of p-values of at most 0.05 is the type I error.

Corpora of labels: each document has labels `a` (60%), `b` (30%) and `c` (10%), each independently. A system decides on
each label by itself and is right in about 80% of the decisions. Corpora of scores: 30% of the documents are positive,
and the scores of two normal distributions 1.4 standard deviations apart have a ROC-AUC of about .84. In corpora with
clusters, n is the number of clusters, each has 4 documents, and each system is better in some clusters than in others.
Corpora with few positives have scores alone, and the same number of positive documents each; with clusters, so many
clusters have one positive document. A slice is one half of the documents or clusters of one system.

The tests use 99 trials or resamples, not 10,000: a level of exactly .05 needs 19 trials, and more trials change the
power of a test but not its type I error.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from internals import (
    ENOUGH_VERDICTS,
    SystemPairs,
    bootstrap_test,
    compare_documents,
    compare_mean_ranks,
    compare_slices,
    count_score_verdicts,
    delong_test,
    randomization_test,
    ranking_bootstrap_test,
    ranking_randomization_test,
)

import isogloss

PAGE = Path(__file__).parents[1] / "docs" / "null-tests.md"
SIZES = (5, 10, 30, 100, 200)
ALPHA = 0.05
LOW, HIGH = 0.035, 0.065
TRIALS = 99
CLUSTER_SIZE = 4
LABELS = {"a": 0.6, "b": 0.3, "c": 0.1}
SIMULATIONS = 1000
FEW_FACTOR = 2  # times as many with few positives, where the limit of DeLong's test was found
PROCESSES = 2
LABEL_SCORES = {"accuracy": ("overall", "accuracy"), "micro-F1": ("micro", "f1"), "macro-F1": ("macro", "label", "f1")}
RANKING_SCORES = {"ROC-AUC": ("roc_auc", "macro"), "average precision": ("average_precision", "macro")}
CHUNK = 50  # simulations of one job
POSITIVES = 0.3
FEW_POSITIVES = (
    *((30, 2), (30, 5), (100, 2), (100, 5), (100, 10), (100, 20), (100, 25), (100, 30), (100, 50)),
    *((200, 2), (200, 10), (200, 20), (200, 30)),
)
SYSTEMS = (3, 10)  # whose mean ranks are compared
Row = tuple[str, str]  # test and score
BY_DEFAULT = ("DeLong, ranks if few", "ROC-AUC"), ("ranks, bootstrap if few", "average precision")


@dataclass(frozen=True)
class Cell:
    """A design of simulations.

    Args:
        documents: number of documents, or of clusters.
        clustered: whether documents come in clusters.
        positives: number of positive documents, or of clusters that have one; None for 30%, drawn at random.
        corpora: whether it has scores of many systems on so many corpora instead.
    """

    documents: int
    clustered: bool = False
    positives: int | None = None
    corpora: bool = False


Counted = tuple[Counter[Row], int]  # rejections of each test, and simulations


def simulate(cell: Cell, chunk: int) -> Counter[Row]:
    """Count rejections of every test in one chunk of a design."""
    few = [] if cell.positives is None else [cell.positives]
    generator = np.random.default_rng([20261122, cell.documents, int(cell.clustered), chunk, *few])
    rejected = Counter[Row]()
    for _ in range(CHUNK):
        for row, p in find_p_values(cell, generator):
            rejected[row] += not math.isnan(p) and p <= ALPHA
    return rejected


def list_cells(part: str) -> list[Cell]:
    """List the designs of one part of the page."""
    if part == "few":
        return [Cell(documents, by, number) for by in (False, True) for documents, number in FEW_POSITIVES]
    return [Cell(documents, clustered=part == "clusters", corpora=part == "ranks") for documents in SIZES]


def run_simulations(cells: list[Cell], number: int) -> dict[Cell, Counted]:
    """Run simulations of designs, the first chunk of each first."""
    jobs = [(cell, chunk) for chunk in range(max(1, number // CHUNK)) for cell in cells]
    found: dict[Cell, Counted] = {}
    with ProcessPoolExecutor(PROCESSES) as pool:
        for (cell, _), rejected in zip(jobs, pool.map(simulate, *zip(*jobs, strict=True)), strict=True):
            known, simulations = found.get(cell, (Counter[Row](), 0))
            known.update(rejected)
            found[cell] = known, simulations + CHUNK
    return found


def find_p_values(cell: Cell, generator: np.random.Generator) -> Iterator[tuple[Row, float]]:
    """Yield the p-values of all tests on one corpus of labels and one of scores, or on scores of many corpora."""
    if cell.corpora:
        yield from test_mean_ranks(cell.documents, generator)
        return
    size = CLUSTER_SIZE if cell.clustered else 1
    clusters = np.repeat(np.arange(cell.documents), size)
    own = generator.normal(size=(2, cell.documents))[:, clusters] if cell.clustered else np.zeros((2, cell.documents))
    units = clusters if cell.clustered else None
    if cell.positives is None:
        yield from test_labels(draw_labels(own, clusters, generator), units)
    yield from test_rankings(draw_scores(own, clusters, generator, cell.positives), units)


def test_labels(runs: list[isogloss.Run], clusters: Any) -> Iterator[tuple[Row, float]]:
    """Yield the p-values of tests of counts, of documents or of clusters."""
    one, two = (run.evidence for run in runs)
    documents = [evidence.document_counts.tallied for evidence in (one, two)]
    if clusters is None:
        pairs = SystemPairs.from_documents(*documents, one.score_overall_ratios)
    else:
        pairs = SystemPairs.from_documents(*(evidence.score_units("cluster") for evidence in (one, two)))
    for method, test in (("randomization", randomization_test), ("bootstrap", bootstrap_test)):
        found = test(pairs, one.score_ratios, TRIALS)
        yield from (((method, name), found[key].p) for name, key in LABEL_SCORES.items())
    verdicts = compare_documents(*documents, one.score_overall_ratios)["overall", "accuracy"]
    yield ("McNemar" if clusters is None else "McNemar by cluster", "accuracy"), verdicts.compute_mcnemar_p(clusters)
    if clusters is not None:
        yield ("McNemar, clusters ignored", "accuracy"), verdicts.compute_mcnemar_p()
    for name in ("accuracy", "micro-F1"):
        yield test_slice(runs[0], name, ".".join(LABEL_SCORES[name]), clusters)


def test_slice(run: isogloss.Run, name: str, path: str, clusters: Any) -> tuple[Row, float]:
    """Return the p-value of one half of the documents of a run against the other."""
    evidence = replace(run.evidence, slice_columns=("half",), unit=None if clusters is None else "cluster")
    found = compare_slices(replace(run, evidence=evidence), path)
    return ("slice against the others", name), found[0].p if found else math.nan


def test_mean_ranks(corpora: int, generator: np.random.Generator) -> Iterator[tuple[Row, float]]:
    """Yield whether mean ranks of systems on many corpora differ: a p-value, or 0 or 1 for Nemenyi's test."""
    for systems in SYSTEMS:
        ranks = compare_mean_ranks(generator.normal(size=(corpora, systems)), ALPHA)
        yield ("Friedman", f"{systems} systems"), ranks.p
        yield ("Nemenyi, any pair", f"{systems} systems"), float(np.ptp(ranks.ranks) < ranks.critical_difference)


def test_rankings(runs: list[isogloss.Run], clusters: Any) -> Iterator[tuple[Row, float]]:
    """Yield the p-values of tests of rankings, of documents or of clusters."""
    one, two = (run.evidence for run in runs)
    sides = one.ranking, two.ranking, one.metric
    influences = [one.metric.influence(evidence.ranking) for evidence in (one, two)]
    if clusters is not None:
        influences = [influence.group_by_cluster(clusters) for influence in influences]
    verdicts = count_score_verdicts(one.ranking, influences[0], RANKING_SCORES.values(), clusters)
    scarce = {key for key, number in verdicts.items() if number < ENOUGH_VERDICTS}
    delong = delong_test(*influences, verdicts=verdicts)
    exchanged = ranking_randomization_test(*sides, TRIALS, units=clusters)
    drawn = ranking_bootstrap_test(*sides, TRIALS, units=clusters)
    auc, precision = RANKING_SCORES.values()
    by_delong = exchanged[auc].p if math.isnan(delong[auc].p) else delong[auc].p
    yield ("DeLong", "ROC-AUC"), by_delong
    yield BY_DEFAULT[0], exchanged[auc].p if auc in scarce else by_delong  # as in `isogloss.compare`
    yield BY_DEFAULT[1], (drawn if precision in scarce else exchanged)[precision].p
    for name, key in (("ROC-AUC", auc), ("average precision", precision)):
        yield ("randomization of ranks", name), exchanged[key].p
        yield ("bootstrap of ranks", name), drawn[key].p


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
    columns = list_columns(clusters)
    reference, *systems = (
        [[names[k] for k in np.flatnonzero(row)] for row in side] for side in (gold, *(gold == right))
    )
    runs = (isogloss.classification(reference, system, multi_label=True, by=columns) for system in systems)
    return [replace(run, evidence=replace(run.evidence, slice_columns=())) for run in runs]  # no test of each cluster


def draw_scores(
    own: Any, clusters: Any, generator: np.random.Generator, positives: int | None = None
) -> list[isogloss.Run]:
    """Draw gold labels, and the scores of two systems.

    Args:
        own: (2, documents) how good each system is on each document.
        clusters: (documents,) cluster of each document.
        generator: source of randomness.
        positives: number of positive documents, one in each of the first clusters; None for 30%, drawn at random.
    """
    first = np.append(True, np.diff(clusters) > 0)
    gold = generator.random(len(clusters)) < POSITIVES if positives is None else first & (clusters < positives)
    gold[:2] = (True, False) if positives is None else gold[:2]
    side = np.where(gold, 1.0, -1.0)
    score = generator.normal(size=(2, len(gold))) + side * (0.7 + 0.5 * own)
    columns = list_columns(clusters)
    reference = np.where(gold, "pos", "neg").tolist()
    scores = [[{"pos": x, "neg": -x} for x in each] for each in score.tolist()]
    runs = [isogloss.classification(reference, each, by=columns) for each in scores]
    tallies = [replace(run.evidence.tally_evidence, slice_columns=()) for run in runs]
    return [
        replace(run, evidence=replace(run.evidence, tally_evidence=tally))
        for run, tally in zip(runs, tallies, strict=True)
    ]


def list_columns(clusters: Any) -> dict[str, list[str]]:
    """Return the columns of documents: their cluster, and the half of the clusters that it is in."""
    half = 2 * clusters > clusters.max()
    return {name: [str(value) for value in values.tolist()] for name, values in (("cluster", clusters), ("half", half))}


def write_table(found: Mapping[Cell, Counted], *, clustered: bool = False) -> str:
    """Write the table of corpora with or without clusters in Markdown."""
    chosen = {cell: counted for cell, counted in found.items() if cell.clustered is clustered}
    heads = ["test", "score", *(write_size(cell) for cell in chosen)]
    rows = list(dict.fromkeys(row for rejected, _ in chosen.values() for row in rejected))
    body = [[*row, *(write_rate(rejected[row] / number) for rejected, number in chosen.values())] for row in rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heads, ["---"] * len(heads), *body))


def write_size(cell: Cell) -> str:
    """Write the head of a column."""
    return f"n = {cell.documents}" if cell.positives is None else f"{cell.positives} of {cell.documents}"


def write_rate(rate: float) -> str:
    """Write a rate; one above the range in bold."""
    text = f"{rate:.3f}".lstrip("0")
    return f"**{text}**" if rate > HIGH else text


def write_head(number: int) -> str:
    """Write what stands above the tables."""
    error = math.sqrt(ALPHA * (1 - ALPHA) / number)
    return f"""# Tests under the null hypothesis

This page shows how often each test finds a difference at .05 where there is none. A test is right if that happens in 5%
of the corpora, or less often. `benchmarks/null_tests.py` writes this page:

```sh
.venv/bin/python benchmarks/null_tests.py
```

Each cell is the share of {number:,} simulated corpora, {FEW_FACTOR * number:,} with few positives; its standard error
is at most {error:.3f}. A share from {LOW} to {HIGH} is what chance allows, a lower one is conservative, a higher one is
**bold**.
With 5 documents or clusters no exchange of systems has a p-value below 2 / 2⁵ = .0625, so the share of tests that
enumerate exchanges is 0. Corpora and options are described at the top of the script.

The rows `{BY_DEFAULT[0][0]}` and `{BY_DEFAULT[1][0]}` are the tests of ROC-AUC and average precision that isogloss
prints. `McNemar, clusters ignored` shows what `--unit` prevents.
"""


def write_documents(found: Mapping[Cell, Counted]) -> str:
    """Write the part about independent documents."""
    return f"""## Independent documents

`n` is the number of documents. The test of a slice, that of the [explorer](explorer.md), compares n / 2 documents with
the others.

{write_table(found)}
"""


def write_clusters(found: Mapping[Cell, Counted]) -> str:
    """Write the part about clusters."""
    return f"""## Clusters of documents

`n` is the number of clusters; each has {CLUSTER_SIZE} documents, which are compared with `--unit`. The row
`McNemar, clusters ignored` shows what happens without it.

{write_table(found, clustered=True)}
"""


def write_few(found: Mapping[Cell, Counted]) -> str:
    """Write the part about few positives."""
    return f"""## Few positives

`2 of 30` means 2 positive documents among 30. DeLong's test uses Student's t distribution with the number of positives
− 1 degrees of freedom, or of negatives if these are fewer; a normal distribution rejects up to 6.7% with 20 positives.
With fewer than 20 isogloss tests ROC-AUC by randomization of ranks, because the variance of very few documents is
hardly known. Average precision of 5 to 10 positives is found to differ slightly too often by randomization of ranks,
because documents of both systems then share ranks; with fewer than 20 isogloss tests it by bootstrap.

{write_table(found)}

With clusters of {CLUSTER_SIZE} documents and `--unit`; `2 of 30` means that 2 of 30 clusters have a positive document:

{write_table(found, clustered=True)}
"""


def write_ranks(found: Mapping[Cell, Counted]) -> str:
    """Write the part about mean ranks."""
    return f"""## Mean ranks over corpora

`n` is the number of corpora on which [`isogloss benchmark`](benchmark-results.md) ranks systems. Nemenyi's test rejects
if it finds any two systems different.

{write_table(found)}
"""


WRITERS = {"documents": write_documents, "clusters": write_clusters, "few": write_few, "ranks": write_ranks}


def main() -> None:
    """Run the simulations."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the simulations; prints the page")
    parser.add_argument("--simulations", type=int, default=SIMULATIONS, help="simulations of each cell")
    parser.add_argument("--only", choices=WRITERS, help="simulate one part of the page, and keep the others")
    arguments = parser.parse_args()
    number = arguments.simulations // 10 if arguments.quick else arguments.simulations
    _, *known = PAGE.read_text(encoding="utf-8").split("\n## ")
    parts = dict(zip(WRITERS, (f"## {text}" for text in known), strict=False))
    for part in WRITERS if arguments.only is None else (arguments.only,):
        own = number * FEW_FACTOR if part == "few" else number
        parts[part] = WRITERS[part](run_simulations(list_cells(part), own))
        page = "\n".join(text.strip() + "\n" for text in (write_head(number), *parts.values()))
        if not arguments.quick:
            PAGE.write_text(page, encoding="utf-8")
    if arguments.quick:
        print(page)


if __name__ == "__main__":
    main()
