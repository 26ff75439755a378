"""The synthetic corpus behind every figure of the NER benchmark: IOB2 tags of four labels, and noisy predictions.

About a tenth of the tokens are in entities. Each reference entity is corrupted with probability `NOISE`: dropped,
relabelled, widened, narrowed or split; a few are made up. The same seed gives the same corpus.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

LABELS = ("PER", "ORG", "LOC", "MISC")
LENGTHS, WEIGHTS = (1, 2, 3, 4), (50, 30, 15, 5)
TOKENS = 20  # per sentence
NOISE = 0.15
START = 0.10 / 1.75 / 0.90  # a tenth of the tokens in entities of 1.75 tokens on average
WORDS = [f"w{k}" for k in range(20_000)]

Span = tuple[str, int, int]


@dataclass(frozen=True)
class Sentence:
    """Words with their reference and predicted tags."""

    words: list[str]
    reference: list[str]
    predicted: list[str]


def sentences(number: int, seed: int = 13) -> Iterator[Sentence]:
    """So many sentences."""
    chance = random.Random(seed)
    for _ in range(number):
        reference = _reference(chance)
        predicted = _without_overlaps(_predicted(reference, chance))
        words = chance.choices(WORDS, k=TOKENS)
        yield Sentence(words, _tags(reference), _tags(predicted))


def rivals(number: int, seed: int = 13) -> Iterator[tuple[list[str], list[str], list[str]]]:
    """So many sentences: tags of the reference, and of two systems that err independently."""
    chance, other = random.Random(seed), random.Random(seed + 1)
    for _ in range(number):
        reference = _reference(chance)
        systems = (_without_overlaps(_predicted(reference, own)) for own in (chance, other))
        yield _tags(reference), *(_tags(spans) for spans in systems)


def _reference(chance: random.Random) -> list[Span]:
    spans: list[Span] = []
    at = 0
    while at < TOKENS:
        if chance.random() < START:
            length = min(chance.choices(LENGTHS, WEIGHTS)[0], TOKENS - at)
            spans.append((chance.choice(LABELS), at, at + length))
            at += length
        else:
            at += 1
    return spans


def _predicted(reference: list[Span], chance: random.Random) -> list[Span]:
    spans: list[Span] = []
    for span in reference:
        spans += [span] if chance.random() >= NOISE else _corrupted(*span, chance)
    if chance.random() < NOISE / 3 * max(1, len(reference)):
        at = chance.randrange(TOKENS)
        label = chance.choice(LABELS)
        spans.append((label, at, min(TOKENS, at + chance.choices(LENGTHS, WEIGHTS)[0])))
    return sorted(spans, key=lambda span: span[1:])


def _corrupted(label: str, start: int, end: int, chance: random.Random) -> list[Span]:
    kind = chance.randrange(5)
    if kind == 0:
        return []
    if kind == 1:
        return [(chance.choice([other for other in LABELS if other != label]), start, end)]
    if kind == 2:  # noqa: PLR2004
        widen_left = chance.random() < 1 / 2 and start > 0
        return [(label, start - 1, end) if widen_left else (label, start, min(end + 1, TOKENS))]
    return _cut(label, start, end, chance, split=kind == 4)  # noqa: PLR2004


def _cut(label: str, start: int, end: int, chance: random.Random, *, split: bool) -> list[Span]:
    several = end - start > 1
    if split and several:
        middle = chance.randrange(start + 1, end)
        return [(label, start, middle), (label, middle, end)]
    if split:
        return [(chance.choice(LABELS), max(0, start - 1), end)]
    if several:
        return [(label, start + 1, end) if chance.random() < 1 / 2 else (label, start, end - 1)]
    return [(label, start, min(end + 1, TOKENS))]


def _without_overlaps(spans: list[Span]) -> list[Span]:
    kept: list[Span] = []
    for span in spans:
        if not kept or span[1] >= kept[-1][2]:
            kept.append(span)
    return kept


def _tags(spans: list[Span]) -> list[str]:
    tags = ["O"] * TOKENS
    for label, start, end in spans:
        tags[start:end] = [f"B-{label}", *[f"I-{label}"] * (end - start - 1)]
    return tags
