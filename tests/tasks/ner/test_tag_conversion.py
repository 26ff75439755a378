from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tagged import LETTERS, Span, flat_spans, join_touching, to_conll, write_tags

from isogloss.errors import TagError, UsageError
from isogloss.tasks.ner.tag_files import TagFile
from isogloss.tasks.ner.tag_rewriting import RewrittenColumn, make_conversion, rewrite_tags, warn_misread_columns

Open = Callable[..., TagFile]
Documents = list[tuple[list[Span], int]]
documents = st.lists(flat_spans().filter(lambda document: document[1] > 0), min_size=1, max_size=12)


def converted(file: TagFile, to: str, *options: Any) -> tuple[bytes, tuple[RewrittenColumn, ...]]:
    pieces: list[bytes] = []
    done = rewrite_tags(file, make_conversion(to, *options), pieces.append)
    return b"".join(pieces), done


def spans_of(file: TagFile) -> list[Span]:
    """The spans of the first block."""
    (column,) = file.split_columns(next(file.read_blocks()))
    pairs = column.decode("error")
    found = pairs.reference
    rows = zip(found.start.tolist(), found.end.tolist(), found.label.tolist(), strict=True)
    return [(start, end, pairs.labels[label]) for start, end, label in rows]


def as_file(meant: Documents, scheme: str) -> bytes:
    return to_conll([write_tags(spans, tokens, scheme) for spans, tokens in meant])


def random_documents(seed: str) -> Documents:
    """Sentences of every kind: touching and equal labels are frequent."""
    chance = random.Random(seed)
    meant: Documents = []
    for _ in range(80):
        spans: list[Span] = []
        at = chance.randint(0, 1)
        for _ in range(chance.randint(0, 5)):
            end = at + chance.choice([1, 1, 2, 3, 4])
            spans.append((at, end, chance.choice(["PER", "PER", "A-B", "é"])))
            at = end + chance.choice([0, 0, 1])
        meant.append((spans, at + 1))
    return meant


def test_a_conversion_says_the_same_in_the_other_scheme(tag_file: Open) -> None:
    for two in LETTERS:
        for one in LETTERS:
            meant = random_documents(one + two)
            known = [(join_touching(spans), tokens) if one == "io" else (spans, tokens) for spans, tokens in meant]
            result, _ = converted(tag_file(as_file(meant, one), scheme=one), two)
            assert result == as_file(known, two)


def test_there_and_back_is_the_same_file(tag_file: Open) -> None:
    for notation in ["prefix", "suffix"]:
        for two in [scheme for scheme in LETTERS if scheme != "io"]:
            for one in LETTERS:
                data = as_file(random_documents(one + two), one)
                there, _ = converted(tag_file(data, scheme=one), two, notation)
                assert converted(tag_file(there, scheme=two), one, "prefix")[0] == data


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(meant=documents)
def test_spans_joined_by_io_are_warned(tag_file: Open, meant: Documents) -> None:
    _, (done,) = converted(tag_file(as_file(meant, "iob2"), scheme="iob2"), "io")
    lost = sum(len(spans) - len(join_touching(spans)) for spans, _ in meant)
    assert sum(notice.count for notice in done.warnings) == lost
    assert {notice.code for notice in done.warnings} == ({"spans-joined"} if lost else set())


def test_the_first_joined_span_is_named(tag_file: Open) -> None:
    file = tag_file("a B-A\nb B-B\n\nc B-A\nd I-A\ne B-A\n", scheme="iob2")
    _, (done,) = converted(file, "io")
    (notice,) = done.warnings
    assert (notice.count, notice.where) == (1, f"{file.name}:6")


def test_spans_of_other_sentences_are_not_joined(tag_file: Open) -> None:
    assert converted(tag_file("a B-A\n\nb B-A\n", scheme="iob2"), "io")[1][0].warnings == ()


def test_needless_tags_are_read_as_they_are(tag_file: Open) -> None:
    assert converted(tag_file("a O\nb B-A\nc I-A\n", scheme="iob1"), "iobes")[0] == b"a O\nb B-A\nc E-A\n"


def test_tags_that_do_not_fit_are_an_error_unless_repaired(tag_file: Open) -> None:
    file = tag_file("a B-A\nb I-B\nc I-B\n", scheme="iob2")
    with pytest.raises(TagError, match=r":2: 'I-B' after 'B-A' does not fit IOB2") as error:
        converted(file, "bilou")
    assert "--repair begin" in error.value.remedy
    begin, (done,) = converted(file, "bilou", None, "begin")
    assert begin == b"a U-A\nb B-B\nc L-B\n"
    assert [(notice.code, notice.count, notice.where) for notice in done.warnings] == [
        ("tags-repaired", 1, f"{file.name}:2")
    ]
    assert converted(file, "bilou", None, "discard")[0] == b"a U-A\nb O\nc O\n"


@pytest.mark.parametrize("repair", ["begin", "discard", "error"])
def test_an_unknown_tag_is_always_an_error(tag_file: Open, repair: str) -> None:
    with pytest.raises(TagError, match="'S-A' is not a tag of IOB2"):
        converted(tag_file("a B-A\nb S-A\n", scheme="iob2"), "io", None, repair)


def test_tags_are_written_in_the_given_notation(tag_file: Open) -> None:
    for before, scheme, notation, after in [
        ("a B-A-B\nb O\n", "iob2", "suffix", "a A-B-B\nb O\n"),
        ("a A-B-B\nb O\n", "iob2", "prefix", "a B-A-B\nb O\n"),
        ("a A-U\nb O\n", "bilou", None, "a A-B\nb O\n"),
        ("a B\nb I\n", "iob2", "suffix", "a B\nb I\n"),
        ("a B-\nb I-\n", "iob2", None, "a B-\nb I-\n"),
    ]:
        assert converted(tag_file(before, scheme=scheme), "iob2", notation)[0] == after.encode()


def test_bare_labels_get_letters_and_lose_them_again(tag_file: Open) -> None:
    file = tag_file("a PER\nb PER\nc O\nd art-film\n")
    there, _ = converted(file, "bilou")
    assert there == b"a B-PER\nb L-PER\nc O\nd U-art-film\n"
    assert converted(tag_file(there), "io", "bare")[0] == b"a PER\nb PER\nc O\nd art-film\n"
    assert converted(tag_file("a PER\nb PER\nc O\nd art-film\n"), "io")[0] == b"a PER\nb PER\nc O\nd art-film\n"


def test_bare_labels_are_for_io_only() -> None:
    with pytest.raises(UsageError, match="Bare labels cannot be combined with BILOU"):
        make_conversion("bilou", "bare")


def test_an_unknown_scheme_is_a_wrong_call() -> None:
    with pytest.raises(UsageError, match="Unknown tag scheme 'iob2x'; did you mean iob2"):
        make_conversion("iob2x")


def test_what_is_written_has_a_scheme_of_its_own() -> None:
    with pytest.raises(UsageError, match=r"Unknown tag scheme 'auto'. Choose from iob2, "):
        make_conversion("auto")


def test_bare_label_that_is_a_letter_is_refused_with_its_line(tag_file: Open) -> None:
    for label in ["O", "B", "I", "S"]:
        with pytest.raises(TagError, match=rf":2: the label '{label}' cannot stand alone"):
            converted(tag_file(f"a B-A\nb B-{label}\n"), "io", "bare")


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    labels=st.lists(st.sampled_from(["B", "I", "O", "PER", "A-B", "B-A", "-", "_", "é"]), min_size=1, max_size=4),
    read=st.sampled_from(["prefix", "suffix"]),
    to=st.sampled_from([("io", "bare"), ("io", None), ("iob2", "prefix"), ("iob2", "suffix"), ("iobes", None)]),
)
def test_written_tags_decode_alike_or_are_refused_or_warned(
    tag_file: Open, labels: list[str], read: str, to: tuple[str, Any]
) -> None:
    tags = [f"B-{label}" if read == "prefix" else f"{label}-B" for label in labels]
    file = tag_file("".join(f"t {tag}\nt O\n" for tag in tags), scheme="iob2")
    try:
        data, done = converted(file, *to)
    except TagError:
        return
    told = warn_misread_columns(file, done, *to)
    assert told or spans_of(tag_file(data, "again.conll", scheme=to[0])) == spans_of(file)


@pytest.mark.parametrize(
    ("data", "to", "notation", "said"),
    [
        ("a B-PER\nb B-B\n", "iob2", "suffix", "Column 2: 'B-B' looks as if its letter stood first"),
        ("a B-I-X\n", "iob2", "suffix", "Column 2: 'I-X-B' looks as if its letter stood first"),
        ("a B-B-X\n", "io", "bare", "Column 2: 'B-X' looks as if its letter stood first"),
        ("a B-X-I\n", "io", "bare", "Column 2: 'X-I' looks as if its letter stood last"),
    ],
)
def test_labels_that_look_like_letters_are_warned(tag_file: Open, data: str, to: str, notation: Any, said: str) -> None:
    file = tag_file(data)
    (line,) = warn_misread_columns(file, converted(file, to, notation)[1], to, notation)
    assert line == f"{said}, and all tags will be read like that."


@pytest.mark.parametrize(("to", "notation"), [("iobes", None), ("iob2", "suffix"), ("io", "bare")])
def test_other_labels_need_no_word(tag_file: Open, to: str, notation: Any) -> None:
    file = tag_file("a B-PER\nb I-PER\nc B\n")
    assert warn_misread_columns(file, converted(file, to, notation)[1], to, notation) == []
