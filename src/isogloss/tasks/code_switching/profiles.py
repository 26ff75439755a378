"""Profile `pnacos`: the steps of the program PNaCoS-NER, given its tokens, sentences and entities.

Definition
    1. Entities of a sentence are merged where one starts at or before the end of another.
    2. A sentence without a letter of the alphabet is right only if nothing but spaces is left when its entities are
       blanked. Otherwise each of its tokens is broken, and its entities count for nothing.
    3. A token is broken when its sentence is wrong, or when it has a word character that is neither a digit nor in the
       alphabet (`_` is one) and no merged entity touches it: spans that are adjacent touch.
    4. A sentence or text is broken when it has a broken token. A ratio without a denominator is -1.0.
    5. Texts are cleaned before they are cut, see `segmenting`; an empty one counts among the texts.

Source: the program's behaviour, on its published example and as measured.

Exceptions from equality
    1. From plain texts, sentences and names come from the providers that were chosen, and rules are those of isogloss:
       the program's own lists of excuses are not copied. Equal sentences, tokens and entities give equal output.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from isogloss.kernel.counts import Counts
from isogloss.kernel.scores import Key, Proportions, Scores, proportions_among, ratio
from isogloss.kernel.sums import Sums
from isogloss.tasks.code_switching.batches import AnnotatedTexts, Stretches
from isogloss.tasks.code_switching.metric import RATES, UNITS
from isogloss.tasks.code_switching.verdicts import Mask
from isogloss.text.alphabets import Alphabet

Pair = tuple[int, int]
KEYS = {
    "codeswitch_sentences_ratio": ("sentences", "excused_rate"),
    "codeswitch_texts_ratio": ("texts", "excused_rate"),
    "codeswitch_words_ratio": ("words", "excused_rate"),
    "total_num_texts": ("texts", "total"),
    "total_num_sentences": ("sentences", "total"),
    "total_num_tokens": ("words", "total"),
}


@dataclass(frozen=True)
class Pnacos:
    """The metric of the profile.

    Args:
        alphabet: the letters of the language.
    """

    alphabet: Alphabet

    def count(self, batch: AnnotatedTexts) -> Counts:
        """Tokens, sentences and texts, and how many of each are broken."""
        number, broken = len(batch.documents), self.broken(batch)
        starts = batch.sentences.start
        of_token = np.searchsorted(starts, batch.tokens.start, side="right") - 1  # (tokens,)
        of_sentence = np.searchsorted(batch.offsets, starts, side="right") - 1  # (sentences,)
        wrong = np.unique(of_token[broken])  # sentences
        columns = {
            "words_total": np.bincount(of_sentence[of_token], minlength=number),
            "words_excused": np.bincount(of_sentence[of_token[broken]], minlength=number),
            "sentences_total": np.bincount(of_sentence, minlength=number),
            "sentences_excused": np.bincount(of_sentence[wrong], minlength=number),
            "texts_total": np.ones(number, np.int64),
        }
        columns["texts_excused"] = (columns["words_excused"] > 0).astype(np.int64)
        return Counts.build(batch.documents, columns)

    def overall(self, sums: Sums) -> Scores:
        """Rates and counts of words, sentences and texts; -1.0 without a denominator."""
        scores: Scores = {}
        for unit in UNITS:
            broken, total = (sums.column(f"{unit}_{what}").sum(axis=-1) for what in ("excused", "total"))
            scores |= {(unit, "excused_rate"): ratio(broken, total, -1.0), (unit, "excused_count"): broken}
            scores[unit, "total"] = total
        return scores

    def score(self, sums: Sums) -> Scores:
        """The overall scores, and how many broken tokens there are to look at."""
        return self.overall(sums) | {("findings", "foreign"): sums.column("words_excused").sum(axis=-1)}

    def proportions(self, sums: Sums) -> Proportions:
        """The rates."""
        return proportions_among(self.overall(sums), RATES)

    def broken(self, batch: AnnotatedTexts) -> Mask:
        """(tokens,) whether each is broken."""
        tokens = _grouped(batch.tokens, batch.sentences)
        entities = _grouped(batch.excused, batch.sentences)
        whole = batch.text.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
        spans = zip(batch.sentences.start.tolist(), batch.sentences.end.tolist(), strict=True)
        verdicts = [
            verdict
            for k, sentence in enumerate(spans)
            for verdict in self._verdicts(whole, sentence, tokens.get(k, []), merged(entities.get(k, [])))
        ]
        return np.array(verdicts, np.bool_)

    def may_be_broken(self, text: str) -> bool:
        """Whether entities can change the verdict on a sentence, or on a token that stands by itself."""
        return not any(map(self._is_native, text)) or any(map(self._is_foreign, text))

    def _verdicts(self, whole: str, sentence: Pair, tokens: list[Pair], entities: list[Pair]) -> Iterator[bool]:
        start, end = sentence
        if not any(map(self._is_native, whole[start:end])):
            left = _blanked(whole[start:end], [(one - start, two - start) for one, two in entities])
            yield from [bool(left.strip())] * len(tokens)
            return
        for first, last in tokens:
            foreign = any(map(self._is_foreign, whole[first:last]))
            yield foreign and not any(one <= last and two >= first for one, two in entities)

    def _is_foreign(self, character: str) -> bool:
        return _is_word(character) and not self._is_native(character)

    def _is_native(self, character: str) -> bool:
        """Whether the alphabet has the letter itself; letters in a compatibility form are those of the default only."""
        return self.alphabet.is_native(character) and unicodedata.is_normalized("NFKC", character)


def native(numbers: Mapping[Key, int | float]) -> dict[str, int | float]:
    """The six keys that the program answers."""
    return {name: numbers[key] for name, key in KEYS.items()}


def merged(spans: Iterable[Pair]) -> list[Pair]:
    """Spans, those joined where one starts at or before the end of another."""
    result: list[Pair] = []
    for start, end in sorted(spans):
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result


@lru_cache(maxsize=2**12)
def _is_word(character: str) -> bool:
    """Whether a pattern takes the character for part of a word, but not for a digit."""
    return character == "_" or (character.isalnum() and not character.isdecimal())


def _blanked(text: str, spans: list[Pair]) -> str:
    for start, end in spans:
        text = text[: max(0, start)] + " " * (min(end, len(text)) - max(0, start)) + text[end:]
    return text


def _grouped(spans: Stretches, sentences: Stretches) -> dict[int, list[Pair]]:
    """Spans by the sentence that they begin in."""
    groups: dict[int, list[Pair]] = {}
    place = (np.searchsorted(sentences.start, spans.start, side="right") - 1).tolist()
    for k, one, two in zip(place, spans.start.tolist(), spans.end.tolist(), strict=True):
        groups.setdefault(k, []).append((one, two))
    return groups


@dataclass(frozen=True)
class Profile:
    """The definition of another tool.

    Args:
        name: its name in `PROFILES`.
        metric: alphabet -> what it counts and scores.
        native: keys and values as the tool itself answers, from the numbers.
        cleans: whether tags and marks are taken out of texts before they are cut; then entities that are given with a
            text are all there are.
        scores_nothing: whether it has figures where there is no text.
    """

    name: str
    metric: Callable[[Alphabet], Pnacos]
    native: Callable[[Mapping[Key, int | float]], Mapping[str, int | float]]
    cleans: bool = False
    scores_nothing: bool = False


PNACOS = Profile("pnacos", Pnacos, native, cleans=True, scores_nothing=True)
