"""Repair and conversion of tags in a file.

Everything else stays byte for byte.

Comments, other columns, blank lines, tabs and spaces, carriage returns, a byte order mark, `-DOCSTART-` lines and a
missing last newline stay. Memory is bounded by a block or the longest sentence.

A conversion keeps the spans that the decoder reads, and each token of a span gets the letter of the other scheme;
labels stay as they are written. If all tags are valid, a conversion back gives the same file, except through IO, which
joins touching spans of one label; a warning reports that.

A repair replaces invalid tags: `begin` by the tag that would be valid; `discard` writes O for all tags of a span whose
first or last tag is invalid, and removes the letter of a `needless` tag only. Afterwards every tag is valid, and the
spans are those of the decoder with the same repair. A tag that the scheme does not have cannot be repaired.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from isogloss.errors import SourceError, TagError, UsageError
from isogloss.formats.conll.scan import replace_fields
from isogloss.kernel.provenance import RunWarning
from isogloss.kernel.scores import Ints
from isogloss.records.destinations import Compression, check_output, open_binary_output, open_replacement
from isogloss.records.sources import BOM, GZIP, ZSTD, Source
from isogloss.spans.batches import Spans
from isogloss.spans.encoder import assign_letters, find_touching_spans
from isogloss.spans.invalid_tags import BEGIN, END, NEEDLESS, InvalidTags
from isogloss.spans.scheme_detection import SchemeDecision, find_scheme
from isogloss.spans.schemes import (
    LETTERS,
    OUTSIDE,
    SCHEMES,
    TagNotation,
    TagRepair,
    TagScheme,
    detect_notation,
    replace_letter,
    split_tag,
)
from isogloss.tasks.ner.tag_files import TagColumn, TagFile, check_tag_column


@dataclass(frozen=True, eq=False)
class TagChange:
    """The changes of one column of a block.

    Args:
        at: (changed tags,) positions in the block, ascending.
        tags: (changed tags,) the new tags.
        used_tags: the tags of the column after the change; empty for repairs.
        warnings: warnings about the change.
    """

    at: Ints
    tags: Sequence[bytes]
    used_tags: frozenset[bytes] = frozenset()
    warnings: tuple[RunWarning, ...] = ()


ChangeColumn = Callable[[TagColumn], TagChange]
WriteBytes = Callable[[bytes], object]


@dataclass(frozen=True)
class RewrittenColumn:
    """The changes of one column of a file.

    Args:
        column: number of the column, from 1.
        tokens: number of tags.
        changed: number of changed tags.
        first_change: file and line of the first changed tag.
        used_tags: the tags of the column after the change; empty for repairs.
        warnings: warnings about the changes.
    """

    column: int
    tokens: int = 0
    changed: int = 0
    first_change: str | None = None
    used_tags: frozenset[bytes] = field(default=frozenset(), repr=False)
    warnings: tuple[RunWarning, ...] = ()

    def add_change(self, column: TagColumn, change: TagChange) -> RewrittenColumn:
        """Return the changes with those of one more block."""
        first = self.first_change or (column.where(int(change.at[0])) if len(change.at) else None)
        return replace(
            self,
            tokens=self.tokens + len(column.batch.reference),
            changed=self.changed + len(change.at),
            first_change=first,
            used_tags=self.used_tags | change.used_tags,
            warnings=RunWarning.merge((*self.warnings, *change.warnings)),
        )


def rewrite_tags(file: TagFile, change: ChangeColumn, write: WriteBytes) -> tuple[RewrittenColumn, ...]:
    """Write a file with changed tags.

    Args:
        file: the file.
        change: changes a column of a block.
        write: takes the bytes of the result, piece by piece.

    Returns:
        The changes of each column of tags.

    Raises:
        DataError: if the file cannot be read, or a tag cannot be changed.
    """
    done = tuple(map(RewrittenColumn, file.column_numbers))
    held = b""  # the newline that the file may lack
    for number, block in enumerate(file.read_blocks()):
        changes = [(column, change(column)) for column in file.split_columns(block)]
        done = tuple(each.add_change(*changed) for each, changed in zip(done, changes, strict=True))
        fields = [block.rows.get_column(column.number - 1).take(made.at) for column, made in changes]
        text = replace_fields(block.text, [(at, made.tags) for at, (_, made) in zip(fields, changes, strict=True)])
        write(held if number else BOM * file.source.has_mark)
        write(text[:-1])
        held = text[-1:]
    write(b"" if file.source.is_unended else held)
    return done


def set_outside(change: TagChange, at: Ints) -> TagChange:
    """Return the change with O at more positions.

    Args:
        change: the changes of a column of a block.
        at: (more tags,) positions that are not in `change`, ascending.
    """
    both = np.concatenate([change.at, at])  # (changed tags,)
    tags = [*change.tags, *[OUTSIDE.encode()] * len(at)]
    order = np.argsort(both, kind="stable")
    return replace(change, at=both[order], tags=[tags[place] for place in order.tolist()])


def change_letters(column: TagColumn, at: Ints, letter: Ints, letters: str, write: TagNotation) -> TagChange:
    """Change the letters of some tags of a column.

    Args:
        column: the tags.
        at: (tags,) positions in the block, ascending; none of them is O.
        letter: (tags,) positions in `letters`.
        letters: the letters.
        write: how the tags are written.

    Returns:
        The tags that differ, with all tags at these positions as `used_tags`.

    Raises:
        TagError: if a tag cannot be written in the notation.
    """
    key = column.batch.reference.take(at).astype(np.int64) * len(letters) + letter  # (tags,)
    keys, first, nth = np.unique(key, return_index=True, return_inverse=True)  # (different tags,) twice, and (tags,)
    words, other = [], []
    for each, place in zip(keys.tolist(), at[first].tolist(), strict=True):
        tag, to = column.tag(place), letters[each % len(letters)]
        try:
            word = replace_letter(tag, to, column.decision.notation, write)
        except TagError as error:
            raise TagError(error.message, where=column.where(place), remedy=error.remedy) from error
        words.append(word.encode())
        other.append(word != tag)
    changed = np.flatnonzero(np.array(other, np.bool_).take(nth))  # (changed tags,)
    return TagChange(at.take(changed), [words[each] for each in nth[changed].tolist()], frozenset(words))


WriteTags = Callable[[WriteBytes], tuple[RewrittenColumn, ...]]
COMPRESSIONS: dict[bytes, Compression] = {GZIP: "gzip", ZSTD: "zstd"}


class _UnchangedError(Exception):
    """No tag changes, so the file is not replaced; carries the result."""

    def __init__(self, done: tuple[RewrittenColumn, ...]) -> None:
        super().__init__(done)
        self.done = done


def rewrite_in_place(source: Source, produce: WriteTags) -> tuple[RewrittenColumn, ...]:
    """Replace a file by its rewritten text, with the same compression.

    An unchanged file is not touched.

    Args:
        source: the file.
        produce: writes the new text and returns the changes.

    Raises:
        UsageError: if the file is standard input.
        SourceError: if the file cannot be replaced.
    """
    if source.path == "-":
        raise UsageError("Standard input (-) cannot be changed in place: leave out --in-place, or name a file.")
    path = Path(source.path)
    if not path.is_file():
        raise SourceError("is not a regular file and cannot be changed in place", where=source.name, remedy="Use -o.")
    if not os.access(path, os.W_OK):
        remedy = f"Allow it: chmod u+w {source.path}, or write another file with -o."
        raise SourceError("no permission to change it", where=source.name, remedy=remedy)
    with source.open_stored() as file:
        file.seek(0)
        magic = file.read(len(ZSTD))
    packing = next((packing for first, packing in COMPRESSIONS.items() if magic.startswith(first)), None)
    try:
        return _replace_file(source.path, packing, produce)
    except _UnchangedError as unchanged:
        return unchanged.done


def rewrite_to_file(source: Source, path: Path, produce: WriteTags) -> tuple[RewrittenColumn, ...]:
    """Write the rewritten text of a file to another file.

    Args:
        source: the file.
        path: the other file, `-` for standard output.
        produce: writes the new text and returns the changes.

    Raises:
        UsageError: if both files are the same.
        SourceError: if the other file cannot be written.
    """
    check_output(path, [source.path], otherwise="use --in-place to change it")
    with open_binary_output(path, remedy="Name a file that can be written, with -o.") as file:
        return produce(file.write)


def _replace_file(path: str, packing: Compression | None, produce: WriteTags) -> tuple[RewrittenColumn, ...]:
    with open_replacement(path, packing) as file:
        done = produce(file.write)
        if not any(each.changed for each in done):
            raise _UnchangedError(done)
    return done


IO_SCHEME = SCHEMES["io"]


def make_conversion(to: str, notation: TagNotation | None = None, repair: TagRepair = "error") -> ChangeColumn:
    """Make the change of a column to another scheme or notation.

    Args:
        to: the scheme to write.
        notation: how to write tags; None for the notation of the file, with prefixes for bare labels unless `to` is IO.
        repair: how invalid tags are handled.

    Returns:
        A function that raises `TagError` if the scheme does not have a tag or, with `error`, a tag is invalid.

    Raises:
        UsageError: if the scheme is unknown, or bare labels are requested for another scheme than IO.
    """
    scheme = find_scheme(to)
    if notation == "bare" and scheme != IO_SCHEME:
        raise UsageError(f"Bare labels cannot be combined with {scheme.title}, which needs letters: use io.")

    def change(column: TagColumn) -> TagChange:
        invalid = check_tag_column(column, repair)
        spans = column.decode(repair).reference
        made = _convert_column(column, spans, scheme, choose_notation(column.decision, scheme, notation))
        return replace(made, warnings=_find_warnings(column, invalid, spans, scheme, repair))

    return change


def choose_notation(decision: SchemeDecision, scheme: TagScheme, notation: TagNotation | None) -> TagNotation:
    """Return the notation to write.

    Without `notation`, it is the notation of the file if the scheme allows it.
    """
    return notation or ("prefix" if decision.notation == "bare" and scheme != IO_SCHEME else decision.notation)


def warn_misread_columns(
    file: TagFile, done: Sequence[RewrittenColumn], to: str, notation: TagNotation | None
) -> list[str]:
    """Warn about columns whose written tags would be misread.

    Their labels look like letters.

    Args:
        file: the file before the conversion.
        done: the changes of its columns.
        to: the written scheme.
        notation: the requested notation.
    """
    scheme, lines = find_scheme(to), []
    for each, decision in zip(done, file.decisions, strict=True):
        texts = sorted(tag.decode() for tag in each.used_tags)
        seen, meant, letters = detect_notation(texts), choose_notation(decision, scheme, notation), set(scheme.letters)
        if any(split_tag(tag, seen, letters) != split_tag(tag, meant, letters) for tag in texts):
            like = next(tag for tag in texts if tag not in LETTERS and split_tag(tag, seen))
            end = "last" if seen == "suffix" else "first"
            seems = f"looks as if its letter stood {end}, and all tags will be read like that"
            lines.append(f"Column {each.column}: {like!r} {seems}.")
    return lines


def _convert_column(column: TagColumn, spans: Spans, scheme: TagScheme, notation: TagNotation) -> TagChange:
    batch = column.batch
    assigned = assign_letters(spans, batch.offsets, scheme)
    made = change_letters(column, assigned.positions, assigned.letter.astype(np.int64), scheme.letters, notation)
    tagged = batch.reference != 0  # (tokens,)
    tagged[assigned.positions] = False
    return set_outside(made, np.flatnonzero(tagged))


def _find_warnings(
    column: TagColumn, invalid: InvalidTags, spans: Spans, scheme: TagScheme, repair: TagRepair
) -> tuple[RunWarning, ...]:
    warnings = []
    wrong = invalid.positions[(invalid.kind == BEGIN) | (invalid.kind == END)]
    if len(wrong):
        message = f"tags did not fit {column.scheme.title} and were repaired by {repair!r}"
        warnings.append(RunWarning("tags-repaired", message, len(wrong), column.where(int(wrong[0]))))
    joined = np.flatnonzero(find_touching_spans(spans)) + 1  # (joined spans,)
    if scheme == IO_SCHEME and len(joined):
        token = column.batch.offsets[spans.row[joined[0]]] + spans.start[joined[0]]
        message = "touching spans of one label were joined, because IO cannot separate them"
        warnings.append(RunWarning("spans-joined", message, len(joined), column.where(int(token))))
    return tuple(warnings)


def make_repair(repair: TagRepair) -> ChangeColumn:
    """Make the change of a column that repairs invalid tags.

    Args:
        repair: `begin` or `discard`.

    Returns:
        A function that raises `TagError` if the scheme does not have a tag.
    """

    def change(column: TagColumn) -> TagChange:
        invalid = check_tag_column(column, repair)
        wrong = np.ones(len(invalid), np.bool_) if repair == "begin" else invalid.kind == NEEDLESS  # (invalid tags,)
        notation = column.decision.notation
        fixed = change_letters(column, invalid.positions[wrong], invalid.letter[wrong], column.scheme.letters, notation)
        return fixed if repair == "begin" else set_outside(fixed, invalid.dropped)

    return change
