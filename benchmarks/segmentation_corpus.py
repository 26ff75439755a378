"""The synthetic corpus behind every figure of the segmentation benchmark: Thai-like words, and noisy predictions.

Samples have 193 characters on average, in words of 1 to 8 characters; spaces are words of their own. Each boundary of
the reference is dropped with probability `NOISE`, and as many are made up. The same seed gives the same corpus.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

CONSONANTS = "กขคงจชซญดตถทนบปผพฟมยรลวสหอ"
VOWELS = ("", "า", "ิ", "ี", "ุ", "ู", "่า", "้า", "ำ", "ั", "้")
SYLLABLES, WEIGHTS = (1, 2, 3), (55, 33, 12)
NOISE = 0.12
CHARACTERS = 193  # of a sample, on average
SPACE = 0.06


def samples(number: int, seed: int = 13) -> Iterator[tuple[list[str], list[str]]]:
    """Samples, each as the words of the reference and of the prediction.

    Args:
        number: how many.
        seed: of the random numbers.
    """
    generator = random.Random(seed)
    vocabulary = [_word(generator) for _ in range(5000)]
    for _ in range(number):
        length = max(4, generator.expovariate(1 / CHARACTERS))
        words: list[str] = []
        while sum(map(len, words)) < length:
            words.append(" " if words and generator.random() < SPACE else generator.choice(vocabulary))
        yield words, _noisy(words, generator)


def _word(generator: random.Random) -> str:
    syllables = generator.choices(SYLLABLES, WEIGHTS)[0]
    return "".join(generator.choice(CONSONANTS) + generator.choice(VOWELS) for _ in range(syllables))


def _noisy(words: list[str], generator: random.Random) -> list[str]:
    result: list[str] = []
    merge = False
    for word in words:
        if merge and word != " ":
            result[-1] += word
        elif len(word) > 1 and generator.random() < NOISE:
            at = generator.randrange(1, len(word))
            result += [word[:at], word[at:]]
        else:
            result.append(word)
        merge = result[-1] != " " and generator.random() < NOISE
    return result
