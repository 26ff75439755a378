from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from isogloss.formats.conll.reader import TaggedBlock, read_tagged
from isogloss.formats.conll.scan import replace_fields
from isogloss.formats.tag_table import TagTable
from isogloss.records.sources import Source

Pieces = list[tuple[bytes, bool]]


class Messy:
    """A file of two columns of tags as the pieces it is made of; tags are marked."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.tabs = self.random.random() < 0.5
        self.end = self.random.choice([b"\n", b"\r\n"])
        self.tidy = self.random.random() < 0.3

    def blanks(self) -> bytes:
        return b"" if self.tidy else self.random.choice([b"", b"", b" ", b"  "])

    def separator(self) -> bytes:
        if self.tabs:
            return self.blanks() + b"\t" + self.blanks()
        return b" " if self.tidy else self.random.choice([b" ", b"  ", b" \t", b"\t "])

    def line(self) -> Pieces:
        kind = self.random.random()
        if kind < 0.2:
            other_lines = [b"", b" ", b"-DOCSTART- -X- O", b"# a comment of five words"]
            return [(self.random.choice(other_lines) + self.end, False)]
        tag = self.random.choice(["O", "B-X", "I-北京", "I-a-very-long-label"])
        other = self.random.choice(["O", "B-X"])
        token = self.random.choice(["a", "ไทย", "#", "a b" if self.tabs else "ab", "\u00a0"])
        before = [(self.blanks() + token.encode() + self.separator(), False), (tag.encode(), True)]
        return [*before, (self.separator(), False), (other.encode(), True), (self.blanks() + self.end, False)]

    def file(self) -> Pieces:
        # The first line decides the layout; a line of a comment and of -DOCSTART- has another number of columns.
        first = [(b"w" + (b"\t" if self.tabs else b" "), False), (b"B-X", True)]
        pieces: Pieces = [*first, ((b"\t" if self.tabs else b" "), False), (b"O", True), (self.end, False)]
        for _ in range(self.random.randint(0, 60)):
            pieces += self.line()
        return pieces


def blocks(path: Path, size: int) -> list[TaggedBlock]:
    return list(read_tagged(Source(path), (1, 2, 3), TagTable(), size, keep_empty=True))


def replaced(block: TaggedBlock, chance: random.Random, words: list[bytes]) -> bytes:
    """The block with some tags replaced; what stands for each tag in turn goes into `words`."""
    chosen: dict[int, list[int]] = {1: [], 2: []}
    new: dict[int, list[bytes]] = {1: [], 2: []}
    for row in range(len(block.tokens)):
        for column in (1, 2):
            word = block.rows.get_column(column).get_field(row)
            if chance.random() < 0.5:
                word = chance.choice([b"O", "U-ภาษาไทย".encode(), b""])
                chosen[column].append(row)
                new[column].append(word)
            words.append(word)
    changes = [(block.rows.get_column(k).take(np.array(chosen[k], np.int64)), new[k]) for k in (1, 2)]
    return replace_fields(block.text, changes)


def test_tags_are_replaced_and_all_else_stays(tmp_path: Path) -> None:
    for seed in range(150):
        pieces = Messy(seed).file()
        path, chance = tmp_path / "file", random.Random(seed)
        path.write_bytes(b"".join(piece for piece, _ in pieces))
        words: list[bytes] = []
        result = b"".join(replaced(block, chance, words) for block in blocks(path, chance.choice([1, 64, 1 << 19])))
        turn = iter(words)
        assert result == b"".join(next(turn) if is_tag else piece for piece, is_tag in pieces)
        assert next(turn, None) is None


def test_without_changes_the_text_is_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"# c\r\na  B-X   O \r\n\n\n")
    (block,) = blocks(path, 1 << 19)
    assert replace_fields(block.text, []) == path.read_bytes()


@pytest.mark.parametrize("size", [1, 100])
def test_blocks_keep_lines_far_from_any_sentence(size: int, tmp_path: Path) -> None:
    path = tmp_path / "file"
    far = b"# begin\n\n" * 50
    path.write_bytes(far + b"a B-X O\n\n" + far)
    read = blocks(path, size)
    assert b"".join(replace_fields(block.text, []) for block in read) == path.read_bytes()
    assert sum(block.sentences for block in read) == 1
    assert len(read) > 2
    assert len(list(read_tagged(Source(path), (1, 2, 3), TagTable(), size))) == 1
