"""CoNLL-U and CoNLL-U Plus: words with named-entity tags.

The tags stand in MISC (`NER=B-PER`) or in a column of their own.

A sentence is a document; its text is `# text`, or is built from the forms and the spaces that MISC describes. The tags
stand in the column that `--columns` names, else in a column or MISC key called NER, NE, Tag or Entity.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

from isogloss.errors import FormatError, UsageError
from isogloss.formats.annotation import (
    AnnotationFile,
    AnnotationFormat,
    DocumentReader,
    FileHead,
    FormatOptions,
    OptionReasons,
    make_unwritable_error,
    read_lines,
)
from isogloss.formats.documents import SpanDocument
from isogloss.formats.tagged_documents import TaggedRow, TokenPosition
from isogloss.formats.tokens import TaggedDocument, check_one_line, find_word_bounds, tag_documents
from isogloss.records.attributes import Comments, Values, parse_comment, read_comment_columns
from isogloss.records.destinations import open_binary_output
from isogloss.records.sources import Source
from isogloss.text.display import format_count

STANDARD = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
GLOBAL_COLUMNS = re.compile(r"#\s*global\.columns\s*=\s*(.*)")
TAG_KEYS = ("ner", "ne", "tag", "entity")  # keys of MISC or column names, lower case, the preferred first
NO_TAG = frozenset(("_", "*", ""))  # values without a tag
TWO_TAG_COLUMNS = 2
COLUMNS_REMEDY = "Say with --columns where the tags are, such as --columns MISC:NER, or the name of a column."


@dataclass(frozen=True)
class TagField:
    """The place of a word's tag.

    Args:
        column: its column, from 0.
        key: its key in MISC; None if the tag is the whole column.
    """

    column: int
    key: str | None = None

    def read_tag(self, fields: Sequence[str], where: str) -> str:
        """Return the tag of a word.

        Args:
            fields: the fields of its line.
            where: file and line.

        Raises:
            FormatError: if entities are marked by brackets.
        """
        value = fields[self.column]
        if self.key is not None:
            value = get_misc_value(value, self.key) or ""
        if value[:1] == "(":
            raise FormatError(
                f"{value[:40]!r} marks entities by brackets, which are not read",
                where=where,
                remedy="Write a tag for each word, such as B-PER, I-PER and O.",
            )
        return "O" if value in NO_TAG else value


@dataclass(frozen=True)
class ConlluLayout:
    """How the lines of a file are read. Columns count from 0.

    Args:
        columns: number of columns.
        form: the column of the words.
        tag: the place of their tags.
        id: the column of the ids, None if there is no such column.
        misc: the column MISC, None if there is no such column.
    """

    columns: int
    form: int
    tag: TagField
    id: int | None
    misc: int | None

    @classmethod
    def from_names(cls, names: Sequence[str], form: int, tag: TagField) -> ConlluLayout:
        """Build the layout of a file with these columns."""
        where = {name: at for at, name in enumerate(names)}
        return cls(len(names), form, tag, where.get("ID"), where.get("MISC"))


def get_misc_value(misc: str, key: str) -> str | None:
    """Return the value of a key in MISC, None without the key."""
    if key not in misc:
        return None
    prefix = f"{key}="
    for each in misc.split("|"):
        if each.startswith(prefix):
            return each[len(prefix) :]
    return None


def choose_conllu_layout(source: Source, options: FormatOptions) -> ConlluLayout:
    """Choose how a file is read.

    Args:
        source: the file.
        options: the side, and the columns that the user named: the column of the tags, or those of the reference's and
            the prediction's tags, after the column of the words if it is not FORM. Columns are names, or numbers from
            1, and the file has them.

    Raises:
        UsageError: if the file stands for both sides, and no columns are named.
        FormatError: if no column or key looks like tags.
        SourceError: if the file cannot be read.
    """
    names = read_column_names(source)
    if options.columns is None:
        if options.single_file:
            example = "--columns MISC:NER,MISC:Predicted"
            raise UsageError(f"{source.name} is to hold reference and prediction: name both, such as {example}.")
        return ConlluLayout.from_names(names, _find_form_column(names, source.name), _find_tag_column(source, names))
    words, tags = (
        [field for column in columns if (field := _find_field(names, column))]
        for columns in _split_columns(options.columns)
    )
    form = words[0].column if words else _find_form_column(names, source.name)
    return ConlluLayout.from_names(names, form, tags[0 if options.side == "reference" else -1])


def read_column_names(source: Source) -> tuple[str, ...]:
    """Return the columns in `# global.columns`, or the ten of CoNLL-U.

    Flair writes the names of CoNLL-U in lower case: they are returned in upper case.
    """
    for _, line in read_lines(source):
        if not line.startswith("#"):
            break
        if match := GLOBAL_COLUMNS.match(line):
            return tuple(name.upper() if name.upper() in STANDARD else name for name in match[1].split())
    return STANDARD


def _find_form_column(names: Sequence[str], name: str) -> int:
    if "FORM" not in names:
        raise FormatError("has no column FORM", where=f"{name}:1", remedy=f"Its columns are {', '.join(names)}.")
    return names.index("FORM")


def _find_tag_column(source: Source, names: Sequence[str]) -> TagField:
    """Find the column or MISC key of the tags by name.

    A column named like tags comes before such a key.
    """
    for key in TAG_KEYS:
        for at, name in enumerate(names):
            if name.rpartition(":")[2].lower() == key:
                return TagField(at)
    for notes in _read_misc_keys(source, names):
        known = {each.lower(): each for each in notes}
        for key in TAG_KEYS:
            if key in known:
                return TagField(names.index("MISC"), known[key])
    message = "no MISC has NER=, NE=, Tag= or Entity=, and no column is called so"
    raise FormatError(message, where=source.name, remedy=COLUMNS_REMEDY)


def _read_misc_keys(source: Source, names: Sequence[str]) -> Iterator[list[str]]:
    """Yield the keys in MISC of each word."""
    if "MISC" in names:
        misc = names.index("MISC")
        for _, line in read_lines(source):
            fields = line.split("\t")
            if len(fields) == len(names) and not line.startswith("#"):
                yield [each.partition("=")[0] for each in fields[misc].split("|")]


def _find_faults(source: Source, options: FormatOptions) -> OptionReasons:
    """Find reasons to refuse the given columns.

    The file may lack a column, or there are too few or too many of them.
    """
    names = read_column_names(source)
    given, (form, tags) = options.columns or (), _split_columns(options.columns or ())
    if not 1 <= len(tags) <= TWO_TAG_COLUMNS or (options.single_file and len(tags) != TWO_TAG_COLUMNS):
        wanted = "those of the reference's and the prediction's tags" if options.single_file else "that of the tags"
        message = f"columns {','.join(map(str, given))} cannot be read: give {wanted}"
        return {"columns": f"{message}, with that of the words before if need be."}
    for column in (*form, *tags):
        if _find_field(names, column) is None:
            has = f"it has {', '.join(names)}, and keys of MISC, such as MISC:NER."
            return {"columns": f"{source.name} has no column {column}: {has}"}
    return {}


def _split_columns(columns: Sequence[int | str]) -> tuple[Sequence[int | str], Sequence[int | str]]:
    """Split columns into that of the words and those of the tags.

    The column of the words may be missing.
    """
    has_form = len(columns) >= TWO_TAG_COLUMNS and (isinstance(columns[0], int) or columns[0] == "FORM")
    return columns[:has_form], columns[has_form:]


def _find_field(names: Sequence[str], column: int | str) -> TagField | None:
    """Find a column by number or name, or a key of MISC."""
    if isinstance(column, int):
        if 1 <= column <= len(names) or -len(names) <= column <= -1:
            return TagField(column - 1 if column > 0 else len(names) + column)
    elif column in names:
        return TagField(names.index(column))
    elif column.startswith("MISC:") and column != "MISC:" and "MISC" in names:
        return TagField(names.index("MISC"), column.removeprefix("MISC:"))
    return None


ID = re.compile(r"(\d{1,18})(?:-(\d{1,18})|(\.\d+))?")
TEXT = re.compile(r"#\s*text ?= ?(.*)")
ESCAPES = {"\\s": " ", "\\t": "\t", "\\n": "\n", "\\r": "\r", "\\p": "|", "\\\\": "\\"}
ESCAPE = re.compile(r"\\[stnrp\\]")
REMEDY = "A word is a line of {} columns between tabs, with an id such as 1, 1-2 or 1.1, and a form."


@dataclass(slots=True)
class _Token:
    """A word, or several words that are written as one.

    Args:
        form: the written form; "_" if only its words give it.
        misc: its MISC field.
        last: the id of its last word.
        is_multiword: whether it has a line of its own before its words.
        words: its words.
    """

    form: str
    misc: str
    last: int
    is_multiword: bool = False
    words: list[str] = field(default_factory=list)

    @property
    def surface(self) -> str:
        """The characters in the text."""
        return "".join(self.words) if self.form == "_" and len(self.words) > 1 else self.form

    @property
    def is_fused(self) -> bool:
        """Whether its words, joined, differ from its written form."""
        return self.is_multiword and "".join(self.words) != self.surface

    def locate_words(self, start: int) -> Iterator[TokenPosition]:
        """Yield the positions of its words after a start.

        They follow one another, or all have the position of the whole token.
        """
        fused, after = self.is_fused, start + len(self.surface)
        at = start
        for word in self.words:
            yield TokenPosition(start, after) if fused else TokenPosition(at, at + len(word))
            at += len(word)


@dataclass
class _Sentence:
    """A sentence as far as it has been read."""

    id: str | None = None
    text: str | None = None
    tokens: list[_Token] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    def to_row(self, name: str, columns: Values | None) -> TaggedRow:
        """Build the document, given the name of the file."""
        text, starts = self._locate_tokens()
        has_fused = any(token.is_fused for token in self.tokens)
        return TaggedRow(
            file=name,
            line=self.lines[0],
            id=self.id,
            text=text,
            tokens=[
                place for each, start in zip(self.tokens, starts, strict=True) for place in each.locate_words(start)
            ],
            tags=self.tags,
            columns=columns,
            joined=True,
            lines=self.lines,
            forms=[word for token in self.tokens for word in token.words] if has_fused else None,
        )

    def _locate_tokens(self) -> tuple[str, Sequence[int]]:
        """Return the text, and the start of each token in it."""
        if self.text is not None:
            bounds = find_word_bounds([token.surface for token in self.tokens], self.text)
            if bounds is not None:
                return self.text, [start for start, _ in bounds]
        pieces, starts = [_unescape_spaces(get_misc_value(self.tokens[0].misc, "SpacesBefore") or "")], []
        at = len(pieces[0])
        for token in self.tokens:
            starts.append(at)
            pieces += token.surface, _read_space_after(token, is_last=token is self.tokens[-1])
            at += len(pieces[-2]) + len(pieces[-1])
        return "".join(pieces), starts


def read_conllu_rows(source: Source, layout: ConlluLayout, attributes: Sequence[str]) -> Iterator[TaggedRow]:
    """Read the sentences of a file as documents.

    Args:
        source: the file.
        layout: how its lines are read.
        attributes: names of the columns to keep from comments.

    Raises:
        SourceError: if the file cannot be read.
        FormatError: if a line has another number of columns, no id, or no form.
    """
    sentence, comments = _Sentence(), Comments(attributes)
    for number, line in read_lines(source):
        if not line or line.isspace():
            if sentence.tags:
                yield sentence.to_row(source.name, comments.finish_sentence() if attributes else None)
            sentence = _Sentence()
        elif line.startswith("#"):
            comments.read_line(line)
            _read_comment(sentence, line)
        else:
            _add_line(sentence, line.split("\t"), layout, f"{source.name}:{number}", number)
    if sentence.tags:
        yield sentence.to_row(source.name, comments.finish_sentence() if attributes else None)


def _read_comment(sentence: _Sentence, line: str) -> None:
    if match := TEXT.match(line):
        sentence.text = match[1]
    elif (pair := parse_comment(line)) is not None and pair[0] == "sent_id":
        sentence.id = pair[1]


def _add_line(sentence: _Sentence, fields: list[str], layout: ConlluLayout, where: str, line: int) -> None:
    """Add a line to the sentence."""
    if len(fields) != layout.columns:
        columns = format_count(len(fields), "column")
        raise _make_error(f"{columns}, but the file has {layout.columns}", layout, where)
    form = fields[layout.form]
    if not form or form.isspace():
        raise _make_error("the form is empty", layout, where)
    number = _parse_number(sentence, fields, layout, where)
    if number is None:
        return
    before = sentence.tokens[-1] if sentence.tokens else None
    if before is None or number > before.last:
        misc = "" if layout.misc is None else fields[layout.misc]
        sentence.tokens.append(_Token(form, misc, number, words=[form]))
    elif before.is_multiword:
        before.words.append(form)
    else:
        raise _make_error(f"the id {number} follows {before.last}: a blank line is missing", layout, where)
    sentence.tags.append(layout.tag.read_tag(fields, where))
    sentence.lines.append(line)


def _parse_number(sentence: _Sentence, fields: Sequence[str], layout: ConlluLayout, where: str) -> int | None:
    """Return the number of a word, or None for other lines.

    A multiword token is added to the sentence.
    """
    if layout.id is None:
        return sentence.tokens[-1].last + 1 if sentence.tokens else 1
    match = ID.fullmatch(fields[layout.id])
    if match is None:
        raise _make_error(f"{fields[layout.id][:40]!r} is not an id of a word", layout, where)
    if match[2] is None and match[3] is None:
        return int(match[1])
    if match[2] is not None:
        misc = "" if layout.misc is None else fields[layout.misc]
        sentence.tokens.append(_Token(fields[layout.form], misc, int(match[2]), is_multiword=True))
    return None


def _make_error(message: str, layout: ConlluLayout, where: str) -> FormatError:
    return FormatError(message, where=where, remedy=REMEDY.format(layout.columns))


def _read_space_after(token: _Token, *, is_last: bool) -> str:
    """Return the white space after a token."""
    told = get_misc_value(token.misc, "SpacesAfter")
    if told is not None:
        return _unescape_spaces(told)
    return "" if is_last or get_misc_value(token.misc, "SpaceAfter") == "No" else " "


def _unescape_spaces(told: str) -> str:
    """Return white space that is escaped in MISC, else nothing."""
    spaces = ESCAPE.sub(lambda escape: ESCAPES[escape[0]], told)
    return spaces if spaces.isspace() else ""


HEAD_COLUMN = STANDARD.index("HEAD")
ESCAPED = str.maketrans({text: escape for escape, text in ESCAPES.items()})
CONTROLS = frozenset("\0\t\n\r")


def _can_read(head: FileHead) -> bool:
    """Return whether the first line looks like CoNLL-U or CoNLL-U Plus.

    It has CoNLL-U Plus columns, or ten columns with an id and a head.
    """
    if head.is_folder or head.first_row is not None:
        return False
    for line in head.data.decode("utf-8", "replace").split("\n"):
        if GLOBAL_COLUMNS.match(line):
            return True
        if line.strip() and not line.startswith("#"):
            fields = line.rstrip("\r").split("\t")
            first = ID.fullmatch(fields[0])
            if len(fields) != len(STANDARD) or first is None or int(first[1]) > 1:
                return False
            return fields[HEAD_COLUMN] == "_" or fields[HEAD_COLUMN].isdecimal()
    return False


def _read(source: Source, options: FormatOptions) -> AnnotationFile:
    layout = choose_conllu_layout(source, options)
    return AnnotationFile(
        tags=DocumentReader(source.name, partial(read_conllu_rows, source, layout, options.attributes)),
        list_columns=lambda: read_comment_columns(source),
        has_words=True,
    )


def _write_tags(documents: Iterable[SpanDocument], path: str, scheme: str) -> None:
    with open_binary_output(path) as file:
        for each in tag_documents(documents, scheme):
            file.write("".join(_format_sentence(each)).encode())


def _format_sentence(each: TaggedDocument) -> Iterator[str]:
    """Yield the lines of a sentence with every tag in MISC.

    "O" is written too, so that readers find the key.
    """
    document, text = each.document, each.document.text or ""
    if not each.bounds:
        raise make_unwritable_error(document, "has no tokens", "Leave it out, or write a format with texts.")
    if document.id is not None:
        yield f"# sent_id = {check_one_line(document, 'id', document.id)}\n"
    if text == text.strip() and CONTROLS.isdisjoint(text):
        yield f"# text = {text}\n"
    edges = [(0, 0), *each.bounds, (len(text), len(text))]
    gaps = [text[end:start] for (_, end), (start, _) in pairwise(edges)]
    for at, (word, tag) in enumerate(zip(each.words, each.tags, strict=True)):
        misc = [f"NER={check_one_line(document, 'tag', tag, '|')}"]
        misc += _format_space_after(gaps[at + 1], is_last=at + 2 == len(gaps))
        misc += [f"SpacesBefore={gaps[0].translate(ESCAPED)}"] if at == 0 and gaps[0] else []
        fields = [str(at + 1), check_one_line(document, "token", word), *"_" * (len(STANDARD) - 3), "|".join(misc)]
        yield "\t".join(fields) + "\n"
    yield "\n"


def _format_space_after(gap: str, *, is_last: bool) -> list[str]:
    if gap == " " and not is_last:
        return []
    if gap:
        return [f"SpacesAfter={gap.translate(ESCAPED)}"]
    return [] if is_last else ["SpaceAfter=No"]


FORMAT = AnnotationFormat(
    "conllu",
    _can_read,
    _read,
    has_both_sides=True,
    write_tags=_write_tags,
    options=("columns",),
    find_faults=_find_faults,
)
