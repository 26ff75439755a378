"""What a machine reads rather than a person: addresses, names of accounts and files, encodings.

Each pattern is looked for within a stretch without spaces. A pattern begins only where a run of its characters begins
and never gives a character back, so the time is linear in the length of the stretch.
"""

from __future__ import annotations

import encodings
import encodings.aliases
import pkgutil
import re
from collections.abc import Callable, Iterator
from functools import cache

from isogloss.rules.characters import data
from isogloss.rules.excuses.found import Found

LABEL = "[A-Za-z\u00c0-\u024f0-9_-]"  # Latin letters with marks, too: `münchen.de`
TRAILING = ".,;:!?'\"”’»)]}>…"
SHORTEST_ENCODING = 4
SCHEMES = "(?i:https?|ftps?|sftp|ssh|git|wss?|file)"

_URL = re.compile(rf"(?<![A-Za-z0-9]){SCHEMES}://[^\s<>\"«»“”]++")
_EMAIL = re.compile(r"(?<![\w.%+-])[\w.%+-]++@[\w-]++(?:\.[\w-]++)+")
_MENTION = re.compile(r"(?<![\w@./])@\w++")
_HASHTAG = re.compile(r"(?<![\w&/#])#\w++")
_DOTTED = re.compile(rf"(?<!{LABEL})(?<!{LABEL}\.){LABEL}++(?:\.{LABEL}++)+(?:[/?#:][^\s<>\"«»“”,;]*+)?")
_LINE = re.compile(r"(?::[0-9]++)*")  # of a file
_EXTENSION = re.compile(r"(?<![\w.])\.([A-Za-z0-9]++)(?!\w)")
_PATH = re.compile(r"(?<![\w.:/~-])[\w./~-]++")
_ROOTED = re.compile(r"(?:~|\.{1,2})?/[\w.-]+/")
_DRIVE = re.compile(r"(?<![A-Za-z])[A-Za-z]:\\[^\s<>\"«»“”]++")
_STEM = re.compile(r"(?!\d\d)\w\w")  # the end of one
_CODED = re.compile(r"(?<![\w-])[A-Za-z][A-Za-z0-9_-]*+(?!\w)")


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
        whole = match[0].rstrip(TRAILING)
        if _LINE.fullmatch(whole, len(name)) and not name.startswith("www.") and _names_a_file(name):
            yield match.start(), match.start() + len(name), "file_name"
        elif "_" not in name and _is_domain(_last_part(name)):
            yield match.start(), match.start() + len(whole), "url"
    for match in _EXTENSION.finditer(stretch):
        if match[1] in _names("extensions.txt"):
            yield *match.span(), "file_name"


def _paths(stretch: str) -> Iterator[Found]:
    """Files in folders: with a root and a folder, or with a known extension at the end."""
    for match in _PATH.finditer(stretch):
        path = match[0].rstrip(TRAILING)
        if "/" in path and (_ROOTED.match(path) or _names_a_file(path.rpartition("/")[2])):
            yield match.start(), match.start() + len(path), "file_name"


def _names_a_file(name: str) -> bool:
    """Whether a name ends in a known extension; before one of a single letter, more than an initial: no `U.S.A`."""
    extension = _last_part(name)
    if extension not in _names("extensions.txt"):
        return False
    return len(extension) > 1 or _STEM.fullmatch(name[-len("xx.c") : -len(".c")]) is not None


def _is_domain(name: str) -> bool:
    """Whether a name is a top-level domain; those of other scripts are known by how they are written in ASCII."""
    return name in _names("domains.txt") or name.startswith("xn--")


def _last_part(name: str) -> str:
    """What stands after the last point, in lower case; nothing if it begins a sentence without a space: `end.So`."""
    last = name.rpartition(".")[2]
    return "" if last.istitle() and len(last) > 1 else last.lower()


def _encodings(stretch: str) -> Iterator[Found]:
    for match in _CODED.finditer(stretch):
        name = match[0].rstrip("-_")
        if name.lower().replace("-", "_") in _encoding_names():
            yield match.start(), match.start() + len(name), "encoding"


@cache
def _names(table: str) -> frozenset[str]:
    return frozenset(data(table).split())


@cache
def _encoding_names() -> frozenset[str]:
    """Names that Python knows, in lower case with `_`, but for those that are a word, such as `hex`."""
    modules = {module.name for module in pkgutil.iter_modules(encodings.__path__)}
    aliases = {name.lower() for name in encodings.aliases.aliases}
    known = modules | aliases | set(encodings.aliases.aliases.values())
    spelt = known | {name.replace("_", "") for name in known if any(map(str.isdigit, name))}
    return frozenset(name for name in spelt if len(name) >= SHORTEST_ENCODING and not name.isalpha())


_FINDERS: tuple[tuple[str, Callable[[str], Iterator[Found]]], ...] = (
    ("://", _matches(_URL, "url")),
    ("@", _matches(_EMAIL, "email")),
    ("@", _matches(_MENTION, "mention")),
    ("#", _matches(_HASHTAG, "hashtag")),
    (".", _dotted),
    ("/", _paths),
    (":\\", _matches(_DRIVE, "file_name")),
)
