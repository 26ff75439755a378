"""Columns between tabs: a word a line, in the first column, and a blank line after each sample."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import islice

import msgspec

from isogloss.errors import FormatError, SourceError
from isogloss.records.attributes import Comments, Values
from isogloss.records.json_fields import ColumnDecoder
from isogloss.records.json_lines import read_block_rows
from isogloss.records.sources import Block, Source
from isogloss.tasks.segmentation.samples import (
    LINE_SEPARATORS,
    SPACE_SEPARATORS,
    WORD_SPACE,
    MultiwordToken,
    PiecePlaces,
    SampleBlock,
    Separators,
    TextSample,
    WhitespacePolicy,
    add_spaces,
    encode_pieces,
    encode_samples,
    encode_three_byte_utf8,
    locate_words,
)

LST20_SPACE = "_"
DOCSTART = "-DOCSTART-"


def read_columns(source: Source, attributes: Sequence[str] = (), *, lst20: bool) -> Iterator[TextSample]:
    """The samples of a file.

    Args:
        source: the file.
        attributes: what is wanted of comments.
        lst20: whether the word `_` is a space.

    Raises:
        FormatError: a line has another number of columns than the first, or no word.
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
                raise _column_error(fields, (columns, first), f"{source.name}:{number}")
            line = line if words else number
            words.append(WORD_SPACE if lst20 and fields[0] == LST20_SPACE else fields[0])
    if words:
        yield TextSample(line, words, columns=comments.finish_sentence())


def _column_error(fields: list[str], expected: tuple[int, int], where: str) -> FormatError:
    remedy = "Write a word a line, all lines with the same columns between tabs, and a blank line after each sample."
    if len(fields) == expected[0]:
        return FormatError("column 1 is empty", where=where, remedy=remedy)
    number = f"{len(fields)} column{'' if len(fields) == 1 else 's'}"
    return FormatError(f"{number}, but line {expected[1]} has {expected[0]}", where=where, remedy=remedy)


REMEDY = 'A row looks like {"text": "Ada ran", "tokens": ["Ada", "ran"]}.'


class Token(msgspec.Struct, gc=False):
    """A word written as an object."""

    text: str | None = None
    start: int | None = None
    end: int | None = None
    ws: bool = False


class Row(msgspec.Struct, gc=False):
    """What a line may hold."""

    text: str | None = None
    tokens: list[str | Token] | None = None
    words: list[str | Token] | None = None
    spaces: list[bool] | None = None
    whitespace: list[bool] | None = None


_ROW = msgspec.json.Decoder(Row)


def read_jsonl(source: Source, attributes: Sequence[str] = ()) -> Iterator[TextSample]:
    """The rows of a file.

    Args:
        source: the file.
        attributes: columns that are wanted beside.

    Raises:
        FormatError: a row is no JSON, has no tokens, or tokens that do not stand in its text.
        UsageError: a wanted column holds a list or an object.
    """
    columns = ColumnDecoder.build(Row, attributes) if attributes else None
    for block in source.blocks():
        for line, row in read_block_rows(source, block, _ROW if columns is None else columns.decoder, REMEDY):
            tokens = row.words if row.tokens is None else row.tokens
            if tokens is None:
                raise FormatError("the row has no `tokens`", where=source.locate(line), remedy=REMEDY)
            try:
                pieces = _pieces(row, tokens)
            except ValueError as error:
                raise FormatError(str(error), where=source.locate(line), remedy=REMEDY) from error
            values = None if columns is None else columns.read_columns(row, source.locate(line))
            yield TextSample(line, pieces, columns=values)


def _pieces(row: Row, tokens: Sequence[str | Token]) -> list[str]:
    if any(isinstance(token, Token) and token.start is not None for token in tokens):
        return _placed(tokens, row.text)
    words = [token.text if isinstance(token, Token) else token for token in tokens]
    if None in words:
        raise ValueError(f"`tokens[{words.index(None)}]` has neither `text` nor `start` and `end`")
    known = [word for word in words if word is not None]
    if row.text is not None:
        found = locate_words(known, row.text)
        if found is None:
            raise ValueError("`tokens` do not stand in `text` in this order with only whitespace between them")
        return found
    flags = row.whitespace if row.spaces is None else row.spaces
    after = [isinstance(token, Token) and token.ws for token in tokens] if flags is None else flags
    if len(after) != len(known):
        raise ValueError(f"the row has {len(known)} tokens, but {len(after)} flags of whitespace")
    return add_spaces(known, after)


def _placed(tokens: Sequence[str | Token], text: str | None) -> list[str]:
    """The pieces of words that have positions."""
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


COLUMNS = 10
FORM, MISC = 1, 9
TEXT = re.compile(r"#\s*text ?= ?(.*)")
ID = re.compile(r"(\d{1,18})(?:-(\d{1,18})|(\.\d+))?")


@dataclass
class _Sentence:
    """A sentence as far as it is read."""

    line: int = 0
    text: str | None = None
    forms: list[str] = field(default_factory=list)
    space: list[bool] = field(default_factory=list)
    inner: dict[int, list[str]] = field(default_factory=dict)  # by token
    last: int = 0  # id of the last word of the latest token

    def finished(self, name: str, columns: Values) -> TextSample:
        """The sample.

        Args:
            name: its file.
            columns: what is wanted of it beside.

        Raises:
            FormatError: `# text` is another text.
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
    """The sentences of a file.

    Args:
        source: the file.
        attributes: what is wanted of comments.

    Raises:
        FormatError: a line has not the ten columns, no id, or no form; or `# text` is another text.
    """
    sentence, comments = _Sentence(), Comments(attributes)
    for block in source.blocks():
        for number, line in enumerate(block.text.split("\n")[:-1], block.first_line):
            content = line.rstrip("\r")
            if not content or content.isspace():
                if sentence.forms:
                    yield sentence.finished(source.name, comments.finish_sentence())
                sentence = _Sentence()
            elif content.startswith("#"):
                comments.read_line(content)
                if found := TEXT.match(content):
                    sentence.text = found[1]
            else:
                sentence.line = sentence.line or number
                _add(sentence, content.split("\t"), f"{source.name}:{number}")
    if sentence.forms:
        yield sentence.finished(source.name, comments.finish_sentence())


def _add(sentence: _Sentence, fields: list[str], where: str) -> None:
    found = ID.fullmatch(fields[0]) if len(fields) == COLUMNS else None
    if found is None or not fields[FORM].strip():
        raise _conllu_error(fields, where)
    if found[3]:
        return
    number = int(found[1])
    if number <= sentence.last:  # a word of the token before
        sentence.inner.setdefault(len(sentence.forms) - 1, []).append(fields[FORM])
        return
    sentence.last = int(found[2]) if found[2] else 0
    sentence.forms.append(fields[FORM])
    sentence.space.append("SpaceAfter=No" not in fields[MISC].split("|"))


def _conllu_error(fields: list[str], where: str) -> FormatError:
    remedy = "A token is a line of ten columns between tabs, with an id such as 1, 1-2 or 1.1, and a form."
    if len(fields) != COLUMNS:
        message = f"{len(fields)} column{'' if len(fields) == 1 else 's'}, but CoNLL-U has {COLUMNS}"
    elif ID.fullmatch(fields[0]):
        message = "the form is empty"
    else:
        message = f"{fields[0][:40]!r} is no id of a token"
    return FormatError(message, where=where, remedy=remedy)


NAMES: Mapping[str, str] = {
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
LOOKED_AT = 200  # lines that are not blank
LOOK_AHEAD = 1 << 16  # bytes
CONLLU_COLUMNS, LST20_COLUMNS = 10, 4
LONGEST_WORD = 8.0  # code points on average: words are shorter, phrases between the spaces of Thai or Chinese longer
MOST = 0.5

JSON_OBJECT = re.compile(r'\{\s*["}]')
CONLLU_ID = re.compile(r"\d+([-.]\d+)?")
BEST_TAG = re.compile(r"</?(?:NE|AB|POEM)>")
VISTEC_TAG = re.compile(r"</?(?:ne|compound|msp)(?:[=\s][^<>]*)?>")


def detected(source: Source) -> str:
    """The format of a file, a key of `NAMES`.

    Args:
        source: a file.

    Raises:
        SourceError: the file cannot be read, or has only blank lines.
    """
    lines = list(islice((line for line in _first_lines(source) if line and not line.isspace()), LOOKED_AT))
    if not lines:
        raise SourceError(
            "the file is empty: it holds no text",
            where=source.name,
            remedy="Check that it is the file you mean, and that the program that writes it has finished.",
        )
    if JSON_OBJECT.match(lines[0].lstrip()):
        return "jsonl"
    return _of_columns(lines) or _of_marks(lines) or _of_spaces(lines)


def _first_lines(source: Source) -> list[str] | map[str]:
    blocks = source.blocks(LOOK_AHEAD)
    return map(str, (line for block in blocks for line in block.text.split("\n")))


def _of_columns(lines: Sequence[str]) -> str | None:
    rows = [line.rstrip("\r").split("\t") for line in lines if not line.startswith("#") or line.count("\t")]
    widths = {len(row) for row in rows}
    if widths == {CONLLU_COLUMNS} and all(CONLLU_ID.fullmatch(row[0]) for row in rows):
        return "conllu"
    if len(widths) != 1 or min(widths) == 1:
        return None
    return "lst20" if widths == {LST20_COLUMNS} else "columns"


def _of_marks(lines: Sequence[str]) -> str | None:
    if sum("|" in line for line in lines) <= MOST * len(lines):
        return None
    if any(map(BEST_TAG.search, lines)):
        return "best"
    return "vistec" if any(map(VISTEC_TAG.search, lines)) else "pipe"


def _of_spaces(lines: Sequence[str]) -> str:
    words = [line.split() for line in lines]
    spaced = sum(len(row) > 1 for row in words) > MOST * len(lines)
    mean = sum(map(len, (word for row in words for word in row))) / sum(map(len, words))
    if spaced and mean <= LONGEST_WORD:
        return "spaces"
    return "pipe" if any("|" in line for line in lines) else "raw"


BLOCK = 1 << 19  # bytes: what is computed from them mostly stays in the processor's cache
SAMPLES = 1 << 10  # samples of a block of the formats that are read one by one
MARK = "|"
TAG = re.compile(r"</?(?:NE|AB|POEM|COMPOUND|MSP)(?:[=\s][^<>]*)?>", re.IGNORECASE)

Clean = Callable[[str], str]


def _rows(source: Source, attributes: Sequence[str]) -> Iterator[TextSample]:

    return read_jsonl(source, attributes)


ONE_BY_ONE: Mapping[str, Callable[[Source, Sequence[str]], Iterator[TextSample]]] = {
    "conllu": read_conllu,
    "jsonl": _rows,
    "lst20": partial(read_columns, lst20=True),
    "columns": partial(read_columns, lst20=False),
}


@dataclass(frozen=True)
class Reading:
    """How a file is read.

    Args:
        input_format: a key of `NAMES`, None to recognise it.
        whitespace: the policy.
        clean: what another tool does to a sample written with `|` before it looks for words; None for nothing.
        attributes: columns of samples that are wanted beside their words.
    """

    input_format: str | None = None
    whitespace: WhitespacePolicy = "ignore"
    clean: Clean | None = None
    attributes: Sequence[str] = ()


def read(source: Source, reading: Reading) -> Iterator[SampleBlock]:
    """The samples of a file, in blocks.

    Args:
        source: the file.
        reading: how.

    Raises:
        SourceError: it cannot be read.
        FormatError: a line cannot be read in its format.
    """
    name = reading.input_format or detected(source)
    if name in ONE_BY_ONE:
        return _blocks(source, ONE_BY_ONE[name](source, reading.attributes), reading)
    if reading.clean is not None:
        return _blocks(source, _line_samples(source), reading)
    tagged = name in ("best", "vistec")
    marks = SPACE_SEPARATORS if name in ("spaces", "raw") else LINE_SEPARATORS
    whitespace = "separate" if name == "spaces" else reading.whitespace
    return (_of_lines(source, block, marks, whitespace, tagged=tagged) for block in source.blocks(BLOCK, decode=False))


@dataclass(frozen=True)
class Lines:
    """Places of samples that are lines of a block.

    Args:
        name: the file in messages.
        block: the lines.
        mark: stands between words; None where only whitespace does.
        tagged: whether tags come off.
    """

    name: str
    block: Block
    mark: str | None
    tagged: bool

    def where(self, row: int) -> str:
        """File and line."""
        return f"{self.name}:{self.block.first_line + row}"

    def text(self, row: int) -> str:
        """The line without what stands between words."""
        line = self._split[row]
        return line if self.mark is None else line.replace(self.mark, "")

    def value(self, row: int, column: str) -> None:
        """A line has nothing but its words."""

    def file(self, row: int) -> str:  # noqa: ARG002  all lines are from one
        """The file."""
        return self.name

    @cached_property
    def _split(self) -> list[str]:
        return _content(self.block, tagged=self.tagged).split("\n")


def _of_lines(
    source: Source, block: Block, marks: Separators, whitespace: WhitespacePolicy, *, tagged: bool
) -> SampleBlock:
    found = None if tagged or b"\r" in block.data else encode_three_byte_utf8(block.data, marks, whitespace)
    if found is None:
        found = encode_samples(_content(block, tagged=tagged), marks, whitespace)
    places = Lines(source.name, block, marks.word, tagged)
    return SampleBlock(found.text, found.starts, found.offsets, places, whitespace)


def _content(block: Block, *, tagged: bool) -> str:
    """The lines without line feeds of Windows, and without tags, which come off before words are looked for."""
    content = block.text.replace("\r\n", "\n") if b"\r" in block.data else block.text
    return TAG.sub("", content) if tagged else content  # a tag may stand between two marks


def _line_samples(source: Source) -> Iterator[TextSample]:
    """Each line as one piece."""
    for block in source.blocks(BLOCK):
        for number, line in enumerate(_content(block, tagged=False).split("\n")[:-1], block.first_line):
            yield TextSample(number, [line])


def _blocks(source: Source, samples: Iterable[TextSample], reading: Reading) -> Iterator[SampleBlock]:
    remaining = iter(samples)
    while block := list(islice(remaining, SAMPLES)):
        names = [source.locate(sample.line) for sample in block]
        pieces = [sample.pieces for sample in block]
        if reading.clean is not None:
            pieces = [reading.clean(MARK.join(words)).split(MARK) for words in pieces]
        found = encode_pieces(
            pieces,
            PiecePlaces(names, pieces, source.name, [sample.columns for sample in block]),
            reading.whitespace,
        )
        yield _with_inner(found, block) if any(sample.multiword for sample in block) else found


def _with_inner(found: SampleBlock, block: list[TextSample]) -> SampleBlock:
    inner: list[MultiwordToken] = []
    for start, sample in zip(found.offsets.tolist(), block, strict=False):
        inner += [(start + at, words) for at, words in sample.multiword]
    return SampleBlock(found.text, found.starts, found.offsets, found.places, found.whitespace, multiword=tuple(inner))
