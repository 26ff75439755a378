"""spaCy's `Scorer.score_tokenization`, on random documents with whitespace of all kinds."""

from __future__ import annotations

import random
from typing import Any

import pytest
from cuts import THAI, pairs

import isogloss

DOCUMENTS = 10_000
FILES = 20
pytestmark = [pytest.mark.parity, pytest.mark.extra]


@pytest.mark.parametrize("seed", range(FILES))
def test_tokens_are_equal(seed: int) -> None:
    spacy: Any = pytest.importorskip("spacy", reason="spacy is not installed")
    from spacy.scorer import Scorer  # noqa: PLC0415
    from spacy.tokens import Doc  # noqa: PLC0415
    from spacy.training import Example  # noqa: PLC0415

    vocab = spacy.blank("xx").vocab
    alphabet = THAI[:8] + "  \u00a0\t" if seed % 2 else THAI[:12]
    both = list(pairs(DOCUMENTS // FILES, random.Random(seed).randrange(10**6), alphabet))
    examples = [
        Example(*(Doc(vocab, words=words, spaces=[False] * len(words)) for words in (predicted, reference)))
        for reference, predicted in both
    ]
    theirs = Scorer.score_tokenization(examples)
    run = isogloss.segmentation([r for r, _ in both], [p for _, p in both], profile="spacy")
    print(f"{run.documents} documents compared")  # noqa: T201  how many were compared
    assert run.documents == len(both)
    ours = run.scores["word"]
    assert run.scores["tokens"].accuracy == pytest.approx(theirs["token_acc"], abs=1e-12)
    assert (ours.precision, ours.recall, ours.f1) == pytest.approx(
        (theirs["token_p"], theirs["token_r"], theirs["token_f"]),
        abs=1e-12,
    )
