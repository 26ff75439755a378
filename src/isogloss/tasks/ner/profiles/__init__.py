"""Profiles of named entities: the figures of other tools, quirks included.

A profile reads tags and counts as a tool does. Each profile is tested against the tool itself. The docstring of its
module numbers what it reproduces, and the exceptions.

    profile = PROFILES.load("seqscore")
    decode = profile.build_decoder("iob2", "discard")     # for an input with tags
    metric = profile.configure_metric(beta=1.0)

If the input has spans instead of tags, they are scored as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from isogloss.errors import UsageError
from isogloss.kernel.metric import Metric
from isogloss.kernel.scores import ScoreKey
from isogloss.spans.batches import DecodeTags, SpanPairs
from isogloss.spans.schemes import TagRepair
from isogloss.tasks.ner.findings import SpanEvents

ToolNumber = int | float


@dataclass(frozen=True)
class NerProfile:
    """The definition of another tool.

    Args:
        name: name in `PROFILES`.
        metric: the metric with the defaults of the tool; a frozen dataclass.
        make_decoder: (scheme, repair) -> decoder of tags, called with supported values only. None if the tool scores
            spans only: tags are read as without a profile.
        schemes: the supported tag schemes; empty if the tool reads all tags by one rule.
        repairs: the supported repairs, the default first; empty if the tool has no choice.
        options: fields of `metric` that users can set.
        scored_labels: labels to score unless the user names some: `all`, or those of the `reference`.
        tool_output: builds keys and values as the tool writes them, from the numbers; None if it writes none.
        pair_spans: builds the events of the tool for findings; None for those of the default definition.
        maps_labels: whether labels of spans can be changed before scoring; not if the tool judges tags while it reads.
    """

    name: str
    metric: Metric[SpanPairs]
    make_decoder: Callable[[str, TagRepair], DecodeTags] | None
    schemes: tuple[str, ...] = ()
    repairs: tuple[TagRepair, ...] = ()
    options: frozenset[str] = frozenset()
    scored_labels: Literal["all", "reference"] = "all"
    tool_output: Callable[[Mapping[ScoreKey, ToolNumber]], Mapping[str, Any]] | None = None
    pair_spans: Callable[[SpanPairs], SpanEvents] | None = None
    maps_labels: bool = True

    def build_decoder(self, scheme: str | None = None, repair: TagRepair | None = None) -> DecodeTags:
        """Build the decoder of tags.

        Args:
            scheme: one of `schemes`, already detected; None if `schemes` is empty.
            repair: one of `repairs`, None for the default of the tool.

        Returns:
            A callable from `TagPairs` to `SpanPairs`, which raises `TagError` if the tool refuses a tag.

        Raises:
            UsageError: if the tool does not support the scheme or repair.
        """
        if self.make_decoder is None:
            raise UsageError(f"--profile {self.name} has no tag decoder: it scores spans. Read the tags without it.")
        if scheme not in (self.schemes or (None,)):
            choices = f"Choose from {', '.join(self.schemes)}." if self.schemes else "Leave the scheme out."
            raise UsageError(f"--profile {self.name} does not support --scheme {scheme or 'auto'}. {choices}")
        if repair not in (None, *self.repairs):
            choices = f"Choose from {', '.join(self.repairs)}." if self.repairs else "Leave the repair out."
            raise UsageError(f"--profile {self.name} does not support --repair {repair}. {choices}")
        return self.make_decoder(scheme or "", repair or (self.repairs[0] if self.repairs else "begin"))

    def configure_metric(self, **options: Any) -> Metric[SpanPairs]:
        """Return the metric with options set by the user.

        Args:
            **options: metric options that differ from the defaults.

        Raises:
            UsageError: if the tool does not support an option.
        """
        unknown = sorted(options.keys() - self.options)
        if unknown:
            choices = f"Choose from {', '.join(sorted(self.options))}." if self.options else "Leave the option out."
            raise UsageError(f"--profile {self.name} does not support {', '.join(unknown)}. {choices}")
        changed: Metric[SpanPairs] = replace(self.metric, **options)  # type: ignore[type-var]  # metrics are dataclasses
        return changed


def list_reference_labels(batches: Iterable[SpanPairs]) -> tuple[str, ...]:
    """Return the labels of all reference spans, ascending."""
    labels: set[str] = set()
    for batch in batches:
        labels.update(batch.labels[code] for code in set(batch.reference.label.tolist()))
    return tuple(sorted(labels))
