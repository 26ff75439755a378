"""Batches of texts that both sides cut into words, and into sentences."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.provenance import Provenance, RunWarning
from isogloss.kernel.scores import Ints

CodePoints = NDArray[np.uint16] | NDArray[np.uint32]


def decode_code_points(codes: CodePoints) -> str:
    """Return code points as a text, lone surrogates included."""
    return codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


@dataclass(frozen=True, eq=False)
class WordPairs:
    """Documents whose text both sides cut into words.

    Args:
        documents: (documents,) number of each document.
        offsets: (documents + 1,) position of the first character of each document, and the number of characters.
        text: (characters,) code points of both sides, without removed whitespace.
        reference: (characters,) whether a word of the reference starts here; the first of a document is marked.
        predicted: (characters,) whether a word of the prediction starts here; False in documents not `compared`.
        compared: (documents,) whether both sides have the text. If not, the document scores zero.
        uncompared_words: (documents,) predicted words of documents that are not compared.
        provenance: names, places and texts of the documents. The units of a text are its characters.
        warnings: warnings about the input.
    """

    documents: Ints
    offsets: Ints
    text: CodePoints
    reference: NDArray[np.bool_]
    predicted: NDArray[np.bool_]
    compared: NDArray[np.bool_]
    uncompared_words: Ints
    provenance: Provenance
    warnings: tuple[RunWarning, ...] = field(default=())

    def __post_init__(self) -> None:
        number = len(self.documents)
        if not number + 1 == len(self.offsets) == len(self.compared) + 1 == len(self.uncompared_words) + 1:
            raise ValueError(f"{number} documents have an offset before and after each, and say if they are compared")
        if not len(self.text) == len(self.reference) == len(self.predicted) == self.offsets[-1]:
            raise ValueError(f"{len(self.reference)} and {len(self.predicted)} marks for {len(self.text)} characters")


@dataclass(frozen=True, eq=False, kw_only=True)
class SentencePairs(WordPairs):
    """A text that each side cuts into sentences, and sentences into words.

    A document is a smallest part of the text at whose ends both sides begin a sentence.

    Args:
        reference_sentences: (characters,) whether a sentence of the reference starts here.
        predicted_sentences: (characters,) whether a sentence of the prediction starts here.
        reference_multiword: first character and words of each multiword token of the reference, ascending.
        predicted_multiword: first character and words of each multiword token of the prediction, ascending.
    """

    reference_sentences: NDArray[np.bool_]
    predicted_sentences: NDArray[np.bool_]
    reference_multiword: tuple[tuple[int, tuple[str, ...]], ...] = ()
    predicted_multiword: tuple[tuple[int, tuple[str, ...]], ...] = ()
