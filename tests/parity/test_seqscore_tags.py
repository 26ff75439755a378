"""`isogloss tags` against the commands of seqscore, and the numbered differences of docs/tag-tool.md."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from isogloss.cli import run
from isogloss.records.sources import Source
from isogloss.tasks.ner.tag_checks import count_tags, validate_tags
from isogloss.tasks.ner.tag_files import InvalidTag, open_tag_file

pytest.importorskip("seqscore", reason="seqscore is not installed")

from click.testing import CliRunner
from seqscore.conll import LineSpec, validate_conll_file
from seqscore.encoding import get_encoding
from seqscore.model import Mention, Span
from seqscore.scripts.seqscore import cli

pytestmark = pytest.mark.parity
DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "ner"
REAL = sorted(DATA.glob("*/gold.test.conll")) + sorted(DATA.glob("*/crf.test.conll"))
real = pytest.mark.skipif(not REAL, reason="the shared data is not beside the repository")
ENCODINGS = {
    "iob2": "BIO",
    "iob1": "IOB",
    "io": "IO",
    "iobes": "BIOES",
    "bilou": "BILOU",
    "bmes": "BMES",
    "bmewo": "BMEOW",
}
LETTERS = {"iob2": "BI", "iob1": "BI", "io": "I", "iobes": "BIES", "bilou": "BILU", "bmes": "BMES", "bmewo": "BMEW"}
REPAIRS = [("iob2", "begin", "conlleval"), ("iob2", "discard", "discard"), ("iob1", "begin", "conlleval")]
LABELS = ("PER", "LOC", "A-B")
LINE, OPTIONS = LineSpec(0, -1), {"ignore_document_boundaries": True, "allow_comment_lines": False}
Documents = list[list[str]]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def seqscore(*arguments: str) -> Any:
    """What the program of seqscore ends with."""
    return CliRunner().invoke(cli, list(arguments))


def any_tags(scheme: str, number: int) -> Documents:
    chance = random.Random(scheme)
    tags = ["O", *(f"{letter}-{label}" for letter in LETTERS[scheme] for label in LABELS)]
    return [[chance.choice(tags) for _ in range(chance.randint(1, 10))] for _ in range(number)]


def valid_tags(scheme: str, number: int) -> Documents:
    """Sentences as seqscore writes them."""
    chance, encoding = random.Random(scheme), get_encoding(ENCODINGS[scheme])
    documents = []
    for _ in range(number):
        length = chance.randint(1, 9)
        edges = sorted(chance.sample(range(length + 1), chance.randint(0, length)))
        spans = [Span(a, b) for a, b in pairwise(edges) if chance.random() < 0.7]
        documents.append(list(encoding.encode_mentions([Mention(s, chance.choice(LABELS)) for s in spans], length)))
    return documents


def write(documents: Documents, name: str = "input") -> None:
    """A file as seqscore writes them: tabs, and a blank line after every sentence."""
    lines = ("".join(f"w{at}\t{tag}\n" for at, tag in enumerate(tags)) + "\n" for tags in documents)
    Path(name).write_text("".join(lines), encoding="utf-8")


def same_repair(path: str, scheme: str, repair: str, method: str) -> bytes:
    labels = ENCODINGS[scheme]
    assert seqscore("repair", path, "theirs", "--labels", labels, "--repair-method", method, "-q").exit_code == 0
    assert run(["tags", "repair", path, "-o", "ours", "--scheme", scheme, "--repair", repair, "-q"]) == 0
    assert Path("ours").read_bytes() == Path("theirs").read_bytes()
    return Path("ours").read_bytes()


def same_conversion(path: str, one: str, two: str) -> None:
    labels = ["--input-labels", ENCODINGS[one], "--output-labels", ENCODINGS[two]]
    assert seqscore("convert", path, "theirs", *labels).exit_code == 0
    assert run(["tags", "convert", path, "-o", "ours", "--from", one, "--to", two, "-q"]) == 0
    assert Path("ours").read_bytes() == Path("theirs").read_bytes()


def names_of_seqscore(path: str, scheme: str, method: str) -> Counter[tuple[str, str]]:
    options = ["--labels", ENCODINGS[scheme], "--repair-method", method, "-q"]
    found: Counter[tuple[str, str]] = Counter()
    for line in seqscore("count", path, *options).output.splitlines():
        number, label, name = line.split("\t")
        found[label, name] = int(number)
    return found


def misfits_of(path: str, scheme: str) -> list[InvalidTag]:
    found: list[InvalidTag] = []
    validate_tags(open_tag_file(Source(path), scheme=scheme), found.append)
    return found


@pytest.mark.parametrize(("scheme", "repair", "method"), REPAIRS)
def test_repairs_of_random_sentences_are_byte_equal(scheme: str, repair: str, method: str) -> None:
    write(any_tags(scheme, 10_000))
    assert same_repair("input", scheme, repair, method) != Path("input").read_bytes()


@pytest.mark.parametrize("one", ENCODINGS)
def test_conversions_of_random_sentences_are_byte_equal(one: str) -> None:
    write(valid_tags(one, 300))
    for two in ENCODINGS:
        same_conversion("input", one, two)


@pytest.mark.parametrize("scheme", ["iob2", "iob1"])
def test_as_many_tags_do_not_fit(scheme: str) -> None:
    write(any_tags(scheme, 10_000))
    theirs = validate_conll_file("input", ENCODINGS[scheme], "utf-8", LINE, **OPTIONS).errors
    assert [(each.line, each.tag) for each in misfits_of("input", scheme)] == [
        (error.line_num, error.label) for error in theirs
    ]


@pytest.mark.parametrize("scheme", ENCODINGS)
def test_the_same_sentences_fit(scheme: str) -> None:
    fitting = 0
    for tags in [*any_tags(scheme, 150), *valid_tags(scheme, 100)]:
        write([tags])
        theirs = validate_conll_file("input", ENCODINGS[scheme], "utf-8", LINE, **OPTIONS).errors
        assert bool(misfits_of("input", scheme)) == bool(theirs), tags
        fitting += not theirs
    assert fitting >= 100


@pytest.mark.parametrize(("scheme", "repair", "method"), REPAIRS)
def test_names_are_counted_alike(scheme: str, repair: Any, method: str) -> None:
    write(any_tags(scheme, 2_000))
    ours = count_tags(open_tag_file(Source("input"), scheme=scheme), repair, names=True).columns[0]
    assert ours.names == names_of_seqscore("input", scheme, method)


@real
@pytest.mark.parametrize("path", REAL, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_real_files_are_repaired_converted_and_counted_alike(path: Path) -> None:
    for scheme, repair, method in REPAIRS[:2]:
        same_repair(str(path), scheme, repair, method)
        ours = count_tags(open_tag_file(Source(path), scheme="iob2"), repair, names=True).columns[0]  # type: ignore[arg-type]
        assert ours.names == names_of_seqscore(str(path), "iob2", method)
    Path("ours").rename("valid")
    for scheme in ("bilou", "io"):
        same_conversion("valid", "iob2", scheme)


# The numbered differences of docs/tag-tool.md


def test_1_seqscore_repairs_no_scheme_with_letters_for_ends() -> None:
    write([["E-PER", "O"]])
    done = seqscore("repair", "input", "theirs", "--labels", "BIOES", "--repair-method", "conlleval", "-q")
    assert "Cannot repair mention encoding BIOES" in str(done.exception)
    assert run(["tags", "repair", "input", "--scheme", "iobes", "-o", "ours", "-q"]) == 0
    assert Path("ours").read_text(encoding="utf-8") == "w0\tS-PER\nw1\tO\n\n"


@pytest.mark.parametrize("name", ["IOE1", "IOE2"])
def test_1_seqscore_has_no_scheme_without_begins(name: str) -> None:
    with pytest.raises(ValueError, match="Unknown encoder"):
        get_encoding(name)


def convert_both(data: bytes, *options: str) -> tuple[Any, bytes]:
    """How seqscore ends, and what isogloss writes, from IOB2 to IOB2."""
    Path("input").write_bytes(data)
    labels = ["--input-labels", "BIO", "--output-labels", "BIO"]
    done = seqscore("convert", "input", "theirs", *labels, *options)
    assert run(["tags", "convert", "input", "--from", "iob2", "--to", "iob2", "-o", "ours", "-q"]) == 0
    return done, Path("ours").read_bytes()


def test_2_seqscore_refuses_comments_or_loses_them() -> None:
    data = b"# a comment\nAda\tB-PER\n"
    done, ours = convert_both(data)
    assert done.exit_code == 1
    assert ours == data
    convert_both(data, "--allow-comment-lines")
    assert Path("theirs").read_bytes() == b"Ada\tB-PER\n\n"


@pytest.mark.parametrize(
    ("data", "theirs"),
    [
        (b"Ada NNP B-PER\n", b"Ada\tNNP\tB-PER\n\n"),
        (b"Ada\tB-PER\r\n\r\nran\tO\r\n", b"Ada\tB-PER\n\nran\tO\n\n"),
        (b"-DOCSTART- -X- O\n\nAda NNP B-PER\n", b"Ada\tNNP\tB-PER\n\n"),
        (b"Ada\tB-PER\n\n\n\nran\tO", b"Ada\tB-PER\n\nran\tO\n\n"),
    ],
)
def test_2_seqscore_writes_a_file_of_its_own(data: bytes, theirs: bytes) -> None:
    _, ours = convert_both(data)
    assert Path("theirs").read_bytes() == theirs
    assert ours == data


def test_3_several_spaces_are_columns_of_seqscore() -> None:
    data = b"Ada  B-PER\n"
    _, ours = convert_both(data)
    assert Path("theirs").read_bytes() == b"Ada\t\tB-PER\n\n"
    assert ours == data


def test_4_seqscore_refuses_a_letter_alone() -> None:
    done, ours = convert_both(b"Ada\tB\nran\tI\n")
    assert done.exit_code == 1
    assert ours == b"Ada\tB\nran\tI\n"


def test_5_seqscore_joins_touching_spans_without_a_word(capsys: pytest.CaptureFixture[str]) -> None:
    write([["B-PER", "B-PER"]])
    done = seqscore("convert", "input", "theirs", "--input-labels", "BIO", "--output-labels", "IO")
    assert done.output == ""
    assert run(["tags", "convert", "input", "--to", "io"]) == 0
    out, err = capsys.readouterr()
    assert out == Path("theirs").read_text(encoding="utf-8")
    assert "joined" in err


@pytest.mark.parametrize(
    ("tags", "theirs", "ours"), [(["I-PER"], 2, 1), (["B-PER", "I-LOC", "E-LOC"], 1, 2), (["B-PER", "O"], 1, 1)]
)
def test_6_seqscore_counts_pairs_of_neighbours_and_not_tags(tags: list[str], theirs: int, ours: int) -> None:
    write([tags])
    assert len(validate_conll_file("input", "BIOES", "utf-8", LINE, **OPTIONS).errors) == theirs
    assert len(misfits_of("input", "iobes")) == ours


def test_7_names_of_one_count_are_in_another_order(capsys: pytest.CaptureFixture[str]) -> None:
    Path("input").write_text("b B-A\n\na B-A\n\n", encoding="utf-8")
    assert seqscore("count", "input").output == "1\tA\tb\n1\tA\ta\n"
    assert run(["tags", "count", "input", "--names", "2", "-f", "csv", "-q"]) == 0
    assert [row.split(",")[4] for row in capsys.readouterr().out.splitlines() if ",names," in row] == ["a", "b"]
