"""Texts that two sides cut at random: what the tests of word segmentation are made of."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

THAI = "กขคงจชดตนบมรลวสอะาิีุเแโ่้"
HAN = "中文分词的了是人大国上和地"


def words_of(text: str, rate: float, generator: random.Random) -> list[str]:
    """A text cut before each character with a chance of `rate`."""
    words: list[str] = []
    for character in text:
        if words and generator.random() >= rate:
            words[-1] += character
        else:
            words.append(character)
    return words


def recut(words: Sequence[str], rate: float, generator: random.Random) -> list[str]:
    """The same text with some cuts moved: words merged with the next, or cut in two, with a chance of `rate` each."""
    result: list[str] = []
    merge = False
    for word in words:
        if merge:
            result[-1] += word
        elif len(word) > 1 and generator.random() < rate:
            at = generator.randrange(1, len(word))
            result += [word[:at], word[at:]]
        else:
            result.append(word)
        merge = generator.random() < rate
    return result


def pairs(number: int, seed: int, alphabet: str = THAI, longest: int = 40) -> Iterator[tuple[list[str], list[str]]]:
    """Random texts, each cut in two ways that are alike or not."""
    generator = random.Random(seed)
    for _ in range(number):
        text = "".join(generator.choices(alphabet, k=generator.randint(1, longest)))
        reference = words_of(text, 0.35, generator)
        predicted = recut(reference, 0.15, generator) if generator.random() < 0.8 else words_of(text, 0.35, generator)
        yield reference, predicted
