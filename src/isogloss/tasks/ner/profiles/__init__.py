"""Profiles: the figures of other tools, their quirks included.

A profile says how a tool reads tags and what it counts. Each is tested against the tool itself. What it reproduces, and
the few exceptions, are numbered in the docstring of its module in `rules`.

    profile = PROFILES.load("seqscore")
    decode = profile.decoder("iob2", "discard")     # where the input has tags
    metric = profile.configured(beta=1.0)

Spans that come as spans are scored as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from isogloss.errors import UsageError
from isogloss.kernel.metric import Metric
from isogloss.kernel.scores import ScoreKey
from isogloss.spans.batches import SpanPairs, TagPairs
from isogloss.spans.schemes import TagRepair
from isogloss.tasks.ner.events import SpanEvents

ProfileDecoder = Callable[[TagPairs], SpanPairs]
ToolNumber = int | float


@dataclass(frozen=True)
class NerProfile:
    """The definition of another tool.

    Args:
        name: its name in `PROFILES`.
        metric: what it counts and scores, with the defaults of the tool; a frozen dataclass.
        read: (scheme, repair) -> how it reads tags; asked with values that it offers only. None where it is about spans
            alone: tags are read as without a profile.
        schemes: the tag schemes that it tells apart; empty when it reads all tags by one rule.
        repairs: what it can do about tags that do not fit, its default first; empty when it has one way only.
        options: fields of `metric` that its users can set.
        scores: the labels that are scored unless the user names some: those of either side, or those of the reference.
        native: keys and values as the tool itself writes them, from the numbers; None where it writes none.
        pair: which spans make up its errors; None where it has none, and those of the default are shown.
    """

    name: str
    metric: Metric[SpanPairs]
    make_decoder: Callable[[str, TagRepair], ProfileDecoder] | None
    schemes: tuple[str, ...] = ()
    repairs: tuple[TagRepair, ...] = ()
    options: frozenset[str] = frozenset()
    scored_labels: Literal["all", "reference"] = "all"
    tool_output: Callable[[Mapping[ScoreKey, ToolNumber]], Mapping[str, Any]] | None = None
    pair_spans: Callable[[SpanPairs], SpanEvents] | None = None

    def build_decoder(self, scheme: str | None = None, repair: TagRepair | None = None) -> ProfileDecoder:
        """How the tool reads tags.

        Args:
            scheme: one of `schemes`, already decided; None when there are none.
            repair: one of `repairs`, None for the default of the tool.

        Returns:
            A callable from `TagPairs` to `SpanPairs`, which raises `TagError` where the tool refuses a tag.

        Raises:
            UsageError: for what the tool does not offer.
        """
        if self.make_decoder is None:
            raise UsageError(f"The profile {self.name} is about spans: tags are read as without it.")
        if scheme not in (self.schemes or (None,)):
            raise UsageError(
                f"The profile {self.name} {self._describe_schemes()}, not by the scheme {scheme or 'auto'}."
            )
        if repair not in (None, *self.repairs):
            raise UsageError(f"The profile {self.name} {self._describe_repairs()}; {repair!r} is none of its repairs.")
        return self.make_decoder(scheme or "", repair or (self.repairs[0] if self.repairs else "begin"))

    def configure_metric(self, **options: Any) -> Metric[SpanPairs]:
        """The metric with options set by the user.

        Raises:
            UsageError: for an option that the tool does not have.
        """
        unknown = sorted(options.keys() - self.options)
        if unknown:
            having = f"has only {', '.join(sorted(self.options))}" if self.options else "has no options"
            raise UsageError(f"The profile {self.name} {having}: {', '.join(unknown)} cannot be set.")
        changed: Metric[SpanPairs] = replace(self.metric, **options)  # type: ignore[type-var]  # metrics are dataclasses
        return changed

    def _describe_schemes(self) -> str:
        return f"reads tags by {', '.join(self.schemes)}" if self.schemes else "reads all tags by one rule of its own"

    def _describe_repairs(self) -> str:
        return f"offers {', '.join(self.repairs)}" if self.repairs else "has its own way with tags that do not fit"


def list_reference_labels(batches: Iterable[SpanPairs]) -> tuple[str, ...]:
    """The labels of all reference spans, ascending."""
    found: set[str] = set()
    for batch in batches:
        found.update(batch.labels[code] for code in set(batch.reference.label.tolist()))
    return tuple(sorted(found))
