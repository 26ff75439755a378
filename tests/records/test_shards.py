"""Shards are one source: their order, their lines, their digest, and how they are paired by name."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import pytest

from isogloss.errors import DataError, FormatError, MismatchError, SourceError, UsageError
from isogloss.records.shards import Shards, check_shard_names, open_source, pair_names, suggest_quotes
from isogloss.records.sources import Source, is_path


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(*names: str, text: str = "x\n") -> None:
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)


def open_shards(value: object) -> Shards:
    source = open_source(value)
    assert isinstance(source, Shards)
    return source


def test_a_folder_is_its_files_in_natural_order() -> None:
    write(
        "gold/part-10.txt", "gold/part-9.txt", "gold/b/part-1.txt", "gold/.DS_Store", "gold/_SUCCESS", "gold/.x/1.txt"
    )
    assert open_shards("gold").files == ("gold/b/part-1.txt", "gold/part-9.txt", "gold/part-10.txt")


def test_a_pattern_and_a_list_are_the_same_files() -> None:
    write("a-2.txt", "a-10.txt", "b-1.txt")
    assert (
        open_shards("a-*.txt").files
        == open_shards([Path("a-10.txt"), Path("a-2.txt")]).files
        == ("a-2.txt", "a-10.txt")
    )
    assert Shards(["a-10.txt", "a-2.txt"]).name == "a-*.txt"


def test_a_file_whose_name_looks_like_a_pattern_is_a_file() -> None:
    write("a[1].txt", "a1.txt")
    assert not isinstance(open_source("a[1].txt"), Shards)


def test_strings_in_a_list_are_not_files() -> None:
    assert not is_path(["a.txt", "b.txt"])
    assert is_path([Path("a.txt")])
    assert not is_path([])


def test_lines_are_numbered_through_and_located_in_their_shard() -> None:
    write("1.txt", text="a\nb")
    write("2.txt", text="")
    write("3.txt", text="c\n")
    with gzip.open("4.txt.gz", "wt") as file:
        file.write("d\ne\n")
    shards = open_shards([Path(name) for name in ("1.txt", "2.txt", "3.txt", "4.txt.gz")])
    for _ in range(2):
        blocks = list(shards.blocks())
        assert [(block.first_line, block.text) for block in blocks] == [(1, "a\nb\n"), (3, "c\n"), (4, "d\ne\n")]
    places = ["1.txt:1", "1.txt:2", "3.txt:1", "4.txt.gz:1", "4.txt.gz:2"]
    assert [shards.locate(line) for line in range(1, 6)] == places
    assert [shards.get_file(line) for line in range(1, 6)] == [place.rpartition(":")[0] for place in places]
    assert shards.bytes_read == shards.size == sum(Path(name).stat().st_size for name in shards.files)


def test_the_digest_is_that_of_the_digests_in_order() -> None:
    write("a-1.txt", text="one\n")
    write("a-2.txt", text="two\n")
    shards = open_shards("a-*.txt")
    assert shards.sha256 is None
    list(shards.blocks())
    lines = [hashlib.sha256(text).hexdigest() + "\n" for text in (b"one\n", b"two\n")]
    assert shards.sha256 == hashlib.sha256("".join(lines).encode()).hexdigest()


@pytest.mark.parametrize(
    ("reference", "prediction", "order"),
    [
        (["gold-0001", "gold-0002"], ["sys-0001", "sys-0002"], [0, 1]),
        (["gold-9", "gold-10"], ["sys-09", "sys-10"], [0, 1]),
        (["g/en-1", "g/es-1"], ["s/en-1.out", "s/es-1.out"], [0, 1]),
        (["goldA", "goldB"], ["sysA", "sysB"], [0, 1]),
        (["g/part-00000-aa-c000", "g/part-00001-aa-c000"], ["s/part-00000-bb-c000", "s/part-00001-bb-c000"], [0, 1]),
        (["gold/a/1", "gold/b/1"], ["sys/a/1", "sys/b/1"], [0, 1]),
        (["gold-01", "gold-1"], ["sys-01", "sys-1"], [0, 1]),
        (["gold-1.conll", "gold-2.conll.gz"], ["sys-1.jsonl.zst", "sys-2.jsonl"], [0, 1]),
        (["2024-gold-1", "2024-gold-2"], ["1-sys", "2-sys"], [0, 1]),
    ],
)
def test_partners_have_one_key(reference: list[str], prediction: list[str], order: list[int]) -> None:
    own, other = pair_names([reference, prediction])
    assert own == [other[k] for k in order]
    assert len(set(own)) == len(own)


@pytest.mark.parametrize("lacking", ["gold", "sys"])
def test_a_shard_without_partner_is_named(lacking: str) -> None:
    write(*(f"{side}/{side}-{number}.txt" for side in ("gold", "sys") for number in range(1, 12)))
    Path(lacking, f"{lacking}-10.txt").unlink()
    other = {"gold": "sys", "sys": "gold"}[lacking]
    with pytest.raises(MismatchError, match=f"{lacking}: has no shard for {other}/{other}-10.txt"):
        check_shard_names(open_source("gold"), open_source("sys"))


def test_one_file_may_stand_against_shards() -> None:
    write("gold/1.txt", "gold/2.txt", "sys.txt", "all/sys.txt")
    check_shard_names(open_source("gold"), open_source("sys.txt"))
    check_shard_names(open_source("gold"), open_source("all"))


def test_one_shard_of_a_folder_lacks_the_others() -> None:
    write("gold/part-1.txt", "gold/part-2.txt", "sys/part-1.txt")
    with pytest.raises(MismatchError, match=r"sys: has no shard for gold/part-2\.txt"):
        check_shard_names(open_source("gold"), open_source("sys"))


@pytest.mark.parametrize("shards", ["gold", "gold/*.txt"])
def test_a_link_to_a_missing_file_is_named_with_what_to_do(shards: str) -> None:
    write("gold/part-1.txt")
    Path("gold/part-2.txt").symlink_to("absent.txt")
    with pytest.raises(SourceError, match=r"gold/part-2\.txt: is a link to absent\.txt(.|\n)*rm 'gold/part-2\.txt'"):
        open_source(shards)


def test_different_endings_are_named() -> None:
    write("gold/1.jsonl", "gold/README.md")
    with pytest.raises(
        FormatError, match=r"gold/1\.jsonl \(\.jsonl\) and gold/README\.md \(\.md\)(.|\n)*'gold/\*\.jsonl'"
    ):
        open_source("gold")


def test_a_shard_that_is_also_compressed_is_refused() -> None:
    write("gold/1.jsonl", "gold/1.jsonl.gz")
    with pytest.raises(SourceError, match=r"gold/1\.jsonl\.gz: is the same shard as gold/1\.jsonl"):
        open_source("gold")


@pytest.mark.parametrize(("value", "message"), [("empty", "holds no files"), ("no-*.txt", "no file has such a name")])
def test_no_files_are_an_error(value: str, message: str) -> None:
    Path("empty").mkdir()
    with pytest.raises(SourceError, match=message):
        open_source(value)


def test_only_empty_files_are_an_error() -> None:
    write("gold/1.txt", "gold/2.txt", text="")
    with pytest.raises(SourceError, match="gold: all files are empty"):
        open_source("gold")


def test_shards_refuse_what_they_cannot_be() -> None:
    with pytest.raises(UsageError, match="takes a list of files"):
        Shards("gold")
    with pytest.raises(UsageError, match="Standard input"):
        Shards(["-", "a.txt"])
    with pytest.raises(DataError, match="there is no file"):
        Shards([])


def test_a_saved_dataset_is_not_shards() -> None:
    write("data/state.json", "data/data-00000-of-00001.arrow")
    assert type(open_source("data")) is Source


def test_quotes_are_suggested_for_names_of_shards() -> None:
    write(*(f"{side}-{number}.txt" for side in ("gold", "sys") for number in (1, 2)))
    assert "gold-*.txt 'sys-*.txt'" in suggest_quotes("gold-*.txt", ["sys-1.txt", "sys-2.txt"])
    assert "'gold-*.txt' 'sys-*.txt'" in suggest_quotes("gold-1.txt", ["gold-2.txt", "sys-1.txt", "sys-2.txt"])
    assert suggest_quotes("gold-*.txt", ["crf.txt", "bert.txt"]) == ""
    assert suggest_quotes("gold-1.txt", ["crf.txt", "bert.txt", "lstm.txt"]) == ""
