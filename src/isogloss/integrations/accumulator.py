"""Count named entities batch by batch, and merge counts of several processes."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Literal, Self, get_args

from isogloss.errors import DataError, UsageError
from isogloss.formats.python_arguments import detect_common_kind
from isogloss.formats.python_lists import batch_span_lists, batch_tag_lists
from isogloss.kernel.argument_checks import check_choice, check_strings
from isogloss.kernel.counted_corpus import count_batches
from isogloss.kernel.provenance import RunWarning
from isogloss.kernel.tally import Tally
from isogloss.runs.evidence import ResamplingMethod, TallyEvidence
from isogloss.runs.run import Run
from isogloss.spans.batches import DecodeTags, SpanPairs, TagPairs
from isogloss.spans.decoder import Decoder
from isogloss.spans.scheme_detection import AUTO, SchemeDecision
from isogloss.spans.schemes import SCHEMES, TagNotation, TagRepair
from isogloss.tasks.ner.options import PROFILES, NerOptions
from isogloss.tasks.ner.profiles import NerProfile
from isogloss.tasks.ner.reading import filter_labels, warn_unchecked_tags
from isogloss.tasks.ner.scoring import find_absent_labels, make_metric, make_tool_output, warn_absent_labels
from isogloss.tasks.ner.task import TASK
from isogloss.tasks.run_building import build_run
from isogloss.tasks.scoring_options import build_scoring_options

InputKind = Literal["tags", "spans"]


def _refuse_rules(labels: Any) -> Any:
    """Return labels, and refuse rules for labels.

    Raises:
        UsageError: if they are rules.
    """
    if isinstance(labels, Mapping):
        raise UsageError("labels with rules cannot be used here: score files or lists with isogloss.ner.")
    return labels


@dataclass(frozen=True)
class CountingOptions:
    """How batches are counted.

    Args:
        definition: the definition of the scores; its scheme is `auto` if no scheme was named.
        notation: how tags are written, unless a profile defines it.

    Raises:
        UsageError: if an option would have to be detected from a whole corpus, or has no effect.
    """

    definition: NerOptions
    notation: TagNotation = "prefix"

    def __post_init__(self) -> None:
        check_choice("notation", self.notation, get_args(TagNotation))
        if self.notation != "prefix" and (self.profile is not None or self.scheme is None):
            raise UsageError(f"notation is {self.notation!r}, which requires a scheme and no profile.")
        if self.profile is not None and self.profile.scored_labels == "reference" and self.definition.labels is None:
            raise UsageError(
                f"The profile {self.profile.name} scores the labels of the whole reference, which no batch has: "
                "name them, labels=['PER', ...].",
            )
        if self.has_tag_options:
            self.build_decoder()

    @property
    def scheme(self) -> str | None:
        """The tag scheme, None if no scheme was named."""
        return None if self.definition.scheme == AUTO else self.definition.scheme

    @property
    def profile(self) -> NerProfile | None:
        """The profile, None for the definition of isogloss."""
        loaded: NerProfile | None = None if self.definition.profile is None else PROFILES.load(self.definition.profile)
        return loaded

    @property
    def has_tag_options(self) -> bool:
        """Whether the options define how tags are read."""
        return self.scheme is not None or (self.profile is not None and not self.profile.schemes)

    def build_decoder(self) -> DecodeTags:
        """Build the decoder from tags to spans.

        Raises:
            UsageError: if the options do not define it, or the profile does not support it.
        """
        if not self.has_tag_options:
            raise UsageError(
                "Tags are counted batch by batch, so their scheme cannot be detected: name it, such as scheme='iob2'.",
            )
        if self.profile is not None:
            return self.profile.build_decoder(self.scheme, self.definition.repair)
        scheme = SCHEMES[self.definition.scheme]
        return Decoder(SchemeDecision(scheme, scheme, self.notation), self.definition.repair or "begin")

    def build_choices(self, kind: InputKind | None) -> dict[str, str | int | float]:
        """Return the choices for a signature.

        Args:
            kind: the kind of documents that were counted, None if there were only empty documents so far.
        """
        chosen: dict[str, str | int | float] = {}
        if self.has_tag_options and kind != "spans":
            default = "begin" if self.profile is None else next(iter(self.profile.repairs), None)
            named = {"scheme": self.scheme, "repair": self.definition.repair or default}
            chosen |= {name: value for name, value in named.items() if value is not None}
        return chosen | self.definition.choices()

    def list_warnings(self, kind: InputKind | None) -> tuple[RunWarning, ...]:
        """Return the warnings that apply to all tags.

        Args:
            kind: the kind of documents that were counted, None if there were only empty documents so far.
        """
        if kind == "spans" or self.profile is None or self.profile.schemes:
            return ()
        return (warn_unchecked_tags(self.profile),)


MIN_MERGED_ROWS = 2**12  # distinct documents below which a merge is not worthwhile


class NamedEntityAccumulator:
    """A counter of named entities, batch by batch.

    The counts of several accumulators can be merged.

    It can be pickled, and so sent between processes.

    Args:
        scheme: tag scheme of both sides: `iob1`, `iob2`, `ioe1`, `ioe2`, `iobes`, `bilou`, `bmes`, `bmewo`, `io`.
            None if batches have spans, or the profile reads all tags by one rule.
        notation: how tags are written: `prefix` (`B-PER`), `suffix` (`PER-B`), or `bare` (`PER`, with `io`).
        repair: how invalid tags are handled: `begin` (the default), `discard` or `error`.
        profile: the tool whose scores to reproduce, such as `seqeval`.
        labels: the labels to score; None for all.
        zero_division: the value of 0/0: 0, 1, or None for undefined (nan).
        beta: weight of recall in the F-measure, above 0.
        macro_over: whether a mean runs over the labels of both sides (`union`) or of the `reference`.

    Raises:
        UsageError: if options are invalid, or would have to be detected from a whole corpus.

    Examples:
        >>> counted = NamedEntityAccumulator(scheme="iob2")
        >>> counted.update(predictions=[["B-PER", "O"]], references=[["B-PER", "I-PER"]])
        >>> counted.update(predictions=[["B-LOC"]], references=[["B-LOC"]])
        >>> counted.compute().scores["partial"].f1
        0.75
    """

    def __init__(  # noqa: PLR0913  the options of `isogloss.ner`: each is independent
        self,
        *,
        scheme: str | None = None,
        notation: TagNotation = "prefix",
        repair: TagRepair | None = None,
        profile: str | None = None,
        labels: Iterable[str] | None = None,
        zero_division: float | None = None,
        beta: float = 1.0,
        macro_over: Literal["union", "reference"] = "union",
    ) -> None:
        if scheme == AUTO:
            raise UsageError("scheme='auto' requires a whole corpus: name a scheme, such as 'iob2'.")
        definition = NerOptions(
            scheme=AUTO if scheme is None else scheme,
            repair=repair,
            profile=profile,
            labels=check_strings("labels", _refuse_rules(labels)),
            zero_division=zero_division,
            beta=beta,
            macro_over=macro_over,
        )
        self._terms = CountingOptions(definition, notation)
        self._metric = make_metric(profile, definition.metric_options())
        self.reset()

    @property
    def documents(self) -> int:
        """Number of documents that were counted."""
        return sum(tally.documents for tally in self._tallies)

    def update(self, predictions: Any, references: Any) -> None:
        """Count a batch of documents.

        If this fails, no document of the batch is counted.

        Args:
            predictions: per document a list of tags, or a list of spans as for `isogloss.ner`.
            references: per document a list of tags or of spans, with as many documents.

        Raises:
            UsageError: if tags have no scheme, or tags and spans are mixed between sides or batches.
            DataError: if the input cannot be scored; its places are indices of this batch.
        """
        kind = detect_common_kind(references, predictions)
        if kind == "path":
            raise UsageError("An accumulator takes tags or spans, not paths: isogloss.ner reads files.")
        if kind == "tags":
            self.update_tags(batch_tag_lists(references, predictions))
        else:
            self._count_batches(batch_span_lists(references, predictions), None if kind == "empty" else "spans")

    def update_tags(self, batches: Iterable[TagPairs]) -> None:
        """Count documents whose tags are already codes.

        If this fails, no document is counted.

        Args:
            batches: documents with tags; those of one call are numbered in ascending order.

        Raises:
            UsageError: if no scheme was named.
            DataError: if a tag is not in the scheme, or is invalid and not repaired.
        """
        self._count_batches(map(self._terms.build_decoder(), batches), "tags")

    def compute(
        self,
        *,
        confidence: float | None = None,
        resamples: int = 1000,
        seed: int = 12345,
        interval: ResamplingMethod = "auto",
    ) -> Run:
        """Score all documents that were counted. Counting can continue afterwards.

        Args:
            confidence: level of the intervals in (0, 1), None for no intervals.
            resamples: number of resamples.
            seed: seed of the resamples.
            interval: method of the intervals: `auto`, `bootstrap`, or `wilson` for plain proportions.

        Returns:
            The run, as of `isogloss.ner`, but without findings and single documents.

        Raises:
            DataError: if no document was counted.
            UsageError: if options are invalid.
        """
        scoring_options = build_scoring_options(
            confidence, resamples, seed, findings=False, context=0, interval=interval
        )
        tally = self._merge_tallies()
        if tally is None or not tally.documents:
            raise DataError("There is no document to score.", remedy="Call update(predictions, references) first.")
        evidence = TallyEvidence(self._metric, tally, scoring_options.resampling)
        definition = self._terms.definition
        return build_run(
            TASK,
            "prediction",
            None,
            evidence,
            scoring_options,
            self._terms.build_choices(self._kind) | scoring_options.list_choices(),
            rescore=None,
            profile=definition.profile,
            warnings=(
                *self._terms.list_warnings(self._kind),
                *self._warnings,
                *scoring_options.find_warnings(),
                *warn_absent_labels(find_absent_labels(definition.labels, evidence)),
            ),
            tool_output=make_tool_output(definition.profile, evidence),
        )

    def reset(self) -> None:
        """Forget all counts."""
        self._kind: InputKind | None = None
        self._warnings: tuple[RunWarning, ...] = ()
        self._tallies: list[Tally] = []  # the first is the sum of all before the others
        self._unmerged_rows = 0  # distinct documents that are not merged yet

    def merge(self, other: NamedEntityAccumulator) -> Self:
        """Add the counts of another accumulator of other documents.

        The order of merges does not matter.

        Args:
            other: an accumulator with the same options; it stays unchanged.

        Returns:
            This accumulator, so that `functools.reduce(NamedEntityAccumulator.merge, parts)` adds all to the first.

        Raises:
            UsageError: if its options differ, or one has tags and the other spans.
        """
        if getattr(other, "_terms", None) != self._terms:
            raise UsageError(f"Accumulators with different options cannot be merged: {self!r} and {other!r}.")
        self._add_tallies(other._tallies, other._warnings, other._kind)
        return self

    merge_state = merge  # its name in torchmetrics

    def gather(self) -> Self:
        """Add the counts of all processes of `torch.distributed`.

        All of them must call it.

        Returns:
            A new accumulator: the sum, or a copy of this one without a process group.
        """
        total = copy(self)
        total.reset()
        for part in _gather_processes(self):
            total.merge(part)
        return total

    def __repr__(self) -> str:
        shown = {**self._terms.build_choices(None), "notation": self._terms.notation, "documents": self.documents}
        return f"<{type(self).__name__} {', '.join(f'{name}={value!r}' for name, value in shown.items())}>"

    def _count_batches(self, batches: Iterator[SpanPairs], kind: InputKind | None) -> None:
        if kind == "spans" and self._terms.scheme is not None:
            raise UsageError(f"Spans have no tag scheme: create the accumulator without {self._terms.scheme!r}.")
        first = next(batches, None)
        if first is None:
            return
        batches_to_count = filter_labels(chain([first], batches), self._terms.definition.labels)
        counted = count_batches(batches_to_count, self._metric, may_be_empty=True)
        self._add_tallies([counted.tally], counted.warnings, kind)

    def _add_tallies(self, tallies: list[Tally], warnings: tuple[RunWarning, ...], kind: InputKind | None) -> None:
        if None not in (kind, self._kind) and kind != self._kind:
            raise UsageError(f"{kind} cannot be counted together with {self._kind}, which were counted before.")
        self._kind = self._kind or kind
        placeless = (replace(warning, where=None) for warning in warnings)  # the first place depends on the order
        merged = RunWarning.merge((*self._warnings, *placeless))
        self._warnings = tuple(sorted(merged, key=lambda warning: (warning.code, warning.message)))
        self._unmerged_rows += sum(len(tally.times) for tally in tallies)
        self._tallies += tallies
        if self._unmerged_rows >= max([MIN_MERGED_ROWS, *(len(tally.times) for tally in self._tallies[:1])]):
            self._merge_tallies()

    def _merge_tallies(self) -> Tally | None:
        """Return all tallies as one, None if there is no tally."""
        if len(self._tallies) > 1:
            self._tallies = [Tally.merge(self._tallies)]
        self._unmerged_rows = 0
        return next(iter(self._tallies), None)


def _gather_processes(own: NamedEntityAccumulator) -> list[NamedEntityAccumulator]:
    torch: Any = sys.modules.get("torch")  # a process group requires that torch was imported
    if torch is None or not torch.distributed.is_available() or not torch.distributed.is_initialized():
        return [own]
    gathered: list[Any] = [None] * torch.distributed.get_world_size()
    torch.distributed.all_gather_object(gathered, own)
    return gathered
