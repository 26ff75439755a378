"""What a language model answered, to names with their labels.

    answer = decoded('Here you are: [{"text": "Ada", "label": "PER"}]')
    answer.mentions  # [("Ada", "PER")]

An answer is prose that may hold values (`loose`), with names in them (`items`), in code fences or not. Taken is

- the last value that is a list of names, or an object of such lists: models think aloud, and correct themselves; one
  without names counts where there are none before it, as it may list something else;
- else all objects and tuples that are a name with a label, in their order: one a line, or after a list that broke off;
- else its lines, if each is a label in capitals, a colon and a name (`- PER: Ada`), and no other reading is possible: a
  name that looks like a label, or holds a comma or semicolon, might be two.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from isogloss.formats.mentions.items import Names, name_of, names_of
from isogloss.formats.mentions.loose import Value, values
from isogloss.formats.span_pairing import Mention

LABEL = re.compile(r"[A-Z][A-Z0-9_-]*")
BULLET = re.compile(r"(?:[-*•] |\d+[.)] )\s*")
FENCE = "```"
NOTHING = frozenset(("none", "n/a", "-", "[]"))  # where a name would stand


@dataclass
class Answer:
    """What was read of an answer.

    Args:
        mentions: names with labels.
        is_decoded: whether it held any, or said that there are none.
        is_truncated: whether it breaks off, or cannot be read to its end.
        is_one_of_several: whether another value of it held other names, or none.
        unusable: how many items are no name with a label.
    """

    mentions: list[Mention] = field(default_factory=list)
    is_decoded: bool = True
    is_truncated: bool = False
    is_one_of_several: bool = False
    unusable: int = 0


def decoded(answer: Any) -> Answer:
    """The names of an answer.

    Args:
        answer: text, or JSON that was decoded already; null for none.
    """
    if isinstance(answer, str):
        return _of_text(answer)
    names = names_of(answer)
    if names is None or names.are_none:
        return Answer(is_decoded=False)
    return Answer(names.mentions, unusable=names.unusable)


def _of_text(text: str) -> Answer:
    taken = _Taken()
    for value in values(text):
        taken.take(value)
    if taken.answer is not None:
        return taken.answer
    mentions = _of_lines(text)
    return Answer(is_decoded=False) if mentions is None else Answer(mentions)


@dataclass
class _Taken:
    """What was taken of the values of an answer so far."""

    answer: Answer | None = None
    is_open: bool = True  # whether single names that follow belong to it

    def take(self, value: Value) -> None:
        """Take the next value, if there are names in it."""
        items = list(value.value) if isinstance(value.value, tuple) and value.value else value.value
        names = names_of(items)
        single = None if isinstance(value.value, list) else name_of(value.value)
        if names is not None and (names.mentions or (value.finished and not names.unusable)):
            self._replace(names, value)
        elif single is not None:
            self._add(single)
        elif value.at_end:
            self.answer = self.answer or Answer()
            self.answer.is_truncated = True

    def _add(self, mention: Mention) -> None:
        if self.answer is None:
            self.answer = Answer()
        if self.is_open:
            self.answer.mentions.append(mention)
        elif mention not in self.answer.mentions:
            self.answer.is_one_of_several = True

    def _replace(self, names: Names, value: Value) -> None:
        before = [] if self.answer is None else self.answer.mentions
        if self.answer is not None and before and not names.mentions:
            self.answer.is_one_of_several = True
            return
        self.answer = Answer(
            names.mentions,
            is_truncated=not value.finished,
            is_one_of_several=bool(before) and before != names.mentions,
            unusable=names.unusable,
        )
        self.is_open = not value.finished


def _of_lines(text: str) -> list[Mention] | None:
    """Names of lines with labels; None where the text is anything else."""
    lines = [BULLET.sub("", line.strip(), count=1) for line in text.splitlines()]
    pairs = [line.partition(":") for line in lines if line and not line.startswith(FENCE)]
    found = [(name.strip(), label.strip(" *")) for label, _, name in pairs]
    if not found or not all(LABEL.fullmatch(label) and name for name, label in found):
        return None
    found = [(name, label) for name, label in found if name.casefold() not in NOTHING]
    is_ambiguous = any(LABEL.fullmatch(name) or "," in name or ";" in name for name, _ in found)
    return None if is_ambiguous else found
