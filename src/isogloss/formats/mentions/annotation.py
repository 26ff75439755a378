"""Files of names without offsets: recognised, read and written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec

from isogloss.batches import Notice, Side
from isogloss.destinations import written
from isogloss.formats.annotation import AnnotationFormat, Annotations, Documents, Head, Options
from isogloss.formats.fields import TEXT, Fields, columns_of, rows_of
from isogloss.formats.mentions.answers import Answer, decoded
from isogloss.formats.mentions.items import names_of
from isogloss.formats.mentions.locating import locate
from isogloss.formats.span_pairing import Located, Mention, SpanDocument
from isogloss.formats.span_pairing.documents import WORDS
from isogloss.formats.writing import unwritable
from isogloss.sources import Source

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
    for row in rows_of(source, REMEDY):
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
