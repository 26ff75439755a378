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
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import UsageError
from isogloss.kernel.counts import Counts
from isogloss.kernel.scores import Ints, ScoreKey, Scores
from isogloss.kernel.sums import Sums
from isogloss.tasks.code_switching.batches import TOKENS_AT_ONCE, AnnotatedTexts, CharSpans, iterate_marked, sum_between
from isogloss.tasks.code_switching.metric import count_units, score_units
from isogloss.tasks.code_switching.verdicts import TokenMask
from isogloss.text.alphabets import Alphabet

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
        touched = _mark_touched(batch.sentences, batch.tokens, broken)
        edges = np.searchsorted(batch.sentences.start, batch.offsets)  # (documents + 1,) first sentence of each text
        columns["sentences_excused"] = sum_between(touched, edges)
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
        starts = np.append(batch.sentences.start, batch.offsets[-1])
        edges = np.searchsorted(batch.excused.start, starts)  # (sentences + 1,) first entity that begins in each
        right = _mark_having(batch, batch.sentences, self._is_native)
        right |= _mark_covered(batch, edges, ~right)
        of_right = np.repeat(np.append(False, right), np.diff(edges, prepend=0))  # (entities,)
        found = _merge_touching(batch.excused.take(of_right))
        foreign = _mark_having(batch, batch.tokens, self._is_foreign)
        broken = np.repeat(~right, np.diff(batch.sentence_edges))
        return broken | (foreign & ~_mark_touching(batch.tokens, found))

    def can_be_broken(self, text: str) -> bool:
        """Return whether entities can change the verdict on a sentence or token."""
        return not any(map(self._is_native, text)) or any(map(self._is_foreign, text))

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


def _mark_touched(sentences: CharSpans, tokens: CharSpans, broken: TokenMask) -> NDArray[np.bool_]:
    """Mark sentences that a broken token overlaps or touches: (sentences,)."""
    touched = np.zeros(len(sentences), np.bool_)
    for at in range(0, len(sentences), TOKENS_AT_ONCE):
        some = sentences.take(slice(at, at + TOKENS_AT_ONCE))
        first = np.searchsorted(tokens.end, some.start)  # the first token that touches each
        after = np.searchsorted(tokens.start, some.end, side="right")
        before, through = (np.cumsum(sum_between(broken, np.append(first[0], edges))) for edges in (first, after))
        touched[at : at + len(some)] = through > before
    return touched


def _mark_having(batch: AnnotatedTexts, spans: CharSpans, test: Callable[[str], bool]) -> NDArray[np.bool_]:
    """Mark spans with a character that passes: (spans,)."""
    found = np.empty(len(spans), np.bool_)
    for at in range(0, len(spans), TOKENS_AT_ONCE):
        some = spans.take(slice(at, at + TOKENS_AT_ONCE))
        bounds = zip(some.start.tolist(), some.end.tolist(), strict=True)
        found[at : at + len(some)] = [any(map(test, batch.string[start:end])) for start, end in bounds]
    return found


def _merge_touching(spans: CharSpans) -> CharSpans:
    """Merge ascending spans that touch or overlap."""
    end = np.maximum.accumulate(spans.end)
    begins = np.ones(len(spans) + 1, np.bool_)  # whether a merged span begins; the last stands for what follows
    begins[1:-1] = spans.start[1:] > end[:-1]
    return CharSpans(spans.start[begins[:-1]], end[begins[1:]])


def _mark_covered(batch: AnnotatedTexts, edges: Ints, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark chosen sentences of entities and spaces only: (sentences,).

    Args:
        batch: annotated texts, with entities.
        edges: (sentences + 1,) first entity that begins in each sentence.
        chosen: (sentences,) whether to look at each.
    """
    assert batch.excused is not None  # noqa: S101  for the type checker
    covered = np.zeros(len(chosen), np.bool_)
    for k in chain.from_iterable(map(np.ndarray.tolist, iterate_marked(chosen))):
        start, end = int(batch.sentences.start[k]), int(batch.sentences.end[k])
        is_left = batch.text[start:end] != ord(" ")
        for at in range(edges[k], edges[k + 1], TOKENS_AT_ONCE):
            some = batch.excused.take(slice(at, min(at + TOKENS_AT_ONCE, edges[k + 1])))
            for first, last in zip(some.start.tolist(), some.end.tolist(), strict=True):
                is_left[first - start : last - start] = False
        covered[k] = not is_left.any()
    return covered


@lru_cache(maxsize=2**12)
def _is_word(character: str) -> bool:
    """Return whether a character is part of a word, but no digit."""
    return character == "_" or (character.isalnum() and not character.isdecimal())


def _mark_touching(spans: CharSpans, others: CharSpans) -> NDArray[np.bool_]:
    """Return whether each span overlaps or touches another: (spans,).

    The others are ascending and do not overlap.
    """
    touching = np.zeros(len(spans), np.bool_)
    for at in range(0, len(spans) if len(others) else 0, TOKENS_AT_ONCE):
        some = spans.take(slice(at, at + TOKENS_AT_ONCE))
        last = np.searchsorted(others.start, some.end, side="right") - 1  # the last that begins before the end of each
        touching[at : at + len(some)] = (last >= 0) & (others.end[last] >= some.start)
    return touching


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
