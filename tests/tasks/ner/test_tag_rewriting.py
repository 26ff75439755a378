from __future__ import annotations

import gzip
from collections.abc import Callable

import pytest

from isogloss.tasks.ner.tag_files import TagFile
from isogloss.tasks.ner.tag_rewriting import make_repair, rewrite_tags

Open = Callable[..., TagFile]

ODD = {
    "comments": b"# a b c\nw I-A\n# d e f\n",
    "blanks": b"\n\nw   I-A\n \n\t\nw \t I-A  \n\n\n",
    "tabs": b"a b\tI-A\nc  \t  I-B \n",
    "carriage returns": b"w I-A\r\n\r\nw I-A\r\n",
    "carriage returns here and there": b"w I-A\r\nv O\n\r\nw I-A\n",
    "a byte order mark": b"\xef\xbb\xbfw I-A\n",
    "a byte order mark before a comment": b"\xef\xbb\xbf# a b c\nw I-A\n",
    "no last newline": b"w I-A\nw O",
    "no last newline after a tag": b"w O\n\nw I-A",
    "no last newline after a carriage return": b"w O\r\n\r\nw I-A\r",
    "document starts": b"-DOCSTART- -X- O\n\nw I-A\n\n-DOCSTART-\n\nw I-A\n",
    "scripts": "สมหญิง I-บุคคล\n\nالقاهرة I-مكان\n\n😀 I-🙂\n".encode(),
    "a number sign": b"# I-A\n## I-B\n",
    "no-break spaces": b"\xc2\xa0 I-A\nw\xe3\x80\x80 O\n",
    "lines far from any sentence": b"#c\n" * 300_000 + b"w I-A\n" + b"\n" * 600_000,
}


def repaired(file: TagFile) -> bytes:
    written: list[bytes] = []
    rewrite_tags(file, make_repair("begin"), written.append)
    return b"".join(written)


@pytest.mark.parametrize("compress", [bytes, gzip.compress], ids=["plain", "gz"])
@pytest.mark.parametrize("data", ODD.values(), ids=ODD)
def test_all_but_the_tags_stays_byte_for_byte(tag_file: Open, data: bytes, compress: Callable[[bytes], bytes]) -> None:
    """No tag of these files follows one of its label, so that each begins a span."""
    result = repaired(tag_file(compress(data), scheme="iobes"))
    assert result == data.replace(b"I-", b"S-")


@pytest.mark.parametrize("data", ODD.values(), ids=ODD)
def test_a_file_whose_tags_fit_is_written_as_it_was_read(tag_file: Open, data: bytes) -> None:
    data = data.replace(b"I-", b"B-")
    assert repaired(tag_file(data, scheme="iob2")) == data


def test_blocks_of_any_size_give_the_same(tag_file: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"\xef\xbb\xbf# a b c\n" + b"w I-A\r\nv I-A\n\n-DOCSTART-\n\nu O\nt I-B\n\n" * 30 + b"w I-A"
    whole = repaired(tag_file(data, scheme="bilou"))
    for size in (1, 20, 200):
        monkeypatch.setattr("isogloss.formats.conll.reader.read_tagged.__defaults__", (size,))
        assert repaired(tag_file(data, scheme="bilou")) == whole
    assert whole.count(b"B-A\r\nv L-A\n") == 30


def test_memory_holds_one_block_at_a_time(tag_file: Open) -> None:
    file = tag_file(b"word I-A\n\n" * 300_000, scheme="iob2")
    pieces: list[int] = []
    rewrite_tags(file, make_repair("begin"), lambda piece: pieces.append(len(piece)))
    assert sum(pieces) == 3_000_000
    assert max(pieces) < 1_200_000
