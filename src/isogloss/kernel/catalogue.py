"""Score catalogue of a task: which scores are shown, and which way is better.

Each task declares its catalogue once. Tables, leaderboards, slices, gates, comparisons, the store and reports read it,
so none of them depends on a particular task.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

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
    """

    path: str
    main: int = 0
    secondary: int = 0
    by_slice: bool = False
    higher_is_better: bool = True


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
        """Paths of the scores that can represent a run, the preferred one first."""
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

    def title(self, keys: Iterable[str]) -> str:
        """Write the keys of a path as a title: `Strict F1`."""
        shown = [key for key in keys if key not in OMITTED_KEYS]
        known = {**ABBREVIATIONS, **self.abbreviations}
        words = " ".join(known.get(key, key.replace("_", " ")) for key in shown)
        return words if shown and shown[0] in known else words[:1].upper() + words[1:]


OMITTED_KEYS = frozenset(("label", "score"))  # keys left out of titles
