"""Files of samples: detection and reading of their formats.

There is a reader for each format. Formats with a sample a line (`pipe`, `spaces`, `raw`, `best`, `vistec`) are encoded
block by block. The others (`conllu`, `jsonl`, `lst20`, `columns`) are read sample by sample.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain, islice

import msgspec

from isogloss.errors import FormatError, SourceError
from isogloss.records.attributes import NO_VALUES, Comments, Values
from isogloss.records.json_fields import ColumnDecoder
from isogloss.records.json_lines import read_block_rows
from isogloss.records.pairing import IdColumn
from isogloss.records.ranges import SourceRange
from isogloss.records.shards import check_same_format
from isogloss.records.sources import Block, Source
from isogloss.tasks.segmentation.options import Whitespace
from isogloss.tasks.segmentation.samples import (
    LINE_SEPARATORS,
    SPACE_SEPARATORS,
    WORD_SPACE,
    MultiwordToken,
    SampleBlock,
    SamplePlace,
    Separators,
    TextSample,
    add_spaces,
    encode_pieces,
    encode_samples,
    encode_three_byte_utf8,
    locate_words,
)

FORMAT_TITLES: Mapping[str, str] = {
    "conllu": "CoNLL-U",
    "jsonl": "JSON lines",
    "lst20": "LST20 columns",
    "columns": "columns, the first with the word",
    "best": "words between | with tags of BEST",
    "vistec": "words between | with tags of VISTEC",
    "pipe": "words between |",
    "spaces": "words between spaces",
    "raw": "text that is not cut: each line is one word",
}
BLOCK = 1 << 19  # bytes: what is computed from them mostly stays in the processor's cache
MAX_SAMPLES = 1 << 15  # of a block
SAMPLES = 1 << 10  # samples of a block of the formats that are read one by one
MARK = "|"
TAG = re.compile(r"</?(?:NE|AB|POEM|COMPOUND|MSP)(?:[=\s][^<>]*)?>", re.IGNORECASE)
Clean = Callable[[str], str]


@dataclass(frozen=True)
class Reading:
    """How a file is read.

    Args:
        input_format: a key of `FORMAT_TITLES`, None to detect it.
        whitespace: the whitespace policy.
        clean: cleans a sample written with `|` before words are read; None for no cleaning.
        columns: columns of samples to keep.
    """

    input_format: str | None = None
    whitespace: Whitespace = "ignore"
    clean: Clean | None = None
    columns: Sequence[str] = ()


def read_samples(source: Source, reading: Reading, order: Sequence[int] | None = None) -> Iterator[SampleBlock]:
    """Read the samples of a file in blocks.

    Args:
        source: the file.
        reading: how it is read.
        order: positions of the samples in the order to return them in, for JSON lines only; None to keep their order.

    Raises:
        SourceError: if the file cannot be read.
        FormatError: if a line does not fit the format.
    """
    name = reading.input_format or detect_format(source)
    if order is not None:
        samples = list(SAMPLE_READERS[name](source, reading.columns))
        return _encode_in_blocks(source, map(samples.__getitem__, order), reading)
    return chain.from_iterable(_read_file(shard, name, reading) for shard in source.read_shards())


def _read_file(source: Source, name: str, reading: Reading) -> Iterator[SampleBlock]:
    """Read the samples of one file in a format."""
    if name in SAMPLE_READERS:
        return _encode_in_blocks(source, SAMPLE_READERS[name](source, reading.columns), reading)
    if reading.clean is not None:
        return _encode_in_blocks(source, _read_lines(source), reading)
    tagged = name in ("best", "vistec")
    marks = SPACE_SEPARATORS if name in ("spaces", "raw") else LINE_SEPARATORS
    whitespace = "separate" if name == "spaces" else reading.whitespace
    blocks = source.blocks(BLOCK, decode=False)
    return _cut_blocks(_encode_lines(source, block, marks, whitespace, tagged=tagged) for block in blocks)


def _cut_blocks(blocks: Iterable[SampleBlock]) -> Iterator[SampleBlock]:
    """Cut blocks of many short samples.

    The counts of a sample take more bytes than its text.
    """
    for block in blocks:
        for first in range(0, len(block), MAX_SAMPLES):
            yield block.select_rows(first, min(first + MAX_SAMPLES, len(block)))


def _encode_lines(
    source: Source, block: Block, marks: Separators, whitespace: Whitespace, *, tagged: bool
) -> SampleBlock:
    encoded = None if tagged or b"\r" in block.data else encode_three_byte_utf8(block.data, marks, whitespace)
    if encoded is None:
        encoded = encode_samples(_get_content(block, tagged=tagged), marks, whitespace)
    lines = _LinePlaces(source.name, block, marks.word, tagged)
    return SampleBlock(encoded.text, encoded.starts, encoded.offsets, lines.locate, whitespace)


@dataclass(frozen=True)
class _LinePlaces:
    """Places of samples that are lines of a block.

    Args:
        file: name of the file.
        block: the lines.
        mark: the character between words; None if only whitespace separates words.
        tagged: whether tags are removed.
    """

    file: str
    block: Block
    mark: str | None
    tagged: bool

    def locate(self, row: int) -> SamplePlace:
        """Return where a line comes from."""
        return SamplePlace(f"{self.file}:{self.block.first_line + row}", partial(self._get_text, row), self.file)

    def _get_text(self, row: int) -> str:
        line = self._lines[row]
        return line if self.mark is None else line.replace(self.mark, "")

    @cached_property
    def _lines(self) -> list[str]:
        return _get_content(self.block, tagged=self.tagged).split("\n")


def _get_content(block: Block, *, tagged: bool) -> str:
    """Return the lines with plain line feeds.

    Tags are removed before words are read.
    """
    content = block.text.replace("\r\n", "\n") if b"\r" in block.data else block.text
    return TAG.sub("", content) if tagged else content  # a tag may stand between two marks


def _read_lines(source: Source) -> Iterator[TextSample]:
    """Read each line as one piece."""
    for block in source.blocks(BLOCK):
        for number, line in enumerate(_get_content(block, tagged=False).split("\n")[:-1], block.first_line):
            yield TextSample(number, [line])


def _encode_in_blocks(source: Source, samples: Iterable[TextSample], reading: Reading) -> Iterator[SampleBlock]:
    remaining = iter(samples)
    while chunk := list(islice(remaining, SAMPLES)):
        pieces = clean_samples([sample.pieces for sample in chunk], reading.clean)
        names = [source.locate(sample.line) for sample in chunk]
        files = [source.get_file(sample.line) for sample in chunk]
        columns = [sample.columns for sample in chunk]
        block = encode_pieces(pieces, reading.whitespace, names.__getitem__, files, columns)
        if any(sample.multiword for sample in chunk):
            block = replace(block, multiword=tuple(_move_multiword(block, chunk)))
        yield block


def _move_multiword(block: SampleBlock, samples: Iterable[TextSample]) -> Iterator[MultiwordToken]:
    """Yield the multiword tokens of samples.

    Their positions are in the text of the block.
    """
    for start, sample in zip(block.offsets.tolist(), samples, strict=False):
        yield from ((start + at, words) for at, words in sample.multiword)


def clean_samples(samples: Sequence[Sequence[str]], clean: Clean | None) -> Sequence[Sequence[str]]:
    """Clean samples as another tool does; None changes nothing."""
    return samples if clean is None else [clean(MARK.join(words)).split(MARK) for words in samples]


LST20_SPACE = "_"
DOCSTART = "-DOCSTART-"


def read_columns(source: Source, attributes: Sequence[str] = (), *, lst20: bool) -> Iterator[TextSample]:
    """Read a file of columns between tabs.

    Each line has a word in the first column, and a blank line follows each sample.

    Args:
        source: the file.
        attributes: keys of comments to keep.
        lst20: whether the word `_` is a space.

    Raises:
        FormatError: if a line has another number of columns than the first, or no word.
    """
    words: list[str] = []
    comments = Comments(attributes)
    line = columns = first = 0
    for block in source.blocks():
        for number, content in enumerate(block.text.split("\n")[:-1], block.first_line):
            fields = content.rstrip("\r").split("\t")
            if (len(fields) == 1 and (not fields[0] or fields[0].isspace())) or fields[0] == DOCSTART:
                if words:
                    yield TextSample(line, words, columns=comments.finish_sentence())
                words = []
                comments.read_line(fields[0])
                continue
            if content.startswith("#") and len(fields) != columns:
                comments.read_line(content)
                continue
            columns, first = columns or len(fields), first or number
            if len(fields) != columns or not fields[0]:
                raise _make_column_error(fields, (columns, first), f"{source.name}:{number}")
            line = line if words else number
            words.append(WORD_SPACE if lst20 and fields[0] == LST20_SPACE else fields[0])
    if words:
        yield TextSample(line, words, columns=comments.finish_sentence())


def _make_column_error(fields: list[str], expected: tuple[int, int], where: str) -> FormatError:
    remedy = "Write a word a line, all lines with the same columns between tabs, and a blank line after each sample."
    if len(fields) == expected[0]:
        return FormatError("column 1 is empty", where=where, remedy=remedy)
    number = f"{len(fields)} column{'' if len(fields) == 1 else 's'}"
    return FormatError(f"{number}, but line {expected[1]} has {expected[0]}", where=where, remedy=remedy)


REMEDY = 'A row looks like {"text": "Ada ran", "tokens": ["Ada", "ran"]}.'


class Token(msgspec.Struct, gc=False):
    """Word written as an object."""

    text: str | None = None
    start: int | None = None
    end: int | None = None
    ws: bool = False


class Row(msgspec.Struct, gc=False):
    """Row of JSON lines."""

    text: str | None = None
    tokens: list[str | Token] | None = None
    words: list[str | Token] | None = None
    spaces: list[bool] | None = None
    whitespace: list[bool] | None = None


_ROW = msgspec.json.Decoder(Row)


def read_jsonl(source: Source, attributes: Sequence[str] = ()) -> Iterator[TextSample]:
    """Read JSON lines.

    Args:
        source: the file.
        attributes: columns to keep.

    Raises:
        FormatError: if a row is not JSON, has no tokens, or has tokens that are not in its text.
        UsageError: if a kept column holds a list or an object.
    """
    columns = ColumnDecoder.build(Row, attributes) if attributes else None
    for block in source.blocks():
        for line, row in read_block_rows(source, block, _ROW if columns is None else columns.decoder, REMEDY):
            try:
                pieces = _build_pieces(row)
            except ValueError as error:
                raise FormatError(str(error), where=source.locate(line), remedy=REMEDY) from error
            values = NO_VALUES if columns is None else columns.read_columns(row, source.locate(line))
            yield TextSample(line, pieces, columns=values)


class IdRow(msgspec.Struct, gc=False):
    """The id of a row of JSON lines."""

    id: str | int | None = None


_ID_ROW = msgspec.json.Decoder(IdRow)


def read_ids(source: Source) -> Iterator[tuple[int, str | None]]:
    """Read line and id of each row of JSON lines.

    A number is the same id as its text.

    Args:
        source: the file.

    Raises:
        FormatError: if a row is not JSON, or its id is neither a string nor a whole number.
    """
    for block in source.blocks():
        for line, row in read_block_rows(source, block, _ID_ROW, REMEDY):
            yield line, None if row.id is None else str(row.id)


def read_id_column(source: Source) -> IdColumn | None:
    """Read the ids of all rows of JSON lines.

    The result is None if the first row has no id.
    """
    if next((row_id for _, row_id in read_ids(source)), None) is None:
        return None
    rows = list(read_ids(source))
    return IdColumn(source.name, [row_id for _, row_id in rows], lambda row: source.locate(rows[row][0]))


def _build_pieces(row: Row) -> list[str]:
    tokens = row.words if row.tokens is None else row.tokens
    if tokens is None:
        raise ValueError("the row has no `tokens`")
    if any(isinstance(token, Token) and token.start is not None for token in tokens):
        return _build_placed_pieces(tokens, row.text)
    words = [token.text if isinstance(token, Token) else token for token in tokens]
    if None in words:
        raise ValueError(f"`tokens[{words.index(None)}]` has neither `text` nor `start` and `end`")
    known = [word for word in words if word is not None]
    if row.text is not None:
        pieces = locate_words(known, row.text)
        if pieces is None:
            raise ValueError("`tokens` do not stand in `text` in this order with only whitespace between them")
        return pieces
    flags = row.whitespace if row.spaces is None else row.spaces
    after = [isinstance(token, Token) and token.ws for token in tokens] if flags is None else flags
    if len(after) != len(known):
        raise ValueError(f"the row has {len(known)} tokens, but {len(after)} flags of whitespace")
    return add_spaces(known, after)


def _build_placed_pieces(tokens: Sequence[str | Token], text: str | None) -> list[str]:
    """Return the pieces of words that have positions."""
    pieces, at = [], 0
    for number, token in enumerate(tokens):
        if isinstance(token, str) or token.start is None or token.end is None:
            raise ValueError(f"`tokens[{number}]` has no `start` and `end`, but others have")
        if not at <= token.start <= token.end <= (token.end if text is None else len(text)):
            raise ValueError(f"`tokens[{number}]`, [{token.start}, {token.end}), does not follow in the text")
        word = token.text if text is None else text[token.start : token.end]
        if word is None:
            raise ValueError(f"`tokens[{number}]` has no `text`, nor has the row")
        gap = WORD_SPACE * (token.start - at) if text is None else text[at : token.start]
        if gap.strip():
            raise ValueError(f"{gap.strip()[:40]!r} before `tokens[{number}]` belongs to no token")
        pieces += [gap, word]
        at = token.end
    rest = "" if text is None else text[at:]
    if rest.strip():
        raise ValueError(f"{rest.strip()[:40]!r} after the last token belongs to no token")
    return [piece for piece in (*pieces, rest) if piece]


CONLLU_COLUMNS = 10
FORM, MISC = 1, 9
TEXT = re.compile(r"#\s*text ?= ?(.*)")
ID = re.compile(r"(\d{1,18})(?:-(\d{1,18})|(\.\d+))?")


@dataclass
class _Sentence:
    """Sentence of CoNLL-U, as far as it is read."""

    line: int = 0
    text: str | None = None
    forms: list[str] = field(default_factory=list)
    space: list[bool] = field(default_factory=list)
    inner: dict[int, list[str]] = field(default_factory=dict)  # by token
    last: int = 0  # id of the last word of the latest token

    def build_sample(self, name: str, columns: Values) -> TextSample:
        """Build the sample.

        Args:
            name: name of the file.
            columns: the requested columns.

        Raises:
            FormatError: if `# text` is another text.
        """
        pieces: list[str] | None = add_spaces(self.forms, (*self.space[:-1], False))
        if self.text is not None:
            pieces = locate_words(self.forms, self.text)
        if pieces is None:
            remedy = "Correct the one that is wrong, or remove the comment."
            raise FormatError(
                "`# text` does not hold the FORMs of its sentence",
                where=f"{name}:{self.line}",
                remedy=remedy,
            )
        at, starts = 0, []
        for form in self.forms:
            starts.append(at)
            at += sum(not character.isspace() for character in form)
        inner = tuple((starts[token], tuple(words)) for token, words in self.inner.items())
        return TextSample(self.line, pieces, inner, columns)


def read_conllu(source: Source, attributes: Sequence[str] = ()) -> Iterator[TextSample]:
    """Read the sentences of a file in CoNLL-U.

    Args:
        source: the file.
        attributes: keys of comments to keep.

    Raises:
        FormatError: if a line does not have ten columns, an id and a form, or `# text` is another text.
    """
    sentence, comments = _Sentence(), Comments(attributes)
    for block in source.blocks():
        for number, line in enumerate(block.text.split("\n")[:-1], block.first_line):
            content = line.rstrip("\r")
            if not content or content.isspace():
                if sentence.forms:
                    yield sentence.build_sample(source.name, comments.finish_sentence())
                sentence = _Sentence()
            elif content.startswith("#"):
                comments.read_line(content)
                if match := TEXT.match(content):
                    sentence.text = match[1]
            else:
                sentence.line = sentence.line or number
                _add_token(sentence, content.split("\t"), f"{source.name}:{number}")
    if sentence.forms:
        yield sentence.build_sample(source.name, comments.finish_sentence())


def _add_token(sentence: _Sentence, fields: list[str], where: str) -> None:
    match = ID.fullmatch(fields[0]) if len(fields) == CONLLU_COLUMNS else None
    if match is None or not fields[FORM].strip():
        raise _make_conllu_error(fields, where)
    if match[3]:
        return
    number = int(match[1])
    if number <= sentence.last:  # a word of the token before
        sentence.inner.setdefault(len(sentence.forms) - 1, []).append(fields[FORM])
        return
    sentence.last = int(match[2]) if match[2] else 0
    sentence.forms.append(fields[FORM])
    sentence.space.append("SpaceAfter=No" not in fields[MISC].split("|"))


def _make_conllu_error(fields: list[str], where: str) -> FormatError:
    remedy = "A token is a line of ten columns between tabs, with an id such as 1, 1-2 or 1.1, and a form."
    if len(fields) != CONLLU_COLUMNS:
        message = f"{len(fields)} column{'' if len(fields) == 1 else 's'}, but CoNLL-U has {CONLLU_COLUMNS}"
    elif ID.fullmatch(fields[0]):
        message = "the form is empty"
    else:
        message = f"{fields[0][:40]!r} is not the id of a token"
    return FormatError(message, where=where, remedy=remedy)


SAMPLE_READERS: Mapping[str, Callable[[Source, Sequence[str]], Iterator[TextSample]]] = {
    "conllu": read_conllu,
    "jsonl": read_jsonl,
    "lst20": partial(read_columns, lst20=True),
    "columns": partial(read_columns, lst20=False),
}

SNIFFED_LINES = 200  # lines that are not blank
SNIFFED_BYTES = 1 << 16
LST20_COLUMNS = 4
MAX_MEAN_LENGTH = 8.0  # code points on average: words are shorter, phrases between the spaces of Thai or Chinese longer
MOST = 0.5  # share of the lines

JSON_OBJECT = re.compile(r'\{\s*["}]')
CONLLU_ID = re.compile(r"\d+([-.]\d+)?")
BEST_TAG = re.compile(r"</?(?:NE|AB|POEM)>")
VISTEC_TAG = re.compile(r"</?(?:ne|compound|msp)(?:[=\s][^<>]*)?>")


def detect_format(source: Source) -> str:
    """Detect the format of a file, a key of `FORMAT_TITLES`.

    Args:
        source: the file, or shards.

    Raises:
        SourceError: if the file cannot be read, or has only blank lines.
        FormatError: if shards have different formats.
    """
    whole = Source(source.path) if isinstance(source, SourceRange) else source  # a range has the format of its file
    first, *others = whole.read_shards()
    name = _detect_file_format(first)
    for other in others:
        format_name = _detect_file_format(other)
        check_same_format((first, FORMAT_TITLES[name]), (other, FORMAT_TITLES[format_name]))
    return name


def _detect_file_format(source: Source) -> str:
    lines_of_file = (line for block in source.blocks(SNIFFED_BYTES) for line in block.text.split("\n"))
    lines = list(islice((line for line in lines_of_file if line and not line.isspace()), SNIFFED_LINES))
    if not lines:
        raise SourceError(
            "the file is empty: it holds no text",
            where=source.name,
            remedy="Check that it is the file you mean, and that the program that writes it has finished.",
        )
    if JSON_OBJECT.match(lines[0].lstrip()):
        return "jsonl"
    return _detect_columns(lines) or _detect_marks(lines) or _detect_spaces(lines)


def _detect_columns(lines: Sequence[str]) -> str | None:
    rows = [line.rstrip("\r").split("\t") for line in lines if not line.startswith("#") or line.count("\t")]
    widths = {len(row) for row in rows}
    if widths == {CONLLU_COLUMNS} and all(CONLLU_ID.fullmatch(row[0]) for row in rows):
        return "conllu"
    if len(widths) != 1 or min(widths) == 1:
        return None
    return "lst20" if widths == {LST20_COLUMNS} else "columns"


def _detect_marks(lines: Sequence[str]) -> str | None:
    if sum("|" in line for line in lines) <= MOST * len(lines):
        return None
    if any(map(BEST_TAG.search, lines)):
        return "best"
    return "vistec" if any(map(VISTEC_TAG.search, lines)) else "pipe"


def _detect_spaces(lines: Sequence[str]) -> str:
    words = [line.split() for line in lines]
    spaced = sum(len(row) > 1 for row in words) > MOST * len(lines)
    mean = sum(map(len, (word for row in words for word in row))) / sum(map(len, words))
    if spaced and mean <= MAX_MEAN_LENGTH:
        return "spaces"
    return "pipe" if any("|" in line for line in lines) else "raw"
