"""Tokens of a text, for formats whose spans consist of tokens.

A token is a run of letters and digits with their marks, or any other character. In scripts without spaces between words
each character is a token, so that all files of a text have the same tokens, wherever their spans are. A token never
cuts a grapheme cluster, unless a span does: tokens begin and end where spans do, so that every span is whole tokens.
White space belongs to no token.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from isogloss.errors import FormatError
from isogloss.formats.annotation import FormatOptions, OptionReasons, get_writable_text, make_unwritable_error
from isogloss.formats.documents import LabelledSpan, SpanDocument
from isogloss.formats.tagged_documents import TaggedRow, TokenPosition
from isogloss.records.sources import Source, format_place
from isogloss.spans.batches import Spans
from isogloss.spans.encoder import encode_spans, find_touching_spans
from isogloss.spans.scheme_detection import find_scheme
from isogloss.spans.schemes import SCHEMES
from isogloss.text.display import KATAKANA, UNSPACED, format_count, split_graphemes

TokenBounds = tuple[int, int]
UNSPACED_SCRIPT = re.compile(f"[{UNSPACED}{KATAKANA}]")


def tokenize_text(
    text: str, known_tokens: Iterable[TokenBounds] | None, spans: Iterable[LabelledSpan]
) -> list[TokenBounds]:
    """Return start and end of each token in order.

    Args:
        text: the text of a document.
        known_tokens: its own tokens in order, None if it has none. The text between them is tokenised too.
        spans: spans at whose ends tokens must begin and end.
    """
    bounds: list[TokenBounds] = []
    at = 0
    for start, end in known_tokens or ():
        bounds += _split_words(text, at, start)
        bounds.append((start, end))
        at = end
    bounds += _split_words(text, at, len(text))
    edges = sorted({position for start, end, _ in spans for position in (start, end)})
    return [piece for token in bounds for piece in _split_at_edges(token, edges)]


def find_word_bounds(words: Iterable[str], text: str) -> list[TokenBounds] | None:
    """Return start and end of consecutive words, None if not consecutive.

    Only white space may lie between them.

    Args:
        words: the words, none of them empty.
        text: the text to find them in.
    """
    bounds: list[TokenBounds] = []
    at = 0
    for word in words:
        start = at if text.startswith(word, at) else _skip_blanks(text, at)
        if not text.startswith(word, start):
            return None
        at = start + len(word)
        bounds.append((start, at))
    return bounds if not text[at:].strip() else None


def _skip_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _split_words(text: str, low: int, high: int) -> Iterator[TokenBounds]:
    """Yield the words and other characters of a text part."""
    part = text[low:high]
    if not part or part.isspace():  # the usual case between tokens
        return
    word: TokenBounds | None = None
    for begin, end in split_graphemes(part):
        cluster = text[low + begin : low + end]
        if cluster[0].isalnum() and not UNSPACED_SCRIPT.match(cluster):
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


def _split_at_edges(token: TokenBounds, edges: Sequence[int]) -> Iterable[TokenBounds]:
    start, end = token
    return pairwise((start, *edges[bisect_right(edges, start) : bisect_left(edges, end)], end))


WORDS = ("tokens", "words")
TAGS = ("ner_tags", "tags", "labels")
PREDICTED = ("predicted_tags", "predictions", "predicted")
MASKED = -100  # the label of tokens that training ignores
ONE_SIDE, TWO_SIDES = 2, 3  # numbers of named columns


def find_column_faults(_: Source, options: FormatOptions) -> OptionReasons:
    """Refuse columns that are not names in the right number.

    There are two names, or three in a file of both sides.

    Args:
        options: the columns, and whether the file stands for both sides.
    """
    if options.columns is None:
        return {}
    named = all(isinstance(column, str) for column in options.columns)
    if named and len(options.columns) in ({TWO_SIDES} if options.single_file else {ONE_SIDE, TWO_SIDES}):
        return {}
    wanted = "tokens,ner_tags,predicted_tags" if options.single_file else "tokens,ner_tags"
    given = ",".join(map(str, options.columns))
    return {"columns": f"columns {given} cannot be read: give names, such as {wanted}."}


def choose_columns(options: FormatOptions) -> tuple[str | None, str | None]:
    """Return the columns of tokens or text and of annotations.

    The annotations are tags or spans. Only columns that are named are returned.

    Args:
        options: the side, and the columns: two, or three with those of the reference and the prediction.
    """
    if options.columns is None:
        return None, None
    names = list(map(str, options.columns))
    return names[0], names[1] if options.side == "reference" else names[-1]


def list_tag_columns(options: FormatOptions) -> Sequence[str]:
    """List the possible names of the tag column, the preferred one first."""
    if options.side == "reference":
        return TAGS
    return PREDICTED if options.single_file else (*PREDICTED, *TAGS)


def find_label_names(feature: Any) -> Sequence[str] | None:
    """Return the label names of a column, None if it has none.

    Args:
        feature: the feature of the column in the dataset's description, in the layout of any version.
    """
    while isinstance(feature, list) and feature:
        feature = feature[0]
    if not isinstance(feature, Mapping):
        return None
    names = feature.get("names")
    if isinstance(names, list) and all(isinstance(name, str) for name in names):
        return names
    return find_label_names(feature.get("feature"))


def to_tag_texts(values: Iterable[str | int | None], names: Sequence[str] | None, key: str, where: str) -> list[str]:
    """Convert tags to text.

    Args:
        values: the tags of the tokens of a document.
        names: the names of numeric tags, if known.
        key: the name of the column.
        where: the place of the document.

    Raises:
        FormatError: if a number has no name, or a value is not a tag.
    """
    texts = []
    for at, value in enumerate(values):
        tag = value
        if isinstance(value, int) and names is not None and 0 <= value < len(names):
            tag = names[value]
        if not isinstance(tag, str) or not tag:
            raise _make_tag_error(value, names, f"`{key}[{at}]`", where)
        texts.append(tag)
    return texts


def build_tagged_row(
    name: str, line: int | str, words: Sequence[str | None], tags: Sequence[str], text: str | None, **more: Any
) -> TaggedRow:
    """Build a document of words with tags.

    Args:
        name: the name of the file.
        line: its place in the file.
        words: its tokens.
        tags: one for each token.
        text: its text; if None, or if it does not hold the tokens, the text is the tokens joined by spaces.
        **more: the other fields.

    Raises:
        FormatError: if the numbers of words and tags differ, or a token is empty.
    """
    where = format_place(name, line)
    if len(words) != len(tags):
        message = f"the document has {format_count(len(words), 'token')}, but {format_count(len(tags), 'tag')}"
        raise FormatError(message, where=where, remedy="Give every token a tag, O for no entity.")
    whole = [word for word in words if word]
    if len(whole) != len(words):
        at = next(at for at, word in enumerate(words) if not word)
        raise FormatError(f"token {at + 1} is empty", where=where, remedy="Leave it out, with its tag.")
    bounds = None if text is None else find_word_bounds(whole, text)
    if bounds is None:
        return TaggedRow.from_words(name, line, whole, tags, **more)
    tokens = [TokenPosition(*each) for each in bounds]
    return TaggedRow(**{"file": name, "line": line, "id": None, "text": text} | more, tokens=tokens, tags=tags)


def _make_tag_error(value: Any, names: Sequence[str] | None, place: str, where: str) -> FormatError:
    if value == MASKED:
        return FormatError(
            f"{place} is {MASKED}, which hides a token from training",
            where=where,
            remedy="Give the words with their tags: a hidden token cannot be scored.",
        )
    if not isinstance(value, int):
        return FormatError(f"{place} is not a tag", where=where, remedy="The tag of a token without a name is 'O'.")
    if names is not None:
        message = f"{place} is {value}, but there are {format_count(len(names), 'name')}, numbered from 0"
        return FormatError(message, where=where, remedy="Check that the names are those of this dataset.")
    return FormatError(
        f"{place} is {value}, and no file names its tag",
        where=where,
        remedy="Write tags as text, such as B-PER, or keep their names with the data: Dataset.to_parquet writes them "
        'into the file, and beside JSON they stand in dataset_info.json: {"label2id": {"O": 0, "B-PER": 1}}.',
    )


CHUNK_DOCUMENTS = 1 << 10  # documents to encode at once
LINE_PATTERN = re.compile(r"[^\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")
ONE_TAG_REMEDY = "A token has one tag: keep one of the spans, or write a format with spans, such as jsonl."


class TaggedDocument(NamedTuple):
    """A document as tokens with tags.

    Args:
        document: the document.
        bounds: start and end of each token in its text.
        tags: one for each token.
    """

    document: SpanDocument
    bounds: Sequence[TokenBounds]
    tags: Sequence[str]

    @property
    def words(self) -> list[str]:
        """The tokens."""
        text = self.document.text or ""
        return [text[start:end] for start, end in self.bounds]


def tag_documents(documents: Iterable[SpanDocument], scheme: str) -> Iterator[TaggedDocument]:
    """Convert documents to tokens with tags.

    Args:
        documents: documents with texts.
        scheme: the name of a tag scheme.

    Raises:
        UsageError: if there is no such scheme.
        DataError: if a document has no text, or spans that tags cannot express.
    """
    find_scheme(scheme)
    rest = iter(documents)
    while chunk := list(islice(rest, CHUNK_DOCUMENTS)):
        yield from _tag_chunk(chunk, scheme)


def find_token_range(document: SpanDocument, span: LabelledSpan, bounds: Sequence[TokenBounds]) -> tuple[int, int]:
    """Return the first and the last token of a span.

    Args:
        document: the document of the span.
        span: a span; tokens begin and end with it, unless white space is there.
        bounds: start and end of each token, in order.

    Raises:
        DataError: if the span begins or ends with white space, which belongs to no token.
    """
    start, end, _ = span
    first, last = bisect_left(bounds, (start,)), bisect_right(bounds, end, key=itemgetter(1)) - 1
    if not first <= last or bounds[first][0] != start or bounds[last][1] != end:
        why = f"has a span that begins or ends with white space, {_format_span(span)}"
        raise make_unwritable_error(
            document, why, "White space belongs to no token: --repair-offsets trims it from spans."
        )
    return first, last


def _tag_chunk(documents: Sequence[SpanDocument], scheme: str) -> Iterator[TaggedDocument]:
    bounds = [_find_token_bounds(document) for document in documents]
    converted = [_convert_spans(*each) for each in zip(documents, bounds, strict=True)]
    offsets = np.cumsum([0, *map(len, bounds)], dtype=np.int64)  # (documents + 1,)
    labels = tuple(sorted({label for spans in converted for _, _, label in spans}))
    code = {label: at for at, label in enumerate(labels)}
    table = [(row, start, end, code[label]) for row, spans in enumerate(converted) for start, end, label in spans]
    spans = Spans(*np.array(table, np.int64).reshape(-1, 4).T)
    if scheme == "io":
        _check_no_touching(spans, documents)
    vocabulary, codes = encode_spans(spans, offsets, labels, SCHEMES[scheme])
    tags = [vocabulary[each] for each in codes.tolist()]
    for document, own, (first, last) in zip(documents, bounds, pairwise(offsets.tolist()), strict=True):
        yield TaggedDocument(document, own, tags[first:last])


def _find_token_bounds(document: SpanDocument) -> list[TokenBounds]:
    text = get_writable_text(document)
    token_bounds = []
    for start, end in tokenize_text(text, document.tokens, document.spans):
        for piece in LINE_PATTERN.finditer(text, start, end):
            inside = piece[0]
            low = piece.start() + len(inside) - len(inside.lstrip())
            if low < piece.end():
                token_bounds.append((low, low + len(inside.strip())))
    if any(start < end for (_, end), (start, _) in pairwise(token_bounds)):
        raise make_unwritable_error(document, "has tokens that overlap or are not in order", "Remove its tokens.")
    return token_bounds


def _convert_spans(document: SpanDocument, bounds: Sequence[TokenBounds]) -> list[LabelledSpan]:
    """Return the spans of a document in tokens, ascending."""
    spans = []
    before: LabelledSpan | None = None
    for span in sorted(document.spans):
        first, last = find_token_range(document, span, bounds)
        start, _, label = span
        if not label:
            raise make_unwritable_error(
                document, f"has a span without a label, {_format_span(span)}", "Give it one: a tag needs it."
            )
        if before is not None and start < before[1]:
            raise make_unwritable_error(
                document, f"has overlapping spans, {_format_span(before)} and {_format_span(span)}", ONE_TAG_REMEDY
            )
        before = span
        spans.append((first, last + 1, label))
    return spans


def _check_no_touching(spans: Spans, documents: Sequence[SpanDocument]) -> None:
    touch = np.flatnonzero(find_touching_spans(spans))
    if len(touch):
        document = documents[int(spans.row[touch[0]])]
        why = "has spans of one label that touch"
        raise make_unwritable_error(document, why, "Readers of IO join them: choose another scheme, such as iob2.")


def _format_span(span: LabelledSpan) -> str:
    start, end, label = span
    return f"[{start}, {end}) {label!r}"


def check_one_line(document: SpanDocument, what: str, text: str, without: str = "") -> str:
    """Return a text after checking that it fits into a line.

    Args:
        document: its document.
        what: its name in errors.
        text: the text.
        without: further characters that it must not have.

    Raises:
        DataError: if it has such a character, a tab or a line break, or begins or ends with white space.
    """
    fault = next((character for character in text if character in f"\0\t\n\r{without}"), None)
    if fault is not None or text != text.strip():
        has = "white space at its ends" if fault is None else f"the character {fault!r}"
        raise make_unwritable_error(
            document, f"has {has} in the {what} {text!r}", "Change it, or write a format in JSON."
        )
    return text
