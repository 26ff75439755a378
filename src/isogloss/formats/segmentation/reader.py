"""A file of any of the formats to blocks of samples."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice

from isogloss.formats.segmentation import columns, conllu
from isogloss.formats.segmentation.detection import detected
from isogloss.formats.segmentation.encoding import LINES, SPACED, Marks, Whitespace, encode, encode_threes
from isogloss.formats.segmentation.pieces import Sample
from isogloss.formats.segmentation.segmented import Inner, Listed, Segmented, of_pieces
from isogloss.sources import Block, Source

BLOCK = 1 << 19  # bytes: what is computed from them mostly stays in the processor's cache
SAMPLES = 1 << 10  # samples of a block of the formats that are read one by one
MARK = "|"
TAG = re.compile(r"</?(?:NE|AB|POEM|COMPOUND|MSP)(?:[=\s][^<>]*)?>", re.IGNORECASE)

Clean = Callable[[str], str]
Progress = Callable[[int], object]


def _rows(source: Source, attributes: Sequence[str]) -> Iterator[Sample]:
    from isogloss.formats.segmentation import jsonl  # noqa: PLC0415  only this format needs msgspec, which takes 25 ms

    return jsonl.samples(source, attributes)


ONE_BY_ONE: Mapping[str, Callable[[Source, Sequence[str]], Iterator[Sample]]] = {
    "conllu": conllu.samples,
    "jsonl": _rows,
    "lst20": partial(columns.samples, lst20=True),
    "columns": partial(columns.samples, lst20=False),
}


@dataclass(frozen=True)
class Reading:
    """How a file is read.

    Args:
        input_format: a key of `NAMES`, None to recognise it.
        whitespace: the policy.
        clean: what another tool does to a sample written with `|` before it looks for words; None for nothing.
        attributes: columns of samples that are wanted beside their words.
    """

    input_format: str | None = None
    whitespace: Whitespace = "ignore"
    clean: Clean | None = None
    attributes: Sequence[str] = ()


def read(source: Source, reading: Reading) -> Iterator[Segmented]:
    """The samples of a file, in blocks.

    Args:
        source: the file.
        reading: how.

    Raises:
        SourceError: it cannot be read.
        FormatError: a line cannot be read in its format.
    """
    name = reading.input_format or detected(source)
    if name in ONE_BY_ONE:
        return _blocks(source, ONE_BY_ONE[name](source, reading.attributes), reading)
    if reading.clean is not None:
        return _blocks(source, _lines(source), reading)
    tagged = name in ("best", "vistec")
    marks = SPACED if name in ("spaces", "raw") else LINES
    whitespace = "separate" if name == "spaces" else reading.whitespace
    return (_of_lines(source, block, marks, whitespace, tagged=tagged) for block in source.blocks(BLOCK, decode=False))


@dataclass(frozen=True)
class Lines:
    """Places of samples that are lines of a block.

    Args:
        name: the file in messages.
        block: the lines.
        mark: stands between words; None where only whitespace does.
        tagged: whether tags come off.
    """

    name: str
    block: Block
    mark: str | None
    tagged: bool

    def where(self, row: int) -> str:
        """File and line."""
        return f"{self.name}:{self.block.first_line + row}"

    def text(self, row: int) -> str:
        """The line without what stands between words."""
        line = self._split[row]
        return line if self.mark is None else line.replace(self.mark, "")

    def value(self, row: int, column: str) -> None:
        """A line has nothing but its words."""

    def file(self, row: int) -> str:  # noqa: ARG002  all lines are from one
        """The file."""
        return self.name

    @cached_property
    def _split(self) -> list[str]:
        return _content(self.block, tagged=self.tagged).split("\n")


def _of_lines(source: Source, block: Block, marks: Marks, whitespace: Whitespace, *, tagged: bool) -> Segmented:
    found = None if tagged or b"\r" in block.data else encode_threes(block.data, marks, whitespace)
    if found is None:
        found = encode(_content(block, tagged=tagged), marks, whitespace)
    places = Lines(source.name, block, marks.word, tagged)
    return Segmented(found.text, found.starts, found.offsets, places, whitespace)


def _content(block: Block, *, tagged: bool) -> str:
    """The lines without line feeds of Windows, and without tags, which come off before words are looked for."""
    content = block.text.replace("\r\n", "\n") if b"\r" in block.data else block.text
    return TAG.sub("", content) if tagged else content  # a tag may stand between two marks


def _lines(source: Source) -> Iterator[Sample]:
    """Each line as one piece."""
    for block in source.blocks(BLOCK):
        for number, line in enumerate(_content(block, tagged=False).split("\n")[:-1], block.first_line):
            yield Sample(number, [line])


def _blocks(source: Source, samples: Iterable[Sample], reading: Reading) -> Iterator[Segmented]:
    remaining = iter(samples)
    while block := list(islice(remaining, SAMPLES)):
        names = [f"{source.name}:{sample.line}" for sample in block]
        pieces = [sample.pieces for sample in block]
        if reading.clean is not None:
            pieces = [reading.clean(MARK.join(words)).split(MARK) for words in pieces]
        found = of_pieces(
            pieces, Listed(names, pieces, source.name, [sample.columns for sample in block]), reading.whitespace
        )
        yield _with_inner(found, block) if any(sample.inner for sample in block) else found


def _with_inner(found: Segmented, block: list[Sample]) -> Segmented:
    inner: list[Inner] = []
    for start, sample in zip(found.offsets.tolist(), block, strict=False):
        inner += [(start + at, words) for at, words in sample.inner]
    return Segmented(found.text, found.starts, found.offsets, found.places, found.whitespace, inner=tuple(inner))
