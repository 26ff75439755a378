import numpy as np
import pytest

from isogloss.spans.schemes import SCHEMES, Rule, rule_of
from isogloss.spans.tag_reading import compiled

IOB2 = rule_of(SCHEMES["iob2"], "prefix")
IOBES = rule_of(SCHEMES["iobes"], "prefix")


def test_rules_share_the_labels_of_all_tags_that_one_of_them_knows() -> None:
    labels, (narrow, wide) = compiled(("O", "B-PER", "S-LOC"), (IOB2, IOBES))
    assert labels == ("LOC", "PER")
    assert narrow.label.tolist()[1] == wide.label.tolist()[1] == 1
    assert narrow.known is not None
    assert narrow.known.tolist() == [True, True, False]
    assert wide.known is None


def test_a_vocabulary_is_compiled_once() -> None:
    assert compiled(("O", "B-X"), (IOB2, IOB2)) is compiled(("O", "B-X"), (IOB2, IOB2))


def test_the_table_does_not_grow_with_the_number_of_labels() -> None:
    tags = ("O", *(f"{letter}-{label}" for label in range(500) for letter in "BI"))
    _, (table,) = compiled(tags, (IOB2,))
    assert len(table.boundaries) == 2 * 2 * 3 * 3


def test_neighbours_know_kinds_labels_and_distance() -> None:
    _, (table,) = compiled(("O", "B-X", "I-X", "I-Y"), (IOB2,))
    begins = [
        (table.boundaries[at] & 1) for at in table.neighbours(np.array([1, 2, 3, 3, 0], np.uint8), np.zeros(4, bool))
    ]
    assert begins == [0, 1, 0, 0]
    apart = table.boundaries.take(table.neighbours(np.array([1, 2], np.uint8), np.array([True])))
    assert apart.tolist() == [3]


def test_a_rule_must_know_o() -> None:
    with pytest.raises(ValueError, match="does not split the tag O"):
        compiled(("O",), (Rule("odd", lambda _: None, IOB2.begins, IOB2.ends),))
