"""Rules that find markup, formulas and abbreviations that excuse foreign words.

The rules search whole texts, as most of these spans have spaces in them. Each takes time linear in the text. A pattern
that begins with letters looks back after the first one, which is faster than a pattern that begins by looking back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from isogloss.tasks.code_switching.excuse_patterns import ALONE_AFTER, WORD_CHARACTER, FoundExcuse

IsNative = Callable[[int], bool]  # whether the character at a place is a letter of the language

HTML_ELEMENTS = "|".join(
    """
    a abbr acronym address area article aside audio b base bdi bdo big blockquote body br button canvas caption center
    cite code col colgroup data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure font
    footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label legend li
    link main map mark menu meta meter nav noscript object ol optgroup option output p param picture pre progress q rp
    rt ruby s samp script search section select slot small source span strike strong style sub summary sup svg table
    tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr
    """.split()  # noqa: SIM905  a list is harder to read
)
_TAG = re.compile(
    rf"</?(?i:{HTML_ELEMENTS})(?:\s[^<>]*+)?/?>"  # a known element, with anything after it
    r"|</?[A-Za-z][\w.:-]*+(?:\s++[\w.:-]++=(?:\"[^\"<>]*+\"|'[^'<>]*+'|[^\s<>\"']++))*+\s*+/?>"  # any with attributes
    r"|<!DOCTYPE[^<>]*+>"
)
_CODE_TAG = re.compile(r"<(?P<close>/?)(?P<name>(?i:script|style|code|pre|kbd|samp|var))\b[^<>]*+>")
_ENTITY = re.compile(r"&(?:[A-Za-z][A-Za-z0-9]{1,31}|#x[0-9A-Fa-f]{1,6});")
_LINK_TARGET = re.compile(r"(?<=\]\()[^()\s]++(?:\s++\"[^\"\n]*+\")?(?=\))")
_LINK_LABEL = re.compile(r"(?<=\])\[[^\[\]\n]{1,80}+\]|^[ ]{0,3}\[[^\[\]\n]{1,80}+\]:(?=\s)", re.MULTILINE)
_ATTRIBUTES = re.compile(r"(?<=\s)\{[#.][^{}\n]{1,80}+\}")
_TASK = re.compile(r"(?<=[-*+] )\[[xX]\](?=\s)")
_FENCE = re.compile(r"^[ ]{0,3}(~{3,})[^\n]*\n(?:.*?\n)??[ ]{0,3}\1~*[ ]*$", re.MULTILINE | re.DOTALL)
_OPEN_FENCE = re.compile(r"^[ ]{0,3}(?:`{3,}|~{3,})[ ]*(?P<language>[A-Za-z][\w+#.-]*)[ ]*$", re.MULTILINE)

_ENVIRONMENT = re.compile(r"\\(?P<close>begin|end)\{(?P<name>[a-zA-Z*]+)\}")
_LATEX_BRACKETS = (("\\[", "\\]"), ("\\(", "\\)"), ("$$", "$$"))
_DOLLARS = re.compile(r"(?<![\\$\w])\$(?![\s$])(?P<formula>[^$\n]{1,300}?)(?<![\s\\])\$(?![\w$])")
_IS_FORMULA = re.compile(r"[\\^_={}<>]|^[A-Za-zΑ-ω]$|^[\dA-Za-z\s+*/().,-]*[+*/-][\dA-Za-z\s+*/().,-]*$")
_COMMAND = re.compile(r"\\[A-Za-z]{2,}\*?(?:\[[^\[\]\n]*+\])?(?:\{[A-Za-z0-9_:,. /*-]*+\})*")

_E_NUMBER = re.compile(rf"E(?<!{WORD_CHARACTER}E)[ -]?[1-9][0-9]{{2,3}}[a-z]?{ALONE_AFTER}")
CURRENCY_CODES = frozenset(
    """
    AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF
    CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG
    HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA
    MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD
    RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX
    USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWL BTC ETH USDT
    """.split()  # noqa: SIM905  a list is harder to read
)
COMMON_CURRENCIES = frozenset("AUD CAD CHF CNY EUR GBP INR JPY KRW PLN RUB THB UAH USD".split())  # noqa: SIM905  as above
FILE_TYPES = frozenset(
    """
    AAC APK AVI BMP CSS CSV DOC DOCX DOCM EPUB EXE FLAC GIF HTML ISO JAR JPEG JPG JSON JSONL LOG MD MKV MOV MP3 MP4
    MPEG ODS ODT OGG PDF PHP PNG PPT PPTX PSD PY RAR RTF SQL SVG TAR TIFF TSV TXT WAV WEBM WEBP WMA XHTML XLS XLSX XML
    YAML YML ZIP
    """.split()  # noqa: SIM905  a list is harder to read
)
_CODE = re.compile(rf"[A-Z](?<!{WORD_CHARACTER}[A-Z])[A-Z0-9]{{1,4}}{ALONE_AFTER}")
_NUMBER_BEFORE = re.compile(r"[0-9][ \u00a0\u202f]?\Z")
_NUMBER_AFTER = re.compile(r"[ \u00a0\u202f]?[0-9]")

CAPITAL = "[A-ZΑ-ΡΣ-ΩЀ-Я]"
SHORT_ACRONYM = 4  # letters; longer capitals beside each other are words in capitals
_ACRONYM = re.compile(rf"{CAPITAL}(?<!{WORD_CHARACTER}{CAPITAL}){CAPITAL}{{1,5}}(?:-?[0-9]{{1,4}})?s?{ALONE_AFTER}")
_CAPITALS_BEFORE = re.compile(rf"({CAPITAL}{{2,}})[ \u00a0]\Z")
_CAPITALS_AFTER = re.compile(rf"[ \u00a0]({CAPITAL}{{2,}}){ALONE_AFTER}")
LONGEST_CAPITALS = 24

MOST_ORIGINAL_WORDS = 6
_BRACKETS = re.compile(r"[(（\[【](?P<inside>[^()（）\[\]【】\n]{1,80}+)[)）\]】]")
_SOURCE_LANGUAGE = re.compile(r"\s*[^\W\d_]{2,10}(?:[.:：]|\s*[:：])\s*")  # `англ.`, `英文：`
_WORD = re.compile(r"[^\W_]+")
SENTENCE_ENDS = ".!?。！？"


def find_markup(text: str) -> Iterator[FoundExcuse]:
    """Yield HTML and Markdown syntax, and code that they enclose.

    Args:
        text: a text.
    """
    if "<" in text:
        yield from _find_pairs(_CODE_TAG, text, "code")
        yield from _find_between(text, "<!--", "-->", "markup")
        yield from _find_all(_TAG, text, "markup")
    if "&" in text:
        yield from _find_all(_ENTITY, text, "markup")
    if "~~~" in text or "```" in text:
        yield from _find_all(_FENCE, text, "code")
        for match in _OPEN_FENCE.finditer(text):
            yield *match.span("language"), "code"
    if "[" in text:
        for pattern in (_LINK_TARGET, _LINK_LABEL, _TASK):
            yield from _find_all(pattern, text, "markup")
    if "{" in text:
        yield from _find_all(_ATTRIBUTES, text, "markup")


def find_latex(text: str) -> Iterator[FoundExcuse]:
    """Yield formulas and commands of LaTeX.

    Text between two dollar signs is a formula if it looks like one; amounts such as `$5 and $6` are not.

    Args:
        text: a text.
    """
    if "\\" in text or "$" in text:
        yield from _find_pairs(_ENVIRONMENT, text, "latex")
        for opening, closing in _LATEX_BRACKETS:
            yield from _find_between(text, opening, closing, "latex")
    if "$" in text:
        for match in _DOLLARS.finditer(text):
            if _IS_FORMULA.search(match["formula"]):
                yield *match.span(), "latex"
    if "\\" in text:
        yield from _find_all(_COMMAND, text, "latex")


def find_codes(text: str) -> Iterator[FoundExcuse]:
    """Yield E-numbers, currency codes and file types in capitals.

    Args:
        text: a text.
    """
    yield from _find_all(_E_NUMBER, text, "additive")
    for match in _CODE.finditer(text):
        if match[0] in FILE_TYPES:
            yield *match.span(), "file_name"
        elif match[0] in CURRENCY_CODES and (
            match[0] in COMMON_CURRENCIES
            or _NUMBER_BEFORE.search(text, max(0, match.start() - 2), match.start())
            or _NUMBER_AFTER.match(text, match.end())
        ):
            yield *match.span(), "currency"


def find_acronyms(text: str) -> Iterator[FoundExcuse]:
    """Yield short words in capitals, with number and plural `s`.

    They have two to six capitals. Beside another word in capitals, both must have at most four letters:
    `OPTIONS TRADING` are words.

    Args:
        text: a text.
    """
    for match in _ACRONYM.finditer(text):
        before = _CAPITALS_BEFORE.search(text, max(0, match.start() - LONGEST_CAPITALS), match.start())
        after = _CAPITALS_AFTER.match(text, match.end())
        words = [match[0], *(each[1] for each in (before, after) if each is not None)]
        if len(words) == 1 or max(map(len, words)) <= SHORT_ACRONYM:
            yield *match.span(), "acronym"


def find_originals(text: str, is_native: IsNative) -> Iterator[FoundExcuse]:
    """Yield brackets with the foreign original of the words before them.

    A word of the language stands before the bracket. In it are at most six words, none of them of the language, except
    the name of a language before a full stop or colon; it is not a sentence.

    Args:
        text: a text.
        is_native: whether the character at a place is a letter of the language.
    """
    for match in _BRACKETS.finditer(text):
        before = match.start() - 1
        while before >= 0 and text[before] in ' \u00a0*_"»”’」』':
            before -= 1
        begin, inside = match.start("inside"), match["inside"]
        if before < 0 or not is_native(before) or inside.rstrip()[-1:] in tuple(SENTENCE_ENDS):
            continue
        label = _SOURCE_LANGUAGE.match(inside)
        rest = label.end() if label is not None and is_native(begin + len(inside) - len(inside.lstrip())) else 0
        words = [*_WORD.finditer(inside, rest)]
        if len(words) <= MOST_ORIGINAL_WORDS and not any(is_native(begin + at) for at in range(rest, len(inside))):
            yield *match.span(), "original"


def _find_all(pattern: re.Pattern[str], text: str, reason: str) -> Iterator[FoundExcuse]:
    return ((match.start(), match.end(), reason) for match in pattern.finditer(text))


def _find_between(text: str, opening: str, closing: str, reason: str) -> Iterator[FoundExcuse]:
    """Yield spans from an opening to the next closing."""
    start = text.find(opening)
    while start >= 0:
        end = text.find(closing, start + len(opening))
        if end < 0:
            return
        yield start, end + len(closing), reason
        start = text.find(opening, end + len(closing))


def _find_pairs(pattern: re.Pattern[str], text: str, reason: str) -> Iterator[FoundExcuse]:
    """Yield spans from a tag to the one that closes it."""
    opened: dict[str, int] = {}
    for match in pattern.finditer(text):
        name = match["name"].lower()
        if match["close"] not in ("/", "end"):
            opened.setdefault(name, match.start())
        elif name in opened:
            yield opened.pop(name), match.end(), reason
