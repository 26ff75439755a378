"""Tokens of a text, for formats whose spans are made of tokens.

A token is a run of letters and digits with their marks, or any other character; in scripts without spaces between words
each character is one, so that all files of a text have the same tokens, wherever their spans are. None cuts what a
reader takes for one character, unless a span does: where a span begins or ends, a token does too, so that every span is
whole tokens. White space belongs to no token.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from isogloss.errors import FormatError
from isogloss.formats.annotation import LackingOptionError, Options, unwritable, writable_text
from isogloss.formats.documents import SpanDocument, Triple
from isogloss.formats.tagged import TaggedRow, Token
from isogloss.spans.batches import Spans
from isogloss.spans.encoder import encoded, touching
from isogloss.spans.scheme_detection import scheme_of
from isogloss.spans.schemes import SCHEMES
from isogloss.text.display import KATAKANA, UNSPACED, counted, graphemes

Bounds = tuple[int, int]
WITHOUT_SPACES = re.compile(f"[{UNSPACED}{KATAKANA}]")


def tokens_of(text: str, own: Iterable[Bounds] | None, spans: Iterable[Triple]) -> list[Bounds]:
    """Start and end of each token, in their order.

    Args:
        text: of a document.
        own: its own tokens in their order, None where it has none. What they leave out becomes tokens too.
        spans: where tokens must begin and end.
    """
    found: list[Bounds] = []
    at = 0
    for start, end in own or ():
        found += _words(text, at, start)
        found.append((start, end))
        at = end
    found += _words(text, at, len(text))
    edges = sorted({position for start, end, _ in spans for position in (start, end)})
    return [piece for token in found for piece in _cut(token, edges)]


def located(words: Iterable[str], text: str) -> list[Bounds] | None:
    """Start and end of words that follow each other in a text, with nothing but white space between; None otherwise.

    Args:
        words: none of them empty.
        text: what they are looked for in.
    """
    found: list[Bounds] = []
    at = 0
    for word in words:
        start = at if text.startswith(word, at) else _after_blanks(text, at)
        if not text.startswith(word, start):
            return None
        at = start + len(word)
        found.append((start, at))
    return found if not text[at:].strip() else None


def _after_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _words(text: str, low: int, high: int) -> Iterator[Bounds]:
    """The words of a part of the text, and its other characters."""
    part = text[low:high]
    if not part or part.isspace():  # as between most tokens
        return
    word: Bounds | None = None
    for begin, end in graphemes(part):
        cluster = text[low + begin : low + end]
        if cluster[0].isalnum() and not WITHOUT_SPACES.match(cluster):
            word = (low + begin if word is None else word[0], low + end)
            continue
        if word is not None:
            yield word
            word = None
        blank = len(cluster) - len(cluster.lstrip())
        if blank < len(cluster):
            yield low + begin + blank, low + end
    if word is not None:
        yield word


def _cut(token: Bounds, edges: Sequence[int]) -> Iterable[Bounds]:
    start, end = token
    return pairwise((start, *edges[bisect_right(edges, start) : bisect_left(edges, end)], end))


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
    name: str,
    line: int | str,
    words: Sequence[str | None],
    tags: Sequence[str],
    text: str | None,
    **more: Any,
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


DOCUMENTS = 1 << 10  # that are encoded at once
UNBROKEN = re.compile(r"[^\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")
ONE_TAG = "One tag a token cannot say both: keep one of them, or write a format that has spans, such as jsonl."


class Tagged(NamedTuple):
    """A document as tokens with tags.

    Args:
        document: the document.
        bounds: where each token begins and ends in its text.
        tags: one a token.
    """

    document: SpanDocument
    bounds: Sequence[Bounds]
    tags: Sequence[str]

    @property
    def words(self) -> list[str]:
        """The tokens."""
        text = self.document.text or ""
        return [text[start:end] for start, end in self.bounds]


def tagged(documents: Iterable[SpanDocument], scheme: str) -> Iterator[Tagged]:
    """Documents as tokens with tags.

    Args:
        documents: with texts.
        scheme: name of a tag scheme.

    Raises:
        UsageError: there is no such scheme.
        DataError: a document has no text, or what tags cannot say.
    """
    scheme_of(scheme)
    rest = iter(documents)
    while chunk := list(islice(rest, DOCUMENTS)):
        yield from _tagged(chunk, scheme)


def first_and_last(document: SpanDocument, span: Triple, bounds: Sequence[Bounds]) -> tuple[int, int]:
    """Which token a span begins with, and which it ends with.

    Args:
        document: that the span is of.
        span: a span; tokens begin and end where it does, unless white space is there.
        bounds: where each token begins and ends, in their order.

    Raises:
        DataError: the span begins or ends with white space, which belongs to no token.
    """
    start, end, _ = span
    first, last = bisect_left(bounds, (start,)), bisect_right(bounds, end, key=itemgetter(1)) - 1
    if not first <= last or bounds[first][0] != start or bounds[last][1] != end:
        why = f"has a span that begins or ends with white space, {_shown(span)}"
        raise unwritable(document, why, "White space belongs to no token: --repair-offsets leaves it out of spans.")
    return first, last


def _tagged(documents: Sequence[SpanDocument], scheme: str) -> Iterator[Tagged]:
    bounds = [_bounds(document) for document in documents]
    found = [_in_tokens(*each) for each in zip(documents, bounds, strict=True)]
    offsets = np.cumsum([0, *map(len, bounds)], dtype=np.int64)  # (documents + 1,)
    labels = tuple(sorted({label for spans in found for _, _, label in spans}))
    code = {label: at for at, label in enumerate(labels)}
    table = [(row, start, end, code[label]) for row, spans in enumerate(found) for start, end, label in spans]
    spans = Spans(*np.array(table, np.int64).reshape(-1, 4).T)
    if scheme == "io":
        _check_apart(spans, documents)
    vocabulary, codes = encoded(spans, offsets, labels, SCHEMES[scheme])
    tags = [vocabulary[each] for each in codes.tolist()]
    for document, own, (first, last) in zip(documents, bounds, pairwise(offsets.tolist()), strict=True):
        yield Tagged(document, own, tags[first:last])


def _bounds(document: SpanDocument) -> list[Bounds]:
    text = writable_text(document)
    found = []
    for start, end in tokens_of(text, document.tokens, document.spans):
        for piece in UNBROKEN.finditer(text, start, end):
            inside = piece[0]
            low = piece.start() + len(inside) - len(inside.lstrip())
            if low < piece.end():
                found.append((low, low + len(inside.strip())))
    if any(start < end for (_, end), (start, _) in pairwise(found)):
        raise unwritable(document, "has tokens that overlap, or in another order", "Leave its tokens out.")
    return found


def _in_tokens(document: SpanDocument, bounds: Sequence[Bounds]) -> list[Triple]:
    """The spans of a document in tokens, ascending."""
    found = []
    before: Triple | None = None
    for span in sorted(document.spans):
        first, last = first_and_last(document, span, bounds)
        start, _, label = span
        if not label:
            raise unwritable(document, f"has a span without a label, {_shown(span)}", "Give it one: a tag needs it.")
        if before is not None and start < before[1]:
            raise unwritable(document, f"has overlapping spans, {_shown(before)} and {_shown(span)}", ONE_TAG)
        before = span
        found.append((first, last + 1, label))
    return found


def _check_apart(spans: Spans, documents: Sequence[SpanDocument]) -> None:
    touch = np.flatnonzero(touching(spans))
    if len(touch):
        document = documents[int(spans.row[touch[0]])]
        why = "has spans of one label that touch"
        raise unwritable(document, why, "IO reads them as one: choose another scheme, such as iob2.")


def _shown(span: Triple) -> str:
    start, end, label = span
    return f"[{start}, {end}) {label!r}"


def in_one_line(document: SpanDocument, what: str, text: str, without: str = "") -> str:
    """A text that is written as a field of a line.

    Args:
        document: whose it is.
        what: it is called in errors.
        text: the text.
        without: further characters that it may not have.

    Raises:
        DataError: it has such a character, a tab or a line break, or begins or ends with white space.
    """
    fault = next((character for character in text if character in f"\0\t\n\r{without}"), None)
    if fault is not None or text != text.strip():
        has = "white space at its ends" if fault is None else f"the character {fault!r}"
        raise unwritable(document, f"has {has} in the {what} {text!r}", "Change it, or write a format in JSON.")
    return text
