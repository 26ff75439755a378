from __future__ import annotations

import gzip
import os
import stat
import sys
from pathlib import Path

import pytest

from isogloss.errors import MissingExtraError, SourceError, UsageError
from isogloss.records.sources import Source
from isogloss.tasks.ner.tag_rewriting import RewrittenColumn, WriteBytes, rewrite_in_place, rewrite_to_file

OLD, NEW = b"a I-A\n", b"a B-A\n"
CHANGED, SAME = (RewrittenColumn(2, 1, 1, "x:1"),), (RewrittenColumn(2, 1),)
posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "tags.conll"
    path.write_bytes(OLD)
    return path


def changed(write: WriteBytes) -> tuple[RewrittenColumn, ...]:
    write(NEW[:3])
    write(NEW[3:])
    return CHANGED


def names(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.parent.iterdir())


def test_a_file_is_replaced_and_nothing_is_left_beside_it(path: Path) -> None:
    assert rewrite_in_place(Source(path), changed) == CHANGED
    assert path.read_bytes() == NEW
    assert names(path) == [path.name]


def test_the_old_file_stands_until_all_is_written(path: Path) -> None:
    path.chmod(0o600)

    def looks(write: WriteBytes) -> tuple[RewrittenColumn, ...]:
        write(NEW)
        assert path.read_bytes() == OLD
        (new,) = (entry for entry in path.parent.iterdir() if entry != path)
        assert stat.S_IMODE(new.stat().st_mode) == 0o600 or os.name != "posix"
        return CHANGED

    rewrite_in_place(Source(path), looks)


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError, SourceError("x")])
def test_whatever_stops_it_leaves_the_file_as_it_was(path: Path, error: type[BaseException] | BaseException) -> None:
    def stopped(write: WriteBytes) -> tuple[RewrittenColumn, ...]:
        write(NEW)
        raise error

    with pytest.raises(error if isinstance(error, type) else type(error)):
        rewrite_in_place(Source(path), stopped)
    assert path.read_bytes() == OLD
    assert names(path) == [path.name]


def test_a_full_disk_leaves_the_file_as_it_was_and_says_so(path: Path) -> None:
    def full(write: WriteBytes) -> tuple[RewrittenColumn, ...]:
        write(NEW)
        raise OSError(28, "No space left on device")

    with pytest.raises(SourceError, match="cannot be written: No space left on device"):
        rewrite_in_place(Source(path), full)
    assert path.read_bytes() == OLD
    assert names(path) == [path.name]


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_permissions_are_kept(path: Path, mode: int) -> None:
    path.chmod(mode)
    rewrite_in_place(Source(path), changed)
    assert stat.S_IMODE(path.stat().st_mode) == mode


@posix
def test_a_symbolic_link_goes_on_to_point_to_the_file(path: Path) -> None:
    link = path.with_name("link")
    link.symlink_to(path.name)
    rewrite_in_place(Source(link), changed)
    assert link.is_symlink()
    assert path.read_bytes() == NEW


@posix
def test_another_hard_link_keeps_the_old_text(path: Path) -> None:
    link = path.with_name("link")
    link.hardlink_to(path)
    rewrite_in_place(Source(path), changed)
    assert (path.read_bytes(), link.read_bytes()) == (NEW, OLD)


def test_a_file_in_which_nothing_changes_is_not_touched(path: Path) -> None:
    def same(write: WriteBytes) -> tuple[RewrittenColumn, ...]:
        write(OLD)
        return SAME

    before = path.stat()
    assert rewrite_in_place(Source(path), same) == SAME
    assert path.stat().st_ino == before.st_ino
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert names(path) == [path.name]


def test_a_compressed_file_stays_one_whatever_its_name(path: Path) -> None:
    path.write_bytes(gzip.compress(OLD))
    rewrite_in_place(Source(path), changed)
    assert gzip.decompress(path.read_bytes()) == NEW


@pytest.mark.extra
def test_a_zstd_file_stays_one(path: Path) -> None:
    zstandard = pytest.importorskip("zstandard", reason="needs isogloss[zstd]")
    path.write_bytes(zstandard.compress(OLD))
    rewrite_in_place(Source(path), changed)
    with path.open("rb") as file:
        assert zstandard.ZstdDecompressor().stream_reader(file).read() == NEW


def test_a_missing_package_is_named_and_nothing_is_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'isogloss\[zstd\]'"):
        rewrite_to_file(Source(path), path.with_name("new.zst"), changed)
    assert names(path) == [path.name]


def test_standard_input_has_no_place() -> None:
    with pytest.raises(UsageError, match="cannot be changed in place"):
        rewrite_in_place(Source("-"), changed)


def test_a_folder_cannot_be_replaced(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="is not a regular file"):
        rewrite_in_place(Source(tmp_path), changed)


def test_a_file_that_must_not_be_written_is_not_replaced(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)  # root may write everything
    with pytest.raises(SourceError, match=r"no permission to change it.*\n.*chmod u\+w"):
        rewrite_in_place(Source(path), changed)
    assert path.read_bytes() == OLD


def test_another_file_is_written_and_the_old_one_stays(path: Path) -> None:
    target = path.with_name("new.conll")
    assert rewrite_to_file(Source(path), target, changed) == CHANGED
    assert (path.read_bytes(), target.read_bytes()) == (OLD, NEW)


def test_a_name_that_ends_with_gz_is_compressed_always_alike(path: Path) -> None:
    targets = [path.with_name("one.gz"), path.with_name("two.gz")]
    for target in targets:
        rewrite_to_file(Source(path), target, changed)
        assert gzip.decompress(target.read_bytes()) == NEW
    assert targets[0].read_bytes() == targets[1].read_bytes()


def test_an_old_result_stands_until_the_new_one_is_written(path: Path) -> None:
    target = path.with_name("new.conll")
    target.write_bytes(b"old result")

    def stopped(write: WriteBytes) -> tuple[RewrittenColumn, ...]:
        write(NEW)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rewrite_to_file(Source(path), target, stopped)
    assert target.read_bytes() == b"old result"
    assert names(path) == ["new.conll", path.name]


@posix
def test_what_is_no_regular_file_is_written_to_as_it_is(path: Path) -> None:
    assert rewrite_to_file(Source(path), Path(os.devnull), changed) == CHANGED
    assert not Path(os.devnull).is_file()


def test_the_file_itself_is_no_place_for_the_result(path: Path) -> None:
    with pytest.raises(UsageError, match="is an input file: use --in-place"):
        rewrite_to_file(Source(path), path, changed)
    assert path.read_bytes() == OLD


def test_a_folder_is_no_place_for_the_result(path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be written: Is a directory"):
        rewrite_to_file(Source(path), path.parent, changed)


def test_a_folder_that_is_not_there_is_an_error(path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be written: No such file or directory"):
        rewrite_to_file(Source(path), path.parent / "absent" / "new.conll", changed)
