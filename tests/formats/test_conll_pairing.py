"""Two files in step: every fault is reported at its first place, with both sides shown."""

import gzip
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.errors import DataError, FormatError, MismatchError, SourceError, UsageError
from isogloss.formats.conll.pairing import read_conll_pairs
from isogloss.kernel.provenance import SIDES, get_excerpts, list_places
from isogloss.records.sources import Source

SENTENCES = [["Ana O", "met B-X", "Bo O"], ["She O", "left O"], ["Rome B-LOC", "is O", "old O", ". O"]]


def write(path: Path, sentences: Sequence[Sequence[str]]) -> Source:
    path.write_text("".join("".join(line + "\n" for line in sentence) + "\n" for sentence in sentences))
    return Source(path)


def both(
    folder: Path, reference: Sequence[Sequence[str]], prediction: Sequence[Sequence[str]]
) -> tuple[Source, Source]:
    return write(folder / "gold.conll", reference), write(folder / "pred.conll", prediction)


@dataclass(frozen=True)
class Case:
    name: str
    prediction: list[list[str]]
    line: int
    message: str
    remedy: str
    shown: tuple[str, ...]


DIFFERENCES = [
    Case("shorter prediction", SENTENCES[:2], 6, "ends after sentence 2, but the reference", "written to its end",
         (">  8  Rome B-LOC", "> 6  left O")),
    Case("longer prediction", [*SENTENCES, ["More O"]], 13, "goes on to 4, but the reference ends after sentence 3",
         "reference is complete", ("> 11  . O", "> 13  More O")),
    Case("sentence lost in the middle", [SENTENCES[0], SENTENCES[2]], 5, "sentence 2 has 4 tokens, but 2 tokens",
         "a sentence or a blank line that is missing", ("> 5  She O", "> 5  Rome B-LOC")),
    Case("token lost", [SENTENCES[0], ["She O"], SENTENCES[2]], 6, "sentence 2 has 1 token, but 2 tokens",
         "Look for a token, a sentence or a blank line that is missing", ("> 6  left O", "> 6")),
    Case("token lost in the middle", [["Ana O", "Bo O"], *SENTENCES[1:]], 2, "sentence 1 has 2 tokens, but 3 tokens",
         "Look for a token, a sentence or a blank line that is missing", ("> 2  met B-X", "> 2  Bo O")),
    Case("blank line lost", [SENTENCES[0] + SENTENCES[1], SENTENCES[2]], 4, "sentence 1 has 5 tokens, but 3 tokens",
         "a blank line", ("> 4", "> 4  She O")),
    Case("other token", [SENTENCES[0], ["She O", "went O"], SENTENCES[2]], 6,
         "token 2 of sentence 2 is 'went', but 'left'", "--ignore-tokens", ("> 6  left O", "> 6  went O")),
]  # fmt: skip


@pytest.mark.parametrize("block_size", [16, 1 << 20])
@pytest.mark.parametrize("case", DIFFERENCES, ids=lambda case: case.name)
def test_a_difference_is_reported_where_it_first_shows_with_both_sides(
    case: Case, block_size: int, tmp_path: Path
) -> None:
    reference, prediction = both(tmp_path, SENTENCES, case.prediction)
    with pytest.raises(MismatchError) as caught:
        list(read_conll_pairs(reference, prediction, block_size=block_size))
    assert caught.value.where == f"{tmp_path}/pred.conll:{case.line}"
    assert case.message in caught.value.message
    assert "gold.conll" in caught.value.message
    assert case.remedy in caught.value.remedy
    for line in case.shown:
        assert f"  {line}\n" in caught.value.detail + "\n"
    assert caught.value.detail.index("reference ") < caught.value.detail.index("prediction ")


def test_the_error_reads_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    other = [SENTENCES[0], ["She O", "went O"], SENTENCES[2]]
    both(Path(), SENTENCES, other)
    with pytest.raises(MismatchError) as caught:
        list(read_conll_pairs(Source("gold.conll"), Source("pred.conll")))
    assert str(caught.value) == (
        "pred.conll:6: token 2 of sentence 2 is 'went', but 'left' in the reference (gold.conll:6)\n"
        "  reference gold.conll\n"
        "    4\n"
        "    5  She O\n"
        "  > 6  left O\n"
        "    7\n"
        "    8  Rome B-LOC\n"
        "  prediction pred.conll\n"
        "    4\n"
        "    5  She O\n"
        "  > 6  went O\n"
        "    7\n"
        "    8  Rome B-LOC\n"
        "Reference and prediction must hold the same sentences, token by token, in the same order. "
        "If only the spelling of tokens differs, add --ignore-tokens."
    )


@dataclass(frozen=True)
class Fault:
    name: str
    data: bytes
    error: type[DataError]
    line: str
    message: str
    remedy: str


FAULTS = [
    Fault("ragged columns", b"Ana O\nmet B-X\nBo O O\n\n", FormatError, ":3", "3 columns, but line 1 has 2",
          "separate the columns of the whole file by tabs"),
    Fault("spaces in a file of tabs", b"New York\tO\nmet B-X\n", FormatError, ":2", "1 column, but line 1 has 2",
          "by tabs, as in the lines before"),
    Fault("too few columns", b"Ana O\nmet\n", FormatError, ":2", "1 column, but line 1 has 2",
          "all lines with the same columns"),
    Fault("no last column", b"Ana\tO\tO\nBo\t\tO\nCy\tO\t\n", FormatError, ":3", "2 columns, but line 1 has 3",
          "If its first or last column is empty, write _ in it. Write a token a line, all lines with the same columns"),
    Fault("only one column", b"\nAna\nmet\n", FormatError, ":2",
          "1 column, but token and tag are read from columns 1, -1", "--columns"),
    Fault("a carriage return inside", b"Ana O\nmet\rB-X O\n", FormatError, ":2", "carriage return inside",
          "tr '\\r' '\\n'"),
    Fault("not UTF-8", b"Ana O\nm\xc3\xa9t B-X\nJos\xe9 O\n", SourceError, ":3", "byte 0xE9 at column 4", "iconv"),
    Fault("empty file", b"", SourceError, "", "holds no documents", "the right file"),
    Fault("only blank lines and comments", b"\n \n#a\n\n", SourceError, "", "holds no documents", "the right file"),
    Fault("binary", b"Ana O\n\0\1\2\n", SourceError, "", "binary", "plain text"),
    Fault("truncated gzip", gzip.compress(b"Ana O\n")[:-9], SourceError, "", "cut short", "gzip -t"),
]  # fmt: skip


@pytest.mark.parametrize("side", ["reference", "prediction"])
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_of_a_file_names_file_line_and_remedy(fault: Fault, side: str, tmp_path: Path) -> None:
    broken = tmp_path / "broken.conll"
    broken.write_bytes(fault.data)
    sound = write(tmp_path / "sound.conll", [["any O"] * max(fault.data.count(b"\n"), 1)])
    sources = (Source(broken), sound) if side == "reference" else (sound, Source(broken))
    with pytest.raises(fault.error) as caught:
        list(read_conll_pairs(*sources, ignore_tokens=True))
    assert caught.value.where == f"{broken}{fault.line}"
    assert fault.message in caught.value.message
    assert fault.remedy in caught.value.remedy


def test_an_empty_tag_names_its_column(tmp_path: Path) -> None:
    path = tmp_path / "file.conll"
    path.write_bytes(b"Ana\tO\tO\nBo\t\tO\n")
    with pytest.raises(FormatError, match=r":2: column 2 is empty") as caught:
        list(read_conll_pairs(Source(path)))
    assert "--columns" in caught.value.remedy


@pytest.mark.parametrize("columns", [(), (1,), (1, 2), (0, 1, 2), (1, 2, 3, 4)])
def test_columns_that_cannot_be_meant_are_a_wrong_call(columns: tuple[int, ...], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="3 numbers, for token, reference tag, predicted tag"):
        read_conll_pairs(Source(tmp_path / "any"), columns=columns)


def test_a_file_of_two_columns_does_not_hold_both_tags(tmp_path: Path) -> None:
    path = tmp_path / "file.conll"
    path.write_text("Ana O\n")
    with pytest.raises(FormatError, match="2 columns, but token, reference tag and predicted tag"):
        list(read_conll_pairs(Source(path)))


def test_other_tokens_may_be_ignored(tmp_path: Path) -> None:
    reference, prediction = both(tmp_path, [["Ana B-X", "met O"]], [["ana B-X", "MET B-X"]])
    [batch] = read_conll_pairs(reference, prediction, ignore_tokens=True)
    assert [batch.vocabulary[code] for code in batch.predicted] == ["B-X", "B-X"]
    assert batch.reference.tolist() == [batch.predicted[0], 0]


def test_another_number_of_tokens_is_never_ignored(tmp_path: Path) -> None:
    reference, prediction = both(tmp_path, [["Ana O", "met O"]], [["Bo O"]])
    with pytest.raises(MismatchError, match="sentence 1 has 1 token, but 2 tokens"):
        list(read_conll_pairs(reference, prediction, ignore_tokens=True))


def test_sentences_that_cannot_be_counted_to_the_end_are_counted_so_far(tmp_path: Path) -> None:
    reference, prediction = both(tmp_path, [*SENTENCES, *SENTENCES, ["one"]], SENTENCES[:1])
    with pytest.raises(MismatchError, match="ends after sentence 1") as caught:
        list(read_conll_pairs(reference, prediction, block_size=16))
    assert "or more" in caught.value.message


def test_the_name_places_and_text_of_a_document_come_from_its_own_file(tmp_path: Path) -> None:
    reference = write(tmp_path / "gold.conll", SENTENCES)
    prediction = tmp_path / "pred.conll"
    text = "".join("# note of the prediction\n\n" + "\n".join(sentence) + "\n\n" for sentence in SENTENCES)
    prediction.write_text(text.replace("note of the", "id"))
    batches = list(read_conll_pairs(reference, Source(prediction), columns=(1, 2)))
    [provenance] = [batch.provenance for batch in batches]
    assert provenance.name(2) == "3"
    assert provenance.where(2, 1, "reference") == f"{tmp_path}/gold.conll:9"
    assert provenance.where(2, 1, "predicted") == f"{tmp_path}/pred.conll:15"
    passage = provenance.get_excerpt(2)
    assert passage is not None
    assert passage.text == "Rome is old ."


def test_progress_counts_the_bytes_of_both_files(tmp_path: Path) -> None:
    reference, prediction = both(tmp_path, SENTENCES, SENTENCES)
    told: list[int] = []
    batches = list(read_conll_pairs(reference, prediction, progress=told.append, block_size=16))
    assert len(told) == len(batches) > 1
    assert told == sorted(told)
    assert reference.size is not None
    assert told[-1] == 2 * reference.size


def test_both_columns_of_one_file_share_codes_that_outgrow_a_byte(tmp_path: Path) -> None:
    rows = [(f"w{number}", f"B-{number}", f"B-{number % 7}-{'x' * (number % 40)}") for number in range(3000)]
    source = write(tmp_path / "file.conll", [[" ".join(row)] for row in rows])
    batches = list(read_conll_pairs(source, block_size=4096))
    assert len(batches) > 10
    found: list[tuple[str, ...]] = []
    for batch in batches:
        sides = (batch.reference, batch.predicted)
        found += zip(*([batch.vocabulary[code] for code in codes] for codes in sides), strict=True)
    assert found == [row[1:] for row in rows]
    assert len(set(batches[-1].vocabulary)) == len(batches[-1].vocabulary) > 1 << 8


def plain_difference(reference: list[list[str]], predicted: list[list[str]], *, ignore_tokens: bool) -> str | None:
    """What is wrong first, and in which sentence from 1."""
    for number, (expected, found) in enumerate(zip(reference, predicted, strict=False), 1):
        if len(expected) != len(found):
            return f"sentence {number} has"
        for position, (one, other) in enumerate(zip(expected, found, strict=True), 1):
            if one != other and not ignore_tokens:
                return f"token {position} of sentence {number} is"
    if len(predicted) < len(reference):
        return f"ends after sentence {len(predicted)}, but the reference"
    return f"goes on to {len(predicted)}, but" if len(predicted) > len(reference) else None


def random_corpus(chance: random.Random) -> list[list[str]]:
    length = chance.choice((4, 8, 9, 20, 300))
    return [
        ["".join(chance.choices("abé北", k=chance.randrange(1, length))) for _ in range(chance.randrange(1, 6))]
        for _ in range(chance.randrange(1, 30))
    ]


def changed(corpus: list[list[str]], chance: random.Random) -> list[list[str]]:
    corpus = [list(sentence) for sentence in corpus]
    for _ in range(chance.choice((0, 0, 1, 1, 2))):
        sentence = chance.randrange(len(corpus))
        token = chance.randrange(len(corpus[sentence]))
        word = corpus[sentence][token]
        match chance.randrange(6):
            case 0:
                corpus[sentence][token] = word[:-1] + "Z"
            case 1:
                corpus[sentence][token] = word + "a"
            case 2:
                corpus[sentence].insert(token, "new")
            case 3:
                corpus.insert(sentence, ["new"])
            case 4 if len(corpus) > 1:
                del corpus[sentence]
            case _ if len(corpus[sentence]) > 1:
                del corpus[sentence][token]
    return corpus


def test_the_first_difference_is_that_of_a_plain_comparison(tmp_path: Path) -> None:
    for seed in range(10):
        chance = random.Random(seed)
        for _ in range(60):
            corpus = random_corpus(chance)
            other = changed(corpus, chance)
            tagged = [
                [[f"{word} {chance.choice('OAB')}" for word in words] for words in side] for side in (corpus, other)
            ]
            ignore_tokens = chance.random() < 0.3
            reference, prediction = both(tmp_path, *tagged)
            expected = plain_difference(corpus, other, ignore_tokens=ignore_tokens)
            tags: list[list[str]] = [[], []]
            offsets = [0]
            message = None
            try:
                for batch in read_conll_pairs(
                    reference,
                    prediction,
                    ignore_tokens=ignore_tokens,
                    block_size=chance.choice((16, 100, 1000, 1 << 20)),
                ):
                    for side, codes in zip(tags, (batch.reference, batch.predicted), strict=True):
                        side += [batch.vocabulary[code] for code in codes]
                    offsets += (batch.offsets[1:] + offsets[-1]).tolist()
            except MismatchError as error:
                message = error.message
            if expected is not None:
                assert message is not None
                assert expected in message
            else:
                assert message is None
                assert offsets == np.cumsum([0] + [len(words) for words in corpus]).tolist()
                for side, lines in zip(tags, tagged, strict=True):
                    assert side == [line.split(" ")[1] for words in lines for line in words]


def test_places_of_a_prediction_read_in_other_blocks_than_the_reference_are_its_own(tmp_path: Path) -> None:
    reference = write(tmp_path / "gold.conll", [["word O"] * (1 + number % 3) for number in range(60)])
    path = tmp_path / "pred.conll"
    lines: list[str] = []
    places: list[str] = []
    for number in range(60):
        lines += ["# a comment that fills blocks"] * (number % 4)
        for _ in range(1 + number % 3):
            lines.append("word O")
            places.append(f"{path}:{len(lines)}")
        lines.append("")
    path.write_text("\n".join(lines))
    batches = list(read_conll_pairs(reference, Source(path), block_size=200))
    found = [
        batch.provenance.where(row, position, "predicted")
        for batch in batches
        for row in range(len(batch.documents))
        for position in range(batch.offsets[row + 1] - batch.offsets[row])
    ]
    assert len(batches) > 1
    assert found == places


TOKENS = st.text(st.sampled_from("ab,1éß字ก้😀\u0301"), min_size=1, max_size=4)


@given(
    st.lists(st.lists(TOKENS, min_size=1, max_size=4), min_size=1, max_size=6),
    st.integers(1, 60),
    st.integers(0, 1),
    st.data(),
)
def test_texts_and_places_of_many_rows_equal_those_of_each(
    sentences: list[list[str]], block_size: int, comments: int, data: st.DataObject
) -> None:
    with TemporaryDirectory() as name:
        gold, system = Path(name) / "gold", Path(name) / "system"
        rows = ["".join(f"{token} O\n" for token in tokens) for tokens in sentences]
        gold.write_text("\n".join(rows), encoding="utf-8")
        system.write_text("\n".join("# id = 1\n" * comments + row for row in rows), encoding="utf-8")
        batches = list(read_conll_pairs(Source(gold), Source(system), columns=(1, 2), block_size=block_size))
    for batch in batches:
        found, widths = batch.provenance, np.diff(batch.offsets)
        picked = data.draw(st.lists(st.integers(0, len(widths) - 1), max_size=5))
        excerpts = get_excerpts(found, np.array(picked, np.int64))
        for row, excerpt in zip(picked, excerpts, strict=True):
            alone, units = found.get_excerpt(row), range(widths[row])
            assert excerpt is not None
            assert alone is not None
            assert excerpt.text == alone.text
            assert [excerpt.locate_span(k, k + 1) for k in units] == [alone.locate_span(k, k + 1) for k in units]
        position = [data.draw(st.integers(0, int(widths[row]) - 1)) for row in picked]
        for side in SIDES:
            places = list_places(found, np.array(picked, np.int64), np.array(position, np.int64), side)
            assert places == [found.where(row, k, side) for row, k in zip(picked, position, strict=True)]
