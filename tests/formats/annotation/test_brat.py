from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from span_texts import document, read, write

import isogloss
from isogloss.errors import DataError, MismatchError, SourceError, UsageError
from isogloss.formats.annotation import FormatOptions
from isogloss.formats.detection import detect_format, open_annotations
from isogloss.formats.documents import SpanDocument
from isogloss.kernel.provenance import RunWarning
from isogloss.records.sources import Source

TEXT = "Ada met Bob"
Streams = pytest.CaptureFixture[str]


def pair(folder: Path, name: str, text: str | bytes, *lines: str) -> Path:
    """A document of a folder; its .ann."""
    place = folder / f"{name}.ann"
    place.parent.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.txt").write_bytes(text if isinstance(text, bytes) else text.encode())
    place.write_bytes("".join(f"{line}\n" for line in lines).encode())
    return place


def spans(folder: Path, text: str, *lines: str) -> list[tuple[int, int, str]]:
    """The spans of a single document."""
    return list(read(pair(folder, "a", text, *lines))[0].spans)


def fault(folder: Path, text: str, *lines: str, **options: Any) -> DataError:
    """Return the error that reading a document raises."""
    path = pair(folder, "a", text, *lines)
    with pytest.raises(DataError) as error:
        read(path, **options)
    assert (error.value.where or "").startswith(f"{path}:")
    assert error.value.remedy
    return error.value


def test_a_folder_is_its_pairs_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("b", "a/z", "a.b", "a/c/d"):
        pair(tmp_path, name, TEXT, "T1\tPER 0 3\tAda")
    assert [each.id for each in read(tmp_path)] == ["a/c/d", "a/z", "a.b", "b"]
    assert [each.file for each in read(tmp_path)][:1] == [str(tmp_path / "a/c/d.ann")]


def test_what_begins_with_a_dot_or_ends_otherwise_is_no_document(tmp_path: Path) -> None:
    pair(tmp_path, "a", TEXT)
    for name in ("annotation.conf", ".hidden.ann", "._a.ann", ".git/x.txt", "README"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert [each.id for each in read(tmp_path)] == ["a"]


def test_a_single_file_has_no_id(tmp_path: Path) -> None:
    path = pair(tmp_path, "a", TEXT, "T1\tPER 0 3\tAda")
    assert read(path) == [SpanDocument(1, None, TEXT, [(0, 3, "PER")], file=str(path), lines=[1], padded=True)]


@pytest.mark.parametrize("end", ["", "\n", " \n\n"])
def test_white_space_at_the_end_of_a_text_may_be_missing_on_the_other_side(tmp_path: Path, end: str) -> None:
    pair(tmp_path / "gold", "a", TEXT + "\n", "T1\tPER 0 3\tAda")
    row = {"id": "a", "text": TEXT + end, "entities": [[0, 3, "PER"]]}
    (tmp_path / "f").write_text(json.dumps(row) + "\n", encoding="utf-8")
    for sides in ((tmp_path / "gold", tmp_path / "f"), (tmp_path / "f", tmp_path / "gold")):
        assert isogloss.ner(*sides).scores["strict"].f1 == 1
    (tmp_path / "f").write_text(json.dumps(row | {"text": f" {TEXT}"}) + "\n", encoding="utf-8")
    with pytest.raises(MismatchError, match="differ from code point 0"):
        isogloss.ner(tmp_path / "gold", tmp_path / "f")


def test_a_finding_is_in_the_line_of_its_span(tmp_path: Path) -> None:
    gold = pair(tmp_path / "gold", "a", TEXT, "R1\tknows Arg1:T1 Arg2:T2", "T1\tPER 0 3\tAda", "T2\tPER 8 11\tBob")
    system = pair(tmp_path / "system", "a", TEXT, "T1\tPER 8 11\tBob", "T2\tLOC 4 7\tmet")
    run = isogloss.ner(tmp_path / "gold", tmp_path / "system", findings=True)
    assert {(finding.kind, finding.where) for finding in run.findings} == {
        ("missed", f"{gold}:2"),
        ("spurious", f"{system}:2"),
    }


@pytest.mark.parametrize("text", ["", "\n", "x", "x\n", "x\n\n", "a\r\nb\r\n", "ก\u0e49\u2028𠀀"], ids=ascii)
def test_a_text_is_what_its_file_holds(tmp_path: Path, text: str) -> None:
    assert read(pair(tmp_path, "a", text))[0].text == text


def test_other_annotations_are_skipped(tmp_path: Path) -> None:
    others = [
        "R1\tMet Arg1:T1 Arg2:T2",
        "E1\tMet:T3 Who:T1",
        "A1\tOld T1",
        "M1\tNegation E1",
        "#1\tAnnotatorNotes T1\tno",
    ]
    others += ["N1\tReference T1 Wiki:1\tAda", "*\tEquiv T1 T2", "", "   "]
    assert spans(tmp_path, TEXT, *others, "T1\tPER 0 3\tAda", *others) == [(0, 3, "PER")]


def test_spans_stay_as_they_are(tmp_path: Path) -> None:
    lines = ["T2\tPER 8 11\tBob", "T1\tPER 0 3\tAda", "T3\tPER 0 3\tAda", "T4\tGRP 0 11\tAda met Bob"]
    expected = [(8, 11, "PER"), (0, 3, "PER"), (0, 3, "PER"), (0, 11, "GRP")]
    assert spans(tmp_path, TEXT, *lines) == expected


@pytest.mark.parametrize("tail", ["", "  ", "\tAda", "\tAda\tsure", "\tAda\t"])
def test_what_may_follow_the_offsets(tmp_path: Path, tail: str) -> None:
    assert spans(tmp_path, TEXT, f"T1\tPER 0 3{tail}") == [(0, 3, "PER")]


def test_windows_line_ends_of_annotations_are_no_part_of_a_text(tmp_path: Path) -> None:
    assert spans(tmp_path, TEXT, "T1\tPER 0 3\tAda\r", "T2\tPER 8 11\r") == [(0, 3, "PER"), (8, 11, "PER")]


@pytest.mark.parametrize("text", ["New\nYork", "New\tYork", "New\rYork"])
def test_line_breaks_and_tabs_are_blanks_in_the_text_of_a_span(tmp_path: Path, text: str) -> None:
    assert spans(tmp_path, text, "T1\tLOC 0 8\tNew York") == [(0, 8, "LOC")]


def test_a_tab_may_stand_in_the_text_of_a_span(tmp_path: Path) -> None:
    assert spans(tmp_path, "New\tYork", "T1\tLOC 0 8\tNew\tYork") == [(0, 8, "LOC")]


@pytest.mark.parametrize("own", ["Ada Bob", "AdaBob"])
def test_the_pieces_of_a_span_are_joined_by_blanks_or_by_nothing(tmp_path: Path, own: str) -> None:
    path = pair(tmp_path, "a", TEXT, "T9\tX 4 7\tmet", f"T1\tPER 0 3;8 11\t{own}")
    (found,) = read(path)
    assert found.spans == [(4, 7, "X"), (0, 11, "PER")]
    message = "Discontinuous spans were counted from their first character to their last."
    assert found.warnings == (RunWarning("discontinuous-spans", message, 1, f"{path}:2"),)


def test_the_pieces_of_a_span_may_stand_in_any_order(tmp_path: Path) -> None:
    assert spans(tmp_path, TEXT, "T1\tPER 8 11;0 3\tBob Ada") == [(0, 11, "PER")]


@pytest.mark.parametrize("text", ["New\nYork", "New\r\n\n York"])
def test_pieces_with_white_space_between_them_are_one(tmp_path: Path, text: str) -> None:
    path = pair(tmp_path, "a", text, f"T1\tLOC 0 3;{len(text) - 4} {len(text)}\tNew York")
    (found,) = read(path, strict_spans=True)
    assert found.spans == [(0, len(text), "LOC")]
    assert found.warnings == ()


def test_strict_spans_refuse_what_is_in_pieces(tmp_path: Path) -> None:
    error = fault(tmp_path, TEXT, "T1\tPER 0 3\tAda", "T2\tPER 0 3;8 11\tAda Bob", strict_spans=True)
    assert error.where == str(tmp_path / "a.ann:2")
    assert error.message == "the span 'Ada Bob' 'PER' is discontinuous, in 2 pieces"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("T1\t0 3\tAda", "is not an annotation of brat"),
        ("T1 PER 0 3 Ada", "'T1 PER 0 3 Ada' is not an annotation of brat"),
        ("T1\tPER 0\tAda", "is not an annotation of brat"),
        ("T1\tPER 0 x\tAda", "is not an annotation of brat"),
        ("T1\tPER 0 3,8 11\tAda", "is not an annotation of brat"),
        ("T1\tPER 0 " + "9" * 5000 + "\tAda", "is not an annotation of brat"),
        ("Random words", "is not an annotation of brat"),
        ("PER 0 3", "is not an annotation of brat"),
        ("T1\tPER 0 3\tBob", "the span [0, 3) 'PER' covers 'Ada', but its own text is 'Bob'"),
        ("T1\tPER 0 3\tAda met", "covers 'Ada', but its own text is 'Ada met'"),
        ("T1\tPER 0 3\t", "covers 'Ada', but its own text is ''"),
        ("T1\tPER 0 7\tAda", "covers 'Ada met', but its own text is 'Ada'"),
        ("T1\tPER 3 3\t", "has no extent"),
        ("T1\tPER 3 0\tAda", "has no extent"),
        ("T1\tPER -3 11\tBob", "begins before its text"),
        ("T1\tPER 8 15\tBob", "reaches beyond its text, which has 11 code points"),
        ("T1\tPER 8 15", "reaches beyond its text"),
        ("T1\tPER 0 3;8 15\tAda Bob", "reaches beyond its text"),
        ("T1\tPER 0 3;8 11\tAda Bobby", "the pieces of the span cover 'Ada Bob', but its own text is 'Ada Bobby'"),
        ("T1\tPER 0 3;8 11\tAda Rob", "covers 'Bob', but its own text is 'Rob'"),
    ],
)
def test_a_fault_is_found_at_its_line(tmp_path: Path, line: str, said: str) -> None:
    error = fault(tmp_path, TEXT, "T7\tPER 0 3\tAda", "", line, "T8\tPER 8 11\tBob")
    assert error.where == str(tmp_path / "a.ann:3")
    assert said in error.message


def utf16(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


@pytest.mark.parametrize(
    "count", [utf16, lambda text: len(text.encode()), lambda text: len(text.replace("\n", "\r\n"))]
)
def test_offsets_that_count_something_else_are_put_right(tmp_path: Path, count: Callable[[str], int]) -> None:
    text = "é𠀀\nAda and\nBob𠀀, Anna Bob"
    names = ["Ada", "Bob𠀀", "Anna"]
    starts = [text.index(name) for name in names]
    lines = [
        f"T1\tPER {count(text[:at])} {count(text[: at + len(name)])}\t{name}"
        for at, name in zip(starts, names, strict=True)
    ]
    pieces = [(starts[0], starts[0] + 3), (starts[1], starts[1] + 4)]
    bounds = ";".join(f"{count(text[:start])} {count(text[:end])}" for start, end in pieces)
    path = pair(tmp_path, "a", text, *lines, f"T4\tGRP {bounds}\tAda Bob𠀀")
    (found,) = read(path, repair_offsets=True)
    expected = [(at, at + len(name), "PER") for at, name in zip(starts, names, strict=True)]
    assert found.spans == [*expected, (starts[0], starts[1] + 4, "GRP")]
    assert [warning.code for warning in found.warnings] == ["offsets-repaired", "discontinuous-spans"]
    assert "--repair-offsets" in fault(tmp_path, text, *lines).remedy


@pytest.mark.parametrize(("gone", "there"), [(".txt", ".ann"), (".ann", ".txt")])
def test_half_a_pair_is_named(tmp_path: Path, gone: str, there: str) -> None:
    pair(tmp_path, "a/b", TEXT)
    pair(tmp_path, "a/a", TEXT)
    (tmp_path / f"a/b{gone}").unlink()
    with pytest.raises(SourceError, match=f"there is no b{gone} beside it") as error:
        read(tmp_path, "brat")
    assert error.value.where == str(tmp_path / f"a/b{there}")
    assert error.value.remedy


def test_a_file_without_its_text_is_named(tmp_path: Path) -> None:
    path = pair(tmp_path, "a", TEXT)
    (tmp_path / "a.txt").unlink()
    with pytest.raises(SourceError, match=r"there is no a\.txt beside it"):
        read(path, "brat")


def test_a_folder_of_texts_alone_lacks_annotations(tmp_path: Path) -> None:
    (tmp_path / "a.txt").touch()
    with pytest.raises(SourceError, match=r"there is no a\.ann beside it"):
        read(tmp_path)


def test_a_folder_of_something_else_is_not_recognised(tmp_path: Path) -> None:
    (tmp_path / "a.csv").touch()
    with pytest.raises(SourceError):
        detect_format(Source(tmp_path))
    with pytest.raises(SourceError, match=r"holds no \.txt and \.ann files"):
        read(tmp_path, "brat")


def test_standard_input_has_no_text_beside_it() -> None:
    with pytest.raises(UsageError, match="Standard input holds no text"):
        read("-", "brat")


def test_the_digest_of_a_folder_is_that_of_the_digests_of_its_files(tmp_path: Path) -> None:
    pair(tmp_path, "b", TEXT, "T1\tPER 0 3\tAda")
    pair(tmp_path, "ก/a", "")
    source = Source(tmp_path)
    for _ in range(2):
        for each in documents_of(source):
            assert each.text is not None
    names = ["b.ann", "b.txt", "ก/a.ann", "ก/a.txt"]
    lines = [f"{hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()}  {name}\n" for name in names]
    assert source.sha256 == hashlib.sha256("".join(lines).encode()).hexdigest()
    assert source.bytes_read == sum((tmp_path / name).stat().st_size for name in names)


def documents_of(source: Source) -> list[SpanDocument]:
    return list(open_annotations(source, "brat", FormatOptions()).spans or ())


def test_a_link_to_a_folder_is_followed_but_never_back(tmp_path: Path) -> None:
    pair(tmp_path / "elsewhere", "a", TEXT)
    pair(tmp_path / "gold", "b", TEXT)
    (tmp_path / "gold" / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "gold" / "round").symlink_to(tmp_path / "gold")
    assert [each.id for each in read(tmp_path / "gold")] == ["b", "link/a"]


def test_documents_are_sliced_by_folder_and_file(tmp_path: Path) -> None:
    for side in ("gold", "pred"):
        pair(tmp_path / side, "news/a", TEXT, "T1\tPER 0 3\tAda")
        pair(tmp_path / side, "b", TEXT, *(["T1\tPER 0 3\tAda"] if side == "gold" else []))
    run = isogloss.ner(tmp_path / "gold", tmp_path / "pred", by=["folder", "file"])
    recalls = {value: each.strict.recall for value, each in run.slices["folder"].items()}
    assert recalls == {"news": 1.0, ".": 0.0}
    assert set(run.slices["file"]) == {str(tmp_path / "pred/b.ann"), str(tmp_path / "pred/news/a.ann")}


def test_a_span_over_line_breaks_is_written_in_pieces(tmp_path: Path) -> None:
    write([document("In New\nYork", (3, 11, "LOC"), id="a")], "brat", tmp_path / "out")
    assert (tmp_path / "out" / "a.ann").read_text(encoding="utf-8") == "T1\tLOC 3 6;7 11\tNew York\n"


def test_documents_without_ids_are_numbered_in_their_order(tmp_path: Path) -> None:
    write([document(str(k)) for k in range(12)], "brat", tmp_path / "out")
    assert [each.text for each in read(tmp_path / "out")] == [str(k) for k in range(12)]


def test_a_name_that_is_too_long_is_an_error_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be written"):
        write([document("Ada", id="a" * 300)], "brat", tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_holds_something_is_not_written_to(tmp_path: Path) -> None:
    (tmp_path / "mine").touch()
    with pytest.raises(SourceError, match="not an empty folder"):
        write([document("Ada")], "brat", tmp_path)
    with pytest.raises(SourceError, match="not an empty folder"):
        write([document("Ada")], "brat", tmp_path / "mine")
    assert [each.name for each in tmp_path.iterdir()] == ["mine"]


def test_an_empty_folder_is_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write([document("Ada", id="a"), document("Bob", id="b/c")], "brat", ".")
    assert [each.id for each in read(".")] == ["a", "b/c"]


def test_standard_output_is_no_folder() -> None:
    with pytest.raises(UsageError, match="folder"):
        write([document("Ada")], "brat", "-")
