"""Which scheme each side is read with, decided once for a whole input.

The schemes that have all letters of a side are candidates; the one that the fewest tags do not fit is taken, and of
several the first in the order of `SCHEMES`. The prediction is read as the reference where it can be: the scheme has its
letters, and if that scheme closes every span with a letter of its own, the prediction uses one of those. All schemes
read tags alike under the repair `begin`; what the decision settles is which tags do not fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from isogloss.batches import SIDES, Notice, Side
from isogloss.exceptions import TagError, UsageError
from isogloss.tagging.evidence import Evidence, Neighbours
from isogloss.tagging.notation import INSIDE, Notation, detect, split, written
from isogloss.tagging.repair import WORDS
from isogloss.tagging.rules import Rule, rule_of
from isogloss.tagging.schemes import BEFORE, SCHEMES, Scheme
from isogloss.text import counted as number_of

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
    evidence: Evidence, reference: Scheme, notation: Notation, names: Mapping[Side, str]
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
