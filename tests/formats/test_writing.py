from __future__ import annotations

import io
import json
import os
import stat
import sys
import threading
from pathlib import Path

import pytest

from isogloss.exceptions import DataError
from isogloss.formats.span_pairing import SpanDocument
from isogloss.formats.writing import unwritable, writable_text, write_array, written, written_folder


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def names() -> list[str]:
    return sorted(os.listdir("."))  # noqa: PTH208  names, hidden ones too


def put(path: str, data: bytes) -> None:
    with written(path) as file:
        file.write(data)


def test_a_file_is_there_when_all_is_written() -> None:
    with written("out") as file:
        file.write(b"one")
        assert not Path("out").exists()
    assert Path("out").read_bytes() == b"one"
    assert names() == ["out"]


def test_after_an_error_the_file_is_as_it_was_and_nothing_else_is_left() -> None:
    Path("out").write_bytes(b"before")
    with pytest.raises(ZeroDivisionError), written("out") as file:
        file.write(b"half" * (1 // 0))
    assert Path("out").read_bytes() == b"before"
    assert names() == ["out"]


def test_after_an_error_no_file_comes_to_be() -> None:
    with pytest.raises(ZeroDivisionError), written("out"):
        raise ZeroDivisionError
    assert names() == []


def test_the_permissions_of_a_file_stay() -> None:
    Path("out").write_bytes(b"")
    Path("out").chmod(0o640)
    put("out", b"new")
    assert stat.S_IMODE(Path("out").stat().st_mode) == 0o640


def test_a_link_stays_one() -> None:
    Path("real").write_bytes(b"before")
    Path("link").symlink_to("real")
    put("link", b"new")
    assert Path("link").is_symlink()
    assert Path("real").read_bytes() == b"new"
    assert names() == ["link", "real"]


def test_a_device_is_written_to_and_stays_one() -> None:
    Path("null").symlink_to(os.devnull)
    put("null", b"gone")
    assert Path("null").is_symlink()
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


def test_a_pipe_is_written_to() -> None:
    os.mkfifo("pipe")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(Path("pipe").read_bytes()))
    reader.start()
    put("pipe", b"through")
    reader.join()
    assert read == [b"through"]


def test_a_long_name_can_be_written() -> None:
    put("n" * 250, b"x")
    assert names() == ["n" * 250]


@pytest.mark.parametrize(("path", "says"), [("missing/out", "No such file"), (".", "Is a directory")])
def test_a_file_that_cannot_be_written_is_an_error(path: str, says: str) -> None:
    with pytest.raises(SourceError, match=f"cannot be written: {says}") as error:
        put(path, b"x")
    assert error.value.where == path
    assert names() == []


def test_a_dash_is_standard_output(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out))
    put("-", b"bytes \xff")
    assert out.getvalue() == b"bytes \xff"
    assert names() == []


def test_standard_output_that_is_closed_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(SourceError, match="nowhere to go"):
        put("-", b"x")


def test_standard_output_that_takes_no_more_is_an_error_and_a_broken_pipe_is_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def standing(error: OSError) -> None:
        with written("-"):
            raise error

    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO()))
    with pytest.raises(SourceError, match="cannot be written: No space left"):
        standing(OSError(28, "No space left on device"))
    with pytest.raises(BrokenPipeError):
        standing(BrokenPipeError())


def test_a_folder_is_there_when_all_is_written() -> None:
    with written_folder("out") as new:
        (new / "a").write_bytes(b"x")
        assert not Path("out").exists()
    assert [path.name for path in Path("out").iterdir()] == ["a"]
    assert names() == ["out"]


def test_after_an_error_no_folder_comes_to_be() -> None:
    with pytest.raises(ZeroDivisionError), written_folder("out") as new:
        (new / "a").write_bytes(b"x" * (1 // 0))
    assert names() == []


def test_a_folder_that_holds_something_is_not_written_over() -> None:
    Path("out").mkdir()
    Path("out/mine").write_bytes(b"x")
    with pytest.raises(SourceError, match="no empty folder"), written_folder("out"):
        pass
    assert names() == ["out"]


def document(text: str | None, *spans: tuple[int, int, str], **more: object) -> SpanDocument:
    return SpanDocument(**{"line": 3, "id": None, "text": text, "spans": spans, "file": "f"} | more)  # type: ignore[arg-type]


def test_a_text_that_holds_its_spans_can_be_written() -> None:
    assert writable_text(document("Ada", (0, 3, "P"))) == "Ada"


@pytest.mark.parametrize(
    ("whole", "says"),
    [
        (document(None), "has no text"),
        (document("Ada", (0, 4, "P")), "reaches beyond its text"),
        (document("Ada", (1, 1, "P")), "has no extent"),
        (document("a\ud800"), "half a surrogate pair"),
        (document("Ada", unlocated=[("Bob", "P")]), "names that are not in its text"),
    ],
)
def test_a_document_that_cannot_be_written_is_refused_with_its_place(whole: SpanDocument, says: str) -> None:
    with pytest.raises(DataError, match=says) as error:
        writable_text(whole)
    assert error.value.where == "f:3"


@pytest.mark.parametrize(("line", "where"), [(3, "f:3"), ("row 3", "f:row 3")])
def test_an_error_names_the_place_of_the_document(line: int | str, where: str) -> None:
    assert str(unwritable(document("x", line=line), "is odd", "Mend it.")) == f"{where}: the document is odd\nMend it."


@pytest.mark.parametrize("count", [0, 1, 3])
def test_an_array_has_a_line_for_each_document(tmp_path: Path, count: int) -> None:
    sent = [SpanDocument(line, str(line), "Ada", ()) for line in range(count)]
    write_array(sent, str(tmp_path / "f.json"), lambda each: {"id": each.id})
    text = (tmp_path / "f.json").read_text(encoding="utf-8")
    assert json.loads(text) == [{"id": str(line)} for line in range(count)]
    assert text.count("\n") == count + 2
