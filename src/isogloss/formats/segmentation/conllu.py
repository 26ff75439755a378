"""CoNLL-U: sentences of ten columns, of which ID, FORM and MISC are read. Heads may be anything: no tree is needed.

A token of several words (`1-2`) is one token; its words are kept beside it. Empty nodes (`1.1`) are no tokens. A space
follows a token without `SpaceAfter=No`; the comment `# text = ...`, where there is one, says it better.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from isogloss.exceptions import FormatError
from isogloss.formats.attributes import Comments, Values
from isogloss.formats.segmentation.pieces import Sample, located, spaced
from isogloss.sources import Source

COLUMNS = 10
FORM, MISC = 1, 9
TEXT = re.compile(r"#\s*text ?= ?(.*)")
ID = re.compile(r"(\d{1,18})(?:-(\d{1,18})|(\.\d+))?")


@dataclass
class _Sentence:
    """A sentence as far as it is read."""

    line: int = 0
    text: str | None = None
    forms: list[str] = field(default_factory=list)
    space: list[bool] = field(default_factory=list)
    inner: dict[int, list[str]] = field(default_factory=dict)  # by token
    last: int = 0  # id of the last word of the latest token

    def finished(self, name: str, columns: Values) -> Sample:
        """The sample.

        Args:
            name: its file.
            columns: what is wanted of it beside.

        Raises:
            FormatError: `# text` is another text.
        """
        pieces: list[str] | None = spaced(self.forms, (*self.space[:-1], False))
        if self.text is not None:
            pieces = located(self.forms, self.text)
        if pieces is None:
            remedy = "Correct the one that is wrong, or remove the comment."
            raise FormatError(
                "`# text` does not hold the FORMs of its sentence", where=f"{name}:{self.line}", remedy=remedy
            )
        at, starts = 0, []
        for form in self.forms:
            starts.append(at)
            at += sum(not character.isspace() for character in form)
        inner = tuple((starts[token], tuple(words)) for token, words in self.inner.items())
        return Sample(self.line, pieces, inner, columns)


def samples(source: Source, attributes: Sequence[str] = ()) -> Iterator[Sample]:
    """The sentences of a file.

    Args:
        source: the file.
        attributes: what is wanted of comments.

    Raises:
        FormatError: a line has not the ten columns, no id, or no form; or `# text` is another text.
    """
    sentence, comments = _Sentence(), Comments(attributes)
    for block in source.blocks():
        for number, line in enumerate(block.text.split("\n")[:-1], block.first_line):
            content = line.rstrip("\r")
            if not content or content.isspace():
                if sentence.forms:
                    yield sentence.finished(source.name, comments.sentence())
                sentence = _Sentence()
            elif content.startswith("#"):
                comments.take(content)
                if found := TEXT.match(content):
                    sentence.text = found[1]
            else:
                sentence.line = sentence.line or number
                _add(sentence, content.split("\t"), f"{source.name}:{number}")
    if sentence.forms:
        yield sentence.finished(source.name, comments.sentence())


def _add(sentence: _Sentence, fields: list[str], where: str) -> None:
    found = ID.fullmatch(fields[0]) if len(fields) == COLUMNS else None
    if found is None or not fields[FORM].strip():
        raise _fault(fields, where)
    if found[3]:
        return
    number = int(found[1])
    if number <= sentence.last:  # a word of the token before
        sentence.inner.setdefault(len(sentence.forms) - 1, []).append(fields[FORM])
        return
    sentence.last = int(found[2]) if found[2] else 0
    sentence.forms.append(fields[FORM])
    sentence.space.append("SpaceAfter=No" not in fields[MISC].split("|"))


def _fault(fields: list[str], where: str) -> FormatError:
    remedy = "A token is a line of ten columns between tabs, with an id such as 1, 1-2 or 1.1, and a form."
    if len(fields) != COLUMNS:
        message = f"{len(fields)} column{'' if len(fields) == 1 else 's'}, but CoNLL-U has {COLUMNS}"
    elif ID.fullmatch(fields[0]):
        message = "the form is empty"
    else:
        message = f"{fields[0][:40]!r} is no id of a token"
    return FormatError(message, where=where, remedy=remedy)
