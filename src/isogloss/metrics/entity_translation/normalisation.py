"""In which form names and translations are compared. Each form but the first includes the one before it.

    none           case folding alone, as the official scorer has it
    nfc            canonical composition
    nfkc           compatibility composition: widths, ligatures, presentation forms
    nfkc-quotes    quotation marks, apostrophes and dashes of one kind are alike
    no-space       without white space
    letters        letters, marks and digits only

Marks are never stripped: that would make different words of Thai, Hindi or Japanese kana alike.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal

from isogloss.exceptions import UsageError

Normalisation = Literal["none", "nfc", "nfkc", "nfkc-quotes", "no-space", "letters"]
Fold = Callable[[str], str]
_SINGLE, _DOUBLE = (
    "\u2018\u2019\u201a\u201b\u2032\u02bc\u02b9\u0060\u00b4\u05f3",
    "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u300c\u300d\u300e\u300f\u05f4",
)
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2e3a\u2e3b"
_QUOTES = str.maketrans(
    dict.fromkeys(_SINGLE, "'") | dict.fromkeys(_DOUBLE, '"') | dict.fromkeys(_DASHES, "-") | {"\u2034": "'''"}
)


class _Kept(dict[int, int | None]):
    """What `str.translate` keeps: letters, marks and digits; found when first asked for."""

    def __missing__(self, code: int) -> int | None:
        self[code] = code if unicodedata.category(chr(code))[0] in "LMN" else None
        return self[code]


_KEPT = _Kept()


def folding(name: str) -> Fold:
    """What turns a text into the form in which it is compared.

    Raises:
        UsageError: there is no such form.
    """
    if name not in FORMS:
        raise UsageError(f"normalize is {name!r}, but it is one of {', '.join(FORMS)}.")
    return FORMS[name]


def _composed(text: str, form: Literal["NFC", "NFKC"]) -> str:
    """Folding may take a composed text apart, and composing may bring a capital in, so that both are done twice."""
    once = unicodedata.normalize(form, text).casefold()
    return unicodedata.normalize(form, once).casefold()


_nfc = partial(_composed, form="NFC")
_nfkc = partial(_composed, form="NFKC")


def _quotes(text: str) -> str:
    return _nfkc(text.translate(_QUOTES)).translate(_QUOTES)


def _no_space(text: str) -> str:
    return "".join(_quotes(text).split())


def letters(text: str) -> str:
    """Letters, marks and digits, folded."""
    return _quotes(text).translate(_KEPT)


CASEFOLD: Fold = str.casefold
FORMS: Mapping[str, Fold] = {
    "none": CASEFOLD,
    "nfc": _nfc,
    "nfkc": _nfkc,
    "nfkc-quotes": _quotes,
    "no-space": _no_space,
    "letters": letters,
}
