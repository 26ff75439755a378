"""Reference and prediction of named entities as batches that can be read again, and how their files are read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from isogloss.errors import FormatError, UsageError
from isogloss.kernel.arguments import one_of
from isogloss.kernel.provenance import SIDES, Side
from isogloss.records.sources import Progress, Source, is_path
from isogloss.runs.run import Input
from isogloss.spans.batches import SpanPairs, TagPairs

if TYPE_CHECKING:
    from isogloss.formats.annotation import Annotations
    from isogloss.formats.documents import SpanFile

Decode = Callable[[TagPairs], SpanPairs]


@dataclass(frozen=True)
class Layout:
    """How files are read.

    Args:
        input_format: their format, None to recognise it.
        prediction_format: that of the prediction where it is another, None for `input_format`.
        columns: columns of CoNLL files, from 1, from the end below 0: (token, tag) of two files,
            (token, reference, prediction) of one; None for the first and the last ones. Names for formats that have
            names for their columns.
        ignore_tokens: whether the tokens of reference and prediction may differ.
        strict_spans: whether spans that are not of one piece are refused.
        repair_offsets: whether offsets that are off by a known slip are put right.
        answers: the field of what a model answered.
        progress: called now and then with the bytes read in this pass.
        attributes: columns of documents that are wanted beside what is scored.
    """

    input_format: str | None = None
    prediction_format: str | None = None
    columns: Sequence[int | str] | None = None
    ignore_tokens: bool = False
    strict_spans: bool = False
    repair_offsets: bool = False
    answers: str | None = None
    progress: Progress | None = None
    attributes: Sequence[str] = ()

    def __post_init__(self) -> None:
        for option, name in (("input_format", self.input_format), ("prediction_format", self.prediction_format)):
            if name is not None:
                from isogloss.formats.detection import FORMATS  # noqa: PLC0415  most files need no name

                one_of(option, name, FORMATS.names())
        columns = () if self.columns is None else self.columns
        if isinstance(columns, str) or not all(type(column) in {int, str} for column in columns):
            raise UsageError(f"columns is {columns!r}, but it is whole numbers, (1, -1), or names.")

    @property
    def is_plain(self) -> bool:
        """Whether nothing is asked for that only other formats than columns and JSON lines have."""
        return not (self.strict_spans or self.repair_offsets or self.answers)


@dataclass(frozen=True, eq=False)
class Pairs:
    """Reference and prediction, read as often as asked for.

    Args:
        system: what is scored: the prediction's path as given, or `prediction`.
        spans: the spans of both sides; tags are turned into spans by the callable that it is given.
        tags: all tags of the input, to decide how they are read; None where it has none.
        tagged: the sides that have tags, where there are any.
        sources: the files, by role.
        choices: what was chosen of them, for the signature.
        columns: the columns of its documents, as far as the first one tells.
        characters: whether spans count code points of a text, and not its tokens.
        has_text: whether its documents have the text that they are about.
        training: the training data, for slices by `seen`.
    """

    system: str
    spans: Callable[[Decode], Iterable[SpanPairs]]
    tags: Callable[[], Iterable[TagPairs]] | None = None
    tagged: Sequence[Side] = SIDES
    sources: tuple[tuple[str, Source], ...] = ()
    choices: Mapping[str, str] = field(default_factory=dict)
    columns: Callable[[], Iterable[str]] = tuple
    characters: bool = False
    has_text: bool = True
    training: Pairs | None = None

    @classmethod
    def of_tags(cls, system: str, tags: Callable[[], Iterable[TagPairs]]) -> Pairs:
        """An input whose sides have the same tokens."""
        return cls(system, lambda decode: map(decode, tags()), tags)

    def inputs(self) -> tuple[Input, ...]:
        """The files with the digests that the pass over them has left."""
        return tuple(Input(role, source.name, source.sha256 or "") for role, source in self.sources)


T = TypeVar("T")


def opened(reference: Any, prediction: Any, layout: Layout) -> Pairs:
    """The input that the arguments stand for.

    Args:
        reference: a path or source, or a list of documents.
        prediction: likewise; None when the reference's file has a column for it.
        layout: how files are read.

    Raises:
        UsageError: a path and a list, tags and spans, or neither.
        SourceError: a file cannot be read.
    """
    if is_path(reference) and (prediction is None or is_path(prediction)):
        return _files(_source(reference), None if prediction is None else _source(prediction), layout)
    if is_path(reference) or is_path(prediction):
        raise UsageError("Give two paths or two lists: a path and a list cannot be compared.")
    return _lists(reference, prediction)


def opened_each(reference: Any, predictions: Sequence[Any], layout: Layout) -> list[Pairs]:
    """The input of each of several systems. An option that only some of their files have is meant for these.

    Args:
        reference: what all are compared with.
        predictions: one a system.
        layout: how files are read.

    Raises:
        UsageError: as `opened` says, or an option that the files of no system have.
        FormatError: likewise, a field of answers.
        SourceError: a file cannot be read.
    """
    systems, lacking = [], []
    for prediction in predictions:
        system, lacked = _opened_with_what_it_has(reference, prediction, layout)
        systems.append(system)
        lacking.append(lacked)
    for option, error in lacking[0].items():
        if all(option in lacked for lacked in lacking):
            raise error
    return systems


def _opened_with_what_it_has(reference: Any, prediction: Any, layout: Layout) -> tuple[Pairs, dict[str, Exception]]:
    """The input of a system, and the options that its files do not have."""
    from isogloss.formats.annotation import LackingOptionError  # noqa: PLC0415
    from isogloss.formats.detection import LackingAnswersError  # noqa: PLC0415

    # sources, so that standard input is read once
    reference, prediction = (_source(side) if is_path(side) else side for side in (reference, prediction))
    lacked: dict[str, Exception] = {}
    while True:
        try:
            return opened(reference, prediction, layout), lacked
        except (LackingOptionError, LackingAnswersError) as error:
            if error.option in lacked:
                raise
            lacked[error.option] = error
            layout = replace(layout, **{error.option: getattr(Layout, error.option)})
        except FormatError as error:
            if "answers" in lacked and (error.where or "").startswith(f"{prediction.name}:"):
                raise lacked["answers"] from error  # without the field its rows say nothing
            raise


def _source(value: str | os.PathLike[str] | Source) -> Source:
    return value if isinstance(value, Source) else Source(value)


def _lists(reference: Any, prediction: Any) -> Pairs:
    from isogloss.formats.lists import kind_of_both, span_pairs  # noqa: PLC0415  files need not import it
    from isogloss.formats.tag_lists import tag_pairs  # noqa: PLC0415  files need not import it

    if kind_of_both(reference, prediction) == "spans":
        return Pairs("prediction", lambda _: span_pairs(reference, prediction), has_text=False)
    batches = list(tag_pairs(reference, prediction))  # two bytes a token; reading the strings again would cost more
    return replace(Pairs.of_tags("prediction", lambda: batches), has_text=False)


def _files(reference: Source, prediction: Source | None, layout: Layout) -> Pairs:
    reference, prediction = _open_tables(reference, prediction, layout)
    found = _formats(reference, prediction, layout)
    choices = {"format": "+".join(dict.fromkeys(found))}
    if layout.columns is not None:
        choices["columns"] = ",".join(map(str, layout.columns))
    return replace(_in(found, reference, prediction, layout), choices=choices)


def _open_tables(reference: Source, prediction: Source | None, layout: Layout) -> tuple[Source, Source | None]:
    """The files, as JSON lines where they are tables with a header."""
    from isogloss.records.tabular import ENTITIES, open_rows  # noqa: PLC0415  lists need not import it

    own, other = layout.input_format, layout.prediction_format or layout.input_format
    return open_rows(reference, ENTITIES, own), None if prediction is None else open_rows(prediction, ENTITIES, other)


def _in(found: Sequence[str], reference: Source, prediction: Source | None, layout: Layout) -> Pairs:
    """Files in the formats that were found."""
    if set(found) == {"conll"} and layout.is_plain:
        return _conll(reference, prediction, layout)
    if set(found) == {"jsonl"} and layout.is_plain:
        if layout.columns is not None:
            from isogloss.formats.annotation import LackingOptionError  # noqa: PLC0415

            message = f"{reference.name} is JSONL, which has no columns: leave out --columns."
            raise LackingOptionError("columns", message)
        if prediction is not None:
            _check_tokens(layout)
            return _jsonl(reference, prediction, layout)
    return _annotated(reference, prediction, found, layout)


def _conll(reference: Source, prediction: Source | None, layout: Layout) -> Pairs:
    from isogloss.formats.pairing import read_tags  # noqa: PLC0415

    sources = (("reference", reference), ("prediction", prediction or reference))
    names = ("columns", "ignore_tokens", "progress", "attributes")
    how = {name: getattr(layout, name) for name in names}
    pairs = Pairs.of_tags(sources[-1][1].name, lambda: read_tags(reference, prediction, **how))
    return replace(pairs, sources=sources, columns=lambda: _commented(sources))


def _commented(sources: Iterable[tuple[str, Source]]) -> Iterable[str]:
    """The columns that the comments of files have."""
    from isogloss.records.attributes import columns_of_comments  # noqa: PLC0415  only an error needs it

    return chain.from_iterable(columns_of_comments(source) for _, source in sources)


def _jsonl(reference: Source, prediction: Source, layout: Layout) -> Pairs:
    from isogloss.formats.jsonl import has_tags, span_pairs, tag_batches  # noqa: PLC0415
    from isogloss.records.json_rows import columns_of  # noqa: PLC0415

    sides = tuple(zip((reference, prediction), SIDES, strict=True))
    tagged = [(source, side) for source, side in sides if has_tags(source)]
    return Pairs(
        prediction.name,
        lambda decode: span_pairs(reference, prediction, decode, attributes=layout.attributes),
        (lambda: chain.from_iterable(tag_batches(*side) for side in tagged)) if tagged else None,
        [side for _, side in tagged],
        (("reference", reference), ("prediction", prediction)),
        columns=lambda: (name for source, _ in sides for name in columns_of(source)()),
        characters=True,
    )


def _annotated(reference: Source, prediction: Source | None, names: Sequence[str], layout: Layout) -> Pairs:
    """Files in any formats: by tokens where both have a tag for each of their words, else by characters."""
    from isogloss.formats.annotation import Options  # noqa: PLC0415
    from isogloss.formats.detection import both_in_one, opened_together  # noqa: PLC0415

    if prediction is None and not both_in_one(names[0]):
        raise UsageError(f"{reference.name} is {names[0]}, which holds one side. Name the file of the prediction too.")
    sources = (("reference", reference), ("prediction", prediction or reference))
    options = Options(
        alone=prediction is None,
        columns=layout.columns,
        attributes=layout.attributes,
        strict_spans=layout.strict_spans,
        repair_offsets=layout.repair_offsets,
        answers=layout.answers,
    )
    files = opened_together(
        [source for _, source in sources],
        (names[0], names[-1]),
        [replace(options, side=side) for side in SIDES],
    )
    lenient = len({*names}) > 1
    pairs = _by_tokens(files, sources, layout, lenient=lenient)
    if pairs is None:
        _check_tokens(layout)
        pairs = _by_characters(files, sources, layout, lenient=lenient)
    columns = lambda: chain.from_iterable(file.columns() for file in files)  # noqa: E731
    return replace(pairs, sources=sources, columns=columns)


def _by_tokens(
    files: Sequence[Annotations],
    sources: Sequence[tuple[str, Source]],
    layout: Layout,
    *,
    lenient: bool,
) -> Pairs | None:
    """Files that have the same words, one after the other; None where one has no words with tags.

    Where they are in two formats, their ids may differ.
    """
    from isogloss.formats.token_pairing import in_step  # noqa: PLC0415

    reference, prediction = (file.tags if file.words else None for file in files)
    if reference is None or prediction is None:
        return None
    return Pairs.of_tags(
        sources[1][1].name,
        lambda: _told(
            in_step(reference, prediction, ignore_tokens=layout.ignore_tokens, ignore_ids=lenient),
            sources,
            layout,
        ),
    )


def _by_characters(
    files: Sequence[Annotations],
    sources: Sequence[tuple[str, Source]],
    layout: Layout,
    *,
    lenient: bool,
) -> Pairs:
    """Files as texts with spans; where they are in two formats, only one may have ids, or both may have their own."""
    from isogloss.formats.span_pairing import paired  # noqa: PLC0415
    from isogloss.formats.token_pairing import tag_batches  # noqa: PLC0415

    def spans(decode: Decode) -> Iterable[SpanPairs]:
        both = [_with_spans(file, side, decode) for file, side in zip(files, SIDES, strict=True)]
        return _told(paired(*both, lenient=lenient), sources, layout)

    tagged = [(file.tags, side) for file, side in zip(files, SIDES, strict=True) if file.tags is not None]
    return Pairs(
        sources[1][1].name,
        spans,
        (lambda: chain.from_iterable(tag_batches(*each) for each in tagged)) if tagged else None,
        [side for _, side in tagged],
        characters=True,
    )


def _with_spans(file: Annotations, side: Side, decode: Decode) -> SpanFile:
    from isogloss.formats.token_pairing import DecodedFile  # noqa: PLC0415

    if file.spans is not None:
        return file.spans
    if file.tags is None:
        raise ValueError("a file has spans or tags")
    return DecodedFile(file.tags, side, decode)


def _check_tokens(layout: Layout) -> None:
    """Refuse what only a comparison by tokens has.

    Raises:
        LackingOptionError: it is asked for.
    """
    if layout.ignore_tokens:
        from isogloss.formats.annotation import LackingOptionError  # noqa: PLC0415

        message = "The files are compared by characters, where tokens may differ anyway: leave out --ignore-tokens."
        raise LackingOptionError("ignore_tokens", message)


def _told(batches: Iterable[T], sources: Iterable[tuple[str, Source]], layout: Layout) -> Iterator[T]:
    """Batches, with a word on how far the files were read after each."""
    files = {id(source): source for _, source in sources}.values()
    for batch in batches:
        yield batch
        if layout.progress is not None:
            layout.progress(sum(source.bytes_read for source in files))


def _formats(reference: Source, prediction: Source | None, layout: Layout) -> list[str]:
    """The formats of the files."""
    from isogloss.formats.detection import recognised  # noqa: PLC0415  lists need not import it

    named = (layout.input_format, layout.prediction_format or layout.input_format)
    both = zip((reference, prediction), named, (None, layout.answers), strict=True)  # a reference is no answer
    return [name or recognised(source, answers) for source, name, answers in both if source is not None]
