"""Which columns of a CoNLL-U file hold the words and their tags."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from isogloss.exceptions import FormatError, UsageError
from isogloss.formats.annotation import LackingOptionError, Options
from isogloss.sources import Source

STANDARD = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
GLOBAL = re.compile(r"#\s*global\.columns\s*=\s*(.*)")
KEYS = ("ner", "ne", "tag", "entity")  # of MISC or of a column, in small letters; the first is preferred
ABSENT = frozenset(("_", "*", ""))  # what stands for no tag
BOTH = 2
CHOOSE = "Say with --columns where the tags are, such as --columns MISC:NER, or the name of a column."


@dataclass(frozen=True)
class Field:
    """Where the tag of a word stands.

    Args:
        column: its column, from 0.
        key: its key in MISC; None where the tag is the whole column.
    """

    column: int
    key: str | None = None

    def tag(self, fields: Sequence[str], where: str) -> str:
        """The tag of a word.

        Args:
            fields: of its line.
            where: file and line.

        Raises:
            FormatError: entities are marked by brackets.
        """
        value = fields[self.column]
        if self.key is not None:
            value = noted(value, self.key) or ""
        if value[:1] == "(":
            raise FormatError(
                f"{value[:40]!r} marks entities by brackets, which are not read",
                where=where,
                remedy="Write a tag for each word, such as B-PER, I-PER and O.",
            )
        return "O" if value in ABSENT else value


@dataclass(frozen=True)
class Layout:
    """How the lines of a file are read. Columns count from 0.

    Args:
        columns: how many there are.
        form: that of the words.
        tag: where their tags are.
        id: that of the ids, None where there is none.
        misc: that of the notes, None where there is none.
    """

    columns: int
    form: int
    tag: Field
    id: int | None
    misc: int | None

    @classmethod
    def of(cls, names: Sequence[str], form: int, tag: Field) -> Layout:
        """The layout of a file with these columns."""
        where = {name: at for at, name in enumerate(names)}
        return cls(len(names), form, tag, where.get("ID"), where.get("MISC"))


def noted(misc: str, key: str) -> str | None:
    """What MISC has for a key, None where it has nothing."""
    if key not in misc:
        return None
    prefix = f"{key}="
    for each in misc.split("|"):
        if each.startswith(prefix):
            return each[len(prefix) :]
    return None


def layout_of(source: Source, options: Options) -> Layout:
    """How a file is read.

    Args:
        source: the file.
        options: whose side it is, and the columns that were chosen: that of the tags, or those of the reference's and
            the prediction's tags, with that of the words before if it is not FORM. They are named, or count from 1.

    Raises:
        UsageError: the columns cannot be meant.
        FormatError: nothing tells where the tags are.
        SourceError: the file cannot be read.
    """
    names = names_of(source)
    if options.columns is None:
        if options.alone:
            example = "--columns MISC:NER,MISC:Predicted"
            raise UsageError(f"{source.name} is to hold reference and prediction: name both, such as {example}.")
        return Layout.of(names, _form(names, source.name), _usual(source, names))
    form, tags = _chosen(source.name, names, options)
    return Layout.of(names, form, tags[0] if options.side == "reference" else tags[-1])


def names_of(source: Source) -> tuple[str, ...]:
    """The columns of a file: those of `# global.columns`, which CoNLL-U Plus begins with, or the ten of CoNLL-U."""
    for _, line in lines_of(source):
        if not line.startswith("#"):
            break
        if found := GLOBAL.match(line):
            return tuple(found[1].split())
    return STANDARD


def lines_of(source: Source) -> Iterator[tuple[int, str]]:
    """The lines of a file with their numbers, without line ends."""
    for block in source.blocks():
        for number, line in enumerate(block.text.split("\n")[:-1], block.first_line):
            yield number, line.rstrip("\r")


def _form(names: Sequence[str], name: str) -> int:
    if "FORM" not in names:
        raise FormatError("has no column FORM", where=f"{name}:1", remedy=f"Its columns are {', '.join(names)}.")
    return names.index("FORM")


def _usual(source: Source, names: Sequence[str]) -> Field:
    """A column that is named like tags, or the first key in MISC that is."""
    for key in KEYS:
        for at, name in enumerate(names):
            if name.rpartition(":")[2].lower() == key:
                return Field(at)
    for notes in _notes(source, names):
        known = {each.lower(): each for each in notes}
        for key in KEYS:
            if key in known:
                return Field(names.index("MISC"), known[key])
    message = "no MISC has NER=, NE=, Tag= or Entity=, and no column is called so"
    raise FormatError(message, where=source.name, remedy=CHOOSE)


def _notes(source: Source, names: Sequence[str]) -> Iterator[list[str]]:
    """The keys in MISC of each word."""
    if "MISC" in names:
        misc = names.index("MISC")
        for _, line in lines_of(source):
            fields = line.split("\t")
            if len(fields) == len(names) and not line.startswith("#"):
                yield [each.partition("=")[0] for each in fields[misc].split("|")]


def _chosen(name: str, names: Sequence[str], options: Options) -> tuple[int, list[Field]]:
    """The column of the words, and where the tags of the reference and of the prediction are."""
    given = list(options.columns or ())
    form = None
    if len(given) >= BOTH and (isinstance(given[0], int) or given[0] == "FORM"):
        form = _field(name, names, given.pop(0)).column
    if not 1 <= len(given) <= BOTH or (options.alone and len(given) != BOTH):
        wanted = "those of the reference's and the prediction's tags" if options.alone else "that of the tags"
        told = ",".join(map(str, options.columns or ()))
        message = f"columns {told} cannot be read: give {wanted}, with that of the words before if need be."
        raise LackingOptionError("columns", message)
    return _form(names, name) if form is None else form, [_field(name, names, column) for column in given]


def _field(name: str, names: Sequence[str], column: int | str) -> Field:
    if isinstance(column, int):
        if 1 <= column <= len(names) or -len(names) <= column <= -1:
            return Field(column - 1 if column > 0 else len(names) + column)
    elif column in names:
        return Field(names.index(column))
    elif column.startswith("MISC:") and column != "MISC:" and "MISC" in names:
        return Field(names.index("MISC"), column.removeprefix("MISC:"))
    message = f"{name} has no column {column}: it has {', '.join(names)}, and keys of MISC, such as MISC:NER."
    raise LackingOptionError("columns", message)
