"""Choice of the token and tag columns of a CoNLL file.

The module also decides whether the first line names the columns.

The first lines of a file decide. A column *looks like tags* if each of its values is O, `_`, or a tag such as `B-PER`,
`PER-B` or `B_PER`, and some value is O or such a tag. A column *counts* if it holds 0 or 1 and then the next number, up
to the end of each sentence. A line *names the columns* if one of its fields is a usual name of the token, none is a
tag, and a column below looks like tags or has a usual name of tags.

| file | token | one column of tags | two columns of tags |
|---|---|---|---|
| names | the column with a name of tokens | the first that looks like tags | the only two that look like tags |
| counting first column | the next one that holds no tags | the first that looks like tags | the last two |
| other, last column holds tags or labels | the first | the last | the last two |
| other | the first | the first that looks like tags | the last two |
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from isogloss.errors import FormatError, UsageError
from isogloss.kernel.provenance import RunWarning
from isogloss.spans.schemes import LETTERS, OUTSIDE, SEPARATED_NOTATIONS, split_tag

TOKEN_NAMES = frozenset({"token", "tokens", "word", "words", "form", "text"})
TAG_NAMES = frozenset({"tag", "tags", "ner", "ner_tag", "ner_tags", "label", "labels", "gold", "pred", "prediction"})
EMPTY = "_"
INDEX = re.compile(r"[0-9]{1,9}([-.][0-9]{1,9})?")
HEADER_CODE, CHOSEN_CODE = "header-row", "columns-chosen"
HEADER_MESSAGE = "The first line has the names of the columns and is not read as a token."
ROLES = {1: ("token", "tag"), 2: ("token", "reference tag", "predicted tag")}

Row = Sequence[str]


@dataclass(frozen=True)
class ColumnSample:
    """The first token lines of a file.

    Args:
        where: file and line of the first of them.
        sentences: the fields of the lines of each sentence; all lines have as many fields as the first.
    """

    where: str
    sentences: Sequence[Sequence[Row]]

    @property
    def first_row(self) -> Row:
        """The fields of the first line; empty without lines."""
        return next(chain.from_iterable(self.sentences), ())

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.first_row)

    def needs_more_lines(self, given: Sequence[int | str] | None, tags: int) -> bool:
        """Return whether the first line does not suffice to choose columns.

        The arguments are those of `choose_columns`.
        """
        has_token_name = any(name.lower() in TOKEN_NAMES for name in self.first_row)
        return has_token_name or (given is None and self.width > tags + 1)

    def has_header(self) -> bool:
        """Return whether the first line names the columns."""
        names = {name.lower() for name in self.first_row}
        if names.isdisjoint(TOKEN_NAMES) or any(map(_is_tag, self.first_row)):
            return False
        return bool(self.without_header().find_tag_columns() or not names.isdisjoint(TAG_NAMES))

    def without_header(self) -> ColumnSample:
        """Return the lines after the first."""
        return ColumnSample(self.where, (self.sentences[0][1:], *self.sentences[1:]))

    def list_values(self, column: int) -> list[str]:
        """Return the values of a column, from 0."""
        return [row[column] for row in chain.from_iterable(self.sentences)]

    def find_tag_columns(self) -> list[int]:
        """Return the columns that look like tags, from 0."""
        return [column for column in range(self.width) if _look_like_tags({*self.list_values(column)})]

    def has_index(self) -> bool:
        """Return whether the first column counts the tokens."""
        values = self.list_values(0)
        if self.width <= len(ROLES[1]) or len(values) <= 1 or not all(map(INDEX.fullmatch, values)):
            return False
        return all(_count_up([row[0] for row in sentence]) for sentence in self.sentences)


@dataclass(frozen=True)
class ColumnChoice:
    """The columns to read.

    Args:
        numbers: the column of the token, then those of tags; from 1, or from -1 at the end backwards.
        has_header: whether the first line names the columns.
        choice: the columns for the signature, if isogloss chose others than the usual ones; else empty.
        warnings: what was found out about the columns.
    """

    numbers: Sequence[int]
    has_header: bool = False
    choice: str = ""
    warnings: tuple[RunWarning, ...] = ()


def check_columns(columns: Sequence[int | str] | None, tags: int) -> None:
    """Check the number of columns that the user named.

    Args:
        columns: numbers or names; None for none.
        tags: number of columns of tags that are needed.

    Raises:
        UsageError: if there are more or fewer, or a number is 0.
    """
    roles = ROLES[tags]
    if columns is None or (0 not in columns and len(columns) == len(roles)):
        return
    if tags == len(columns) == 1 and isinstance(columns[0], str):
        return
    raise UsageError(
        f"columns {','.join(map(str, columns))} cannot be read: give {len(roles)} numbers, "
        f"for {', '.join(roles)}, or names; numbers count from 1, or from -1 at the end"
    )


def choose_columns(sample: ColumnSample, given: Sequence[int | str] | None, tags: int) -> ColumnChoice:
    """Choose the columns of token and tags.

    Args:
        sample: the first lines of the file.
        given: the columns that the user named; None to choose them. A single name is that of the tags.
        tags: number of columns of tags, 1 or 2, if the user names no columns.

    Raises:
        UsageError: if the user names a column that the file does not have.
        FormatError: if the user has to name the columns.
    """
    has_header = sample.has_header()
    warnings = (RunWarning(HEADER_CODE, HEADER_MESSAGE, where=sample.where),) if has_header else ()
    if given is not None:
        return ColumnChoice(_find_named_columns(sample, given, has_header=has_header), has_header, "", warnings)
    if has_header:
        chosen = _choose_below_header(sample, tags)
    elif sample.has_index():
        chosen = _choose_beside_index(sample, tags)
    else:
        chosen = _choose_plain(sample, tags)
    return ColumnChoice(chosen.numbers, has_header, chosen.choice, (*warnings, *chosen.warnings))


def _is_tag(value: str) -> bool:
    return value == OUTSIDE or any(value not in LETTERS and split_tag(value, each) for each in SEPARATED_NOTATIONS)


def _look_like_tags(values: set[str]) -> bool:
    return any(map(_is_tag, values)) and all(each == EMPTY or each in LETTERS or _is_tag(each) for each in values)


def _count_up(values: Sequence[str]) -> bool:
    numbers = [int(value) for value in values if value.isdecimal()]  # not the words in one token, such as 1-2
    return not numbers or (numbers[0] in {0, 1} and numbers == [*range(numbers[0], numbers[0] + len(numbers))])


def _find_named_columns(sample: ColumnSample, given: Sequence[int | str], *, has_header: bool) -> Sequence[int]:
    names = [column for column in given if isinstance(column, str)]
    known = {name: number for number, name in enumerate(sample.first_row, 1)} if has_header else {}
    for name in names:
        if name not in known:
            has = f"has the columns {', '.join(known)}" if known else "has no names of columns in its first line"
            raise UsageError(f"{sample.where} {has}, so there is no column {name!r}: name others with --columns.")
    numbers = [known[column] if isinstance(column, str) else column for column in given]
    return [_find_token_name(sample) + 1, *numbers] if len(given) == 1 else numbers


def _find_token_name(sample: ColumnSample) -> int:
    return next(column for column, name in enumerate(sample.first_row) if name.lower() in TOKEN_NAMES)


def _choose_below_header(sample: ColumnSample, tags: int) -> ColumnChoice:
    token, tag_columns = _find_token_name(sample), sample.without_header().find_tag_columns()
    names = sample.first_row
    if not tag_columns:  # bare labels
        tag_columns = [column for column, name in enumerate(names) if name.lower() in TAG_NAMES]
    if len(tag_columns) < tags or (tags > 1 and len(tag_columns) > tags):
        raise FormatError(
            f"the columns are {', '.join(names)}, and {len(tag_columns) or 'none'} of them look like tags",
            where=sample.where,
            remedy=f"Name the columns of {', '.join(ROLES[tags])} with --columns, such as "
            f"{','.join([names[token], *(names[each] for each in range(len(names)) if each != token)][: tags + 1])}.",
        )
    return _describe_choice(sample, (token, *tag_columns[:tags]), tag_columns, names)


def _choose_beside_index(sample: ColumnSample, tags: int) -> ColumnChoice:
    tag_columns = sample.find_tag_columns()
    tokens = [column for column in range(1, sample.width) if column not in tag_columns]
    last = [*range(sample.width - tags, sample.width)]
    chosen = (tag_columns[:1] if tags == 1 else tag_columns[-tags:]) if len(tag_columns) >= tags else last
    token = next((column for column in tokens if column not in chosen), None)
    if token is None:
        return _choose_plain(sample, tags)
    return _describe_choice(sample, (token, *chosen), tag_columns, (), because="column 1 counts the tokens; ")


def _choose_plain(sample: ColumnSample, tags: int) -> ColumnChoice:
    usual = ColumnChoice((1, *range(-tags, 0)))
    if sample.width <= tags + 1:
        return usual
    tag_columns = [column for column in sample.find_tag_columns() if column]
    last = sample.width - 1
    has_labels = OUTSIDE in sample.list_values(last)
    if tag_columns and tags == 1 and last not in tag_columns and not has_labels:
        return _describe_choice(sample, (0, tag_columns[0]), tag_columns, ())
    if len(tag_columns) > tags or (tag_columns and last not in tag_columns):
        chosen = (0, *range(sample.width - tags, sample.width))
        return ColumnChoice(usual.numbers, warnings=_describe_choice(sample, chosen, tag_columns, ()).warnings)
    return usual


def _describe_choice(
    sample: ColumnSample, chosen: Sequence[int], tag_columns: Sequence[int], names: Row, because: str = ""
) -> ColumnChoice:
    """Build a choice of columns with a warning about it.

    The warning names the chosen columns and those that look like tags.
    """
    shown = [names[column] if names else str(column + 1) for column in range(sample.width)]
    like = (
        f"columns that look like tags: {', '.join(shown[each] for each in tag_columns)}"
        if tag_columns
        else "no tags found"
    )
    roles = ROLES[len(chosen) - 1]
    read = ", ".join(f"the {role} is column {shown[at]}" for role, at in zip(roles, chosen, strict=True))
    message = f"{because}{like}; {read}, as --columns is not given."
    warning = RunWarning(CHOSEN_CODE, message, where=sample.where)
    return ColumnChoice(
        [column + 1 for column in chosen], choice=",".join(shown[at] for at in chosen), warnings=(warning,)
    )
