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
from numpy.typing import NDArray

from isogloss.kernel.scores import Ints
from isogloss.tasks.code_switching.batches import (
    CharSpans,
    ExcusedCharacters,
    JoinedTexts,
    ReasonCodes,
    iterate_marked,
    sum_between,
)
from isogloss.tasks.code_switching.excuse_patterns import (
    KNOWN_UNITS,
    PHRASES_BY_WORD,
    FoundExcuse,
    can_be_unit,
    find_addresses,
    find_code,
    find_notations,
    find_phrase_end,
    find_quotations,
    is_numeral,
    is_symbol,
    is_unit,
)
from isogloss.tasks.code_switching.markup_patterns import (
    find_acronyms,
    find_codes,
    find_latex,
    find_markup,
    find_originals,
)
from isogloss.tasks.code_switching.reasons import CAPITALISED, DEFAULT_REASONS, REASONS
from isogloss.text.alphabets import NATIVE, QUOTE_FLAG
from isogloss.text.scripts import IDEOGRAPH, KATAKANA, SPACE
from isogloss.text.words import CLASS_MASK, ClassArray

EXCUSE_CACHE_SIZE = 2**15  # runs without spaces, which take about 150 bytes each
MAX_CACHED_LENGTH = 64  # characters; longer runs rarely occur again
STRIPPED_PUNCTUATION = "()[]{}<>«»“”„‹›‘’‚\"'.,;:!?…—–-"
BoolMask = NDArray[np.bool_]
REASON_CODES = {reason: code for code, reason in enumerate(REASONS)}


TOKENS_AT_ONCE = 1 << 14  # tokens whose places become Python numbers together
EXCUSES_AT_ONCE, MANY_TOKENS = 1 << 12, 16  # excuses looked at together, and tokens in one of many tokens


@dataclass(frozen=True, eq=False)
class ExcusedTokens:
    """Tokens of a batch with the first reason that excuses each.

    Excuses are forgotten once they are written to their tokens, because a text may have millions of them.

    Args:
        tokens: the tokens.
        reasons: (tokens,) position in `REASONS` of the first reason that covers a part of each, or `NO_REASON`.
        covered: (characters,) 1 for each character of an excuse; None if they are not needed.
        by_sentence: the characters of excuses, by the sentences in which these begin; None if they are not needed.
    """

    tokens: CharSpans
    reasons: ReasonCodes
    covered: ClassArray | None = None
    by_sentence: ExcusedCharacters | None = None

    def add(self, excuses: Iterable[FoundExcuse]) -> None:
        """Write the reasons of excuses to the tokens that they overlap.

        Args:
            excuses: spans of at least one character.
        """
        kind = self.tokens.start.dtype
        found = iter(excuses)
        while some := list(islice(found, EXCUSES_AT_ONCE)):
            starts, ends, reasons = zip(*some, strict=True)
            spans = CharSpans(np.array(starts, kind), np.array(ends, kind))
            _write_reasons(self.reasons, self.tokens, spans, np.array([*map(REASON_CODES.get, reasons)], np.uint8))
            if self.covered is not None:
                for start, end, _ in some:
                    self.covered[start:end] = 1
            if self.by_sentence is not None:
                self.by_sentence.add(spans)


def _write_reasons(reasons: ReasonCodes, tokens: CharSpans, excused: CharSpans, codes: ReasonCodes) -> None:
    """Write the reason of excused spans to the tokens that they overlap.

    A smaller reason stays.

    Args:
        reasons: (tokens,) reason of each token, which is changed.
        tokens: the tokens.
        excused: excused spans, of at least one character each.
        codes: (excused spans,) reason of each.
    """
    first = np.searchsorted(tokens.end, excused.start, side="right")  # (excused spans,) token that each begins with
    number = np.searchsorted(tokens.start, excused.end) - first
    for at in np.flatnonzero(number > MANY_TOKENS).tolist():
        part = reasons[first[at] : first[at] + number[at]]
        np.minimum(part, codes[at], out=part)
    number[number > MANY_TOKENS] = 0
    before = np.cumsum(number) - number
    at = np.arange(number.sum()) + np.repeat(first - before, number)  # (tokens of all spans,)
    np.minimum.at(reasons, at, np.repeat(codes, number))


@dataclass(frozen=True)
class UnspacedRun:
    """The excuses in a run without spaces.

    They include excuses that depend on the context of the run.

    Args:
        excuses: excuses that need no context, with positions in the run; those of a long run can be iterated once.
        core: start and end of the run without punctuation.
        can_be_unit: whether the core is a unit if a number precedes it.
        is_single_letter: whether the core is a letter, which is a variable next to an operator.
        can_be_numeral: whether the core is a letter that may be a Roman numeral.
        head: first word in lower case, if a Latin phrase may begin with it.
    """

    excuses: Iterable[FoundExcuse]
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
FIRST_WORD = re.compile(r"\w{0,64}")  # no phrase has a longer one
CHARACTERS_AT_ONCE = 1 << 16
TEXT_FINDERS = (
    (frozenset(("code",)), find_code),
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

    def find(
        self, joined: JoinedTexts, flags: ClassArray, tokens: CharSpans, searched: BoolMask
    ) -> Iterator[FoundExcuse]:
        """Yield the spans that may excuse foreign tokens.

        Texts do not affect each other.

        Args:
            joined: the texts.
            flags: (characters,) flags by an alphabet.
            tokens: the tokens of the texts.
            searched: (tokens,) whether each token may need an excuse.
        """
        if not searched.any():
            return
        rows = np.flatnonzero(sum_between(searched, np.searchsorted(tokens.start, joined.offsets)))
        if self.reasons:
            yield from self._find_in_runs(joined, flags, tokens, searched)
            yield from self._find_quotations(joined, flags, rows)
            yield from self._find_in_texts(joined, flags, rows)
        if CAPITALISED in self.reasons:
            yield from _find_capitalised(joined, tokens, searched)
        if self.patterns:
            for own, start in _iterate_texts(joined, rows):
                yield from self._find_patterns(own, start)

    def _find_in_runs(
        self, joined: JoinedTexts, flags: ClassArray, tokens: CharSpans, searched: BoolMask
    ) -> Iterator[FoundExcuse]:
        """Yield what excuses tokens in runs without spaces.

        What surrounds such a run may decide.
        """
        last, text = -1, ""
        for row, first, begin, end in _find_runs(joined, flags, tokens, searched):
            if row != last:
                last, text = row, joined.rows[row].text
            spelt = text[begin:end]
            run = self.cache.get(spelt) or self._cache_run(spelt)
            if run is not NO_EXCUSES:
                for start, stop, reason in _find_in_run(text, begin, run):
                    yield first + start, first + stop, reason

    def _cache_run(self, spelt: str) -> UnspacedRun:
        run = self._analyze_run(spelt)
        if len(spelt) <= MAX_CACHED_LENGTH:
            if len(self.cache) >= EXCUSE_CACHE_SIZE:
                self.cache.clear()
            self.cache[spelt] = run
        return run

    def _analyze_run(self, spelt: str) -> UnspacedRun:
        left, right = _strip_punctuation(spelt)
        core = spelt[left:right] if right - left <= MAX_CACHED_LENGTH else ""  # a longer one is no unit or phrase
        word = FIRST_WORD.match(spelt, left)[0].lower()  # type: ignore[index]  # it matches anything
        plain = core.isalpha() and not core.isupper() if core else _is_plain(spelt, left, right)
        plain = plain and right - left > 1 and "." not in spelt[:left]
        if plain and core not in KNOWN_UNITS and word not in PHRASES_BY_WORD:
            return NO_EXCUSES  # the usual case
        found = chain(find_addresses(spelt), find_notations(spelt))
        notations: Iterable[FoundExcuse] = (row for row in found if row[2] in self.reasons)
        if len(spelt) <= MAX_CACHED_LENGTH:  # otherwise there may be millions, and they are needed once
            notations = tuple(notations)
        unit = "unit" in self.reasons and can_be_unit(spelt, left, right)
        letter = len(core) == 1 and core.isalpha()
        single, numeral = letter and "symbol" in self.reasons, letter and "roman_numeral" in self.reasons
        phrase = "latin_phrase" in self.reasons and word in PHRASES_BY_WORD
        if not (notations or unit or letter or phrase):
            return NO_EXCUSES
        return UnspacedRun(
            notations,
            (left, right),
            can_be_unit=unit,
            is_single_letter=single,
            can_be_numeral=numeral,
            head=word if phrase else None,
        )

    def _find_quotations(self, joined: JoinedTexts, flags: ClassArray, rows: Ints) -> Iterator[FoundExcuse]:
        """Yield quotations in some of the texts."""
        if "quotation" not in self.reasons:
            return
        marks = sum_between(flags, joined.offsets, flag=QUOTE_FLAG)  # (rows,)
        for text, first in _iterate_texts(joined, rows[marks[rows] > 1]):
            for start, stop, reason in find_quotations(text):
                yield first + start, first + stop, reason

    def _find_in_texts(self, joined: JoinedTexts, flags: ClassArray, rows: Ints) -> Iterator[FoundExcuse]:
        """Yield code, markup, formulas and abbreviations in some of the texts."""
        finders = [find for reasons, find in TEXT_FINDERS if not reasons.isdisjoint(self.reasons)]
        for own, start in _iterate_texts(joined, rows):
            found = chain.from_iterable(find(own) for find in finders)
            if "original" in self.reasons:
                found = chain(found, find_originals(own, partial(_is_native, flags[start : start + len(own)])))
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


def _find_runs(
    joined: JoinedTexts, flags: ClassArray, tokens: CharSpans, searched: BoolMask
) -> Iterator[tuple[int, int, int, int]]:
    """Yield runs with searched tokens.

    Each is its row, the first character of the row in the joined texts, and start and end of the run in its text.

    Runs end at spaces, and at letters of the language if its script is written without spaces.
    """
    found = bytearray(len(flags))
    for at in range(0, len(flags), CHARACTERS_AT_ONCE):  # all at once would be another copy
        found[at : at + CHARACTERS_AT_ONCE] = flags[at : at + CHARACTERS_AT_ONCE].tobytes().translate(BREAK_TABLE)
    breaks = np.frombuffer(found, np.bool_)  # (characters,)
    last = -1
    for tokens_at in iterate_marked(searched, TOKENS_AT_ONCE):
        some = tokens.start[tokens_at]
        some = some[np.searchsorted(some, some.dtype.type(last)) :]  # a run may have any number of tokens
        if not len(some):
            continue
        before, last = found.rfind(1, 0, some[0]), found.find(1, some[-1])
        last = len(found) if last < 0 else last
        inner = np.flatnonzero(breaks[before + 1 : last]) + before + 1
        bounds = np.concatenate([[before], inner, [last]]).astype(some.dtype)
        after = _drop_repeats(np.searchsorted(bounds[1:-1], some))
        begin, end = bounds[after] + 1, bounds[after + 1]
        rows = joined.find_rows(begin)
        first = joined.offsets[rows]
        yield from zip(rows.tolist(), first.tolist(), (begin - first).tolist(), (end - first).tolist(), strict=True)


def _iterate_texts(joined: JoinedTexts, rows: Ints) -> Iterator[tuple[str, int]]:
    """Yield the text of each of these rows.

    With it comes its first character in the joined texts.
    """
    for row, start in zip(rows.tolist(), joined.offsets[rows].tolist(), strict=True):
        yield joined.rows[row].text, start


def _strip_punctuation(spelt: str) -> tuple[int, int]:
    """Return start and end of a run without the punctuation around it."""
    left, right = 0, len(spelt)
    while left < right and spelt[left] in STRIPPED_PUNCTUATION:
        left += 1
    while left < right and spelt[right - 1] in STRIPPED_PUNCTUATION:
        right -= 1
    return left, right


def _is_plain(spelt: str, start: int, end: int) -> bool:
    """Return whether all is letters, and not all are capitals."""
    has_capital = has_other = False
    for at in range(start, end, CHARACTERS_AT_ONCE):  # all at once would be a copy
        piece = spelt[at : min(at + CHARACTERS_AT_ONCE, end)]
        if not piece.isalpha():
            return False
        has_capital = has_capital or piece.isupper()
        has_other = has_other or not ("A" + piece).isupper()
    return has_other or not has_capital


def _find_in_run(text: str, begin: int, run: UnspacedRun) -> Iterator[FoundExcuse]:
    for first, last, reason in run.excuses:
        yield begin + first, begin + last, reason
    start, end = begin + run.core[0], begin + run.core[1]
    if run.can_be_unit and is_unit(text, start):
        yield start, end, "unit"
    if run.is_single_letter and is_symbol(text, start, end):
        yield start, end, "symbol"
    if run.can_be_numeral and is_numeral(text, start, end):
        yield start, end, "roman_numeral"
    if run.head is not None:
        stop = find_phrase_end(text, start, run.head)
        if stop is not None:
            yield start, stop, "latin_phrase"


def _drop_repeats(ascending: Ints) -> Ints:
    return ascending[np.diff(ascending, prepend=-1) > 0]


def _is_native(flags: ClassArray, at: int) -> bool:
    return bool(flags[at] & NATIVE)


def _find_capitalised(joined: JoinedTexts, tokens: CharSpans, searched: BoolMask) -> Iterator[FoundExcuse]:
    """Yield the searched tokens that begin with a capital."""
    for at in iterate_marked(searched, TOKENS_AT_ONCE):
        first = map(chr, joined.code_points[tokens.start[at]].tolist())
        for letter, start, end in zip(first, tokens.start[at].tolist(), tokens.end[at].tolist(), strict=True):
            if letter.isupper() or letter.istitle():
                yield start, end, CAPITALISED
