"""Opening of reference and prediction.

They are files, shards, Python lists, rows, or results of recognisers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import chain
from typing import Any, NamedTuple

from isogloss.errors import IsoglossError, UsageError
from isogloss.formats.annotation import ENTITY_SHAPE, AnnotationFile, FormatOptions
from isogloss.formats.detection import (
    detect_format,
    load_format,
    make_folder_check,
    make_missing_answers_error,
    open_together,
    read_head,
)
from isogloss.kernel.provenance import SIDES, RunWarning, Side
from isogloss.records.shards import open_sides, open_source
from isogloss.records.sources import Progress, Source, is_path, report_progress
from isogloss.records.tabular import open_rows
from isogloss.runs.run_json import InputFile
from isogloss.spans.batches import DecodeTags, SpanPairs, TagPairs
from isogloss.spans.decoder import Decoder
from isogloss.spans.scheme_detection import decide_schemes
from isogloss.spans.tag_evidence import TagEvidence
from isogloss.tasks.document_columns import list_input_files
from isogloss.tasks.ner.options import NerOptions


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
        warnings: what was found out about the files when they were opened.
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
    warnings: tuple[RunWarning, ...] = ()

    @classmethod
    def from_tags(cls, system: str, tags: Callable[[], Iterable[TagPairs]]) -> SpanInput:
        """Build an input whose sides have the same tokens."""
        return cls(system, lambda decode: map(decode, tags()), tags)

    def list_input_files(self) -> tuple[InputFile, ...]:
        """List the files with their digests; call after a pass over them."""
        return list_input_files(self.sources)


class _OpenedInput(NamedTuple):
    """An opened input, and the errors for unsupported options.

    An unsupported option is one that none of its files supports.
    """

    spans: SpanInput
    unsupported: Mapping[str, IsoglossError] = {}


LIST_OPTIONS = ("tokens", "texts", "label_names")  # options that apply to Python lists only


def open_ner_input(reference: Any, prediction: Any, options: ReadingOptions) -> SpanInput:
    """Open a reference and a prediction.

    Args:
        reference: a path or source, or a list of documents.
        prediction: a path or source, or a list of documents; None for a column of the reference file.
        options: how files are read.

    Raises:
        UsageError: if one side is a path and the other a list, one has tags and the other spans, or the files do not
            support an option.
        SourceError: if a file cannot be read.
    """
    return open_ner_inputs(reference, [prediction], options)[0]


def list_labels(path: str) -> list[str]:
    """List the labels in the first batch of a file.

    Args:
        path: annotations in any known format.

    Raises:
        DataError: if the file cannot be read.
    """
    opened = open_ner_input(path, path, ReadingOptions())
    if opened.read_tags is None:
        batch = next(iter(opened.read_spans(reject_tags)), None)
        return sorted(batch.labels) if batch is not None else []
    tags = next(iter(opened.read_tags()), None)
    if tags is None:
        return []
    return sorted(Decoder(decide_schemes(TagEvidence.from_batch(tags)), "begin")(tags).labels)


def open_ner_inputs(reference: Any, predictions: Sequence[Any], options: ReadingOptions) -> list[SpanInput]:
    """Open the inputs of several systems.

    An option may apply to the files of some systems only.

    Args:
        reference: the reference of all systems.
        predictions: one per system.
        options: how files are read.

    Raises:
        UsageError: if an input cannot be opened, or an option applies to the files of no system.
        FormatError: if no prediction has the field of answers.
        SourceError: if a file cannot be read.
    """
    opened = [_open_input(reference, prediction, options) for prediction in predictions]
    for option, error in opened[0].unsupported.items():
        if all(option in each.unsupported for each in opened):
            raise error
    return [each.spans for each in opened]


def _open_input(reference: Any, prediction: Any, options: ReadingOptions) -> _OpenedInput:
    if is_path(reference) and (prediction is None or is_path(prediction)):
        _refuse_list_options(options, LIST_OPTIONS, "files have their own words and tags")
        return _open_files(*_open_paths(reference, prediction, options), options)
    return _open_python_values(reference, prediction, options)


def open_shared_reference(reference: Any, options: ReadingOptions) -> Any:
    """Open the path of a reference that several systems share.

    Any other reference stays as it is.

    Args:
        reference: a path or source, or a list of documents.
        options: how files are read.
    """
    if not is_path(reference):
        return reference
    return open_source(reference, make_folder_check(options.input_format))


def _open_paths(reference: Any, prediction: Any, options: ReadingOptions) -> tuple[Source, Source | None]:
    """Open the files, folders or shards of both sides."""
    checks = [make_folder_check(name) for name in _list_formats(options)]
    if prediction is None:
        return open_source(reference, checks[0]), None
    return open_sides(reference, prediction, *checks)


def _list_formats(options: ReadingOptions) -> tuple[str | None, str | None]:
    """List the format of each side, None if it is recognised."""
    return options.input_format, options.prediction_format or options.input_format


def _open_python_values(reference: Any, prediction: Any, options: ReadingOptions) -> _OpenedInput:
    from isogloss.formats.python_rows import RowListSource, is_row_list, name_tag_lists  # noqa: PLC0415  as below
    from isogloss.formats.python_tables import to_row_list  # noqa: PLC0415  files need not import it

    reference, prediction = to_row_list(reference, "reference"), to_row_list(prediction, "prediction")
    reference, prediction, options = _open_results(reference, prediction, options)
    sides = (reference, prediction)
    if any(is_row_list(side) or isinstance(side, RowListSource) for side in sides):
        return _open_rows(reference, prediction, options)
    if is_path(reference) or is_path(prediction):
        raise UsageError("A path cannot be compared with a list: give two paths or two lists.")
    if options.label_names is not None:
        reference = name_tag_lists(reference, options.label_names, "reference")
        prediction = name_tag_lists(prediction, options.label_names, "predicted")
    return _OpenedInput(_open_lists(reference, prediction, options))


def _open_results(reference: Any, prediction: Any, options: ReadingOptions) -> tuple[Any, Any, ReadingOptions]:
    """Open results of recognisers as sources or spans.

    If texts are given, the list of spans becomes rows with texts, and the options have the texts no longer.
    """
    from isogloss.formats.python_results import (  # noqa: PLC0415  files need not import it
        ResultListSource,
        build_text_rows,
        list_result_spans,
        open_result_list,
    )
    from isogloss.formats.python_rows import is_row_list  # noqa: PLC0415  files need not import it

    names: tuple[tuple[Side, str], ...] = (("reference", "reference"), ("predicted", "prediction"))
    values = [open_result_list(value, name) for value, (_, name) in zip((reference, prediction), names, strict=True)]
    are_results = [isinstance(value, ResultListSource) for value in values]
    are_lists = [not (is_path(value) or is_row_list(value) or value is None) for value in values]
    if not any(are_results) or not any(are_lists):
        return values[0], values[1], options
    if options.texts is None:
        spans = [
            list_result_spans(value, side) if result else value
            for value, result, (side, _) in zip(values, are_results, names, strict=True)
        ]
        return spans[0], spans[1], options
    rows = [
        build_text_rows(value, options.texts, side) if plain else value
        for value, plain, (side, _) in zip(values, are_lists, names, strict=True)
    ]
    return rows[0], rows[1], replace(options, texts=None)


def _open_rows(reference: Any, prediction: Any, options: ReadingOptions) -> _OpenedInput:
    """Open rows of Python as the readers open files."""
    from isogloss.formats.python_rows import RowListSource, open_row_lists  # noqa: PLC0415  files need not import it

    _refuse_list_options(options, ("tokens", "texts"), "rows have their own words")
    opened = _open_files(*open_row_lists(reference, prediction, options.label_names), options)
    files = tuple((role, source) for role, source in opened.spans.sources if not isinstance(source, RowListSource))
    spans = replace(opened.spans, sources=files)
    if spans.read_tags is not None and not spans.by_characters:
        batches = list(spans.read_tags())  # the rows are in memory anyway, and reading them takes most of the time
        spans = replace(spans, read_tags=lambda: batches, read_spans=lambda decode: map(decode, batches))
    return _OpenedInput(spans, opened.unsupported)


def _refuse_list_options(options: ReadingOptions, names: Iterable[str], reason: str) -> None:
    """Refuse options of lists beside another input."""
    for name in names:
        if getattr(options, name) is not None:
            raise UsageError(f"{name} has no effect: {reason}. Leave it out.")


def _open_lists(reference: Any, prediction: Any, options: ReadingOptions) -> SpanInput:
    from isogloss.formats.list_words import ListWords  # noqa: PLC0415  files need not import it
    from isogloss.formats.python_arguments import (  # noqa: PLC0415  files need not import it
        detect_common_kind,
        to_document_list,
    )
    from isogloss.formats.python_lists import (  # noqa: PLC0415  files need not import it
        batch_span_lists,
        batch_tag_lists,
    )

    kind = detect_common_kind(reference, prediction)
    words = ListWords.from_arguments(options.tokens, options.texts, len(to_document_list(reference, "reference")))
    has_text = words is not None
    if kind == "spans":
        read = partial(batch_span_lists, reference, prediction, words=words)
        return SpanInput("prediction", lambda _: read(), has_text=has_text, by_characters=options.texts is not None)
    # two bytes a token; reading the strings a second time would be slower
    batches = list(batch_tag_lists(reference, prediction, words=words))
    return replace(SpanInput.from_tags("prediction", lambda: batches), has_text=has_text)


def _open_files(reference: Source, prediction: Source | None, options: ReadingOptions) -> _OpenedInput:
    """Open files in any format, if possible by the fast reader.

    The fast reader reads CoNLL.
    """
    named = _list_formats(options)
    reference = open_rows(reference, ENTITY_SHAPE, named[0])  # tables with a header become JSON lines
    prediction = None if prediction is None else open_rows(prediction, ENTITY_SHAPE, named[1])
    names = [named[0] or detect_format(reference)]
    unsupported: Mapping[str, IsoglossError] = {}
    if prediction is not None:
        name, unsupported = (named[1], {}) if named[1] else _detect_prediction(prediction, options.answers)
        names.append(name)
    others = (options.strict_spans, options.repair_offsets, options.offset_unit, options.split, options.answers)
    if {*names} == {"conll"} and not any(others):
        opened = _OpenedInput(_open_conll(reference, prediction, options))
    else:
        opened = _open_annotated(reference, prediction, names, options)
    choices = {"format": "+".join(dict.fromkeys(names))}
    if options.columns is not None and "columns" not in opened.unsupported:
        choices["columns"] = ",".join(map(str, options.columns))
    spans = replace(opened.spans, choices={**choices, **opened.spans.choices})
    return _OpenedInput(spans, {**opened.unsupported, **unsupported})


def _detect_prediction(source: Source, answers: str | None) -> tuple[str, Mapping[str, IsoglossError]]:
    """Detect the format of a prediction, and missing fields of answers.

    Return also the error if the rows lack the field of the answers.

    Raises:
        FormatError: if they lack it, and have nothing else that can be read.
    """
    row = None if answers is None else read_head(source).first_row
    if row is None or answers is None or answers in row:
        return detect_format(source, answers), {}
    name, missing = detect_format(source), make_missing_answers_error(source.name, row, answers)
    if name == "jsonl" and row.keys().isdisjoint(ENTITY_SHAPE.needed):
        raise missing
    return name, {"answers": missing}


def _open_conll(reference: Source, prediction: Source | None, options: ReadingOptions) -> SpanInput:
    from isogloss.formats.conll.columns import check_columns  # noqa: PLC0415  other formats need not import it
    from isogloss.formats.conll.layout import ConllLayout, detect_shard_layouts  # noqa: PLC0415
    from isogloss.formats.conll.pairing import read_conll_pairs  # noqa: PLC0415

    tags = 2 if prediction is None else 1
    check_columns(options.columns, tags)
    files = [reference] if prediction is None else [reference, prediction]
    layouts: dict[Source, ConllLayout] = {}
    for source in files:
        layouts |= detect_shard_layouts(source, options.columns, tags=tags)
    sources = (("reference", reference), ("prediction", prediction or reference))
    names = ("columns", "ignore_tokens", "progress", "attributes")
    how = {name: getattr(options, name) for name in names}
    pairs = SpanInput.from_tags(
        sources[-1][1].name, lambda: read_conll_pairs(reference, prediction, layouts=layouts, **how)
    )
    return replace(
        pairs,
        sources=sources,
        columns=lambda: _list_comment_columns(sources),
        choices=_list_column_choices([layout.choice for layout in layouts.values()]),
        warnings=RunWarning.merge(chain.from_iterable(layout.warnings for layout in layouts.values())),
    )


def _list_column_choices(chosen: Sequence[str]) -> dict[str, str]:
    """Return the columns for the signature, if any are unusual.

    They are unusual if isogloss chose others than the usual ones for a file.
    """
    return {"columns": "+".join(dict.fromkeys(each or "usual" for each in chosen))} if any(chosen) else {}


def _list_comment_columns(sources: Iterable[tuple[str, Source]]) -> Iterable[str]:
    """List the columns in the comments of files."""
    from isogloss.records.attributes import read_comment_columns  # noqa: PLC0415  only an error needs it

    return chain.from_iterable(read_comment_columns(source) for _, source in sources)


def _open_annotated(
    reference: Source, prediction: Source | None, names: Sequence[str], options: ReadingOptions
) -> _OpenedInput:
    """Open files in any formats, by tokens or by characters.

    Files are opened by tokens if both sides have a tag for each word, else by characters.
    """
    if prediction is None and not load_format(names[0]).has_both_sides:
        raise UsageError(f"{reference.name} is {names[0]}, which holds one side only: add the file of the prediction.")
    sources = (("reference", reference), ("prediction", prediction or reference))
    shared = ("columns", "attributes", "strict_spans", "repair_offsets", "offset_unit", "split", "answers")

    @cache
    def list_labels() -> frozenset[str]:
        return files[0].list_labels()

    how = FormatOptions(
        single_file=prediction is None, list_labels=list_labels, **{name: getattr(options, name) for name in shared}
    )
    files, reasons = open_together(
        [source for _, source in sources],
        (names[0], names[-1]),
        [replace(how, side=side) for side in SIDES],
    )
    unsupported = {option: UsageError(reason) for option, reason in reasons.items()}
    lenient = len({*names}) > 1  # if the formats differ, ids may differ or be missing on one side
    pairs = _pair_by_tokens(files, sources, options, lenient=lenient)
    if pairs is None:
        pairs = _pair_by_characters(files, sources, options, lenient=lenient)
        if options.ignore_tokens:
            message = "--ignore-tokens has no effect: the files are compared by characters. Leave it out."
            unsupported["ignore_tokens"] = UsageError(message)
    opened = files[:1] if prediction is None else files
    spans = replace(
        pairs,
        sources=sources,
        columns=lambda: chain.from_iterable(file.list_columns() for file in files),
        choices=_list_column_choices([file.chosen_columns for file in opened]),
        warnings=RunWarning.merge(chain.from_iterable(file.warnings for file in opened)),
    )
    return _OpenedInput(spans, unsupported)


def _pair_by_tokens(
    files: Sequence[AnnotationFile],
    sources: Sequence[tuple[str, Source]],
    options: ReadingOptions,
    *,
    lenient: bool,
) -> SpanInput | None:
    """Pair files with the same words.

    The result is None if a file has no words with tags.
    """
    from isogloss.formats.tagged_documents import pair_tagged_files  # noqa: PLC0415  other formats need not import it

    reference, prediction = (file.tags if file.has_words else None for file in files)
    if reference is None or prediction is None:
        return None

    def read_tags() -> Iterator[TagPairs]:
        pairs = pair_tagged_files(reference, prediction, ignore_tokens=options.ignore_tokens, ignore_ids=lenient)
        return report_progress(pairs, (source for _, source in sources), options.progress)

    return SpanInput.from_tags(sources[1][1].name, read_tags)


def _pair_by_characters(
    files: Sequence[AnnotationFile],
    sources: Sequence[tuple[str, Source]],
    options: ReadingOptions,
    *,
    lenient: bool,
) -> SpanInput:
    """Pair files as texts with spans."""
    from isogloss.formats.span_pairing import batch_document_pairs  # noqa: PLC0415  other formats need not import it
    from isogloss.formats.tagged_documents import batch_file_tags  # noqa: PLC0415  other formats need not import it

    def read_pairs(decode: DecodeTags) -> Iterable[SpanPairs]:
        both = [file.as_spans(side, decode) for file, side in zip(files, SIDES, strict=True)]
        follows_texts = any(file.follows_texts for file in files)
        pairs = batch_document_pairs(*both, lenient=lenient, needs_texts=not follows_texts)
        return report_progress(pairs, (source for _, source in sources), options.progress)

    tagged = [(file.tags, side) for file, side in zip(files, SIDES, strict=True) if file.tags is not None]

    def read_tags() -> Iterable[TagPairs]:
        batches = chain.from_iterable(batch_file_tags(*each) for each in tagged)
        return report_progress(batches, (source for _, source in sources), options.progress)

    return SpanInput(
        sources[1][1].name,
        read_pairs,
        read_tags if tagged else None,
        [side for _, side in tagged],
        by_characters=True,
    )


def reject_tags(batch: TagPairs) -> SpanPairs:
    """Stand for the decoder of inputs that have no tags."""
    raise AssertionError(f"{len(batch.documents)} documents with tags in an input without tags")
