"""Words of documents with tags or spans as Python lists.

The words are given as tokens, or as texts.

| beside | `tokens` | `texts` |
|---|---|---|
| tags | a token for each tag | a text whose words between white space are the tokens |
| spans | positions count tokens | positions count code points |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from isogloss.errors import DataError, MismatchError, UsageError
from isogloss.formats.documents import PlaceFinder, SpanColumns
from isogloss.kernel.provenance import TextExcerpt
from isogloss.kernel.scores import Ints
from isogloss.text.display import format_count

WordsArgument = Literal["tokens", "texts"]
TAGS_NOTE = "tags of the reference, not words: give tokens= to see words"
WORD = re.compile(r"\S+")


@dataclass(frozen=True, eq=False)
class ListWords:
    """Words of all documents of a call.

    Args:
        argument: name of the argument that gave them.
        documents: (documents,) a list of tokens, or a text, for each document.
    """

    argument: WordsArgument
    documents: Sequence[Any]

    @classmethod
    def from_arguments(cls, tokens: Any, texts: Any, documents: int) -> ListWords | None:
        """Build the words of a call; None if it gave none.

        Args:
            tokens: per document a list of strings, or None.
            texts: per document a string, or None.
            documents: number of documents that have tags or spans.

        Raises:
            UsageError: if both are given, or one is not a list.
            MismatchError: if there are more or fewer than documents.
            DataError: if a document has something else than words.
        """
        if tokens is not None and texts is not None:
            raise UsageError("tokens cannot be combined with texts: leave one of them out.")
        if tokens is None and texts is None:
            return None
        name: WordsArgument = "texts" if tokens is None else "tokens"
        words = cls(name, _to_list(texts if tokens is None else tokens, name))
        if len(words.documents) != documents:
            raise MismatchError(
                f"{name} has {format_count(len(words.documents), 'document')}, the reference {documents}",
                remedy=f"Give one item of {name} for each document, in the same order.",
            )
        words._check_types()
        return words

    @property
    def has_texts(self) -> bool:
        """Whether documents are texts."""
        return self.argument == "texts"

    def _check_types(self) -> None:
        for number, document in enumerate(self.documents):
            if self.has_texts and not isinstance(document, str):
                message = f"a text is a string, but {document!r} is of type {type(document).__name__}"
                raise DataError(message, where=f"texts[{number}]", remedy="Give lists of tokens as tokens=.")
            if not self.has_texts:
                _check_tokens(document, f"tokens[{number}]")

    def check_tags(self, first: int, counts: Ints) -> None:
        """Check that consecutive documents have a word for each tag.

        Args:
            first: number of the first document, from 0.
            counts: (documents,) number of tags of each.

        Raises:
            MismatchError: if a document has another number of words.
        """
        count: Callable[[Any], int] = _count_text_words if self.has_texts else len
        word_counts = np.fromiter(map(count, self.documents[first : first + len(counts)]), np.int64, len(counts))
        if (word_counts == counts).all():
            return
        row = int((word_counts != counts).argmax())
        remedy = "Give the tokens as tokens=." if self.has_texts else "Give one token for each tag."
        raise MismatchError(
            f"{format_count(int(counts[row]), 'tag')}, but {format_count(int(word_counts[row]), 'word')}",
            where=f"{self.argument}[{first + row}]",
            remedy=remedy,
        )

    def check_spans(self, first: int, columns: SpanColumns, place: PlaceFinder) -> None:
        """Check that spans end within their documents.

        Args:
            first: number of the first document, from 0.
            columns: spans of consecutive documents.
            place: gives the place of a span of a document.

        Raises:
            DataError: if one does not.
        """
        own = self.documents[first : first + len(columns.counts)]
        limits = np.fromiter(map(len, own), np.int64, len(own))  # (documents,)
        faulty = columns.ends > limits.repeat(columns.counts)  # (spans,)
        if not faulty.any():
            return
        at = int(faulty.argmax())
        row = int(columns.rows[at])
        unit = "code point" if self.has_texts else "token"
        raise DataError(
            f"the span [{columns.starts[at]}, {columns.ends[at]}) {columns.labels[at]!r} ends after its document, "
            f"which has {format_count(int(limits[row]), unit)}",
            where=place(row, at - int(columns.counts[:row].sum())),
            remedy=f"With {self.argument}=, positions of spans count {unit}s, and the end is after the last {unit}.",
        )

    def get_token_excerpt(self, number: int) -> TextExcerpt:
        """Return a document whose units are tokens.

        Args:
            number: number of the document, from 0.
        """
        document = self.documents[number]
        if not self.has_texts:
            return TextExcerpt.from_words(document)
        bounds = [word.span() for word in WORD.finditer(document)]
        return TextExcerpt(document, tuple(start for start, _ in bounds), tuple(end for _, end in bounds))

    def get_span_excerpt(self, number: int) -> TextExcerpt:
        """Return a document with the units of its spans.

        The units are code points of a text, or tokens.

        Args:
            number: number of the document, from 0.
        """
        return TextExcerpt(self.documents[number]) if self.has_texts else self.get_token_excerpt(number)


def _to_list(value: Any, name: str) -> Sequence[Any]:
    if isinstance(value, (str, bytes)) or not hasattr(value, "__len__") or not hasattr(value, "__iter__"):
        kind = "strings" if name == "texts" else "lists of strings"
        raise UsageError(f"{name} must be a list of {kind}, one for each document; got {type(value).__name__}.")
    return value if isinstance(value, (list, tuple)) else list(value)


def _check_tokens(document: Any, where: str) -> None:
    if isinstance(document, str) or not hasattr(document, "__len__"):
        message = f"the tokens of a document are a list of strings, but {document!r} is of type "
        raise DataError(
            f"{message}{type(document).__name__}", where=where, remedy="Wrap them in a list, or give texts=."
        )
    for at, token in enumerate(document):
        if not isinstance(token, str):
            message = f"a token is a string, but {token!r} is of type {type(token).__name__}"
            raise DataError(message, where=f"{where}[{at}]", remedy="Give the words of the text.")


def _count_text_words(text: str) -> int:
    return len(text.split())
