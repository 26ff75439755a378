"""Names without offsets, and the answers of language models, in the shapes that people ask for.

| shape | example |
|---|---|
| objects | `[{"text": "Ada", "label": "PER"}]` |
| pairs | `[["Ada", "PER"]]` |
| lists by label | `{"PER": ["Ada"]}`, `{"PER": [{"text": "Ada"}]}`, `[{"PER": ["Ada"]}]` |
| one of these under a key of `WRAPPERS` | `{"entities": [...]}` |

The name of an object is its first field out of `TEXTS`, the label its first field out of `LABELS`. Other fields are
ignored, even offsets: models often get them wrong, and the text shows where a name is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import msgspec

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
from isogloss.formats.lenient_json import JsonValue, find_json_values
from isogloss.formats.mention_locating import locate_mentions
from isogloss.kernel.provenance import RunWarning, Side
from isogloss.records.json_fields import TEXT, LazyRow, make_column_lister, read_lazy_rows
from isogloss.records.sources import Source

TEXTS = ("text", "mention", "surface", "span", "word", "name", "entity", "value")
LABELS = ("label", "type", "entity_type", "category", "class", "tag", "entity_group", "entity")
WRAPPERS = ("entities", "mentions", "named_entities", "ner", "annotations", "spans", "results", "result", "output")
MAX_NESTING = 4  # wrappers in wrappers
PAIR_LENGTH = 2  # name and label


@dataclass
class MentionList:
    """The names in a value, in their order.

    Args:
        mentions: each name with its label.
        unusable: number of items that are not names.
        example: the first of these.
    """

    mentions: list[Mention] = field(default_factory=list)
    unusable: int = 0
    example: Any = None

    @property
    def is_unusable(self) -> bool:
        """Whether there are items, but no names."""
        return bool(self.unusable) and not self.mentions

    def add_item(self, item: Any, label: str | None = None) -> None:
        """Add an item, which may take its label from its list."""
        name = parse_mention(item, label)
        if name is not None:
            self.mentions.append(name)
            return
        if not self.unusable:
            self.example = item
        self.unusable += 1


def parse_mention(item: Any, label: str | None = None) -> Mention | None:
    """Parse name and label from an object or list, else None.

    Args:
        item: a JSON value.
        label: the label of the list that holds the item; then the item may be the name alone.
    """
    if isinstance(item, dict):
        return _parse_object(item, label)
    if label is not None:
        text = _to_text(item)
        return None if text is None else (text, label)
    if not isinstance(item, list | tuple) or len(item) < PAIR_LENGTH:
        return None
    text, own, *more = item
    if not all(isinstance(part, int | float) for part in more):
        return None
    return _build_mention(text, own)


def parse_mentions(value: Any, depth: int = MAX_NESTING) -> MentionList | None:
    """Parse the names of a list or object; return None for anything else.

    Args:
        value: a JSON value.
        depth: how deep wrappers may be nested.
    """
    names = MentionList()
    if isinstance(value, list):
        for item in value:
            if _is_label_mapping(item):
                _add_label_lists(names, item)
            else:
                names.add_item(item)
    elif isinstance(value, dict):
        wrapper = next((key for key in WRAPPERS if isinstance(value.get(key), list | dict)), None)
        if wrapper is not None:
            return parse_mentions(value[wrapper], depth - 1) if depth else None
        _add_label_lists(names, value)
    else:
        return None
    return names


def _is_label_mapping(item: Any) -> bool:
    return isinstance(item, dict) and bool(item) and all(isinstance(part, list) for part in item.values())


def _add_label_lists(names: MentionList, value: dict[str, Any]) -> None:
    for label, items in value.items():
        if items is None:
            continue
        if not isinstance(items, list) or not label.strip():
            names.add_item({label: items})
            continue
        for item in items:
            names.add_item(item, label.strip())


def _parse_object(item: dict[str, Any], label: str | None) -> Mention | None:
    key = next((key for key in TEXTS if _to_text(item.get(key)) is not None), None)
    if key is None:
        return None
    own = next((item[other] for other in LABELS if other != key and isinstance(item.get(other), str)), label)
    return _build_mention(item[key], own)


def _build_mention(text: Any, label: Any) -> Mention | None:
    name = _to_text(text)
    if name is None or not isinstance(label, str) or not label.strip():
        return None
    return name, label.strip()


def _to_text(value: Any) -> str | None:
    """Return a name, which may be a number; None for anything else."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) else None


LABEL = re.compile(r"[A-Z][A-Z0-9_-]*")
BULLET = re.compile(r"(?:[-*•] |\d+[.)] )\s*")
FENCE = "```"
NOTHING = frozenset(("none", "n/a", "-", "[]"))  # answers in place of a name


@dataclass
class ParsedAnswer:
    """The names in an answer of a language model.

    Args:
        mentions: names with labels.
        is_decoded: whether the answer held names, or said that there are none.
        is_truncated: whether the answer breaks off, or cannot be read to its end.
        is_one_of_several: whether another value of the answer held other names, or none.
        unusable: number of items that are not a name with a label.
    """

    mentions: list[Mention] = field(default_factory=list)
    is_decoded: bool = True
    is_truncated: bool = False
    is_one_of_several: bool = False
    unusable: int = 0


def parse_answer(answer: Any) -> ParsedAnswer:
    """Parse the names in an answer.

    Args:
        answer: text, or JSON that was decoded already; None for no answer.
    """
    if isinstance(answer, str):
        return _parse_text(answer)
    names = parse_mentions(answer)
    if names is None or names.is_unusable:
        return ParsedAnswer(is_decoded=False)
    return ParsedAnswer(names.mentions, unusable=names.unusable)


def _parse_text(text: str) -> ParsedAnswer:
    taken = _AnswerBuilder()
    for value in find_json_values(text):
        taken.add_value(value)
    if taken.answer is not None:
        return taken.answer
    mentions = _parse_lines(text)
    return ParsedAnswer(is_decoded=False) if mentions is None else ParsedAnswer(mentions)


@dataclass
class _AnswerBuilder:
    """The names collected so far from the values of an answer."""

    answer: ParsedAnswer | None = None
    is_open: bool = True  # whether single names that follow are part of the answer

    def add_value(self, value: JsonValue) -> None:
        """Add the next value, if it holds names."""
        items = list(value.value) if isinstance(value.value, tuple) and value.value else value.value
        names = parse_mentions(items)
        single = None if isinstance(value.value, list) else parse_mention(value.value)
        if names is not None and (names.mentions or (value.is_finished and not names.unusable)):
            self._replace_answer(names, value)
        elif single is not None:
            self._add_mention(single)
        elif value.is_at_end:
            self.answer = self.answer or ParsedAnswer()
            self.answer.is_truncated = True

    def _add_mention(self, mention: Mention) -> None:
        if self.answer is None:
            self.answer = ParsedAnswer()
        if self.is_open:
            self.answer.mentions.append(mention)
        elif mention not in self.answer.mentions:
            self.answer.is_one_of_several = True

    def _replace_answer(self, names: MentionList, value: JsonValue) -> None:
        before = [] if self.answer is None else self.answer.mentions
        if self.answer is not None and before and not names.mentions:
            self.answer.is_one_of_several = True
            return
        self.answer = ParsedAnswer(
            names.mentions,
            is_truncated=not value.is_finished,
            is_one_of_several=bool(before) and before != names.mentions,
            unusable=names.unusable,
        )
        self.is_open = not value.is_finished


def _parse_lines(text: str) -> list[Mention] | None:
    """Parse lines such as `PER: Ada`; return None if the text is anything else."""
    lines = [BULLET.sub("", line.strip(), count=1) for line in text.splitlines()]
    pairs = [line.partition(":") for line in lines if line and not line.startswith(FENCE)]
    found = [(name.strip(), label.strip(" *")) for label, _, name in pairs]
    if not found or not all(LABEL.fullmatch(label) and name for name, label in found):
        return None
    found = [(name, label) for name, label in found if name.casefold() not in NOTHING]
    is_ambiguous = any(LABEL.fullmatch(name) or "," in name or ";" in name for name, _ in found)
    return None if is_ambiguous else found


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
}
VERDICTS: dict[Side, str] = {"reference": "missed", "predicted": "spurious"}


def _is_row(row: Mapping[str, Any]) -> bool:
    if "mentions" in row:
        return isinstance(row["mentions"], list | dict | None)
    return _is_without_offsets(row.get("entities"))


def _is_without_offsets(value: Any) -> bool:
    """Return whether a value lists names without offsets that another format would read."""
    names = parse_mentions(value)
    if names is None or names.unusable or not names.mentions:
        return False
    items = value if isinstance(value, list) else []
    return not any(isinstance(item, dict) and key in item for item in items for key in OFFSETS)


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
        answer = _read_listed_mentions(row) if options.answers is None else _read_answer(row, options.answers)
        text = row.read("text", TEXT)
        locate = partial(_locate_mentions, answer.mentions, options.side, row.where)
        located = LocatedSpans(()) if text is None else locate(text)
        warnings = _build_warnings(
            options.side,
            row.where,
            undecodable_answers=int(not answer.is_decoded),
            truncated_answers=int(answer.is_truncated),
            several_answers=int(answer.is_one_of_several),
            unusable_items=answer.unusable,
        )
        yield SpanDocument(
            row.line,
            row.read_id(),
            text,
            located.spans,
            (*warnings, *located.warnings),
            row.read_columns(options.attributes),
            unlocated=located.unlocated,
            locate=locate if text is None else None,
        )


def _read_answer(row: LazyRow, field: str) -> ParsedAnswer:
    """Read the answer of a language model."""
    if field not in row.values:
        raise row.build_error(f"the row has no `{field}`", "Give each row this field, null without an answer.")
    return parse_answer(msgspec.json.decode(row.values[field]))


def _read_listed_mentions(row: LazyRow) -> ParsedAnswer:
    """Read the names that a row lists."""
    key = next((key for key in KEYS if key in row.values), None)
    if key is None:
        raise row.build_error("the row has neither `mentions` nor `entities`")
    value = msgspec.json.decode(row.values[key])
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


def _locate_mentions(mentions: Sequence[Mention], side: Side, where: str, text: str) -> LocatedSpans:
    found = locate_mentions(mentions, text)
    counts = {"normalised": found.normalised, "spaces": found.spaces, "unlocated": len(found.unlocated)}
    return LocatedSpans(found.spans, found.unlocated, _build_warnings(side, where, **counts))


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
    found = locate_mentions(mentions, text)
    for start, end, label in sorted(Counter(document.spans) - Counter(found.spans)):
        why = f"has {text[start:end][:SHOWN]!r} {label!r} at [{start}, {end}), where it would not be found again"
        raise make_unwritable_error(document, why, FREE_PLACE_REMEDY)
    if [*found.unlocated] != [*document.unlocated]:
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
