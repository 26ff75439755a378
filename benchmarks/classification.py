"""Classification: isogloss beside scikit-learn, on the same documents in the same run.

    python benchmarks/classification.py                 # a million documents, ten labels: about five minutes
    python benchmarks/classification.py --quick

Prints a Markdown table. Every figure is the CPU time of a process of its own, with one thread.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from measure import Work
from rows import Amount, Row
from script import Bench, Script, run_script

SEED, LABELS, DOCUMENTS = 13, 10, 1_000_000
NAMES = tuple(f"label {k}" for k in range(LABELS))
AREAS = {
    "isogloss: ROC-AUC and average precision by label, macro, weighted, micro": "areas",
    "isogloss: the same, with DeLong intervals, macro and micro included": "delong",
    "scikit-learn `roc_auc_score`, once per label": "roc",
    "scikit-learn `roc_auc_score` and `average_precision_score`, once per label": "both",
}
WHOLE = {
    "isogloss.classification": "call",
    "isogloss.classification, with DeLong intervals of all ROC-AUCs": "call-delong",
    "scikit-learn: areas once per label, micro, confusion matrix and `classification_report`": "report",
}


def measure_full(bench: Bench) -> list[Row]:
    """Scores of full precision."""
    return _measure(bench, "scores of full precision", None)


def measure_rounded(bench: Bench) -> list[Row]:
    """Scores rounded to three digits, so with many ties."""
    return _measure(bench, "scores of 3 digits", 3)


def _measure(bench: Bench, title: str, digits: int | None) -> list[Row]:
    number, path = DOCUMENTS // bench.share, bench.folder / "scores.npz"
    bench.program("write", path, number, digits or "")()
    rows, amount = [], Amount(number, "documents")
    for what, works in (("areas from arrays", AREAS), ("the whole call, from a list and an array", WHOLE)):
        needs = {tool: "sklearn" if tool.startswith("scikit-learn") else "" for tool in works}
        tools = {tool: bench.function(name, path, needs=needs[tool]) for tool, name in works.items()}
        rows += bench.compare(f"{number:,} documents, {title}: {what}", tools, amount)
    return rows


def _write(path: str, number: str, digits: str) -> None:
    """Documents of one label each, and the softmax of scores that know something of it."""
    import numpy as np

    generator = np.random.default_rng(SEED)
    gold = generator.integers(0, LABELS, int(number))
    scores = generator.normal(size=(len(gold), LABELS))
    scores[np.arange(len(gold)), gold] += 1.5
    scores = np.exp(scores)
    scores /= scores.sum(axis=1, keepdims=True)
    np.savez(path, gold=gold, scores=np.round(scores, int(digits)) if digits else scores)


def _from_arrays(tool: Callable[..., Work], **options: bool) -> Callable[[str], Work]:
    def prepare(path: str) -> Work:
        import numpy as np

        stored = np.load(path)
        return tool(stored["gold"], stored["scores"], **options)

    return prepare


def _isogloss_areas(gold: Any, scores: Any, *, intervals: bool) -> Work:
    import numpy as np
    from internals import ClassColumn, Ranking, RankingAreas, compute_auc_intervals

    documents = np.arange(len(gold))

    def work() -> Any:
        columns = (ClassColumn(documents, scores[:, k], gold == k) for k in range(LABELS))
        ranking = Ranking(NAMES, tuple(columns))
        found = RankingAreas().score(ranking)
        return found, compute_auc_intervals(RankingAreas().influence(ranking)) if intervals else None

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
    import numpy as np
    from sklearn.metrics import average_precision_score, classification_report, confusion_matrix, roc_auc_score

    areas = _sklearn_areas(gold, scores, both=True)

    def work() -> Any:
        had = gold[:, None] == np.arange(LABELS)
        micro = [peer(had, scores, average="micro") for peer in (roc_auc_score, average_precision_score)]
        taken = scores.argmax(axis=1)
        return areas(), micro, confusion_matrix(gold, taken), classification_report(gold, taken, output_dict=True)

    return work


WORKS: dict[str, Callable[..., Work]] = {
    "areas": _from_arrays(_isogloss_areas, intervals=False),
    "delong": _from_arrays(_isogloss_areas, intervals=True),
    "roc": _from_arrays(_sklearn_areas, both=False),
    "both": _from_arrays(_sklearn_areas, both=True),
    "call": _from_arrays(_isogloss_call, intervals=False),
    "call-delong": _from_arrays(_isogloss_call, intervals=True),
    "report": _from_arrays(_sklearn_report),
}
PARTS = {"full": measure_full, "rounded": measure_rounded}

if __name__ == "__main__":
    run_script(Script(Path(__file__), PARTS, WORKS, {"write": _write}), __doc__)
