"""Excuses in a text as strings instead of arrays."""

from collections.abc import Iterator, Sequence

from isogloss.tasks.code_switching.batches import CharSpans, JoinedTexts
from isogloss.tasks.code_switching.excuses import REASON_CODES, ExcuseFinder
from isogloss.tasks.code_switching.reasons import REASONS
from isogloss.tasks.code_switching.rows import TextRow
from isogloss.text.alphabets import FOREIGN, collect_span_flags, flag_characters, load_alphabet
from isogloss.text.scripts import Positions, load_character_table, to_code_points
from isogloss.text.words import find_tokens


def join_texts(texts: Sequence[str]) -> JoinedTexts:
    """Return concatenated texts, numbered from 1."""
    rows = [TextRow(text, place, str(place)) for place, text in enumerate(texts, 1)]
    return JoinedTexts.from_rows(rows, lambda place, line: f"{place}:{line}")


def list_tokens(text: str) -> list[str]:
    """Return the tokens of a text."""
    spans = find_tokens(load_character_table().classes[to_code_points(text)])
    return [text[start:end] for start, end in _zip_spans(*spans)]


def list_excuses(text: str, language: str = "uk", finder: ExcuseFinder | None = None) -> list[tuple[str, str]]:
    """Return what a finder finds in a text and why, ascending."""
    _, found = _find_excuses(text, language, finder)
    return [(text[start:end], REASONS[reason]) for start, end, reason in found]


def list_reasons(text: str, language: str = "uk", finder: ExcuseFinder | None = None) -> list[tuple[str, str | None]]:
    """Return the foreign tokens of a text, each with the first reason that covers a part of it."""
    tokens, found = _find_excuses(text, language, finder)
    covering = [[reason for start, end, reason in found if start < high and low < end] for low, high in tokens]
    return [
        (text[low:high], REASONS[min(reasons)] if reasons else None)
        for (low, high), reasons in zip(tokens, covering, strict=True)
    ]


def _find_excuses(
    text: str, language: str, finder: ExcuseFinder | None
) -> tuple[list[tuple[int, int]], list[tuple[int, int, int]]]:
    """Return the spans of foreign tokens, and the excuses with the position of their reason."""
    joined = join_texts([text])
    flags = flag_characters(load_alphabet(language), joined.code_points)
    start, end = find_tokens(flags)
    foreign = (collect_span_flags(flags, start, end) & FOREIGN) > 0
    found = (finder or ExcuseFinder()).find(joined, flags, CharSpans(start, end), foreign)
    excuses = sorted({(begin, stop, REASON_CODES[reason]) for begin, stop, reason in found})
    return list(_zip_spans(start[foreign], end[foreign])), excuses


def _zip_spans(start: Positions, end: Positions) -> Iterator[tuple[int, int]]:
    return zip(start.tolist(), end.tolist(), strict=True)
