"""What is counted and how tags are read, said once for batches that nobody sees together."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Literal, Self, get_args

from isogloss.errors import DataError, UsageError
from isogloss.formats.lists import kind_of_both, span_pairs
from isogloss.formats.tag_lists import tag_pairs
from isogloss.kernel.arguments import one_of, strings
from isogloss.kernel.counting import count
from isogloss.kernel.provenance import Notice
from isogloss.kernel.signature import Signature
from isogloss.kernel.tally import Tally
from isogloss.runs.evidence import Method, TallyEvidence
from isogloss.runs.run import Run
from isogloss.spans.batches import SpanPairs, TagPairs
from isogloss.spans.decoder import Decoder
from isogloss.spans.scheme_detection import AUTO, Decision
from isogloss.spans.schemes import SCHEMES, Notation, Repair
from isogloss.tasks.ner.inputs import Decode
from isogloss.tasks.ner.options import PROFILES, NerOptions
from isogloss.tasks.ner.profiles import Profile
from isogloss.tasks.ner.reading import UNCHECKED, with_labels
from isogloss.tasks.ner.scoring import absent, measure, native
from isogloss.tasks.ner.task import SCORES
from isogloss.tasks.scoring_options import asked
from isogloss.version import __version__

Kind = Literal["tags", "spans"]


@dataclass(frozen=True)
class Terms:
    """The terms on which batches are counted.

    Args:
        definition: what is scored and how; its scheme is `auto` where none was named.
        notation: how tags are written, where no profile says it.

    Raises:
        UsageError: they leave something to be told from a whole corpus, or nothing reads them.
    """

    definition: NerOptions
    notation: Notation = "prefix"

    def __post_init__(self) -> None:
        one_of("notation", self.notation, get_args(Notation))
        if self.notation != "prefix" and (self.profile is not None or self.scheme is None):
            raise UsageError(f"notation is {self.notation!r}, which goes with a scheme and without a profile.")
        if self.profile is not None and self.profile.scores == "reference" and self.definition.labels is None:
            raise UsageError(
                f"The profile {self.profile.name} scores the labels of the whole reference, which no batch has: "
                "name them, labels=['PER', ...].",
            )
        if self.reads_tags:
            self.decoder()

    @property
    def scheme(self) -> str | None:
        """The tag scheme, None where none was named."""
        return None if self.definition.scheme == AUTO else self.definition.scheme

    @property
    def profile(self) -> Profile | None:
        """The tool whose definition is meant."""
        found: Profile | None = None if self.definition.profile is None else PROFILES.load(self.definition.profile)
        return found

    @property
    def reads_tags(self) -> bool:
        """Whether they say how tags are read."""
        return self.scheme is not None or (self.profile is not None and not self.profile.schemes)

    def decoder(self) -> Decode:
        """How tags become spans.

        Raises:
            UsageError: they do not say, or the profile does not offer it.
        """
        if not self.reads_tags:
            raise UsageError(
                "Tags are counted batch by batch, so their scheme cannot be told from all of them: "
                "name it, such as scheme='iob2'.",
            )
        if self.profile is not None:
            return self.profile.decoder(self.scheme, self.definition.repair)
        scheme = SCHEMES[self.definition.scheme]
        return Decoder(Decision(scheme, scheme, self.notation), self.definition.repair or "begin")

    def choices(self, kind: Kind | None) -> dict[str, str | int | float]:
        """What a signature says of them.

        Args:
            kind: what was counted, None for nothing yet but empty documents.
        """
        chosen: dict[str, str | int | float] = {}
        if self.reads_tags and kind != "spans":
            default = "begin" if self.profile is None else next(iter(self.profile.repairs), None)
            named = {"scheme": self.scheme, "repair": self.definition.repair or default}
            chosen |= {name: value for name, value in named.items() if value is not None}
        return chosen | self.definition.choices()

    def notices(self, kind: Kind | None) -> tuple[Notice, ...]:
        """What is to be said of all tags, whatever they are.

        Args:
            kind: what was counted, None for nothing yet but empty documents.
        """
        if kind == "spans" or self.profile is None or self.profile.schemes:
            return ()
        return (Notice(UNCHECKED, f"Tags are read as {self.profile.name} reads them; none is checked or counted."),)


FEW = 2**12  # distinct documents that are not worth a merge


class NamedEntityAccumulator:
    """Counts named entities batch by batch; what several of them have counted can be merged.

    It can be pickled, and so sent between processes.

    Args:
        scheme: tag scheme of both sides: `iob1`, `iob2`, `ioe1`, `ioe2`, `iobes`, `bilou`, `bmes`, `bmewo`, `io`.
            Left out where batches have spans, or the profile reads all tags by one rule.
        notation: how tags are written: `prefix` (`B-PER`), `suffix` (`PER-B`), or `bare` (`PER`, with `io`).
        repair: what to do about tags that do not fit: `begin` (the default), `discard` or `error`.
        profile: the tool whose figures are wanted, such as `seqeval`.
        labels: score only spans with these labels.
        zero_division: the value of 0/0: 0, 1, or None for undefined (nan).
        beta: weight of recall in the F-measure, above 0.
        macro_over: whether a mean runs over the labels of both sides (`union`) or of the `reference`.

    Raises:
        UsageError: options that cannot be meant, or that leave something to be told from a whole corpus.

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
        notation: Notation = "prefix",
        repair: Repair | None = None,
        profile: str | None = None,
        labels: Iterable[str] | None = None,
        zero_division: float | None = None,
        beta: float = 1.0,
        macro_over: Literal["union", "reference"] = "union",
    ) -> None:
        if scheme == AUTO:
            raise UsageError("scheme='auto' looks at a whole corpus before it decides: name one, such as 'iob2'.")
        definition = NerOptions(
            scheme=AUTO if scheme is None else scheme,
            repair=repair,
            profile=profile,
            labels=strings("labels", labels),
            zero_division=zero_division,
            beta=beta,
            macro_over=macro_over,
        )
        self._terms = Terms(definition, notation)
        self._metric = measure(profile, definition.metric_options())
        self.reset()

    @property
    def documents(self) -> int:
        """How many documents were counted."""
        return sum(tally.documents for tally in self._tallies)

    def update(self, predictions: Any, references: Any) -> None:
        """Count a batch of documents. If it fails, nothing of the batch is counted.

        Args:
            predictions: per document a list of tags; or a list of spans, as `isogloss.ner` takes them.
            references: likewise, with as many documents.

        Raises:
            UsageError: tags without a scheme, or tags on one side or in one batch and spans on the other.
            DataError: input that cannot be scored; the places it names are those of this batch.
        """
        kind = kind_of_both(references, predictions)
        if kind == "path":
            raise UsageError("An accumulator takes tags or spans, not paths: isogloss.ner reads files.")
        if kind == "tags":
            self.update_tags(tag_pairs(references, predictions))
        else:
            self._count(span_pairs(references, predictions), None if kind == "empty" else "spans")

    def update_tags(self, batches: Iterable[TagPairs]) -> None:
        """Count documents whose tags are codes already. If it fails, nothing of them is counted.

        Args:
            batches: documents with tags; those of one call are numbered in ascending order.

        Raises:
            UsageError: no scheme was named.
            DataError: tags that the scheme does not have, or that do not fit, where they are not repaired.
        """
        self._count(map(self._terms.decoder(), batches), "tags")

    def compute(
        self,
        *,
        confidence: float | None = None,
        resamples: int = 1000,
        seed: int = 12345,
        interval: Method = "bootstrap",
    ) -> Run:
        """Score all that was counted. Counting can go on afterwards.

        Args:
            confidence: level of the intervals in (0, 1), None for no intervals.
            resamples: number of resamples.
            seed: seed of the resamples.
            interval: how intervals are made: `bootstrap`, or `wilson` for scores that are plain proportions.

        Returns:
            The run, as of `isogloss.ner`, but without findings and single documents.

        Raises:
            DataError: nothing was counted.
            UsageError: options that cannot be meant.
        """
        wanted = asked(confidence, resamples, seed, findings=False, context=0, interval=interval)
        tally = self._settled()
        if tally is None or not tally.documents:
            raise DataError("There is no document to score.", remedy="Call update(predictions, references) first.")
        evidence = TallyEvidence(self._metric, tally, wanted.resampling)
        definition = self._terms.definition
        return Run(
            task="ner",
            system="prediction",
            signature=Signature("ner", __version__, {**self._terms.choices(self._kind), **wanted.choices()}),
            evidence=evidence,
            profile=definition.profile,
            warnings=(
                *self._terms.notices(self._kind),
                *self._notices,
                *wanted.notices(),
                *absent(definition.labels, evidence),
            ),
            native=native(definition.profile, evidence),
            catalogue=SCORES,
        )

    def reset(self) -> None:
        """Forget all that was counted."""
        self._kind: Kind | None = None
        self._notices: tuple[Notice, ...] = ()
        self._tallies: list[Tally] = []  # the first is of all that came before the others
        self._loose = 0  # distinct documents of those that are not put together yet

    def merge(self, other: NamedEntityAccumulator) -> Self:
        """Add what another one has counted of other documents. The order of merges changes nothing.

        Args:
            other: an accumulator with the same options; it stays as it is.

        Returns:
            This one, so that `functools.reduce(NamedEntityAccumulator.merge, parts)` adds all to the first.

        Raises:
            UsageError: its options are others, or one has tags and the other spans.
        """
        if getattr(other, "_terms", None) != self._terms:
            raise UsageError(f"What is counted in different ways cannot be merged: {self!r} and {other!r}.")
        self._add(other._tallies, other._notices, other._kind)
        return self

    merge_state = merge  # the name that torchmetrics has for it

    def gathered(self) -> Self:
        """What all processes of `torch.distributed` have counted, in each of them; all of them have to call it.

        Returns:
            A new accumulator: the sum, or a copy of this one where there is no process group.
        """
        total = copy(self)
        total.reset()
        for part in _of_all_processes(self):
            total.merge(part)
        return total

    def __repr__(self) -> str:
        shown = {**self._terms.choices(None), "notation": self._terms.notation, "documents": self.documents}
        return f"<{type(self).__name__} {', '.join(f'{name}={value!r}' for name, value in shown.items())}>"

    def _count(self, batches: Iterator[SpanPairs], kind: Kind | None) -> None:
        if kind == "spans" and self._terms.scheme is not None:
            raise UsageError(f"Spans have no tag scheme: make the accumulator without {self._terms.scheme!r}.")
        first = next(batches, None)
        if first is None:
            return
        wanted = with_labels(chain([first], batches), self._terms.definition.labels)
        counted = count(wanted, self._metric, may_be_empty=True)
        self._add([counted.tally], counted.notices, kind)

    def _add(self, tallies: list[Tally], notices: tuple[Notice, ...], kind: Kind | None) -> None:
        if None not in (kind, self._kind) and kind != self._kind:
            raise UsageError(f"{kind} cannot be counted together with {self._kind}, which were counted before.")
        self._kind = self._kind or kind
        placeless = (replace(notice, where=None) for notice in notices)  # the first place depends on the order
        found = Notice.merge((*self._notices, *placeless))
        self._notices = tuple(sorted(found, key=lambda notice: (notice.code, notice.message)))
        self._loose += sum(len(tally.times) for tally in tallies)
        self._tallies += tallies
        if self._loose >= max([FEW, *(len(tally.times) for tally in self._tallies[:1])]):
            self._settled()

    def _settled(self) -> Tally | None:
        """All tallies as one, None if there is none."""
        if len(self._tallies) > 1:
            self._tallies = [Tally.merge(self._tallies)]
        self._loose = 0
        return next(iter(self._tallies), None)


def _of_all_processes(own: NamedEntityAccumulator) -> list[NamedEntityAccumulator]:
    torch: Any = sys.modules.get("torch")  # nobody has made a process group without importing it
    if torch is None or not torch.distributed.is_available() or not torch.distributed.is_initialized():
        return [own]
    found: list[Any] = [None] * torch.distributed.get_world_size()
    torch.distributed.all_gather_object(found, own)
    return found
