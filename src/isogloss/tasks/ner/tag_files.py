"""Files with tags: CoNLL columns, the scheme of each column of tags decided once for the whole file.

    file = opened(Source("both.conll"), columns=(1, -2, -1))
    for block in file.blocks():
        for column in file.columns_of(block):
            column.batch, column.decision

Every column of tags is a matter of its own: it has its own scheme, unless one is named for all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.errors import FormatError, TagError, UsageError
from isogloss.formats.conll.layout import LOOK_AHEAD, ConllLayout, detect_conll_layout
from isogloss.formats.conll.reader import SentenceRange, TaggedBlock, read_tagged
from isogloss.formats.conll_pairing import ConllProvenance
from isogloss.formats.tag_table import TagTable
from isogloss.records.json_rows import BEGINS
from isogloss.records.sources import Progress, Source
from isogloss.spans.batches import SpanPairs, TagPairs
from isogloss.spans.decoder import Decoder
from isogloss.spans.invalid_tags import BEGIN, END, INVALID_KINDS, UNKNOWN, InvalidTags
from isogloss.spans.scheme_detection import AUTO, SchemeDecision, TagEvidence, decide_column_scheme, use_named_scheme
from isogloss.spans.schemes import TagRepair, TagScheme

FIRST_AND_LAST = (1, -1)


@dataclass(frozen=True, eq=False)
class TagColumn:
    """One column of tags of a block.

    Args:
        block: the sentences.
        number: the column, from 1.
        batch: its tags, as those of a reference.
        decision: how they are read.
    """

    block: TaggedBlock
    number: int
    batch: TagPairs
    decision: SchemeDecision

    @property
    def scheme(self) -> TagScheme:
        """Their scheme."""
        return self.decision.reference

    def where(self, token: int) -> str:
        """File and line of a token of the block."""
        return f"{self.block.name}:{self.block.get_line_number(token)}"

    def tag(self, token: int) -> str:
        """The tag of a token of the block."""
        return self.batch.vocabulary[int(self.batch.reference[token])]

    def decode(self, repair: TagRepair) -> SpanPairs:
        """Their spans, as those of a reference.

        Args:
            repair: what to do about tags that do not fit; with `error` there must be none.
        """
        return Decoder(self.decision, "begin" if repair == "error" else repair)(self.batch)


@dataclass(frozen=True, eq=False)
class TagFile:
    """A file whose columns of tags can be read as often as needed.

    Args:
        source: the file.
        choice: the columns of the token and of tags, as they were chosen.
        layout: how its lines are divided.
        table: codes of the tags.
        decisions: how each column of tags is read.
        progress: called now and then with the bytes read in this pass.
    """

    source: Source
    column_choice: Sequence[int]
    layout: ConllLayout
    table: TagTable
    decisions: tuple[SchemeDecision, ...] = ()
    progress: Progress | None = None

    @property
    def name(self) -> str:
        """What messages call the file."""
        return self.source.name

    @property
    def column_numbers(self) -> tuple[int, ...]:
        """The columns of tags, from 1."""
        return tuple(column + 1 for column in self.layout.used_columns[1:])

    def read_blocks(self) -> Iterator[TaggedBlock]:
        """The file from the beginning, also the lines that belong to no sentence."""
        for block in read_tagged(self.source, self.column_choice, self.table, keep_empty=True):
            yield block
            if self.progress:
                self.progress(self.source.bytes_read)

    def split_columns(self, block: TaggedBlock) -> list[TagColumn]:
        """The columns of tags of a block."""
        return [
            TagColumn(block, number, _build_batch(block, self.table, k), decision)
            for k, (number, decision) in enumerate(zip(self.column_numbers, self.decisions, strict=True))
        ]


def open_tag_file(
    source: Source,
    columns: Sequence[int] = FIRST_AND_LAST,
    scheme: str = AUTO,
    progress: Progress | None = None,
) -> TagFile:
    """A file, read once to decide how its tags are read.

    Args:
        source: the file.
        columns: the column of the token, then those of tags; from 1, or from -1 at the end backwards.
        scheme: a tag scheme, or `auto` to decide for each column by all of its tags.
        progress: called now and then with the bytes read in this pass.

    Raises:
        UsageError: these columns cannot be read, or an unknown scheme.
        SourceError: the file cannot be read, is no text, or holds no token.
        FormatError: a line has not the columns of the file, or holds JSON.
        TagError: no scheme has all letters of a column, or it holds no tags.
    """
    _check_columns(columns)
    if scheme != AUTO:
        use_named_scheme(scheme)  # a wrong name is said before anything is read
    _refuse_json(source)
    layout = detect_conll_layout(
        source, columns, "token and tag" if len(columns) == len(FIRST_AND_LAST) else "token and tags"
    )
    file = TagFile(source, columns, layout, TagTable(), progress=progress)
    evidence = [TagEvidence() for _ in file.column_numbers]
    first = 0
    for block in file.read_blocks():
        evidence = [
            known + TagEvidence.from_batch(_build_batch(block, file.table, k, first))
            for k, known in enumerate(evidence)
        ]
        first += block.sentences
    decisions = tuple(
        decide_column_scheme(known, scheme, f"column {number} of {file.name}")
        for number, known in zip(file.column_numbers, evidence, strict=True)
    )
    return TagFile(source, columns, layout, file.table, decisions, progress)


def _check_columns(columns: Sequence[int]) -> None:
    if len(columns) < len(FIRST_AND_LAST) or 0 in columns or len(set(columns)) != len(columns):
        raise UsageError(
            f"columns {','.join(map(str, columns))} cannot be read: give that of the token, then those of tags, each "
            "once; they count from 1, or from -1 at the end.",
        )


def _refuse_json(source: Source) -> None:
    for block in source.blocks(LOOK_AHEAD):
        if block.data.isspace():
            continue
        if BEGINS.match(block.data):
            raise FormatError(
                "holds JSON, but tags are read from columns",
                where=f"{source.name}:{block.first_line}",
                remedy="Name a file with a token and its tag a line, and a blank line after each sentence.",
            )
        return


def _build_batch(block: TaggedBlock, table: TagTable, column: int, first: int = 0) -> TagPairs:
    """One column of tags, from 0, as the tags of a reference; `first` is the number of the first sentence."""
    codes, part = block.tags[column], SentenceRange(block, 0, block.sentences, column)
    return TagPairs(
        documents=np.arange(first, first + block.sentences),
        offsets=block.offsets,
        vocabulary=table.vocabulary,
        reference=codes,
        predicted=np.zeros_like(codes),
        origin=ConllProvenance(first, part, [part]),
        sides=("reference",),
    )


@dataclass(frozen=True)
class InvalidTag:
    """A tag that does not fit.

    Args:
        file: the file in messages.
        line: its line.
        column: its column, from 1.
        token: the token that has it.
        tag: the tag.
        kind: one of `KINDS`.
        message: what is wrong, in one sentence.
        fits: the tag that would fit in its place; None where the scheme has no such tag.
    """

    file: str
    line: int
    column: int
    token: str
    tag: str
    kind: str
    message: str
    fits: str | None

    @property
    def where(self) -> str:
        """File and line."""
        return f"{self.file}:{self.line}"


def describe_invalid_tag(column: TagColumn, invalid_tags: InvalidTags, number: int) -> InvalidTag:
    """One misfit of a column of a block.

    Args:
        column: the column.
        misfits: its misfits.
        number: which, from 0.
    """
    token, block = int(invalid_tags.positions[number]), column.block
    return InvalidTag(
        file=block.name,
        line=block.get_line_number(token),
        column=column.number,
        token=block.tokens.get_field(token).decode(),
        tag=invalid_tags.get_tag(number),
        kind=INVALID_KINDS[invalid_tags.kind[number]],
        message=invalid_tags.format_message(number),
        fits=invalid_tags.find_fitting_tag(number),
    )


def check_tag_column(column: TagColumn, repair: TagRepair) -> InvalidTags:
    """The misfits of a column of a block, none of which is one that nothing can be done about.

    Args:
        column: the column.
        repair: what is done about tags that do not fit.

    Raises:
        TagError: at the first tag that the scheme does not have or, where nothing is repaired, that does not fit.
    """
    misfits = InvalidTags.from_batch(column.batch, column.decision)
    refused = (UNKNOWN, BEGIN, END) if repair == "error" else (UNKNOWN,)
    found = np.flatnonzero(np.isin(misfits.kind, refused))
    if len(found):
        first = describe_invalid_tag(column, misfits, int(found[0]))
        remedy = "Correct the tag, or name the scheme that it belongs to with --scheme or --from."
        if first.fits is not None:
            remedy = "Correct the tag, or have such tags repaired with --repair begin or --repair discard."
        raise TagError(first.message, where=first.where, remedy=remedy)
    return misfits
