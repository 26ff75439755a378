"""Pairing of samples by position, and comparison of their texts.

Some forms of a text count as equal. Both sides must have the same texts, otherwise word boundaries mean nothing. If
texts differ, `--align` may still accept them as two ways to write the same:

- `nfc`: canonically equivalent texts, such as a letter with an accent as one code point or as two (UAX #15);
- `thai`: also Thai texts that differ in sara am as one vowel or as nikhahit and sara aa, on either side of the tone
  mark; in sara ae as two sara e; or in zero-width spaces, joiners and byte order marks.

Such texts are compared and scored in their longest form, everything decomposed, so that a word that starts inside a
composed character keeps its start.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from isogloss.errors import DataError, MismatchError
from isogloss.kernel.provenance import RunWarning, Side, TextExcerpt
from isogloss.records.attributes import FILE_COLUMN
from isogloss.records.block_pairing import BlockQueue
from isogloss.tasks.segmentation.batches import CodePoints, WordPairs, decode_code_points
from isogloss.tasks.segmentation.options import Align, OnMismatch
from isogloss.tasks.segmentation.samples import CharFlags, SampleBlock, concatenate_blocks, find_kept_positions

CONTEXT_LENGTH = 12  # characters shown before and after the first difference
WARNINGS = {  # code and message of a verdict on the texts of a sample
    "empty": ("prediction-empty", "A sample without a predicted word scores zero."),
    "drop": ("sample-dropped", "A sample without words on one side is left out, as the tool does."),
    "skip": ("text-mismatch", "A sample is left out: its texts differ."),
    "zero": ("text-mismatch", "A sample scores zero: its texts differ."),
    "aligned": ("text-aligned", "A sample is the same text only in the form that --align {align} brings it to."),
}

LEFT_OUT = frozenset(WARNINGS[verdict][1] for verdict in ("skip", "drop"))  # messages about samples without counts


@dataclass(frozen=True)
class Pairing:
    """How samples are paired.

    Args:
        on_mismatch: how samples whose texts differ are handled.
        align: form in which differing texts are compared.
        drop_empty: whether to leave out samples without a word on either side.
    """

    on_mismatch: OnMismatch = "error"
    align: Align = "none"
    drop_empty: bool = False


def pair_samples(
    reference: Iterator[SampleBlock], predicted: Iterator[SampleBlock], pairing: Pairing
) -> Iterator[WordPairs]:
    """Pair the samples of both sides by position, and compare their texts.

    Args:
        reference: samples in blocks.
        predicted: samples in blocks, cut anywhere.
        pairing: how samples are paired.

    Raises:
        MismatchError: if one side has more samples, or a sample has another text.
    """
    number = 0
    for left, right in _align_blocks(reference, predicted):
        same = _compare_texts(left, right)
        if pairing.drop_empty:
            same &= np.diff(left.offsets) > 0
        if same.all():
            yield _build_equal_pairs(left, right, number)
        else:
            yield _UnequalBlocks(left, right, number, pairing).build_pairs(same)
        number += len(left)


def _align_blocks(
    reference: Iterator[SampleBlock], predicted: Iterator[SampleBlock]
) -> Iterator[tuple[SampleBlock, SampleBlock]]:
    """Yield the blocks of the reference with their predictions.

    Each block has as many samples of the prediction as of the reference.

    Raises:
        MismatchError: if one side ends before the other.
    """
    before, others = 0, BlockQueue(predicted)
    for left in reference:
        right, fault = _take_samples(others, len(left))
        yield left.select_rows(0, len(right)), right
        before += len(right)
        if fault is not None:
            raise fault
        if len(right) < len(left):
            raise _make_count_error("prediction", left.select_rows(len(right), len(left)), before, reference)
    more = next(others.take(), None)
    if more is not None:
        raise _make_count_error("reference", more, before, predicted)


def _take_samples(blocks: BlockQueue[SampleBlock], number: int) -> tuple[SampleBlock, DataError | None]:
    """Take a number of samples.

    There are fewer at the end or before an error, which is also returned.

    Blocks are joined rather than cut where the other side's end: each batch costs as much as some thousand characters.

    Args:
        blocks: the samples.
        number: how many samples to take.
    """
    parts: list[SampleBlock] = []
    try:
        for part in blocks.take(number):
            parts.append(part)  # noqa: PERF402  the samples before an error are needed
    except DataError as error:  # the samples before it come first: their errors are reported first
        return concatenate_blocks(parts), error
    return concatenate_blocks(parts), None


def _compare_texts(left: SampleBlock, right: SampleBlock) -> CharFlags:
    """Return whether the samples of both sides have the same characters: (samples,)."""
    if np.array_equal(left.offsets, right.offsets) and np.array_equal(left.text, right.text):
        return np.ones(len(left), np.bool_)
    same: CharFlags = np.diff(left.offsets) == np.diff(right.offsets)  # (samples,)
    for row in np.flatnonzero(same).tolist():
        same[row] = np.array_equal(left.get_text(row), right.get_text(row))
    return same


def _build_equal_pairs(left: SampleBlock, right: SampleBlock, number: int) -> WordPairs:
    documents = np.arange(number, number + len(left))
    none, compared = np.zeros(len(left), np.int64), np.ones(len(left), np.bool_)
    provenance = SampleProvenance(range(number, number + len(left)), range(len(left)), left, right)
    return WordPairs(documents, left.offsets, left.text, left.starts, right.starts, compared, none, provenance)


@dataclass(frozen=True)
class _UnequalBlocks:
    """Samples of both sides, some of which have different texts.

    Args:
        left: samples of the reference.
        right: as many samples of the prediction.
        number: how many samples there were before them.
        pairing: how samples are paired.
    """

    left: SampleBlock
    right: SampleBlock
    number: int
    pairing: Pairing

    def build_pairs(self, same: CharFlags) -> WordPairs:
        """Build a batch of the samples that are not left out.

        Args:
            same: (samples,) whether both texts are equal as they are.
        """
        verdicts = ["same" if equal else self._compare_sample(row) for row, equal in enumerate(same.tolist())]
        rows = [row for row, verdict in enumerate(verdicts) if verdict not in ("skip", "drop")]
        parts = [self._build_sample(row, verdicts[row]) for row in rows]
        compared = np.array([verdicts[row] in ("same", "aligned") for row in rows], np.bool_)
        numbers = [self.number + row for row in rows]
        forms = {at: part.positions for at, part in enumerate(parts) if part.positions is not None}
        return WordPairs(
            documents=np.array(numbers, np.int64),
            offsets=np.cumsum([0, *(len(part.text) for part in parts)]),
            text=np.concatenate([np.zeros(0, np.uint32), *(part.text for part in parts)]),
            reference=np.concatenate([np.zeros(0, np.bool_), *(part.reference for part in parts)]),
            predicted=np.concatenate([np.zeros(0, np.bool_), *(part.predicted for part in parts)]),
            compared=compared,
            uncompared_words=np.where(compared, 0, self.right.count_words()[np.array(rows, np.int64)]),
            provenance=SampleProvenance(numbers, rows, self.left, self.right, forms),
            warnings=tuple(self._list_warnings(verdicts)),
        )

    def _compare_sample(self, row: int) -> str:
        """Return the verdict on a sample with different texts.

        The verdict is a key of `WARNINGS`.
        """
        left, right = self.left.get_text(row), self.right.get_text(row)
        if self.pairing.drop_empty and not (len(left) and len(right)):
            return "drop"
        if self.pairing.align != "none":
            one, two = self._build_forms(row)
            if np.array_equal(one.text, two.text):
                return "aligned"
        if len(left) and not len(right):
            return "empty"
        if self.pairing.on_mismatch == "error":
            raise make_text_error(self.left, self.right, row, self.number)
        return self.pairing.on_mismatch

    def _build_sample(self, row: int, verdict: str) -> _PairedText:
        if verdict == "aligned":
            one, two = self._build_forms(row)
            return _PairedText(one.text, one.starts, two.starts, one.positions)
        text = self.left.get_text(row)
        predicted = self.right.get_starts(row) if verdict == "same" else np.zeros(len(text), np.bool_)
        return _PairedText(text, self.left.get_starts(row), predicted)

    def _build_forms(self, row: int) -> tuple[CanonicalText, CanonicalText]:
        align = self.pairing.align
        one, two = (to_canonical(side.get_text(row), side.get_starts(row), align) for side in (self.left, self.right))
        return one, two

    def _list_warnings(self, verdicts: Iterable[str]) -> Iterator[RunWarning]:
        for row, verdict in enumerate(verdicts):
            if verdict != "same":
                code, message = WARNINGS[verdict]
                yield RunWarning(code, message.format(align=self.pairing.align), where=self.right.where(row))


@dataclass(frozen=True, eq=False)
class _PairedText:
    """A sample of a batch.

    The `positions` are those of its canonical form, if that is scored.
    """

    text: CodePoints
    reference: CharFlags
    predicted: CharFlags
    positions: Sequence[int] | None = None


@dataclass(frozen=True, eq=False)
class SampleProvenance:
    """Names, places and texts of paired samples.

    Args:
        numbers: number of each document of the batch, from 0.
        rows: position of each document in both blocks.
        reference: the samples of the reference.
        predicted: the samples of the prediction.
        forms: for each document in canonical form the kept character of the reference of each of its characters.
    """

    numbers: Sequence[int]
    rows: Sequence[int]
    reference: SampleBlock
    predicted: SampleBlock
    forms: Mapping[int, Sequence[int]] = field(default_factory=dict)

    def name(self, row: int) -> str:
        """Return the number of the sample from 1."""
        return str(self.numbers[row] + 1)

    def where(self, row: int, position: int, side: Side) -> str:  # noqa: ARG002  required by `Provenance`
        """Return the place of the sample."""
        return (self.reference if side == "reference" else self.predicted).where(self.rows[row])

    def get_excerpt(self, row: int) -> TextExcerpt:
        """Return the text of the reference, and where its kept characters are."""
        text = self.reference.locate(self.rows[row]).get_text()
        places = find_kept_positions(text, self.reference.whitespace)
        if row in self.forms:
            places = [places[at] for at in self.forms[row]]
        if len(places) == len(text):  # every character is a unit
            return TextExcerpt(text)
        return TextExcerpt(text, tuple(places), tuple(at + 1 for at in places))

    def value(self, row: int, column: str) -> str | None:
        """Return the value of a column."""
        return find_column_value(self.reference, self.rows[row], self.predicted, self.rows[row], column)


def find_column_value(
    reference: SampleBlock, row: int, predicted: SampleBlock, predicted_row: int, column: str
) -> str | None:
    """Return the value of a column for a sample.

    The reference is searched first, then the prediction; the result is None if neither has the column.

    Args:
        reference: samples of the reference.
        row: position of the sample in the reference.
        predicted: samples of the prediction.
        predicted_row: position of the sample in the prediction.
        column: name of the column. Samples without a column `file` have the file of the prediction.
    """
    own, other = reference.locate(row), predicted.locate(predicted_row)
    value = own.columns.get(column, other.columns.get(column))
    return (other.file or own.file) if value is None and column == FILE_COLUMN else value


def make_text_error(left: SampleBlock, right: SampleBlock, row: int, number: int) -> MismatchError:
    """Build the error for a sample with different texts on both sides.

    Args:
        left: samples of the reference.
        right: samples of the prediction.
        row: position of the sample in both.
        number: how many samples there were before these blocks.
    """
    a, b = left.get_text(row), right.get_text(row)
    both = min(len(a), len(b))
    differs = np.flatnonzero(a[:both] != b[:both])
    at = int(differs[0]) if len(differs) else both
    what = "whitespace aside, " if left.whitespace != "keep" else ""
    is_case = at < both and chr(a[at]).casefold() == chr(b[at]).casefold()
    cause = "The system changes upper and lower case" if is_case else "If only the spelling differs, try --align thai"
    return MismatchError(
        f"the texts of sample {number + row + 1} differ: {what}character {at + 1} is {_describe_character(b, at)}, "
        f"but {_describe_character(a, at)} in the reference ({left.where(row)})",
        where=right.where(row),
        detail=f"  reference  {_cut_context(a, at)}\n  prediction {_cut_context(b, at)}",
        remedy=(
            "Cut the text of the reference, unchanged, and check that both files are read in their format "
            f"(--input-format, --prediction-format). {cause}; --on-mismatch skip leaves such samples out, zero counts "
            "them as wrong."
        ),
    )


def _make_count_error(side: str, more: SampleBlock, before: int, rest: Iterable[SampleBlock]) -> MismatchError:
    total = before + len(more) + sum(map(len, rest))
    other = "reference" if side == "prediction" else "prediction"
    return MismatchError(
        f"the {side} ends after {before} sample{'' if before == 1 else 's'}, but the {other} has {total}",
        where=more.where(0),
        remedy="Both sides must have the same samples in the same order; an empty one is an empty line.",
    )


def _describe_character(text: CodePoints, at: int) -> str:
    if at == len(text):
        return "missing"
    character = chr(int(text[at]))
    return f"U+{int(text[at]):04X}" + (f" ({character})" if character.isprintable() else "")


def _cut_context(text: CodePoints, at: int) -> str:
    shown = decode_code_points(text[max(0, at - CONTEXT_LENGTH) : at + CONTEXT_LENGTH])
    return f"{'…' * (at > CONTEXT_LENGTH)}{shown}{'…' * (at + CONTEXT_LENGTH < len(text))}"


NIKHAHIT, SARA_AA, SARA_AM, SARA_E, SARA_AE = "\u0e4d", "\u0e32", "\u0e33", "\u0e40", "\u0e41"
THAI_FORMS = dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff", "") | {
    SARA_AM: NIKHAHIT + SARA_AA,
    SARA_AE: SARA_E + SARA_E,
}
TONE_BEFORE_NIKHAHIT = re.compile(f"[\u0e48-\u0e4b]+{NIKHAHIT}")
SourcedCharacter = tuple[str, int]  # a character of a canonical form, and the position of the one it comes from


@dataclass(frozen=True, eq=False)
class CanonicalText:
    """A text in its canonical form.

    Args:
        text: (characters,) its code points.
        starts: (characters,) whether a word starts here.
        positions: (characters,) position in the original text of the character that each comes from.
    """

    text: CodePoints
    starts: CharFlags
    positions: tuple[int, ...]


def to_canonical(text: CodePoints, starts: CharFlags, align: Align) -> CanonicalText:
    """Bring a text to the form that all equal texts share.

    Args:
        text: (characters,) its code points.
        starts: (characters,) whether a word starts here.
        align: which texts are equal: `nfc` or `thai`.
    """
    changes = THAI_FORMS if align == "thai" else {}
    parts = [
        (part, at)
        for at, character in enumerate(decode_code_points(text))
        for part in changes.get(character, unicodedata.normalize("NFD", character))
    ]
    parts = _sort_marks(parts)
    if align == "thai":
        parts = _move_tones_last(parts)
    positions = tuple(at for _, at in parts)
    codes = np.array([ord(part) for part, _ in parts], np.uint32)
    return CanonicalText(codes, _move_starts(starts, positions), positions)


def _sort_marks(parts: Iterable[SourcedCharacter]) -> list[SourcedCharacter]:
    """Bring runs of combining marks into canonical order."""
    result: list[SourcedCharacter] = []
    for is_mark, run in groupby(parts, key=lambda part: unicodedata.combining(part[0]) > 0):
        marks = list(run)
        result += sorted(marks, key=lambda part: unicodedata.combining(part[0])) if is_mark else marks
    return result


def _move_tones_last(parts: Sequence[SourcedCharacter]) -> list[SourcedCharacter]:
    """Move each nikhahit before the tone marks in front of it."""
    result = list(parts)
    for match in TONE_BEFORE_NIKHAHIT.finditer("".join(part for part, _ in parts)):
        first, last = match.start(), match.end() - 1
        result[first : last + 1] = [parts[last], *parts[first:last]]
    return result


def _move_starts(starts: CharFlags, positions: Sequence[int]) -> CharFlags:
    """Mark the characters at which words start in another form.

    For each start of a word, the first character that comes from this place, or from a later one, is marked.
    """
    moved = np.zeros(len(positions), np.bool_)
    at = 0
    for start in np.flatnonzero(starts).tolist():
        while at < len(positions) and positions[at] < start:
            at += 1
        if at < len(positions):
            moved[at] = True
    return moved
