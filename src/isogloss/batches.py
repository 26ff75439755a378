"""What readers hand on: documents with their tags or spans, and where they come from.

A batch holds whole documents, numbered across the corpus, so that the same document is the same number in every batch
and for every system. Positions are half-open and count the document's units: tokens or code points.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from isogloss.scores import Floats, Ints

Codes = NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.uint32]
Side = Literal["reference", "predicted"]
SIDES: tuple[Side, Side] = ("reference", "predicted")


@dataclass(frozen=True)
class Notice:
    """Something that was done about the input, or could not be told from it.

    Args:
        code: what users filter by, such as `tags-repaired`.
        message: one sentence without numbers, so that equal notices of several batches add up.
        count: how often.
        where: the first place.
    """

    code: str
    message: str
    count: int = 1
    where: str | None = None

    @staticmethod
    def merge(notices: Iterable[Notice]) -> tuple[Notice, ...]:
        """Counts of equal notices added, in the order of their first place."""
        merged: dict[tuple[str, str], Notice] = {}
        for notice in notices:
            key = (notice.code, notice.message)
            first = merged.get(key)
            merged[key] = notice if first is None else Notice(*key, first.count + notice.count, first.where)
        return tuple(merged.values())


@dataclass(frozen=True)
class Passage:
    """The text of a document and where its units stand in it.

    Args:
        text: the text.
        starts: code point at which each unit starts; None where the units are code points.
        ends: code point after each unit.
    """

    text: str
    starts: tuple[int, ...] | None = None
    ends: tuple[int, ...] | None = None

    @classmethod
    def of_words(cls, words: Iterable[str]) -> Passage:
        """Words joined by spaces."""
        starts, ends, at = [], [], 0
        words = list(words)
        for word in words:
            starts.append(at)
            ends.append(at + len(word))
            at += len(word) + 1
        return cls(" ".join(words), tuple(starts), tuple(ends))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Code points of the units from `start` to before `end`; `start < end`."""
        if self.starts is None or self.ends is None:
            return start, end
        return self.starts[start], self.ends[end - 1]


class Origin(Protocol):
    """Where the documents of a batch come from. Asked only for findings and errors, so it may be slow."""

    def name(self, row: int) -> str:
        """What the user calls the document at this position of the batch: its id, or its number from 1."""

    def where(self, row: int, position: int, side: Side) -> str:
        """Place of a unit of the document: `pred.conll:42`, or `prediction[3][5]` for Python lists."""

    def passage(self, row: int) -> Passage | None:
        """The document's text, None where there is none."""


@dataclass(frozen=True, eq=False)
class TagPairs:
    """Documents of tokens that have a reference and a predicted tag.

    Args:
        documents: (documents,) number of each document.
        offsets: (documents + 1,) position of each document's first token; the last is the number of tokens.
        vocabulary: the tags that codes stand for; the first is "O". It may hold tags that this batch does not use.
        reference: (tokens,) codes.
        predicted: (tokens,) codes.
        origin: where the documents come from.
        sides: the sides that have tags; the codes of another are all 0, for want of any.
    """

    documents: Ints
    offsets: Ints
    vocabulary: tuple[str, ...]
    reference: Codes
    predicted: Codes
    origin: Origin
    sides: tuple[Side, ...] = SIDES

    def __post_init__(self) -> None:
        if len(self.offsets) != len(self.documents) + 1 or self.vocabulary[:1] != ("O",):
            raise ValueError("a batch has an offset before and after each document, and 'O' is code 0")
        if not len(self.reference) == len(self.predicted) == self.offsets[-1]:
            raise ValueError(f"{len(self.reference)} and {len(self.predicted)} tags for {self.offsets[-1]} tokens")


@dataclass(frozen=True, eq=False)
class Spans:
    """Labelled spans of the documents of a batch, in ascending order of (row, start, end, label).

    Args:
        row: (spans,) position of the document in the batch.
        start: (spans,) first unit.
        end: (spans,) unit after the last; `end > start`.
        label: (spans,) position in the batch's labels.
    """

    row: Ints
    start: Ints
    end: Ints
    label: Ints

    def __len__(self) -> int:
        return len(self.row)

    @classmethod
    def of(cls, row: Ints, start: Ints, end: Ints, label: Ints) -> Spans:
        """Spans brought into order."""
        order = np.lexsort((label, end, start, row))
        return cls(row[order], start[order], end[order], label[order])

    def take(self, at: Ints | NDArray[np.bool_]) -> Spans:
        """The spans at these positions, or of this mask, in their order."""
        return Spans(self.row[at], self.start[at], self.end[at], self.label[at])


@dataclass(frozen=True, eq=False)
class TokenMatches:
    """Tokens with equal tags on both sides, per document.

    Args:
        correct: (documents,) tokens with equal tags.
        total: (documents,) tokens.
    """

    correct: Ints
    total: Ints


@dataclass(frozen=True, eq=False)
class SpanPairs:
    """Documents with reference and predicted spans.

    Args:
        documents: (documents,) number of each document.
        labels: the labels that codes stand for, ascending and without repetition, so that codes are ordered like them.
        reference: the spans of the reference.
        predicted: the spans of the prediction.
        origin: where the documents come from.
        tokens: agreement of tags, where there are tags.
        notices: what was done about the input on the way here.
    """

    documents: Ints
    labels: tuple[str, ...]
    reference: Spans
    predicted: Spans
    origin: Origin
    tokens: TokenMatches | None = None
    notices: tuple[Notice, ...] = field(default=())


class AcceptedTranslation(Protocol):
    """A translation that counts as right, and the entity's name in it."""

    @property
    def translation(self) -> str:
        """The whole sentence, empty where it is not known."""

    @property
    def mention(self) -> str:
        """The name as it stands in the translation."""


class TranslationTask(Protocol):
    """A sentence to translate that names an entity."""

    @property
    def id(self) -> str | int:
        """As the reference has it."""

    @property
    def entity(self) -> str | None:
        """The name of the entity in a knowledge base, such as its Wikidata item."""

    @property
    def entity_types(self) -> tuple[str, ...]:
        """Kinds of the entity, none or several."""

    @property
    def source(self) -> str:
        """The sentence in the source language, empty where it is not known."""

    @property
    def targets(self) -> Sequence[AcceptedTranslation]:
        """What counts as right, in the order of the reference."""


@dataclass(frozen=True, eq=False)
class Translations:
    """Sentences of one target language with what a system made of them.

    Args:
        documents: (documents,) number of each sentence.
        language: the target language, such as `it_IT`.
        tasks: (documents,) the sentences; each has at least one target.
        answers: (documents,) their translations; None where there is none.
        origin: where they come from; a passage is the translation.
        comet: (documents,) COMET scores between 0 and 100, nan where there is none; None where none were asked for.
        notices: what was done about the input on the way here.
    """

    documents: Ints
    language: str
    tasks: Sequence[TranslationTask]
    answers: Sequence[str | None]
    origin: Origin
    comet: Floats | None = None
    notices: tuple[Notice, ...] = field(default=())

    def __post_init__(self) -> None:
        if not len(self.documents) == len(self.tasks) == len(self.answers):
            raise ValueError(f"{len(self.tasks)} sentences and {len(self.answers)} translations do not belong together")


@dataclass(frozen=True, eq=False)
class WordPairs:
    """Documents whose text both sides cut into words.

    Args:
        documents: (documents,) number of each document.
        offsets: (documents + 1,) position of each document's first character; the last is the number of characters.
        text: (characters,) code points that both sides cut, without what the whitespace policy leaves out.
        reference: (characters,) whether a word of the reference starts here: so at the first of a document.
        predicted: (characters,) likewise of the prediction; nowhere in a document that is not `compared`.
        compared: (documents,) whether both sides have the text. If not, the document scores zero.
        lost: (documents,) predicted words of documents that are not compared.
        origin: where the documents come from. A passage's units are the characters.
        notices: what was done about the input on the way here.
    """

    documents: Ints
    offsets: Ints
    text: NDArray[np.uint32]
    reference: NDArray[np.bool_]
    predicted: NDArray[np.bool_]
    compared: NDArray[np.bool_]
    lost: Ints
    origin: Origin
    notices: tuple[Notice, ...] = field(default=())

    def __post_init__(self) -> None:
        number = len(self.documents)
        if not number + 1 == len(self.offsets) == len(self.compared) + 1 == len(self.lost) + 1:
            raise ValueError(f"{number} documents have an offset before and after each, and say if they are compared")
        if not len(self.text) == len(self.reference) == len(self.predicted) == self.offsets[-1]:
            raise ValueError(f"{len(self.reference)} and {len(self.predicted)} marks for {len(self.text)} characters")


@dataclass(frozen=True, eq=False)
class LabelledDocuments:
    """Whole documents with their labels, and what a system says of each label: scores, or labels that it names.

    Args:
        documents: (documents,) number of each document.
        labels: the labels that columns stand for, each once, in any order.
        gold: (documents, labels) 1 where a document has a label, 0 where it has not, -1 where nobody said.
        scores: (documents, labels) -inf where none was given, below all others; None where labels are named.
        chosen: (documents, labels) whether the prediction names the label; None where there are scores.
        origin: where the documents come from.
        notices: what was done about the input on the way here.
    """

    documents: Ints
    labels: tuple[str, ...]
    gold: NDArray[np.int8]
    scores: NDArray[np.float64] | None
    chosen: NDArray[np.bool_] | None
    origin: Origin
    notices: tuple[Notice, ...] = field(default=())

    def __post_init__(self) -> None:
        shape = (len(self.documents), len(self.labels))
        told = [array.shape for array in (self.scores, self.chosen) if array is not None]
        if self.gold.shape != shape or told != [shape]:
            raise ValueError(f"{shape[0]} documents have gold and scores, or named labels, for {shape[1]} labels each")


@dataclass(frozen=True, eq=False)
class SentencePairs:
    """A text that each side cuts into sentences, and these into words.

    A document is a smallest stretch at whose ends both sides begin a sentence.

    Args:
        words: the documents and their words.
        reference_sentences: (characters,) whether a sentence of the reference starts here.
        predicted_sentences: (characters,) likewise of the prediction.
        reference_inner: first character of each token of several words, ascending, and these words.
        predicted_inner: likewise of the prediction.
    """

    words: WordPairs
    reference_sentences: NDArray[np.bool_]
    predicted_sentences: NDArray[np.bool_]
    reference_inner: tuple[tuple[int, tuple[str, ...]], ...] = ()
    predicted_inner: tuple[tuple[int, tuple[str, ...]], ...] = ()

    @property
    def documents(self) -> Ints:
        """(documents,) number of each document."""
        return self.words.documents

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What was done about the input."""
        return self.words.notices
