"""Decide the tag scheme of an input, and say why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from isogloss.errors import TagError
from isogloss.kernel.argument_checks import resolve_choice
from isogloss.kernel.provenance import SIDES, RunWarning, Side
from isogloss.spans.schemes import (
    CONTINUED_LETTERS,
    INSIDE,
    OUTSIDE,
    SCHEME_SYNONYMS,
    SCHEMES,
    TagNotation,
    TagRule,
    TagScheme,
    build_tag_rule,
    detect_notation,
    find_shared_label,
    find_underscore_tags,
    format_letters,
    split_tag,
)
from isogloss.spans.tag_evidence import NeighbourCounts, TagEvidence, TagSighting
from isogloss.spans.tag_reading import SIDE_NAMES
from isogloss.text.display import format_count

AUTO = "auto"  # detect the scheme from the tags
DETECTED_CODE = "scheme-detected"
LIKE_REFERENCE = "like the reference"
UNEQUAL_TAGS = "The accuracy of tokens compares tags as they are written: equal spans in two schemes have unequal tags."
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
        others = () if self.reference == self.predicted else (UNEQUAL_TAGS,)
        return tuple(RunWarning(DETECTED_CODE, line) for line in (*self.messages, *others))


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
