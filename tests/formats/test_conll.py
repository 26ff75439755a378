"""The vectorised reader against a plain one, line by line, on random files with every irregularity."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import isogloss
from isogloss.errors import DataError
from isogloss.formats.conll.pairing import read_conll_pairs
from isogloss.formats.conll.scan import FieldColumn, TextBuffer
from isogloss.records.sources import Source

FILES_PER_SEED = 50
BLANK = b" \t\r\n"
KINDS = {
    "is not UTF-8": "encoding",
    "is binary": "binary",
    "a carriage return": "carriage return",
    "holds no documents": "nothing",
    "is empty": "empty column",
    "are read from columns": "columns asked for",
    ", but line": "columns of the file",
}


@dataclass(frozen=True)
class PlainError(Exception):
    kind: str
    line: int | None


@dataclass(frozen=True)
class Token:
    word: str
    reference: str
    predicted: str
    line: int


def plain_lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Lines with their number, up to the first that is no text."""
    if b"\0" in data[:8000]:
        raise PlainError("binary", None)
    data = data.removeprefix(b"\xef\xbb\xbf")
    for number, line in enumerate(data.split(b"\n"), 1):
        try:
            line.decode()
        except UnicodeDecodeError:
            raise PlainError("encoding", number) from None
        yield number, line


def plain_fields(line: bytes, *, tabs: bool) -> list[bytes]:
    space = re.match(rb"( +)\t(.*)", line) if tabs and is_token_line(line) else None
    if space is not None:
        return [space[1], *(field.strip(b" ") for field in space[2].rstrip(BLANK).split(b"\t"))]
    line = line.strip(BLANK)
    if not line:
        return []
    if tabs:
        return [field.strip(b" ") for field in line.split(b"\t")]
    return re.split(rb"[ \t]+", line)


def is_token_line(line: bytes) -> bool:
    """Whether a line is not blank, not a comment and not `-DOCSTART-`."""
    return re.match(rb"[ \t\r]*($|#|-DOCSTART-([ \t\r]|$))", line) is None


def has_mixed_separators(lines: list[bytes]) -> bool:
    """Whether some of these lines have no tab, and all have the same columns when split at white space."""
    lines = [line for line in lines if is_token_line(line)]
    return (
        any(b"\t" not in line for line in lines) and len({len(plain_fields(line, tabs=False)) for line in lines}) == 1
    )


def is_docstart(line: bytes) -> bool:
    return re.match(rb"[ \t]*-DOCSTART-([ \t\r]|$)", line) is not None


def has_inner_carriage_return(line: bytes) -> bool:
    return b"\r" in line.rstrip(b"\r")


def readable_lines(data: bytes) -> list[bytes]:
    lines = []
    try:
        for _, line in plain_lines(data):
            lines.append(line)
    except PlainError:
        pass
    return lines


def plain_layout(data: bytes, columns: tuple[int, ...]) -> tuple[bool, int, list[int]]:
    """Whether tabs separate, the number of columns, and the columns to read from 0."""
    chosen = None
    for number, line in plain_lines(data):
        if has_inner_carriage_return(line):
            raise PlainError("carriage return", number)
        tabs = b"\t" in line.strip(BLANK) or (is_token_line(line) and re.match(rb" +\t", line) is not None)
        tabs = tabs and not has_mixed_separators(readable_lines(data)[number - 1 :])
        count = len(plain_fields(line, tabs=tabs))
        if count == 0 or is_docstart(line):
            continue
        comment = line.lstrip(BLANK).startswith(b"#")
        if not comment or (chosen is None and count > 1):
            chosen = number, tabs, count
        if not comment:
            break
    if chosen is None:
        raise PlainError("nothing", None)
    number, tabs, count = chosen
    used = [column - 1 if column > 0 else count + column for column in columns]
    if min(used) < 0 or max(used) >= count or len(set(used)) < len(used):
        raise PlainError("columns asked for", number)
    return tabs, count, used


def plain_read(data: bytes, columns: tuple[int, ...]) -> list[list[Token]]:
    tabs, count, used = plain_layout(data, columns)
    sentences: list[list[Token]] = [[]]
    for number, line in plain_lines(data):
        if has_inner_carriage_return(line):
            raise PlainError("carriage return", number)
        fields = plain_fields(line, tabs=tabs)
        if not fields or is_docstart(line):
            sentences.append([])
        elif len(fields) == count:
            if not all(fields[column] for column in used):
                raise PlainError("empty column", number)
            word, reference, predicted = (fields[column].decode() for column in used)
            sentences[-1].append(Token(word, reference, predicted, number))
        elif not fields[0].startswith(b"#"):
            raise PlainError("columns of the file", number)
    found = [sentence for sentence in sentences if sentence]
    if not found:
        raise PlainError("nothing", None)
    return found


def fast_read(path: Path, columns: tuple[int, ...], block_size: int) -> list[list[Token]]:
    sentences: list[list[Token]] = []
    for batch in read_conll_pairs(Source(path), columns=columns, block_size=block_size):
        assert batch.documents.tolist() == list(range(len(sentences), len(sentences) + len(batch.documents)))
        for row, (first, after) in enumerate(zip(batch.offsets, batch.offsets[1:], strict=False)):
            assert batch.provenance.name(row) == str(len(sentences) + 1)
            passage = batch.provenance.get_excerpt(row)
            assert passage is not None
            sentence = []
            for position in range(after - first):
                where = {batch.provenance.where(row, position, side) for side in ("reference", "predicted")}
                name, _, line = where.pop().rpartition(":")
                assert not where
                assert name == str(path)
                low, high = passage.locate_span(position, position + 1)
                at = first + position
                reference, predicted = batch.vocabulary[batch.reference[at]], batch.vocabulary[batch.predicted[at]]
                sentence.append(Token(passage.text[low:high], reference, predicted, int(line)))
            sentences.append(sentence)
    return sentences


def fault_of(error: DataError, path: Path) -> PlainError:
    kind = next(kind for part, kind in KINDS.items() if part in error.message)
    assert error.remedy
    assert error.where is not None
    assert error.where.startswith(str(path))
    line = error.where.removeprefix(str(path)).removeprefix(":")
    return PlainError(kind, int(line) if line else None)


class Scribe:
    """Writes random files, each with its own habits."""

    WORDS = (
        *("a", "Bond", "007", "-", "#", "#tag", "naïve", "北京", "ก็", "👩‍👩‍👧", "O", "w" * 9, "w" * 200),
        *("x\u00a0y", "\u3000", "a\u2028b", "\u0085", "a\x0bb", "\x1c", "-DOCSTART-", "-DOCSTART-x", "-DOCSTARTS"),
    )
    LABELS = ("PER", "abcdef", "abcdefg", "abcdefgh", "Long" * 6, "Ünï", "人")
    TAGS = (
        "O",
        "O",
        "O",
        "O",
        "o",
        "OO",
        "#",
        *("B-" + label for label in LABELS),
        *("I-" + label for label in LABELS),
    )

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.tabs = self.random.random() < 0.5
        self.columns = self.random.choice((3, 3, 3, 4, 7))
        self.end = self.random.choice(("\n", "\n", "\r\n", "\r\r\n"))
        self.oddity = self.random.choice((0, 0, 0.02, 0.2, 0.6))  # how often a line is irregular in a harmless way
        self.fault = self.random.choice((0, 0, 0, 0.01, 0.1))  # how often it cannot be read
        self.ragged = self.random.random() < 0.5
        self.broken = self.random.random() < 0.5

    def odd(self) -> bool:
        return self.random.random() < self.oddity

    def blanks(self) -> str:
        return "".join(self.random.choices((" ", "\t"), k=self.random.randrange(1, 4)))

    def separator(self) -> str:
        if not self.odd():
            return "\t" if self.tabs else " "
        return self.random.choice(("\t ", " \t", "  \t  ")) if self.tabs else self.blanks()

    def field(self, choices: tuple[str, ...]) -> str:
        field = self.random.choice(choices)
        if self.tabs and self.odd():
            field += self.random.choice((" ", "  ")) + self.random.choice(choices)
        return field

    def token_line(self) -> str:
        others = [self.field(self.TAGS) for _ in range(self.columns - 1)]
        if self.tabs and self.odd():
            others[self.random.randrange(len(others))] = ""
        line = " " * self.random.randrange(1, 3) if self.tabs and self.odd() else self.field(self.WORDS)
        for other in others:
            line += self.separator() + other
        before, after = (self.blanks() if self.odd() else "" for _ in range(2))
        return before + line + after

    def line(self) -> str:
        if self.random.random() < self.fault and self.ragged:
            return self.random.choice(
                ("one", "one two", "a b c d e f g h", "a\tb\tc\td\te\tf\tg\th", "a\tO\t\tO", "a\r b")
            )
        if self.odd():
            oddities = (
                "# a comment",
                "#",
                "#\tb",
                "# a b c d",
                self.blanks(),
                "-DOCSTART-",
                "-DOCSTART- -X- O O",
                "\t\t",
            )
            return self.random.choice(oddities)
        return "" if self.random.random() < 0.2 else self.token_line()

    def file(self) -> bytes:
        text = "".join(self.line() + self.end for _ in range(self.random.randrange(40)))
        data = text.encode()
        if self.random.random() < 0.2:
            data = data.removesuffix(self.end.encode())
        if self.random.random() < 0.2:
            data = b"\xef\xbb\xbf" + data
        if self.broken and self.fault and data:
            at = self.random.randrange(len(data))
            data = data[:at] + self.random.choice((b"\xff", b"\xe0\xb8", b"\xed\xa0\x80", b"\0", b"\r")) + data[at:]
        return data


def test_reads_what_a_plain_reader_reads_in_blocks_of_any_size(tmp_path: Path) -> None:
    for seed in range(30):
        for number in range(FILES_PER_SEED):
            scribe = Scribe(seed * FILES_PER_SEED + number)
            data = scribe.file()
            path = tmp_path / "file.conll"
            path.write_bytes(data)
            columns = scribe.random.choice(((1, -2, -1), (1, 2, 3), (-1, 1, 2), (1, 2, 5)))
            block_size = scribe.random.choice((16, 17, 50, 200, 1000, 1 << 20))
            expected: list[list[Token]] | PlainError
            found: list[list[Token]] | PlainError
            try:
                expected = plain_read(data, columns)
            except PlainError as fault:
                expected = fault
            try:
                found = fast_read(path, columns, block_size)
            except DataError as error:
                found = fault_of(error, path)
            assert found == expected, (number, data, columns, block_size)


def column_of(words: list[bytes], separators: random.Random) -> FieldColumn:
    """A column of words with other bytes around them."""
    data = b"".join(word + separators.choice((b" ", b"\t\t", b"\n")) for word in words) + b"\n"
    buffer = TextBuffer.from_pieces([data])
    before, at = [], 1
    for word in words:
        at = buffer.padded.index(word, at)
        before.append(at - 1)
        at += len(word)
    ends = np.array(before, np.int64) + 1 + np.array([len(word) for word in words], np.int64)
    return FieldColumn(buffer, np.array(before, np.int64), ends)


def test_the_first_difference_of_columns_is_that_of_their_words() -> None:
    for seed in range(5):
        chance = random.Random(seed)
        for _ in range(200):
            lengths = [chance.choice((1, 7, 8, 9, 16, 17, 127, 128, 129, 300)) for _ in range(chance.randrange(6))]
            words = [bytes(chance.choices(b"ab", k=length)) for length in lengths]
            others = list(words)
            for _ in range(chance.randrange(3) if words else 0):
                at = chance.randrange(len(words))
                place = chance.randrange(len(words[at]) + 1)
                others[at] = words[at][:place] + b"c" + words[at][place + chance.randrange(2) :]
            expected = next(
                (row for row, pair in enumerate(zip(words, others, strict=True)) if len(set(pair)) == 2), None
            )
            assert column_of(words, chance).find_difference(column_of(others, chance)) == expected


SHARED = Path(__file__).parents[3] / "shared" / "data" / "ner"


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data is not beside the repository")
def test_real_files_hold_the_sentences_and_tokens_they_are_known_to_hold() -> None:
    for folder, split, systems, sentences, tokens in [  # numbers of SOURCES.md
        ("uner_en_ewt", "dev", ("crf", "spacy", "logreg"), 2001, 25149),
        ("uner_en_ewt", "test", ("crf", "spacy", "logreg"), 2077, 25097),
        ("uner_zh_gsdsimp", "test", ("crf", "logreg"), 500, 12012),
        ("uner_sr_set", "test", ("crf", "logreg"), 520, 11421),
    ]:
        reference = Source(SHARED / folder / f"gold.{split}.conll")
        for system in systems:
            batches = list(
                read_conll_pairs(reference, Source(SHARED / folder / f"{system}.{split}.conll"), block_size=5000)
            )
            assert sum(len(batch.documents) for batch in batches) == sentences
            assert sum(len(batch.predicted) for batch in batches) == tokens


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_sentence_may_be_longer_than_many_blocks(end: str, tmp_path: Path) -> None:
    path = tmp_path / "file.conll"
    path.write_text("\n".join(f"word{number} O B-{number % 9}" for number in range(5000)) + end)
    batches = list(read_conll_pairs(Source(path), block_size=64))
    assert [batch.offsets.tolist() for batch in batches] == [[0, 5000]]
    assert [batches[0].vocabulary[code] for code in batches[0].predicted] == [f"B-{n % 9}" for n in range(5000)]


def test_the_column_count_may_come_from_a_line_far_down(tmp_path: Path) -> None:
    path = tmp_path / "file.conll"
    path.write_text("# one two\n" * 20_000 + "word O B-X O\n")
    [batch] = read_conll_pairs(Source(path))
    assert batch.offsets.tolist() == [0, 1]
    assert batch.provenance.where(0, 0, "reference") == f"{path}:20001"


def test_in_a_file_of_number_signs_the_first_line_of_two_columns_is_a_token(tmp_path: Path) -> None:
    path = tmp_path / "file.conll"
    path.write_text("#\n# O B-X\n#one\n# O\n")
    assert fast_read(path, (1, 2, 3), 1 << 20) == [[Token("#", "O", "B-X", 2)]]


def test_a_batch_is_about_a_block(tmp_path: Path) -> None:
    path = tmp_path / "file.conll"
    path.write_text("a O O\n\n" * 100_000)
    assert max(len(batch.reference) for batch in read_conll_pairs(Source(path))) <= 1 << 17


@pytest.mark.parametrize("text", ["token tag\n", "# text \n", "token tag\n\n", "TOKEN NE-COARSE-LIT\n\nAda B-PER\n"])
def test_header_without_tokens_below_it_is_no_crash(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.conll"
    path.write_text(text)
    if "Ada" in text:
        assert isogloss.ner(path, path).scores["strict"].correct == 1
    else:
        with pytest.raises(DataError):
            isogloss.ner(path, path)
