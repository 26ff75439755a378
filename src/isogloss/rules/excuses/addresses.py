"""What a machine reads rather than a person: addresses, names of accounts and files, encodings.

Each pattern is looked for within a stretch without spaces. A pattern begins only where a run of its characters begins
and never gives a character back, so the time is linear in the length of the stretch.
"""

from __future__ import annotations

import encodings.aliases
import re
from collections.abc import Callable, Iterator
from functools import cache

from isogloss.rules.characters import data

Found = tuple[int, int, str]
LABEL = "[A-Za-z0-9_-]"
TRAILING = ".,;:!?'\"”’»)]}>…"
SHORTEST_ENCODING = 4

_URL = re.compile(r"(?<![A-Za-z0-9])(?:https?|ftp)://[^\s<>\"«»“”]++")
_EMAIL = re.compile(rf"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]++@{LABEL}++(?:\.{LABEL}++)+")
_MENTION = re.compile(r"(?<![\w@./])@\w++")
_HASHTAG = re.compile(r"(?<![\w&/#])#\w++")
_DOTTED = re.compile(rf"(?<!{LABEL})(?<!{LABEL}\.){LABEL}++(?:\.{LABEL}++)+(?:[/?#:][^\s<>\"«»“”,;]*+)?")
_PATH = re.compile(r"(?<![\w:/.~\\])(?:~|\.{0,2}+)/[\w.-]++/[\w./-]*+|(?<![A-Za-z])[A-Za-z]:\\[^\s<>\"«»“”]++")
_CODED = re.compile(r"(?<![\w-])[A-Za-z][A-Za-z_-]*+[0-9][A-Za-z0-9_-]*+")


def addresses(stretch: str) -> Iterator[Found]:
    """URLs, e-mail addresses, mentions, hashtags, file names and encodings: start, end and reason each."""
    for trigger, find in _FINDERS:
        if trigger in stretch:
            yield from find(stretch)
    if not stretch.isalpha():
        yield from _encodings(stretch)


def _matches(pattern: re.Pattern[str], reason: str) -> Callable[[str], Iterator[Found]]:
    def find(stretch: str) -> Iterator[Found]:
        for match in pattern.finditer(stretch):
            end = match.start() + len(match[0].rstrip(TRAILING))
            yield match.start(), end, reason

    return find


def _dotted(stretch: str) -> Iterator[Found]:
    """Domains, with what follows them, and file names: runs with a point whose last part is known."""
    for match in _DOTTED.finditer(stretch):
        name = re.split("[/?#:]", match[0], maxsplit=1)[0]
        last = name.rpartition(".")[2].lower()
        if last in _names("extensions.txt") and name == match[0].rstrip(TRAILING):
            yield match.start(), match.start() + len(name), "file_name"
        elif last in _names("domains.txt") and "_" not in name:
            yield match.start(), match.start() + len(match[0].rstrip(TRAILING)), "url"


def _encodings(stretch: str) -> Iterator[Found]:
    for match in _CODED.finditer(stretch):
        if match[0].lower().replace("-", "_") in _encoding_names():
            yield match.start(), match.end(), "encoding"


@cache
def _names(table: str) -> frozenset[str]:
    return frozenset(data(table).split())


@cache
def _encoding_names() -> frozenset[str]:
    known = {*encodings.aliases.aliases, *encodings.aliases.aliases.values()}
    spelt = {name.replace("_", "") for name in known} | known
    return frozenset(name for name in spelt if len(name) >= SHORTEST_ENCODING)


_FINDERS: tuple[tuple[str, Callable[[str], Iterator[Found]]], ...] = (
    ("://", _matches(_URL, "url")),
    ("@", _matches(_EMAIL, "email")),
    ("@", _matches(_MENTION, "mention")),
    ("#", _matches(_HASHTAG, "hashtag")),
    (".", _dotted),
    ("/", _matches(_PATH, "file_name")),
    (":\\", _matches(_PATH, "file_name")),
)
