"""Score catalogue of a task: shown scores and their better direction.

Each task declares its catalogue once. Tables, leaderboards, slices, gates, comparisons, the store and reports read it,
so none of them depends on a particular task.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

PROPORTION_COUNTS: Mapping[str, tuple[tuple[str, tuple[str, ...]], ...]] = {  # counts that a name is a ratio of
    "accuracy": (("correct", ("total",)),),
    "precision": (
        ("tp", ("tp", "fp")),
        ("correct_predicted", ("actual",)),
        ("correct_predicted", ("predicted",)),
        ("correct", ("actual",)),
        ("correct", ("predicted",)),
    ),
    "recall": (
        ("tp", ("tp", "fn")),
        ("correct_reference", ("possible",)),
        ("correct", ("possible",)),
        ("correct", ("reference",)),
        ("correct", ("total",)),
    ),
    "strict_rate": (("strict_count", ("total",)),),
    "excused_rate": (("excused_count", ("total",)),),
}
PER_DOCUMENT = "per_document"  # first part of the key of a figure over single documents
F_NAMES = ("f1", "f")
RATIO_NAMES = frozenset((*PROPORTION_COUNTS, *F_NAMES))
DEVIATIONS = ("std", "se")
ABBREVIATIONS: Mapping[str, str] = {"f1": "F1", "f": "F"}


@dataclass(frozen=True)
class Score:
    """A score that other views than its own table show.

    Args:
        path: group and name, such as `strict.f1`.
        main: rank among the scores that can represent a run: 1 is tried first, 0 never.
        secondary: rank among the scores that leaderboards and reports also show; 0 for not shown.
        by_slice: whether tables of slices show it.
        higher_is_better: whether a higher value is better.
        limits: smallest and largest possible value.
    """

    path: str
    main: int = 0
    secondary: int = 0
    by_slice: bool = False
    higher_is_better: bool = True
    limits: tuple[float, float] = (0, 1)


@dataclass(frozen=True)
class Catalogue:
    """All scores of a task.

    Args:
        scores: scores in display order.
        by_label: group and name of the scores that can represent a label, the preferred one first.
        abbreviations: titles of keys of paths, where they differ from the key.
    """

    scores: tuple[Score, ...] = ()
    by_label: tuple[tuple[str, str], ...] = ()
    abbreviations: Mapping[str, str] = field(default_factory=dict)

    @property
    def main(self) -> tuple[str, ...]:
        """Paths of the scores that can represent a run.

        The preferred path is the first.
        """
        return tuple(score.path for score in sorted(self.scores, key=lambda score: score.main) if score.main)

    @property
    def secondary(self) -> tuple[str, ...]:
        """Paths of the scores shown together, beginning with the preferred main score."""
        return (
            *self.main[:1],
            *(score.path for score in sorted(self.scores, key=lambda score: score.secondary) if score.secondary),
        )

    @property
    def by_slice(self) -> tuple[str, ...]:
        """Paths of the scores in tables of slices."""
        return tuple(score.path for score in self.scores if score.by_slice)

    def is_higher_better(self, name: str) -> bool:
        """Check whether a higher value of a score is better.

        Args:
            name: name of the score, the last key of its path.
        """
        return all(score.higher_is_better for score in self.scores if score.path.rpartition(".")[2] == name)

    def find_limits(self, key: tuple[str, ...]) -> tuple[float, float] | None:
        """Return the smallest and largest possible value of a score.

        It is None if they are unknown, such as for a count. A score that is not in the catalogue has the limits of the
        scores of its name, if these agree. Precision, recall, F and accuracy are between 0 and 1.

        Args:
            key: key of the score, also of a slice, of a label, or of a figure over single documents.
        """
        figure = key[-1] if key[0] == PER_DOCUMENT else ""
        if figure == "documents":
            return None
        path = ".".join(key[:-1][-2:] if figure else key[-2:])
        name = path.rpartition(".")[2]
        limits = {score.limits for score in self.scores if score.path == path} or {
            score.limits for score in self.scores if score.path.rpartition(".")[2] == name
        }
        limits = limits or ({(0, 1)} if name in RATIO_NAMES else set())
        if len(limits) != 1:
            return None
        ((low, high),) = limits
        return (0, high - low) if figure in DEVIATIONS else (low, high)

    def title(self, keys: Iterable[str]) -> str:
        """Write the keys of a path as a title: `Strict F1`."""
        shown = [key for key in keys if key not in OMITTED_KEYS]
        known = {**ABBREVIATIONS, **self.abbreviations}
        words = " ".join(known.get(key, key.replace("_", " ")) for key in shown)
        return words if shown and shown[0] in known else words[:1].upper() + words[1:]


OMITTED_KEYS = frozenset(("label", "score"))  # keys left out of titles
