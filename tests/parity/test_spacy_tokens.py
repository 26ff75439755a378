"""spaCy's `Scorer.score_tokenization`, on random documents with whitespace of all kinds."""

from __future__ import annotations

import random
from typing import Any

import pytest
from cuts import THAI, pairs

import isogloss

DOCUMENTS = 10_000
PARTS = 20
pytestmark = [pytest.mark.parity, pytest.mark.extra]


def test_tokens_are_equal() -> None:
    spacy: Any = pytest.importorskip("spacy", reason="spacy is not installed")
    from spacy.scorer import Scorer  # noqa: PLC0415
    from spacy.tokens import Doc  # noqa: PLC0415
    from spacy.training import Example  # noqa: PLC0415

    vocab = spacy.blank("xx").vocab
    for seed in range(PARTS):
        alphabet = THAI[:8] + "  \u00a0\t" if seed % 2 else THAI[:12]
        both = list(pairs(DOCUMENTS // PARTS, random.Random(seed).randrange(10**6), alphabet))
        examples = [
            Example(*(Doc(vocab, words=words, spaces=[False] * len(words)) for words in (predicted, reference)))
            for reference, predicted in both
        ]
        theirs = Scorer.score_tokenization(examples)
        run = isogloss.segmentation([r for r, _ in both], [p for _, p in both], profile="spacy")
        assert run.documents == len(both)
        ours = run.to_dict()
        assert {key: ours[key] for key in theirs} == pytest.approx(theirs, abs=1e-12), seed
        word = run.scores["word"]
        shown = (run.scores["tokens"].accuracy, word.precision, word.recall, word.f1)
        assert shown == tuple(ours[f"token_{part}"] for part in ("acc", "p", "r", "f"))
