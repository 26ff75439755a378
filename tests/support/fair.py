"""Ortmann's error types (LREC 2022), written down plainly: sets of tokens, one step after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import product

Span = tuple[int, int, str]
Error = tuple[str, str | None, str | None]  # kind, label of the reference, predicted label
Weights = tuple[float, float, float]
KINDS = ("correct", "wrong_type", "wrong_boundary", "wrong_type_and_boundary", "missed", "spurious")


def types_of(reference: Sequence[Span], predicted: Sequence[Span]) -> Counter[Error]:
    """How often each error occurs in a document. Boundary errors come twice: by their kind, and by their form."""
    target, system = sorted(reference), sorted(predicted)
    found: Counter[Error] = Counter()
    for one, other in list(_identical(target, system)):
        found["correct" if one[2] == other[2] else "wrong_type", one[2], other[2]] += 1
    for one, other in _overlapping(target, system):
        same = one[2] == other[2]
        found["wrong_boundary" if same else "wrong_type_and_boundary", one[2], other[2]] += 1
        if same:
            found[_form(one, other), one[2], other[2]] += 1
    found.update(("missed", label, None) for *_, label in target)
    found.update(("spurious", None, label) for *_, label in system)
    return found


def _identical(target: list[Span], system: list[Span]) -> Iterator[tuple[Span, Span]]:
    """Spans on the same place are taken off both lists: those of the same label before all others."""
    agree: list[Callable[[Span, Span], bool]] = [
        lambda one, other: one == other,
        lambda one, other: one[:2] == other[:2],
    ]
    for alike in agree:
        for one in list(target):
            other = next((other for other in system if alike(one, other)), None)
            if other is not None:
                target.remove(one)
                system.remove(other)
                yield one, other


def _overlapping(target: list[Span], system: list[Span]) -> list[tuple[Span, Span]]:
    """Spans that overlap, off both lists. A token of a span is in one error only."""
    sides = [sorted(enumerate(side), key=lambda item: item[1][1] - item[1][0]) for side in (target, system)]
    waiting = [list(side) for side in sides]
    matched: list[list[tuple[int, Span]]] = [[], []]
    free = [{number: set(range(span[0], span[1])) for number, span in side} for side in sides]
    pairs: list[tuple[Span, Span]] = []

    def seek(side: int, among: list[tuple[int, Span]], *, same_label: bool) -> None:
        for item in list(waiting[side]):
            mine = free[side][item[0]]
            candidates = [
                other
                for other in among
                if (other[1][2] == item[1][2]) == same_label and mine & free[1 - side][other[0]]
            ]
            if not candidates:
                continue

            def distance(other: tuple[int, Span], mine: set[int] = mine) -> tuple[int, int, int, int]:
                theirs = free[1 - side][other[0]]
                return -len(mine & theirs), len(mine - theirs), len(theirs - mine), other[1][1] - other[1][0]

            best = min(candidates, key=distance)
            both = mine & free[1 - side][best[0]]
            free[side][item[0]] = mine - both
            free[1 - side][best[0]] -= both
            waiting[side].remove(item)
            matched[side].append(item)
            if best in waiting[1 - side]:
                waiting[1 - side].remove(best)
                matched[1 - side].append(best)
            pairs.append((item[1], best[1]) if side == 0 else (best[1], item[1]))

    for same_label in (True, False):
        seek(0, waiting[1], same_label=same_label)
        seek(0, matched[1], same_label=same_label)
        seek(1, matched[0], same_label=same_label)
    target[:] = [span for _, span in waiting[0]]
    system[:] = [span for _, span in waiting[1]]
    return pairs


def _form(one: Span, other: Span) -> str:
    if one[0] <= other[0] and other[1] <= one[1]:
        return "smaller"
    return "larger" if other[0] <= one[0] and one[1] <= other[1] else "crossing"


def traditional(reference: Sequence[Span], predicted: Sequence[Span]) -> Counter[Error]:
    """True positives, false negatives and false positives as sets of spans have them, each span by itself."""
    found: Counter[Error] = Counter()
    found.update(("correct" if span in predicted else "missed", span[2], None) for span in reference)
    found.update(("spurious", None, span[2]) for span in predicted if span not in reference)
    return found


def figures(counts: Counter[str]) -> dict[str, tuple[float, float]]:
    """Precision and recall of the fair evaluation and of the weighted one, by the formulas of the paper."""
    weights: dict[str, Weights] = {  # of true positives, false positives, false negatives
        "correct": (1, 0, 0),
        "missed": (0, 0, 1),
        "spurious": (0, 1, 0),
        "wrong_type": (0, 0.5, 0.5),
        "wrong_type_and_boundary": (0, 0.5, 0.5),
    }
    evaluations: dict[str, dict[str, Weights]] = {
        "fair": weights | {"wrong_boundary": (0, 0.5, 0.5)},
        "fair_weighted": weights | {"smaller": (0.5, 0, 0.5), "larger": (0.5, 0.5, 0), "crossing": (0.5, 0.25, 0.25)},
    }
    result = {}
    for name, own in evaluations.items():
        sums = [0.0, 0.0, 0.0]
        for (kind, weight), k in product(own.items(), range(3)):
            sums[k] += weight[k] * counts[kind]
        right, false, lost = sums
        result[name] = (
            right / (right + false) if right + false else 0.0,
            right / (right + lost) if right + lost else 0.0,
        )
    return result
