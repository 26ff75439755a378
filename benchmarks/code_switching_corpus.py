"""The texts behind every figure of the code-switching benchmark: answers of language models, as many as wanted.

They are repeated as they are, or *varied*: in each repetition with other small Latin letters, and each text cut at
another place of its second half. The same seed gives the same texts.
"""

from __future__ import annotations

import json
import random
import string
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, cycle, islice, repeat
from pathlib import Path

import pnacos_plain

LANGUAGES = ("ru", "ar", "hi", "ja", "ko", "zh")
LETTERS = string.ascii_lowercase


def answers(data: str, language: str) -> list[str]:
    """The answers in a language.

    Args:
        data: path of JSON lines with `language` and `text`.
        language: its code.
    """
    rows = map(json.loads, Path(data).read_text(encoding="utf-8").splitlines())
    return [row["text"] for row in rows if row["language"] == language]


def repeated(texts: Sequence[str], characters: int) -> Iterator[str]:
    """Texts over and over, until they have so many characters in all."""
    return _first(chain.from_iterable(repeat(texts)), characters)


def varied(texts: Sequence[str], characters: int, seed: int = 13) -> Iterator[str]:
    """Likewise, but never the same."""
    generator = random.Random(seed)
    return _first(chain.from_iterable(_changed(each, generator) for each in repeat(texts)), characters)


def long_texts(texts: Sequence[str], total: int, sentences: int) -> list[str]:
    """So many sentences in all, in texts of so many sentences each; the last may have less."""
    found = [text[each.start : each.end] for text in texts for each in pnacos_plain.annotated(text).sentences]
    every = [" ".join(sentence.split()) for sentence in islice(cycle(found), total)]
    return [" ".join(every[at : at + sentences]) for at in range(0, total, sentences)]


def blocks(texts: Iterable[str], size: int) -> Iterator[str]:
    """Texts joined, with a space after each, in blocks of at least so many characters; the last may be shorter."""
    held: list[str] = []
    number = 0
    for text in texts:
        held.append(text + " ")
        number += len(text) + 1
        if number >= size:
            yield "".join(held)
            held, number = [], 0
    if held:
        yield "".join(held)


def _first(texts: Iterable[str], characters: int) -> Iterator[str]:
    for text in texts:
        yield text[:characters]
        characters -= len(text)
        if characters <= 0:
            return


def _changed(texts: Sequence[str], generator: random.Random) -> Iterator[str]:
    letters = str.maketrans(LETTERS, "".join(generator.sample(LETTERS, len(LETTERS))))
    return (text[: generator.randint(len(text) // 2, len(text))].translate(letters) for text in texts)
