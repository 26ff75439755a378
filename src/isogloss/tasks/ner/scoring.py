"""Score named entities: read, decide the tag scheme once, decode, align, count, and hand out a `Run`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from isogloss import __version__
from isogloss.errors import UsageError
from isogloss.kernel.arguments import number_between, one_of, strings
from isogloss.kernel.counting import Find
from isogloss.kernel.metric import Metric
from isogloss.kernel.provenance import Notice
from isogloss.kernel.scores import path
from isogloss.kernel.signature import Signature
from isogloss.runs.evidence import Evidence, Method
from isogloss.runs.metric_spec import Recipe
from isogloss.runs.run import Run
from isogloss.spans.batches import SpanPairs
from isogloss.spans.scheme_detection import AUTO
from isogloss.spans.schemes import SCHEMES, Repair
from isogloss.tasks.counting import collect, evidence_of
from isogloss.tasks.document_columns import with_slices
from isogloss.tasks.ner.events import Events, errors
from isogloss.tasks.ner.inputs import Layout, Pairs, opened
from isogloss.tasks.ner.metric import NamedEntities
from isogloss.tasks.ner.profiles import PROFILES, Profile
from isogloss.tasks.ner.reading import Reading, read, read_as
from isogloss.tasks.ner.span_slices import (
    SEEN,
    SlicedEntities,
    columns_of_spans,
    known_of,
    sliced,
    spans_of,
    trained_on,
)
from isogloss.tasks.scoring_options import By, Wanted, asked

ABSENT = "label-absent"
LARGEST_BETA = 1e6  # beyond, F is recall to all digits


@dataclass(frozen=True)
class Definition:
    """What is scored and how.

    Args:
        scheme: tag scheme, or `auto`.
        repair: what to do about tags that do not fit the scheme; None for `begin`, or what the profile does.
        profile: another tool whose definition is meant, None for the default one.
        labels: only spans with these labels, None for all.
        zero_division: the value of 0/0, None for undefined, or what the profile takes.
        beta: weight of recall in the F-measure.
        macro_over: which labels enter a mean.
    """

    scheme: str = AUTO
    repair: Repair | None = None
    profile: str | None = None
    labels: tuple[str, ...] | None = None
    zero_division: float | None = None
    beta: float = 1.0
    macro_over: Literal["union", "reference"] = "union"

    def __post_init__(self) -> None:
        one_of("scheme", self.scheme, (AUTO, *SCHEMES))
        one_of("repair", self.repair, (None, *get_args(Repair)))
        one_of("profile", self.profile, (None, *PROFILES.names()) if self.profile is not None else (None,))
        one_of("macro_over", self.macro_over, ("union", "reference"))
        number_between("beta", self.beta, 0, LARGEST_BETA, "2")
        if isinstance(self.zero_division, bool) or self.zero_division not in (None, 0, 1):
            raise UsageError(f"zero_division is {self.zero_division!r}, but it is 0, 1 or left out.")

    def options(self) -> dict[str, str | float]:
        """What differs from the defaults of a metric."""
        chosen: dict[str, str | float] = {}
        if self.beta != 1:
            chosen["beta"] = float(self.beta)
        if self.zero_division is not None:
            chosen["zero_division"] = float(self.zero_division)
        if self.macro_over != "union":
            chosen["macro_over"] = self.macro_over
        return chosen

    def choices(self) -> dict[str, str | int | float]:
        """What the signature says of them."""
        chosen: dict[str, str | int | float] = {} if self.profile is None else {"profile": self.profile}
        if self.profile is None:
            zero = "undefined" if self.zero_division is None else self.zero_division
            chosen |= {"beta": self.beta, "zero-division": zero, "macro-over": self.macro_over}
        else:
            chosen |= {name.replace("_", "-"): value for name, value in self.options().items()}
        if self.labels is not None:
            chosen["labels"] = ",".join(path((label,)) for label in sorted(set(self.labels)))
        return chosen


def ner(  # noqa: PLR0913  the fixed public call: each option is independent
    reference: Any,
    prediction: Any = None,
    *,
    scheme: str = AUTO,
    repair: Repair | None = None,
    profile: str | None = None,
    labels: Iterable[str] | None = None,
    zero_division: float | None = None,
    beta: float = 1.0,
    macro_over: Literal["union", "reference"] = "union",
    by: By = (),
    training: Any = None,
    confidence: float | None = None,
    resamples: int = 1000,
    unit: str = "document",
    interval: Method = "bootstrap",
    seed: int = 12345,
    findings: bool | int = False,
    context: int = 3,
    input_format: str | None = None,
    prediction_format: str | None = None,
    columns: Sequence[int | str] | None = None,
    ignore_tokens: bool = False,
    strict_spans: bool = False,
    repair_offsets: bool = False,
    answers: str | None = None,
) -> Run:
    """Score predicted named entities against a reference.

    Args:
        reference: a path, a list of tag lists, or per document a list of spans: `(start, end, label)` half-open, dicts
            with these keys, or objects with these attributes.
        prediction: likewise; may be left out when the reference is a CoNLL file with a column for it.
        scheme: `iob1`, `iob2`, `ioe1`, `ioe2`, `iobes`, `bilou`, `bmes`, `bmewo`, `io`, or `auto`: by the tags.
        repair: what to do about tags that do not fit the scheme: `begin` a span there (the default), `discard` the
            span, or `error`.
        profile: the tool whose figures are wanted: `seqeval`, `seqeval-strict`, `conlleval`, `seqscore`, `nervaluate`,
            `spacy`, `fair`.
        labels: score only spans with these labels.
        zero_division: the value of 0/0: 0, 1, or None for undefined (nan).
        beta: weight of recall in the F-measure, above 0.
        macro_over: whether a mean runs over the labels of both sides (`union`) or of the `reference`.
        by: columns whose values are scored apart, too, such as `file` or `entity_length`; or per column the value of
            each document.
        training: for `by="seen"`, the path of the training data, in any of the formats.
        confidence: level of the bootstrap intervals in (0, 1), None for no intervals.
        resamples: number of resamples.
        unit: `document`, or the column whose values are resampled as a whole.
        interval: how intervals are made: `bootstrap`, or `wilson` for scores that are plain proportions of independent
            units; the others have the bootstrap then, too.
        seed: seed of the resamples.
        findings: whether to keep every wrong span with its context; a number keeps the first so many.
        context: words of context on each side of a finding.
        input_format: the format of the files, such as `brat`; None to recognise it.
        prediction_format: that of the prediction, if it is another.
        columns: columns of CoNLL files, from 1, from the end below 0: (token, tag), or (token, reference, prediction);
            names where columns have names.
        ignore_tokens: whether the tokens of the files may differ.
        strict_spans: whether spans that are not of one piece are refused, and not counted as their hull.
        repair_offsets: whether offsets that are off by a known slip are put right.
        answers: the field with what a model answered, to be read as mentions.

    Returns:
        The run, with scores, warnings and signature.

    Raises:
        UsageError: options or arguments that cannot be meant.
        DataError: input that cannot be scored; it says where, what and what to do.

    Examples:
        >>> run = ner([["B-PER", "I-PER", "O"]], [["B-PER", "O", "O"]])
        >>> run.scores["partial"].f1
        0.5
    """
    definition = Definition(
        scheme=scheme,
        repair=repair,
        profile=profile,
        labels=strings("labels", labels),
        zero_division=zero_division,
        beta=beta,
        macro_over=macro_over,
    )
    wanted = asked(confidence, resamples, seed, findings, context, by=by, unit=unit, interval=interval)
    layout = Layout(
        input_format=input_format,
        prediction_format=prediction_format,
        columns=columns,
        ignore_tokens=ignore_tokens,
        strict_spans=strict_spans,
        repair_offsets=repair_offsets,
        answers=answers,
        attributes=wanted.attributes,
    )
    trained = None if training is None else trained_on(training, layout)
    return score(opened(reference, prediction, layout), definition, wanted, trained)


def score(pairs: Pairs, definition: Definition, wanted: Wanted, training: Pairs | None = None) -> Run:
    """Score one system.

    Args:
        pairs: the input.
        definition: what is scored and how.
        wanted: what else.
        training: the training data, for the slices `seen`.

    Raises:
        UsageError: for options that cannot be meant, or that the profile does not have.
        DataError: for input that cannot be scored.
    """
    reading, metric = _read(pairs, definition)
    batches, by_span, of_documents = columns_of_spans(reading.spans, wanted)
    if training is not None and SEEN not in by_span:
        raise UsageError(
            "Training data tells which names are seen, which nobody asked for: say --by seen (by=['seen'])."
        )
    by: SlicedEntities | None = None
    if by_span:
        trained = None if training is None else spans_of(training, definition.scheme)
        by = metric = sliced(metric, by_span, pairs, trained)
    collected = collect(batches, metric, _finder(wanted.context, definition.profile), of_documents, known_of(pairs))
    ingredients: dict[str, Any] = {"profile": definition.profile, "options": definition.options()}
    if by is not None:
        by = metric = by.with_frequency(collected.tally.total())
        collected.findings = [with_slices(finding, by.told(finding)) for finding in collected.findings]
        ingredients["slices"] = by.ingredients()
    evidence = evidence_of(collected, metric, of_documents, Recipe("isogloss.tasks.ner.scoring:measure", ingredients))
    choices = {**pairs.choices, **reading.choices, **definition.choices(), **wanted.choices()}
    choices |= {"spans-by": "+".join(by_span)} if by_span else {}
    return Run(
        task="ner",
        system=pairs.system,
        signature=Signature("ner", __version__, choices),
        evidence=evidence,
        profile=definition.profile,
        findings=tuple(collected.findings),
        warnings=(*reading.notices, *collected.notices, *absent(definition.labels, evidence)),
        inputs=pairs.inputs(),
        listed=wanted.findings != 0,
        native=native(definition.profile, evidence),
        every=evidence.every,
        documents_digest=collected.digest,
        again=lambda: score(pairs, definition, wanted.only_documents(), training),
    )


def measure(
    profile: str | None, options: Mapping[str, Any], slices: Mapping[str, Any] | None = None
) -> Metric[SpanPairs]:
    """What is counted and scored.

    Args:
        profile: another tool whose definition is meant, None for the default one.
        options: what differs from the defaults, as `Definition.options` gives it.
        slices: by which properties of spans they were counted, as `SlicedEntities.ingredients` gives it.
    """
    if profile is None:
        return NamedEntities(**options) if slices is None else SlicedEntities(NamedEntities(**options), **slices)
    tool: Profile = PROFILES.load(profile)
    metric: Metric[SpanPairs] = tool.configured(**options)
    return metric


def _read(pairs: Pairs, definition: Definition) -> tuple[Reading, Metric[SpanPairs]]:
    how = pairs, definition.scheme, definition.repair, definition.labels
    metric = measure(definition.profile, definition.options())
    if definition.profile is None:
        return read(*how), metric
    return read_as(PROFILES.load(definition.profile), *how), metric


def native(profile: str | None, evidence: Evidence) -> Mapping[str, Any]:
    """Keys and values as the tool of a profile writes them itself; none of other profiles."""
    written = None if profile is None else PROFILES.load(profile).native
    return {} if written is None else written(evidence.numbers)


def absent(labels: Iterable[str] | None, evidence: Evidence) -> tuple[Notice, ...]:
    """What to say of labels that were asked for and that no span has."""
    if labels is None:
        return ()  # without the work of scoring, which may never be asked for
    found = {key[1] for key in evidence.numbers if key[0] == "by_label"}
    return tuple(Notice(ABSENT, f"No span has the label {label!r}.") for label in labels if label not in found)


def _finder(context: int, profile: str | None) -> Find[SpanPairs]:
    pair = None if profile is None else PROFILES.load(profile).pair
    return lambda batch, limit: errors(batch, context, limit, pair or Events.of)
