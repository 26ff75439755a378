"""Layout of a CoNLL file: the way to split lines into columns.

It is decided once per file by the first token lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isogloss.errors import FormatError, SourceError
from isogloss.formats.conll.columns import ColumnSample, choose_columns
from isogloss.kernel.provenance import RunWarning
from isogloss.records.shards import check_same_format
from isogloss.records.sources import Source
from isogloss.text.display import format_count

DOCSTART = b"-DOCSTART-"
BLANK = b" \t\r\n"
LOOK_AHEAD = 1 << 16  # bytes to search for the first token line at once, and for tabs and spaces between columns
SAMPLED_LINES = 256  # lines from the first token line on that decide which columns hold token and tags
SHOWN = 80  # characters of a line in a message
TAB = ord("\t")  # a number is found in bytes five times as fast as bytes are
SEPARATOR = {True: "tabs", False: "spaces"}
MIXED_CODE = "mixed-separators"
MIXED_MESSAGE = "Some lines separate columns by tabs and some by spaces: all lines are split at any white space."


@dataclass(frozen=True)
class ConllLayout:
    """How lines are split into columns.

    Args:
        name: the name of the file in messages.
        tabs: whether a tab separates columns; otherwise any run of spaces and tabs does.
        columns: number of columns of every token line.
        line: number of the line that decided the layout.
        used_columns: the columns that are read, from 0: the token, then the tags.
        header_line: number of the line that names the columns; None if there is none.
        choice: the columns for the signature, if isogloss chose others than the usual ones; else empty.
        warnings: what was found out about columns and separators.
    """

    name: str
    tabs: bool
    columns: int
    line: int
    used_columns: tuple[int, ...]
    header_line: int | None = None
    choice: str = ""
    warnings: tuple[RunWarning, ...] = ()

    def split_line(self, line: bytes) -> list[bytes]:
        """Split a line into its fields; a blank line has no fields."""
        return split_fields(line, tabs=self.tabs)

    def make_error(self, line: bytes, number: int) -> FormatError:
        """Return the error for a line that cannot be read.

        Args:
            line: the line, without carriage return and newline.
            number: its number in the file.
        """
        fields = self.split_line(line)
        where = f"{self.name}:{number}"
        if len(fields) == self.columns:
            empty = next(column for column in self.used_columns if not fields[column])
            remedy = "Write a tag in it (O for no entity), or choose other columns with --columns."
            return FormatError(f"column {empty + 1} is empty", where=where, detail=_shorten_line(line), remedy=remedy)
        remedy = "Write a token a line, all lines with the same columns, and a blank line after each sentence."
        if self.tabs and b"\t" not in line:
            remedy = "Separate the columns by tabs, as in the lines before."
        elif self.tabs and len(fields) < self.columns:
            remedy = f"If its first or last column is empty, write _ in it. {remedy}"
        elif not self.tabs and len(fields) > self.columns:
            remedy = "If tokens hold spaces, separate the columns of the whole file by tabs."
        return FormatError(
            f"{format_count(len(fields), 'column')}, but line {self.line} has {self.columns}, "
            f"separated by {SEPARATOR[self.tabs]}",
            where=where,
            detail=_shorten_line(line),
            remedy=remedy,
        )


def detect_conll_layout(
    source: Source, columns: Sequence[int | str] | None = None, column_names: str = "", *, tags: int = 1
) -> ConllLayout:
    """Detect a file's layout by its first token line and later lines.

    The first token line is not blank, not `-DOCSTART-`, and does not start with `#`. If every line starts with `#`, the
    first of them with two columns or more is the first token line.

    Args:
        source: the file.
        columns: the columns to read: the token, then the tags; by number, from 1, or from -1 at the end backwards, or
            by name; None to choose them.
        column_names: what is read from them, for messages; empty for the columns of reference and prediction.
        tags: number of columns of tags if `columns` is None.

    Raises:
        SourceError: if the file holds no token line.
        FormatError: if the line does not have all these columns.
        LackingOptionError: if the file has no column of a name.
    """
    head = _read_first_lines(source)
    tabs = has_tab(head.lines[0])
    warnings: tuple[RunWarning, ...] = ()
    if tabs:
        spaced = _find_mixed_separators(head.lines)
        if spaced is not None:
            tabs, warnings = (
                False,
                (RunWarning(MIXED_CODE, MIXED_MESSAGE, where=f"{source.name}:{head.line + spaced}"),),
            )
    sample = _build_sample(source.name, head, tabs=tabs, lines=1)
    if sample.needs_more_lines(columns, tags):
        sample = _build_sample(source.name, head, tabs=tabs, lines=SAMPLED_LINES)
    choice = choose_columns(sample, columns, tags)
    used = _resolve_columns(sample, head.lines[0], choice.numbers, column_names)
    header_line = head.line if choice.has_header else None
    return ConllLayout(
        source.name, tabs, sample.width, head.line, used, header_line, choice.choice, (*warnings, *choice.warnings)
    )


def detect_shard_layouts(
    source: Source, columns: Sequence[int | str] | None = None, *, tags: int = 1
) -> dict[Source, ConllLayout]:
    """Detect the layout of a file, or of each of its shards.

    Args:
        source: the file or shards.
        columns: the columns to read, as for `detect_conll_layout`.
        tags: number of columns of tags if `columns` is None.

    Raises:
        SourceError: if a file holds no token line.
        FormatError: if tokens and tags are in other columns in one shard than in the first.
    """
    layouts = {each: detect_conll_layout(each, columns, tags=tags) for each in source.read_shards()}
    first, *others = [(each, _describe_columns(layout)) for each, layout in layouts.items()]
    for other in others:
        check_same_format(first, other)
    return layouts


def _describe_columns(layout: ConllLayout) -> str:
    return f"CoNLL with token and tags in the columns {', '.join(str(column + 1) for column in layout.used_columns)}"


def make_no_documents_error(name: str) -> SourceError:
    """Return the error for a file without tokens."""
    remedy = "Check that it is the right file: a token and its tag a line, a blank line after each sentence."
    return SourceError("holds no documents", where=name, remedy=remedy)


def make_carriage_return_error(name: str, line: bytes, number: int) -> FormatError:
    """Return the error for a carriage return inside a line."""
    return FormatError(
        "a carriage return inside the line",
        where=f"{name}:{number}",
        detail=_shorten_line(line),
        remedy="If lines end in carriage returns alone, convert them: tr '\\r' '\\n'. If not, remove it.",
    )


def is_docstart(line: bytes) -> bool:
    """Return whether the first word of a line is `-DOCSTART-`."""
    line = line.lstrip(BLANK)
    return line.startswith(DOCSTART) and line[len(DOCSTART) : len(DOCSTART) + 1] in b" \t\r\n"


def split_fields(line: bytes, *, tabs: bool) -> list[bytes]:
    """Split a line into fields without surrounding blanks.

    Between tabs, fields may hold spaces. Spaces from the begin of a line to a tab are a field.
    """
    if not tabs:
        return [field for field in line.strip(BLANK).replace(b"\t", b" ").split(b" ") if field]
    space = match_space_field(line)
    rest = line[len(space) + 1 :].rstrip(BLANK) if space else line.strip(BLANK)
    fields = [field.strip(b" ") for field in rest.split(b"\t")] if rest else []
    return [space, *fields] if space else fields


def match_space_field(line: bytes) -> bytes:
    """Return the leading spaces that are a line's token, else nothing.

    They are a token if a tab follows, and the line is not blank, not a comment and not `-DOCSTART-`.
    """
    if not line.startswith(b" "):
        return b""
    rest = line.lstrip(b" ")
    return line[: len(line) - len(rest)] if rest.startswith(b"\t") and _is_token_line(line) else b""


def has_tab(line: bytes) -> bool:
    """Return whether tabs separate the columns of a line."""
    return b"\t" in line.strip(BLANK) or bool(match_space_field(line))


@dataclass(frozen=True)
class _FirstLines:
    """The first token line and later lines of the same file part.

    Args:
        line: number of the first token line.
        lines: the lines, up to one that cannot be read.
    """

    line: int
    lines: list[bytes]


def _read_first_lines(source: Source) -> _FirstLines:
    marked: _FirstLines | None = None
    for block in source.blocks(LOOK_AHEAD):
        lines = block.data.split(b"\n")[:-1]
        for at, line in enumerate(lines):
            if b"\r" in line.rstrip(b"\r"):
                raise make_carriage_return_error(source.name, line, block.first_line + at)
            if not line.strip(BLANK) or is_docstart(line):
                continue
            if not line.lstrip(BLANK).startswith(b"#"):
                return _FirstLines(block.first_line + at, lines[at:])
            if marked is None and len(split_fields(line, tabs=has_tab(line))) > 1:
                marked = _FirstLines(block.first_line + at, [line])
    if marked is None:
        raise make_no_documents_error(source.name)
    return marked


def _find_mixed_separators(lines: Sequence[bytes]) -> int | None:
    """Return the first line without a tab if separators are mixed.

    They are mixed if all lines have the same columns when split at any blank; otherwise return None.
    """
    spaced = [at for at, line in enumerate(lines) if line and TAB not in line and _is_token_line(line)]
    if not spaced:
        return None
    counts = {len(split_fields(line, tabs=False)) for line in lines if _is_token_line(line)}
    return spaced[0] if len(counts) == 1 else None


def _is_token_line(line: bytes) -> bool:
    return bool(line.strip(BLANK)) and not line.lstrip(BLANK).startswith(b"#") and not is_docstart(line)


def _build_sample(name: str, head: _FirstLines, *, tabs: bool, lines: int) -> ColumnSample:
    """Return the fields of the first lines as a sample.

    Only lines with as many fields as the first line count.
    """
    sentences: list[list[list[str]]] = [[]]
    width = len(split_fields(head.lines[0], tabs=tabs))
    for line in head.lines[:lines]:
        fields = split_fields(line, tabs=tabs)
        if not fields or is_docstart(line):
            sentences.append([])
        elif len(fields) == width:
            sentences[-1].append([field.decode() for field in fields])
    return ColumnSample(f"{name}:{head.line}", sentences)


def _resolve_columns(sample: ColumnSample, line: bytes, columns: Sequence[int], column_names: str) -> tuple[int, ...]:
    """Return the columns from 0."""
    width, where = sample.width, sample.where
    used = tuple(column - 1 if column > 0 else width + column for column in columns)
    if all(0 <= column < width for column in used):
        if len(set(used)) == len(used):
            return used
        if width >= len(used):
            raise _make_same_columns_error(columns, used, width, where)
    two_files = bool(column_names) or len(columns) == len(("token", "tag"))
    column_names = column_names or ("token and tag" if two_files else "token, reference tag and predicted tag")
    other = "" if two_files else " If the prediction is in a file of its own, name that too."
    raise FormatError(
        f"{format_count(width, 'column')}, but {column_names} are read from columns {', '.join(map(str, columns))}",
        where=where,
        detail=_shorten_line(line),
        remedy=f"Separate token and tags by tabs or spaces, or say with --columns where they are.{other}",
    )


def _make_same_columns_error(columns: Sequence[int], used: Sequence[int], width: int, where: str) -> FormatError:
    same = next(column for column in used if used.count(column) > 1)
    names = " and ".join(str(name) for name, column in zip(columns, used, strict=True) if column == same)
    return FormatError(
        f"{format_count(width, 'column')}, of which {names} are the same",
        where=where,
        remedy="Name each column once with --columns.",
    )


def _shorten_line(line: bytes) -> str:
    text = line.decode().rstrip("\r")
    return "    " + (text if len(text) <= SHOWN else text[:SHOWN] + " …")
