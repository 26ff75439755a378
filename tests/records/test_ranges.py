"""Records and lines of ranges are counted as a plain program counts them."""

import random
from pathlib import Path

import pytest

from isogloss.records.ranges import BLANK, LINE, STEP, count_records


@pytest.mark.parametrize("separator", [BLANK, LINE])
@pytest.mark.parametrize("alphabet", ["ab\n", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n"])
def test_records_and_lines_are_those_of_a_plain_count(tmp_path: Path, separator: bytes, alphabet: str) -> None:
    data = "".join(random.Random(2).choices(alphabet, k=2 * STEP + 7)).encode()
    path = tmp_path / "file"
    path.write_bytes(data)
    records, lines = count_records(str(path), 0, len(data), separator)
    starts = range(0, len(data), STEP)
    assert lines == [data[at : at + STEP].count(b"\n") for at in starts]
    assert records == [data[at : at + STEP + len(separator) - 1].count(separator) for at in starts]
