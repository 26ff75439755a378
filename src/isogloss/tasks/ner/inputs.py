"""Opening of reference and prediction as an input whose batches can be read several times."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from isogloss.errors import FormatError, UsageError
from isogloss.kernel.provenance import SIDES, Side
from isogloss.records.sources import Progress, Source, is_path
from isogloss.runs.run import InputFile
from isogloss.spans.batches import SpanPairs, TagPairs
from isogloss.tasks.ner.options import NerOptions

if TYPE_CHECKING:
    from isogloss.formats.annotation import AnnotationFile

DecodeTags = Callable[[TagPairs], SpanPairs]


@dataclass(frozen=True, kw_only=True)
class ReadingOptions(NerOptions):
    """Options of the task, with what readers need in addition.

    Args:
        progress: takes the number of bytes read so far in this pass.
        attributes: columns to keep of the documents.
    """

    progress: Progress | None = None
    attributes: Sequence[str] = ()


@dataclass(frozen=True, eq=False)
class SpanInput:
    """An opened reference and prediction, whose batches can be read several times.

    Args:
        system: name of the system: the path of the prediction as given, or `prediction`.
        read_spans: reads the spans of both sides; its argument decodes tags into spans.
        read_tags: reads all tags, to detect the scheme; None without tags.
        tagged_sides: the sides with tags, if there are any.
        sources: (role, file) pairs.
        choices: format and columns for the signature.
        columns: lists the columns of the documents, from the first document.
        by_characters: whether offsets count code points of a text instead of tokens.
        has_text: whether the documents have texts.
        training: the training data, for slices by `seen`.
    """

    system: str
    read_spans: Callable[[DecodeTags], Iterable[SpanPairs]]
    read_tags: Callable[[], Iterable[TagPairs]] | None = None
    tagged_sides: Sequence[Side] = SIDES
    sources: tuple[tuple[str, Source], ...] = ()
    choices: Mapping[str, str] = field(default_factory=dict)
    columns: Callable[[], Iterable[str]] = tuple
    by_characters: bool = False
    has_text: bool = True
    training: SpanInput | None = None

    @classmethod
    def from_tags(cls, system: str, tags: Callable[[], Iterable[TagPairs]]) -> SpanInput:
        """Build an input whose sides have the same tokens."""
        return cls(system, lambda decode: map(decode, tags()), tags)

    def list_input_files(self) -> tuple[InputFile, ...]:
        """List the files with their digests; call after a pass over them."""
        return tuple(InputFile(role, source.name, source.sha256 or "") for role, source in self.sources)


T = TypeVar("T")


def open_ner_input(reference: Any, prediction: Any, options: ReadingOptions) -> SpanInput:
    """Open a reference and a prediction.

    Args:
        reference: a path or source, or a list of documents.
        prediction: a path or source, or a list of documents; None for a column of the reference file.
        options: how files are read.

    Raises:
        UsageError: if one side is a path and the other a list, or one has tags and the other spans.
        SourceError: if a file cannot be read.
    """
    if is_path(reference) and (prediction is None or is_path(prediction)):
        return _open_files(_as_source(reference), None if prediction is None else _as_source(prediction), options)
    if is_path(reference) or is_path(prediction):
        raise UsageError("A path cannot be compared with a list: give two paths or two lists.")
    return _open_lists(reference, prediction)


def open_ner_inputs(reference: Any, predictions: Sequence[Any], options: ReadingOptions) -> list[SpanInput]:
    """Open the inputs of several systems; an option may apply to the files of some systems only.

    Args:
        reference: the reference of all systems.
        predictions: one per system.
        options: how files are read.

    Raises:
        UsageError: if an input cannot be opened, or an option applies to the files of no system.
        FormatError: if no prediction has the field of answers.
        SourceError: if a file cannot be read.
    """
    systems, lacking = [], []
    for prediction in predictions:
        system, lacked = _open_with_supported_options(reference, prediction, options)
        systems.append(system)
        lacking.append(lacked)
    for option, error in lacking[0].items():
        if all(option in lacked for lacked in lacking):
            raise error
    return systems


def _open_with_supported_options(
    reference: Any, prediction: Any, options: ReadingOptions
) -> tuple[SpanInput, dict[str, Exception]]:
    """Open the input of a system without the options that its files do not support; return both."""
    from isogloss.formats.annotation import LackingOptionError  # noqa: PLC0415
    from isogloss.formats.detection import LackingAnswersError  # noqa: PLC0415

    # sources, so that standard input is read once
    reference, prediction = (_as_source(side) if is_path(side) else side for side in (reference, prediction))
    lacked: dict[str, Exception] = {}
    while True:
        try:
            return open_ner_input(reference, prediction, options), lacked
        except (LackingOptionError, LackingAnswersError) as error:
            if error.option in lacked:
                raise
            lacked[error.option] = error
            options = replace(options, **{error.option: getattr(ReadingOptions, error.option)})
        except FormatError as error:
            if "answers" in lacked and (error.where or "").startswith(f"{prediction.name}:"):
                raise lacked["answers"] from error  # the rows cannot be read without the field
            raise


def _as_source(value: str | os.PathLike[str] | Source) -> Source:
    return value if isinstance(value, Source) else Source(value)


def _open_lists(reference: Any, prediction: Any) -> SpanInput:
    from isogloss.formats.python_lists import (  # noqa: PLC0415  files need not import it
        batch_span_lists,
        batch_tag_lists,
        detect_common_kind,
    )

    if detect_common_kind(reference, prediction) == "spans":
        return SpanInput("prediction", lambda _: batch_span_lists(reference, prediction), has_text=False)
    batches = list(
        batch_tag_lists(reference, prediction)
    )  # two bytes a token; reading the strings a second time would be slower
    return replace(SpanInput.from_tags("prediction", lambda: batches), has_text=False)


def _open_files(reference: Source, prediction: Source | None, options: ReadingOptions) -> SpanInput:
    from isogloss.formats.annotation import ENTITY_SHAPE  # noqa: PLC0415  lists need not import it
    from isogloss.formats.detection import detect_format  # noqa: PLC0415  lists need not import it
    from isogloss.records.tabular import open_rows  # noqa: PLC0415  lists need not import it

    named = options.input_format, options.prediction_format or options.input_format
    reference = open_rows(reference, ENTITY_SHAPE, named[0])  # tables with a header become JSON lines
    prediction = None if prediction is None else open_rows(prediction, ENTITY_SHAPE, named[1])
    sides = zip((reference, prediction), named, (None, options.answers), strict=True)  # a reference has no answers
    found = [name or detect_format(source, answers) for source, name, answers in sides if source is not None]
    choices = {"format": "+".join(dict.fromkeys(found))}
    if options.columns is not None:
        choices["columns"] = ",".join(map(str, options.columns))
    return replace(_open_formats(found, reference, prediction, options), choices=choices)


def _open_formats(
    found: Sequence[str], reference: Source, prediction: Source | None, options: ReadingOptions
) -> SpanInput:
    """Open files whose formats are known, by the fast reader of CoNLL if possible."""
    is_plain = not (options.strict_spans or options.repair_offsets or options.answers)
    if set(found) == {"conll"} and is_plain:
        return _open_conll(reference, prediction, options)
    if set(found) == {"jsonl"} and is_plain and options.columns is not None:
        from isogloss.formats.annotation import LackingOptionError  # noqa: PLC0415

        message = f"--columns has no effect: {reference.name} is JSONL and has no columns. Leave it out."
        raise LackingOptionError("columns", message)
    return _open_annotated(reference, prediction, found, options)


def _open_conll(reference: Source, prediction: Source | None, options: ReadingOptions) -> SpanInput:
    from isogloss.formats.conll.pairing import read_conll_pairs  # noqa: PLC0415

    sources = (("reference", reference), ("prediction", prediction or reference))
    names = ("columns", "ignore_tokens", "progress", "attributes")
    how = {name: getattr(options, name) for name in names}
    pairs = SpanInput.from_tags(sources[-1][1].name, lambda: read_conll_pairs(reference, prediction, **how))
    return replace(pairs, sources=sources, columns=lambda: _list_comment_columns(sources))


def _list_comment_columns(sources: Iterable[tuple[str, Source]]) -> Iterable[str]:
    """List the columns in the comments of files."""
    from isogloss.records.attributes import columns_of_comments  # noqa: PLC0415  only an error needs it

    return chain.from_iterable(columns_of_comments(source) for _, source in sources)


def _open_annotated(
    reference: Source, prediction: Source | None, names: Sequence[str], reading_options: ReadingOptions
) -> SpanInput:
    """Open files in any formats: by tokens if both sides have a tag for each word, else by characters."""
    from isogloss.formats.annotation import FormatOptions  # noqa: PLC0415
    from isogloss.formats.detection import load_format, open_together  # noqa: PLC0415

    if prediction is None and not load_format(names[0]).has_both_sides:
        raise UsageError(f"{reference.name} is {names[0]}, which holds one side only: add the file of the prediction.")
    sources = (("reference", reference), ("prediction", prediction or reference))
    options = FormatOptions(
        single_file=prediction is None,
        columns=reading_options.columns,
        attributes=reading_options.attributes,
        strict_spans=reading_options.strict_spans,
        repair_offsets=reading_options.repair_offsets,
        answers=reading_options.answers,
    )
    files = open_together(
        [source for _, source in sources],
        (names[0], names[-1]),
        [replace(options, side=side) for side in SIDES],
    )
    lenient = len({*names}) > 1
    pairs = _pair_by_tokens(files, sources, reading_options, lenient=lenient)
    if pairs is None:
        _refuse_token_options(reading_options)
        pairs = _pair_by_characters(files, sources, reading_options, lenient=lenient)
    columns = lambda: chain.from_iterable(file.list_columns() for file in files)  # noqa: E731
    return replace(pairs, sources=sources, columns=columns)


def _pair_by_tokens(
    files: Sequence[AnnotationFile],
    sources: Sequence[tuple[str, Source]],
    options: ReadingOptions,
    *,
    lenient: bool,
) -> SpanInput | None:
    """Pair files with the same words; None if a file has no words with tags.

    If the formats differ, the ids may differ.
    """
    from isogloss.formats.tagged_documents import pair_tagged_files  # noqa: PLC0415

    reference, prediction = (file.tags if file.has_words else None for file in files)
    if reference is None or prediction is None:
        return None
    return SpanInput.from_tags(
        sources[1][1].name,
        lambda: _report_progress(
            pair_tagged_files(reference, prediction, ignore_tokens=options.ignore_tokens, ignore_ids=lenient),
            sources,
            options,
        ),
    )


def _pair_by_characters(
    files: Sequence[AnnotationFile],
    sources: Sequence[tuple[str, Source]],
    options: ReadingOptions,
    *,
    lenient: bool,
) -> SpanInput:
    """Pair files as texts with spans; if the formats differ, ids may differ or be missing on one side."""
    from isogloss.formats.span_pairing import batch_document_pairs  # noqa: PLC0415
    from isogloss.formats.tagged_documents import batch_file_tags  # noqa: PLC0415

    def spans(decode: DecodeTags) -> Iterable[SpanPairs]:
        both = [file.as_spans(side, decode) for file, side in zip(files, SIDES, strict=True)]
        return _report_progress(batch_document_pairs(*both, lenient=lenient), sources, options)

    tagged = [(file.tags, side) for file, side in zip(files, SIDES, strict=True) if file.tags is not None]
    return SpanInput(
        sources[1][1].name,
        spans,
        (lambda: chain.from_iterable(batch_file_tags(*each) for each in tagged)) if tagged else None,
        [side for _, side in tagged],
        by_characters=True,
    )


def _refuse_token_options(options: ReadingOptions) -> None:
    """Refuse options that apply to a comparison by tokens only.

    Raises:
        LackingOptionError: if tokens are to be ignored.
    """
    if options.ignore_tokens:
        from isogloss.formats.annotation import LackingOptionError  # noqa: PLC0415

        message = "--ignore-tokens has no effect: the files are compared by characters. Leave it out."
        raise LackingOptionError("ignore_tokens", message)


def _report_progress(
    batches: Iterable[T], sources: Iterable[tuple[str, Source]], options: ReadingOptions
) -> Iterator[T]:
    """Yield batches and report the bytes read after each."""
    files = {id(source): source for _, source in sources}.values()
    for batch in batches:
        yield batch
        if options.progress is not None:
            options.progress(sum(source.bytes_read for source in files))
