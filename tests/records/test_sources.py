import gzip
import hashlib
import io
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.errors import MissingExtraError, SourceError
from isogloss.records import sources
from isogloss.records.sources import Block, Source

TEXT = "Ana O\nnaïve B-X\n\n北京 B-LOC\n".encode()
LONG_TEXT = b"".join(os.urandom(20).hex().encode() + b"\n" for _ in range(5_000))
SIZES = [1, 4, 16, 1 << 20]


def content(source: Source, size: int = 1 << 20) -> bytes:
    return b"".join(block.data for block in source.blocks(size))


def file(folder: Path, data: bytes, name: str = "file.conll") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def fault(path: Path | str) -> SourceError:
    with pytest.raises(SourceError) as caught:
        list(Source(path).blocks())
    return caught.value


@given(
    st.lists(st.sampled_from(["a", "北", "\n", "\r\n", "x" * 50, " "]), max_size=20),
    st.integers(1, 60),
    st.sampled_from([bytes, gzip.compress]),
)
def test_blocks_are_whole_lines_with_their_numbers(
    tmp_path_factory: pytest.TempPathFactory,
    pieces: list[str],
    size: int,
    encode: Callable[[bytes], bytes],
) -> None:
    data = "".join(pieces).encode()
    path = tmp_path_factory.mktemp("any") / "file"
    path.write_bytes(encode(data))
    ended = data if data.endswith(b"\n") or not data else data + b"\n"
    blocks = list(Source(path).blocks(size))
    assert b"".join(block.data for block in blocks) == ended
    line = 1
    for block in blocks:
        assert block.data.endswith(b"\n")
        assert (block.first_line, block.lines) == (line, block.data.count(b"\n"))
        assert block.text == block.data.decode()
        line += block.lines


def test_blocks_have_about_the_given_size(tmp_path: Path) -> None:
    path = file(tmp_path, b"".join(os.urandom(20).hex().encode() + b"\n" for _ in range(20_000)))
    compressed = file(tmp_path, gzip.compress(path.read_bytes()), "file.gz")
    for source in (Source(path), Source(compressed)):
        assert all(len(block.data) < 1 << 17 for block in source.blocks(1 << 16))


def test_passes_over_a_source_may_overlap(tmp_path: Path) -> None:
    source = Source(file(tmp_path, TEXT))
    first = source.blocks(4)
    next(first)
    assert content(source, 4) == content(source, 7) == TEXT
    assert b"".join(block.data for block in first).endswith(TEXT.splitlines(keepends=True)[-1])


@pytest.mark.parametrize("size", SIZES)
def test_gzip_may_have_members_and_padding(size: int, tmp_path: Path) -> None:
    half = len(TEXT) // 2
    data = gzip.compress(TEXT[:half]) + gzip.compress(TEXT[half:]) + b"\0" * 512
    assert content(Source(file(tmp_path, data, "no-ending")), size) == TEXT


def test_the_digest_is_that_of_the_stored_bytes(tmp_path: Path) -> None:
    for data in (LONG_TEXT, gzip.compress(LONG_TEXT)):
        source = Source(file(tmp_path, data))
        assert source.sha256 is None
        next(source.blocks(8))
        assert source.sha256 is None
        content(source)
        assert source.sha256 == hashlib.sha256(data).hexdigest()
        assert source.bytes_read == source.size == len(data)


def test_a_digest_needs_no_valid_text(tmp_path: Path) -> None:
    data = b"PAR1\0\xff" + LONG_TEXT
    source = Source(file(tmp_path, data))
    source.compute_digest()
    assert source.sha256 == hashlib.sha256(data).hexdigest()


def test_a_digest_is_computed_once(tmp_path: Path) -> None:
    source = Source(file(tmp_path, TEXT))
    content(source)
    (tmp_path / "file.conll").unlink()
    source.compute_digest()
    assert source.sha256 == hashlib.sha256(TEXT).hexdigest()


@pytest.mark.parametrize("name", ["file", "-"])
def test_stored_bytes_can_be_read_at_any_position(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = gzip.compress(TEXT)
    standard_input(monkeypatch, data)
    source = Source(name if name == "-" else file(tmp_path, data))
    for _ in range(2):
        with source.open_stored() as stored:
            stored.seek(-4, os.SEEK_END)
            assert stored.read() == data[-4:]
            stored.seek(1)
            assert stored.read(3) == data[1:4]


def test_bytes_read_restart_with_each_pass(tmp_path: Path) -> None:
    source = Source(file(tmp_path, LONG_TEXT))
    content(source)
    next(source.blocks(16))
    assert 0 < source.bytes_read < len(LONG_TEXT)


def standard_input(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))


@pytest.mark.parametrize("kept_in_memory", [1, 1 << 20])
def test_standard_input_can_be_read_again(kept_in_memory: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sources, "MAX_MEMORY", kept_in_memory)
    data = gzip.compress(TEXT)
    standard_input(monkeypatch, data)
    source = Source("-")
    assert source.name == "<stdin>"
    assert source.size is None
    assert content(source, 16) == content(source) == TEXT
    assert source.size == len(data)
    assert source.sha256 == hashlib.sha256(data).hexdigest()


def test_two_passes_over_standard_input_may_overlap(monkeypatch: pytest.MonkeyPatch) -> None:
    standard_input(monkeypatch, TEXT)
    source = Source("-")
    pairs = zip(source.blocks(4), source.blocks(4), strict=True)
    assert b"".join(one.data for one, other in pairs if one == other) == TEXT


def test_a_fault_in_standard_input_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    standard_input(monkeypatch, b"a\n\xff\n")
    with pytest.raises(SourceError, match=r"^<stdin>:2: is not UTF-8"):
        content(Source("-"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_a_named_pipe_can_be_read_again(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(TEXT,))
    writer.start()
    source = Source(path)
    assert source.size is None
    assert content(source) == content(source) == TEXT
    writer.join()
    assert source.size == len(TEXT)


def test_a_missing_file_suggests_similar_names(tmp_path: Path) -> None:
    file(tmp_path, TEXT, "pred.dev.conll")
    error = fault(tmp_path / "pred.dve.conll")
    assert error.where == f"{tmp_path}/pred.dve.conll"
    assert "no such file" in error.message
    assert error.remedy == f"Did you mean {tmp_path}/pred.dev.conll?"


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    assert f"{tmp_path}/none" in fault(tmp_path / "none" / "file").remedy


def test_a_folder_is_refused_as_a_file(tmp_path: Path) -> None:
    error = fault(tmp_path)
    assert error.where == str(tmp_path)
    assert "is a folder" in error.message
    assert error.remedy


def test_an_unreadable_file_says_how_to_allow_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    path = file(tmp_path, TEXT)
    monkeypatch.setattr(Path, "open", refuse)  # root may read everything
    error = fault(path)
    assert error.where == str(path)
    assert "no permission" in error.message
    assert f"chmod u+r {path}" in error.remedy


def test_other_open_errors_say_why(tmp_path: Path) -> None:
    error = fault(tmp_path / ("n" * 300))
    assert "File name too long" in error.message


def test_invalid_utf8_is_located_by_line_and_column(tmp_path: Path) -> None:
    for size in SIZES:
        for data, line, place in [
            (b"abc\n\nJos\xe9 O\n", 3, "byte 0xE9 at column 4"),
            ("北京 ".encode() + b"\xe5\x8c O\n", 1, "byte 0xE5 at column 4"),
            (b"a\n\xed\xa0\x80\n\xff", 2, "byte 0xED at column 1"),
            (b"a\n\xe5", 2, "byte 0xE5 at column 1"),
        ]:
            path = file(tmp_path, data)
            found = []
            with pytest.raises(SourceError) as caught:
                found += [block.data for block in Source(path).blocks(size)]
            assert caught.value.where == f"{path}:{line}"
            assert place in caught.value.message
            assert f"iconv -f WINDOWS-1252 -t UTF-8 {path}" in caught.value.remedy


def test_file_that_ends_inside_a_character_is_cut_off(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"cut off: byte 0xE0 at column 3"):
        list(Source(file(tmp_path, "แม\nน้ำ".encode()[:-2])).blocks())


def test_lines_before_a_fault_are_yielded(tmp_path: Path) -> None:
    blocks = Source(file(tmp_path, b"a\nb\nc\xff\nd\n")).blocks()
    assert next(blocks).data == b"a\nb\n"
    with pytest.raises(SourceError, match=":3:"):
        next(blocks)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"a\n\0\n", "it holds bytes 0x00"),
        (b"PK\x03\x04\x14\0\0", "zip archive"),
        (b"BZh91AY&SY\xaa\xbb\xcc", "bzip2"),
        ("a\tO\n".encode("utf-16"), "text in UTF-16"),
        (b"\xff\xfe" + "北\n".encode("utf-16-le"), "text in UTF-16"),
    ],
)
def test_binary_files_are_named_by_kind(data: bytes, kind: str, tmp_path: Path) -> None:
    path = file(tmp_path, data)
    error = fault(path)
    assert error.where == str(path)
    assert "is binary" in error.message
    assert kind in error.message
    assert ("iconv -f UTF-16" in error.remedy) == ("UTF-16" in kind)


def test_text_may_begin_like_another_format(tmp_path: Path) -> None:
    data = ("PAR1 B-GENE\n" + "北" * 4000 + " O\n").encode()
    assert content(Source(file(tmp_path, data))) == data


def test_a_late_nul_is_located_by_line(tmp_path: Path) -> None:
    path = file(tmp_path, b"a line\n" * 2000 + b"x\0\n")
    error = fault(path)
    assert error.where == f"{path}:2001"
    assert "binary" in error.message
    assert "byte 0x00 at column 2" in error.message


@pytest.mark.parametrize("cut", [1, 8, 30])
def test_a_gzip_file_that_is_cut_short_is_an_error(cut: int, tmp_path: Path) -> None:
    path = file(tmp_path, gzip.compress(TEXT * 1000)[:-cut], "file.gz")
    error = fault(path)
    assert error.where == str(path)
    assert "damaged or cut short" in error.message
    assert f"gzip -t {path}" in error.remedy


def test_a_damaged_gzip_file_is_an_error(tmp_path: Path) -> None:
    data = bytearray(gzip.compress(TEXT * 1000))
    data[-6] ^= 1
    assert "damaged" in fault(file(tmp_path, bytes(data))).message
    assert "damaged" in fault(file(tmp_path, gzip.compress(TEXT) + b"garbage")).message


def test_zstd_input_without_its_package_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtraError, match=r"isogloss\[zstd\]"):
        content(Source(file(tmp_path, b"\x28\xb5\x2f\xfd\x20")))


@pytest.mark.extra
@pytest.mark.parametrize("size", SIZES)
def test_zstd_may_have_frames(size: int, tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard", reason="needs isogloss[zstd]")
    data = zstandard.compress(TEXT[:10]) + zstandard.compress(TEXT[10:])
    source = Source(file(tmp_path, data))
    assert content(source, size) == TEXT
    assert source.sha256 == hashlib.sha256(data).hexdigest()


@pytest.mark.extra
def test_a_zstd_file_that_is_cut_short_is_an_error(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard", reason="needs isogloss[zstd]")
    assert "cut short" in fault(file(tmp_path, zstandard.compress(TEXT * 1000)[:-3])).message


def test_undecoded_blocks_have_the_same_faults(tmp_path: Path) -> None:
    for size in SIZES:
        for data in [TEXT, b"ascii\n", "ไทย\n한국어\n😀\n".encode(), b"ab\nc\xe0\x80d\n", b"ab\nc\0d\n"]:
            path = file(tmp_path, data)
            assert read_as_far_as_possible(path, size, decode=False) == read_as_far_as_possible(path, size, decode=True)


def read_as_far_as_possible(path: Path, size: int, *, decode: bool) -> tuple[list[Block], str]:
    blocks: list[Block] = []
    try:
        for block in Source(path).blocks(size, decode=decode):
            blocks.append(block)  # noqa: PERF402  keep the blocks before an error
    except SourceError as error:
        return blocks, str(error)
    return blocks, ""


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("compress", [bytes, gzip.compress])
@pytest.mark.parametrize("begin", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_the_latest_pass_knows_what_it_normalized(
    tmp_path: Path,
    begin: bytes,
    end: bytes,
    compress: Callable[[bytes], bytes],
    size: int,
) -> None:
    data = begin + b"a\nb" + end
    source = Source(file(tmp_path, compress(data)))
    text = content(source, size)
    assert (source.has_mark, source.is_unended) == (bool(begin), not end)
    assert begin * source.has_mark + text.removesuffix(b"\n" * source.is_unended) == data


def test_a_byte_order_mark_inside_a_file_is_kept(tmp_path: Path) -> None:
    source = Source(file(tmp_path, b"a\n\xef\xbb\xbfb\n"))
    assert content(source, 1) == b"a\n\xef\xbb\xbfb\n"
    assert not source.has_mark
