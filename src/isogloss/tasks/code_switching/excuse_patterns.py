"""Rules that find excuses for foreign words.

They find addresses, code, quotations, notations and Latin phrases.
"""

from __future__ import annotations

import encodings
import encodings.aliases
import pkgutil
import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import cache

from isogloss.text.scripts import QUOTE_CHARACTERS, QUOTE_PAIRS, choose_position_type, read_data_file

FoundExcuse = tuple[int, int, str]  # first character, character after the last, reason

# For brackets of a regular expression: scripts that are written without spaces, or whose affixes follow a foreign word
# directly. A foreign word next to such a letter still stands alone.
EAST_ASIAN = "\u1100-\u11ff\u3005-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
WORD_CHARACTER = rf"(?![{EAST_ASIAN}])\w"  # a letter or digit of any other script
ALONE_BEFORE, ALONE_AFTER = rf"(?<!{WORD_CHARACTER})", rf"(?!{WORD_CHARACTER})"

DOMAIN_LABEL = "[A-Za-z\u00c0-\u024f0-9_-]"  # includes Latin letters with marks: `münchen.de`
TRAILING_PUNCTUATION = ".,;:!?'\"”’»)]}>…"
MIN_ENCODING_LENGTH = 4
URL_SCHEMES = "(?i:https?|ftps?|sftp|ssh|git|wss?|file)"

_URL = re.compile(rf"(?<![A-Za-z0-9]){URL_SCHEMES}://[^\s<>\"«»“”]++")
_EMAIL = re.compile(r"(?<![\w.%+-])[\w.%+-]++@[\w-]++(?:\.[\w-]++)+")
_MENTION = re.compile(r"(?<![\w@./])@\w++")
_HASHTAG = re.compile(r"(?<![\w&/#])#\w++")
_DOTTED = re.compile(
    rf"(?<!{DOMAIN_LABEL})(?<!{DOMAIN_LABEL}\.){DOMAIN_LABEL}++(?:\.{DOMAIN_LABEL}++)+(?:[/?#:][^\s<>\"«»“”,;]*+)?"
)
_LINE_NUMBER = re.compile(r"(?::[0-9]++)*")  # of a file
_EXTENSION = re.compile(r"(?<![\w.])\.([A-Za-z0-9]++)(?!\w)")
_PATH = re.compile(r"(?<![\w.:/~-])[\w./~-]++")
_ROOTED = re.compile(r"(?:~|\.{1,2})?/[\w.-]+/")
_DRIVE = re.compile(r"(?<![A-Za-z])[A-Za-z]:\\[^\s<>\"«»“”]++")
_FILE_STEM = re.compile(r"(?!\d\d)\w\w")  # its last two characters
_ENCODING_WORD = re.compile(r"(?<![\w-])[A-Za-z][A-Za-z0-9_-]*+(?!\w)")


def find_addresses(run: str) -> Iterator[FoundExcuse]:
    """Yield addresses and technical names in a run without spaces.

    These are URLs, e-mail addresses, mentions, hashtags, file names and encodings.
    """
    for trigger, find in _FINDERS:
        if trigger in run:
            yield from find(run)
    if not run.isalpha():
        yield from _find_encodings(run)


def _make_finder(pattern: re.Pattern[str], reason: str) -> Callable[[str], Iterator[FoundExcuse]]:
    def find(run: str) -> Iterator[FoundExcuse]:
        for match in pattern.finditer(run):
            end = match.start() + len(match[0].rstrip(TRAILING_PUNCTUATION))
            yield match.start(), end, reason

    return find


def _find_dotted(run: str) -> Iterator[FoundExcuse]:
    """Yield domains and file names in a run without spaces.

    They are words with a point and a known last part. A domain includes its path and query.
    """
    for match in _DOTTED.finditer(run):
        name = re.split("[/?#:]", match[0], maxsplit=1)[0]
        whole = match[0].rstrip(TRAILING_PUNCTUATION)
        if _LINE_NUMBER.fullmatch(whole, len(name)) and not name.startswith("www.") and _is_file_name(name):
            yield match.start(), match.start() + len(name), "file_name"
        elif "_" not in name and _is_domain(_get_last_part(name)):
            yield match.start(), match.start() + len(whole), "url"
    for match in _EXTENSION.finditer(run):
        if match[1] in _load_names("extensions.txt"):
            yield *match.span(), "file_name"


def _find_paths(run: str) -> Iterator[FoundExcuse]:
    """Yield paths of files in a run without spaces.

    A path has a root and a folder, or a known extension at the end.
    """
    for match in _PATH.finditer(run):
        path = match[0].rstrip(TRAILING_PUNCTUATION)
        if "/" in path and (_ROOTED.match(path) or _is_file_name(path.rpartition("/")[2])):
            yield match.start(), match.start() + len(path), "file_name"


def _is_file_name(name: str) -> bool:
    """Return whether a name ends in a known extension.

    An extension of one letter needs a stem, so `U.S.A` is not a file name.
    """
    extension = _get_last_part(name)
    if extension not in _load_names("extensions.txt"):
        return False
    return len(extension) > 1 or _FILE_STEM.fullmatch(name[-len("xx.c") : -len(".c")]) is not None


def _is_domain(name: str) -> bool:
    """Return whether a name is a top-level domain.

    The ASCII form of domains in other scripts (`xn--`) counts, too.
    """
    return name in _load_names("domains.txt") or name.startswith("xn--")


def _get_last_part(name: str) -> str:
    """Return the part after the last point, in lower case.

    The part is empty if it begins a sentence, as in `end.So`.
    """
    last = name.rpartition(".")[2]
    return "" if last.istitle() and len(last) > 1 else last.lower()


def _find_encodings(run: str) -> Iterator[FoundExcuse]:
    for match in _ENCODING_WORD.finditer(run):
        name = match[0].rstrip("-_")
        if name.lower().replace("-", "_") in _list_encoding_names():
            yield match.start(), match.start() + len(name), "encoding"


@cache
def _load_names(table: str) -> frozenset[str]:
    return frozenset(read_data_file(table).split())


@cache
def _list_encoding_names() -> frozenset[str]:
    """Return the names of encodings in Python.

    Names are in lower case with `_`. Plain words such as `hex` are left out.
    """
    modules = {module.name for module in pkgutil.iter_modules(encodings.__path__)}
    aliases = {name.lower() for name in encodings.aliases.aliases}
    known = modules | aliases | set(encodings.aliases.aliases.values())
    spelt = known | {name.replace("_", "") for name in known if any(map(str.isdigit, name))}
    return frozenset(name for name in spelt if len(name) >= MIN_ENCODING_LENGTH and not name.isalpha())


_FINDERS: tuple[tuple[str, Callable[[str], Iterator[FoundExcuse]]], ...] = (
    ("://", _make_finder(_URL, "url")),
    ("@", _make_finder(_EMAIL, "email")),
    ("@", _make_finder(_MENTION, "mention")),
    ("#", _make_finder(_HASHTAG, "hashtag")),
    (".", _find_dotted),
    ("/", _find_paths),
    (":\\", _make_finder(_DRIVE, "file_name")),
)

SAME_QUOTES = "\"'”"  # marks that open and close; `”` does so in Swedish and Finnish
REVERSED_QUOTES = {"»": "«", "›": "‹"}
FENCE_LENGTH = 3  # backticks that enclose lines
_MARK = re.compile(f"[{re.escape(''.join(QUOTE_CHARACTERS))}]")
_BACKTICKS = re.compile("`+|\n")
MAX_QUOTE_DEPTH = 8  # quotations within quotations that are tracked
HEBREW = "\u05d0-\u05ea"
_INSIDE_WORD = re.compile(rf"(?<=[^\W\d_])['’‘](?=(?![{EAST_ASIAN}])[^\W\d_])|(?<=[{HEBREW}])\"(?=[{HEBREW}])")
_WORD = re.compile(WORD_CHARACTER)
_ANY_WORD = re.compile(r"\w")


def find_code(text: str) -> Iterator[FoundExcuse]:
    """Yield code between runs of backticks of equal length, as in Markdown.

    Args:
        text: a text.
    """
    if "`" not in text:
        return
    typecode = choose_position_type(len(text))().dtype.char
    starts, breaks = array(typecode), array(typecode)  # of runs of backticks, and newlines
    lengths = array(typecode if "`" * 256 in text else "B")  # because a text may have millions of runs
    for match in _BACKTICKS.finditer(text):
        if match[0] == "\n":
            breaks.append(match.start())
        else:
            starts.append(match.start())
            lengths.append(len(match[0]))
    following: dict[int, int] = {}  # by length, the next run of backticks
    closing = array(typecode, [0]) * len(starts)  # the run that closes each; 0 if there is none
    for run in range(len(starts) - 1, -1, -1):
        closing[run] = following.get(lengths[run], 0)
        following[lengths[run]] = run
    free = 0  # the first run that is not inside code
    for run, last in enumerate(closing):
        if run < free or not last:
            continue
        end = starts[run] + lengths[run]
        if lengths[run] >= FENCE_LENGTH or bisect_left(breaks, end) == bisect_left(breaks, starts[last]):
            yield starts[run], starts[last] + lengths[last], "code"
            free = last + 1


def find_quotations(text: str) -> Iterator[FoundExcuse]:
    """Yield quotations with their marks, nested ones too.

    Args:
        text: a text.
    """
    opened: list[tuple[int, str]] = []  # place, and the marks that close it
    for match in _MARK.finditer(text):
        at, mark = match.start(), match[0]
        if mark == "\n":
            opened = []
        elif mark == "`" or _INSIDE_WORD.match(text, at):
            continue
        elif (depth := _find_closed_quotation(mark, opened)) is not None:
            yield opened[depth][0], at + 1, "quotation"
            del opened[depth:]
        elif (closing := _get_closing_mark(text, at, mark)) is not None:
            opened = [*opened[1 - MAX_QUOTE_DEPTH :], (at, closing)]


def _find_closed_quotation(mark: str, opened: list[tuple[int, str]]) -> int | None:
    """Return the index of the innermost quotation that a mark closes.

    The index is None if the mark closes no quotation.
    """
    return next((depth for depth in range(len(opened) - 1, -1, -1) if mark in opened[depth][1]), None)


def _get_closing_mark(text: str, at: int, mark: str) -> str | None:
    """Return the marks that close the quotation that a mark opens.

    The result is None if the mark opens no quotation.
    """
    after_word = at > 0 and _WORD.match(text, at - 1) is not None
    before_word = _ANY_WORD.match(text, at + 1) is not None
    if mark in QUOTE_PAIRS:
        return QUOTE_PAIRS[mark] if before_word or not after_word else None
    if mark in REVERSED_QUOTES:
        return REVERSED_QUOTES[mark] if before_word and not after_word else None
    return mark if mark in SAME_QUOTES and not after_word else None


ROMAN_NUMERAL = re.compile(rf"{ALONE_BEFORE}[IVXLCDM]++(?!['’]){ALONE_AFTER}")
ROMAN_VALUE = re.compile(r"M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
SMALL_NUMERALS = frozenset("IVX")  # short numerals with other letters are more likely abbreviations: CD, CV, DC, XL
SHORT_NUMERAL = 2

# Prefixes and the unit that they precede; `-` stands for no prefix.
UNIT_PREFIXES = """
    -nµμmcdk:m -nµμmckt:g -fpnµμm:s -µmcdh:l -µmcdh:L -µm:A -µmkM:V -nµmkMGT:W -kMGT:Wh -kM:VA -mkMG:J -k:cal -mkMGT:Hz
    -mkM:N -hkMG:Pa -m:bar -nµmk:mol -mkMGT:eV -mkM:Ω -mkM:Ω -kM:Ohm -pnµm:F -nµm:H -µm:T -µm:Sv -mk:Gy -kMGT:Bq -kM:t
    -kKMGTPE:B -kMGT:b -kMGT:bit -kKMGT:bps -kMG:pc KMGTP:iB -mk:Ah -:K -:C -:lm -:lx -:cd -:kat -:ha -:px -:min -:h -:d
    -:dB -:dBm -:ppm -:ppb -:rpm -:dpi -:ppi -:fps -:atm -:mmHg -:psi -:ft -:yd -:mi -:mph -:oz -:lb -:lbs -:gal -:kn
    -:ly -:au -:AU -:IU -:rad -:sr -:hp
"""
DEGREES = frozenset({"°", "°C", "°F", "°K", "°R"})
MEASURE = re.compile(rf"(?<![.,]){ALONE_BEFORE}[0-9]++(?:[.,][0-9]++)*[-‐]?(?P<unit>(?:(?![{EAST_ASIAN}])[\w°/·⋅])+)")
DECADE = re.compile("[0-9]+0s")  # the 1990s, not as many seconds
UNIT_PART = re.compile(r"[^/·⋅]{0,64}")  # a longer part is no unit
UNIT_OPERATORS = "/·⋅"
POWERS = "²³23"
NUMBER_BEFORE = re.compile(r"[0-9][ \u00a0\u202f]?\Z")

ATOMS = "(?:[A-Z][a-z]?[0-9₀-₉]*+)+"
CHARGE = "(?:[⁺⁻+−-]|[⁰¹²³⁴-⁹]++[⁺⁻])?"
FORMULA = re.compile(rf"{ALONE_BEFORE}(?=({ATOMS}{CHARGE}))\1{ALONE_AFTER}")
FORMULA_COUNT = re.compile("[0-9₀-₉⁺⁻]")  # a formula has numbers, or a charge
ELEMENT = re.compile("[A-Z][a-z]?")
ELEMENTS = frozenset(
    """
    H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb Mo
    Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl
    Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og
    """.split(),  # noqa: SIM905  a list of 118 strings is harder to read
)

OPERATOR = "=+−×÷±<>≤≥≠≈^√∑∏∫∈∀∃→"
JOINING = rf"[{OPERATOR}*/|]"  # `*`, `/` and `|` are operators only next to a single letter
FORMULA_VARIABLE = "[A-Za-zΑ-Ωα-ω]"
FORMULA_INDEX = "[₀-₉⁰¹²³⁴-⁹]"
FORMULA_SYMBOL = re.compile(
    rf"(?<!\w){FORMULA_VARIABLE}{FORMULA_INDEX}*+(?={JOINING}|\()|(?<={JOINING})[0-9]*+{FORMULA_VARIABLE}{FORMULA_INDEX}*+(?!\w)"
    rf"|(?<=\(){FORMULA_VARIABLE}{FORMULA_INDEX}*+(?=\))|(?<!\w){FORMULA_VARIABLE}{FORMULA_INDEX}++(?!\w)",
)
OPERATOR_BEFORE = re.compile(rf"{JOINING}[ \u00a0]?\Z")
OPERATOR_AFTER = re.compile(rf"[ \u00a0]?[{OPERATOR}*/|]")
WORD_BEFORE = re.compile(r"[a-z]{2}[,;:]? \Z")
WORD_AFTER = re.compile(r" [a-z]")
CONTEXT_LENGTH = 4  # characters before a token that are searched


def find_notations(run: str) -> Iterator[FoundExcuse]:
    """Yield numerals, units, formulas and variables in a run without spaces.

    Numerals are Roman; units follow a number.
    """
    for match in ROMAN_NUMERAL.finditer(run):
        if (
            len(match[0]) > 1
            and ROMAN_VALUE.fullmatch(match[0])
            and (len(match[0]) > SHORT_NUMERAL or SMALL_NUMERALS.issuperset(match[0]))
        ):
            yield match.start(), match.end(), "roman_numeral"
    if not run.isalpha():
        yield from _find_symbols(run)
        for match in MEASURE.finditer(run):
            if can_be_unit(match["unit"], 0, len(match["unit"])) and not DECADE.fullmatch(match[0]):
                yield *match.span("unit"), "unit"


def _find_symbols(run: str) -> Iterator[FoundExcuse]:
    for match in FORMULA_SYMBOL.finditer(run):
        yield match.start(), match.end(), "symbol"
    for match in FORMULA.finditer(run):
        if FORMULA_COUNT.search(match[0]) and ELEMENTS.issuperset(ELEMENT.findall(match[0])):
            yield match.start(), match.end(), "symbol"


def can_be_unit(text: str, start: int, end: int) -> bool:
    """Return whether a part of a text is a unit.

    Units can be combined with `/`, `·` and powers.
    """
    while True:  # it may have millions of parts, and most begin with no unit
        part = UNIT_PART.match(text, start, end)[0]  # type: ignore[index]  # it matches anything
        if part not in DEGREES and part.rstrip(POWERS) not in KNOWN_UNITS:
            return False
        start += len(part)
        if start == end or text[start] not in UNIT_OPERATORS:
            return start == end
        start += 1


def is_unit(text: str, start: int) -> bool:
    """Return whether a number precedes a place."""
    return NUMBER_BEFORE.search(text, max(0, start - CONTEXT_LENGTH), start) is not None


def is_numeral(text: str, start: int, end: int) -> bool:
    """Return whether a single letter is a Roman numeral.

    A letter such as `I` is a numeral unless English words surround it.
    """
    if text[start:end] not in SMALL_NUMERALS:
        return False
    before = WORD_BEFORE.search(text, max(0, start - CONTEXT_LENGTH), start)
    return before is None and WORD_AFTER.match(text, end) is None


def is_symbol(text: str, start: int, end: int) -> bool:
    """Return whether a single letter is next to an operator."""
    before = OPERATOR_BEFORE.search(text, max(0, start - CONTEXT_LENGTH), start)
    return before is not None or OPERATOR_AFTER.match(text, end) is not None


def _spell_units() -> Iterator[str]:
    for row in UNIT_PREFIXES.split():
        prefixes, unit = row.split(":")
        yield from (prefix.strip("-") + unit for prefix in prefixes)


KNOWN_UNITS = frozenset(_spell_units())

LATIN_PHRASES = """
    a posteriori|a priori|ab initio|ab ovo|ad absurdum|ad hoc|ad hominem|ad infinitum|ad interim|ad libitum|ad nauseam|
    ad rem|ad valorem|alea iacta est|alma mater|alter ego|ante meridiem|aqua vitae|ars longa|bona fide|carpe diem|
    casus belli|causa mortis|cogito ergo sum|conditio sine qua non|corpus delicti|cui bono|curriculum vitae|
    de facto|de iure|de jure|de novo|deus ex machina|divide et impera|e. g.|e.g.|ecce homo|errare humanum est|
    et al.|et alii|et cetera|et tu|ex ante|ex cathedra|ex libris|ex nihilo|ex officio|ex post|exempli gratia|
    festina lente|homo homini lupus|homo sapiens|honoris causa|i. e.|i.e.|id est|in absentia|in flagranti|
    in medias res|in memoriam|in natura|in situ|in silico|in spe|in statu nascendi|in toto|in vino veritas|in vitro|
    in vivo|inter alia|ipso facto|lapsus linguae|lex specialis|magna cum laude|magnum opus|manu propria|mea culpa|
    memento mori|modus operandi|modus vivendi|mutatis mutandis|non sequitur|nota bene|nulla poena sine lege|
    opus magnum|panem et circenses|pars pro toto|per aspera ad astra|per capita|per se|persona non grata|
    post factum|post hoc|post meridiem|post mortem|post scriptum|prima facie|primus inter pares|pro bono|pro forma|
    pro rata|quid pro quo|quo vadis|quod erat demonstrandum|rara avis|reductio ad absurdum|rigor mortis|sensu lato|
    sensu stricto|sic transit gloria mundi|sine qua non|status quo|stricto sensu|sub rosa|sui generis|summa summarum|
    tabula rasa|terra incognita|ultima ratio|urbi et orbi|vade mecum|veni, vidi, vici|verba volant|vice versa|
    vox populi
"""
LETTER_AFTER = re.compile(r"\w")


def _index_phrases() -> dict[str, tuple[str, ...]]:
    """Return phrases by their first word, the longest first."""
    phrases = [phrase.strip() for phrase in LATIN_PHRASES.replace("\n", " ").split("|")]
    heads: dict[str, list[str]] = {}
    for phrase in sorted(phrases, key=len, reverse=True):
        heads.setdefault(re.split(r"[ .,]", phrase, maxsplit=1)[0], []).append(phrase)
    return {head: tuple(rest) for head, rest in heads.items()}


PHRASES_BY_WORD = _index_phrases()


def find_phrase_end(text: str, start: int, head: str) -> int | None:
    """Return the end of the Latin phrase that begins at a place.

    The end is None if no phrase begins there.

    Args:
        text: a text.
        start: place of the first word.
        head: the first word in lower case.
    """
    for phrase in PHRASES_BY_WORD.get(head, ()):
        end = start + len(phrase)
        if text[start:end].lower() == phrase and not (phrase[-1] != "." and LETTER_AFTER.match(text, end)):
            return end
    return None
