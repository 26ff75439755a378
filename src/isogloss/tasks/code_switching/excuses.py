"""The reasons, and their order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from isogloss.kernel.scores import Ints
from isogloss.tasks.code_switching.excuse_patterns import (
    HEADS,
    KNOWN_UNITS,
    Found,
    addresses,
    enclosed,
    is_numeral,
    is_symbol,
    is_unit,
    may_be_unit,
    notations,
    phrase_at,
)
from isogloss.text.alphabets import CLASS, ENCLOSES, NATIVE
from isogloss.text.scripts import IDEOGRAPH, KATAKANA, SPACE
from isogloss.text.words import Classes

ADDRESSES = ("email", "url", "mention", "hashtag", "file_name", "encoding")
NOTATIONS = ("roman_numeral", "unit", "symbol")
ENCLOSED = ("code", "quotation")
RULES = (*ADDRESSES, *NOTATIONS, "latin_phrase", *ENCLOSED)
GIVEN = ("pattern", "prompt", "name")
REASONS = (*RULES, *GIVEN, "capitalised")
BY_DEFAULT = frozenset(RULES)

KEPT = 2**17  # stretches
SHORT = 64  # characters of a stretch that is kept; longer ones do not come again
AROUND = "()[]{}<>«»“”„‹›‘’‚\"'.,;:!?…—–-"
CODES = {reason: code for code, reason in enumerate(REASONS)}


@dataclass(frozen=True, eq=False)
class Excuses:
    """Spans that excuse the tokens they overlap.

    Args:
        start: (spans,) first character.
        end: (spans,) character after the last.
        reason: (spans,) position in `REASONS`.
    """

    start: Ints
    end: Ints
    reason: Ints

    @classmethod
    def of(cls, found: Iterable[Found]) -> Excuses:
        """Spans in ascending order, each once."""
        rows = sorted({(start, end, CODES[reason]) for start, end, reason in found})
        columns = np.array(rows, np.int64).reshape(-1, 3)
        return cls(columns[:, 0], columns[:, 1], columns[:, 2])


@dataclass(frozen=True)
class Stretch:
    """What a stretch without spaces holds by itself, and what it may be if more stands around."""

    found: tuple[Found, ...]
    core: tuple[int, int] = (0, 0)
    unit: bool = False
    single: bool = False
    numeral: bool = False
    head: str | None = None


NOTHING = Stretch(())
FIRST_WORD = re.compile(r"\w*")


@dataclass(frozen=True)
class Finder:
    """The reasons to look for.

    Args:
        reasons: some of `REASONS`, without those that are given from outside.
        patterns: regular expressions of the user, found anywhere in a text.
    """

    reasons: frozenset[str] = BY_DEFAULT
    patterns: tuple[re.Pattern[str], ...] = ()
    kept: dict[str, Stretch] = field(default_factory=dict, compare=False, repr=False)

    def find(self, text: str, flags: Classes, edges: Ints, tokens: tuple[Ints, Ints]) -> Iterator[Found]:
        """Spans that may excuse foreign tokens; what stands in one text has no effect on another.

        Args:
            text: texts, one after the other, with a space after each.
            flags: (characters,) of an alphabet.
            edges: (texts + 1,) first character of each text; the last is the number of characters.
            tokens: first character of each foreign token, ascending, and the character after its last.
        """
        starts, ends = tokens
        if not len(starts):
            return
        if self.reasons:
            for begin, end, low, high in zip(*self._stretches(flags, starts, edges), strict=True):
                spelt = text[begin:end]
                stretch = self.kept.get(spelt) or self._kept(spelt)
                if stretch is not NOTHING:
                    yield from _within(text, begin, stretch, (low, high))
            yield from self._enclosed(text, flags, starts, edges)
        if "capitalised" in self.reasons:
            yield from _capitalised(text, starts.tolist(), ends.tolist())
        if self.patterns:
            for start, end in zip(*_texts(edges, starts).tolist(), strict=True):
                yield from self._patterned(text[start : end - 1], start)

    def _stretches(self, flags: Classes, starts: Ints, edges: Ints) -> tuple[list[int], ...]:
        """First and last of the stretches that hold the tokens, and of their texts.

        A script without spaces that is the language's own ends a stretch, too.
        """
        kind = flags & CLASS
        unspaced = ((kind == IDEOGRAPH) | (kind == KATAKANA)) & ((flags & NATIVE) > 0)
        breaks = np.flatnonzero((kind == SPACE) | unspaced)
        after = _each_once(np.searchsorted(breaks, starts))
        bounds = np.concatenate(([-1], breaks, [len(flags)]))
        begin, end = bounds[after] + 1, bounds[after + 1]
        of = np.searchsorted(edges, begin, side="right") - 1
        return begin.tolist(), end.tolist(), edges[of].tolist(), edges[of + 1].tolist()

    def _kept(self, spelt: str) -> Stretch:
        stretch = self._looked_at(spelt)
        if len(spelt) <= SHORT:
            if len(self.kept) >= KEPT:
                self.kept.clear()
            self.kept[spelt] = stretch
        return stretch

    def _looked_at(self, spelt: str) -> Stretch:
        left = len(spelt) - len(spelt.lstrip(AROUND))
        core = spelt.strip(AROUND)
        word = FIRST_WORD.match(core)[0].lower()  # type: ignore[index]  # it matches anything
        plain = core.isalpha() and not core.isupper() and "." not in spelt[:left]
        if plain and len(core) > 1 and core not in KNOWN_UNITS and word not in HEADS:
            return NOTHING  # as most are, without looking for the rest
        found = tuple(row for row in (*addresses(spelt), *notations(spelt)) if row[2] in self.reasons)
        unit = "unit" in self.reasons and may_be_unit(core)
        letter = len(core) == 1 and core.isalpha()
        single, numeral = letter and "symbol" in self.reasons, letter and "roman_numeral" in self.reasons
        phrase = "latin_phrase" in self.reasons and word in HEADS
        if not (found or unit or letter or phrase):
            return NOTHING
        place = (left, left + len(core))
        return Stretch(found, place, unit=unit, single=single, numeral=numeral, head=word if phrase else None)

    def _enclosed(self, text: str, flags: Classes, starts: Ints, edges: Ints) -> Iterator[Found]:
        """Quotations and code in the texts that have foreign tokens."""
        if not self.reasons & {"code", "quotation"}:
            return
        places = np.flatnonzero(flags & ENCLOSES)
        texts = _texts(edges, starts)
        for text_start, text_end, low, high in zip(
            *texts.tolist(),
            *np.searchsorted(places, texts).tolist(),
            strict=True,
        ):
            if high - low > 1:
                local = (places[low:high] - text_start).tolist()
                for start, end, reason in enclosed(text[text_start:text_end], local):
                    if reason in self.reasons:
                        yield text_start + start, text_start + end, reason

    def _patterned(self, text: str, place: int) -> Iterator[Found]:
        for pattern in self.patterns:
            for match in pattern.finditer(text):
                if match[0]:
                    yield place + match.start(), place + match.end(), "pattern"

    @cached_property
    def signature(self) -> str:
        """The reasons that are looked for, or how they differ from the usual ones."""
        more, less = sorted(self.reasons - BY_DEFAULT), sorted(BY_DEFAULT - self.reasons)
        changes = [f"+{name}" for name in more] + [f"-{name}" for name in less] + ["+pattern"] * len(self.patterns)
        return "".join(changes) or "default"


def _texts(edges: Ints, starts: Ints) -> Ints:
    """First of each text that holds one of the tokens, and of the one after: (2, texts)."""
    texts = _each_once(np.searchsorted(edges, starts, side="right")) - 1
    return edges[np.stack([texts, texts + 1])]


def _within(text: str, begin: int, stretch: Stretch, limits: tuple[int, int]) -> Iterator[Found]:
    for first, last, reason in stretch.found:
        yield begin + first, begin + last, reason
    start, end = begin + stretch.core[0], begin + stretch.core[1]
    if stretch.unit and is_unit(text, start, limits[0]):
        yield start, end, "unit"
    if stretch.single and is_symbol(text, (start, end), limits):
        yield start, end, "symbol"
    if stretch.numeral and is_numeral(text, (start, end), limits):
        yield start, end, "roman_numeral"
    if stretch.head is not None:
        stop = phrase_at(text, start, stretch.head)
        if stop is not None and stop <= limits[1]:
            yield start, stop, "latin_phrase"


def _each_once(ascending: Ints) -> Ints:
    return ascending[np.diff(ascending, prepend=-1) > 0]


def _capitalised(text: str, starts: Sequence[int], ends: Sequence[int]) -> Iterator[Found]:
    """Foreign tokens that begin with a capital: a run of them is a name."""
    for start, end in zip(starts, ends, strict=True):
        if text[start].isupper() or text[start].istitle():
            yield start, end, "capitalised"
