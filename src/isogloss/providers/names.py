"""`names:FILE`: names that the user lists, found as they are written.

The file has a name a line; after a tab may stand its label. Blank lines mean nothing. A name is found where its units
(see `units`) follow each other, with whitespace where it has whitespace, however much; so never inside a word. Case
matters. Where several names begin at one place, the longest is found, and the next is looked for behind it.

The list is a tree of units: looking for a million names takes as long as for one, but for the length of the longest.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from isogloss.errors import DataError, UsageError
from isogloss.providers.models import Loadable, Provider, Span, units
from isogloss.providers.specs import Settings, Spec
from isogloss.records.sources import Source

Name = str | tuple[str, str | None]
Row = Sequence[tuple[str, int, int]]


@dataclass(slots=True)
class _Node:
    """Where the names that begin in one way go on, and the labels of the name that ends here."""

    following: dict[str, _Node] = field(default_factory=dict)
    labels: set[str | None] = field(default_factory=set)


class NameList:
    """A recogniser of listed names.

    Args:
        names: each a text, or a text with its label.
        name: what it is called in signatures.
    """

    def __init__(self, names: Iterable[Name], *, name: str = "names") -> None:
        self._name = name
        self._root = _Node()
        for entry in names:
            text, label = (entry, None) if isinstance(entry, str) else entry
            self._add(text, label)

    @property
    def name(self) -> str:
        """As given; that of a file is `names:FILE`."""
        return self._name

    def annotate(self, texts: Sequence[str]) -> list[list[Span]]:
        """The listed names in each text."""
        return [self._found(text) for text in texts]

    def _add(self, text: str, label: str | None) -> None:
        row = units(text.strip())
        node = self._root
        for at in range(len(row)):
            node = node.following.setdefault(_key(row, at), _Node())
        if row:
            node.labels.add(label)

    def _found(self, text: str) -> list[Span]:
        row = units(text)
        first = self._root.following
        spans, reached = [], 0
        for at, (unit, start, _) in enumerate(row):
            if at >= reached and unit in first:
                reached, labels = self._longest(row, at)
                spans += [Span(start, row[reached - 1][2], label) for label in labels]
        return spans

    def _longest(self, row: Row, at: int) -> tuple[int, set[str | None]]:
        """The unit after the longest name that begins at a unit, and its labels; `at` and none if no name does."""
        node: _Node | None = self._root.following[row[at][0]]
        end, labels, reached = at, set[str | None](), at
        while node:
            reached += 1
            if node.labels:
                end, labels = reached, node.labels
            node = node.following.get(_key(row, reached)) if reached < len(row) else None
        return end, labels


def recogniser(spec: Spec, _settings: Settings) -> NameList:
    """The names of a file.

    Raises:
        SourceError: the file cannot be read.
        DataError: it has no names.
    """
    spec.only("labels")
    source = Source(spec.needs_argument("FILE"))
    return listed(source.path, name=spec.text)


def listed(path: str | os.PathLike[str], *, name: str | None = None) -> NameList:
    """The names of a file.

    Args:
        path: a name a line, with its label after a tab, if it has one; may be compressed.
        name: what it is called in signatures; `names:PATH` if none is given.

    Raises:
        SourceError: the file cannot be read.
        DataError: it has no names.
    """
    source = Source(path)
    names = [_entry(line) for block in source.blocks() for line in block.text.split("\n") if line.strip()]
    if not names:
        raise DataError("has no names", where=source.name, remedy="Write a name a line.")
    return NameList(names, name=name or f"names:{source.path}")


def _entry(line: str) -> tuple[str, str | None]:
    text, _, label = line.partition("\t")
    return text, label.strip() or None


def _key(row: Row, at: int) -> str:
    """A unit, with a space before it where whitespace is: what a unit of a name is compared with."""
    unit, start, _ = row[at]
    return " " + unit if at and start > row[at - 1][2] else unit


class Found(NamedTuple):
    """A name, and who found it.

    Args:
        start: its first code point, from 0.
        end: the code point after its last.
        label: what kind of name it is, in the words of the recogniser.
        recogniser: the recogniser's name.
    """

    start: int
    end: int
    label: str | None
    recogniser: str


@dataclass(frozen=True)
class Several:
    """A recogniser that finds what any of several finds.

    Args:
        recognisers: at least one.
    """

    recognisers: Sequence[Provider]

    def __post_init__(self) -> None:
        if not self.recognisers:
            raise UsageError("Several needs at least one recogniser")

    @property
    def name(self) -> str:
        """Their names, joined by `+`."""
        return "+".join(recogniser.name for recogniser in self.recognisers)

    def load(self) -> None:
        """Loads the models of all."""
        for recogniser in self.recognisers:
            if isinstance(recogniser, Loadable):
                recogniser.load()

    def annotate(self, texts: Sequence[str]) -> list[list[Span]]:
        """The names that any of them finds in each text, by start, end and label, each once."""
        return [sorted({Span(*name[:3]) for name in names}, key=_order) for names in self.found(texts)]

    def found(self, texts: Sequence[str]) -> list[list[Found]]:
        """The names in each text, and who found them."""
        answers = [recogniser.annotate(texts) for recogniser in self.recognisers]
        names = [recogniser.name for recogniser in self.recognisers]
        return [merged(zip(names, spans, strict=True)) for spans in zip(*answers, strict=True)]


def merged(answers: Iterable[tuple[str, Iterable[Span]]]) -> list[Found]:
    """What several recognisers found in one text, by start, end, label and recogniser, each once.

    Args:
        answers: the name of each recogniser and its spans.
    """
    found = {Found(*span, recogniser) for recogniser, spans in answers for span in spans}
    return sorted(found, key=lambda name: (*_order(name), name.recogniser))


def joined(spans: Iterable[Span | Found], *, touching: bool = False) -> list[Span]:
    """The stretches that spans cover, as spans that do not overlap.

    Args:
        spans: in any order.
        touching: whether spans that only touch become one as well.

    Returns:
        Ascending spans. Their label is that of the spans they cover, and None where these differ.
    """
    stretches: list[Span] = []
    for start, end, label, *_ in sorted(spans, key=_order):
        last = stretches[-1] if stretches else None
        if last and (start < last.end or (touching and start == last.end)):
            stretches[-1] = Span(last.start, max(last.end, end), label if label == last.label else None)
        else:
            stretches.append(Span(start, end, label))
    return stretches


def _order(span: Span | Found) -> tuple[int, int, str]:
    return span.start, span.end, span.label or ""
