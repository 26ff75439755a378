"""The join of the errors of two runs equals a plain loop over dictionaries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from isogloss.kernel.findings import Finding, Mark
from isogloss.runs.finding_columns import FindingColumns
from isogloss.runs.finding_join import CLASSES, NO_POSITION, FindingJoin, join_findings

Place = tuple[str, str, str | None, int, int]
KINDS = ("missed", "wrong_type", "correct", "excused")


def make_finding(document: int, start: int, kind: str, label: str) -> Finding:
    marks = [Mark("reference", "PER", start, start + 1), Mark("predicted", label, start, start + 1)]
    return Finding(kind, str(document), "a:1", tuple(marks[: 1 if kind == "missed" else 2]))


finding = st.builds(
    make_finding, st.integers(1, 4), st.integers(0, 2), st.sampled_from(KINDS), st.sampled_from(("PER", "LOC"))
)
findings = st.lists(finding, max_size=10).map(lambda some: sorted(some, key=lambda one: one.document))


def group_errors(some: Sequence[Finding]) -> dict[Place, list[int]]:
    """Positions of errors by document and first mark."""
    found: dict[Place, list[int]] = defaultdict(list)
    for k, one in enumerate(some):
        if one.kind not in ("correct", "excused"):
            own = one.marks[0]
            found[one.document, own.side, own.label, own.start, own.end].append(k)
    return found


def join_slowly(first: Sequence[Finding], second: Sequence[Finding]) -> set[tuple[str, int, int]]:
    """Class and positions of all rows, by a plain loop."""
    rows: set[tuple[str, int, int]] = set()
    a, b = group_errors(first), group_errors(second)
    for place in a.keys() | b.keys():
        own, other = a.get(place, []), b.get(place, [])
        for k in range(max(len(own), len(other))):
            if k >= len(other):
                rows.add(("fixed", own[k], NO_POSITION))
            elif k >= len(own):
                rows.add(("broken", NO_POSITION, other[k]))
            else:
                x, y = first[own[k]], second[other[k]]
                alike = x.kind == y.kind and {m.label for m in x.marks} == {m.label for m in y.marks}
                rows.add(("both_wrong" if alike else "changed", own[k], other[k]))
    return rows


def join(first: Sequence[Finding], second: Sequence[Finding]) -> FindingJoin:
    return join_findings(*map(FindingColumns.from_findings, (first, second)))


def to_rows(found: FindingJoin) -> list[tuple[str, int, int]]:
    return [
        (CLASSES[number], a, b)
        for number, a, b in zip(found.classes.tolist(), found.first.tolist(), found.second.tolist(), strict=True)
    ]


@given(findings, findings)
def test_join_equals_a_loop(first: list[Finding], second: list[Finding]) -> None:
    found = join(first, second)
    assert len(found.classes) == len(join_slowly(first, second))
    assert set(to_rows(found)) == join_slowly(first, second)
    assert found.count_classes() == {
        name: sum(own == name for own, *_ in join_slowly(first, second)) for name in CLASSES
    }


@given(findings, findings)
def test_rows_are_in_the_order_of_documents(first: list[Finding], second: list[Finding]) -> None:
    names = [(first[a] if a != NO_POSITION else second[b]).document for _, a, b in to_rows(join(first, second))]
    assert len([k for k in range(len(names)) if k == 0 or names[k] != names[k - 1]]) == len(set(names))
    for some in (first, second):
        own = [one.document for one in some if one.kind not in ("correct", "excused")]
        assert [name for name in dict.fromkeys(names) if name in own] == list(dict.fromkeys(own))


@given(findings, findings)
def test_swapped_runs_swap_fixed_and_broken(first: list[Finding], second: list[Finding]) -> None:
    swapped = {"fixed": "broken", "broken": "fixed"}
    assert {(swapped.get(name, name), b, a) for name, a, b in to_rows(join(first, second))} == set(
        to_rows(join(second, first))
    )


def test_errors_of_two_systems_by_hand() -> None:
    first = [make_finding(document, 0, "missed", "PER") for document in (1, 2, 3)]
    second = [make_finding(2, 0, "wrong_type", "LOC"), *(make_finding(k, 0, "missed", "PER") for k in (3, 4))]
    assert to_rows(join(first, second)) == [
        ("fixed", 0, NO_POSITION),
        ("changed", 1, 0),
        ("both_wrong", 2, 1),
        ("broken", NO_POSITION, 2),
    ]
