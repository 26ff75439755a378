"""The metric `seqeval` of Hugging Face evaluate: calls, keys and numbers.

    metric = Seqeval()                               # evaluate.load("seqeval")
    metric.add_batch(predictions=..., references=...)
    metric.compute()

Keys: per label `{"precision", "recall", "f1", "number"}`, ascending, then `overall_precision`, `overall_recall`,
`overall_f1`, `overall_accuracy`. Numbers are those of the profiles `seqeval` and `seqeval-strict`, so everything in
`docs/profiles.md` about them holds here. Counts and ratios of counts are equal to the last bit; F is computed from
counts, not from precision and recall, and may differ in the last bit.

Differences
    1. seqeval ignores `scheme` without `mode="strict"`; here a warning says so.
    2. seqeval ignores `sample_weight`; here it is an error.
    3. `zero_division="warn"` is 0, without the warnings of scikit-learn.
    4. `mode="strict"` with `scheme="IOE1"` is an error, because seqeval does not finish it.
    5. Values are Python floats and integers.
    6. No document is a DataError, and no token is 0/0; seqeval fails there.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from isogloss.errors import DataError, UsageError
from isogloss.formats.python_arguments import to_document_list, to_unit_list
from isogloss.formats.python_lists import batch_tag_lists
from isogloss.kernel.argument_checks import check_choice
from isogloss.kernel.provenance import Side
from isogloss.runs.run import Run
from isogloss.spans.batches import TagPairs
from isogloss.spans.scheme_detection import AUTO
from isogloss.spans.schemes import OUTSIDE
from isogloss.tasks.ner.inputs import SpanInput
from isogloss.tasks.ner.options import NerOptions
from isogloss.tasks.ner.scoring import count, finish
from isogloss.tasks.scoring_options import ScoringOptions

SCHEMES = ("IOB1", "IOB2", "IOE1", "IOE2", "IOBES", "BILOU")
DETECTED_SCHEMES = ("IOB2", "IOE2", "IOBES", "BILOU")  # the schemes that seqeval detects
NAMES = ("precision", "recall", "f1")
Documents = Iterable[Iterable[str]]
Tags = list[list[str]]


class Seqeval:
    """Scores tag lists as `evaluate.load("seqeval")` does.

    Examples:
        >>> found = Seqeval().compute(predictions=[["B-PER", "O", "B-LOC"]], references=[["B-PER", "O", "O"]])
        >>> found["PER"]
        {'precision': 1.0, 'recall': 1.0, 'f1': 1.0, 'number': 1}
        >>> found["overall_precision"]
        0.5
    """

    name = "seqeval"  # under which `evaluate.combine` lists its scores

    def __init__(self) -> None:
        self._predictions: Tags = []
        self._references: Tags = []

    def add(
        self,
        *,
        prediction: Iterable[str] | None = None,
        reference: Iterable[str] | None = None,
        predictions: Iterable[str] | None = None,
        references: Iterable[str] | None = None,
    ) -> None:
        """Keep a document until `compute`.

        Args:
            prediction: its predicted tags.
            reference: its reference tags.
            predictions: the same as `prediction`, as `evaluate.combine` names it.
            references: the same as `reference`, as `evaluate.combine` names it.

        Raises:
            UsageError: if a side is missing.
        """
        predicted = predictions if prediction is None else prediction
        expected = references if reference is None else reference
        if predicted is None or expected is None:
            raise UsageError("add needs prediction and reference, the tags of one document on both sides.")
        self.add_batch(predictions=[predicted], references=[expected])

    def _feature_names(self) -> list[str]:
        """Return the arguments of `add` and `add_batch` that `evaluate.combine` gives."""
        return ["predictions", "references"]

    def add_batch(self, *, predictions: Documents, references: Documents) -> None:
        """Keep documents until `compute`.

        Args:
            predictions: per document its predicted tags.
            references: per document its reference tags.

        Raises:
            UsageError: if a side is not a list of documents.
            DataError: if a document is not a list, or the numbers of documents differ.
        """
        predicted, expected = _copy_both_sides(predictions, references)
        self._predictions += predicted
        self._references += expected

    def compute(  # noqa: PLR0913  the call that users have in their code
        self,
        *,
        predictions: Documents | None = None,
        references: Documents | None = None,
        suffix: bool = False,
        scheme: str | None = None,
        mode: Literal["strict"] | None = None,
        sample_weight: None = None,
        zero_division: float | Literal["warn"] = "warn",
    ) -> dict[str, Any]:
        """Score all documents that were added and these, and forget them.

        Args:
            predictions: per document its predicted tags.
            references: per document its reference tags.
            suffix: whether tags end with their letter, as in `PER-B`.
            scheme: with `mode="strict"` one of `IOB1`, `IOB2`, `IOE2`, `IOBES`, `BILOU`; None to detect it by the
                letters of the reference.
            mode: `strict`, or None to read tags like conlleval.
            sample_weight: must be None.
            zero_division: the value of 0/0: 0 or 1; `warn` is 0.

        Returns:
            Per label its scores, then the four overall scores.

        Raises:
            UsageError: if options are invalid.
            DataError: if the input cannot be scored.
        """
        _check_arguments(scheme, mode, sample_weight, zero_division)
        predicted, expected = _copy_both_sides(predictions, references)
        batches: Iterable[TagPairs] = list(batch_tag_lists(self._references + expected, self._predictions + predicted))
        if suffix:
            batches = [_to_prefix_notation(batch, mode) for batch in batches]
        chosen = None if mode is None else scheme or _detect_scheme(batches)
        options = NerOptions(
            profile="seqeval" if mode is None else "seqeval-strict",
            scheme=AUTO if chosen is None else chosen.lower(),
            zero_division=None if zero_division == "warn" else zero_division,
        )
        scoring_options = ScoringOptions()
        counted = count(SpanInput.from_tags("prediction", lambda: batches), options, scoring_options)
        run = finish(counted, scoring_options)
        report = build_seqeval_report(run, zero_division=float(zero_division == 1))
        self._predictions, self._references = [], []
        return report


def build_seqeval_report(run: Run, zero_division: float = 0) -> dict[str, Any]:
    """Return the scores of a run in the layout of evaluate's seqeval.

    Args:
        run: named entities from tags; F must be F1.
        zero_division: the accuracy if there is no token.

    Returns:
        Per label, ascending, `{"precision", "recall", "f1", "number"}`; then `overall_precision`, `overall_recall`,
        `overall_f1` and `overall_accuracy`.
    """
    report: dict[str, Any] = {label: get_label_scores(run, label) for label in run.by_label}
    report |= {f"overall_{name}": run.scores["strict"][name] for name in NAMES}
    accuracy = run.scores["tokens"].accuracy if "tokens" in run.scores else zero_division
    return report | {"overall_accuracy": accuracy}


def get_label_scores(run: Run, label: str) -> dict[str, float | int]:
    """Return precision, recall, F1 and number of reference spans of a label.

    Args:
        run: named entities; F must be F1.
        label: one of its labels.
    """
    figures = run.by_label[label]["strict"]
    return {**{name: figures[name] for name in NAMES}, "number": figures["possible"]}


def _check_arguments(scheme: str | None, mode: str | None, sample_weight: Any, zero_division: Any) -> None:
    check_choice("scheme", scheme, (None, *SCHEMES))
    check_choice("mode", mode, (None, "strict"))
    if sample_weight is not None:
        raise UsageError("sample_weight has no effect in seqeval: leave it out.")
    if isinstance(zero_division, bool) or zero_division not in ("warn", 0, 1):
        raise UsageError(f"zero_division must be 'warn', 0 or 1, got {zero_division!r}.")
    if scheme is not None and mode is None:
        message = f"scheme={scheme!r} has no effect without mode='strict', as in seqeval."
        warnings.warn(message, UserWarning, stacklevel=3)


def _copy_both_sides(predictions: Documents | None, references: Documents | None) -> tuple[Tags, Tags]:
    """Return copies of both sides, empty if neither is given."""
    predicted, expected = _copy_documents(predictions, "predicted"), _copy_documents(references, "reference")
    if len(predicted) != len(expected):
        raise DataError(
            f"{len(predicted)} predictions, but {len(expected)} references",
            remedy="Give one list of tags for each document on both sides.",
        )
    return predicted, expected


def _copy_documents(documents: Documents | None, side: Side) -> Tags:
    if documents is None:
        return []
    collected = to_document_list(documents if hasattr(documents, "__len__") else list(documents), side)
    return [list(to_unit_list(tags, number, side)) for number, tags in enumerate(collected)]


def _to_prefix_notation(batch: TagPairs, mode: str | None) -> TagPairs:
    """Return the same tags with their letters in front.

    Codes stay, so that equal tokens stay equal. With a mode, hyphens at the ends of labels are removed.
    """
    labels = [tag[:-1] if mode else tag[:-1].rsplit("-", 1)[0] for tag in batch.vocabulary[1:]]
    tags = (f"{tag[-1]}-{label}" for tag, label in zip(batch.vocabulary[1:], labels, strict=True))
    return replace(batch, vocabulary=(OUTSIDE, *tags))


def _detect_scheme(batches: Iterable[TagPairs]) -> str:
    """Return the scheme that seqeval detects by the letters of the reference."""
    letters: set[str] = set()
    for batch in batches:
        letters.update(batch.vocabulary[code][0] for code in np.unique(batch.reference).tolist())
    letters.discard(OUTSIDE)
    for scheme in DETECTED_SCHEMES:
        if _is_possible_scheme(scheme, letters):
            return scheme
    raise UsageError(
        f"seqeval detects no scheme by the letters {', '.join(sorted(letters)) or OUTSIDE}: name it, scheme='IOB2'.",
    )


def _is_possible_scheme(scheme: str, letters: set[str]) -> bool:
    """Return whether these letters suggest a scheme.

    A scheme of two letters requires the letter that is not I. In the others, the letter of single tokens may be missing
    or be the only one (which seqeval refuses if there is also an O); the first and last letters of spans occur
    together.
    """
    if scheme in ("IOB2", "IOE2"):
        return scheme[2] in letters <= {"I", scheme[2]}
    last, single = ("E", "S") if scheme == "IOBES" else ("L", "U")
    return letters == {single} or {"B", last} <= letters <= {"I", "B", last, single}
