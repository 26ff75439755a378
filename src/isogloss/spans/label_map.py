"""Label maps: rules that change the labels of spans, and parents.

    default = "keep"                # labels that no rule names: "keep", "drop", or the label they get
    drop = ["CARDINAL", "ORDINAL"]
    keep = ["NORP"]                 # kept, also if the default is another

    [rename]
    PERSON = "PER"

    [merge]
    LOC = ["GPE", "FAC"]

    [parents]
    City = "LOC"

    [prediction.rename]             # of one side: [reference] and [prediction] have rename, merge, drop, keep, default
    COMPANY = "ORG"

Definition
    1. All rules are applied at once to the label as it is read, so a renamed label is not renamed again.
    2. `default` holds for labels that no rule names: not as a label that changes, not as the label it becomes, and not
       among the parents.
    3. Spans change their label only. Tags are not touched, and spans that become equal stay several spans.
    4. Parents are those of the new labels. The level of a root is 0, that of a child one more than its parent's. At
       level k, a label below it is replaced by its ancestor at level k; all other labels stay.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Self

import msgspec
import numpy as np

from isogloss.kernel.provenance import SIDES, RunWarning, Side
from isogloss.kernel.scores import Ints, format_path
from isogloss.records.sources import Source
from isogloss.spans.batches import SpanPairs, Spans
from isogloss.spans.label_names import find_similar_name

RuleKind = Literal["rename", "merge", "drop", "keep", "default", "parents"]
KEEP, DROP = "keep", "drop"
UNUSED_RULE = "label-rule-unused"
MAX_NAMED_RULES = 10  # with a warning each
MAX_COMPARED = 1000  # labels of a side that a suggestion is chosen from, the most frequent ones
HASH_LETTERS = 8


@dataclass(frozen=True)
class LabelRule:
    """A rule for one label.

    Args:
        kind: the key of the map that has the rule.
        label: the label that the rule changes; None for the default.
        target: the label it becomes, or its parent; None if its spans are dropped.
        sides: the sides that the rule holds for.
        place: keys of the rule in the map.
    """

    kind: RuleKind
    label: str | None
    target: str | None
    sides: tuple[Side, ...]
    place: tuple[str, ...]

    @property
    def key(self) -> str:
        """Key of the rule in the map, such as `prediction.rename.PERSON`."""
        return format_path(self.place)


@dataclass(frozen=True)
class RuleCount:
    """Number of spans that a rule touched.

    Args:
        rule: kind of the rule: `rename`, `merge`, `drop`, `keep`, `default` or `parents`.
        label: the label that it changes; None for the default.
        to: the label it becomes, or its parent; None if its spans are dropped.
        reference: spans of the reference; None if the rule does not hold for the reference.
        predicted: spans of the prediction; None if the rule does not hold for the prediction.
    """

    rule: str
    label: str | None
    to: str | None
    reference: int | None
    predicted: int | None


@dataclass(frozen=True)
class LabelMap:
    """Rules for labels, without conflicts; `label_map_file` builds it.

    Args:
        rules: the rules, in order.
        defaults: per side what happens to labels that no rule names: `keep`, `drop`, or the label they get.
        source: the file with the rules; None for a dictionary.
    """

    rules: tuple[LabelRule, ...]
    defaults: Mapping[Side, str] = field(default_factory=lambda: dict.fromkeys(SIDES, KEEP))
    source: Source | None = field(default=None, compare=False, repr=False)

    @cached_property
    def parents(self) -> dict[str, str]:
        """The parent of each label that has one."""
        return {rule.label or "": rule.target or "" for rule in self.rules if rule.kind == "parents"}

    @cached_property
    def targets(self) -> dict[Side, dict[str, str | None]]:
        """Per side the new label of each label that a rule names.

        It is None for a label that is dropped.
        """
        by_side: dict[Side, dict[str, str | None]] = {}
        for side in SIDES:
            rules = [rule for rule in self._renaming_rules if side in rule.sides]
            named = [*(rule.target for rule in rules), *self.parents, *self.parents.values()]
            by_side[side] = {name: name for name in named if name is not None}
            by_side[side] |= {rule.label or "": rule.target for rule in rules}
        return by_side

    @property
    def _renaming_rules(self) -> list[LabelRule]:
        return [rule for rule in self.rules if rule.kind not in ("parents", "default")]

    @cached_property
    def short_hash(self) -> str:
        """Hash of what the rules do, for the signature.

        Rules that do the same have the same hash, in whatever order and under whatever key they are.
        """
        sides = {side: [sorted(self._list_changes(side)), self.defaults[side]] for side in SIDES}
        text = json.dumps([sides, sorted(self.parents.items())], ensure_ascii=False, sort_keys=True)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:HASH_LETTERS]

    def _list_changes(self, side: Side) -> Iterator[list[str]]:
        """List what the rules do on a side.

        What the default does anyway is left out.
        """
        for label, target in self.targets[side].items():
            if target != label or self.defaults[side] != KEEP:
                yield [label] if target is None else [label, target]

    def rename_label(self, label: str, side: Side) -> str | None:
        """Return the new label, None if its spans are dropped.

        Args:
            label: a label as read.
            side: the side that has it.
        """
        own = self.targets[side]
        if label in own:
            return own[label]
        default = self.defaults[side]
        return label if default == KEEP else None if default == DROP else default

    def apply(self, batch: SpanPairs) -> SpanPairs:
        """Return a batch with new labels, without dropped spans.

        Args:
            batch: documents with spans.
        """
        new = {side: [self.rename_label(label, side) for label in batch.labels] for side in SIDES}
        labels = tuple(sorted({name for names in new.values() for name in names if name is not None}))
        place: dict[str | None, int] = {None: -1} | {name: k for k, name in enumerate(labels)}
        codes = {side: np.array([place[name] for name in names], np.int64) for side, names in new.items()}  # (labels,)
        return replace(
            batch,
            labels=labels,
            reference=recode_labels(batch.reference, codes["reference"]),
            predicted=recode_labels(batch.predicted, codes["predicted"]),
            tokens=None,
            lengths=batch.lengths if batch.tokens is None else batch.tokens.total,
        )


def recode_labels(spans: Spans, codes: Ints) -> Spans:
    """Replace codes of labels, and drop spans with code -1.

    Args:
        spans: spans of one side.
        codes: (labels,) the new code of each code.
    """
    label = codes[spans.label]
    if (label < 0).any():
        spans, label = spans.take(label >= 0), label[label >= 0]
    changed = replace(spans, label=label)
    same = (spans.row[1:] == spans.row[:-1]) & (spans.start[1:] == spans.start[:-1]) & (spans.end[1:] == spans.end[:-1])
    if (same & (label[1:] < label[:-1])).any():
        return Spans.from_unsorted(changed.row, changed.start, changed.end, changed.label)
    return changed


class LabelMapper:
    """Application of a map, with the spans of each label.

    Args:
        label_map: the rules.
    """

    def __init__(self, label_map: LabelMap) -> None:
        self.label_map = label_map
        self._spans: dict[Side, Counter[str]] = {side: Counter() for side in SIDES}

    def to_state(self) -> dict[str, Any]:
        """Return rules and numbers of spans as plain values."""
        source = self.label_map.source
        return {
            "rules": [msgspec.to_builtins(rule) for rule in self.label_map.rules],
            "defaults": dict(self.label_map.defaults),
            "file": None if source is None else source.path,
            "spans": {side: dict(self._spans[side]) for side in SIDES},
        }

    @classmethod
    def from_states(cls, states: Sequence[Mapping[str, Any]]) -> Self:
        """Build a mapper with the spans of several.

        Args:
            states: values of `to_state` with the same rules; at least one.
        """
        rules = tuple(msgspec.convert(rule, LabelRule) for rule in states[0]["rules"])
        file = states[0]["file"]
        mapper = cls(LabelMap(rules, states[0]["defaults"], None if file is None else Source(file)))
        for state in states:
            for side in SIDES:
                mapper._spans[side].update(state["spans"][side])
        return mapper

    def map_batches(self, batches: Iterable[SpanPairs]) -> Iterator[SpanPairs]:
        """Yield batches with new labels, and count the old ones."""
        for batch in batches:
            for side, spans in zip(SIDES, (batch.reference, batch.predicted), strict=True):
                number = np.bincount(spans.label, minlength=len(batch.labels)).tolist()
                self._spans[side].update({label: n for label, n in zip(batch.labels, number, strict=True) if n})
            yield self.label_map.apply(batch)

    def count_rules(self) -> tuple[RuleCount, ...]:
        """Return the number of spans that each rule touched, in order."""
        touched = {side: self._count_spans(side) for side in SIDES}
        return tuple(
            RuleCount(
                rule.kind,
                rule.label,
                rule.target,
                *(touched[side][rule.kind == "parents", rule.label] if side in rule.sides else None for side in SIDES),
            )
            for rule in self.label_map.rules
        )

    def _count_spans(self, side: Side) -> Counter[tuple[bool, str | None]]:
        """Count the spans of a side that rules touched.

        The keys are whether the rule is a parent, and its label. A rule with a parent touches the spans with its label
        or a label below it.
        """
        counts: Counter[tuple[bool, str | None]] = Counter()
        for label, number in self._spans[side].items():
            counts[False, label if label in self.label_map.targets[side] else None] += number
            for ancestor in list_ancestors(self.label_map.rename_label(label, side), self.label_map.parents):
                counts[True, ancestor] += number
        return counts

    def warn_unused_rules(self) -> tuple[RunWarning, ...]:
        """Warn about rules that touched no span.

        The warning has the label that may be meant.
        """
        unused = [
            rule
            for rule, count in zip(self.label_map.rules, self.count_rules(), strict=True)
            if rule.label is not None and not count.reference and not count.predicted
        ]
        named = [self._warn_unused_rule(rule) for rule in unused[:MAX_NAMED_RULES]]
        others = unused[MAX_NAMED_RULES:]
        more = [RunWarning(UNUSED_RULE, "More rules of --labels touch no span.", len(others))] if others else []
        return (*named, *more)

    def _warn_unused_rule(self, rule: LabelRule) -> RunWarning:
        frequent = [(side, label) for side in rule.sides for label, _ in self._spans[side].most_common(MAX_COMPARED)]
        labels: set[str | None] = {label for _, label in frequent}
        if rule.kind == "parents":
            labels = {self.label_map.rename_label(label, side) for side, label in frequent}
        close = find_similar_name(rule.label or "", sorted(label for label in labels if label is not None))
        meant = "." if close is None else f"; did you mean {close}?"
        message = f"The rule {rule.key} of --labels touches no span: no span has the label {rule.label!r}{meant}"
        where = None if self.label_map.source is None else self.label_map.source.name
        return RunWarning(UNUSED_RULE, message, where=where)


def count_rules(mapper: LabelMapper | None) -> tuple[RuleCount, ...]:
    """Return the number of spans that each rule touched; empty without rules.

    Args:
        mapper: the mapper after all batches; None without rules.
    """
    return () if mapper is None else mapper.count_rules()


def warn_unused_rules(mapper: LabelMapper | None) -> tuple[RunWarning, ...]:
    """Warn about rules that touched no span; empty without rules.

    Args:
        mapper: the mapper after all batches; None without rules.
    """
    return () if mapper is None else mapper.warn_unused_rules()


def list_ancestors(label: str | None, parents: Mapping[str, str]) -> list[str]:
    """List a label and its ancestors, the root last.

    Args:
        label: a label; None for none.
        parents: the parent of each label that has one.
    """
    ancestors: list[str] = []
    while label is not None:
        ancestors.append(label)
        label = parents.get(label)
    return ancestors


def count_levels(parents: Mapping[str, str]) -> int:
    """Return the number of levels, 1 without parents."""
    return max((len(list_ancestors(label, parents)) for label in parents), default=1)


def raise_label(label: str, level: int, parents: Mapping[str, str]) -> str:
    """Return the ancestor of a label at a level.

    A label at or above the level stays.

    Args:
        label: a label.
        level: 0 for roots.
        parents: the parent of each label that has one.
    """
    ancestors = list_ancestors(label, parents)
    return ancestors[max(0, len(ancestors) - 1 - level)]
