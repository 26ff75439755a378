"""Tokens and excuses as a test reads them: strings instead of arrays."""

import numpy as np

from isogloss.kernel.scores import Ints
from isogloss.tasks.code_switching.excuses import REASONS, ExcuseFinder, Excuses
from isogloss.text.alphabets import CLASS_MASK, FOREIGN, collect_span_flags, flag_characters, load_alphabet
from isogloss.text.scripts import load_character_table, to_code_points
from isogloss.text.words import find_tokens


def tokens_of(text: str) -> list[str]:
    """The tokens of a text."""
    start, end = find_tokens(load_character_table().classes[to_code_points(text)])
    return [text[low:high] for low, high in zip(start.tolist(), end.tolist(), strict=True)]


def spans_of(text: str, language: str = "uk", finder: ExcuseFinder | None = None) -> list[tuple[str, str]]:
    """What a finder finds in a text, and why, ascending."""
    _, _, found = _looked_at(text, language, finder)
    rows = zip(found.start.tolist(), found.end.tolist(), found.reason.tolist(), strict=True)
    return [(text[start:end], REASONS[reason]) for start, end, reason in rows]


def reasons_of(text: str, language: str = "uk", finder: ExcuseFinder | None = None) -> list[tuple[str, str | None]]:
    """The foreign tokens of a text, each with the first reason that covers a part of it."""
    start, end, found = _looked_at(text, language, finder)
    rows = list(zip(found.start.tolist(), found.end.tolist(), found.reason.tolist(), strict=True))
    told: list[tuple[str, str | None]] = []
    for low, high in zip(start.tolist(), end.tolist(), strict=True):
        reasons = [reason for begin, stop, reason in rows if begin < high and low < stop]
        told.append((text[low:high], REASONS[min(reasons)] if reasons else None))
    return told


def _looked_at(text: str, language: str, finder: ExcuseFinder | None) -> tuple[Ints, Ints, Excuses]:
    """First and last of the foreign tokens, and the excuses."""
    text += " "
    flags = flag_characters(load_alphabet(language), to_code_points(text))
    start, end = find_tokens(flags & np.uint8(CLASS_MASK))
    foreign = (collect_span_flags(flags, start, end) & FOREIGN) > 0
    start, end = start[foreign], end[foreign]
    found = (finder or ExcuseFinder()).find(text, flags, np.array([0, len(text)]), (start, end))
    return start, end, Excuses.from_found(found)
