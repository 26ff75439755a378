from __future__ import annotations

from collections.abc import Callable

import pytest

from isogloss.errors import FormatError, SourceError, TagError, UsageError
from isogloss.tasks.ner.tag_files import TagColumn, TagFile

Open = Callable[..., TagFile]
CONLL_2003 = "-DOCSTART- -X- O O\n\nU.N. NNP B-NP I-ORG\nofficial NN I-NP O\nEkeus NNP B-NP I-PER\n"


def columns_of(file: TagFile) -> list[TagColumn]:
    """The columns of blocks that have sentences."""
    return [column for block in file.read_blocks() if block.sentences for column in file.split_columns(block)]


def schemes(file: TagFile) -> list[str]:
    return [decision.reference.name for decision in file.decisions]


def test_the_last_column_has_the_tags_unless_others_are_chosen(tag_file: Open) -> None:
    assert tag_file(CONLL_2003).column_numbers == (4,)
    assert tag_file(CONLL_2003, columns=(1, -2, 4)).column_numbers == (3, 4)


def test_each_column_has_a_scheme_of_its_own(tag_file: Open) -> None:
    file = tag_file(CONLL_2003, columns=(1, 3, 4))
    assert schemes(file) == ["iob2", "io"]
    assert [decision.messages[0].split(" (")[0] for decision in file.decisions] == [
        f"Column 3 of {file.name} is read as IOB2",
        f"Column 4 of {file.name} is read as IO",
    ]


def test_a_named_scheme_is_that_of_all_columns(tag_file: Open) -> None:
    assert schemes(tag_file(CONLL_2003, columns=(1, 3, 4), scheme="iob1")) == ["iob1", "iob1"]


def test_each_column_has_a_notation_of_its_own(tag_file: Open) -> None:
    file = tag_file("a B-X X-B\nb I-X O\n", columns=(1, 2, 3))
    assert [decision.notation for decision in file.decisions] == ["prefix", "suffix"]


def test_blocks_hold_all_tags_with_their_places(tag_file: Open) -> None:
    file = tag_file(CONLL_2003)
    (column,) = columns_of(file)
    assert [column.tag(token) for token in range(3)] == ["I-ORG", "O", "I-PER"]
    assert column.where(2) == f"{file.name}:5"


def test_progress_is_reported_in_every_pass(tag_file: Open) -> None:
    told: list[int] = []
    file = tag_file(CONLL_2003, progress=told.append)
    list(file.read_blocks())
    assert set(told) == {len(CONLL_2003)}
    assert len(told) > 1


def test_columns_that_mean_nothing_are_refused(tag_file: Open) -> None:
    for columns in [(1,), (), (1, 0), (1, 2, 2), (2, 2)]:
        with pytest.raises(UsageError, match="give the column of the token, then the columns of tags"):
            tag_file(CONLL_2003, columns=columns)


@pytest.mark.parametrize("columns", [(1, 9), (1, -9)])
def test_missing_column_error_names_the_line(tag_file: Open, columns: tuple[int, ...]) -> None:
    with pytest.raises(FormatError, match=r":3: 4 columns, but token and tags? are read from columns") as error:
        tag_file(CONLL_2003, columns=columns)
    assert "prediction" not in str(error.value)


@pytest.mark.parametrize(
    ("columns", "same"), [((1, 4, -1), "4 and -1"), ((1, -4, 3), "1 and -4"), ((4, -1), "4 and -1")]
)
def test_column_given_by_two_numbers_is_refused(tag_file: Open, columns: tuple[int, ...], same: str) -> None:
    with pytest.raises(FormatError, match=rf":3: 4 columns, of which {same} are the same\nName each column once"):
        tag_file(CONLL_2003, columns=columns)


def test_unknown_scheme_is_refused_before_the_file_is_read(tag_file: Open) -> None:
    with pytest.raises(UsageError, match="Unknown tag scheme 'iob'"):
        tag_file(b"\0", scheme="iob")


@pytest.mark.parametrize("data", ['{"id": "1", "tokens": []}\n', '\n\n [\n {"text": "Ada"}]\n', "{}\n"])
def test_json_is_refused_with_its_line(tag_file: Open, data: str) -> None:
    with pytest.raises(FormatError, match="holds JSON, but tags are read from columns"):
        tag_file(data)


def test_a_brace_may_be_a_token(tag_file: Open) -> None:
    assert schemes(tag_file("{\tO\nAda\tB-PER\n")) == ["iob2"]


@pytest.mark.parametrize("data", ["", "\n\n", "#comment\n"])
def test_a_file_without_a_token_is_refused(tag_file: Open, data: str) -> None:
    with pytest.raises(SourceError, match="holds no documents"):
        tag_file(data)


def test_unknown_tag_letters_error_names_column_and_line(tag_file: Open) -> None:
    with pytest.raises(TagError, match=r":2: no tag scheme has all of E-, U-, which column 2 of .*conll uses"):
        tag_file("a E-X\nb U-X\n")


def test_a_column_of_other_values_is_no_column_of_tags(tag_file: Open) -> None:
    with pytest.raises(TagError, match="does not look like a column of tags"):
        tag_file("a NN\nb VB\n")
