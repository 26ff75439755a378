"""Reproduce the figures of the program PNaCoS-NER (profile `pnacos`).

The input is the tokens, sentences and entities of the program.

Definition
    1. Entities of a sentence are merged if one starts at or before the end of another.
    2. A sentence without a letter of the alphabet is right if only spaces are left when its entities are blanked.
       Otherwise each of its tokens is broken, and its entities excuse nothing.
    3. In other sentences a token is broken if it has a word character that is neither a digit nor in the alphabet (`_`
       is one), and no merged entity overlaps it or is adjacent to it.
    4. A sentence or text is broken if it has a broken token. A ratio without a denominator is -1.0.
    5. Texts are cleaned before they are split, see `segmenting`; an empty text counts among the texts.

Source: the program's behaviour, on its published example and as measured.

Exceptions from equality
    1. Equal sentences, tokens and entities give equal output. From plain texts, sentences and names come from the
       chosen providers, and the rules are those of isogloss: the program's own lists of excuses are not copied.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from isogloss.kernel.counts import Counts
from isogloss.kernel.scores import ScoreKey, Scores
from isogloss.kernel.sums import Sums
from isogloss.tasks.code_switching.batches import AnnotatedTexts, CharSpans
from isogloss.tasks.code_switching.metric import count_units, score_units
from isogloss.tasks.code_switching.verdicts import TokenMask
from isogloss.text.alphabets import Alphabet

OffsetPair = tuple[int, int]
PNACOS_KEYS = {
    "codeswitch_sentences_ratio": ("sentences", "excused_rate"),
    "codeswitch_texts_ratio": ("texts", "excused_rate"),
    "codeswitch_words_ratio": ("words", "excused_rate"),
    "total_num_texts": ("texts", "total"),
    "total_num_sentences": ("sentences", "total"),
    "total_num_tokens": ("words", "total"),
}


@dataclass(frozen=True)
class PnacosMetric:
    """The metric of the profile.

    Args:
        alphabet: the letters of the language.
    """

    alphabet: Alphabet

    def count(self, batch: AnnotatedTexts) -> Counts:
        """Count tokens, sentences and texts, all and broken ones."""
        words = np.ones(len(batch.tokens), np.bool_)
        return Counts.build(batch.documents, count_units(batch, words, {"excused": self.mark_broken(batch)}))

    def overall(self, sums: Sums) -> Scores:
        """Return rates and counts of words, sentences and texts.

        A rate without a denominator is -1.0.
        """
        count = {name: sums.get_column(name).sum(axis=-1) for name in sums.columns}
        return score_units(count, ("excused",), undefined=-1.0)

    def score(self, sums: Sums) -> Scores:
        """Return the overall scores, and the number of findings."""
        return self.overall(sums) | {("findings", "foreign"): sums.get_column("words_excused").sum(axis=-1)}

    def mark_broken(self, batch: AnnotatedTexts) -> TokenMask:
        """Return whether each token is broken: (tokens,)."""
        tokens = _group_by_sentence(batch.tokens, batch.sentences)
        entities = _group_by_sentence(batch.excused, batch.sentences)
        verdicts: list[bool] = []
        for k, span in enumerate(zip(batch.sentences.start.tolist(), batch.sentences.end.tolist(), strict=True)):
            merged = merge_spans(entities.get(k, []))
            verdicts += self._judge_tokens(batch.string, span, tokens.get(k, []), merged)
        return np.array(verdicts, np.bool_)

    def can_be_broken(self, text: str) -> bool:
        """Return whether entities can change the verdict on a sentence or token."""
        return not any(map(self._is_native, text)) or any(map(self._is_foreign, text))

    def _judge_tokens(
        self, whole: str, sentence: OffsetPair, tokens: list[OffsetPair], entities: list[OffsetPair]
    ) -> Iterator[bool]:
        start, end = sentence
        if not any(map(self._is_native, whole[start:end])):
            left = _blank_spans(whole[start:end], [(one - start, two - start) for one, two in entities])
            yield from [bool(left.strip())] * len(tokens)
            return
        for first, last in tokens:
            foreign = any(map(self._is_foreign, whole[first:last]))
            yield foreign and not any(one <= last and two >= first for one, two in entities)

    def _is_foreign(self, character: str) -> bool:
        return _is_word(character) and not self._is_native(character)

    def _is_native(self, character: str) -> bool:
        """Return whether the alphabet has the letter itself.

        A compatibility form of a letter of the alphabet does not count.
        """
        return self.alphabet.is_native(character) and unicodedata.is_normalized("NFKC", character)


def to_pnacos_output(numbers: Mapping[ScoreKey, int | float]) -> dict[str, int | float]:
    """Return the six keys that the program writes, with their values."""
    return {name: numbers[key] for name, key in PNACOS_KEYS.items()}


def merge_spans(spans: Iterable[OffsetPair]) -> list[OffsetPair]:
    """Merge spans if one starts at or before the end of another."""
    result: list[OffsetPair] = []
    for start, end in sorted(spans):
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result


@lru_cache(maxsize=2**12)
def _is_word(character: str) -> bool:
    """Return whether a character is part of a word, but no digit."""
    return character == "_" or (character.isalnum() and not character.isdecimal())


def _blank_spans(text: str, spans: list[OffsetPair]) -> str:
    for start, end in spans:
        text = text[: max(0, start)] + " " * (min(end, len(text)) - max(0, start)) + text[end:]
    return text


def _group_by_sentence(spans: CharSpans, sentences: CharSpans) -> dict[int, list[OffsetPair]]:
    """Return spans by the position of the sentence in which they begin."""
    groups: dict[int, list[OffsetPair]] = {}
    place = (np.searchsorted(sentences.start, spans.start, side="right") - 1).tolist()
    for k, one, two in zip(place, spans.start.tolist(), spans.end.tolist(), strict=True):
        groups.setdefault(k, []).append((one, two))
    return groups


@dataclass(frozen=True)
class CodeSwitchingProfile:
    """The definition of another tool.

    Args:
        name: name in `PROFILES`.
        make_metric: makes the metric from an alphabet.
        tool_output: makes the keys and values that the tool itself writes, from the scores.
        clean_texts: whether to remove tags and marks from texts first, and to look for no names in texts with given
            entities.
        scores_nothing: whether it scores input without texts.
    """

    name: str
    make_metric: Callable[[Alphabet], PnacosMetric]
    tool_output: Callable[[Mapping[ScoreKey, int | float]], Mapping[str, int | float]]
    clean_texts: bool = False
    scores_nothing: bool = False


PNACOS = CodeSwitchingProfile("pnacos", PnacosMetric, to_pnacos_output, clean_texts=True, scores_nothing=True)
