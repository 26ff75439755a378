"""What recognisers return: a list of spans for each text.

The formats are `transformers` (its pipeline), `presidio`, `stanza`, `flair`, `comprehend`, `azure` and `google-nl`.
They differ in their keys and in what offsets count, which `recogniser_shapes` describes, and share the rest:

- A file has one result in each line, or one array of results, or one or more objects over several lines. A result is a
  list of items, or an object with such a list, perhaps with the `text` and an `id`. A list of items alone is one text.
- If a result has no text, its spans are placed in the text of the other side. Results without ids are paired by order.
- If items give their own text, it shows whether offsets count code points, UTF-16 code units, bytes or grapheme
  clusters, and it must stand where they point to.
- Items that are not a span with a label are left out, counted and located. If a service failed to analyse a text, it
  has no spans as a prediction, and is left out as a reference.
- Tags of tokens (`B-PER`), which `transformers` writes without aggregation and Stanza in its tokens, are decoded as
  those of any other format. Scores of spans are ignored.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any

from isogloss.errors import FormatError
from isogloss.formats.annotation import (
    AnnotationFile,
    AnnotationFormat,
    DocumentReader,
    FileHead,
    FormatOptions,
)
from isogloss.formats.documents import LocatedSpans, SpanDocument
from isogloss.formats.offset_units import place_quoted_spans
from isogloss.formats.recogniser_shapes import SHAPES, OutputShape, OutputSpan, TokenTag
from isogloss.formats.registry import CODE_POINTS
from isogloss.formats.tagged_documents import TaggedRow, TokenPosition
from isogloss.formats.two_sided_files import mark_unannotated
from isogloss.kernel.provenance import RunWarning
from isogloss.records.attributes import Values, as_text
from isogloss.records.json_fields import parse_column_names
from isogloss.records.json_values import JsonValue, read_json_values
from isogloss.records.sources import Source

Row = Mapping[str, Any]
TEXTS = ("text", "full_text", "sentence", "inputs", "value")
FIELDS = (
    "entities",
    "ents",
    "spans",
    "results",
    "recognizer_results",
    "predictions",
    "prediction",
    "ner",
    "output",
    "outputs",
)
UNUSABLE, OTHER_WORDS = "unusable-items", "other-words"
UNUSABLE_MESSAGE = "Items of results that are not a span with a label and offsets were left out."
FAILED_MESSAGE = "Documents that the service failed to analyse were left out."
WORDS_MESSAGE = "Words of results differ from the text at their offsets: check that these are results for this text."
WORDS_REMEDY = (
    "Are these results for this text? A file of words and tags has no text: its words are joined by spaces. Give a "
    "reference with the text, such as JSON lines, or run the recogniser on the joined words."
)
MIN_OTHER, MAX_OTHER_SHARE = 5, 0.25  # words that differ; with more, the results are those of other texts
UNKNOWN_WORD = re.compile(r"\[UNK\]|<unk>|\ufffd")
COLUMNS_HELP = "the field with the list of spans, such as entities"
TAG_REMEDY = "A token has a tag and whole numbers from 0 as its offsets."
MAX_DEPTH = 8  # of objects and arrays around the items


@dataclass(frozen=True)
class Result:
    """The result of a recogniser for a text.

    Args:
        line: its place in the file.
        items: its items; None stands between the tokens of two sentences.
        row: the object that has the items; empty if they are in a list only.
        has_failed: whether the service failed to analyse the text.
        group: the line of the response in which its number counts.
    """

    line: int | str
    items: Sequence[Any] = ()
    row: Row = field(default_factory=dict)
    has_failed: bool = False
    group: int = 0

    @property
    def text(self) -> str | None:
        """The text that was analysed, if the result gives it."""
        return next((self.row[key] for key in TEXTS if isinstance(self.row.get(key), str)), None)

    @property
    def id(self) -> str | None:
        """The id, or the file if each file was one document."""
        own = self.row.get("id", None if "Line" in self.row else self.row.get("File"))
        return str(own) if type(own) in {str, int} else None


@dataclass(frozen=True)
class _OutputFile:
    """A file of results.

    Args:
        source: the file.
        shape: how the recogniser writes.
        options: how the file is read.
        column: the field with the items; None to find it.
        words: how many words were compared with a text, by whether they are the same.
    """

    source: Source
    shape: OutputShape
    options: FormatOptions
    column: str | None
    words: Counter[bool] = field(default_factory=Counter)

    def read_results(self) -> Iterator[Result]:
        """Yield the results in the order of the texts."""
        values = read_json_values(self.source, self.shape.remedy)
        results = chain.from_iterable(map(self._split_value, values))
        return iter(_order_results([*results], self.shape)) if self.shape.number_keys else results

    def has_tags(self) -> bool:
        """Return whether the items are tokens with tags, by the first item."""
        items = (item for result in self.read_results() for item in result.items)
        first = next((item for item in items if self.shape.is_item(item)), None)
        return first is not None and self.shape.is_token(first)

    def read_spans(self) -> Iterator[SpanDocument]:
        """Read results whose items are spans."""
        usable = 0
        first_unusable: str | None = None
        for result in self.read_results():
            spans, unusable = self._read_items(result)
            usable += len(spans)
            if unusable and first_unusable is None:
                first_unusable = self._format_place(result)
            text, where = result.text, self._format_place(result)
            locate = partial(self._locate_spans, spans, where)
            located = LocatedSpans([each.span.to_code_points() for each in spans]) if text is None else locate(text)
            warnings = (RunWarning(UNUSABLE, UNUSABLE_MESSAGE, unusable, where),) if unusable else ()
            document = SpanDocument(
                result.line,
                result.id,
                text,
                located.spans,
                (*warnings, *located.warnings),
                self._read_attributes(result),
                locate=locate if text is None and spans else None,
                has_offsets=(self.options.offset_unit or self.shape.unit) == CODE_POINTS,
            )
            yield (
                mark_unannotated(document, self.options.side, where, FAILED_MESSAGE) if result.has_failed else document
            )
        if first_unusable is not None and not usable:
            message = "no item of the file is a span with a label and offsets"
            raise FormatError(message, where=first_unusable, remedy=self.shape.remedy)

    def read_tags(self) -> Iterator[TaggedRow]:
        """Read results whose items are tokens with tags."""
        has_tag = False
        first_items: str | None = None
        for result in self.read_results():
            tokens = self._read_tokens(result)
            has_tag = has_tag or bool(tokens)
            if result.items and first_items is None:
                first_items = self._format_place(result)
            yield TaggedRow(
                self.source.name,
                result.line,
                result.id,
                result.text,
                [TokenPosition(token.start, token.end) for token in tokens],
                [token.tag for token in tokens],
                self._read_attributes(result),
            )
        if first_items is not None and not has_tag:
            message = "no token of the file has a tag: the recogniser did not run"
            raise FormatError(message, where=first_items, remedy=self.shape.remedy)

    def list_columns(self) -> list[str]:
        """List the columns of the first result."""
        try:
            row = next((result.row for result in self.read_results()), {})
        except FormatError:
            return []
        return [key for key, value in row.items() if isinstance(value, str | int | float)]

    def _format_place(self, result: Result) -> str:
        return self.source.locate(result.line)

    def _split_value(self, value: JsonValue) -> Iterator[Result]:
        """Yield the results of a JSON value of the file."""
        content = value.content
        if not isinstance(content, list) or self.shape.join_items(content) is not None:
            return self._split_content(content, value.line, {}, value.line)
        lines = value.list_item_lines()
        return chain.from_iterable(
            self._split_content(item, line, {}, value.line) for item, line in zip(content, lines, strict=True)
        )

    def _split_content(
        self, content: Any, line: int | str, row: Row, group: int, depth: int = MAX_DEPTH
    ) -> Iterator[Result]:
        """Yield the results in a list or object."""
        if isinstance(content, dict) and depth:
            yield from self._split_row({**row, **content}, content, line, group, depth)
            return
        items = self.shape.join_items(content) if isinstance(content, list) else None
        if items is not None:
            yield Result(line, items, row, group=group)
        elif isinstance(content, list) and depth:
            for item in content:
                yield from self._split_content(item, line, row, group, depth - 1)
        else:
            raise self._make_error("is not a list of spans", line)

    def _split_row(self, row: Row, own: Row, line: int | str, group: int, depth: int) -> Iterator[Result]:
        """Yield the results of an object.

        Fields that it does not have itself are those of the object around it.
        """
        tasks = self.shape.list_tasks(own)
        key = None if tasks is not None else self._find_field(own, line)
        if tasks is not None:
            yield from self._split_content(self._choose_task(tasks, line), line, {}, group, depth - 1)
        elif self.shape.is_item(own) and key not in FIELDS:
            raise self._make_error("the object is one item, where a list of the items of a text is needed", line)
        elif key is not None:
            items = self.shape.join_items(own[key])
            yield Result(line, own[key] if items is None else items, row, group=group)
        elif any(isinstance(own.get(name), list) for name in self.shape.wrappers):
            yield from self._split_response(own, line, group, depth)
        elif "ErrorCode" in own or own.get("is_error") is True or isinstance(own.get("error"), dict):
            yield Result(line, row=row, has_failed=True, group=group)
        elif self.shape.language_keys and own.keys() <= self.shape.language_keys:
            yield Result(line, row=row, group=group)
        else:
            inner = [each for each in own.values() if isinstance(each, dict)]
            if len(inner) != 1:
                fields = ", ".join(map(repr, own)) or "none"
                raise self._make_error(f"the object has no list of spans; its fields: {fields}", line)
            yield from self._split_content(inner[0], line, row, group, depth - 1)

    def _split_response(self, own: Row, line: int | str, group: int, depth: int) -> Iterator[Result]:
        """Yield the results of a response, and then its failures."""
        for name in self.shape.wrappers:
            for item in own.get(name) or ():
                yield from self._split_content(item, line, {}, group, depth - 1)
        for name in self.shape.failures:
            for item in own.get(name) or ():
                yield Result(line, row=item if isinstance(item, dict) else {}, has_failed=True, group=group)

    def _choose_task(self, tasks: Sequence[tuple[str, Any]], line: int | str) -> Any:
        """Return the task of a job that recognises entities."""
        found = [(name, task) for name, task in tasks if self.shape.task_names.search(name)]
        if len(found) == 1:
            return found[0][1]
        where = self.source.locate(line)
        if not found:
            names = ", ".join(name for name, _ in tasks)
            message = f"the job has no results of entity recognition; its tasks: {names or 'none'}"
            raise FormatError(message, where=where, remedy="Save the response when the job has succeeded.")
        message = f"the job has {len(found)} tasks that recognise entities: {', '.join(name for name, _ in found)}"
        raise FormatError(message, where=where, remedy="Save the `results` of one task in a file of its own.")

    def _find_field(self, row: Row, line: int | str) -> str | None:
        """Return the field that lists the items, if there is one."""
        lists = [key for key, value in row.items() if isinstance(value, list)]
        if self.column is not None:
            return self.column if self.column in lists else None
        usual = next((key for key in self.shape.fields if key in lists), None)
        if usual is not None:
            return usual
        lists = [key for key in lists if key not in (*self.shape.wrappers, *self.shape.failures)]
        filled = [key for key in lists if row[key] and self.shape.join_items(row[key]) is not None]
        if len(filled) > 1:
            message, remedy = f"has several lists of spans: {', '.join(filled)}", f"Name one: --columns {filled[0]}."
            raise FormatError(message, where=self.source.locate(line), remedy=remedy)
        known = [key for key in FIELDS if key in lists]
        empty = [key for key in lists if not any(map(row.get, lists))]
        return next(iter((*filled, *known, *empty)), None)

    def _read_items(self, result: Result) -> tuple[list[OutputSpan], int]:
        """Return the spans of a result, and the number of unusable items."""
        spans: list[OutputSpan] = []
        unusable = 0
        for item in _take_items(result.items):
            for span in self.shape.read_spans(item):
                if span is None:
                    unusable += 1
                elif span.is_unplaced:
                    raise self._make_unplaced_error(result, span)
                else:
                    spans.append(span)
        return spans, unusable

    def _read_tokens(self, result: Result) -> list[TokenTag]:
        """Return the tokens of a result, with an O between distant tokens."""
        tokens: list[TokenTag] = []
        for item in result.items:
            token = TokenTag(0, 0, "O") if item is None else self.shape.read_token(item)
            if token is None:
                continue
            if isinstance(token, str):
                is_unplaced = isinstance(item, dict) and item.get("start", item.get("start_char")) is None
                remedy = self.shape.unplaced_remedy if is_unplaced else TAG_REMEDY
                raise FormatError(token, where=self._format_place(result), remedy=remedy)
            before = tokens[-1] if tokens else None
            if before is not None and not token.follows(before):
                tokens.append(TokenTag(before.end, before.end, "O"))
            tokens.append(token)
        return tokens

    def _locate_spans(self, spans: Sequence[OutputSpan], where: str, text: str) -> LocatedSpans:
        """Place the spans of a result in a text."""
        placed, warnings = place_quoted_spans(
            text,
            [each.span for each in spans],
            where,
            unit=self.options.offset_unit,
            default=self.shape.unit,
            offsets=self.options.offsets,
        )
        words = [
            (each.word, text[start:end])
            for each, (start, end, _) in zip(spans, placed, strict=True)
            if each.word is not None
        ]
        other = [each for each in words if not _is_same_word(*each)]
        self._check_words(len(words), other, where)
        own = (RunWarning(OTHER_WORDS, WORDS_MESSAGE, len(other), where),) if other else ()
        return LocatedSpans(placed, (), (*warnings, *own))

    def _check_words(self, number: int, other: Sequence[tuple[str, str]], where: str) -> None:
        """Check that most words so far are those of the texts."""
        self.words.update({True: number - len(other), False: len(other)})
        different, total = self.words[False], self.words.total()
        is_allowed = different < MIN_OTHER or different <= MAX_OTHER_SHARE * total
        if other and self.options.offsets == "checked" and not is_allowed:
            word, covered = other[0]
            message = f"{different:,} of {total:,} words so far differ from the text at their offsets"
            detail = f"word  {word!r}\ntext  {covered!r}"
            raise FormatError(message, where=where, detail=detail, remedy=WORDS_REMEDY)

    def _read_attributes(self, result: Result) -> Values | None:
        names, where = self.options.attributes, self._format_place(result)
        texts = {name: as_text(result.row[name], name, where) for name in names if name in result.row}
        return {name: text for name, text in texts.items() if text is not None} if names else None

    def _make_unplaced_error(self, result: Result, span: OutputSpan) -> FormatError:
        message = f"the offset of {span.span.surface or span.word or span.span.label!r} is {span.span.start}"
        return FormatError(message, where=self._format_place(result), remedy=self.shape.unplaced_remedy)

    def _make_error(self, message: str, line: int | str) -> FormatError:
        if self.column is not None:
            message = f"has no list {self.column!r}"
        return FormatError(message, where=self.source.locate(line), remedy=self.shape.remedy)


def _take_items(items: Sequence[Any]) -> Iterator[Any]:
    """Yield the items of a result, and free each.

    Those of a long text would take most of the memory.
    """
    if not isinstance(items, list):
        items = list(items)
    for at, item in enumerate(items):
        items[at] = None
        if item is not None:
            yield item


def _is_same_word(word: str, covered: str) -> bool:
    """Return whether a decoded word may be a part of a text.

    Tokenizers change case, accents, white space and punctuation, and drop unknown characters.
    """
    return word == covered or bool(UNKNOWN_WORD.search(word)) or _normalise(word) == _normalise(covered)


def _normalise(text: str) -> str:
    """Return the letters and digits of a text, without case and accents."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(character for character in plain if character.isalnum())


def _order_results(results: Sequence[Result], shape: OutputShape) -> Sequence[Result]:
    """Return results in the order of their numbers, if they are numbered.

    Ids are numbers only if they ascend. Ids that begin anew in each response are dropped.
    """
    files = {file: at for at, file in enumerate(dict.fromkeys(result.row.get("File") for result in results))}
    groups = [files[result.row.get("File")] if "Line" in result.row else result.group for result in results]
    numbers = [number for result in results if (number := _find_number(result, shape)) is not None]
    places = list(zip(groups, numbers, strict=False))
    ids = [result.id for result in results if result.id is not None]
    if len({*ids}) < len(ids):
        results = [replace(result, row={**result.row, "id": None, "File": None}) for result in results]
    sound = [place for place, result in zip(places, results, strict=False) if not result.has_failed]
    if len(places) < len(results) or ("id" in shape.number_keys and sound != sorted(sound)):
        return results
    return [results[at] for at in sorted(range(len(results)), key=places.__getitem__)]


def _find_number(result: Result, shape: OutputShape) -> int | None:
    """Return the number of a result; None if it has none."""
    number = next((result.row[key] for key in shape.number_keys if key in result.row), None)
    if type(number) is str and re.fullmatch(r"[0-9]{1,18}", number):
        return int(number)
    return number if type(number) is int else None


def _can_read(shape: OutputShape, head: FileHead) -> bool:
    if head.is_folder or not any(marker in head.data for marker in shape.markers):
        return False
    return any(shape.has_items(row) for row in _list_objects(head))


def _list_objects(head: FileHead) -> Iterator[Any]:
    """Yield the objects at the beginning of a file.

    Arrays around them may be nested.
    """
    if head.first_row is not None:
        yield head.first_row
    text, decoder, at = head.data.decode("utf-8", "ignore"), json.JSONDecoder(), 0
    while (at := text.find("{", at)) >= 0:
        try:
            row, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return
        yield row


def _read(shape: OutputShape, source: Source, options: FormatOptions) -> AnnotationFile:
    (column,) = parse_column_names(options.columns, COLUMNS_HELP, most=1)
    file = _OutputFile(source, shape, options, column)
    if file.has_tags():
        tags = DocumentReader(source.name, file.read_tags)
        return AnnotationFile(tags=tags, list_columns=file.list_columns, follows_texts=True)
    spans = DocumentReader(source.name, file.read_spans)
    return AnnotationFile(spans=spans, list_columns=file.list_columns, follows_texts=True)


def _make_format(shape: OutputShape) -> AnnotationFormat:
    return AnnotationFormat(
        shape.name,
        partial(_can_read, shape),
        partial(_read, shape),
        options=("columns", "repair_offsets", "offset_unit"),
    )


TRANSFORMERS, PRESIDIO, STANZA, FLAIR, COMPREHEND, AZURE, GOOGLE_NL = map(_make_format, SHAPES)
