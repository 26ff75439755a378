from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import chain
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from tagged import any_tags, read_spans, to_conll

from isogloss.errors import TagError
from isogloss.spans.schemes import TagRepair
from isogloss.tasks.ner.tag_checks import TagColumnCounts, TagFileCounts, count_tags, merge_tag_counts
from isogloss.tasks.ner.tag_files import TagFile

Open = Callable[..., TagFile]
DATA = """Mia B-PER
Noor I-PER
met O
Mia B-PER

in O
New B-LOC
York I-LOC
City I-LOC
Mia I-PER
"""


def only(counted: TagFileCounts) -> TagColumnCounts:
    (column,) = counted.columns
    return column


def test_everything_is_counted(tag_file: Open) -> None:
    counted = count_tags(tag_file(DATA), names=True)
    column = only(counted)
    assert (counted.sentences, counted.tokens, column.total, column.invalid_tags) == (2, 9, 4, 1)
    assert column.count_by_label() == {"LOC": 1, "PER": 3}
    assert column.count_by_length() == {1: 2, 2: 1, 3: 1}
    assert column.spans == {("PER", 2): 1, ("PER", 1): 2, ("LOC", 3): 1}
    assert column.tags == {"B-PER": 2, "I-PER": 2, "O": 2, "B-LOC": 1, "I-LOC": 2}
    assert column.names == {("PER", "Mia Noor"): 1, ("PER", "Mia"): 2, ("LOC", "New York City"): 1}


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=30)
@given(sentences=any_tags("iob2"))
def test_counts_are_those_of_one_sentence_after_the_other(tag_file: Open, sentences: list[list[str]]) -> None:
    counted = count_tags(tag_file(to_conll(sentences), scheme="iob2"), names=True)
    column = only(counted)
    spans = [(row, *span) for row, tags in enumerate(sentences) for span in read_spans(tags)]
    assert (counted.sentences, counted.tokens) == (len(sentences), sum(map(len, sentences)))
    assert column.tags == Counter(chain.from_iterable(sentences))
    assert column.spans == Counter((label, end - start) for _, start, end, label in spans)
    names = ((label, " ".join(f"w{at}" for at in range(start, end))) for _, start, end, label in spans)
    assert column.names == Counter(names)


def test_names_are_not_counted_by_default(tag_file: Open) -> None:
    assert not only(count_tags(tag_file(DATA))).names


@pytest.mark.parametrize(("repair", "spans"), [("begin", 4), ("discard", 3)])
def test_a_repair_says_which_spans_count(tag_file: Open, repair: TagRepair, spans: int) -> None:
    column = only(count_tags(tag_file(DATA), repair))
    assert (column.total, column.invalid_tags) == (spans, 1)


def test_error_stops_at_a_tag_that_does_not_fit(tag_file: Open) -> None:
    with pytest.raises(TagError, match=r":10: 'I-PER' after 'I-LOC' does not fit IOB2"):
        count_tags(tag_file(DATA), "error")


def test_an_unknown_tag_is_an_error(tag_file: Open) -> None:
    with pytest.raises(TagError, match=r":1: 'S-A' is not a tag of IOB2"):
        count_tags(tag_file("a S-A\n", scheme="iob2"))


def test_a_needless_tag_does_not_count_as_one_that_does_not_fit(tag_file: Open) -> None:
    assert only(count_tags(tag_file("a B-A\nb O\n", scheme="iob1"))).invalid_tags == 0


def test_frequent_names_come_first_ties_by_text_and_label() -> None:
    names = Counter({("B", "x"): 2, ("A", "x"): 2, ("A", "w"): 2, ("C", "z"): 3, ("A", "a"): 1})
    column = TagColumnCounts(2, "iob2", names=names)
    assert column.list_frequent_names(4) == [("C", "z", 3), ("A", "w", 2), ("A", "x", 2), ("B", "x", 2)]
    assert len(column.list_frequent_names(None)) == 5


def test_several_files_add_up_and_stay_as_they_are(tag_file: Open) -> None:
    one = count_tags(tag_file(DATA, "one"), names=True)
    two = count_tags(tag_file("Mia U-PER\nsang O\n", "two"), names=True)
    total = merge_tag_counts([one, two, two])
    column = only(total)
    assert (total.sentences, total.tokens, column.total) == (4, 13, 6)
    assert (column.column, column.scheme, column.invalid_tags) == (2, "iob2+bilou", 1)
    assert column.names["PER", "Mia"] == 4
    assert column.tags["U-PER"] == 2
    assert only(one).total == 4
    assert only(two).total == 1


def test_columns_of_several_files_may_have_other_numbers(tag_file: Open) -> None:
    total = merge_tag_counts([count_tags(tag_file("a x O\n", "one")), count_tags(tag_file("a O\n", "two"))])
    assert only(total).column is None
    assert "column" not in only(total).to_dict()


def test_each_column_counts_by_itself(tag_file: Open) -> None:
    counted = count_tags(tag_file("a B-A B-B\nb I-A O\n", columns=(1, 2, 3)))
    assert [column.count_by_label() for column in counted.columns] == [{"A": 1}, {"B": 1}]
    assert [column.column for column in counted.columns] == [2, 3]


def test_the_row_of_a_column_holds_plain_values(tag_file: Open) -> None:
    row: dict[str, Any] = only(count_tags(tag_file("a B-A\nb I-A\nc O\n"))).to_dict()
    assert row == {
        "column": 2,
        "scheme": "iob2",
        "misfits": 0,
        "spans": 1,
        "by_label": {"A": 1},
        "by_length": {"2": 1},
        "tags": {"B-A": 1, "I-A": 1, "O": 1},
    }


def test_blocks_of_any_size_give_the_same(tag_file: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = count_tags(tag_file((DATA + "\n") * 20), names=True)
    monkeypatch.setattr("isogloss.formats.conll.reader.read_tagged.__defaults__", (50,))
    assert count_tags(tag_file((DATA + "\n") * 20), names=True) == whole
