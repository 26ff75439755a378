"""Names and labels in an answer of any form.

The readers of answers know many forms. An answer in yet another form may be read in part, or wrongly, so what they read
is compared with the pieces of the answer, without regard to its form:

1. An answer consists of units: objects in braces, and lines outside of them.
2. A unit is cut into pieces at marks: brackets, quotes, commas, colons, arrows, tabs. A piece is a label of the
   reference, a name, that is a part of the text of the document, or neither.
3. A label is unread if a name beside it was not read with this label. The names of a unit are on the side of their
   labels where more of them were read.
4. A name is unread if it was not read with any label, though it is an item: a value of a list or of an object of which
   no name was read, a name before a label or after the one that begins the line, a whole line, or the first words of a
   bullet. Other words in small letters are not items.

A copy of the text with marks in it has labels, but no items. Of tags of tokens such as `B-PER`, there must not be more
than names with that label. A note after the names is not an item. So what a reader leaves out of a list is found, if it
is a part of the text.

    pieces = AnswerPieces(['{"PER": ["Ada", "Bob"]}'], Vocabulary("Ada met Bob", frozenset({"PER"})))
    pieces.list_unread([("Ada", "PER")])  # ["Bob"]
    pieces.pair_names()  # [("Ada", "PER")]: names beside labels
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from isogloss.formats.answer_lines import ARTICLES, BULLET, NO_NAMES, QUOTES, SYMBOLS, VERBS
from isogloss.formats.documents import Mention
from isogloss.formats.mention_shapes import NOTHING, Vocabulary, fold_label

MARK = re.compile(
    rf"(->|→|←|=>|⇒|(?<!\d)[,:]|[,:](?!\d)|[|\t\n：=，、;；؛،()（）\[\]【】<>{QUOTES}{SYMBOLS}*`#\\]|\s[-–—/]\s|\s{{2,}}"
    r"|(?<=\S)/(?=[A-Z])|'(?=[\s,:\]})]|$)|(?:(?<=[\s,:\[({=])|^)'|@@"
    rf"|\s(?:{VERBS}|are)\s(?:(?:{ARTICLES})\s)?|(?<=\sO)\s|(?<=^O)\s|\s(?=O(?:\s|$)))",
    re.MULTILINE,
)
BRACE = re.compile(r"[{}]")
BRACED_WORD = re.compile(r"\{([\w-]+)\}")  # a label beside a name
TAG = re.compile(r"<[^<>]*>")
END_TAG = re.compile(r"[<\[]/[^<>\[\]/]*[>\]]")
COMMENT = re.compile(r"//[^\n]*|/\*.{0,500}?\*/", re.DOTALL)
TOKEN_TAG = re.compile(r"(?P<prefix>[BIESLUM])[-_](?P<label>.+)")
INSIDE = ("I", "E", "L", "M")  # prefixes of the later tokens of a name
LETTERS = re.compile(r"\w+")
EMPTY = re.compile(r"[\"'”]*\s*[:：=]\s*(?:\[\s*\]|null|None)")  # after a label
NOTE = re.compile(
    r"(?:※|[*_\s(（]*(?:note|notes|nota|notas|hinweis|anmerkung|remarque|total|not included|примечание"
    r"|примітка|uwaga|opmerking|not|说明|說明|注|备注|備考|補足|参考|참고|หมายเหตุ|ملاحظة|टिप्पणी)\s*[*_]*\s*[:：])",
    re.IGNORECASE,
)
AROUND = " \t\n-–—•.…_'/!?"  # a piece
OUTER = AROUND + '"“”„«»,;()'  # a name that is compared
CLOSING_MARKS = frozenset("\"“”„«»「」'`*")
LIST_MARKS = CLOSING_MARKS | frozenset(",，、;；؛،|\t[]\n")
END_MARKS = LIST_MARKS | frozenset(").")  # after the last item of a line
OR = frozenset(("or", "oder", "ou", "o", "или", "або", "veya", "lub", "of", "或", "または", "또는", "หรือ", "أو", "या"))
OUTSIDE = "O"  # the tag of words that are not names
MIN_TEXT = 20  # characters of a text rather than a name
MAX_WORDS = 200  # characters before and in a name
MIN_WORD = 4  # letters of a name in small ones
SENTENCE_WORDS = 5  # least number of words of a sentence with a name in it


@dataclass(slots=True)
class _Piece:
    """A part of a unit between two marks.

    Args:
        text: the words.
        before: the marks before it.
        after: the marks after it.
        label: the label that it is, folded; empty for no label.
        prefix: the prefix of a tag of a token; empty for other labels.
        name: what of it is in the text of the document; empty for nothing.
    """

    text: str
    before: str = ""
    after: str = ""
    label: str = ""
    prefix: str = ""
    name: str = ""

    @property
    def is_key(self) -> bool:
        """Whether a colon or parenthesis follows it."""
        return self.after.lstrip("\"'”").startswith((":", "：", "=", "("))


@dataclass(frozen=True)
class _Unit:
    """A line of an answer, or a part of it in braces.

    Args:
        pieces: what stands between its marks.
        is_object: whether it is in braces.
        is_copy: whether it is the text of the document with marks in it.
        is_bullet: whether it begins with a bullet or number.
    """

    pieces: list[_Piece]
    is_object: bool
    is_copy: bool
    is_bullet: bool

    @property
    def is_tagged(self) -> bool:
        """Whether it has tags of tokens."""
        return any(piece.prefix for piece in self.pieces)


class AnswerPieces:
    """The pieces of an answer.

    Without the text of the document, nothing is known to be a name, and there are no pieces.

    Args:
        texts: the parts of the answer.
        known: what is known about the document.
    """

    def __init__(self, texts: Iterable[str], known: Vocabulary) -> None:
        self._known = known
        self._copied = (known.text or "").strip() if len(known.text or "") > MIN_TEXT else ""
        self._words: dict[str, list[_Piece]] = {}  # pieces of words that were cut before
        self._folded = (known.text or "").casefold()
        self._text = _fold(known.text or "")
        self._keys: Counter[str] = Counter()  # keys of objects that are neither labels nor names
        self._letters = "".join(LETTERS.findall(self._text))
        self._texts = texts

    @cached_property
    def _units(self) -> list[_Unit]:
        parts = (part for text in self._texts for part in _split_units(text)) if self._known.text else ()
        return [unit for part, is_object in parts if (unit := self._cut_unit(part, is_object=is_object))]

    def list_unread(self, mentions: Sequence[Mention], *, are_spans: bool = False) -> list[str]:
        """List the names and labels that were not read.

        Args:
            mentions: the names that were read, with their labels.
            are_spans: whether the answer has offsets in place of names.
        """
        if not self._known.text:
            return []
        units = self._units
        read, number = _ReadNames(self._known, mentions), Counter(fold_label(label) for _, label in mentions)
        unread = [label for _, label in mentions if self._is_label_with_more(label)]
        unread += [label for label in number if not self._known.is_label(label) and self._keys[label] > number[label]]
        unread += self._list_contradictions(mentions)
        tags: Counter[str] = Counter()  # first tokens of names, and offsets, by label
        are_tokens = any(unit.is_tagged for unit in units)
        for unit in units:
            if are_spans or unit.is_tagged:
                tags.update(piece.label for piece in unit.pieces if piece.label and piece.prefix not in INSIDE)
                continue
            unread += read.list_unread_labels(unit.pieces)
            items = [] if are_tokens else _list_items(unit, read)
            unread += [piece.name for piece in items if not read.has_item(piece)]
        unread += [label for label, count in tags.items() if count > number[label]]
        return unread or self._list_broken_off()

    def _list_broken_off(self) -> list[str]:
        """List the label of a last line that breaks off.

        It has something else but no name, and all lines before it have a name and a label.
        """
        lines = [unit.pieces for unit in self._units if not unit.is_object]
        *before, last = lines or [[]]
        labels = [k for k, piece in enumerate(last) if piece.label]
        are_alike = bool(before) and all(any(p.label for p in line) and any(p.name for p in line) for line in before)
        if not are_alike or len(labels) != 1 or any(piece.name for piece in last):
            return []
        following = last[labels[0] + 1 :]
        return [last[labels[0]].text] if following and following[0].text.casefold() not in NOTHING else []

    def pair_names(self) -> list[Mention]:
        """Pair each label with the name beside it.

        The side where more names are counts. In a copy of the text, nothing says where a name begins.
        """
        units = (unit for unit in self._units if not (unit.is_tagged or unit.is_copy))
        return [pair for unit in units for pair in _pair_names(unit.pieces)]

    def _list_contradictions(self, mentions: Sequence[Mention]) -> list[str]:
        """List names that have too many labels, and alternative labels.

        A name may have as many labels as it is in the text.
        """
        labels: defaultdict[str, set[str]] = defaultdict(set)
        for name, label in mentions:
            labels[name.casefold()].add(label)
        triples = (
            triple
            for unit in self._units
            if not unit.is_tagged
            for triple in zip(unit.pieces, unit.pieces[1:], unit.pieces[2:], strict=False)
        )
        alternatives = [
            one.text for one, between, two in triples if one.label and two.label and between.text.casefold() in OR
        ]
        corrected = [unit.pieces[-1].text for unit in self._units if unit.is_bullet and _has_second_label(unit.pieces)]
        too_many = [name for name, own in labels.items() if len(own) > max(1, self._folded.count(name))]
        return too_many + alternatives + corrected

    def _is_label_with_more(self, label: str) -> bool:
        """Return whether a label contains one of the reference.

        An example is `PER or LOC`.
        """
        if not self._known.labels or self._known.is_label(label.strip(AROUND)):
            return False
        words = re.split(r"[^\w-]+", label)
        return len(words) > 1 and not self._known.labels.isdisjoint(words)

    def _cut_unit(self, part: str, *, is_object: bool) -> _Unit | None:
        """Cut a part of an answer into pieces.

        Return None if there is nothing to compare.
        """
        line = part.strip()
        bullet = None if is_object else BULLET.match(line)
        is_bullet = bullet is not None and not line.startswith("#")
        line = line if bullet is None else line[bullet.end() :]
        line = line.replace(self._copied, "") if self._copied else line
        if not line or (not is_object and (NOTE.match(line) or NO_NAMES.fullmatch(line))):
            return None
        pieces = self._cut_pieces(END_TAG.sub("]", line) if "/" in line else line)
        if is_object:
            keys = [piece for piece in pieces if not piece.label and _is_plain_key(piece)]
            self._keys.update(fold_label(piece.text) for piece in keys)
            pieces = [piece for piece in pieces if piece not in keys]
        if not any(piece.label or piece.name for piece in pieces):
            return None
        return _Unit(pieces, is_object, not is_object and self._is_copy(line, pieces), is_bullet)

    def _cut_pieces(self, line: str) -> list[_Piece]:
        """Cut a unit into pieces at its marks."""
        pieces, marks = list[_Piece](), ""
        for k, part in enumerate(MARK.split(line)):
            words = "" if k % 2 else part.strip(AROUND)
            if not words:
                marks += part.strip(" ")
                if pieces:
                    pieces[-1].after = marks
                continue
            known = self._words.get(words)
            if known is None:
                known = self._words[words] = list(map(self._classify, self._split_at_labels(words)))
            for piece in known:
                pieces.append(_Piece(piece.text, marks, "", piece.label, piece.prefix, piece.name))
                marks = ""
        return pieces

    def _split_at_labels(self, words: str) -> list[str]:
        """Split words at labels: `entity of type PER`, `PER Ada`, `B-PER Ada`."""
        if " " not in words or self._known.has_name(words):
            return [words]
        parts = words.split(" ")
        labels = [k for k, part in enumerate(parts) if self._is_written_label(part)]
        cuts = sorted({0, len(parts), *labels, *(k + 1 for k in labels)})
        split = [" ".join(parts[low:high]).strip(AROUND) for low, high in pairwise(cuts)]
        return [part for part in split if part]

    def _is_written_label(self, word: str) -> bool:
        """Return whether a word is a label or a tag.

        Its letters are those of the reference, and begin with a capital.
        """
        tag = TOKEN_TAG.fullmatch(word)
        label = word.strip(".") if tag is None else tag["label"]
        return label in self._known.labels and label[0].isupper()

    def _classify(self, words: str) -> _Piece:
        """Find out whether words are a label or a name."""
        tag = TOKEN_TAG.fullmatch(words)
        if words == OUTSIDE:
            return _Piece(words, prefix=OUTSIDE)
        if tag is not None and words not in self._known.labels and self._known.is_label(tag["label"]):
            return _Piece(words, prefix=tag["prefix"], label=fold_label(tag["label"]))
        if self._known.is_label(words):
            return _Piece(words, label=fold_label(words))
        return _Piece(words, name=self._find_name(words))

    def _find_name(self, words: str) -> str:
        """Return the words of a piece that are in the text.

        They may follow other words: `and Ada`.
        """
        if self._has_words(words):
            return "" if words.isascii() and words.islower() and len(words) < MIN_WORD else words
        if len(words) > MAX_WORDS:
            return ""
        begins = [k + 1 for k, character in enumerate(words) if character == " " and words[k + 1 : k + 2].isupper()]
        return next((words[k:] for k in begins if self._has_words(words[k:])), "")

    def _has_words(self, words: str) -> bool:
        """Return whether words are in the text.

        They must begin where a word of it does. Scripts without capitals may have no marks between words.
        """
        text, at = self._folded, -1
        folded = words.casefold()
        if folded not in text:
            return False
        while (at := text.find(folded, at + 1)) >= 0:
            before = text[at - 1 : at]
            if not (before.isdigit() or _is_cased(before)) or not (folded[0].isdigit() or _is_cased(folded[0])):
                return True
        return False

    def _is_copy(self, line: str, pieces: Sequence[_Piece]) -> bool:
        """Return whether a line is the text with marks and labels.

        Half of the text is enough.
        """
        rests = (TAG.sub("", line), "".join(piece.text for piece in pieces if not piece.label))
        letters = ["".join(LETTERS.findall(rest.casefold())) for rest in rests]
        return len(pieces) > 1 and any(len(each) * 2 > len(self._letters) and each in self._letters for each in letters)


class _ReadNames:
    """The names that were read from an answer.

    Args:
        known: what is known about the document.
        mentions: the names, with their labels.
    """

    def __init__(self, known: Vocabulary, mentions: Sequence[Mention]) -> None:
        self._text = _fold(known.text or "")
        self._labels: defaultdict[str, set[str]] = defaultdict(set)  # of each name, and of its pieces
        for name, label in mentions:
            for part in {name, *MARK.split(name)[::2]}:
                self._labels[_fold(part)].add(fold_label(label.strip(AROUND)))

    def has(self, name: str, label: str) -> bool:
        """Return whether a name was read with a label."""
        return label in self._labels.get(_fold(name), ())

    def find_name(self, piece: _Piece) -> str:
        """Return the name in a piece.

        It is the whole piece if this is in quotes and was read as a name.
        """
        is_whole = piece.after[:1] in CLOSING_MARKS and _fold(piece.text) in self._labels
        return piece.text if is_whole else piece.name

    def has_item(self, piece: _Piece) -> bool:
        """Return whether a name was read.

        What is not likely to be a name need not be read.
        """
        name = _fold(self.find_name(piece))
        if name in self._labels or name == self._text or piece.name[0].islower() or len(name) <= name.isascii():
            return True
        return len(name.split()) >= SENTENCE_WORDS and any(own in name for own in self._labels)

    def list_unread_labels(self, pieces: Sequence[_Piece]) -> list[str]:
        """List the labels that were not read with a name beside them.

        If names on both sides were read, the side with more of them counts. If a label has a name on one side only,
        that one must have been read.
        """
        labels = list(_list_labels(pieces, list(map(self.find_name, pieces))))
        read = [[bool(name) and self.has(name, piece.label) for name in names] for piece, names in labels]
        votes = [sum(each[side] for each in read) for side in (0, 1)]
        sides = (0, 1) if votes[0] == votes[1] else (int(votes[1] > votes[0]),)
        return [
            piece.text
            for (piece, names), each in zip(labels, read, strict=True)
            if not any(each[side] for side in sides)
            and (any(names[side] for side in sides) or (any(names) and not any(each)))
        ]


def _has_second_label(pieces: Sequence[_Piece]) -> bool:
    """Return whether a line corrects the label of its one name.

    The other label is in parentheses at its end.
    """
    labels = [piece for piece in pieces if piece.label]
    is_single = len([piece for piece in pieces if piece.name]) == 1
    return is_single and len({piece.label for piece in labels}) > 1 and labels[-1].after.startswith((")", "）"))


def _list_labels(pieces: Sequence[_Piece], names: Sequence[str]) -> Iterator[tuple[_Piece, tuple[str, str]]]:
    """Yield the labels of a unit with the names beside them.

    These are the names before and after a label. A name is empty if there is none, or it has only one letter. Labels of
    empty lists are left out.
    """
    before = _find_nearest_names(pieces, names)
    after = _find_nearest_names(pieces[::-1], names[::-1])[::-1]
    for k, piece in enumerate(pieces):
        following = pieces[k + 1] if k + 1 < len(pieces) else None
        is_empty = following is not None and not following.label and following.text.casefold() in NOTHING
        if piece.label and not is_empty and not EMPTY.match(piece.after):
            yield piece, (before[k], after[k])


def _find_nearest_names(pieces: Sequence[_Piece], names: Sequence[str]) -> list[str]:
    """Return the last name before each piece.

    It is empty if there is none after the last label, or if it has only one letter.
    """
    nearest, found = "", list[str]()
    for piece, name in zip(pieces, names, strict=True):
        found.append(nearest if len(nearest) > nearest.isascii() else "")
        nearest = "" if piece.label else name or nearest
    return found


def _pair_names(pieces: Sequence[_Piece]) -> list[Mention]:
    labels = list(_list_labels(pieces, [piece.name for piece in pieces]))
    votes = [sum(bool(names[side]) for _, names in labels) for side in (0, 1)]
    is_label_first = bool(labels) and not any(piece.name for piece in pieces[: pieces.index(labels[0][0])])
    side = int(votes[1] > votes[0] or (votes[0] == votes[1] and is_label_first))
    return [(names[side], piece.text) for piece, names in labels if names[side]]


def _split_units(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the units of a text.

    Each comes with whether it is in braces.
    """
    text = BRACED_WORD.sub(r"(\1)", text)
    depth = at = 0
    for brace in [*BRACE.finditer(text), None]:
        part = text[at : brace.start() if brace else len(text)]
        if not part.strip(" ,\n"):
            pass
        elif depth:
            yield COMMENT.sub("", part) if "/" in part else part, True
        else:
            yield from ((line, False) for line in part.splitlines())
        if brace:
            depth = depth + 1 if brace[0] == "{" else max(0, depth - 1)
            at = brace.end()


def _list_items(unit: _Unit, read: _ReadNames) -> list[_Piece]:
    """List the names of a unit that are items."""
    if unit.is_object:
        return _list_values(unit.pieces, read)
    if unit.is_copy:
        return [piece for piece in unit.pieces if piece.name and piece.before.endswith("@@")]
    pieces = unit.pieces
    labels = [k for k, piece in enumerate(pieces) if piece.label]
    if labels:
        is_label_first = not any(piece.name for piece in pieces[: labels[0]])
        return [piece for piece in (pieces if is_label_first else pieces[: labels[-1]]) if piece.name]
    values = pieces[1:] if len(pieces) > 1 and pieces[0].is_key and not pieces[0].name else pieces
    ends = [LIST_MARKS] * (len(values) - 1) + [END_MARKS]
    if all(
        piece.name == piece.text and marks.issuperset(piece.after) for piece, marks in zip(values, ends, strict=True)
    ):
        return values
    is_first = unit.is_bullet and values[0].name == values[0].text
    return values[:1] if is_first and not (len(values) > 1 and _is_prose(values[0].after)) else []


def _list_values(pieces: Sequence[_Piece], read: _ReadNames) -> list[_Piece]:
    """List the names of an object that are items.

    These are names in its lists, and all its names if none of them was read.
    """
    is_open = any(piece.name and read.has_item(piece) for piece in pieces)
    depth, values = 0, []
    for piece in pieces:
        depth += piece.before.count("[") - piece.before.count("]")
        if piece.name and (depth > 0 or not is_open):
            values.append(piece)
    return values


def _is_cased(character: str) -> bool:
    return character.lower() != character.upper()


def _is_prose(marks: str) -> bool:
    """Return whether a sentence goes on after a piece with these marks."""
    return any(map(str.isalpha, marks)) or (bool(marks) and set(marks) <= CLOSING_MARKS)


def _is_plain_key(piece: _Piece) -> bool:
    """Return whether a piece is a key rather than a name."""
    return piece.is_key and (not piece.name or (piece.text[0].isalpha() and piece.text.islower()))


def _fold(text: str) -> str:
    return text.strip(OUTER).casefold()
