"""Rules for labels: what they do to labels, what is refused and where, and how the hash depends on them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from isogloss.errors import SourceError, UsageError
from isogloss.spans.label_map import count_levels, raise_label
from isogloss.spans.label_map_file import load_label_map

FILE = """\
default = "keep"
drop = [
    "CARDINAL",
    "ORDINAL",
]

[rename]
PERSON = "PER"  # as in the reference
"DATE.TIME" = "DATE"

[merge]
LOC = ["GPE", "FAC"]

[parents]
City = "LOC"

[prediction.rename]
COMPANY = "ORG"
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "map.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_and_a_dictionary_have_the_same_rules(tmp_path: Path) -> None:
    rules = {
        "default": "keep",
        "drop": ["CARDINAL", "ORDINAL"],
        "rename": {"PERSON": "PER", "DATE.TIME": "DATE"},
        "merge": {"LOC": ["GPE", "FAC"]},
        "parents": {"City": "LOC"},
        "prediction": {"rename": {"COMPANY": "ORG"}},
    }
    one, other = load_label_map(write(tmp_path, FILE)), load_label_map(rules)
    assert one == other
    assert one.short_hash == other.short_hash


@pytest.mark.parametrize(
    ("label", "reference", "predicted"),
    [
        ("PERSON", "PER", "PER"),
        ("GPE", "LOC", "LOC"),
        ("CARDINAL", None, None),
        ("COMPANY", "COMPANY", "ORG"),
        ("OTHER", "OTHER", "OTHER"),
    ],
)
def test_a_label_has_its_new_name_on_each_side(
    tmp_path: Path, label: str, reference: str | None, predicted: str | None
) -> None:
    found = load_label_map(write(tmp_path, FILE))
    assert (found.rename_label(label, "reference"), found.rename_label(label, "predicted")) == (reference, predicted)


def test_rules_are_applied_once() -> None:
    found = load_label_map({"rename": {"A": "B", "B": "A", "C": "A"}})
    assert [found.rename_label(label, "reference") for label in "ABC"] == ["B", "A", "A"]


def test_the_default_spares_labels_that_a_rule_names() -> None:
    rules = {"default": "drop", "keep": ["NORP"], "rename": {"PERSON": "PER"}, "parents": {"City": "LOC"}}
    found = load_label_map(rules)
    labels = ("NORP", "PERSON", "PER", "City", "LOC", "DATE")
    assert [found.rename_label(label, "predicted") for label in labels] == ["NORP", "PER", "PER", "City", "LOC", None]


def test_a_side_can_have_a_default_of_its_own() -> None:
    found = load_label_map({"prediction": {"default": "OTHER"}, "keep": ["PER"]})
    assert (found.rename_label("X", "reference"), found.rename_label("X", "predicted")) == ("X", "OTHER")


def test_rules_with_one_effect_have_one_hash() -> None:
    one = load_label_map({"rename": {"GPE": "LOC", "FAC": "LOC"}})
    assert one.short_hash == load_label_map({"merge": {"LOC": ["FAC", "GPE"]}}).short_hash
    assert one.short_hash == load_label_map({"merge": {"LOC": ["FAC", "GPE"]}, "keep": ["PER"]}).short_hash
    assert one.short_hash != load_label_map({"merge": {"LOC": ["FAC"]}}).short_hash
    assert one.short_hash != load_label_map({"prediction": {"merge": {"LOC": ["FAC", "GPE"]}}}).short_hash


FAULTS: list[tuple[str, int | None, str]] = [
    (
        '[rename]\nA = "B"\n\n[merge]\nC = [\n  "D",\n  "A",\n]\n',
        7,
        "merge.C.A: the label 'A' has another rule, rename.A",
    ),
    ('drop = ["A"]\n[rename]\nA = "B"\n', 1, "drop.A: the label 'A' has another rule, rename.A"),
    ('[rename]\nA = "B"\n[prediction]\ndrop = ["A"]\n', 4, "prediction.drop.A: the label 'A' has another rule"),
    ('[parents]\nA = "B"\nC = "D"\nD = "C"\n', 3, "parents.C: the parents form a cycle: C → D → C"),
    ('[parents]\nA = "A"\n', 2, "parents.A: the parents form a cycle: A → A"),
    ('[parents]\nA = ["B", "C"]\n', 2, "parents.A: the label has several parents, B and C"),
    ('[rename]\nA = "B"\n[parents]\nA = "C"\n', 4, "parents.A: the label is renamed to 'B' by rename.A"),
    ('drop = ["A"]\n[parents]\nA = "C"\n', 3, "parents.A: the label is dropped by drop"),
    ('[renam]\nA = "B"\n', 1, "renam: unknown key; did you mean rename?"),
    ('[reference.parents]\nA = "B"\n', 1, "reference.parents: unknown key"),
    ("[rename]\nA = 1\n", 2, "rename.A: must be a label, got 1"),
    ('[merge]\nA = "B"\n', 2, "merge.A: must be a list of labels"),
    ('rename = ["A"]\n', 1, "rename: must be a table"),
    ("default = false\n", 1, "default: must be a label, got False"),
    ('[rename]\n"U.S." = ""\n', 2, """rename."U.S.": must be a label, got ''"""),
]


@pytest.mark.parametrize(("text", "line", "message"), FAULTS)
def test_a_fault_of_a_file_is_named_with_its_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(UsageError) as caught:
        load_label_map(path)
    assert str(caught.value).startswith(f"{path}:{line}: {message}")


def test_a_fault_of_a_dictionary_is_named_with_its_key() -> None:
    with pytest.raises(UsageError, match=r"^labels: drop\.A: the label 'A' has another rule, rename\.A: remove one"):
        load_label_map({"drop": ["A"], "rename": {"A": "B"}})


def test_text_that_is_not_toml_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"is not a TOML file: .*line 2"):
        load_label_map(write(tmp_path, "[rename]\nA = B\n"))


def test_two_parents_in_a_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"is not a TOML file: .*line 3"):
        load_label_map(write(tmp_path, '[parents]\nA = "B"\nA = "C"\n'))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no such file"):
        load_label_map(tmp_path / "map.toml")


@pytest.mark.parametrize("length", [20, 3000])
def test_more_than_19_ancestors_are_refused(length: int) -> None:
    chain: dict[str, Any] = {f"L{k}": f"L{k + 1}" for k in range(length)}
    with pytest.raises(UsageError, match="more than 19 ancestors"):
        load_label_map({"parents": chain})


def test_a_label_is_raised_to_its_ancestor_at_a_level() -> None:
    parents = {"City": "LOC", "LOC": "PLACE", "FAC": "PLACE"}
    labels = ("City", "LOC", "FAC", "PLACE", "PER")
    assert count_levels(parents) == 3
    assert [raise_label(label, 0, parents) for label in labels] == ["PLACE", "PLACE", "PLACE", "PLACE", "PER"]
    assert [raise_label(label, 1, parents) for label in labels] == ["LOC", "LOC", "FAC", "PLACE", "PER"]
    assert [raise_label(label, 2, parents) for label in labels] == [*labels]
