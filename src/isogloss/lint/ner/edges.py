"""Ends of names that seem not to belong to them: white space, and punctuation.

Punctuation seems not to belong to a name where it is

- a mark that sets off words, in any script: commas, colons, dashes, marks of questions, ends of sentences, backquotes;
- a point, unless it may abbreviate: the word before it has at most four letters, or points inside it (`Inc.`, `U.S.`);
- a bracket or quote whose partner is not in the name;
- an apostrophe that touches no letter.

Marks that are part of words stay: those of Thai and Hebrew abbreviations, of Tibetan syllables, `%`, `@`, `#`, `&`.
"""

from __future__ import annotations

from itertools import chain

INVISIBLE = frozenset(
    "\u00ad\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
)
LATIN = ",;:!?…·•`-\u2010\u2012\u2013\u2014\u2015"
ARABIC, CHINESE = "،؛؟۔", "、。，；：？！︰‥｡､"  # noqa: RUF001  marks of a script look like those of others
OTHERS = "।॥၊။។៕།༎።፣፤፥׃։"  # noqa: RUF001  Devanagari, Burmese, Khmer, Tibetan, Ethiopic, Hebrew, Armenian
MARKS = frozenset(LATIN + ARABIC + CHINESE + OTHERS)
PAIRS = '() [] {} <> "" “”“ ”” „“” «» »«» ‹› （） ［］ 【】 〔〕 《》 〈〉 「」 『』'  # noqa: RUF001
PARTNERS = {pair[0]: pair[1:] for pair in PAIRS.split()}  # of what opens, what may close it
CLOSING = frozenset(chain.from_iterable(PARTNERS.values()))
POINTS = frozenset(".．")  # noqa: RUF001
APOSTROPHES = frozenset("'\u2018\u2019")
ABBREVIATED = 4  # letters of a word before a point


def spaces(name: str) -> list[str]:
    """The ends of a name, `begins` or `ends`, that are white space or invisible.

    Args:
        name: not empty.
    """
    ends = {"begins": name[0], "ends": name[-1]}
    return [end for end, character in ends.items() if character.isspace() or character in INVISIBLE]


def punctuation(name: str) -> list[str]:
    """The ends of a name, `begins` or `ends`, with punctuation that seems not to belong to it.

    Args:
        name: not empty.
    """
    found = []
    if _is_stray_begin(name[0], name[1:]):
        found.append("begins")
    if len(name) > 1 and _is_stray_end(name[-1], name[:-1]):
        found.append("ends")
    return found


def _is_stray_begin(mark: str, rest: str) -> bool:
    if mark in MARKS:
        return True
    if mark in POINTS or mark in APOSTROPHES:
        return not rest[:1].isalnum()
    return mark in CLOSING - PARTNERS.keys() or (mark in PARTNERS and not any(each in rest for each in PARTNERS[mark]))


def _is_stray_end(mark: str, rest: str) -> bool:
    if mark in MARKS or mark in PARTNERS.keys() - CLOSING:
        return True
    if mark in APOSTROPHES:
        return not rest[-1:].isalnum()
    if mark in POINTS:
        return _ends_sentence(rest)
    return mark in CLOSING and not any(opening in rest for opening, closing in PARTNERS.items() if mark in closing)


def _ends_sentence(rest: str) -> bool:
    """Whether a point after this abbreviates no word."""
    words = rest.split()
    if not words or not words[-1][-1].isalnum():
        return True
    return len(words[-1]) > ABBREVIATED and POINTS.isdisjoint(words[-1])
