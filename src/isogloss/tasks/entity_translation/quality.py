"""Score whole sentences beside m-ETA: chrF and BLEU, with sacrebleu.

sacrebleu counts statistics for each sentence, and the scores are computed from their sums, so languages, slices and
intervals work as for any other score. The formulas are those of sacrebleu with its defaults: chrF (Popović 2015) with
characters up to 6-grams and β = 2, BLEU (Papineni et al. 2002) with up to 4-grams and exponential smoothing (Post
2018). Of several references, chrF uses the closest one; BLEU uses the n-grams of all. A missing translation counts as
empty; a sentence without a known reference translation has no score.

The tokenizer of BLEU depends on the language: `choose_bleu_tokenizer`. Nothing is downloaded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from isogloss.errors import MissingExtraError, UsageError
from isogloss.kernel.scores import Floats, Ints, divide
from isogloss.kernel.sums import Sums
from isogloss.tasks.entity_translation.batches import TranslationBatch

QualityScore = Literal["chrf", "bleu"]
CHARACTER_NGRAMS, WORD_NGRAMS = 6, 4  # longest n-grams
CHRF_BETA = 2
QUALITY_COLUMNS: Mapping[QualityScore, tuple[str, ...]] = {
    "chrf": tuple(
        f"chrf {side} {n}" for n in range(1, CHARACTER_NGRAMS + 1) for side in ("predicted", "reference", "common")
    ),
    "bleu": (
        "bleu predicted",
        "bleu reference",
        *(f"bleu common {n}" for n in range(1, WORD_NGRAMS + 1)),
        *(f"bleu total {n}" for n in range(1, WORD_NGRAMS + 1)),
    ),
}
BLEU_TOKENIZERS = {"zh": "zh", "yue": "zh", **dict.fromkeys(("ja", "th", "lo", "km", "my"), "char")}


def choose_bleu_tokenizer(language: str) -> str:
    """Return the tokenizer of BLEU for a language.

    It is `zh` for Chinese, `char` for other languages without spaces, else `13a`.
    """
    return BLEU_TOKENIZERS.get(re.split("[_-]", language)[0], "13a")


def get_sacrebleu_version() -> str:
    """Return the version of sacrebleu.

    Raises:
        MissingExtraError: if sacrebleu is not installed.
    """
    return str(_import_sacrebleu().__version__)


@dataclass(frozen=True)
class QualityStatistics:
    """The statistics of sentences for chrF or BLEU.

    Args:
        quality: `chrf` or `bleu`.
        tokenizer: tokenizer of BLEU, None to choose it by language.
    """

    quality: QualityScore
    tokenizer: str | None = None

    def count(self, batch: TranslationBatch) -> Ints:
        """Count the statistics of each sentence: (documents, columns).

        Columns are in the order of `QUALITY_COLUMNS`.

        Args:
            batch: sentences with their translations.

        Raises:
            MissingExtraError: if sacrebleu, or a package that the tokenizer needs, is not installed.
            UsageError: if the tokenizer is unknown.
        """
        metric = self._make_sacrebleu_metric(batch.language)
        values = np.zeros((len(batch.documents), len(QUALITY_COLUMNS[self.quality])), np.int64)
        references = [
            [target.translation for target in sentence.targets if target.translation] for sentence in batch.sentences
        ]
        known = [k for k, texts in enumerate(references) if texts]
        if known:
            most = max(len(references[k]) for k in known)
            streams = [[references[k][n] if n < len(references[k]) else None for k in known] for n in range(most)]
            values[known] = metric._extract_corpus_statistics(  # noqa: SLF001  as sacrebleu's significance tests do
                [batch.translations[k] or "" for k in known],
                streams,
            )
        return values

    def _make_sacrebleu_metric(self, language: str) -> Any:
        metrics = _import_sacrebleu().metrics
        if self.quality == "chrf":
            return metrics.CHRF()
        name = self.tokenizer or choose_bleu_tokenizer(language)
        if name not in metrics.BLEU.TOKENIZERS:
            raise UsageError(f"Unknown tokenizer {name!r} for BLEU. Choose from {', '.join(metrics.BLEU.TOKENIZERS)}.")
        try:
            return metrics.BLEU(tokenize=name, force=True)
        except (ImportError, RuntimeError) as error:
            raise MissingExtraError(f"The tokenizer {name}", f"sacrebleu[{name[:2]}]") from error


def _import_sacrebleu() -> Any:
    try:
        import sacrebleu  # noqa: PLC0415  an optional package
    except ImportError as error:
        raise MissingExtraError("chrF and BLEU", "isogloss[mt]") from error
    return sacrebleu


def score_quality(quality: QualityScore, sums: Sums) -> Floats:
    """Return the score between 0 and 100 for leading axes (...).

    The score is nan if no sentence has a reference translation.

    Args:
        quality: `chrf` or `bleu`.
        sums: sums of the statistics.
    """
    counted = np.stack(
        [sums.get_column(name).sum(axis=-1) for name in QUALITY_COLUMNS[quality]], axis=-1
    )  # (..., columns)
    return _score_chrf(counted) if quality == "chrf" else _score_bleu(counted)


def _score_chrf(counted: Ints) -> Floats:
    """Return F of the mean precision and recall over n-gram lengths.

    Only n-gram lengths that both sides have count.
    """
    predicted, reference, common = (counted[..., k::3] for k in range(3))  # (..., n-grams)
    used = (predicted > 0) & (reference > 0)
    number = used.sum(axis=-1)
    precision, recall = (
        divide(np.where(used, divide(common, whole, 0.0), 0.0).sum(axis=-1), number, 0.0)
        for whole in (predicted, reference)
    )
    weight = CHRF_BETA**2
    f = divide((1 + weight) * precision * recall, weight * precision + recall, 0.0)
    return np.where(reference.sum(axis=-1) > 0, 100 * f, np.nan)


def _score_bleu(counted: Ints) -> Floats:
    """Return the geometric mean of the precisions, times the brevity penalty."""
    predicted, reference = counted[..., 0], counted[..., 1]
    common, total = counted[..., 2 : 2 + WORD_NGRAMS], counted[..., 2 + WORD_NGRAMS :]
    zeros = np.cumsum(common == 0, axis=-1)
    smoothed = np.where(common > 0, common, np.exp2(-zeros.astype(np.float64)))
    with np.errstate(divide="ignore"):
        logarithm = np.log(divide(smoothed, total, 0.0)).mean(axis=-1)
    penalty = np.exp(np.minimum(0.0, 1 - divide(reference, predicted, np.inf)))
    score = np.where(common.any(axis=-1), 100 * penalty * np.exp(logarithm), 0.0)
    return np.where(reference > 0, score, np.nan)
