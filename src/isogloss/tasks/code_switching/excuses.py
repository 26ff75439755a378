"""Find the spans that excuse foreign tokens, each with its reason.

Reasons have a fixed order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import chain, islice

import numpy as np

from isogloss.kernel.scores import Ints
from isogloss.tasks.code_switching.batches import CharSpans
from isogloss.tasks.code_switching.excuse_patterns import (
    KNOWN_UNITS,
    PHRASES_BY_WORD,
    FoundExcuse,
    can_be_unit,
    find_addresses,
    find_enclosed,
    find_notations,
    find_phrase_end,
    is_numeral,
    is_symbol,
    is_unit,
    iterate_integers,
)
from isogloss.tasks.code_switching.markup_patterns import (
    find_acronyms,
    find_codes,
    find_latex,
    find_markup,
    find_originals,
)
from isogloss.tasks.code_switching.reasons import CAPITALISED, DEFAULT_REASONS, REASONS
from isogloss.text.alphabets import CLASS_MASK, NATIVE, QUOTE_FLAG
from isogloss.text.scripts import IDEOGRAPH, KATAKANA, SPACE
from isogloss.text.words import ClassArray

EXCUSE_CACHE_SIZE = 2**15  # runs without spaces, which take about 150 bytes each
MAX_CACHED_LENGTH = 64  # characters; longer runs rarely occur again
STRIPPED_PUNCTUATION = "()[]{}<>«»“”„‹›‘’‚\"'.,;:!?…—–-"
REASON_CODES = {reason: code for code, reason in enumerate(REASONS)}


EXCUSES_AT_ONCE = 1 << 14  # excuses as Python numbers, which take many times as much memory
TOKENS_AT_ONCE = 1 << 14


def sort_excuses(excuses: Iterable[FoundExcuse]) -> tuple[CharSpans, Ints]:
    """Return found spans in order, without duplicates, and their reason codes.

    The code of a reason is its position in `REASONS`.
    """
    return merge_excuses(collect_excuses(excuses))


def collect_excuses(excuses: Iterable[FoundExcuse]) -> list[Ints]:
    """Return found spans as arrays, which take less memory.

    The columns are start, end and reason code: (excuses, 3) each.
    """
    coded = ((start, end, REASON_CODES[reason]) for start, end, reason in excuses)
    parts = [np.zeros((0, 3), np.int64)]
    while some := set(islice(coded, EXCUSES_AT_ONCE)):
        parts.append(np.array(list(some), np.int64))
    return parts


def merge_excuses(parts: list[Ints]) -> tuple[CharSpans, Ints]:
    """Return collected excuses in order, without duplicates, and their reason codes.

    The list is emptied.
    """
    columns = np.concatenate(parts).T  # (3, excuses)
    parts.clear()
    columns = columns[:, np.lexsort(columns[::-1])]
    is_new = np.append([True], (columns[:, 1:] != columns[:, :-1]).any(axis=0))[: columns.shape[1]]
    start, end, reason = columns[:, is_new]
    return CharSpans(start, end), reason


@dataclass(frozen=True)
class UnspacedRun:
    """The excuses in a run without spaces.

    They include excuses that depend on the context of the run.

    Args:
        excuses: excuses that need no context, with positions in the run.
        core: start and end of the run without punctuation.
        can_be_unit: whether the core is a unit if a number precedes it.
        is_single_letter: whether the core is a letter, which is a variable next to an operator.
        can_be_numeral: whether the core is a letter that may be a Roman numeral.
        head: first word in lower case, if a Latin phrase may begin with it.
    """

    excuses: tuple[FoundExcuse, ...]
    core: tuple[int, int] = (0, 0)
    can_be_unit: bool = False
    is_single_letter: bool = False
    can_be_numeral: bool = False
    head: str | None = None


NO_EXCUSES = UnspacedRun(())


def _build_break_table() -> bytes:
    """Return 1 for the flags of each character that ends a run."""
    flags = np.arange(256)
    kind = flags & CLASS_MASK
    unspaced = ((kind == IDEOGRAPH) | (kind == KATAKANA)) & ((flags & NATIVE) > 0)
    return bytes(((kind == SPACE) | unspaced).tolist())


BREAK_TABLE = _build_break_table()
FIRST_WORD = re.compile(r"\w*")
TEXT_FINDERS = (
    (frozenset(("code", "markup")), find_markup),
    (frozenset(("latex",)), find_latex),
    (frozenset(("additive", "currency", "file_name")), find_codes),
    (frozenset(("acronym",)), find_acronyms),
)


@dataclass(frozen=True)
class ExcuseFinder:
    """The rules and patterns that excuse foreign tokens.

    Args:
        reasons: reasons to search for: rules, or `capitalised`.
        patterns: regular expressions of the user, searched in whole texts.
        cache: excuses by run.
    """

    reasons: frozenset[str] = DEFAULT_REASONS
    patterns: tuple[re.Pattern[str], ...] = ()
    cache: dict[str, UnspacedRun] = field(default_factory=dict, compare=False, repr=False)

    def find(self, text: str, flags: ClassArray, edges: Ints, tokens: tuple[Ints, Ints]) -> Iterator[FoundExcuse]:
        """Yield the spans that may excuse foreign tokens.

        Texts do not affect each other.

        Args:
            text: concatenated texts, with a space after each.
            flags: (characters,) flags by an alphabet.
            edges: (texts + 1,) first character of each text; the last is the number of characters.
            tokens: start and end of each foreign token, ascending.
        """
        starts, ends = tokens
        if not len(starts):
            return
        if self.reasons:
            for begin, end, low, high in self._find_runs(flags, starts, edges):
                spelt = text[begin:end]
                run = self.cache.get(spelt) or self._cache_run(spelt)
                if run is not NO_EXCUSES:
                    yield from _find_in_run(text, begin, run, (low, high))
            yield from self._find_enclosed(text, flags, starts, edges)
            yield from self._find_in_texts(text, flags, starts, edges)
        if CAPITALISED in self.reasons:
            yield from _find_capitalised(text, starts, ends)
        if self.patterns:
            for start, end in zip(*_find_text_bounds(edges, starts).tolist(), strict=True):
                yield from self._find_patterns(text[start : end - 1], start)

    def _find_runs(self, flags: ClassArray, starts: Ints, edges: Ints) -> Iterator[tuple[int, int, int, int]]:
        """Yield start and end of runs with tokens, and of their texts.

        Some come twice. Runs end at spaces, and at letters of the language if its script is written without spaces.
        """
        found = bytearray(flags.data).translate(BREAK_TABLE)
        breaks = np.frombuffer(found, np.bool_)  # (characters,)
        for at in range(0, len(starts), TOKENS_AT_ONCE):
            some = starts[at : at + TOKENS_AT_ONCE]
            first, last = found.rfind(1, 0, some[0]), found.find(1, some[-1])
            last = len(found) if last < 0 else last
            bounds = np.concatenate([[first], np.flatnonzero(breaks[first + 1 : last]) + first + 1, [last]])
            after = _drop_repeats(np.searchsorted(bounds[1:-1], some))
            begin, end = bounds[after] + 1, bounds[after + 1]
            of = np.searchsorted(edges, begin, side="right") - 1
            yield from zip(begin.tolist(), end.tolist(), edges[of].tolist(), edges[of + 1].tolist(), strict=True)

    def _cache_run(self, spelt: str) -> UnspacedRun:
        run = self._analyze_run(spelt)
        if len(spelt) <= MAX_CACHED_LENGTH:
            if len(self.cache) >= EXCUSE_CACHE_SIZE:
                self.cache.clear()
            self.cache[spelt] = run
        return run

    def _analyze_run(self, spelt: str) -> UnspacedRun:
        left = len(spelt) - len(spelt.lstrip(STRIPPED_PUNCTUATION))
        core = spelt.strip(STRIPPED_PUNCTUATION)
        word = FIRST_WORD.match(core)[0].lower()  # type: ignore[index]  # it matches anything
        plain = core.isalpha() and not core.isupper() and "." not in spelt[:left]
        if plain and len(core) > 1 and core not in KNOWN_UNITS and word not in PHRASES_BY_WORD:
            return NO_EXCUSES  # the usual case
        notations = tuple(row for row in (*find_addresses(spelt), *find_notations(spelt)) if row[2] in self.reasons)
        unit = "unit" in self.reasons and can_be_unit(core)
        letter = len(core) == 1 and core.isalpha()
        single, numeral = letter and "symbol" in self.reasons, letter and "roman_numeral" in self.reasons
        phrase = "latin_phrase" in self.reasons and word in PHRASES_BY_WORD
        if not (notations or unit or letter or phrase):
            return NO_EXCUSES
        place = (left, left + len(core))
        return UnspacedRun(
            notations,
            place,
            can_be_unit=unit,
            is_single_letter=single,
            can_be_numeral=numeral,
            head=word if phrase else None,
        )

    def _find_enclosed(self, text: str, flags: ClassArray, starts: Ints, edges: Ints) -> Iterator[FoundExcuse]:
        """Yield quotations and code in the texts with foreign tokens."""
        if not self.reasons & {"code", "quotation"}:
            return
        places = np.flatnonzero(flags & QUOTE_FLAG)
        texts = _find_text_bounds(edges, starts)
        for text_start, text_end, low, high in zip(
            *texts.tolist(),
            *np.searchsorted(places, texts).tolist(),
            strict=True,
        ):
            if high - low > 1:
                marks = places[low:high]  # of this text only, so they are moved where they are
                marks -= text_start
                for start, end, reason in find_enclosed(text[text_start:text_end], marks):
                    if reason in self.reasons:
                        yield text_start + start, text_start + end, reason

    def _find_in_texts(self, text: str, flags: ClassArray, starts: Ints, edges: Ints) -> Iterator[FoundExcuse]:
        """Yield markup, formulas and abbreviations in the texts with foreign tokens."""
        finders = [find for reasons, find in TEXT_FINDERS if not reasons.isdisjoint(self.reasons)]
        for start, end in zip(*_find_text_bounds(edges, starts).tolist(), strict=True):
            own = text[start : end - 1]
            found = chain.from_iterable(find(own) for find in finders)
            if "original" in self.reasons:
                found = chain(found, find_originals(own, partial(_is_native, flags[start:end])))
            for first, last, reason in found:
                if reason in self.reasons:
                    yield start + first, start + last, reason

    def _find_patterns(self, text: str, place: int) -> Iterator[FoundExcuse]:
        for pattern in self.patterns:
            for match in pattern.finditer(text):
                if match[0]:
                    yield place + match.start(), place + match.end(), "pattern"

    @cached_property
    def signature(self) -> str:
        """The difference between the reasons and the default ones.

        It is written like `-url+pattern`, or `default` if there is no difference.
        """
        more, less = sorted(self.reasons - DEFAULT_REASONS), sorted(DEFAULT_REASONS - self.reasons)
        changes = [f"+{name}" for name in more] + [f"-{name}" for name in less] + ["+pattern"] * len(self.patterns)
        return "".join(changes) or "default"


def _find_text_bounds(edges: Ints, starts: Ints) -> Ints:
    """Return start and end of each text with tokens: (2, texts)."""
    texts = np.flatnonzero(np.diff(np.searchsorted(starts, edges)))
    return edges[np.stack([texts, texts + 1])]


def _find_in_run(text: str, begin: int, run: UnspacedRun, limits: tuple[int, int]) -> Iterator[FoundExcuse]:
    for first, last, reason in run.excuses:
        yield begin + first, begin + last, reason
    start, end = begin + run.core[0], begin + run.core[1]
    if run.can_be_unit and is_unit(text, start, limits[0]):
        yield start, end, "unit"
    if run.is_single_letter and is_symbol(text, (start, end), limits):
        yield start, end, "symbol"
    if run.can_be_numeral and is_numeral(text, (start, end), limits):
        yield start, end, "roman_numeral"
    if run.head is not None:
        stop = find_phrase_end(text, start, run.head)
        if stop is not None and stop <= limits[1]:
            yield start, stop, "latin_phrase"


def _drop_repeats(ascending: Ints) -> Ints:
    return ascending[np.diff(ascending, prepend=-1) > 0]


def _is_native(flags: ClassArray, at: int) -> bool:
    return bool(flags[at] & NATIVE)


def _find_capitalised(text: str, starts: Ints, ends: Ints) -> Iterator[FoundExcuse]:
    """Yield the foreign tokens that begin with a capital."""
    for start, end in zip(iterate_integers(starts), iterate_integers(ends), strict=True):
        if text[start].isupper() or text[start].istitle():
            yield start, end, CAPITALISED
