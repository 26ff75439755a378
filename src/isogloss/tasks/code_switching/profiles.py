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
from isogloss.kernel.scores import Proportions, ScoreKey, Scores, divide, find_proportions
from isogloss.kernel.sums import Sums
from isogloss.tasks.code_switching.batches import AnnotatedTexts, CharSpans
from isogloss.tasks.code_switching.metric import RATE_PROPORTIONS, SCORED_UNITS
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
        """Tokens, sentences and texts, and how many of each are broken."""
        number, broken = len(batch.documents), self.mark_broken(batch)
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
        for unit in SCORED_UNITS:
            broken, total = (sums.get_column(f"{unit}_{what}").sum(axis=-1) for what in ("excused", "total"))
            scores |= {(unit, "excused_rate"): divide(broken, total, -1.0), (unit, "excused_count"): broken}
            scores[unit, "total"] = total
        return scores

    def score(self, sums: Sums) -> Scores:
        """The overall scores, and how many broken tokens there are to look at."""
        return self.overall(sums) | {("findings", "foreign"): sums.get_column("words_excused").sum(axis=-1)}

    def proportions(self, sums: Sums) -> Proportions:
        """The rates."""
        return find_proportions(self.overall(sums), RATE_PROPORTIONS)

    def mark_broken(self, batch: AnnotatedTexts) -> TokenMask:
        """(tokens,) whether each is broken."""
        tokens = _group_by_sentence(batch.tokens, batch.sentences)
        entities = _group_by_sentence(batch.excused, batch.sentences)
        whole = batch.text.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
        spans = zip(batch.sentences.start.tolist(), batch.sentences.end.tolist(), strict=True)
        verdicts = [
            verdict
            for k, sentence in enumerate(spans)
            for verdict in self._judge_tokens(whole, sentence, tokens.get(k, []), merge_spans(entities.get(k, [])))
        ]
        return np.array(verdicts, np.bool_)

    def can_be_broken(self, text: str) -> bool:
        """Whether entities can change the verdict on a sentence, or on a token that stands by itself."""
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
        """Whether the alphabet has the letter itself; letters in a compatibility form are those of the default only."""
        return self.alphabet.is_native(character) and unicodedata.is_normalized("NFKC", character)


def to_pnacos_output(numbers: Mapping[ScoreKey, int | float]) -> dict[str, int | float]:
    """The six keys that the program answers."""
    return {name: numbers[key] for name, key in PNACOS_KEYS.items()}


def merge_spans(spans: Iterable[OffsetPair]) -> list[OffsetPair]:
    """Spans, those joined where one starts at or before the end of another."""
    result: list[OffsetPair] = []
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


def _blank_spans(text: str, spans: list[OffsetPair]) -> str:
    for start, end in spans:
        text = text[: max(0, start)] + " " * (min(end, len(text)) - max(0, start)) + text[end:]
    return text


def _group_by_sentence(spans: CharSpans, sentences: CharSpans) -> dict[int, list[OffsetPair]]:
    """Spans by the sentence that they begin in."""
    groups: dict[int, list[OffsetPair]] = {}
    place = (np.searchsorted(sentences.start, spans.start, side="right") - 1).tolist()
    for k, one, two in zip(place, spans.start.tolist(), spans.end.tolist(), strict=True):
        groups.setdefault(k, []).append((one, two))
    return groups


@dataclass(frozen=True)
class CodeSwitchingProfile:
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
    make_metric: Callable[[Alphabet], PnacosMetric]
    tool_output: Callable[[Mapping[ScoreKey, int | float]], Mapping[str, int | float]]
    clean_texts: bool = False
    scores_nothing: bool = False


PNACOS = CodeSwitchingProfile("pnacos", PnacosMetric, to_pnacos_output, clean_texts=True, scores_nothing=True)
