from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from span_texts import document, read, write

from isogloss.errors import DataError
from isogloss.formats.documents import SpanDocument

HEAD = "7|t|On aspirin.\n7|a|Aspirin helps.\n"  # the abstract begins at 12


def file(folder: Path, content: str | bytes) -> Path:
    """A file with this content."""
    path = folder / "a.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def one(folder: Path, content: str, **options: Any) -> SpanDocument:
    """The only document of a file."""
    (found,) = read(file(folder, content), **options)
    return found


def fault(folder: Path, content: str) -> DataError:
    """Return the error that reading a file raises."""
    with pytest.raises(DataError) as error:
        read(file(folder, content), "pubtator")
    assert error.value.remedy
    return error.value


def test_a_document_is_title_space_abstract(tmp_path: Path) -> None:
    found = one(tmp_path, HEAD + "7\t3\t10\taspirin\tChemical\tD1\n7\t12\t19\tAspirin\tChemical\n")
    spans = [(3, 10, "Chemical"), (12, 19, "Chemical")]
    assert found == SpanDocument(1, "7", "On aspirin. Aspirin helps.", spans, joined=True, lines=[3, 4])


@pytest.mark.parametrize("abstract", ["", "7|a|\n"])
def test_without_an_abstract_the_title_is_all(tmp_path: Path, abstract: str) -> None:
    assert one(tmp_path, "7|t|On aspirin.\n" + abstract).text == "On aspirin."


def test_a_file_holds_several_documents_with_or_without_blank_lines(tmp_path: Path) -> None:
    path = file(tmp_path, "1|t|A\n1|a|a\n1\t0\t1\tA\tX\n\n\n2|t|B\n3|t|C\n\n3|a|c\n3\t2\t3\tc\tX\n")
    assert [(each.line, each.id, each.text, len(each.spans)) for each in read(path)] == [
        (1, "1", "A a", 1),
        (6, "2", "B", 0),
        (7, "3", "C c", 1),
    ]


@pytest.mark.parametrize(
    "line", ["7\tCID\tD1\tD2", "7\tAssociation\tD1\tD2\tNovel", "7\tAssociation\t12\t34\tNovel", "7\tBind\tC1|C2\t12"]
)
def test_relations_are_skipped(tmp_path: Path, line: str) -> None:
    assert one(tmp_path, HEAD + line + "\n7\t3\t10\taspirin\tX\n" + line + "\n").spans == [(3, 10, "X")]


@pytest.mark.parametrize("more", ["", "\t", "\tD1", "\tD1|D2\tasp|irin", "\t-1\tx\ty"])
def test_columns_after_the_type_are_not_read(tmp_path: Path, more: str) -> None:
    assert one(tmp_path, HEAD + f"7\t3\t10\taspirin\tT116,T123{more}\n").spans == [(3, 10, "T116,T123")]


def test_bars_and_tabs_may_stand_in_a_title(tmp_path: Path) -> None:
    found = one(tmp_path, "P-7 b|t|a|t|b\tc\n")
    assert (found.id, found.text) == ("P-7 b", "a|t|b\tc")


def test_repeated_nested_and_unordered_mentions_stay(tmp_path: Path) -> None:
    lines = "7\t12\t19\tAspirin\tX\n7\t3\t10\taspirin\tX\n7\t3\t10\taspirin\tX\n7\t0\t10\tOn aspirin\tX\n"
    assert one(tmp_path, HEAD + lines).spans == [(12, 19, "X"), (3, 10, "X"), (3, 10, "X"), (0, 10, "X")]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("7\t3\t10\tAspirin\tX", "the span [3, 10) 'X' covers 'aspirin', but its own text is 'Aspirin'"),
        ("7\t3\t10\taspirin", "has no type"),
        ("7\t3\t10\taspirin\t\tD1", "has no type"),
        ("7\t3\t1o\taspirin\tX", "the offset '1o' is not a whole number"),
        ("7\t3.0\t10\taspirin\tX", "the offset '3.0' is not a whole number"),
        ("7\t+3\t10\taspirin\tX", "the offset '+3' is not a whole number"),
        ("7\t3\t" + "9" * 5000 + "\taspirin\tX", "is not a whole number"),
        ("7\t10\t3\taspirin\tX", "has no extent"),
        ("7\t-3\t3\taspirin\tX", "begins before its text"),
        ("7\t20\t40\thelps.\tX", "reaches beyond its text, which has 26 code points"),
        ("8\t3\t10\taspirin\tX", "the line is of document '8', but stands in '7'"),
        ("8\tCID\tD1\tD2", "the line is of document '8', but stands in '7'"),
        ("8|a|More", "the abstract is of document '8', but the title before it of '7'"),
        ("7|a|More", "document '7' has a second abstract"),
        ("7|x|More", "is not a title, abstract or mention"),
        ("aspirin", "'aspirin' is not a title, abstract or mention"),
    ],
)
def test_a_fault_is_found_at_its_line(tmp_path: Path, line: str, said: str) -> None:
    error = fault(tmp_path, HEAD + "7\t3\t10\taspirin\tX\n\n" + line + "\n8|t|Next\n")
    assert error.where == f"{tmp_path / 'a.txt'}:5"
    assert said in error.message


@pytest.mark.parametrize("line", ["7|a|Aspirin", "7\t0\t1\tA\tX", "words"])
def test_a_file_begins_with_a_title(tmp_path: Path, line: str) -> None:
    error = fault(tmp_path, f"\n{line}\n")
    assert error.where == f"{tmp_path / 'a.txt'}:2"
    assert "stands before the first title" in error.message


def test_standard_output_is_written_to(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    write([document("Is it? Yes, aspirin.", (12, 19, "X"), id="7")], "pubtator", "-")
    assert capfdbinary.readouterr().out == b"7|t|Is it?\n7|a|Yes, aspirin.\n7\t12\t19\taspirin\tX\n\n"


def test_documents_without_ids_are_numbered(tmp_path: Path) -> None:
    write([document("a"), document("b")], "pubtator", tmp_path / "out")
    assert [(each.id, each.text) for each in read(tmp_path / "out")] == [("1", "a"), ("2", "b")]
