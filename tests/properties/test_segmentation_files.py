"""Whole files, random in text, cuts and line ends, read in blocks of any size, beside a plain count of samples."""

from __future__ import annotations

import statistics
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import isogloss
from isogloss.runs.run import Run
from isogloss.tasks.segmentation import reading

Samples = list[list[str]]
THREES = "กขำ漢あ"
ALPHABETS = st.sampled_from([THREES, THREES + "a1", THREES + "é", "abc", THREES + "😀", "éж"])


@st.composite
def both_sides(draw: st.DrawFn) -> tuple[Samples, Samples]:
    """Texts, each cut in two ways; a prediction may be empty."""
    sides: tuple[Samples, Samples] = [], []
    alphabet = draw(ALPHABETS)
    for text in draw(st.lists(st.text(alphabet, min_size=1, max_size=9), min_size=1, max_size=12)):
        for side in sides:
            places = draw(st.sets(st.integers(1, 8)))
            edges = [0, *sorted(at for at in places if at < len(text)), len(text)]
            side.append([text[a:b] for a, b in pairwise(edges)])
        if draw(st.integers(0, 9)) == 0:
            sides[1][-1] = []
    return sides


def starts(words: list[str]) -> set[int]:
    return {len("".join(words[:k])) for k in range(len(words))}


def spans(words: list[str]) -> set[tuple[int, int]]:
    edges = [*sorted(starts(words)), len("".join(words))]
    return set(pairwise(edges)) if words else set()


def plainly(reference: Samples, predicted: Samples) -> tuple[dict[str, int], list[float]]:
    """The counts of all samples, and F of the words of each."""
    total = dict.fromkeys(("tp", "fp", "fn", "tn", "correct", "predicted", "reference"), 0)
    each = []
    for ours, theirs in zip(reference, predicted, strict=True):
        a, b = starts(ours), starts(theirs)
        total["tp"] += len(a & b)
        total["fp"] += len(b - a)
        total["fn"] += len(a - b)
        total["tn"] += len("".join(ours)) - len(a | b) if theirs else 0
        right = len(spans(ours) & spans(theirs))
        total["correct"] += right
        total["predicted"] += len(theirs)
        total["reference"] += len(ours)
        each.append(2 * right / (len(ours) + len(theirs)))
    return total, each


def scored(sides: tuple[Samples, Samples], folder: Path, end: str, block: int) -> Run:
    for name, samples in zip(("gold", "pred"), sides, strict=True):
        (folder / name).write_bytes("".join("|".join(words) + end for words in samples).encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "BLOCK", block)
        return isogloss.segmentation(folder / "gold", folder / "pred", input_format="pipe")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sides=both_sides(), end=st.sampled_from(["\n", "\r\n"]), block=st.sampled_from([1, 16, 64, 1 << 19]))
def test_files_are_scored_like_their_samples_one_by_one(
    tmp_path: Path, sides: tuple[Samples, Samples], end: str, block: int
) -> None:
    if not any(sides[1]):
        sides[1][0] = sides[0][0]  # a file of blank lines is refused
    run = scored(sides, tmp_path, end, block)
    total, each = plainly(*sides)
    character, word = run.scores["character"], run.scores["word"]
    assert {name: character[name] for name in ("tp", "fp", "fn", "tn")} == {
        n: total[n] for n in ("tp", "fp", "fn", "tn")
    }
    assert {name: word[name] for name in ("correct", "predicted", "reference")} == {
        name: total[name] for name in ("correct", "predicted", "reference")
    }
    found = run.per_document["word.f1"]
    assert (found.documents, found.min, found.max) == (len(each), min(each), max(each))
    assert found.mean == pytest.approx(statistics.fmean(each), rel=1e-12)
    assert len(each) == 1 or found.std == pytest.approx(statistics.stdev(each), rel=1e-9, abs=1e-12)
