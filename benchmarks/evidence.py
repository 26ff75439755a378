"""Intervals and tests of systems: isogloss beside scipy and sacrebleu, on the same counts in the same run.

    python benchmarks/evidence.py            # about five minutes
    python benchmarks/evidence.py --quick    # a tenth of the documents: half a minute

Prints a Markdown table. Every figure is the CPU time of a process of its own. isogloss resamples every ratio that
`isogloss ner` prints, the means over documents included; the peers do one score, F1, from three counts of a document.
What a peer does again for each resample is measured for a few of them, and the ratio is that of one resample.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

from measure import Work
from ner_corpus import TOKENS, rivals
from rows import Amount, Row
from script import Bench, Script, run_script

SENTENCES, DOCUMENTS, JOINED = 500_000, 50_000, 20
RESAMPLES, TRIALS = 1000, 10_000
MEASURED = 20  # resamples of a peer


@dataclass(frozen=True)
class Case:
    """What is resampled how often, by which work of isogloss and of the peers."""

    title: str
    number: int
    works: dict[str, str]


INTERVALS = Case("intervals", RESAMPLES, {"isogloss, 98 scores": "intervals"})
TESTS = Case(
    "randomization test",
    TRIALS,
    {"isogloss, 98 scores, means over documents included": "randomization-means"},
)
CASES = (
    Case(
        "intervals",
        RESAMPLES,
        {**INTERVALS.works, "scipy.stats.bootstrap": "scipy-bootstrap", "sacrebleu bootstrap": "sacrebleu-bootstrap"},
    ),
    Case("two systems joined", 1, {"isogloss": "pairs"}),
    Case(
        "randomization test",
        TRIALS,
        {
            **TESTS.works,
            "isogloss, 85 scores, sums over the corpus": "randomization",
            "scipy.stats.permutation_test": "scipy-permutation",
            "sacrebleu approximate randomization": "sacrebleu-ar",
        },
    ),
    Case("paired bootstrap", RESAMPLES, {"isogloss, 98 scores": "paired", "sacrebleu": "sacrebleu-paired"}),
)


def measure_short(bench: Bench) -> list[Row]:
    """Documents of one sentence, many of them with equal counts."""
    return _measure(bench, SENTENCES // bench.share, 1, CASES)


def measure_long(bench: Bench) -> list[Row]:
    """Documents of many sentences, hardly two of which have equal counts."""
    return _measure(bench, DOCUMENTS // bench.share, JOINED, (INTERVALS, TESTS))


def _measure(bench: Bench, number: int, joined: int, cases: tuple[Case, ...]) -> list[Row]:
    path, rows = bench.folder / "counts.pickle", []
    bench.program("write", number, joined, path)()
    for case in cases:
        tools, amounts = {}, {}
        for tool, work in case.works.items():
            peer = tool.replace(".", " ").replace(",", " ").split()[0]
            tools[tool] = bench.function(work, path, needs=peer)
            unit = "resamples" if case.number > 1 else "joins"
            amounts[tool] = Amount(case.number if peer == "isogloss" else MEASURED, unit)
        rows += bench.compare(f"{case.title}, {number:,} documents of {joined * TOKENS} tokens", tools, amounts)
    return rows


def _write(number: str, joined: str, path: str) -> None:
    Path(path).write_bytes(pickle.dumps(_counted(int(number), int(joined)), protocol=5))


def _counted(number: int, joined: int) -> tuple[Any, Any]:
    """Counts of two systems over so many documents of so many sentences."""
    documents = _documents(number, joined)
    reference, one, two = ([document[k] for document in documents] for k in range(3))
    return _counts(reference, one), _counts(reference, two)


def _documents(number: int, joined: int) -> list[tuple[list[str], ...]]:
    sentences = rivals(number * joined)
    return [tuple(list(chain(*tags)) for tags in zip(*part, strict=True)) for part in _pieces(sentences, joined)]


def _pieces(sentences: Iterator[tuple[list[str], ...]], size: int) -> Iterator[list[tuple[list[str], ...]]]:
    while part := list(islice(sentences, size)):
        yield part


def _counts(reference: list[list[str]], predicted: list[list[str]]) -> Any:
    from internals import Counts, NamedEntities, ReadingOptions, open_ner_input, read_spans

    spans = read_spans(open_ner_input(reference, predicted, ReadingOptions()), "auto", None, None).spans
    return Counts.merge(NamedEntities().count(batch) for batch in spans).normalize()


# isogloss


def _ratios(sums: Any) -> Any:
    from internals import NamedEntities

    return _floats(NamedEntities().score(sums))


def _overall(sums: Any) -> Any:
    from internals import NamedEntities

    return _floats(NamedEntities().overall(sums))


def _with_means(sums: Any) -> Any:
    from internals import average_document_scores

    return _ratios(sums) | average_document_scores(sums, _overall(sums))


def _floats(scores: Any) -> Any:
    return {key: value for key, value in scores.items() if value.dtype.kind == "f"}


def _intervals(path: str) -> Work:
    from internals import Tally, add_document_scores, bootstrap_scores, compute_percentile_intervals

    tally = Tally.from_counts(_loaded(path)[0])
    return lambda: compute_percentile_intervals(
        bootstrap_scores(add_document_scores(tally, _overall), _with_means, RESAMPLES)
    )


def _pairs(path: str) -> Work:
    from internals import SystemPairs

    counts = _loaded(path)
    return lambda: SystemPairs.from_counts(*counts, _overall)


def _randomization(path: str, *, means: bool = False) -> Work:
    from internals import SystemPairs, randomization_test

    pairs = SystemPairs.from_counts(*_loaded(path), _overall if means else None)
    return lambda: randomization_test(pairs, _with_means if means else _ratios, TRIALS)


def _paired(path: str) -> Work:
    from internals import SystemPairs, bootstrap_test

    pairs = SystemPairs.from_counts(*_loaded(path), _overall)
    return lambda: bootstrap_test(pairs, _with_means, RESAMPLES)


def _loaded(path: str) -> Any:
    return pickle.loads(Path(path).read_bytes())


# Peers: one score from three counts of each document


def _three(path: str) -> list[Any]:
    """Right, reference and predicted spans of each document: two of (documents, 3)."""
    import numpy as np
    from internals import NamedEntities, Tally

    sides = []
    for counts in _loaded(path):
        tally, kind = Tally.from_counts_with_positions(counts)
        pieces = [NamedEntities().overall(sums) for _, sums in tally.iterate_sums()]
        columns = (np.concatenate([piece["strict", name] for piece in pieces]) for name in COLUMNS)
        sides.append(np.stack([column[kind] for column in columns], axis=1))
    return sides


COLUMNS = ("correct", "possible", "actual")


def _f1(right: Any, possible: Any, actual: Any) -> Any:
    return 2 * right / (possible + actual)


def _scipy_bootstrap(path: str) -> Work:
    from scipy import stats

    columns = tuple(_three(path)[0].T.copy())

    def statistic(*data: Any, axis: int) -> Any:
        return _f1(*(column.sum(axis=axis) for column in data))

    return lambda: stats.bootstrap(
        columns,
        statistic,
        paired=True,
        n_resamples=MEASURED,
        batch=1,
        method="percentile",
        vectorized=True,
    )


def _scipy_permutation(path: str) -> Work:
    import numpy as np
    from scipy import stats

    sides = _three(path)
    number, columns = len(sides[0]), np.concatenate(sides).T.copy()

    def f1(documents: Any, axis: int) -> Any:
        return _f1(*(column[documents].sum(axis=axis) for column in columns))

    def statistic(one: Any, two: Any, axis: int) -> Any:
        return f1(two, axis) - f1(one, axis)

    data = np.arange(number), np.arange(number, 2 * number)
    return lambda: stats.permutation_test(
        data,
        statistic,
        permutation_type="samples",
        n_resamples=MEASURED,
        batch=1,
        vectorized=True,
    )


class _Metric:
    """What sacrebleu's tests ask of a metric; its hypotheses are the counts."""

    def _extract_corpus_statistics(self, hypotheses: Any, _: Any) -> Any:
        return hypotheses

    def _aggregate_and_compute(self, stats: Any) -> Any:
        return self._compute_score_from_stats(sum(stats) if len(stats) == 1 else stats.sum(axis=0))

    def _compute_score_from_stats(self, stats: Any) -> Any:
        from sacrebleu.significance import Result

        return Result(float(_f1(*stats)), None)


def _sacrebleu_bootstrap(path: str) -> Work:
    from sacrebleu.significance import _bootstrap_resample

    stats = _three(path)[0]
    return lambda: _bootstrap_resample(stats, _Metric(), MEASURED)


def _sacrebleu(path: str, test: str) -> Work:
    from sacrebleu import significance

    one, two = _three(path)
    baseline = {"f1": (one, _Metric()._aggregate_and_compute(one))}  # noqa: SLF001  as its tests do
    run = getattr(significance, test)
    return lambda: run(baseline, "other", two, None, {"f1": _Metric()}, MEASURED, seed=1)


WORKS: dict[str, Callable[..., Work]] = {
    "intervals": _intervals,
    "pairs": _pairs,
    "randomization": _randomization,
    "randomization-means": lambda path: _randomization(path, means=True),
    "paired": _paired,
    "scipy-bootstrap": _scipy_bootstrap,
    "scipy-permutation": _scipy_permutation,
    "sacrebleu-bootstrap": _sacrebleu_bootstrap,
    "sacrebleu-ar": lambda path: _sacrebleu(path, "_paired_ar_test"),
    "sacrebleu-paired": lambda path: _sacrebleu(path, "_paired_bs_test"),
}

if __name__ == "__main__":
    run_script(
        Script(Path(__file__), {"short": measure_short, "long": measure_long}, WORKS, {"write": _write}),
        __doc__,
    )
