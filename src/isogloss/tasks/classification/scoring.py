"""Score text classification: read, decide once whether labels exclude each other, count, rank, and hand out a `Run`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from isogloss import __version__
from isogloss.errors import UsageError
from isogloss.kernel.counting import Find
from isogloss.kernel.findings import Finding
from isogloss.kernel.provenance import Notice, Passage, Side
from isogloss.kernel.signature import Signature
from isogloss.runs.evidence import Evidence, Method
from isogloss.runs.metric_spec import Recipe
from isogloss.runs.ranking_evidence import RankingEvidence
from isogloss.runs.run import Run
from isogloss.tasks.classification import metric
from isogloss.tasks.classification.findings import errors
from isogloss.tasks.classification.inputs import Documents, blocks, one_label_each, opened, remarks
from isogloss.tasks.classification.label_matrix import LabelledDocuments
from isogloss.tasks.classification.metric import DEFAULT, Averaging
from isogloss.tasks.classification.profiles import PROFILES, Options
from isogloss.tasks.classification.profiles import make_scoring as default_scoring
from isogloss.tasks.counting import counted
from isogloss.tasks.document_columns import BUILT_IN, Known
from isogloss.tasks.reference_digest import hash_labels, held_alone
from isogloss.tasks.scoring_options import By, Wanted, asked

MODE = "labels-detected"
TEXTUAL = frozenset(BUILT_IN)


@dataclass(frozen=True)
class Definition:
    """What is scored and how.

    Args:
        multi_label: whether a document may have several labels; None to tell by the gold.
        threshold: a label is given from this score on, where a document may have several.
        thresholds: other thresholds for some labels.
        profile: another tool whose definition is meant, None for the default one.
        zero_division: the value of 0/0, None for undefined.
        beta: weight of recall in the F-measure.
        macro_over: which labels enter a mean of precision, recall and F.
        best_threshold: whether the threshold with the highest F of each label is wanted.
        positive_label: of two labels that exclude each other, the one that the profile looks at.
    """

    multi_label: bool | None = None
    threshold: float = DEFAULT
    thresholds: Mapping[str, float] = field(default_factory=dict)
    profile: str | None = None
    zero_division: float | None = None
    beta: float = 1.0
    macro_over: Literal["union", "reference"] = "union"
    best_threshold: bool = False
    positive_label: str | None = None

    def __post_init__(self) -> None:
        if not 0 < self.beta < math.inf:
            raise UsageError(f"beta is {self.beta}, but the weight of recall is a number above 0.")
        if self.zero_division not in (None, 0, 1):
            raise UsageError(f"zero_division is {self.zero_division}, but it is 0, 1 or left out.")
        if self.positive_label is not None and self.profile is None:
            raise UsageError("positive_label is an option of the profile spacy.")
        for threshold in (self.threshold, *self.thresholds.values()):
            if isinstance(threshold, str) or math.isnan(threshold):
                raise UsageError(f"threshold is {threshold!r}, but it is a number.")

    def options(self, *, multi_label: bool) -> Options:
        """What a definition of scores is asked for.

        Raises:
            UsageError: for thresholds where labels exclude each other.
        """
        if not multi_label and (self.threshold != DEFAULT or self.thresholds):
            raise UsageError(
                "A threshold decides where a document may have several labels. Here labels exclude each other, and the "
                "highest score decides; say --multi-label (multi_label=True) if that is not meant."
            )
        zero = math.nan if self.zero_division is None else float(self.zero_division)
        averaging = Averaging() if math.isnan(zero) else Averaging(zero)
        averaging = replace(averaging, beta=float(self.beta), macro_over=self.macro_over)
        return Options(
            multi_label, self.threshold, self.thresholds, averaging, self.best_threshold, self.positive_label
        )

    def choices(self, *, multi_label: bool) -> dict[str, str | int | float]:
        """What the signature says."""
        chosen: dict[str, str | int | float] = {} if self.profile is None else {"profile": self.profile}
        chosen["labels"] = "multiple" if multi_label else "exclusive"
        if multi_label:
            others = (f"{label}={float(value):g}" for label, value in sorted(self.thresholds.items()))
            chosen["threshold"] = ",".join((f"{float(self.threshold):g}", *others))
        if self.profile is None:
            zero = "undefined" if self.zero_division is None else self.zero_division
            return chosen | {"beta": float(self.beta), "zero-division": zero, "macro-over": self.macro_over}
        return chosen | ({} if self.positive_label is None else {"positive-label": self.positive_label})


def classification(  # noqa: PLR0913  the fixed public call: each option is independent
    gold: Any,
    scores: Any = None,
    *,
    threshold: float | Mapping[str, float] = DEFAULT,
    profile: str | None = None,
    labels: Sequence[str] | None = None,
    multi_label: bool | None = None,
    zero_division: float | None = None,
    beta: float = 1.0,
    macro_over: Literal["union", "reference"] = "union",
    best_threshold: bool = False,
    positive_label: str | None = None,
    by: By = (),
    confidence: float | None = None,
    resamples: int = 1000,
    unit: str = "document",
    interval: Method = "bootstrap",
    seed: int = 12345,
    findings: bool | int = False,
) -> Run:
    """Score text classification.

    Args:
        gold: per document its label, a list of its labels, or a mapping of labels to 0, 1 or None for unknown; an array
            (documents, labels) of 0 and 1; or a path.
        scores: per document a mapping of labels to numbers, or the label or labels that it is given; an array
            (documents, labels) of numbers; or a path. May be left out when `gold` is a path to JSON lines with both.
        threshold: where a document may have several labels, those are given whose score is at least this; a mapping
            has the thresholds of some labels, 0.5 for the others.
        profile: the tool whose figures are wanted: `spacy`.
        labels: what the columns of arrays stand for.
        multi_label: whether a document may have several labels; None to tell by the gold: not if it is one label each.
        zero_division: the value of 0/0: 0, 1, or None for undefined (nan).
        beta: weight of recall in the F-measure, above 0.
        macro_over: whether means of precision, recall and F run over the labels of both sides (`union`) or of the
            `reference`.
        best_threshold: whether to look for the threshold with the highest F of each label.
        positive_label: with the profile `spacy`, of two labels that exclude each other the one whose F is the score.
        by: columns whose values are scored apart, too, such as `file`; or per column the value of each document.
        confidence: level of the intervals in (0, 1), None for no intervals.
        resamples: number of resamples, for intervals that are not DeLong's.
        unit: `document`, or the column whose values are resampled as a whole.
        interval: how intervals are made: `bootstrap`, or `wilson` for scores that are plain proportions of independent
            units; the others have the bootstrap then, too.
        seed: seed of the resamples.
        findings: whether to keep every wrong label; a number keeps the first so many.

    Returns:
        The run, with scores, warnings and signature.

    Raises:
        UsageError: options or arguments that cannot be meant.
        DataError: input that cannot be scored; it says where, what and what to do.

    Examples:
        >>> run = classification(["a", "b"], [{"a": 0.9, "b": 0.1}, {"a": 0.6, "b": 0.4}])
        >>> run.scores["overall"].accuracy, run.scores["roc_auc"].macro
        (0.5, 1.0)
    """
    of_labels = threshold if isinstance(threshold, Mapping) else {}
    definition = Definition(
        multi_label=multi_label,
        threshold=DEFAULT if isinstance(threshold, Mapping) else threshold,
        thresholds=of_labels,
        profile=profile,
        zero_division=zero_division,
        beta=beta,
        macro_over=macro_over,
        best_threshold=best_threshold,
        positive_label=positive_label,
    )
    wanted = asked(confidence, resamples, seed, findings, 0, by=by, unit=unit, interval=interval)
    return score(opened(gold, scores, labels, attributes=wanted.attributes), definition, wanted)


def score(documents: Documents, definition: Definition, wanted: Wanted) -> Run:
    """Score one system.

    Raises:
        UsageError: for options that cannot be meant, or that the profile does not have.
        DataError: for input that cannot be scored.
    """
    read = documents.read(wanted.findings != 0 or not TEXTUAL.isdisjoint(wanted.columns))
    multi_label = read.kind != "label" if definition.multi_label is None else definition.multi_label
    options = definition.options(multi_label=multi_label)
    table = read.documents if multi_label or read.kind == "label" else one_label_each(read.documents)
    scoring = (PROFILES.load(definition.profile) if definition.profile else default_scoring)(options, table)
    find = None if wanted.findings == 0 else _finder(options)
    recipe = Recipe(f"{__name__}:measure", _ingredients(definition, table, multi_label=multi_label))
    known = Known(documents.columns, reference=None if held_alone(documents.sources) else digest_labels, text="text")
    collected, counts = counted(blocks(table), scoring.counted, find, wanted, recipe, known)
    evidence: Evidence = counts
    ranked = table.scores is not None
    if ranked:
        evidence = RankingEvidence(counts, scoring.ordering, scoring.rank(table), wanted.resampling)
    decided = _mode(multi_label=multi_label) if definition.multi_label is None else ()
    choices = _choices(definition, wanted, multi_label=multi_label, ranked=ranked)
    return Run(
        task="classification",
        system=documents.system,
        signature=Signature("classification", __version__, choices),
        evidence=evidence,
        profile=definition.profile,
        findings=tuple(collected.findings),
        warnings=(*decided, *collected.notices, *remarks(table, multi_label=multi_label)),
        inputs=documents.inputs(),
        listed=wanted.findings != 0,
        native={} if scoring.native is None else scoring.native(evidence.numbers),
        every=counts.every,
        documents_digest=collected.digest,
        again=lambda: score(documents, definition, wanted.only_documents()),
    )


def measure(definition: Mapping[str, Any], labels: Sequence[str], *, multi_label: bool, order: bool = False) -> Any:
    """What is counted and scored, or with `order` what scores a ranking.

    Args:
        definition: arguments of `Definition`.
        labels: those of the documents.
        multi_label: whether a document may have several.
        order: whether the scores of the order of documents are meant.
    """
    options = Definition(**definition).options(multi_label=multi_label)
    made = PROFILES.load(definition["profile"]) if definition["profile"] else default_scoring
    shape = (1, len(labels))
    names = tuple(labels)
    zeros = LabelledDocuments(np.arange(1), names, np.zeros(shape, np.int8), np.zeros(shape), None, _Nowhere())
    scoring = made(options, zeros)
    return scoring.ordering if order else scoring.counted


def _ingredients(definition: Definition, table: LabelledDocuments, *, multi_label: bool) -> dict[str, Any]:
    """What `measure` needs to make the metric again."""
    names = ("multi_label", "threshold", "profile", "zero_division", "beta", "macro_over", "best_threshold")
    chosen = {name: getattr(definition, name) for name in (*names, "positive_label")}
    chosen["thresholds"] = dict(definition.thresholds)
    return {"definition": chosen, "labels": list(table.labels), "multi_label": multi_label}


class _Nowhere:
    """The origin of documents that are not there."""

    def name(self, row: int) -> str:
        """Not asked for."""
        raise NotImplementedError

    def where(self, row: int, position: int, side: Side) -> str:
        """Not asked for."""
        raise NotImplementedError

    def passage(self, row: int) -> Passage | None:
        """Not asked for."""
        raise NotImplementedError


def _choices(
    definition: Definition, wanted: Wanted, *, multi_label: bool, ranked: bool
) -> dict[str, str | int | float]:
    drawn = wanted.choices()
    return definition.choices(multi_label=multi_label) | drawn | ({"roc-auc": "delong"} if drawn and ranked else {})


def _finder(options: Options) -> Find[LabelledDocuments]:
    def find(batch: LabelledDocuments, limit: int) -> list[Finding]:
        if options.multi_label:
            taken = metric.choose_labels(batch, options.threshold, options.thresholds)
        else:
            codes = metric.choose_label(batch)
            taken = codes[:, None] == np.arange(len(batch.labels))
        return errors(batch, taken, limit, exclusive=not options.multi_label)

    return find


def _mode(*, multi_label: bool) -> Iterable[Notice]:
    if multi_label:
        return [Notice(MODE, "The gold has lists or values of labels: a document may have several (multi-label).")]
    return [Notice(MODE, "The gold has one label per document: labels exclude each other, the highest score decides.")]


def digest_labels(batch: LabelledDocuments) -> bytes:
    """Document and label of each label of the gold."""
    rows, columns = np.nonzero(batch.gold == 1)
    hashes = hash_labels(batch.labels)[columns]
    order = np.lexsort((hashes, rows))  # systems may know of other labels
    return np.column_stack((batch.documents[rows][order], hashes[order])).tobytes()
