"""Input of word segmentation, opened and paired.

Both sides are files, tables or Python lists.

If both sides are tables or JSON rows and have ids, a sample belongs to the sample of the other side with its id. If a
side has no ids, or the sides have no id in common, samples are paired by position.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

from isogloss.errors import DataError, FormatError, UsageError
from isogloss.kernel.provenance import RunWarning, Side
from isogloss.records.attributes import read_comment_columns
from isogloss.records.pairing import IDS_IGNORED, align_rows
from isogloss.records.row_shape import RowShape
from isogloss.records.shards import open_sides, open_source
from isogloss.records.sources import Progress, Source, is_path
from isogloss.records.tabular import open_rows
from isogloss.runs.run_json import InputFile
from isogloss.tasks.document_columns import list_input_files
from isogloss.tasks.segmentation.batches import WordPairs, decode_code_points
from isogloss.tasks.segmentation.options import SegmentationOptions
from isogloss.tasks.segmentation.pairing import Pairing, pair_samples
from isogloss.tasks.segmentation.reading import (
    FORMAT_TITLES,
    SAMPLE_READERS,
    Reading,
    clean_samples,
    detect_format,
    read_id_column,
    read_samples,
)
from isogloss.tasks.segmentation.samples import SampleBlock, encode_pieces
from isogloss.tasks.segmentation.sentences import pair_sentences

PAIRED_BY_ORDER = "No id is on both sides: samples are paired by their order."
BLOCK_SAMPLES = 1 << 11  # samples of a block of lists
SAMPLE_SHAPE = RowShape(
    needed=("words", "tokens"),
    header="id,text,words",
    row='A row looks like {"text": "Ada ran", "words": ["Ada", "ran"]}.',
    kinds={"text": "text", "words": "words", "tokens": "words", "spaces": "json", "whitespace": "json"},
    plain="If the file is plain text, name its format: --input-format pipe (or spaces, raw).",
    reads_columns=True,
)
ARGUMENTS: dict[Side, str] = {"reference": "reference", "predicted": "prediction"}
WITH_COMMENTS = ("conllu", "columns", "lst20")


def read_lists(value: Any, side: Side, reading: Reading) -> Iterator[SampleBlock]:
    """Read the samples of a Python argument in blocks.

    Args:
        value: a list of words for each sample.
        side: which argument it is, for messages.
        reading: how samples are read.

    Raises:
        UsageError: if the argument is not a list.
        DataError: if a sample is not a list of words, or a word has noncharacters together with control characters.
    """
    if isinstance(value, str | bytes | dict) or not hasattr(value, "__iter__"):
        raise UsageError(
            f"{ARGUMENTS[side]} is {type(value).__name__}; give a path, or a list of words for each sample.",
        )
    samples = value if isinstance(value, Sequence) else list(value)
    for first in range(0, len(samples), BLOCK_SAMPLES):
        yield _encode_list(samples[first : first + BLOCK_SAMPLES], side, first, reading)


def _encode_list(samples: Sequence[Any], side: Side, first: int, reading: Reading) -> SampleBlock:
    def where(row: int) -> str:
        return f"{ARGUMENTS[side]}[{first + row}]"

    text = next((row for row, sample in enumerate(samples) if isinstance(sample, str | bytes)), None)
    if text is not None:
        remedy = "A sample is a list of its words: 'ab|c'.split('|') makes one of a string."
        raise DataError("the sample is a string, not a list of words", where=where(text), remedy=remedy)
    try:
        return encode_pieces(clean_samples(samples, reading.clean), reading.whitespace, where)
    except TypeError as error:
        raise _make_list_error(samples, where) from error


def _make_list_error(samples: Sequence[Any], where: Callable[[int], str]) -> DataError:
    for row, sample in enumerate(samples):
        if not isinstance(sample, Sequence):
            message = f"{type(sample).__name__} is not a list of words"
            return DataError(message, where=where(row), remedy="List its words.")
        for at, word in enumerate(sample):
            if not isinstance(word, str):
                return DataError(f"{word!r} is not a word", where=f"{where(row)}[{at}]", remedy="A word is a string.")
    return DataError("a sample is not a list of words", where=where(0), remedy="List its words.")


@dataclass(frozen=True, eq=False)
class SampleInput:
    """Input of one side.

    Args:
        side: which side.
        content: a file, or the samples.
        input_format: format of the file, None to detect it.
    """

    side: Side
    content: Any
    input_format: str | None = None

    @property
    def file(self) -> Source | None:
        """The file, None for a list."""
        return self.content if isinstance(self.content, Source) else None

    def choose_format(self) -> str | None:
        """Return the format that is named or detected, None for a list."""
        return None if self.file is None else self.input_format or detect_format(self.file)

    def list_columns(self) -> Iterable[str]:
        """Return the columns of the samples.

        They are those that the beginning of the file has.
        """
        input_format = self.choose_format()
        if self.file is not None and input_format == "jsonl":
            from isogloss.records.json_fields import list_columns  # noqa: PLC0415  msgspec, which it needs, takes 25 ms

            return list_columns(self.file)
        return read_comment_columns(self.file) if self.file is not None and input_format in WITH_COMMENTS else ()

    def read(
        self, reading: Reading, input_format: str | None, order: Sequence[int] | None = None
    ) -> Iterator[SampleBlock]:
        """Read the samples in blocks.

        Args:
            reading: how samples are read.
            input_format: format of the file.
            order: positions of the samples in the order to return them in, None to keep their order.
        """
        if self.file is None:
            return read_lists(self.content, self.side, reading)
        return read_samples(self.file, replace(reading, input_format=input_format), order)


@dataclass(frozen=True, eq=False)
class SegmentationInput:
    """Input of one system: reference and prediction.

    Args:
        reference: the reference.
        predicted: the prediction.
        progress: takes the number of bytes read so far.
        columns: columns of samples to keep.
    """

    reference: SampleInput
    predicted: SampleInput
    progress: Progress | None = None
    columns: Sequence[str] = ()

    @property
    def system(self) -> str:
        """The name of the system.

        It is the path of the prediction as given, or `prediction`.
        """
        return "prediction" if self.predicted.file is None else self.predicted.file.name

    @property
    def files(self) -> list[tuple[str, Source]]:
        """The role of each file, and the file."""
        sides = (("reference", self.reference.file), ("prediction", self.predicted.file))
        return [(role, file) for role, file in sides if file is not None]

    def mark_line_records(self) -> None:
        """Tell the files in which each line is a sample."""
        for side in (self.reference, self.predicted):
            if side.file is not None and side.choose_format() not in SAMPLE_READERS:
                side.file.has_line_records = True

    def list_files(self) -> tuple[InputFile, ...]:
        """Return the files with their digests, which are known after reading."""
        return list_input_files(self.files)

    @property
    def listed_reference(self) -> Sequence[Sequence[str]] | None:
        """The reference if it is a list, None for a file."""
        return self.reference.content if self.reference.file is None else None

    @property
    def sample_count(self) -> int | None:
        """The number of samples of a list, None if unknown before reading."""
        given = self.reference.content
        return len(given) if isinstance(given, Sequence) else None

    def list_columns(self) -> Iterator[str]:
        """Return the columns of the samples.

        They are those that the beginnings of the files have.
        """
        yield from self.reference.list_columns()
        yield from self.predicted.list_columns()


def open_input(
    reference: Any,
    prediction: Any,
    input_format: str | None = None,
    prediction_format: str | None = None,
    progress: Progress | None = None,
    columns: Sequence[str] = (),
) -> SegmentationInput:
    """Open reference and prediction.

    Args:
        reference: a path or source, or a list of words for each sample.
        prediction: a path or source, or a list of words for each sample.
        input_format: format of both files, None to detect each.
        prediction_format: format of the prediction, if it differs.
        progress: takes the number of bytes read so far.
        columns: columns of samples to keep.

    Raises:
        UsageError: if a format is unknown.
        DataError: if a file cannot be read, or is a table or JSON that cannot be read as one.
    """
    prediction_format = prediction_format or input_format
    for name in (input_format, prediction_format):
        if name is not None and name not in FORMAT_TITLES:
            raise UsageError(f"There is no format named {name!r}. Choose from {', '.join(FORMAT_TITLES)}.")
    if is_path(reference) and is_path(prediction):
        reference, prediction = open_sides(reference, prediction)
    return SegmentationInput(
        SampleInput("reference", _open_content(reference, input_format), input_format),
        SampleInput("predicted", _open_content(prediction, prediction_format), prediction_format),
        progress,
        columns,
    )


def _open_content(value: Any, input_format: str | None) -> Any:
    return open_rows(open_source(value), SAMPLE_SHAPE, input_format) if is_path(value) else value


def build_batches(
    given: SegmentationInput, options: SegmentationOptions
) -> tuple[Iterator[WordPairs], list[RunWarning]]:
    """Read both sides, and pair their samples.

    Warnings about the input are returned too.

    Args:
        given: reference and prediction.
        options: how samples are read and paired.

    Raises:
        DataError: if the sides cannot be read or paired.
    """
    tool = options.load_profile()
    reading = Reading(
        whitespace=options.choose_whitespace(), clean=None if tool is None else tool.clean, columns=tuple(given.columns)
    )
    formats, warnings = _choose_formats((given.reference, given.predicted))
    has_sentences = tool is not None and tool.batches == "sentences"
    order = None
    if formats == ["jsonl", "jsonl"] and not has_sentences:
        order, ignored = _align_ids(given)
        warnings += ignored
    reference = given.reference.read(reading, formats[0])
    predicted = given.predicted.read(reading, formats[1], order)
    pairs: Iterator[WordPairs]
    if has_sentences:
        pairs = pair_sentences(reference, predicted)
    else:
        drop_empty = tool is not None and tool.drop_empty
        pairs = pair_samples(reference, predicted, Pairing(options.on_mismatch, options.align, drop_empty=drop_empty))
    return (pairs if given.progress is None else _report_progress(pairs, given, given.progress)), warnings


def _choose_formats(sides: Iterable[SampleInput]) -> tuple[list[str | None], list[RunWarning]]:
    """Return the format of each side.

    Warnings about formats that were detected are returned too.
    """
    formats, warnings = [], []
    for side in sides:
        chosen = side.choose_format()
        formats.append(chosen)
        if chosen is not None and side.input_format is None:
            message = f"The {ARGUMENTS[side.side]} is read as {FORMAT_TITLES[chosen]} ({chosen})."
            warnings.append(RunWarning("format-detected", message))
    return formats, warnings


def _align_ids(given: SegmentationInput) -> tuple[Sequence[int] | None, list[RunWarning]]:
    """Return the prediction of each reference, by position.

    Warnings on ignored ids are returned too.

    Raises:
        MismatchError: if a row has no partner.
        DataError: if an id occurs twice, or only some rows of a file have one.
    """
    columns = [read_id_column(file) for _, file in given.files]
    reference, predicted = columns
    if reference is None or predicted is None:
        return None, []
    ignored: list[RunWarning] = []
    order = align_rows(reference, predicted, partial(ignored.append, RunWarning(IDS_IGNORED, PAIRED_BY_ORDER)))
    return None if order is None else order.tolist(), ignored


def load_vocabulary(value: Any) -> frozenset[str]:
    """Load the words of the training data.

    Args:
        value: a path to a file with one word a line (what follows a tab is ignored), or a collection of strings.

    Raises:
        UsageError: if it is neither.
        FormatError: if the file has no word.
    """
    if is_path(value):
        source = open_source(value)
        lines = (line for block in source.blocks() for line in block.text.split("\n"))
        words = frozenset(word for line in lines if (word := line.partition("\t")[0].strip()))
        if not words:
            raise FormatError("the vocabulary has no word", where=source.name, remedy="Write one word a line.")
        return words
    given = list(value) if isinstance(value, Iterable) else [value]
    if not all(isinstance(word, str) for word in given):
        raise UsageError("vocabulary is a path to a file with one word a line, or a collection of strings.")
    return frozenset(given)


def read_texts(path: str, input_format: str | None) -> list[str]:
    """Read the texts of a file, whitespace included.

    The marks between words are left out.

    Args:
        path: the file.
        input_format: its format; None to detect it.

    Raises:
        DataError: if it cannot be read.
    """
    texts = []
    for block in read_samples(open_source(path), Reading(input_format, "keep")):
        text = decode_code_points(block.text)
        texts += [text[start:end] for start, end in pairwise(block.offsets.tolist())]
    return texts


def _report_progress(
    pairs: Iterator[WordPairs], given: SegmentationInput, progress: Callable[[int], object]
) -> Iterator[WordPairs]:
    for batch in pairs:
        progress(sum(file.bytes_read for _, file in given.files))
        yield batch
