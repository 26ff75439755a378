"""Locate names in a text, in up to three variants of both.

- *exact*: the text as it is.
- *normalised*: case folded, compatibility forms, quotes and dashes unified, invisible characters removed. It is
  Unicode's NFKC_Casefold with the quotes and dashes of all scripts as `'`, `"` and `-`.
- *spaces*: the normalised variant without white space.

A variant is built cluster by cluster, and a found place begins and ends at clusters of the text: a user-perceived
character, such as a Thai consonant with its vowel and tone, is never cut.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

from isogloss.formats.documents import LabelledSpan, Mention
from isogloss.text.display import split_graphemes
from isogloss.text.words import is_inside_word

INSIDE_CLUSTER = -1  # start or end of a character inside a cluster
QUOTES = {
    "'": (0x2018, 0x2019, 0x201A, 0x201B, 0x2032, 0x2035, 0x2039, 0x203A, 0x60, 0xB4, 0x2B9, 0x2BB, 0x2BC, 0x2BD),
    '"': (0x201C, 0x201D, 0x201E, 0x201F, 0x2033, 0x2036, 0xAB, 0xBB, 0x301D, 0x301E, 0x301F),
}
MINUS = (0x2212, 0x2043, 0x2D7)  # dashes that have another category
# Default_Ignorable_Code_Point: joiners, fillers, variation selectors, controls of direction.
IGNORABLE = (
    *((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F)),
    *((0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF)),
    *((0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
)


@dataclass(frozen=True, eq=False)
class TextVariant:
    """A variant of a text, with the way back to the text.

    Args:
        text: the variant.
        starts: (characters of the variant,) start in the text of the cluster that the character begins, or
            `INSIDE_CLUSTER`.
        ends: (characters of the variant,) end in the text of the cluster that the character ends, or `INSIDE_CLUSTER`.
        fold: converts a name to this variant.
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int]
    fold: Callable[[str], str]

    @classmethod
    def build_exact(cls, text: str) -> TextVariant:
        """Build the text as it is."""
        return cls._from_clusters(((text[start:end], start, end) for start, end in split_graphemes(text)), str)

    @classmethod
    def build_normalised(cls, text: str) -> TextVariant:
        """Build the normalised text."""
        return cls._from_clusters(
            ((_fold_cluster(text[start:end]), start, end) for start, end in split_graphemes(text)), fold_name
        )

    @classmethod
    def build_without_spaces(cls, text: str) -> TextVariant:
        """Build the normalised text without white space."""
        form = cls.build_normalised(text)
        kept = [at for at, character in enumerate(form.text) if not character.isspace()]
        return cls(
            text="".join([form.text[at] for at in kept]),
            starts=[form.starts[at] for at in kept],
            ends=[form.ends[at] for at in kept],
            fold=lambda name: "".join(fold_name(name).split()),
        )

    def find_places(self, name: str) -> Iterator[tuple[int, int]]:
        """Yield start and end of each occurrence of a name.

        Both are positions in the text.

        Occurrences are ascending and may overlap.

        Args:
            name: a name in this variant, not empty.
        """
        at, last = self.text.find(name), len(name) - 1
        while at >= 0:
            start, end = self.starts[at], self.ends[at + last]
            if INSIDE_CLUSTER not in {start, end}:
                yield start, end
            at = self.text.find(name, at + 1)

    @classmethod
    def _from_clusters(cls, clusters: Iterator[tuple[str, int, int]], fold: Callable[[str], str]) -> TextVariant:
        parts: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        for part, start, end in clusters:
            if part:
                parts.append(part)
                starts.append(start)
                if len(part) > 1:
                    inner = [INSIDE_CLUSTER] * (len(part) - 1)
                    starts += inner
                    ends += inner
                ends.append(end)
        return cls("".join(parts), starts, ends, fold)


def fold_name(name: str) -> str:
    """Return a name in normalised form."""
    return "".join([_fold_cluster(name[start:end]) for start, end in split_graphemes(name)])


@lru_cache(maxsize=1 << 14)  # more than the distinct clusters of most corpora
def _fold_cluster(cluster: str) -> str:
    apart = unicodedata.normalize("NFKD", cluster.translate(_REPLACEMENTS))
    visible = "".join([character for character in apart if not _is_ignorable(ord(character))])
    whole = unicodedata.normalize("NFKC", visible.casefold()).translate(_REPLACEMENTS)
    return "".join(["-" if unicodedata.category(character) == "Pd" else character for character in whole])


def _is_ignorable(code: int) -> bool:
    return any(first <= code <= last for first, last in IGNORABLE)


_REPLACEMENTS = {code: plain for plain, codes in QUOTES.items() for code in codes} | dict.fromkeys(MINUS, "-")

VARIANTS: tuple[Callable[[str], TextVariant], ...] = (
    TextVariant.build_exact,
    TextVariant.build_normalised,
    TextVariant.build_without_spaces,
)
MAX_PLACES = 10_000  # places of one name, which bounds the time of a search
TextRange = tuple[int, int]


@dataclass(frozen=True)
class LocationResult:
    """The result of locating names.

    Args:
        spans: the spans of the names that were found, ascending.
        unlocated: the names that were not found, in the order of the answer.
        normalised: how many were found only in the normalised text.
        spaces: how many were found only without white space.
    """

    spans: Sequence[LabelledSpan]
    unlocated: Sequence[Mention]
    normalised: int
    spaces: int


def locate_mentions(mentions: Sequence[Mention], text: str) -> LocationResult:
    """Locate names in a text.

    Args:
        mentions: names with their labels, in the order of the answer.
        text: any text.
    """
    search = _Search(text, [(name.strip(), label) for name, label in mentions])
    _, normalised, spaces = map(search.search_variant, VARIANTS)
    search.assign_shared()
    spans = sorted((*place, label) for place, labels in search.labels.items() for label in labels)
    return LocationResult(spans, [mentions[at] for at in search.remaining], normalised, spaces)


@dataclass
class _Places:
    """The places of a name in a variant.

    Pointers ensure that each place is looked at once.
    """

    ranges: Sequence[TextRange]
    overlapped: int = 0  # ranges before this index overlap a span
    taken: int = 0  # ranges before this index are taken
    shared: dict[str, int] = field(default_factory=dict)  # by label: ranges before this index have this label


class _Search:
    """The state of a search for names in a text.

    Args:
        text: the text.
        mentions: the names.

    Attributes:
        labels: the labels of each place that is taken.
        remaining: positions of the names that were not found, ascending.
    """

    def __init__(self, text: str, mentions: Sequence[Mention]) -> None:
        self.labels: dict[TextRange, set[str]] = {}
        self.remaining = list(range(len(mentions)))
        self._text, self._mentions = text, mentions
        self._covered = bytearray(len(text))  # (code points,) 1 where a span is
        self._searched_places: list[dict[str, _Places]] = []  # (steps,) by name

    def search_variant(self, build_variant: Callable[[str], TextVariant]) -> int:
        """Search for the remaining names in a variant.

        Return how many were found.
        """
        if not self.remaining:
            return 0
        form = build_variant(self._text)
        names = {self._mentions[at][0] for at in self.remaining}
        self._searched_places.append({name: _Places(self._find_places(form, form.fold(name))) for name in names})
        return self._assign_places(self._find_free_place)

    def assign_shared(self) -> None:
        """Assign remaining names to places that are taken by other labels."""
        self._assign_places(self._find_shared_place)

    def _assign_places(self, find_place: Callable[[str, str], TextRange | None]) -> int:
        rest = []
        for at in self.remaining:
            name, label = self._mentions[at]
            place = find_place(name, label)
            if place is None:
                rest.append(at)
            else:
                start, end = place
                self.labels.setdefault(place, set()).add(label)
                self._covered[start:end] = b"\1" * (end - start)
        number = len(self.remaining) - len(rest)
        self.remaining = rest
        return number

    def _find_free_place(self, name: str, label: str) -> TextRange | None:  # noqa: ARG002  as `_shared`
        places = self._searched_places[-1][name]
        while places.overlapped < len(places.ranges):
            place = places.ranges[places.overlapped]
            places.overlapped += 1
            if self._covered.find(1, *place) < 0:
                return place
        while places.taken < len(places.ranges):
            place = places.ranges[places.taken]
            places.taken += 1
            if place not in self.labels:
                return place
        return None

    def _find_shared_place(self, name: str, label: str) -> TextRange | None:
        for known in self._searched_places:
            places = known.get(name)
            if places is not None:
                for at in range(places.shared.get(label, 0), len(places.ranges)):
                    places.shared[label] = at + 1
                    if label not in self.labels.get(places.ranges[at], ()):
                        return places.ranges[at]
        return None

    def _find_places(self, form: TextVariant, name: str) -> list[TextRange]:
        """Find a name in a variant, preferably as whole words.

        Parts of words count only if the name is nowhere a whole word.
        """
        if not name:
            return []
        places = list(islice(form.find_places(name), MAX_PLACES))
        whole = [place for place in places if not any(is_inside_word(self._text, edge) for edge in place)]
        return whole or places
