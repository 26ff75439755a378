"""Names with labels in answers of language models that are not JSON.

| form | example |
|---|---|
| tags in the text | `<PER>Ada</PER>`, `<entity type="PER">Ada</entity>`, `[Ada](PER)`, `[PER: Ada]`, `@@Ada##` |
| XML | `<entity><text>Ada</text><type>PER</type></entity>` |
| table | of Markdown, or CSV with a header |
| YAML | `- text: Ada`, then `  label: PER` |
| tokens | `Ada B-PER`, a line each |
| lines | `- Ada (PER)`, `Ada: PER`, `PER: Ada, Bob`, `Persons (PER): Ada`, `Ada -> PER`, `"Ada" is a PER` |
| offsets | `0-3 PER Ada`, `T1 PER 0 3 Ada` |
| headings | `PER:`, then `- Ada`; `Ada`, then `Type: PER` |

`parse_plain_answer` uses the first form that fits. Lines before and after are prose; a line between two names that
is not read is counted.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from operator import eq

from isogloss.formats.answer_lines import (
    ARTICLES,
    BULLET,
    INTRODUCTION,
    PREFIXED,
    QUOTES,
    REMARK,
    SYMBOLS,
    VERBS,
    WORD,
    drop_prose,
    merge_tags,
    parse_label_words,
    strip_marks,
)
from isogloss.formats.documents import Mention
from isogloss.formats.mention_shapes import (
    LABELS,
    NOTHING,
    TEXTS,
    Vocabulary,
    is_in_capitals,
    parse_mention,
    split_names,
)

FENCE = "```"
TAG = re.compile(
    r"[<\[](?P<close>/?)(?P<name>[\w.-]+)(?:\s+(?P<key>[\w-]+)\s*=\s*[\"'](?P<value>[^\"'<>]*)[\"'])?\s*[>\]]"
)
BRACKETS = (
    re.compile(r"\[(?P<name>[^\[\]\n]{1,200})\] ?[({<\[](?P<label>[^(){}<>\[\]\n]{1,60})[)}>\]]"),
    re.compile(r"\[(?P<label>[\w-]{1,60}): ?(?P<name>[^\[\]\n|]{1,200})\]"),
    re.compile(r"\[(?P<name>[^\[\]\n|]{1,200})\|(?P<label>[^\[\]\n|]{1,60})\]"),
    re.compile(r"<(?P<label>[\w-]{1,60}): ?(?P<name>[^<>\n]{1,200})>"),
    re.compile(r"\{\{(?P<label>[\w-]{1,60})\|(?P<name>[^{}\n]{1,200})\}\}"),
    re.compile(r"\{(?P<name>[^{}\n|]{1,200})\|(?P<label>[\w-]{1,60})\}"),
    re.compile(r"\[(?P<label>[\w-]{1,60}) (?P<name>[^\[\]\n]{1,200})\]"),
    re.compile(r"\((?P<name>[^()\n]{1,200})[,;] ?(?P<label>[\w-]{1,60})\)"),
    re.compile(r"@@(?P<name>[^@#\n]{1,200})##[ :/]?(?P<label>[\w-]{1,60})"),
    re.compile(
        r"<\w+ (?:text|name|mention)=\"(?P<name>[^\"\n]{1,200})\" (?:label|type)=\"(?P<label>[\w-]{1,60})\" ?/>"
    ),
)
MARKED_NAMES = (  # in prose; the names must be in the text
    re.compile(
        r"(?P<mark>\*{1,2}|[\"`])(?P<name>[^*\"`\n]{1,200})(?P=mark),? ?"
        r"[(\[](?P<label>[\w-]{1,60})(?:, [^()\[\]]*)?[)\]]"
    ),
    re.compile(
        rf"[{QUOTES}](?P<name>[^{QUOTES}\n]{{1,200}})[{QUOTES}] (?:{VERBS})"
        rf" (?:(?:{ARTICLES}) )?(?P<label>[\w-]{{1,60}})"
    ),
)
LABEL_OF_NAME = re.compile(
    rf"[(\[{{<](?P<label>[\w-]{{1,60}})[)\]}}>]|\b(?:{VERBS}) (?:(?:{ARTICLES}) )?(?P<word>[\w-]{{1,60}})"
)
MARKED = re.compile(r"@@(.{1,200}?)##")
PARENTHESES = re.compile(r"(?P<one>[^()\[\]]+?)\s*[(\[](?P<other>[^()\[\]]+)[)\]]\.?")
LABELLED = re.compile(r"[(\[](?P<other>[^()\[\]]+)[)\]]\s*(?P<one>[^()\[\]]+)")
SENTENCE = re.compile(
    r"[\"“«]?(?P<one>[^\"“”«»:]+?)[\"”»]? is (?:an? |the )?(?:(?:named )?entity of (?:the )?type )?(?P<other>[\w-]+)\.?"
)
SERIES = re.compile(r"\s*(?P<one>[^()|;,=:]+?)\s*(?:\((?P<in>[^()]+)\)|[=:]\s*(?P<after>[\w-]+))\s*(?:[|;,،؛、]|\.?$)")
OFFSETS = re.compile(
    r"(?:[-*] )?(?:T\d+\s+(?P<own>[\w-]+)\s+\d+\s+\d+|[(\[]?\d+\s*[-–,:]\s*\d+[)\]]?[:,;|]?\s+(?P<label>[\w-]+))"
    r"[\s:|,]+(?P<name>.+)"
)
LABELLED_TITLE = re.compile(r"(?P<title>[^()（）:：]{1,60})[(（](?P<label>[\w-]{1,60})[)）]\**\s*[:：](?P<names>.*)")
HEADING = re.compile(r"(?P<title>[^()（）:：]{1,60})[(（](?P<label>[\w-]{1,60})[)）]")
LABEL_BEFORE_NAMES = re.compile(r"(?:^|[;；|.,]\s*)\**(?P<label>[\w-]{1,60})\**\s*[:：]\s*")
REMARKS = frozenset((
    "reason", "reasoning", "explanation", "description", "context", "note", "justification", "evidence", "confidence",
    "score", "start", "end", "position", "offset", "offsets", "rationale",
))  # fmt: skip
COMMA = re.compile(r"\s*(?:[;，；]|(?<!\d),|,(?!\d))\s*")
SEPARATOR = re.compile(r"\s*(?:\t|->|→|←|=>|⇒|\||：|::?|=|\s[-–—]\s|\s{2,})\s*")
PIECES = re.compile(rf"{SEPARATOR.pattern}|{COMMA.pattern}|[()（）\[\]{QUOTES}{SYMBOLS}]")
TOKEN = re.compile(r"(?P<token>\S+?)[ \t]*(?:[ \t:|]|->|→|=>)[ \t]*(?P<tag>O|[BIESLUM][-_][\w-]+)")
TAG_AND_TOKEN = re.compile(r"(?P<tag>O|[BIESLUM][-_][\w-]+)[ \t]+(?P<token>\S+)")
SLASHED = re.compile(r"(?P<token>\S+)/(?P<tag>O|[BIESLUM]-[\w-]+)")
NO_NAMES = re.compile(
    r"(?:none|n/a|nothing)\.?|.{0,60}\bno (?:[\w-]+,? ){0,12}?(?:entity|entities|names)\b.{0,80}", re.IGNORECASE
)
EXPLAINED = re.compile(rf"(?P<name>.{{1,200}}?)\s*(?:[(（].*|\b(?:{VERBS}) (?:{ARTICLES}) .*)", re.DOTALL)
SENTENCE_END = re.compile(r"[.!](?=\s)|。")
QUESTION_MARKS = ("?", "？", "؟")
REPLY = re.compile(r"(?:A|Answer)\s*[:：]\s*", re.IGNORECASE)
MAX_NAME = 60  # characters of a line with only a name and perhaps a label
PLURALS = (("s", ""), ("es", ""), ("ies", "y"))
TABLE_RULE = re.compile(r"\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?")
MIN_CELLS = 2
XML_FIELDS = frozenset((*TEXTS, *LABELS))


@dataclass
class PlainAnswer:
    """The names of an answer that is not JSON.

    Args:
        mentions: names with labels.
        unusable: number of lines or cells that should be names and are not.
        is_truncated: whether a tag is open at the end.
        is_one_of_several: whether an earlier list of the answer held other names.
    """

    mentions: list[Mention] = field(default_factory=list)
    unusable: int = 0
    is_truncated: bool = False
    is_one_of_several: bool = False


def parse_plain_answer(answer: str, known: Vocabulary) -> PlainAnswer | None:
    """Parse the names of an answer without JSON.

    Return None if the answer is in no known form.

    Args:
        answer: the answer, without JSON.
        known: what is known about the document.
    """
    for parse in (_parse_tags, _parse_brackets, _parse_marks, _parse_tokens, _parse_tables, _parse_yaml, _parse_lines):
        plain_answer = parse(answer, known)
        if plain_answer is not None:
            plain_answer.mentions = [(_drop_explanation(name, known), label) for name, label in plain_answer.mentions]
            return plain_answer
    is_empty = NO_NAMES.fullmatch(answer.strip()) is not None
    is_copy = known.text is not None and answer.strip() == known.text.strip() != ""
    return PlainAnswer() if is_empty or is_copy else None


def _drop_explanation(name: str, known: Vocabulary) -> str:
    """Drop what follows a name of the text.

    An example is `Ada (a mathematician)`.
    """
    explained = None if known.text is None or known.has_name(name) else EXPLAINED.fullmatch(name)
    kept = "" if explained is None else strip_marks(explained["name"])
    return kept if known.has_name(kept) else name


def _parse_tags(answer: str, known: Vocabulary) -> PlainAnswer | None:
    """Parse `<PER>Ada</PER>`, `<entity type="PER">Ada</entity>` and objects in XML."""
    result, fields, is_used = PlainAnswer(), dict[str, str](), False
    opened: list[tuple[re.Match[str], int]] = []
    for tag in TAG.finditer(answer):
        if not tag["close"]:
            opened.append((tag, tag.end()))
            continue
        while opened and opened[-1][0]["name"] != tag["name"]:
            opened.pop()
        if not opened:
            continue
        start, begin = opened.pop()
        content = answer[begin : tag.start()].strip()
        if tag["name"].lower() in XML_FIELDS and "<" not in content and start["key"] is None and opened:
            fields[tag["name"].lower()] = content
        elif fields:
            result.mentions += parse_mention(fields, known) or ()
            result.unusable += parse_mention(fields, known) is None
            fields = {}
        elif "<" not in content and (label := start["value"] or start["name"]) and _is_tag_label(start, known):
            result.mentions += [(content, label)] if content else []
        else:
            result.unusable += not known.labels and known.has_name(content)  # perhaps a label that looks like none
            continue
        is_used = True
    result.is_truncated = any(_is_tag_label(tag, known) for tag, _ in opened)
    return result if is_used and (result.mentions or result.unusable) else None


def _is_tag_label(tag: re.Match[str], known: Vocabulary) -> bool:
    return bool(tag["value"]) if tag["key"] is not None else known.is_label(tag["name"])


def _parse_brackets(answer: str, known: Vocabulary) -> PlainAnswer | None:
    for form in BRACKETS:
        marks = [mark for mark in form.finditer(answer) if known.is_label(mark["label"].strip())]
        is_in_text = any(known.has_name(mark["name"].strip()) for mark in marks)
        if is_in_text or (marks and known.labels and known.text is None):
            return _build_marked(marks, form.sub("", answer), known)
    for form in MARKED_NAMES:
        marks = [mark for mark in form.finditer(answer) if known.is_label(mark["label"])]
        if marks and all(known.has_name(mark["name"].strip()) for mark in marks):
            return _build_marked(marks, form.sub("", answer), known)
    return None


def _build_marked(marks: Sequence[re.Match[str]], rest: str, known: Vocabulary) -> PlainAnswer:
    """Build the names of marks in a text.

    Labels in brackets, or after a verb, in the rest of the text are counted.
    """
    unusable = sum(known.is_label(mark["label"] or mark["word"]) for mark in LABEL_OF_NAME.finditer(rest))
    return PlainAnswer([(mark["name"].strip(), mark["label"].strip()) for mark in marks], unusable)


def _parse_marks(answer: str, known: Vocabulary) -> PlainAnswer | None:
    """Parse `@@Ada##`, which has no label: the reference must have only one."""
    names = MARKED.findall(answer)
    if not names or len(known.labels) != 1:
        return None
    [label] = known.labels
    return PlainAnswer([(name.strip(), label) for name in names])


def _parse_tokens(answer: str, known: Vocabulary) -> PlainAnswer | None:
    """Parse tokens with their tags.

    Each line has a token and its tag, or a slash stands between each token and its tag.
    """
    lines = _list_lines(answer)
    for form, parts in ((TOKEN, lines), (TAG_AND_TOKEN, lines), (SLASHED, answer.split())):
        read = [token for token in map(form.fullmatch, parts) if token is not None]
        if len(read) >= MIN_CELLS and len(read) * 2 >= len(parts):
            pairs = [(token["token"], token["tag"]) for token in read]
            return PlainAnswer(merge_tags(pairs, known), len(parts) - len(read))
    return None


def _parse_tables(answer: str, known: Vocabulary) -> PlainAnswer | None:
    """Parse a table of Markdown, or CSV."""
    lines = [line for line in _list_lines(answer) if "|" in line]
    if len(lines) > MIN_CELLS and TABLE_RULE.fullmatch(lines[1]) is not None:
        rows = [[cell.strip(" *`") for cell in line.strip("|").split("|")] for line in lines]
        return _parse_rows(rows[0], rows[2:], known) or _parse_label_columns(rows[0], rows[2:], known)
    lines = [line for line in _list_lines(answer) if "," in line or ";" in line or "\t" in line]
    if len(lines) < MIN_CELLS:
        return None
    separator = max(",;\t", key=lines[0].count)
    rows = list(csv.reader(lines, delimiter=separator, skipinitialspace=True))
    return _parse_rows(rows[0], rows[1:], known)


def _parse_label_columns(header: Sequence[str], rows: Sequence[Sequence[str]], known: Vocabulary) -> PlainAnswer | None:
    """Parse a table with a column for each label."""
    if not all(map(known.is_label, header)):
        return None
    cells = [(cell, label) for row in rows for label, cell in zip(header, row, strict=False)]
    return PlainAnswer([(name, label) for cell, label in cells for name in split_names(cell, known)])


def _parse_rows(header: Sequence[str], rows: Sequence[Sequence[str]], known: Vocabulary) -> PlainAnswer | None:
    """Parse rows below a header.

    The header names the columns of the label and of the name.
    """
    columns = [cell.strip().lower().replace(" ", "_") for cell in header]
    label = next((k for k, name in enumerate(columns) if name in LABELS and name != "entity"), None)
    text = next((k for name in TEXTS for k, column in enumerate(columns) if column == name and k != label), None)
    if (label is None or text is None) and not any(known.is_label(cell) or known.has_name(cell) for cell in header):
        label, text = _find_columns(rows, known)  # the header is in the language of the text
    if text is None or label is None:
        return None
    result = PlainAnswer()
    for row in rows:
        cells = [row[k].strip() if k < len(row) else "" for k in (text, label)]
        if all(cells):
            names = split_names(cells[0], known)
            result.mentions += [(name, cells[1]) for name in (names if all(map(known.has_name, names)) else cells[:1])]
        else:
            result.unusable += bool("".join(cells))
    if result.mentions and all(PREFIXED.fullmatch(tag) for _, tag in result.mentions):
        result.mentions = merge_tags(result.mentions, known)
    return result


def _find_columns(rows: Sequence[Sequence[str]], known: Vocabulary) -> tuple[int | None, int | None]:
    """Return the columns of labels and of names; None if unclear.

    There must be only one column of labels, and only one of names in the text.
    """
    columns = list(enumerate(zip(*rows, strict=False))) if known.labels else []
    labels = [k for k, cells in columns if all(map(known.is_label, cells))]
    names = [k for k, cells in columns if k not in labels and all(map(known.has_name, cells))]
    return (labels[0] if len(labels) == 1 else None), (names[0] if len(names) == 1 else None)


def _parse_yaml(answer: str, known: Vocabulary) -> PlainAnswer | None:
    """Parse `text: Ada` and `label: PER`, in any order.

    Both may stand in lines of their own or in one line.
    """
    items: list[dict[str, str]] = []
    for line in _list_lines(answer):
        parts = [part.removeprefix("- ").partition(":") for part in COMMA.split(line)]
        if not all(key.strip().lower() in XML_FIELDS for key, _, _ in parts):
            parts = [line.removeprefix("- ").partition(":")]
        for key, _, value in parts:
            name = key.strip(" *0123456789").lower()
            if name not in XML_FIELDS or not value.strip(" *\"'"):
                continue
            if not items or name in items[-1]:
                items.append({})
            items[-1][name] = value.strip(" *\"'")
    read = [parse_mention(item, known) for item in items]
    if not any(read):
        return None
    return PlainAnswer([name for names in read if names for name in names], sum(names is None for names in read))


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
    """

    known: Vocabulary
    found: PlainAnswer = field(default_factory=PlainAnswer)
    heading: str = ""
    pending: int = 0
    unread: str = ""
    is_item: bool = False
    is_used: bool = False
    list_start: int = 0

    def add_line(self, raw: str, following: str) -> None:
        """Read a line.

        Args:
            raw: the line.
            following: the line after it; empty at the end.
        """
        if self._read_question(raw):
            return
        reply = REPLY.match(raw) if self.heading else None
        raw = f"{self.heading}: {raw[reply.end() :]}" if reply is not None else raw
        raw = _read_heading(raw, following, self.known) or _simplify_title(strip_marks(raw), self.known) or raw
        line = strip_marks(raw)
        title = line.rstrip(":：").strip(" *_`:()[]<>")
        is_title = self.known.is_label(title) or (line != title and (is_in_capitals(title) or self._is_plural(title)))
        if is_title and (line != title or BULLET.match(raw) or raw.startswith("*")):
            self.heading = title
            return
        sentence = SENTENCE_END.split(line)[0] if BULLET.match(raw) else line
        names = _parse_offsets(raw, self.known) or self._parse_field(line) or _parse_line(line, self.known)
        names = _parse_line(sentence, self.known) if names is None and sentence != line else names
        is_item = BULLET.match(raw) is not None and not raw.startswith("#")
        if names is None and self.heading and (is_item or self.known.has_name(line)):
            names = [] if line.casefold() in NOTHING else [(line, self.heading)]
        if names is not None:
            self.found.unusable += self.pending
            self.found.mentions += names
            self.is_used, self.pending = True, 0
        elif _has_label(line, self.known):
            self.found.unusable += 1
        elif line.endswith((":", "：")) or raw.startswith("#"):
            self.heading = ""
            self.list_start = len(self.found.mentions)
        elif line.partition(":")[0].strip(" *").lower() not in REMARKS:
            self.pending += self.is_used
            self.unread, self.is_item = line, is_item

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
        if len(repeated) * 2 >= len(earlier) and any(text.count(name) < listed[name] for name in repeated):
            self.found.mentions = later
            self.found.is_one_of_several = earlier != later
        size = _find_period(self.found.mentions)
        if any(text.count(name.casefold()) < listed[name.casefold()] for name, _ in self.found.mentions[size:]):
            del self.found.mentions[size:]

    def _is_name(self, piece: str) -> bool:
        """Return whether a piece is a name of the text."""
        is_named = len(piece) > 1 and not piece[0].islower()
        return is_named and self.known.has_name(piece) and piece != (self.known.text or "").strip()

    def _is_plural(self, title: str) -> bool:
        """Return whether a title is the English plural of a label."""
        return any(title.endswith(end) and self.known.is_label(title.removesuffix(end) + one) for end, one in PLURALS)

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
    if heading is None or not marks[1] or marks[0] == marks[1] or known.text is None or _has_label(following, known):
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


def _parse_lines(answer: str, known: Vocabulary) -> PlainAnswer | None:
    """Parse lines with one name, or with the names of one label.

    A heading names the label of the lines below it.
    """
    reader = _LineReader(known)
    lines = _list_lines(answer)
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


def _has_label(line: str, known: Vocabulary) -> bool:
    """Return whether a line looks like a name with a label."""
    return any(known.is_label(strip_marks(part)) for parts in _split_line(line) for part in parts)


def _parse_line(line: str, known: Vocabulary) -> list[Mention] | None:
    """Parse the names of a line.

    Return None if the line has no names that are certain.
    """
    series = parse_label_words(line, known) or _parse_series(line, known) or _parse_label_series(line, known)
    if series is not None:
        return series
    for one, other in _split_line(line):
        pair = _parse_pair(strip_marks(one), strip_marks(other), known)
        if pair is not None:
            return pair
    return _parse_pieces(line, known)


def _parse_pieces(line: str, known: Vocabulary) -> list[Mention] | None:
    """Parse a line with one name and label: `Ada – someone (PER)`.

    The label is one of the reference, the name is in the text.
    """
    pieces = [strip_marks(piece) for piece in PIECES.split(line)]
    labels = [piece for piece in pieces if known.labels and known.is_label(piece)]
    names = [piece for piece in pieces if piece not in labels and known.has_name(piece)]
    return [(names[0], labels[0])] if len(labels) == len(names) == 1 else None


def _parse_pair(one: str, other: str, known: Vocabulary) -> list[Mention] | None:
    if known.is_label(one) and other.casefold() in NOTHING:
        return []
    oriented = known.orient(one, other)
    if oriented is None or not known.is_label(oriented[1]):
        return None
    name, label = oriented
    if label != one:
        is_item = '"' in name or (not known.has_name(name) and SEPARATOR.search(name) is not None)
        return None if is_item else [(name, label)]
    names = [each.strip("\"'` ") for each in split_names(name.strip("[] "), known)]
    is_certain = len(names) == 1 or bool(known.labels) or all(map(known.has_name, names))
    return [(each, label) for each in names] if is_certain else None


def _parse_series(line: str, known: Vocabulary) -> list[Mention] | None:
    """Parse several names with labels in one line: `Ada (PER), Oslo (LOC)`."""
    for start in (0, *(match.end() for match in [INTRODUCTION.match(line)] if match)):
        items, at = list[Mention](), start
        while (item := SERIES.match(line, at)) is not None:
            items.append((drop_prose(strip_marks(item["one"]), known), strip_marks(item["in"] or item["after"])))
            at = item.end()
        if len(items) > 1 and at == len(line) and all(known.is_label(label) for _, label in items):
            return items
    return None


def _parse_label_series(line: str, known: Vocabulary) -> list[Mention] | None:
    """Parse labels with names in one line: `PER: Ada; LOC: Oslo`."""
    labels = [match for match in LABEL_BEFORE_NAMES.finditer(line) if known.is_label(match["label"])]
    if len(labels) < MIN_CELLS or labels[0].start() > 0:
        return None
    ends = [match.start() for match in labels[1:]] + [len(line)]
    pairs = [(match["label"], line[match.end() : end]) for match, end in zip(labels, ends, strict=True)]
    parsed = [_parse_pair(label, strip_marks(names.strip(" .")), known) for label, names in pairs]
    return [name for names in parsed for name in names or ()] if None not in parsed else None


def _split_line(line: str) -> Iterator[tuple[str, str]]:
    """Yield the ways to split a line into two strings."""
    for form in (SENTENCE, PARENTHESES, LABELLED):
        if (match := form.fullmatch(line)) is not None:
            yield match["one"], match["other"]
            first, comma, _ = match["other"].partition(",")
            if comma:
                yield match["one"], first
    for text in (line, REMARK.sub("", line)):
        for form in (SEPARATOR, COMMA):
            cuts = list(form.finditer(text))
            for cut in (cuts[0], cuts[-1]) if cuts else ():
                yield text[: cut.start()], text[cut.end() :]


def _list_lines(answer: str) -> list[str]:
    return [line.strip() for line in answer.splitlines() if line.strip() and not line.strip().startswith(FENCE)]
