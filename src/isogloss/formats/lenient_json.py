"""Find JSON in the answers of language models.

The JSON may stand inside prose, use Python's syntax, or be cut off.

    for value in find_json_values('Sure! [{"text": "Ada", "label": "PER"},]'): ...

A value begins at a bracket or brace of the prose. Besides the grammar of JSON it may use single and curly quotes,
tuples, sets, calls such as `Name(text="Ada")`, `True`, `False` and `None`, keys and words of an object without quotes,
comments, a comma after the last item or none between objects or lines, fullwidth commas and colons, and line breaks and
quotes in strings. At a syntax error the value ends unfinished and the search continues there: each character is read
once, whatever the answer. The complete parts of an unfinished value are kept: items of its lists, and lists in its
objects, but no half item.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

MAX_DEPTH = 32  # of nested lists and objects
CLOSING = {"[": "]", "(": ")", "{": "}", "call": ")", "set": "}"}
OBJECTS = ("{", "call")
NULL_WORDS = ("null", "None", "NaN", "Infinity")
FULLWIDTH = {"，": ",", "：": ":"}
LITERALS = {"true": True, "True": True, "false": False, "False": False} | dict.fromkeys(NULL_WORDS)
OPENING = re.compile(r"[\[({]")
DATA = re.compile(r"\{\s*(?:[\"'“]|\w+\s*:)|[\[(]\s*[\[({]")  # rather than brackets of prose
SPACE = r"(?:\s|//[^\n]*|/\*.{0,500}?\*/|# [^\n]*)*+"  # and comments
TOKEN = re.compile(
    SPACE + r"(?:([\[({])|([\])}])|([,:，：])|([\"'“])|([^\W\d][\w-]*)|(-?\d[\d.eE+-]*)|(\S))", re.DOTALL
)
OPEN, CLOSE, SEPARATOR, QUOTE, WORD, NUMBER, OTHER = range(1, 8)  # groups of a token
IN_STRING = {"'": re.compile(r"['\\]"), '"': re.compile(r'["\\]'), "“": re.compile(r"[”\\]")}
AFTER_STRING = re.compile(SPACE + r"(?:[,:，：\])}]|\Z)", re.DOTALL)
BARE_KEY = re.compile(r"\s*[:：=]")
ARGUMENT = re.compile(r"\s*=")
CALL = re.compile(r"\(\s*\w+\s*=")
BARE_VALUE = re.compile(r"[^\s,}\]\[{\"'][^,}\]\[{\"'\n]{0,80}(?=[,}\n])")
STRING_END = re.compile(r'"\s*[,:\])}]')
NEXT_STRING = re.compile(r'\s*"')
ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U(00(?:0[0-9a-fA-F]|10)[0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
SURROGATE = re.compile("[\ud800-\udfff]")  # half of a character beyond U+FFFF


@dataclass(frozen=True)
class JsonValue:
    """A list, tuple or object of an answer.

    Args:
        value: lists as `list`, tuples as `tuple`, objects as `dict`; None if no part of it is complete.
        is_finished: whether the value is complete.
        is_at_end: whether the answer ends inside the value.
        is_data_lost: whether an unfinished value is data rather than brackets of prose.
    """

    value: Any
    is_finished: bool = True
    is_at_end: bool = False
    is_data_lost: bool = False


def find_json_values(answer: str) -> Iterator[JsonValue]:
    """Yield the outermost values of an answer in their order.

    Args:
        answer: any text.
    """
    at, ends = 0, _StringEnds(answer)
    while begin := OPENING.search(answer, at):
        reader = _Reader(answer, begin.start(), ends)
        yield reader.read_value()
        at = reader.at


class _StringEnds:
    """Possible ends of strings that have quotes in them.

    They are found in one pass over an answer when first needed.

    Args:
        answer: the answer.
    """

    def __init__(self, answer: str) -> None:
        self._answer = answer

    def find_end(self, at: int) -> int | None:
        """Return the position of the next quote that can end a string.

        The quote is on the line of `at`, and a comma, colon or bracket follows it.
        """
        k = bisect_left(self._ends, at)
        line = bisect_left(self._lines, at)
        if k == len(self._ends) or (line < len(self._lines) and self._lines[line] < self._ends[k]):
            return None
        return self._ends[k]

    @cached_property
    def _ends(self) -> list[int]:
        return [end.start() for end in STRING_END.finditer(self._answer)]

    @cached_property
    def _lines(self) -> list[int]:
        return [at for at, character in enumerate(self._answer) if character == "\n"]


@dataclass
class _Frame:
    """A list, tuple or object that is being read.

    Args:
        opening: its bracket, or `call` or `set` for those of Python.
        expects: the next allowed token: `item`, `key`, `:`, `value` or `,`.
        items: the items of a list, or keys and values of an object in turn.
    """

    opening: str
    expects: str
    items: list[Any] = field(default_factory=list)

    def add(self, item: Any) -> bool:
        """Add an item, key or value; return whether it is allowed here."""
        if self.expects not in {"item", "key", "value"}:
            return False
        is_key = self.expects == "key"
        self.items.append(item)
        self.expects = ":" if is_key else ","
        return not is_key or isinstance(item, str)

    def add_separator(self, separator: str) -> bool:
        """Read a comma or colon; return whether it is allowed here."""
        if separator == "," and self.is_set_begin():
            self.opening, self.expects = "set", ","
        fits = self.expects == separator
        self.expects = "item" if self.opening not in OBJECTS else "key" if separator == "," else "value"
        return fits

    def is_set_begin(self) -> bool:
        """Return whether the braces hold one item without a value."""
        return self.opening == "{" and self.expects == ":" and len(self.items) == 1

    def can_close(self, bracket: str) -> bool:
        """Return whether this bracket may close it."""
        can_end = self.expects in {"item", "key", ","} or self.is_set_begin()
        return bracket == CLOSING[self.opening] and can_end

    def build_value(self) -> Any:
        """Build the value that was read, joining lists under repeated keys."""
        if self.opening not in OBJECTS or self.is_set_begin():
            return tuple(self.items) if self.opening == "(" else self.items
        pairs: dict[str, Any] = {}
        for key, value in zip(self.items[::2], self.items[1::2], strict=False):  # the last key may have no value
            known = pairs.get(key)
            pairs[key] = value if known is None else _join_repeated(known, value)
        return pairs

    def is_kept(self, outer: _Frame | None) -> bool:
        """Return whether an unfinished value is more than half an item."""
        if self.opening not in OBJECTS and (outer is None or outer.opening in OBJECTS):
            return True
        return any(isinstance(item, list | tuple | dict) for item in self.items)


def _join_repeated(known: Any, value: Any) -> Any:
    """Join the values of a repeated key.

    Lists and strings become one list; of others the last counts.
    """
    if not isinstance(known, list | str) or not isinstance(value, list | str):
        return value
    return [part for each in (known, value) for part in (each if isinstance(each, list) else [each])]


class _Reader:
    """A reader of one value.

    Args:
        answer: the answer.
        at: the position where the value begins.
        ends: where strings can end.

    Attributes:
        at: the position up to which the answer is read.
    """

    def __init__(self, answer: str, at: int, ends: _StringEnds) -> None:
        self.at = at
        self._answer = answer
        self._ends = ends
        self._frames: list[_Frame] = []

    def read_value(self) -> JsonValue:
        """Read the value."""
        is_data = DATA.match(self._answer, self.at) is not None
        while token := TOKEN.match(self._answer, self.at):
            self.at = token.end()
            if token.lastindex == CLOSE and self._frames[-1].can_close(token[CLOSE]):
                closed = self._frames.pop().build_value()
                if not self._frames:
                    return JsonValue(closed)
                self._frames[-1].add(closed)
            elif not self._add_token(token):
                return JsonValue(self._build_unfinished(), False, self._is_cut_off(token), is_data)  # noqa: FBT003
        self.at = len(self._answer)
        return JsonValue(self._build_unfinished(), False, True, is_data)  # noqa: FBT003

    def _add_token(self, token: re.Match[str]) -> bool:
        """Read a token that closes nothing; return whether it is allowed here."""
        if token.lastindex == OPEN:
            return self._open_frame(token)
        frame = self._frames[-1]
        if token.lastindex == QUOTE and frame.expects == "," and "\n" in token[0]:
            frame.add_separator(",")  # the comma at the end of the line before is missing
        if token.lastindex == SEPARATOR:
            return frame.add_separator(FULLWIDTH.get(token[SEPARATOR], token[SEPARATOR]))
        if token.lastindex == QUOTE:
            string = self._read_string(token[QUOTE])
            return string is not None and frame.add(string)
        if token.lastindex == WORD:
            return self._add_word(token[WORD], token.start(WORD))
        if token[OTHER] == "=" and frame.opening == "call":
            return frame.add_separator(":")
        number = _parse_number(token[NUMBER]) if token.lastindex == NUMBER else None
        return number is not None and frame.add(number)

    def _add_word(self, word: str, begin: int) -> bool:
        """Read a word that is not in quotes.

        It is a literal, or a key or value of an object. Return whether it is allowed here.
        """
        frame = self._frames[-1]
        if word in LITERALS:
            return frame.add(LITERALS[word])
        if frame.expects in {"item", "value"} and CALL.match(self._answer, self.at):
            return True  # the name of a call
        if frame.opening == "(" and not frame.items and ARGUMENT.match(self._answer, self.at):
            frame.opening, frame.expects = "call", "key"
        if frame.expects == "key":
            return BARE_KEY.match(self._answer, self.at) is not None and frame.add(word)
        value = BARE_VALUE.match(self._answer, begin) if frame.expects == "value" else None
        if value is None:
            return False
        self.at = value.end()
        return frame.add(value[0].strip())

    def _open_frame(self, token: re.Match[str]) -> bool:
        fits = not self._frames or self._frames[-1].expects in {"item", "value"} or self._lacks_comma()
        if not fits or len(self._frames) == MAX_DEPTH:
            self.at = token.start(OPEN)  # it may begin a value of its own
            return False
        self._frames.append(_Frame(token[OPEN], "key" if token[OPEN] == "{" else "item"))
        return True

    def _lacks_comma(self) -> bool:
        """Return whether a value follows another one without a comma.

        Both are lists, tuples or objects.
        """
        frame = self._frames[-1]
        fits = (
            frame.opening not in OBJECTS and frame.expects == "," and isinstance(frame.items[-1], list | tuple | dict)
        )
        return fits and frame.add_separator(",")

    def _read_string(self, quote: str) -> str | None:
        """Return the string after its first quote, or None without an end.

        A single quote inside a word is an apostrophe: it ends the string only where a string may end. A double quote is
        part of the string if a later one on the line may end it.
        """
        begin = at = self.at
        while match := IN_STRING[quote].search(self._answer, at):
            at = match.end()
            if match[0] == "\\":
                at += 1
            elif AFTER_STRING.match(self._answer, at) or (quote != "'" and not self._is_inside(at)):
                self.at = at
                return unescape(self._answer[begin : at - 1])
        self.at = len(self._answer)
        return None

    def _is_inside(self, at: int) -> bool:
        """Return whether a string goes on after a double quote before `at`."""
        return NEXT_STRING.match(self._answer, at) is None and self._ends.find_end(at) is not None

    def _is_cut_off(self, token: re.Match[str]) -> bool:
        """Return whether the answer's end may have cut a misplaced token."""
        if self.at < len(self._answer):
            return False
        is_value = token.lastindex == WORD and self._frames[-1].expects == "value"
        return is_value or token.lastindex == QUOTE or any(word.startswith(token[0].strip()) for word in LITERALS)

    def _build_unfinished(self) -> Any:
        """Build the complete parts of an unfinished value."""
        inner: Any = None
        for frame, outer in zip(self._frames[::-1], [*self._frames[-2::-1], None], strict=True):
            if inner is not None:
                frame.items.append(inner)
            inner = frame.build_value() if frame.is_kept(outer) else None
        return inner


def _parse_number(text: str) -> int | float | None:
    """Parse a number; return None if the text is not a number."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:  # also for more digits than Python accepts
            continue
    return None


def unescape(string: str) -> str:
    """Replace the escapes of JSON and Python in a string."""
    if "\\" not in string:
        return string
    text = ESCAPE.sub(_unescape_character, string)
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace") if SURROGATE.search(text) else text


def _unescape_character(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2] or escape[3]
    return chr(int(code, 16)) if code else ESCAPED.get(escape[4], escape[4])
