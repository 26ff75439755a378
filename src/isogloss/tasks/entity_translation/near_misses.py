"""What became of a name that is not in a translation. The classes say where to look; they never touch the verdict.

The first that fits is taken:

    missing             there is no translation, or a blank one
    punctuation         an accepted name is there but for punctuation, spaces, widths and quotation marks
    diacritics          but for these and marks of Latin, Greek, Cyrillic, Hebrew and Arabic letters
    sibling_alias       a name is there that is accepted in another sentence about the same entity
    source_name_kept    words of the source with a capital letter or digit stand in the translation unchanged, and in no
                        accepted translation
    other_spelling      a piece of the translation has at least 75% of its letters in common with an accepted name
    answered            all accepted translations have a question mark, this one has none: a question was answered
    other               none of these

The similarity of `other_spelling` is 2 M / T of Ratcliff and Obershelp (1988), as in the `difflib` of Python, of the
name and the pieces of the translation of its length that begin where a common run of letters puts them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from difflib import SequenceMatcher
from typing import Literal

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
NEAR_MISSES: tuple[NearMiss, ...] = (
    "missing",
    "punctuation",
    "diacritics",
    "sibling_alias",
    "source_name_kept",
    "other_spelling",
    "answered",
    "other",
)
MIN_SIMILARITY = 0.75
MIN_NAME_LETTERS = 4  # letters of a name whose spelling can be compared
QUESTION_MARKS = re.compile("[?\uff1f\u061f\u037e\u055e\u1367]")
_MARKS = re.compile("[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670]")
_WORD = re.compile(r"[^\W_]+(?:['\u2019.-][^\W_]+)*")


def classify_near_miss(
    sentence: ReferenceSentence, translation: str | None, siblings: Collection[str], fold: Fold
) -> NearMiss:
    """The class of a translation without an accepted name.

    Args:
        task: the sentence.
        answer: its translation.
        siblings: names that are accepted in any sentence about the same entity, in the same language.
        fold: the form in which names are compared.
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


def _classify_spelling(task: ReferenceSentence, answer: str, plain: str, names: Sequence[str]) -> NearMiss:
    translations = [target.translation for target in task.targets if target.translation]
    if _has_source_name(task.source, answer, translations + list(names)):
        return "source_name_kept"
    if any(_is_similar(fold_letters(name), plain) for name in names):
        return "other_spelling"
    asked = bool(translations) and all(QUESTION_MARKS.search(translation) for translation in translations)
    return "answered" if asked and not QUESTION_MARKS.search(answer) else "other"


def _contains_name(text: str, names: Iterable[str]) -> bool:
    return any(name and name in text for name in names)


def _strip_marks(text: str) -> str:
    """Letters without marks, and the dotless i of Turkish as an i."""
    apart = unicodedata.normalize("NFD", fold_letters(text))
    return unicodedata.normalize("NFC", _MARKS.sub("", apart)).replace("\u0131", "i")


def _has_source_name(source: str, answer: str, accepted: Sequence[str]) -> bool:
    """Whether a name of the source stands in the translation, and in none that is accepted.

    A name is a run of words of the source that begins and ends with a capital letter or a digit, and has four letters.
    The first word is a name only together with others, because a sentence begins with a capital letter.
    """
    words = list(_WORD.finditer(source))
    marked = [k for k, word in enumerate(words) if word[0][0].isupper() or any(map(str.isdigit, word[0]))]
    theirs, others = _normalize_spaces(answer), [_normalize_spaces(text) for text in accepted]
    for first in marked:
        for last in marked:
            if last < first or first == last == 0:
                continue
            run = _normalize_spaces(source[words[first].start() : words[last].end()])
            known = any(run in other for other in others)
            if sum(map(str.isalpha, run)) >= MIN_NAME_LETTERS and run in theirs and not known:
                return True
    return False


def _normalize_spaces(text: str) -> str:
    """The words of a text between single spaces."""
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
