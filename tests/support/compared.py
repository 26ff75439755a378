"""Corpora for comparisons with other tools, and how much was compared."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

Documents = list[list[str]]


def corpora(tags: list[str], seed: int, number: int, size: int) -> Iterator[tuple[Documents, Documents]]:
    """Pairs of corpora: predictions are references with changes, some documents are empty, some all O."""
    draw = random.Random(seed)
    for _ in range(number):
        quiet, change = draw.choice([0.0, 0.3, 0.7, 1.0]), draw.choice([0.0, 0.1, 0.4, 1.0])

        def tag(quiet: float = quiet) -> str:
            return "O" if draw.random() < quiet else draw.choice(tags)

        reference = [[tag() for _ in range(draw.choice([0, 1, 2, 5, 9]))] for _ in range(draw.randint(1, size))]
        prediction = [[tag(0.5) if draw.random() < change else t for t in document] for document in reference]
        yield reference, prediction


def with_prefixes(letters: str, labels: list[str]) -> list[str]:
    """O, and each letter before each label."""
    return ["O", *(f"{letter}-{label}" for letter in letters for label in labels)]


def tags_of(path: Path) -> Documents:
    """The tags of each sentence of a file of tokens and tags."""
    sentences = path.read_text("utf-8").strip("\n").split("\n\n")
    return [[line.split("\t")[1] for line in sentence.split("\n")] for sentence in sentences]


def compared(what: str, documents: int) -> None:
    """Print how much was compared."""
    print(f"{what}: {documents} documents")  # noqa: T201 - how much was compared is part of the result
    assert documents > 0
