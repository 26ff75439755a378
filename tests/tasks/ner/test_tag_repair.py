from __future__ import annotations

from collections.abc import Callable
from itertools import chain

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tagged import LETTERS, any_tags, find_invalid_tags, read_spans, to_conll

from isogloss.errors import TagError
from isogloss.spans.schemes import TagRepair
from isogloss.tasks.ner.tag_files import TagFile
from isogloss.tasks.ner.tag_rewriting import RewrittenColumn, make_repair, rewrite_tags

Open = Callable[..., TagFile]


def repaired(file: TagFile, repair: TagRepair) -> tuple[bytes, RewrittenColumn]:
    written: list[bytes] = []
    (done,) = rewrite_tags(file, make_repair(repair), written.append)
    return b"".join(written), done


def tags_of(data: bytes) -> list[list[str]]:
    return [[line.split("\t")[1] for line in block.splitlines()] for block in data.decode().split("\n\n") if block]


@pytest.mark.parametrize("repair", ["begin", "discard"])
@pytest.mark.parametrize("scheme", LETTERS)
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=15)
@given(data=st.data())
def test_repaired_tags_are_valid_and_decode_to_same_spans(
    tag_file: Open, scheme: str, repair: TagRepair, data: st.DataObject
) -> None:
    sentences = data.draw(any_tags(scheme))
    result, done = repaired(tag_file(to_conll(sentences), scheme=scheme), repair)
    after = tags_of(result)
    assert [find_invalid_tags(tags, scheme) for tags in after] == [[] for _ in sentences]
    for before, now in zip(sentences, after, strict=True):
        wrong = {at for at, kind in find_invalid_tags(before, scheme) if kind != "needless"}
        kept = [span for span in read_spans(before) if repair == "begin" or wrong.isdisjoint((span[0], span[1] - 1))]
        assert read_spans(now) == kept
    pairs = zip(chain.from_iterable(sentences), chain.from_iterable(after), strict=True)
    assert done.changed == sum(before != now for before, now in pairs)


@pytest.mark.parametrize("repair", ["begin", "discard"])
@pytest.mark.parametrize("scheme", LETTERS)
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=15)
@given(data=st.data())
def test_once_repaired_a_file_stays_as_it_is(
    tag_file: Open, scheme: str, repair: TagRepair, data: st.DataObject
) -> None:
    once, _ = repaired(tag_file(to_conll(data.draw(any_tags(scheme))), scheme=scheme), repair)
    twice, done = repaired(tag_file(once, scheme=scheme), repair)
    assert twice == once
    assert (done.changed, done.first_change) == (0, None)


def test_repair_of_each_scheme(tag_file: Open) -> None:
    for scheme, before, begin, discard in [
        ("iob2", "O I-A I-A B-B", "O B-A I-A B-B", "O O O B-B"),
        ("iob2", "B-A I-B I-B", "B-A B-B I-B", "B-A O O"),
        ("iob1", "O B-A I-A B-B", "O I-A I-A I-B", "O I-A I-A I-B"),
        ("ioe1", "E-A O I-B E-B", "I-A O I-B I-B", "I-A O I-B I-B"),
        ("ioe2", "I-A I-A O E-B", "I-A E-A O E-B", "O O O E-B"),
        ("iobes", "I-A O B-A I-A S-B", "S-A O B-A E-A S-B", "O O O O S-B"),
        ("bilou", "L-A B-A L-A", "U-A B-A L-A", "O B-A L-A"),
        ("bmes", "M-A M-A M-A", "B-A M-A E-A", "O O O"),
        ("bmewo", "B-A B-B E-B", "W-A B-B E-B", "O B-B E-B"),
        ("io", "I-A I-A I-B", "I-A I-A I-B", "I-A I-A I-B"),
    ]:
        file = tag_file(to_conll([before.split()]), scheme=scheme)
        assert tags_of(repaired(file, "begin")[0]) == [begin.split()]
        assert tags_of(repaired(file, "discard")[0]) == [discard.split()]


def test_labels_stay_as_they_are_written(tag_file: Open) -> None:
    data = b"a I\n\nb I-\n\nc I-_\n\nd I-A-B\n\ne I-\xe5\x8c\x97\n"
    result, _ = repaired(tag_file(data, scheme="iob2"), "begin")
    assert result == data.replace(b" I", b" B")


def test_tags_that_end_with_their_letter_still_do(tag_file: Open) -> None:
    assert repaired(tag_file("a PER-I\nb PER-I\n", scheme="bilou"), "begin")[0] == b"a PER-B\nb PER-L\n"


def test_repair_reports_changes(tag_file: Open) -> None:
    file = tag_file("# a comment\na O\nb I-A\nc I-A\n\nd I-B\n", scheme="iob2")
    assert repaired(file, "begin")[1] == RewrittenColumn(2, 4, 2, f"{file.name}:3", frozenset({b"B-A", b"B-B"}))
    assert repaired(file, "discard")[1] == RewrittenColumn(2, 4, 3, f"{file.name}:3")


def test_an_unknown_tag_is_an_error_with_its_place(tag_file: Open) -> None:
    file = tag_file("a O\nb S-A\n", scheme="iob2")
    with pytest.raises(TagError, match=":2: 'S-A' is not a tag of IOB2"):
        repaired(file, "begin")


def test_every_column_is_repaired(tag_file: Open) -> None:
    written: list[bytes] = []
    file = tag_file("a I-A x I-B\nb I-A x O\n", columns=(1, 2, 4), scheme="iob2")
    done = rewrite_tags(file, make_repair("begin"), written.append)
    assert b"".join(written) == b"a B-A x B-B\nb I-A x O\n"
    assert [(each.column, each.changed) for each in done] == [(2, 1), (4, 1)]
