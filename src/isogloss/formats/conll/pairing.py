"""Pair two CoNLL files by sentence and show their first difference."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain
from typing import Any

import numpy as np

from isogloss.errors import DataError, MismatchError
from isogloss.formats.conll.columns import check_columns
from isogloss.formats.conll.layout import ConllLayout
from isogloss.formats.conll.reader import BLOCK, SentenceRange, TaggedBlock, read_tagged
from isogloss.formats.tag_table import TagTable
from isogloss.kernel.provenance import Side, TextExcerpt
from isogloss.kernel.scores import Ints
from isogloss.records.attributes import FILE_COLUMN
from isogloss.records.block_pairing import BlockQueue
from isogloss.records.sources import Progress, Source
from isogloss.spans.batches import TagPairs
from isogloss.text.display import format_count

AROUND = 2  # lines shown before and after the first difference
SHOWN = 72  # characters shown of a line
SHOWN_TOKEN = 40  # characters shown of a token
SAME_TEXT = "Reference and prediction must hold the same sentences, token by token, in the same order."
SPELLING = "If only the spelling of tokens differs, add --ignore-tokens."


def check_same_tokens(reference: SentenceRange, predicted: SentenceRange, before: int, *, ignore_tokens: bool) -> None:
    """Check that sentences have equally many tokens, and the same ones.

    Args:
        reference: sentences of the reference.
        predicted: as many sentences of the prediction.
        before: number of sentences of both files before these.
        ignore_tokens: whether to compare only the number of tokens.

    Raises:
        MismatchError: if they do not; it shows the first difference.
    """
    counts, other_counts = np.diff(reference.offsets), np.diff(predicted.offsets)  # (sentences,) tokens of each
    even = (
        int((counts != other_counts).argmax()) if (counts != other_counts).any() else len(counts)
    )  # sentences before the first with other token counts
    if not ignore_tokens:
        token = reference.get_tokens(0, even).find_difference(predicted.get_tokens(0, even))
        if token is not None:
            row = int(np.searchsorted(reference.offsets, token, side="right")) - 1
            raise _make_token_error(reference, predicted, row, token - int(reference.offsets[row]), before)
    if even < len(counts):
        raise _make_count_error(reference, predicted, even, before, ignore_tokens=ignore_tokens)


def make_short_prediction_error(
    missing: SentenceRange, last: SentenceRange, before: int, rest: Iterable[TaggedBlock]
) -> MismatchError:
    """Return the error for a prediction with fewer sentences.

    Args:
        missing: sentences of the reference that the prediction lacks.
        last: the last sentences of the prediction.
        before: number of sentences of the prediction.
        rest: the blocks after `missing` in the reference.
    """
    end = last.get_last_line()
    return MismatchError(
        f"the prediction ends after sentence {before}, but the reference ({missing.name}) has "
        f"{_count_sentences(before + missing.sentences, rest)}",
        where=f"{last.name}:{end}",
        detail=_format_both_sides(missing, missing.get_line_number(0, 0), last, end),
        remedy=f"{SAME_TEXT} Check that the prediction was written to its end.",
    )


def make_long_prediction_error(
    last: SentenceRange, extra: SentenceRange, before: int, rest: Iterable[TaggedBlock]
) -> MismatchError:
    """Return the error for a prediction with more sentences.

    Args:
        last: the last sentences of the reference.
        extra: the first sentences that only the prediction has.
        before: number of sentences of the reference.
        rest: the blocks after `extra` in the prediction.
    """
    end = last.get_last_line()
    begin = extra.get_line_number(0, 0)
    return MismatchError(
        f"the prediction goes on to {_count_sentences(before + extra.sentences, rest)}, "
        f"but the reference ends after sentence {before} ({last.name}:{end})",
        where=f"{extra.name}:{begin}",
        detail=_format_both_sides(last, end, extra, begin),
        remedy=f"{SAME_TEXT} Check that the reference is complete and the right one.",
    )


def _make_token_error(
    reference: SentenceRange, predicted: SentenceRange, row: int, position: int, before: int
) -> MismatchError:
    here, there = (_format_token(side, row, position) for side in (predicted, reference))
    line, reference_line = predicted.get_line_number(row, position), reference.get_line_number(row, position)
    return MismatchError(
        f"token {position + 1} of sentence {before + row + 1} is {here}, "
        f"but {there} in the reference ({reference.name}:{reference_line})",
        where=f"{predicted.name}:{line}",
        detail=_format_both_sides(reference, reference_line, predicted, line),
        remedy=f"{SAME_TEXT} {SPELLING}",
    )


def _make_count_error(
    reference: SentenceRange, predicted: SentenceRange, row: int, before: int, *, ignore_tokens: bool
) -> MismatchError:
    expected, other_tokens = reference.get_tokens(row, row + 1), predicted.get_tokens(row, row + 1)
    both = min(len(expected), len(other_tokens))
    other = None if ignore_tokens else expected.slice_rows(0, both).find_difference(other_tokens.slice_rows(0, both))
    position = both if other is None else other
    line, reference_line = predicted.get_line_number(row, position), reference.get_line_number(row, position)
    return MismatchError(
        f"sentence {before + row + 1} has {format_count(len(other_tokens), 'token')}, "
        f"but {format_count(len(expected), 'token')} in the reference ({reference.name}:{reference_line})",
        where=f"{predicted.name}:{line}",
        detail=_format_both_sides(reference, reference_line, predicted, line),
        remedy=f"{SAME_TEXT} Look for a token, a sentence or a blank line that is missing or too much.",
    )


def _count_sentences(sentences: int, rest: Iterable[TaggedBlock]) -> str:
    """Return the number of sentences with the rest of the file.

    The rest counts as far as it can be read; then "or more" is added.
    """
    try:
        for block in rest:
            sentences += block.sentences
    except DataError:
        return f"{sentences} or more"
    return str(sentences)


def _format_token(part: SentenceRange, row: int, position: int) -> str:
    return repr(part.get_tokens(row, row + 1).get_field(position).decode()[:SHOWN_TOKEN])


def _format_both_sides(reference: SentenceRange, reference_line: int, predicted: SentenceRange, line: int) -> str:
    """Show the lines of both files around a place."""
    return "\n".join(
        [*_format_context("reference", reference, reference_line), *_format_context("prediction", predicted, line)]
    )


def _format_context(side: str, part: SentenceRange, line: int) -> list[str]:
    lines = part.block.get_lines(line - AROUND, line + AROUND)
    width = max(len(str(number)) for number, _ in lines)
    return [f"  {side} {part.name}"] + [
        f"  {'>' if number == line else ' '} {number:>{width}}  {text[:SHOWN]}".rstrip() for number, text in lines
    ]


PairedParts = tuple[SentenceRange, list[SentenceRange]]


def read_conll_pairs(  # noqa: PLR0913  all but the files are options, by name
    reference: Source,
    prediction: Source | None = None,
    *,
    columns: Sequence[int | str] | None = None,
    ignore_tokens: bool = False,
    progress: Progress | None = None,
    block_size: int = BLOCK,
    attributes: Sequence[str] = (),
    layouts: Mapping[Source, ConllLayout] | None = None,
) -> Iterator[TagPairs]:
    """Read reference and prediction in batches of about a block.

    Args:
        reference: the file with the reference.
        prediction: the file with the prediction; None if it is another column of the reference's file.
        columns: for two files the columns of token and tag, for one file those of token, reference and prediction: by
            number, from 1, or from -1 at the end, or by name; None to choose them as `formats.conll.columns` says.
        ignore_tokens: whether the tokens of two files may differ.
        progress: called after each batch with the stored bytes of both files that were read so far.
        block_size: approximate bytes of a block; a sentence is never cut.
        attributes: names of the columns to keep from the comments of sentences, on either side.
        layouts: the layout of each file, as `detect_shard_layouts` returns it; None to detect it in each pass.

    Returns:
        Batches with one growing vocabulary: a tag has the same code on both sides and in all batches.

    Raises:
        UsageError: if these columns cannot be read. All other errors are raised while batches are read.
        SourceError: if a file cannot be read, is not text, or holds no token.
        FormatError: if a line does not have the columns of its file.
        MismatchError: if the number of sentences, the number of tokens in one, or a token differs.
    """
    table, tags = TagTable(), 2 if prediction is None else 1
    check_columns(columns, tags)
    if prediction is None:
        blocks = _read_side(reference, layouts, columns, table, block_size, tags=tags, attributes=attributes)
        pairs: Iterator[PairedParts] = (
            (SentenceRange(block, 0, block.sentences), [SentenceRange(block, 0, block.sentences, column=1)])
            for block in blocks
        )
    else:
        both = (reference, prediction)
        sides = (_read_side(source, layouts, columns, table, block_size, attributes=attributes) for source in both)
        pairs = _pair_blocks(*sides, ignore_tokens=ignore_tokens)
    return _build_batches(pairs, table, [source for source in (reference, prediction) if source], progress)


def _read_side(
    source: Source, layouts: Mapping[Source, ConllLayout] | None, *how: Any, **options: Any
) -> Iterator[TaggedBlock]:
    """Read the blocks of a file, or of all its shards."""
    known = layouts or {}
    return chain.from_iterable(
        read_tagged(each, *how, layout=known.get(each), **options) for each in source.read_shards()
    )


@dataclass(frozen=True, eq=False)
class ConllProvenance:
    """The files from which a batch was read.

    Args:
        first: number of the first document, from 0.
        reference: the sentences of the reference.
        predicted: the same sentences in the prediction, in one part or several.
    """

    first: int
    reference: SentenceRange
    predicted: Sequence[SentenceRange]

    def name(self, row: int) -> str:
        """Return the number of the sentence, from 1."""
        return str(self.first + row + 1)

    def where(self, row: int, position: int, side: Side) -> str:
        """Return file and line of a token."""
        part, row = (self.reference, row) if side == "reference" else self._find_predicted_part(row)
        return f"{part.name}:{part.get_line_number(row, position)}"

    def get_excerpt(self, row: int) -> TextExcerpt:
        """Return the words of the reference."""
        return TextExcerpt.from_words(self.reference.get_tokens(row, row + 1).decode_fields())

    def get_excerpts(self, rows: Ints) -> list[TextExcerpt]:
        """Return the words of the reference for each row."""
        return self.reference.join_tokens(rows)

    def list_places(self, rows: Ints, positions: Ints, side: Side) -> list[str]:
        """Return file and line of tokens of one side."""
        if side == "reference":
            return self.reference.list_token_places(rows, positions)
        part_of = np.searchsorted(self._part_begins, rows, side="right") - 1  # (rows,)
        places = np.empty(len(rows), object)  # (rows,)
        for at in np.unique(part_of).tolist():
            own = part_of == at
            places[own] = self.predicted[at].list_token_places(rows[own] - self._part_begins[at], positions[own])
        texts: list[str] = places.tolist()
        return texts

    def value(self, row: int, column: str) -> str | None:
        """Return a column from comments of the reference, else the prediction.

        The column `file` is the file of the prediction, unless comments define it.
        """
        known = self.reference.get_value(row, column)
        if known is not None:
            return known
        part, at = self._find_predicted_part(row)
        known = part.get_value(at, column)
        return part.name if known is None and column == FILE_COLUMN else known

    def _find_predicted_part(self, row: int) -> tuple[SentenceRange, int]:
        """Return the predicted part with a sentence, and its position there."""
        at = bisect_right(self._part_begins, row) - 1
        return self.predicted[at], row - self._part_begins[at]

    @cached_property
    def _part_begins(self) -> list[int]:
        """First row of each predicted part, then the number of rows."""
        return list(accumulate((part.sentences for part in self.predicted), initial=0))


def _pair_blocks(
    reference: Iterator[TaggedBlock], prediction: Iterator[TaggedBlock], *, ignore_tokens: bool
) -> Iterator[PairedParts]:
    """Pair each reference block with parts of the prediction.

    These parts hold the same sentences as the block.
    """
    feed = BlockQueue(SentenceRange(block, 0, block.sentences) for block in prediction)
    before = 0
    for block in reference:
        parts = []
        missing = SentenceRange(block, 0, block.sentences)
        for part in feed.take(block.sentences):
            same = missing.select_rows(0, len(part))
            missing = missing.select_rows(len(part), len(missing))
            check_same_tokens(same, part, before, ignore_tokens=ignore_tokens)
            before += part.sentences
            parts.append(part)
        if missing.sentences:
            raise make_short_prediction_error(missing, feed.last, before, reference)
        yield SentenceRange(block, 0, block.sentences), parts
    extra = next(feed.take(), None)
    if extra is not None:
        raise make_long_prediction_error(SentenceRange(block, 0, block.sentences), extra, before, prediction)


def _build_batches(
    pairs: Iterable[PairedParts], table: TagTable, sources: Sequence[Source], progress: Progress | None
) -> Iterator[TagPairs]:
    first = 0
    for reference, predicted in pairs:
        yield TagPairs(
            documents=np.arange(first, first + reference.sentences),
            offsets=reference.offsets,
            vocabulary=table.vocabulary,
            reference=reference.tags,
            predicted=predicted[0].tags if len(predicted) == 1 else np.concatenate([part.tags for part in predicted]),
            provenance=ConllProvenance(first, reference, predicted),
        )
        first += reference.sentences
        if progress:
            progress(sum(source.bytes_read for source in sources))
