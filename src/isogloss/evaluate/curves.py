"""The curves of a run, as points and as plain values for a file."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from isogloss.exceptions import UsageError
from isogloss.metrics.classification.curves import POINTS, Curve, precision_recall_curve, roc_curve
from isogloss.run import RankingEvidence, Run


def curves(run: Run, points: int = POINTS) -> dict[str, tuple[Curve, Curve]]:
    """The ROC curve and the precision-recall curve of each label, of at most so many points.

    Raises:
        UsageError: the run has no scores to draw curves of.
    """
    if not isinstance(run.evidence, RankingEvidence):
        raise UsageError(f"{run.system} has no scores, so there are no curves: it names labels.")
    ranking = run.evidence.ranking
    orders = {name: ranking.order_of(name) for name in ranking.classes}
    return {
        name: (roc_curve(order).thinned(points), precision_recall_curve(order).thinned(points))
        for name, order in orders.items()
    }


def curves_document(run: Run) -> dict[str, Any]:
    """The curves of a run as plain values, as `--curves` writes them; an infinite threshold is None.

    Raises:
        UsageError: the run has no scores to draw curves of.
    """
    drawn = {
        label: {
            "roc": _points(roc, "false_positive_rate", "true_positive_rate"),
            "precision_recall": _points(precision_recall, "recall", "precision"),
        }
        for label, (roc, precision_recall) in curves(run).items()
    }
    return {"task": run.task, "system": run.system, "signature": str(run.signature), "curves": drawn}


def _points(curve: Curve, x: str, y: str) -> dict[str, Any] | None:
    """A curve as lists, None where a side of it is undefined."""
    if np.isnan(curve.x).any() or np.isnan(curve.y).any():
        return None
    threshold = [value if math.isfinite(value) else None for value in curve.threshold.tolist()]
    return {x: curve.x.tolist(), y: curve.y.tolist(), "threshold": threshold, "moved": curve.moved}
