"""`compute_metrics` for the transformers Trainer: token classification scored by entities.

    Trainer(..., compute_metrics=compute_metrics(["O", "B-PER", "I-PER"]))

Positions with the label -100 (special tokens, padding, the later pieces of a word) are left out; every sequence is a
document. Everything is computed on arrays, without a Python loop over tokens.

Accepted from the Trainer are, for `predictions`: an array of logits (sequences, tokens, labels) or of label numbers
(sequences, tokens); the first array of a tuple, however nested, which is where token classifiers put their logits; a
list of these, one per batch (`eval_do_concat_batches=False`); and tensors (`batch_eval_metrics=True`, which calls the
function for each batch and keeps counts instead of arrays). The same forms are accepted for `label_ids`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.distributed.accumulator import Accumulator
from isogloss.distributed.counting import count_systems
from isogloss.errors import DataError, UsageError
from isogloss.integrations.seqeval import NAMES, get_label_scores
from isogloss.kernel.argument_checks import check_strings
from isogloss.kernel.provenance import Side
from isogloss.runs.run import Run
from isogloss.spans.batches import Codes, TagPairs
from isogloss.spans.scheme_detection import AUTO
from isogloss.spans.schemes import OUTSIDE, TagRepair
from isogloss.tasks.ner.inputs import SpanInput
from isogloss.tasks.ner.options import PROFILES, NerOptions
from isogloss.tasks.ner.task import TASK
from isogloss.tasks.scoring_options import ScoringOptions

MASKED = -100
LABELS, PREDICTIONS = "label_ids", "predictions"
ARGUMENTS: dict[Side, str] = {"reference": LABELS, "predicted": PREDICTIONS}
Numbers = NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class TokenMetrics:
    """The callable for a Trainer: see `compute_metrics`.

    Args:
        tags: the tags by label number.
        options: definition of the scores.
        accumulator: counts of batches that are not scored yet.
        detail: whether to add the scores of each label.
    """

    tags: tuple[str, ...]
    options: NerOptions
    accumulator: Accumulator
    detail: bool = False

    def __call__(self, prediction: Iterable[Any], *, compute_result: bool = True) -> dict[str, float]:
        """Score an evaluation, or the batches of one.

        Args:
            prediction: an EvalPrediction, or a pair of predictions and label numbers.
            compute_result: whether this is the only or the last batch.

        Returns:
            The scores by name; empty if more batches follow.

        Raises:
            UsageError: if it is neither.
            DataError: if arrays do not match, or a number has no label. All counts are forgotten.
        """
        predictions, labels = _split_prediction(prediction)
        try:
            batches = list(self._build_batches(_split_batches(predictions), _split_batches(labels)))
            opened = SpanInput.from_tags("prediction", lambda: batches)
            self.accumulator.add(count_systems(TASK, [opened], self.options, ScoringOptions()))
            if not compute_result:
                return {}
            scores = _flatten_scores(self.accumulator.compute(), detail=self.detail)
        except BaseException:
            self.accumulator.reset()
            raise
        self.accumulator.reset()
        return scores

    def _build_batches(self, predictions: Sequence[Any], labels: Sequence[Any]) -> Iterator[TagPairs]:
        if len(predictions) != len(labels):
            raise DataError(f"There are {len(predictions)} batches of predictions, but {len(labels)} of labels.")
        vocabulary = tuple(dict.fromkeys((OUTSIDE, *self.tags)))
        codes = np.array([vocabulary.index(tag) for tag in self.tags], np.min_scalar_type(len(vocabulary)))  # (labels,)
        first = 0
        for logits, expected in zip(predictions, labels, strict=True):
            reference = _to_array(expected, LABELS)  # (sequences, tokens)
            predicted = _to_array(_to_label_numbers(logits), PREDICTIONS)  # (sequences, tokens)
            if predicted.shape != reference.shape:
                raise DataError(
                    f"predictions are of the shape {predicted.shape}, but label_ids of {reference.shape}",
                    remedy="Give (sequences, tokens, labels) or (sequences, tokens), and (sequences, tokens).",
                )
            kept = reference != MASKED  # (sequences, tokens)
            yield TagPairs(
                documents=np.arange(first, first + len(kept)),
                offsets=np.concatenate([[0], np.cumsum(kept.sum(axis=1))]),  # (sequences + 1,)
                vocabulary=vocabulary,
                reference=self._encode_numbers(reference, kept, codes, LABELS),
                predicted=self._encode_numbers(predicted, kept, codes, PREDICTIONS),
                provenance=ArrayProvenance(kept, first),
            )
            first += len(kept)

    def _encode_numbers(self, numbers: Numbers, kept: NDArray[np.bool_], codes: Codes, name: str) -> Codes:
        """Return codes (tokens that are kept,) of label numbers."""
        chosen = numbers[kept]
        if len(chosen) and not 0 <= int(chosen.min()) <= int(chosen.max()) < len(codes):
            row, token = (int(at) for at in np.argwhere(kept & ((numbers < 0) | (numbers >= len(codes))))[0])
            raise DataError(
                f"{numbers[row, token]} is not a label number: there are {len(codes)} labels, from 0",
                where=f"{name}[{row}][{token}]",
                remedy="Give compute_metrics the labels of the model, in the order of their numbers.",
            )
        encoded: Codes = codes[chosen]
        return encoded


@dataclass(frozen=True, eq=False)
class ArrayProvenance:
    """Documents of arrays: they have no text, and places are indices.

    Args:
        kept: (sequences, tokens) the tokens that are counted.
        first: number of the first sequence, from 0.
    """

    kept: NDArray[np.bool_]
    first: int

    def name(self, row: int) -> str:
        """Return the number of the sequence, from 1."""
        return str(self.first + row + 1)

    def where(self, row: int, position: int, side: Side) -> str:
        """Return the indices of the token, counting masked tokens."""
        return f"{ARGUMENTS[side]}[{self.first + row}][{np.flatnonzero(self.kept[row])[position]}]"

    def get_excerpt(self, row: int) -> None:
        """Return None, as there is no text."""


def compute_metrics(  # noqa: PLR0913  each option is independent
    label_list: Sequence[str] | Mapping[int, str],
    *,
    profile: str | None = "seqeval",
    scheme: str | None = None,
    repair: TagRepair | None = None,
    labels: Iterable[str] | None = None,
    zero_division: float | None = None,
    detail: bool = False,
) -> TokenMetrics:
    """Build the argument `compute_metrics` of a Trainer for token classification.

    Args:
        label_list: the tags in the order of the model's label numbers, such as `["O", "B-PER", "I-PER"]`, or its
            `config.id2label`.
        profile: the tool whose scores to reproduce; None for the definition of isogloss, which requires a scheme.
        scheme: tag scheme, if the profile has several or is None.
        repair: how invalid tags are handled, if the profile supports it.
        labels: the labels to score; None for all.
        zero_division: the value of 0/0; None for that of the profile (0 in `seqeval`), without a profile undefined
            (nan).
        detail: whether to add the scores of each label: `PER_precision`, `PER_recall`, `PER_f1`, `PER_number`.

    Returns:
        A callable from an EvalPrediction to `{"precision", "recall", "f1", "accuracy"}`; without accuracy if the
        profile has none (`nervaluate`, `spacy`), or every token is masked. It can be pickled.

    Raises:
        UsageError: if options are invalid.
    """
    _check_scheme(profile, scheme)
    options = NerOptions(
        scheme=AUTO if scheme is None else scheme,
        repair=repair,
        profile=profile,
        labels=check_strings("labels", labels),
        zero_division=zero_division,
    )
    return TokenMetrics(_check_label_list(label_list), options, Accumulator(TASK.name), detail)


def _check_scheme(profile: str | None, scheme: str | None) -> None:
    """Check that tags have one scheme in all evaluations.

    Raises:
        UsageError: if it would be detected from the predictions.
    """
    if scheme in (None, AUTO) and (profile is None or PROFILES.load(profile).schemes):
        raise UsageError("The scheme of tags cannot be detected batch by batch: name it, such as scheme='iob2'.")


def _check_label_list(label_list: Sequence[str] | Mapping[int, str]) -> tuple[str, ...]:
    if isinstance(label_list, Mapping):
        if set(label_list) != set(range(len(label_list))):
            raise UsageError(f"label_list has the numbers {sorted(label_list)}, but they run from 0 without gaps.")
        label_list = [label_list[number] for number in range(len(label_list))]
    tags = () if isinstance(label_list, str) else tuple(label_list)
    if not tags or not all(isinstance(tag, str) and tag for tag in tags) or len(set(tags)) < len(tags):
        raise UsageError(f"label_list must be a list of different tags such as ['O', 'B-PER'], got {label_list!r}.")
    return tags


def _split_prediction(prediction: Iterable[Any]) -> tuple[Any, Any]:
    """Return predictions and label numbers of an EvalPrediction, which may hold more."""
    both = tuple(prediction)[:2] if isinstance(prediction, Iterable) else ()
    if len(both) != 2:  # noqa: PLR2004  a pair
        raise UsageError(
            f"compute_metrics is called with an EvalPrediction or a pair, not with {type(prediction).__name__}.",
        )
    return both[0], both[1]


def _split_batches(values: Any) -> Sequence[Any]:
    """Return the batches of a list of arrays.

    Anything else is one batch.
    """
    return values if isinstance(values, list) and hasattr(_get_first_array(values), "shape") else [values]


def _get_first_array(values: Any) -> Any:
    """Return the first array of nested tuples or of a list.

    Tuples may be nested to any depth. Of a list, the first item is searched.
    """
    if isinstance(values, list):
        values = next(iter(values), None)
    while isinstance(values, tuple) and values:
        values = values[0]
    return values


def _to_label_numbers(values: Any) -> Any:
    """Convert logits (sequences, tokens, labels) to label numbers (sequences, tokens); numbers stay."""
    if isinstance(values, tuple):
        values = _get_first_array(values)
    if not hasattr(values, "argmax"):
        values = np.asarray(values)
    return values.argmax(-1) if values.ndim == 3 else values  # noqa: PLR2004  (sequences, tokens, labels)


def _to_array(values: Any, name: str) -> Numbers:
    """Convert label numbers to an array (sequences, tokens)."""
    if isinstance(values, tuple):
        values = _get_first_array(values)
    array = np.asarray(values.detach().cpu() if hasattr(values, "detach") else values)
    if array.ndim != 2 or not np.issubdtype(array.dtype, np.integer):  # noqa: PLR2004  (sequences, tokens)
        raise DataError(
            f"{name} is an array of {array.dtype} of the shape {array.shape}",
            remedy="Label numbers are integers (sequences, tokens), logits are (sequences, tokens, labels).",
        )
    return array


def _flatten_scores(run: Run, *, detail: bool) -> dict[str, float]:
    """Return the scores of a run under flat names."""
    flat = {name: run.scores["strict"][name] for name in NAMES}
    if "tokens" in run.scores:
        flat["accuracy"] = run.scores["tokens"].accuracy
    if detail:
        flat |= {
            f"{label}_{name}": value for label in run.by_label for name, value in get_label_scores(run, label).items()
        }
    return flat
