"""Classification against scikit-learn: random documents with ties, and the two real files. Tested with 1.9.1."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from isogloss import classification
from isogloss.kernel.scores import Floats
from isogloss.runs.run import Run
from isogloss.tasks.classification.ranking import compute_curves

metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")

pytestmark = pytest.mark.parity

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "classification"
FILES = ("wisesight-sentiment", "goemotions")
LABELS = ("d", "a", "c", "b")
EXACT: dict[str, Any] = {"abs": 1e-12, "rel": 1e-12, "nan_ok": True}
Bools = NDArray[np.bool_]


def random_documents(seed: int, number: int = 300) -> tuple[Floats, NDArray[np.int64]]:
    """Scores with many ties, and the label of each document; the last label is rare."""
    generator = np.random.default_rng(seed)
    gold = generator.choice(4, number, p=(0.5, 0.3, 0.18, 0.02))
    scores = generator.normal(size=(number, 4)) + 1.2 * (gold[:, None] == np.arange(4))
    return np.round(scores, 1), gold


def real_documents(name: str) -> tuple[Floats, Bools, list[str]]:
    path = DATA / f"{name}.jsonl"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    labels = list(rows[0]["scores"])
    scores = np.array([[row["scores"][label] for label in labels] for row in rows])
    return scores, np.array([[label in gold_of(row) for label in labels] for row in rows]), labels


def gold_of(row: dict[str, Any]) -> list[str]:
    return [row["gold"]] if isinstance(row["gold"], str) else row["gold"]


def compare_ratios(run: Run, gold: Bools, taken: Bools, labels: list[str]) -> None:
    precision, recall, f1, support = metrics.precision_recall_fscore_support(gold, taken, zero_division=np.nan)
    matrices = metrics.multilabel_confusion_matrix(gold, taken)
    for k, label in enumerate(labels):
        own = run.by_label[label]["label"]
        assert [own.precision, own.recall, own.f1] == pytest.approx([precision[k], recall[k], f1[k]], **EXACT)
        assert [[own.tn, own.fp], [own.fn, own.tp]] == matrices[k].tolist()
        assert own.support == support[k]
    for mean in ("macro", "weighted"):
        theirs = metrics.precision_recall_fscore_support(gold, taken, average=mean, zero_division=np.nan)
        means = getattr(run, mean)["label"]
        assert [means.precision, means.recall, means.f1] == pytest.approx(theirs[:3], **EXACT)
    micro = metrics.precision_recall_fscore_support(gold, taken, average="micro", zero_division=np.nan)
    assert list(run.scores["micro"].values()) == pytest.approx(micro[:3], **EXACT)
    assert run.scores["overall"].accuracy == pytest.approx(metrics.accuracy_score(gold, taken), **EXACT)


def compare_areas(run: Run, gold: Bools, scores: Floats, labels: list[str]) -> None:
    for group, peer in (("roc_auc", metrics.roc_auc_score), ("average_precision", metrics.average_precision_score)):
        for k, label in enumerate(labels):
            assert run.by_label[label]["ranking"][group] == pytest.approx(peer(gold[:, k], scores[:, k]), **EXACT)
        for mean in ("macro", "weighted", "micro"):
            assert run.scores[group][mean] == pytest.approx(peer(gold, scores, average=mean), **EXACT), (group, mean)


def highest(scores: Floats, labels: list[str]) -> Bools:
    """What the highest score says, of several the first by name."""
    by_name = np.argsort(labels)
    taken = by_name[scores[:, by_name].argmax(axis=1)]
    return np.asarray(taken[:, None] == np.arange(len(labels)))


@pytest.mark.parametrize("seed", range(8))
def test_exclusive_labels_with_ties(seed: int) -> None:
    scores, codes = random_documents(seed)
    gold = codes[:, None] == np.arange(4)
    run = classification([LABELS[k] for k in codes], scores, labels=LABELS)
    taken = highest(scores, list(LABELS))
    compare_ratios(run, gold, taken, list(LABELS))
    compare_areas(run, gold, scores, list(LABELS))
    names = sorted(LABELS)
    given = [LABELS[k] for k in taken.argmax(axis=1)]
    matrix = metrics.confusion_matrix([LABELS[k] for k in codes], given, labels=names)
    assert [[run.confusion.get((own, other), 0) for other in names] for own in names] == matrix.tolist()


@pytest.mark.parametrize("seed", range(8))
def test_several_labels_with_ties_and_scores_at_the_threshold(seed: int) -> None:
    generator = np.random.default_rng(seed)
    gold = generator.random((200, 4)) < (0.5, 0.2, 0.05, 0.7)
    gold[0], gold[1] = True, False
    scores = np.round(np.clip(generator.random((200, 4)) * 0.8 + 0.2 * gold, 0, 1), 1)
    run = classification(gold.astype(int), scores, labels=LABELS, threshold={"a": 0.3, "d": 0.9})
    compare_ratios(run, gold, scores >= (0.9, 0.3, 0.5, 0.5), list(LABELS))
    compare_areas(run, gold, scores, list(LABELS))


@pytest.mark.parametrize("name", FILES)
def test_real_files(name: str) -> None:
    scores, gold, labels = real_documents(name)
    run = classification(DATA / f"{name}.jsonl")
    compare_ratios(run, gold, highest(scores, labels) if name == FILES[0] else scores >= 0.5, labels)
    compare_areas(run, gold, scores, labels)


@pytest.mark.parametrize("seed", range(3))
def test_all_points_of_curves(seed: int) -> None:
    scores, codes = random_documents(seed, 120)
    run = classification([LABELS[k] for k in codes], scores, labels=LABELS)
    for k, label in enumerate(LABELS):
        roc, precision_recall = compute_curves(run, points=10**9)[label]
        fpr, tpr, thresholds = metrics.roc_curve(codes == k, scores[:, k], drop_intermediate=False)
        assert [roc.x.tolist(), roc.y.tolist()] == [fpr.tolist(), tpr.tolist()]
        assert roc.threshold.tolist() == thresholds.tolist()
        precision, recall, thresholds = metrics.precision_recall_curve(codes == k, scores[:, k])
        assert precision_recall.x.tolist() == recall[::-1].tolist()
        assert precision_recall.y.tolist() == precision[::-1].tolist()
        assert precision_recall.threshold[1:].tolist() == thresholds[::-1].tolist()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("beta", [1.0, 2.0])
def test_the_best_threshold_is_the_one_with_the_highest_f(seed: int, beta: float) -> None:
    scores, codes = random_documents(seed, 120)
    run = classification([LABELS[k] for k in codes], scores, labels=LABELS, best_threshold=True, beta=beta)
    for k, label in enumerate(LABELS):
        gold, own = codes == k, scores[:, k]
        by_threshold = {t: metrics.fbeta_score(gold, own >= t, beta=beta, zero_division=0) for t in np.unique(own)}
        best = run.by_label[label]["best"]
        assert best["f1" if beta == 1 else "f"] == pytest.approx(max(by_threshold.values()), **EXACT)
        assert by_threshold[best.threshold] == pytest.approx(max(by_threshold.values()), **EXACT)
