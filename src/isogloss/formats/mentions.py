"""Values of JSON to names with their labels, in the shapes that people ask language models for.

| shape | example |
|---|---|
| objects | `[{"text": "Ada", "label": "PER"}]` |
| pairs | `[["Ada", "PER"]]` |
| lists by label | `{"PER": ["Ada"]}`, `{"PER": [{"text": "Ada"}]}`, `[{"PER": ["Ada"]}]` |
| one of these under a key of `WRAPPERS` | `{"entities": [...]}` |

An object has its name under the first of `TEXTS` that it has, its label under the first of `LABELS`. All else in it is
left out, offsets too: they are often wrong, and the text says where a name is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import msgspec

from isogloss.formats.annotation import AnnotationFormat, Annotations, Documents, Head, Options, unwritable
from isogloss.formats.documents import WORDS, Located, Mention, SpanDocument
from isogloss.formats.lenient_json import Value, values
from isogloss.formats.mention_locating import locate
from isogloss.kernel.provenance import Notice, Side
from isogloss.records.destinations import written
from isogloss.records.json_rows import TEXT, Fields, columns_of, read_lazy_rows
from isogloss.records.sources import Source

TEXTS = ("text", "mention", "surface", "span", "word", "name", "entity", "value")
LABELS = ("label", "type", "entity_type", "category", "class", "tag", "entity_group", "entity")
WRAPPERS = ("entities", "mentions", "named_entities", "ner", "annotations", "spans", "results", "result", "output")
NESTED = 4  # wrappers in wrappers
PAIR = 2  # name and label


@dataclass
class Names:
    """Names of a value, in their order.

    Args:
        mentions: each with its label.
        unusable: how many items are none.
        example: the first of these.
    """

    mentions: list[Mention] = field(default_factory=list)
    unusable: int = 0
    example: Any = None

    @property
    def are_none(self) -> bool:
        """Whether there are items, but no names."""
        return bool(self.unusable) and not self.mentions

    def add(self, item: Any, label: str | None = None) -> None:
        """Take an item, which may have its label from the list that it is in."""
        name = name_of(item, label)
        if name is not None:
            self.mentions.append(name)
            return
        if not self.unusable:
            self.example = item
        self.unusable += 1


def name_of(item: Any, label: str | None = None) -> Mention | None:
    """Name and label of an object, or of a list that begins with both; None where it is no such thing.

    Args:
        item: a value of JSON.
        label: of the list that it is in; then the item may be the name alone.
    """
    if isinstance(item, dict):
        return _of_object(item, label)
    if label is not None:
        text = _text(item)
        return None if text is None else (text, label)
    if not isinstance(item, list | tuple) or len(item) < PAIR:
        return None
    text, own, *more = item
    if not all(isinstance(part, int | float) for part in more):
        return None
    return _mention(text, own)


def names_of(value: Any, nested: int = NESTED) -> Names | None:
    """The names of a list or object; None of anything else.

    Args:
        value: a value of JSON.
        nested: how deep wrappers may be nested.
    """
    names = Names()
    if isinstance(value, list):
        for item in value:
            if _is_by_label(item):
                _add_by_label(names, item)
            else:
                names.add(item)
    elif isinstance(value, dict):
        wrapper = next((key for key in WRAPPERS if isinstance(value.get(key), list | dict)), None)
        if wrapper is not None:
            return names_of(value[wrapper], nested - 1) if nested else None
        _add_by_label(names, value)
    else:
        return None
    return names


def _is_by_label(item: Any) -> bool:
    return isinstance(item, dict) and bool(item) and all(isinstance(part, list) for part in item.values())


def _add_by_label(names: Names, value: dict[str, Any]) -> None:
    for label, items in value.items():
        if items is None:
            continue
        if not isinstance(items, list) or not label.strip():
            names.add({label: items})
            continue
        for item in items:
            names.add(item, label.strip())


def _of_object(item: dict[str, Any], label: str | None) -> Mention | None:
    key = next((key for key in TEXTS if _text(item.get(key)) is not None), None)
    if key is None:
        return None
    own = next((item[other] for other in LABELS if other != key and isinstance(item.get(other), str)), label)
    return _mention(item[key], own)


def _mention(text: Any, label: Any) -> Mention | None:
    name = _text(text)
    if name is None or not isinstance(label, str) or not label.strip():
        return None
    return name, label.strip()


def _text(value: Any) -> str | None:
    """A name, which may be a number; None of anything else."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) else None


LABEL = re.compile(r"[A-Z][A-Z0-9_-]*")
BULLET = re.compile(r"(?:[-*•] |\d+[.)] )\s*")
FENCE = "```"
NOTHING = frozenset(("none", "n/a", "-", "[]"))  # where a name would stand


@dataclass
class Answer:
    """What was read of an answer.

    Args:
        mentions: names with labels.
        is_decoded: whether it held any, or said that there are none.
        is_truncated: whether it breaks off, or cannot be read to its end.
        is_one_of_several: whether another value of it held other names, or none.
        unusable: how many items are no name with a label.
    """

    mentions: list[Mention] = field(default_factory=list)
    is_decoded: bool = True
    is_truncated: bool = False
    is_one_of_several: bool = False
    unusable: int = 0


def decoded(answer: Any) -> Answer:
    """The names of an answer.

    Args:
        answer: text, or JSON that was decoded already; null for none.
    """
    if isinstance(answer, str):
        return _of_text(answer)
    names = names_of(answer)
    if names is None or names.are_none:
        return Answer(is_decoded=False)
    return Answer(names.mentions, unusable=names.unusable)


def _of_text(text: str) -> Answer:
    taken = _Taken()
    for value in values(text):
        taken.take(value)
    if taken.answer is not None:
        return taken.answer
    mentions = _of_lines(text)
    return Answer(is_decoded=False) if mentions is None else Answer(mentions)


@dataclass
class _Taken:
    """What was taken of the values of an answer so far."""

    answer: Answer | None = None
    is_open: bool = True  # whether single names that follow belong to it

    def take(self, value: Value) -> None:
        """Take the next value, if there are names in it."""
        items = list(value.value) if isinstance(value.value, tuple) and value.value else value.value
        names = names_of(items)
        single = None if isinstance(value.value, list) else name_of(value.value)
        if names is not None and (names.mentions or (value.finished and not names.unusable)):
            self._replace(names, value)
        elif single is not None:
            self._add(single)
        elif value.at_end:
            self.answer = self.answer or Answer()
            self.answer.is_truncated = True

    def _add(self, mention: Mention) -> None:
        if self.answer is None:
            self.answer = Answer()
        if self.is_open:
            self.answer.mentions.append(mention)
        elif mention not in self.answer.mentions:
            self.answer.is_one_of_several = True

    def _replace(self, names: Names, value: Value) -> None:
        before = [] if self.answer is None else self.answer.mentions
        if self.answer is not None and before and not names.mentions:
            self.answer.is_one_of_several = True
            return
        self.answer = Answer(
            names.mentions,
            is_truncated=not value.finished,
            is_one_of_several=bool(before) and before != names.mentions,
            unusable=names.unusable,
        )
        self.is_open = not value.finished


def _of_lines(text: str) -> list[Mention] | None:
    """Names of lines with labels; None where the text is anything else."""
    lines = [BULLET.sub("", line.strip(), count=1) for line in text.splitlines()]
    pairs = [line.partition(":") for line in lines if line and not line.startswith(FENCE)]
    found = [(name.strip(), label.strip(" *")) for label, _, name in pairs]
    if not found or not all(LABEL.fullmatch(label) and name for name, label in found):
        return None
    found = [(name, label) for name, label in found if name.casefold() not in NOTHING]
    is_ambiguous = any(LABEL.fullmatch(name) or "," in name or ";" in name for name, _ in found)
    return None if is_ambiguous else found


NAME = "mentions"
REMEDY = 'A row looks like {"id": "1", "text": "Ada met Bob", "mentions": [{"text": "Ada", "label": "PER"}]}.'
KEYS = ("mentions", "entities")
OFFSETS = ("start", "start_offset", "start_char")
SHOWN = 80  # characters of an item in messages
FIRST = "A name takes its first free place. Write it as JSON lines, which keep offsets."
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


def _recognises(head: Head) -> bool:
    row = head.row
    if row is None:
        return False
    if "mentions" in row:
        return isinstance(row["mentions"], list | dict | None)
    return _are_without_offsets(row.get("entities"))


def _are_without_offsets(value: Any) -> bool:
    """Whether these are names, and have no offsets that another format would read."""
    names = names_of(value)
    if names is None or names.unusable or not names.mentions:
        return False
    items = value if isinstance(value, list) else []
    return not any(isinstance(item, dict) and key in item for item in items for key in OFFSETS)


def _read(source: Source, options: Options) -> Annotations:
    options.only(NAME, *(("answers",) if options.side == "predicted" else ()))  # a reference is no answer
    return Annotations(spans=Documents(source.name, partial(_documents, source, options)), columns=columns_of(source))


def _documents(source: Source, options: Options) -> Iterator[SpanDocument]:
    for row in read_lazy_rows(source, REMEDY):
        answer = _listed(row) if options.answers is None else _answered(row, options.answers)
        text = row.read("text", TEXT)
        teller = _Teller(options.side, row.where)
        located = Located(())
        if text is not None:
            located = _located(answer.mentions, teller, text)
        yield SpanDocument(
            row.line,
            row.id(),
            text,
            located.spans,
            (*teller.of_answer(answer), *located.notices),
            row.columns(options.attributes),
            unlocated=located.unlocated,
            locate=partial(_located, answer.mentions, teller) if text is None else None,
        )


def _answered(row: Fields, field: str) -> Answer:
    """What a model answered."""
    if field not in row.values:
        raise row.fault(f"the row has no `{field}`", "Give each row what was answered, null where nothing was.")
    return decoded(msgspec.json.decode(row.values[field]))


def _listed(row: Fields) -> Answer:
    """The names that a row lists."""
    key = next((key for key in KEYS if key in row.values), None)
    if key is None:
        raise row.fault("the row has neither `mentions` nor `entities`")
    value = msgspec.json.decode(row.values[key])
    names = names_of(value)
    if value is None:
        return Answer(is_decoded=False)
    if names is None:
        raise row.fault(f"`{key}` is no list, but {value!r:.{SHOWN}}", f"{REMEDY} --answers {key} reads answers.")
    if names.unusable:
        message = f"`{key}` holds {names.example!r:.{SHOWN}}, which is no name with a label"
        raise row.fault(message, f"{REMEDY} Spans without their text are read with --input-format jsonl.")
    return Answer(names.mentions)


@dataclass(frozen=True)
class _Teller:
    """Tells what was done about a document.

    Args:
        side: whose it is.
        where: its file and line.
    """

    side: Side
    where: str

    def told(self, **counts: int) -> tuple[Notice, ...]:
        """A notice for each count that is not 0, by their codes with `_` for `-`."""
        names = {"side": WORDS[self.side], "verdict": VERDICTS[self.side]}
        codes = {code.replace("_", "-"): count for code, count in counts.items() if count}
        return tuple(Notice(code, MESSAGES[code].format(**names), count, self.where) for code, count in codes.items())

    def of_answer(self, answer: Answer) -> tuple[Notice, ...]:
        """What to say of an answer."""
        return self.told(
            undecodable_answers=int(not answer.is_decoded),
            truncated_answers=int(answer.is_truncated),
            several_answers=int(answer.is_one_of_several),
            unusable_items=answer.unusable,
        )


def _located(mentions: Sequence[Mention], teller: _Teller, text: str) -> Located:
    found = locate(mentions, text)
    notices = teller.told(normalised=found.normalised, spaces=found.spaces, unlocated=len(found.unlocated))
    return Located(found.spans, found.unlocated, notices)


def _write(documents: Iterable[SpanDocument], path: str) -> None:
    with written(path) as file:
        for document in documents:
            file.write(msgspec.json.encode(_written(document)) + b"\n")


def _written(document: SpanDocument) -> dict[str, object]:
    """The row of a document."""
    text, spans = document.text, sorted(document.spans)
    if text is None and spans:
        raise unwritable(document, "has no text, so its spans are no names", "Write it as JSON lines, which need none.")
    mentions = [((text or "")[start:end], label) for start, end, label in spans] + [*document.unlocated]
    _check_labels(document, mentions)
    row: dict[str, object] = {} if document.id is None else {"id": document.id}
    if text is not None:
        _check_places(document, mentions, text)
        row["text"] = text
    return row | {"mentions": [{"text": name, "label": label} for name, label in mentions]}


def _check_labels(document: SpanDocument, mentions: Sequence[Mention]) -> None:
    for _, label in mentions:
        if not label or label != label.strip():
            why = f"has the label {label!r}, of which a reader leaves out the white space"
            raise unwritable(document, why, "Rename it.")


def _check_places(document: SpanDocument, mentions: Sequence[Mention], text: str) -> None:
    """Refuse what would be read as other spans."""
    found = locate(mentions, text)
    for start, end, label in sorted(Counter(document.spans) - Counter(found.spans)):
        why = f"has {text[start:end][:SHOWN]!r} {label!r} at [{start}, {end}), where it would not be found again"
        raise unwritable(document, why, FIRST)
    if [*found.unlocated] != [*document.unlocated]:
        raise unwritable(document, "has a name beside its text that is in it", FIRST)


FORMAT = AnnotationFormat(NAME, _recognises, _read, _write, holds_unlocated=True)
