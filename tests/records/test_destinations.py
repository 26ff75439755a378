from __future__ import annotations

import gzip
import io
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from isogloss.errors import MissingExtraError, SourceError, UsageError
from isogloss.records.destinations import (
    append_text,
    check_output,
    open_binary_output,
    open_output_folder,
    open_text_output,
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def names() -> list[str]:
    return sorted(os.listdir("."))  # noqa: PTH208  names, hidden ones too


def put(path: str, data: bytes) -> None:
    with open_binary_output(path) as file:
        file.write(data)


def test_a_file_appears_when_it_is_complete() -> None:
    with open_binary_output("out") as file:
        file.write(b"one")
        assert not Path("out").exists()
    assert Path("out").read_bytes() == b"one"
    assert names() == ["out"]


def test_an_error_leaves_the_old_file_unchanged() -> None:
    Path("out").write_bytes(b"before")
    with pytest.raises(ZeroDivisionError), open_binary_output("out") as file:
        file.write(b"half" * (1 // 0))
    assert Path("out").read_bytes() == b"before"
    assert names() == ["out"]


def test_the_permissions_of_a_file_stay() -> None:
    Path("out").write_bytes(b"")
    Path("out").chmod(0o640)
    put("out", b"new")
    assert stat.S_IMODE(Path("out").stat().st_mode) == 0o640


def test_a_symbolic_link_stays_a_link() -> None:
    Path("real").write_bytes(b"before")
    Path("link").symlink_to("real")
    put("link", b"new")
    assert Path("link").is_symlink()
    assert Path("real").read_bytes() == b"new"
    assert names() == ["link", "real"]


def test_a_device_is_written_to_directly() -> None:
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


def test_dash_writes_to_standard_output(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out))
    put("-", b"bytes \xff")
    assert out.getvalue() == b"bytes \xff"
    assert names() == []


def test_closed_standard_output_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(SourceError, match="nowhere to go"):
        put("-", b"x")


def test_a_full_disk_is_an_error_but_not_a_broken_pipe(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def standing(error: OSError) -> None:
        with open_binary_output("-"):
            raise error

    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO()))
    with pytest.raises(SourceError, match="cannot be written: No space left"):
        standing(OSError(28, "No space left on device"))
    with pytest.raises(BrokenPipeError):
        standing(BrokenPipeError())


def test_a_folder_appears_when_it_is_complete() -> None:
    with open_output_folder("out") as new:
        (new / "a").write_bytes(b"x")
        assert not Path("out").exists()
    assert [path.name for path in Path("out").iterdir()] == ["a"]
    assert names() == ["out"]


def test_an_error_leaves_no_new_folder() -> None:
    with pytest.raises(ZeroDivisionError), open_output_folder("out") as new:
        (new / "a").write_bytes(b"x" * (1 // 0))
    assert names() == []


def test_a_folder_with_files_is_not_overwritten() -> None:
    Path("out").mkdir()
    Path("out/mine").write_bytes(b"x")
    with pytest.raises(SourceError, match="not an empty folder"), open_output_folder("out"):
        pass
    assert names() == ["out"]


def test_text_is_utf_8_with_unchanged_newlines() -> None:
    with open_text_output("out") as file:
        file.write("\u00e9\r\nb\n")
    assert Path("out").read_bytes() == b"\xc3\xa9\r\nb\n"


@pytest.mark.parametrize("name", ["out", "out.gz"])
def test_an_error_leaves_no_text_file(name: str) -> None:
    def half() -> None:
        with open_text_output(name) as file:
            file.write("half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half()
    assert names() == []


def test_gzip_output_is_reproducible() -> None:
    for name in ("one.gz", "two.gz"):
        with open_text_output(name) as file:
            file.write("text\n")
        assert gzip.decompress(Path(name).read_bytes()) == b"text\n"
    assert Path("one.gz").read_bytes() == Path("two.gz").read_bytes()


@pytest.mark.extra
def test_zstd_output_can_be_decompressed() -> None:
    zstandard = pytest.importorskip("zstandard", reason="needs isogloss[zstd]")
    with open_text_output("out.zst") as file:
        file.write("text\n" * 1000)
    with Path("out.zst").open("rb") as stored:
        assert zstandard.ZstdDecompressor().stream_reader(stored).read() == b"text\n" * 1000


def test_zstd_output_without_its_package_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'isogloss\[zstd\]'"):
        put("out.zst", b"x")
    with pytest.raises(MissingExtraError, match=r"pip install 'isogloss\[zstd\]'"):
        check_output("out.zst", [])
    assert names() == []


@pytest.mark.parametrize("name", ["out.bz2", "out.xz"])
def test_unsupported_compression_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=r"does not write \.\w+\. Let the name end with \.gz or \.zst"):
        put(name, b"x")
    with pytest.raises(UsageError, match=r"does not write"):
        check_output(name, [])
    assert names() == []


def test_binary_output_is_not_compressed() -> None:
    with pytest.raises(UsageError, match=r"leave \.gz out of its name"), open_binary_output("table.gz", text=False):
        pass
    assert names() == []


def test_a_read_only_file_is_not_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("out").write_bytes(b"before")
    monkeypatch.setattr("os.access", lambda *_: False)  # root may write everything
    with pytest.raises(SourceError, match="cannot be written: Permission denied"):
        put("out", b"x")
    assert Path("out").read_bytes() == b"before"


def test_a_private_file_stays_private_while_written() -> None:
    Path("out").write_bytes(b"")
    Path("out").chmod(0o600)
    with open_binary_output("out"):
        assert {stat.S_IMODE(Path(name).stat().st_mode) for name in names()} == {0o600}


def test_standard_output_can_be_named_as_a_device() -> None:
    code = """from isogloss.records.destinations import open_binary_output
with open_binary_output('/dev/stdout') as file:
    file.write(b'through')
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"through"


def test_simultaneous_writers_write_whole_files() -> None:
    with open_binary_output("out") as one, open_binary_output("out") as two:
        one.write(b"one")
        two.write(b"two")
    assert Path("out").read_bytes() == b"one"  # which ended last
    assert names() == ["out"]


def test_the_error_has_the_given_remedy() -> None:
    with pytest.raises(SourceError, match=r"cannot be written: .*\nName another, with --junit\."):
        append_text("x", "missing/out", "Name another, with --junit.")


def test_text_is_appended() -> None:
    append_text("one\n", "out")
    append_text("two\n", "out")
    assert Path("out").read_bytes() == b"one\ntwo\n"


def test_an_input_file_is_refused_as_output() -> None:
    Path("read").write_bytes(b"x")
    Path("link").symlink_to("read")
    for name in ("read", "./read", "link"):
        with pytest.raises(UsageError, match=f"--junit {name} is an input file: name another"):
            check_output(name, ["-", "other", "read"], "--junit")


def test_other_files_and_devices_are_allowed_as_output() -> None:
    Path("read").write_bytes(b"x")
    for name in ("-", "new", "read\0", os.devnull):
        check_output(name, ["-", "read", os.devnull, "a\0b"])
