"""Classify translations without an accepted name.

The classes help to find causes; they never change the verdict.

The first class that applies is used:

    missing             there is no translation, or it is blank
    punctuation         it has an accepted name, up to punctuation, spaces, widths and quotation marks
    diacritics          it has an accepted name, up to these and marks of Latin, Greek, Cyrillic, Hebrew, Arabic
    sibling_alias       it has a name that is accepted in another sentence about the same entity
    source_name_kept    it has words of the source with a capital letter or digit, unchanged, that no accepted
                        translation has
    other_spelling      a part of it has at least 75% of its letters in common with an accepted name
    answered            it has no question mark, but all accepted translations have one: it answers the question
    other               anything else

The similarity of `other_spelling` is 2 M / T of Ratcliff and Obershelp (1988), as in Python's `difflib`. It compares
the name with parts of the translation of the same length, aligned with it at a common run of letters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from difflib import SequenceMatcher
from typing import Literal, get_args

from isogloss.tasks.entity_translation.batches import ReferenceSentence
from isogloss.tasks.entity_translation.matching import Fold, fold_letters

NearMiss = Literal[
    "missing",
    "punctuation",
    "diacritics",
    "sibling_alias",
    "source_name_kept",
    "other_spelling",
    "answered",
    "other",
]
NEAR_MISSES: tuple[NearMiss, ...] = get_args(NearMiss)
MIN_SIMILARITY = 0.75
MIN_NAME_LETTERS = 4  # shorter names are similar to too many words
QUESTION_MARKS = re.compile("[?\uff1f\u061f\u037e\u055e\u1367]")
_MARKS = re.compile("[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670]")
_WORD = re.compile(r"[^\W_]+(?:['\u2019.-][^\W_]+)*")


def classify_near_miss(
    sentence: ReferenceSentence, translation: str | None, siblings: Collection[str], fold: Fold
) -> NearMiss:
    """Return the class of a translation without an accepted name.

    Args:
        sentence: the sentence.
        translation: its translation; None for no translation.
        siblings: names that are accepted in any sentence about the same entity, in the same language.
        fold: normalises texts before they are compared.
    """
    if translation is None or not translation.strip():
        return "missing"
    names = [target.mention for target in sentence.targets]
    plain = fold_letters(translation)
    if _contains_name(plain, map(fold_letters, names)):
        return "punctuation"
    if _contains_name(_strip_marks(translation), map(_strip_marks, names)):
        return "diacritics"
    if _contains_name(fold(translation), map(fold, sorted(siblings))):
        return "sibling_alias"
    return _classify_spelling(sentence, translation, plain, names)


def _classify_spelling(sentence: ReferenceSentence, translation: str, plain: str, names: Sequence[str]) -> NearMiss:
    accepted = [target.translation for target in sentence.targets if target.translation]
    if _has_source_name(sentence.source, translation, accepted + list(names)):
        return "source_name_kept"
    if any(_is_similar(fold_letters(name), plain) for name in names):
        return "other_spelling"
    is_question = bool(accepted) and all(map(QUESTION_MARKS.search, accepted))
    return "answered" if is_question and not QUESTION_MARKS.search(translation) else "other"


def _contains_name(text: str, names: Iterable[str]) -> bool:
    return any(name and name in text for name in names)


def _strip_marks(text: str) -> str:
    """Return the letters of a text without marks.

    The Turkish dotless i becomes i.
    """
    apart = unicodedata.normalize("NFD", fold_letters(text))
    return unicodedata.normalize("NFC", _MARKS.sub("", apart)).replace("\u0131", "i")


def _has_source_name(source: str, translation: str, accepted: Sequence[str]) -> bool:
    """Return whether only the translation has a name of the source.

    No accepted translation has this name. A name is a run of words with at least four letters whose first and last word
    have a capital or a digit. The first word alone is not a name, because every sentence begins with a capital.
    """
    words = list(_WORD.finditer(source))
    marked = [k for k, word in enumerate(words) if word[0][0].isupper() or any(map(str.isdigit, word[0]))]
    text, others = _normalize_spaces(translation), [_normalize_spaces(other) for other in accepted]
    for first in marked:
        for last in marked:
            if last < first or first == last == 0:
                continue
            run = _normalize_spaces(source[words[first].start() : words[last].end()])
            known = any(run in other for other in others)
            if sum(map(str.isalpha, run)) >= MIN_NAME_LETTERS and run in text and not known:
                return True
    return False


def _normalize_spaces(text: str) -> str:
    """Return the folded words of a text, each between single spaces."""
    return f" {' '.join(word[0].casefold() for word in _WORD.finditer(text))} "


def _is_similar(name: str, text: str) -> bool:
    if len(name) < MIN_NAME_LETTERS:
        return False
    matcher = SequenceMatcher(None, "", name, autojunk=False)
    matcher.set_seq1(text)
    begins = {max(0, min(block.a - block.b, len(text) - len(name))) for block in matcher.get_matching_blocks()}
    for begin in sorted(begins):
        matcher.set_seq1(text[begin : begin + len(name)])
        if (
            matcher.real_quick_ratio() >= MIN_SIMILARITY
            and matcher.quick_ratio() >= MIN_SIMILARITY
            and matcher.ratio() >= MIN_SIMILARITY
        ):
            return True
    return False
