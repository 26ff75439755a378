"""Sentences of a CoNLL-U file: their words, and where these stand in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from isogloss.exceptions import FormatError
from isogloss.formats.attributes import Comments, Values, commented
from isogloss.formats.conllu.columns import Layout, lines_of, noted
from isogloss.formats.span_pairing import TaggedRow, Token
from isogloss.formats.tokens import located
from isogloss.sources import Source
from isogloss.text import counted

ID = re.compile(r"(\d{1,18})(?:-(\d{1,18})|(\.\d+))?")
TEXT = re.compile(r"#\s*text ?= ?(.*)")
ESCAPES = {"\\s": " ", "\\t": "\t", "\\n": "\n", "\\r": "\r", "\\p": "|", "\\\\": "\\"}
ESCAPE = re.compile(r"\\[stnrp\\]")
REMEDY = "A word is a line of {} columns between tabs, with an id such as 1, 1-2 or 1.1, and a form."


@dataclass(slots=True)
class _Token:
    """What stands between white space or SpaceAfter=No: a word, or several that are written as one.

    Args:
        form: how it is written; "_" where only its words say.
        misc: notes on it.
        last: the id of its last word.
        several: whether it has a line of its own, before its words.
        words: its words.
    """

    form: str
    misc: str
    last: int
    several: bool = False
    words: list[str] = field(default_factory=list)

    @property
    def written(self) -> str:
        """Its characters."""
        return "".join(self.words) if self.form == "_" and len(self.words) > 1 else self.form

    @property
    def is_fused(self) -> bool:
        """Whether its words, one after the other, are not how it is written."""
        return self.several and "".join(self.words) != self.written

    def places(self, start: int) -> Iterator[Token]:
        """Where its words stand, if it starts there: one after the other, or all in the same place."""
        fused, after = self.is_fused, start + len(self.written)
        at = start
        for word in self.words:
            yield Token(start, after) if fused else Token(at, at + len(word))
            at += len(word)


@dataclass
class _Sentence:
    """A sentence as far as it is read."""

    id: str | None = None
    text: str | None = None
    tokens: list[_Token] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    def row(self, name: str, columns: Values | None) -> TaggedRow:
        """The document, of a file of this name."""
        text, starts = self._placed()
        forms: list[str] | None = None
        if not any(token.several for token in self.tokens):
            places = [Token(start, start + len(each.form)) for each, start in zip(self.tokens, starts, strict=True)]
        else:
            places = [place for each, start in zip(self.tokens, starts, strict=True) for place in each.places(start)]
            if any(token.is_fused for token in self.tokens):
                forms = [word for token in self.tokens for word in token.words]
        return TaggedRow(
            file=name,
            line=self.lines[0],
            id=self.id,
            text=text,
            tokens=places,
            tags=self.tags,
            columns=columns,
            joined=True,
            lines=self.lines,
            forms=forms,
        )

    def _placed(self) -> tuple[str, Sequence[int]]:
        """The text, and where each token starts in it."""
        if self.text is not None:
            found = located([token.written for token in self.tokens], self.text)
            if found is not None:
                return self.text, [start for start, _ in found]
        pieces, starts = [_spaces(noted(self.tokens[0].misc, "SpacesBefore") or "")], []
        at = len(pieces[0])
        for token in self.tokens:
            starts.append(at)
            pieces += token.written, _after(token, is_last=token is self.tokens[-1])
            at += len(pieces[-2]) + len(pieces[-1])
        return "".join(pieces), starts


def rows(source: Source, layout: Layout, attributes: Sequence[str]) -> Iterator[TaggedRow]:
    """The sentences of a file as documents.

    Args:
        source: the file.
        layout: how its lines are read.
        attributes: what is wanted of comments.

    Raises:
        SourceError: the file cannot be read.
        FormatError: a line has another number of columns, no id, or no form.
    """
    sentence, comments = _Sentence(), Comments(attributes)
    for number, line in lines_of(source):
        if not line or line.isspace():
            if sentence.tags:
                yield sentence.row(source.name, comments.sentence() if attributes else None)
            sentence = _Sentence()
        elif line.startswith("#"):
            comments.take(line)
            _comment(sentence, line)
        else:
            _add(sentence, line.split("\t"), layout, f"{source.name}:{number}", number)
    if sentence.tags:
        yield sentence.row(source.name, comments.sentence() if attributes else None)


def _comment(sentence: _Sentence, line: str) -> None:
    if found := TEXT.match(line):
        sentence.text = found[1]
    elif (pair := commented(line)) is not None and pair[0] == "sent_id":
        sentence.id = pair[1]


def _add(sentence: _Sentence, fields: list[str], layout: Layout, where: str, line: int) -> None:
    """Adds what a line says."""
    if len(fields) != layout.columns:
        columns = counted(len(fields), "column")
        raise _fault(f"{columns}, but the file has {layout.columns}", layout, where)
    form = fields[layout.form]
    if not form or form.isspace():
        raise _fault("the form is empty", layout, where)
    number = _number(sentence, fields, layout, where)
    if number is None:
        return
    before = sentence.tokens[-1] if sentence.tokens else None
    if before is None or number > before.last:
        misc = "" if layout.misc is None else fields[layout.misc]
        sentence.tokens.append(_Token(form, misc, number, words=[form]))
    elif before.several:
        before.words.append(form)
    else:
        raise _fault(f"the id {number} follows {before.last}: a blank line is missing", layout, where)
    sentence.tags.append(layout.tag.tag(fields, where))
    sentence.lines.append(line)


def _number(sentence: _Sentence, fields: Sequence[str], layout: Layout, where: str) -> int | None:
    """The number of a word; None of any other line. A token of several words is added to the sentence."""
    if layout.id is None:
        return sentence.tokens[-1].last + 1 if sentence.tokens else 1
    found = ID.fullmatch(fields[layout.id])
    if found is None:
        raise _fault(f"{fields[layout.id][:40]!r} is no id of a word", layout, where)
    if found[2] is None and found[3] is None:
        return int(found[1])
    if found[2] is not None:
        misc = "" if layout.misc is None else fields[layout.misc]
        sentence.tokens.append(_Token(fields[layout.form], misc, int(found[2]), several=True))
    return None


def _fault(message: str, layout: Layout, where: str) -> FormatError:
    return FormatError(message, where=where, remedy=REMEDY.format(layout.columns))


def _after(token: _Token, *, is_last: bool) -> str:
    """The white space after a token."""
    told = noted(token.misc, "SpacesAfter")
    if told is not None:
        return _spaces(told)
    return "" if is_last or noted(token.misc, "SpaceAfter") == "No" else " "


def _spaces(told: str) -> str:
    """White space as it is escaped in MISC; nothing where it is anything else."""
    spaces = ESCAPE.sub(lambda escape: ESCAPES[escape[0]], told)
    return spaces if spaces.isspace() else ""
