"""Write `src/isogloss/text/data/characters.txt`: the class and the scripts of every code point.

    pip install fonttools==4.68.0 unicodedata2==18.0.0
    python tools/make_characters.py > src/isogloss/text/data/characters.txt

Both packages carry the Unicode Character Database (18.0). Each line is `first last class scripts`, in hexadecimal;
code points without a line are of class O. The classes are explained in `isogloss.text.scripts`.
"""

import sys
from collections.abc import Iterator
from itertools import groupby

import unicodedata2 as unicode
from fontTools import unicodedata as scripts

UNSPACED = {"Hani", "Hira", "Thai", "Laoo", "Khmr", "Mymr", "Tale", "Talu", "Lana", "Tavt", "Ahom"}
INNER = set("'’‘ʼ·‧ʹ՚׳״")
ATTACHED = {0xE33, 0xEB3, 0x30FC, 0xFF70, 0xFF9E, 0xFF9F, *range(0x1F3FB, 0x1F400)}  # SARA AM, sound marks, skin tones
LINKERS = {"\u200d", "\u17d2", "\u1039", "\u1a60", "\u1bab"}  # what follows belongs to the same cluster
NUMBER_SIGNS = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}  # stand before a number
ZERO_WIDTH_SPACE = 0x200B
FIRST_SYMBOL = 0x2190
PICTURES = {0xA9, 0xAE, 0x203C, 0x2049, 0x2122, 0x2139, 0x3030, 0x303D}  # that are not among the symbols
PICTURES_TO_COME = {*range(0x1F000, 0x1FB00), *range(0x1FC00, 0x1FFFE)}  # where a code point has no name yet
REGIONAL_INDICATORS = range(0x1F1E6, 0x1F200)


def character_class(code: int) -> str:
    """The class of a code point: the first that holds."""
    character = chr(code)
    category = unicode.category(character)
    is_picture = category in {"So", "Sm"} and code >= FIRST_SYMBOL
    is_letter = category[0] == "L"
    rules = {
        "V": character in LINKERS or "VIRAMA" in unicode.name(character, ""),
        "J": character in INNER,
        "Z": code == ZERO_WIDTH_SPACE or category[0] == "Z" or character.isspace(),
        "R": code in REGIONAL_INDICATORS,
        "D": category[0] == "N" or category == "Pc" or code in NUMBER_SIGNS,
        "M": category in {"Mn", "Mc", "Me", "Cf"} or code in ATTACHED,
        "S": is_picture or code in PICTURES or (category == "Cn" and code in PICTURES_TO_COME),
        "K": is_letter and script(code) == "Kana",
        "I": is_letter and script(code) in UNSPACED,
        "L": is_letter,
        "N": character in ".,٫٬",
        "O": True,
    }
    return next(name for name, holds in rules.items() if holds)


def script(code: int) -> str:
    """The script of a code point, `Zyyy` for what many share."""
    return str(scripts.script(chr(code)))


def letter_scripts(code: int) -> str:
    """The scripts that a letter belongs to; `-` where it is no letter, or one that any script may use."""
    character = chr(code)
    if unicode.category(character) not in {"Lu", "Ll", "Lt", "Lo", "Lm"} or stands_for_none(character):
        return "-"
    own = script(code)
    if own not in {"Zyyy", "Zinh", "Zzzz"}:
        return own
    shared = scripts.script_extension(character) - {"Zyyy", "Zinh"}
    return ",".join(sorted(shared)) if unicode.category(character) == "Lo" and shared else "-"


def stands_for_none(character: str) -> bool:
    """Whether it is a compatibility form of what is no letter of a script, such as an Arabic vowel sign by itself."""
    plain = unicode.normalize("NFKC", character)
    return plain != character and all(letter_scripts(ord(letter)) == "-" for letter in plain)


def lines() -> Iterator[str]:
    """The lines of the file."""
    told = ((code, (character_class(code), letter_scripts(code))) for code in range(sys.maxunicode + 1))
    for (name, used), run in groupby(told, key=lambda pair: pair[1]):
        codes = [code for code, _ in run]
        if (name, used) != ("O", "-"):
            yield f"{codes[0]:X} {codes[-1]:X} {name} {used}"


if __name__ == "__main__":
    sys.stdout.write(f"# Unicode {unicode.unidata_version}, made by tools/make_characters.py\n")
    sys.stdout.write("\n".join(lines()) + "\n")
