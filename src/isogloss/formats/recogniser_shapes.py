"""How recognisers and web services write spans.

Shapes name their keys, and what their offsets count.

`recogniser_outputs` reads files of these items.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from isogloss.formats.documents import MAX_TEXT_LENGTH
from isogloss.formats.offset_units import QuotedSpan
from isogloss.formats.registry import CODE_POINTS

Item = Mapping[str, Any]
MALFORMED = (LookupError, TypeError, ValueError, AttributeError)


class OutputSpan(NamedTuple):
    """A span of a result.

    Args:
        span: the span, with its own text if it is quoted exactly.
        word: its text as a tokenizer decoded it, which may differ from the real text; None if there is none.
    """

    span: QuotedSpan
    word: str | None = None

    @property
    def is_unplaced(self) -> bool:
        """Whether its offsets are said to be unknown."""
        return self.span.start in {None, -1}


class TokenTag(NamedTuple):
    """A token with a tag.

    Args:
        start: its first code point.
        end: the code point after the last.
        tag: its tag.
        number: its position among all tokens, if others are left out; else None.
    """

    start: int
    end: int
    tag: str
    number: int | None = None

    def follows(self, before: TokenTag) -> bool:
        """Return whether this token is the next after another."""
        return self.number is None or before.number is None or self.number == before.number + 1


def _take_whole(item: Item) -> Iterable[Item]:
    """Take an item as one span."""
    return (item,)


def _refuse(_: Item) -> None:
    """Read no token: the items are spans."""


def _list_no_tasks(_: Item) -> None:
    """List no tasks: the service has no jobs of several tasks."""


@dataclass(frozen=True)
class OutputShape:
    """How a recogniser writes its results.

    Args:
        name: the name of the format.
        keys: for each kind of item the keys that it has.
        markers: bytes that a file of this recogniser has.
        parse_span: parses a part of an item. It raises LookupError, TypeError, ValueError or AttributeError if that is
            malformed.
        example: a result, for errors.
        list_parts: lists the parts of an item that are spans; it raises the same errors.
        parse_token: parses the tag of a token, as `parse_span` does; None if the item has no tag.
        tag_key: the key that tells tokens with tags from spans; empty if there are no such tokens.
        unit: what offsets count by definition; None if the request decides.
        fields: the fields that list items, if there are items of other kinds beside them.
        wrappers: the fields that list results.
        failures: the fields that list failures in place of results.
        number_keys: the fields that number the results of a response.
        language_keys: fields of a result that has no list of items because there are none.
        list_tasks: lists the tasks of a job with their names; None if an object is not a job.
        task_names: matches the names of tasks that recognise entities.
        unplaced_remedy: what to do if the offsets of items are missing.
    """

    name: str
    keys: Sequence[frozenset[str]]
    markers: Sequence[bytes]
    parse_span: Callable[[Item], OutputSpan]
    example: str
    list_parts: Callable[[Item], Iterable[Item]] = _take_whole
    parse_token: Callable[[Item], TokenTag | None] = _refuse
    tag_key: str = ""
    unit: str | None = CODE_POINTS
    fields: Sequence[str] = ()
    wrappers: Sequence[str] = ()
    failures: Sequence[str] = ()
    number_keys: Sequence[str] = ()
    language_keys: frozenset[str] = frozenset()
    list_tasks: Callable[[Item], list[tuple[str, Any]] | None] = _list_no_tasks
    task_names: re.Pattern[str] = re.compile("")
    unplaced_remedy: str = "Write the offsets of each span, or names and labels as mentions."

    @property
    def remedy(self) -> str:
        """What a result looks like."""
        return f"A result of {self.name} looks like {self.example}."

    def is_item(self, value: Any) -> bool:
        """Return whether a value has the keys of an item."""
        return isinstance(value, dict) and "label" not in value and any(keys <= value.keys() for keys in self.keys)

    def is_token(self, item: Item) -> bool:
        """Return whether an item is a token with a tag."""
        return bool(self.tag_key) and self.tag_key in item

    def join_items(self, values: Sequence[Any]) -> Sequence[Any] | None:
        """Return the items of a list, None for several texts.

        The tokens of several sentences are joined, with None between two sentences.
        """
        if not values or any(map(self.is_item, values)):
            return values
        sentences = [each for each in values if isinstance(each, list)]
        if len(sentences) < len(values) or not any(map(self._is_sentence, sentences)):
            return None
        joined: list[Any] = []
        for sentence in sentences:
            joined += [None, *sentence] if joined else sentence
        return joined

    def _is_sentence(self, values: Sequence[Any]) -> bool:
        """Return whether a list has tokens that are numbered in their sentence."""
        return bool(self.tag_key) and any(
            self.is_item(each) and self.tag_key in each and "id" in each for each in values
        )

    def has_items(self, value: Any) -> bool:
        """Return whether a value is or has an item."""
        if isinstance(value, list):
            return any(map(self.has_items, value))
        return isinstance(value, dict) and (self.is_item(value) or any(map(self.has_items, value.values())))

    def read_spans(self, item: Any) -> Iterator[OutputSpan | None]:
        """Yield the spans of an item; None for each that is malformed."""
        try:
            parts = [*self.list_parts(item)]
        except MALFORMED:
            yield None
            return
        for part in parts:
            try:
                span = self.parse_span(part)
            except MALFORMED:
                yield None
            else:
                yield span if span.is_unplaced or _is_sound(span) else None

    def read_token(self, item: Any) -> TokenTag | str | None:
        """Return the token of an item, None if it has no tag.

        A text says what is wrong with a malformed token.
        """
        try:
            token = self.parse_token(item)
        except MALFORMED:
            token = TokenTag(0, 0, "")
        if token is None:
            return None
        is_sound = type(token.start) is type(token.end) is int and 0 <= token.start < token.end <= MAX_TEXT_LENGTH
        return (
            token
            if is_sound and isinstance(token.tag, str) and token.tag
            else f"{item!r:.80} is not a token with a tag"
        )


def _is_sound(span: OutputSpan) -> bool:
    """Return whether a span has a label and possible offsets."""
    start, end, label, surface = span.span
    if type(start) is not int or not 0 <= start <= MAX_TEXT_LENGTH or not isinstance(label, str) or not label.strip():
        return False
    if surface is not None and not (isinstance(surface, str) and surface):
        return False
    return bool(surface) if end is None else type(end) is int and start < end <= MAX_TEXT_LENGTH


def _parse_pipeline_group(item: Item) -> OutputSpan:
    span, word = QuotedSpan(item["start"], item["end"], item["entity_group"], None), item.get("word")
    return OutputSpan(span, word if isinstance(word, str) else None)


def _parse_pipeline_token(item: Item) -> TokenTag | None:
    tag = item["entity"]
    number = item.get("index")
    return TokenTag(item["start"], item["end"], tag, number if type(number) is int else None)


TRANSFORMERS = OutputShape(
    "transformers",
    (
        frozenset(("entity_group", "start", "end")),
        frozenset(("entity", "start", "end")),
        frozenset(("entity", "word", "index")),  # without offsets, to say what to do
    ),
    (b'"entity_group"', b'"entity"'),
    _parse_pipeline_group,
    '[{"entity_group": "PER", "score": 0.99, "word": "Ada", "start": 0, "end": 3}], a list for each text',
    parse_token=_parse_pipeline_token,
    tag_key="entity",
    unplaced_remedy="Use a fast tokenizer in Python: others write no offsets.",
)


def _parse_presidio(item: Item) -> OutputSpan:
    if "start_position" in item:  # the spans of presidio-evaluator's samples
        bounds = item["start_position"], item["end_position"]
    else:
        bounds = item["start"], item["end"]
    return OutputSpan(QuotedSpan(*bounds, item["entity_type"], item.get("entity_value")))


PRESIDIO = OutputShape(
    "presidio",
    (frozenset(("entity_type", "start", "end")), frozenset(("entity_type", "start_position", "end_position"))),
    (b'"entity_type"',),
    _parse_presidio,
    '[{"entity_type": "PERSON", "start": 0, "end": 3, "score": 0.85}], a list for each text',
)


def _parse_stanza_entity(item: Item) -> OutputSpan:
    return OutputSpan(QuotedSpan(item["start_char"], item["end_char"], item["type"], item.get("text")))


def _parse_stanza_token(item: Item) -> TokenTag | None:
    """Parse a token.

    The words of a token of several words have no tag.
    """
    if "ner" not in item:
        return None
    if "start_char" in item:
        return TokenTag(item["start_char"], item["end_char"], item["ner"])
    pairs = dict(pair.split("=", 1) for pair in item["misc"].split("|") if "=" in pair)  # before version 1.2
    return TokenTag(int(pairs["start_char"]), int(pairs["end_char"]), item["ner"])


STANZA = OutputShape(
    "stanza",
    (
        frozenset(("text", "type", "start_char", "end_char")),
        frozenset(("id", "text", "ner")),
        frozenset(("id", "text", "start_char", "end_char")),
    ),
    (b'"start_char"', b"start_char="),
    _parse_stanza_entity,
    '[[{"id": 1, "text": "Ada", "ner": "S-PERSON", "start_char": 0, "end_char": 3}]], the `to_dict()` of a document, '
    'or [{"text": "Ada", "type": "PERSON", "start_char": 0, "end_char": 3}], its `ents`',
    parse_token=_parse_stanza_token,
    tag_key="id",
    fields=("ents", "entities"),
)


def _list_flair_labels(item: Item) -> Iterable[Item]:
    """List an entity with each of its labels."""
    return [{**item, "type": label["value"]} for label in item["labels"]] if "labels" in item else [item]


def _parse_flair(item: Item) -> OutputSpan:
    return OutputSpan(QuotedSpan(item["start_pos"], item["end_pos"], item["type"], item["text"]))


FLAIR = OutputShape(
    "flair",
    (frozenset(("text", "start_pos", "end_pos")),),
    (b'"start_pos"',),
    _parse_flair,
    '{"text": "Ada ran", "entities": [{"text": "Ada", "start_pos": 0, "end_pos": 3, "labels": [{"value": "PER", '
    '"confidence": 0.9}]}]}, the `to_dict()` of a sentence',
    _list_flair_labels,
    fields=("entities",),
)


def _list_comprehend_mentions(item: Item) -> Iterable[Item]:
    """List an entity, or its mentions from targeted sentiment and events."""
    mentions: Iterable[Item] = item.get("Mentions", (item,))
    return mentions


def _parse_comprehend(item: Item) -> OutputSpan:
    return OutputSpan(QuotedSpan(item["BeginOffset"], item["EndOffset"], item["Type"], item.get("Text")))


COMPREHEND = OutputShape(
    "comprehend",
    (frozenset(("BeginOffset", "EndOffset", "Type")), frozenset(("Mentions",))),
    (b'"BeginOffset"',),
    _parse_comprehend,
    '{"Entities": [{"BeginOffset": 0, "EndOffset": 3, "Score": 0.99, "Text": "Ada", "Type": "PERSON"}], '
    '"File": "a.txt", "Line": 0}',
    _list_comprehend_mentions,
    fields=("Entities",),
    wrappers=("ResultList",),
    failures=("ErrorList",),
    number_keys=("Line", "Index"),
)


def _list_azure_matches(item: Item) -> Iterable[Item]:
    """List an entity, or in version 2.1 its matches, with its category."""
    return [{**match, "category": item["type"]} for match in item["matches"]] if "matches" in item else [item]


def _list_azure_tasks(row: Item) -> list[tuple[str, Any]] | None:
    """List the tasks of a job with their names.

    They are `items` with a `kind`, or before version 2022-05-01 lists such as `entityRecognitionTasks`.
    """
    tasks = row.get("tasks")
    if not isinstance(tasks, dict):
        return None
    items = tasks.get("items")
    if isinstance(items, list):
        return [(str(item.get("kind")), item) for item in items if isinstance(item, dict)]
    lists = {key: value for key, value in tasks.items() if key.endswith("Tasks") and isinstance(value, list)}
    return [(key, item) for key, value in lists.items() for item in value]


def _parse_azure(item: Item) -> OutputSpan:
    start, length = item["offset"], item["length"]
    return OutputSpan(QuotedSpan(start, start + length, item["category"], item.get("text")))


AZURE = OutputShape(
    "azure",
    (frozenset(("offset", "length", "category")), frozenset(("type", "matches"))),
    (b'"length"',),
    _parse_azure,
    '{"documents": [{"id": "1", "entities": [{"text": "Ada", "category": "Person", "offset": 0, "length": 3}]}], '
    '"errors": []}',
    _list_azure_matches,
    unit=None,
    fields=("entities",),
    wrappers=("documents",),
    failures=("errors",),
    number_keys=("id",),
    list_tasks=_list_azure_tasks,
    task_names=re.compile(r"entityrecognition|healthcare", re.IGNORECASE),
)

GOOGLE_TYPES = dict(
    enumerate(("UNKNOWN", "PERSON", "LOCATION", "ORGANIZATION", "EVENT", "WORK_OF_ART", "CONSUMER_GOOD", "OTHER"))
) | {9: "PHONE_NUMBER", 10: "ADDRESS", 11: "DATE", 12: "NUMBER", 13: "PRICE"}


def _list_google_mentions(item: Item) -> Iterable[Item]:
    """List the mentions of an entity, with its type."""
    label = item.get("type", item.get("type_", 0))
    label = GOOGLE_TYPES[label] if type(label) is int else label
    return [{**mention, "type": label} for mention in item["mentions"]]


def _parse_google(item: Item) -> OutputSpan:
    """Parse a mention.

    Writers of protocol buffers leave out an offset of 0.
    """
    text = item["text"]
    start = text.get("beginOffset", text.get("begin_offset", 0))
    return OutputSpan(QuotedSpan(start, None, item["type"], text["content"]))


GOOGLE_NL = OutputShape(
    "google-nl",
    (frozenset(("name", "mentions")),),
    (b'"mentions"',),
    _parse_google,
    '{"entities": [{"name": "Ada", "type": "PERSON", "mentions": [{"text": {"content": "Ada", "beginOffset": 0}}]}]}',
    _list_google_mentions,
    unit=None,
    fields=("entities",),
    wrappers=("responses",),
    language_keys=frozenset(("language", "languageCode", "language_code", "languageSupported", "language_supported")),
    unplaced_remedy="Send the request with encodingType UTF32: without it, the service writes no offsets.",
)

SHAPES = (TRANSFORMERS, PRESIDIO, STANZA, FLAIR, COMPREHEND, AZURE, GOOGLE_NL)
