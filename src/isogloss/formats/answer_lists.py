"""Lists of names in answers of language models.

Each line has a name and its label, or a heading has the label of the lines below it:

    - Ada (PER)          **Persons (PER):**
    - Oslo (LOC)         1. Ada

Lines before and after the names are prose; a line between two names that is not read is counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import cycle
from operator import eq

from isogloss.formats.answer_lines import (
    BULLET,
    MAX_NAME,
    PIECES,
    WORD,
    PlainAnswer,
    has_label,
    list_lines,
    parse_line,
    split_quoted,
    strip_marks,
)
from isogloss.formats.documents import Mention
from isogloss.formats.mention_shapes import LABELS, NOTHING, Vocabulary, fold_label, is_in_capitals, split_names

OFFSETS = re.compile(
    r"(?:[-*] )?(?:T\d+\s+(?P<own>[\w-]+)\s+\d+\s+\d+|[(\[]?\d+\s*[-–,:]\s*\d+[)\]]?[:,;|]?\s+(?P<label>[\w-]+))"
    r"[\s:|,]+(?P<name>.+)"
)
LABELLED_TITLE = re.compile(r"(?P<title>[^()（）:：]{1,60})[(（](?P<label>[\w-]{1,60})[)）]\**\s*[:：](?P<names>.*)")
HEADING = re.compile(r"(?P<title>[^()（）:：]{1,60})[(（](?P<label>[\w-]{1,60})[)）]")
REMARKS = frozenset((
    "reason", "reasoning", "explanation", "description", "context", "note", "justification", "evidence", "confidence",
    "score", "start", "end", "position", "offset", "offsets", "rationale",
))  # fmt: skip
SENTENCE_END = re.compile(r"[.!](?=\s)|。")
QUESTION_MARKS = ("?", "？", "؟")
REPLY = re.compile(r"(?:A|Answer)\s*[:：]\s*", re.IGNORECASE)
FINAL = re.compile(
    r"\b(?:final|corrected|correct|updated|revised) (?:answer|list|result|entity|entities|version|output)"
    r"|\((?:corrected|final)\)|endgültig|réponse finale|respuesta final|resposta final|最終|最终|修正",
    re.IGNORECASE,
)
NO_LABEL = "==none=="  # of spacy-llm
PLURALS = (("s", ""), ("es", ""), ("ies", "y"))


@dataclass
class _LineReader:
    """The names of lines, read one after the other.

    Args:
        known: what is known about the document.
        found: the names so far.
        heading: the label that the last heading names.
        pending: number of lines since the last name that were not read.
        unread: the last of these lines.
        is_item: whether this line is an item of a list.
        is_used: whether a line was read.
        list_start: number of names before the last line that announces a list.
        is_final: whether that list was announced as the final one.
        indent: how far the last name below a heading is indented; -1 for none yet.
    """

    known: Vocabulary
    found: PlainAnswer = field(default_factory=PlainAnswer)
    heading: str = ""
    pending: int = 0
    unread: str = ""
    is_item: bool = False
    is_used: bool = False
    list_start: int = 0
    is_final: bool = False
    indent: int = -1

    def add_line(self, raw: str, following: str) -> None:
        """Read a line.

        Args:
            raw: the line, with its indentation.
            following: the line after it; empty at the end.
        """
        indent, raw, following = len(raw) - len(raw.lstrip()), raw.strip(), following.strip()
        if self._read_question(raw):
            return
        reply = REPLY.match(raw) if self.heading else None
        raw = f"{self.heading}: {raw[reply.end() :]}" if reply is not None else raw
        raw = _read_heading(raw, following, self.known) or _simplify_title(strip_marks(raw), self.known) or raw
        line = strip_marks(raw)
        if self._read_title(raw, line, following):
            return
        names = self._parse_names(raw, line, indent)
        if names is not None:
            self.found.unusable += self.pending
            self.found.mentions += names
            self.is_used, self.pending = True, 0
        elif has_label(line, self.known):
            self.found.unusable += 1
        else:
            self._read_prose(raw, line)

    def _read_title(self, raw: str, line: str, following: str) -> bool:
        """Read a heading that is a label.

        Return whether the line is one.
        """
        title = line.rstrip(":：").strip(" *_`:()[]<>")
        is_announced = line != title or raw.startswith("#")
        plural_of = "" if self.known.is_label(title) else self._find_singular(title)
        is_title = self.known.is_label(title) or (is_announced and (is_in_capitals(title) or plural_of != ""))
        is_title &= line != title or raw.startswith("*") or any(map(BULLET.match, (raw, following)))
        if is_title:
            self.heading, self.indent = plural_of or title, -1
        return is_title

    def _parse_names(self, raw: str, line: str, indent: int) -> list[Mention] | None:
        """Parse the names of a line; None if it has none."""
        bullet = BULLET.match(raw)
        names = _parse_offsets(raw, self.known) or self._parse_field(line) or parse_line(line, self.known)
        if names is None and bullet:
            names = parse_line(SENTENCE_END.split(line)[0], self.known)
        if names is None and self.heading:
            is_item = bullet is not None and not raw.startswith("#")
            names = self._parse_below_heading(raw, line, is_item=is_item, indent=indent)
        return names

    def _read_prose(self, raw: str, line: str) -> None:
        """Read a line that has no names.

        It announces a list, or it may be an item that is not understood.
        """
        is_final = FINAL.search(line) is not None
        if line.endswith((":", "：")) or raw.startswith("#") or is_final:
            self.heading = ""
            self.list_start = len(self.found.mentions)
            self.is_final |= is_final
        elif NO_LABEL not in line.casefold() and line.partition(":")[0].strip(" *").lower() not in REMARKS:
            self.pending += self.is_used
            self.unread, self.is_item = line, BULLET.match(raw) is not None and not raw.startswith("#")

    def _parse_below_heading(self, raw: str, line: str, *, is_item: bool, indent: int) -> list[Mention] | None:
        """Parse the names of a line below a heading.

        Return None if it has none. An item that is indented more than those before it, and not in the text, is about a
        name.
        """
        quoted = split_quoted(raw.strip("[]"), self.known)
        if quoted:
            return [(name, self.heading) for name in quoted]
        if not (is_item or self.known.has_name(line)):
            return None
        if line.casefold() in NOTHING:
            return []
        if indent > self.indent >= 0 and not self.known.has_name(line):
            return []
        self.indent = indent
        return [(line, self.heading)]

    def _read_question(self, line: str) -> bool:
        """Read a question for names; return whether it is one."""
        if not line.endswith(QUESTION_MARKS):
            return False
        asked = [word for word in WORD.findall(line) if len(word) > 1 and self.known.is_label(word)]
        if asked:
            self.heading = asked[0] if len(asked) == 1 else ""
        return bool(asked)

    def end(self) -> None:
        """Read the end of the answer.

        A list that is repeated counts once. Of a list and its correction only the last counts: it repeats half of the
        names before, one of them more often than it is in the text. A last line that is an item of a list, or
        only a name, is lost.
        """
        is_likely = self.pending > 0 and (self.is_item or len(self.unread) < MAX_NAME)
        self.found.is_truncated |= is_likely and any(map(self._is_name, map(strip_marks, PIECES.split(self.unread))))
        earlier, later = self.found.mentions[: self.list_start], self.found.mentions[self.list_start :]
        listed, text = Counter(name.casefold() for name, _ in self.found.mentions), (self.known.text or "").casefold()
        repeated = {name.casefold() for name, _ in earlier} & {name.casefold() for name, _ in later}
        is_corrected = len(repeated) * 2 >= len(earlier) and any(text.count(name) < listed[name] for name in repeated)
        if is_corrected or (self.is_final and later):
            self.found.mentions = later
            self.found.is_one_of_several = bool(earlier) and earlier != later
        size = _find_period(self.found.mentions)
        if any(text.count(name.casefold()) < listed[name.casefold()] for name, _ in self.found.mentions[size:]):
            del self.found.mentions[size:]

    def _is_name(self, piece: str) -> bool:
        """Return whether a piece is a name of the text."""
        is_named = len(piece) > 1 and not piece[0].islower()
        return is_named and self.known.has_name(piece) and piece != (self.known.text or "").strip()

    def _find_singular(self, title: str) -> str:
        """Return the label of which a title is the English plural.

        The label is one of the reference; empty if there is none.
        """
        singulars = {fold_label(title.removesuffix(end) + one) for end, one in PLURALS if title.endswith(end)}
        return next((label for label in sorted(self.known.labels) if fold_label(label) in singulars), "")

    def _parse_field(self, line: str) -> list[Mention] | None:
        """Parse `Type: PER`, the label of the name in the line before."""
        key, _, label = (part.strip(" *`") for part in line.partition(":"))
        if key.lower() not in LABELS or self.known.has_name(key) or not self.known.is_label(label):
            return None
        name, self.unread = self.unread, ""
        if not name or (self.known.text is not None and not self.known.has_name(name)):
            return None
        self.pending -= self.is_used
        return [(name, label)]


def _read_heading(line: str, following: str, known: Vocabulary) -> str | None:
    """Change the heading `**Persons (PER)**` to `PER:`.

    Return None for other lines. A heading stands above a list and is not in the text.
    """
    heading = HEADING.fullmatch(strip_marks(line).rstrip(":：* "))
    marks = [each[0].strip(" 0123456789") if (each := BULLET.match(one)) else "" for one in (line, following)]
    if heading is None or not marks[1] or marks[0] == marks[1] or known.text is None or has_label(following, known):
        return None
    is_heading = known.is_label(heading["label"]) and not known.has_name(heading["title"].strip(" *"))
    return f"{heading['label']}:" if is_heading else None


def _simplify_title(line: str, known: Vocabulary) -> str | None:
    """Change `Persons (PER): Ada` to `PER: Ada`; None for other lines."""
    titled = LABELLED_TITLE.fullmatch(line)
    if titled is None or not known.is_label(titled["label"]) or known.text is None:
        return None
    names = split_names(strip_marks(titled["names"]).strip("[]"), known)
    is_title = not known.has_name(titled["title"].strip(" *"))
    are_names = all(known.has_name(strip_marks(name)) for name in names)
    return f"**{titled['label']}**: {', '.join(names) or titled['names']}" if is_title and are_names else None


def _parse_offsets(line: str, known: Vocabulary) -> list[Mention] | None:
    """Parse a name after its offsets and label: `0-3 PER Ada`."""
    match = OFFSETS.fullmatch(line)
    if match is None or not known.is_label(label := match["own"] or match["label"]):
        return None
    return [(strip_marks(match["name"]), label)]


def parse_lists(answer: str, known: Vocabulary) -> PlainAnswer | None:
    """Parse lines with one name, or with the names of one label.

    A heading names the label of the lines below it.
    """
    reader = _LineReader(known)
    lines = list_lines(answer, is_indented=True)
    for line, following in zip(lines, [*lines[1:], ""], strict=False):
        reader.add_line(line, following)
    reader.end()
    return reader.found if reader.is_used and (reader.found.mentions or not reader.found.unusable) else None


def _find_period(mentions: Sequence[Mention]) -> int:
    """Return the number of mentions of a list that is repeated.

    Without repetition it is the number of all mentions.
    """
    starts = [k for k, each in enumerate(mentions) if k and each == mentions[0]][:1]
    return next((k for k in starts if all(map(eq, mentions[k:], cycle(mentions[:k])))), len(mentions))
