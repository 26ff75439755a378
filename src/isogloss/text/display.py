"""Text on a terminal: grapheme clusters, display width, and safe printing.

A *cluster* is an extended grapheme cluster of Unicode Standard Annex #29 (rules of Unicode 18): what a reader takes for
one character, such as a Thai consonant with vowel and tone, a Devanagari conjunct or a flag. The rules are one regular
expression over the class of each code point. Classes come from `unicodedata` where it has the property; the tables
below hold the rest (Grapheme_Cluster_Break, Indic_Conjunct_Break, Extended_Pictographic).

*Cells* are counted as the most that common terminals use. Each code point counts by itself, because terminals that do
not know a joined emoji show its parts. A spacing mark counts one and a skin tone two, as in the C library, although
`rich` counts zero. So a text measured here never runs over the line; it may end before it.

Offsets are half-open ranges of code points in the unchanged text.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import takewhile
from typing import Literal

ELLIPSIS = "…"
LINE_PARTS = re.compile(r"([\n\t])")
# Scripts that put no space between words, and Katakana, as the insides of classes of regular expressions.
UNSPACED = (
    "\u0e00-\u0fff"  # Thai, Lao, Tibetan
    "\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f"  # Myanmar
    "\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aaf\uaa80-\uaadf"  # Khmer and the Tai scripts
    "\u3005-\u3007\u3041-\u309f\u3105-\u312f"  # iteration marks, Hiragana, Bopomofo
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"


def format_count(number: int, noun: str) -> str:
    """Write a number with a noun: `1 span`, `2,077 documents`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def split_graphemes(text: str) -> list[tuple[int, int]]:
    """Return start and end of each cluster; together they cover the text."""
    return [cluster.span() for cluster in _CLUSTER.finditer(text.translate(_CLASSES))]


def snap_to_clusters(text: str, start: int, end: int) -> tuple[int, int]:
    """Widen a span to whole clusters.

    An empty span between clusters stays empty.
    """
    if start <= end <= len(text) and text.isascii() and text[start : start + 1] != "\n" != text[end : end + 1]:
        return start, end  # only \r\n is one cluster of two ASCII characters
    return _find_cluster_start(text, start), _find_cluster_end(text, end)


def measure_width(text: str) -> int:
    """Return the most cells the text takes; control characters count as 0."""
    return sum(map(_WIDTHS.__getitem__, map(ord, text)))


def fit_width(text: str, cells: int, *, ellipsis: str = ELLIPSIS, keep: Literal["start", "end"] = "start") -> str:
    """Cut a text to a width, never inside a cluster.

    Args:
        text: a text without control characters, see `make_visible`.
        cells: the width in cells, at least the width of the ellipsis.
        ellipsis: replaces the part that is cut off.
        keep: which end of the text stays.

    Raises:
        ValueError: if not even the ellipsis fits.
    """
    if measure_width(text) <= cells:
        return text
    room = cells - measure_width(ellipsis)
    if room < 0:
        raise ValueError(f"the ellipsis {ellipsis!r} is wider than {cells} cells")
    edges = _find_edges(text)
    if keep == "start":
        return text[: edges[bisect_right(edges, room, key=lambda edge: measure_width(text[:edge])) - 1]] + ellipsis
    return ellipsis + text[edges[bisect_left(edges, -room, key=lambda edge: -measure_width(text[edge:]))] :]


def fit_apart(
    texts: Sequence[str], cells: int, *, ellipsis: str = ELLIPSIS, keep: Literal["start", "end"] = "start"
) -> list[str]:
    """Cut texts to a width so that different texts still look different.

    Texts that are too long first lose the folders they share at the end that is kept: `a/long/tail` and `b/long/tail`
    become `a/…` and `b/…`. Texts that would still look equal keep their other end, or lose everything they share if
    both ends are alike. Texts that cannot differ in this width stay whole.

    Args:
        texts: texts without control characters, see `make_visible`.
        cells: the width in cells, at least the width of the ellipsis.
        ellipsis: replaces the part that is cut off.
        keep: which end of a text stays if it tells the text from the others.

    Raises:
        ValueError: if not even the ellipsis fits.
    """
    fitted = {text: fit_width(text, cells, ellipsis=ellipsis, keep=keep) for text in texts}
    long = [text for text, cut in fitted.items() if text != cut]
    fitted |= _without_shared(long, cells, ellipsis, keep, folders=True)
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for text, cut in fitted.items():
        alike[cut].append(text)
    for group in alike.values():
        ends = {
            text: fit_width(text, cells, ellipsis=ellipsis, keep="end" if keep == "start" else "start")
            for text in group
        }
        is_apart = len(set(ends.values())) == len(group) > 1
        fitted |= ends if is_apart else _without_shared(group, cells, ellipsis, keep, folders=False)
    times = Counter(fitted.values())
    return [fitted[text] if times[fitted[text]] == 1 else text for text in texts]


def _without_shared(
    texts: Sequence[str], cells: int, ellipsis: str, keep: Literal["start", "end"], *, folders: bool
) -> dict[str, str]:
    """Cut texts after removing the folders or clusters that all share."""
    if len(texts) == 1:
        return {}
    order = 1 if keep == "start" else -1
    sides = [[text[start:end] for start, end in split_graphemes(text)][::order] for text in texts]
    least = min(map(len, sides), default=1) - 1  # part of each text stays
    alike = takewhile(lambda column: len(set(column)) == 1, zip(*(side[:least] for side in sides), strict=True))
    shared = [column[0] for column in alike]
    count = next((k for k in range(len(shared), 0, -1) if shared[k - 1] == "/"), 0) if folders else len(shared)
    mark = ["/", ellipsis] if folders else [ellipsis]
    room = cells - measure_width("".join(mark))
    if not count or room < measure_width(ellipsis):
        return {}
    rest = fit_apart(["".join(side[count:][::order]) for side in sides], room, ellipsis=ellipsis, keep=keep)
    cut = "".join(mark[::-order])
    return {text: cut + own if keep == "start" else own + cut for text, own in zip(texts, rest, strict=True)}


def make_visible(text: str, encoding: str = "utf-8") -> str:
    """Make a text safe and readable on one line of a terminal.

    Control characters become pictures, a line feed `␊`. A character without a picture, or outside the encoding, becomes
    its code point, such as `<U+200E>`. So do invisible format characters (bidirectional controls would act on the rest
    of the line), line and paragraph separators, lone surrogates, and marks without a letter (they would attach to the
    character printed before them). Joiners inside a cluster stay.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(make_cluster_visible(text[start:end], encoding) for start, end in split_graphemes(text))


def make_lines_visible(text: str, encoding: str = "utf-8") -> str:
    """Make each line of a text safe to print.

    Its characters are shown as by `make_visible`; line feeds and tabs stay.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(part if part in {"\n", "\t"} else make_visible(part, encoding) for part in LINE_PARTS.split(text))


def make_cluster_visible(cluster: str, encoding: str = "utf-8") -> str:
    """Make a single cluster safe to print, as `make_visible` does."""
    if _CLASSES[ord(cluster[0])] in _DEPENDENT_CLASSES or _CLASSES[ord(cluster[-1])] == "P":
        return "".join(map(_format_code_point, cluster))
    return "".join(
        _make_character_visible(character, encoding, emoji=_CLASSES[ord(cluster[0])] == "X") for character in cluster
    )


def choose_isolates(text: str, encoding: str = "utf-8") -> tuple[str, str]:
    """Return the isolates that keep right-to-left text in its place.

    Without isolates, a terminal that reorders would mix words of the rest of the line with words of the text. The
    direction is that of most letters, not of the first: an excerpt may begin with a foreign name.

    Args:
        text: a text without bidirectional controls, see `make_visible`.
        encoding: the encoding of the output.

    Returns:
        Characters to print before and after the text; two empty strings if the text has no right-to-left letters, or if
            the encoding has no isolates.
    """
    directions = [unicodedata.bidirectional(character) for character in text]
    right_to_left = sum(direction in ("R", "AL") for direction in directions)
    if not right_to_left or not can_encode("\u2066\u2067\u2069", encoding):
        return "", ""
    return "\u2067" if right_to_left >= directions.count("L") else "\u2066", "\u2069"


def can_encode(text: str, encoding: str) -> bool:
    """Check whether an encoding has all characters of the text."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _find_cluster_start(text: str, at: int) -> int:
    """Return the last edge of a cluster at or before a place.

    Only the text from a certain edge on is split.
    """
    if at >= len(text):
        return len(text)
    if text.isascii() and text[at - 1 : at + 1] != "\r\n":  # no other two ASCII characters are one cluster
        return at
    certain = at
    while certain > 0 and not _is_certain_edge(text, certain):
        certain -= 1
    return at if certain == at else certain + split_graphemes(text[certain : at + 1])[-1][0]


def _find_cluster_end(text: str, at: int) -> int:
    """Return the first edge of a cluster at or after a place."""
    start = _find_cluster_start(text, at)
    if start == at:
        return at
    certain = at
    while certain < len(text) and not _is_certain_edge(text, certain):
        certain += 1
    return start + split_graphemes(text[start:certain])[0][1]


def _is_certain_edge(text: str, at: int) -> bool:
    """Return whether a cluster certainly ends at a place within a text.

    It must end there whatever the text before the two code points at the place is.
    """
    before, after = _CLASSES[ord(text[at - 1])], _CLASSES[ord(text[at])]
    return before != "P" if after == "O" else before in "OKvt" and after in "KXvt"


def _find_edges(text: str) -> list[int]:
    return [0, *(end for _, end in split_graphemes(text))]


def _make_character_visible(character: str, encoding: str, *, emoji: bool) -> str:
    """Return a character, its picture or its code point."""
    picture = _PICTURES.get(ord(character), character)
    tag = "\U000e0020" <= character <= "\U000e007f"
    hidden = _CLASSES[ord(picture)] == "C" or (tag and not emoji)
    return _format_code_point(character) if hidden or not can_encode(picture, encoding) else picture


def _format_code_point(character: str) -> str:
    return f"<U+{ord(character):04X}>"


_PICTURES = {code: chr(0x2400 + code) for code in range(0x20)} | {0x7F: "␡"}

# Code points whose class does not follow from their general category. The letters: P prepended, L V T jamo of Hangul,
# I regional indicator, X pictograph, K consonant of a script with conjuncts, H and h linker (a mark, a letter),
# E other mark that extends, J and W joiner and non-joiner, S spacing mark, C control, O anything else.
_TABLES = {
    "P": "600-605 6DD 70F 890-891 8E2 D4E 110BD 110CD 111C2-111C3 113D1 1193F 11941 11A84-11A89 11D46 11F02",
    "L": "1100-115F A960-A97C",
    "V": "1160-11A7 D7B0-D7C6 16D63 16D67-16D6A",
    "T": "11A8-11FF D7CB-D7FB",
    "I": "1F1E6-1F1FF",
    "X": "A9 AE 203C 2049 2122 2139 2194-2199 21A9-21AA 231A-231B 2328 23CF 23E9-23F3 23F8-23FA 24C2 25AA-25AB "
    "25B6 25C0 25FB-25FE 2600-2604 260E 2611 2614-2615 2618 261D 2620 2622-2623 2626 262A 262E-262F 2638-263A "
    "2640 2642 2648-2653 265F-2660 2663 2665-2666 2668 267B 267E-267F 2692-2697 2699 269B-269C 26A0-26A1 26A7 "
    "26AA-26AB 26B0-26B1 26BD-26BE 26C4-26C5 26C8 26CE-26CF 26D1 26D3-26D4 26E9-26EA 26F0-26F5 26F7-26FA 26FD "
    "2702 2705 2708-270D 270F 2712 2714 2716 271D 2721 2728 2733-2734 2744 2747 274C 274E 2753-2755 2757 "
    "2763-2764 2795-2797 27A1 27B0 27BF 2934-2935 2B05-2B07 2B1B-2B1C 2B50 2B55 3030 303D 3297 3299 1F004 "
    "1F02C-1F02F 1F094-1F09F 1F0AF-1F0B0 1F0C0 1F0CF-1F0D0 1F0F6-1F0FF 1F170-1F171 1F17E-1F17F 1F18E "
    "1F191-1F19A 1F1AF-1F1E5 1F201-1F20F 1F21A 1F22F 1F232-1F23A 1F23C-1F23F 1F249-1F25F 1F266-1F321 "
    "1F324-1F393 1F396-1F397 1F399-1F39B 1F39E-1F3F0 1F3F3-1F3F5 1F3F7-1F3FA 1F400-1F4FD 1F4FF-1F53D "
    "1F549-1F54E 1F550-1F567 1F56F-1F570 1F573-1F57A 1F587 1F58A-1F58D 1F590 1F595-1F596 1F5A4-1F5A5 1F5A8 "
    "1F5B1-1F5B2 1F5BC 1F5C2-1F5C4 1F5D1-1F5D3 1F5DC-1F5DE 1F5E1 1F5E3 1F5E8 1F5EF 1F5F3 1F5FA-1F64F "
    "1F680-1F6C5 1F6CB-1F6D2 1F6D5-1F6E5 1F6E9 1F6EB-1F6F0 1F6F3-1F6FF 1F7DC-1F7F0 1F80C-1F80F 1F848-1F84F "
    "1F85A-1F85F 1F888-1F88F 1F8AE-1F8AF 1F8BC-1F8BF 1F8C2-1F8CF 1F8D9-1F8FF 1F90C-1F93A 1F93C-1F945 "
    "1F947-1F9FF 1FA58-1FA5F 1FA6E-1FAFF 1FC00-1FFFD",
    "K": "915-939 958-95F 978-97F 995-9A8 9AA-9B0 9B2 9B6-9B9 9DC-9DD 9DF 9F0-9F1 A95-AA8 AAA-AB0 AB2-AB3 AB5-AB9 "
    "AF9 B15-B28 B2A-B30 B32-B33 B35-B39 B5C-B5D B5F B71 C15-C28 C2A-C39 C58-C5A D15-D3A 1000-102A 103F "
    "1050-1055 105A-105D 1061 1065-1066 106E-1070 1075-1081 108E 1780-17B3 1A20-1A54 1B0B-1B0C 1B13-1B33 "
    "1B45-1B4C 1B83-1BA0 1BAE-1BAF 1BBB-1BBD A989-A98B A98F-A9B2 A9E0-A9E4 A9E7-A9EF A9FA-A9FE AA60-AA6F "
    "AA71-AA73 AA7A AA7E-AA7F AAE0-AAEA ABC0-ABDA 10A00 10A10-10A13 10A15-10A17 10A19-10A35 11103-11126 11144 "
    "11147 11380-11389 1138B 1138E 11390-113B5 11900-11906 11909 1190C-11913 11915-11916 11918-1192F 11A00 "
    "11A0B-11A32 11A50 11A5C-11A83 11B0A 11DF1 11F04-11F10 11F12-11F33",
    "H": "94D 9CD ACD B4D C4D D4D 1039 17D2 1A60 1B44 1BAB A9C0 AAF6 10A3F 11133 113D0 1193E 11A47 11A99 11F42",
    "h": "1CF5-1CF6 11A3A",
    "E": "9BE 9D7 B3E B57 BBE BD7 CC0 CC2 CC7-CC8 CCA-CCB CD5-CD6 D3E D57 DCF DDF 1715 1734 1B35 1B3B 1B3D 1B43 "
    "1BAA 1BF2-1BF3 302E-302F A953 FF9E-FF9F 111C0 11235 1133E 1134D 11357 113B8 113C2 113C5 113C7-113C9 "
    "113CF 114B0 114BD 115AF 116B6 11930 1193D 11F41 16FF0-16FF1 1D165-1D166 1D16D-1D172 1F3FB-1F3FF "
    "E0020-E007F",
    "J": "200D",
    "W": "200C",
    "S": "E33 EB3 1171E",
    "R": "D",
    "N": "A",
    "C": "2065 FFF0-FFF8 E0000 E0002-E001F E0080-E00FF E01F0-E0FFF",
    "O": "102B-102C 1038 1062-1064 1067-106D 1083 1087-108C 108F 109A-109C 1A61 1A63-1A64 AA7B AA7D 11720-11721",
}
_CATEGORY_CLASSES = {"Mn": "E", "Me": "E", "Mc": "S", "Cc": "C", "Cf": "C", "Zl": "C", "Zp": "C"}

_ZERO_WIDTH_CATEGORIES = frozenset(("Mn", "Me", "Cf", "Cc", "Zl", "Zp"))

# A cluster that begins with one of these has no letter of its own to stand on.
_DEPENDENT_CLASSES = "EHSJWVT"

# v and t: syllables of Hangul without and with a final consonant. The names are those of the rules.
_CLUSTER = re.compile(
    r"""
      RN | [RNC]                                          # GB3 to GB5
    | (?= . ) P*                                          # GB9b
      (?: [OK]
        | L* (?: vV* | V+ | t ) T* | L+ | T+              # GB6 to GB8
        | II?                                             # GB12, GB13
        | X (?: [EWH]* J X )*                             # GB11
        | h (?: [EJ]* K )? )?
      (?: [EJWS] | H (?: [EJ]* K )? )*                    # GB9, GB9a, GB9c
    """,
    re.VERBOSE,
)


def _list_ranges() -> list[tuple[int, int, str]]:
    """Return first code point, last code point and class of table ranges.

    All ranges of the tables are returned.
    """
    pairs = [(entry.partition("-"), letter) for letter, table in _TABLES.items() for entry in table.split()]
    return sorted((int(first, 16), int(last or first, 16), letter) for (first, _, last), letter in pairs)


class _ClassCache(dict[int, str]):
    """Class of each code point, computed on first use."""

    ranges = _list_ranges()

    def __missing__(self, code: int) -> str:
        first, last, letter = self.ranges[bisect_right(self.ranges, (code + 1,)) - 1]
        if first <= code <= last:
            syllable_class = letter
        elif 0xAC00 <= code <= 0xD7A3:  # noqa: PLR2004 -- the block of Hangul syllables, 28 to each vowel
            syllable_class = "t" if (code - 0xAC00) % 28 else "v"
        else:
            syllable_class = _CATEGORY_CLASSES.get(unicodedata.category(chr(code)), "O")
        self[code] = syllable_class
        return syllable_class


class _WidthCache(dict[int, int]):
    """Width of each code point in cells, computed on first use."""

    def __missing__(self, code: int) -> int:
        from rich.cells import get_character_cell_size  # noqa: PLC0415  most callers never measure text

        character = chr(code)
        least = 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if unicodedata.category(character) in _ZERO_WIDTH_CATEGORIES or _CLASSES[code] in "VT":
            least = 0
        self[code] = max(least, get_character_cell_size(character))
        return self[code]


_CLASSES = _ClassCache()
_WIDTHS = _WidthCache({0xFE0F: 1})  # it makes a narrow pictograph wide
