"""What a user gives as reference and prediction, as batches that can be read again.

Paths are recognised by their content: a first line that begins a JSON object is JSONL, anything else is CoNLL columns.
Python lists hold tags or spans.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any, Literal, TypeGuard, get_args

from isogloss.batches import Side, SpanPairs, TagPairs
from isogloss.evaluate.arguments import one_of
from isogloss.exceptions import SourceError, UsageError
from isogloss.run import Input
from isogloss.sources import Source

Progress = Callable[[int], object]
Decode = Callable[[TagPairs], SpanPairs]
Format = Literal["conll", "jsonl"]
JSON_OBJECT = re.compile(rb'(?:\[\s*)?\{\s*["}]')


@dataclass(frozen=True)
class Layout:
    """How files are read.

    Args:
        input_format: their format, None to recognise it.
        columns: columns of CoNLL files, from 1, from the end below 0: (token, tag) of two files,
            (token, reference, prediction) of one; None for the first and the last ones.
        ignore_tokens: whether the tokens of reference and prediction may differ.
        progress: called now and then with the bytes read in this pass.
        attributes: columns of documents that are wanted beside what is scored.
    """

    input_format: Format | None = None
    columns: Sequence[int] | None = None
    ignore_tokens: bool = False
    progress: Progress | None = None
    attributes: Sequence[str] = ()

    def __post_init__(self) -> None:
        one_of("input_format", self.input_format, (None, *get_args(Format)))
        columns = () if self.columns is None else self.columns
        if isinstance(columns, str) or not all(type(column) is int for column in columns):
            raise UsageError(f"columns is {columns!r}, but it is whole numbers: (1, -1).")


@dataclass(frozen=True, eq=False)
class Pairs:
    """Reference and prediction, read as often as asked for.

    Args:
        system: what is scored: the prediction's path as given, or `prediction`.
        spans: the spans of both sides; tags are turned into spans by the callable that it is given.
        tags: all tags of the input, to decide how they are read; None where it has none.
        sources: the files, by role.
        choices: what was chosen of them, for the signature.
        columns: the columns of its documents, as far as the first one tells.
        characters: whether spans count code points of a text, and not its tokens.
        has_text: whether its documents have the text that they are about.
    """

    system: str
    spans: Callable[[Decode], Iterable[SpanPairs]]
    tags: Callable[[], Iterable[TagPairs]] | None = None
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


def is_path(value: Any) -> TypeGuard[str | os.PathLike[str] | Source]:
    """Whether an argument names a file."""
    return isinstance(value, str | os.PathLike | Source)


def _source(value: str | os.PathLike[str] | Source) -> Source:
    return value if isinstance(value, Source) else Source(value)


def _lists(reference: Any, prediction: Any) -> Pairs:
    from isogloss.formats.lists import kind_of_both, span_pairs, tag_pairs  # noqa: PLC0415  files need not import it

    if kind_of_both(reference, prediction) == "spans":
        return Pairs("prediction", lambda _: span_pairs(reference, prediction), has_text=False)
    batches = list(tag_pairs(reference, prediction))  # two bytes a token; reading the strings again would cost more
    return replace(Pairs.of_tags("prediction", lambda: batches), has_text=False)


def _files(reference: Source, prediction: Source | None, layout: Layout) -> Pairs:
    both = tuple(source for source in (reference, prediction) if source is not None)
    if _format(both, layout) == "conll":
        return _conll(reference, prediction, layout)
    if layout.columns is not None:
        raise UsageError(f"{reference.name} is JSONL, which has no columns: leave out --columns.")
    if prediction is None:
        raise UsageError(f"{reference.name} is JSONL, which holds one side. Name the file of the prediction too.")
    return _jsonl(reference, prediction, layout)


def _conll(reference: Source, prediction: Source | None, layout: Layout) -> Pairs:
    from isogloss.formats.pairing import read_tags  # noqa: PLC0415

    sources = (("reference", reference), ("prediction", prediction or reference))
    names = ("columns", "ignore_tokens", "progress", "attributes")
    how = {name: getattr(layout, name) for name in names}
    pairs = Pairs.of_tags(sources[-1][1].name, lambda: read_tags(reference, prediction, **how))
    choices = {} if layout.columns is None else {"columns": ",".join(map(str, layout.columns))}
    return replace(pairs, sources=sources, choices=choices, columns=lambda: _commented(sources))


def _commented(sources: Iterable[tuple[str, Source]]) -> Iterable[str]:
    """The columns that the comments of files have, as far as their first blocks tell."""
    from isogloss.formats.attributes import commented_columns  # noqa: PLC0415  only an error needs it

    for _, source in sources:
        for block in islice(source.blocks(), 1):
            yield from commented_columns(block.text)


def _jsonl(reference: Source, prediction: Source, layout: Layout) -> Pairs:
    from isogloss.formats.json_lines import columns_of  # noqa: PLC0415
    from isogloss.formats.jsonl import has_tags, span_pairs, tag_batches  # noqa: PLC0415

    sides: tuple[tuple[Source, Side], ...] = ((reference, "reference"), (prediction, "predicted"))
    tagged = [(source, side) for source, side in sides if has_tags(source)]
    return Pairs(
        prediction.name,
        lambda decode: span_pairs(reference, prediction, decode, attributes=layout.attributes),
        (lambda: chain.from_iterable(tag_batches(*side) for side in tagged)) if tagged else None,
        (("reference", reference), ("prediction", prediction)),
        columns=lambda: (name for source, _ in sides for name in columns_of(source)),
        characters=True,
    )


def _format(sources: Sequence[Source], layout: Layout) -> Format:
    found = [layout.input_format or _recognised(source) for source in sources]
    if len(set(found)) > 1:
        names = " and ".join(f"{s.name} ({f})" for s, f in zip(sources, found, strict=True))
        raise UsageError(f"The files are in different formats: {names}. Convert one, or name --input-format.")
    return found[0]


def _recognised(source: Source) -> Format:
    """The format of a file, by its first line that is not blank."""
    for block in source.blocks():
        text = block.data.lstrip()
        if text:
            return "jsonl" if JSON_OBJECT.match(text) else "conll"
    raise SourceError(
        "the file is empty: it holds no documents",
        where=source.name,
        remedy="Check that it is the file you mean, and that the program that writes it has finished.",
    )
