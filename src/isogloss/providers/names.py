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
from isogloss.providers.models import Loadable, Provider, Span, split_units
from isogloss.providers.specs import ProviderSettings, ProviderSpec
from isogloss.records.sources import Source

ListedName = str | tuple[str, str | None]
UnitRow = Sequence[tuple[str, int, int]]


@dataclass(slots=True)
class _Node:
    """Where the names that begin in one way go on, and the labels of the name that ends here."""

    children: dict[str, _Node] = field(default_factory=dict)
    labels: set[str | None] = field(default_factory=set)


class NameList:
    """A recogniser of listed names.

    Args:
        names: each a text, or a text with its label.
        name: what it is called in signatures.
    """

    def __init__(self, names: Iterable[ListedName], *, name: str = "names") -> None:
        self._name = name
        self._root = _Node()
        for entry in names:
            text, label = (entry, None) if isinstance(entry, str) else entry
            self._add_name(text, label)

    @property
    def name(self) -> str:
        """As given; that of a file is `names:FILE`."""
        return self._name

    def annotate(self, texts: Sequence[str]) -> list[list[Span]]:
        """The listed names in each text."""
        return [self._find_names(text) for text in texts]

    def _add_name(self, text: str, label: str | None) -> None:
        row = split_units(text.strip())
        node = self._root
        for at in range(len(row)):
            node = node.children.setdefault(_get_unit_key(row, at), _Node())
        if row:
            node.labels.add(label)

    def _find_names(self, text: str) -> list[Span]:
        row = split_units(text)
        first = self._root.children
        spans, reached = [], 0
        for at, (unit, start, _) in enumerate(row):
            if at >= reached and unit in first:
                reached, labels = self._find_longest(row, at)
                spans += [Span(start, row[reached - 1][2], label) for label in labels]
        return spans

    def _find_longest(self, row: UnitRow, at: int) -> tuple[int, set[str | None]]:
        """The unit after the longest name that begins at a unit, and its labels; `at` and none if no name does."""
        node: _Node | None = self._root.children[row[at][0]]
        end, labels, reached = at, set[str | None](), at
        while node:
            reached += 1
            if node.labels:
                end, labels = reached, node.labels
            node = node.children.get(_get_unit_key(row, reached)) if reached < len(row) else None
        return end, labels


def recogniser(spec: ProviderSpec, _settings: ProviderSettings) -> NameList:
    """The names of a file.

    Raises:
        SourceError: the file cannot be read.
        DataError: it has no names.
    """
    spec.check_options("labels")
    source = Source(spec.require_argument("FILE"))
    return load_name_list(source.path, name=spec.text)


def load_name_list(path: str | os.PathLike[str], *, name: str | None = None) -> NameList:
    """The names of a file.

    Args:
        path: a name a line, with its label after a tab, if it has one; may be compressed.
        name: what it is called in signatures; `names:PATH` if none is given.

    Raises:
        SourceError: the file cannot be read.
        DataError: it has no names.
    """
    source = Source(path)
    names = [_parse_line(line) for block in source.blocks() for line in block.text.split("\n") if line.strip()]
    if not names:
        raise DataError("has no names", where=source.name, remedy="Write a name a line.")
    return NameList(names, name=name or f"names:{source.path}")


def _parse_line(line: str) -> tuple[str, str | None]:
    text, _, label = line.partition("\t")
    return text, label.strip() or None


def _get_unit_key(row: UnitRow, at: int) -> str:
    """A unit, with a space before it where whitespace is: what a unit of a name is compared with."""
    unit, start, _ = row[at]
    return " " + unit if at and start > row[at - 1][2] else unit


class FoundName(NamedTuple):
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
class CombinedRecogniser:
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
        return [sorted({Span(*name[:3]) for name in names}, key=_get_sort_key) for names in self.find_names(texts)]

    def find_names(self, texts: Sequence[str]) -> list[list[FoundName]]:
        """The names in each text, and who found them."""
        answers = [recogniser.annotate(texts) for recogniser in self.recognisers]
        names = [recogniser.name for recogniser in self.recognisers]
        return [merge_names(zip(names, spans, strict=True)) for spans in zip(*answers, strict=True)]


def merge_names(answers: Iterable[tuple[str, Iterable[Span]]]) -> list[FoundName]:
    """What several recognisers found in one text, by start, end, label and recogniser, each once.

    Args:
        answers: the name of each recogniser and its spans.
    """
    found = {FoundName(*span, recogniser) for recogniser, spans in answers for span in spans}
    return sorted(found, key=lambda name: (*_get_sort_key(name), name.recogniser))


def join_spans(spans: Iterable[Span | FoundName], *, join_touching: bool = False) -> list[Span]:
    """The stretches that spans cover, as spans that do not overlap.

    Args:
        spans: in any order.
        touching: whether spans that only touch become one as well.

    Returns:
        Ascending spans. Their label is that of the spans they cover, and None where these differ.
    """
    stretches: list[Span] = []
    for start, end, label, *_ in sorted(spans, key=_get_sort_key):
        last = stretches[-1] if stretches else None
        if last and (start < last.end or (join_touching and start == last.end)):
            stretches[-1] = Span(last.start, max(last.end, end), label if label == last.label else None)
        else:
            stretches.append(Span(start, end, label))
    return stretches


def _get_sort_key(span: Span | FoundName) -> tuple[int, int, str]:
    return span.start, span.end, span.label or ""
