"""Detect the tag scheme of a whole input from added counts.

The counts add up over batches.

Whether a tag is valid in a scheme follows from the letters of neighbours and from whether their labels are equal. So a
table of these is all that is kept for any size of input, and the place where each tag was first seen. The notation may
only be known at the end, so every notation that the vocabulary allows is counted.

Evidence of batches adds up to the same in any order and for any cuts; `TagEvidence()` is the identity.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from isogloss.errors import TagError
from isogloss.kernel.argument_checks import resolve_choice
from isogloss.kernel.provenance import SIDES, Provenance, RunWarning, Side
from isogloss.kernel.scores import Ints
from isogloss.spans.batches import Codes, TagPairs
from isogloss.spans.schemes import (
    CONTINUED_LETTERS,
    INSIDE,
    LETTERS,
    OUTSIDE,
    SCHEME_SYNONYMS,
    SCHEMES,
    SEPARATED_NOTATIONS,
    TagNotation,
    TagRule,
    TagScheme,
    build_tag_rule,
    detect_notation,
    find_shared_label,
    find_underscore_tags,
    format_letters,
    is_continuation,
    split_tag,
)
from isogloss.spans.tag_reading import BEGIN_BIT, END_BIT, SIDE_NAMES, RuleTable, TaggedTokens, compile_rules
from isogloss.text.display import format_count

SYMBOLS = (OUTSIDE, *sorted(LETTERS))
_SYMBOL_POSITIONS = {symbol: at for at, symbol in enumerate(SYMBOLS)}


class TagSighting(NamedTuple):
    """Place where a tag was first seen.

    `provenance` names the place only for messages.
    """

    document: int
    position: int
    row: int
    provenance: Provenance


class _Place(NamedTuple):
    """Provenance of a tag whose place is known."""

    place: str

    def name(self, row: int) -> str:
        return str(row + 1)

    def where(self, row: int, position: int, side: Side) -> str:  # noqa: ARG002  the signature of `Provenance`
        return self.place

    def get_excerpt(self, row: int) -> None:  # noqa: ARG002  the signature of `Provenance`
        return None


@dataclass(frozen=True, eq=False)
class NeighbourCounts:
    """Counts of neighbouring letters of one side in one notation.

    Args:
        pairs: (2, symbols, symbols) neighbours by same label, previous and current letter; a tag next to the edge of a
            document counts as a neighbour of O.
        alone: (symbols,) spans of one tag, by letter.
    """

    pairs: Ints = field(default_factory=lambda: np.zeros((2, len(SYMBOLS), len(SYMBOLS)), np.int64))
    alone: Ints = field(default_factory=lambda: np.zeros(len(SYMBOLS), np.int64))

    def __add__(self, other: NeighbourCounts) -> NeighbourCounts:
        return NeighbourCounts(self.pairs + other.pairs, self.alone + other.alone)

    def list_letters(self) -> str:
        """Return the letters in use, ascending."""
        used = self.pairs.sum(axis=(0, 1)) > 0  # (symbols,)
        return "".join(letter for letter in sorted(LETTERS) if used[_SYMBOL_POSITIONS[letter]])

    def count_begins(self, letter: str) -> int:
        """Count spans whose first tag has this letter."""
        before = self.pairs[:, :, _SYMBOL_POSITIONS[letter]]  # (same label, previous)
        continued = [at for x, at in _SYMBOL_POSITIONS.items() if is_continuation(x, letter, same_label=True)]
        return int(before.sum() - before[1, continued].sum())

    def count_ends(self, letter: str) -> int:
        """Count spans whose last tag has this letter."""
        after = self.pairs[:, _SYMBOL_POSITIONS[letter], :]  # (same label, current)
        continuing = [at for x, at in _SYMBOL_POSITIONS.items() if is_continuation(letter, x, same_label=True)]
        return int(after.sum() - after[1, continuing].sum())

    def count_spans(self) -> int:
        """Count spans in the lenient reading."""
        return sum(self.count_begins(letter) for letter in LETTERS)

    def count_invalid_tags(self, scheme: TagScheme) -> int:
        """Count tags that are invalid in a scheme.

        The scheme must have all letters in use. In IOB1 a B that does not follow a span of its label counts too, in
        IOE1 an E that does not precede one: they need no repair, but are evidence against the scheme.
        """
        wrong_first = set(scheme.letters).difference(scheme.first_letters)
        wrong_last = set(scheme.letters).difference(scheme.last_letters)
        count = sum(map(self.count_begins, wrong_first)) + sum(map(self.count_ends, wrong_last))
        count -= sum(int(self.alone[_SYMBOL_POSITIONS[letter]]) for letter in wrong_first & wrong_last)
        return count + (self._count_needless(scheme) if scheme.separator else 0)

    def _count_needless(self, scheme: TagScheme) -> int:
        mark, letters = _SYMBOL_POSITIONS[scheme.separator], [_SYMBOL_POSITIONS[letter] for letter in scheme.letters]
        if scheme.separator == "B":
            return self.count_begins(scheme.separator) - int(self.pairs[1, letters, mark].sum())
        return self.count_ends(scheme.separator) - int(self.pairs[1, mark, letters].sum())


@dataclass(frozen=True, eq=False)
class TagEvidence:
    """Evidence on the scheme from all batches so far.

    Args:
        neighbours: counts of neighbours by side and notation.
        sightings: by side, where each tag except O was first seen.
        outside: number of O tags on both sides together.
        sides: the sides that have tags.
    """

    neighbours: Mapping[tuple[Side, TagNotation], NeighbourCounts] = field(default_factory=dict)
    sightings: Mapping[Side, Mapping[str, TagSighting]] = field(default_factory=lambda: {side: {} for side in SIDES})
    outside: int = 0
    sides: frozenset[Side] = frozenset()

    @classmethod
    def from_batch(cls, batch: TagPairs) -> TagEvidence:
        """Collect the evidence of one batch."""
        tokens = TaggedTokens.from_batch(batch)
        notations = _list_notations(batch.vocabulary)
        _, tables = compile_rules(batch.vocabulary, tuple(_LETTER_RULES[notation] for notation in notations))
        tagged = sum(int(np.count_nonzero(tokens.get_codes(side))) for side in SIDES)
        return cls(
            neighbours={
                (side, notation): _count_neighbours(table, tokens, tokens.get_codes(side))
                for side in SIDES
                for notation, table in zip(notations, tables, strict=True)
            },
            sightings={side: _find_sightings(batch, tokens, tokens.get_codes(side)[1:-1]) for side in SIDES},
            outside=len(batch.sides) * len(batch.reference) - tagged,
            sides=frozenset(batch.sides),
        )

    def __add__(self, other: TagEvidence) -> TagEvidence:
        neighbours = dict(self.neighbours)
        for key, more in other.neighbours.items():
            neighbours[key] = neighbours[key] + more if key in neighbours else more
        sightings = {side: _merge_sightings(self.sightings[side], other.sightings[side]) for side in SIDES}
        return replace(
            self,
            neighbours=neighbours,
            sightings=sightings,
            outside=self.outside + other.outside,
            sides=self.sides | other.sides,
        )

    def to_state(self) -> dict[str, Any]:
        """Return the evidence as plain values and arrays."""
        return {
            "neighbours": [[*key, counts.pairs, counts.alone] for key, counts in self.neighbours.items()],
            "sightings": {
                side: [
                    [tag, seen.document, seen.position, seen.provenance.where(seen.row, seen.position, side)]
                    for tag, seen in self.sightings[side].items()
                ]
                for side in SIDES
            },
            "outside": self.outside,
            "sides": sorted(self.sides),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any], first: int = 0) -> TagEvidence:
        """Build evidence from the value of `to_state`.

        Args:
            state: the value.
            first: number of the first document in the corpus.
        """
        neighbours = {(side, notation): NeighbourCounts(*each) for side, notation, *each in state["neighbours"]}
        sightings = {
            side: {tag: TagSighting(document + first, at, 0, _Place(place)) for tag, document, at, place in seen}
            for side, seen in state["sightings"].items()
        }
        return cls(neighbours, sightings, state["outside"], frozenset(state["sides"]))

    def list_tags(self) -> tuple[str, ...]:
        """Return all tags except O of either side, ascending."""
        return tuple(sorted({tag for side in SIDES for tag in self.sightings[side]}))

    def get_neighbours(self, side: Side, notation: TagNotation) -> NeighbourCounts:
        """Return the counts of one side and notation."""
        return self.neighbours.get((side, notation)) or NeighbourCounts()


@lru_cache(maxsize=8)
def _list_notations(vocabulary: tuple[str, ...]) -> tuple[TagNotation, ...]:
    return tuple(
        notation for notation in SEPARATED_NOTATIONS if any(split_tag(tag, notation) for tag in vocabulary[1:])
    )


def _split_or_outside(tag: str, notation: TagNotation) -> tuple[str, str]:
    # A tag without a letter is an error when decoded; here it counts as O.
    return (tag != OUTSIDE and split_tag(tag, notation)) or (OUTSIDE, "")


_LETTER_RULES = {
    notation: TagRule(notation, partial(_split_or_outside, notation=notation)) for notation in SEPARATED_NOTATIONS
}


def _count_neighbours(table: RuleTable, tokens: TaggedTokens, codes: Codes) -> NeighbourCounts:
    index = table.index_neighbours(codes, tokens.apart)  # (tagged + 1,)
    width = len(table.kinds)
    counts = np.bincount(index, minlength=4 * width * width).reshape(2, 2, width, width)
    named = np.array([[prefix == symbol for symbol in SYMBOLS] for prefix, _ in table.kinds], np.int64)
    pairs = named.T @ counts[0] @ named  # (same label, symbols, symbols)
    apart = named.T @ counts[1].sum(axis=0) @ named  # (symbols, symbols)
    pairs[0, :, 0] += apart.sum(axis=1)  # the first symbol is O
    pairs[0, 0, :] += apart.sum(axis=0)
    pairs[:, 0, 0] = 0  # O next to O is not evidence, and depends on the tags of the other side
    found_at = table.boundaries.take(index)  # (tagged + 1,)
    alone = np.flatnonzero((found_at[:-1] & BEGIN_BIT != 0) & (found_at[1:] & END_BIT != 0))  # (spans of one tag,)
    kinds = np.bincount(table.kind.take(codes.take(alone + 1)), minlength=width)  # (kinds,)
    counted = kinds @ named  # (symbols,)
    counted[0] = 0
    return NeighbourCounts(pairs, counted)


def _find_sightings(batch: TagPairs, tokens: TaggedTokens, codes: Codes) -> dict[str, TagSighting]:
    first = np.full(len(batch.vocabulary), -1)  # (tags,)
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # written last, so the earliest position stays
    seen = {}
    for code in np.flatnonzero(first >= 0).tolist():
        at = int(first[code])
        row = int(tokens.row[at])
        position = int(tokens.positions[at] - batch.offsets[row])
        seen[batch.vocabulary[code]] = TagSighting(int(batch.documents[row]), position, row, batch.provenance)
    seen.pop(OUTSIDE, None)
    return seen


def _merge_sightings(left: Mapping[str, TagSighting], right: Mapping[str, TagSighting]) -> dict[str, TagSighting]:
    merged = dict(left)
    for tag, sighting in right.items():
        if tag not in merged or sighting[:2] < merged[tag][:2]:
            merged[tag] = sighting
    return merged


AUTO = "auto"  # detect the scheme from the tags
DETECTED_CODE = "scheme-detected"
LIKE_REFERENCE = "like the reference"
SIDE_TITLES: Mapping[Side, str] = {side: f"the {word}" for side, word in SIDE_NAMES.items()}


@dataclass(frozen=True)
class SchemeDecision:
    """How the tags of an input are read.

    Args:
        reference: scheme of the reference.
        predicted: scheme of the prediction.
        notation: how tags are written.
        messages: sentences for the user: the decision, its evidence, and open questions.
    """

    reference: TagScheme
    predicted: TagScheme
    notation: TagNotation = "prefix"
    messages: tuple[str, ...] = ()

    @property
    def rules(self) -> tuple[TagRule, TagRule]:
        """Rules of reference and prediction."""
        return build_tag_rule(self.reference, self.notation), build_tag_rule(self.predicted, self.notation)

    @property
    def warnings(self) -> tuple[RunWarning, ...]:
        """The sentences for the user as warnings."""
        return tuple(RunWarning(DETECTED_CODE, line) for line in self.messages)


def decide_column_scheme(evidence: TagEvidence, scheme: str, name: str) -> SchemeDecision:
    """Decide the scheme of one file, named by the user or detected.

    Args:
        evidence: evidence of the tags, as a reference.
        scheme: key of `SCHEMES`, or `auto`.
        name: name of the tags in messages, such as `column 2 of gold.conll`.

    Raises:
        UsageError: if the scheme is unknown.
        TagError: if no scheme has all letters, or the tags do not look like tags of spans.
    """
    if scheme != AUTO:
        return use_named_scheme(scheme, evidence.list_tags())
    return decide_schemes(evidence, {"reference": name, "predicted": ""})


def find_scheme(name: str) -> TagScheme:
    """Return the scheme of this name.

    Args:
        name: key of `SCHEMES`.

    Raises:
        UsageError: if the name is unknown.
    """
    return SCHEMES[resolve_choice("tag scheme", name, SCHEMES, SCHEME_SYNONYMS)]


def use_named_scheme(name: str, tags: Iterable[str] = ()) -> SchemeDecision:
    """Use the scheme that the user named for both sides.

    Args:
        name: key of `SCHEMES`.
        tags: tags of the input, such as a vocabulary or `TagEvidence.list_tags()`; they show the notation.

    Raises:
        UsageError: if the name is unknown.
    """
    scheme = SCHEMES[resolve_choice("tag scheme", name, (AUTO, *SCHEMES), SCHEME_SYNONYMS)]
    tags = [*tags]
    notation = detect_notation(tags)
    if notation == "bare" and scheme.name != "io":
        notation = "prefix"
    has_only_inside = all(tag.startswith(INSIDE) for tag in tags if tag != OUTSIDE)
    if notation == "underscore" and scheme.name == "io" and not has_only_inside:
        notation = "bare"  # IO has no other letter
    return SchemeDecision(scheme, scheme, notation, _describe_notation(notation, tags))


def decide_schemes(evidence: TagEvidence, names: Mapping[Side, str] = SIDE_TITLES) -> SchemeDecision:
    """Decide the schemes of both sides from their tags.

    Args:
        evidence: evidence of the whole input.
        names: names of the sides in messages, such as `column 2 of gold.conll`.

    Raises:
        TagError: if no scheme has all letters of a side, or the tags do not look like tags of spans.
    """
    tags = evidence.list_tags()
    notation = detect_notation(tags)
    if notation == "bare":
        return _decide_bare(evidence)
    reference, predicted = (_SideEvidence.from_evidence(evidence, side, notation, names[side]) for side in SIDES)
    lines = _describe_notation(notation, tags)
    if not reference.letters and not predicted.letters:
        default = next(iter(SCHEMES.values()))
        lines += (f"There is no tag other than O: all are read as {default.title}.",)
        return SchemeDecision(default, default, notation, lines)
    if not reference.letters:
        scheme = predicted.choose_scheme()
        if "reference" in evidence.sides:
            lines += (_capitalize(f"{reference.name} has no tag other than O: {predicted.name} decides for both."),)
        return SchemeDecision(scheme, scheme, notation, (*lines, *predicted.describe_scheme(scheme)))
    scheme = reference.choose_scheme()
    lines += reference.describe_scheme(scheme)
    other, reason = predicted.choose_scheme_beside(scheme)
    if "predicted" in evidence.sides:
        lines += predicted.describe_scheme(other, reason)
    return SchemeDecision(scheme, other, notation, lines)


def _describe_notation(notation: TagNotation, tags: Iterable[str]) -> tuple[str, ...]:
    """Describe how tags are written, and reasons for this reading.

    Reasons are given if several readings fit.
    """
    marked = find_underscore_tags(tags)
    if notation == "underscore":
        return (_describe_underscore(marked),)
    doubts = (_describe_underscore_doubt(notation, marked, tags),) if marked and notation != "prefix" else ()
    return {
        "prefix": (),
        "suffix": ("Tags end with their letter, as in PER-B.",),
        "bare": ("Tags are bare labels, as in PER: neighbours of one label are one span (IO).",),
    }[notation] + doubts


def _describe_underscore(marked: Sequence[str]) -> str:
    pair = find_shared_label(marked)
    if pair:
        return f"Tags begin with a letter and an underscore: {pair[0]!r} and {pair[1]!r} have the same label."
    return (
        f"Tags begin with a letter and an underscore, as in {marked[0]!r}, because all tags but O do. "
        "If they are labels without letters, use --scheme io."
    )


def _describe_underscore_doubt(notation: TagNotation, marked: Sequence[str], tags: Iterable[str]) -> str:
    reading = "ends with a letter" if notation == "suffix" else "is a label without a letter"
    other = next((tag for tag in sorted(tags) if tag != OUTSIDE and tag not in marked), None)
    reason = f"like {other!r}" if other else "as all tags"
    return f"{marked[0]!r} could begin with a letter and an underscore; isogloss reads that it {reading}, {reason}."


def _decide_bare(evidence: TagEvidence) -> SchemeDecision:
    tags = evidence.list_tags()
    if evidence.outside:
        return SchemeDecision(SCHEMES["io"], SCHEMES["io"], "bare", _describe_notation("bare", tags))
    raise TagError(
        f"this does not look like a column of tags: none of {len(tags)} values is O or has a letter such as B- or I-",
        where=_locate_tag(evidence, tags[:1]),
        detail=f"It holds {', '.join(map(repr, tags[:5]))}{', ...' if tags[5:] else ''}.",
        remedy="Name the columns that hold the tags, for CoNLL columns with --columns.",
    )


def _locate_tag(evidence: TagEvidence, tags: Iterable[str]) -> str | None:
    for tag in tags:
        for side in SIDES:
            seen = evidence.sightings[side].get(tag)
            if seen is not None:
                return seen.provenance.where(seen.row, seen.position, side)
    return None


@dataclass(frozen=True, eq=False)
class _SideEvidence:
    """The evidence of one side in one notation.

    Args:
        side: the side.
        name: name of the side in messages.
        notation: how tags are written.
        neighbours: counts of neighbouring letters.
        sightings: where each tag except O was first seen.
        letters: the letters in use, ascending.
    """

    side: Side
    name: str
    notation: TagNotation
    neighbours: NeighbourCounts
    sightings: Mapping[str, TagSighting]
    letters: str

    @classmethod
    def from_evidence(cls, evidence: TagEvidence, side: Side, notation: TagNotation, name: str) -> _SideEvidence:
        """Take the evidence of a side."""
        neighbours = evidence.get_neighbours(side, notation)
        return cls(side, name, notation, neighbours, evidence.sightings[side], neighbours.list_letters())

    def choose_scheme(self) -> TagScheme:
        """Return the scheme with the fewest invalid tags, the first among equals."""
        candidates = self._list_candidates()
        if not candidates:
            raise self._build_uncovered_error()
        return min(candidates, key=self.neighbours.count_invalid_tags)

    def choose_scheme_beside(self, other: TagScheme) -> tuple[TagScheme, str]:
        """Return a scheme beside that of the other side, with the reason.

        It is the scheme of the other side if these tags can have it, else their own.
        """
        foreign = [letter for letter in self.letters if letter not in other.letters]
        if foreign:
            letters = format_letters(foreign, self.notation)
            return self.choose_scheme(), f"it uses {letters}, which {other.title} does not have"
        if self.letters and other.has_explicit_end and set(self.letters).isdisjoint(other.last_letters):
            ends = format_letters(other.last_letters, self.notation)
            return self.choose_scheme(), f"it never uses {ends}, with which {other.title} closes spans"
        return other, LIKE_REFERENCE

    def describe_scheme(self, scheme: TagScheme, reason: str = "") -> tuple[str, ...]:
        """Describe the scheme of this side, and tags without a letter.

        Tags without a letter are no evidence on the scheme.
        """
        unknown = sorted(tag for tag in self.sightings if split_tag(tag, self.notation) is None)
        also = (f"{self.name} also has tags of no scheme, such as {unknown[0]!r}.",) if unknown else ()
        if not self.letters:
            return tuple(map(_capitalize, (f"{self.name} has no tag other than O.", *also)))
        end = scheme.last_letters[0]
        lacks_end = scheme.has_explicit_end and end not in self.letters and CONTINUED_LETTERS & set(self.letters)
        title = f"{scheme.title} with missing {end} tags" if lacks_end else scheme.title
        invalid = self.neighbours.count_invalid_tags(scheme)
        fit = "every tag fits" if not invalid else f"{invalid:,} of its tags do not fit"
        spans = format_count(self.neighbours.count_spans(), "span")
        seen = f"{spans}, tags with {format_letters(self.letters, self.notation)}; {fit}"
        line = f"{self.name} is read as {title}{', ' + reason if reason else ''} ({seen})."
        alternatives = self._describe_alternatives(scheme, invalid, is_own=reason != LIKE_REFERENCE)
        return tuple(map(_capitalize, (line, *alternatives, *also)))

    def _list_candidates(self) -> list[TagScheme]:
        return [scheme for scheme in SCHEMES.values() if set(self.letters) <= set(scheme.letters)]

    def _describe_alternatives(self, scheme: TagScheme, invalid: int, *, is_own: bool) -> tuple[str, ...]:
        if self.letters == INSIDE and scheme.name == "iob2":
            return (f"Every span of {self.name} begins with I: it may be IOB1 or IO, which read these tags alike.",)
        rivals = [
            other.title
            for other in self._list_candidates()
            if other != scheme and self.neighbours.count_invalid_tags(other) == invalid
        ]
        if not (is_own and rivals):
            return ()
        return (f"The tags of {self.name} could as well be {' or '.join(rivals)}, which read them alike.",)

    def _build_uncovered_error(self) -> TagError:
        def order(tag: str) -> tuple[int, int]:
            return self.sightings[tag][:2]

        example = {
            letter: min(
                (tag for tag in self.sightings if (split_tag(tag, self.notation) or "-")[0] == letter), key=order
            )
            for letter in self.letters
        }
        latest = self.sightings[max(example.values(), key=order)]  # its letter does not fit the others
        return TagError(
            f"no tag scheme has all of {format_letters(self.letters, self.notation)}, which {self.name} uses",
            where=latest.provenance.where(latest.row, latest.position, self.side),
            detail=f"It has {', '.join(map(repr, example.values()))}.",
            remedy="Correct the tags, or name the scheme with --scheme to see which tags do not belong to it.",
        )


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]
