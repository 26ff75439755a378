"""Texts that differ only in how the same thing is written, brought to one form without losing a word's start.

`nfc`   canonically equivalent texts, such as a letter with an accent as one code point or as two (UAX #15).
`thai`  beside these what Thai texts differ in: sara am as one vowel or as nikhahit and sara aa, on either side of the
        tone mark; sara ae as two sara e; and zero-width spaces, joiners and byte order marks inside the text.

The one form is the longest: everything is decomposed, so that a word that starts inside a composed character still has
a place to start at.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal, get_args

import numpy as np

from isogloss.errors import DataError, MismatchError
from isogloss.kernel.provenance import RunWarning, Side, TextExcerpt
from isogloss.records.attributes import FILE_COLUMN
from isogloss.tasks.segmentation.batches import WordPairs
from isogloss.tasks.segmentation.samples import (
    CharFlags,
    CodePoints,
    SampleBlock,
    concatenate_blocks,
    find_kept_positions,
)

Align = Literal["none", "nfc", "thai"]
ALIGNMENTS: tuple[Align, ...] = get_args(Align)

NIKHAHIT, SARA_AA, SARA_AM, SARA_E, SARA_AE = "\u0e4d", "\u0e32", "\u0e33", "\u0e40", "\u0e41"
INVISIBLE = frozenset("\u200b\u200c\u200d\u2060\ufeff")
SPELT_OUT = {SARA_AM: NIKHAHIT + SARA_AA, SARA_AE: SARA_E + SARA_E}
TONE_BEFORE_NIKHAHIT = re.compile(f"[\u0e48-\u0e4b]+{NIKHAHIT}")


@dataclass(frozen=True, eq=False)
class Canonical:
    """A text in the one form.

    Args:
        text: (characters,) its code points.
        starts: (characters,) whether a word starts here.
        source: (characters,) which character of the text as it was each stands for.
    """

    text: CodePoints
    starts: CharFlags
    source: tuple[int, ...]


def canonical(text: CodePoints, starts: CharFlags, align: Align) -> Canonical:
    """A text in the one form.

    Args:
        text: (characters,) its code points.
        starts: (characters,) whether a word starts here.
        align: which texts have the same form.
    """
    written = text.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    pairs = [(part, at) for at, character in enumerate(written) for part in _parts(character, align)]
    pairs = _ordered(pairs)
    if align == "thai":
        pairs = _tones_last(pairs)
    source = tuple(at for _, at in pairs)
    return Canonical(np.array([ord(part) for part, _ in pairs], np.uint32), _moved(starts, source), source)


def _parts(character: str, align: Align) -> str:
    if align == "thai":
        if character in INVISIBLE:
            return ""
        if character in SPELT_OUT:
            return SPELT_OUT[character]
    return unicodedata.normalize("NFD", character)


def _ordered(pairs: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Runs of combining marks in canonical order."""
    result: list[tuple[str, int]] = []
    for combining, run in groupby(pairs, key=lambda pair: unicodedata.combining(pair[0]) > 0):
        marks = list(run)
        result += sorted(marks, key=lambda pair: unicodedata.combining(pair[0])) if combining else marks
    return result


def _tones_last(pairs: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Nikhahit before the tone marks that stand before it."""
    result = list(pairs)
    for found in TONE_BEFORE_NIKHAHIT.finditer("".join(part for part, _ in pairs)):
        first, last = found.start(), found.end() - 1
        result[first : last + 1] = [pairs[last], *pairs[first:last]]
    return result


def _moved(starts: CharFlags, source: tuple[int, ...]) -> CharFlags:
    """Where words start: at the first place that stands for a character at which one started, or for a later one."""
    moved = np.zeros(len(source), np.bool_)
    wanted = np.flatnonzero(starts).tolist()
    at = 0
    for start in wanted:
        while at < len(source) and source[at] < start:
            at += 1
        if at < len(source):
            moved[at] = True
    return moved


Sources = Mapping[int, Sequence[int]]


@dataclass(frozen=True, eq=False)
class SampleOrigin:
    """The samples that a batch was made of.

    Args:
        numbers: number of each document of the batch, from 0.
        rows: position in either side of each document.
        reference: the samples of the reference.
        predicted: those of the prediction.
        sources: per document that was brought to another form, which kept character of the reference each character is.
    """

    numbers: Sequence[int]
    rows: Sequence[int]
    reference: SampleBlock
    predicted: SampleBlock
    sources: Sources = field(default_factory=dict)

    def name(self, row: int) -> str:
        """The sample's number from 1."""
        return str(self.numbers[row] + 1)

    def where(self, row: int, position: int, side: Side) -> str:  # noqa: ARG002 - as `Origin` asks
        """Place of the sample."""
        return (self.reference if side == "reference" else self.predicted).where(self.rows[row])

    def get_excerpt(self, row: int) -> TextExcerpt:
        """The text of the reference, and where its characters stand in it."""
        text = self.reference.get_original_text(self.rows[row])
        places = find_kept_positions(text, self.reference.whitespace)
        if row in self.sources:
            places = [places[at] for at in self.sources[row]]
        return TextExcerpt(text, tuple(places), tuple(at + 1 for at in places))

    def value(self, row: int, column: str) -> str | None:
        """What a column of the reference has, or else of the prediction; the file of the prediction, if it has one."""
        return value_of(self.reference, self.rows[row], self.predicted, self.rows[row], column)


def value_of(reference: SampleBlock, row: int, predicted: SampleBlock, other: int, column: str) -> str | None:
    """What a column has for a sample of both sides.

    Args:
        reference: samples of the reference.
        row: which of them.
        predicted: samples of the prediction.
        other: which of them.
        column: the name of the column. A sample without a column `file` is from its file.
    """
    for side, at in ((reference, row), (predicted, other)):
        known = side.value(at, column)
        if known is not None:
            return known
    return predicted.file(other) or reference.file(row) if column == FILE_COLUMN else None


OnMismatch = Literal["error", "skip", "zero"]
ON_MISMATCH: tuple[OnMismatch, ...] = get_args(OnMismatch)
AROUND = 12  # characters shown before and after the first difference
EMPTY, DROPPED, MISMATCH, ALIGNED = "prediction-empty", "sample-dropped", "text-mismatch", "text-aligned"
MESSAGES = {
    "empty": "A sample without a predicted word scores zero.",
    "drop": "A sample without words on one side is left out, as the tool does.",
    "skip": "A sample is left out: its texts differ.",
    "zero": "A sample scores zero: its texts differ.",
    "aligned": "A sample is the same text only in the form that --align {align} brings it to.",
}


@dataclass(frozen=True)
class Pairing:
    """How samples are paired.

    Args:
        on_mismatch: what becomes of samples whose texts differ.
        align: in which form texts are compared that differ as they are.
        drop_empty: leave out samples without a word on either side.
    """

    on_mismatch: OnMismatch = "error"
    align: Align = "none"
    drop_empty: bool = False


def word_pairs(
    reference: Iterator[SampleBlock], predicted: Iterator[SampleBlock], pairing: Pairing
) -> Iterator[WordPairs]:
    """Both sides, paired by order.

    Args:
        reference: samples in blocks.
        predicted: samples in blocks, cut anywhere.
        pairing: what becomes of samples whose texts differ.

    Raises:
        MismatchError: another number of samples, or another text.
    """
    number = 0
    for left, right in in_step(reference, predicted):
        alike = same_texts(left, right)
        if pairing.drop_empty:
            alike &= np.diff(left.offsets) > 0
        if alike.all():
            yield _as_it_is(left, right, number)
        else:
            yield _Mended(left, right, number, pairing).pairs(alike)
        number += len(left)


def in_step(
    reference: Iterator[SampleBlock], predicted: Iterator[SampleBlock]
) -> Iterator[tuple[SampleBlock, SampleBlock]]:
    """The blocks of the reference, and as many samples of the prediction beside each.

    Args:
        reference: blocks of the reference.
        predicted: blocks of the prediction.

    Raises:
        MismatchError: one side ends before the other.
    """
    before, rest = 0, SampleBlock.empty()
    for left in reference:
        right, rest, fault = _gathered(rest, predicted, len(left))
        yield left.select_rows(0, len(right)), right
        before += len(right)
        if fault is not None:
            raise fault
        if len(right) < len(left):
            raise _ends("prediction", left.select_rows(len(right), len(left)), before, reference)
    more = rest if len(rest) else next(predicted, None)
    if more is not None:
        raise _ends("reference", more, before, predicted)


def _gathered(
    rest: SampleBlock,
    blocks: Iterator[SampleBlock],
    number: int,
) -> tuple[SampleBlock, SampleBlock, DataError | None]:
    """So many samples, or fewer at the end; those that were read beyond; and what went wrong after these.

    Blocks are joined rather than cut where the other side's end: each batch costs as much as some thousand characters.

    Args:
        rest: samples that were read before.
        blocks: those that follow.
        number: how many are wanted.
    """
    parts, missing, fault = [rest], number - len(rest), None
    try:
        while missing > 0 and (block := next(blocks, None)) is not None:
            parts.append(block)
            missing -= len(block)
    except DataError as error:  # the samples before it come first: what is wrong with them is told first
        fault = error
    last = parts.pop()
    wanted = min(len(last), len(last) + missing)
    return concatenate_blocks([*parts, last.select_rows(0, wanted)]), last.select_rows(wanted, len(last)), fault


def same_texts(left: SampleBlock, right: SampleBlock) -> CharFlags:
    """Whether the samples of both sides have the same characters: (samples,)."""
    if np.array_equal(left.offsets, right.offsets) and np.array_equal(left.text, right.text):
        return np.ones(len(left), np.bool_)
    alike: CharFlags = np.diff(left.offsets) == np.diff(right.offsets)  # (samples,)
    for row in np.flatnonzero(alike).tolist():
        alike[row] = np.array_equal(_text(left, row), _text(right, row))
    return alike


def _as_it_is(left: SampleBlock, right: SampleBlock, number: int) -> WordPairs:
    documents = np.arange(number, number + len(left))
    lost, compared = np.zeros(len(left), np.int64), np.ones(len(left), np.bool_)
    origin = SampleOrigin(range(number, number + len(left)), range(len(left)), left, right)
    return WordPairs(documents, left.offsets, left.text, left.starts, right.starts, compared, lost, origin)


@dataclass(frozen=True)
class _Mended:
    """Samples of which some have other texts on both sides.

    Args:
        left: samples of the reference.
        right: as many of the prediction.
        number: how many there were before them.
        pairing: what to do.
    """

    left: SampleBlock
    right: SampleBlock
    number: int
    pairing: Pairing

    def pairs(self, alike: CharFlags) -> WordPairs:
        """The samples, those without a partner left out or without predicted words.

        Args:
            alike: (samples,) whether both texts are equal as they are.
        """
        verdicts = ["same" if same else self._verdict(row) for row, same in enumerate(alike.tolist())]
        rows = [row for row, verdict in enumerate(verdicts) if verdict not in ("skip", "drop")]
        forms = {row: self._forms(row) for row in rows if verdicts[row] == "aligned"}
        texts, references, predictions = [], [], []
        for row in rows:
            text, starts = _text(self.left, row), _starts(self.left, row)
            predicted = _starts(self.right, row) if verdicts[row] == "same" else np.zeros(len(text), np.bool_)
            if row in forms:
                text, starts, predicted = forms[row][0].text, forms[row][0].starts, forms[row][1].starts
            texts.append(text)
            references.append(starts)
            predictions.append(predicted)
        compared = np.array([verdicts[row] in ("same", "aligned") for row in rows], np.bool_)
        numbers = [self.number + row for row in rows]
        sources = {at: forms[row][0].source for at, row in enumerate(rows) if row in forms}
        return WordPairs(
            documents=np.array(numbers, np.int64),
            offsets=np.cumsum([0, *map(len, texts)]),
            text=np.concatenate([np.zeros(0, np.uint32), *texts]),
            reference=np.concatenate([np.zeros(0, np.bool_), *references]),
            predicted=np.concatenate([np.zeros(0, np.bool_), *predictions]),
            compared=compared,
            uncompared_words=np.where(compared, 0, self.right.count_words()[np.array(rows, np.int64)]),
            origin=SampleOrigin(numbers, rows, self.left, self.right, sources),
            warnings=tuple(self._notices(verdicts)),
        )

    def _verdict(self, row: int) -> str:
        left, right = (_text(side, row) for side in (self.left, self.right))
        if self.pairing.drop_empty and not (len(left) and len(right)):
            return "drop"
        if self.pairing.align != "none":
            forms = self._forms(row)
            if np.array_equal(forms[0].text, forms[1].text):
                return "aligned"
        if len(left) and not len(right):
            return "empty"
        if self.pairing.on_mismatch == "error":
            raise other_text(self.left, self.right, row, self.number)
        return self.pairing.on_mismatch

    def _forms(self, row: int) -> tuple[Canonical, Canonical]:
        left, right = (
            canonical(_text(side, row), _starts(side, row), self.pairing.align) for side in (self.left, self.right)
        )
        return left, right

    def _notices(self, verdicts: list[str]) -> Iterable[RunWarning]:
        codes = {"empty": EMPTY, "drop": DROPPED, "skip": MISMATCH, "zero": MISMATCH, "aligned": ALIGNED}
        for row, verdict in enumerate(verdicts):
            if verdict != "same":
                message = MESSAGES[verdict].format(align=self.pairing.align)
                yield RunWarning(codes[verdict], message, where=self.right.where(row))


def other_text(left: SampleBlock, right: SampleBlock, row: int, number: int) -> MismatchError:
    """The error for a sample with another text on both sides.

    Args:
        left: samples of the reference.
        right: samples of the prediction.
        row: which of them.
        number: how many samples there were before these.
    """
    a, b = _text(left, row), _text(right, row)
    both = min(len(a), len(b))
    differs = np.flatnonzero(a[:both] != b[:both])
    at = int(differs[0]) if len(differs) else both
    what = "whitespace aside, " if left.whitespace != "keep" else ""
    return MismatchError(
        f"the texts of sample {number + row + 1} differ: {what}character {at + 1} is {_character(b, at)}, "
        f"but {_character(a, at)} in the reference ({left.where(row)})",
        where=right.where(row),
        detail=f"  reference  {_around(a, at)}\n  prediction {_around(b, at)}",
        remedy=(
            "Cut the text of the reference, unchanged, and check that both files are read in their format "
            "(--input-format, --prediction-format). If only the spelling differs, try --align thai; "
            "--on-mismatch skip leaves such samples out, zero counts them as wrong."
        ),
    )


def _ends(side: str, more: SampleBlock, before: int, rest: Iterable[SampleBlock]) -> MismatchError:
    total = before + len(more) + sum(map(len, rest))
    other = "reference" if side == "prediction" else "prediction"
    return MismatchError(
        f"the {side} ends after {before} sample{'' if before == 1 else 's'}, but the {other} has {total}",
        where=more.where(0),
        remedy="Both sides must have the same samples in the same order; an empty one is an empty line.",
    )


def _text(side: SampleBlock, row: int) -> CodePoints:
    text: CodePoints = side.text[side.offsets[row] : side.offsets[row + 1]]
    return text


def _starts(side: SampleBlock, row: int) -> CharFlags:
    return side.starts[side.offsets[row] : side.offsets[row + 1]]


def _character(text: CodePoints, at: int) -> str:
    if at == len(text):
        return "missing"
    character = chr(int(text[at]))
    return f"U+{int(text[at]):04X}" + (f" ({character})" if character.isprintable() else "")


def _around(text: CodePoints, at: int) -> str:
    shown = "".join(map(chr, text[max(0, at - AROUND) : at + AROUND].tolist()))
    before, after = "…" if at > AROUND else "", "…" if at + AROUND < len(text) else ""
    return f"{before}{shown}{after}"
