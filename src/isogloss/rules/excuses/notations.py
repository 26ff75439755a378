"""Letters that stand for a number, a measure or a substance in every language: XIV, 5 km, H₂O, x = 2.

Each pattern begins only where a run of its characters begins and never gives a character back, as with addresses. A
repeated group gives nothing back as a lookahead that is then repeated: Python before 3.11.5 loses matches of `(...)++`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.rules.excuses.found import ALONE_AFTER, ALONE_BEFORE, EAST_ASIAN, Found

ROMAN = re.compile(rf"{ALONE_BEFORE}[IVXLCDM]++(?!['’]){ALONE_AFTER}")
VALUE = re.compile(r"M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
SMALL = frozenset("IVX")  # shorter numerals with other letters are more likely an abbreviation: CD, CV, DC, XL
SHORT = 2

# Prefixes, and what they stand before; `-` for none.
UNITS = """
    -nµμmcdk:m -nµμmckt:g -fpnµμm:s -µmcdh:l -µmcdh:L -µm:A -µmkM:V -nµmkMGT:W -kMGT:Wh -kM:VA -mkMG:J -k:cal -mkMGT:Hz
    -mkM:N -hkMG:Pa -m:bar -nµmk:mol -mkMGT:eV -mkM:Ω -mkM:Ω -kM:Ohm -pnµm:F -nµm:H -µm:T -µm:Sv -mk:Gy -kMGT:Bq -kM:t
    -kKMGTPE:B -kMGT:b -kMGT:bit -kKMGT:bps -kMG:pc KMGTP:iB -mk:Ah -:K -:C -:lm -:lx -:cd -:kat -:ha -:px -:min -:h -:d
    -:dB -:dBm -:ppm -:ppb -:rpm -:dpi -:ppi -:fps -:atm -:mmHg -:psi -:ft -:yd -:mi -:mph -:oz -:lb -:lbs -:gal -:kn
    -:ly -:au -:AU -:IU -:rad -:sr -:hp
"""
DEGREES = frozenset({"°", "°C", "°F", "°K", "°R"})
MEASURE = re.compile(rf"(?<![.,]){ALONE_BEFORE}[0-9]++(?:[.,][0-9]++)*[-‐]?(?P<unit>(?:(?![{EAST_ASIAN}])[\w°/·⋅])+)")
DECADE = re.compile("[0-9]+0s")  # the 1990s, not as many seconds
PARTS = re.compile("[/·⋅]")
POWERS = "²³23"
NUMBER_BEFORE = re.compile(r"[0-9][ \u00a0\u202f]?\Z")

ATOMS = "(?:[A-Z][a-z]?[0-9₀-₉]*+)+"
CHARGE = "(?:[⁺⁻+−-]|[⁰¹²³⁴-⁹]++[⁺⁻])?"
FORMULA = re.compile(rf"{ALONE_BEFORE}(?=({ATOMS}{CHARGE}))\1{ALONE_AFTER}")
COUNTED = re.compile("[0-9₀-₉⁺⁻]")  # a formula has numbers, or a charge
ELEMENT = re.compile("[A-Z][a-z]?")
ELEMENTS = frozenset(
    """
    H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb Mo
    Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl
    Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og
    """.split()  # noqa: SIM905  a list of 118 strings is harder to read
)

OPERATOR = "=+−×÷±<>≤≥≠≈^√∑∏∫∈∀∃→"
JOINING = rf"[{OPERATOR}*/|]"  # what is an operator only if a single letter touches it
VARIABLE = "[A-Za-zΑ-Ωα-ω]"
INDEX = "[₀-₉⁰¹²³⁴-⁹]"
SYMBOL = re.compile(
    rf"(?<!\w){VARIABLE}{INDEX}*+(?={JOINING}|\()|(?<={JOINING})[0-9]*+{VARIABLE}{INDEX}*+(?!\w)"
    rf"|(?<=\(){VARIABLE}{INDEX}*+(?=\))|(?<!\w){VARIABLE}{INDEX}++(?!\w)"
)
OPERATOR_BEFORE = re.compile(rf"{JOINING}[ \u00a0]?\Z")
OPERATOR_AFTER = re.compile(rf"[ \u00a0]?[{OPERATOR}*/|]")
WORD_BEFORE = re.compile(r"[a-z]{2}[,;:]? \Z")
WORD_AFTER = re.compile(r" [a-z]")
REACH = 4  # characters before a token that are looked at


def notations(stretch: str) -> Iterator[Found]:
    """Roman numerals, measures written together, formulas and variables in a stretch without spaces."""
    for match in ROMAN.finditer(stretch):
        if len(match[0]) > 1 and VALUE.fullmatch(match[0]) and (len(match[0]) > SHORT or SMALL.issuperset(match[0])):
            yield match.start(), match.end(), "roman_numeral"
    if not stretch.isalpha():
        yield from _symbols(stretch)
        for match in MEASURE.finditer(stretch):
            if may_be_unit(match["unit"]) and not DECADE.fullmatch(match[0]):
                yield *match.span("unit"), "unit"


def _symbols(stretch: str) -> Iterator[Found]:
    for match in SYMBOL.finditer(stretch):
        yield match.start(), match.end(), "symbol"
    for match in FORMULA.finditer(stretch):
        if COUNTED.search(match[0]) and ELEMENTS.issuperset(ELEMENT.findall(match[0])):
            yield match.start(), match.end(), "symbol"


def may_be_unit(core: str) -> bool:
    """Whether a token is a unit if a number stands before it: a unit, or units by units, each to a power."""
    return all(part in DEGREES or part.rstrip(POWERS) in KNOWN_UNITS for part in PARTS.split(core))


def is_unit(text: str, start: int, first: int) -> bool:
    """Whether a number stands before a place, not before the first character that is looked at."""
    return NUMBER_BEFORE.search(text, max(first, start - REACH), start) is not None


def is_numeral(text: str, span: tuple[int, int], limits: tuple[int, int]) -> bool:
    """Whether a single letter is a Roman numeral within the limits: `I`, unless it stands among English words."""
    if text[slice(*span)] not in SMALL:
        return False
    before = WORD_BEFORE.search(text, max(limits[0], span[0] - REACH), span[0])
    return before is None and WORD_AFTER.match(text, span[1], limits[1]) is None


def is_symbol(text: str, span: tuple[int, int], limits: tuple[int, int]) -> bool:
    """Whether a single letter stands next to an operator within the limits."""
    before = OPERATOR_BEFORE.search(text, max(limits[0], span[0] - REACH), span[0])
    return before is not None or OPERATOR_AFTER.match(text, span[1], limits[1]) is not None


def _spelt() -> Iterator[str]:
    for row in UNITS.split():
        prefixes, unit = row.split(":")
        yield from (prefix.strip("-") + unit for prefix in prefixes)


KNOWN_UNITS = frozenset(_spelt())
