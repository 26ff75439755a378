"""Every row of the tables in docs/tags.md is what the program does."""

import re
from pathlib import Path

import pytest
from tag_batches import decode_tags, list_spans, make_batch

from isogloss.errors import TagError
from isogloss.spans.decoder import Decoder
from isogloss.spans.scheme_detection import use_named_scheme
from isogloss.spans.schemes import SCHEMES, TagRepair

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tags.md"


def rows(columns: int) -> list[list[str]]:
    """Rows of the table with this many columns, without its head."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    cells = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    return [row for row in cells if len(row) == columns]


REPAIRS = rows(7)


def listed(cell: str) -> list[tuple[int, int, str]]:
    return [(int(start), int(end), label) for label, start, end in re.findall(r"(\w+)\[(\d+),(\d+)\)", cell)]


@pytest.mark.parametrize("row", REPAIRS, ids=lambda row: f"{row[0]} {row[1]}")
@pytest.mark.parametrize(("repair", "column"), [("begin", 2), ("discard", 4)])
def test_a_row_shows_the_spans_and_the_number_of_tags(row: list[str], repair: TagRepair, column: int) -> None:
    scheme, tags = row[0].strip("`"), row[1].strip("`").split()
    result = decode_tags(scheme, [tags], repair=repair)
    assert list_spans(result) == [listed(row[column])]
    assert [notice.count for notice in result.warnings] == [int(row[column + 1])] * len(result.warnings)
    assert bool(result.warnings) == (row[column + 1] != "0")


def test_a_row_shows_where_error_stops() -> None:
    for row in REPAIRS:
        scheme, tags = row[0].strip("`"), row[1].strip("`").split()
        decode = Decoder(use_named_scheme(scheme), "error")
        stop = re.fullmatch(r"`(.+)` at (\d+)", row[6])
        if stop is None:
            assert row[6] == "never"
            assert decode(make_batch([tags])).warnings == ()
        else:
            with pytest.raises(TagError, match=re.escape(repr(stop[1]))) as error:
                decode(make_batch([tags]))
            assert error.value.where == f"reference[0][{stop[2]}]"


def test_every_scheme_has_rows_in_both_tables() -> None:
    assert {row[0].strip("`") for row in REPAIRS} == set(SCHEMES)
    letters = {row[0].strip("`"): row[1].replace(" ", "") for row in rows(3)}
    assert letters == {name: scheme.letters for name, scheme in SCHEMES.items()}
