"""Letters that stand for a number, a measure or a substance in every language: XIV, 5 km, H₂O, x = 2."""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.rules.excuses.addresses import Found

# Letters beside which a numeral or a unit is not one: Latin, in its first blocks. Others may follow: `II는`, `XX-го`.
LATIN = "A-Za-z\u00aa\u00ba\u00c0-\u024f"
ROMAN = re.compile(rf"(?<![{LATIN}0-9_])[IVXLCDM]++(?![{LATIN}0-9_'’])")
VALUE = re.compile(r"M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
ALONE = frozenset("IVX")  # other letters by themselves are more likely an abbreviation
BASE = "m|g|s|A|K|mol|cd|Hz|N|Pa|J|W|C|V|F|Ω|Ohm|S|Wb|T|H|lm|lx|Bq|Gy|Sv|kat|L|l|ha|t|eV|Wh|VA|var|bar|cal|B|b|bit|bps|px|pc"
MORE = "min|h|d|a|dB|ppm|ppb|rpm|dpi|fps|atm|mmHg|psi|in|ft|yd|mi|mph|oz|lb|gal|pH|kn|ly|au|IU|%"
SIMPLE = rf"(?:(?:da|Ki|Mi|Gi|Ti|[yzafpnuµμmcdhkKMGTPEZY])?(?:{BASE})|{MORE})[²³]?[23]?"
UNIT = re.compile(rf"°?{SIMPLE}(?:[/·⋅]{SIMPLE})*+|°")
MEASURE = re.compile(
    rf"(?<![{LATIN}0-9_.,])[0-9]++(?:[.,][0-9]++)*+[-‐]?(?P<unit>°?{SIMPLE}(?:[/·⋅]{SIMPLE})*)(?![{LATIN}0-9_])"
)
FORMULA = re.compile(rf"(?<![{LATIN}0-9_])(?:[A-Z][a-z]?[0-9₀-₉]*+)++(?:[⁺⁻+−-]|[⁰¹²³⁴-⁹]++[⁺⁻])?+(?![{LATIN}0-9_])")
ELEMENT = re.compile("[A-Z][a-z]?")
ELEMENTS = frozenset(
    "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb Mo "
    "Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl "
    "Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og".split()
)
NUMBER_BEFORE = re.compile(r"[0-9][ \u00a0\u202f]?\Z")
OPERATOR = "=+−×÷±<>≤≥≠≈^√∑∏∫∈∀∃→"
OPERATOR_BEFORE = re.compile(rf"[{OPERATOR}*/(|][ \u00a0]?\Z")
OPERATOR_AFTER = re.compile(rf"[ \u00a0]?[{OPERATOR}*/|]")
REACH = 3  # characters before a token that are looked at


def notations(stretch: str) -> Iterator[Found]:
    """Roman numerals, measures written together and formulas in a stretch without spaces."""
    for match in ROMAN.finditer(stretch):
        if VALUE.fullmatch(match[0]) and (len(match[0]) > 1 or match[0] in ALONE):
            yield match.start(), match.end(), "roman_numeral"
    if any(map(str.isdigit, stretch)):
        for match in MEASURE.finditer(stretch):
            yield *match.span("unit"), "unit"
        for match in FORMULA.finditer(stretch):
            if _is_formula(match[0]):
                yield match.start(), match.end(), "symbol"


def _is_formula(text: str) -> bool:
    return any(map(str.isdigit, text)) and all(element in ELEMENTS for element in ELEMENT.findall(text))


def may_be_unit(core: str) -> bool:
    """Whether a token is a unit if a number stands before it."""
    return UNIT.fullmatch(core) is not None


def is_unit(text: str, start: int) -> bool:
    """Whether a number stands before a place in the text."""
    return NUMBER_BEFORE.search(text, max(0, start - REACH), start) is not None


def is_symbol(text: str, start: int, end: int) -> bool:
    """Whether a single letter stands next to an operator."""
    before = OPERATOR_BEFORE.search(text, max(0, start - REACH), start)
    return before is not None or OPERATOR_AFTER.match(text, end) is not None
