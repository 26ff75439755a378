"""Open utterances: CoNLL columns, JSON lines, tables, plain text and Python lists.

In CoNLL columns each line has a token and its language, separated by tabs or spaces; a blank line ends an utterance. A
line that begins with `# `, or with `#` and without further columns, is a comment.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec

from isogloss.errors import DataError, FormatError, UsageError
from isogloss.records.attributes import NO_VALUES, Comments, Values, as_text, read_comment_columns
from isogloss.records.json_fields import ColumnDecoder, list_columns
from isogloss.records.json_lines import read_rows
from isogloss.records.pairing import IdColumn
from isogloss.records.row_shape import RowShape
from isogloss.records.shards import Shards, open_source
from isogloss.records.sources import Progress, Source, is_path
from isogloss.records.tabular import RowsShards, RowsSource, open_rows
from isogloss.tasks.code_mixing.batches import TaggedRow, TaggedTexts
from isogloss.tasks.code_mixing.identification import TokenIdentifier
from isogloss.tasks.code_mixing.options import CodeMixingOptions
from isogloss.tasks.code_mixing.scripts import name_scripts, split_text
from isogloss.text.languages import shorten_language_code

BLOCK = 1 << 18  # bytes
BATCH_TOKENS, MAX_UTTERANCES = 1 << 17, 1 << 13  # of a batch
PAIR = 2  # token and language
SEEN_LINES = 100  # lines that decide the format of a file
MAX_COLUMNS = 4  # of a line of CoNLL without tabs, while the format is detected
DOCSTART = "-DOCSTART-"
ROW_REMEDY = 'A row looks like {"id": "1", "tokens": ["I", "want", "tacos"], "languages": ["en", "en", "es"]}.'
SCRIPTS_REMEDY = "Without tags, say --languages-from scripts (languages_from='scripts') or name an --identifier."
SHAPE = RowShape(
    needed=("tokens", "words", "text", "languages", "lid"),
    header="id,tokens,languages",
    row=ROW_REMEDY,
    kinds={"text": "optional", **dict.fromkeys(("tokens", "words", "languages", "lid"), "tokens")},
    plain="If the file has a token and its language in each line, say --input-format conll.",
    reads_columns=True,
)


class UtteranceRow(msgspec.Struct, gc=False):
    """A row of JSON.

    LinCE on Hugging Face has `words` and `lid`.
    """

    id: str | int | None = None
    text: str | None = None
    tokens: list[str] | None = None
    words: list[str] | None = None
    languages: list[str | None] | None = None
    lid: list[str | None] | None = None


@dataclass(frozen=True)
class RowBuilder:
    """Builds utterances: finds their tokens and the languages of these.

    Args:
        options: options of the task.
        identifier: finds the languages of tokens; None to take tags or scripts.
    """

    options: CodeMixingOptions
    identifier: TokenIdentifier | None = None

    def build(
        self, row: UtteranceRow, place: int | str, where: str, columns: Values = NO_VALUES, lines: Any = None
    ) -> TaggedRow:
        """Build an utterance.

        Args:
            row: what the data say.
            place: line or position.
            where: place for messages.
            columns: values to slice and cluster by.
            lines: line of each token, if each has one.

        Raises:
            DataError: if tokens and tags do not fit each other or the text, or the identifier fails.
        """
        tokens = row.tokens if row.tokens is not None else row.words
        languages = row.languages if row.languages is not None else row.lid
        spans = None
        if tokens is None and row.text is not None and not self.options.reads_tags:
            spans = split_text(row.text)
            tokens = [row.text[start:end] for start, end in spans]
        elif tokens is not None and row.text is not None:
            spans = locate_tokens(tokens, row.text, where)
        found = self._find_languages(tokens, languages, where)
        has_places = spans is not None
        return TaggedRow(
            found,
            tokens,
            row.text if has_places else None,
            [start for start, _ in spans] if spans is not None else None,
            [end for _, end in spans] if spans is not None else None,
            place,
            lines,
            "" if row.id is None else str(row.id),
            columns,
        )

    def _find_languages(
        self, tokens: Sequence[str] | None, languages: Sequence[str | None] | None, where: str
    ) -> list[str | None]:
        if self.options.reads_tags:
            if languages is None:
                raise FormatError("the row has no `languages`", where=where, remedy=f"{ROW_REMEDY} {SCRIPTS_REMEDY}")
            if tokens is not None and len(tokens) != len(languages):
                raise DataError(
                    f"the row has {len(tokens)} tokens and {len(languages)} languages",
                    where=where,
                    remedy="Give one language for each token; null for a token that belongs to no language.",
                )
            found = list(languages)
        elif tokens is None:
            raise FormatError("the row has neither `tokens` nor `text`", where=where, remedy=ROW_REMEDY)
        elif self.identifier is None:
            found = name_scripts(tokens)
        else:
            found = self.identifier.find_languages(tokens, where)
        independent = self.options.independent_tags
        return [None if not name or name.casefold() in independent else shorten_language_code(name) for name in found]


def locate_tokens(tokens: Sequence[str], text: str, where: str) -> list[tuple[int, int]]:
    """Return start and end of each token in a text.

    Args:
        tokens: tokens in the order of the text.
        text: the text.
        where: place of the utterance.

    Raises:
        DataError: if a token is not in the text after the one before it.
    """
    spans = []
    end = 0
    for at, token in enumerate(tokens):
        start = text.find(token, end) if token else -1
        if start < 0:
            raise DataError(
                f"`tokens[{at}]`, {token!r}, is not in the text from code point {end} on",
                where=where,
                remedy="List the tokens as they are written in the text, in their order; or leave out `text`.",
            )
        end = start + len(token)
        spans.append((start, end))
    return spans


NumberedUtterances = Iterator[TaggedRow]


@dataclass(frozen=True, eq=False)
class UtteranceInput:
    """The utterances of a corpus, which can be read several times.

    Args:
        name: the path, or `texts` for a list.
        read: yields the utterances.
        locate: returns the place of a line or position.
        sources: the file; empty for a list.
        list_columns: lists the columns of the first utterances.
        format: format of the file, `list` for a list.
    """

    name: str
    read: Callable[[], NumberedUtterances]
    locate: Callable[[int | str], str]
    sources: tuple[Source, ...] = ()
    list_columns: Callable[[], Iterable[str]] = tuple
    progress: Progress | None = None
    format: str = "list"

    def read_batches(self, size: int = BATCH_TOKENS) -> Iterator[TaggedTexts]:
        """Yield all utterances in batches.

        There is one empty batch if there is no utterance.

        Args:
            size: tokens of a batch, at least, unless it has `MAX_UTTERANCES`.

        Raises:
            SourceError: if the file cannot be read.
            DataError: if an utterance cannot be read, or ids are repeated or missing.
        """
        ids: list[str | None] = []
        places: MutableSequence[Any] = array("q") if self.format in ("conll", "lines") else []  # of an array: its items
        rows: list[TaggedRow] = []
        tokens, first, before = 0, 0, None
        for row in self.read():
            ids.append(row.name or None)
            places.append(row.place)
            rows.append(row if row.name else row._replace(name=str(len(ids))))
            tokens += len(row.languages)
            if tokens >= size or len(rows) >= MAX_UTTERANCES:
                batch = TaggedTexts.from_rows(rows, first, before, self.locate)
                yield batch
                first, before, tokens, rows = first + len(rows), batch.last_matrix, 0, []
                if self.progress is not None and self.sources:
                    self.progress(self.sources[0].bytes_read)
        if rows or not first:
            yield TaggedTexts.from_rows(rows, first, before, self.locate)
        IdColumn(self.name, ids, lambda position: self.locate(places[position])).check()


def open_utterances(
    texts: Any, options: CodeMixingOptions, attributes: Sequence[str] = (), progress: Progress | None = None
) -> UtteranceInput:
    """Open the utterances of one corpus.

    Args:
        texts: a path or source, or a list.
        options: options of the task.
        attributes: columns to slice and cluster by.
        progress: called with the number of bytes read.

    Raises:
        UsageError: if `texts` has a wrong type, or an option does not fit it.
        DataError: if the file cannot be read, or looks like a table or JSON and is not.
    """
    build = RowBuilder(options, None if options.identifier is None else TokenIdentifier.open(options.identifier))
    if not is_path(texts):
        return _open_list(texts, build, attributes)
    source = open_source(texts)
    if options.input_format not in ("conll", "lines"):
        source = open_rows(source, SHAPE, options.input_format)
    kind = options.input_format or _detect_format(source, options)
    if kind == "lines" and options.reads_tags:
        raise FormatError("lines of text have no languages", where=source.name, remedy=SCRIPTS_REMEDY)
    if kind in ("conll", "lines"):
        read: Callable[[], NumberedUtterances] = partial(
            _read_conll if kind == "conll" else _read_lines, source, build, attributes
        )
        columns: Callable[[], Iterable[str]] = partial(read_comment_columns, source)
    else:
        read = partial(_read_json, source, build, attributes)
        columns = source.list_columns if isinstance(source, RowsSource | RowsShards) else partial(list_columns, source)
    return UtteranceInput(source.name, read, source.locate, (source,), columns, progress, kind)


def _detect_format(source: Source, options: CodeMixingOptions) -> str:
    """Return the format of an opened file.

    The first line with text decides.
    """
    if isinstance(source, RowsSource | RowsShards):
        return "jsonl"
    for block in source.blocks():
        lines = [line for line in block.text.split("\n", SEEN_LINES) if line.strip()]
        line = next(iter(lines), None)
        if line is not None:
            if line.lstrip().startswith("{"):
                return "jsonl"
            if options.reads_tags and not any(map(_may_have_columns, lines)):
                return "lines"
            is_comment = line.startswith("# ") and "=" in line
            return "conll" if options.reads_tags or is_comment or "\t" in line else "lines"
    return "conll" if options.reads_tags else "lines"


def _may_have_columns(line: str) -> bool:
    """Return whether a line may be columns or a comment."""
    return "\t" in line or line.startswith("#") or len(line.split()) <= MAX_COLUMNS


def _read_json(source: Source, build: RowBuilder, attributes: Sequence[str]) -> NumberedUtterances:
    columns = ColumnDecoder.build(UtteranceRow, attributes) if attributes else None
    decoder = msgspec.json.Decoder(UtteranceRow) if columns is None else columns.decoder
    for line, row in read_rows(source, decoder, ROW_REMEDY):
        where = source.locate(line)
        values = NO_VALUES if columns is None else columns.read_columns(row, where)
        yield build.build(row, line, where, values)


def _read_lines(source: Source, build: RowBuilder, _: Sequence[str]) -> NumberedUtterances:
    for block in source.blocks(BLOCK):
        for number, line in enumerate(block.text.split("\n")[:-1], block.first_line):
            text = line.removesuffix("\r")
            if text and not text.isspace():
                yield build.build(UtteranceRow(text=text), number, source.locate(number))


def _read_conll(source: Source, build: RowBuilder, attributes: Sequence[str]) -> NumberedUtterances:
    comments = Comments(attributes)
    reader = _ColumnReader(source, build)
    for block in source.blocks(BLOCK):
        file = source.get_file(block.first_line) if isinstance(source, Shards) else ""
        if file != reader.file:
            yield from reader.finish(comments)
            reader.file = file
        for number, line in enumerate(block.text.split("\n")[:-1], block.first_line):
            if not line or line.isspace() or line.startswith(DOCSTART):
                yield from reader.finish(comments)
                comments.read_line(line)
            elif line.startswith("#") and (line.startswith("# ") or len(line.split()) == 1) and "\t" not in line:
                comments.read_line(line)
            else:
                reader.add_line(line.removesuffix("\r"), number)
    yield from reader.finish(comments)


class _ColumnReader:
    """Collects the lines of an utterance.

    Args:
        source: the file.
        build: builds utterances.
    """

    def __init__(self, source: Source, build: RowBuilder) -> None:
        self._source, self._build = source, build
        self._lines: list[int] = []
        self._tokens: list[str] = []
        self._languages: list[str | None] = []
        self.file = ""

    def add_line(self, line: str, number: int) -> None:
        """Add the token of a line.

        Args:
            line: the line.
            number: its number.

        Raises:
            FormatError: if the line has no column with the language.
        """
        cells = line.split("\t") if "\t" in line else line.split()
        self._lines.append(number)
        self._tokens.append(cells[0])
        if not self._build.options.reads_tags:
            return
        column = self._build.options.language_column
        at = column - 1 if column > 0 else len(cells) + column
        if not 0 < at < len(cells):
            raise FormatError(
                f"the line has {len(cells)} column{'s' if len(cells) > 1 else ''}, and no column {column}",
                where=self._source.locate(number),
                detail=f"The line is {line[:40]!r}.",
                remedy="Each line has a token and its language, separated by a tab. Name the column of the language "
                f"with --language-column. {SCRIPTS_REMEDY}",
            )
        self._languages.append(cells[at].strip())

    def finish(self, comments: Comments) -> NumberedUtterances:
        """Yield the utterance, if there is one, and begin the next."""
        if not self._tokens:
            return
        row = UtteranceRow(tokens=self._tokens, languages=self._languages if self._build.options.reads_tags else None)
        first, lines = self._lines[0], self._lines
        self._lines, self._tokens, self._languages = [], [], []
        yield self._build.build(row, first, self._source.locate(first), comments.finish_sentence(), lines)


LIST_NAME = "texts"
ITEM_REMEDY = 'Give {"tokens": [...], "languages": [...]}, or a list of pairs (token, language).'


def _open_list(texts: Any, build: RowBuilder, attributes: Sequence[str]) -> UtteranceInput:
    if isinstance(texts, bytes | Mapping) or not hasattr(texts, "__iter__"):
        raise UsageError(f"texts is of type {type(texts).__name__}; give a path, or a list of utterances.")
    if build.options.input_format is not None:
        raise UsageError(f"texts is a list, which is not in the format {build.options.input_format}: leave it out.")
    items = texts if isinstance(texts, list | tuple) else list(texts)
    first = items[0] if items and isinstance(items[0], Mapping) else {}
    columns = [str(key) for key, value in first.items() if isinstance(value, str | int | float)]
    return UtteranceInput(LIST_NAME, partial(_read_list, items, build, attributes), _locate_item, (), lambda: columns)


def _locate_item(place: int | str) -> str:
    return f"{LIST_NAME}[{place}]"


def _read_list(items: Sequence[Any], build: RowBuilder, attributes: Sequence[str]) -> NumberedUtterances:
    for place, item in enumerate(items):
        where = _locate_item(place)
        values: Values = NO_VALUES
        if isinstance(item, Mapping):
            texts = {name: as_text(item[name], name, where) for name in attributes if name in item}
            values = {name: text for name, text in texts.items() if text is not None}
        yield build.build(_convert_item(item, where), place, where, values)


def _convert_item(item: Any, where: str) -> UtteranceRow:
    """Convert a text, tokens, pairs or a dictionary to a row."""
    if isinstance(item, str):
        return UtteranceRow(text=item)
    if isinstance(item, list | tuple) and all(isinstance(each, str) for each in item):
        return UtteranceRow(tokens=list(item), languages=None if item else [])
    if isinstance(item, list | tuple) and all(isinstance(each, list | tuple) and len(each) == PAIR for each in item):
        item = {"tokens": [token for token, _ in item], "languages": [language for _, language in item]}
    if not isinstance(item, Mapping):
        raise FormatError(f"{item!r:.40} is of type {type(item).__name__}", where=where, remedy=ITEM_REMEDY)
    try:
        return msgspec.convert(
            {key: _to_list(value) for key, value in item.items() if isinstance(key, str)}, UtteranceRow
        )
    except msgspec.ValidationError as error:
        what, _, path = str(error).partition(" - at `$")
        message = f"`{path.rstrip('`').removeprefix('.')}`: {what[:1].lower()}{what[1:]}"
        raise FormatError(message, where=where, remedy=ITEM_REMEDY) from error


def _to_list(value: Any) -> Any:
    """Return an array as a list; other values stay as they are."""
    return value.tolist() if hasattr(value, "tolist") else value
