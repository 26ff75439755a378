"""Python lists: the words of each sample."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from isogloss.errors import DataError, FormatError, UsageError
from isogloss.kernel.provenance import RunWarning, Side
from isogloss.kernel.provenance import Side as SideName
from isogloss.records.attributes import list_comment_columns
from isogloss.records.row_shape import RowShape
from isogloss.records.sources import Progress, Source, is_path
from isogloss.records.tabular import open_rows
from isogloss.runs.run_json import InputFile
from isogloss.tasks.segmentation.pairing import Pairing, word_pairs
from isogloss.tasks.segmentation.reading import MARK, NAMES, Reading, detected, read
from isogloss.tasks.segmentation.samples import SampleBlock, encode_pieces
from isogloss.tasks.segmentation.sentences import pair_sentences

SAMPLES = 1 << 11  # of a block
SAMPLE_SHAPE = RowShape(
    needed=("words", "tokens"),
    header="id,text,words",
    row='A row looks like {"text": "Ada ran", "words": ["Ada", "ran"]}.',
    kinds={"text": "text", "words": "words", "tokens": "words", "spaces": "json", "whitespace": "json"},
    plain="If the file is plain text, name its format: --input-format pipe (or spaces, raw).",
    reads_columns=True,
)
ARGUMENT: dict[Side, str] = {"reference": "reference", "predicted": "prediction"}


@dataclass(frozen=True)
class Arguments:
    """Places of samples of an argument.

    Args:
        side: which argument.
        first: position of the first sample.
        samples: the samples.
    """

    side: Side
    first: int
    samples: Sequence[Sequence[str]]

    def where(self, row: int) -> str:
        """The sample as Python would name it."""
        return f"{ARGUMENT[self.side]}[{self.first + row}]"

    def text(self, row: int) -> str:
        """Its words without anything between them."""
        return "".join(self.samples[row])

    def value(self, row: int, column: str) -> None:
        """Lists have no columns."""

    def file(self, row: int) -> None:
        """They are from no file."""


def read_lists(value: Any, side: Side, reading: Reading) -> Iterator[SampleBlock]:
    """The samples of an argument, in blocks.

    Args:
        value: a list of words for each sample.
        side: which argument it is, for messages.
        reading: whitespace, and what is done to a sample first.

    Raises:
        UsageError: it is no list of lists.
        DataError: a word is no string, or holds what is no character.
    """
    if isinstance(value, str | bytes | dict) or not hasattr(value, "__iter__"):
        raise UsageError(
            f"{ARGUMENT[side]} is {type(value).__name__}; give a path, or a list of words for each sample.",
        )
    samples = value if isinstance(value, Sequence) else list(value)
    for first in range(0, len(samples), SAMPLES):
        yield _block(samples[first : first + SAMPLES], side, first, reading)


def _block(samples: Sequence[Any], side: Side, first: int, reading: Reading) -> SampleBlock:
    for number, sample in enumerate(samples):
        if isinstance(sample, str | bytes):
            remedy = "A sample is a list of its words: 'ab|c'.split('|') makes one of a string."
            raise DataError(
                "the sample is a string, not a list of words",
                where=f"{ARGUMENT[side]}[{first + number}]",
                remedy=remedy,
            )
    try:
        pieces = samples
        if reading.clean is not None:
            pieces = [reading.clean(MARK.join(words)).split(MARK) for words in samples]
        return encode_pieces(pieces, Arguments(side, first, pieces), reading.whitespace)
    except TypeError as error:
        raise _no_words(samples, side, first) from error


def _no_words(samples: Sequence[Any], side: Side, first: int) -> DataError:
    for number, sample in enumerate(samples):
        where = f"{ARGUMENT[side]}[{first + number}]"
        if not isinstance(sample, Sequence):
            return DataError(f"{type(sample).__name__} is no list of words", where=where, remedy="List its words.")
        for at, word in enumerate(sample):
            if not isinstance(word, str):
                return DataError(f"{word!r} is no word", where=f"{where}[{at}]", remedy="A word is a string.")
    return DataError("a sample is no list of words", where=f"{ARGUMENT[side]}[{first}]", remedy="List its words.")


DETECTED = "format-detected"
WITH_COMMENTS = ("conllu", "columns", "lst20")


@dataclass(frozen=True, eq=False)
class SampleSide:
    """One side.

    Args:
        name: which one.
        content: a file, or the samples.
        input_format: the format of the file, None to recognise it.
    """

    name: SideName
    content: Any
    input_format: str | None = None

    def blocks(self, reading: Reading) -> tuple[Iterator[SampleBlock], list[RunWarning]]:
        """The samples, and what was found out about their format."""
        if not isinstance(self.content, Source):
            return read_lists(self.content, self.name, reading), []
        chosen = self.input_format or detected(self.content)
        notices = []
        if self.input_format is None:
            side = "reference" if self.name == "reference" else "prediction"
            notices = [RunWarning(DETECTED, f"The {side} is read as {NAMES[chosen]} ({chosen}).")]
        return read(self.content, replace(reading, input_format=chosen)), notices


@dataclass(frozen=True, eq=False)
class Sides:
    """Reference and prediction.

    Args:
        system: what is scored: the prediction's path as given, or `prediction`.
        reference: the reference.
        predicted: the prediction.
        progress: called now and then with the bytes read.
        attributes: columns of samples that are wanted beside their words.
    """

    system: str
    reference: SampleSide
    predicted: SampleSide
    progress: Progress | None = None
    attributes: Sequence[str] = ()

    def inputs(self) -> tuple[InputFile, ...]:
        """The files with the digests that the pass over them has left."""
        both = (("reference", self.reference.content), ("prediction", self.predicted.content))
        return tuple(
            InputFile(role, content.name, content.sha256 or "") for role, content in both if isinstance(content, Source)
        )

    @property
    def listed_reference(self) -> Sequence[Sequence[str]] | None:
        """The reference where it is a list, None for a file."""
        return None if isinstance(self.reference.content, Source) else self.reference.content

    @property
    def number(self) -> int | None:
        """How many samples a list has, None where that is not known before they are read."""
        given = self.reference.content
        return len(given) if isinstance(given, Sequence) else None

    def columns(self) -> Iterator[str]:
        """The columns of the samples, as far as the beginnings of the files tell."""
        for side in (self.reference, self.predicted):
            if isinstance(side.content, Source):
                yield from _columns(side.content, side.input_format or detected(side.content))


def _columns(source: Source, input_format: str) -> Iterable[str]:
    if input_format == "jsonl":
        from isogloss.records.json_fields import list_columns  # noqa: PLC0415  msgspec, which it needs, takes 25 ms

        return list_columns(source)
    with_comments = input_format in WITH_COMMENTS
    return (name for block in islice(source.blocks(), int(with_comments)) for name in list_comment_columns(block.text))


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples in pairs.

    Args:
        batches: what a metric counts.
        notices: what was found out about the formats.
    """

    batches: Iterable[Any]
    notices: list[RunWarning] = field(default_factory=list)


def opened(
    reference: Any,
    prediction: Any,
    input_format: str | None = None,
    prediction_format: str | None = None,
    progress: Progress | None = None,
    attributes: Sequence[str] = (),
) -> Sides:
    """The input that the arguments stand for.

    Args:
        reference: a path or source, or a list of words for each sample.
        prediction: likewise.
        input_format: of both files, None to recognise each.
        prediction_format: of the prediction, where it is another one.
        progress: called now and then with the bytes read.
        attributes: columns of samples that are wanted beside their words.

    Raises:
        UsageError: for an unknown format.
        DataError: a file cannot be read, or is a table or JSON that cannot be read as one.
    """
    for name in (input_format, prediction_format):
        if name is not None and name not in NAMES:
            raise UsageError(f"There is no format named {name!r}. Is it one of: {', '.join(NAMES)}?")
    named = (input_format, prediction_format or input_format)
    sides = [
        open_rows(_source(side), SAMPLE_SHAPE, name) if is_path(side) else side
        for side, name in zip((reference, prediction), named, strict=True)
    ]
    return Sides(
        system=sides[1].name if isinstance(sides[1], Source) else "prediction",
        reference=SampleSide("reference", sides[0], input_format),
        predicted=SampleSide("predicted", sides[1], prediction_format or input_format),
        progress=progress,
        attributes=attributes,
    )


def cut(sides: Sides, reading: Reading, pairing: Pairing, *, sentences: bool = False) -> Samples:
    """The samples of both sides, paired and compared.

    Args:
        sides: the input.
        reading: how samples are read.
        pairing: how they are paired.
        sentences: whether sentences may be cut at other places on both sides.
    """
    reading = replace(reading, attributes=tuple(sides.attributes))
    (reference, first), (predicted, second) = sides.reference.blocks(reading), sides.predicted.blocks(reading)
    pairs: Iterator[Any] = (
        pair_sentences(reference, predicted) if sentences else word_pairs(reference, predicted, pairing)
    )
    if sides.progress is not None:
        pairs = _told(pairs, sides, sides.progress)
    return Samples(pairs, [*first, *second])


def word_list(value: Any) -> frozenset[str]:
    """The words of a training list.

    Args:
        value: a path to a file with one word a line (what follows a tab is ignored), or a collection of strings.

    Raises:
        UsageError: it is neither.
        FormatError: the file has no word.
    """
    if is_path(value):
        source = _source(value)
        lines = (line for block in source.blocks() for line in block.text.split("\n"))
        words = frozenset(word for line in lines if (word := line.partition("\t")[0].strip()))
        if not words:
            raise FormatError("the vocabulary has no word", where=source.name, remedy="Write one word a line.")
        return words
    given = list(value) if isinstance(value, Iterable) else [value]
    if not all(isinstance(word, str) for word in given):
        raise UsageError("vocabulary is a path to a file with one word a line, or a collection of strings.")
    return frozenset(given)


def _source(value: Any) -> Source:
    return value if isinstance(value, Source) else Source(value)


def _told(pairs: Iterator[Any], sides: Sides, progress: Callable[[int], object]) -> Iterator[Any]:
    files = [side.content for side in (sides.reference, sides.predicted) if isinstance(side.content, Source)]
    for batch in pairs:
        progress(sum(source.bytes_read for source in files))
        yield batch
