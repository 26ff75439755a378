from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import chain

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tagged import LETTERS, any_tags, find_invalid_tags, to_conll

from isogloss.errors import TagError
from isogloss.spans.invalid_tags import INVALID_KINDS, InvalidTags
from isogloss.spans.schemes import TagRepair
from isogloss.tasks.ner.tag_files import InvalidTag, TagFile, check_tag_column, describe_invalid_tag

Open = Callable[..., TagFile]


def misfits_of(file: TagFile) -> list[InvalidTag]:
    found = []
    for block in file.read_blocks():
        for column in file.split_columns(block):
            misfits = InvalidTags.from_batch(column.batch, column.decision)
            found += [describe_invalid_tag(column, misfits, number) for number in range(len(misfits))]
    return found


def sentence(tags: str) -> str:
    return "".join(f"w{at} {tag}\n" for at, tag in enumerate(tags.split()))


@pytest.mark.parametrize("scheme", LETTERS)
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=20)
@given(data=st.data())
def test_invalid_tags_equal_the_plain_search(tag_file: Open, scheme: str, data: st.DataObject) -> None:
    sentences = data.draw(any_tags(scheme))
    found = misfits_of(tag_file(to_conll(sentences), scheme=scheme))
    lines = [1 + sum(len(tags) + 1 for tags in sentences[:row]) for row in range(len(sentences))]
    expected = chain.from_iterable(
        [(line + at, kind) for at, kind in find_invalid_tags(tags, scheme)]
        for line, tags in zip(lines, sentences, strict=True)
    )
    assert [(misfit.line, misfit.kind) for misfit in found] == list(expected)


@pytest.mark.parametrize("scheme", LETTERS)
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=20)
@given(data=st.data())
def test_fitting_tags_make_all_tags_valid(tag_file: Open, scheme: str, data: st.DataObject) -> None:
    tags = list(chain.from_iterable(data.draw(any_tags(scheme))))
    for misfit in misfits_of(tag_file(to_conll([tags]), scheme=scheme)):
        assert misfit.fits is not None
        assert misfit.fits[1:] == misfit.tag[1:]
        assert misfit.fits != misfit.tag
        tags[misfit.line - 1] = misfit.fits
    assert find_invalid_tags(tags, scheme) == []


MESSAGES = """
iob2   O I-PER      2 begin     'I-PER' after 'O' does not fit IOB2: a span begins with B-; 'B-PER' would fit
iob2   I-A          1 begin     'I-A' at the begin of its sentence does not fit IOB2: a span begins with B-; 'B-A' would fit
bmes   M-A O        1 begin     'M-A' at the begin of its sentence does not fit BMES: a span begins with B- or S-; 'S-A' would fit
iobes  P-E O        1 begin     'P-E' at the begin of its sentence does not fit IOBES: a span begins with -B or -S; 'P-S' would fit
bilou  B-A I-A U-B  2 end       'I-A' before 'U-B' does not fit BILOU: a span ends with L- or U-; 'L-A' would fit
ioe2   I-A          1 end       'I-A' at the end of its sentence does not fit IOE2: a span ends with E-; 'E-A' would fit
iob1   I-A O B-A    3 needless  'B-A' after 'O' does not fit IOB1: B- only parts touching spans of one label; 'I-A' would fit
ioe1   E-A I-B      1 needless  'E-A' before 'I-B' does not fit IOE1: E- only parts touching spans of one label; 'I-A' would fit
iob2   B-A S-A      2 unknown   'S-A' is not a tag of IOB2, which has O, B-, I-
io     A O O-A      1 unknown   'A' is not a tag of IO, which has O, I-
"""  # noqa: E501  a table of messages
ROWS = [re.split("  +", line, maxsplit=3) for line in MESSAGES.strip().splitlines()]


def test_message_names_the_tag_and_the_valid_one(tag_file: Open) -> None:
    for scheme, tags, place, message in ROWS:
        line, kind = place.split()
        data = sentence(tags) + ("\nw I-A\n" if scheme == "io" else "")  # so that labels are not bare
        file = tag_file(data, scheme=scheme)
        first = misfits_of(file)[0]
        assert (first.where, first.kind, first.message) == (f"{file.name}:{line}", kind, message)
        assert first.token == f"w{int(line) - 1}"


def test_lone_tag_invalid_at_both_ends_counts_once(tag_file: Open) -> None:
    (found,) = misfits_of(tag_file("a I-PER\n", scheme="iobes"))
    assert (found.kind, found.fits) == ("begin", "S-PER")


def test_a_tag_that_parts_touching_spans_is_needed(tag_file: Open) -> None:
    for scheme in ["iob1", "ioe1"]:
        for tags in ["I-A {}-A I-A", "I-A {}-A {}-A I-A"]:
            mark = {"iob1": "B", "ioe1": "E"}[scheme]
            assert misfits_of(tag_file(sentence(tags.replace("{}", mark)), scheme=scheme)) == []


def test_a_span_at_the_begin_of_a_sentence_touches_none(tag_file: Open) -> None:
    (found,) = misfits_of(tag_file("a I-A\n\nb B-A\n", scheme="iob1"))
    assert (found.line, found.kind) == (3, "needless")


def test_an_unknown_tag_parts_the_spans_around_it(tag_file: Open) -> None:
    found = misfits_of(tag_file(sentence("B-A X-A I-A"), scheme="iob2"))
    assert [(misfit.line, misfit.kind) for misfit in found] == [(2, "unknown"), (3, "begin")]


def test_unknown_tags_are_no_spans(tag_file: Open) -> None:
    file = tag_file(sentence("B-A X-A I-A O X-B"), scheme="iob2")
    (block,) = file.read_blocks()
    assert [InvalidTags.from_batch(column.batch, column.decision).spans for column in file.split_columns(block)] == [2]


def test_invalid_tag_has_its_column(tag_file: Open) -> None:
    found = misfits_of(tag_file("a I-A O I-B\n", columns=(1, 2, 3, 4), scheme="iob2"))
    assert [(misfit.column, misfit.tag) for misfit in found] == [(2, "I-A"), (4, "I-B")]


@pytest.mark.parametrize(
    ("tags", "repair", "kinds"),
    [
        ("O I-A", "error", "'I-A' after 'O'"),
        ("O I-A", "begin", ""),
        ("O I-A", "discard", ""),
        ("B-A S-A", "begin", "'S-A' is not a tag"),
        ("B-A S-A", "discard", "'S-A' is not a tag"),
        ("I-A S-A", "error", "'I-A' at the begin"),
    ],
)
def test_unrepairable_tags_are_refused(tag_file: Open, tags: str, repair: TagRepair, kinds: str) -> None:
    file = tag_file(sentence(tags), scheme="iob2")
    (block,) = file.read_blocks()
    (column,) = file.split_columns(block)
    if not kinds:
        check_tag_column(column, repair)
        return
    with pytest.raises(TagError, match=kinds) as error:
        check_tag_column(column, repair)
    assert error.value.where is not None
    assert error.value.remedy.startswith("Correct the tag")


def test_a_needless_tag_is_never_refused(tag_file: Open) -> None:
    file = tag_file("a O\nb B-A\n", scheme="iob1")
    (block,) = file.read_blocks()
    (column,) = file.split_columns(block)
    assert [INVALID_KINDS[kind] for kind in check_tag_column(column, "error").kind] == ["needless"]


def as_pairs(found: Sequence[InvalidTag]) -> list[tuple[int, str]]:
    return [(misfit.line, misfit.kind) for misfit in found]


def test_blocks_of_any_size_give_the_same(tag_file: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    data = "".join(sentence(tags) + "\n" for tags in ("O I-A", "B-A", "I-B I-B", "O", "I-A I-B")) * 20
    whole = as_pairs(misfits_of(tag_file(data, scheme="iob2")))
    monkeypatch.setattr("isogloss.formats.conll.reader.read_tagged.__defaults__", (16,))
    assert as_pairs(misfits_of(tag_file(data, scheme="iob2"))) == whole
    assert len(whole) == 80
