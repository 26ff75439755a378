"""Profiles give the figures of seqeval on underscore tags, which it reads by its own rules."""

from __future__ import annotations

import random

import pytest

import isogloss

pytest.importorskip("seqeval", reason="seqeval is not installed")

from seqeval.metrics import classification_report, f1_score
from seqeval.scheme import IOB2

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]
DOCUMENTS = 10_000
TAGS = ("O", "O", "B_PER", "I_PER", "B_LOC", "I_LOC")


def random_documents(seed: int) -> tuple[list[list[str]], list[list[str]]]:
    generator = random.Random(seed)
    lengths = [generator.randint(1, 9) for _ in range(DOCUMENTS)]
    both = [[generator.choices(TAGS, k=length) for length in lengths] for _ in range(2)]
    return both[0], both[1]


def test_default_and_strict_mode_of_seqeval() -> None:
    reference, prediction = random_documents(20)
    default = isogloss.ner(reference, prediction, profile="seqeval")
    strict = isogloss.ner(reference, prediction, profile="seqeval-strict", scheme="iob2")
    report = classification_report(reference, prediction, mode="strict", scheme=IOB2, output_dict=True)
    assert default.scores["strict"]["f1"] == pytest.approx(f1_score(reference, prediction), abs=1e-12)
    assert strict.scores["strict"]["f1"] == pytest.approx(report["micro avg"]["f1-score"], abs=1e-12)
    assert default.scores["strict"]["possible"] > DOCUMENTS
    print(f"{DOCUMENTS} documents compared")  # noqa: T201  how many were compared
