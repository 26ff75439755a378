"""What the tags of a whole input show about their scheme: counts that add up over batches.

Whether a tag fits a scheme follows from the letters of neighbours and from whether their labels are equal, so a table
of these is all that is kept, whatever the size of the input; beside it, where each tag was first seen. How tags are
written may only be known at the end, so both notations are counted where the vocabulary allows both.

Evidence of batches in any order and any cut adds up to the same; `Evidence()` is the identity.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache, partial
from typing import NamedTuple

import numpy as np

from isogloss.errors import TagError, UsageError
from isogloss.kernel.provenance import SIDES, Notice, Origin, Side
from isogloss.kernel.scores import Ints
from isogloss.spans.batches import Codes, TagPairs
from isogloss.spans.schemes import (
    BEFORE,
    INSIDE,
    LETTERS,
    OUTSIDE,
    SCHEMES,
    Notation,
    Rule,
    Scheme,
    begins,
    continues,
    detect,
    ends,
    rule_of,
    split,
    written,
)
from isogloss.spans.tag_reading import BEGIN, END, WORDS, Table, TaggedTokens, compiled
from isogloss.text.display import counted as number_of

SYMBOLS = (OUTSIDE, *sorted(LETTERS))
COUNTED: tuple[Notation, ...] = ("prefix", "suffix")
_AT = {symbol: at for at, symbol in enumerate(SYMBOLS)}


class Sighting(NamedTuple):
    """Where a tag was first seen. The origin is asked for its name only when a message needs it."""

    document: int
    position: int
    row: int
    origin: Origin


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Neighbouring tags of one side in one notation, counted by letter.

    Args:
        pairs: (2, symbols, symbols) neighbours by same label, previous and current letter; each tag next to O or to the
            edge of a document is counted as a neighbour of O.
        alone: (symbols,) spans of one tag, by letter.
    """

    pairs: Ints = field(default_factory=lambda: np.zeros((2, len(SYMBOLS), len(SYMBOLS)), np.int64))
    alone: Ints = field(default_factory=lambda: np.zeros(len(SYMBOLS), np.int64))

    def __add__(self, other: Neighbours) -> Neighbours:
        return Neighbours(self.pairs + other.pairs, self.alone + other.alone)

    def letters(self) -> str:
        """Letters of schemes that were used, ascending."""
        used = self.pairs.sum(axis=(0, 1)) > 0  # (symbols,)
        return "".join(letter for letter in sorted(LETTERS) if used[_AT[letter]])

    def begins(self, letter: str) -> int:
        """Spans whose first tag has this letter."""
        before = self.pairs[:, :, _AT[letter]]  # (same label, previous)
        return int(before.sum() - sum(before[1, _AT[x]] for x in LETTERS if continues(x, letter, same_label=True)))

    def ends(self, letter: str) -> int:
        """Spans whose last tag has this letter."""
        after = self.pairs[:, _AT[letter], :]  # (same label, current)
        return int(after.sum() - sum(after[1, _AT[x]] for x in LETTERS if continues(letter, x, same_label=True)))

    def spans(self) -> int:
        """Spans by the lenient reading."""
        return sum(self.begins(letter) for letter in LETTERS)

    def misfits(self, scheme: Scheme) -> int:
        """Tags that do not fit a scheme; the letters used must be among its own.

        For IOB1 a B that does not follow a span of its label counts too, for IOE1 an E that does not precede one: they
        are read without repair, but they speak against the scheme.
        """
        wrong_first = set(scheme.letters).difference(scheme.opens)
        wrong_last = set(scheme.letters).difference(scheme.closes)
        count = sum(map(self.begins, wrong_first)) + sum(map(self.ends, wrong_last))
        count -= sum(int(self.alone[_AT[letter]]) for letter in wrong_first & wrong_last)
        return count + (self._needless(scheme) if scheme.between else 0)

    def _needless(self, scheme: Scheme) -> int:
        mark, letters = _AT[scheme.between], [_AT[letter] for letter in scheme.letters]
        if scheme.between == "B":
            return self.begins(scheme.between) - int(self.pairs[1, letters, mark].sum())
        return self.ends(scheme.between) - int(self.pairs[1, mark, letters].sum())


@dataclass(frozen=True, eq=False)
class Evidence:
    """What was seen so far.

    Args:
        neighbours: by side and notation.
        sightings: by side, where each tag but O was first seen.
        outside: tags O, on both sides together.
        sides: the sides that have tags at all.
    """

    neighbours: Mapping[tuple[Side, Notation], Neighbours] = field(default_factory=dict)
    sightings: Mapping[Side, Mapping[str, Sighting]] = field(default_factory=lambda: {side: {} for side in SIDES})
    outside: int = 0
    sides: frozenset[Side] = frozenset()

    @classmethod
    def of(cls, batch: TagPairs) -> Evidence:
        """What one batch shows."""
        tokens = TaggedTokens.of(batch)
        notations = _notations(batch.vocabulary)
        _, tables = compiled(batch.vocabulary, tuple(map(_letters_of, notations)))
        tagged = sum(int(np.count_nonzero(tokens.codes(side))) for side in SIDES)
        return cls(
            neighbours={
                (side, notation): _count(table, tokens, tokens.codes(side))
                for side in SIDES
                for notation, table in zip(notations, tables, strict=True)
            },
            sightings={side: _sightings(batch, tokens, tokens.codes(side)[1:-1]) for side in SIDES},
            outside=len(batch.sides) * len(batch.reference) - tagged,
            sides=frozenset(batch.sides),
        )

    def __add__(self, other: Evidence) -> Evidence:
        neighbours = dict(self.neighbours)
        for key, more in other.neighbours.items():
            neighbours[key] = neighbours[key] + more if key in neighbours else more
        sightings = {side: _earliest(self.sightings[side], other.sightings[side]) for side in SIDES}
        return replace(
            self,
            neighbours=neighbours,
            sightings=sightings,
            outside=self.outside + other.outside,
            sides=self.sides | other.sides,
        )

    def tags(self) -> tuple[str, ...]:
        """All tags but O that either side uses, ascending."""
        return tuple(sorted({tag for side in SIDES for tag in self.sightings[side]}))

    def of_side(self, side: Side, notation: Notation) -> Neighbours:
        """The neighbours of one side."""
        return self.neighbours.get((side, notation)) or Neighbours()


@lru_cache(maxsize=8)
def _notations(vocabulary: tuple[str, ...]) -> tuple[Notation, ...]:
    return tuple(notation for notation in COUNTED if any(split(tag, notation) for tag in vocabulary[1:]))


@cache
def _letters_of(notation: Notation) -> Rule:
    return Rule(notation, partial(_split, notation=notation), begins, ends)


def _split(tag: str, notation: Notation) -> tuple[str, str]:
    # A tag without a letter is an error when it is decoded; here it says no more than O.
    return (tag != OUTSIDE and split(tag, notation)) or (OUTSIDE, "")


def _count(table: Table, tokens: TaggedTokens, codes: Codes) -> Neighbours:
    index = table.neighbours(codes, tokens.apart)  # (tagged + 1,)
    width = len(table.kinds)
    found = np.bincount(index, minlength=4 * width * width).reshape(2, 2, width, width)
    named = np.array([[prefix == symbol for symbol in SYMBOLS] for prefix, _ in table.kinds], np.int64)
    pairs = named.T @ found[0] @ named  # (same label, symbols, symbols)
    apart = named.T @ found[1].sum(axis=0) @ named  # (symbols, symbols)
    pairs[0, :, _AT[OUTSIDE]] += apart.sum(axis=1)
    pairs[0, _AT[OUTSIDE], :] += apart.sum(axis=0)
    pairs[:, _AT[OUTSIDE], _AT[OUTSIDE]] = 0  # O beside O says nothing, and depends on what the other side tags
    found_at = table.boundaries.take(index)  # (tagged + 1,)
    alone = np.flatnonzero((found_at[:-1] & BEGIN != 0) & (found_at[1:] & END != 0))  # (spans of one tag,)
    kinds = np.bincount(table.kind.take(codes.take(alone + 1)), minlength=width)  # (kinds,)
    counted = kinds @ named  # (symbols,)
    counted[_AT[OUTSIDE]] = 0
    return Neighbours(pairs, counted)


def _sightings(batch: TagPairs, tokens: TaggedTokens, codes: Codes) -> dict[str, Sighting]:
    first = np.full(len(batch.vocabulary), -1)  # (tags,)
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # of several positions the last one written, the earliest, stays
    seen = {}
    for code in np.flatnonzero(first >= 0).tolist():
        at = int(first[code])
        row = int(tokens.row[at])
        position = int(tokens.at[at] - batch.offsets[row])
        seen[batch.vocabulary[code]] = Sighting(int(batch.documents[row]), position, row, batch.origin)
    seen.pop(OUTSIDE, None)
    return seen


def _earliest(left: Mapping[str, Sighting], right: Mapping[str, Sighting]) -> dict[str, Sighting]:
    merged = dict(left)
    for tag, sighting in right.items():
        if tag not in merged or sighting[:2] < merged[tag][:2]:
            merged[tag] = sighting
    return merged


AUTO = "auto"  # in place of a scheme: by the tags
DETECTED = "scheme-detected"
LIKE_REFERENCE = "like the reference"
NAMES: Mapping[Side, str] = {side: f"the {word}" for side, word in WORDS.items()}


@dataclass(frozen=True)
class Decision:
    """How the tags of an input are read.

    Args:
        reference: scheme of the reference.
        predicted: scheme of the prediction.
        notation: how tags are written.
        lines: sentences for the user: what was decided, on what evidence, and what could not be told.
    """

    reference: Scheme
    predicted: Scheme
    notation: Notation = "prefix"
    lines: tuple[str, ...] = ()

    @property
    def rules(self) -> tuple[Rule, Rule]:
        """The rules of reference and prediction."""
        return rule_of(self.reference, self.notation), rule_of(self.predicted, self.notation)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """The sentences for the user as notices."""
        return tuple(Notice(DETECTED, line) for line in self.lines)


def decided(evidence: Evidence, scheme: str, name: str) -> Decision:
    """How the tags of one file are read: by a scheme that the user named, else by the one that they speak for.

    Args:
        evidence: what the tags show, as those of a reference.
        scheme: a key of `SCHEMES`, or `auto`.
        name: what messages call the tags, such as `column 2 of gold.conll`.

    Raises:
        UsageError: for an unknown scheme.
        TagError: when no scheme has all letters, or the tags do not look like tags of spans.
    """
    if scheme != AUTO:
        return named(scheme, evidence.tags())
    return decide(evidence, {"reference": name, "predicted": ""})


def scheme_of(name: str) -> Scheme:
    """A scheme to write tags in.

    Args:
        name: a key of `SCHEMES`.

    Raises:
        UsageError: for an unknown name.
    """
    if name not in SCHEMES:
        raise UsageError(f"unknown tag scheme {name!r}; there are {', '.join(SCHEMES)}")
    return SCHEMES[name]


def named(name: str, tags: Iterable[str] = ()) -> Decision:
    """The scheme that the user named, for both sides.

    Args:
        name: a key of `SCHEMES`.
        tags: tags of the input, such as a vocabulary or `Evidence.tags()`; they show how tags are written.

    Raises:
        UsageError: for an unknown name.
    """
    scheme = SCHEMES.get(name)
    if scheme is None:
        raise UsageError(f"unknown tag scheme {name!r}; there are {AUTO}, {', '.join(SCHEMES)}")
    notation = detect(tags)
    if notation == "bare" and name != "io":
        notation = "prefix"
    return Decision(scheme, scheme, notation, _notation_lines(notation))


def decide(evidence: Evidence, names: Mapping[Side, str] = NAMES) -> Decision:
    """The schemes that the tags of a whole input speak for.

    Args:
        evidence: what the input shows.
        names: what messages call the sides, such as `column 2 of gold.conll`.

    Raises:
        TagError: when no scheme has all letters of a side, or the tags do not look like tags of spans.
    """
    notation = detect(evidence.tags())
    if notation == "bare":
        return _bare(evidence)
    counted = {side: evidence.of_side(side, notation) for side in SIDES}
    lines = _notation_lines(notation)
    if not any(counted[side].letters() for side in SIDES):
        default = next(iter(SCHEMES.values()))
        lines += (f"There is no tag other than O: all are read as {default.title}.",)
        return Decision(default, default, notation, lines)
    if not counted["reference"].letters():
        scheme = _best(evidence, "predicted", notation, names)
        if "reference" in evidence.sides:
            lines += (
                _sentence(f"{names['reference']} has no tag other than O: {names['predicted']} decides for both."),
            )
        lines += _described(names["predicted"], scheme, counted["predicted"], notation)
        lines += _strangers(evidence, "predicted", notation, names)
        return Decision(scheme, scheme, notation, lines)
    reference = _best(evidence, "reference", notation, names)
    lines += _described(names["reference"], reference, counted["reference"], notation)
    lines += _strangers(evidence, "reference", notation, names)
    predicted, reason = _predicted(evidence, reference, notation, names)
    if "predicted" in evidence.sides:
        lines += _described(names["predicted"], predicted, counted["predicted"], notation, reason)
        lines += _strangers(evidence, "predicted", notation, names)
    return Decision(reference, predicted, notation, lines)


def _notation_lines(notation: Notation) -> tuple[str, ...]:
    return {
        "prefix": (),
        "suffix": ("Tags end with their letter, as in PER-B.",),
        "bare": ("Tags are bare labels, as in PER: neighbours of one label are one span (IO).",),
    }[notation]


def _bare(evidence: Evidence) -> Decision:
    if evidence.outside:
        return Decision(SCHEMES["io"], SCHEMES["io"], "bare", _notation_lines("bare"))
    tags = evidence.tags()
    raise TagError(
        f"this does not look like a column of tags: none of {len(tags)} values is O or has a letter such as B- or I-",
        where=_place(evidence, tags[:1]),
        detail=f"It holds {', '.join(map(repr, tags[:5]))}{', ...' if tags[5:] else ''}.",
        remedy="Name the columns that hold the tags.",
    )


def _candidates(letters: str) -> list[Scheme]:
    return [scheme for scheme in SCHEMES.values() if set(letters) <= set(scheme.letters)]


def _best(evidence: Evidence, side: Side, notation: Notation, names: Mapping[Side, str]) -> Scheme:
    neighbours = evidence.of_side(side, notation)
    candidates = _candidates(neighbours.letters())
    if not candidates:
        raise _uncovered(evidence, side, notation, names[side])
    return min(candidates, key=neighbours.misfits)  # of several the first


def _uncovered(evidence: Evidence, side: Side, notation: Notation, name: str) -> TagError:
    letters = evidence.of_side(side, notation).letters()
    rule = {letter: written(letter, notation) for letter in letters}
    sightings = evidence.sightings[side]
    example = {
        letter: min((tag for tag in sightings if _has(tag, letter, notation)), key=lambda tag: sightings[tag][:2])
        for letter in letters
    }
    # The letter that came last is the one that the others do not explain.
    latest = max(example.values(), key=lambda tag: sightings[tag][:2])
    return TagError(
        f"no tag scheme has all of {', '.join(rule.values())}, which {name} uses",
        where=_place(evidence, (latest,), (side,)),
        detail=f"It has {', '.join(map(repr, example.values()))}.",
        remedy="Correct the tags, or name the scheme with --scheme to see which tags do not belong to it.",
    )


def _has(tag: str, letter: str, notation: Notation) -> bool:
    return (tag.partition("-")[0] if notation == "prefix" else tag.rpartition("-")[2]) == letter


def _place(evidence: Evidence, tags: Iterable[str], sides: Iterable[Side] = SIDES) -> str | None:
    for tag in tags:
        for side in sides:
            seen = evidence.sightings[side].get(tag)
            if seen is not None:
                return seen.origin.where(seen.row, seen.position, side)
    return None


def _predicted(
    evidence: Evidence,
    reference: Scheme,
    notation: Notation,
    names: Mapping[Side, str],
) -> tuple[Scheme, str]:
    letters = evidence.of_side("predicted", notation).letters()
    foreign = [letter for letter in letters if letter not in reference.letters]
    if foreign:
        reason = f"it uses {written(foreign, notation)}, which {reference.title} does not have"
        return _best(evidence, "predicted", notation, names), reason
    if letters and reference.closes_explicitly and set(letters).isdisjoint(reference.closes):
        reason = f"it never uses {written(reference.closes, notation)}, with which {reference.title} closes spans"
        return _best(evidence, "predicted", notation, names), reason
    return reference, LIKE_REFERENCE


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _described(name: str, scheme: Scheme, counted: Neighbours, notation: Notation, reason: str = "") -> tuple[str, ...]:
    letters = counted.letters()
    if not letters:
        return (_sentence(f"{name} has no tag other than O."),)
    missing = _missing_end(scheme, letters)
    title = f"{scheme.title} with missing {missing} tags" if missing else scheme.title
    misfits = counted.misfits(scheme)
    fit = "every tag fits" if not misfits else f"{misfits:,} of its tags do not fit"
    seen = f"{number_of(counted.spans(), 'span')}, tags with {written(letters, notation)}; {fit}"
    line = f"{name} is read as {title}{', ' + reason if reason else ''} ({seen})."
    return (_sentence(line), *_untold(name, scheme, counted, own=reason != LIKE_REFERENCE))


def _strangers(evidence: Evidence, side: Side, notation: Notation, names: Mapping[Side, str]) -> tuple[str, ...]:
    """Tags without a letter say nothing of the scheme, and do not count among those that do not fit it."""
    tags = sorted(tag for tag in evidence.sightings[side] if split(tag, notation) is None)
    return (_sentence(f"{names[side]} also has tags of no scheme, such as {tags[0]!r}."),) if tags else ()


def _missing_end(scheme: Scheme, letters: str) -> str:
    if not scheme.closes_explicitly or scheme.closes[0] in letters or BEFORE.isdisjoint(letters):
        return ""
    return scheme.closes[0]


def _untold(name: str, scheme: Scheme, counted: Neighbours, *, own: bool) -> tuple[str, ...]:
    letters, misfits = counted.letters(), counted.misfits(scheme)
    if letters == INSIDE and scheme.name == "iob2":
        return (f"Every span of {name} begins with I: it may be IOB1 or IO, which read these tags alike.",)
    rivals = [other.title for other in _candidates(letters) if other != scheme and counted.misfits(other) == misfits]
    if not (own and rivals):
        return ()
    return (f"The tags of {name} could as well be {' or '.join(rivals)}, which read them alike.",)
