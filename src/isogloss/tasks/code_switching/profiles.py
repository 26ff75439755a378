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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import UsageError
from isogloss.kernel.counts import Counts
from isogloss.kernel.scores import ScoreKey, Scores
from isogloss.kernel.sums import Sums
from isogloss.tasks.code_switching.batches import TOKENS_AT_ONCE, AnnotatedTexts, CharSpans
from isogloss.tasks.code_switching.metric import count_broken, count_units, score_units
from isogloss.tasks.code_switching.verdicts import TokenMask
from isogloss.text.alphabets import CACHE_SIZE, FOREIGN, NATIVE, Alphabet, collect_span_flags
from isogloss.text.scripts import CODE_POINT_COUNT, CodePoints, look_up
from isogloss.text.words import ClassArray

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
        broken = self.mark_broken(batch)
        columns = count_broken(batch, "excused", broken, _mark_touched(batch, broken))
        del broken  # a text may have millions of tokens
        columns = count_units(batch, np.ones(len(batch.tokens), np.bool_)) | columns
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
        tokens, sentences, covered = batch.tokens, batch.sentences, batch.excused.covered
        letters = _flag_letters(self.alphabet, batch.text)
        right = (collect_span_flags(letters, sentences.start, sentences.end) & NATIVE) > 0
        broken = (collect_span_flags(letters, tokens.start, tokens.end) & FOREIGN) > 0
        letters &= BLANK  # changed in place, as a text may have many million characters
        letters |= covered
        left = np.equal(letters, 0, out=letters.view(np.bool_))  # neither a space nor of an entity
        right |= collect_span_flags(left.view(np.uint8), sentences.start, sentences.end) == 0
        del left, letters
        broken &= ~_mark_touching(tokens, batch.excused.mark_from(right))
        broken |= batch.spread(~right)
        return broken

    def mark_undecided(self, text: CodePoints, spans: CharSpans) -> NDArray[np.bool_]:
        """Return whether entities can change the verdict on each span: (spans,).

        Args:
            text: (characters,) code points.
            spans: sentences or tokens of the text.
        """
        return look_up(IS_UNDECIDED, collect_span_flags(_flag_letters(self.alphabet, text), spans.start, spans.end))


def to_pnacos_output(numbers: Mapping[ScoreKey, int | float]) -> dict[str, int | float]:
    """Return the six keys that the program writes, with their values."""
    return {name: numbers[key] for name, key in PNACOS_KEYS.items()}


KNOWN, BLANK = 1, 2  # flags of characters that were looked up, and of the space
IS_UNDECIDED = np.array([not flags & NATIVE or flags & FOREIGN > 0 for flags in range(NATIVE + FOREIGN + 4)])


@lru_cache(CACHE_SIZE)
def _make_letter_table(alphabet: Alphabet) -> ClassArray:  # noqa: ARG001  each alphabet has its own
    """Return flags of no code point yet: (code points,)."""
    return np.zeros(CODE_POINT_COUNT, np.uint8)


def _flag_letters(alphabet: Alphabet, text: CodePoints) -> ClassArray:
    """Return flags of characters as the program sees them: (characters,).

    `NATIVE` are the letters that the alphabet has itself: a compatibility form of one does not count. `FOREIGN` are
    other word characters that are no digits, and `BLANK` is the space.
    """
    table = _make_letter_table(alphabet)
    for at in range(0, len(text), TOKENS_AT_ONCE):
        piece = text[at : at + TOKENS_AT_ONCE]
        for code in np.unique(piece[table[piece] == 0]).tolist():
            table[code] = KNOWN | _flag_letter(alphabet, chr(code))
    return look_up(table, text)


def _flag_letter(alphabet: Alphabet, character: str) -> int:
    if alphabet.is_native(character) and unicodedata.is_normalized("NFKC", character):
        return NATIVE
    if character == "_" or (character.isalnum() and not character.isdecimal()):
        return FOREIGN
    return BLANK if character == " " else 0


def _mark_touched(batch: AnnotatedTexts, broken: TokenMask) -> NDArray[np.bool_]:
    """Mark sentences that a broken token overlaps or touches: (sentences,)."""
    tokens, sentences, touched = batch.tokens, batch.sentences, batch.has_marked(broken)
    for at in range(0, len(sentences) if len(tokens) else 0, TOKENS_AT_ONCE):
        some, edges = sentences.take(slice(at, at + TOKENS_AT_ONCE)), batch.sentence_edges[at : at + TOKENS_AT_ONCE + 1]
        before, after = edges[:-1] - 1, np.minimum(edges[1:], len(tokens) - 1)
        touched[at : at + len(some)] |= broken[before] & (tokens.end[before] == some.start)
        touched[at : at + len(some)] |= broken[after] & (tokens.start[after] == some.end)
    return touched


def _mark_touching(spans: CharSpans, marks: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return whether each span overlaps or touches a mark: (spans,).

    Args:
        spans: spans of a text.
        marks: (characters,) 1 for each marked character, 0 for the last, the space after the last text.
    """
    touching = np.zeros(len(spans), np.bool_)
    for at in range(0, len(spans), TOKENS_AT_ONCE):
        some = spans.take(slice(at, at + TOKENS_AT_ONCE))
        before, after = np.maximum(some.start - 1, 0), np.minimum(some.end + 1, len(marks) - 1)
        touching[at : at + len(some)] = collect_span_flags(marks, before, after)
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
