"""Listed names (`names:FILE`), and combining the names that several recognisers find.

The file has one name a line; a label may follow after a tab. Blank lines are ignored. A name is found where its units
(see `split_units`) follow each other, with whitespace where the name has whitespace, in any amount; so never inside a
word. Case matters. If several names begin at one place, the longest is found, and the search continues after it.

The list is a tree of units: the time to search depends on the longest name, not on the number of names.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from isogloss.errors import DataError, UsageError
from isogloss.providers.models import Loadable, Provider, Span, get_sort_key, split_units
from isogloss.providers.specs import ProviderSettings, ProviderSpec
from isogloss.records.sources import Source

ListedName = str | tuple[str, str | None]
UnitRow = Sequence[tuple[str, int, int]]


@dataclass(slots=True)
class _Node:
    """A node of the tree of names.

    It has the nodes of longer names, and the labels of the name that ends here.
    """

    children: dict[str, _Node] = field(default_factory=dict)
    labels: set[str | None] = field(default_factory=set)


class NameList:
    """A recogniser of listed names.

    Args:
        names: each a text, or a text with its label.
        name: its name in signatures.
    """

    def __init__(self, names: Iterable[ListedName], *, name: str = "names") -> None:
        self._name = name
        self._root = _Node()
        for entry in names:
            text, label = (entry, None) if isinstance(entry, str) else entry
            self._add_name(text, label)

    @property
    def name(self) -> str:
        """Its name in signatures; for a file `names:FILE`."""
        return self._name

    def annotate(self, texts: Sequence[str]) -> list[list[Span]]:
        """Return the listed names in each text."""
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
        """Return the end of the longest name at a unit, with labels.

        The end is the unit after the name; it is `at` if there is no name.
        """
        node: _Node | None = self._root.children[row[at][0]]
        end, labels, reached = at, set[str | None](), at
        while node:
            reached += 1
            if node.labels:
                end, labels = reached, node.labels
            node = node.children.get(_get_unit_key(row, reached)) if reached < len(row) else None
        return end, labels


def build_recogniser(spec: ProviderSpec, _settings: ProviderSettings) -> NameList:
    """Load the names of a file.

    Args:
        spec: the parsed spec.
        _settings: not used.

    Raises:
        SourceError: if the file cannot be read.
        DataError: if it has no names.
    """
    spec.check_options("labels")
    source = Source(spec.require_argument("FILE"))
    return load_name_list(source.path, name=spec.text)


def load_name_list(path: str | os.PathLike[str], *, name: str | None = None) -> NameList:
    """Load the names of a file.

    Args:
        path: a file with one name a line, and its label after a tab if it has one; may be compressed.
        name: its name in signatures; None for `names:PATH`.

    Raises:
        SourceError: if the file cannot be read.
        DataError: if it has no names.
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
    """Return a unit for comparison with the units of names.

    If whitespace precedes the unit, a space stands before it.
    """
    unit, start, _ = row[at]
    return " " + unit if at and start > row[at - 1][2] else unit


class FoundName(NamedTuple):
    """A name, and the recogniser that found it.

    Args:
        start: its first code point, from 0.
        end: the code point after its last.
        label: the kind of name, in the words of the recogniser.
        recogniser: the name of the recogniser.
    """

    start: int
    end: int
    label: str | None
    recogniser: str


@dataclass(frozen=True)
class CombinedRecogniser:
    """A recogniser that finds what any of several recognisers finds.

    Args:
        recognisers: at least one.
    """

    recognisers: Sequence[Provider]

    def __post_init__(self) -> None:
        if not self.recognisers:
            raise UsageError("CombinedRecogniser requires at least one recogniser")

    @property
    def name(self) -> str:
        """Their names, joined by `+`."""
        return "+".join(recogniser.name for recogniser in self.recognisers)

    def load(self) -> None:
        """Load the models of all."""
        for recogniser in self.recognisers:
            if isinstance(recogniser, Loadable):
                recogniser.load()

    def annotate(self, texts: Sequence[str]) -> list[list[Span]]:
        """Return the names that any of them finds in each text.

        They are sorted and without duplicates.
        """
        return [sorted({Span(*name[:3]) for name in names}, key=get_sort_key) for names in self.find_names(texts)]

    def find_names(self, texts: Sequence[str]) -> list[list[FoundName]]:
        """Return the names in each text, and the recognisers that found them."""
        answers = [recogniser.annotate(texts) for recogniser in self.recognisers]
        names = [recogniser.name for recogniser in self.recognisers]
        return [merge_names(zip(names, spans, strict=True)) for spans in zip(*answers, strict=True)]


def merge_names(answers: Iterable[tuple[str, Iterable[Span]]]) -> list[FoundName]:
    """Merge the names that several recognisers found in one text.

    They are sorted and without duplicates.

    Args:
        answers: the name of each recogniser and its spans.
    """
    names = {FoundName(*span, recogniser) for recogniser, spans in answers for span in spans}
    return sorted(names, key=lambda name: (*get_sort_key(name), name.recogniser))


def join_spans(spans: Iterable[Span | FoundName], *, join_touching: bool = False) -> list[Span]:
    """Join overlapping spans.

    Args:
        spans: spans in any order.
        join_touching: whether to join spans that only touch, too.

    Returns:
        Ascending spans without overlaps. Their label is that of the spans they cover, None if these differ.
    """
    joined: list[Span] = []
    for start, end, label, *_ in sorted(spans, key=get_sort_key):
        last = joined[-1] if joined else None
        if last and (start < last.end or (join_touching and start == last.end)):
            joined[-1] = Span(last.start, max(last.end, end), label if label == last.label else None)
        else:
            joined.append(Span(start, end, label))
    return joined
