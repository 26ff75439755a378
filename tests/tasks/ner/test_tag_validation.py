from __future__ import annotations

from collections.abc import Callable

import pytest

from isogloss.errors import FormatError
from isogloss.tasks.ner.tag_checks import TagValidation, validate_tags
from isogloss.tasks.ner.tag_files import InvalidTag, TagFile

Open = Callable[..., TagFile]
DATA = "a I-A I-B\nb I-A O\n\nc O S-B\nd I-A I-B\n"


def validated(file: TagFile, most: int | None = None) -> tuple[tuple[TagValidation, ...], list[InvalidTag]]:
    found: list[InvalidTag] = []
    return validate_tags(file, found.append, most), found


def test_invalid_tags_of_columns_come_line_by_line(tag_file: Open) -> None:
    _, found = validated(tag_file(DATA, columns=(1, 2, 3), scheme="iob2"))
    assert [(misfit.line, misfit.column) for misfit in found] == [(1, 2), (1, 3), (4, 3), (5, 2), (5, 3)]


def test_each_column_has_its_counts(tag_file: Open) -> None:
    file = tag_file(DATA, columns=(1, 2, 3), scheme="iob2")
    (one, two), _ = validated(file)
    assert one == TagValidation(file.name, 2, "iob2", "prefix", 2, 4, 2, 2, {"begin": 2})
    assert two == TagValidation(file.name, 3, "iob2", "prefix", 2, 4, 2, 3, {"begin": 2, "unknown": 1})


def test_valid_file_has_no_invalid_tags(tag_file: Open) -> None:
    (column,), found = validated(tag_file("a B-A\nb I-A\n"))
    assert found == []
    assert column.kinds == {}


@pytest.mark.parametrize("size", [1, 1 << 19])
@pytest.mark.parametrize("most", [0, 1, 2, 4, 9])
def test_max_shown_bounds_shown_tags_not_counts(
    tag_file: Open, monkeypatch: pytest.MonkeyPatch, most: int, size: int
) -> None:
    monkeypatch.setattr("isogloss.formats.conll.reader.read_tagged.__defaults__", (size,))
    file = tag_file(DATA, columns=(1, 2, 3), scheme="iob2")
    everything = validated(file)
    columns, found = validated(file, most)
    assert columns == everything[0]
    assert found == everything[1][:most]


def test_broken_line_is_an_error_after_earlier_invalid_tags(tag_file: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.formats.conll.reader.read_tagged.__defaults__", (1,))
    file = tag_file("a I-A\n\nb O\n", scheme="iob2")
    with open(file.source.path, "ab") as end:  # noqa: PTH123  after it was opened for the first time
        end.write(b"\nc\n")
    found: list[InvalidTag] = []
    with pytest.raises(FormatError, match=":5: 1 column, but line 1 has 2"):
        validate_tags(file, found.append)
    assert [misfit.line for misfit in found] == [1]
