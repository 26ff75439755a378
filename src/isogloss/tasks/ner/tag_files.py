"""Files with columns of tags, each with a detected tag scheme.

The scheme of a column is detected once for the whole file.

    file = open_tag_file(Source("both.conll"), columns=(1, -2, -1))
    for block in file.read_blocks():
        for column in file.split_columns(block):
            column.batch, column.decision

Every column has a scheme of its own, unless one scheme is named for all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.errors import FormatError, TagError, UsageError
from isogloss.formats.conll.columns import ROLES
from isogloss.formats.conll.layout import LOOK_AHEAD, ConllLayout, detect_conll_layout
from isogloss.formats.conll.pairing import ConllProvenance
from isogloss.formats.conll.reader import SentenceRange, TaggedBlock, read_tagged
from isogloss.formats.tag_table import TagTable
from isogloss.records.json_lines import BEGINS
from isogloss.records.sources import Progress, Source, report_progress
from isogloss.spans.batches import SpanPairs, TagPairs
from isogloss.spans.decoder import Decoder
from isogloss.spans.invalid_tags import BEGIN, END, INVALID_KINDS, UNKNOWN, InvalidTags
from isogloss.spans.scheme_detection import AUTO, SchemeDecision, decide_column_scheme, use_named_scheme
from isogloss.spans.schemes import TagRepair, TagScheme
from isogloss.spans.tag_evidence import TagEvidence


@dataclass(frozen=True, eq=False)
class TagColumn:
    """One column of tags of a block.

    Args:
        block: the sentences.
        number: number of the column, from 1.
        batch: the tags, as those of a reference.
        decision: scheme and notation of the tags.
    """

    block: TaggedBlock
    number: int
    batch: TagPairs
    decision: SchemeDecision

    @property
    def scheme(self) -> TagScheme:
        """The tag scheme."""
        return self.decision.reference

    def where(self, token: int) -> str:
        """Return file and line of a token of the block."""
        return f"{self.block.name}:{self.block.get_line_number(token)}"

    def tag(self, token: int) -> str:
        """Return the tag of a token of the block."""
        return self.batch.vocabulary[int(self.batch.reference[token])]

    def decode(self, repair: TagRepair) -> SpanPairs:
        """Decode the tags into spans of a reference.

        Args:
            repair: how invalid tags are handled; with `error` there must be none.
        """
        return Decoder(self.decision, "begin" if repair == "error" else repair)(self.batch)


@dataclass(frozen=True, eq=False)
class TagFile:
    """A file whose columns of tags can be read several times.

    Args:
        source: the file.
        column_choice: the columns of the token and of tags, as the user gave them; None if isogloss chose them.
        layout: the columns of a line.
        table: codes of the tags.
        decisions: scheme and notation of each column of tags.
        progress: takes the number of bytes read so far in this pass.
    """

    source: Source
    column_choice: Sequence[int | str] | None
    layout: ConllLayout
    table: TagTable
    decisions: tuple[SchemeDecision, ...] = ()
    progress: Progress | None = None

    @property
    def name(self) -> str:
        """Name of the file in messages."""
        return self.source.name

    @property
    def column_numbers(self) -> tuple[int, ...]:
        """The numbers of the columns of tags, from 1."""
        return tuple(column + 1 for column in self.layout.used_columns[1:])

    def read_blocks(self) -> Iterator[TaggedBlock]:
        """Read the file from its beginning, with the lines outside of sentences."""
        blocks = read_tagged(self.source, self.column_choice, self.table, keep_empty=True)
        return report_progress(blocks, [self.source], self.progress)

    def split_columns(self, block: TaggedBlock) -> list[TagColumn]:
        """Return the columns of tags of a block."""
        return [
            TagColumn(block, number, _build_batch(block, self.table, k), decision)
            for k, (number, decision) in enumerate(zip(self.column_numbers, self.decisions, strict=True))
        ]


def open_tag_file(
    source: Source,
    columns: Sequence[int | str] | None = None,
    scheme: str = AUTO,
    progress: Progress | None = None,
) -> TagFile:
    """Open a file, and detect the scheme of each column.

    The file is read once for this.

    Args:
        source: the file.
        columns: the column of the token, then the columns of tags, by number, from 1, from the end below 0, or by
            name; None to choose one column of tags.
        scheme: a tag scheme, or `auto` to detect it from all tags of a column.
        progress: takes the number of bytes read so far in this pass.

    Raises:
        UsageError: if the columns or the scheme are not allowed.
        SourceError: if the file cannot be read, is not a text, or has no token.
        FormatError: if a line does not have the columns of the file, or the file is JSON.
        TagError: if no scheme has all letters of a column, or a column has no tags.
    """
    _check_columns(columns)
    if scheme != AUTO:
        use_named_scheme(scheme)  # fails early if the name is unknown
    _refuse_json(source)
    layout = detect_conll_layout(
        source, columns, "token and tag" if columns is None or len(columns) <= len(ROLES[1]) else "token and tags"
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


def _check_columns(columns: Sequence[int | str] | None) -> None:
    if columns is None or (len(columns) == 1 and isinstance(columns[0], str)):
        return
    if len(columns) < len(ROLES[1]) or 0 in columns or len(set(columns)) != len(columns):
        raise UsageError(
            f"Invalid columns {','.join(map(str, columns))}: give the column of the token, then the columns of tags, "
            "each once; count from 1, or from -1 at the end.",
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
    """Build a batch from a column of tags.

    Columns are numbered from 0. `first` is the number of the first sentence.
    """
    codes, part = block.tags[column], SentenceRange(block, 0, block.sentences, column)
    return TagPairs(
        documents=np.arange(first, first + block.sentences),
        offsets=block.offsets,
        vocabulary=table.vocabulary,
        reference=codes,
        predicted=np.zeros_like(codes),
        provenance=ConllProvenance(first, part, [part]),
        sides=("reference",),
    )


@dataclass(frozen=True)
class InvalidTag:
    """An invalid tag of a file.

    Args:
        file: name of the file.
        line: number of the line.
        column: number of the column, from 1.
        token: the token.
        tag: the tag.
        kind: one of `INVALID_KINDS`.
        message: one sentence.
        fits: the valid tag in its place; None if the scheme does not have the tag.
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
    """Describe an invalid tag of a column of a block.

    Args:
        column: the column.
        invalid_tags: the invalid tags of the column.
        number: position in `invalid_tags`, from 0.
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
    """Return the invalid tags of a column of a block.

    All of them can be repaired.

    Args:
        column: the column.
        repair: how invalid tags are handled.

    Raises:
        TagError: if the scheme does not have a tag or, with the repair `error`, a tag is invalid.
    """
    invalid = InvalidTags.from_batch(column.batch, column.decision)
    refused = (UNKNOWN, BEGIN, END) if repair == "error" else (UNKNOWN,)
    refused_tags = np.flatnonzero(np.isin(invalid.kind, refused))
    if len(refused_tags):
        first = describe_invalid_tag(column, invalid, int(refused_tags[0]))
        remedy = "Correct the tag, or name the scheme that it belongs to with --scheme or --from."
        if first.fits is not None:
            remedy = "Correct the tag, or have such tags repaired with --repair begin or --repair discard."
        raise TagError(first.message, where=first.where, remedy=remedy)
    return invalid
