"""Names without offsets, located in the text of their document.

They may be lists or the answers of language models.

`mention_shapes` has the shapes of decoded JSON, `model_answers` reads what a model wrote, `mention_locating` finds the
names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from isogloss.formats.annotation import (
    AnnotationFile,
    AnnotationFormat,
    DocumentReader,
    FormatOptions,
    OptionReasons,
    make_unwritable_error,
    matches_first_row,
    refuse_option,
    write_json_lines,
)
from isogloss.formats.documents import SIDE_WORDS, LocatedSpans, Mention, SpanDocument
from isogloss.formats.mention_locating import locate_mentions
from isogloss.formats.mention_shapes import parse_mentions
from isogloss.formats.model_answers import ParsedAnswer, parse_answer
from isogloss.kernel.provenance import RunWarning, Side
from isogloss.records.json_fields import TEXT, LazyRow, make_column_lister, read_lazy_rows
from isogloss.records.sources import Source

REMEDY = 'A row looks like {"id": "1", "text": "Ada met Bob", "mentions": [{"text": "Ada", "label": "PER"}]}.'
KEYS = ("mentions", "entities")
OFFSETS = ("start", "start_offset", "start_char")
SHOWN = 80  # characters of an item in messages
FREE_PLACE_REMEDY = "A name takes its first free place. Write it as JSON lines, which keep offsets."
MESSAGES = {
    "normalised": "names of the {side} that were found only after normalisation",
    "spaces": "names of the {side} that were found only without white space",
    "unlocated": "names of the {side} that are not in the text, or more often than it has them, count as {verdict}",
    "undecodable-answers": "answers without names that can be read: their documents have no predicted spans",
    "truncated-answers": "answers that break off or cannot be read to their end: the names before that count",
    "several-answers": "answers with several lists of names: the last one that has some counts",
    "unusable-items": "items of answers that are no name with a label are left out",
    "unread-names": "parts of answers that look like names or labels, but were not read",
}
VERDICTS: dict[Side, str] = {"reference": "missed", "predicted": "spurious"}


def _is_row(row: Mapping[str, Any]) -> bool:
    if "mentions" in row:
        return isinstance(row["mentions"], list | dict | None)
    return _is_without_offsets(row.get("entities"))


def _is_without_offsets(value: Any) -> bool:
    """Return whether a value lists names without offsets.

    A value with offsets is read by another format.
    """
    items = value if isinstance(value, list) else []
    if any(isinstance(item, dict) and key in item for item in items for key in OFFSETS):  # before names are parsed
        return False
    names = parse_mentions(value)
    return names is not None and not names.unusable and bool(names.mentions)


def _read(source: Source, options: FormatOptions) -> AnnotationFile:
    return AnnotationFile(
        spans=DocumentReader(source.name, partial(_read_documents, source, options)),
        list_columns=make_column_lister(source),
    )


def _find_faults(_: Source, options: FormatOptions) -> OptionReasons:
    """Refuse answers in a reference: what a model answers is a prediction."""
    return {"answers": refuse_option("mentions", "answers")} if options.side == "reference" else {}


def _read_documents(source: Source, options: FormatOptions) -> Iterator[SpanDocument]:
    for row in read_lazy_rows(source, REMEDY):
        text = row.read("text", TEXT)
        locate = _make_locator(row, options)
        located = LocatedSpans(()) if text is None else locate(text)
        yield SpanDocument(
            row.line,
            row.read_id(),
            text,
            located.spans,
            located.warnings,
            row.read_columns(options.attributes),
            unlocated=located.unlocated,
            locate=locate if text is None else None,
        )


def _make_locator(row: LazyRow, options: FormatOptions) -> Callable[[str], LocatedSpans]:
    """Make the function that locates the names of a row.

    It reads the names and locates them once the text is known.
    """
    if options.answers is None:
        mentions = _read_listed_mentions(row)
        return lambda text: _locate_answer(mentions, options.side, row.where, text)
    if options.answers not in row.values:
        remedy = "Give each row this field, null without an answer."
        raise row.build_error(f"the row has no `{options.answers}`", remedy)
    answer, where = row.read_json(options.answers), row.where
    return lambda text: _locate_answer(parse_answer(answer, text, options.list_labels()), options.side, where, text)


def _locate_answer(answer: ParsedAnswer, side: Side, where: str, text: str) -> LocatedSpans:
    """Locate the names of an answer and count its faults.

    Faults are what was not read and what was not located as it stands.
    """
    located = locate_mentions(() if answer.spans else answer.mentions, text)
    warnings = _build_warnings(
        side,
        where,
        undecodable_answers=int(not answer.is_decoded),
        truncated_answers=int(answer.is_truncated),
        several_answers=int(answer.is_one_of_several),
        unusable_items=answer.unusable,
        unread_names=answer.unread,
        normalised=located.normalised,
        spaces=located.spaces,
        unlocated=len(located.unlocated),
    )
    return LocatedSpans(sorted(answer.spans) or located.spans, located.unlocated, warnings)


def _read_listed_mentions(row: LazyRow) -> ParsedAnswer:
    """Read the names that a row lists."""
    key = next((key for key in KEYS if key in row.values), None)
    if key is None:
        raise row.build_error("the row has neither `mentions` nor `entities`")
    value = row.read_json(key)
    names = parse_mentions(value)
    if value is None:
        return ParsedAnswer(is_decoded=False)
    if names is None:
        raise row.build_error(
            f"`{key}` must be a list, got {value!r:.{SHOWN}}", f"{REMEDY} --answers {key} reads answers."
        )
    if names.unusable:
        message = f"`{key}` holds {names.example!r:.{SHOWN}}, which is not a name with a label"
        raise row.build_error(message, f"{REMEDY} Spans without their text are read with --input-format jsonl.")
    return ParsedAnswer(names.mentions)


def _build_warnings(side: Side, where: str, **counts: int) -> tuple[RunWarning, ...]:
    """Build a warning about a document for each count above 0.

    The codes are the keywords with `-` for `_`.
    """
    names = {"side": SIDE_WORDS[side], "verdict": VERDICTS[side]}
    codes = {code.replace("_", "-"): count for code, count in counts.items() if count}
    return tuple(RunWarning(code, MESSAGES[code].format(**names), count, where) for code, count in codes.items())


def _build_row(document: SpanDocument) -> dict[str, Any]:
    text, spans = document.text, sorted(document.spans)
    if text is None and spans:
        raise make_unwritable_error(
            document, "has no text, so its spans have no names", "Write it as JSON lines, which need none."
        )
    mentions = [((text or "")[start:end], label) for start, end, label in spans] + [*document.unlocated]
    for _, label in mentions:
        if not label or label != label.strip():
            why = f"has the label {label!r}, but readers strip white space from labels"
            raise make_unwritable_error(document, why, "Rename it.")
    row: dict[str, Any] = {}
    if text is not None:
        _check_places(document, mentions, text)
        row["text"] = text
    return row | {"mentions": [{"text": name, "label": label} for name, label in mentions]}


def _check_places(document: SpanDocument, mentions: Sequence[Mention], text: str) -> None:
    """Refuse names that would be read back as other spans."""
    located = locate_mentions(mentions, text)
    for start, end, label in sorted(Counter(document.spans) - Counter(located.spans)):
        why = f"has {text[start:end][:SHOWN]!r} {label!r} at [{start}, {end}), where it would not be found again"
        raise make_unwritable_error(document, why, FREE_PLACE_REMEDY)
    if [*located.unlocated] != [*document.unlocated]:
        raise make_unwritable_error(document, "has a name beside its text that is in it", FREE_PLACE_REMEDY)


FORMAT = AnnotationFormat(
    "mentions",
    matches_first_row(_is_row),
    _read,
    write_json_lines(_build_row),
    can_write_unlocated=True,
    options=("answers",),
    find_faults=_find_faults,
)
