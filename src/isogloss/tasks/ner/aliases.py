"""Labels of one side only that are probably the same label.

Definition
    1. A label of the prediction only is compared with the labels of the reference only. Their common spans are the
       pairs of spans, with equal or overlapping bounds, that have these two labels.
    2. The label with the most common spans is suggested if the names are similar; or if there are at least
       `MIN_COMMON_SPANS` common spans, and they are at least half of the predicted spans.
    3. `spans.label_names` says which names are similar: `PER` and `Person`, `DATE_TIME` and `datetime`.

The spans are counted already: only the summed counts are read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice

from isogloss.kernel.provenance import RunWarning
from isogloss.kernel.sums import Sums
from isogloss.spans.label_names import has_similar_name
from isogloss.tasks.ner.levels import LEVEL_PART, select_level

LABEL_ALIAS = "label-alias"
MIN_COMMON_SPANS = 5
MAX_CANDIDATES, MAX_SUGGESTIONS = 100, 10  # the pairs with the most common spans are looked at
SIDE_PARTS = frozenset(("reference", "predicted"))
EVENT_COUNTS = frozenset(("same_bounds", "overlapping", "unpaired"))
Pair = tuple[str | None, str | None]


def suggest_aliases(sums: Sums) -> tuple[RunWarning, ...]:
    """Suggest labels of one side only that are probably the same.

    Args:
        sums: sums of the whole corpus, by any metric; those without both labels in a cell give no suggestion.
    """
    if not SIDE_PARTS.issubset(sums.parts) or not EVENT_COUNTS.issubset(sums.columns):
        return ()
    own = select_level(sums, None) if LEVEL_PART in sums.parts else sums
    names = own.get_names("reference"), own.get_names("predicted")
    reference, predicted = {*names[0]}, {*names[1]}
    predicted_only, reference_only = predicted - reference - {None}, reference - predicted - {None}
    if not (predicted_only and reference_only):
        return ()
    paired, spans = _count_pairs(own, predicted_only)
    return tuple(islice(_suggest_aliases(paired, spans, reference_only), MAX_SUGGESTIONS))


def _count_pairs(sums: Sums, predicted_only: set[str | None]) -> tuple[Counter[Pair], Counter[str | None]]:
    """Count the common spans of labels, and the predicted spans."""
    paired: Counter[Pair] = Counter()
    spans: Counter[str | None] = Counter()
    together = (sums.get_column("same_bounds") + sums.get_column("overlapping")).tolist()
    apart = sums.get_column("unpaired").tolist()
    cells = zip(sums.get_names("reference"), sums.get_names("predicted"), together, apart, strict=True)
    for reference, predicted, common, alone in cells:
        if predicted in predicted_only:
            paired[reference, predicted] += common
            spans[predicted] += common + alone
    return paired, spans


def _suggest_aliases(
    paired: Counter[Pair], spans: Counter[str | None], reference_only: set[str | None]
) -> Iterator[RunWarning]:
    best: dict[str, tuple[int, str]] = {}
    for (reference, predicted), common in sorted(paired.items(), key=lambda item: tuple(map(str, item[0]))):
        if reference is None or predicted is None or reference not in reference_only:
            continue
        if common > best.get(predicted, (0, ""))[0]:
            best[predicted] = common, reference
    candidates = sorted(best.items(), key=lambda item: (-item[1][0], item[0]))
    for predicted, (common, reference) in candidates[:MAX_CANDIDATES]:
        if has_similar_name(predicted, reference) or 2 * common >= max(spans[predicted], 2 * MIN_COMMON_SPANS):
            yield RunWarning(
                LABEL_ALIAS,
                f"only the prediction has the label {predicted!r}, and only the reference has {reference!r} on the "
                "same spans. If they mean the same, rename one of them with --labels MAP",
                common,
            )
