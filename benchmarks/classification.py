"""Classification: isogloss beside scikit-learn, on the same documents in the same run.

    python benchmarks/classification.py                 # a million documents, ten labels: about three minutes
    python benchmarks/classification.py --documents 100000

Prints Markdown tables. Every figure is the CPU time of a process of its own, with one thread.
"""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from measure import Cost, child, of_function, table

SCRIPT = Path(__file__)
SEED, LABELS = 13, 10
Work = Callable[[], Any]
TITLES = {
    "areas": "**isogloss**: ROC-AUC and average precision by label, macro, weighted, micro",
    "delong": "**isogloss**: the same, with DeLong intervals, macro and micro included",
    "roc": "scikit-learn `roc_auc_score`, once per label",
    "both": "scikit-learn `roc_auc_score` and `average_precision_score`, once per label",
}
WHOLE = {
    "call": "**isogloss.classification**: all of that, accuracy, confusion, precision, recall, F",
    "call-delong": "**isogloss.classification**: the same, with DeLong intervals of all ROC-AUCs",
    "report": "scikit-learn: areas once per label, micro, confusion matrix and `classification_report`",
}
NAMES = tuple(f"label {k}" for k in range(LABELS))


def main() -> None:
    """Measure all of it, with scores of full precision and with rounded ones."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        _measure(*asked.child)
        return
    print(_machine())
    with tempfile.TemporaryDirectory() as folder:
        for digits in (None, 3):
            path = Path(folder) / f"scores-{digits}.npz"
            _write(path, asked.documents, digits)
            rounded = "of full precision" if digits is None else f"rounded to {digits} digits, so with many ties"
            print(f"{asked.documents:,} documents, {LABELS} labels, scores {rounded}: areas, from arrays.\n")
            print(_against(path, TITLES, "roc"))
            print("The whole call, from a list of labels and an array.\n")
            print(_against(path, WHOLE, "report"))


def _against(path: Path, titles: dict[str, str], peer: str) -> str:
    costs: dict[str, Cost] = {name: of_function(SCRIPT, name, str(path)) for name in titles}
    other = costs[peer].seconds
    rows = [
        (titles[name], f"{cost.seconds:.3f}", f"{other / cost.seconds:.1f}x", f"{cost.megabytes:.0f} MB")
        for name, cost in costs.items()
    ]
    return table(("tool", "CPU s", "against scikit-learn", "peak over input"), rows)


def _machine() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    cpu = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "?")
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scikit-learn"))
    return f"{cpu}, {os.cpu_count()} cores shared with other work, Python {platform.python_version()}, {packages}\n"


def _write(path: Path, number: int, digits: int | None) -> None:
    """Documents of one label each, and the softmax of scores that know something of it."""
    generator = np.random.default_rng(SEED)
    gold = generator.integers(0, LABELS, number)
    scores = generator.normal(size=(number, LABELS))
    scores[np.arange(number), gold] += 1.5
    scores = np.exp(scores)
    scores /= scores.sum(axis=1, keepdims=True)
    np.savez(path, gold=gold, scores=scores if digits is None else np.round(scores, digits))


def _measure(name: str, path: str) -> None:
    def prepare() -> Work:
        stored = np.load(path)
        return WORK[name](stored["gold"], stored["scores"])

    child(prepare)


def _isogloss_areas(gold: Any, scores: Any, *, intervals: bool) -> Work:
    from isogloss.kernel.ranking import Column, Ranking
    from isogloss.stats.intervals import delong
    from isogloss.tasks.classification.ranking import Ordering

    documents = np.arange(len(gold))

    def work() -> Any:
        columns = (Column(documents, scores[:, k], gold == k) for k in range(LABELS))
        ranking = Ranking(NAMES, tuple(columns))
        found = Ordering().score(ranking)
        return found, delong(Ordering().influence(ranking)) if intervals else None

    return work


def _isogloss_call(gold: Any, scores: Any, *, intervals: bool) -> Work:
    import isogloss

    labels = [NAMES[k] for k in gold.tolist()]

    def work() -> Any:
        run = isogloss.classification(labels, scores, labels=NAMES, confidence=0.95 if intervals else None)
        return run.scores, run.by_label, run.confusion, run.intervals["roc_auc.macro"] if intervals else None

    return work


def _sklearn_areas(gold: Any, scores: Any, *, both: bool) -> Work:
    from sklearn.metrics import average_precision_score, roc_auc_score

    peers = [roc_auc_score, average_precision_score] if both else [roc_auc_score]
    return lambda: [peer(gold == k, scores[:, k]) for peer in peers for k in range(LABELS)]


def _sklearn_report(gold: Any, scores: Any) -> Work:
    from sklearn.metrics import average_precision_score, classification_report, confusion_matrix, roc_auc_score

    areas = _sklearn_areas(gold, scores, both=True)

    def work() -> Any:
        had = gold[:, None] == np.arange(LABELS)
        micro = [peer(had, scores, average="micro") for peer in (roc_auc_score, average_precision_score)]
        taken = scores.argmax(axis=1)
        return areas(), micro, confusion_matrix(gold, taken), classification_report(gold, taken, output_dict=True)

    return work


WORK: dict[str, Callable[[Any, Any], Work]] = {
    "areas": lambda gold, scores: _isogloss_areas(gold, scores, intervals=False),
    "delong": lambda gold, scores: _isogloss_areas(gold, scores, intervals=True),
    "roc": lambda gold, scores: _sklearn_areas(gold, scores, both=False),
    "both": lambda gold, scores: _sklearn_areas(gold, scores, both=True),
    "call": lambda gold, scores: _isogloss_call(gold, scores, intervals=False),
    "call-delong": lambda gold, scores: _isogloss_call(gold, scores, intervals=True),
    "report": _sklearn_report,
}


if __name__ == "__main__":
    main()
