"""Reproduce the figures of the program PNaCoS-NER (profile `pnacos`).

The input is the tokens, sentences and entities of the program.

Definition
    1. Entities of a sentence are merged if one starts at or before the end of another.
    2. A sentence without a letter of the alphabet is right if only spaces (not newlines, tabs or no-break spaces) are
       left when its entities are blanked. Otherwise each of its tokens is broken, and its entities excuse nothing.
    3. In other sentences a token is broken if it has a word character that is neither a digit nor in the alphabet (`_`
       is one), and no merged entity of the text overlaps it or is adjacent to it.
    4. A sentence is broken if a broken token overlaps it or is adjacent to it: of two sentences that touch, a broken
       token between them breaks both. A text is broken if it has a broken token. A ratio without a denominator is -1.0.
    5. Texts are cleaned before they are split, see `batches`; an empty text counts among the texts.

Source: the program's behaviour, on its published example and as measured.

Exceptions from equality
    1. Equal sentences, tokens and entities give equal output. From plain texts, sentences and names come from the
       chosen providers, and the rules are those of isogloss: the program's own lists of excuses are not copied.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import UsageError
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
        words, broken = np.ones(len(batch.tokens), np.bool_), self.mark_broken(batch)
        columns = count_units(batch, words, excused=broken)
        in_text = np.searchsorted(batch.offsets, batch.sentences.start, side="right") - 1  # (sentences,)
        touched = in_text[_mark_touching(batch.sentences, batch.tokens.take(broken))]
        columns["sentences_excused"] = np.bincount(touched, minlength=len(batch.documents))
        return Counts.build(batch.documents, columns)

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
        if batch.alphabet is not None and batch.alphabet is not self.alphabet:
            return PnacosMetric(batch.alphabet).mark_broken(batch)
        assert batch.excused is not None  # noqa: S101  for the type checker
        entities = _group_by_sentence(batch.excused, batch.sentences)
        spans = list(zip(batch.sentences.start.tolist(), batch.sentences.end.tolist(), strict=True))
        merged = [merge_spans(entities.get(k, [])) for k in range(len(spans))]
        right = [self._is_right(batch.string, *pair) for pair in zip(spans, merged, strict=True)]
        found = merge_spans(span for of, entities in zip(right, merged, strict=True) if of for span in entities)
        excused = _mark_touching(batch.tokens, CharSpans(*np.array(found, batch.offsets.dtype).reshape(-1, 2).T))
        tokens = zip(batch.tokens.start.tolist(), batch.tokens.end.tolist(), strict=True)
        foreign = np.array([any(map(self._is_foreign, batch.string[a:b])) for a, b in tokens], np.bool_)
        return ~np.array(right, np.bool_)[batch.sentence_index] | (foreign & ~excused)

    def can_be_broken(self, text: str) -> bool:
        """Return whether entities can change the verdict on a sentence or token."""
        return not any(map(self._is_native, text)) or any(map(self._is_foreign, text))

    def _is_right(self, whole: str, sentence: OffsetPair, entities: list[OffsetPair]) -> bool:
        """Return whether a sentence is right.

        It has a letter of the alphabet, or entities and spaces alone.
        """
        start, end = sentence
        if any(map(self._is_native, whole[start:end])):
            return True
        left = _blank_spans(whole[start:end], [(one - start, two - start) for one, two in entities])
        return not left.strip(" ")

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


def _mark_touching(spans: CharSpans, others: CharSpans) -> NDArray[np.bool_]:
    """Return whether each span overlaps or touches another: (spans,).

    The others are ascending and do not overlap.
    """
    if not len(others):
        return np.zeros(len(spans), np.bool_)
    last = np.searchsorted(others.start, spans.end, side="right") - 1  # (spans,) the last that begins before the end
    touching: NDArray[np.bool_] = (last >= 0) & (others.end[last] >= spans.start)
    return touching


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
        refused: options that it does not support, each with the reason.
        clean_texts: whether to remove tags and marks from texts first, and to look for no names in texts with given
            entities.
        scores_nothing: whether it scores input without texts.
        is_benchmark: whether an identifier judges the lines of texts, and nothing else does.
        default_fields: options with the names of fields, if the user gives none.
    """

    name: str
    make_metric: Callable[[Alphabet], Any]
    tool_output: Callable[[Mapping[ScoreKey, int | float]], Mapping[str, int | float]]
    refused: Mapping[str, str] = field(default_factory=dict)
    clean_texts: bool = False
    scores_nothing: bool = False
    is_benchmark: bool = False
    default_fields: Mapping[str, str] = field(default_factory=dict)

    def check_options(self, options: Any) -> None:
        """Refuse options that the profile does not support.

        Args:
            options: options of the task.

        Raises:
            UsageError: if one of them is set.
        """
        for name, reason in self.refused.items():
            if getattr(options, name):
                raise UsageError(f"{name} cannot be combined with the profile {self.name}, which {reason}.")


PNACOS = CodeSwitchingProfile(
    "pnacos",
    PnacosMetric,
    to_pnacos_output,
    refused={
        "neutral": "counts all tokens",
        "identifier": "has no pass rates",
        "count_by": "counts tokens",
    },
    clean_texts=True,
    scores_nothing=True,
)
