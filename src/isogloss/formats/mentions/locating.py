"""Names to the places where a text has them: by the order of the answer, first come, first served.

    found = locate([("Ada", "PER"), ("Paris", "LOC")], "Paris? Ada is in Paris.")

A name is looked for in three steps, each for all names before the next begins, so that a lax match never takes what
another name matches to the letter:

1. *exact*: as it is written, without white space at its ends;
2. *normalised*: both folded (`folding`);
3. *spaces*: both folded and without white space.

Within a step names take places in the order of the answer. A place is one where no cluster of the text is cut. If a
name stands as whole words somewhere, its other places are left out (`Ann` is not in `Annapolis`); scripts that do not
write words apart, and Korean, have no such preference. Of its places a name takes the first that

1. overlaps no span so far, or if there is none,
2. is nobody's so far, which nests it in a longer name, or it in a shorter one.

A name that has found nothing in any step shares the first of its places that no name of its label has: two labels for
one name. If it has none, it is not in the text, or more often in the answer than in the text: it is *unlocated*.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from isogloss.formats.mentions.folding import Form
from isogloss.formats.span_pairing import Mention, Triple
from isogloss.rules.words import goes_on

STEPS: tuple[Callable[[str], Form], ...] = (Form.exact, Form.normalised, Form.without_spaces)
MOST = 10_000  # places of one name that are looked at, so that no answer takes time without end
Place = tuple[int, int]


@dataclass(frozen=True)
class Found:
    """Names, looked for.

    Args:
        spans: where they are, ascending.
        unlocated: those that are nowhere, in the order of the answer.
        normalised: how many were found only folded.
        spaces: how many were found only without white space.
    """

    spans: Sequence[Triple]
    unlocated: Sequence[Mention]
    normalised: int
    spaces: int


def locate(mentions: Sequence[Mention], text: str) -> Found:
    """Where a text has these names.

    Args:
        mentions: names with their labels, in the order of the answer.
        text: any text.
    """
    search = _Search(text, [(name.strip(), label) for name, label in mentions])
    _, normalised, spaces = map(search.step, STEPS)
    search.share()
    spans = sorted((*place, label) for place, labels in search.labels.items() for label in labels)
    return Found(spans, [mentions[at] for at in search.rest], normalised, spaces)


@dataclass
class _Places:
    """The places of a name in a form, and how far they are used up: each is looked at once."""

    all: Sequence[Place]
    overlapped: int = 0  # those before it overlap a span
    taken: int = 0  # those before it are somebody's
    shared: dict[str, int] = field(default_factory=dict)  # by label: those before it have a name of this label


class _Search:
    """A text, its names, and what was found so far.

    Args:
        text: the text.
        mentions: the names.

    Attributes:
        labels: the labels of each place that is somebody's.
        rest: positions of the names that were not found, ascending.
    """

    def __init__(self, text: str, mentions: Sequence[Mention]) -> None:
        self.labels: dict[Place, set[str]] = {}
        self.rest = list(range(len(mentions)))
        self._text, self._mentions = text, mentions
        self._covered = bytearray(len(text))  # (code points,) 1 where a span is
        self._known: list[dict[str, _Places]] = []  # (steps,) by name

    def step(self, form_of: Callable[[str], Form]) -> int:
        """Look for the rest in a form; how many were found."""
        if not self.rest:
            return 0
        form = form_of(self._text)
        names = {self._mentions[at][0] for at in self.rest}
        self._known.append({name: _Places(self._places(form, form.fold(name))) for name in names})
        return self._keep(self._free)

    def share(self) -> None:
        """Look for places of the rest that names of other labels have."""
        self._keep(self._shared)

    def _keep(self, place_of: Callable[[str, str], Place | None]) -> int:
        rest = []
        for at in self.rest:
            name, label = self._mentions[at]
            place = place_of(name, label)
            if place is None:
                rest.append(at)
            else:
                start, end = place
                self.labels.setdefault(place, set()).add(label)
                self._covered[start:end] = b"\1" * (end - start)
        found = len(self.rest) - len(rest)
        self.rest = rest
        return found

    def _free(self, name: str, label: str) -> Place | None:  # noqa: ARG002  as `_shared`
        places = self._known[-1][name]
        while places.overlapped < len(places.all):
            place = places.all[places.overlapped]
            places.overlapped += 1
            if self._covered.find(1, *place) < 0:
                return place
        while places.taken < len(places.all):
            place = places.all[places.taken]
            places.taken += 1
            if place not in self.labels:
                return place
        return None

    def _shared(self, name: str, label: str) -> Place | None:
        for known in self._known:
            places = known.get(name)
            if places is not None:
                for at in range(places.shared.get(label, 0), len(places.all)):
                    places.shared[label] = at + 1
                    if label not in self.labels.get(places.all[at], ()):
                        return places.all[at]
        return None

    def _places(self, form: Form, name: str) -> list[Place]:
        """Where a name stands in a form: as whole words, or if it does so nowhere, as parts of words."""
        if not name:
            return []
        places = list(islice(form.places(name), MOST))
        whole = [place for place in places if not any(goes_on(self._text, edge) for edge in place)]
        return whole or places
