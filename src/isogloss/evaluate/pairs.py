"""Reference and prediction of named entities as batches that can be read again, and how their files are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from isogloss.arguments import one_of
from isogloss.batches import SIDES, Side, SpanPairs, TagPairs
from isogloss.exceptions import UsageError
from isogloss.run import Input
from isogloss.sources import Source

Progress = Callable[[int], object]
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
                from isogloss.formats.opening import FORMATS  # noqa: PLC0415  most files need no name

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

    @classmethod
    def of_tags(cls, system: str, tags: Callable[[], Iterable[TagPairs]]) -> Pairs:
        """An input whose sides have the same tokens."""
        return cls(system, lambda decode: map(decode, tags()), tags)

    def inputs(self) -> tuple[Input, ...]:
        """The files with the digests that the pass over them has left."""
        return tuple(Input(role, source.name, source.sha256 or "") for role, source in self.sources)
