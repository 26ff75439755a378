"""Comments of CoNLL files as columns, beside a second reader that goes line by line."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from isogloss.formats.conll.pairing import read_conll_pairs
from isogloss.records.sources import Source

COLUMNS = ("genre", "newdoc id", "docstart")
LINES = (
    "Ada x B-PER",
    "#tag x O",  # a token that begins with #
    "",
    "",
    "# genre = news",
    "# genre = web pages",
    "# newdoc id = d1",
    "# newdoc id = d2",
    "  # newdoc",
    "-DOCSTART- O",
    "# said by somebody",
)


def line_by_line(lines: list[str]) -> list[dict[str, str | None]]:
    """The columns of each sentence. A comment belongs to the sentence of the token that follows."""
    found: list[dict[str, str | None]] = []
    document = genre = None
    starts, inside = 0, False
    waiting: list[list[str]] = []
    for words in [*(line.split() for line in lines), []]:
        if len(words) == 3:
            for comment in waiting:
                if comment[1] == "newdoc":
                    document = comment[4] if len(comment) > 2 else None
                elif comment[1] == "genre":
                    genre = " ".join(comment[3:])
            waiting, inside = [], True
        elif words[:1] == ["#"]:
            waiting.append(words)
        else:
            if inside:
                found.append({"genre": genre, "newdoc id": document, "docstart": str(starts) if starts else None})
                genre, inside = None, False
            starts += words[:1] == ["-DOCSTART-"]
    return found


@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=40), st.integers(1, 60), st.sampled_from(["\n", "\r\n"]))
def test_columns_are_those_of_reading_line_by_line_in_blocks_of_any_size(
    tmp_path_factory: object, lines: list[str], size: int, end: str
) -> None:
    lines = ["Bob x B-PER", *lines]
    folder = Path(tmp_path_factory.mktemp("conll"))  # type: ignore[attr-defined]
    reference, prediction = folder / "r.conll", folder / "p.conll"
    reference.write_text(end.join(lines) + end, newline="")
    plain = [("" if line.startswith("-DOCSTART-") else line) for line in lines if not line.strip().startswith("# ")]
    prediction.write_text("\n".join(plain) + "\n")
    found = []
    for batch in read_conll_pairs(Source(reference), Source(prediction), block_size=size, attributes=COLUMNS):
        found += [
            {column: batch.provenance.value(row, column) for column in COLUMNS}  # type: ignore[attr-defined]
            for row in range(len(batch.documents))
        ]
    assert found == line_by_line(lines)


def test_what_the_reference_does_not_say_the_prediction_may(tmp_path: Path) -> None:
    (tmp_path / "r").write_text("# genre = news\nAda O\n\nBob O\n")
    (tmp_path / "p").write_text("# genre = web\nAda O\n\n# genre = mail\nBob O\n")
    sources = Source(tmp_path / "r"), Source(tmp_path / "p")
    origins = [batch.provenance for batch in read_conll_pairs(*sources, attributes=["genre"])]
    assert [provenance.value(0, "genre") for provenance in origins] == ["news", "mail"]  # type: ignore[attr-defined]
    assert origins[1].value(0, "file") == str(tmp_path / "p")  # type: ignore[attr-defined]


def test_comments_are_not_kept_without_attributes(tmp_path: Path) -> None:
    (tmp_path / "r").write_text("# genre = news\nAda O O\n")
    (batch,) = read_conll_pairs(Source(tmp_path / "r"))
    assert batch.provenance.reference.block.columns is None  # type: ignore[attr-defined]
    assert batch.provenance.value(0, "genre") is None  # type: ignore[attr-defined]
