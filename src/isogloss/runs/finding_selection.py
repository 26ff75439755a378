"""Selection of the findings that a person looks at.

Findings are selected by kind, label and column; of those, the first or a sample.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from isogloss.errors import UsageError
from isogloss.kernel.argument_checks import closest
from isogloss.kernel.findings import Finding


@dataclass(frozen=True)
class FindingSelection:
    """Which findings are shown.

    Args:
        number: largest number of findings, or of documents if several systems are shown together.
        kinds: kinds to show, empty for all.
        labels: labels to show, of either side, empty for all.
        where: per column the values to show, empty for all.
        seed: seed of a random sample; None for the first ones.
        documents: largest number of documents whose findings were kept; None for all.
        findings: largest number of findings that were kept; None for all.
    """

    number: int = 0
    kinds: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    where: Mapping[str, frozenset[str]] = field(default_factory=dict)
    seed: int | None = None
    documents: int | None = None
    findings: int | None = None

    @property
    def needs_all(self) -> bool:
        """Whether all findings must be collected before some are selected."""
        return bool(self.kinds or self.labels or self.where or self.seed is not None)

    def lacks_findings(self, findings: Sequence[Finding]) -> bool:
        """Check whether a run may have more findings than these."""
        if self.findings is not None and len(findings) >= self.findings:
            return True
        return self.documents is not None and len({finding.document for finding in findings}) >= self.documents

    @property
    def is_filter(self) -> bool:
        """Whether findings are left out for another reason than their number."""
        return bool(self.kinds or self.labels or self.where)

    def filter(self, findings: Iterable[Finding]) -> list[Finding]:
        """Return the findings with the requested kinds, labels and values."""
        return [finding for finding in findings if self._accepts(finding)]

    def select(self, findings: Sequence[Finding]) -> tuple[Finding, ...]:
        """Return the findings that are shown, in their order."""
        selected = self.filter(findings) if self.is_filter else findings
        if self.seed is None or len(selected) <= self.number:
            return tuple(selected[: self.number])
        chosen = sample_over_groups([finding.document for finding in selected], self.number, self.seed)
        return tuple(selected[k] for k in chosen)

    def select_documents(self, documents: Sequence[str]) -> list[str]:
        """Return the documents that are shown, in their order."""
        if self.seed is None or len(documents) <= self.number:
            return list(documents[: self.number])
        return [documents[k] for k in sample_over_groups(documents, self.number, self.seed)]

    def check_kinds(self, known: Iterable[str]) -> None:
        """Check the requested kinds.

        Args:
            known: the kinds of findings that the runs count or list; empty to accept any.

        Raises:
            UsageError: if no finding can have a requested kind.
        """
        kinds = sorted({*known})
        for kind in self.kinds:
            if kinds and kind not in kinds:
                close = closest(kind, kinds)
                meant = "." if close is None else f"; did you mean {close}?"
                raise UsageError(f"No error has the kind {kind!r}{meant} The kinds are {', '.join(kinds)}.")

    def _accepts(self, finding: Finding) -> bool:
        slices = finding.extra.get("slices") or {}
        return (
            (not self.kinds or finding.kind in self.kinds)
            and (not self.labels or any(mark.label in self.labels for mark in finding.marks))
            and all(str(slices.get(column)) in values for column, values in self.where.items())
        )


def sample_over_groups(groups: Sequence[str], number: int, seed: int) -> list[int]:
    """Sample positions at random, spread over groups.

    No group has two more than another that has some left.

    Args:
        groups: (items,) the group of each item.
        number: number of positions, at most one per item.
        seed: seed of the sample.

    Returns:
        The positions, ascending.
    """
    from random import Random  # noqa: PLC0415  its hash functions take time to import

    generator = Random(seed)  # noqa: S311  a sample, no secret
    members: dict[str, list[int]] = {}
    for k, group in enumerate(groups):
        members.setdefault(group, []).append(k)
    for own in members.values():
        generator.shuffle(own)
    order = generator.sample(sorted(members), len(members))
    rounds = max(map(len, members.values()), default=0)
    turns = [members[group][turn] for turn in range(rounds) for group in order if turn < len(members[group])]
    return sorted(turns[:number])


def parse_conditions(texts: Iterable[str]) -> dict[str, frozenset[str]]:
    """Parse conditions such as `genre=news`; several values of one column are alternatives.

    Args:
        texts: the conditions, COLUMN=VALUE.

    Raises:
        UsageError: if a text has no column.
    """
    conditions: dict[str, frozenset[str]] = {}
    for text in texts:
        column, equals, value = text.partition("=")
        if not column or not equals:
            raise UsageError(f"--where must be COLUMN=VALUE, such as genre=news, got {text!r}.")
        conditions[column] = conditions.get(column, frozenset()) | {value}
    return conditions


def merge_document_order(lists: Iterable[Sequence[str]]) -> list[str]:
    """Merge the documents of several systems into one list.

    The documents of each system are in the order of the corpus, and so is the merged list.

    Args:
        lists: the documents of each system; some systems lack some.
    """
    merged: list[str] = []
    for documents in lists:
        at, known = 0, {name: k for k, name in enumerate(merged)}
        parts: dict[int, list[str]] = {}
        for name in dict.fromkeys(documents):
            if name in known:
                at = known[name] + 1
            else:
                parts.setdefault(at, []).append(name)
        merged = [each for k in range(len(merged) + 1) for each in (*parts.get(k, ()), *merged[k : k + 1])]
    return merged
