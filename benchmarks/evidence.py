"""Intervals and tests of systems: isogloss beside scipy and sacrebleu, on the same counts in the same run.

    python benchmarks/evidence.py            # about five minutes
    python benchmarks/evidence.py --quick    # a tenth of the documents: half a minute

Prints a Markdown table. Every figure is the CPU time of a process of its own. isogloss resamples every ratio that
`isogloss ner` prints, the means over documents included; the peers do one score, F1, from three counts of a document.
What a peer does again for each resample is measured for a few of them and multiplied.
"""

from __future__ import annotations

import argparse
import os
import pickle
import platform
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from itertools import chain, islice
from pathlib import Path
from typing import Any

from measure import child, of_function, table
from ner_corpus import rivals

SCRIPT = Path(__file__)
SENTENCES, DOCUMENTS, JOINED = 500_000, 50_000, 20
RESAMPLES, TRIALS = 1000, 10_000
MEASURED = 20  # resamples of a peer
Work = Callable[[], Any]


@dataclass(frozen=True)
class Row:
    """A line of the table: what is measured, by which child, how many scores it gives, and beside which line."""

    title: str
    name: str
    corpus: str
    scores: str
    own: str = ""
    times: int = 1


ROWS = (
    Row("**isogloss**, intervals, 1,000 resamples", "intervals", "short", "98"),
    Row("scipy.stats.bootstrap", "scipy-bootstrap", "short", "1", "intervals", RESAMPLES // MEASURED),
    Row("sacrebleu bootstrap", "sacrebleu-bootstrap", "short", "1", "intervals", RESAMPLES // MEASURED),
    Row("**isogloss**, documents of two systems joined", "pairs", "short", ""),
    Row("**isogloss**, 10,000 randomization trials, sums over the corpus", "randomization", "short", "85"),
    Row("**isogloss**, the same, and means over documents", "randomization-means", "short", "98"),
    Row("scipy.stats.permutation_test", "scipy-permutation", "short", "1", "randomization-means", TRIALS // MEASURED),
    Row("sacrebleu approximate randomization", "sacrebleu-ar", "short", "1", "randomization-means", TRIALS // MEASURED),
    Row("**isogloss**, paired bootstrap, 1,000 resamples", "paired", "short", "98"),
    Row("sacrebleu paired bootstrap", "sacrebleu-paired", "short", "1", "paired", RESAMPLES // MEASURED),
    Row("**isogloss**, intervals, 1,000 resamples", "intervals", "long", "98"),
    Row("**isogloss**, 10,000 randomization trials", "randomization-means", "long", "98"),
)


def main() -> None:
    """Make the counts of two systems, and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the documents")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        CHILDREN[asked.child[0]](asked.child[1])
        return
    share = 10 if asked.quick else 1
    sizes = {"short": SENTENCES // share, "long": DOCUMENTS // share}
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "sacrebleu"))
    print(f"{os.cpu_count()} cores shared with other work, Python {platform.python_version()}, {packages}\n")
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: Path(folder) / name for name in sizes}
        for name, size in sizes.items():
            paths[name].write_bytes(pickle.dumps(_counted(size, 1 if name == "short" else JOINED), protocol=5))
        print(_measured(sizes, paths))


def _measured(sizes: dict[str, int], paths: dict[str, Path]) -> str:
    lengths = {"short": f"{sizes['short']:,} of 20 tokens", "long": f"{sizes['long']:,} of {20 * JOINED} tokens"}
    seconds: dict[tuple[str, str], float] = {}
    lines = []
    for row in ROWS:
        cost = of_function(SCRIPT, row.name, str(paths[row.corpus]))
        seconds[row.name, row.corpus] = cost.seconds * row.times
        ratio = seconds[row.name, row.corpus] / seconds[row.own, row.corpus] if row.own else None
        faster = "" if ratio is None else f"{ratio:.0f}x"
        found = f"{seconds[row.name, row.corpus]:.2f}"
        lines.append((row.title, lengths[row.corpus], row.scores, found, faster))
    return table(("what", "documents", "scores", "CPU s", "isogloss is faster by"), lines)


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
    from isogloss.kernel.counts import Counts
    from isogloss.tasks.ner.inputs import Layout, opened
    from isogloss.tasks.ner.metric import NamedEntities
    from isogloss.tasks.ner.reading import read

    spans = read(opened(reference, predicted, Layout(None, None, ignore_tokens=False)), "auto", None, None).spans
    return Counts.merge(NamedEntities().count(batch) for batch in spans).normal()


# isogloss


def _ratios(sums: Any) -> Any:
    from isogloss.tasks.ner.metric import NamedEntities

    return _floats(NamedEntities().score(sums))


def _overall(sums: Any) -> Any:
    from isogloss.tasks.ner.metric import NamedEntities

    return _floats(NamedEntities().overall(sums))


def _with_means(sums: Any) -> Any:
    from isogloss.stats.bootstrap import document_means

    return _ratios(sums) | document_means(sums, _overall(sums))


def _floats(scores: Any) -> Any:
    return {key: value for key, value in scores.items() if value.dtype.kind == "f"}


def _intervals(path: str) -> None:
    def prepare() -> Work:
        from isogloss.kernel.tally import Tally
        from isogloss.stats.bootstrap import bootstrap, with_document_scores
        from isogloss.stats.intervals import intervals

        tally = Tally.of(_loaded(path)[0])
        return lambda: intervals(bootstrap(with_document_scores(tally, _overall), _with_means, RESAMPLES))

    child(prepare)


def _pairs(path: str) -> None:
    def prepare() -> Work:
        from isogloss.stats.pairing import Pairs

        counts = _loaded(path)
        return lambda: Pairs.of(*counts, _overall)

    child(prepare)


def _randomization(path: str, *, means: bool = False) -> None:
    def prepare() -> Work:
        from isogloss.stats.pairing import Pairs
        from isogloss.stats.randomization import randomization_test

        pairs = Pairs.of(*_loaded(path), _overall if means else None)
        return lambda: randomization_test(pairs, _with_means if means else _ratios, TRIALS)

    child(prepare, repeats=3)


def _paired(path: str) -> None:
    def prepare() -> Work:
        from isogloss.stats.paired_tests import bootstrap_test
        from isogloss.stats.pairing import Pairs

        pairs = Pairs.of(*_loaded(path), _overall)
        return lambda: bootstrap_test(pairs, _with_means, RESAMPLES)

    child(prepare, repeats=3)


def _loaded(path: str) -> Any:
    return pickle.loads(Path(path).read_bytes())


# Peers: one score from three counts of each document


def _three(path: str) -> list[Any]:
    """Right, reference and predicted spans of each document: two of (documents, 3)."""
    import numpy as np

    from isogloss.kernel.tally import Tally
    from isogloss.tasks.ner.metric import NamedEntities

    sides = []
    for counts in _loaded(path):
        tally, kind = Tally.with_kinds(counts)
        pieces = [NamedEntities().overall(sums) for _, sums in tally.each()]
        columns = (np.concatenate([piece["strict", name] for piece in pieces]) for name in COLUMNS)
        sides.append(np.stack([column[kind] for column in columns], axis=1))
    return sides


COLUMNS = ("correct", "possible", "actual")


def _f1(right: Any, possible: Any, actual: Any) -> Any:
    return 2 * right / (possible + actual)


def _scipy_bootstrap(path: str) -> None:
    def prepare() -> Work:
        from scipy import stats

        columns = tuple(_three(path)[0].T.copy())

        def statistic(*data: Any, axis: int) -> Any:
            return _f1(*(column.sum(axis=axis) for column in data))

        return lambda: stats.bootstrap(
            columns, statistic, paired=True, n_resamples=MEASURED, batch=1, method="percentile", vectorized=True
        )

    child(prepare, repeats=2)


def _scipy_permutation(path: str) -> None:
    def prepare() -> Work:
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
            data, statistic, permutation_type="samples", n_resamples=MEASURED, batch=1, vectorized=True
        )

    child(prepare, repeats=2)


class _Metric:
    """What sacrebleu's tests ask of a metric; its hypotheses are the counts."""

    def _extract_corpus_statistics(self, hypotheses: Any, _: Any) -> Any:
        return hypotheses

    def _aggregate_and_compute(self, stats: Any) -> Any:
        return self._compute_score_from_stats(sum(stats) if len(stats) == 1 else stats.sum(axis=0))

    def _compute_score_from_stats(self, stats: Any) -> Any:
        from sacrebleu.significance import Result

        return Result(float(_f1(*stats)), None)


def _sacrebleu_bootstrap(path: str) -> None:
    def prepare() -> Work:
        from sacrebleu.significance import _bootstrap_resample

        stats = _three(path)[0]
        return lambda: _bootstrap_resample(stats, _Metric(), MEASURED)

    child(prepare, repeats=2)


def _sacrebleu(path: str, test: str) -> None:
    def prepare() -> Work:
        from sacrebleu import significance

        one, two = _three(path)
        baseline = {"f1": (one, _Metric()._aggregate_and_compute(one))}  # noqa: SLF001  as its tests do
        run = getattr(significance, test)
        return lambda: run(baseline, "other", two, None, {"f1": _Metric()}, MEASURED, seed=1)

    child(prepare, repeats=2)


CHILDREN: dict[str, Callable[[str], None]] = {
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
    main()
