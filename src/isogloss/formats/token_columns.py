"""Columns of tokens and their tags, as Hugging Face datasets have them, and the names of tags that are numbers.

    {"tokens": ["Ada", "met", "Bob"], "ner_tags": [1, 0, 1]}

What the numbers stand for is said by the features of the dataset, whose layout has changed over the years: the names
are found in all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from isogloss.exceptions import FormatError
from isogloss.formats.annotation import LackingOptionError, Options
from isogloss.formats.span_pairing import TaggedRow, Token
from isogloss.formats.tokens import located
from isogloss.text import counted

WORDS = ("tokens", "words")
TAGS = ("ner_tags", "tags", "labels")
PREDICTED = ("predicted_tags", "predictions", "predicted")
MASKED = -100  # what training leaves out
ONE_SIDE, TWO_SIDES = 2, 3  # columns that are named


@dataclass(frozen=True)
class Chosen:
    """The columns that were named, each None where it was not.

    Args:
        units: that of the tokens, or of the text.
        marks: that of the tags or spans.
    """

    units: str | None = None
    marks: str | None = None


def chosen(options: Options) -> Chosen:
    """The columns that `--columns` names for this side.

    Args:
        options: whose side it is, and the columns: two, or three with those of the reference and the prediction.

    Raises:
        LackingOptionError: another number of them, or numbers.
    """
    if options.columns is None:
        return Chosen()
    names = [column for column in options.columns if isinstance(column, str)]
    fits = len(names) == TWO_SIDES or (len(names) == ONE_SIDE and not options.alone)
    if len(names) != len(options.columns) or not fits:
        wanted = "tokens,ner_tags,predicted_tags" if options.alone else "tokens,ner_tags"
        given = ",".join(map(str, options.columns))
        raise LackingOptionError("columns", f"columns {given} cannot be read: give names, such as {wanted}.")
    return Chosen(names[0], names[1] if options.side == "reference" else names[-1])


def usual(options: Options) -> Sequence[str]:
    """What the column of tags may be called, the first that there is: a prediction may hold the reference, too."""
    if options.side == "reference":
        return TAGS
    return PREDICTED if options.alone else (*PREDICTED, *TAGS)


def names_of(feature: Any) -> Sequence[str] | None:
    """The names of the labels of a column, None where it has none.

    Args:
        feature: what the features of a dataset say of the column, in the layout of any version.
    """
    while isinstance(feature, list) and feature:
        feature = feature[0]
    if not isinstance(feature, Mapping):
        return None
    names = feature.get("names")
    if isinstance(names, list) and all(isinstance(name, str) for name in names):
        return names
    return names_of(feature.get("feature"))


def tags_of(values: Iterable[str | int | None], names: Sequence[str] | None, key: str, where: str) -> list[str]:
    """Tags as text.

    Args:
        values: of the tokens of a document.
        names: what numbers stand for, if that is known.
        key: of the column.
        where: place of the document.

    Raises:
        FormatError: a number without a name, or no tag.
    """
    found = []
    for at, value in enumerate(values):
        tag = value
        if isinstance(value, int) and names is not None and 0 <= value < len(names):
            tag = names[value]
        if not isinstance(tag, str) or not tag:
            raise _no_tag(value, names, f"`{key}[{at}]`", where)
        found.append(tag)
    return found


def row_of(
    name: str, line: int | str, words: Sequence[str | None], tags: Sequence[str], text: str | None, **more: Any
) -> TaggedRow:
    """A document of words with tags.

    Args:
        name: of the file.
        line: its place in it.
        words: its tokens.
        tags: one a token.
        text: its text; where it is None, or does not hold the tokens, the text is the tokens joined by spaces.
        more: the other fields.

    Raises:
        FormatError: there are not as many of both, or a token is empty.
    """
    where = f"{name}:{line}"
    if len(words) != len(tags):
        message = f"the document has {counted(len(words), 'token')}, but {counted(len(tags), 'tag')}"
        raise FormatError(message, where=where, remedy="Give every token a tag, O for no entity.")
    whole = [word for word in words if word]
    if len(whole) != len(words):
        at = next(at for at, word in enumerate(words) if not word)
        raise FormatError(f"token {at + 1} is empty", where=where, remedy="Leave it out, with its tag.")
    found = None if text is None else located(whole, text)
    if found is None:
        return TaggedRow.of_words(name, line, whole, tags, **more)
    tokens = [Token(*each) for each in found]
    return TaggedRow(**{"file": name, "line": line, "id": None, "text": text} | more, tokens=tokens, tags=tags)


def _no_tag(value: Any, names: Sequence[str] | None, place: str, where: str) -> FormatError:
    if value == MASKED:
        return FormatError(
            f"{place} is {MASKED}, which hides a token from training",
            where=where,
            remedy="Give the words with their tags: there is none to score where one is hidden.",
        )
    if not isinstance(value, int):
        return FormatError(f"{place} is no tag", where=where, remedy="The tag of a token without a name is 'O'.")
    if names is not None:
        message = f"{place} is {value}, but there are {counted(len(names), 'name')}, numbered from 0"
        return FormatError(message, where=where, remedy="Check that the names are those of this dataset.")
    return FormatError(
        f"{place} is {value}, and nothing says which tag that is",
        where=where,
        remedy="Write tags as text, such as B-PER, or keep their names with the data: Dataset.to_parquet writes them "
        'into the file, and beside JSON they stand in dataset_info.json: {"label2id": {"O": 0, "B-PER": 1}}.',
    )
