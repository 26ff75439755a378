"""Samples of both sides paired by order, their texts compared, and what becomes of those that differ.

Nothing is scored before both sides are known to be about the same text. A sample whose prediction is empty scores zero,
and is counted. Any other difference is an error, unless `on_mismatch` says `skip` or `zero`, or `align` names a way of
writing in which the texts are the same; then it is counted too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from isogloss.batches import Notice, WordPairs
from isogloss.exceptions import DataError, MismatchError
from isogloss.formats.segmentation.canonical import Align, Canonical, canonical
from isogloss.formats.segmentation.encoding import Bools, CodePoints
from isogloss.formats.segmentation.origin import SampleOrigin
from isogloss.formats.segmentation.segmented import Segmented, joined

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


def word_pairs(reference: Iterator[Segmented], predicted: Iterator[Segmented], pairing: Pairing) -> Iterator[WordPairs]:
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


def in_step(reference: Iterator[Segmented], predicted: Iterator[Segmented]) -> Iterator[tuple[Segmented, Segmented]]:
    """The blocks of the reference, and as many samples of the prediction beside each.

    Raises:
        MismatchError: one side ends before the other.
    """
    before, rest = 0, Segmented.empty()
    for left in reference:
        right, rest, fault = _gathered(rest, predicted, len(left))
        yield left.rows(0, len(right)), right
        before += len(right)
        if fault is not None:
            raise fault
        if len(right) < len(left):
            raise _ends("prediction", left.rows(len(right), len(left)), before, reference)
    more = rest if len(rest) else next(predicted, None)
    if more is not None:
        raise _ends("reference", more, before, predicted)


def _gathered(
    rest: Segmented, blocks: Iterator[Segmented], number: int
) -> tuple[Segmented, Segmented, DataError | None]:
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
    return joined([*parts, last.rows(0, wanted)]), last.rows(wanted, len(last)), fault


def same_texts(left: Segmented, right: Segmented) -> Bools:
    """Whether the samples of both sides have the same characters: (samples,)."""
    if np.array_equal(left.offsets, right.offsets) and np.array_equal(left.text, right.text):
        return np.ones(len(left), np.bool_)
    alike: Bools = np.diff(left.offsets) == np.diff(right.offsets)  # (samples,)
    for row in np.flatnonzero(alike).tolist():
        alike[row] = np.array_equal(_text(left, row), _text(right, row))
    return alike


def _as_it_is(left: Segmented, right: Segmented, number: int) -> WordPairs:
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

    left: Segmented
    right: Segmented
    number: int
    pairing: Pairing

    def pairs(self, alike: Bools) -> WordPairs:
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
            lost=np.where(compared, 0, self.right.words()[np.array(rows, np.int64)]),
            origin=SampleOrigin(numbers, rows, self.left, self.right, sources),
            notices=tuple(self._notices(verdicts)),
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

    def _notices(self, verdicts: list[str]) -> Iterable[Notice]:
        codes = {"empty": EMPTY, "drop": DROPPED, "skip": MISMATCH, "zero": MISMATCH, "aligned": ALIGNED}
        for row, verdict in enumerate(verdicts):
            if verdict != "same":
                message = MESSAGES[verdict].format(align=self.pairing.align)
                yield Notice(codes[verdict], message, where=self.right.where(row))


def other_text(left: Segmented, right: Segmented, row: int, number: int) -> MismatchError:
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


def _ends(side: str, more: Segmented, before: int, rest: Iterable[Segmented]) -> MismatchError:
    total = before + len(more) + sum(map(len, rest))
    other = "reference" if side == "prediction" else "prediction"
    return MismatchError(
        f"the {side} ends after {before} sample{'' if before == 1 else 's'}, but the {other} has {total}",
        where=more.where(0),
        remedy="Both sides must have the same samples in the same order; an empty one is an empty line.",
    )


def _text(side: Segmented, row: int) -> CodePoints:
    text: CodePoints = side.text[side.offsets[row] : side.offsets[row + 1]]
    return text


def _starts(side: Segmented, row: int) -> Bools:
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
